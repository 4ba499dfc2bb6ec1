//! Functions in C: their declarations, and calls of them.

use nacre_stack::*;

use crate::body::Body;
use crate::code::Code;
use crate::globals::Global;
use crate::names;
use crate::term::Term;
use crate::types::{constant, Scalar};
use crate::writer::Writer;

impl Writer<'_> {
    /// The name by which emitted code calls a function in C. A function of the host has another one of its own, which
    /// a variable or parameter of emitted code may have too.
    pub fn extern_name(&self, id: ExternId) -> String {
        let declared = &self.stack.externs[id.index()];
        self.global(Global::Extern(id), format!("extern_{}", names::plain(&declared.name)))
    }

    /// Functions in C: those with a body, models, and those that the host supplies.
    pub fn externs(&mut self) -> Code {
        let mut code = Code::new(0);
        for id in (0..self.stack.externs.len()).map(|index| ExternId(index as u32)) {
            let declared = self.stack.externs[id.index()].clone();
            let name = self.extern_name(id);
            let (result, parameters) = self.extern_types(&declared);
            let head = format!("{}_PLAIN {result} {name}({}) {{", self.prefix, list(&parameters, ""));
            match (&declared.body, self.model(id)) {
                (Some(body), _) => {
                    code.open(head);
                    code.quote(body, self.origin(declared.span));
                    code.close("}");
                }
                (None, Some(model)) => {
                    code.open(head);
                    code.line(self.model_statement(&declared, &model));
                    code.close("}");
                }
                (None, None) => {
                    let host = names::plain(&declared.name);
                    code.line(format!("{result} {host}({});", list(&parameters, "")));
                    let own = format!("{host}_");
                    code.open(format!("{}_PLAIN {result} {name}({}) {{", self.prefix, list(&parameters, &own)));
                    let arguments: Vec<String> = parameters.iter().map(|(_, name)| format!("{own}{name}")).collect();
                    let leave = if result == "void" { "" } else { "return " };
                    code.line(format!("{leave}{host}({});", arguments.join(", ")));
                    code.close("}");
                }
            }
            code.line("");
        }
        code
    }

    /// The type of the result, and the parameters: types and names.
    fn extern_types(&mut self, declared: &Extern) -> (String, Vec<(String, String)>) {
        let mut parameters = vec![];
        for parameter in &declared.parameters {
            let n = names::plain(&parameter.name);
            match &parameter.ty {
                Type::Msg | Type::View | Type::Text(_) => {
                    let len = format!("{n}_len");
                    parameters.extend([("const uint8_t *".into(), n), ("uint32_t ".into(), len)])
                }
                Type::Bytes(_) => parameters.push(("const uint8_t *".into(), n)),
                ty => match self.scalar(ty) {
                    Some(scalar) => parameters.push((format!("{} ", scalar.name()), n)),
                    None => parameters.push((format!("const {} *", self.c_type(ty, 0)), n)),
                },
            }
        }
        let (result, more) = self.extern_result(declared.result.as_ref());
        parameters.extend(more);
        (result, parameters)
    }

    /// The type of the result, and the parameters behind the others through which the function returns it.
    fn extern_result(&mut self, result: Option<&Type>) -> (String, Vec<(String, String)>) {
        let bytes = || ("uint8_t *".to_string(), "result".to_string());
        let message = || ("uint32_t".to_string(), vec![bytes(), ("uint32_t ".into(), "result_max".into())]);
        match result {
            None => ("void".into(), vec![]),
            Some(Type::Msg) => message(),
            Some(Type::Option(t)) if **t == Type::Msg => message(),
            Some(Type::Bytes(_)) => ("void".into(), vec![bytes()]),
            Some(ty) => match self.scalar(ty) {
                Some(scalar) => (scalar.name(), vec![]),
                None => ("void".into(), vec![(format!("{} *", self.c_type(ty, 0)), "result".into())]),
            },
        }
    }
}

/// Parameters as they are declared, with something in front of each name.
fn list(parameters: &[(String, String)], own: &str) -> String {
    match parameters {
        [] => "void".into(),
        _ => parameters.iter().map(|(ty, name)| format!("{ty}{own}{name}")).collect::<Vec<_>>().join(", "),
    }
}

impl Body<'_, '_> {
    /// The arguments of a function in C: numbers as they are, bytes as pointer and length, others as pointer. Behind
    /// them, whether the first message is data. Each argument is evaluated once: a message that is packed moves.
    fn extern_arguments(&mut self, arguments: &[Expr]) -> (Vec<String>, Option<Term>) {
        let (mut texts, mut data) = (vec![], None);
        for argument in arguments {
            match &argument.ty {
                Type::Msg | Type::View => {
                    let view = match argument.ty {
                        Type::Msg => {
                            let (message, _) = self.borrowed_message(argument);
                            data.get_or_insert(message.member("data"));
                            message.member("bytes")
                        }
                        _ => self.viewed(argument),
                    };
                    let flat = format!("{}_flat(step, {view})", self.w.prefix);
                    let flat = self.bind("const uint8_t *", "bytes", &flat);
                    texts.push(flat.into());
                    texts.push(format!("{view}.len"));
                }
                Type::Bytes(_) => texts.push(format!("{}.at", self.borrowed(argument))),
                Type::Text(_) => {
                    let text = self.borrowed(argument);
                    texts.push(format!("{text}.at"));
                    texts.push(format!("{text}.len"));
                }
                ty if self.w.scalar(ty).is_some() => texts.push(self.value(argument).into()),
                _ => texts.push(self.borrowed(argument).address()),
            }
        }
        (texts, data)
    }

