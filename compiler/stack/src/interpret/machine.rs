//! One connection: the outside events, as `nacre.h` has them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::arguments::{arguments_of, Source};
use super::pool::Pool;
use super::random::SplitMix64;
use super::report::Rule;
use super::run::Run;
use super::state::{Externs, NoExterns, Pending, Schedule, State};
use super::timers::{self, Armed};
use super::value::{Addr, Message, Origin, Value, NEVER};
use super::ways::Ways;
use crate::*;

/// The outcome of an outside event; `enum nacre_result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Ok,
    /// Nothing was due.
    Idle,
    Refused,
    Busy,
    NoSpace,
    Dropped,
    Invalid,
}

/// The configuration of a connection.
#[derive(Clone)]
pub struct Config {
    /// By `layer.cell`.
    pub givens: BTreeMap<String, Value>,
    pub seed: u64,
    /// None: as many as `bounds.blocks` says.
    pub blocks: Option<u32>,
    pub schedule: Schedule,
    pub externs: Arc<dyn Externs>,
    pub trace: bool,
    /// Added to every sequence number of the first state, so that numbers wrap in short runs.
    pub first_number: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            givens: BTreeMap::new(),
            seed: 0,
            blocks: None,
            schedule: Schedule::Fifo,
            externs: Arc::new(NoExterns),
            trace: false,
            first_number: 0,
        }
    }
}

impl Config {
    /// Sets the value of a given; an earlier value of the same name is replaced.
    pub fn given(mut self, name: &str, value: Value) -> Config {
        self.givens.insert(name.into(), value);
        self
    }
}

/// A stack that runs. A clone is a snapshot.
#[derive(Clone)]
pub struct Machine {
    pub(super) stack: Arc<Stack>,
    pub(super) config: Arc<Config>,
    pub(super) state: State,
    pub(super) opened: bool,
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Machine({}, step {})", self.stack.name, self.state.steps)
    }
}

impl Machine {
    /// Returns a machine of a copy of the stack; nothing has been opened.
    pub fn new(stack: &Stack, config: Config) -> Machine {
        Machine::of(Arc::new(stack.clone()), config)
    }

    /// Returns a machine of a shared stack, its cells initialized; nothing has been opened.
    pub fn of(stack: Arc<Stack>, config: Config) -> Machine {
        let cells = zeros(&stack);
        let state = begun(&stack, &config, cells);
        Machine { stack, config: Arc::new(config), state, opened: false }
    }

    pub(super) fn pending(
        &self,
        input: &PortInput,
        message: Message,
        source: Option<Source>,
        others: &[Value],
    ) -> Pending {
        let arguments = arguments_of(&self.stack, input.event, message, source, others);
        Pending { link: input.link, event: input.event, arguments }
    }

    /// A call at a port: the index of an input in [`Stack::interface`], its parameters but the message, and the
    /// message's data.
    pub fn call(&mut self, index: u32, arguments: &[Value], data: &[u8], now: u64) -> Outcome {
        let stack = self.stack.clone();
        let Some(input) = input_of(&stack, index) else { return Outcome::Invalid };
        let declared = stack.event(input.event);
        let wanted = declared.parameters.iter().enumerate().filter(|(i, _)| declared.message != Some(*i as u32));
        let wanted: Vec<&Type> = wanted.map(|(_, p)| &p.ty).collect();
        let fit = arguments.len() == wanted.len() && arguments.iter().zip(wanted).all(|(v, t)| stack.fits(v, t));
        if !self.opened || !fit || (declared.message.is_none() && !data.is_empty()) {
            return Outcome::Invalid;
        }
        if !self.state.later.is_empty() {
            return Outcome::Busy;
        }
        let message = Message::new(data, Origin::Input, true);
        let event = self.pending(input, message.clone(), None, arguments);
        self.state.now = now;
        if !admitted(&stack, &mut self.state, input, &event.arguments) {
            self.state.counters[builtin::REFUSED.index()] += 1;
            return Outcome::Refused;
        }
        if !self.has_space(input.need, data.len()) {
            return self.no_space();
        }
        let entry = entry_of(&stack, index);
        self.step(now, input.need, &message, |run| run.begin(entry, event));
        Outcome::Ok
    }

    /// Whether the stack would accept a call now, with arguments of zero and a message of `length` bytes.
    pub fn accepts(&self, event: u32, length: usize) -> bool {
        let Some(input) = input_of(&self.stack, event) else { return false };
        let message = Message::new(&vec![0; length], Origin::Input, true);
        let arguments = arguments_of(&self.stack, input.event, message, None, &[]);
        self.accepts_with(event, &arguments, length)
    }

