//! Emitted C as endpoints for their environment: functions of numbers.

use nacre_backend_promela::environment::Endpoints;
use nacre_backend_promela::term::Term;
use nacre_backend_promela::world::Call;
use nacre_stack::{EventId, Parameter, Stack, Type};

/// The endpoints of an emitted stack.
pub struct Numbered<'a>(pub &'a Stack);

impl Endpoints for Numbered<'_> {
    fn accepts(&mut self, at: usize, _: &Call, _: &[Term]) -> Result<Term, String> {
        Ok(Term::Atom(format!("c_expr {{ TAKES_{at} }}")))
    }

    fn called(&mut self, at: usize, call: &Call, _: &[Term]) -> Result<Vec<String>, String> {
        let end = call.end;
        Ok(vec![format!("c_code {{ now.step = nacre_asked({end}, now.ends[{end}], {at}); }};")])
    }

    fn arrived(&mut self, event: EventId, end: usize, arguments: &[Term]) -> Result<Vec<String>, String> {
        self.carries_one_number(event)?;
        let declared = self.0.event(event);
        let mut lines = vec![];
        for (parameter, value) in declared.parameters.iter().zip(arguments.iter().skip(1)) {
            match parameter.ty {
                Type::Msg => lines.push(format!("what = {value};")),
                Type::Addr => {}
                _ => lines.push(format!("said = {value};")),
            }
        }
        let place = self.0.interface().iter().position(|e| e.port.0 == 0 && e.input.is_some() && e.event == event);
        let step = match declared.message {
            Some(_) => format!("nacre_input({end}, now.ends[{end}], now.what)"),
            None => format!("nacre_said({end}, now.ends[{end}], {}, now.said)", place.unwrap_or(0)),
        };
        lines.push(format!("c_code {{ now.step = {step}; }};"));
        Ok(lines)
    }
}

impl Numbered<'_> {
    /// The value of a parameter of an event that leaves the current endpoint.
    pub fn carries(&self, event: EventId, parameter: &Parameter) -> Result<Term, String> {
        self.carries_one_number(event)?;
        Ok(Term::atom(if parameter.ty == Type::Msg { "what" } else { "said" }))
    }

    /// Checks that an event has at most one number: the harness returns only the bytes and the first number of an
    /// event.
    fn carries_one_number(&self, event: EventId) -> Result<(), String> {
        let declared = self.0.event(event);
        let numbers = declared.parameters.iter().filter(|p| !matches!(p.ty, Type::Msg | Type::Addr)).count();
        match numbers {
            0 | 1 => Ok(()),
            _ => Err(format!("`{}` carries more than one number", declared.name)),
        }
    }
}
