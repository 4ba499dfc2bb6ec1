//! What the network does by itself, in Promela around emitted C.

use super::world::World;
use nacre_backend_promela::automata::Transition;
use nacre_backend_promela::effects;
use nacre_backend_promela::report::Step;
use nacre_backend_promela::term::Term;
use nacre_specification::ActionKind;
use nacre_stack::{Direction, EventId, Type};
use std::fmt::Write;

impl World<'_> {
    /// What the network does by itself.
    pub(super) fn moves(&self, text: &mut String) -> Result<(), String> {
        let network = self.network();
        let silent = nacre_specification::subset_construction::silent(&self.setup.below);
        for (at, action) in self.setup.below.actions.iter().enumerate() {
            let event = match action.kind {
                // What the layer does not know cannot be seen.
                ActionKind::Output => match self.setup.event_at(0, &action.name, Direction::Up) {
                    Some(event) => Some(event),
                    None => continue,
                },
                _ if silent.contains(&at) => None,
                _ => continue,
            };
            let (left, spent) = self.limit(&action.name);
            for transition in network.transitions(at)? {
                let when = transition.guard.clone().and(left.clone());
                let then = format!("{}            {spent}", effects::text(&transition.effects));
                match event {
                    _ if when.is_false() => {}
                    Some(event) => self.arrives(event, &transition, when, then, text)?,
                    None => self.by_itself(&action.name, &transition, &when.to_string(), &then, text),
                }
            }
        }
        Ok(())
    }

    fn by_itself(&self, name: &str, transition: &Transition, when: &str, then: &str, text: &mut String) {
        let told = Step::Network { name: name.to_string(), end: None }.print();
        let _ = match &transition.damages {
            None => writeln!(text, "        :: d_step {{ ({when}) -> {told};\n{then} skip }}"),
            Some(message) => writeln!(
                text,
                "        :: {}            d_step {{ {told}; {FLIPPED}\n{then} skip }}",
                any_bit(message, when)
            ),
        };
    }

    fn arrives(
        &self,
        event: EventId,
        transition: &Transition,
        when: Term,
        mut then: String,
        text: &mut String,
    ) -> Result<(), String> {
        let end = transition.end_of(&self.setup.below)?;
        let declared = self.setup.stack.event(event);
        for (parameter, value) in declared.parameters.iter().zip(&transition.parameters[1..]) {
            let _ = match parameter.ty {
                Type::Msg => write!(then, "what = {value}; "),
                Type::Addr => Ok(()),
                _ => write!(then, "said = {value}; "),
            };
        }
        let interface = self.setup.stack.interface();
        let place = interface.iter().position(|e| e.port.0 == 0 && e.input.is_some() && e.event == event);
        let step = match declared.message {
            Some(_) => format!("nacre_input({end}, now.ends[{end}], now.what)"),
            None => format!("nacre_said({end}, now.ends[{end}], {}, now.said)", place.unwrap_or(0)),
        };
        let when = when.and(Term::Atom(format!("c_expr {{ !BUSY_{end} }}"))).to_string();
        let told = Step::Network { name: declared.name.clone(), end: Some(end) }.print();
        let _ = match &transition.damages {
            None => writeln!(
                text,
                "        :: d_step {{ ({when}) -> {told}; me = {end};\n{then}c_code {{ now.step = {step}; }} }}"
            ),
            Some(message) => writeln!(
                text,
                "        :: {}            d_step {{ {told}; me = {end}; {FLIPPED}\n\
                 {then}c_code {{ now.step = {step}; }} }}",
                any_bit(message, &when)
            ),
        };
        Ok(())
    }
}

/// Which bit of a message is turned round is for SPIN to choose: statements before a `d_step` that begins with
/// [`FLIPPED`].
fn any_bit(message: &str, when: &str) -> String {
    format!(
        "({when} && {message} != 0) -> what = {message}; i = 0;
            do
            :: c_expr {{ MORE_BITS }} -> i++
            :: break
            od;
            skip;
"
    )
}

const FLIPPED: &str = "c_code { now.what = nacre_flipped(now.what, now.i); };";
