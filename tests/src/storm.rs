//! A seeded storm of events over two ends of a connection: calls, frames, damaged, repeated, made-up and impossible frames,
//! ticks in and out of time, jumps of the clock. Nothing is promised to the stack but that time does not run backwards.

use std::collections::BTreeMap;

use nacre_simulator::endpoint::{Address, Endpoint, Maker, Opening, Outcome, Output, NEVER};
use nacre_simulator::interface::{givens, Interface};
use nacre_simulator::random::Random;
use nacre_simulator::world::address;
use nacre_stack::interpret::{Rule, Value};
use nacre_stack::{Stack, Type};

use crate::values::value;

/// How many events one connection lives for.
const LIFE: u64 = 1200;
/// Frames on the way at most, and frames of the past that may come again.
const FLYING: usize = 64;
const PAST: usize = 128;
/// Most messages are shorter than this: the longest cost as much as thousands of others.
const USUAL: u64 = 300;
/// Bytes of longer messages that a connection gets, and that one in eight does, so that some meet the ends of all ranges.
const LONG: u64 = 6_000;
const LONGEST: u64 = 250_000;

/// What was seen, so that a campaign can show that it has looked.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub events: u64,
    pub connections: u64,
    /// Frames that left, deliveries and other events that came out.
    pub outputs: BTreeMap<String, u64>,
    /// `call Done`, `frame Dropped`, ...
    pub outcomes: BTreeMap<String, u64>,
    /// Of both ends, by name.
    pub counters: BTreeMap<String, u64>,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.events += other.events;
        self.connections += other.connections;
        let maps = [
            (&mut self.outputs, &other.outputs),
            (&mut self.outcomes, &other.outcomes),
            (&mut self.counters, &other.counters),
        ];
        for (mine, others) in maps {
            others.iter().for_each(|(name, n)| *mine.entry(name.clone()).or_insert(0) += n);
        }
    }

    pub fn outcome(&self, name: &str) -> u64 {
        self.outcomes.get(name).copied().unwrap_or(0)
    }

    pub fn output(&self, name: &str) -> u64 {
        self.outputs.get(name).copied().unwrap_or(0)
    }

    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }
}

/// Whether a report of a machine is that one of these rules is broken.
pub fn breaks(report: &str, rules: &[Rule]) -> bool {
    rules.iter().any(|rule| report.contains(&format!(": {rule}: ")))
}

/// Runs connections one after the other until the number of events is reached.
///
/// Errors: what broke, with the seed and the number of the event.
pub fn storm(stack: &Stack, maker: &dyn Maker, seed: u64, events: u64, tally: &mut Tally) -> Result<(), String> {
    // What layers assert about the network is no rule for it.
    storm_excusing(stack, maker, seed, events, tally, |report| breaks(report, &[Rule::Assert]))
}

/// The same, where some reports are no errors.
pub fn storm_excusing(
    stack: &Stack,
    maker: &dyn Maker,
    seed: u64,
    events: u64,
    tally: &mut Tally,
    is_excused: fn(&str) -> bool,
) -> Result<(), String> {
    let target = tally.events + events;
    let mut connection = 0;
    while tally.events < target {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(connection);
        connection += 1;
        // Short campaigns have a few connections too.
        let life = LIFE.min(events / 3 + 1).min(target - tally.events);
        let mut storm = Storm::open(stack, maker, seed, is_excused)?;
        let ran = storm.live(life, 32);
        storm.count(tally);
        if ran.is_err() {
            // Once more, asking after each event.
            let mut storm = Storm::open(stack, maker, seed, is_excused)?;
            let ran = storm.live(life, 1);
            let what = ran.err().unwrap_or_else(|| "does not fail when it runs again".into());
            return Err(format!(
                "{}, connection seed {seed}, event {}, {}: {what}",
                stack.name, storm.events, storm.last
            ));
        }
    }
    Ok(())
}

