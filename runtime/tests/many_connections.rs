//! Connections come and go by the thousand, in three ways: closed, refused, and dropped without a word. Every exchange
//! is right, and nothing is left of them: no connection, no memory, no descriptor.

#[path = "support/shifted.rs"]
mod shifted;
mod support;

use nacre_runtime::udp::Udp;
use nacre_runtime::{ConnectionId, Event, Listener, Options, Reason};
use shifted::Shifted;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::*;

/// Counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as of the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is counted belongs to the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Clients at the same time.
const TOGETHER: usize = 50;
/// Exchanges of each client.
const MESSAGES: usize = 3;
const REFUSE_ME: &[u8] = b"refuse me";

/// How a client leaves.
#[derive(Clone, Copy, PartialEq)]
enum Leaving {
    Closes,
    IsRefused,
    Drops,
}

struct Client {
    listener: Listener,
    id: ConnectionId,
    number: usize,
    answered: usize,
    leaving: Leaving,
    has_ended: bool,
}

impl Client {
    fn new(number: usize, to: SocketAddr) -> Client {
        let mut listener = Listener::bind(loopback(), Options { connections: 1, ..Options::default() }).unwrap();
        let id = listener.connect(to, &window()).unwrap();
        let leaving = [Leaving::Closes, Leaving::IsRefused, Leaving::Drops][number % 3];
        let mut client = Client { listener, id, number, answered: 0, leaving, has_ended: false };
        client.listener.send(id, &client.message()).unwrap();
        client
    }

    /// The message that is to be sent, or was sent last: another one of each client, of another length.
    fn message(&self) -> Vec<u8> {
        let len = 16 + (self.number * 7 + self.answered * 131) % 900;
        let head = [self.number, self.answered].map(usize::to_le_bytes).concat();
        head.into_iter().chain((16..len).map(|at| (at * self.number) as u8)).collect()
    }

    /// Handles what is there; true once it has left.
    fn goes_on(&mut self) -> bool {
        while let Some(event) = self.listener.poll() {
            match event {
                Event::Delivered { message, .. } => {
                    let bytes = message.to_vec();
                    assert!(bytes == self.message(), "client {}: another answer than expected", self.number);
                    self.answered += 1;
                    match (self.answered == MESSAGES, self.leaving) {
                        (false, _) => self.listener.send(self.id, &self.message()).unwrap(),
                        (true, Leaving::Closes) => self.listener.close(self.id).unwrap(),
                        (true, Leaving::IsRefused) => self.listener.send(self.id, REFUSE_ME).unwrap(),
                        (true, Leaving::Drops) => return true,
                    }
                }
                Event::Closed { reason, words, .. } => {
                    assert_eq!(self.answered, MESSAGES, "client {}: {reason}", self.number);
                    let said = words.map(|words| (words.code, words.text));
                    match self.leaving {
                        Leaving::Closes => assert_eq!((reason, said), (Reason::Closed, None)),
                        Leaving::IsRefused => assert_eq!((reason, said), (Reason::Refused, Some((7, "enough".into())))),
                        Leaving::Drops => panic!("client {} was to leave: {reason}", self.number),
                    }
                    self.has_ended = true;
                }
                _ => {}
            }
        }
        // Until the server needs no answer any more.
        self.has_ended && self.listener.statistics().connections == 0
    }
}

/// Returns messages, refuses those who ask for it, and counts how connections end.
struct Server {
    listener: Listener,
    clock: Arc<AtomicU64>,
    ended: HashMap<Reason, usize>,
}

impl Server {
    fn new() -> Server {
        let clock = Arc::new(AtomicU64::new(0));
        let udp = Udp::bind(loopback()).unwrap();
        let mut listener = Listener::new(Shifted { inner: udp, shift: clock.clone() }, Options::default());
        listener.serve(&window()).unwrap();
        Server { listener, clock, ended: HashMap::new() }
    }

    fn goes_on(&mut self) {
        loop {
            let (from, bytes) = match self.listener.poll() {
                Some(Event::Delivered { connection, message, .. }) => (connection, message.to_vec()),
                Some(Event::Closed { reason, .. }) => {
                    *self.ended.entry(reason).or_default() += 1;
                    continue;
                }
                Some(_) => continue,
                None => return,
            };
            if bytes == REFUSE_ME {
                self.listener.refuse(from, 7, "enough").unwrap();
            } else {
                self.listener.send(from, &bytes).unwrap();
            }
        }
    }

    /// As much time passes as it takes to give up those who say nothing.
    fn all_are_gone(&mut self) {
        self.goes_on();
        self.clock.fetch_add(Duration::from_secs(31).as_nanos() as u64, Ordering::Relaxed);
        let end = Instant::now() + Duration::from_secs(20);
        while self.listener.statistics().connections > 0 {
            assert!(Instant::now() < end, "some stay: {:?}", self.listener.statistics());
            self.goes_on();
        }
    }
}

/// So many clients come and leave.
fn come_and_go(server: &mut Server, numbers: std::ops::Range<usize>) {
    let mut clients: Vec<Client> = numbers.map(|number| Client::new(number, server.listener.local())).collect();
    let end = Instant::now() + Duration::from_secs(60);
    while !clients.is_empty() {
        assert!(Instant::now() < end, "{} clients are left: {:?}", clients.len(), server.listener.statistics());
        server.goes_on();
        clients.retain_mut(|client| !client.goes_on());
    }
    server.all_are_gone();
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The resident size of this process, in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap() * 4096
}

/// Bytes in use, resident bytes, descriptors.
fn measured() -> [usize; 3] {
    [IN_USE.load(Ordering::Relaxed), resident(), descriptors()]
}

/// Memory that may come with time, in bytes: tables that grow by doubling, buffers of the test itself.
const SLACK: usize = 64 << 10;

fn nothing_is_left_of(count: usize) -> [[usize; 3]; 4] {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    window();
    let mut server = Server::new();
    let mut quarters = [[0; 3]; 4];
    let begun = descriptors();
    for (quarter, measures) in quarters.iter_mut().enumerate() {
        let (mut from, until) = (quarter * count / 4, (quarter + 1) * count / 4);
        while from < until {
            let next = until.min(from + TOGETHER);
            come_and_go(&mut server, from..next);
            from = next;
        }
        *measures = measured();
    }
    let statistics = server.listener.statistics();
    eprintln!("bytes in use, resident, descriptors after each quarter: {quarters:?}\n{statistics:?}");
    let [closes, drops] = [0, 2].map(|way| (0..count).filter(|number| number % 3 == way).count());
    assert_eq!(server.ended, HashMap::from([(Reason::Closed, closes), (Reason::Timeout, drops)]));
    assert_eq!((statistics.connections, statistics.arrived), (0, count as u64), "{statistics:?}");
    let lost = [statistics.evicted, statistics.limited, statistics.restarted, statistics.traffic.no_space];
    assert_eq!(lost, [0; 4], "{statistics:?}");
    let [_, second, _, last] = quarters;
    assert!(last[0] <= second[0] + SLACK, "bytes in use: {quarters:?}");
    assert_eq!([second[2], last[2]], [begun; 2], "descriptors");
    come_and_go(&mut server, count..count + 3);
    quarters
}

#[test]
fn nothing_is_left_of_hundreds_of_connections() {
    nothing_is_left_of(500);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn nothing_is_left_of_twenty_thousand_connections() {
    let [_, second, _, last] = nothing_is_left_of(20_000);
    assert!(last[1] <= second[1] + (1 << 20), "the process grows: {second:?} {last:?}");
}