    /// The value of a call without effect.
    pub fn call_extern(&mut self, id: ExternId, arguments: &[Expr], ty: &Type) -> Term {
        let name = self.w.extern_name(id);
        let mut texts = self.extern_arguments(arguments).0;
        if let Some(scalar) = self.w.scalar(ty) {
            let call = format!("{name}({})", texts.join(", "));
            let stated = self.w.stack.externs[id.index()].range;
            return self.within(call, ty, scalar, stated);
        }
        let (c_type, zero) = (self.c_type(ty), self.zero(ty));
        let result = self.bind(&c_type, "result", &zero);
        match ty {
            Type::Bytes(_) => texts.push(format!("{result}.at")),
            _ => texts.push(format!("&{result}")),
        }
        self.code.line(format!("{name}({});", texts.join(", ")));
        result
    }

    /// The result of a function in C as a value of its type: indices rely on it, whatever the function returns. One
    /// that is outside is the least.
    fn within(&mut self, call: String, ty: &Type, scalar: Scalar, stated: Option<u64>) -> Term {
        let (low, end) = match ty {
            Type::Range(low, end) => (*low, Some(*end)),
            Type::Enum(id) => (0, Some(self.w.stack.enums[id.index()].variants.len() as u64)),
            _ => (0, None),
        };
        let end = end.into_iter().chain(stated).min();
        let narrow = match scalar {
            Scalar::Bool => false,
            Scalar::Unsigned { c, bits } | Scalar::Signed { c, bits } => bits < c && !matches!(ty, Type::Range(..)),
        };
        let holds_all = match scalar {
            Scalar::Unsigned { c, .. } => low == 0 && end.is_none_or(|end| end > mask(c)),
            _ => true,
        };
        let call = if narrow { self.narrowed(call, scalar) } else { call };
        if holds_all {
            return call.into();
        }
        let result = self.bind(&format!("const {}", scalar.name()), "result", &call);
        let above = (low > 0).then(|| format!("{result} >= {}", constant(low, scalar)));
        let below = end.map(|end| format!("{result} < {}", constant(end, scalar)));
        let inside: Vec<String> = above.into_iter().chain(below).collect();
        let least = constant(low, scalar);
        Term::operation(format!("{} ? {result} : {least}", inside.join(" && ")))
    }

    /// A call as a statement; it takes over messages that it is given.
    pub fn extern_statement(&mut self, into: Option<LocalId>, id: ExternId, arguments: &[Expr]) {
        let result = self.w.stack.externs[id.index()].result.clone();
        let makes = match &result {
            Some(Type::Msg) => true,
            Some(Type::Option(t)) => **t == Type::Msg,
            _ => false,
        };
        if !makes {
            let name = self.w.extern_name(id);
            match (into, result) {
                (Some(local), Some(ty)) => {
                    let value = self.call_extern(id, arguments, &ty);
                    self.assign(local, &value);
                }
                (None, Some(ty)) => {
                    let value = self.call_extern(id, arguments, &ty);
                    self.code.line(format!("(void){value};"));
                }
                _ => {
                    let (texts, _) = self.extern_arguments(arguments);
                    self.code.line(format!("{name}({});", texts.join(", ")));
                }
            }
            self.consume(arguments);
            return;
        }
        let name = self.w.extern_name(id);
        let (mut texts, data) = self.extern_arguments(arguments);
        let data = data.unwrap_or("false".into());
        texts.push("step->out->bytes + step->bytes".into());
        texts.push("step->out->bytes_max - step->bytes".into());
        let from = self.bind("const uint32_t", "made_from", "step->bytes");
        let n = self.bind("const uint32_t", "n", &format!("{name}({})", texts.join(", ")));
        self.code.line(format!("if ({n} <= step->out->bytes_max - {from}) {{ step->bytes += {n}; }}"));
        let ty = self.w.message_type(self.layer + 1);
        let bytes = self.w.call_support("made", &[&from]);
        let made = self.bind(&ty, "made", &format!("{{.bytes = {bytes}, .data = {data}}}"));
        self.consume(arguments);
        match (into, result) {
            (Some(local), Some(Type::Option(_))) => {
                let option = Type::Option(Box::new(Type::Msg));
                let c_type = self.c_type(&option);
                let some = self.bind(&c_type, "maybe", &format!("{{.some = {n} != UINT32_MAX, .value = {made}}}"));
                self.assign(local, &some);
            }
            (Some(local), _) => self.assign(local, &made),
            _ => self.code.line(format!("(void){made};")),
        }
    }

    /// Messages that were given to a function in C.
    fn consume(&mut self, arguments: &[Expr]) {
        for argument in arguments.iter().filter(|a| a.ty == Type::Msg) {
            if let ExprKind::Local(id) = argument.kind {
                let text = self.local(id);
                self.release_later(&format!("{text}.bytes"));
            }
        }
    }
}
