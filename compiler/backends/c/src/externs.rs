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
        match declared.body {
            Some(_) => self.global(Global::Extern(id), format!("extern_{}", names::plain(&declared.name))),
            None => names::plain(&declared.name),
        }
    }

    /// Functions in C: those with a body, and prototypes of those that the host supplies.
    pub fn externs(&mut self) -> Code {
        let mut code = Code::new(0);
        for index in 0..self.stack.externs.len() {
            let declared = self.stack.externs[index].clone();
            let name = self.extern_name(ExternId(index as u32));
            let mut parameters = vec![];
            for parameter in &declared.parameters {
                let n = names::plain(&parameter.name);
                match &parameter.ty {
                    Type::Msg | Type::View => {
                        parameters.extend([format!("const uint8_t *{n}"), format!("uint32_t {n}_len")])
                    }
                    Type::Bytes(_) => parameters.push(format!("const uint8_t *{n}")),
                    Type::Text(_) => parameters.extend([format!("const uint8_t *{n}"), format!("uint32_t {n}_len")]),
                    ty => match self.scalar(ty) {
                        Some(scalar) => parameters.push(format!("{} {n}", scalar.name())),
                        None => parameters.push(format!("const {} *{n}", self.c_type(ty, 0))),
                    },
                }
            }
            let result = match &declared.result {
                None => "void".to_string(),
                Some(Type::Msg) => {
                    parameters.extend(["uint8_t *result".into(), "uint32_t result_max".into()]);
                    "uint32_t".into()
                }
                Some(Type::Option(t)) if **t == Type::Msg => {
                    parameters.extend(["uint8_t *result".into(), "uint32_t result_max".into()]);
                    "uint32_t".into()
                }
                Some(Type::Bytes(_)) => {
                    parameters.push("uint8_t *result".into());
                    "void".into()
                }
                Some(ty) => match self.scalar(ty) {
                    Some(scalar) => scalar.name(),
                    None => {
                        let c_type = self.c_type(ty, 0);
                        parameters.push(format!("{c_type} *result"));
                        "void".into()
                    }
                },
            };
            let list = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
            match &declared.body {
                None => code.line(format!("{result} {name}({list});")),
                Some(body) => {
                    code.open(format!("{}_PLAIN {result} {name}({list}) {{", self.prefix));
                    code.quote(body, self.origin(declared.span));
                    code.close("}");
                }
            }
            code.line("");
        }
        code
    }
}

impl Body<'_, '_> {
    /// The arguments of a function in C: numbers as they are, bytes as pointer and length, others as pointer.
    fn extern_arguments(&mut self, arguments: &[Expr]) -> Vec<String> {
        let mut texts = vec![];
        for argument in arguments {
            match &argument.ty {
                Type::Msg | Type::View => {
                    let view = self.viewed(argument);
                    let flat = self.w.call_support("flat", &[&view]);
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
        texts
    }

    /// The value of a call without effect.
    pub fn call_extern(&mut self, id: ExternId, arguments: &[Expr], ty: &Type) -> Term {
        let name = self.w.extern_name(id);
        let mut texts = self.extern_arguments(arguments);
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
        let data = arguments.iter().find(|a| a.ty == Type::Msg).map_or("false".to_string(), |a| self.data_of(a));
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
                    let texts = self.extern_arguments(arguments);
                    self.code.line(format!("{name}({});", texts.join(", ")));
                }
            }
            self.consume(arguments);
            return;
        }
        let name = self.w.extern_name(id);
        let mut texts = self.extern_arguments(arguments);
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
