//! The environment of two endpoints: the network below, specifications above, the calls of an application, the
//! representation of automata and messages, and counters.

use nacre_specification::subset_construction::SubsetConstruction;
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::EventId;

use crate::automata::{Messages, Numbers, Transition, Translator};
use crate::effects::{self, Effect};
use crate::monitors::{self, Monitor};
use crate::term::Term;
use crate::typedefs::{DATA, FRAMES, MESSAGES};

/// The largest number of `upto`.
const MOST: u64 = 64;
/// The first number of handlers of events that leave.
pub const LEAVES: usize = 1000;
/// Numbers of causes below this are common to all models.
pub const COMMON_CAUSES: usize = 1000;
/// The capacity for events of one step that wait for a network with several transitions for them; exceeding it is
/// [`crate::report::Limit::Waiting`].
pub const SENDING: usize = 8;

/// The environment of the two endpoints.
pub struct World<'a> {
    pub below: &'a Automaton,
    /// Specifications; each observes independently.
    pub above: &'a [Automaton],
    /// The table of each, if it needs one ([`crate::monitors::table`]).
    pub tables: &'a [Option<SubsetConstruction>],
    pub calls: Vec<Call>,
    /// The maximum number of occurrences in a run: of actions of the automaton below by name, and of timer expirations
    /// as `timers`.
    pub limits: Vec<(String, u8)>,
    /// Timers that are a last resort, by name, with the maximum number of expirations. Each fires only if nothing else
    /// can happen except the timers after it.
    pub last: Vec<(String, u8)>,
    /// Whether a call that the automata above allow must be accepted.
    pub at_once: bool,
    /// The offset of all sequence numbers in the initial state.
    pub first: u64,
    /// Values of cells that differ between the endpoints, or are given, by the name of the cell.
    pub given: &'a [(String, Vec<u64>)],
    /// Whether the model checks goals: that each is met infinitely often in fair runs, by SPIN's formula.
    pub goals: bool,
    /// The representation of messages in endpoints.
    pub form: Form,
    /// The capacity of containers of the automaton below, and of those above; exceeding it is
    /// [`crate::report::Limit::Capacity`].
    pub capacity: [usize; 2],
    /// Bytes of a message in addition to those of calls and to the certain growth by layers; exceeding them is
    /// [`crate::report::Limit::Length`].
    pub longer: u32,
}

/// A call that the application may make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub event: EventId,
    pub end: usize,
    /// Calls of one kind at one endpoint happen in sequence.
    pub kind: usize,
    pub number: u8,
    /// Each parameter other than the message, in order; none: it is not a number.
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

    /// Returns writers of the monitors; `written` returns the representation of a message.
    pub fn monitors<'t>(&'t self, written: monitors::Written<'t>) -> Vec<Monitor<'t>> {
        let each = self.above.iter().zip(self.tables).enumerate();
        let monitor = |(at, (a, table)): (usize, (&'t Automaton, &'t Option<SubsetConstruction>))| {
            let in_c = table.as_ref().is_some_and(|table| self.form.looks_up(table));
            let translator = self.translator(a, format!("judge{at}"), 1, self.form.above());
            Monitor::new(translator, table.as_ref(), written, in_c)
        };
        each.map(monitor).collect()
    }

    /// Returns the representation of a message of a call, or of a monitor's table; none: it is unknown.
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

    /// All messages that are known when the model is written, each once.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = vec![];
        for bytes in self.calls.iter().filter_map(|call| call.bytes.clone()).chain(self.not_asked()) {
            if !all.contains(&bytes) {
                all.push(bytes);
            }
        }
        all
    }

    /// Messages that monitors allow as outputs but that are never sent.
    pub fn not_asked(&self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = self.tables.iter().flatten().flat_map(monitors::messages).collect();
        all.retain(|bytes| self.calls.iter().all(|c| c.bytes.as_ref() != Some(bytes)));
        all.dedup();
        all
    }

    /// Applies a function to the network, then to the monitors.
    pub fn each<T>(&self, of: &dyn Fn(&Monitor) -> Result<T, String>) -> Result<Vec<T>, String> {
        let written = |bytes: &[u8]| self.written(bytes);
        let monitors = self.monitors(&written);
        [Monitor::Automaton(self.network())].iter().chain(&monitors).map(of).collect()
    }

    /// Whether the network can receive some event by several transitions that are enabled at once.
    pub fn is_open(&self) -> bool {
        let mut inputs = self.below.actions.iter().filter(|a| a.kind == ActionKind::Input);
        inputs.any(|a| self.is_open_for(&a.name))
    }

    /// The same for the events of a name.
    pub fn is_open_for(&self, name: &str) -> bool {
        let able = |at: usize, parameters: usize| {
            let arguments: Vec<Term> = (0..parameters).map(|n| Term::Atom(format!("x{n}"))).collect();
            self.network().known(at, &arguments).map_or(true, |transitions| !transitions.is_empty())
        };
        let all = self.below.actions.iter().enumerate();
        let mine = all.filter(|(_, a)| a.kind == ActionKind::Input && a.name == name);
        mine.filter(|(at, a)| able(*at, a.parameters.len())).count() > 1
    }

    /// The number of kinds of calls.
    fn kinds(&self) -> usize {
        self.calls.iter().map(|c| c.kind + 1).max().unwrap_or(0)
    }

    /// The condition that a limited action can still happen, and the effects that count it.
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

    /// The number of counters in a state: of calls by kind and endpoint, then of limits, then of last resorts.
    pub fn counts(&self) -> usize {
        (2 * self.kinds() + self.limits.len() + self.last.len()).max(1)
    }

    /// The counter of the next call of this kind at this endpoint.
    pub fn used_of_call(&self, call: &Call) -> String {
        format!("used[{}]", 2 * call.kind + call.end)
    }

    /// The counter of a last resort's expirations.
    pub fn used_of_last(&self, at: usize) -> String {
        format!("used[{}]", 2 * self.kinds() + self.limits.len() + at)
    }

    /// Statements that reset the variables used only within a step.
    pub fn resets(&self) -> Result<Vec<String>, String> {
        Ok(effects::lines(&self.each(&|j| j.resets())?.concat()))
    }

    /// The condition that a transition is enabled: a message without bytes cannot be damaged.
    pub fn is_possible(&self, transition: &Transition) -> Term {
        let guard = transition.guard.clone();
        match &transition.damages {
            None => guard,
            Some(frame) => guard.and(self.form.has_bits(frame)),
        }
    }

    /// The statements of a transition, preceded by the damage that it does.
    pub fn statements(&self, transition: &Transition) -> Vec<String> {
        let damage = transition.damages.iter().map(|frame| self.form.damage(frame));
        damage.chain(effects::lines(&transition.effects)).collect()
    }
}

/// The representation of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Values with headers and bytes; packed if the network damages them.
    Values,
    /// Indices of strings of bytes, 0 for none.
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

    /// Whether a monitor's table is read in C.
    fn looks_up(self, table: &SubsetConstruction) -> bool {
        self == Form::Numbers || monitors::is_large(table)
    }

    fn has_bits(self, message: &str) -> Term {
        match self {
            Form::Numbers => Term::atom(message).equals(Term::Number(0)).negated(),
            Form::Values => Term::Number(0).less(Term::Atom(format!("{message}.n"))),
        }
    }

    /// The statement that damages a message in the previously chosen bit.
    fn damage(self, message: &str) -> String {
        match self {
            Form::Numbers => "c_code { now.what = nacre_flipped(now.what, now.i); };".into(),
            Form::Values => format!("COPY_FRAME(damaged_frame, {message}); turn_bit();"),
        }
    }
}
