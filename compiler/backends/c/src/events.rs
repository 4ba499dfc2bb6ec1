//! Events inside a step: handlers, functions, and the reactions that hand events to handlers.

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::body::{pushes, Body, Kind};
use crate::code::Code;
use crate::functions::{CType, Function, Parameter};
use crate::plan::Item;
use crate::writer::Writer;

/// A function in C that takes a step, and its body.
pub struct Written {
    pub function: Function,
    pub body: Code,
}

impl Writer<'_> {
    /// The function of a handler: parameters of the event, then fields of the header.
    pub fn handler(&mut self, id: HandlerId) -> Written {
        let stack = self.stack;
        let handler = stack.handler(id);
        let function = self.item_function(Item::Handler(id));
        let layer = handler.layer.index();
        let mut body = Body::new(self, layer, Kind::Handler, &handler.locals, &[&handler.body]);
        let parameters: Vec<LocalId> = handler.parameters.iter().chain(&handler.fields).copied().collect();
        let declared = body.parameters(&parameters);
        body.line_of(handler.span);
        body.void_parameters(&parameters);
        body.code.line("(void)step;");
        body.block(&handler.body);
        let code = body.code;
        Written { function: Function { parameters: declared, ..function }, body: code }
    }

    /// Returns a function of a layer as C.
    pub fn function(&mut self, id: FunctionId) -> Written {
        let stack = self.stack;
        let function = stack.function(id);
        let head = self.item_function(Item::Function(id));
        let layer = function.layer.index();
        let mut body = Body::new(self, layer, Kind::Function, &function.locals, &[&function.body]);
        let declared = body.parameters(&function.parameters);
        body.line_of(function.span);
        body.void_parameters(&function.parameters);
        body.code.line("(void)step;");
        body.block(&function.body);
        let result = match &function.result {
            None => None,
            Some(ty) => {
                if !matches!(function.body.last().map(|s| &s.kind), Some(StatementKind::Return(_))) {
                    let zero = body.zero(&ty.clone());
                    let c_type = body.c_type(&ty.clone());
                    body.code.line(format!("return ({c_type}){zero};"));
                }
                Some(body.c_type(&ty.clone()).into())
            }
        };
        let code = body.code;
        Written { function: Function { result, parameters: declared, ..head }, body: code }
    }

    /// Every event that a layer reacts to: takes its header off and hands it to the handler for it.
    pub fn reaction(&mut self, layer: LayerId, reaction: &Reaction) -> Written {
        let stack = self.stack;
        let function = self.item_function(Item::Reaction(layer, reaction.event));
        let parameters = self.parameters(Target::Layer(layer), reaction.event);
        let mut code = Code::new(1);
        let declared = stack.event(reaction.event);
        match declared.message {
            None => match reaction.arms.first() {
                Some(arm) => {
                    let handler = self.ask(Item::Handler(arm.handler), self.plan.quick);
                    let arguments: Vec<&String> = parameters.iter().map(|p| &p.name).collect();
                    code.line(format!("{};", self.call_step(&handler, &arguments)));
                }
                None => self.no_arm(&parameters, None, &mut code),
            },
            Some(message) => self.arms(layer, reaction, message as usize, &parameters, &mut code),
        }
        Written { function: Function { parameters, ..function }, body: code }
    }

    fn no_arm(&mut self, parameters: &[Parameter], message: Option<&str>, code: &mut Code) {
        let p = self.prefix.clone();
        for parameter in parameters.iter().filter(|p| Some(p.name.as_str()) != message) {
            code.line(format!("(void){};", parameter.name));
        }
        if let Some(message) = message {
            code.line(format!("{p}_drop(step->pool, {message}.bytes);"));
        }
        code.line(format!("step->counters[{p}_BROKEN]++;"));
    }

    fn arms(&mut self, layer: LayerId, reaction: &Reaction, message: usize, parameters: &[Parameter], code: &mut Code) {
        let stack = self.stack;
        let slots = &self.slots[layer.index()];
        let (tag, headers) = (slots.tag.clone(), slots.headers.clone());
        let m = parameters[message].name.clone();
        let call = |w: &mut Self, handler: HandlerId, header: Option<HeaderId>, code: &mut Code| {
            let mut texts = vec![];
            for (i, parameter) in parameters.iter().enumerate() {
                texts.push(parameter.name.clone());
                if i == message {
                    let wants = w.wanted_level(handler, message);
                    if let Some(initial) = w.as_message(&m, layer.index(), wants) {
                        let ty = w.message_type(wants);
                        texts.pop();
                        texts.push(format!("({ty}){initial}"));
                    }
                }
            }
            if let Some(header) = header {
                let count = stack.header(header).fields.len();
                (0..count).for_each(|f| texts.push(format!("{m}.{}", w.slots[layer.index()].place(header, f))));
            }
            let callee = w.ask(Item::Handler(handler), w.plan.quick);
            code.line(format!("{};", w.call_step(&callee, &texts)));
        };
        let variants: Vec<Option<HeaderId>> = headers.iter().map(|h| Some(*h)).chain([None]).collect();
        let choose = |w: &mut Self, header: Option<HeaderId>, code: &mut Code| {
            let arms: Vec<&Arm> = reaction.arms.iter().filter(|a| a.guard.header == header).collect();
            let always = arms.iter().position(|a| !a.guard.data);
            let shown = &arms[..always.map_or(arms.len(), |i| i + 1)];
            match shown {
                [] => w.no_arm(parameters, Some(&m), code),
                [only] if !only.guard.data => call(w, only.handler, header, code),
                [first, rest @ ..] => {
                    code.open(format!("if ({m}.data) {{"));
                    call(w, first.handler, header, code);
                    code.turn("} else {");
                    match rest.iter().find(|a| !a.guard.data) {
                        Some(arm) => call(w, arm.handler, header, code),
                        None => w.no_arm(parameters, Some(&m), code),
                    }
                    code.close("}");
                }
            }
        };
        if headers.is_empty() {
            return choose(self, None, code);
        }
        code.open(format!("switch ({m}.{tag}) {{"));
        for header in variants {
            match header {
                Some(header) => {
                    let number = self.slots[layer.index()].number(header);
                    code.open(format!("case {number}: /* {} */", stack.header(header).name));
                }
                None => code.open("default:"),
            }
            choose(self, header, code);
            code.line("break;");
            code.close("");
        }
        code.close("}");
    }

    /// From which layer on the message carries headers in a handler: its own too, if the handler puts one on in place.
    fn wanted_level(&self, handler: HandlerId, message: usize) -> usize {
        let handler = self.stack.handler(handler);
        let local = handler.parameters[message];
        let mut pushed = false;
        handler.body.each(|node| {
            if let Node::Statement(Statement { kind: StatementKind::Let(l, e), .. }) = node {
                pushed |= *l == local && pushes(e);
            }
        });
        handler.layer.index() + !pushed as usize
    }
}

impl Body<'_, '_> {
    /// The parameters in a function's head; they are declared by it.
    pub fn parameters(&mut self, parameters: &[LocalId]) -> Vec<Parameter> {
        let mut list = vec![];
        for id in parameters {
            let ty = self.local_type(*id);
            let ty = CType { name: ty, pointer: self.locals[id.index()].by_ref };
            list.push(Parameter::new(ty, &self.names[id.index()]));
            self.mark_declared(*id);
        }
        list
    }

    /// Those that are not read.
    pub fn void_parameters(&mut self, parameters: &[LocalId]) {
        for id in parameters {
            if !self.is_read(*id) {
                let name = self.names[id.index()].clone();
                self.code.line(format!("(void){name};"));
            }
        }
    }

    /// Says where in the layer's source the next line comes from.
    pub fn line_of(&mut self, span: Span) {
        let origin = self.w.origin(span);
        self.code.written_for(origin);
    }
}
