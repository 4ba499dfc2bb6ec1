//! The environment of two endpoints as guarded commands: calls of the application, transitions of the network, the
//! automata that receive the events of an endpoint, and the guards of timers that are a last resort.
//!
//! It is independent of the language of the endpoints. The trait [`Endpoints`] has two implementations: endpoints in
//! Promela ([`crate::between`]), and endpoints in C, which a model uses as functions of numbers (`nacre-spin`).

use nacre_specification::subset_construction::silent;
use nacre_specification::violation::Violation;
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::{EventId, Parameter, Stack, Type};

use crate::automata::Transition;
use crate::effects;
use crate::monitors::{clash, known, unclear};
use crate::report::{violated, within, Limit, Step as Report};
use crate::term::Term;
use crate::world::{Call, World};

/// The operations of endpoints that their environment uses.
pub trait Endpoints {
    /// The condition that an endpoint accepts a call. `arguments`: those of the corresponding action, the endpoint
    /// first.
    fn accepts(&mut self, at: usize, call: &Call, arguments: &[Term]) -> Result<Term, String>;

    /// Statements that begin the step of a call.
    fn called(&mut self, at: usize, call: &Call, arguments: &[Term]) -> Result<Vec<String>, String>;

    /// Statements that begin the step of an event from below.
    fn arrived(&mut self, event: EventId, end: usize, arguments: &[Term]) -> Result<Vec<String>, String>;
}

/// A transition that begins a step at an endpoint.
pub struct Move {
    pub end: usize,
    pub when: Term,
    pub told: Report,
    /// The call, and the condition that the automata above allow it; none: the network delivers an event.
    pub call: Option<(usize, Term)>,
    /// Whether it is a violation.
    pub broken: bool,
    /// Whether it never has to happen.
    pub fault: bool,
    /// The frame that is damaged.
    pub damages: Option<String>,
    /// Its effects, and the statements that begin the step.
    pub lines: Vec<String>,
}

/// An internal transition of the network.
pub struct Silent {
    pub name: String,
    pub fault: bool,
    pub when: Term,
    /// The frame that is damaged.
    pub damages: Option<String>,
    /// Its effects.
    pub lines: Vec<String>,
}

/// The reception of an event that leaves an endpoint.
#[derive(Default)]
pub struct Taken {
    /// For each automaton with an action for the event: its transitions, and the violation reported if none is
    /// possible.
    ways: Vec<(Vec<Transition>, Violation, String)>,
    /// The numbers that the event passes to the automata. A number too large for automata of models is negative here.
    large: Vec<Term>,
}

/// The parameters of an event as those of an action: the endpoint, then the value of each parameter, by its place.
/// Addresses are those of the peer.
pub fn action_parameters(
    stack: &Stack,
    event: EventId,
    end: &Term,
    each: &dyn Fn(usize, &Parameter) -> Result<Term, String>,
) -> Result<Vec<Term>, String> {
    let parameters = stack.event(event).parameters.iter().enumerate();
    let terms = parameters.map(|(at, parameter)| match parameter.ty {
        Type::Addr => Ok(Term::Number(1).minus(end.clone())),
        _ => each(at, parameter),
    });
    [Ok(end.clone())].into_iter().chain(terms).collect()
}

