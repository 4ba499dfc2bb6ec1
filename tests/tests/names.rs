//! The names of a stack's parts affect only the names in its C: strict compilers accept it, and it equals the
//! interpreter.
//!
//! Names are drawn from all words of the emitted C, with and without the prefix, from words of C and its library, and
//! from names that are parts of each other. They are set in the stack IR, which has no reserved words.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use nacre_backend_c::{write_check, Options};
use nacre_driver::{Level, Session};

use nacre_stack::{validate, Stack};
use nacre_tests::library::{find, open};
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{root, soaking};
use serde_json::Value;

/// Words of C that need not occur in emitted C, and names that are prefixes of others.
const WORDS: &str = "int auto register volatile typedef union goto asm typeof alignas errno main printf abort free index read \
    signal strlen offsetof linux unix INT_MAX UINT64_MAX INT8_C SIZE_WIDTH WCHAR_MIN EOF NULL assert I complex nacre nacre_out NACRE_OK _x __x _X x_t \
    a a_b b b_c c a_b_c A A_b a_B u8 u16 seq8 bool set70 maybe_u8 tuple2_u8_u8 list2_msg ring3_u32 addr view msg msg_a \
    down up on on_a slow_a port_a queue_a COUNT_a_b head_0 shape_0_0 a_aside a_2 a_2_2 x_a e i j nothing waiting";

fn golden(case: &str) -> (Session, Stack) {
    let mut session = open(&root().join("tests/golden").join(case).join("source.nacre"));
    let stack = session.stack(case).unwrap_or_else(|| panic!("{}", session.render(false)));
    (session, stack)
}

fn stacks() -> Vec<(Session, Stack)> {
    let cases = [
        "passing",
        "packed",
        "variants",
        "timer",
        "container",
        "filter",
        "reference",
        "pieces",
        "admission",
        "support",
    ];
    cases.into_iter().map(golden).chain([find("reliable_plain").compose()]).collect()
}

/// The words of a text of C.
fn words(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    text.split(|c| !word(c)).filter(begins).map(str::to_string).collect()
}

/// All names that parts of a stack may have.
fn names(session: &Session, stack: &Stack) -> Vec<String> {
    let mut found: BTreeSet<String> = WORDS.split_whitespace().map(str::to_string).collect();
    for level in LEVELS {
        let text = session.emit(stack, level, None);
        for word in words(&text.header).into_iter().chain(words(&text.source)) {
            found.extend(word.strip_prefix(&format!("{}_", stack.name)).map(str::to_string));
            found.insert(word);
        }
    }
    found.into_iter().collect()
}

