//! The explorer over automata: the same worlds as the first explorer's give the same states, on one thread and on several.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use nacre_checker::explore::{explore, Options, Searched, Verdict};
use nacre_checker::search::search;
use nacre_checker::setup::{Bounds, Setup};
use nacre_checker::space::Space;
use nacre_checker::world::{self, Observer};
use nacre_specification::samples::{fifo_network, lossy_datagrams};
use nacre_stack::{samples, Stack};

fn bounds(messages: [u8; 2], losses: u8, doubles: u8) -> Bounds {
    let limits = vec![("lose".into(), losses), ("double".into(), doubles)];
    Bounds { calls: vec![("send".into(), messages)], limits, ..Bounds::default() }
}

fn searched(setup: &Setup, threads: usize, bits: Option<usize>) -> Searched {
    let (space, first) = Space::open(setup).unwrap();
    let stop = AtomicBool::new(false);
    let options =
        Options { threads, states: 10_000_000, memory: 1 << 32, bits, goals: true, stop: &stop, progress: &|_| {} };
    explore(&space, &first, &options)
}

fn old(stack: &Arc<Stack>, messages: [u8; 2], losses: u8, doubles: u8, observer: Observer) -> usize {
    let bounds = world::Bounds { messages, size: 1, flight: 2, losses, duplications: doubles, fifo: false };
    search(stack, &bounds, observer, 1_000_000).unwrap().states
}

#[test]
fn as_many_states_as_the_first_explorer() {
    let stack = Arc::new(samples::go_back_n());
    for (messages, losses, doubles) in [([2, 0], 1, 0), ([1, 1], 1, 0), ([3, 0], 2, 0)] {
        // Copies are made differently by the two, so there are none.
        let bounds = bounds(messages, losses, doubles);
        let setup = Setup::new(stack.clone(), lossy_datagrams(2), vec![fifo_network()], bounds);
        let one = searched(&setup, 1, None);
        let two = searched(&setup, 3, None);
        assert_eq!(one.progress.states as usize, old(&stack, messages, losses, doubles, Observer::Reliable));
        assert_eq!((&one.verdict, one.progress.states), (&two.verdict, two.progress.states));
        assert_eq!(one.progress.depth, two.progress.depth);
        assert_eq!(one.verdict, Verdict::Complete);
    }
}
