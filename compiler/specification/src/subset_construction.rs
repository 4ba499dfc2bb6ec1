//! The subset construction: the set of states in which an automaton can be after the observed events. Internal actions
//! and faults are not observed, and an action may be enabled in several ways.

use std::collections::{HashMap, HashSet};

use crate::evaluate::State;
use crate::{Action, ActionKind, Automaton, Expr, Guard, Pattern, Type, Value};

/// Limit of the states in one set.
pub const MOST_STATES: usize = 4096;
/// Limit of the transitions of a table. It has at most one more state; models number states with 16 bits and a sign.
const MOST_MOVES: usize = 32_000;
/// Limit of the states in all sets of a table together.
const MOST_ALL: usize = 1 << 17;

/// Internal actions and faults that can ever happen.
pub fn silent(automaton: &Automaton) -> Vec<usize> {
    let own = |kind| matches!(kind, ActionKind::Internal | ActionKind::Fault);
    let all = automaton.actions.iter().enumerate();
    all.filter(|(_, a)| own(a.kind) && !a.is_never()).map(|(at, _)| at).collect()
}

/// All states that can be reached by internal actions and faults; sorted.
pub fn close(automaton: &Automaton, members: u64, mut states: Vec<State>) -> Result<Vec<State>, String> {
    let actions = silent(automaton);
    let mut known: HashSet<State> = if actions.is_empty() { HashSet::new() } else { states.iter().cloned().collect() };
    let mut at = 0;
    while at < states.len() && !actions.is_empty() {
        for action in &actions {
            for locals in automaton.enabled(&states[at], members, *action) {
                let next = automaton.apply(&states[at], members, *action, &locals);
                if known.insert(next.clone()) {
                    states.push(next);
                }
            }
        }
        if states.len() > MOST_STATES {
            return Err(format!("`{}` can be in more than {MOST_STATES} states", automaton.name));
        }
        at += 1;
    }
    states.sort();
    Ok(states)
}

/// An observed event, borrowed; see [`Letter`].
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    pub kind: ActionKind,
    pub name: &'a str,
    pub end: usize,
    pub arguments: &'a [Value],
}

impl Observed<'_> {
    /// Whether an action with these arguments, the endpoint first, is this event.
    fn is(&self, action: &Action, arguments: &[Value]) -> bool {
        action.kind == self.kind && action.name == self.name && action.parameters.len() == arguments.len()
    }
}

/// Returns whether an automaton mentions an event, and all states in which it can be right after it.
pub fn follow(automaton: &Automaton, members: u64, states: &[State], event: Observed) -> (bool, Vec<State>) {
    let mut all = vec![Value::Num(event.end as u64)];
    all.extend(event.arguments.iter().cloned());
    let (mut known, mut next) = (false, vec![]);
    for (at, _) in automaton.actions.iter().enumerate().filter(|(_, action)| event.is(action, &all)) {
        known = true;
        for state in states {
            let ways = automaton.allows(state, members, at, &all);
            next.extend(ways.iter().map(|locals| automaton.apply(state, members, at, locals)));
        }
    }
    next.sort();
    next.dedup();
    (known, next)
}

/// An observed event: an input or an output at an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Letter {
    pub kind: ActionKind,
    pub name: String,
    pub end: usize,
    pub arguments: Vec<Value>,
}

impl Letter {
    fn observed(&self) -> Observed<'_> {
        Observed { kind: self.kind, name: &self.name, end: self.end, arguments: &self.arguments }
    }
}

/// The number of an input that occurs once: the calls of a kind at an endpoint occur in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    pub letter: Letter,
    pub kind: usize,
    pub number: u8,
}

/// A deterministic automaton for the same events: its states are the numbers of sets of states; the first is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsetConstruction {
    pub letters: Vec<Letter>,
    /// By state, by letter; none: not allowed. Letters that are missing are never allowed.
    pub next: Vec<Vec<Option<u32>>>,
    /// By state, for each goal of the automaton, whether it holds and whether it is excused.
    pub goals: Vec<Vec<(bool, bool)>>,
}

/// For each goal, whether it holds in one of these states, and whether it is excused in one.
pub fn goals(automaton: &Automaton, members: u64, states: &[State]) -> Vec<(bool, bool)> {
    let holds = |goal: usize| states.iter().any(|s| automaton.holds(s, members, goal));
    let excused = |goal: usize| states.iter().any(|s| automaton.excused(s, members, goal));
    (0..automaton.goals.len()).map(|goal| (holds(goal), excused(goal))).collect()
}

struct Making<'a> {
    automaton: &'a Automaton,
    members: u64,
    sets: HashMap<Vec<State>, u32>,
    all: Vec<Vec<State>>,
    states: usize,
    moves: usize,
    letters: Vec<Letter>,
    numbers: HashMap<Letter, usize>,
    next: Vec<HashMap<usize, Option<u32>>>,
}

