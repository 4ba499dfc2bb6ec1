//! A stack's emitted C between automata: the world of [`nacre_worlds::setup::Setup`] in Promela ([`super::world`]), and
//! the calls and messages that it shares with the harness.

use nacre_backend_c::Level;
use nacre_worlds::setup::Setup;

use super::known::Known;
use super::world::World;
use super::{emit, files, timers, Emitted, Failure, FILE_FLAGS, FLAGS};
use crate::spin::{Limits, Model, Searched, Tools, Verdict, Verifier};

/// Searches the emitted C of a stack between the automata of a setup. Goals are not checked.
pub fn check(setup: &Setup, level: Level, tools: &Tools, limits: &Limits) -> Result<Searched, Failure> {
    Checker::new(setup, tools, limits)?.check(level)
}

/// Checks several levels in the same world.
pub struct Checker<'a> {
    setup: &'a Setup,
    tools: &'a Tools,
    limits: &'a Limits,
    known: Known,
    text: String,
    verifier: Verifier<'a>,
}

impl<'a> Checker<'a> {
    /// Writes the harness of a setup; fails if SPIN cannot check it.
    pub fn new(setup: &'a Setup, tools: &'a Tools, limits: &'a Limits) -> Result<Checker<'a>, Failure> {
        let (known, text) = around(setup).map_err(Failure::Unfit)?;
        // Constructs that the C does not support are reported before any file is written.
        emit(setup.stack(), Level::Queue).map_err(Failure::Unfit)?;
        // A breadth-first search also stores the states within a step, about ten times as many.
        let deep = Limits { breadth_first: false, ..limits.clone() };
        let model = Model { text: text.clone(), flags: flags(&FLAGS), ..Model::default() };
        let header = ("harness.h".to_string(), super::HARNESS_H.to_string());
        let model = Model { files: vec![header, known.tables_in_c()], ..model };
        let verifier = tools.make(&model, &deep).map_err(Failure::of)?;
        Ok(Checker { setup, tools, limits, known, text, verifier })
    }

    /// Checks the C of a level.
    pub fn check(&self, level: Level) -> Result<Searched, Failure> {
        self.check_of(&emit(self.setup.stack(), level).map_err(Failure::Unfit)?)
    }

    /// Checks a C text of any origin. If requested, a violation is searched again breadth-first, for a shortest run.
    pub fn check_of(&self, emitted: &Emitted) -> Result<Searched, Failure> {
        let mut files = files(self.setup, emitted, &self.known.in_c(self.setup));
        files.push(self.known.tables_in_c());
        let model = Model { text: self.text.clone(), files, flags: flags(&FLAGS), file_flags: flags(&FILE_FLAGS) };
        let searched = self.verifier.check(&model).map_err(Failure::of)?.within_limits();
        if !self.limits.breadth_first || !matches!(searched.verdict, Verdict::Violated { .. }) {
            return Ok(searched);
        }
        // What it meets first may be a limit of the model: then the run that was found stands.
        let shortest = self.tools.check(&model, self.limits).map_err(Failure::of)?.within_limits();
        Ok(if matches!(shortest.verdict, Verdict::Violated { .. }) { shortest } else { searched })
    }
}

fn flags(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|f| f.to_string()).collect()
}

/// Returns the world around the endpoints, or why there is none.
fn around(setup: &Setup) -> Result<(Known, String), String> {
    let known = Known::of(setup)?;
    let text = World::new(setup, &known).write(timers(setup.stack())? as usize)?;
    Ok((known, text))
}
