//! Clocks that jump: forward, as after a suspend; back; and one that stands still. Nothing panics, little is sent, nothing is
//! lost, and a connection goes on or ends with `timeout` at both ends.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Error, Event, Options, Reason, Stack};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::{files, root};

const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;
/// How far the clock jumps: below the timeout, above it, hours, and a century.
const JUMPS: [u64; 6] = [SECOND, 29 * SECOND, 31 * SECOND, 3 * 3600 * SECOND, 40 * DAY, 36_500 * DAY];
/// A window, the greeting, a ping, a probe of the path, and words about the end: what one end sends at once, at the most.
const AT_ONCE: usize = 64 + 8;

fn stack(name: &str) -> Stack {
    let machines = Machines::new(&find(name));
    machines.load(&machines.text(Level::Call)).expect("the C compiles")
}

/// One end: its core, its time, and what it has received.
struct End {
    core: SansIo,
    at: SocketAddr,
    id: Option<ConnectionId>,
    now: u64,
    sent: u32,
    received: u32,
    closed: Option<Reason>,
    /// Frames that have left.
    frames: usize,
}

impl End {
    fn new(n: u8) -> End {
        let options = Options { seed: Some(u64::from(n)), moves: n == 1, ..Options::default() };
        let at = SocketAddr::from(([10, 0, 0, n], 7000));
        End { core: SansIo::new(options, 1), at, id: None, now: 1, sent: 0, received: 0, closed: None, frames: 0 }
    }

    fn send(&mut self) -> bool {
        let Some(id) = self.id.filter(|_| self.closed.is_none()) else { return false };
        match self.core.send(id, &self.sent.to_le_bytes()) {
            Ok(()) => self.sent += 1,
            Err(Error::Refused) => return false,
            Err(error) => panic!("{error}"),
        }
        true
    }

    /// Handles what is due, in a bounded number of turns; returns the frames that leave.
    fn turn(&mut self) -> Vec<Vec<u8>> {
        let mut turns = 0;
        while let Some(event) = self.core.next_event() {
            turns += 1;
            assert!(turns < 1000, "no end of events");
            match event {
                Event::Arrived { connection, .. } => self.id = Some(connection),
                Event::Delivered { message, .. } => {
                    assert_eq!(message.to_vec(), self.received.to_le_bytes(), "once and in order");
                    self.received += 1;
                }
                Event::Closed { reason, .. } => assert_eq!(self.closed.replace(reason), None, "told twice"),
                _ => {}
            }
        }
        let frames: Vec<Vec<u8>> = self.core.take_datagrams().into_iter().map(|(_, frame)| frame).collect();
        self.frames += frames.len();
        frames
    }

    fn jump(&mut self, by: u64) {
        self.now += by;
        self.core.set_time(self.now);
    }

    fn is_due(&self) -> bool {
        self.core.next_deadline().is_some_and(|at| at <= self.now)
    }
}

/// Two ends with a connection, and what flies between them.
struct World {
    ends: [End; 2],
    flying: Vec<(usize, Vec<u8>)>,
}

impl World {
    fn new(stack: &Stack) -> World {
        let mut ends = [End::new(1), End::new(2)];
        ends[1].core.serve(stack).expect("it serves");
        ends[0].id = Some(ends[0].core.connect(ends[1].at, stack).expect("a connection"));
        World { ends, flying: vec![] }
    }

    /// What is due at both ends; frames fly afterwards.
    fn turn(&mut self) {
        for (n, end) in self.ends.iter_mut().enumerate() {
            self.flying.extend(end.turn().into_iter().map(|frame| (1 - n, frame)));
        }
    }

    /// Carries frames until none is left; the time stands still.
    fn settle(&mut self) {
        for _ in 0..1000 {
            self.turn();
            if self.flying.is_empty() {
                return;
            }
            for (to, frame) in std::mem::take(&mut self.flying) {
                self.ends[to].core.receive(self.ends[1 - to].at, &frame);
                self.turn();
            }
        }
        panic!("frames go to and fro without end");
    }

    /// Time passes by steps of a millisecond at both ends.
    fn pass(&mut self, milliseconds: u64) {
        for _ in 0..milliseconds {
            self.ends.iter_mut().for_each(|end| end.jump(MILLISECOND));
            self.settle();
        }
    }

