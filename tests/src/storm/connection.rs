//! One connection in a storm: its two endpoints, the frames in flight, and the clock.

use std::collections::BTreeMap;

use nacre_simulator::endpoint::{Address, Endpoint, Given, Maker, Opening, Outcome, NEVER};
use nacre_simulator::interface::{givens, Ends, Interface};
use nacre_simulator::random::Random;
use nacre_simulator::world::address;
use nacre_stack::{GivenRole, Stack, Type};

use super::arguments::{inputs, Heard};
use super::tally::Tally;

/// The number of events of one connection.
pub(super) const LIFE: u64 = 1200;
/// The maximum number of frames in flight, and of past frames that may be repeated.
pub(super) const FLYING: usize = 64;
pub(super) const PAST: usize = 128;
/// The bytes of longer messages that a connection sends; one in eight connections does, so that some reach the ends of
/// all ranges.
const LONG: u64 = 6_000;
const LONGEST: u64 = 250_000;

/// One endpoint.
pub(super) struct End {
    pub(super) endpoint: Box<dyn Endpoint>,
    pub(super) address: Address,
    /// The last valid frames to this endpoint, whose bytes are copied into crafted frames.
    pub(super) past: Vec<Vec<u8>>,
    pub(super) heard: Heard,
}

/// A connection, and its observed outputs.
pub(super) struct Connection<'s> {
    pub(super) stack: &'s Stack,
    pub(super) interface: Interface,
    /// The events that the host can call, with the types of their numbers.
    pub(super) inputs: Vec<(u16, Vec<Type>)>,
    pub(super) ends: Vec<End>,
    pub(super) flying: Vec<(usize, Vec<u8>)>,
    pub(super) random: Random,
    pub(super) now: u64,
    /// The remaining bytes of long messages.
    pub(super) long: u64,
    pub(super) events: u64,
    /// The delivered messages, each with its endpoint.
    pub(super) delivered: Vec<(usize, Vec<u8>)>,
    /// Whether a report is not an error.
    pub(super) is_excused: fn(&str) -> bool,
    pub(super) outputs: BTreeMap<String, u64>,
    pub(super) outcomes: BTreeMap<String, u64>,
    /// A description of the last event, for error messages.
    pub(super) last: String,
}

impl<'s> Connection<'s> {
    /// Opens two connected endpoints; only the frames of the opening are in flight.
    pub(super) fn open(
        stack: &'s Stack,
        maker: &dyn Maker,
        seed: u64,
        is_excused: fn(&str) -> bool,
    ) -> Result<Connection<'s>, String> {
        let interface = Interface::of(stack);
        let mut random = Random::new(seed);
        let now = begin(&mut random);
        let long = if random.below(8) == 0 { LONGEST } else { LONG };
        let shared = random.number();
        let mut connection = Connection {
            stack,
            interface,
            inputs: inputs(stack),
            ends: Vec::new(),
            flying: Vec::new(),
            random,
            now,
            long,
            events: 0,
            delivered: Vec::new(),
            is_excused,
            outputs: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            last: "opening".into(),
        };
        for end in 0..2 {
            let ends = Ends { own: end, peer: 1 - end };
            let wanted = &connection.interface.givens;
            let mut givens = givens(wanted, &mut connection.random, shared, ends, address(1 - end));
            // One of the hosts does not know yet whether the peer is there.
            let doubtful = wanted.iter().filter(|wanted| end == 1 && wanted.role == Some(GivenRole::Unconfirmed));
            givens.extend(doubtful.map(|wanted| (wanted.name.clone(), Given::Number(1))));
            let opening = Opening { givens, seed: connection.random.number(), now };
            let (endpoint, outputs) = maker.open(&opening)?;
            connection.ends.push(End { endpoint, address: address(end), past: Vec::new(), heard: Heard::default() });
            connection.take(end, outputs);
        }
        Ok(connection)
    }

    /// Runs until `life` events have happened. `every`: the number of events between two checks of the reports, which are
    /// expensive.
    pub(super) fn live(&mut self, life: u64, every: u64) -> Result<(), String> {
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

    /// Checks that machines are equal and that no rule is violated, except for excused reports.
    pub(super) fn check(&self) -> Result<(), String> {
        let reports = self.ends.iter().flat_map(|end| end.endpoint.reports());
        match reports.into_iter().find(|report| !(self.is_excused)(report)) {
            Some(report) => Err(report),
            None => Ok(()),
        }
    }

    pub(super) fn count(&self, tally: &mut Tally) {
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

    pub(super) fn note(&mut self, what: &str, outcome: Outcome) {
        self.last = format!("{what} at {}", self.now);
        *self.outcomes.entry(format!("{what} {outcome:?}")).or_insert(0) += 1;
    }

    pub(super) fn tick(&mut self, end: usize) {
        let step = self.ends[end].endpoint.tick(self.now);
        self.note("tick", step.outcome);
        self.take(end, step.outputs);
    }
}

/// The initial time of a clock is arbitrary, and may be shortly before its maximum.
fn begin(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => 1,
        1 => u64::MAX - 3_600_000_000_000,
        2 => u64::MAX - 50_000_000,
        3 => 1 << 63,
        _ => 1_000_000_000,
    }
}
