//! What judges: an automaton that is in one state, as it is; or, where it has actions of its own, a table of what can be known of it.

use std::fmt::Write;

use nacre_specification::beliefs::{Beliefs, Called, Letter};
use nacre_specification::{ActionKind, Automaton, Value};

use crate::automata::{Messages, Option_, Translator};

/// Participants.
const MEMBERS: u64 = 2;

/// How a message of these bytes is written; none: the model has no such message.
pub type Written<'a> = &'a dyn Fn(&[u8]) -> Option<String>;

pub enum Judge<'a> {
    Automaton(Translator<'a>),
    Table(Table<'a>),
}

/// Writes a table; names begin with `prefix`.
pub struct Table<'a> {
    automaton: &'a Automaton,
    prefix: String,
    beliefs: Beliefs,
    messages: &'a dyn Messages,
    written: Written<'a>,
    in_c: bool,
}

type Result<T> = std::result::Result<T, String>;

/// The table of an automaton that needs one, which it asks of `calls`.
pub fn table(automaton: &Automaton, calls: &[Called]) -> Result<Option<Beliefs>> {
    if nacre_specification::beliefs::silent(automaton).is_empty() {
        return Ok(None);
    }
    Beliefs::of(automaton, MEMBERS, calls).map(Some)
}

/// All messages of a table.
pub fn messages(beliefs: &Beliefs) -> Vec<Vec<u8>> {
    let values = beliefs.letters.iter().flat_map(|l| &l.arguments);
    let mut found: Vec<Vec<u8>> = vec![];
    for value in values {
        match value {
            Value::Msg(bytes) if !found.iter().any(|known| known[..] == bytes[..]) => found.push(bytes.to_vec()),
            _ => {}
        }
    }
    found
}

impl<'a> Judge<'a> {
    /// `in_c`: a table is looked up in C ([`rows`]), not spread out over conditions.
    pub fn new(translator: Translator<'a>, table: Option<&Beliefs>, written: Written<'a>, in_c: bool) -> Judge<'a> {
        match table {
            None => Judge::Automaton(translator),
            Some(beliefs) => Judge::Table(Table {
                automaton: translator.automaton,
                prefix: translator.prefix,
                beliefs: beliefs.clone(),
                messages: translator.messages,
                written,
                in_c,
            }),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Judge::Automaton(t) => &t.automaton.name,
            Judge::Table(t) => &t.automaton.name,
        }
    }

    pub fn declarations(&self) -> Result<String> {
        match self {
            Judge::Automaton(t) => t.declarations(),
            Judge::Table(t) => Ok(format!(
                "/* {}: which set of states it can be in, of {} */\nshort {}_at;\n",
                t.automaton.description,
                t.beliefs.next.len(),
                t.prefix
            )),
        }
    }

    /// Nothing of a table is used within a step only.
    pub fn resets(&self) -> Result<String> {
        match self {
            Judge::Automaton(t) => t.resets(),
            Judge::Table(_) => Ok("skip".into()),
        }
    }

    pub fn start(&self) -> Result<String> {
        match self {
            Judge::Automaton(t) => t.start(),
            Judge::Table(_) => Ok(String::new()),
        }
    }

    /// Of each goal of the automaton: its name, that it holds, and that it is excused.
    pub fn goals(&self) -> Result<Vec<(String, [String; 2])>> {
        let (automaton, each) = match self {
            Judge::Automaton(t) => (t.automaton, t.goals()?),
            Judge::Table(t) => (t.automaton, t.goals()),
        };
        Ok(automaton.goals.iter().map(|g| format!("{} of {}", g.name, automaton.name)).zip(each).collect())
    }

    /// Every way of the actions of a name with these parameters; nothing if there is no such action.
    pub fn known(&self, kind: ActionKind, name: &str, texts: &[String]) -> Result<Option<Vec<Option_>>> {
        match self {
            Judge::Automaton(t) => {
                let found = known(t, kind, name, texts)?;
                let several = found.as_deref().is_some_and(|options| clash(options).is_some());
                match kind {
                    ActionKind::Input if several => {
                        Err(format!("`{}` can take `{name}` in several ways, and is in one state here", self.name()))
                    }
                    _ => Ok(found),
                }
            }
            Judge::Table(t) => t.known(kind, name, texts),
        }
    }
}

