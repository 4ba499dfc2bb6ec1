//! The frames on a line on which each takes a stated time (`trip`), and its clock. They are one more value in the state
//! of the network, behind the fields of its automaton, which does not know them: the automaton states what can arrive,
//! the line when. Frames do not overtake.

use nacre_specification::evaluate::State;
use nacre_specification::Value;

/// How long a frame takes, in nanoseconds: one of these times.
pub struct Line(Vec<u64>);

/// The value of the line in a state of the network. All times are in nanoseconds since the endpoints were opened.
#[derive(Default)]
struct Clock {
    now: u64,
    /// When the last call was made.
    called: u64,
    /// The frames on the way, in the order in which they arrive.
    flying: Vec<Frame>,
}

struct Frame {
    to: u64,
    at: u64,
    bytes: Value,
}

impl Line {
    /// A line on which a frame takes one of these times; none if there are none.
    pub fn of(trips: &[u64]) -> Option<Line> {
        (!trips.is_empty()).then(|| Line(trips.to_vec()))
    }

    /// Returns the state with a line on which nothing has happened yet.
    pub fn begin(mut state: State) -> State {
        state.push(Clock::default().value());
        state
    }

    /// Returns the states after an endpoint has sent a frame: one for each time that it can take.
    pub fn send(&self, states: &[State], to: usize, bytes: &Value) -> Vec<State> {
        let sent = |state: &State, trip: u64| {
            let mut clock = Clock::of(state);
            let before = clock.flying.iter().filter(|frame| frame.to == to as u64).map(|frame| frame.at).max();
            let at = (clock.now + trip).max(before.unwrap_or(0));
            let place = clock.flying.partition_point(|frame| frame.at <= at);
            clock.flying.insert(place, Frame { to: to as u64, at, bytes: bytes.clone() });
            clock.put(state.clone())
        };
        let mut all: Vec<State> =
            states.iter().flat_map(|state| self.0.iter().map(|trip| sent(state, *trip))).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Returns the state after a frame has arrived; none if it does not arrive now.
pub fn arrived(state: &State, to: usize, bytes: &Value) -> Option<State> {
    let mut clock = Clock::of(state);
    let now = clock.now;
    let place = clock.flying.iter().position(|f| f.to == to as u64 && f.at == now && f.bytes == *bytes)?;
    clock.flying.remove(place);
    Some(clock.put(state.clone()))
}

/// Whether an older frame to the same endpoint can arrive now: frames do not overtake. `enabled`: those that the
/// automaton lets arrive.
pub fn is_overtaken(state: &State, to: usize, bytes: &Value, enabled: &[(usize, Value)]) -> bool {
    let clock = Clock::of(state);
    let now: Vec<&Frame> = clock.flying.iter().filter(|f| f.to == to as u64 && f.at == clock.now).collect();
    let place = now.iter().position(|f| f.bytes == *bytes).unwrap_or(0);
    now[..place].iter().any(|older| enabled.iter().any(|(end, bytes)| *end == to && *bytes == older.bytes))
}

/// Returns when the next frame arrives that is not there yet.
pub fn next_arrival(state: &State) -> Option<u64> {
    let clock = Clock::of(state);
    clock.flying.iter().map(|frame| frame.at).find(|at| *at > clock.now)
}

/// Returns the state at a later time. Frames that had to arrive before are lost.
pub fn at(state: &State, time: u64) -> State {
    let mut clock = Clock::of(state);
    clock.flying.retain(|frame| frame.at >= time);
    clock.now = time;
    clock.put(state.clone())
}

/// Returns the state after a call.
pub fn called(state: &State) -> State {
    let mut clock = Clock::of(state);
    clock.called = clock.now;
    clock.put(state.clone())
}

/// Returns when the last call was made.
pub fn last_call(state: &State) -> u64 {
    Clock::of(state).called
}

impl Clock {
    fn of(state: &State) -> Clock {
        let Some(Value::Tuple(parts)) = state.last() else { return Clock::default() };
        let [now, called, Value::Seq(flying)] = &parts[..] else { return Clock::default() };
        let frame = |frame: &Value| match frame {
            Value::Tuple(parts) => match &parts[..] {
                [to, at, bytes] => Some(Frame { to: to.num(), at: at.num(), bytes: bytes.clone() }),
                _ => None,
            },
            _ => None,
        };
        Clock { now: now.num(), called: called.num(), flying: flying.iter().filter_map(frame).collect() }
    }

    fn value(self) -> Value {
        let frame = |frame: Frame| Value::Tuple(vec![Value::Num(frame.to), Value::Num(frame.at), frame.bytes]);
        let flying = Value::Seq(self.flying.into_iter().map(frame).collect());
        Value::Tuple(vec![Value::Num(self.now), Value::Num(self.called), flying])
    }

    fn put(self, mut state: State) -> State {
        if let Some(line) = state.last_mut() {
            *line = self.value();
        }
        state
    }
}
