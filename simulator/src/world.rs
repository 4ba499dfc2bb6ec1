//! Endpoints on a network with one clock: a discrete-event simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::endpoint::{Address, Endpoint, Maker, Opening, Outcome, Output, Step, NEVER};
use crate::interface::{givens, Ends, Interface, Kind};
use crate::network::{damage, Item, Link, Network};
use crate::random::{hash, Random};

/// The initial time: not 0, which is also the deadline "at once".
pub const BEGIN: u64 = 1_000_000_000;
/// The limit of steps without time passing; more are a cycle.
const IDLE_STEPS_MAX: u32 = 100_000;

/// One endpoint, and its outputs for the host.
pub struct Node {
    pub name: String,
    pub endpoint: Box<dyn Endpoint>,
    pub address: Address,
    /// The other endpoints: of a connection one.
    pub peers: Vec<usize>,
    pub interface: Rc<Interface>,
    /// Events for the host, with their times; frames are not among them.
    pub came: Vec<(u64, Output)>,
    /// The number of frames sent so far.
    pub frames: u64,
    /// The bytes of these frames.
    pub bytes: u64,
    pub dropped: u64,
    dead: bool,
}

/// A recorded event, for the sequence chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub time: u64,
    pub node: usize,
    pub what: Happened,
}

/// An entry of the trace: an event at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    Called {
        event: u16,
        arguments: Vec<u64>,
        length: Option<usize>,
        outcome: Outcome,
    },
    /// A frame was sent to a node, the `number`th of its sender; `arrivals`: the arrival times of its copies.
    Sent {
        number: u64,
        to: usize,
        frame: Vec<u8>,
        faults: Vec<Item>,
        arrivals: Vec<u64>,
    },
    Arrived {
        number: u64,
        from: usize,
        sent: u64,
        frame: Vec<u8>,
        damaged: bool,
        outcome: Outcome,
    },
    Fired,
    Came {
        event: u16,
        arguments: Vec<u64>,
        length: Option<usize>,
    },
    /// A note of the simulation.
    Noted(String),
}

/// A frame in flight.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    at: u64,
    order: u64,
    to: usize,
    from: usize,
    number: u64,
    sent: u64,
    damaged: bool,
    frame: Vec<u8>,
}

/// Endpoints, the frames in flight between them, and the clock, in nanoseconds.
pub struct World {
    pub now: u64,
    pub network: Network,
    pub nodes: Vec<Node>,
    /// The faults so far.
    pub faults: Vec<Item>,
    pub trace: Option<Vec<Entry>>,
    /// The total number of steps.
    pub steps: u64,
    /// Hashes of the frames and outputs of each node, in order; see `digest`.
    sums: Vec<u64>,
    /// By side: the first endpoints of all groups share one, the second ones another.
    links: Vec<Link>,
    flying: BinaryHeap<Reverse<Flying>>,
    order: u64,
    idle_steps: u32,
}

impl World {
    /// Returns a world without nodes; with `tracing`, it records a trace.
    pub fn new(network: Network, tracing: bool) -> World {
        World {
            now: BEGIN,
            network,
            nodes: Vec::new(),
            faults: Vec::new(),
            trace: tracing.then(Vec::new),
            steps: 0,
            sums: Vec::new(),
            links: Vec::new(),
            flying: BinaryHeap::new(),
            order: 0,
            idle_steps: 0,
        }
    }

    /// Opens endpoints that talk to each other, usually the two of a connection; returns the index of the first, the
    /// others have the next indices.
    pub fn group(&mut self, names: &[&str], makers: &[&dyn Maker], interface: &Rc<Interface>) -> Result<usize, String> {
        let first = self.nodes.len();
        let mut began = Vec::new();
        for (side, (name, maker)) in names.iter().zip(makers).enumerate() {
            let index = first + side;
            let peers: Vec<usize> = (first..first + names.len()).filter(|peer| *peer != index).collect();
            let opening = self.opening(index, peers.first().copied().unwrap_or(index), first, interface);
            let (endpoint, outputs) = maker.open(&opening)?;
            self.nodes.push(Node {
                name: name.to_string(),
                endpoint,
                address: address(index),
                peers,
                interface: interface.clone(),
                came: Vec::new(),
                frames: 0,
                bytes: 0,
                dropped: 0,
                dead: false,
            });
            self.sums.push(0);
            began.push((index, outputs));
        }
        for (index, outputs) in began {
            self.after(index, outputs);
        }
        Ok(first)
    }

