//! Monitors: an automaton as it is, if its state is always known; otherwise a table of its subset construction.

use std::fmt::Write;

use nacre_specification::subset_construction::{Called, Letter, SubsetConstruction};
use nacre_specification::{ActionKind, Automaton, Value};

use crate::automata::{Messages, Transition, Translator, MEMBERS};
use crate::effects::Effect;
use crate::report::{Limit, StopReason};
use crate::term::Term;

/// Returns the representation of a message with these bytes; none: the model has no such message.
pub type Written<'a> = &'a dyn Fn(&[u8]) -> Option<Term>;

/// A specification that observes the model, in the form in which it is written.
pub enum Monitor<'a> {
    Automaton(Translator<'a>),
    Table(Table<'a>),
}

/// Writes a table; names begin with `prefix`.
pub struct Table<'a> {
    automaton: &'a Automaton,
    prefix: String,
    subset_construction: SubsetConstruction,
    messages: &'a dyn Messages,
    written: Written<'a>,
    in_c: bool,
}

type Result<T> = std::result::Result<T, String>;

/// Returns the table of an automaton that needs one for these calls.
pub fn table(automaton: &Automaton, calls: &[Called]) -> Result<Option<SubsetConstruction>> {
    if nacre_specification::subset_construction::silent(automaton).is_empty() {
        return Ok(None);
    }
    SubsetConstruction::of(automaton, MEMBERS, calls).map(Some)
}

/// All messages of a table.
pub fn messages(subset_construction: &SubsetConstruction) -> Vec<Vec<u8>> {
    let values = subset_construction.letters.iter().flat_map(|l| &l.arguments);
    let mut found: Vec<Vec<u8>> = vec![];
    for value in values {
        match value {
            Value::Msg(bytes) if !found.iter().any(|known| known[..] == bytes[..]) => found.push(bytes.to_vec()),
            _ => {}
        }
    }
    found
}

impl<'a> Monitor<'a> {
    /// `in_c`: a table is read in C ([`rows`]) instead of being expanded to conditions.
    pub fn new(
        translator: Translator<'a>,
        table: Option<&SubsetConstruction>,
        written: Written<'a>,
        in_c: bool,
    ) -> Monitor<'a> {
        match table {
            None => Monitor::Automaton(translator),
            Some(subset_construction) => Monitor::Table(Table {
                automaton: translator.automaton,
                prefix: translator.prefix,
                subset_construction: subset_construction.clone(),
                messages: translator.messages,
                written,
                in_c,
            }),
        }
    }

    /// The name of its automaton.
    pub fn name(&self) -> &str {
        match self {
            Monitor::Automaton(t) => &t.automaton.name,
            Monitor::Table(t) => &t.automaton.name,
        }
    }

    /// Writes what the monitor declares.
    pub fn declarations(&self) -> Result<String> {
        match self {
            Monitor::Automaton(t) => t.declarations(),
            Monitor::Table(t) => Ok(format!(
                "/* {}: which set of states it can be in, of {} */\nshort {}_at;\n",
                t.automaton.description,
                t.subset_construction.next.len(),
                t.prefix
            )),
        }
    }

    /// Resets variables that are used only within a step; a table has none.
    pub fn resets(&self) -> Result<Vec<Effect>> {
        match self {
            Monitor::Automaton(t) => t.resets(),
            Monitor::Table(_) => Ok(vec![]),
        }
    }

    /// Returns the effects that put it into its first state.
    pub fn start(&self) -> Result<Vec<Effect>> {
        match self {
            Monitor::Automaton(t) => t.start(),
            Monitor::Table(_) => Ok(vec![]),
        }
    }

    /// For each goal of the automaton: its name, the condition that it holds, and the condition that it is excused.
    pub fn goals(&self) -> Result<Vec<(String, [Term; 2])>> {
        let (automaton, each) = match self {
            Monitor::Automaton(t) => (t.automaton, t.goals()?),
            Monitor::Table(t) => (t.automaton, t.goals()),
        };
        Ok(automaton.goals.iter().map(|g| format!("{} of {}", g.name, automaton.name)).zip(each).collect())
    }

    /// Returns every transition of the actions of a name with these arguments; none if there is no such action.
    pub fn known(&self, kind: ActionKind, name: &str, arguments: &[Term]) -> Result<Option<Vec<Transition>>> {
        match self {
            Monitor::Automaton(t) => {
                let found = known(t, kind, name, arguments)?;
                let several = found.as_deref().is_some_and(|transitions| !clash(transitions).is_false());
                match kind {
                    ActionKind::Input if several => {
                        Err(format!("`{}` can take `{name}` in several ways, and is in one state here", self.name()))
                    }
                    _ => Ok(found),
                }
            }
            Monitor::Table(t) => t.known(kind, name, arguments),
        }
    }
}

