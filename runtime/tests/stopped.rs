//! A process that is stopped for a while, or too busy to look at its socket. If both sides wait longer, nothing is lost;
//! a side that waits less gets `timeout`, and the other one learns of it when it goes on.

mod support;

use nacre_runtime::{ConnectionId, Event, Listener, Options, Reason};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::time::{Duration, Instant};
use support::*;

/// Set in the process of the peer: its timeout in seconds.
const PEER: &str = "NACRE_TEST_PEER";

fn patient(seconds: u64) -> Options {
    Options { ping_after: Duration::from_millis(300), timeout: Duration::from_secs(seconds), ..Options::default() }
}

/// Returns every message, in a process of its own, until the connection ends; prints how.
fn echo(seconds: &str) {
    let mut listener = server(&window(), patient(seconds.parse().expect("seconds")));
    println!("\naddress {}", listener.local());
    let id = listener.accept(LONG).expect("a connection");
    let error = loop {
        let message = match listener.receive(id, None) {
            Ok(message) => message,
            Err(error) => break error,
        };
        if let Err(error) = listener.send_blocking(id, &message, None) {
            break error;
        }
    };
    println!("\nended {error:?}");
    listener.linger(id).expect("lingers");
}

/// A process that runs [`echo`].
struct Peer {
    child: Child,
    lines: Receiver<String>,
}

/// The lines of a stream, which a thread reads.
fn lines(stream: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    receiver
}

impl Peer {
    /// Runs a test of this program again, which calls `echo` there.
    fn start(test: &str, seconds: u64) -> Peer {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--include-ignored", "--exact", test, "--nocapture"]).env(PEER, seconds.to_string());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let lines = lines(child.stdout.take().expect("piped"));
        Peer { child, lines }
    }

    /// The rest of a line that begins with a word, if it has been said.
    fn heard(&mut self, word: &str) -> Option<String> {
        self.lines.try_iter().find_map(|line| line.strip_prefix(word).map(String::from))
    }

    /// The same of the next one.
    fn says(&mut self, word: &str) -> String {
        self.lines.iter().find_map(|line| line.strip_prefix(word).map(String::from)).expect("it says so")
    }

    fn signal(&self, signal: i32) {
        let pid = libc::pid_t::try_from(self.child.id()).expect("a process");
        // SAFETY: concerns a child that has not been waited for.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0, "{}", std::io::Error::last_os_error());
    }

    /// Whether the system says that it is stopped.
    fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("a process");
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends numbered messages to a peer as fast as the stack takes them, and checks that they come back.
struct Sender {
    listener: Listener,
    id: ConnectionId,
    sent: u32,
    received: u32,
    closed: Option<Reason>,
}

impl Sender {
    fn new(peer: &mut Peer, seconds: u64) -> Sender {
        let to = peer.says("address ").parse().expect("an address");
        let mut listener = Listener::bind(loopback(), patient(seconds)).expect("bound");
        let id = listener.connect(to, &window()).expect("connects");
        let mut sender = Sender { listener, id, sent: 0, received: 0, closed: None };
        sender.goes_on();
        sender
    }

    fn take(&mut self) {
        let mut time = Duration::from_millis(1);
        while let Some(event) = self.listener.wait(Some(time)).expect("the socket works") {
            time = Duration::ZERO;
            match event {
                Event::Delivered { message, .. } => {
                    assert_eq!(message.to_vec(), self.received.to_le_bytes(), "once and in order");
                    self.received += 1;
                }
                Event::Closed { reason, .. } => {
                    assert_eq!(self.closed.replace(reason), None, "told twice");
                }
                _ => {}
            }
        }
    }

    fn until(&mut self, what: &str, mut done: impl FnMut(&Sender) -> bool) {
        let end = Instant::now() + Duration::from_secs(100);
        while !done(self) {
            let state = (self.sent, self.received, self.closed);
            assert!(Instant::now() < end, "{what}: {state:?}");
            while self.closed.is_none() && self.listener.send(self.id, &self.sent.to_le_bytes()).is_ok() {
                self.sent += 1;
            }
            self.take();
        }
    }

