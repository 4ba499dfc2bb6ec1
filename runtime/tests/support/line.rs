//! Two network namespaces joined by a pair of interfaces that a test may cut, change and remove, with a listener in each.

use nacre_runtime::{ConnectionId, Event, Listener, Options, Reason, Stack};
use std::fs::File;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::process::Command;
use std::time::{Duration, Instant};

/// Adds the interface `v0` with the address 10.9.0.1 on this side; for `namespace::outside`.
pub const NEAR: &str = "ip link set lo up; ip link add v0 type veth peer name v1; ip link set v0 up; \
    ip address add 10.9.0.1/24 dev v0";

/// Numbered messages, with a length that a small MTU does not let through in one piece.
const LENGTH: usize = 1150;

/// One side: sends numbered messages as fast as its stack accepts them, and checks those that it receives.
pub struct Side {
    pub listener: Listener,
    pub id: Option<ConnectionId>,
    pub sent: u32,
    pub received: u32,
    /// The error numbers that were reported.
    pub errors: Vec<Option<i32>>,
    pub closed: Option<Reason>,
    /// The last that is known of it.
    pub retransmitted: u64,
    pub send_errors: u64,
}

impl Side {
    fn new(listener: Listener) -> Side {
        Side {
            listener,
            id: None,
            sent: 0,
            received: 0,
            errors: vec![],
            closed: None,
            retransmitted: 0,
            send_errors: 0,
        }
    }

    fn send(&mut self, until: u32) {
        let Some(id) = self.id else { return };
        let mut message = [0; LENGTH];
        while self.sent < until && self.closed.is_none() {
            message[..4].copy_from_slice(&self.sent.to_le_bytes());
            if self.listener.send(id, &message).is_err() {
                break;
            }
            self.sent += 1;
        }
        if let Ok(of) = self.listener.statistics_of(id) {
            self.retransmitted = of.retransmitted.expect("counted");
            self.send_errors = of.traffic.send_errors;
        }
    }

    /// Takes the events that are there, after a wait of a millisecond at most.
    fn take(&mut self) {
        let mut time = Duration::from_millis(1);
        while let Some(event) = self.listener.wait(Some(time)).expect("the socket works") {
            time = Duration::ZERO;
            match event {
                Event::Arrived { connection, .. } => {
                    assert!(self.id.is_none(), "a second connection");
                    self.id = Some(connection);
                }
                Event::Delivered { message, .. } => {
                    let bytes = message.to_vec();
                    assert_eq!(bytes.len(), LENGTH);
                    assert_eq!(bytes[..4], self.received.to_le_bytes(), "once and in order");
                    self.received += 1;
                }
                Event::Error { cause, .. } => self.errors.push(cause.raw_os_error()),
                Event::Closed { reason, .. } => {
                    assert!(self.closed.is_none(), "told twice");
                    self.closed = Some(reason);
                }
                _ => {}
            }
        }
    }
}

/// Two sides with one connection, and the means to spoil what is between them.
pub struct Line {
    pub near: Side,
    pub far: Side,
    /// The namespace of the far side.
    there: File,
}

impl Line {
    /// Joins the namespace of this test, which [`NEAR`] has prepared, with a new one, in which the interface is `v1` and
    /// the address 10.9.0.2. The near listener is bound to one address, the far one to any.
    pub fn new(stack: &Stack, options: &Options) -> Line {
        Line::bound("10.9.0.1:7000", stack, options)
    }

    /// The same with the near listener bound to an address.
    pub fn bound(near: &str, stack: &Stack, options: &Options) -> Line {
        let (there, far) = std::thread::scope(|scope| scope.spawn(|| far_side(stack, options)).join()).expect("bound");
        let near = Listener::bind(near.parse().expect("an address"), options.clone()).expect("bound");
        let mut line = Line { near: Side::new(near), far: Side::new(far), there };
        let to: SocketAddr = "10.9.0.2:7000".parse().expect("an address");
        line.near.id = Some(line.near.listener.connect(to, stack).expect("connects"));
        line.goes_on();
        line
    }

    /// Runs `ip` or `tc` in the near namespace.
    pub fn here(&self, command: &str) {
        run(Command::new("sh").args(["-ec", command]), command);
    }

