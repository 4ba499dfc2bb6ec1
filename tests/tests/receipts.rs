//! The application learns how many of its messages the peer's application has taken: never more than that, and in the
//! end all, over networks that lose, duplicate and reorder frames; in Rust with a simulated clock, and in C over UDP.

use std::time::Duration;

use nacre_runtime::faults::Faults;
use nacre_runtime::memory::Network;
use nacre_runtime::{ConnectionId, Event, Listener, Options, Stack};
use nacre_tests::c_programs::{loaded, run};

fn stack() -> Stack {
    loaded("receipts.nacre", "receipted")
}

fn faults(seed: u64) -> Faults {
    let (delay, jitter) = (Duration::from_millis(5), Duration::from_millis(2));
    Faults { loss: 0.2, duplicate: 0.1, reorder: 0.2, delay, jitter, seed, ..Faults::default() }
}

/// Two listeners on a simulated network, with a connection.
struct World {
    network: Network,
    client: Listener,
    server: Listener,
    stack: Stack,
    at_client: ConnectionId,
    at_server: Option<ConnectionId>,
    /// Messages that the server's application was given, and what the client's was last told of them.
    taken: u64,
    reached: u64,
    reports: u64,
    closed: bool,
}

impl World {
    fn new(faults: Faults) -> World {
        let network = Network::new(faults);
        let seeded = |seed| Options { seed: Some(seed), ..Options::default() };
        let (mut server, mut client) =
            (Listener::new(network.end(), seeded(1)), Listener::new(network.end(), seeded(2)));
        let stack = stack();
        server.serve(&stack).expect("it serves");
        let at_client = client.connect(server.local(), &stack).expect("it connects");
        World {
            network,
            client,
            server,
            stack,
            at_client,
            at_server: None,
            taken: 0,
            reached: 0,
            reports: 0,
            closed: false,
        }
    }

    /// Handles what is there, checks each report, and lets the time pass until more happens.
    fn turn(&mut self) {
        while let Some(event) = self.server.poll() {
            match event {
                Event::Arrived { connection, .. } => self.at_server = Some(connection),
                Event::Delivered { message, .. } => {
                    assert_eq!(message.to_vec(), self.taken.to_le_bytes(), "in order");
                    self.taken += 1;
                }
                _ => {}
            }
        }
        while let Some(event) = self.client.poll() {
            match event {
                Event::Other { event, arguments, connection, .. } => {
                    assert_eq!(connection, self.at_client);
                    assert_eq!(self.stack.events()[usize::from(event)].name, "reached");
                    assert!(arguments[0] > self.reached && arguments[0] <= self.taken, "{arguments:?} {}", self.taken);
                    self.reached = arguments[0];
                    self.reports += 1;
                }
                Event::Closed { .. } => self.closed = true,
                _ => {}
            }
        }
        let next = self.client.next_deadline().min(self.server.next_deadline()).min(self.network.next_arrival());
        self.network.advance_to(next.max(self.network.now() + 1));
    }

    fn run_until(&mut self, done: impl Fn(&World) -> bool) {
        for _ in 0..1_000_000 {
            if done(self) {
                return;
            }
            self.turn();
        }
        panic!("not done: {} taken, {} reached, at {} ns", self.taken, self.reached, self.network.now());
    }

    fn send(&mut self, number: u64) {
        while self.client.send(self.at_client, &number.to_le_bytes()).is_err() {
            self.turn();
        }
    }
}

#[test]
fn reports_never_run_ahead_and_reach_all() {
    for seed in 0..8 {
        let mut world = World::new(faults(seed));
        for number in 0..300 {
            world.send(number);
        }
        world.run_until(|world| world.reached == 300);
        assert!(world.reports < 200, "{} reports", world.reports);
    }
}

#[test]
fn report_travels_on_the_answer() {
    let mut world = World::new(Faults { delay: Duration::from_millis(5), ..Faults::default() });
    world.send(0);
    while world.taken == 0 {
        world.turn();
    }
    let at_server = world.at_server.expect("it has arrived");
    let begun = world.network.now();
    world.server.send(at_server, b"answer").expect("it is accepted");
    world.run_until(|world| world.reached == 1);
    let after = world.network.now() - begun;
    assert!(after < 20_000_000, "after {after} ns: no timer of the server is waited for");
}

#[test]
fn message_is_reported_when_the_application_says_so() {
    let mut world = World::new(faults(3));
    world.send(0);
    while world.at_server.is_none() {
        world.turn();
    }
    let at_server = world.at_server.expect("it has arrived");
    world.server.set_takes_by_itself(at_server, false).expect("it is there");
    for number in 1..4 {
        world.send(number);
    }
    world.run_until(|world| world.taken == 4);
    let until = world.network.now() + 3_000_000_000;
    world.run_until(|world| world.network.now() > until);
    // The first one was taken in the turn in which the connection arrived, if it came with it.
    let before = world.reached;
    assert!(before <= 1);
    world.server.note_taken(at_server, 2).expect("it is there");
    world.run_until(|world| world.reached == before + 2);
    let until = world.network.now() + 3_000_000_000;
    world.run_until(|world| world.network.now() > until);
    assert_eq!(world.reached, before + 2);
}

#[test]
fn last_message_is_reported_before_its_receiver_closes() {
    let mut world = World::new(Faults { delay: Duration::from_millis(5), ..Faults::default() });
    world.send(0);
    while world.taken == 0 {
        world.turn();
    }
    let until = world.network.now() + 1_000_000_000;
    world.run_until(|world| world.reached == 1 && world.network.now() > until);
    world.send(1);
    while world.taken == 1 {
        world.turn();
    }
    let at_server = world.at_server.expect("it has arrived");
    world.server.close(at_server).expect("it is there");
    world.run_until(|world| world.closed);
    assert_eq!(world.reached, 2);
}

#[test]
fn c_program_learns_what_was_taken() {
    run("receipts.c", ("receipts.nacre", "receipted"));
}
