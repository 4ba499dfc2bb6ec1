//! What a model prints on its way, as its readers take it apart: one line for each step, and one with a number before
//! it stops.

use nacre_specification::violation::Violation;

use crate::effects::Effect;

/// Begins the line of a step.
pub const STEP: &str = "step: ";
/// Begins the line that names the goal which is watched from there on.
pub const GOAL: &str = "goal: ";
/// Begins the line that says why the model stops: a number and words.
pub const REPORT: &str = "report: ";

/// Why a model stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    Violation(Violation),
    /// The model cannot go on, which says nothing about what it models.
    Limit(Limit),
}

/// A bound of a model's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A container of an automaton is full.
    Capacity,
    /// An automaton could go on in two ways, and the model follows one.
    Ambiguous,
    /// A step draws more random numbers than the model does.
    Draws,
    /// More events wait for the network than the model has places for.
    Waiting,
    /// A message is longer than the model has places for.
    Length,
    /// More events of a step, or put off by it, wait than the model has places for.
    Events,
}

/// Numbers of limits are from here on.
const LIMITS: u32 = 100;

impl Limit {
    const ALL: [Limit; 6] =
        [Limit::Capacity, Limit::Ambiguous, Limit::Draws, Limit::Waiting, Limit::Length, Limit::Events];

    /// What a verdict says of it.
    pub fn message(self) -> &'static str {
        match self {
            Limit::Capacity => "an automaton keeps more than the model has places for",
            Limit::Ambiguous => "an automaton could go on in two ways, and the model follows one",
            Limit::Draws => "a step draws more random numbers than the model does",
            Limit::Waiting => "more events wait for the network than the model has places for",
            Limit::Length => "a message is longer than the model has places for",
            Limit::Events => "more events of a step wait than the model has places for",
        }
    }
}

impl StopReason {
    fn number(self) -> u32 {
        match self {
            StopReason::Violation(violation) => violation.number(),
            StopReason::Limit(limit) => LIMITS + limit as u32,
        }
    }

    fn of_number(number: u32) -> Option<StopReason> {
        match number.checked_sub(LIMITS) {
            None => Violation::of_number(number).map(StopReason::Violation),
            Some(at) => Limit::ALL.get(at as usize).copied().map(StopReason::Limit),
        }
    }

    /// Reads what a line says behind [`REPORT`].
    pub fn read(line: &str) -> Option<(StopReason, String)> {
        let (number, words) = line.split_once(' ').unwrap_or((line, ""));
        Some((StopReason::of_number(number.parse().ok()?)?, words.to_string()))
    }

    /// Statements that print the report and stop the model.
    pub fn effects(self, words: &str) -> Vec<Effect> {
        // Words are part of a format.
        let words: String =
            words.chars().map(|c| if matches!(c, '"' | '\\' | '%' | '\n') { '\'' } else { c }).collect();
        let line = format!("{REPORT}{} {words}", self.number());
        vec![Effect::Run(format!("printf(\"{line}\\n\")")), Effect::run("assert(false)")]
    }

    /// The same in one line.
    pub fn statement(self, words: &str) -> String {
        crate::effects::lines(&self.effects(words)).join(" ")
    }
}

/// Stops the model for a limit unless a condition holds.
pub fn within(condition: &str, limit: Limit) -> String {
    format!("if :: {condition} :: else -> {} fi;", StopReason::Limit(limit).statement("").trim_end_matches(';'))
}

/// Reports a violation and stops the model.
pub fn violated(violation: Violation, words: &str) -> String {
    StopReason::Violation(violation).statement(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_were_written() {
        let violations = Violation::ALL.into_iter().map(StopReason::Violation);
        for report in violations.chain(Limit::ALL.into_iter().map(StopReason::Limit)) {
            let line = format!("{} 30 'words' of its own", report.number());
            assert_eq!(StopReason::read(&line), Some((report, "30 'words' of its own".to_string())));
        }
        assert_eq!(StopReason::read("step: 3"), None);
        let text = violated(Violation::Assertion, "a \"quoted\" 100%\n");
        assert_eq!(text, "printf(\"report: 1 a 'quoted' 100''\\n\"); assert(false);");
    }
}