    /// The same in the far one.
    pub fn there(&self, command: &str) {
        let namespace = format!("--net=/proc/{}/fd/{}", std::process::id(), self.there.as_raw_fd());
        run(Command::new("nsenter").args([&namespace, "sh", "-ec", command]), command);
    }

    /// Both sides send as much as they can until `done` holds.
    pub fn until(&mut self, what: &str, mut done: impl FnMut(&Line) -> bool) {
        let end = Instant::now() + Duration::from_secs(100);
        while !done(self) {
            assert!(Instant::now() < end, "{what}: {}", self.state());
            self.near.send(u32::MAX);
            self.far.send(u32::MAX);
            self.near.take();
            self.far.take();
        }
    }

    /// Both sides send for a while. Whatever comes of it in this time is right.
    pub fn pass(&mut self, time: Duration) {
        let end = Instant::now() + time;
        self.until("time passes", |_| Instant::now() >= end);
    }

    /// Messages arrive on both sides.
    pub fn goes_on(&mut self) {
        let [near, far] = [self.near.received + 100, self.far.received + 100];
        self.until("messages arrive", |line| line.near.received >= near && line.far.received >= far);
        assert!(self.near.closed.is_none() && self.far.closed.is_none(), "{}", self.state());
    }

    /// No more is sent; everything arrives, and the connection closes in order.
    pub fn ends_complete(&mut self) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.near.received < self.far.sent || self.far.received < self.near.sent {
            assert!(Instant::now() < end, "not everything arrives: {}", self.state());
            self.near.take();
            self.far.take();
        }
        self.near.listener.close(self.near.id.expect("open")).expect("closes");
        while self.near.closed.is_none() || self.far.closed.is_none() {
            assert!(Instant::now() < end, "no end: {}", self.state());
            self.near.take();
            self.far.take();
        }
        let ends = (self.near.closed.as_ref(), self.far.closed.as_ref());
        assert_eq!(ends, (Some(&Reason::Closed), Some(&Reason::Closed)), "{}", self.state());
        assert_eq!((self.near.received, self.far.received), (self.far.sent, self.near.sent));
    }

    /// Both sides learn that the other one cannot be reached.
    pub fn ends_in_timeout(&mut self) {
        self.until("both sides end", |line| line.near.closed.is_some() && line.far.closed.is_some());
        let ends = (self.near.closed.as_ref(), self.far.closed.as_ref());
        assert_eq!(ends, (Some(&Reason::Timeout), Some(&Reason::Timeout)), "{}", self.state());
        assert!(self.near.received <= self.far.sent && self.far.received <= self.near.sent, "{}", self.state());
    }

    /// For messages of failures.
    pub fn state(&self) -> String {
        let of = |side: &Side| {
            let mut errors = side.errors.clone();
            errors.dedup();
            format!(
                "sent {}, received {}, retransmitted {}, send errors {}, errors {} {errors:?}, closed {:?}",
                side.sent,
                side.received,
                side.retransmitted,
                side.send_errors,
                side.errors.len(),
                side.closed
            )
        };
        format!("near: {}; far: {}", of(&self.near), of(&self.far))
    }
}

/// A listener in a namespace of its own, into which one end of the pair of interfaces is moved.
fn far_side(stack: &Stack, options: &Options) -> (File, Listener) {
    let here = File::open("/proc/thread-self/ns/net").expect("a namespace");
    // SAFETY: affects only this thread, which ends with this function.
    assert_eq!(unsafe { libc::unshare(libc::CLONE_NEWNET) }, 0, "{}", std::io::Error::last_os_error());
    let there = File::open("/proc/thread-self/ns/net").expect("a namespace");
    let [of_here, of_there] =
        [&here, &there].map(|file| format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    let moved = format!("nsenter --net={of_here} ip link set v1 netns {of_there}");
    let up = "ip link set lo up; ip link set v1 up; ip address add 10.9.0.2/24 dev v1";
    run(Command::new("sh").args(["-ec", &format!("{moved}; {up}")]), &moved);
    let mut listener = Listener::bind("0.0.0.0:7000".parse().expect("an address"), options.clone()).expect("bound");
    listener.serve(stack).expect("served");
    (there, listener)
}

fn run(command: &mut Command, what: &str) {
    let output = command.output().expect("starts");
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
}