    /// As many messages as the stack takes.
    fn send(&mut self) {
        for end in &mut self.ends {
            while end.sent % 10 != 9 && end.send() {}
            end.send();
        }
    }

    /// A connection that has exchanged messages for a while.
    fn in_use(stack: &Stack) -> World {
        let mut world = World::new(stack);
        for _ in 0..5 {
            world.send();
            world.pass(300);
        }
        assert!(world.is_complete() && world.ends.iter().all(|end| end.received >= 40));
        world
    }

    fn is_complete(&self) -> bool {
        let [one, other] = &self.ends;
        (one.received, other.received) == (other.sent, one.sent)
    }

    fn closed(&self) -> [Option<Reason>; 2] {
        self.ends.each_ref().map(|end| end.closed)
    }

    /// The clock of an end, or of both, jumps. Few frames leave at once, and few in the second after.
    fn jump(&mut self, which: &[usize], by: u64) {
        let before = self.ends.each_ref().map(|end| end.frames);
        for n in which {
            self.ends[*n].jump(by);
            self.turn();
            assert!(!self.ends[*n].is_due(), "everything that was due is done");
        }
        let left = [0, 1].map(|n| self.ends[n].frames - before[n]);
        assert!(left.iter().all(|left| *left <= AT_ONCE), "{left:?} after {by}");
        self.settle();
        self.pass(1000);
        let left = [0, 1].map(|n| self.ends[n].frames - before[n]);
        assert!(left.iter().all(|left| *left <= 3 * AT_ONCE), "{left:?} in a second after {by}");
    }

    /// Messages are exchanged as before; then the connection closes in order.
    fn goes_on(&mut self) {
        let before = self.ends.each_ref().map(|end| end.received);
        for _ in 0..50 {
            self.send();
            self.pass(300);
        }
        self.pass(10_000);
        assert!(self.is_complete(), "{:?} {:?}", self.closed(), before);
        assert!([0, 1].iter().all(|n| self.ends[*n].received > before[*n] + 100));
        let id = self.ends[0].id.expect("open");
        self.ends[0].core.close(id).expect("closes");
        self.pass(1000);
        assert_eq!(self.closed(), [Some(Reason::Closed); 2]);
    }
}

/// The stacks that are tried; one frame in flight, or none, when the clock jumps.
fn each(mut test: impl FnMut(&Stack, bool)) {
    for name in ["reliable_plain", "reliable"] {
        let stack = stack(name);
        [false, true].into_iter().for_each(|busy| test(&stack, busy));
    }
}

#[test]
fn jump_of_both_clocks_above_the_timeout_ends_both_sides() {
    each(|stack, busy| {
        for by in JUMPS {
            let mut world = World::in_use(stack);
            if busy {
                world.send();
                world.turn();
            }
            world.jump(&[0, 1], by);
            match by > 30 * SECOND {
                true => assert_eq!(world.closed(), [Some(Reason::Timeout); 2], "{by}"),
                false => world.goes_on(),
            }
        }
    });
}

/// The other end's time has not passed: it is told, or gives up in its own time.
#[test]
fn jump_of_one_clock_ends_both_sides_truly_or_nothing() {
    each(|stack, busy| {
        for (which, by) in [0, 1].into_iter().flat_map(|which| JUMPS.map(|by| (which, by))) {
            let mut world = World::in_use(stack);
            if busy {
                world.send();
                world.turn();
            }
            world.jump(&[which], by);
            if world.closed() == [None, None] {
                world.goes_on();
                continue;
            }
            world.pass(31_000);
            let (own, others) = (world.ends[which].closed, world.ends[1 - which].closed);
            assert!(by > 30 * SECOND && own == Some(Reason::Timeout), "{by}: {own:?}");
            assert!(matches!(others, Some(Reason::Unknown | Reason::Timeout)), "{by}: {others:?}");
            assert!(world.ends.iter().all(|end| end.core.connections().is_empty()));
        }
    });
}

