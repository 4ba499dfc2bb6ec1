//! Configurations that cannot be verified: each is reported once, and the others are verified.

use nacre_diagnostics::Diagnostic;
use nacre_driver::Session;
use nacre_specification::Configuration;
use serde_json::{json, Value};

use crate::console::{colours, complain_once, say, Exit};
use nacre_worlds::world::{Refusal, Subject};

/// The refused configurations so far.
#[derive(Default)]
pub struct Refusals {
    /// Diagnostics already reported: layers have the same errors in each configuration.
    diagnostics: Vec<Diagnostic>,
    all: Vec<Value>,
    /// Whether a setting of the command line is wrong.
    usage: bool,
    /// Whether the source has an error.
    source: bool,
}

impl Refusals {
    /// Reports why a subject cannot be verified in a configuration.
    pub fn add(&mut self, session: &Session, subject: &Subject, configuration: &Configuration, refusal: Refusal) {
        let why: Vec<String> = match refusal {
            Refusal::Usage(message) => {
                self.usage = true;
                complain_once(&message);
                vec![message]
            }
            Refusal::Words(message) => {
                let message = format!("{}, configuration {}: {message}", subject.name, configuration.name);
                complain_once(&message);
                vec![message]
            }
            Refusal::Diagnostics(found) => {
                let why = found.iter().map(|d| d.message.clone()).collect();
                // As declared the source has no error: a parameter of the command line makes it.
                self.usage |= configuration.settings.iter().any(|s| s.span == Default::default());
                self.source |= found.iter().any(|d| d.label.is_some());
                found.into_iter().for_each(|d| self.report(session, d));
                why
            }
        };
        self.all.push(json!({ "subject": subject.name, "configuration": configuration.name, "why": why }));
    }

    fn report(&mut self, session: &Session, found: Diagnostic) {
        if !self.diagnostics.contains(&found) {
            say(&found.render(&session.sources, colours()));
            self.diagnostics.push(found);
        }
    }

    /// Returns the number of refused configurations.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the refusals as JSON.
    pub fn json(&self) -> &[Value] {
        &self.all
    }

    /// Returns the exit status of refusals; none: there are none.
    pub fn exit(&self) -> Option<Exit> {
        match self.count() {
            0 => None,
            _ if self.usage => Some(Exit::Usage),
            _ if self.source => Some(Exit::No),
            _ => Some(Exit::Unknown),
        }
    }
}
