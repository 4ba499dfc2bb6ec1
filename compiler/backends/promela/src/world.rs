//! The environment of the two endpoints: the network below, specifications above, the calls of an application, and what
//! may begin a step.

use nacre_specification::subset_construction::{silent, SubsetConstruction};
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::EventId;

use crate::automata::{Transition, Translator};
use crate::effects::{self, Effect};
use crate::monitors::{self, Monitor};
use crate::report::Step as Report;
use crate::term::Term;
use crate::typedefs::{Typedef, DATA, FRAMES, MESSAGES};

/// Largest number that `upto` gives.
const MOST: u64 = 8;
/// The first number of what an event that leaves is handled as.
pub const LEAVES: usize = 1000;
/// Causes of steps below this are those of every model.
pub const WAYS: usize = 1000;
/// Events of one step that wait for a network that can take them in several ways; one more is
/// [`crate::report::Limit::Waiting`].
pub const SENDING: usize = 8;

/// The environment of the two endpoints.
pub struct World<'a> {
    pub below: &'a Automaton,
    /// Each observes for itself.
    pub above: &'a [Automaton],
    /// For each of them its table, if it needs one ([`crate::monitors::table`]).
    pub tables: &'a [Option<SubsetConstruction>],
    pub calls: Vec<Call>,
    /// At most so often in a run: actions of the automaton below by name, and `timers` for expirations.
    pub limits: Vec<(String, u8)>,
    /// Timers that are a last resort, by name: they fire at most so often, and only when nothing else can happen but
    /// for those
    /// behind.
    pub last: Vec<(String, u8)>,
    /// A call that the automata above allow must be taken.
    pub at_once: bool,
    /// Added to all sequence numbers of the endpoints' first states.
    pub first: u64,
    /// The model is of goals: SPIN's formula is that each is met again and again in fair runs.
    pub goals: bool,
    /// Entries of a container of an automaton; one more is [`crate::report::Limit::Capacity`].
    pub capacity: usize,
    /// Bytes of a message besides those that calls bring and layers surely add; one more is
    /// [`crate::report::Limit::Length`].
    pub longer: u32,
}

/// A call that the application may make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub event: EventId,
    pub end: usize,
    /// Calls of a kind and an endpoint come one after the other.
    pub kind: usize,
    pub number: u8,
    /// For each parameter that is a number, in order.
    pub arguments: Vec<u64>,
    /// The message.
    pub bytes: Option<Vec<u8>>,
}

/// One way to begin a step at an endpoint.
pub struct Move {
    pub end: usize,
    pub when: Term,
    pub told: Report,
    /// The call that it is, and the condition that the automata above allow it; none: something arrives.
    pub call: Option<(usize, Term)>,
    /// It is a violation.
    pub broken: bool,
    /// It never has to happen.
    pub fault: bool,
    /// The frame that is damaged.
    pub damages: Option<String>,
    /// What it changes, and what enters the queue.
    pub lines: Vec<String>,
}

/// Something that the network may do by itself.
pub struct Silent {
    pub name: String,
    pub fault: bool,
    pub when: Term,
    /// The frame that is damaged.
    pub damages: Option<String>,
    /// What it changes.
    pub lines: Vec<String>,
}