/// The condition that an automaton could do two actions at once: it would be in two states. None: it never can.
pub fn clash(options: &[Option_]) -> Option<String> {
    let pairs = options.iter().enumerate().flat_map(|(at, one)| options[..at].iter().map(move |other| (other, one)));
    let differ = pairs.filter(|(one, other)| one.action != other.action);
    let each: Vec<String> = differ.map(|(one, other)| format!("(({}) && ({}))", one.when, other.when)).collect();
    (!each.is_empty()).then(|| each.join(" || "))
}

/// What is done then. `why`: what is said where an event is not allowed.
pub fn unclear(why: &str) -> String {
    format!("printf(\"step: {UNCLEAR}{why}, or in two ways\\n\"); assert(false)")
}

/// The last line of a trail that begins so tells of no violation, but of what a model cannot follow.
pub const UNCLEAR: &str = "unclear: ";

/// The same of one automaton.
pub fn known(t: &Translator, kind: ActionKind, name: &str, texts: &[String]) -> Result<Option<Vec<Option_>>> {
    let mut found = None;
    for (at, _) in t.automaton.actions.iter().enumerate().filter(|(_, a)| a.kind == kind && a.name == name) {
        found.get_or_insert_with(Vec::new).extend(t.known(at, texts)?);
    }
    Ok(found.map(|options: Vec<Option_>| options.into_iter().filter(|o| !o.is_never()).collect()))
}

impl Table<'_> {
    fn goals(&self) -> Vec<[String; 2]> {
        if self.in_c {
            let part = |at: usize| format!("c_expr {{ {0}_goals[now.{0}_at][{at}] }}", self.prefix);
            return (0..self.automaton.goals.len()).map(|goal| [part(2 * goal), part(2 * goal + 1)]).collect();
        }
        let states = || self.beliefs.goals.iter().enumerate();
        let among = |states: Vec<usize>| {
            let each: String = states.iter().map(|at| format!(" || {}_at == {at}", self.prefix)).collect();
            format!("(false{each})")
        };
        let holds = |goal: usize| among(states().filter(|(_, goals)| goals[goal].0).map(|(at, _)| at).collect());
        let excused = |goal: usize| among(states().filter(|(_, goals)| goals[goal].1).map(|(at, _)| at).collect());
        (0..self.automaton.goals.len()).map(|goal| [holds(goal), excused(goal)]).collect()
    }

    fn known(&self, kind: ActionKind, name: &str, texts: &[String]) -> Result<Option<Vec<Option_>>> {
        let mine = |l: &&Letter| l.kind == kind && l.name == name;
        let mut found = vec![];
        for (at, letter) in self.beliefs.letters.iter().enumerate().filter(|(_, l)| mine(l)) {
            found.extend(self.option(at, letter, texts)?);
        }
        Ok(self.automaton.actions.iter().any(|a| a.kind == kind && a.name == name).then_some(found))
    }

    /// Letters are told apart, so a table goes on in one way.
    fn option(&self, at: usize, letter: &Letter, texts: &[String]) -> Result<Option<Option_>> {
        if texts[0].parse().is_ok_and(|end: usize| end != letter.end) {
            return Ok(None);
        }
        let mut when = format!("({}) == {}", texts[0], letter.end);
        for (text, value) in texts[1..].iter().zip(&letter.arguments) {
            let equal = match value {
                Value::Num(n) => format!("({text}) == {n}"),
                Value::Bool(b) => format!("({text}) == {}", *b as u8),
                Value::Msg(bytes) => match (self.written)(bytes) {
                    Some(other) if different(text, &other) => return Ok(None),
                    Some(other) => self.messages.equal(text, &other),
                    None => return Err(format!("what `{}` may let out nobody has sent", self.automaton.name)),
                },
                _ => return Err(format!("`{}` carries more than numbers and messages", letter.name)),
            };
            let _ = write!(when, " && ({equal})");
        }
        let here = format!("{}_at", self.prefix);
        let moves = self.beliefs.next.iter().enumerate().filter_map(|(from, row)| row[at].map(|to| (from, to)));
        let moves: Vec<(usize, u32)> = moves.collect();
        if moves.is_empty() {
            return Ok(None);
        }
        if self.in_c {
            let (table, parameters) = (format!("{}_next", self.prefix), texts.to_vec());
            // Of a comparison with `>=` SPIN says that it is an assignment.
            let when = format!("{when} && c_expr {{ {table}[now.{here}][{at}] > 0 }}");
            let body = format!("c_code {{ now.{here} = {table}[now.{here}][{at}] - 1; }};\n");
            return Ok(Some(Option_ { when, parameters, body, damages: None, action: 0 }));
        }
        let any: Vec<String> = moves.iter().map(|(from, _)| format!("{here} == {from}")).collect();
        let mut body = String::from("if\n");
        for (from, to) in &moves {
            let _ = writeln!(body, ":: {here} == {from} -> {here} = {to}");
        }
        body += "fi;\n";
        Ok(Some(Option_ {
            when: format!("{when} && ({})", any.join(" || ")),
            parameters: texts.to_vec(),
            body,
            damages: None,
            action: 0,
        }))
    }
}

