//! Functions in C: their declarations, and calls of them.

use nacre_stack::*;

use crate::body::Body;
use crate::code::Code;
use crate::globals::Global;
use crate::names;
use crate::term::Term;
use crate::writer::Writer;

impl Writer<'_> {
    /// The name of a function in C.
    pub fn extern_name(&self, id: ExternId) -> String {
        let declared = &self.stack.externs[id.index()];
        match declared.body.is_some() || self.model(id).is_some() {
            true => self.global(Global::Extern(id), format!("extern_{}", names::plain(&declared.name))),
            false => names::plain(&declared.name),
        }
    }

    /// Functions in C: those with a body, models, and prototypes of those that the host supplies.
    pub fn externs(&mut self) -> Code {
        let mut code = Code::new(0);
        for id in (0..self.stack.externs.len()).map(|index| ExternId(index as u32)) {
            let declared = self.stack.externs[id.index()].clone();
            let name = self.extern_name(id);
            let (result, list) = self.extern_types(&declared);
            let head = format!("{}_PLAIN {result} {name}({list}) {{", self.prefix);
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
                (None, None) => code.line(format!("{result} {name}({list});")),
            }
            code.line("");
        }
        code
    }

    /// The type of the result, and the parameters.
    fn extern_types(&mut self, declared: &Extern) -> (String, String) {
        let mut parameters = vec![];
        for parameter in &declared.parameters {
            let n = names::plain(&parameter.name);
            match &parameter.ty {
                Type::Msg | Type::View | Type::Text(_) => {
                    parameters.extend([format!("const uint8_t *{n}"), format!("uint32_t {n}_len")])
                }
                Type::Bytes(_) => parameters.push(format!("const uint8_t *{n}")),
                ty => match self.scalar(ty) {
                    Some(scalar) => parameters.push(format!("{} {n}", scalar.name())),
                    None => parameters.push(format!("const {} *{n}", self.c_type(ty, 0))),
                },
            }
        }
        let (result, more) = self.extern_result(declared.result.as_ref());
        parameters.extend(more);
        (result, if parameters.is_empty() { "void".into() } else { parameters.join(", ") })
    }

    /// The type of the result, and the parameters behind the others through which the function returns it.
    fn extern_result(&mut self, result: Option<&Type>) -> (String, Vec<String>) {
        let message = || ("uint32_t".to_string(), vec!["uint8_t *result".into(), "uint32_t result_max".into()]);
        match result {
            None => ("void".into(), vec![]),
            Some(Type::Msg) => message(),
            Some(Type::Option(t)) if **t == Type::Msg => message(),
            Some(Type::Bytes(_)) => ("void".into(), vec!["uint8_t *result".into()]),
            Some(ty) => match self.scalar(ty) {
                Some(scalar) => (scalar.name(), vec![]),
                None => ("void".into(), vec![format!("{} *result", self.c_type(ty, 0))]),
            },
        }
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
        if self.w.scalar(ty).is_some() {
            return format!("{name}({})", texts.join(", ")).into();
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