    /// The same with all the event's arguments, its message among them.
    pub fn accepts_with(&self, event: u32, arguments: &[Value], length: usize) -> bool {
        let Some(input) = input_of(&self.stack, event) else { return false };
        self.opened
            && self.state.later.is_empty()
            && self.has_space(input.need, length)
            && (input.admissions.is_empty() || admitted(&self.stack, &mut self.seen_by(input), input, arguments))
    }

    /// Whether each goal of each layer holds now, from the bottom, in order of declaration; see [`Stack::layers`].
    pub fn goals(&self) -> Vec<bool> {
        let stack = &self.stack;
        let has = |cell: &Cell| !stack.layer(cell.layer).goals.is_empty();
        let cells = stack.cells.iter().zip(&self.state.cells);
        let cells = cells.map(|(cell, value)| if has(cell) { value.clone() } else { Value::Gone }).collect();
        let mut state = State { now: self.state.now, ..begun(stack, &self.config, cells) };
        Run::new(stack, &mut state).goals()
    }

    /// A copy of the state that the conditions of a call can read.
    fn seen_by(&self, input: &PortInput) -> State {
        let read = |cell: &Cell| input.admissions.iter().any(|a| a.layer == cell.layer);
        let cells = self.stack.cells.iter().zip(&self.state.cells);
        let cells = cells.map(|(cell, value)| if read(cell) { value.clone() } else { Value::Gone }).collect();
        State { now: self.state.now, ..begun(&self.stack, &self.config, cells) }
    }

    /// A frame from the transport, at port 0.
    pub fn input(&mut self, from: Addr, frame: &[u8], now: u64) -> Outcome {
        self.input_at(PortId(0), from, frame, now)
    }

    /// A frame from the transport, at one of the lower ports.
    pub fn input_at(&mut self, port: PortId, from: Addr, frame: &[u8], now: u64) -> Outcome {
        self.enter(port, 0, from, frame, now)
    }

    /// A frame from the transport, at one of the lower ports, in one of the sessions that it has there.
    pub fn enter(&mut self, port: PortId, session: u32, from: Addr, frame: &[u8], now: u64) -> Outcome {
        let stack = self.stack.clone();
        if !self.opened {
            return Outcome::Invalid;
        }
        if !self.state.later.is_empty() {
            return Outcome::Busy;
        }
        let Some((input, layout)) = stack.frames_at(port) else { return Outcome::Invalid };
        if session >= stack.sessions_of(input.event) {
            return Outcome::Invalid;
        }
        let Some((message, shape)) = parse(&stack, layout, frame) else {
            self.state.counters[builtin::MALFORMED.index()] += 1;
            return Outcome::Dropped;
        };
        if !self.has_space(input.need, message.len()) {
            return self.no_space();
        }
        let event = self.pending(input, message.clone(), Some(Source { from: Some(from), session }), &[]);
        let impossible = self.counter(builtin::IMPOSSIBLE);
        self.step(now, input.need, &message, |run| run.begin(Some(Entry::Frame(port, shape)), event));
        if self.counter(builtin::IMPOSSIBLE) != impossible {
            return Outcome::Dropped;
        }
        Outcome::Ok
    }

    /// One `later` event, or one timer that is due.
    pub fn tick(&mut self, now: u64) -> Outcome {
        let stack = self.stack.clone();
        let need = stack.bounds.timer;
        let waits = !self.state.later.is_empty();
        let due = timers::first(&stack, &self.state).filter(|armed| !waits && armed.deadline <= now);
        if !self.opened || (!waits && due.is_none()) {
            return Outcome::Idle;
        }
        if !self.has_space(need, 0) {
            return self.no_space();
        }
        let later = self.state.later.pop_front();
        self.step(now, need, &Message::default(), |run| match (later, due) {
            (Some(event), _) => run.put(event),
            (None, Some(armed)) => fire(run, armed),
            (None, None) => {}
        });
        Outcome::Ok
    }

    /// `later` events wait; until `tick` has handled them, all other events are refused.
    pub fn is_busy(&self) -> bool {
        !self.state.later.is_empty()
    }

    /// Every armed timer, in the order in which they fire.
    pub fn armed(&self) -> Vec<Armed> {
        timers::all(&self.stack, &self.state)
    }

    /// Fires the armed timer at this place of [`Machine::armed`], whatever its deadline: time is abstract to the
    /// explorer.
    pub fn fire(&mut self, place: usize, now: u64) -> Outcome {
        if !self.state.later.is_empty() {
            return Outcome::Busy;
        }
        let Some(armed) = self.armed().into_iter().nth(place).filter(|_| self.opened) else { return Outcome::Idle };
        let need = self.stack.bounds.timer;
        if !self.has_space(need, 0) {
            return self.no_space();
        }
        self.step(now, need, &Message::default(), |run| fire(run, armed));
        Outcome::Ok
    }