/// The condition that two transitions are enabled at once, so that the automaton could be in two states.
pub fn clash(transitions: &[Transition]) -> Term {
    let pairs = transitions.iter().enumerate();
    let pairs = pairs.flat_map(|(at, one)| transitions[..at].iter().map(move |other| (other, one)));
    let differ = pairs.filter(|(one, other)| one.action != other.action);
    Term::any(differ.map(|(one, other)| one.guard.clone().and(other.guard.clone())))
}

/// Reports such a case. `why`: the report for an event that is not allowed.
pub fn unclear(why: &str) -> String {
    StopReason::Limit(Limit::Ambiguous).statement(&format!("{why}, or in two ways"))
}

/// Returns the same for one automaton.
pub fn known(t: &Translator, kind: ActionKind, name: &str, arguments: &[Term]) -> Result<Option<Vec<Transition>>> {
    let mut found = None;
    for (at, _) in t.automaton.actions.iter().enumerate().filter(|(_, a)| a.kind == kind && a.name == name) {
        found.get_or_insert_with(Vec::new).extend(t.known(at, arguments)?);
    }
    Ok(found)
}

impl Table<'_> {
    fn goals(&self) -> Vec<[Term; 2]> {
        if self.in_c {
            let part = |at: usize| Term::Atom(format!("c_expr {{ {0}_goals[now.{0}_at][{at}] }}", self.prefix));
            return (0..self.automaton.goals.len()).map(|goal| [part(2 * goal), part(2 * goal + 1)]).collect();
        }
        let among = |is: &dyn Fn(&(bool, bool)) -> bool, goal: usize| {
            let states = self.subset_construction.goals.iter().enumerate().filter(|(_, goals)| is(&goals[goal]));
            Term::any(states.map(|(at, _)| self.is_at(at)))
        };
        (0..self.automaton.goals.len()).map(|goal| [among(&|g| g.0, goal), among(&|g| g.1, goal)]).collect()
    }

    fn is_at(&self, state: usize) -> Term {
        Term::Atom(format!("{}_at", self.prefix)).equals(Term::number(state))
    }

    fn known(&self, kind: ActionKind, name: &str, arguments: &[Term]) -> Result<Option<Vec<Transition>>> {
        let mine = |l: &&Letter| l.kind == kind && l.name == name;
        let mut found = vec![];
        for (at, letter) in self.subset_construction.letters.iter().enumerate().filter(|(_, l)| mine(l)) {
            found.extend(self.transition(at, letter, arguments)?);
        }
        Ok(self.automaton.actions.iter().any(|a| a.kind == kind && a.name == name).then_some(found))
    }

    /// The condition that an event is a letter of the table.
    fn is_letter(&self, letter: &Letter, arguments: &[Term]) -> Result<Term> {
        let mut guard = arguments[0].clone().equals(Term::number(letter.end));
        for (argument, value) in arguments[1..].iter().zip(&letter.arguments) {
            guard = guard.and(match value {
                Value::Num(n) => argument.clone().equals(Term::Number(*n)),
                Value::Bool(b) => argument.clone().equals(Term::number(*b)),
                Value::Msg(bytes) => match (self.written)(bytes) {
                    Some(other) => self.messages.equal(argument, &other),
                    None => return Err(format!("what `{}` may let out nobody has sent", self.automaton.name)),
                },
                _ => return Err(format!("`{}` carries more than numbers and messages", letter.name)),
            });
        }
        Ok(guard)
    }

    /// Returns the transition of a table for a letter; letters are disjoint.
    fn transition(&self, at: usize, letter: &Letter, arguments: &[Term]) -> Result<Option<Transition>> {
        let guard = self.is_letter(letter, arguments)?;
        let here = format!("{}_at", self.prefix);
        let moves =
            self.subset_construction.next.iter().enumerate().filter_map(|(from, row)| row[at].map(|to| (from, to)));
        let moves: Vec<(usize, u32)> = moves.collect();
        let (possible, effects) = if self.in_c {
            let table = format!("{}_next", self.prefix);
            // SPIN takes a comparison with `>=` for an assignment.
            let possible = Term::Atom(format!("c_expr {{ {table}[now.{here}][{at}] > 0 }}"));
            let next = Effect::run(format!("c_code {{ now.{here} = {table}[now.{here}][{at}] - 1; }}"));
            (possible, vec![next])
        } else {
            let next = |to: u32| vec![Effect::set(&here, Term::number(to))];
            let cases = moves.iter().map(|(from, to)| (self.is_at(*from), next(*to)));
            let possible = Term::any(moves.iter().map(|(from, _)| self.is_at(*from)));
            (possible, vec![Effect::If(cases.collect(), vec![])])
        };
        let guard = guard.and(possible);
        if moves.is_empty() || guard.is_false() {
            return Ok(None);
        }
        let end = Some(letter.end);
        Ok(Some(Transition { guard, parameters: arguments.to_vec(), effects, damages: None, action: 0, end }))
    }
}

