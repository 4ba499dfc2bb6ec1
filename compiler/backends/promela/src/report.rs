//! The lines that a model prints, and their parser: one for each step, and one with a number before it stops.

use nacre_specification::violation::Violation;

use crate::effects::Effect;

/// Begins the line of a step.
const STEP: &str = "step: ";
/// Begins the line that names the goal which is watched from then on.
pub const GOAL: &str = "goal: ";
/// Begins the line that states why the model stops: a number and a message.
pub const REPORT: &str = "report: ";

/// What a model reports of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An endpoint opens.
    Opened { end: usize },
    /// An endpoint runs a `later` event.
    Later { end: usize },
    /// A call by name, counted from 1.
    Call { end: usize, name: String, number: u8 },
    /// A timer by its index among the armed ones, in the order of layers, declarations and indices.
    TimerAt { end: usize, place: u32 },
    /// Any timer of a name.
    Timer { end: usize, name: String },
    /// A transition of the network, and the endpoint that it reaches, if any.
    Network { name: String, end: Option<usize> },
}

impl Step {
    fn end(&self) -> Option<usize> {
        match self {
            Step::Opened { end } | Step::Later { end } | Step::Call { end, .. } => Some(*end),
            Step::TimerAt { end, .. } | Step::Timer { end, .. } => Some(*end),
            Step::Network { end, .. } => *end,
        }
    }

    /// The fields after the endpoint in a line.
    fn fields(&self) -> String {
        match self {
            Step::Opened { .. } => "opened".into(),
            Step::Later { .. } => "later".into(),
            Step::Call { name, number, .. } => format!("call {name} {number}"),
            Step::TimerAt { place, .. } => format!("place {place}"),
            Step::Timer { name, .. } => format!("timer {name}"),
            Step::Network { name, .. } => format!("network {name}"),
        }
    }

    /// Returns the statement that reports the step.
    pub fn print(&self) -> String {
        let end = self.end().map_or("-".into(), |end| end.to_string());
        format!("printf(\"{STEP}{end} {}\\n\")", self.fields())
    }

    /// Returns the statement that reports the step for the endpoint `me`, whatever endpoint it states.
    pub fn print_of_me(&self) -> String {
        format!("printf(\"{STEP}%d {}\\n\", me)", self.fields())
    }

    /// Parses a line; none: it reports no step.
    pub fn read(line: &str) -> Option<Step> {
        let words: Vec<&str> = line.strip_prefix(STEP)?.split(' ').collect();
        let (end, fields) = words.split_first()?;
        let reached = if *end == "-" { None } else { Some(end.parse().ok().filter(|end| *end < 2)?) };
        let named = |name: &str| name.to_string();
        if let ["network", name] = fields {
            return Some(Step::Network { name: named(name), end: reached });
        }
        let end = reached?;
        Some(match fields {
            ["opened"] => Step::Opened { end },
            ["later"] => Step::Later { end },
            ["call", name, number] => Step::Call { end, name: named(name), number: number.parse().ok()? },
            ["place", place] => Step::TimerAt { end, place: place.parse().ok()? },
            ["timer", name] => Step::Timer { end, name: named(name) },
            _ => return None,
        })
    }
}

/// Formats the step for people.
impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let who = self.end().and_then(|end| ["a", "b"].get(end)).unwrap_or(&"the network");
        match self {
            Step::Opened { .. } => write!(f, "{who} opens"),
            Step::Later { .. } => write!(f, "{who} runs a later event"),
            Step::Call { name, number, .. } => write!(f, "{who} calls {name}, number {number}"),
            Step::TimerAt { place, .. } => write!(f, "timer {place} of {who}"),
            Step::Timer { name, .. } => write!(f, "{name} of {who} fires"),
            Step::Network { name, .. } => write!(f, "{name} at {who}"),
        }
    }
}

/// Why a model stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    Violation(Violation),
    /// The model reached a limit, which is no result about the stack.
    Limit(Limit),
}

