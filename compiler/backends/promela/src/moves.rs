//! What can begin a step: calls, what the network lets arrive, timers.

use nacre_specification::violation::Violation;
use nacre_specification::ActionKind;
use nacre_stack::*;

use crate::automata::Transition;
use crate::effects;
use crate::fairness::Fair;
use crate::report::{violated, Step as Report};
use crate::term::Term;
use crate::world::{has_bits, statements, Call, Move, World};
use crate::writer::Writer;

impl Writer<'_> {
    /// Every way in which something outside begins a step.
    pub fn moves(&mut self, world: &World) -> Result<Vec<Move>, String> {
        let mut moves = vec![];
        for (at, call) in world.calls.iter().enumerate() {
            self.ways_of_call(world, at, call, &mut moves)?;
        }
        for (at, action) in world.below.actions.iter().enumerate().filter(|(_, a)| a.kind == ActionKind::Output) {
            let inputs = self.stack.ports.first().map_or(vec![], |p| p.inputs.clone());
            // What the layer does not know cannot be seen.
            let Some(input) = inputs.into_iter().find(|i| self.stack.event(i.event).name == action.name) else {
                continue;
            };
            let (left, spent) = world.limit(&action.name);
            for transition in world.network().transitions(at)? {
                let when = has_bits(&transition).and(left.clone());
                if when.is_false() {
                    continue;
                }
                let end = transition.end_of(world.below)?;
                self.carries_numbers(input.event)?;
                let places = self.event_places(input.event);
                let parameters = &self.stack.event(input.event).parameters;
                let given = places.into_iter().zip(parameters).zip(transition.parameters.iter().skip(1));
                let given: Vec<_> = given.map(|((place, p), term)| (place, stack_argument(p, term, end))).collect();
                let arrives = self.written(|w| w.arrives(&input, &given));
                let lines = [statements(&transition), effects::lines(&spent), arrives].concat();
                let told = Report::Network { name: action.name.clone(), end: Some(end) };
                let (damages, fault) = (transition.damages, action.is_fault());
                moves.push(Move { end, when, told, call: None, broken: false, fault, damages, lines });
            }
        }
        Ok(moves)
    }

    fn ways_of_call(&mut self, world: &World, at: usize, call: &Call, moves: &mut Vec<Move>) -> Result<(), String> {
        let inputs = self.stack.ports.get(1).map_or(vec![], |p| p.inputs.clone());
        let Some(input) = inputs.into_iter().find(|i| i.event == call.event) else {
            return Err("a call that is no event from above".into());
        };
        let event = self.stack.event(call.event).clone();
        let mut numbers = call.arguments.iter();
        let mut given = vec![];
        for (parameter, place) in event.parameters.iter().zip(self.event_places(call.event)) {
            let term = match parameter.ty {
                Type::Msg => Term::Atom(format!("asked[{at}]")),
                Type::Addr => Term::Number(0),
                _ => Term::Number(numbers.next().copied().unwrap_or(0)),
            };
            given.push((place, stack_argument(parameter, &term, call.end)));
        }
        let arguments = self.action_parameters(call.event, &Term::number(call.end), |_, place| {
            given.iter().find(|(known, _)| known == place).map_or(Term::Number(0), |(_, term)| term.clone())
        })?;
        let used = format!("used[{}]", 2 * call.kind + call.end);
        let admitted: Vec<String> = given.iter().map(|(_, term)| term.to_string()).collect();
        let admitted = self.at_end(call.end, |w| w.admitted_with(&input, &admitted));
        let admitted = Term::all(admitted.into_iter().map(|condition| Term::Atom(format!("({condition})"))));
        let next = Term::atom(&used).equals(Term::number(call.number));
        let mut choices = vec![(next, vec![format!("{used}++;")])];
        let written = |bytes: &[u8]| world.written(bytes);
        for monitor in world.monitors(&written) {
            let Some(transitions) = monitor.known(ActionKind::Input, &event.name, &arguments)? else { continue };
            let with = |(when, lines): &(Term, Vec<String>)| -> Vec<(Term, Vec<String>)> {
                let each = transitions.iter();
                let lines = |t: &Transition| [lines.clone(), effects::lines(&t.effects)].concat();
                each.map(|t| (when.clone().and(t.guard.clone()), lines(t))).collect()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        let put = self.written(|w| w.put(&input, &given));
        let told = Report::Call { end: call.end, name: event.name.clone(), number: call.number + 1 };
        for (allowed, lines) in choices {
            let chosen = |when: Term, broken, lines| {
                let call_ = Some((at, allowed.clone()));
                let (fault, damages) = (false, None);
                Move { end: call.end, when, told: told.clone(), call: call_, broken, fault, damages, lines }
            };
            let refused = allowed.clone().and(admitted.clone().negated());
            if world.at_once && !refused.is_false() {
                let why = violated(Violation::Refused, &format!("{} is allowed, and not taken", event.name));
                moves.push(chosen(refused, true, vec![why]));
            }
            moves.push(chosen(allowed.clone().and(admitted.clone()), false, [lines, put.clone()].concat()));
        }
        Ok(())
    }

    /// An option for each timer that can be armed. `timeout` is SPIN's word for: nothing else can happen.
    pub fn timer_options(&mut self, world: &World, waits: &str, fair: Option<&Fair>) {
        let mut place = 0;
        for at in 0..self.stack.timers.len() {
            let resort = world.last.iter().position(|(name, _)| *name == self.stack.timers[at].name);
            let mut when = format!("opened == 2 && {waits}");
            if let Some(resort) = resort {
                let sooner = (0..resort).map(|sooner| format!(" && {}", self.is_over(world, sooner)));
                let sooner: String = sooner.collect();
                let most = world.last[resort].1;
                when += &format!(" && timeout && {} < {most}{sooner}", world.used_of_last(resort));
            }
            let name = self.timer_name(at);
            for armed in self.timer_places(at) {
                let number = if resort.is_some() { fair.map(Fair::none) } else { fair.map(|f| f.of_timer(place)) };
                place += usize::from(resort.is_none());
                let then = format!("cause = {name}{}", armed.which);
                self.begins(&format!("{when} && {}", armed.when), &then, number);
            }
        }
    }

    /// An option of what begins a step. `number`: the move's among those that fairness speaks of.
    pub fn begins(&mut self, when: &str, then: &str, number: Option<String>) {
        self.line(match number {
            None => format!(":: {when} -> {then}"),
            Some(number) => format!(":: d_step {{ ({when}) -> {then}; taken = {number} }}"),
        });
    }

    /// A last resort is used up or armed at no end.
    fn is_over(&mut self, world: &World, resort: usize) -> String {
        let (name, most) = &world.last[resort];
        let timers = (0..self.stack.timers.len()).filter(|at| self.stack.timers[*at].name == *name);
        let timers: Vec<_> = timers.flat_map(|at| [(at, 0), (at, 1)]).collect();
        let armed: Vec<_> = timers.into_iter().flat_map(|(at, end)| self.at_end(end, |w| w.timer_places(at))).collect();
        let free: String = armed.iter().map(|armed| format!(" && !({})", armed.when)).collect();
        format!("({} >= {most} || (true{free}))", world.used_of_last(resort))
    }
}

/// What an event of the stack carries for a value of an automaton: addresses are those of the peer.
fn stack_argument(parameter: &Parameter, term: &Term, end: usize) -> Term {
    match parameter.ty {
        Type::Addr => Term::number(2 - end),
        _ => term.clone(),
    }
}
