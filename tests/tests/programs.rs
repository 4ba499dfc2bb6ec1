//! Random programs: `check` accepts them, and the interpreter and the C of every level are equal after each event.
//!
//! `cargo run -p nacre-tests --bin programs -- shrink SEED` makes one that fails small.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use nacre_simulator::random::Random;
use nacre_stack::{
    Argument, BinaryOp, ExprKind, FieldPlace, FilterUnit, Operation, Query, Root, Scope, StatementKind, Step, Type,
    UnaryOp,
};
use nacre_tests::mutation::mutate;
use nacre_tests::programs::coverage::{variants_in, variants_of};
use nacre_tests::programs::run::{compose, examine_sources, Examination, Verdict};
use nacre_tests::programs::{campaign, generate, Course};
use nacre_tests::{in_parallel, soaking};

fn programs_are_equal(seeds: std::ops::Range<u64>, thorough: bool) {
    let tool = PathBuf::from(env!("CARGO_BIN_EXE_programs"));
    let patience = Duration::from_secs(120);
    let found =
        campaign(&Examination { tool, thorough, sources_only: false, patience }, seeds.collect(), &Course::default());
    println!("{}", found.summary());
    assert!(found.is_clean(), "{}", found.summary());
}

/// `tests/programs`: shrunk programs that once revealed a bug of a tool.
#[test]
fn programs_that_failed_once_are_equal_at_every_level() {
    let tool = PathBuf::from(env!("CARGO_BIN_EXE_programs"));
    let examination = Examination { tool, thorough: false, sources_only: false, patience: Duration::from_secs(120) };
    let files = std::fs::read_dir(nacre_tests::root().join("tests/programs")).expect("the folder is read");
    for file in files {
        let file = file.expect("a file").path();
        let text = std::fs::read_to_string(&file).expect("the program is read");
        for seed in 0..if soaking() { 3 } else { 1 } {
            let verdict = examination.of(&text, seed);
            assert_eq!(verdict, Verdict::Equal, "{}, seed {seed}", file.display());
        }
    }
}

#[test]
fn twenty_random_programs_are_equal_at_every_level() {
    programs_are_equal(0..20, false);
}

/// Sources with mistakes: each program with a few changes, or with a part of another.
#[test]
fn damaged_random_programs_are_refused_or_compiled() {
    damaged(0..150);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn twenty_thousand_damaged_random_programs_are_refused_or_compiled() {
    damaged(1000..21_000);
}

fn damaged(seeds: std::ops::Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let verdicts = in_parallel(&seeds, |seed| {
        let mut random = Random::new(*seed);
        let mut text = mutate(&generate(*seed).text(), &mut random);
        if random.below(3) == 0 {
            let other = generate(*seed ^ 1).text();
            let lines: Vec<&str> = other.lines().collect();
            let (from, to) = (random.below(lines.len() as u64) as usize, random.below(text.lines().count() as u64));
            let at = text.lines().take(to as usize).map(|line| line.len() + 1).sum();
            text.insert_str(at, &format!("{}\n", lines[from]));
        }
        let verdict = examine_sources(&text);
        assert!(
            !matches!(&verdict, Verdict::Rejected(words) if words.contains("internal error")),
            "{seed}: {verdict:?}"
        );
        assert!(!verdict.is_failure(), "damaged program {seed}: {verdict:?}\n{text}");
        verdict == Verdict::Equal
    });
    let accepted = verdicts.iter().filter(|accepted| **accepted).count();
    println!("{accepted} of {} were compiled", verdicts.len());
    assert!(accepted * 20 > verdicts.len() && accepted * 10 < verdicts.len() * 9, "{accepted}");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn five_thousand_random_programs_are_equal_at_every_level() {
    programs_are_equal(1_000_000..1_005_000, true);
}

/// Variants that no program can contain, and why.
const NEVER: [(&str, &str); 5] = [
    ("Type::Bounded", "a type of the checker: in a stack it is `Msg`"),
    ("ExprKind::Head", "only bypasses ask"),
    ("Operation::PassOver", "a pass makes it"),
    ("Operation::ReleaseLow", "a pass makes it"),
    ("Scope::Derived", "the language has no derived data yet"),
];

#[test]
fn programs_have_every_variant_of_the_ir() {
    let mut all = BTreeSet::new();
    all.extend(variants_of::<Type>());
    all.extend(variants_of::<ExprKind>());
    all.extend(variants_of::<StatementKind>());
    all.extend(variants_of::<Operation>());
    all.extend(variants_of::<Query>());
    all.extend(variants_of::<Step>());
    all.extend(variants_of::<Root>());
    all.extend(variants_of::<Argument>());
    all.extend(variants_of::<UnaryOp>());
    all.extend(variants_of::<BinaryOp>());
    all.extend(variants_of::<FieldPlace>());
    all.extend(variants_of::<FilterUnit>());
    all.extend(variants_of::<Scope>());
    assert!(all.len() > 150, "{all:?}");
    let seeds: Vec<u64> = (0..150).collect();
    let found = in_parallel(&seeds, |seed| match compose(&generate(*seed).text()) {
        Ok((_, stack)) => variants_in(&stack),
        Err(_) => BTreeSet::new(),
    });
    let found: BTreeSet<String> = found.into_iter().flatten().collect();
    let excused = |variant: &&String| NEVER.iter().any(|(name, _)| name == variant);
    let missing: Vec<&String> = all.difference(&found).filter(|variant| !excused(variant)).collect();
    assert!(missing.is_empty(), "no program of these seeds has {missing:?}");
}

/// Seeds with shifted sequences of random numbers would give programs with the same long lines under other names.
#[test]
fn programs_of_neighbouring_seeds_share_no_statements() {
    let lines = |seed: u64| -> BTreeSet<String> {
        let text = generate(seed).text();
        let lines = text.lines().map(|line| line.chars().filter(|c| !c.is_ascii_digit()).collect::<String>());
        lines.filter(|line| line.len() > 60).collect()
    };
    for seed in 0..50 {
        let (one, next) = (lines(seed), lines(seed + 1));
        let common = one.intersection(&next).count();
        assert!(common * 20 <= one.len(), "seeds {seed} and {} share {common} of {} lines", seed + 1, one.len());
    }
}