/// Calls of `send` at both ends, and a network that hands on all frames in order.
pub fn calm(
    stack: &Stack,
    maker: &dyn Maker,
    seed: u64,
    calls: u64,
    tally: &mut Tally,
    is_excused: fn(&str) -> bool,
) -> Result<(), String> {
    let mut storm = Storm::open(stack, maker, seed, is_excused)?;
    for _ in 0..calls {
        let end = storm.random.below(2) as usize;
        storm.call(end);
        for _ in 0..FLYING {
            match storm.flying.is_empty() {
                true => storm.tick(end),
                false => {
                    let (end, frame) = storm.flying.remove(0);
                    storm.input(end, "frame", &frame);
                }
            }
            if storm.flying.is_empty() && storm.ends.iter().all(|end| end.endpoint.deadline() > 0) {
                break;
            }
        }
    }
    storm.count(tally);
    storm.check()
}

struct End {
    endpoint: Box<dyn Endpoint>,
    address: Address,
    /// Bytes that are copied into crafted frames: the last valid frames to this end.
    past: Vec<Vec<u8>>,
}

struct Storm<'s> {
    stack: &'s Stack,
    interface: Interface,
    /// Events that the host can call, with the types of their numbers.
    inputs: Vec<(u16, Vec<Type>)>,
    ends: Vec<End>,
    flying: Vec<(usize, Vec<u8>)>,
    random: Random,
    now: u64,
    /// Bytes of long messages that may still be sent.
    long: u64,
    events: u64,
    /// Reports that are no errors.
    is_excused: fn(&str) -> bool,
    outputs: BTreeMap<String, u64>,
    outcomes: BTreeMap<String, u64>,
    /// The last event, in words.
    last: String,
}

