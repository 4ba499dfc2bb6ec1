//! Random programs: `check` accepts them, and the interpreter and the C of every level are equal after each event.
//!
//! `cargo run -p nacre-tests --bin programs -- shrink SEED` makes one that fails small.

use std::path::Path;

use nacre_tests::programs::campaign;

fn programs_are_equal(seeds: std::ops::Range<u64>, thorough: bool) {
    let found = campaign(Path::new(env!("CARGO_BIN_EXE_programs")), seeds, thorough);
    println!("{}", found.summary());
    assert!(found.failures.is_empty(), "{}", found.summary());
    assert!(found.rejected.len() * 20 <= found.programs, "{}", found.summary());
}

#[test]
fn fifty_random_programs_are_equal_at_every_level() {
    programs_are_equal(0..50, false);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn five_thousand_random_programs_are_equal_at_every_level() {
    programs_are_equal(1_000_000..1_005_000, true);
}
