//! Types as written to types of the stack IR.

use nacre_diagnostics::{nearest, Span};
use nacre_stack::{EnumId, StructId, Type};
use nacre_syntax::ast::{self, TypeArgument, TypeKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::checker::Checker;
use crate::program::not_built;

/// The most elements of a container or array.
const LARGEST: i128 = 1 << 20;

impl Checker<'_> {
    pub(crate) fn resolve(&mut self, ty: &ast::Type) -> Option<Type> {
        let resolved = self.resolve_any(ty)?;
        self.holdable(&resolved, ty.span).then_some(resolved)
    }

    fn resolve_any(&mut self, ty: &ast::Type) -> Option<Type> {
        match &ty.kind {
            TypeKind::Name(name, arguments) => self.resolve_name(name, arguments, ty),
            TypeKind::Range(low, high) => {
                let low = self.constant_number(low, "the lower end of a range", 0, i128::from(u64::MAX))?;
                let high =
                    self.constant_number(high, "the upper end of a range", i128::from(low) + 1, i128::from(u64::MAX))?;
                Some(Type::Range(low, high))
            }
            TypeKind::Tuple(types) => {
                let types: Vec<Option<Type>> = types.iter().map(|t| self.resolve(t)).collect();
                Some(Type::Tuple(types.into_iter().collect::<Option<_>>()?))
            }
            TypeKind::Option(of) => Some(Type::Option(Box::new(self.resolve(of)?))),
            TypeKind::PerMember(_) => self.unbuilt("groups (`per member`)", ty.span),
            TypeKind::Per(of, index) => {
                let of = self.resolve(of)?;
                match self.resolve(index)? {
                    Type::Range(0, n) if i128::from(n) <= LARGEST => Some(Type::Array(Box::new(of), n as u32)),
                    _ => {
                        self.error(
                            "T0006",
                            "the index range of an array is 0..N with N at most 1,048,576",
                            index.span,
                            "not 0..N",
                            "write for example `u32 per 0..16`",
                        );
                        None
                    }
                }
            }
        }
    }

    fn resolve_name(&mut self, name: &ast::Ident, arguments: &[TypeArgument], ty: &ast::Type) -> Option<Type> {
        let n = name.name.as_str();
        if let Some(bits) = width(n, "u").or(width(n, "i")).or(width(n, "seq")) {
            let most = if n.starts_with("seq") { 32 } else { 64 };
            let least = if n.starts_with("seq") { 2 } else { 1 };
            if bits < least || bits > most {
                self.error(
                    "T0007",
                    format!("`{n}` has an unsupported width"),
                    name.span,
                    "",
                    "u1 to u64, i1 to i64, seq2 to seq32",
                );
                return None;
            }
            let narrow = if n.starts_with("seq") { self.sequence_bits } else { None };
            let bits = narrow.map_or(bits, |narrow| bits.min(narrow.max(least))) as u8;
            return Some(match n.as_bytes()[0] {
                b'u' => Type::UInt(bits),
                b'i' => Type::Int(bits),
                _ => Type::Seq(bits),
            });
        }
        match n {
            "bool" => Some(Type::Bool),
            "duration" => Some(Type::Duration),
            "instant" => Some(Type::Instant),
            "timer" => Some(Type::Timer),
            "msg" if arguments.is_empty() => Some(Type::Msg),
            "msg" => Some(Type::Bounded(self.size(arguments, 0, name)?)),
            "addr" => Some(Type::Addr),
            "bytes" => Some(Type::Bytes(self.size(arguments, 0, name)?)),
            "text" => Some(Type::Text(self.size(arguments, 0, name)?)),
            "bits" => Some(Type::Bits(self.size(arguments, 0, name)?)),
            "ring" => Some(Type::Ring(self.element(arguments, 0, name)?, self.size(arguments, 1, name)?)),
            "list" => Some(Type::List(self.element(arguments, 0, name)?, self.size(arguments, 1, name)?)),
            "pool" => Some(Type::Pool(self.element(arguments, 0, name)?, self.size(arguments, 1, name)?)),
            "map" => self.map(arguments, name),
            "window" => self.window(arguments, name),
            "rank" | "members" | "view" | "view_id" | "endpoint" | "session" => {
                self.unbuilt(&format!("groups (`{n}`)"), ty.span)
            }
            _ => self.named(name),
        }
    }

    fn map(&mut self, arguments: &[TypeArgument], name: &ast::Ident) -> Option<Type> {
        let (key, value) = (self.element(arguments, 0, name)?, self.element(arguments, 1, name)?);
        let size = self.size(arguments, 2, name)?;
        if !self.capabilities(&key).compared {
            let shown = self.show(&key);
            let help = "keys are compared; messages and timers cannot be compared";
            self.error("T0163", format!("{shown} cannot be the key of a map"), name.span, "", help);
            return None;
        }
        Some(Type::Map(key, value, size))
    }

    fn window(&mut self, arguments: &[TypeArgument], name: &ast::Ident) -> Option<Type> {
        let of = self.element(arguments, 0, name)?;
        let size = self.size(arguments, 1, name)?;
        let Type::Seq(bits) = *self.element(arguments, 2, name)? else {
            self.error(
                "T0008",
                "the entries of a window are numbered by a sequence type",
                name.span,
                "",
                "window<msg, W, seq28>",
            );
            return None;
        };
        let most = nacre_stack::longest_window(bits);
        if u64::from(size) > most {
            self.error(
                "T0009",
                format!("a window of {size} does not fit sequence numbers of {bits} bits"),
                name.span,
                format!("at most {most} here"),
                "old and new numbers could not be distinguished: use wider numbers or a smaller window",
            );
            return None;
        }
        Some(Type::Window(of, size, bits))
    }

    fn named(&mut self, name: &ast::Ident) -> Option<Type> {
        if let Some(found) = self.struct_named(name) {
            return found.map(Type::Struct);
        }
        if let Some(id) = self.enum_named(&name.name, name.span) {
            return Some(Type::Enum(id));
        }
        let known = [
            "bool", "duration", "instant", "timer", "msg", "addr", "bytes", "text", "bits", "ring", "list", "window",
            "pool", "map",
        ];
        let help = match nearest(&name.name, &known) {
            _ if foreign::name(&name.name, Unknown::Type).is_some() => {
                foreign::name(&name.name, Unknown::Type).unwrap_or_default().into()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => "types are u1..u64, i1..i64, seq2..seq32, bool, 0..N, msg, timer, duration, instant, addr, \
                containers, structs and enums"
                .into(),
        };
        self.error("T0010", format!("there is no type `{}`", name.name), name.span, "not a type", help);
        None
    }

    fn element(&mut self, arguments: &[TypeArgument], at: usize, name: &ast::Ident) -> Option<Box<Type>> {
        let resolved = match arguments.get(at) {
            Some(TypeArgument::Type(ty)) => self.resolve(ty),
            Some(TypeArgument::Expr(e)) => match &e.kind {
                ast::ExprKind::Name(n) | ast::ExprKind::TypeName(n) => {
                    self.named(&ast::Ident { name: n.clone(), span: e.span })
                }
                _ => self.missing(name),
            },
            None => self.missing(name),
        };
        resolved.map(Box::new)
    }

    fn size(&mut self, arguments: &[TypeArgument], at: usize, name: &ast::Ident) -> Option<u32> {
        let e = match arguments.get(at) {
            Some(TypeArgument::Expr(e)) => e.clone(),
            Some(TypeArgument::Type(ast::Type { kind: TypeKind::Name(n, none), span })) if none.is_empty() => {
                ast::Expr { kind: ast::ExprKind::Name(n.name.clone()), span: *span }
            }
            _ => return self.missing(name),
        };
        self.constant_number(&e, "a size", 1, LARGEST).map(|n| n as u32)
    }

    fn missing<T>(&mut self, name: &ast::Ident) -> Option<T> {
        let arguments = match name.name.as_str() {
            "window" => "element, capacity, sequence type",
            "map" => "key, value, capacity",
            "ring" | "list" | "pool" => "element, capacity",
            _ => "count",
        };
        self.error(
            "T0011",
            format!("`{}` lacks an argument, or has one in the wrong place", name.name),
            name.span,
            "here",
            format!("its form is `{}<{arguments}>`", name.name),
        );
        None
    }

    pub(crate) fn unbuilt<T>(&mut self, what: &str, span: Span) -> Option<T> {
        self.found.push(not_built(what, span));
        None
    }

    /// The struct of this name; `Some(None)`: it is declared, with an error that was reported.
    fn struct_named(&mut self, name: &ast::Ident) -> Option<Option<StructId>> {
        let layer = self.layer;
        let own = layer.members.iter().find_map(|m| match m {
            ast::Member::Struct(s) if s.name.name == name.name => Some(s),
            _ => None,
        });
        if let Some(declared) = own.filter(|_| self.is_here(name.span)) {
            return Some(self.declare_struct(name.name.clone(), declared));
        }
        let found = self.program.find(&name.name, name.span)?;
        let ast::Item::Struct(declared) = found.item else { return None };
        Some(self.declare_struct(found.key(), declared))
    }

    pub(crate) fn enum_named(&mut self, name: &str, at: Span) -> Option<EnumId> {
        if let Some(&id) = self.enum_ids.get(name).filter(|_| self.is_here(at)) {
            return Some(id);
        }
        let found = self.program.find(name, at)?;
        let ast::Item::Enum(declared) = found.item else { return None };
        let key = found.key();
        Some(self.enum_ids.get(&key).copied().unwrap_or_else(|| self.declare_enum(key, declared)))
    }
}

fn width(name: &str, prefix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    if digits.is_empty()
        || digits.len() > 3
        || !digits.bytes().all(|b| b.is_ascii_digit())
        || digits.starts_with('0') && digits.len() > 1
    {
        return None;
    }
    digits.parse().ok()
}
