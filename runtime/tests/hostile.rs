//! A hostile client takes half of a processor for frames of every kind, beside honest connections. Those lose nothing,
//! and nothing is left of the hostile ones.

#[path = "support/hostile.rs"]
mod hostile;
#[path = "support/shifted.rs"]
mod shifted;
mod support;

use hostile::{Hostile, KINDS};
use nacre_runtime::udp::Udp;
use nacre_runtime::{ConnectionId, Error, Event, Listener, ListenerStatistics, Options, Reason};
use shifted::Shifted;
use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::*;

/// A connection that sends the next message some time after the answer to the last.
struct Honest {
    listener: Listener,
    id: ConnectionId,
    number: u32,
    /// When the last was sent; none: it was answered.
    sent_at: Option<Instant>,
    next_at: Instant,
    /// Waiting times in this phase.
    waits: Vec<Duration>,
    closed: bool,
}

/// Between an answer and the next message.
const PAUSE: Duration = Duration::from_millis(20);

fn is_honest(address: IpAddr) -> bool {
    matches!(address, IpAddr::V4(v4) if v4.octets()[2] == 1)
}

impl Honest {
    fn new(n: u8, to: SocketAddr) -> Honest {
        let options = Options { connections: 1, timeout: Duration::from_secs(120), ..Options::default() };
        let mut listener = Listener::bind(SocketAddr::from(([127, 0, 1, n + 1], 0)), options).unwrap();
        let id = listener.connect(to, &window()).unwrap();
        let next_at = Instant::now() + PAUSE * u32::from(n) / 100;
        Honest { listener, id, number: 0, sent_at: None, next_at, waits: vec![], closed: false }
    }

    fn message(&self) -> [u8; 200] {
        let mut message = [self.number as u8; 200];
        message[..4].copy_from_slice(&self.number.to_le_bytes());
        message
    }

    fn turn(&mut self, sends: bool) {
        while let Some(event) = self.listener.poll() {
            match event {
                Event::Delivered { message, .. } => {
                    assert_eq!(message.to_vec(), self.message(), "once and in order");
                    self.waits.push(self.sent_at.take().expect("one was sent").elapsed());
                    self.number += 1;
                    self.next_at = Instant::now() + PAUSE;
                }
                Event::Closed { reason, .. } => {
                    assert_eq!(reason, Reason::Closed);
                    self.closed = true;
                }
                _ => {}
            }
        }
        if sends && self.sent_at.is_none() && Instant::now() >= self.next_at {
            self.listener.send(self.id, &self.message()).expect("only one is under way");
            self.sent_at = Some(Instant::now());
        }
    }
}

/// Honest connections that one thread drives.
struct Crowd(Vec<Honest>);

impl Crowd {
    /// Everybody sends until `done` holds; returns the median of the waiting times.
    fn until(&mut self, mut done: impl FnMut(&Crowd) -> bool) -> Duration {
        self.0.iter_mut().for_each(|honest| honest.waits.clear());
        let mut end = Instant::now() + Duration::from_secs(100);
        let mut last = 0;
        while !done(self) {
            self.wait();
            self.0.iter_mut().for_each(|honest| honest.turn(true));
            let answered = self.answered();
            if answered >= last + self.0.len() {
                (last, end) = (answered, Instant::now() + Duration::from_secs(100));
            }
            assert!(Instant::now() < end, "no answers any more: {:?}", self.numbers());
        }
        let mut waits: Vec<Duration> = self.0.iter().flat_map(|honest| honest.waits.iter().copied()).collect();
        waits.sort();
        let of = |part: f64| waits[((waits.len() - 1) as f64 * part) as usize];
        eprintln!(
            "{} answers; waiting time: median {:?}, 99 % {:?}, most {:?}",
            waits.len(),
            of(0.5),
            of(0.99),
            of(1.0)
        );
        of(0.5)
    }

    /// Until a frame is there for anybody, a millisecond at most: the processor is left to the server.
    fn wait(&self) {
        let descriptor = |honest: &Honest| honest.listener.descriptor().expect("a socket");
        let of = |honest| libc::pollfd { fd: descriptor(honest), events: libc::POLLIN, revents: 0 };
        let mut sockets: Vec<libc::pollfd> = self.0.iter().map(of).collect();
        // SAFETY: as many as there are.
        unsafe { libc::poll(sockets.as_mut_ptr(), sockets.len() as libc::nfds_t, 1) };
    }

    fn answered(&self) -> usize {
        self.0.iter().map(|honest| honest.waits.len()).sum()
    }

    fn numbers(&self) -> Vec<u32> {
        self.0.iter().map(|honest| honest.number).collect()
    }

    fn have_answers(&self, count: usize) -> bool {
        self.0.iter().all(|honest| honest.waits.len() >= count)
    }

    /// The last answers come, and all connections close in order.
    fn ends_complete(&mut self) {
        let end = Instant::now() + Duration::from_secs(60);
        let mut closing = vec![false; self.0.len()];
        while !self.0.iter().all(|honest| honest.closed && honest.listener.statistics().connections == 0) {
            assert!(Instant::now() < end, "no end: {:?}", self.numbers());
            self.wait();
            for (honest, closing) in self.0.iter_mut().zip(&mut closing) {
                honest.turn(false);
                if honest.sent_at.is_none() && !std::mem::replace(closing, true) {
                    honest.listener.close(honest.id).expect("it is open");
                }
            }
        }
    }
}

/// What is counted at last, and how many connections, honest or not, have ended for which reason.
type Outcome = (ListenerStatistics, HashMap<(bool, Reason), usize>);

