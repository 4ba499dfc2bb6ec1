//! Reports of the end of a connection: they arrive, are accepted from the peer alone, and amplify no traffic. Idle time,
//! the peer's next connection and a forked process do not end a connection by themselves.

use super::tests::events;
use super::*;
use crate::clock::{MILLISECOND, SECOND};
use crate::error::Words;
use crate::support::window;
use crate::wire::{Control, Ending, Label};

type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

fn address(end: u8) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, end], 7000))
}

const CLIENT: u8 = 1;

fn router(seed: u64) -> Router<Datagrams> {
    Router::new(Vec::new(), Options { seed: Some(seed), ..Options::default() }, 1)
}

/// A server and a client.
struct World {
    server: Router<Datagrams>,
    client: Router<Datagrams>,
    id: ConnectionId,
    now: u64,
    /// The events of the server and of the client.
    words: [Vec<String>; 2],
}

impl World {
    fn new(options: Options) -> World {
        let mut server = Router::new(Vec::new(), Options { seed: Some(1), ..options }, 1);
        server.serve(&window(), None).unwrap();
        let mut client = router(2);
        let id = client.connect(address(0), &window(), |_| {}).unwrap();
        World { server, client, id, now: 0, words: [vec![], vec![]] }
    }

    /// For so long, each datagram arrives within a millisecond unless `lost` says otherwise.
    fn run(&mut self, milliseconds: u64, mut lost: impl FnMut() -> bool) {
        for _ in 0..milliseconds {
            self.now += MILLISECOND;
            self.server.set_time(self.now);
            self.client.set_time(self.now);
            self.words[0].extend(events(&mut self.server));
            self.words[1].extend(events(&mut self.client));
            for (_, frame) in std::mem::take(self.client.outbox_mut()) {
                if !lost() {
                    self.server.datagram(address(CLIENT), &frame);
                    self.words[0].extend(events(&mut self.server));
                }
            }
            for (_, frame) in std::mem::take(self.server.outbox_mut()) {
                if !lost() {
                    self.client.datagram(address(0), &frame);
                    self.words[1].extend(events(&mut self.client));
                }
            }
        }
    }

    fn refuse(&mut self) {
        let id = self.server.connections()[0];
        self.server.refuse(id, Words { code: 7, text: "not today".into() }).unwrap();
    }
}

const REFUSED: &str = "closed Refused: not today (code 7)";

#[test]
fn refusal_reaches_the_peer_also_over_a_bad_network() {
    for seed in 0..20 {
        // As soon as the peer has come, and when it is confirmed.
        for after in [1, 1000] {
            let (mut world, mut random) = (World::new(Options::default()), Random::new(seed));
            while world.server.connections().is_empty() {
                world.run(after, || false);
            }
            let _ = world.client.send(world.id, b"hello");
            world.refuse();
            assert!(world.server.connections().is_empty());
            world.run(10_000, || random.chance(0.5));
            assert_eq!(world.words[1].last().map(String::as_str), Some(REFUSED), "seed {seed}, {after} ms");
            assert!(world.words[0].iter().all(|word| !word.starts_with("closed")), "the application knows");
            assert_eq!(world.server.connections().len(), 0);
        }
    }
}

#[test]
fn refusal_is_believed_of_nobody_who_does_not_know_the_label() {
    let mut world = World::new(Options::default());
    world.run(100, || false);
    let label = world.client.get(world.id).unwrap();
    let to = Label { cookie: world.client.cookie(world.id).unwrap(), key: label.key };
    for why in [Ending::Busy, Ending::Refused, Ending::Farewell, Ending::Over] {
        let forged = Label { key: to.key ^ 1, ..to };
        let frame = Control::Ended { to: forged, why, words: Words::default() }.write(100).unwrap();
        world.client.datagram(address(0), &frame);
    }
    // Once the peer has answered, it cannot be busy.
    let frame = Control::Ended { to, why: Ending::Busy, words: Words::default() }.write(100).unwrap();
    world.client.datagram(address(0), &frame);
    world.run(100, || false);
    assert_eq!((world.client.connections().len(), world.client.statistics().controls_ignored), (1, 5));
}

