//! A bad network: forwards IP packets between two devices with delay, loss, and a limited rate, whatever protocol they
//! belong to. Each direction draws its losses from the seed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Properties of each direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The part of all packets that is lost.
    pub loss: f64,
    pub delay: Duration,
    /// Bytes per second.
    pub rate: f64,
    /// Bytes that wait for the link; packets beyond that are lost.
    pub queue: f64,
}

/// What the relay did.
#[derive(Default)]
pub struct Counts {
    pub forwarded: AtomicU64,
    /// Lost by chance, and because the queue was full.
    pub lost: AtomicU64,
    pub overflowed: AtomicU64,
}

/// A relay that works until this is dropped.
pub struct Relay {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    pub counts: Arc<Counts>,
}

impl Relay {
    /// Starts to forward between two devices.
    pub fn start(link: Link, seed: u64, devices: [File; 2]) -> Relay {
        let (stop, counts) = (Arc::new(AtomicBool::new(false)), Arc::new(Counts::default()));
        let [one, other] = devices.map(Arc::new);
        let direction = |from: &Arc<File>, to: &Arc<File>, n: u64| Direction {
            from: from.clone(),
            to: to.clone(),
            waiting: VecDeque::new(),
            free_at: Instant::now(),
            random: (seed * 2 + n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        let mut directions = [direction(&one, &other, 0), direction(&other, &one, 1)];
        let (stopped, counted) = (stop.clone(), counts.clone());
        let thread = std::thread::spawn(move || {
            // SAFETY: it changes how exactly this thread wakes.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1usize) };
            while !stopped.load(Ordering::Relaxed) {
                turn(&mut directions, &link, &counted);
            }
        });
        Relay { stop, thread: Some(thread), counts }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Direction {
    from: Arc<File>,
    to: Arc<File>,
    /// Packets on the way, and when they arrive.
    waiting: VecDeque<(Instant, Vec<u8>)>,
    /// When the link has sent all that it has accepted.
    free_at: Instant,
    random: u64,
}

/// Forwards what is due, takes what has come, and waits for more.
fn turn(directions: &mut [Direction; 2], link: &Link, counts: &Counts) {
    for direction in directions.iter_mut() {
        direction.take(link, counts);
        direction.forward(counts);
    }
    let due = directions.iter().filter_map(|direction| direction.waiting.front().map(|(at, _)| *at)).min();
    let most = Duration::from_millis(20);
    let time = due.map_or(most, |at| at.saturating_duration_since(Instant::now()).min(most));
    let mut each =
        directions.each_ref().map(|d| libc::pollfd { fd: d.from.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    let time = libc::timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    // SAFETY: the kernel reads and writes two entries, and reads the time.
    unsafe { libc::ppoll(each.as_mut_ptr(), 2, &raw const time, std::ptr::null()) };
}

impl Direction {
    /// A number from 0 to 1 (xorshift64*).
    fn draw(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn take(&mut self, link: &Link, counts: &Counts) {
        let mut packet = [0u8; 2048];
        // A flood of packets does not keep others from being forwarded.
        for _ in 0..64 {
            let Ok(len) = (&*self.from).read(&mut packet) else { return };
            let now = Instant::now();
            let begins = self.free_at.max(now);
            if self.draw() < link.loss {
                counts.lost.fetch_add(1, Ordering::Relaxed);
            } else if (begins - now).as_secs_f64() * link.rate > link.queue {
                counts.overflowed.fetch_add(1, Ordering::Relaxed);
            } else {
                self.free_at = begins + Duration::from_secs_f64(len as f64 / link.rate);
                self.waiting.push_back((self.free_at + link.delay, packet[..len].to_vec()));
            }
        }
    }

    fn forward(&mut self, counts: &Counts) {
        let now = Instant::now();
        while self.waiting.front().is_some_and(|(at, _)| *at <= now) {
            let (_, packet) = self.waiting.pop_front().expect("there is one");
            let _ = (&*self.to).write(&packet);
            counts.forwarded.fetch_add(1, Ordering::Relaxed);
        }
    }
}
