//! The router driven by hand: datagrams, times and calls in; datagrams, events and deadlines out.

use super::*;
use crate::ffi::NEVER;
use crate::stack::Stack;
use crate::statistics::Traffic;
use crate::support::{newer, window, word};
use crate::wire::{Control, Label};

type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

fn address(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, end as u8 + 1], 7000))
}

fn router(seed: u64) -> Router<Datagrams> {
    Router::new(Vec::new(), Options { seed: Some(seed), ..Options::default() }, 1)
}

fn serving(seed: u64, stack: &Stack) -> Router<Datagrams> {
    let mut router = router(seed);
    router.serve(stack, None).unwrap();
    router
}

/// All events that are there, after all work that needs no datagram.
pub(super) fn events(router: &mut Router<Datagrams>) -> Vec<String> {
    let mut words = Vec::new();
    loop {
        router.take_back();
        let found = router.next_event();
        if let Some(event) = router.lend(found) {
            words.push(word(event));
            continue;
        }
        router.release();
        let done = router.work_before_datagram() | router.work_without_datagram(router.time());
        if !done && router.events.is_empty() {
            return words;
        }
    }
}

/// Two routers, the time, and the events so far.
struct World {
    ends: [Router<Datagrams>; 2],
    now: u64,
    log: Vec<(u64, usize, String)>,
}

impl World {
    fn new(stack: &Stack) -> (World, ConnectionId) {
        let mut client = router(2);
        let id = client.connect(address(1), stack, |_| {}).unwrap();
        (World { ends: [client, serving(1, stack)], now: 1, log: Vec::new() }, id)
    }

    /// Carries all datagrams but those for which `lost` says so, and runs all timers, until the time.
    fn run(&mut self, until: u64, mut lost: impl FnMut() -> bool) {
        loop {
            self.log_events();
            let flying: Vec<Datagrams> = self.ends.iter_mut().map(|end| std::mem::take(end.outbox_mut())).collect();
            if flying.iter().all(Vec::is_empty) {
                if self.now >= until {
                    return;
                }
                let next = self.ends.iter().map(Router::next_deadline).min().unwrap();
                self.now = next.clamp(self.now + 1, until);
                self.ends.iter_mut().for_each(|end| end.set_time(self.now));
            }
            for (end, datagrams) in flying.into_iter().enumerate() {
                for (to, frame) in datagrams {
                    assert_eq!(to, address(1 - end));
                    if !lost() {
                        self.ends[1 - end].datagram(address(end), &frame);
                        self.log_events();
                    }
                }
            }
        }
    }

    fn log_events(&mut self) {
        for (number, end) in self.ends.iter_mut().enumerate() {
            self.log.extend(events(end).into_iter().map(|word| (self.now, number, word)));
        }
    }

    fn words_of(&self, end: usize) -> Vec<&str> {
        self.log.iter().filter(|(_, at, _)| *at == end).map(|(_, _, word)| word.as_str()).collect()
    }
}

/// Sends fifty messages over a network that loses a third of all datagrams.
fn lossy(seed: u64) -> Vec<(u64, usize, String)> {
    let (mut world, id) = World::new(&window());
    let mut random = Random::new(seed);
    let mut lost = move || random.chance(0.33);
    for n in 0..50 {
        while world.ends[0].send(id, format!("{n}").as_bytes()).is_err() {
            let until = world.now + 10_000_000;
            world.run(until, &mut lost);
        }
    }
    world.run(10_000_000_000, &mut lost);
    world.log
}

#[test]
fn everything_follows_from_datagrams_times_and_calls() {
    let log = lossy(0);
    let delivered = |log: &[(u64, usize, String)]| -> Vec<String> {
        log.iter().filter_map(|(_, _, word)| word.strip_prefix("delivered ").map(String::from)).collect()
    };
    let wanted: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    assert_eq!(delivered(&log), wanted, "in order, once");
    assert_eq!(log, lossy(0));
    assert_ne!(log, lossy(1));
}

