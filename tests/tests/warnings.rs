//! Compilers emit no warnings for the C of random programs, and of the stacks of the library.

use std::path::Path;
use std::process::Command;

use nacre_driver::{Level, Session};
use nacre_profiles::bypassed;
use nacre_stack::Stack;
use nacre_tests::in_parallel;
use nacre_tests::library::{declared, find, Declared};
use nacre_tests::machines::LEVELS;
use nacre_tests::programs::generate;
use nacre_tests::programs::run::compose;

/// Of what the author has written, which compilers show there: `2 ^ 8`. (And that gcc has no such option.)
const OF_SOURCES: [&str; 2] = ["-Wno-xor-used-as-pow", "-Wno-unknown-warning-option"];

/// What compilers say about the C of a stack at a level, if they do not accept it.
fn said(name: &str, session: &Session, stack: &Stack, level: Level, how: &str, folder: &Path) -> Vec<String> {
    let emitted = match level {
        Level::Bypass => session.emit_optimized(bypassed(stack), level, None),
        _ => session.emit(stack, level, None),
    };
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join(format!("{}.h", nacre_backend_c::prefix(stack))), emitted.header).expect("written");
    let source = folder.join("source.c");
    std::fs::write(&source, emitted.source).expect("written");
    let said = ["gcc", "clang"].map(|compiler| {
        let flags = ["-std=c11", how, "-Wall", "-Wextra", "-Wshadow", "-Werror", "-c"];
        let mut command = Command::new(compiler);
        let ran = command
            .args(flags)
            .args(OF_SOURCES)
            .arg("-o")
            .arg(folder.join("out.o"))
            .arg(&source)
            .output()
            .expect("the compiler runs");
        let words = String::from_utf8_lossy(&ran.stderr).chars().take(1500).collect::<String>();
        (!ran.status.success()).then(|| format!("{name}, {}, {compiler}: {words}", level.name()))
    });
    said.into_iter().flatten().collect()
}

/// The warnings for the C of a program at one level; none: the program exceeds a limit and has no C.
fn warnings(seed: u64, how: &str, folder: &Path) -> Option<Vec<String>> {
    let (session, stack) = compose(&generate(seed).text()).ok()?;
    let level = LEVELS[seed as usize % LEVELS.len()];
    Some(said(&format!("program {seed}"), &session, &stack, level, how, folder))
}

/// How: an option of the compilers.
fn none_of(seeds: std::ops::Range<u64>, how: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let seeds: Vec<u64> = seeds.collect();
    let said = in_parallel(&seeds, |seed| warnings(*seed, how, folder.path()));
    let compiled: Vec<Vec<String>> = said.into_iter().flatten().collect();
    assert!(compiled.len() * 2 > seeds.len(), "only {} of {} programs have C", compiled.len(), seeds.len());
    let said = compiled.concat();
    assert!(said.is_empty(), "{} of {}:\n{}", said.len(), 2 * compiled.len(), said.join("\n"));
}

#[test]
fn compilers_accept_random_programs_without_a_warning() {
    none_of(0..6, "-O1");
    // What is seen without optimization is seen in a fraction of the time.
    none_of(6..30, "-fsyntax-only");
}

/// Comparisons with themselves, conversions that change nothing, and values that are set and never read.
const ODD: &str = "
interface calc {
    down go(b: u32, i: u1)
    down same(b: i33)
    up out(v: u32)
}
interface nothing { up init() }
struct Side { left: u8, right: u8 }
worker one: calc over nothing {
    up init() {}
    down go(b, i) {
        var v: u32 per 0..2 = [b, 1];
        v[1] = 7;
        var side = Side { left: 1, right: 2 };
        side.left = 3;
        var pairs: (u1, u32) per 0..2;
        pairs[0] = (i, b);
        if (b & 7) == 9 || min(b, b) == b || max(b, b) != b as u40 as u32 { above.out(b); }
        if (i as u8) <= i || b ^ b == b - b { above.out(2 ^ 1); }
    }
    down same(b) {
        if b as i33 != b { above.out(1); }
        if b < b || b as i64 == b || min(b, b) == b { above.out(2); }
    }
}
stack st = one;
";

#[test]
fn compilers_accept_what_has_no_effect_without_a_warning() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (session, stack) = compose(ODD).expect("it is right");
    for level in LEVELS {
        let said = said("odd", &session, &stack, level, "-O1", folder.path());
        assert!(said.is_empty(), "{said:?}");
    }
}

/// All stacks, each at one level, and some at level bypass.
#[test]
fn compilers_accept_the_stacks_of_the_library_without_a_warning() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bypassed = ["reliable", "secure", "go_back_n_credited", "batch_usual"];
    let others = LEVELS.into_iter().filter(|level| *level != Level::Bypass).cycle();
    let mut stacks: Vec<(Declared, Level)> = declared().into_iter().zip(others).collect();
    assert!(stacks.len() > 100, "{} stacks", stacks.len());
    stacks.extend(bypassed.map(|name| (find(name), Level::Bypass)));
    let said = in_parallel(&stacks, |(declared, level)| {
        let (session, stack) = declared.compose();
        let name = format!("{} {}", declared.name, level.name());
        said(&name, &session, &stack, *level, "-fsyntax-only", folder.path())
    });
    let said = said.concat();
    assert!(said.is_empty(), "{}:\n{}", said.len(), said.join("\n"));
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn compilers_accept_a_thousand_random_programs_without_a_warning() {
    none_of(1000..2000, "-O1");
}
