//! The interpreter and the emitted C at every level, under the same events.

use std::collections::BTreeMap;

use nacre_backend_c::Level;
use nacre_stack::interpret::{Addr, Config, Machine, Outcome, SplitMix64, Value};
use nacre_stack::*;

use super::live::{self, config_bytes, first_difference, Library, Live, Output};

/// One endpoint of the connection: the reference, and the same in C.
struct End<'l> {
    reference: Machine,
    lives: Vec<(&'static str, Live<'l>)>,
    address: Addr,
    givens: Vec<(String, Vec<u8>)>,
}

pub struct World<'l> {
    stack: &'l Stack,
    /// Abstract states omit times.
    erases_times: bool,
    ends: Vec<End<'l>>,
    /// Receiver, port, contents.
    flying: Vec<(usize, u16, Vec<u8>)>,
    dice: SplitMix64,
    now: u64,
    seed: u64,
    step: u64,
    pub seen: BTreeMap<String, u64>,
}

fn code(outcome: Outcome) -> i32 {
    match outcome {
        Outcome::Ok => 0,
        Outcome::Idle => 1,
        Outcome::Refused => 2,
        Outcome::Busy => 3,
        Outcome::NoSpace => 4,
        Outcome::Dropped => 5,
        Outcome::Invalid => 6,
    }
}

/// Compiles a stack at all levels with these flags, and runs it from each seed.
pub fn run(stack: &Stack, flags: &[&str], seeds: std::ops::Range<u64>, steps: u64) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut optimized = stack.clone();
    nacre_optimize::pass_over::fuse(&mut optimized);
    nacre_optimize::calls::decide(&mut optimized);
    nacre_optimize::inline::mark(&mut optimized);
    let libraries: Vec<(&'static str, Library)> =
        Level::ALL.iter().map(|level| (level.name(), live::load(&optimized, *level, flags, folder.path()))).collect();
    let mut seen = BTreeMap::new();
    for seed in seeds {
        let mut world = World::new(stack, &libraries, seed);
        (0..steps).for_each(|_| world.step());
        world.end();
        world.seen.into_iter().for_each(|(what, n)| *seen.entry(what).or_insert(0) += n);
    }
    seen
}