    /// When `tick` is to be called next: 0 at once, [`NEVER`] not at all.
    pub fn deadline(&self) -> u64 {
        if !self.state.later.is_empty() {
            return 0;
        }
        timers::first(&self.stack, &self.state).map_or(NEVER, |armed| armed.deadline)
    }

    pub(super) fn has_space(&self, need: Need, length: usize) -> bool {
        blocks(&self.state.pool, need, length) <= self.state.pool.free() as u64
    }

    pub(super) fn no_space(&mut self) -> Outcome {
        self.state.counters[builtin::NO_SPACE.index()] += 1;
        Outcome::NoSpace
    }

    pub(super) fn step(&mut self, now: u64, need: Need, input: &Message, begin: impl FnOnce(&mut Run)) {
        let state = &mut self.state;
        state.now = now;
        state.steps += 1;
        state.armed.clear();
        state.pool.begin(input);
        let allowed = blocks(&state.pool, need, input.len());
        let waiting = state.later.len();
        let mut run = Run::new(&self.stack, state);
        begin(&mut run);
        run.drain();
        run.state.ways.iter_mut().for_each(Ways::end);
        run.check_invariants();
        let taken = run.state.pool.taken as u64;
        if taken > allowed {
            run.report(Rule::Need, format!("the step took {taken} blocks of the pool; its need says {allowed}"));
        }
        let later = run.state.later.len() - waiting.min(run.state.later.len());
        if later > self.stack.bounds.later as usize {
            run.report(Rule::Space, format!("{later} events for later"));
        }
        let State { cells, later, pool, .. } = &mut self.state;
        pool.end(cells.iter().chain(later.iter().flat_map(|e| &e.arguments)));
    }
}

/// All cells, with a copy for each session, as they are before opening.
pub(super) fn zeros(stack: &Stack) -> Vec<Value> {
    (0..stack.cells.len() as u32).map(|cell| stack.zero(&stack.whole_type(CellId(cell)))).collect()
}

/// Nothing has happened yet.
pub(super) fn begun(stack: &Stack, config: &Config, cells: Vec<Value>) -> State {
    let dice = match config.schedule {
        Schedule::Fifo => 0,
        Schedule::Any(seed) => seed,
    };
    State {
        cells,
        later: Default::default(),
        counters: vec![0; stack.counters.len()],
        armed: vec![],
        pool: Pool::new(config.blocks.unwrap_or(stack.bounds.blocks), stack.bounds.block),
        now: 0,
        steps: 0,
        outputs: vec![],
        reports: vec![],
        trace: config.trace.then(Vec::new),
        schedule: config.schedule,
        dice: SplitMix64(dice),
        externs: config.externs.clone(),
        choices: None,
        covered: None,
        ways: None,
        bypassed: vec![0; stack.bypasses.len()],
        filters: vec![],
    }
}

fn input_of(stack: &Stack, event: u32) -> Option<&PortInput> {
    let found = stack.interface().get(event as usize).copied()?;
    stack.ports[found.port.index()].inputs.get(found.input? as usize)
}

fn blocks(pool: &Pool, need: Need, length: usize) -> u64 {
    need.copies as u64 * pool.blocks_for(length) as u64 + need.extra as u64
}

fn admitted(stack: &Stack, state: &mut State, input: &PortInput, arguments: &[Value]) -> bool {
    let mut run = Run::new(stack, state);
    input.admissions.iter().all(|admission| run.admits(admission, input.event, arguments))
}

/// A frame as a message whose data is the step's input, and the place of its shape.
fn parse(stack: &Stack, layout: LayoutId, frame: &[u8]) -> Option<(Message, usize)> {
    let layout = stack.layouts.get(layout.index())?;
    let parsed = stack.parse(layout, frame)?;
    let data = layout.shapes[parsed.shape].data;
    let message = Message { headers: parsed.headers, ..Message::new(&frame[parsed.size..], Origin::Input, data) };
    Some((message, parsed.shape))
}

/// The entry of a call.
fn entry_of(stack: &Stack, event: u32) -> Option<Entry> {
    let found = stack.interface().get(event as usize).copied()?;
    Some(Entry::Call(found.port, found.input? as usize))
}

fn fire(run: &mut Run, armed: Armed) {
    timers::disarm(run.stack, run.state, &armed);
    let timer = &run.stack.timers[armed.timer.index()];
    let indices: Vec<Value> = armed.indices.iter().map(|i| Value::Num(*i)).collect();
    let shown = format!("{} {:?}", timer.name, armed.indices);
    run.run_handler(timer.handler, None, indices, vec![], shown);
}