#[test]
fn first_frame_begins_a_connection_and_its_events_come_in_order() {
    let (mut world, id) = World::new(&window());
    world.ends[0].send(id, b"hello").unwrap();
    world.run(1_000_000_000, || false);
    assert_eq!(world.words_of(1)[..2], ["arrived", "delivered hello"]);
    assert!(world.words_of(0).contains(&"opened"));
    assert_eq!(world.ends[1].statistics().arrived, 1);
}

#[test]
fn frame_that_is_lost_is_sent_again_at_the_deadline() {
    let (mut world, id) = World::new(&window());
    world.ends[0].send(id, b"again").unwrap();
    events(&mut world.ends[0]);
    assert_eq!(std::mem::take(world.ends[0].outbox_mut()).len(), 2, "a greeting and a message are lost");
    let deadline = world.ends[0].next_deadline();
    assert!(deadline > 1 && deadline < NEVER);
    world.ends[0].set_time(deadline - 1);
    assert!(events(&mut world.ends[0]).is_empty() && world.ends[0].outbox().is_empty(), "not before");
    world.ends[0].set_time(deadline);
    events(&mut world.ends[0]);
    assert_eq!(world.ends[0].outbox().len(), 1);
}

#[test]
fn order_of_close_is_kept_and_silence_ends_a_connection() {
    let (mut world, id) = World::new(&window());
    world.ends[0].send(id, b"last").unwrap();
    world.ends[0].close(id).unwrap();
    world.run(2_000_000_000, || false);
    assert_eq!(world.words_of(1), ["arrived", "delivered last", "opened", "closed Closed"]);
    assert!(world.words_of(0).contains(&"closed Closed"));
    world.run(10_000_000_000, || false);
    assert!(world.ends.iter().all(|end| end.connections().is_empty()), "no connection lingers for ever");

    let (mut world, id) = World::new(&window());
    world.ends[0].send(id, b"nobody hears this").unwrap();
    world.run(60_000_000_000, || true);
    assert_eq!(world.words_of(0), ["closed Timeout"]);
    assert_eq!(world.ends[0].next_deadline(), NEVER);
}

#[test]
fn stack_that_is_not_served_is_refused_once_for_each_cause() {
    let mut server = serving(1, &newer());
    let mut client = router(2);
    let id = client.connect(address(1), &window(), |_| {}).unwrap();
    client.send(id, b"hello").unwrap();
    let (_, frame) = client.outbox_mut().remove(0);
    (0..100).for_each(|_| server.datagram(address(0), &frame));
    assert_eq!(server.statistics().other_stack, 100);
    assert_eq!(server.outbox().len() as u64, crate::ANSWERS_PER_SECOND_AND_ADDRESS);
    assert!(server.outbox().iter().all(|(to, answer)| *to == address(0) && answer.len() <= frame.len()));
    assert_eq!(events(&mut server).len(), 1, "reported once a second");
    let (_, answer) = server.outbox_mut().remove(0);
    client.datagram(address(1), &answer);
    let words = events(&mut client);
    assert!(words[0].starts_with("other stack") && words[1] == "closed OtherStack", "{words:?}");
}

#[test]
fn unknown_cookie_is_answered_no_larger_and_rationed() {
    let mut server = serving(1, &window());
    let frame = |len: usize| [&0xabcd_ef00_u32.to_le_bytes()[..], &vec![0; len - 4]].concat();
    server.datagram(address(0), &frame(11));
    assert_eq!(*server.outbox(), [], "an answer of 12 bytes to 11");
    server.datagram(address(0), &frame(12));
    let answer = Control::Unknown { unknown: Label { cookie: 0xabcdef, key: 0 } }.write(12).unwrap();
    assert_eq!(*server.outbox(), [(address(0), answer)]);
    (0..100).for_each(|_| server.datagram(address(0), &frame(500)));
    assert_eq!(server.outbox().len() as u64, crate::ANSWERS_PER_SECOND_AND_ADDRESS - 1, "the one not written counts");
    let statistics = server.statistics();
    assert_eq!((statistics.unknown_cookies, statistics.answers_withheld), (102, 1 + 92));
}

