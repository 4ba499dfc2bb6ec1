//! Local states with equal canonical forms behave equally; a canonical form that omits what matters is detected.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use nacre_checker::canonical::Canonical;
use nacre_checker::endpoints::Compared;
use nacre_checker::explore::{explore, Options};
use nacre_checker::space::Space;
use nacre_specification::samples::{fifo_network, lossy_datagrams};
use nacre_stack::interpret::Machine;
use nacre_stack::samples;
use nacre_worlds::setup::{Bounds, Setup};

fn compared(form: fn(&Machine, bool) -> Vec<u8>) -> Compared {
    let limits = vec![("loss".into(), 1), ("double".into(), 1)];
    let bounds = Bounds { calls: vec![("send".into(), vec![2, 1])], limits, ..Bounds::default() };
    let setup = Setup::new(Arc::new(samples::repeating()), lossy_datagrams(2), vec![fifo_network()], bounds);
    let (space, first) = Space::open_with(&setup, Canonical { form, twins: true }).unwrap();
    let stop = AtomicBool::new(false);
    let options = Options {
        threads: 1,
        states: 100_000,
        memory: 1 << 32,
        bits: None,
        goals: false,
        stop: &stop,
        progress: &|_| {},
    };
    explore(&space, &first, &options);
    space.endpoints.compare()
}

fn first_half(machine: &Machine, times: bool) -> Vec<u8> {
    let mut bytes = machine.abstract_bytes(times);
    bytes.truncate(bytes.len() / 2);
    bytes
}

fn number_of_bytes(machine: &Machine, times: bool) -> Vec<u8> {
    machine.abstract_bytes(times).len().to_le_bytes().to_vec()
}

#[test]
fn states_with_equal_forms_behave_equally() {
    let compared = compared(|machine, times| machine.abstract_bytes(times));
    assert_eq!(compared.differences, Vec::<String>::new());
}

#[test]
fn forms_that_omit_what_matters_are_detected() {
    for form in [first_half, number_of_bytes] {
        let compared = compared(form);
        assert!(compared.steps > 0 && !compared.differences.is_empty(), "{compared:?}");
    }
}