/// A limit of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A container of an automaton is full.
    Capacity,
    /// An automaton has two enabled transitions, and the model follows one.
    Ambiguous,
    /// A step draws more random numbers than the model supports.
    Draws,
    /// More events wait for the network than the capacity.
    Waiting,
    /// A message is longer than the capacity.
    Length,
    /// More events of a step, or more `later` events, than the capacity.
    Events,
    /// An event passes a negative number, or one that is too large, to an automaton.
    Number,
    /// An action chooses (`n in upto(..)`) among more numbers than the model enumerates.
    Choices,
}

/// The first number of limits.
const LIMITS: u32 = 100;

impl Limit {
    const ALL: [Limit; 8] = [
        Limit::Capacity,
        Limit::Ambiguous,
        Limit::Draws,
        Limit::Waiting,
        Limit::Length,
        Limit::Events,
        Limit::Number,
        Limit::Choices,
    ];

    /// The message of the verdict.
    pub fn message(self) -> &'static str {
        match self {
            Limit::Capacity => "an automaton stores more entries than the model has room for",
            Limit::Ambiguous => "an automaton has several possible states, but the model follows one",
            Limit::Draws => "a step draws more random numbers than the model supports",
            Limit::Waiting => "more events wait for the network than the model has room for",
            Limit::Length => "a message is longer than the model has room for",
            Limit::Events => "more events of a step wait than the model has room for",
            Limit::Choices => "an automaton chooses one of more numbers than the model enumerates",
            Limit::Number => "an event carries a number that is negative or larger than 2147483647",
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

    /// Parses the rest of a line after [`REPORT`].
    pub fn read(line: &str) -> Option<(StopReason, String)> {
        let (number, words) = line.split_once(' ').unwrap_or((line, ""));
        Some((StopReason::of_number(number.parse().ok()?)?, words.to_string()))
    }

    /// Returns statements that print the report and stop the model.
    pub fn effects(self, words: &str) -> Vec<Effect> {
        // The message is part of a format.
        let words: String =
            words.chars().map(|c| if matches!(c, '"' | '\\' | '%' | '\n') { '\'' } else { c }).collect();
        let line = format!("{REPORT}{} {words}", self.number());
        vec![Effect::Run(format!("printf(\"{line}\\n\")")), Effect::run("assert(false)")]
    }

    /// Returns the same in one line.
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
    fn steps_are_read_as_they_were_written() {
        let name = || "pt2pt.timeout".to_string();
        let steps = [
            Step::Opened { end: 0 },
            Step::Later { end: 1 },
            Step::Call { end: 0, name: name(), number: 2 },
            Step::TimerAt { end: 1, place: 3 },
            Step::Timer { end: 0, name: name() },
            Step::Network { name: name(), end: Some(1) },
            Step::Network { name: "at".into(), end: None },
        ];
        for step in steps {
            let line =
                |statement: &str| statement.trim_start_matches("printf(\"").split("\\n").next().map(String::from);
            assert_eq!(Step::read(&line(&step.print()).expect("a line")), Some(step.clone()));
            let of_me = line(&step.print_of_me()).expect("a line").replace("%d", "1");
            assert_eq!(Step::read(&of_me).and_then(|read| read.end()), Some(1), "{of_me}");
        }
        for other in ["", "step: ", "step: 2 later", "step: - later", "step: 0 deliver", "later"] {
            assert_eq!(Step::read(other), None, "{other}");
        }
    }

    #[test]
    fn reports_are_read_as_they_were_written() {
        let violations = Violation::ALL.into_iter().map(StopReason::Violation);
        for report in violations.chain(Limit::ALL.into_iter().map(StopReason::Limit)) {
            let line = format!("{} 30 'words' of its own", report.number());
            assert_eq!(StopReason::read(&line), Some((report, "30 'words' of its own".to_string())));
        }
        assert_eq!(StopReason::read("later"), None);
        let text = violated(Violation::Assertion, "a \"quoted\" 100%\n");
        assert_eq!(text, "printf(\"report: 1 a 'quoted' 100''\\n\"); assert(false);");
    }
}