impl SubsetConstruction {
    /// Builds the table of an automaton for these letters; the error describes why it is too large.
    pub fn of(automaton: &Automaton, members: u64, calls: &[Called]) -> Result<SubsetConstruction, String> {
        let mut making = Making {
            automaton,
            members,
            sets: HashMap::new(),
            all: vec![],
            states: 0,
            moves: 0,
            letters: vec![],
            numbers: HashMap::new(),
            next: vec![],
        };
        making.check()?;
        let start = making.number(vec![automaton.start(members)])?;
        // The remaining calls are part of the position, not of the set of states.
        let mut found = vec![(start, vec![0; calls.len()])];
        let mut known: HashSet<(u32, Vec<u8>)> = found.iter().cloned().collect();
        let mut at = 0;
        while at < found.len() {
            let (set, used) = found[at].clone();
            let mut steps = vec![];
            for (place, called) in calls.iter().enumerate() {
                let before =
                    |c: &Called| (c.kind, c.letter.end) == (called.kind, called.letter.end) && c.number < called.number;
                let mine =
                    |c: &Called| (c.kind, c.letter.end, c.number) == (called.kind, called.letter.end, called.number);
                let come = |of: &dyn Fn(&Called) -> bool| calls.iter().zip(&used).any(|(c, n)| of(c) && *n == 1);
                let waits = (0..called.number)
                    .any(|n| !calls.iter().zip(&used).any(|(c, used)| before(c) && c.number == n && *used == 1));
                if come(&mine) || waits {
                    continue;
                }
                if let Some(next) = making.step(set, &called.letter)? {
                    let mut used = used.clone();
                    used[place] = 1;
                    steps.push((next, used));
                }
            }
            for letter in making.outputs(set)? {
                steps.extend(making.step(set, &letter)?.map(|next| (next, used.clone())));
            }
            found.extend(steps.into_iter().filter(|step| known.insert(step.clone())).collect::<Vec<_>>());
            at += 1;
        }
        Ok(making.table())
    }
}

impl Making<'_> {
    fn check(&self) -> Result<(), String> {
        for action in self.automaton.actions.iter().filter(|a| a.kind == ActionKind::Output && !a.is_never()) {
            let bound = |n: usize| {
                action.guards.iter().any(|g| match g {
                    Guard::In(p, _) | Guard::Is(p, _) => p.binds(n) || equal(p, n),
                    Guard::Holds(_) => false,
                })
            };
            if action.parameters.iter().enumerate().any(|(n, p)| p.ty != Type::Rank && !bound(n)) {
                return Err(format!("`{}` of `{}` is allowed with any parameter", action.name, self.automaton.name));
            }
        }
        Ok(())
    }

    fn number(&mut self, states: Vec<State>) -> Result<u32, String> {
        let states = close(self.automaton, self.members, states)?;
        let number = self.all.len() as u32;
        if let Some(known) = self.sets.get(&states) {
            return Ok(*known);
        }
        self.states += states.len();
        if self.states > MOST_ALL || self.moves > MOST_MOVES {
            return Err(format!("the possible states of `{}` exceed the table", self.automaton.name));
        }
        self.sets.insert(states.clone(), number);
        self.all.push(states);
        self.next.push(HashMap::new());
        Ok(number)
    }

    fn step(&mut self, from: u32, letter: &Letter) -> Result<Option<u32>, String> {
        let at = *self.numbers.entry(letter.clone()).or_insert_with(|| {
            self.letters.push(letter.clone());
            self.letters.len() - 1
        });
        if let Some(known) = self.next[from as usize].get(&at) {
            return Ok(*known);
        }
        let (known, after) = follow(self.automaton, self.members, &self.all[from as usize], letter.observed());
        let next = match (known, after.is_empty()) {
            (false, _) => Some(from),
            (true, true) => None,
            (true, false) => Some(self.number(after)?),
        };
        self.moves += usize::from(next.is_some());
        self.next[from as usize].insert(at, next);
        Ok(next)
    }

    /// The possible outputs.
    fn outputs(&self, from: u32) -> Result<Vec<Letter>, String> {
        let mut found: Vec<Letter> = vec![];
        let outputs = self.automaton.actions.iter().enumerate().filter(|(_, a)| a.kind == ActionKind::Output);
        for (at, action) in outputs {
            for state in &self.all[from as usize] {
                for locals in self.automaton.enabled(state, self.members, at) {
                    let mut values = locals.into_iter().take(action.parameters.len()).flatten();
                    let end = values.next().map_or(0, |v| v.num() as usize);
                    let letter =
                        Letter { kind: action.kind, name: action.name.clone(), end, arguments: values.collect() };
                    if !found.contains(&letter) {
                        found.push(letter);
                    }
                }
                if found.len() > MOST_MOVES {
                    return Err(format!("the events that `{}` allows exceed the table", self.automaton.name));
                }
            }
        }
        Ok(found)
    }

    fn table(self) -> SubsetConstruction {
        let Making { automaton, members, all, letters, next, .. } = self;
        let goals = all.iter().map(|states| goals(automaton, members, states)).collect();
        let row =
            |row: HashMap<usize, Option<u32>>| (0..letters.len()).map(|at| row.get(&at).copied().flatten()).collect();
        let next = next.into_iter().map(row).collect();
        SubsetConstruction { letters, next, goals }
    }
}

/// Whether a pattern compares with a local.
fn equal(pattern: &Pattern, n: usize) -> bool {
    matches!(pattern, Pattern::Equal(Expr::Local(m)) if *m == n)
}
