//! What a configuration states about timers excludes nothing that can happen: runs of endpoints with clocks are runs of
//! the search.

use std::path::Path;

use nacre_checker::retrace::{retrace, Hint, Lost};
use nacre_checker::space::Space;
use nacre_driver::Session;
use nacre_stack::interpret::{Machine, Outcome};
use nacre_worlds::setup::Setup;
use nacre_worlds::values::address;
use nacre_worlds::world::{world, Subject};

const SECOND: u64 = 1_000_000_000;

/// The world of a layer in the configuration that states something about its timers, without other limits and
/// specifications.
fn ordered(layer: &str) -> Setup {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/sources/worlds/timers.nacre");
    let session = Session::open(&[file]);
    let subject = Subject { name: layer.into(), is_layer: true };
    let mut found = session.configurations().into_iter();
    let configuration = found.find(|c| c.subject == layer && c.name == "ordered").expect("a configuration");
    let Ok(world) = world(&session, &subject, &configuration, false) else { panic!("there is no world") };
    let mut setup = world.setup;
    setup.above.clear();
    setup.bounds.last.clear();
    setup.bounds.calls = vec![("send".into(), vec![50, 50])];
    setup
}

/// A linear congruential generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// A run in real time: timers fire in the order of their deadlines, less than a second late. Returns its steps.
fn run(setup: &Setup, seed: u64) -> Vec<Hint> {
    let (mut dice, mut now, mut hints) = (Dice(seed), 0, vec![]);
    let mut machines = [0, 1].map(|end| Machine::of(setup.stack_of(end).clone(), setup.config(end)));
    for machine in &mut machines {
        assert_eq!(machine.open(0), Outcome::Ok);
        machine.take_outputs();
    }
    let calls = setup.calls();
    let (mut flying, mut sent): ([Vec<Vec<u8>>; 2], [u8; 2]) = Default::default();
    for _ in 0..3000 {
        now += dice.below(SECOND / 8);
        // Whoever is late must come first.
        let late = (0..2).find(|end| machines[*end].deadline().saturating_add(SECOND / 2) < now);
        let end = late.unwrap_or(dice.below(2) as usize);
        let machine = &mut machines[end];
        let name = "send".to_string();
        let (outcome, hint) = match dice.below(40) {
            0 if late.is_none() && sent[end] < 50 => {
                let call = calls.iter().find(|call| call.end == end && call.number == sent[end]).expect("a call");
                sent[end] += 1;
                let outcome = machine.call(call.event, &[], call.bytes.as_deref().unwrap_or(&[]), now);
                (outcome, Hint::Call { end, name, number: sent[end] })
            }
            1..20 if late.is_none() && !flying[end].is_empty() => {
                let outcome = machine.input(address(1 - end), &flying[end].remove(0), now);
                (outcome, Hint::Network { name: "deliver".into(), end: Some(end) })
            }
            _ => {
                let Some(due) = machine.armed().into_iter().next().filter(|due| due.deadline <= now) else { continue };
                let name = setup.stack().timers[due.timer.index()].name.clone();
                (machine.tick(now), Hint::Timer { end, name })
            }
        };
        assert_eq!(outcome, Outcome::Ok);
        hints.push(hint);
        let left = machine.take_outputs().into_iter().filter(|output| output.port.0 == 0);
        flying[1 - end].extend(left.filter_map(|output| output.bytes));
    }
    hints
}

#[test]
fn runs_in_real_time_are_runs_of_the_search() {
    for layer in ["asks", "puts_off", "beats"] {
        let setup = ordered(layer);
        let (space, first) = Space::open(&setup).expect("a space");
        let mut fired = 0;
        for seed in 0..10 {
            let hints = run(&setup, seed);
            fired += hints.iter().filter(|hint| matches!(hint, Hint::Timer { .. })).count();
            match retrace(&setup, &space, &first, &hints) {
                Err(Lost::Allowed(_)) => {}
                Err(Lost::Impossible(at)) => panic!("{layer}, {seed}: step {at} is excluded: {:?}", hints[at]),
                other => panic!("{layer}, {seed}: {other:?}"),
            }
        }
        assert!(fired > 200, "{layer}: {fired}");
    }
}