impl World<'_> {
    /// Whether the network ever damages a frame.
    pub fn damages(&self) -> bool {
        let network = self.translator(self.below, "network".into(), &FRAMES);
        let actions = self.below.actions.iter().enumerate().filter(|(_, a)| a.kind != ActionKind::Input);
        let mut transitions = actions.filter_map(|(at, _)| network.transitions(at).ok()).flatten();
        transitions.any(|t| t.damages.is_some())
    }

    /// Writes an automaton of this world.
    pub fn translator<'t>(&self, automaton: &'t Automaton, prefix: String, messages: &'t Typedef) -> Translator<'t> {
        Translator { automaton, prefix, capacity: self.capacity, most: MOST, messages, hides: true }
    }

    /// Writes the automaton below.
    pub fn network(&self) -> Translator<'_> {
        self.translator(self.below, "network".into(), if self.damages() { &FRAMES } else { &MESSAGES })
    }

    /// Writes those above; `written` says how a message is written.
    pub fn monitors<'t>(&'t self, written: monitors::Written<'t>) -> Vec<Monitor<'t>> {
        let each = self.above.iter().zip(self.tables).enumerate();
        let monitor = |(at, (a, table)): (usize, (&'t Automaton, &'t Option<SubsetConstruction>))| {
            let in_c = table.as_ref().is_some_and(monitors::is_large);
            Monitor::new(self.translator(a, format!("judge{at}"), &DATA), table.as_ref(), written, in_c)
        };
        each.map(monitor).collect()
    }

    /// The place of the first call with such a message, or of what a monitor's table speaks of besides.
    pub fn written(&self, bytes: &[u8]) -> Option<Term> {
        let at = match self.calls.iter().position(|c| c.bytes.as_deref() == Some(bytes)) {
            Some(at) => at,
            None => self.calls.len() + self.not_asked().iter().position(|known| known == bytes)?,
        };
        Some(Term::Atom(format!("asked[{at}]")))
    }

    /// Messages that monitors let out and nobody sends.
    pub fn not_asked(&self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = self.tables.iter().flatten().flat_map(monitors::messages).collect();
        all.retain(|bytes| self.calls.iter().all(|c| c.bytes.as_ref() != Some(bytes)));
        all.dedup();
        all
    }

    /// The network, then the monitors.
    pub fn each<T>(&self, of: &dyn Fn(&Monitor) -> Result<T, String>) -> Result<Vec<T>, String> {
        let written = |bytes: &[u8]| self.written(bytes);
        let monitors = self.monitors(&written);
        [Monitor::Automaton(self.network())].iter().chain(&monitors).map(of).collect()
    }

    /// Whether some event can be taken by the network in several ways: by actions that are possible at once.
    pub fn is_open(&self) -> bool {
        let inputs: Vec<&str> =
            self.below.actions.iter().filter(|a| a.kind == ActionKind::Input).map(|a| &*a.name).collect();
        let able = |at: usize, parameters: usize| {
            let arguments: Vec<Term> = (0..parameters).map(|n| Term::Atom(format!("x{n}"))).collect();
            self.network().known(at, &arguments).map_or(true, |transitions| !transitions.is_empty())
        };
        let counts = |name: &&str| {
            let all = self.below.actions.iter().enumerate();
            let mine = all.filter(|(_, a)| a.kind == ActionKind::Input && a.name == **name);
            mine.filter(|(at, a)| able(*at, a.parameters.len())).count()
        };
        inputs.iter().any(|name| counts(name) > 1)
    }

    /// How many kinds of calls there are.
    pub fn kinds(&self) -> usize {
        self.calls.iter().map(|c| c.kind + 1).max().unwrap_or(0)
    }

    /// The condition that a limited action is left, and what it uses up.
    pub fn limit(&self, name: &str) -> (Term, Vec<Effect>) {
        match self.limits.iter().position(|(known, _)| known == name) {
            Some(at) => {
                let used = format!("used[{}]", 2 * self.kinds() + at);
                let left = Term::atom(&used).less(Term::number(self.limits[at].1));
                (left, vec![Effect::Run(format!("{used}++"))])
            }
            None => (Term::TRUE, vec![]),
        }
    }

    /// Where it is counted how often the last resort at a place has fired.
    pub fn used_of_last(&self, at: usize) -> String {
        format!("used[{}]", 2 * self.kinds() + self.limits.len() + at)
    }

    /// What the automaton below may do by itself.
    pub fn silent(&self) -> Result<Vec<Silent>, String> {
        let mut found = vec![];
        for at in silent(self.below) {
            let action = &self.below.actions[at];
            let (left, spent) = self.limit(&action.name);
            for transition in self.network().transitions(at)? {
                let when = has_bits(&transition).and(left.clone());
                if when.is_false() {
                    continue;
                }
                let lines = [statements(&transition), effects::lines(&spent)].concat();
                let fault = action.is_fault();
                found.push(Silent { name: action.name.clone(), fault, when, damages: transition.damages, lines });
            }
        }
        Ok(found)
    }

    /// Statements that put back what is used within a step only.
    pub fn resets(&self) -> Result<Vec<String>, String> {
        Ok(effects::lines(&self.each(&|j| j.resets())?.concat()))
    }
}

/// The condition that a way is there: without bytes there is nothing to damage.
pub fn has_bits(transition: &Transition) -> Term {
    let guard = transition.guard.clone();
    match &transition.damages {
        None => guard,
        Some(frame) => guard.and(Term::Number(0).less(Term::Atom(format!("{frame}.n")))),
    }
}

/// Statements of a transition, with the damage first that it does.
pub fn statements(transition: &Transition) -> Vec<String> {
    let damage = |frame| format!("COPY_FRAME(damaged_frame, {frame}); turn_bit();");
    transition.damages.iter().map(damage).chain(effects::lines(&transition.effects)).collect()
}
