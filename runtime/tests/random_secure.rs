//! Random programs against a listener with a secure stack, and its clients: the same that libFuzzer drives
//! (`tests/listener-fuzz`).

mod support;

#[path = "../../tests/listener-fuzz/src/input.rs"]
mod input;
#[path = "../../tests/listener-fuzz/src/secure.rs"]
mod secure;

use input::Input;
use nacre_runtime::random::Random;
use secure::SecureWorld;
use std::collections::BTreeMap;

/// Programs of a default test.
const PROGRAMS: u64 = 400;

/// A program whose operations are likely to go together.
fn program(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes = vec![random.draw() as u8, random.draw() as u8];
    for _ in 0..60 {
        let operation = [0, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13, 13, 13, 14, 15][random.below(19) as usize];
        bytes.push(operation | (random.draw() as u8 & 0xf0));
        (0..random.below(6)).for_each(|_| bytes.push(random.draw() as u8));
    }
    bytes
}

fn bytes(line: &str) -> Vec<u8> {
    (0..line.len() / 2).map(|at| u8::from_str_radix(&line[2 * at..2 * at + 2], 16).expect("digits")).collect()
}

#[test]
fn messages_are_the_peers_and_connections_end_for_reasons_of_an_end() {
    let stack = support::secure();
    let programs = if std::env::var_os("NACRE_SOAK").is_some() { 50 * PROGRAMS } else { PROGRAMS };
    let mut reached: BTreeMap<&'static str, u64> = BTreeMap::new();
    let stored = include_str!("../../tests/corpora/listener_secure.txt").lines().map(bytes);
    for (seed, bytes) in stored.chain((0..programs).map(program)).enumerate() {
        let run = std::panic::catch_unwind(|| {
            let mut input = Input(&bytes);
            let mut world = SecureWorld::new(&stack, &mut input);
            while !input.0.is_empty() && world.may_go_on() {
                world.step(&mut input);
            }
            world.end();
            world.reached
        });
        let counts = run.unwrap_or_else(|_| panic!("seed {seed}"));
        counts.into_iter().for_each(|(what, count)| *reached.entry(what).or_default() += count);
    }
    let wanted = ["opened", "closed", "not opened", "delivered", "forged", "forged.client", "retried", "moved"];
    wanted.iter().for_each(|what| assert!(reached.get(what).is_some_and(|count| *count > 0), "{what}: {reached:?}"));
    println!("{reached:?}");
}