#[test]
fn words_of_a_close_come_with_its_end() {
    let mut world = World::new(Options::default());
    world.run(100, || false);
    let id = world.server.connections()[0];
    world.server.send(id, b"last").unwrap();
    world.server.close_with(id, Words { code: 3, text: "done".into() }).unwrap();
    world.run(1000, || false);
    let end = &world.words[1][world.words[1].len() - 2..];
    assert_eq!(end, ["delivered last", "closed Closed: done (code 3)"]);
    assert_eq!(world.words[0].last().map(String::as_str), Some("closed Closed"));
}

/// A closed connection of both ends is there no longer than the ends need each other.
#[test]
fn both_ends_leave_when_both_stacks_have_ended() {
    let mut world = World::new(Options::default());
    world.run(100, || false);
    world.client.close(world.id).unwrap();
    world.run(20, || false);
    assert_eq!(world.words.each_ref().map(|words| words.last().unwrap().as_str()), ["closed Closed"; 2]);
    assert_eq!((world.server.connections().len(), world.client.connections().len()), (0, 0));
}

/// That one end has ended is no reason for the other to stop before its own stack has.
#[test]
fn end_of_the_peer_ends_nothing_here() {
    let mut world = World::new(Options::default());
    world.run(100, || false);
    let to = Label { cookie: world.client.cookie(world.id).unwrap(), key: world.client.get(world.id).unwrap().key };
    let over = Control::Ended { to, why: Ending::Over, words: Words::default() }.write(100).unwrap();
    world.client.datagram(address(0), &over);
    world.client.send(world.id, b"still here").unwrap();
    world.run(100, || false);
    assert_eq!(world.words[0].last().map(String::as_str), Some("delivered still here"));
    assert_eq!(world.client.connections().len(), 1);
}

/// The last acknowledgement is lost, and the peer begins its next connection at once. It has restarted unless it has
/// reported the end, or still knows the connection and reports it again; the reason is `Closed` only if its stack then
/// acknowledges what was sent last.
#[test]
fn next_connection_of_a_peer_that_has_closed_is_no_restart() {
    let ends = ["closed Closed", "closed Unknown", "closed Closed", "closed Restarted"];
    for ((reports, remains), ended) in
        [(true, true), (true, false), (false, true), (false, false)].into_iter().zip(ends)
    {
        let mut world = World::new(Options::default());
        world.run(100, || false);
        world.client.close(world.id).unwrap();
        while !world.words[1].last().unwrap().starts_with("closed") {
            world.run(1, || false);
        }
        let last = std::mem::take(world.client.outbox_mut());
        for (_, frame) in last.iter().filter(|(_, frame)| reports && Control::read(frame).is_some()) {
            world.server.datagram(address(CLIENT), frame);
        }
        if !remains {
            world.client.remove(world.id);
        }
        world.client.connect(address(0), &window(), |_| {}).unwrap();
        world.run(10_000, || false);
        let closed: Vec<&String> = world.words[0].iter().filter(|word| word.starts_with("closed")).collect();
        assert_eq!(closed, [ended], "{:?}", world.words[0]);
        assert_eq!(world.server.statistics().restarted, u64::from(!reports && !remains));
        assert_eq!(world.server.connections().len(), 1, "the new one");
    }
}

/// A short timeout alone ends no connection whose peer is there, at neither end.
#[test]
fn idle_peers_are_asked_before_they_count_as_gone() {
    let mut world = World::new(Options { timeout: std::time::Duration::from_secs(3), ..Options::default() });
    world.run(20_000, || false);
    assert!(world.words.iter().flatten().all(|word| !word.starts_with("closed")), "{:?}", world.words);
}

