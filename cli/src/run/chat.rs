//! Lines of text, in both directions.
//!
//! At the end of standard input a side announces it and keeps listening; the connection is closed when both have.

use std::collections::{BTreeMap, VecDeque};
use std::io::BufRead;
use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Options, Reason, Stack};

use super::doorkeeper::Doorkeeper;
use super::early::Early;
use super::failure::{Cause, Failure};
use super::line::{introduce, Line};
use super::names::{self, printable};
use super::protection::Protection;
use super::trust::Trust;
use crate::args::Chat;
use crate::console::{is_unread, print, say, Exit, Limited};
use crate::interrupt::{EndAtOnce, Interrupt};

/// The polling interval between standard input and the network.
const TURN: Duration = Duration::from_millis(10);
/// Announces that no line follows. It differs from every line, since lines are sent without their newline.
const END: &[u8] = b"\n";

/// Exchanges lines with the peers until both inputs end or Ctrl-C.
pub fn chat(
    args: &Chat,
    stack: &Stack,
    protection: &Protection,
    interrupt: &Interrupt,
    early: EndAtOnce,
) -> Result<Exit, Failure> {
    let options = Options { connections: 64, ..Options::default() };
    let (mut line, to) = match (args.listen, &args.to) {
        (Some(at), _) => (Line::open(at, &args.net, options, protection)?, None),
        (None, Some(to)) => {
            let (line, to) = Line::towards(to, &args.net, options, protection)?;
            (line, Some(to))
        }
        (None, None) => return Err("expected --listen or --to".into()),
    };
    drop(early);
    let mut peers = Vec::new();
    let doorkeeper = Doorkeeper::new(protection, &args.allowed.allow);
    match &to {
        Some(to) => {
            say(&format!("talking to {to} over {}", introduce(stack)));
            let trust = Trust { peer: to, pin: args.expected.peer, protection, stack, first: None };
            let mut begun = trust.connect(&mut line.listener)?;
            match trust.meet(&mut line.listener, &mut begun, interrupt) {
                Err(_) if interrupt.came() => return Ok(interrupt.exit()),
                met => met?,
            };
            peers.push(Peer::new(begun.id));
        }
        None => {
            line.listener.serve(stack)?;
            say(&format!("listening on {} with {}", line.listener.local(), introduce(stack)));
            doorkeeper.introduce();
        }
    }
    let mut talk = Talk {
        peers,
        doorkeeper,
        arrived: BTreeMap::new(),
        early: Early::default(),
        lines: lines(),
        ahead: None,
        ended: false,
        lost: false,
        interrupt,
        words: Limited::default(),
    };
    Ok(talk.go(&mut line, args.to.is_some())?)
}

/// Requires that a key that is stated has an effect.
pub fn require_side(args: &Chat) -> Result<(), Failure> {
    let words = match (&args.to, args.expected.peer, args.allowed.allow.first()) {
        (None, Some(_), _) => "`--peer` is for `--to`; `--allow` states who may connect to `--listen`",
        (Some(_), _, Some(_)) => "`--allow` is for `--listen`; `--peer` states the key of the peer at `--to`",
        _ => return Ok(()),
    };
    Err(Failure::new(Cause::Usage, words))
}

/// The lines that wait for one peer at most. While another peer has fewer, further lines are not sent to it.
const WAITING: usize = 1000;

struct Talk<'t> {
    peers: Vec<Peer>,
    doorkeeper: Doorkeeper<'t>,
    /// Connections that are not confirmed: their addresses may be forged, so they hear nothing, and nothing of them is
    /// shown.
    arrived: BTreeMap<ConnectionId, SocketAddr>,
    /// What they have said.
    early: Early,
    lines: Receiver<Vec<u8>>,
    /// A typed line that waits until a peer is connected.
    ahead: Option<Vec<u8>>,
    /// Standard input has ended, and all connected peers are or will be notified.
    ended: bool,
    /// Lines that a peer did not receive, or may not have received.
    lost: bool,
    interrupt: &'t Interrupt,
    words: Limited,
}

struct Peer {
    id: ConnectionId,
    /// The peer has announced its end.
    ended: bool,
    /// Lines that are not sent to it yet.
    waiting: VecDeque<Vec<u8>>,
    /// How many lines were sent to it, and how many had no room among those that wait.
    sent: usize,
    missed: usize,
}