/// A table in C, for the monitor whose names begin with `prefix`. For each state and letter: the next state plus 1, or
/// 0 if it is not allowed. For each state and goal: whether it holds, and whether it is excused.
pub fn rows(prefix: &str, subset_construction: &SubsetConstruction) -> String {
    let letters = subset_construction.letters.len().max(1);
    let mut text = format!("static const short {prefix}_next[][{letters}] = {{\n");
    for row in &subset_construction.next {
        let row: Vec<String> = row.iter().map(|next| next.map_or(0, |n| n + 1).to_string()).collect();
        let _ = writeln!(text, "    {{{}}},", if row.is_empty() { "0".into() } else { row.join(", ") });
    }
    let goals = 2 * subset_construction.goals.first().map_or(0, Vec::len);
    let _ = writeln!(text, "}};\nstatic const unsigned char {prefix}_goals[][{}] = {{", goals.max(1));
    for row in &subset_construction.goals {
        let row = row.iter().flat_map(|(holds, excused)| [holds, excused]).map(|b| u8::from(*b).to_string());
        let _ =
            writeln!(text, "    {{{}}},", row.chain((goals == 0).then(|| "0".into())).collect::<Vec<_>>().join(", "));
    }
    text + "};\n"
}

/// The maximum number of transitions of a table that are expanded to conditions.
const SPREAD: usize = 1000;

/// Whether a model reads a table in C, because Promela has no constant arrays.
pub fn is_large(subset_construction: &SubsetConstruction) -> bool {
    subset_construction.next.iter().flatten().filter(|to| to.is_some()).count() > SPREAD
}

/// Returns the contents of `tables.h`, which the model includes; none if it needs no tables.
pub fn tables_in_c(tables: &[Option<SubsetConstruction>]) -> Option<String> {
    let tables = tables.iter().enumerate().filter_map(|(at, table)| Some((at, table.as_ref()?)));
    let large: Vec<_> = tables.filter(|(_, table)| is_large(table)).collect();
    (!large.is_empty()).then(|| large.into_iter().map(|(at, table)| rows(&format!("judge{at}"), table)).collect())
}
