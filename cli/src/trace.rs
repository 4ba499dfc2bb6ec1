//! Saved runs: `verify` writes them, `replay` reads them.

use std::path::{Path, PathBuf};

use nacre_checker::run::Run;
use nacre_driver::library::is_of_library;
use nacre_specification::Setting;
use nacre_worlds::world::{Subject, World};
use serde::{Deserialize, Serialize};

use crate::args::Verify;

/// A saved run, with the settings that replaying it needs.
#[derive(Serialize, Deserialize)]
pub struct Trace {
    /// The version of this format.
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

const VERSION: u32 = 1;

impl Trace {
    /// Returns the trace of a run that `verify` has found.
    pub fn of(args: &Verify, subject: &Subject, world: &World, run: &Run) -> Trace {
        Trace {
            nacre_trace: VERSION,
            file: match is_of_library(&args.file) {
                true => args.file.clone(),
                false => std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone()),
            },
            subject: subject.name.clone(),
            layer: subject.is_layer,
            configuration: world.configuration_name.clone(),
            set: args.set.iter().map(|setting| (setting.path.clone(), setting.values.clone())).collect(),
            bounds: world.configuration.clone(),
            any_order: world.setup.bounds.any_order,
            run: run.clone(),
        }
    }
    /// The settings of the command line. Their kinds were checked when the run was found.
    pub fn settings(&self) -> Vec<Setting> {
        let setting = |(path, values): &(Vec<String>, Vec<u64>)| Setting {
            path: path.clone(),
            values: values.clone(),
            kinds: vec![],
            timing: None,
            names: vec![],
            span: Default::default(),
        };
        self.set.iter().map(setting).collect()
    }
    /// Reads a saved run.
    ///
    /// # Errors
    /// Why the file cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Trace, String> {
        let shown = path.display();
        let text = nacre_driver::files::read_text(path).map_err(|why| format!("cannot read `{shown}`: {why}"))?;
        let trace: Trace = serde_json::from_str(&text).map_err(|why| format!("`{shown}` is not a saved run: {why}"))?;
        match trace.nacre_trace {
            VERSION => Ok(trace),
            other => Err(format!("`{shown}` is a saved run of version {other}; this program reads version {VERSION}")),
        }
    }
}