/// A server that returns all messages, in a thread of its own.
struct Server {
    thread: JoinHandle<Outcome>,
    address: SocketAddr,
    clock: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
}

/// Messages that wait until the stack takes them.
type Waiting = HashMap<ConnectionId, VecDeque<Vec<u8>>>;

impl Server {
    fn new() -> Server {
        let (clock, ends) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let transport = Shifted { inner: Udp::bind(loopback()).unwrap(), shift: clock.clone() };
        let options = Options { timeout: Duration::from_secs(120), ..Options::default() };
        let mut listener = Listener::new(transport, options);
        listener.serve(&window()).unwrap();
        let (address, has_end) = (listener.local(), ends.clone());
        let thread = std::thread::spawn(move || serve(listener, &has_end));
        Server { thread, address, clock, ends }
    }

    /// So much time passes that silent peers are given up; what is counted then, and how connections have ended.
    fn end(self) -> Outcome {
        self.clock.fetch_add(Duration::from_secs(121).as_nanos() as u64, Ordering::Relaxed);
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("the server does not panic")
    }
}

fn send(listener: &mut Listener, id: ConnectionId, waiting: &mut Waiting) {
    let queue = waiting.entry(id).or_default();
    while let Some(message) = queue.pop_front() {
        match listener.send(id, &message) {
            Ok(()) => {}
            Err(Error::Refused) => return queue.push_front(message),
            Err(_) => break,
        }
    }
    waiting.remove(&id);
}

fn serve(mut listener: Listener, ends: &AtomicBool) -> Outcome {
    let (mut closed, mut peers, mut waiting) = (HashMap::new(), HashMap::new(), Waiting::new());
    let mut until = None;
    loop {
        if ends.load(Ordering::Relaxed) {
            let until = *until.get_or_insert_with(|| Instant::now() + Duration::from_secs(20));
            if listener.statistics().connections == 0 || Instant::now() > until {
                return (listener.statistics(), closed);
            }
        }
        match listener.wait(Some(Duration::from_millis(10))).expect("the socket works") {
            Some(Event::Arrived { connection, from, .. }) => {
                peers.insert(connection, is_honest(from.ip()));
            }
            Some(Event::Delivered { connection, message, .. }) => {
                waiting.entry(connection).or_default().push_back(message.to_vec());
                send(&mut listener, connection, &mut waiting);
            }
            Some(Event::Writable { connection }) => send(&mut listener, connection, &mut waiting),
            Some(Event::Closed { connection, reason, .. }) => {
                let honest = peers.remove(&connection).expect("it has arrived");
                waiting.remove(&connection);
                *closed.entry((honest, reason)).or_default() += 1;
            }
            _ => {}
        }
    }
}

/// Waiting times are of one test alone.
static ALONE: Mutex<()> = Mutex::new(());

/// Medians of the waiting time without and with the attack, which goes on until each honest connection has had so many
/// answers, so much time has passed, and so many frames were sent.
fn beside_honest(honest: u8, answers: usize, time: Duration, frames: u64) -> [Duration; 2] {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let server = Server::new();
    let mut crowd = Crowd((0..honest).map(|n| Honest::new(n, server.address)).collect());
    crowd.until(|crowd| crowd.have_answers(5));
    let begun = Instant::now();
    let before = crowd.until(|crowd| crowd.have_answers(answers) && begun.elapsed() >= time / 10);

    let (ends, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let (has_end, count, to) = (ends.clone(), sent.clone(), server.address);
    let attack = std::thread::spawn(move || {
        let mut hostile = Hostile::new(to, &window());
        hostile.attack(|hostile| {
            count.store(hostile.sent.iter().sum(), Ordering::Relaxed);
            !has_end.load(Ordering::Relaxed)
        });
        hostile.sent
    });
    let begun = Instant::now();
    let meanwhile = crowd.until(|crowd| {
        crowd.have_answers(answers) && begun.elapsed() >= time && sent.load(Ordering::Relaxed) >= frames
    });
    let took = begun.elapsed();
    ends.store(true, Ordering::Relaxed);
    let sent = attack.join().expect("it attacks");
    crowd.ends_complete();
    let (statistics, closed) = server.end();

    eprintln!("in {took:?}: {:?}\n{statistics:?}\n{closed:?}", KINDS.iter().zip(sent).collect::<Vec<_>>());
    assert!(sent.iter().all(|sent| *sent > frames / 100), "each kind is sent: {sent:?}");
    assert_eq!(closed.get(&(true, Reason::Closed)), Some(&usize::from(honest)), "each ends in order: {closed:?}");
    assert_eq!(closed.keys().filter(|(honest, _)| *honest).count(), 1, "and only so: {closed:?}");
    assert_eq!(statistics.connections, 0, "nothing is left");
    let of = &statistics;
    let hits = [of.malformed, of.unknown_cookies, of.not_accepted, of.controls_ignored, of.retried + of.evicted];
    assert!(hits.iter().all(|hits| *hits > 0), "the frames arrive: {statistics:?}");
    [before, meanwhile]
}

#[test]
fn honest_connections_lose_nothing_beside_a_hostile_client() {
    let _ = beside_honest(20, 50, Duration::ZERO, 20_000);
}

#[test]
#[ignore = "ten minutes: `make soak`"]
fn honest_connections_wait_at_most_twice_as_long_beside_a_hostile_client() {
    let [before, meanwhile] = beside_honest(100, 1000, Duration::from_secs(540), 1_000_000);
    assert!(meanwhile <= 2 * before, "{meanwhile:?}, and {before:?} without the attack");
}
