//! Arguments about proofs, and about what is to be proved: of `nacre prove` and `nacre profile`.

use std::path::PathBuf;

use clap::Args;

use super::common::{Faults, Which};
use crate::units::length;

/// Messages of an endpoint.
const PROFILED: std::ops::RangeInclusive<i64> = 1..=1_000_000;

/// Arguments of `nacre prove`.
#[derive(Args, Debug)]
pub struct Prove {
    #[command(flatten)]
    pub which: Which,
    /// Write a certificate of each claim into DIR, which is new or empty
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Infer invariants that the layers do not state, print them, and use them in the proofs
    #[arg(long, conflicts_with = "certificate")]
    pub infer: bool,
}

/// Arguments of `nacre profile`.
#[derive(Args, Debug)]
pub struct Profile {
    #[command(flatten)]
    pub which: Which,
    /// The seed of the runs
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Messages from each endpoint
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = clap::value_parser!(u32).range(PROFILED))]
    pub messages: u32,
    /// Length of the longest message in bytes, at most 16777216; the stack may accept less
    #[arg(long, default_value_t = 1_000, value_name = "BYTES", value_parser = length)]
    pub largest: u32,
    #[command(flatten)]
    pub faults: Faults,
    /// Write the profile to this file [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}
