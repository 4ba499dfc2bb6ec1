//! SPIN on the emitted C: the search runs the C that ships, at any level.
//!
//! A model has three parts: the stack's C with the interface for checkers ([`nacre_backend_c::write_check`]); a
//! harness, the same for all stacks (`emitted/harness/`), which numbers local states and strings of bytes and runs each
//! local step once; and the world around the two endpoints in Promela ([`world`]), which uses the stack only through
//! `emitted/harness.h`.
//!
//! **Why not `c_track`.** SPIN can store a flat state in its vector, or (`UnMatched`) only on its stack. With numbers,
//! the vector is small for every stack, the search is exact (a number stands for all the bytes), and breadth-first
//! search, which SPIN 6.5 refuses with `UnMatched`, finds shortest runs. As in all matching of abstract states, states
//! with equal representations must behave alike. (docs/decisions/008.)

pub mod between;
mod endpoints;
mod known;
mod world;

use nacre_analysis::timing::draws;
use nacre_backend_c::{write_check, write_with, Level, Options};
use nacre_stack::interpret::Value;
use nacre_stack::{Span, Stack, TimerStep, Type};
use nacre_worlds::setup::Setup;
use nacre_worlds::values::address;

use crate::spin::Error;

const HARNESS_H: &str = include_str!("emitted/harness.h");
const HARNESS_C: &str = concat!(
    include_str!("emitted/harness/strings.c"),
    "\n",
    include_str!("emitted/harness/states.c"),
    "\n",
    include_str!("emitted/harness/steps.c"),
);
/// The prefix of the names of the emitted stack.
pub(crate) const PREFIX: &str = "checked";
/// The model has one process, so there is nothing to reduce.
const FLAGS: [&str; 1] = ["-DNOREDUCE"];
/// Undefined behaviour is trapped.
const FILE_FLAGS: [&str; 2] = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"];
/// The limit of timers of one endpoint that are distinguished.
const MOST_TIMERS: u64 = 512;

/// The C of one level of a stack, for a checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    pub header: String,
    /// The C that ships, followed by the interface for checkers.
    pub source: String,
}

/// Emits a stack, or returns why it cannot be checked in C.
pub fn emit(stack: &Stack, level: Level) -> Result<Emitted, String> {
    emit_with(stack, level, None)
}

/// The location of a span: file and line.
pub type Lines<'a> = &'a dyn Fn(Span) -> Option<(String, u32)>;

/// The same, with `#line` for a debugger.
pub fn emit_with(stack: &Stack, level: Level, lines: Option<Lines>) -> Result<Emitted, String> {
    if let Some(why) = nacre_stack::models::lacks_of_host(stack) {
        return Err(format!("{why}, so there is no C to run"));
    }
    let mut stack = stack.clone();
    nacre_driver::optimize(&mut stack, level);
    let options = Options { prefix: Some(PREFIX.into()), lines: lines.is_some(), asks_draws: true, models: true };
    let text = write_with(&stack, level, lines.unwrap_or(&|_| None), options.clone());
    let check = write_check(&stack, level, options);
    let include = format!("#include \"{PREFIX}.c\"\n");
    assert!(check.contains(&include), "the source for checkers includes the stack's");
    let source = format!("#include <stdint.h>\nuint64_t {PREFIX}_drawn(uint64_t below);\n{}", text.source);
    Ok(Emitted { header: text.header, source: check.replacen(&include, &source, 1) })
}

/// Returns the maximum number of timers of an endpoint.
fn timers(stack: &Stack) -> Result<u64, String> {
    let timers: u64 = stack.timers.iter().map(|t| instances(&stack.cell(t.cell).ty, &t.path, stack)).sum();
    match timers {
        0..=MOST_TIMERS => Ok(timers),
        _ => Err(format!("an endpoint has {timers} timers, the limit is {MOST_TIMERS}")),
    }
}

/// Returns the C of a model. `known`: the tables of [`between`].
fn files(setup: &Setup, emitted: &Emitted, known: &str) -> Vec<(String, String)> {
    // Random numbers that affect only deadlines need not be tried.
    let tried = u8::from(!draws(setup.stack()).is_empty());
    let source = format!("{}\n{}\n{known}\n#define DRAWS {tried}\n{HARNESS_C}", emitted.source, givens(setup));
    let file = |name: &str, text: String| (name.to_string(), text);
    vec![
        file(&format!("{PREFIX}.h"), emitted.header.clone()),
        file("harness.h", HARNESS_H.into()),
        file("harness.c", source),
    ]
}

/// The outcome of a check.
#[derive(Debug)]
pub enum Failure {
    /// Why the stack cannot be checked by SPIN.
    Unfit(String),
    Spin(Error),
}

impl Failure {
    /// SPIN's own limits (`inline text too long`, `d_step sequence too long`) are not errors of the model.
    pub fn of(error: Error) -> Failure {
        match error {
            Error::Model(words) if words.contains(" too long") => {
                Failure::Unfit("a step of the automata has more alternatives than SPIN supports".into())
            }
            error => Failure::Spin(error),
        }
    }
}

/// Returns the maximum number of timers of a family.
fn instances(ty: &Type, path: &[TimerStep], stack: &Stack) -> u64 {
    let Some((step, rest)) = path.split_first() else { return 1 };
    let (count, inner) = match (step, ty) {
        (TimerStep::Field(at), Type::Struct(id)) => (1, &stack.structs[id.index()].fields[*at as usize].ty),
        (TimerStep::Field(at), Type::Tuple(types)) => (1, &types[*at as usize]),
        (TimerStep::Each, Type::Option(t)) => (1, &**t),
        (TimerStep::Each, Type::Array(t, n) | Type::Ring(t, n) | Type::List(t, n) | Type::Pool(t, n)) => (*n, &**t),
        (TimerStep::Each, Type::Window(t, n, _) | Type::Map(_, t, n)) => (*n, &**t),
        _ => return 1,
    };
    u64::from(count) * instances(inner, rest, stack)
}

/// The given values of all endpoints as C, laid out as in the config struct; their number, their addresses, the address
/// of each endpoint's peer, and the first sequence numbers.
pub(crate) fn givens(setup: &Setup) -> String {
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let mut text = String::from(
        "struct given { int end; const char *name; uint32_t len; uint8_t bytes[64]; };\nstatic const \
            struct given givens[] = {\n    {-1, \"\", 0, {0}},\n",
    );
    for end in setup.members().all() {
        for (name, value) in setup.config(end).givens {
            let bytes = match value {
                Value::Num(n) => n.to_le_bytes().to_vec(),
                Value::Addr(a) => a.bytes().to_vec(),
                Value::Bytes(bytes) => bytes,
                Value::Set(words) => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
                _ => vec![],
            };
            let bytes = &bytes[..bytes.len().min(64)];
            text += &format!("    {{{end}, \"{name}\", {}, {{{}}}}},\n", bytes.len(), list(bytes));
        }
    }
    let members = setup.members();
    let peer = |end: usize| members.others(end).next().unwrap_or(end);
    text += &format!("}};\nenum {{ MEMBERS = {} }};\n", members.count());
    for (name, whose) in [("addresses", &(|end| end) as &dyn Fn(usize) -> usize), ("peers", &peer)] {
        text += &format!("static const struct nacre_addr {name}[MEMBERS] = {{\n");
        for at in members.all().map(|end| address(whose(end))) {
            text += &format!("    {{.ip = {{{}}}, .port = {}, .family = {}}},\n", list(&at.ip), at.port, at.family);
        }
        text += "};\n";
    }
    text + &format!("static const uint64_t first = UINT64_C({});\n", setup.bounds.first)
}
