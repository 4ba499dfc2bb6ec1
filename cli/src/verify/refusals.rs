//! Configurations that cannot be verified: reported once each, while the others are verified all the same.

use nacre_diagnostics::Diagnostic;
use nacre_driver::Session;
use nacre_specification::Configuration;
use serde_json::{json, Value};

use crate::console::{colours, complain, say, Exit};
use nacre_worlds::world::{Refusal, Subject};

/// What was refused so far.
#[derive(Default)]
pub struct Refusals {
    /// Reported already: layers have the same errors in each configuration.
    diagnostics: Vec<Diagnostic>,
    messages: Vec<String>,
    all: Vec<Value>,
    /// A setting of the command line is wrong.
    usage: bool,
}

impl Refusals {
    /// Reports why a subject cannot be verified in a configuration.
    pub fn add(&mut self, session: &Session, subject: &Subject, configuration: &Configuration, refusal: Refusal) {
        let why: Vec<String> = match refusal {
            Refusal::Usage(message) => {
                self.usage = true;
                self.complain(message.clone());
                vec![message]
            }
            Refusal::Words(message) => {
                let message = format!("{}, configuration {}: {message}", subject.name, configuration.name);
                self.complain(message.clone());
                vec![message]
            }
            Refusal::Diagnostics(found) => {
                let why = found.iter().map(|d| d.message.clone()).collect();
                found.into_iter().for_each(|d| self.report(session, d));
                why
            }
        };
        self.all.push(json!({ "subject": subject.name, "configuration": configuration.name, "why": why }));
    }

    fn complain(&mut self, message: String) {
        if !self.messages.contains(&message) {
            complain(&message);
            self.messages.push(message);
        }
    }

    fn report(&mut self, session: &Session, found: Diagnostic) {
        if !self.diagnostics.contains(&found) {
            say(&found.render(&session.sources, colours()));
            self.diagnostics.push(found);
        }
    }

    /// How many configurations were refused.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// For a machine.
    pub fn json(&self) -> &[Value] {
        &self.all
    }

    /// The status that refusals demand; None where there are none.
    pub fn exit(&self) -> Option<Exit> {
        match (self.count(), self.usage) {
            (0, _) => None,
            (_, true) => Some(Exit::Usage),
            (_, false) => Some(Exit::No),
        }
    }
}
