//! `nacre replay`: a run that a search found, run again.

use std::path::PathBuf;

use nacre_checker::run::Run;
use serde::{Deserialize, Serialize};

use crate::args::Verify;
use crate::verify::{Subject, World};

/// A run in a file, with what it takes to run it again.
#[derive(Serialize, Deserialize)]
pub struct Trace {
    /// Version of this form.
    pub nacre_trace: u32,
    pub file: PathBuf,
    pub subject: String,
    pub layer: bool,
    pub configuration: String,
    /// Settings of the command line.
    pub set: Vec<(Vec<String>, Vec<u64>)>,
    pub bounds: Vec<String>,
    pub any_order: bool,
    pub run: Run,
}

impl Trace {
    pub fn of(args: &Verify, subject: &Subject, world: &World, run: &Run) -> Trace {
        Trace {
            nacre_trace: 1,
            file: std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone()),
            subject: subject.name.clone(),
            layer: subject.is_layer,
            configuration: world.configuration_name.clone(),
            set: args.set.clone(),
            bounds: world.configuration.clone(),
            any_order: world.setup.bounds.any_order,
            run: run.clone(),
        }
    }
}
