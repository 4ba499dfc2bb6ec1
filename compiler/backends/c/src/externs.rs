//! Calls of functions that are written in C.

use nacre_stack::*;

use crate::body::Body;

impl Body<'_, '_> {
    /// The arguments of a function in C: numbers are passed by value, strings of bytes as pointer and length,
    /// other values by pointer.
    fn extern_arguments(&mut self, arguments: &[Expr]) -> Vec<String> {
        let p = self.w.prefix.clone();
        let mut texts = vec![];
        for argument in arguments {
            match &argument.ty {
                Type::Msg | Type::View => {
                    let view = self.viewed(argument);
                    let flat = self.bind("const uint8_t *", "bytes", &format!("{p}_flat(step, {view})"));
                    texts.push(flat);
                    texts.push(format!("{view}.len"));
                }
                Type::Bytes(_) => texts.push(format!("{}.at", self.borrowed(argument))),
                Type::Text(_) => {
                    let text = self.borrowed(argument);
                    texts.push(format!("{text}.at"));
                    texts.push(format!("{text}.len"));
                }
                ty if self.w.scalar(ty).is_some() => texts.push(self.value(argument)),
                _ => texts.push(format!("&{}", self.borrowed(argument))),
            }
        }
        texts
    }

    /// Writes a call; returns its result, which contains no message.
    pub fn call_extern(&mut self, id: ExternId, arguments: &[Expr], ty: &Type) -> String {
        let name = self.w.extern_name(id);
        let mut texts = self.extern_arguments(arguments);
        if self.w.scalar(ty).is_some() {
            return format!("{name}({})", texts.join(", "));
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

    /// Writes a call as a statement, which consumes the messages among its arguments and may give a message.
    pub fn extern_statement(&mut self, into: Option<LocalId>, id: ExternId, arguments: &[Expr]) {
        let p = self.w.prefix.clone();
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
        let made = self.bind(&ty, "made", &format!("{{.bytes = {p}_made(step, {from}), .data = {data}}}"));
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
