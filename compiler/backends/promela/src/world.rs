//! What the environment of two endpoints is made of: the network below, specifications above, the calls of an
//! application; how automata and messages are written there, and what is counted.

use nacre_specification::subset_construction::SubsetConstruction;
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::EventId;

use crate::automata::{Messages, Numbers, Transition, Translator};
use crate::effects::{self, Effect};
use crate::monitors::{self, Monitor};
use crate::term::Term;
use crate::typedefs::{DATA, FRAMES, MESSAGES};

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
    /// How the endpoints have messages.
    pub form: Form,
    /// Entries of a container of the automaton below, and of those above; one more is
    /// [`crate::report::Limit::Capacity`].
    pub capacity: [usize; 2],
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
    /// For each parameter but the message, in order; none: it is no number.
    pub arguments: Vec<Option<u64>>,
    /// The message.
    pub bytes: Option<Vec<u8>>,
}

impl World<'_> {
    /// Whether the network ever damages a frame.
    pub fn damages(&self) -> bool {
        let network = self.translator(self.below, "network".into(), 0, self.form.below(true));
        let actions = self.below.actions.iter().enumerate().filter(|(_, a)| a.kind != ActionKind::Input);
        let mut transitions = actions.filter_map(|(at, _)| network.transitions(at).ok()).flatten();
        transitions.any(|t| t.damages.is_some())
    }

    /// Writes an automaton below (0) or above (1).
    fn translator<'t>(
        &self,
        automaton: &'t Automaton,
        prefix: String,
        boundary: usize,
        messages: &'t dyn Messages,
    ) -> Translator<'t> {
        let hides = self.form == Form::Values;
        Translator { automaton, prefix, capacity: self.capacity[boundary], most: MOST, messages, hides }
    }

    /// Writes the automaton below.
    pub fn network(&self) -> Translator<'_> {
        self.translator(self.below, "network".into(), 0, self.form.below(self.damages()))
    }

    /// Writes those above; `written` says how a message is written.
    pub fn monitors<'t>(&'t self, written: monitors::Written<'t>) -> Vec<Monitor<'t>> {
        let each = self.above.iter().zip(self.tables).enumerate();
        let monitor = |(at, (a, table)): (usize, (&'t Automaton, &'t Option<SubsetConstruction>))| {
            let in_c = table.as_ref().is_some_and(|table| self.form.looks_up(table));
            let translator = self.translator(a, format!("judge{at}"), 1, self.form.above());
            Monitor::new(translator, table.as_ref(), written, in_c)
        };
        each.map(monitor).collect()
    }

    /// A message of a call, or of what a monitor's table speaks of besides; none: it is not known.
    pub fn written(&self, bytes: &[u8]) -> Option<Term> {
        if self.form == Form::Numbers {
            return self.messages().iter().position(|known| known == bytes).map(|at| Term::number(at + 1));
        }
        let at = match self.calls.iter().position(|c| c.bytes.as_deref() == Some(bytes)) {
            Some(at) => at,
            None => self.calls.len() + self.not_asked().iter().position(|known| known == bytes)?,
        };
        Some(Term::Atom(format!("asked[{at}]")))
    }

    /// All messages that are known beforehand, each once.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = vec![];
        for bytes in self.calls.iter().filter_map(|call| call.bytes.clone()).chain(self.not_asked()) {
            if !all.contains(&bytes) {
                all.push(bytes);
            }
        }
        all
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
        let mut inputs = self.below.actions.iter().filter(|a| a.kind == ActionKind::Input);
        inputs.any(|a| self.is_open_for(&a.name))
    }

    /// The same of the events of a name.
    pub fn is_open_for(&self, name: &str) -> bool {
        let able = |at: usize, parameters: usize| {
            let arguments: Vec<Term> = (0..parameters).map(|n| Term::Atom(format!("x{n}"))).collect();
            self.network().known(at, &arguments).map_or(true, |transitions| !transitions.is_empty())
        };
        let all = self.below.actions.iter().enumerate();
        let mine = all.filter(|(_, a)| a.kind == ActionKind::Input && a.name == name);
        mine.filter(|(at, a)| able(*at, a.parameters.len())).count() > 1
    }

    /// How many kinds of calls there are.
    fn kinds(&self) -> usize {
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

    /// How many counts a state has: calls by kind and end, then limits, then last resorts.
    pub fn counts(&self) -> usize {
        (2 * self.kinds() + self.limits.len() + self.last.len()).max(1)
    }

    /// Where it is counted which call of its kind and endpoint is next.
    pub fn used_of_call(&self, call: &Call) -> String {
        format!("used[{}]", 2 * call.kind + call.end)
    }

    /// Where it is counted how often the last resort at a place has fired.
    pub fn used_of_last(&self, at: usize) -> String {
        format!("used[{}]", 2 * self.kinds() + self.limits.len() + at)
    }

    /// Statements that put back what is used within a step only.
    pub fn resets(&self) -> Result<Vec<String>, String> {
        Ok(effects::lines(&self.each(&|j| j.resets())?.concat()))
    }

    /// The condition that a transition is possible: without bytes there is nothing to damage.
    pub fn is_possible(&self, transition: &Transition) -> Term {
        let guard = transition.guard.clone();
        match &transition.damages {
            None => guard,
            Some(frame) => guard.and(self.form.has_bits(frame)),
        }
    }

    /// Statements of a transition, with the damage first that it does.
    pub fn statements(&self, transition: &Transition) -> Vec<String> {
        let damage = transition.damages.iter().map(|frame| self.form.damage(frame));
        damage.chain(effects::lines(&transition.effects)).collect()
    }
}

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Values with headers and bytes; packed where the network damages them.
    Values,
    /// Numbers of strings of bytes, 0 for none.
    Numbers,
}

impl Form {
    fn below(self, damages: bool) -> &'static dyn Messages {
        match self {
            Form::Numbers => &Numbers,
            Form::Values if damages => &FRAMES,
            Form::Values => &MESSAGES,
        }
    }

    fn above(self) -> &'static dyn Messages {
        match self {
            Form::Numbers => &Numbers,
            Form::Values => &DATA,
        }
    }

    /// Whether a monitor's table is looked up in C.
    fn looks_up(self, table: &SubsetConstruction) -> bool {
        self == Form::Numbers || monitors::is_large(table)
    }

    fn has_bits(self, message: &str) -> Term {
        match self {
            Form::Numbers => Term::atom(message).equals(Term::Number(0)).negated(),
            Form::Values => Term::Number(0).less(Term::Atom(format!("{message}.n"))),
        }
    }

    /// The statement that damages a message in the bit that was chosen before.
    fn damage(self, message: &str) -> String {
        match self {
            Form::Numbers => "c_code { now.what = nacre_flipped(now.what, now.i); };".into(),
            Form::Values => format!("COPY_FRAME(damaged_frame, {message}); turn_bit();"),
        }
    }
}
