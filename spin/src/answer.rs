//! Parses the output of the verifier that SPIN generates.

use nacre_backend_promela::report::{Step, StopReason, GOAL, REPORT};

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The violation, as pan reports it, and the run to it.
    Violated { why: String, trail: Trail },
    /// Every state was visited.
    Holds,
    /// A limit ended the search; states which.
    Incomplete(String),
}

/// The run to a violation, as the model printed it ([`nacre_backend_promela::report`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    pub steps: Vec<Step>,
    /// Why the model stopped; none: one of its own assertions failed, or it did not stop by itself.
    pub report: Option<(StopReason, String)>,
    /// The goal that was watched last.
    pub goal: Option<String>,
    /// The first step of the cycle that can repeat forever.
    pub cycle: Option<usize>,
}

/// A search and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    pub verdict: Verdict,
    /// The number of stored states.
    pub states: u64,
    pub transitions: u64,
    /// The longest explored path, in transitions.
    pub depth: u64,
    pub memory_mib: f64,
    /// The time of the search alone.
    pub seconds: f64,
    pub vector_bytes: u64,
}

impl Searched {
    /// Converts a report of a limit of the model to an incomplete search. A violation of the modelled system is always
    /// reported.
    pub fn within_limits(mut self) -> Searched {
        let Verdict::Violated { why, trail } = &self.verdict else { return self };
        let limit = match &trail.report {
            Some((StopReason::Violation(_), _)) => None,
            Some((StopReason::Limit(limit), words)) if words.is_empty() => Some(limit.message().to_string()),
            Some((StopReason::Limit(limit), words)) => Some(format!("{}: {words}", limit.message())),
            None => is_assertion(why).then(|| format!("the model exceeded one of its bounds: {why}")),
        };
        if let Some(limit) = limit {
            self.verdict = Verdict::Incomplete(limit);
        }
        self
    }

    /// Whether the model stopped for this reason.
    pub fn stopped_for(&self, reason: StopReason) -> bool {
        let Verdict::Violated { trail: Trail { report: Some((report, _)), .. }, .. } = &self.verdict else {
            return false;
        };
        *report == reason
    }
}

/// Whether pan reports a violated assertion.
fn is_assertion(why: &str) -> bool {
    why.starts_with("assertion violated")
}

/// Parses the output of pan; none: it ended before it printed a result.
pub fn read(words: &str) -> Option<Searched> {
    let summary = words.lines().find(|l| l.contains("State-vector ") && l.contains("errors:"))?;
    let errors = number_after(summary, "errors:")?;
    Some(Searched {
        verdict: verdict(words, errors > 0.0),
        states: number_before(words, "states, stored").unwrap_or(0.0) as u64,
        transitions: number_before(words, "transitions (=").unwrap_or(0.0) as u64,
        depth: number_after(summary, "depth reached").unwrap_or(0.0) as u64,
        memory_mib: number_before(words, "total actual memory usage")
            .or_else(|| number_before(words, "memory usage (Mbyte)"))
            .unwrap_or(0.0),
        // The elapsed time of a search that has not begun counts from 1970.
        seconds: number_after(words, "elapsed time").filter(|s| *s < 1e6).unwrap_or(0.0),
        vector_bytes: number_after(summary, "State-vector").unwrap_or(0.0) as u64,
    })
}

/// Parses the output of a replay.
pub fn trail(words: &str) -> Trail {
    let mut trail = Trail::default();
    for line in words.lines().map(str::trim) {
        if let Some(step) = Step::read(line) {
            trail.steps.push(step);
        } else if let Some(goal) = line.strip_prefix(GOAL) {
            trail.goal = Some(goal.to_string());
        } else if let Some(report) = line.strip_prefix(REPORT) {
            trail.report = StopReason::read(report);
        } else if line.contains(CYCLE) {
            trail.cycle = Some(trail.steps.len());
        }
    }
    trail
}

/// Pan's marker of the start of a cycle in a replay.
const CYCLE: &str = "START OF CYCLE";

/// Limits that pan reports, and the messages for them.
const LIMITS: [(&str, &str); 6] = [
    ("max search depth too small", "the depth limit was reached"),
    ("reached -DMEMLIM bound", "the memory limit was reached"),
    ("out of memory", "the memory limit was reached"),
    ("Interrupted", "the time limit was reached"),
    ("VECTORSZ", "a state exceeds the limit of the state vector"),
    ("Search not completed", "the search did not complete"),
];

fn verdict(words: &str, errors: bool) -> Verdict {
    let limit = LIMITS.iter().find(|(sign, _)| words.contains(sign));
    let broken = words.lines().find_map(broken);
    match (errors, broken, limit) {
        // A depth limit counts as an error if pan stops at it.
        (true, None, Some((_, limit))) => Verdict::Incomplete(limit.to_string()),
        (true, why, _) => Verdict::Violated { why: why.unwrap_or_else(|| "an error".into()), trail: Trail::default() },
        (false, _, Some((_, limit))) => Verdict::Incomplete(limit.to_string()),
        (false, _, None) => Verdict::Holds,
    }
}

/// `pan:1: assertion violated (x<3) (at depth 7)` without its ends.
fn broken(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("pan:")?;
    let (number, why) = rest.split_once(':')?;
    let why = why.trim().split(" (at depth").next()?;
    // Pan aborts when it cannot continue, which is no result about the model.
    let told = why != "aborting" && !LIMITS.iter().any(|(sign, _)| why.contains(sign));
    (number.parse::<u32>().is_ok() && told && !why.is_empty()).then(|| why.to_string())
}

fn number_after(words: &str, sign: &str) -> Option<f64> {
    let rest = &words[words.find(sign)? + sign.len()..];
    rest.split_whitespace().next()?.trim_end_matches(',').parse().ok()
}

fn number_before(words: &str, sign: &str) -> Option<f64> {
    words[..words.find(sign)?].split_whitespace().next_back()?.parse().ok()
}
