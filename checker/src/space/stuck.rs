//! Why a goal is not met in a state.

use super::{Near, Space, State};
use crate::show::show_value;
use nacre_specification::members::{name as member, Members};
use nacre_specification::{Automaton, Field, Type, Value};

impl Space {
    /// Describes what keeps a goal from being met, by its index among [`Space::goal_names`]: the calls that are not
    /// accepted, or what the automaton still holds. Empty: nothing is known.
    pub fn stuck(&self, near: &mut Near, state: State, goal: usize) -> String {
        match goal.checked_sub(1) {
            None => self.pending_calls(near, state).join(", "),
            Some(goal) => self.automaton_of(goal).map_or(String::new(), |at| self.held(state, at)),
        }
    }

    /// The automaton above to which a goal belongs.
    fn automaton_of(&self, goal: usize) -> Option<usize> {
        let mut before = 0;
        self.monitors.automata().iter().position(|automaton| {
            before += automaton.goals.len();
            goal < before
        })
    }

    /// The next calls, each with the reason why it is not made.
    fn pending_calls(&self, near: &mut Near, state: State) -> Vec<String> {
        let mut pending: Vec<String> = vec![];
        for (at, call) in self.endpoints.calls.iter().enumerate() {
            if call.spare || call.number != self.used(state, self.counter_of(call)) {
                continue;
            }
            let (name, end) = (self.endpoints.call_name(call), member(call.end));
            let allowed = self.monitors.call(&mut near.monitors, state.monitor, at as u32, call).is_some();
            let why = match allowed {
                false => "is not allowed by the specification",
                true if !self.takes_call(near, state, at) => "is refused",
                true => continue,
            };
            let words = format!("`{name}` at {end} {why}");
            if !pending.contains(&words) {
                pending.push(words);
            }
        }
        pending
    }

    /// The fields of an automaton that differ from the start, if its state is known.
    fn held(&self, state: State, at: usize) -> String {
        let automaton: &Automaton = &self.monitors.automata()[at];
        let possible = self.monitors.state(state.monitor);
        let [now] = &possible[at][..] else { return String::new() };
        let start = automaton.start(self.members.into());
        let fields = automaton.state.iter().zip(now.iter().zip(start.iter()));
        let changed = fields.filter(|(_, (now, start))| now != start);
        let words: Vec<String> = changed
            .map(|(field, (now, _))| format!("`{}` is {}", field.name, shown(field, now, self.members)))
            .collect();
        words.join(", ")
    }
}

/// The value of a field; of one for each participant, the values with their ends.
fn shown(field: &Field, value: &Value, members: Members) -> String {
    match (&field.ty, value) {
        (Type::Per(_), Value::Tuple(ends)) => {
            let ends = members.names().iter().zip(ends).map(|(end, value)| format!("{} at {end}", show_value(value)));
            ends.collect::<Vec<_>>().join(" and ")
        }
        (_, value) => show_value(value),
    }
}
