//! What a specification promises about messages. It is found out by playing the automata, so names mean nothing: a
//! user's own automata count like those of the library.

use std::fmt;

use nacre_specification::evaluate::State;
use nacre_specification::subset_construction::{close, follow, goals, Observed};
use nacre_specification::{Action, ActionKind, Automaton, Type, Value};

/// What the user of a stack may rely on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// What is delivered was sent, as it is.
    pub intact: bool,
    /// No message is delivered twice.
    pub once: bool,
    /// No message is delivered after one that was sent later.
    pub ordered: bool,
    /// No message is delivered while one that was sent before is missing.
    pub gapless: bool,
    /// Everything arrives while the connection lasts.
    pub arrives: bool,
}

impl Service {
    /// What these automata promise together: each of them must be kept.
    pub fn of(automata: &[Automaton]) -> Service {
        let all = automata.iter().filter_map(Play::after_sends).map(|play| play.promises());
        all.fold(Service::default(), |a, b| Service {
            intact: a.intact || b.intact,
            once: a.once || b.once,
            ordered: a.ordered || b.ordered,
            gapless: a.gapless || b.gapless,
            arrives: a.arrives || b.arrives,
        })
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (self.arrives, "all arrive"),
            (self.gapless && !self.arrives, "none is missing before one that arrives"),
            (self.once, "none twice"),
            (self.ordered, "in order"),
            (self.intact, "as they were sent"),
        ];
        let words: Vec<&str> = words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
        f.write_str(&if words.is_empty() { "nothing about messages".into() } else { words.join(", ") })
    }
}

const ENDS: [usize; 2] = [0, 1];
/// The numbers of an event: how much is granted.
const NUMBER: u64 = 4;
/// Two messages that are sent, and one that differs from the first in a bit.
const FIRST: &[u8] = &[0x10, 0];
const SECOND: &[u8] = &[0x20, 0];
const CHANGED: &[u8] = &[0x11, 0];

/// An automaton that is played: the states that it can be in.
struct Play<'a> {
    automaton: &'a Automaton,
    states: Vec<State>,
}

impl<'a> Play<'a> {
    /// After the first end has sent two messages, and everything else that an automaton may need for that; none: it
    /// does not allow that, or can then be in too many states.
    fn after_sends(automaton: &'a Automaton) -> Option<Play<'a>> {
        let states = close(automaton, 2, vec![automaton.start(2)]).ok()?;
        let mut play = Play { automaton, states };
        let is_other = |action: &&Action| {
            !action.is_fault()
                && matches!(action.kind, ActionKind::Input | ActionKind::Output)
                && !["send", "deliver", "close", "closed"].contains(&action.name.as_str())
                && action.parameters.iter().all(|parameter| parameter.ty != Type::Msg)
        };
        // Twice: what comes first may be declared last.
        for kind in [ActionKind::Output, ActionKind::Input, ActionKind::Output] {
            for action in automaton.actions.iter().filter(is_other).filter(|action| action.kind == kind) {
                for end in ENDS {
                    play = play.event(action, end, &[]).unwrap_or(play);
                }
            }
        }
        play.named(ActionKind::Input, "send", 0, FIRST)?.named(ActionKind::Input, "send", 0, SECOND)
    }

    /// After an event; none: it is not allowed.
    fn event(&self, action: &Action, end: usize, message: &[u8]) -> Option<Play<'a>> {
        let argument = |ty: &Type| match ty {
            Type::Msg => Value::msg(message),
            Type::Rank => Value::Num(1 - end as u64),
            Type::Nat => Value::Num(NUMBER),
            other => Value::zero(other, 2),
        };
        let arguments: Vec<Value> = action.parameters.iter().filter(|p| !p.at).map(|p| argument(&p.ty)).collect();
        let event = Observed { kind: action.kind, name: &action.name, end, arguments: &arguments };
        let (_, next) = follow(self.automaton, 2, &self.states, event);
        let states = close(self.automaton, 2, next).ok().filter(|states| !states.is_empty())?;
        Some(Play { automaton: self.automaton, states })
    }

    /// The same of the first action with this name; none: there is none.
    fn named(&self, kind: ActionKind, name: &str, end: usize, message: &[u8]) -> Option<Play<'a>> {
        let action = self.automaton.actions.iter().find(|action| action.kind == kind && action.name == name)?;
        self.event(action, end, message)
    }

    fn deliver(&self, message: &[u8]) -> Option<Play<'a>> {
        self.named(ActionKind::Output, "deliver", 1, message)
    }

    /// After both messages have arrived.
    fn all_delivered(&self) -> Option<Play<'a>> {
        let in_turn = |a, b| self.deliver(a)?.deliver(b);
        in_turn(FIRST, SECOND).or_else(|| in_turn(SECOND, FIRST))
    }

    fn promises(&self) -> Service {
        let twice = |message| self.deliver(message).is_some_and(|play| play.deliver(message).is_some());
        let once = !twice(FIRST);
        Service {
            intact: self.deliver(CHANGED).is_none(),
            once,
            ordered: self.deliver(SECOND).is_none_or(|play| play.deliver(FIRST).is_none()),
            gapless: self.deliver(SECOND).is_none(),
            // A network that delivers a message again keeps all of them: that they can arrive is all that it promises.
            arrives: once && !self.is_lossy() && self.has_goal(),
        }
    }

    /// Whether a message can be lost by now.
    fn is_lossy(&self) -> bool {
        let alone = |state: &State| Play { automaton: self.automaton, states: vec![state.clone()] };
        !self.states.iter().all(|state| alone(state).all_delivered().is_some())
    }

    /// Whether a goal asks for the arrival of the messages.
    fn has_goal(&self) -> bool {
        let Some(after) = self.all_delivered() else { return false };
        let (before, after) = (goals(self.automaton, 2, &self.states), goals(self.automaton, 2, &after.states));
        before.iter().zip(&after).any(|(before, after)| *before == (false, false) && after.0)
    }
}

#[cfg(test)]
mod tests {
    use nacre_specification::samples;

    use super::*;

    #[test]
    fn promises_are_found_by_playing() {
        let all = Service { intact: true, once: true, ordered: true, gapless: true, arrives: true };
        assert_eq!(Service::of(&[samples::fifo_network()]), all);
        let lossy = Service { gapless: false, arrives: false, ..all };
        assert_eq!(Service::of(&[samples::lossy_fifo_network()]), lossy);
        let loose = Service { intact: true, ..Service::default() };
        assert_eq!(Service::of(&[samples::lossy_network(4)]), loose);
        assert_eq!(Service::of(&[]), Service::default());
        assert_eq!(Service::of(&[samples::lossy_network(4), samples::fifo_network()]), all);
    }
}