/// Whatever is lost, both ends learn of the end; who hears nothing answers for 3 s and leaves.
#[test]
fn end_that_is_not_heard_costs_time_alone() {
    for seed in 0..50 {
        let (mut world, mut random) = (World::new(Options::default()), Random::new(seed));
        world.run(100, || false);
        world.client.close(world.id).unwrap();
        let mut ended = 0;
        while world.words.iter().any(|words| !words.last().unwrap().starts_with("closed")) {
            world.run(10, || random.draw() % 2 == 0);
            ended = world.now;
        }
        assert_eq!(world.words.each_ref().map(|words| words.last().unwrap().as_str()), ["closed Closed"; 2]);
        world.run(3_100, || false);
        assert_eq!((world.server.connections().len(), world.client.connections().len()), (0, 0), "{seed}: {ended}");
    }
}

#[test]
fn peer_for_which_there_is_no_room_is_told_so() {
    let mut world = World::new(Options { connections_per_address: 0, ..Options::default() });
    world.run(10, || false);
    assert_eq!(world.words[1], ["closed Busy"]);
    assert_eq!((world.server.statistics().limited, world.server.statistics().controls_out), (1, 1));
}

#[test]
fn words_are_no_lever_of_amplification() {
    let mut world = World::new(Options::default());
    let (_, frame) = world.client.outbox_mut().pop().unwrap();
    world.server.datagram(address(CLIENT), &frame);
    events(&mut world.server);
    let id = world.server.connections()[0];
    world.server.refuse(id, Words { code: 7, text: "x".repeat(255) }).unwrap();
    let bytes = |server: &mut Router<Datagrams>| -> usize {
        std::mem::take(server.outbox_mut()).iter().map(|(_, frame)| frame.len()).sum()
    };
    assert!(bytes(&mut world.server) <= 3 * frame.len());
    // Each copy is answered, with no more than it has itself, and only so often.
    for n in 0..100 {
        world.server.set_time(2 + n);
        world.server.datagram(address(CLIENT), &frame);
        events(&mut world.server);
        assert!(bytes(&mut world.server) <= frame.len());
    }
    assert!(world.server.statistics().answers_withheld >= 90);
}

#[test]
fn long_texts_and_connections_that_are_not_there_are_errors() {
    let mut world = World::new(Options::default());
    let words = |len: usize| Words { code: 1, text: "x".repeat(len) };
    assert!(matches!(world.client.refuse(world.id, words(256)), Err(Error::Invalid(_))));
    assert!(matches!(world.client.close_with(world.id, words(256)), Err(Error::Invalid(_))));
    world.client.refuse(world.id, words(255)).unwrap();
    assert!(matches!(world.client.refuse(world.id, words(1)), Err(Error::NoConnection)));
    assert!(matches!(world.client.close_with(world.id, words(1)), Err(Error::NoConnection)));
    world.client.set_time(40 * SECOND);
    assert!(events(&mut world.client).is_empty());
}

/// Two processes with one connection would give their messages the same numbers.
#[test]
fn copied_process_does_not_use_the_connections_of_the_original() {
    let mut world = World::new(Options::default());
    world.run(100, || false);
    // SAFETY: the copy only looks at its own memory, and ends at once.
    let status = unsafe {
        match libc::fork() {
            0 => {
                let client = &mut world.client;
                client.set_time(world.now + 1);
                let told = events(client);
                let is_told = told.len() == 2 && told[0].starts_with("error") && told[1] == "closed Unknown";
                let is_right = is_told && client.send(world.id, b"copy").is_err() && client.outbox().is_empty();
                libc::_exit(i32::from(!is_right));
            }
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                status
            }
        }
    };
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status}");
    world.client.send(world.id, b"original").unwrap();
    world.run(100, || false);
    assert_eq!(world.words[0].last().map(String::as_str), Some("delivered original"));
}