    /// Returns the given values of a connection.
    fn opening(&self, index: usize, peer: usize, pair: usize, interface: &Interface) -> Opening {
        let mut random = Random::new(hash(&[self.network.seed, 0x6f70_656e, index as u64]));
        let shared = hash(&[self.network.seed, 0x7368_6172_6564, pair as u64]);
        let givens = givens(&interface.givens, &mut random, shared, Ends { own: index, peer }, address(peer));
        Opening { givens, seed: random.number(), now: self.now }
    }

    /// Calls an event and handles its effects.
    pub fn call(&mut self, node: usize, event: u16, numbers: &[u64], to: Option<Address>, message: &[u8]) -> Outcome {
        let now = self.now;
        let Step { outcome, outputs } = self.nodes[node].endpoint.call(now, event, numbers, to, message);
        let length = self.nodes[node].interface.event(event).is_some_and(|e| e.has_message()).then_some(message.len());
        self.note(node, Happened::Called { event, arguments: numbers.to_vec(), length, outcome });
        self.after(node, outputs);
        outcome
    }

    /// Returns the time of the next event: a timer or a frame.
    pub fn next(&self) -> u64 {
        let timer = self.live().map(|(_, node)| node.endpoint.deadline()).min().unwrap_or(NEVER);
        let frame = self.flying.peek().map_or(NEVER, |f| f.0.at);
        timer.min(frame)
    }

    /// Whether no frame is in flight.
    pub fn silent(&self) -> bool {
        self.flying.is_empty()
    }

    fn live(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes.iter().enumerate().filter(|(_, node)| !node.dead)
    }

    /// Fails if a node has made too many steps without time passing.
    pub fn check_progress(&self) -> Result<(), String> {
        if self.idle_steps < IDLE_STEPS_MAX {
            Ok(())
        } else {
            Err(self.endless())
        }
    }

    fn endless(&self) -> String {
        let why = match self.due() {
            Some(_) => "a timer or a `later` event is always due",
            None => "each frame is answered at once (a network with a delay lets time pass)",
        };
        format!("{IDLE_STEPS_MAX} steps without time passing: {why}")
    }

    /// A node with a timer that has expired, or with a `later` event.
    fn due(&self) -> Option<usize> {
        self.live().find(|(_, node)| node.endpoint.deadline() <= self.now).map(|(index, _)| index)
    }

    /// Runs the next event if it is not after `until`, and returns its node. None: the time is `until` now.
    ///
    /// Fails if a node makes too many steps without time passing.
    pub fn advance(&mut self, until: u64) -> Result<Option<usize>, String> {
        let next = self.next();
        if next > until {
            if until > self.now && until != NEVER {
                self.now = until;
                self.idle_steps = 0;
            }
            return Ok(None);
        }
        if next > self.now {
            self.now = next;
            self.idle_steps = 0;
        }
        self.idle_steps += 1;
        if self.idle_steps > IDLE_STEPS_MAX {
            return Err(self.endless());
        }
        let index = match self.due() {
            Some(index) => {
                self.tick(index);
                index
            }
            None => self.arrive(),
        };
        Ok(Some(index))
    }

    fn tick(&mut self, index: usize) {
        let Step { outputs, .. } = self.nodes[index].endpoint.tick(self.now);
        self.note(index, Happened::Fired);
        self.after(index, outputs);
    }

    fn arrive(&mut self) -> usize {
        let Reverse(f) = self.flying.pop().expect("`next` has seen it");
        if self.nodes[f.to].dead {
            return f.to;
        }
        let from = self.nodes[f.from].address;
        let Step { outcome, outputs } = self.nodes[f.to].endpoint.input(self.now, from, &f.frame);
        if outcome != Outcome::Done {
            self.nodes[f.to].dropped += 1;
        }
        if self.trace.is_some() {
            let (number, from, sent, damaged) = (f.number, f.from, f.sent, f.damaged);
            self.note(f.to, Happened::Arrived { number, from, sent, frame: f.frame, damaged, outcome });
        }
        self.after(f.to, outputs);
        f.to
    }

