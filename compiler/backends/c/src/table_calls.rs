//! `call`: the function by which the host calls an event by number.

use nacre_stack::*;

use crate::code::Code;
use crate::types::{mask_constant, Scalar};
use crate::writer::Writer;

impl Writer<'_> {
    /// The call of any event by its number.
    pub fn generic_call(&mut self) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let mut code = Code::new(0);
        let first = format!("struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now");
        code.line(format!("int {p}_call({first}, uint32_t event,"));
        let rest = "const uint8_t *data, uint32_t len, struct nacre_out *out";
        code.open(format!("        const uint64_t *arguments, const struct nacre_addr *address, {rest}) {{"));
        code.line("(void)arguments;");
        code.line("(void)address;");
        code.line("(void)data;");
        code.open("switch (event) {");
        for call in self.calls() {
            let input = &stack.ports[call.port].inputs[call.input];
            code.open(format!("case {}: {{ /* {} */", call.number, call.name));
            let parameters = self.entry_parameters(input.event);
            let (mut texts, mut number, mut address) = (String::new(), 0, false);
            for parameter in parameters {
                let text = match (&parameter.ty, self.scalar(&parameter.ty)) {
                    (Type::Addr, _) if !address => {
                        address = true;
                        code.line(format!("if (address == NULL) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
                        "address".to_string()
                    }
                    (_, Some(scalar)) if number < 4 => {
                        let argument = format!("arguments[{number}]");
                        number += 1;
                        code.line(format!("if (arguments == NULL) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
                        match scalar {
                            Scalar::Unsigned { c: 64, .. } => argument,
                            Scalar::Bool => {
                                code.line(format!(
                                    "if ({argument} > 1u) {{ return {p}_nothing(out, NACRE_INVALID); }}"
                                ));
                                format!("{argument} != 0")
                            }
                            Scalar::Unsigned { c, .. } => {
                                code.line(format!(
                                    "if ({argument} > {}) {{ return {p}_nothing(out, NACRE_INVALID); }}",
                                    mask_constant(c)
                                ));
                                format!("(uint{c}_t){argument}")
                            }
                            Scalar::Signed { c: 64, .. } => format!("(int64_t){argument}"),
                            Scalar::Signed { c, .. } => {
                                let cut = format!("{p}_sign({argument}, {c}u)");
                                code.line(format!(
                                    "if ((uint64_t){cut} != {argument}) {{ return {p}_nothing(out, NACRE_INVALID); }}"
                                ));
                                format!("(int{c}_t){cut}")
                            }
                        }
                    }
                    (_, Some(_)) => "0".into(),
                    (ty, None) => format!("&({}){}", parameter.c_type, self.zero(&ty.clone())),
                };
                texts.push_str(&format!(", {text}"));
            }
            if stack.event(input.event).message.is_some() {
                texts.push_str(", data, len");
            } else {
                code.line(format!("if (len != 0) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
            }
            code.line(format!("return {p}_{}(s, pool, counters, now{texts}, out);", call.name));
            code.close("}");
        }
        code.open("default:");
        for name in ["s", "pool", "counters", "now", "len", "out"] {
            code.line(format!("(void){name};"));
        }
        code.line(format!("return {p}_nothing(out, NACRE_INVALID);"));
        code.close("");
        code.close("}");
        code.close("}");
        code
    }
}