/// A table in C, for the judge whose names begin with `prefix`: by state and letter the next state and 1; 0: not allowed. And by state
/// and goal whether it holds, and is excused.
pub fn rows(prefix: &str, beliefs: &Beliefs) -> String {
    let letters = beliefs.letters.len().max(1);
    let mut text = format!("static const short {prefix}_next[][{letters}] = {{\n");
    for row in &beliefs.next {
        let row: Vec<String> = row.iter().map(|next| next.map_or(0, |n| n + 1).to_string()).collect();
        let _ = writeln!(text, "    {{{}}},", if row.is_empty() { "0".into() } else { row.join(", ") });
    }
    let goals = 2 * beliefs.goals.first().map_or(0, Vec::len);
    let _ = writeln!(text, "}};\nstatic const unsigned char {prefix}_goals[][{}] = {{", goals.max(1));
    for row in &beliefs.goals {
        let row = row.iter().flat_map(|(holds, excused)| [holds, excused]).map(|b| u8::from(*b).to_string());
        let _ =
            writeln!(text, "    {{{}}},", row.chain((goals == 0).then(|| "0".into())).collect::<Vec<_>>().join(", "));
    }
    text + "};\n"
}

/// Moves of a table that are spread out over conditions.
const SPREAD: usize = 1000;

/// Whether a model looks a table up in C, because Promela has no constants that are arrays.
pub fn is_large(beliefs: &Beliefs) -> bool {
    beliefs.next.iter().flatten().filter(|to| to.is_some()).count() > SPREAD
}

/// What `tables.h` beside the text of a model must say; none: the text needs none.
pub fn tables_in_c(tables: &[Option<Beliefs>]) -> Option<String> {
    let tables = tables.iter().enumerate().filter_map(|(at, table)| Some((at, table.as_ref()?)));
    let large: Vec<_> = tables.filter(|(_, table)| is_large(table)).collect();
    (!large.is_empty()).then(|| large.into_iter().map(|(at, table)| rows(&format!("judge{at}"), table)).collect())
}

/// Whether they are two numbers.
fn different(a: &str, b: &str) -> bool {
    matches!((a.parse::<u64>(), b.parse::<u64>()), (Ok(a), Ok(b)) if a != b)
}