    /// Completes a step: settles, collects the outputs, and runs `later` events, which precede all others.
    /// If there are too many, `check_progress` and `advance` fail next.
    fn after(&mut self, index: usize, outputs: Vec<Output>) {
        self.steps += 1;
        self.put(index, outputs);
        let settled = self.nodes[index].endpoint.settle();
        self.put(index, settled);
        for _ in 0..IDLE_STEPS_MAX {
            if self.nodes[index].endpoint.deadline() != 0 {
                return;
            }
            self.steps += 1;
            let Step { outputs, .. } = self.nodes[index].endpoint.tick(self.now);
            self.put(index, outputs);
            let settled = self.nodes[index].endpoint.settle();
            self.put(index, settled);
        }
        self.idle_steps = IDLE_STEPS_MAX;
    }

    /// Passes frames to the network first, then events to the host, port by port: the interleaving of ports is
    /// unspecified.
    fn put(&mut self, index: usize, outputs: Vec<Output>) {
        let (frames, mut events): (Vec<Output>, Vec<Output>) = outputs.into_iter().partition(Output::is_frame);
        events.sort_by_key(|event| event.port);
        for frame in frames {
            self.send(index, frame);
        }
        for output in events {
            let message = output.message.as_deref();
            self.sum(index, u64::from(output.event), &output.arguments, message.unwrap_or(&[]));
            let length = message.map(<[u8]>::len);
            self.note(index, Happened::Came { event: output.event, arguments: output.arguments.clone(), length });
            self.nodes[index].came.push((self.now, output));
        }
    }

    /// Sends a frame to its address, or to every peer if its event has none. Events without a message are not frames.
    fn send(&mut self, index: usize, output: Output) {
        let Some(frame) = output.message else { return };
        let event = self.nodes[index].interface.event(output.event);
        if !event.is_some_and(|event| event.parameters.contains(&Kind::Address)) {
            let peers = self.nodes[index].peers.clone();
            return peers.into_iter().for_each(|peer| self.send_to(index, Some(peer), frame.clone()));
        }
        let to = output.address.and_then(|to| self.nodes.iter().position(|node| node.address == to));
        self.send_to(index, to, frame);
    }

    /// Sends a frame to a node; none: it is at no address.
    fn send_to(&mut self, index: usize, to: Option<usize>, frame: Vec<u8>) {
        let number = self.nodes[index].frames;
        self.nodes[index].frames += 1;
        self.nodes[index].bytes += frame.len() as u64;
        self.sum(index, u64::MAX, &[self.now], &frame);
        let side = self.nodes[index].peers.iter().filter(|peer| **peer < index).count();
        self.links.resize(self.links.len().max(side + 1), Link::default());
        let fate = self.network.fate(self.now, (index as u32, number), frame.len(), &mut self.links[side]);
        self.faults.extend(fate.items.iter().copied());
        if self.trace.is_some() {
            let (faults, arrivals) = (fate.items.clone(), fate.arrivals.clone());
            let to = to.unwrap_or(index);
            self.note(index, Happened::Sent { number, to, frame: frame.clone(), faults, arrivals });
        }
        let Some(to) = to else { return };
        for at in fate.arrivals {
            let mut frame = frame.clone();
            if let Some(seed) = fate.damage {
                damage(&mut frame, seed);
            }
            self.order += 1;
            let damaged = fate.damage.is_some();
            self.flying.push(Reverse(Flying {
                at,
                order: self.order,
                to,
                from: index,
                number,
                sent: self.now,
                damaged,
                frame,
            }));
        }
    }

    /// Appends an entry to the trace, if there is one.
    pub fn note(&mut self, node: usize, what: Happened) {
        if let Some(trace) = &mut self.trace {
            trace.push(Entry { time: self.now, node, what });
        }
    }

    fn sum(&mut self, index: usize, kind: u64, numbers: &[u64], bytes: &[u8]) {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        let head = [self.sums[index], kind, self.now, bytes.len() as u64];
        let parts: Vec<u64> = head.into_iter().chain(numbers.iter().copied()).chain(words).collect();
        self.sums[index] = hash(&parts);
    }

    /// Returns a hash of the run: frames, events, and their times.
    pub fn digest(&self) -> u64 {
        hash(&self.sums)
    }

    /// Ends a node: it frees its blocks and receives nothing any more.
    pub fn discard(&mut self, index: usize) {
        self.nodes[index].endpoint.discard();
        self.nodes[index].dead = true;
    }
}

/// The address of a node.
pub fn address(index: usize) -> Address {
    let mut ip = [0; 16];
    let [.., high, low] = (index as u32 + 1).to_be_bytes();
    ip[12..].copy_from_slice(&[10, 0, high, low]);
    Address { ip, port: 7000, family: 4 }
}