impl<'l> World<'l> {
    pub fn new(stack: &'l Stack, libraries: &'l [(&'static str, Library)], seed: u64) -> World<'l> {
        let mut world = World {
            stack,
            erases_times: nacre_analysis::timing::erasure(stack).is_empty(),
            ends: vec![],
            flying: vec![],
            dice: SplitMix64(seed),
            now: 1000,
            seed,
            step: 0,
            seen: BTreeMap::new(),
        };
        for end in 0..2u8 {
            let address = Addr { ip: [end; 16], port: 7000 + end as u16, family: 6 };
            let other = Addr { ip: [1 - end; 16], port: 7000 + (1 - end) as u16, family: 6 };
            let (mut config, mut givens) = (Config { seed, ..Config::default() }, vec![]);
            // Sometimes sequence numbers are about to wrap.
            config.first_number = if seed % 4 == 1 { 0u64.wrapping_sub(1 + seed % 7) } else { 0 };
            let first = config.first_number;
            // Sometimes there is little space.
            let least = stack.bounds.blocks.min(8);
            let blocks = if seed % 3 == 0 {
                least + world.dice.below(stack.bounds.blocks as u64 + 1) as u32
            } else {
                4 * stack.bounds.blocks
            };
            let blocks = blocks.min(0xffff);
            config.blocks = Some(blocks);
            for cell in stack.cells.iter().filter(|c| c.is_configured() && c.initial.is_none()) {
                let value = match cell.ty {
                    Type::Addr => Value::Addr(other),
                    Type::UInt(b) => Value::Num((world.dice.draw() & mask(b as u32)).max(1)),
                    _ => world.value(&cell.ty),
                };
                let name = format!("{}.{}", stack.layer(cell.layer).name, cell.name);
                givens.push((name.clone(), config_bytes(&value)));
                config = config.given(&name, value);
            }
            let mut reference = Machine::new(stack, config);
            let outcome = reference.open(world.now);
            let lives = libraries.iter().map(|(name, library)| (*name, Live::new(library, blocks))).collect();
            world.ends.push(End { reference, lives, address, givens: givens.clone() });
            let now = world.now;
            world.compare(end as usize, code(outcome), "open", |live| live.open(&givens, first, seed, now));
        }
        world
    }

    fn below(&mut self, n: u64) -> u64 {
        self.dice.below(n)
    }

    /// Returns a random number of a type, or an address.
    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Num(self.below(2)),
            Type::UInt(b) | Type::Int(b) | Type::Seq(b) => {
                let few = self.below(3) > 0;
                let n = if few { self.below(6) } else { self.dice.draw() };
                Value::Num(n & mask(*b as u32))
            }
            Type::Range(low, high) => Value::Num(low + self.below(high - low)),
            Type::Enum(id) => Value::Num(self.below(self.stack.enums[id.index()].variants.len() as u64)),
            Type::Bits(n) if *n <= 64 => Value::Set(vec![self.dice.draw() & mask(*n)]),
            Type::Addr => Value::Addr(Addr { ip: [self.below(3) as u8; 16], port: self.below(4) as u16, family: 6 }),
            Type::Duration | Type::Instant => Value::Num(self.below(50_000_000)),
            ty => self.stack.zero(ty),
        }
    }

    fn numbers(&self, types: &[(Type, Value)]) -> (Vec<u64>, Option<Addr>) {
        let (mut numbers, mut address) = (vec![], None);
        for (ty, value) in types {
            match (ty, value) {
                (_, Value::Addr(a)) => address = Some(*a),
                (Type::Int(b), Value::Num(n)) => {
                    numbers.push(((n << (64 - *b as u32)) as i64 >> (64 - *b as u32)) as u64)
                }
                (_, Value::Num(n)) => numbers.push(*n),
                (_, Value::Set(words)) if words.len() == 1 => numbers.push(words[0]),
                _ => {}
            }
        }
        numbers.truncate(4);
        (numbers, address)
    }

    fn expected(&mut self, end: usize) -> Vec<Output> {
        let outputs = self.ends[end].reference.take_outputs();
        let stack = self.stack;
        outputs
            .into_iter()
            .map(|o| {
                let declared = stack.event(o.event);
                let types = declared.parameters.iter().enumerate().filter(|(i, _)| declared.message != Some(*i as u32));
                let typed: Vec<(Type, Value)> = types.map(|(_, p)| p.ty.clone()).zip(o.arguments).collect();
                let (arguments, address) = self.numbers(&typed);
                let number =
                    stack.interface().iter().position(|e| e.port == o.port && e.event == o.event && e.input.is_none());
                Output {
                    port: o.port.0 as u16,
                    event: number.unwrap_or(0xffff) as u16,
                    session: o.session,
                    arguments,
                    address,
                    bytes: o.bytes,
                }
            })
            .collect()
    }

    fn compare(&mut self, end: usize, result: i32, what: &str, mut run: impl FnMut(&mut Live) -> (i32, Vec<Output>)) {
        *self.seen.entry(format!("{what} {result}")).or_insert(0) += 1;
        let expected = self.expected(end);
        let (canonical, deadline) = (self.ends[end].reference.canonical_bytes(), self.ends[end].reference.deadline());
        let shown = self.ends[end].reference.abstract_bytes(self.erases_times);
        let (armed, busy) = (self.ends[end].reference.armed().len(), self.ends[end].reference.is_busy());
        let counters = self.ends[end].reference.counters().to_vec();
        let free = self.ends[end].reference.free_blocks();
        let (seed, step, name) = (self.seed, self.step, self.stack.name.clone());
        let mut reports = self.ends[end].reference.take_reports();
        reports.truncate(4);
        for (level, live) in &mut self.ends[end].lives {
            let at = format!("{name}, level {level}, seed {seed}, step {step}, {what}; {reports:?}");
            let (got, outputs) = run(live);
            assert_eq!(got, result, "the result differs: {at}");
            for port in 0..self.stack.ports.len() as u16 {
                let of = |list: &[Output]| list.iter().filter(|o| o.port == port).cloned().collect::<Vec<_>>();
                let (got, wanted) = (of(&outputs), of(&expected));
                assert!(got == wanted, "outputs differ: {at}; {}", first_difference(&got, &wanted));
            }
            assert_eq!(live.counters, counters, "counters differ: {at}");
            assert_eq!(live.deadline(), deadline, "the deadline differs: {at}");
            let bytes = live.canonical();
            if bytes != canonical {
                let place = bytes.iter().zip(&canonical).position(|(a, b)| a != b);
                panic!("the state differs at byte {place:?} of {} and {}: {at}", bytes.len(), canonical.len());
            }
            assert_eq!(live.free(), free, "free blocks differ: {at}");
            assert!(live.shown() == shown, "what a checker compares differs: {at}");
            assert_eq!((live.armed(), live.is_busy()), (armed, busy), "armed timers, or waiting events, differ: {at}");
        }
        self.send(end, &expected);
    }

    fn send(&mut self, end: usize, outputs: &[Output]) {
        for output in outputs.iter().filter(|o| self.stack.is_lower(PortId(o.port.into()))) {
            if let Some(bytes) = &output.bytes {
                self.flying.push((1 - end, output.port, bytes.clone()));
                if self.dice.below(10) == 0 {
                    self.flying.push((1 - end, output.port, bytes.clone()));
                }
            }
        }
        while self.flying.len() > 64 {
            self.flying.remove(0);
        }
    }

    pub fn step(&mut self) {
        self.step += 1;
        let end = self.below(2) as usize;
        if self.below(3) == 0 {
            self.now += self.below(4_000_000);
        }
        if self.ends[end].reference.deadline() == 0 && self.below(8) > 0 {
            return self.tick(end);
        }
        match self.below(20) {
            0..=6 => self.call(end),
            7..=13 => self.deliver(),
            14 => self.mutate(),
            15 => self.garbage(end),
            16 => {
                let deadline = self.ends[end].reference.deadline();
                if deadline != u64::MAX {
                    self.now = self.now.max(deadline);
                }
                self.tick(end);
            }
            17 => self.fire(end),
            18 if self.stack.has_views() => self.view(end),
            _ => self.tick(end),
        }
    }

    /// Fires a timer before its deadline, like checkers; sometimes one that is not armed.
    fn fire(&mut self, end: usize) {
        let due = self.ends[end].reference.armed();
        let mut armed = due.clone();
        armed.sort_by(|a, b| (a.layer, a.timer, &a.indices).cmp(&(b.layer, b.timer, &b.indices)));
        let (place, now) = (self.below(armed.len() as u64 + 1) as usize, self.now);
        let wanted = armed.get(place).and_then(|armed| due.iter().position(|d| d == armed));
        let outcome = self.ends[end].reference.fire(wanted.unwrap_or(due.len()), now);
        self.compare(end, code(outcome), "fire", |live| live.fire(place, now));
    }

    fn tick(&mut self, end: usize) {
        let now = self.now;
        let outcome = self.ends[end].reference.tick(now);
        self.compare(end, code(outcome), "tick", |live| live.tick(now));
    }

    fn data(&mut self) -> Vec<u8> {
        let block = self.stack.bounds.block as u64;
        let len = match self.below(6) {
            0 => 0,
            1..=3 => self.below(24),
            4 => self.below(3 * block + 1),
            _ => self.below(self.stack.bounds.frame_data as u64 + 2),
        };
        (0..len.min(self.stack.bounds.frame_data as u64)).map(|_| self.dice.draw() as u8).collect()
    }

    fn call(&mut self, end: usize) {
        let interface = self.stack.interface();
        let inputs: Vec<usize> = (0..interface.len())
            .filter(|i| interface[*i].input.is_some())
            .filter(|i| !self.stack.is_lower(interface[*i].port) || self.changes(interface[*i].event))
            .collect();
        if inputs.is_empty() {
            return;
        }
        // An event without a message may end the connection.
        let carries =
            |i: &usize| self.stack.event(interface[*i].event).message.is_some() || self.changes(interface[*i].event);
        let with: Vec<usize> = inputs.iter().copied().filter(carries).collect();
        let inputs = if with.is_empty() || self.below(300) == 0 { inputs } else { with };
        let number = inputs[self.below(inputs.len() as u64) as usize];
        let event = self.stack.event(interface[number].event).clone();
        let types = event.parameters.iter().enumerate().filter(|(i, _)| event.message != Some(*i as u32));
        let types: Vec<Type> = types.map(|(_, p)| p.ty.clone()).collect();
        let values: Vec<Value> = types.iter().map(|t| self.value(t)).collect();
        let data = if event.message.is_some() { self.data() } else { vec![] };
        let typed: Vec<(Type, Value)> = types.into_iter().zip(values.clone()).collect();
        let (numbers, address) = self.numbers(&typed);
        let now = self.now;
        let may = self.ends[end].reference.accepts(number as u32, data.len());
        for (level, live) in &self.ends[end].lives {
            assert_eq!(
                live.accepts(number as u32, data.len() as u32),
                may,
                "accepts differs at level {level}, seed {}",
                self.seed
            );
        }
        let outcome = self.ends[end].reference.call(number as u32, &values, &data, now);
        self.compare(end, code(outcome), "call", |live| live.call(number as u32, &numbers, address, &data, now));
    }

    /// Whether the event changes a context.
    fn changes(&self, event: EventId) -> bool {
        matches!(self.stack.event(event).role, EventRole::Moved | EventRole::Room)
    }

    /// Enters a new view, sometimes with another value of a given that has a default.
    fn view(&mut self, end: usize) {
        let mut others = BTreeMap::new();
        let stack = self.stack;
        for cell in stack.cells.iter().filter(|c| c.scope == Scope::Given && c.initial.is_some()) {
            if let Type::UInt(8) = cell.ty {
                let name = format!("{}.{}", stack.layer(cell.layer).name, cell.name);
                let value = self.value(&cell.ty);
                let givens = &mut self.ends[end].givens;
                givens.retain(|(known, _)| *known != name);
                givens.push((name.clone(), config_bytes(&value)));
                others.insert(name, value);
            }
        }
        let (now, givens) = (self.now, self.ends[end].givens.clone());
        let outcome = self.ends[end].reference.view(others, now);
        self.compare(end, code(outcome), "view", |live| live.view(&givens, now));
    }

    fn input(&mut self, end: usize, port: u16, frame: Vec<u8>, what: &str) {
        let (from, now) = (self.ends[1 - end].address, self.now);
        let sessions = self.stack.frames_at(PortId(port.into())).map_or(1, |(i, _)| self.stack.sessions_of(i.event));
        // If there are several sessions, sometimes one that does not exist.
        let session = if sessions > 1 { self.below(u64::from(sessions) + 1) as u32 } else { 0 };
        let outcome = self.ends[end].reference.enter(PortId(port.into()), session, from, &frame, now);
        self.compare(end, code(outcome), what, |live| live.input_at(port, session, from, &frame, now));
    }

    fn deliver(&mut self) {
        if self.flying.is_empty() {
            return;
        }
        let at = if self.below(4) == 0 { self.below(self.flying.len() as u64) as usize } else { 0 };
        let (end, port, frame) = self.flying.remove(at);
        if self.below(8) > 0 {
            self.input(end, port, frame, "input");
        }
    }

    fn mutate(&mut self) {
        if self.flying.is_empty() {
            return;
        }
        let at = self.below(self.flying.len() as u64) as usize;
        let (end, port, mut frame) = self.flying[at].clone();
        for _ in 0..=self.below(3) {
            match self.below(4) {
                0 => frame.truncate(self.below(frame.len() as u64 + 1) as usize),
                1 => frame.push(self.dice.draw() as u8),
                _ if !frame.is_empty() => {
                    let i = self.below((frame.len() as u64).min(40)) as usize;
                    frame[i] ^= 1 << self.below(8);
                }
                _ => {}
            }
        }
        self.input(end, port, frame, "mutated");
    }

    fn garbage(&mut self, end: usize) {
        let frame: Vec<u8> = (0..self.below(24)).map(|_| self.dice.draw() as u8).collect();
        let lower: Vec<u16> =
            (0..self.stack.ports.len() as u16).filter(|p| self.stack.is_lower(PortId(u32::from(*p)))).collect();
        let port = lower[self.below(lower.len() as u64) as usize];
        self.input(end, port, frame, "garbage");
    }

    /// All messages are returned to the pool.
    pub fn end(&mut self) {
        for end in &mut self.ends {
            let blocks = end.reference.free_blocks();
            for (level, live) in &mut end.lives {
                let before = live.free();
                assert_eq!(before, blocks, "free blocks at level {level}");
                live.discard();
                assert!(live.free() >= before);
            }
            let free: Vec<u32> = end.lives.iter().map(|(_, l)| l.free()).collect();
            assert!(free.iter().all(|f| *f == free[0]), "blocks are lost: {free:?}");
        }
    }
}