#[test]
fn refusal_is_no_larger_than_its_cause() {
    let mut server = serving(1, &newer());
    let mut client = router(2);
    let id = client.connect(address(1), &window(), |_| {}).unwrap();
    client.send(id, b"hello").unwrap();
    let (_, frame) = client.outbox_mut().remove(0);
    // Each from an address of its own, which has its ration.
    for len in 20..=44usize {
        server.datagram(address(len), &frame[..len]);
        let answer = server.outbox_mut().pop().map_or(0, |(_, answer)| answer.len());
        assert!(answer <= len, "{answer} bytes in answer to {len}");
        assert_eq!(answer > 0, len >= 21, "an answer to {len} bytes");
    }
}

/// A server with one connection, and what frames to it carry.
fn connected() -> (World, Label) {
    let (mut world, id) = World::new(&window());
    world.ends[0].send(id, b"hello").unwrap();
    world.run(100_000_000, || false);
    let id = world.ends[1].connections()[0];
    let to = Label { cookie: world.ends[1].cookie(id).unwrap(), key: world.ends[1].get(id).unwrap().key };
    (world, to)
}

#[test]
fn ping_is_answered_ten_times_a_second() {
    let (mut world, to) = connected();
    let server = &mut world.ends[1];
    let mut pongs = Vec::new();
    for token in 1..=1000 {
        server.set_time(world.now + token * 1_000_000);
        server.datagram(address(0), &Control::Ping { to, token }.write(100).unwrap());
        for (_, frame) in std::mem::take(server.outbox_mut()) {
            match Control::read(&frame) {
                Some(Control::Pong { token, .. }) => pongs.push(token),
                other => assert_eq!(other, None),
            }
        }
    }
    assert_eq!(pongs, (0..10).map(|tenth| 1 + tenth * 100).collect::<Vec<u64>>());
}

#[test]
fn quiet_peer_is_pinged_and_stays_and_a_silent_one_times_out() {
    let (mut world, _) = connected();
    let timeout = Options::default().timeout.as_nanos() as u64;
    world.run(10 * timeout, || false);
    assert!(!world.log.iter().any(|(_, _, word)| word.starts_with("closed")), "{:?}", world.log);
    let id = world.ends[0].connections()[0];
    assert!(world.ends[0].get(id).unwrap().round_trip.is_some());
    world.run(10 * timeout + timeout - 6_000_000_000, || true);
    assert_eq!(world.ends[0].connections().len(), 1, "not before its time");
    world.run(12 * timeout, || true);
    assert_eq!(world.words_of(0).last(), Some(&"closed Timeout"));
    assert!(matches!(world.ends[0].send(id, b"b"), Err(Error::NoConnection)));
}

#[test]
fn a_fingerprint_belongs_to_one_descriptor() {
    let stack = window();
    // SAFETY: a copy of a good descriptor, which stays.
    let copy = unsafe { Stack::from_raw(Box::leak(Box::new(std::ptr::read(stack.raw())))) }.unwrap();
    let mut server = serving(1, &stack);
    server.serve(&stack, None).unwrap();
    let error = server.serve(&copy, None).unwrap_err().to_string();
    assert!(error.contains("another descriptor"), "its pools would be those of the first: {error}");
    assert!(server.connect(address(1), &copy, |_| {}).is_err());
}

#[test]
fn errors_about_no_connection_are_reported_once_a_second() {
    let mut router = router(1);
    let error = || (address(5), io::Error::from(io::ErrorKind::HostUnreachable));
    router.note_errors(vec![error(), error()]);
    assert_eq!(events(&mut router), ["error HostUnreachable"]);
    router.set_time(500_000_000);
    router.note_errors(vec![error()]);
    assert_eq!(events(&mut router), [""; 0]);
    router.set_time(1_500_000_000);
    router.note_errors(vec![error()]);
    assert_eq!(events(&mut router).len(), 1);
}