    fn goes_on(&mut self) {
        let wanted = self.received + 100;
        self.until("messages come back", |sender| sender.received >= wanted || sender.closed.is_some());
        assert_eq!(self.closed, None);
    }

    fn retransmitted(&self) -> u64 {
        self.listener.statistics_of(self.id).expect("open").retransmitted.expect("counted")
    }

    /// Stops the peer, and sends for so long at least.
    fn while_stopped(&mut self, peer: &Peer, seconds: u64) {
        peer.signal(libc::SIGSTOP);
        self.until("the peer stops", |_| peer.is_stopped());
        self.take();
        let (sent, received, before) = (self.sent, self.received, self.retransmitted());
        let end = Instant::now() + Duration::from_secs(seconds);
        self.until("time passes", |_| Instant::now() >= end);
        assert!(peer.is_stopped() && self.closed.is_none());
        // What it had sent before still arrives, and makes room for as many.
        assert!(self.received <= received + 8 && self.sent <= sent + 16, "{} {}", self.received, self.sent);
        assert!(self.retransmitted() > before);
    }

    /// Answers frames until there is a result.
    fn while_answering(&mut self, mut done: impl FnMut() -> Option<String>) -> String {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(done) = done() {
                return done;
            }
            assert!(Instant::now() < end, "no result");
            self.take();
        }
    }

    /// Everything comes back, and both sides close in order.
    fn ends_complete(&mut self, peer: &mut Peer) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.received < self.sent {
            assert!(Instant::now() < end && self.closed.is_none(), "{} of {}", self.received, self.sent);
            self.take();
        }
        self.listener.close_blocking(self.id, LONG).expect("closes");
        self.listener.linger(self.id).expect("lingers");
        assert_eq!(peer.says("ended "), "Closed(Closed)");
    }
}

/// In the process of the peer: acts as that and returns none.
fn pair(test: &str, [ours, theirs]: [u64; 2]) -> Option<(Sender, Peer)> {
    if let Ok(seconds) = std::env::var(PEER) {
        echo(&seconds);
        return None;
    }
    let mut peer = Peer::start(test, theirs);
    Some((Sender::new(&mut peer, ours), peer))
}

fn goes_on_after(test: &str, timeouts: [u64; 2], stopped: u64) {
    let Some((mut sender, mut peer)) = pair(test, timeouts) else { return };
    sender.while_stopped(&peer, stopped);
    peer.signal(libc::SIGCONT);
    sender.goes_on();
    sender.ends_complete(&mut peer);
}

#[test]
fn stopped_process_delays_messages() {
    goes_on_after("stopped_process_delays_messages", [60, 60], 1);
}

/// It finds what the other side has sent meanwhile, and that is not silent.
#[test]
fn process_that_was_stopped_for_longer_than_its_own_timeout_goes_on() {
    goes_on_after("process_that_was_stopped_for_longer_than_its_own_timeout_goes_on", [60, 4], 6);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn process_that_was_stopped_for_a_minute_goes_on() {
    goes_on_after("process_that_was_stopped_for_a_minute_goes_on", [120, 30], 60);
}

#[test]
fn process_that_is_stopped_for_too_long_learns_that_the_other_side_has_given_up() {
    let test = "process_that_is_stopped_for_too_long_learns_that_the_other_side_has_given_up";
    // Whose own timeout has passed too may wait for an answer less long than for certainty.
    for (theirs, reasons) in [(60, &["Closed(Unknown)"][..]), (2, &["Closed(Unknown)", "Closed(Timeout)"])] {
        let Some((mut sender, mut peer)) = pair(test, [3, theirs]) else { return };
        sender.while_stopped(&peer, 1);
        sender.until("the peer is given up", |sender| sender.closed.is_some());
        assert_eq!(sender.closed, Some(Reason::Timeout));
        assert!(peer.is_stopped());
        peer.signal(libc::SIGCONT);
        let said = sender.while_answering(|| peer.heard("ended "));
        assert!(reasons.contains(&said.as_str()), "its timeout is {theirs} s: {said}");
    }
}
