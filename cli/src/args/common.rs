//! Arguments of several commands.

use std::path::PathBuf;

use clap::Args;

use crate::units::{Probability, Time};

/// One stack of one file.
#[derive(Args, Debug)]
pub struct Which {
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The stack in the file
    #[arg(long, value_name = "NAME")]
    pub stack: String,
}

/// Faults of the network, in both directions.
#[derive(Args, Debug, Clone)]
pub struct Faults {
    /// Probability that a frame is lost
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub loss: Probability,
    /// Probability that a frame arrives twice
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub duplicate: Probability,
    /// Probability that a frame is overtaken by later ones
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub reorder: Probability,
    /// Probability that bits of a frame are flipped
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub corrupt: Probability,
    /// Delay of every frame: `5ms`
    #[arg(long, default_value = "0ms", value_name = "TIME")]
    pub delay: Time,
    /// Largest random delay of a frame in addition
    #[arg(long, default_value = "0ms", value_name = "TIME")]
    pub jitter: Time,
}
