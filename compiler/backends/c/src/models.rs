//! Functions of the host as models of their contracts ([`nacre_stack::models`]), for tests and checkers.

use nacre_stack::models::{Form, Model};
use nacre_stack::*;

use crate::names;
use crate::types::Scalar;
use crate::writer::Writer;

/// The functions that models consist of.
pub const MODELS: &str = include_str!("support/models.c");

impl Writer<'_> {
    /// The model of a function of the host; none: it has none, or models are not wanted.
    pub fn model(&self, id: ExternId) -> Option<Model> {
        let declared = &self.stack.externs[id.index()];
        let wanted = self.options.models && declared.body.is_none();
        wanted.then(|| Model::of(declared, self.stack).ok()).flatten()
    }

    /// The functions that models consist of, if the stack has any; else empty.
    pub fn models(&mut self) -> String {
        let any = (0..self.stack.externs.len()).any(|index| self.model(ExternId(index as u32)).is_some());
        if any {
            self.support(MODELS)
        } else {
            String::new()
        }
    }

    /// The statement that is the body of a model.
    pub fn model_statement(&self, declared: &Extern, model: &Model) -> String {
        let (p, sum) = (&self.prefix, self.model_sum(declared, model));
        let main = model.main.map(|at| &declared.parameters[at]);
        let name = main.map_or("result".into(), |parameter| names::plain(&parameter.name));
        let len = if main.is_some() { format!("{name}_len") } else { "0".into() };
        let hides = !model.shows;
        match model.form {
            Form::Number { low, below } => {
                let word = format!("{p}_model_word({sum}, 0)");
                let word = if below == 0 { word } else { format!("{word} % UINT64_C({below})") };
                self.model_number(declared, if low == 0 { word } else { format!("{low}u + {word}") })
            }
            Form::Bytes(len) => format!("{p}_model_bytes({sum}, {len}, result);"),
            Form::Sealed(tag) => {
                format!("return {p}_model_seal({sum}, {name}, {len}, {tag}, {hides}, result, result_max);")
            }
            Form::Opened { tag, rejects } => {
                format!("return {p}_model_open({sum}, {name}, {len}, {tag}, {hides}, {rejects}, result, result_max);")
            }
            Form::Turned => match declared.result {
                Some(Type::Bytes(len)) => format!("{p}_model_turn({sum}, {name}, {len}, result);"),
                _ => {
                    let bits = declared.result.as_ref().and_then(|ty| self.scalar(ty)).map_or(64, Scalar::bits);
                    let word = format!("({p}_model_word({sum}, 0) ^ {name}) & UINT64_C({})", mask(bits));
                    self.model_number(declared, word)
                }
            },
        }
    }

    fn model_number(&self, declared: &Extern, word: String) -> String {
        match declared.result.as_ref().and_then(|ty| self.scalar(ty)) {
            Some(Scalar::Bool) => format!("return ({word}) != 0;"),
            Some(scalar) => format!("return ({})({word});", scalar.name()),
            None => unreachable!("a model gives numbers where the result is a number"),
        }
    }

    /// The hash of the name and of all arguments but the main one.
    fn model_sum(&self, declared: &Extern, model: &Model) -> String {
        let p = &self.prefix;
        let others = declared.parameters.iter().enumerate().filter(|(at, _)| Some(*at) != model.main);
        others.fold(format!("UINT64_C({})", model.domain), |sum, (at, parameter)| {
            match model.half.filter(|_| at == 0) {
                Some(half) => {
                    let of_it = self.model_added(format!("UINT64_C({})", half.domain), parameter);
                    format!("{p}_model_half({sum}, {of_it}, {})", half.len)
                }
                None => self.model_added(sum, parameter),
            }
        })
    }

    /// A hash to which an argument is added.
    fn model_added(&self, sum: String, parameter: &Parameter) -> String {
        let (p, name) = (&self.prefix, names::plain(&parameter.name));
        match &parameter.ty {
            Type::Msg | Type::View | Type::Text(_) => format!("{p}_model_string({sum}, {name}, {name}_len)"),
            Type::Bytes(len) => format!("{p}_model_string({sum}, {name}, {len})"),
            Type::Addr => format!("{p}_model_address({sum}, {name})"),
            Type::Int(bits) => {
                let number = format!("(uint64_t){name} & UINT64_C({})", mask(u32::from(*bits)));
                format!("{p}_model_number({sum}, {number})")
            }
            _ => format!("{p}_model_number({sum}, {name})"),
        }
    }
}
