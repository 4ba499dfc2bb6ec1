//! What a path says of a step is what the interpreter does in each step that takes it, and no step takes two.

use std::collections::VecDeque;
use std::sync::Arc;

use nacre_simulator::random::Random;
use nacre_stack::interpret::{Machine, Output};
use nacre_stack::{Direction, PortId};
use nacre_tests::library::find;
use nacre_tests::pair::{address, Pair};
use nacre_tests::paths::{Follower, Seen};

/// Runs both ends for a number of steps while `loss` percent of the frames are lost; returns what was seen.
fn follow(name: &str, loss: u64, steps: u64) -> Seen {
    let (_, stack) = find(name).compose();
    let interface = stack.interface();
    let is_send = |at: &&usize| {
        let event = stack.event(interface[**at].event);
        interface[**at].input.is_some() && event.message.is_some() && event.direction == Direction::Down
    };
    let send = (0..interface.len()).collect::<Vec<_>>().iter().find(is_send).copied().expect("messages are sent");
    let mut ends: Vec<Machine> = Pair::open(&stack).ends;
    let (mut follower, mut random) = (Follower::new(Arc::new(stack)), Random::new(7));
    let mut frames: [VecDeque<Vec<u8>>; 2] = Default::default();
    let mut now = 1_000_000_000;
    while follower.seen.steps < steps {
        let end = random.below(2) as usize;
        now += random.below(2_000_000);
        let machine = &mut ends[end];
        let outputs = match (random.below(4), frames[end].pop_front()) {
            (0, None) | (1, None) => {
                let most = if random.below(4) == 0 { 4_000 } else { 40 };
                let data = vec![end as u8; random.below(most) as usize];
                follower.call(machine, send as u32, &data, now)
            }
            (2 | 3, None) if machine.deadline() <= now => follower.tick(machine, now),
            (_, None) => continue,
            (_, Some(frame)) => follower.frame(machine, address(1 - end), &frame, now),
        };
        let outputs: Vec<Output> = outputs.unwrap_or_else(|why| panic!("{name}: {why}"));
        let sent = outputs.into_iter().filter(|output| output.port == PortId(0)).filter_map(|output| output.bytes);
        frames[1 - end].extend(sent.filter(|_| random.below(100) >= loss));
    }
    follower.seen
}

#[test]
fn steps_do_what_their_path_says() {
    // Whether a checksum fits depends on bytes, so no path of a frame that has one is seen to be taken.
    // Steps, and how many of a hundred take a path.
    let stacks = [
        ("reliable_plain", 0, 1_500, 50),
        ("reliable_plain", 10, 1_500, 40),
        ("reliable", 2, 1_000, 15),
        ("controlled_pt2pt", 5, 300, 25),
        ("sequencer_alone", 10, 1_000, 60),
    ];
    for (name, loss, steps, on_a_path) in stacks {
        let seen = follow(name, loss, steps);
        println!("{name}, {loss} % lost: {seen:?}");
        assert!(seen.on_a_path * 100 > seen.steps * on_a_path, "{name}: {seen:?}");
        assert!(seen.compared.equal > 5 * steps && seen.compared.open * 10 < seen.compared.equal, "{name}: {seen:?}");
    }
}