impl World<'_> {
    /// Every transition by which an outside event begins a step.
    pub fn moves(&self, stack: &Stack, endpoints: &mut dyn Endpoints) -> Result<Vec<Move>, String> {
        let mut moves = vec![];
        for (at, call) in self.calls.iter().enumerate() {
            self.ways_of_call(stack, endpoints, (at, call), &mut moves)?;
        }
        for (at, action) in self.below.actions.iter().enumerate().filter(|(_, a)| a.kind == ActionKind::Output) {
            let inputs = stack.ports.first().map_or(&[][..], |port| &port.inputs);
            // An event that the layer does not declare is not observable.
            let Some(input) = inputs.iter().find(|i| stack.event(i.event).name == action.name) else { continue };
            let (left, spent) = self.limit(&action.name);
            for transition in self.network().transitions(at)? {
                let when = self.is_possible(&transition).and(left.clone());
                if when.is_false() {
                    continue;
                }
                let end = transition.end_of(self.below)?;
                let arrived = endpoints.arrived(input.event, end, &transition.parameters)?;
                let lines = [self.statements(&transition), effects::lines(&spent), arrived].concat();
                let told = Report::Network { name: action.name.clone(), end: Some(end) };
                let (damages, fault) = (transition.damages, action.is_fault());
                moves.push(Move { end, when, told, call: None, broken: false, fault, damages, lines });
            }
        }
        Ok(moves)
    }

    fn ways_of_call(
        &self,
        stack: &Stack,
        endpoints: &mut dyn Endpoints,
        (at, call): (usize, &Call),
        moves: &mut Vec<Move>,
    ) -> Result<(), String> {
        let name = &stack.event(call.event).name;
        let arguments = self.call_arguments(stack, call)?;
        let accepted = endpoints.accepts(at, call, &arguments)?;
        let called = endpoints.called(at, call, &arguments)?;
        let told = Report::Call { end: call.end, name: name.clone(), number: call.number + 1 };
        for (allowed, lines) in self.allowed(call, name, &arguments)? {
            let chosen = |when: Term, broken, lines| {
                let call_ = Some((at, allowed.clone()));
                let (fault, damages) = (false, None);
                Move { end: call.end, when, told: told.clone(), call: call_, broken, fault, damages, lines }
            };
            let refused = allowed.clone().and(accepted.clone().negated());
            if self.at_once && !refused.is_false() {
                let why = violated(Violation::Refused, &format!("{name} is allowed, and not taken"));
                moves.push(chosen(refused, true, vec![why]));
            }
            moves.push(chosen(allowed.clone().and(accepted.clone()), false, [lines, called.clone()].concat()));
        }
        Ok(())
    }

    /// The transitions by which the automata above allow a call: conditions and effects.
    fn allowed(&self, call: &Call, name: &str, arguments: &[Term]) -> Result<Vec<(Term, Vec<String>)>, String> {
        let used = self.used_of_call(call);
        let next = Term::atom(&used).equals(Term::number(call.number));
        let mut choices = vec![(next, vec![format!("{used}++;")])];
        let written = |bytes: &[u8]| self.written(bytes);
        for monitor in self.monitors(&written) {
            let Some(transitions) = monitor.known(ActionKind::Input, name, arguments)? else { continue };
            let with = |(when, lines): &(Term, Vec<String>)| -> Vec<(Term, Vec<String>)> {
                let each = transitions.iter();
                let lines = |t: &Transition| [lines.clone(), effects::lines(&t.effects)].concat();
                each.map(|t| (when.clone().and(t.guard.clone()), lines(t))).collect()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        Ok(choices)
    }

    /// The arguments of a call as those of an action.
    fn call_arguments(&self, stack: &Stack, call: &Call) -> Result<Vec<Term>, String> {
        let declared = stack.event(call.event);
        let message = declared.message.map(|at| at as usize);
        let number = |at: usize| call.arguments.get(at - usize::from(message.is_some_and(|m| m < at)));
        action_parameters(stack, call.event, &Term::number(call.end), &|at, _| match &call.bytes {
            Some(bytes) if message == Some(at) => {
                self.written(bytes).ok_or_else(|| format!("`{}` carries a message that is not known", declared.name))
            }
            _ => match number(at) {
                Some(Some(number)) => Ok(Term::Number(*number)),
                _ => Err(format!("`{}` carries what is neither a number nor a message", declared.name)),
            },
        })
    }

    /// The internal transitions of the automaton below.
    pub fn silent(&self) -> Result<Vec<Silent>, String> {
        let mut found = vec![];
        for at in silent(self.below) {
            let action = &self.below.actions[at];
            let (left, spent) = self.limit(&action.name);
            for transition in self.network().transitions(at)? {
                let when = self.is_possible(&transition).and(left.clone());
                if when.is_false() {
                    continue;
                }
                let lines = [self.statements(&transition), effects::lines(&spent)].concat();
                let fault = action.is_fault();
                found.push(Silent { name: action.name.clone(), fault, when, damages: transition.damages, lines });
            }
        }
        Ok(found)
    }

    /// For each automaton with an action for an event that leaves the endpoint `me`, downwards or upwards: its
    /// transitions, and the violation reported if none is possible. `carried`: the value of each parameter.
    pub fn taken(
        &self,
        stack: &Stack,
        event: EventId,
        down: bool,
        carried: &dyn Fn(usize, &Parameter) -> Result<Term, String>,
    ) -> Result<Taken, String> {
        let name = &stack.event(event).name;
        let kind = if down { ActionKind::Input } else { ActionKind::Output };
        let speaks = |a: &Automaton| a.actions.iter().any(|action| action.kind == kind && action.name == *name);
        let below = std::slice::from_ref(self.below);
        if !if down { below } else { self.above }.iter().any(speaks) {
            return Ok(Taken::default());
        }
        let arguments = action_parameters(stack, event, &Term::atom("me"), carried)?;
        let parameters = stack.event(event).parameters.iter().zip(arguments.iter().skip(1));
        let large = parameters.filter(|(parameter, _)| may_be_large(&parameter.ty)).map(|(_, term)| term.clone());
        let mut taken = Taken { ways: vec![], large: large.collect() };
        if down {
            let why = format!("{name} goes down where {} does not take it", self.below.name);
            let found = known(&self.network(), kind, name, &arguments)?;
            taken.ways.extend(found.map(|transitions| (transitions, Violation::NotTaken, why)));
            return Ok(taken);
        }
        let written = |bytes: &[u8]| self.written(bytes);
        for monitor in self.monitors(&written) {
            let why = format!("{name} is not allowed by {} here", monitor.name());
            let found = monitor.known(kind, name, &arguments)?;
            taken.ways.extend(found.map(|transitions| (transitions, Violation::NotAllowed, why)));
        }
        Ok(taken)
    }

    /// The guard of a timer that is a last resort. SPIN's `timeout` holds if no other statement is executable.
    /// `none_armed`: the condition that no timer of a resort is armed.
    pub fn last_resort(&self, resort: usize, none_armed: &mut dyn FnMut(usize) -> String) -> String {
        let most = |at: usize| self.last[at].1;
        let mut over = |at: usize| format!(" && ({} >= {} || {})", self.used_of_last(at), most(at), none_armed(at));
        let sooner: String = (0..resort).map(&mut over).collect();
        format!(" && timeout && {} < {}{sooner}", self.used_of_last(resort), most(resort))
    }
}

/// Whether values of a type can be negative or exceed an `int`.
fn may_be_large(ty: &Type) -> bool {
    match ty {
        Type::UInt(bits) | Type::Seq(bits) => *bits > 31,
        Type::Range(_, end) => *end > 1 << 31,
        Type::Int(_) | Type::Duration | Type::Instant => true,
        _ => false,
    }
}

/// One transition of each automaton; `own`: as separate statements, so that SPIN can choose.
pub fn choices(taken: &Taken, own: bool) -> Vec<String> {
    let mut lines: Vec<String> =
        taken.large.iter().map(|number| within(&format!("{number} >= 0"), Limit::Number)).collect();
    for (transitions, violation, why) in &taken.ways {
        let clash = clash(transitions);
        if !own && !clash.is_false() {
            lines.push(format!("if :: {clash} -> {} :: else fi;", unclear(why)));
        }
        lines.push("if".into());
        for transition in transitions {
            lines.push(format!(":: {} ->", transition.guard));
            let body = effects::lines(&transition.effects).into_iter().chain(["skip".into()]);
            match own {
                false => lines.extend(body.map(|line| format!("    {line}"))),
                true => {
                    lines.push("    d_step {".into());
                    lines.extend(body.map(|line| format!("        {line}")));
                    lines.push("    }".into());
                }
            }
        }
        if !transitions.iter().any(|t| t.guard.is_true()) {
            lines.push(format!(":: else -> {}", violated(*violation, why)));
        }
        lines.push("fi;".into());
    }
    lines
}