impl<'s> Storm<'s> {
    fn open(stack: &'s Stack, maker: &dyn Maker, seed: u64, is_excused: fn(&str) -> bool) -> Result<Storm<'s>, String> {
        let interface = Interface::of(stack);
        let mut random = Random::new(seed);
        // Clocks may begin anywhere, also shortly before their end.
        let now = match random.below(8) {
            0 => 1,
            1 => u64::MAX - 3_600_000_000_000,
            2 => u64::MAX - 50_000_000,
            3 => 1 << 63,
            _ => 1_000_000_000,
        };
        let long = if random.below(8) == 0 { LONGEST } else { LONG };
        let typed = |(index, event): (usize, &nacre_stack::PortEvent)| {
            let declared = stack.event(event.event);
            let numbers =
                declared.parameters.iter().map(|p| p.ty.clone()).filter(|ty| !matches!(ty, Type::Msg | Type::Addr));
            // At the network `init` is what opening does, and a message is a frame.
            let network =
                event.port.0 == 0 && (declared.message.is_some() || declared.role == nacre_stack::EventRole::Opening);
            let mine = event.input.is_some() && !network;
            mine.then(|| (index as u16, numbers.collect()))
        };
        let inputs = stack.interface().iter().enumerate().filter_map(typed).collect();
        let mut storm = Storm {
            stack,
            interface,
            inputs,
            ends: Vec::new(),
            flying: Vec::new(),
            random,
            now,
            long,
            events: 0,
            is_excused,
            outputs: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            last: "opening".into(),
        };
        let shared = storm.random.number();
        for end in 0..2 {
            let givens = givens(&storm.interface.givens, &mut storm.random, shared, address(1 - end));
            let opening = Opening { givens, seed: storm.random.number(), now };
            let (endpoint, outputs) = maker.open(&opening)?;
            storm.ends.push(End { endpoint, address: address(end), past: Vec::new() });
            storm.take(end, outputs);
        }
        Ok(storm)
    }

    /// `every`: after so many events it is asked what broke, which is expensive.
    fn live(&mut self, life: u64, every: u64) -> Result<(), String> {
        while self.events < life {
            self.step();
            if self.events % every == 0 {
                self.check()?;
            }
        }
        self.check()?;
        for end in &mut self.ends {
            end.endpoint.discard();
            let (free, all) = end.endpoint.space();
            if free != all {
                return Err(format!("{} of {all} blocks are still held after the end", all - free));
            }
        }
        Ok(())
    }

    /// Machines that differ, and rules that no input may break, but for those that are excused.
    fn check(&self) -> Result<(), String> {
        let reports = self.ends.iter().flat_map(|end| end.endpoint.reports());
        match reports.into_iter().find(|report| !(self.is_excused)(report)) {
            Some(report) => Err(report),
            None => Ok(()),
        }
    }

    fn count(&self, tally: &mut Tally) {
        tally.events += self.events;
        tally.connections += 1;
        let add = |to: &mut BTreeMap<String, u64>, name: &str, n: u64| *to.entry(name.to_string()).or_insert(0) += n;
        self.outputs.iter().for_each(|(name, n)| add(&mut tally.outputs, name, *n));
        self.outcomes.iter().for_each(|(name, n)| add(&mut tally.outcomes, name, *n));
        for end in &self.ends {
            let counters = end.endpoint.counters();
            self.interface.counters.iter().zip(counters).for_each(|(name, n)| add(&mut tally.counters, name, n));
        }
    }

    fn step(&mut self) {
        self.events += 1;
        let end = self.random.below(2) as usize;
        let pass = match self.random.below(64) {
            0..=15 => self.random.below(4_000_000),
            16 => self.random.below(60_000_000),
            17 if self.random.below(8) == 0 => self.random.below(5_000_000_000),
            _ => 0,
        };
        self.now = self.now.saturating_add(pass).min(NEVER - 1);
        let deadline = self.ends[end].endpoint.deadline();
        if deadline == 0 && self.random.below(8) > 0 {
            return self.tick(end);
        }
        match self.random.below(40) {
            0..=11 => self.call(end),
            12..=25 => self.arrive(),
            26 | 27 => self.damaged(end),
            28 => self.made_up(end),
            29 | 30 => self.crafted(end),
            31 => self.again(end),
            32..=35 if deadline != NEVER => {
                self.now = self.now.max(deadline);
                self.tick(end);
            }
            _ => self.tick(end),
        }
    }

    fn note(&mut self, what: &str, outcome: Outcome) {
        self.last = format!("{what} at {}", self.now);
        *self.outcomes.entry(format!("{what} {outcome:?}")).or_insert(0) += 1;
    }

    fn tick(&mut self, end: usize) {
        let step = self.ends[end].endpoint.tick(self.now);
        self.note("tick", step.outcome);
        self.take(end, step.outputs);
    }

    fn call(&mut self, end: usize) {
        if self.random.below(100) == 0 {
            return self.wrong_call(end);
        }
        let Some((event, types)) = self.choose() else {
            return self.tick(end);
        };
        let has_message = self.interface.event(event).is_some_and(|e| e.has_message());
        let numbers: Vec<u64> = types.iter().map(|ty| self.argument(ty)).collect();
        let message = if has_message { self.message() } else { Vec::new() };
        let peer = self.ends[1 - end].address;
        let accepts = self.ends[end].endpoint.accepts(event, message.len());
        let step = self.ends[end].endpoint.call(self.now, event, &numbers, Some(peer), &message);
        self.note(if accepts { "call" } else { "unaccepted call" }, step.outcome);
        self.last += &format!(", {}({numbers:?}, {} bytes)", self.name(event), message.len());
        self.take(end, step.outputs);
    }

    fn name(&self, event: u16) -> &str {
        self.interface.event(event).map_or("?", |event| &event.name)
    }

    /// What the host calls: to send is what happens most, to close is rare, and what comes after it is tried as well.
    fn choose(&mut self) -> Option<(u16, Vec<Type>)> {
        let close = self.random.below(250) == 0;
        let send = !close && self.random.below(4) > 0;
        let wanted = |storm: &Storm, event: u16| match storm.name(event) {
            "close" => close,
            "send" => !close,
            _ => !close && !send,
        };
        let fitting: Vec<usize> = (0..self.inputs.len()).filter(|at| wanted(self, self.inputs[*at].0)).collect();
        let at = *fitting.get(self.random.below(fitting.len() as u64) as usize)?;
        Some(self.inputs[at].clone())
    }

    /// An event that does not exist or comes out, or a number beyond its type.
    fn wrong_call(&mut self, end: usize) {
        let event = self.random.below(self.interface.events.len() as u64 + 2) as u16;
        let numbers = [self.random.number(); 4];
        let count = self.interface.event(event).map_or(0, |e| e.numbers());
        let is_frame = self.interface.event(event).is_some_and(|e| e.port == 0);
        if is_frame {
            return self.tick(end);
        }
        let step = self.ends[end].endpoint.call(self.now, event, &numbers[..count.min(4)], None, b"wrong");
        self.note("wrong call", step.outcome);
        self.last += &format!(", event {event}({numbers:?})");
        self.take(end, step.outputs);
    }

    fn argument(&mut self, ty: &Type) -> u64 {
        let few = self.random.below(2) == 0;
        match (ty, value(self.stack, &mut self.random, ty)) {
            (Type::UInt(_), _) if few => self.random.below(4),
            // Numbers with a sign are extended to 64 bits.
            (Type::Int(bits), Value::Num(n)) => {
                let free = 64 - u32::from(*bits);
                (((n << free) as i64) >> free) as u64
            }
            (_, Value::Num(n)) => n,
            _ => 0,
        }
    }

    fn message(&mut self) -> Vec<u8> {
        let block = u64::from(self.stack.bounds.block);
        let longest = u64::from(self.stack.bounds.frame_data);
        let usual = USUAL.min(longest + 1);
        let length = match self.random.below(80) {
            0..=9 => 0,
            10..=59 => self.random.below(40),
            60..=69 => self.random.length(0, usual),
            70..=75 => self.random.below(3 * block + 2),
            76..=78 => self.random.below(longest + 2),
            _ => self.random.length(0, 80 * longest.min(2000)),
        };
        let length = if length <= usual || length <= self.long { length } else { self.random.below(usual) };
        self.long -= if length > usual { length } else { 0 };
        let mut bytes = vec![0; length as usize];
        self.random.fill(&mut bytes);
        bytes
    }

    fn input(&mut self, end: usize, what: &str, frame: &[u8]) {
        let from = self.ends[1 - end].address;
        let step = self.ends[end].endpoint.input(self.now, from, frame);
        self.note(what, step.outcome);
        self.last += &format!(", {} bytes", frame.len());
        self.take(end, step.outputs);
    }

    /// The oldest frame mostly; some are lost, some come before others.
    fn arrive(&mut self) {
        if self.flying.is_empty() {
            return self.tick(0);
        }
        let at = if self.random.below(5) == 0 { self.random.below(self.flying.len() as u64) as usize } else { 0 };
        let (end, frame) = self.flying.remove(at);
        if self.random.below(10) > 0 {
            self.input(end, "frame", &frame);
        }
    }

    fn damaged(&mut self, end: usize) {
        let Some(mut frame) = self.old(end) else {
            return self.tick(end);
        };
        for _ in 0..=self.random.below(3) {
            let length = frame.len() as u64;
            match self.random.below(6) {
                0 => frame.truncate(self.random.below(length + 1) as usize),
                1 => {
                    let mut more = vec![0; self.random.below(20) as usize];
                    self.random.fill(&mut more);
                    frame.extend(more);
                }
                2 => {
                    let other = self.old(end).unwrap_or_default();
                    let cut = self.random.below(length.min(other.len() as u64) + 1) as usize;
                    frame.truncate(cut);
                    frame.extend(&other[cut..]);
                }
                _ if length > 0 => {
                    let near = if self.random.below(4) == 0 { length } else { length.min(16) };
                    let at = self.random.below(near) as usize;
                    frame[at] ^= 1 << self.random.below(8);
                }
                _ => {}
            }
        }
        self.input(end, "damaged frame", &frame);
    }

    fn made_up(&mut self, end: usize) {
        let mut frame = vec![0; self.random.length(0, 80) as usize];
        self.random.fill(&mut frame);
        self.input(end, "made-up frame", &frame);
    }

    /// A well-formed frame with other values in it: what a peer sends that is mistaken or wants to do harm.
    fn crafted(&mut self, end: usize) {
        let Some(frame) = self.old(end) else {
            return self.tick(end);
        };
        let stack = self.stack;
        let layout = &stack.layouts[0];
        let Some(parsed) = stack.parse(layout, &frame) else {
            return self.input(end, "crafted frame", &frame);
        };
        let mut shape = &layout.shapes[parsed.shape];
        let mut headers = parsed.headers;
        if self.random.below(2) == 0 {
            let other = &layout.shapes[self.random.below(layout.shapes.len() as u64) as usize];
            let known = |id| headers.iter().find(|(known, _)| *known == id).cloned();
            headers =
                other.headers.iter().rev().map(|id| known(*id).unwrap_or_else(|| (*id, self.fields(*id)))).collect();
            shape = other;
        }
        // The lowest header finds the connection: it stays, mostly.
        let most = headers.len().saturating_sub(usize::from(self.random.below(8) > 0)) as u64;
        if most > 0 {
            let (id, values) = &mut headers[self.random.below(most) as usize];
            let fields = &stack.header(*id).fields;
            if !fields.is_empty() {
                let at = self.random.below(fields.len() as u64) as usize;
                values[at] = match &values[at] {
                    Value::Num(n) if self.random.below(2) == 0 => {
                        let near = Value::Num(
                            n.wrapping_add(self.random.below(9)).wrapping_sub(4) & nacre_stack::mask(fields[at].bits),
                        );
                        if stack.fits(&near, &fields[at].ty) {
                            near
                        } else {
                            values[at].clone()
                        }
                    }
                    _ => value(stack, &mut self.random, &fields[at].ty),
                };
            }
        }
        let mut crafted = stack.head(layout, shape, &headers);
        crafted.extend(&frame[parsed.size..]);
        self.input(end, "crafted frame", &crafted);
    }

    fn fields(&mut self, id: nacre_stack::HeaderId) -> Vec<Value> {
        let stack = self.stack;
        stack.header(id).fields.iter().map(|field| value(stack, &mut self.random, &field.ty)).collect()
    }

    fn again(&mut self, end: usize) {
        let Some(frame) = self.old(end) else {
            return self.tick(end);
        };
        self.input(end, "frame again", &frame);
    }

    fn old(&mut self, end: usize) -> Option<Vec<u8>> {
        let past = &self.ends[end].past;
        // The latest are those that fit the state.
        let back = self.random.length(1, past.len() as u64) as usize;
        past.len().checked_sub(back).and_then(|at| past.get(at)).cloned()
    }

    fn take(&mut self, end: usize, outputs: Vec<Output>) {
        for output in outputs {
            if !output.is_frame() {
                let name = self.interface.event(output.event).map_or("?", |event| &event.name).to_string();
                *self.outputs.entry(name).or_insert(0) += 1;
                continue;
            }
            *self.outputs.entry("frame".into()).or_insert(0) += 1;
            let frame = output.message.unwrap_or_default();
            let to = 1 - end;
            if let Some(peer) = self.ends.get_mut(to) {
                peer.past.push(frame.clone());
                if peer.past.len() > PAST {
                    peer.past.remove(0);
                }
            }
            if self.random.below(12) == 0 {
                self.flying.push((to, frame.clone()));
            }
            self.flying.push((to, frame));
            while self.flying.len() > FLYING {
                self.flying.remove(0);
            }
        }
    }
}
