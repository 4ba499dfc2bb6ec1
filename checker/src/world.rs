//! One global state, and the actions that lead out of it.

use std::fmt;
use std::sync::Arc;

use nacre_stack::interpret::{Addr, Config, Machine, Outcome, Value};
use nacre_stack::{mask, Cell, PortId, Scope, Stack, Type};

/// So many messages of one end are still told apart by their first byte.
const MOST: u8 = 126;

/// What the environment may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Messages that the application at each end hands over.
    pub messages: [u8; 2],
    /// Bytes of each message, at least one.
    pub size: usize,
    /// Frames in flight towards each end; the network drops what does not fit, and that counts as no loss.
    pub flight: usize,
    pub losses: u8,
    pub duplications: u8,
    /// Frames arrive in the order in which they were sent.
    pub fifo: bool,
}

/// What is demanded of deliveries. A stopgap until layers state automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// Nothing; only what the stack itself asserts.
    None,
    /// Each message at most once, intact, in any order.
    Once,
    /// Each at most once, intact, in the order of sending; gaps are allowed.
    Ordered,
    /// As `Ordered`, without gaps; and what was accepted must not be stuck.
    Reliable,
}

/// One step of the whole. `usize` is the end at which it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Send(usize),
    /// The frame at this place of those in flight towards the end.
    Deliver(usize, usize),
    /// The same, and a copy of it stays in flight.
    Duplicate(usize, usize),
    Lose(usize, usize),
    /// The armed timer at this place, by layer, declaration and indices.
    Timer(usize, usize),
    /// An event that was put off.
    Later(usize),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let end = |e: &usize| ["a", "b"][*e & 1];
        match self {
            Action::Send(e) => write!(f, "{} sends", end(e)),
            Action::Deliver(e, n) => write!(f, "frame {n} reaches {}", end(e)),
            Action::Duplicate(e, n) => write!(f, "frame {n} reaches {}, a copy stays in flight", end(e)),
            Action::Lose(e, n) => write!(f, "frame {n} towards {} is lost", end(e)),
            Action::Timer(e, n) => write!(f, "timer {n} of {} fires", end(e)),
            Action::Later(e) => write!(f, "{} goes on", end(e)),
        }
    }
}

/// Both ends, the network, and what is left of the bounds.
#[derive(Clone)]
pub struct World {
    ends: [Machine; 2],
    /// Towards each end, oldest first.
    flight: [Vec<Vec<u8>>; 2],
    sent: [u8; 2],
    losses: u8,
    duplications: u8,
    /// By number of the message, what came out at each end.
    delivered: [Vec<u8>; 2],
    send: u32,
}

impl World {
    /// Both ends opened; in words why that was not possible.
    pub fn open(stack: &Arc<Stack>, bounds: &Bounds, observer: Observer) -> Result<(World, Option<String>), String> {
        if bounds.size == 0 || bounds.messages.iter().any(|m| *m > MOST) {
            return Err(format!("messages have at least one byte, and each end sends at most {MOST}"));
        }
        let send = send_event(stack).ok_or("no event above the network takes a message and nothing else")?;
        let mut ends = [0, 1].map(|end| Machine::of(stack.clone(), config(stack, end)));
        for machine in &mut ends {
            match machine.open(0) {
                Outcome::Ok => {}
                other => return Err(format!("the stack could not be opened: {other:?}")),
            }
        }
        let mut world = World {
            ends,
            flight: Default::default(),
            sent: [0; 2],
            losses: bounds.losses,
            duplications: bounds.duplications,
            delivered: Default::default(),
            send,
        };
        let broken = (0..2).find_map(|end| world.settle(end, bounds, observer));
        Ok((world, broken))
    }

    /// Every action that is enabled, the application's first.
    pub fn actions(&self, bounds: &Bounds) -> Vec<Action> {
        let mut actions = vec![];
        for end in 0..2 {
            if self.ends[end].is_busy() {
                actions.push(Action::Later(end));
            }
            if self.sent[end] < bounds.messages[end] && self.ends[end].accepts(self.send, bounds.size) {
                actions.push(Action::Send(end));
            }
            let reach = if bounds.fifo { self.flight[end].len().min(1) } else { self.flight[end].len() };
            for place in (0..reach).filter(|p| !self.flight[end][..*p].contains(&self.flight[end][*p])) {
                if self.losses > 0 {
                    actions.push(Action::Lose(end, place));
                }
                if !self.ends[end].is_busy() {
                    actions.push(Action::Deliver(end, place));
                    if self.duplications > 0 {
                        actions.push(Action::Duplicate(end, place));
                    }
                }
            }
            if !self.ends[end].is_busy() {
                actions.extend((0..self.ends[end].armed().len()).map(|timer| Action::Timer(end, timer)));
            }
        }
        actions
    }

    /// Does an action that is enabled; what it broke, in words.
    pub fn act(&mut self, action: Action, bounds: &Bounds, observer: Observer) -> Option<String> {
        let end = match action {
            Action::Send(end) => {
                let message = message(end, self.sent[end], bounds.size);
                if self.ends[end].call(self.send, &[], &message, 0) == Outcome::Ok {
                    self.sent[end] += 1;
                }
                end
            }
            Action::Lose(end, place) => {
                self.flight[end].remove(place);
                self.losses -= 1;
                end
            }
            Action::Deliver(end, place) => {
                let frame = self.flight[end].remove(place);
                self.ends[end].input(address(1 - end), &frame, 0);
                end
            }
            Action::Duplicate(end, place) => {
                let frame = self.flight[end][place].clone();
                self.duplications -= 1;
                self.ends[end].input(address(1 - end), &frame, 0);
                end
            }
            Action::Timer(end, place) => {
                self.ends[end].fire(due(&self.ends[end], place), 0);
                end
            }
            Action::Later(end) => {
                self.ends[end].tick(0);
                end
            }
        };
        self.settle(end, bounds, observer)
    }

