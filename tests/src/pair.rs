//! Two interpreters of a connection that exchange frames without delay, and all frames that they sent.

use std::sync::Arc;

use nacre_stack::interpret::{Addr, Config, Machine, Outcome, Value};
use nacre_stack::Stack;

/// The cookies of the endpoints.
pub const COOKIES: [u32; 2] = [0xc0ffee, 0x123456];
const NAMES: [&str; 2] = ["a", "b"];

/// A frame in transit.
pub struct Sent {
    /// The endpoint that sent it: 0 or 1.
    pub end: usize,
    pub bytes: Vec<u8>,
}

pub struct Pair {
    pub ends: Vec<Machine>,
    pub frames: Vec<Sent>,
    /// Outputs other than frames: endpoint, name of the event, data.
    pub outputs: Vec<(usize, String, Vec<u8>)>,
    /// The number of frames to lose next.
    pub lose: u32,
    now: u64,
}

impl Pair {
    /// Opens both endpoints of a stack over `floor`.
    pub fn open(stack: &Stack) -> Pair {
        Pair::with(stack, |_, config| config)
    }

    /// The same, after a change of the configuration of each endpoint.
    pub fn with(stack: &Stack, changed: impl Fn(usize, Config) -> Config) -> Pair {
        let stack = Arc::new(stack.clone());
        let mut pair = Pair { ends: vec![], frames: vec![], outputs: vec![], lose: 0, now: 1_000_000_000 };
        for (end, cookie) in COOKIES.into_iter().enumerate() {
            let config = Config { seed: end as u64, ..Config::default() }
                .given("floor.peer", Value::Addr(address(1 - end)))
                .given("floor.cookie", Value::Num(cookie.into()))
                .given("floor.incarnation", Value::Num(0x0102_0304_0506_0708 << end));
            let mut machine = Machine::of(stack.clone(), changed(end, config));
            assert_eq!(machine.open(pair.now), Outcome::Ok);
            machine.take_outputs();
            pair.ends.push(machine);
        }
        pair
    }

    /// Sends data from the application of an endpoint.
    pub fn send(&mut self, end: usize, data: &[u8]) {
        self.event(end, 1, "send", data);
    }

    /// Sends data, and loses the frames; the other endpoint gets what is sent again.
    pub fn send_lost(&mut self, end: usize, data: &[u8]) {
        self.lose = u32::MAX;
        self.send(end, data);
        self.lose = 0;
    }

    /// Calls an event at a port of an endpoint.
    pub fn event(&mut self, end: usize, port: u32, name: &str, data: &[u8]) {
        let stack = self.ends[end].stack().clone();
        let fits =
            |e: &nacre_stack::PortEvent| e.port.0 == port && stack.event(e.event).name == name && e.input.is_some();
        let number = stack.interface().iter().position(fits).unwrap_or_else(|| panic!("no event `{name}`"));
        assert_eq!(self.ends[end].call(number as u32, &[], data, self.now), Outcome::Ok);
        self.carry(end);
    }

    /// Advances the time to an endpoint's next deadline: a delayed acknowledgement, a retransmission.
    pub fn wait(&mut self, end: usize) {
        self.now = self.ends[end].deadline();
        assert_eq!(self.ends[end].tick(self.now), Outcome::Ok);
        self.carry(end);
    }

    /// Delivers the frames of an endpoint to the other.
    fn carry(&mut self, end: usize) {
        for output in self.ends[end].take_outputs() {
            let bytes = output.bytes.unwrap_or_default();
            if output.port.0 != 0 {
                let name = self.ends[end].stack().event(output.event).name.clone();
                self.outputs.push((end, name, bytes));
                continue;
            }
            self.frames.push(Sent { end, bytes: bytes.clone() });
            if self.lose > 0 {
                self.lose -= 1;
                continue;
            }
            let outcome = self.give(1 - end, &bytes);
            assert_eq!(outcome, Outcome::Ok, "{} takes what {} sends", NAMES[1 - end], NAMES[end]);
        }
    }

    /// Delivers a frame from the network, as if from the peer.
    pub fn give(&mut self, end: usize, frame: &[u8]) -> Outcome {
        let outcome = self.ends[end].input(address(1 - end), frame, self.now);
        self.carry(end);
        outcome
    }

    pub fn last(&self) -> &[u8] {
        &self.frames.last().expect("a frame was sent").bytes
    }

    /// The data of the events with this name that an endpoint emitted to its application.
    pub fn outputs_of(&self, end: usize, name: &str) -> Vec<&[u8]> {
        self.outputs.iter().filter(|(e, n, _)| *e == end && n == name).map(|(_, _, data)| data.as_slice()).collect()
    }

    /// Returns a counter of an endpoint, by its full name.
    pub fn count(&self, end: usize, name: &str) -> u64 {
        let stack = self.ends[end].stack();
        let full = |c: &nacre_stack::Counter| match c.layer {
            Some(layer) => format!("{}.{}", stack.layer(layer).name, c.name),
            None => c.name.clone(),
        };
        let index = stack.counters.iter().position(|c| full(c) == name).unwrap_or_else(|| panic!("no counter {name}"));
        self.ends[end].counters()[index]
    }
}

pub fn address(end: usize) -> Addr {
    let mut ip = [0; 16];
    ip[12..].copy_from_slice(&[10, 0, 0, end as u8 + 1]);
    Addr { ip, port: 7000, family: 4 }
}
