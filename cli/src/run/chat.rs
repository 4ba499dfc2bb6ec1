//! Lines of text, both ways.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Options, Stack};

use super::{any_towards, introduce, Line};
use crate::args::Chat;
use crate::console::{print, say, Exit};

/// How long standard input may wait for the network, and the network for it.
const TURN: Duration = Duration::from_millis(10);

pub fn chat(args: &Chat, stack: &Stack) -> Result<Exit, String> {
    let at = args.listen.or(args.to.map(any_towards)).ok_or("either --listen or --to is wanted")?;
    let mut line = Line::open(at, &args.net, Options { connections: 64, ..Options::default() })?;
    let mut talk = Talk { peers: Vec::new(), waiting: VecDeque::new(), lines: lines(), ended: false };
    match args.to {
        Some(to) => {
            talk.peers.push(line.listener.connect(to, stack).map_err(|error| error.to_string())?);
            say(&format!("talking to {to} over {}", introduce(stack)));
        }
        None => {
            line.listener.serve(stack).map_err(|error| error.to_string())?;
            say(&format!("listening on {} with {}", line.listener.local(), introduce(stack)));
        }
    }
    talk.go(&mut line, args.to.is_some())
}

struct Talk {
    peers: Vec<ConnectionId>,
    /// Lines that are not sent to all yet: to whom, what.
    waiting: VecDeque<(ConnectionId, Vec<u8>)>,
    lines: Receiver<Vec<u8>>,
    /// Standard input has ended.
    ended: bool,
}

impl Talk {
    fn go(&mut self, line: &mut Line, caller: bool) -> Result<Exit, String> {
        loop {
            match line.listener.wait(Some(TURN)).map_err(|error| error.to_string())? {
                Some(Event::Delivered { message, .. }) => show(&message.to_vec()),
                Some(Event::Arrived { connection, from, .. }) => {
                    say(&format!("{from} is here"));
                    self.peers.push(connection);
                }
                Some(Event::Closed { connection, reason }) => {
                    self.peers.retain(|peer| *peer != connection);
                    self.waiting.retain(|(peer, _)| *peer != connection);
                    say(&format!("a peer has gone: {reason}"));
                    if caller {
                        return Ok(if reason == nacre_runtime::Reason::Closed { Exit::Yes } else { Exit::No });
                    }
                }
                Some(Event::OtherStack(what)) => say(&what.in_words()),
                _ => {}
            }
            self.read();
            self.send(line)?;
            if self.ended && self.waiting.is_empty() && (caller || !self.peers.is_empty()) {
                return self.close(line);
            }
        }
    }

    /// Takes what was typed; before anybody is there, it waits.
    fn read(&mut self) {
        while !self.ended && !self.peers.is_empty() && self.waiting.len() < 1000 {
            match self.lines.try_recv() {
                Ok(text) => self.waiting.extend(self.peers.iter().map(|peer| (*peer, text.clone()))),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.ended = true,
            }
        }
    }

    fn send(&mut self, line: &mut Line) -> Result<(), String> {
        while let Some((peer, text)) = self.waiting.front() {
            match line.listener.send(*peer, text) {
                Ok(()) | Err(Error::Closed(_) | Error::NoConnection) => {}
                Err(Error::Refused) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Everything that was typed has been handed over: it is delivered before the end.
    fn close(&mut self, line: &mut Line) -> Result<Exit, String> {
        let until = Instant::now() + Duration::from_secs(10);
        for peer in std::mem::take(&mut self.peers) {
            let left = until.saturating_duration_since(Instant::now());
            match line.listener.close_blocking(peer, Some(left)) {
                Ok(()) => drop(line.listener.linger(peer)),
                Err(Error::Closed(nacre_runtime::Reason::Closed) | Error::NoConnection) => {}
                Err(error) => return Err(format!("not everything is known to have arrived: {error}")),
            }
        }
        // What came while the end was waited for.
        while let Some(event) = line.listener.poll() {
            if let Event::Delivered { message, .. } = event {
                show(&message.to_vec());
            }
        }
        Ok(Exit::Yes)
    }
}

/// Prints a line of a peer's. What comes from a network must not command the terminal.
fn show(message: &[u8]) {
    let text = String::from_utf8_lossy(message);
    print(&format!("{}\n", text.chars().filter(|c| !c.is_control() || *c == '\t').collect::<String>()));
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