/// What waits in the socket of a machine that was suspended comes before silence does.
#[test]
fn frames_that_waited_during_a_jump_keep_the_connection() {
    each(|stack, _| {
        for by in JUMPS {
            let mut world = World::in_use(stack);
            world.ends[0].send();
            let frames = world.ends[0].turn();
            world.ends[1].jump(by);
            frames.iter().for_each(|frame| world.ends[1].core.receive(world.ends[0].at, frame));
            world.settle();
            assert_eq!(world.closed(), [None, None], "{by}");
            world.goes_on();
        }
    });
}

/// An earlier time is taken as the last one.
#[test]
fn clock_that_goes_back_or_stands_still_loses_nothing() {
    each(|stack, busy| {
        for back in [1, SECOND, u64::MAX] {
            let mut world = World::in_use(stack);
            if busy {
                world.send();
                world.turn();
            }
            let true_times = world.ends.each_ref().map(|end| end.now);
            for end in &mut world.ends {
                end.now = end.now.saturating_sub(back);
                end.core.set_time(end.now);
            }
            let before = world.ends.each_ref().map(|end| (end.received, end.frames));
            for _ in 0..20 {
                world.send();
                world.settle();
            }
            let frames = [0, 1].map(|n| world.ends[n].frames - before[n].1);
            assert!(world.ends.iter().zip(before).all(|(end, (received, _))| end.received > received), "{back}");
            assert!(frames.iter().all(|frames| *frames < 1000), "{frames:?}");
            assert_eq!(world.closed(), [None, None]);
            world.send();
            world.turn();
            let flying = world.flying.len();
            assert!(flying > 0);
            for (end, time) in world.ends.iter_mut().zip(true_times) {
                end.now = time;
                end.core.set_time(time);
            }
            world.turn();
            assert_eq!(world.flying.len(), flying, "nothing is due, and nothing is sent again");
            world.goes_on();
        }
    });
}

/// Before the connection is confirmed, and while it answers after its end.
#[test]
fn jump_at_the_begin_and_at_the_end_leaves_nothing() {
    each(|stack, closing| {
        for by in JUMPS {
            let mut world = if closing { World::in_use(stack) } else { World::new(stack) };
            if closing {
                let id = world.ends[0].id.expect("open");
                world.ends[0].core.close(id).expect("closes");
            }
            world.turn();
            let lost = std::mem::take(&mut world.flying);
            assert!(!lost.is_empty(), "something is lost");
            world.jump(&[0, 1], by);
            for _ in 0..40 {
                world.ends.iter_mut().for_each(|end| end.jump(SECOND));
                world.settle();
            }
            let closed = world.closed();
            let reasons = [Reason::Closed, Reason::Timeout, Reason::Unknown, Reason::Incomplete];
            assert!(!closing || closed.iter().all(|closed| closed.is_some_and(|r| reasons.contains(&r))), "{closed:?}");
            if closing {
                assert!(world.ends.iter().all(|end| end.core.connections().is_empty()));
            }
        }
    });
}

/// The options of a listener may say anything.
#[test]
fn longest_times_of_the_options_do_no_harm() {
    let stack = stack("reliable_plain");
    let longest = Options {
        seed: Some(3),
        ping_after: Duration::MAX,
        timeout: Duration::MAX,
        linger: Duration::MAX,
        ..Options::default()
    };
    let mut world = World::new(&stack);
    world.ends[0].core = SansIo::new(longest, 1);
    world.ends[0].id = Some(world.ends[0].core.connect(world.ends[1].at, &stack).expect("a connection"));
    world.send();
    world.pass(300);
    world.goes_on();
}

/// Wireshark shows captures with dates, and a secret of the host outlives the clock of the machine.
#[test]
fn only_captures_and_proofs_of_addresses_use_the_date() {
    let with = |words: &[&str]| -> Vec<_> {
        let has = |file: &PathBuf| {
            let text = std::fs::read_to_string(file).expect("readable");
            words.iter().any(|word| text.contains(word))
        };
        files(&root().join("runtime/src"), ".rs").into_iter().filter(has).collect()
    };
    let named = |names: &[&str]| names.iter().map(|name| root().join("runtime/src").join(name)).collect::<Vec<_>>();
    assert_eq!(with(&["SystemTime", "CLOCK_REALTIME"]), named(&["capture.rs", "clock.rs"]));
    assert_eq!(with(&["clock::origin"]), named(&["router.rs"]), "`Retries` alone");
}