/// Gives each named part of a stack the next name of a list.
fn rename(value: &mut Value, names: &mut dyn Iterator<Item = String>) {
    match value {
        Value::Object(members) => {
            // Counters of the stack itself have no layer, and fixed names.
            let built_in = members.get("layer").is_some_and(Value::is_null);
            for (key, member) in members.iter_mut() {
                match member {
                    Value::String(name) if key == "name" && !built_in => {
                        *name = names.next().expect("names do not end")
                    }
                    Value::Array(list) if key == "variants" => {
                        for name in list.iter_mut().filter(|name| name.is_string()) {
                            *name = Value::String(names.next().expect("names do not end"));
                        }
                    }
                    _ => rename(member, names),
                }
            }
            // The first locals of a filter are its state.
            if let (Some(Value::Array(state)), Some(Value::Array(locals))) =
                (members.get("state").cloned(), members.get_mut("locals"))
            {
                locals.iter_mut().zip(state).for_each(|(local, variable)| *local = variable);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| rename(inner, names)),
        _ => {}
    }
}

fn renamed(stack: &Stack, names: &[String], from: usize) -> Stack {
    let mut value = serde_json::to_value(stack).expect("it is data");
    let name = value["name"].clone();
    rename(&mut value, &mut names.iter().cycle().skip(from).cloned());
    // One round in three keeps the name of the stack, so that others begin with it.
    if from % 3 == 0 {
        value["name"] = name;
    }
    let stack: Stack = serde_json::from_value(value).expect("it is a stack");
    validate(&stack).unwrap_or_else(|problems| panic!("round {from}: {problems:?}"));
    stack
}

/// Returns the warnings of a strict compiler for a stack's C, and for the C for checkers.
fn complaints(compiler: &str, folder: &Path, session: &Session, stack: &Stack, level: Level) -> String {
    let text = session.emit(stack, level, None);
    let prefix = nacre_backend_c::prefix(stack);
    let check = write_check(stack, level, Options::default());
    let files = [(format!("{prefix}.h"), &text.header), (format!("{prefix}.c"), &text.source)];
    for (file, text) in files.iter().map(|(file, text)| (file, *text)).chain([(&format!("{prefix}_check.c"), &check)]) {
        std::fs::write(folder.join(file), text).expect("written");
    }
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"];
    let mut said = String::new();
    for file in [format!("{prefix}.c"), format!("{prefix}_check.c")] {
        let output = Command::new(compiler).args(flags).arg(&file).current_dir(folder).output();
        said += &String::from_utf8_lossy(&output.expect("the compiler is there").stderr);
    }
    said
}

/// Nested conditional expressions of constants, of types narrower than those of C's arithmetic.
const CHOICES: &str = "interface line { down send(m: msg) up deliver(m: msg) }
worker w: line over line {
    enum Kind { first, middle, last }
    state { k: Kind, a: u8, b: i8, c: u16, s: seq7, r: 0..9, z: bool }
    down send(m) {
        k = if m.len > 2 { Kind.last } else { if m.len == 1 { Kind.first } else { Kind.middle } };
        a = if z { if m.len > 2 { 0 } else { 1 } } else { 3 };
        b = if z { if m.len > 2 { -1 } else { 0 } } else { b };
        c = if z { 1 } else { if m.len > 2 { 1 } else { if m.len > 1 { 0 } else { 300 } } };
        s = if z { if m.len > 4 { 1 } else { 0 } } else { s };
        r = if z { if m.len > 4 { 0 } else { 1 } } else { r };
        z = if z { if m.len > 4 { false } else { true } } else { m.len == 0 };
        pass m;
    }
}
stack st = w;
";

#[test]
fn strict_compilers_accept_nested_conditional_expressions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut session = Session::from_text(std::path::Path::new("choices.nacre"), CHOICES);
    let stack = session.stack("st").expect("it composes");
    for (level, compiler) in LEVELS.into_iter().flat_map(|level| ["gcc", "clang"].map(|compiler| (level, compiler))) {
        let said = complaints(compiler, folder.path(), &session, &stack, level);
        assert!(said.is_empty(), "at level {}: {compiler}: {said}", level.name());
    }
}

#[test]
fn strict_compilers_accept_the_c_of_all_goldens() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (session, stack) in stacks() {
        for (level, compiler) in LEVELS.into_iter().flat_map(|level| ["gcc", "clang"].map(|compiler| (level, compiler)))
        {
            let said = complaints(compiler, folder.path(), &session, &stack, level);
            assert!(said.is_empty(), "{} at level {}: {compiler}: {said}", stack.name, level.name());
        }
    }
}

#[test]
fn any_name_can_be_given_to_any_part() {
    let rounds = if soaking() { 400 } else { 8 };
    for (number, (session, stack)) in stacks().into_iter().enumerate() {
        let names = names(&session, &stack);
        for round in 0..rounds {
            // With many names, each is at the beginning of some round.
            let stack = renamed(&stack, &names, round * names.len() / rounds + round);
            let folder = tempfile::tempdir().expect("a temporary folder");
            let compiler = ["gcc", "clang"][(number + round) % 2];
            let level = LEVELS[round % 3];
            let said = complaints(compiler, folder.path(), &session, &stack, level);
            assert!(said.is_empty(), "{number}, round {round}, level {}: {compiler}: {said}", level.name());
        }
    }
}

#[test]
fn renamed_stacks_behave_equally() {
    for (number, (session, stack)) in stacks().into_iter().enumerate() {
        let names = names(&session, &stack);
        let stack = renamed(&stack, &names, 77 * (number + 1));
        let machines = Machines::of(session, stack);
        let mut tally = Tally::default();
        storm(&machines.stack, &machines.lockstep(), 1, 300, &mut tally)
            .unwrap_or_else(|why| panic!("{number}: {why}"));
    }
}
