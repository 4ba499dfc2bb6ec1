//! Processor time of handshakes, of both ends, through the core of the runtime: frames, keys, and the opening of a
//! stack. The stack is one written by hand, whose own part is small.

use crate::place::here;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{Event, Expect, Keys, Options, Psk, Stack, HOST_SOURCE};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

/// Handshakes of each kind.
const ROUNDS: u64 = 300;
/// First frames from forged addresses for each handshake of an honest client.
const FORGED: u32 = 100;

/// Microseconds of one handshake.
pub struct Handshake {
    pub pattern: &'static str,
    pub suite: &'static str,
    pub initiator: f64,
    pub responder: f64,
}

/// What was measured.
pub struct Handshakes {
    pub handshakes: Vec<Handshake>,
    /// Microseconds of the responder for each handshake during a flood, with all the forged frames that came meanwhile.
    pub in_flood: f64,
    pub forged: u32,
}

/// Measures all kinds of handshakes, and those during a flood.
pub fn measure(folder: &Path) -> Result<Handshakes, String> {
    let stack = load(folder)?;
    let mut handshakes = Vec::new();
    for (hybrid, suite) in [(true, "X25519 and ML-KEM-768"), (false, "X25519 alone")] {
        for (kind, pattern) in ["XX", "IK", "NNpsk0"].into_iter().enumerate() {
            let mut pair = Pair::new(&stack, hybrid, 1_000);
            (0..ROUNDS).for_each(|_| pair.handshake(kind));
            let [initiator, responder] = pair.spent.map(|ns| ns as f64 / ROUNDS as f64 / 1e3);
            handshakes.push(Handshake { pattern, suite, initiator, responder });
        }
    }
    Ok(Handshakes { handshakes, in_flood: in_flood(&stack), forged: FORGED })
}

/// Where first frames must be proven: forged ones are answered, and nothing is computed for them.
fn in_flood(stack: &Stack) -> f64 {
    let mut pair = Pair::new(stack, true, 0);
    let mut forger = SansIo::new(options(9, true), 1);
    forger.connect_secure(address(1), stack, Expect::Any).expect("a connection");
    let (_, forged) = forger.take_datagrams().remove(0);
    for round in 0..ROUNDS as u32 {
        let begin = used();
        for n in 0..FORGED {
            pair.ends[1].receive(SocketAddr::from((std::net::Ipv4Addr::from(round * FORGED + n), 7000)), &forged);
            pair.ends[1].take_datagrams();
        }
        pair.spent[1] += used() - begin;
        pair.handshake(0);
    }
    pair.spent[1] as f64 / ROUNDS as f64 / 1e3
}

fn address(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, end as u8 + 1], 7000))
}

fn options(end: u8, hybrid: bool) -> Options {
    let (keys, psk) = (Keys::from_bytes(&[end + 1; 32]), Psk::from_bytes(&[99; 32]));
    Options { keys: Some(keys), psk: Some(psk), hybrid, ..Options::default() }
}

/// A client and a server, and the time that each has used.
struct Pair<'s> {
    ends: [SansIo; 2],
    spent: [u64; 2],
    stack: &'s Stack,
    now: u64,
}

impl<'s> Pair<'s> {
    fn new(stack: &'s Stack, hybrid: bool, retry_above: usize) -> Pair<'s> {
        let client = SansIo::new(options(0, hybrid), 1);
        let mut server = SansIo::new(Options { retry_above, ..options(1, hybrid) }, 1);
        server.serve(stack).expect("it serves");
        Pair { ends: [client, server], spent: [0; 2], stack, now: 1 }
    }

    /// A handshake with a peer that is expected by nothing, by its key, or by a secret.
    fn handshake(&mut self, kind: usize) {
        let expect = [Expect::Any, Expect::Key(Keys::from_bytes(&[2; 32]).public()), Expect::Psk][kind];
        let begin = used();
        let id = self.ends[0].connect_secure(address(1), self.stack, expect).expect("a connection");
        self.spent[0] += used() - begin;
        let mut opened = 0;
        while opened < 2 {
            self.now += 1;
            for end in [0, 1] {
                let sent = self.ends[end].take_datagrams();
                let begin = used();
                let other = &mut self.ends[1 - end];
                other.set_time(self.now);
                for (_, frame) in sent {
                    other.receive(address(end), &frame);
                }
                while let Some(event) = other.next_event() {
                    opened += u32::from(matches!(event, Event::Opened { .. }));
                }
                self.spent[1 - end] += used() - begin;
            }
        }
        self.ends[0].refuse(id, 0, "").expect("it is there");
        for (_, frame) in self.ends[0].take_datagrams() {
            self.ends[1].receive(address(0), &frame);
        }
        while self.ends[1].next_event().is_some() {}
        self.ends[1].take_datagrams();
    }
}

/// This thread's time on a processor, in nanoseconds.
fn used() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is writable.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Builds the stack of the runtime's tests with keys, and loads it.
fn load(folder: &Path) -> Result<Stack, String> {
    let (object, host) = (folder.join("secure.so"), folder.join("nacre_host.c"));
    std::fs::write(&host, HOST_SOURCE).map_err(|e| e.to_string())?;
    let root = here().join("..");
    let include = format!("-I{}", root.join("compiler/backends/c/src").display());
    let output = Command::new("gcc")
        .args(["-std=c11", "-O2", "-shared", "-fPIC", "-DSECURE", &include])
        .args([root.join("runtime/tests/stack/window.c"), host, "-o".into(), object.clone()])
        .output()
        .map_err(|e| format!("gcc: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    // SAFETY: the object was just built from a stack of this project, and has no initializers.
    unsafe { Stack::load(&object, "nacre_stack_window") }.map_err(|e| e.to_string())
}