impl Peer {
    fn new(id: ConnectionId) -> Peer {
        Peer { id, ended: false, waiting: VecDeque::new(), sent: 0, missed: 0 }
    }

    fn unsent(&self) -> usize {
        self.missed + self.waiting.iter().filter(|text| *text != END).count()
    }
}

impl Talk<'_> {
    fn go(&mut self, line: &mut Line, caller: bool) -> Result<Exit, String> {
        let mut met = caller;
        loop {
            match line.listener.wait(Some(TURN)).map_err(|error| error.to_string())? {
                Some(Event::Delivered { connection, message, .. }) => {
                    let message = message.to_vec();
                    self.said(line, connection, message);
                }
                Some(Event::Arrived { connection, from, .. }) => {
                    let is_admitted = self.doorkeeper.admits(&mut line.listener, connection, &mut self.words);
                    is_admitted.then(|| self.arrived.insert(connection, from));
                }
                Some(Event::Closed { connection, reason, words }) => {
                    let words = words.map(|words| printable(&words.text)).filter(|_| self.is_peer(connection));
                    self.gone(connection, reason, caller);
                    words.into_iter().for_each(|words| say(&format!("it says: {words}")));
                }
                Some(Event::OtherStack(what)) => self.words.say(&printable(&what.description())),
                Some(Event::Error { peer, cause, .. }) => self.words.say(&format!("{peer}: {cause}")),
                _ => {}
            }
            if self.interrupt.came() {
                return self.leave(line, "interrupted", self.interrupt.exit());
            }
            if is_unread() {
                return self.leave(line, "nobody reads the lines", Exit::Yes);
            }
            self.doorkeeper.report(&line.listener, &mut self.words);
            met |= self.meet(line);
            self.read();
            self.send(line)?;
            let over = self.ended && self.peers.iter().all(|peer| peer.ended && peer.waiting.is_empty());
            if met && over || caller && self.peers.is_empty() {
                self.close(line)?;
                return Ok(if self.lost { Exit::No } else { Exit::Yes });
            }
        }
    }

    fn is_peer(&self, connection: ConnectionId) -> bool {
        self.peers.iter().any(|peer| peer.id == connection)
    }

    /// Takes connections that are confirmed by now as peers; returns whether there were any. A ping confirms without an
    /// event.
    fn meet(&mut self, line: &Line) -> bool {
        let is_confirmed = |id: &ConnectionId| line.listener.statistics_of(*id).is_ok_and(|known| known.confirmed);
        let confirmed: Vec<ConnectionId> = self.arrived.keys().copied().filter(is_confirmed).collect();
        for connection in &confirmed {
            let from = self.arrived.remove(connection);
            if let Some(from) = from.filter(|_| !self.doorkeeper.protection.is_encrypted()) {
                say(&format!("{from} has connected"));
            }
            let mut peer = Peer::new(*connection);
            if self.ended {
                peer.waiting.push_back(END.to_vec());
            }
            self.peers.push(peer);
            self.early.take(*connection).iter().for_each(|message| self.heard(*connection, message));
        }
        !confirmed.is_empty()
    }

    /// A connection has said something; it is shown once it is confirmed.
    fn said(&mut self, line: &mut Line, connection: ConnectionId, message: Vec<u8>) {
        if self.is_peer(connection) {
            self.heard(connection, &message);
        } else if self.arrived.contains_key(&connection) {
            for gone in self.early.keep(connection, message) {
                line.listener.discard(gone);
                self.arrived.remove(&gone);
            }
        }
        // One that was refused may have sent something before it learned that.
    }

    fn heard(&mut self, connection: ConnectionId, message: &[u8]) {
        if message != END {
            return show(message);
        }
        if let Some(peer) = self.peers.iter_mut().find(|peer| peer.id == connection) {
            peer.ended = true;
            if !self.ended {
                say("a peer has nothing more to say");
            }
        }
    }

    /// Reports the lines that a disconnected peer did not receive.
    fn gone(&mut self, connection: ConnectionId, reason: Reason, caller: bool) {
        self.early.take(connection);
        self.arrived.remove(&connection);
        let Some(at) = self.peers.iter().position(|peer| peer.id == connection) else { return };
        let peer = self.peers.remove(at);
        say(&format!("a peer has disconnected: {reason}"));
        let (unsent, is_abrupt) = (peer.unsent(), reason != Reason::Closed && !peer.ended);
        if unsent > 0 {
            say(&format!("{unsent} lines were not sent to it"));
        } else if is_abrupt && peer.sent > 0 {
            say("lines that were sent to it last may not have arrived");
        } else if caller && !self.ended {
            say("what follows on standard input is not sent");
        }
        let all_said = self.ended && (reason == Reason::Closed || peer.ended);
        self.lost |= unsent > 0 || (caller && !all_said) || is_abrupt;
    }

    /// Takes typed lines; they wait until a peer is connected. The end of standard input is noticed also without one.
    fn read(&mut self) {
        while !self.ended && self.peers.iter().map(|peer| peer.waiting.len()).min().is_none_or(|least| least < WAITING)
        {
            let text = match self.ahead.take().map_or_else(|| self.lines.try_recv(), Ok) {
                Ok(text) if self.peers.is_empty() => {
                    self.ahead = Some(text);
                    return;
                }
                Ok(text) => text,
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.ended = true;
                    END.to_vec()
                }
            };
            for peer in &mut self.peers {
                match peer.waiting.len() < WAITING || self.ended {
                    true => peer.waiting.push_back(text.clone()),
                    false => peer.missed += 1,
                }
            }
        }
    }

    /// Sends to each peer what its connection takes now.
    fn send(&mut self, line: &mut Line) -> Result<(), String> {
        for peer in &mut self.peers {
            while let Some(text) = peer.waiting.front() {
                match line.listener.send(peer.id, text) {
                    Ok(()) => {
                        peer.sent += usize::from(text != END);
                        peer.waiting.pop_front();
                    }
                    Err(error @ Error::TooLong { .. }) => {
                        say(&format!("a line was not sent: {error}"));
                        self.lost = true;
                        peer.waiting.pop_front();
                    }
                    // Lines that wait for a disconnected peer are reported with the end of its connection.
                    Err(Error::Refused | Error::Closed(_) | Error::NoConnection) => break,
                    Err(error) => return Err(error.to_string()),
                }
            }
        }
        Ok(())
    }

    /// All typed lines have been handed over: they are delivered before the connection ends.
    fn close(&mut self, line: &mut Line) -> Result<(), String> {
        let until = Instant::now() + Duration::from_secs(10);
        let peers = std::mem::take(&mut self.peers);
        for peer in peers.iter().filter(|peer| peer.missed > 0) {
            say(&format!("{} lines were not sent to a peer that was too slow", peer.missed));
            self.lost = true;
        }
        for peer in &peers {
            let left = until.saturating_duration_since(Instant::now());
            match line.listener.close_blocking(peer.id, Some(left)) {
                // Whoever closed first may lack the last acknowledgement.
                Ok(()) | Err(Error::Closed(Reason::Closed)) => drop(line.listener.linger(peer.id)),
                Err(Error::NoConnection) => {}
                // The peer has confirmed everything and may have left.
                Err(Error::Closed(_)) if peer.ended => {}
                Err(error) => return Err(format!("some lines may not have arrived: {error}")),
            }
        }
        // Events that arrived while the shutdown was awaited.
        while let Some(event) = line.listener.poll() {
            let Event::Delivered { connection, message, .. } = event else { continue };
            if peers.iter().any(|peer| peer.id == connection) {
                let message = message.to_vec();
                if message != END {
                    show(&message);
                }
            }
        }
        Ok(())
    }

    /// Ends before the peers do: sent lines still arrive, unsent ones are reported.
    fn leave(&mut self, line: &mut Line, why: &str, exit: Exit) -> Result<Exit, String> {
        let unsent = self.peers.iter().map(Peer::unsent).sum::<usize>() + usize::from(self.ahead.is_some());
        say(&format!("{why}; {unsent} lines were not sent"));
        self.close(line)?;
        Ok(exit)
    }
}

/// Prints a line of a peer, without characters that command the terminal.
fn show(message: &[u8]) {
    print(&format!("{}\n", names::line(&String::from_utf8_lossy(message))));
}

/// Reads standard input in a thread of its own.
fn lines() -> Receiver<Vec<u8>> {
    let (to, from) = mpsc::sync_channel(64);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = line.strip_suffix(b"\n").unwrap_or(&line).to_vec();
            if to.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    from
}
