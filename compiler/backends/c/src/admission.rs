//! What a call of the host needs: whether it is admitted, and whether the pool has the blocks that its step may take.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::code::Code;
use crate::entries::Call;
use crate::functions::{Function, Linkage};
use crate::globals::Global;
use crate::writer::Writer;

impl Writer<'_> {
    /// Writes the function that says whether a call is admitted.
    pub fn admission_function(&mut self, call: &Call) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let input = &stack.ports[call.port].inputs[call.input];
        let parameters = self.parameters(Target::Layer(input.layer), input.event);
        let mut code = Code::new(0);
        let function = self.admission(call);
        let head = self.register(Function { parameters: parameters.clone(), ..function });
        self.calls.in_place = true;
        code.open(format!("{head} {{"));
        code.line("(void)step;");
        parameters.iter().for_each(|parameter| code.line(format!("(void){};", parameter.name)));
        for admission in &input.admissions {
            let mut body = Body::new(self, admission.layer.index(), Kind::Outside, &admission.locals, &[]);
            for (name, given) in body.names.iter_mut().zip(&parameters) {
                name.clone_from(&given.name);
            }
            let condition = body.value(&admission.condition);
            let text = body.code;
            code.apart(&text, format!("if ({p}_UNLIKELY(!{condition})) {{ return false; }}"));
        }
        code.line("return true;");
        code.close("}");
        self.calls.in_place = false;
        code
    }

    /// The function that says whether a call is admitted, without its parameters.
    pub fn admission(&self, call: &Call) -> Function {
        let name = self.global(Global::Admits(call.number), format!("admits_{}", call.name));
        let (linkage, result) = (Linkage::InPlace, Some("bool".into()));
        Function { linkage, result, ..Function::plain(name, vec![]) }
    }

    /// Whether a step can take blocks of the pool.
    pub fn is_limited(&self, need: Need) -> bool {
        need.copies > 0 || need.extra > 0
    }

    /// Whether there is room for the worst case of the step; `shape`: of the message, where it is known.
    pub fn need(&self, need: Need, len: &str, shape: Option<&Shape>, code: &mut Code) {
        let p = &self.prefix;
        if let Some(lacks) = self.lacks(need, len, shape) {
            code.open(format!("if ({p}_UNLIKELY({lacks})) {{"));
            code.line(format!("counters[{p}_NO_SPACE]++;"));
            code.line(format!("return {p}_nothing(out, NACRE_NO_SPACE);"));
            code.close("}");
        }
    }

    /// The condition that there is not; none: there always is.
    pub fn lacks(&self, need: Need, len: &str, shape: Option<&Shape>) -> Option<String> {
        if !self.is_limited(need) {
            return None;
        }
        let p = &self.prefix;
        // A message in one block, or none, needs no more than this; one with data needs no less.
        let enough = need.copies + need.extra;
        let space = format!("{p}_lacks(pool, {p}_needed({}u, {}u, {len}))", need.copies, need.extra);
        Some(match shape.filter(|shape| shape.data_max <= self.block_bytes()) {
            None => space,
            Some(shape) if shape.data_min > 0 => format!("{p}_lacks(pool, {enough}u)"),
            Some(_) => format!("pool->free < {enough}u && {space}"),
        })
    }

    /// Goes on elsewhere unless the message takes one block, and the pool has what such a message may need: so the code
    /// of this way need not ask again.
    pub fn enough(&mut self, call: &Call, input: &PortInput, code: &mut Code) {
        let p = self.prefix.clone();
        let rest = self.call_rest(call);
        let need = input.need.copies + input.need.extra;
        code.open(format!("if ({p}_UNLIKELY(len - 1u >= {p}_BLOCK || pool->free < {need}u)) {{"));
        code.line(format!("return {rest};"));
        code.close("}");
    }

    /// The condition that the message of a call takes no or several blocks, or that the pool has too few.
    pub fn is_not_short(&self, input: &PortInput) -> String {
        format!("len - 1u >= {}_BLOCK || pool->free < {}u", self.prefix, input.need.copies + input.need.extra)
    }

    /// The call of the function that takes an admitted call.
    pub fn call_rest(&mut self, call: &Call) -> String {
        let name = self.rest_name(call);
        self.passed_on(call, &name)
    }

    /// The call of a function with the parameters of an entry, from one that has them.
    pub fn passed_on(&mut self, call: &Call, name: &str) -> String {
        let event = self.stack.ports[call.port].inputs[call.input].event;
        let parameters = self.entry_parameters(event).into_iter().map(|parameter| parameter.name + ", ");
        let message = if self.stack.event(event).message.is_some() { "data, len, " } else { "" };
        let parameters = parameters.collect::<String>();
        format!("{name}(s, pool, counters, now, {parameters}{message}out)")
    }

    fn rest_name(&self, call: &Call) -> String {
        self.global(Global::Rest(call.number), format!("rest_{}", call.name))
    }

    /// The function that takes an admitted call with a message of any length.
    pub fn rest_of_call(&mut self, call: &Call, input: &PortInput) -> Code {
        let mut code = Code::new(0);
        let name = format!("{}_APART int {}", self.prefix, self.rest_name(call));
        let head = self.head_as_entry(&name, call);
        code.open(format!("{head} {{"));
        let has_message = self.stack.event(input.event).message.is_some();
        self.begin(&mut code, has_message.then_some(("data", "len")));
        let texts = self.entry_arguments(input.event, Target::Layer(input.layer), &mut code);
        self.need(input.need, if has_message { "len" } else { "0" }, None, &mut code);
        self.react(input, false, &texts, &mut code);
        code
    }
}
