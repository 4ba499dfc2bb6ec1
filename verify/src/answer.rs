//! What the verifier that SPIN makes prints, as data.

use nacre_backend_promela::judges::UNCLEAR;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What was broken, in pan's words, and the run to it: what the model printed on the way (see [`STEP`]).
    Violated { why: String, trail: Vec<String> },
    /// Every state was visited.
    Holds,
    /// A limit came first, in words.
    Incomplete(String),
}

/// The model prints a line that begins so for each step: `printf("step: a sends\n")`. What follows is the trail of a violation.
pub const STEP: &str = "step: ";

/// A search, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    pub verdict: Verdict,
    /// States that were stored.
    pub states: u64,
    pub transitions: u64,
    /// The longest path that was followed, in transitions.
    pub depth: u64,
    pub memory_mib: f64,
    /// Of the search alone.
    pub seconds: f64,
    pub vector_bytes: u64,
}

impl Searched {
    /// What a model of automata meets besides violations: its own limits.
    pub fn within_limits(mut self) -> Searched {
        if let Verdict::Violated { why, trail } = &self.verdict {
            let limit = match trail.last().and_then(|line| line.strip_prefix(UNCLEAR)) {
                Some(words) => {
                    Some(format!("an automaton could go on in two ways, and the model follows one: {words}"))
                }
                None if why.contains("_len[") => Some("an automaton keeps more than the model has places for".into()),
                None => None,
            };
            self.verdict = limit.map_or(self.verdict.clone(), Verdict::Incomplete);
        }
        self
    }
}

/// Reads what pan printed; none: it did not come so far as to tell.
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
        // What has not begun has a time since 1970.
        seconds: number_after(words, "elapsed time").filter(|s| *s < 1e6).unwrap_or(0.0),
        vector_bytes: number_after(summary, "State-vector").unwrap_or(0.0) as u64,
    })
}

/// What the model printed for each step, of a replay.
pub fn trail(words: &str) -> Vec<String> {
    let line = |l: &str| match l.trim_start().strip_prefix(STEP) {
        None if l.contains("START OF CYCLE") => Some(AGAIN.to_string()),
        step => step.map(|step| step.trim_end().to_string()),
    };
    words.lines().filter_map(line).collect()
}

/// In a trail: what follows is done again and again.
pub const AGAIN: &str = "again and again";

/// Limits that pan tells of, and how we say it.
const LIMITS: [(&str, &str); 6] = [
    ("max search depth too small", "the depth of the search was reached"),
    ("reached -DMEMLIM bound", "the memory was used up"),
    ("out of memory", "the memory was used up"),
    ("Interrupted", "the time was over"),
    ("VECTORSZ", "a state is larger than the vector that was allowed"),
    ("Search not completed", "the search was not completed"),
];

fn verdict(words: &str, errors: bool) -> Verdict {
    let limit = LIMITS.iter().find(|(sign, _)| words.contains(sign));
    let broken = words.lines().find_map(broken);
    match (errors, broken, limit) {
        // A depth that is too small counts as an error where pan stops at it.
        (true, None, Some((_, limit))) => Verdict::Incomplete(limit.to_string()),
        (true, why, _) => Verdict::Violated { why: why.unwrap_or_else(|| "an error".into()), trail: vec![] },
        (false, _, Some((_, limit))) => Verdict::Incomplete(limit.to_string()),
        (false, _, None) => Verdict::Holds,
    }
}

/// `pan:1: assertion violated (x<3) (at depth 7)` without its ends.
fn broken(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("pan:")?;
    let (number, why) = rest.split_once(':')?;
    let why = why.trim().split(" (at depth").next()?;
    // It aborts when it cannot go on, which says nothing about the model.
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
