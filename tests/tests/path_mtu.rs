//! Long messages over real sockets on a path with a small MTU: once the runtime has found what the path carries, the stack
//! cuts them into frames that the system does not fragment.

#[path = "../../runtime/tests/support/namespace.rs"]
mod namespace;

use std::time::{Duration, Instant};

use nacre_driver::Level;
use nacre_runtime::{ConnectionId, Event, Listener, Options, Stack};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use namespace::outside;

/// Longer frames than this loopback carries over IPv4: 1,172 bytes of payload.
const LOOPBACK_IS_NARROW: &str = "ip link set lo up; ip link set lo mtu 1200";
const LONG: usize = 80_000;
const MESSAGES: usize = 5;

fn reliable() -> Stack {
    let machines = Machines::new(&find("reliable"));
    machines.load(&machines.text(Level::Inline)).expect("the C compiles")
}

/// Both ends of a connection, and how many messages of each length have arrived.
struct Ends {
    ours: Listener,
    id: ConnectionId,
    peer: Listener,
    theirs: Option<ConnectionId>,
    short: usize,
    long: usize,
    end: Instant,
}

impl Ends {
    fn new(stack: &Stack) -> Ends {
        let bound = || Listener::bind("127.0.0.1:0".parse().expect("an address"), Options::default());
        let (mut ours, mut peer) = (bound().expect("a socket"), bound().expect("a socket"));
        peer.serve(stack).expect("it serves");
        let id = ours.connect(peer.local(), stack).expect("a connection");
        Ends { ours, id, peer, theirs: None, short: 0, long: 0, end: Instant::now() + Duration::from_secs(60) }
    }

    fn poll(&mut self) {
        assert!(Instant::now() < self.end, "{} short and {} long messages, {:?}", self.short, self.long, self.known());
        for listener in [&mut self.ours, &mut self.peer] {
            while let Some(event) = listener.poll() {
                match event {
                    Event::Arrived { connection, .. } => self.theirs = Some(connection),
                    Event::Delivered { message, .. } if message.len() == LONG => self.long += 1,
                    Event::Delivered { .. } => self.short += 1,
                    Event::Closed { reason, .. } => panic!("{reason}"),
                    _ => {}
                }
            }
        }
    }

    /// What is known of the path at each end.
    fn known(&self) -> [Option<usize>; 2] {
        let mtu = |end: &Listener, id| end.statistics_of(id).ok().and_then(|statistics| statistics.path_mtu);
        [mtu(&self.ours, self.id), self.theirs.and_then(|id| mtu(&self.peer, id))]
    }
}

/// How many fragments the system has made of packets, in this namespace.
fn fragments() -> u64 {
    let text = std::fs::read_to_string("/proc/net/snmp").expect("the counters of IP");
    let mut lines = text.lines().filter(|line| line.starts_with("Ip:"));
    let (names, values) = (lines.next().expect("names"), lines.next().expect("values"));
    let at = names.split(' ').position(|name| name == "FragCreates").expect("fragments are counted");
    values.split(' ').nth(at).and_then(|value| value.parse().ok()).expect("a number")
}

#[test]
fn long_messages_are_cut_to_what_the_path_carries() {
    if outside("long_messages_are_cut_to_what_the_path_carries", LOOPBACK_IS_NARROW) {
        return;
    }
    let mut ends = Ends::new(&reliable());
    while ends.known().contains(&None) {
        let _ = ends.ours.send(ends.id, b"short");
        ends.poll();
    }
    assert_eq!(fragments(), 0);
    let theirs = ends.theirs.expect("it has arrived");
    let (mut sent, mut answered) = (0, 0);
    while ends.long < 2 * MESSAGES {
        sent += usize::from(sent < MESSAGES && ends.ours.send(ends.id, &[7; LONG]).is_ok());
        answered += usize::from(answered < MESSAGES && ends.peer.send(theirs, &[8; LONG]).is_ok());
        ends.poll();
    }
    assert_eq!(fragments(), 0, "{:?}", ends.known());
    for (end, id) in [(&ends.ours, ends.id), (&ends.peer, theirs)] {
        assert_eq!(end.statistics_of(id).expect("it is there").traffic.send_errors, 0);
    }
}