/// The counters of which every datagram raises exactly one.
fn causes(router: &Router<Datagrams>) -> [u64; 8] {
    let all = router.statistics();
    let Traffic { frames_in, .. } = all.traffic;
    // A control frame may have a cause of its own besides.
    let plain = |count: u64| if all.controls_in == 0 { count } else { 0 };
    let (malformed, unknown) = (plain(all.malformed), plain(all.unknown_cookies));
    [frames_in, all.controls_in, malformed, unknown, all.other_stack, all.late, all.limited, all.not_accepted]
}

/// Valid frames of every kind, as a peer would send them.
fn valid_frames(stack: &Stack) -> Vec<Vec<u8>> {
    let (mut world, id) = World::new(stack);
    let mut frames = Vec::new();
    for n in 0..6u8 {
        world.ends[0].send(id, &[n; 40]).unwrap();
        world.log_events();
        for end in [0, 1] {
            for (_, frame) in std::mem::take(world.ends[end].outbox_mut()) {
                world.ends[1 - end].datagram(address(end), &frame);
                world.log_events();
                frames.push(frame);
            }
        }
    }
    for control in [
        Control::Refused { to: Label { cookie: 1, key: 7 }, fingerprint: 2, serves: 1, served: vec![3] },
        Control::Unknown { unknown: Label { cookie: 77, key: 7 } },
        Control::Ping { to: Label { cookie: 9, key: 7 }, token: 4 },
        Control::Pong { cookie: 9, token: 4 },
    ] {
        frames.push(control.write(100).unwrap());
    }
    frames
}

/// A frame with a few bits changed, cut, or made longer; or bytes of no meaning.
fn damaged(frames: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut frame = frames[random.below(frames.len() as u64) as usize].clone();
    match random.below(5) {
        0 => frame.truncate(random.below(frame.len() as u64 + 1) as usize),
        1 => frame.extend((0..random.below(2000)).map(|_| random.draw() as u8)),
        2 => frame = (0..random.below(100)).map(|_| random.draw() as u8).collect(),
        3 => {
            for _ in 0..=random.below(8) {
                let bit = random.below(frame.len() as u64 * 8) as usize;
                frame[bit / 8] ^= 1 << (bit % 8);
            }
        }
        _ => {}
    }
    frame
}

#[test]
fn every_datagram_is_taken_or_counted_by_its_cause() {
    let stack = window();
    let frames = valid_frames(&stack);
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut router = serving(seed, &stack);
        let _ = router.serve(&newer(), None);
        for _ in 0..500 {
            router.statistics.controls_in = 0;
            let before = causes(&router);
            let from = address(random.below(4) as usize);
            router.set_time(router.time + random.below(5_000_000));
            router.datagram(from, &damaged(&frames, &mut random));
            let after = causes(&router);
            if router.statistics.controls_in == 0 {
                let raised: u64 = after.iter().zip(before).map(|(after, before)| after - before).sum();
                assert_eq!(raised, 1, "seed {seed}: {before:?} {after:?}");
            }
            events(&mut router);
            let answers = std::mem::take(router.outbox_mut());
            assert!(answers.iter().all(|(to, _)| to.port() == 7000));
        }
        let mut client = self::router(99);
        let id = client.connect(address(1), &stack, |_| {}).unwrap();
        client.send(id, b"still there").unwrap();
        let (_, frame) = client.outbox_mut().pop().unwrap();
        router.datagram(address(200), &frame);
        assert!(events(&mut router).contains(&"delivered still there".to_string()), "seed {seed}");
    }
}

#[test]
fn message_that_is_never_accepted_is_too_long_and_not_refused() {
    let stack = window();
    let (mut world, id) = World::new(&stack);
    let max = stack.max_message();
    assert!(world.ends[0].accepts(id, max) && !world.ends[0].accepts(id, max + 1));
    let result = world.ends[0].send(id, &vec![0; max + 1]);
    assert!(matches!(result, Err(Error::TooLong { len, max: most }) if (len, most) == (max + 1, max)));
    world.ends[0].send(id, &vec![b'x'; max]).unwrap();
    world.run(1_000_000_000, || false);
    assert!(world.words_of(1).contains(&format!("delivered {}", "x".repeat(max)).as_str()));
    assert!(!world.words_of(0).contains(&"writable"), "nothing waits for what can never be");
}