    /// Moves what left an end to where it goes, and judges it.
    fn settle(&mut self, end: usize, bounds: &Bounds, observer: Observer) -> Option<String> {
        let mut broken = self.ends[end].take_reports().into_iter().next().map(|report| {
            let stack = self.ends[end].stack();
            let layer = report.layer.map_or("the stack", |layer| &stack.layer(layer).name);
            format!("{layer}: {:?}: {}", report.rule, report.text)
        });
        for output in self.ends[end].take_outputs() {
            let Some(bytes) = output.bytes else { continue };
            if output.port != PortId(0) {
                broken = broken.or(self.judge(end, &bytes, bounds, observer));
            } else if self.flight[1 - end].len() < bounds.flight {
                self.flight[1 - end].push(bytes);
            }
        }
        if !bounds.fifo {
            self.flight[1 - end].sort();
        }
        broken
    }

    fn judge(&mut self, end: usize, bytes: &[u8], bounds: &Bounds, observer: Observer) -> Option<String> {
        if observer == Observer::None {
            return None;
        }
        let number = (0..self.sent[1 - end]).find(|n| message(1 - end, *n, bounds.size) == bytes);
        let Some(number) = number else { return Some("a message came out that was not sent".into()) };
        let seen = &self.delivered[end];
        let broken = if seen.contains(&number) {
            Some(format!("message {number} came out twice"))
        } else if observer != Observer::Once && seen.iter().any(|s| *s > number) {
            Some(format!("message {number} came out after a later one"))
        } else if observer == Observer::Reliable && seen.len() != usize::from(number) {
            Some(format!("message {number} came out before message {}", seen.len()))
        } else {
            None
        };
        self.delivered[end].push(number);
        self.delivered[end].sort();
        broken
    }

    /// Messages were accepted that never came out, and nothing can happen any more.
    pub fn is_stuck(&self, bounds: &Bounds, observer: Observer) -> bool {
        let outstanding = (0..2).any(|end| self.delivered[1 - end].len() < usize::from(self.sent[end]));
        observer == Observer::Reliable && outstanding && self.actions(bounds).is_empty()
    }

    /// The whole as bytes; equal states have equal bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = vec![self.sent[0], self.sent[1], self.losses, self.duplications];
        let mut put = |bytes: &[u8]| {
            to.extend((bytes.len() as u32).to_le_bytes());
            to.extend(bytes);
        };
        for end in 0..2 {
            put(&self.ends[end].abstract_bytes());
            // What is kept decides what is refused for want of space.
            put(&self.ends[end].free_blocks().to_le_bytes());
            put(&self.delivered[end]);
            put(&(self.flight[end].len() as u32).to_le_bytes());
            self.flight[end].iter().for_each(|frame| put(frame));
        }
        to
    }
}

/// Where the timer at a place stands among those that are armed, by deadline.
fn due(machine: &Machine, place: usize) -> usize {
    let armed = machine.armed();
    let mut order: Vec<usize> = (0..armed.len()).collect();
    order.sort_by(|a, b| {
        let key = |at: usize| (armed[at].layer, armed[at].timer, &armed[at].indices);
        key(*a).cmp(&key(*b))
    });
    order.get(place).copied().unwrap_or(armed.len())
}

/// Each message is another: its end and number in the first byte.
pub fn message(end: usize, number: u8, size: usize) -> Vec<u8> {
    vec![(end as u8) << 7 | (number + 1); size]
}

/// Where an end is.
pub fn address(end: usize) -> Addr {
    let mut ip = [0; 16];
    ip[12..].copy_from_slice(&[10, 0, 0, end as u8 + 1]);
    Addr { ip, port: 7000, family: 4 }
}

/// The call that sends: its place in [`Stack::interface`].
pub fn send_event(stack: &Stack) -> Option<u32> {
    let sends = |e: &nacre_stack::PortEvent| {
        let parameters = &stack.event(e.event).parameters;
        e.port != PortId(0) && e.input.is_some() && parameters.len() == 1 && parameters[0].ty == Type::Msg
    };
    stack.interface().iter().position(sends).map(|at| at as u32)
}

/// What an end is opened with: the peer's address; each end's own cookie; for the rest the same at both ends.
pub fn config(stack: &Stack, end: usize) -> Config {
    let value = |cell: &Cell| {
        let number = if matches!(cell.name.as_str(), "cookie" | "incarnation") { end as u64 + 1 } else { 1 };
        match &cell.ty {
            Type::Addr => Value::Addr(address(1 - end)),
            Type::Bytes(len) => Value::Bytes(vec![number as u8; *len as usize]),
            Type::Range(low, _) => Value::Num(*low),
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Value::Num(number & mask(u32::from(*bits))),
            other => stack.zero(other),
        }
    };
    let wanted = stack.cells.iter().filter(|c| c.scope == Scope::Given && c.initial.is_none());
    let name = |cell: &Cell| format!("{}.{}", stack.layer(cell.layer).name, cell.name);
    wanted.fold(Config::default(), |config, cell| config.given(&name(cell), value(cell)))
}
