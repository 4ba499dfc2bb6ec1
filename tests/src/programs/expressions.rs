//! Expressions: of a type that follows from the expression alone (`fixed`), or from the context (`wanted`).

use super::generator::Generator;
use super::scope::Scope;
use super::tree::{tree, Node};
use super::types::{mask, Field, Ty};

impl Generator {
    /// An expression whose type the context determines.
    pub fn wanted(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Node {
        if self.percent(if depth == 0 { 20 } else { 75 }) {
            if let Some(node) = self.fixed(scope, ty, depth) {
                return node;
            }
        }
        let constants: Vec<&String> =
            scope.constants.iter().filter(|(_, other)| constant_fits(other, ty)).map(|(name, _)| name).collect();
        let node = match !constants.is_empty() && self.percent(40) {
            true => tree![(*self.one(&constants)).clone()],
            false => self.made(scope, ty, depth.saturating_sub(1)),
        };
        ty.value(node)
    }

    /// A value written out.
    fn made(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Node {
        match ty {
            Ty::Bool => tree![*self.one(&["true", "false"])],
            Ty::UInt(_) | Ty::Int(_) | Ty::Seq(_) | Ty::Range(_) | Ty::Duration => tree![self.literal(ty)],
            Ty::Instant => tree!["now"],
            Ty::Enum(name, variants) => tree![format!("{name}.{}", self.one(variants))],
            Ty::Struct(name, fields) => {
                let fields = fields.iter().map(|field| {
                    let value = self.wanted(scope, &field.ty, depth);
                    tree![format!("{}: ", field.name), value].with(super::tree::Role::Piece(field.piece))
                });
                let fields = fields.collect();
                tree![format!("{name} {{ "), Node::each(fields, ", "), "}"]
            }
            Ty::Tuple(types) => {
                let parts = types.iter().map(|ty| self.wanted(scope, ty, depth)).collect();
                tree!["(", Node::joined(parts, ", "), ")"]
            }
            Ty::Option(of) if self.percent(70) => tree!["some(", self.wanted(scope, of, depth), ")"],
            Ty::Bits(n) if self.percent(70) => {
                let elements = (0..1 + self.below(3)).map(|_| tree![self.below(*n as usize).to_string()]).collect();
                tree!["set(", Node::joined(elements, ", "), ")"]
            }
            Ty::Bytes(n) if *n <= 16 && self.percent(60) => self.listed(scope, &Ty::UInt(8), *n, depth),
            Ty::Array(of, n) if *n <= 9 && self.percent(70) => self.listed(scope, of, *n, depth),
            Ty::Text(n) => tree![format!("\"{}\"", "nacre text"[..(*n as usize).min(10)].to_string())],
            other => tree![other.simplest()],
        }
    }

    fn listed(&mut self, scope: &Scope, of: &Ty, n: u32, depth: u32) -> Node {
        let elements = (0..n).map(|_| self.wanted(scope, of, depth.min(1))).collect();
        tree!["[", Node::joined(elements, ", "), "]"]
    }

    /// An expression that determines its type; none if there is none.
    pub fn fixed(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        for _ in 0..3 {
            let node =
                if depth == 0 || self.percent(25) { self.leaf(scope, ty) } else { self.compound(scope, ty, depth - 1) };
            if let Some(node) = node {
                return Some(ty.value(node));
            }
        }
        self.leaf(scope, ty).map(|node| ty.value(node))
    }

    /// A name of the type, or a number with a stated type.
    fn leaf(&mut self, scope: &Scope, ty: &Ty) -> Option<Node> {
        let places = scope.places(self, |other| other == ty);
        if !places.is_empty() && self.percent(80) {
            return Some(tree![self.one(&places).path.clone()]);
        }
        match ty {
            Ty::UInt(_) | Ty::Int(_) | Ty::Seq(_) => Some(tree![format!("({} as {})", self.literal(ty), ty.text())]),
            Ty::Duration => Some(tree![self.literal(ty)]),
            Ty::Bool | Ty::Enum(..) | Ty::Instant => Some(self.made(scope, ty, 0)),
            Ty::Struct(..) => Some(self.made(scope, ty, 0)),
            _ if !places.is_empty() => Some(tree![self.one(&places).path.clone()]),
            _ => None,
        }
    }

    fn compound(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        if self.percent(12) && !matches!(ty, Ty::Bool) {
            return self.choice(scope, ty, depth);
        }
        if self.percent(25) {
            if let Some(node) = self.computed(scope, ty) {
                return Some(node);
            }
        }
        if self.percent(8) {
            if let Some(node) = self.part(scope, ty) {
                return Some(node);
            }
        }
        match ty {
            Ty::Bool => Some(self.condition(scope, depth)),
            Ty::UInt(bits) => self.unsigned(scope, ty, *bits, depth),
            Ty::Int(bits) => self.signed(scope, ty, *bits, depth),
            Ty::Seq(_) => self.sequence(scope, ty, depth),
            Ty::Range(_) => self.range(scope, ty, depth),
            Ty::Duration => self.time(scope, depth),
            Ty::Instant => self.moment(scope, depth),
            Ty::Bits(n) => self.set(scope, ty, *n, depth),
            Ty::Bytes(n) => self.bytes(scope, *n, depth),
            Ty::Struct(..) => Some(self.made(scope, ty, depth)),
            Ty::Tuple(types) => {
                let parts: Option<Vec<Node>> = types.iter().map(|ty| self.fixed(scope, ty, depth)).collect();
                Some(tree!["(", Node::joined(parts?, ", "), ")"])
            }
            Ty::Option(of) => Some(tree!["some(", self.fixed(scope, of, depth)?, ")"]),
            _ => None,
        }
    }

    /// A field or an element of a value that is not a place, or the content of an option.
    fn part(&mut self, scope: &Scope, ty: &Ty) -> Option<Node> {
        if self.percent(40) && !matches!(ty, Ty::Option(_)) {
            let option = Ty::Option(Box::new(ty.clone()));
            return Some(tree![self.choice(scope, &option, 1)?, ".value"]);
        }
        if self.percent(50) {
            let arrays = scope.places(self, |other| matches!(other, Ty::Array(of, _) if **of == *ty));
            let array = (!arrays.is_empty()).then(|| self.one(&arrays).ty.clone())?;
            let Ty::Array(_, n) = array else { return None };
            let index = scope.index(self, n);
            return Some(tree![self.choice(scope, &array, 0)?, format!("[{index}]")]);
        }
        let declared = self.declared.clone();
        let structs = declared.iter().filter_map(|of| match of {
            Ty::Struct(_, fields) => fields.iter().find(|field| field.ty == *ty).map(|field| (of, field)),
            _ => None,
        });
        let structs: Vec<(&Ty, &Field)> = structs.collect();
        let (of, field) = *(!structs.is_empty()).then(|| self.one(&structs))?;
        Some(tree![self.choice(scope, of, 0)?, format!(".{}", field.name)])
    }

    /// The result of a function or filter.
    fn computed(&mut self, scope: &Scope, ty: &Ty) -> Option<Node> {
        let functions: Vec<_> = scope.functions.iter().filter(|f| f.result.as_ref() == Some(ty)).collect();
        if scope.effects && scope.frozen.is_empty() && !functions.is_empty() {
            let function = (*self.one(&functions)).clone();
            return self.call(scope, &function, None);
        }
        let filters: Vec<_> = scope.filters.iter().filter(|f| f.result.as_ref() == Some(ty)).collect();
        if filters.is_empty() || scope.messages.is_empty() || !scope.effects {
            return None;
        }
        let (filter, message) = ((*self.one(&filters)).clone(), self.one(&scope.messages).clone());
        let bytes = match self.below(4) {
            0 if scope.packs => format!("pack(share {message}).bytes"),
            1 => format!("{message}.bytes[{} ..]", self.below(12)),
            _ => format!("{message}.bytes"),
        };
        let read = self.read_by(&filter, bytes, &scope.messages);
        Some(tree![format!("({read} through {})", filter.name)])
    }

    fn choice(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        let condition = self.wanted(scope, &Ty::Bool, depth);
        // If the condition is a constant, the chosen value determines the type.
        let (one, other) = (self.fixed(scope, ty, depth)?, self.fixed(scope, ty, depth)?);
        Some(tree!["(if (", condition, ") { ", one, " } else { ", other, " })"])
    }

    /// The left operand of an operator: never a constant whose combination with another one fits no type.
    fn left(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        match ty {
            Ty::Duration => self.named(scope, ty),
            _ => self.fixed(scope, ty, depth),
        }
    }

    pub fn binary(&mut self, scope: &Scope, ty: &Ty, operators: &[&str], depth: u32) -> Option<Node> {
        let (left, right) = (self.left(scope, ty, depth)?, self.wanted(scope, ty, depth));
        Some(tree!["(", left, format!(" {} ", self.one(operators)), right, ")"])
    }

    fn extreme(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        let (left, right) = (self.fixed(scope, ty, depth)?, self.wanted(scope, ty, depth));
        Some(tree![format!("{}(", self.one(&["min", "max"])), left, ", ", right, ")"])
    }

    fn shift(&mut self, scope: &Scope, ty: &Ty, bits: u8, depth: u32) -> Option<Node> {
        let value = self.fixed(scope, ty, depth)?;
        let safe = |other: &Ty| match other {
            Ty::Range(high) => *high <= u64::from(bits),
            Ty::UInt(width) => mask(*width) < u64::from(bits),
            _ => false,
        };
        let places = scope.places(self, safe);
        let by = match places.is_empty() || self.percent(50) {
            true => self.below(usize::from(bits)).to_string(),
            false => self.one(&places).path.clone(),
        };
        Some(tree!["(", value, format!(" {} ", self.one(&["<<", ">>"])), by, ")"])
    }

    fn divided(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        let value = self.fixed(scope, ty, depth)?;
        let by = self.literal(ty);
        let zero = matches!(by.as_str(), "0" | "0x0" | "(-0)");
        let by = if zero { "1".to_string() } else { by };
        // A signed type of one bit has no 1.
        let by = if matches!(ty, Ty::Int(1)) { "(-1)".to_string() } else { by };
        Some(tree!["(", value, format!(" {} ", self.one(&["/", "%"])), by, ")"])
    }

    /// `x as T` from another type.
    fn cast(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        let from = match self.below(8) {
            0 => Ty::Bool,
            1 => Ty::Bits(1 + self.below(64) as u32),
            2 => Ty::Duration,
            _ => self.number(),
        };
        let places = scope.places(self, |other| other.is_number() || matches!(other, Ty::Enum(..)));
        let value = match places.is_empty() || self.percent(40) {
            true => self.fixed(scope, &from, depth)?,
            false => tree![self.one(&places).path.clone()],
        };
        Some(tree!["(", value, format!(" as {})", ty.text())])
    }

    fn unsigned(&mut self, scope: &Scope, ty: &Ty, bits: u8, depth: u32) -> Option<Node> {
        match self.below(13) {
            0..=3 => self.binary(scope, ty, &["+", "-", "*"], depth),
            4 | 5 => self.binary(scope, ty, &["&", "|", "^"], depth),
            6 => self.shift(scope, ty, bits, depth),
            7 => self.divided(scope, ty, depth),
            8 | 9 => self.cast(scope, ty, depth),
            10 => self.extreme(scope, ty, depth),
            11 => {
                let (a, b) = (self.fixed(scope, ty, depth)?, self.wanted(scope, ty, depth));
                let by = 1 + self.up_to(mask(bits) - 1);
                Some(tree!["mul_div(", a, ", ", b, format!(", {by})")])
            }
            _ => self.measured(scope, bits, depth),
        }
    }

    /// Numbers that are properties of something else.
    fn measured(&mut self, scope: &Scope, bits: u8, depth: u32) -> Option<Node> {
        match bits {
            8 => {
                let ty = Ty::UInt(self.width(64));
                let Ty::UInt(bits) = ty else { return None };
                let at = self.below(usize::from(bits.div_ceil(8)));
                Some(tree![self.named(scope, &ty)?, format!(".bytes[{at}]")])
            }
            16 => Some(tree!["fold16(", self.wanted(scope, &Ty::UInt(64), depth), ")"]),
            32 if self.percent(15) => Some(tree!["below.room"]),
            32 if scope.effects && self.percent(30) => Some(tree![format!("random({})", 1 + self.below(9))]),
            32 => {
                let sets = scope.places(self, |ty| matches!(ty, Ty::Bits(_)) || ty.has_container());
                let sets: Vec<String> = sets.into_iter().filter(|n| n.ty.is_countable()).map(|n| n.path).collect();
                let all: Vec<String> = sets.into_iter().chain(scope.messages.clone()).collect();
                (!all.is_empty()).then(|| tree![format!("{}.len", self.one(&all))])
            }
            64 if self.percent(20) => Some(tree!["stack.fingerprint"]),
            _ => None,
        }
    }

    fn signed(&mut self, scope: &Scope, ty: &Ty, bits: u8, depth: u32) -> Option<Node> {
        match self.below(10) {
            0..=2 => self.binary(scope, ty, &["+", "-", "*"], depth),
            3 => self.binary(scope, ty, &["&", "|", "^"], depth),
            4 => self.shift(scope, ty, bits, depth),
            5 => self.divided(scope, ty, depth),
            6 => self.cast(scope, ty, depth),
            7 => self.extreme(scope, ty, depth),
            8 if (2..=32).contains(&bits) => self.distance(scope, &Ty::Seq(bits), depth),
            _ => Some(tree!["(-", self.fixed(scope, ty, depth)?, ")"]),
        }
    }

    /// The distance of two sequence numbers or instants.
    fn distance(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        Some(tree!["(", self.fixed(scope, ty, depth)?, " - ", self.fixed(scope, ty, depth)?, ")"])
    }

    fn sequence(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        match self.below(5) {
            4 => Some(tree!["(", self.fixed(scope, ty, depth)?, format!(" - {})", self.literal(ty))]),
            0 | 1 => self.binary(scope, ty, &["+"], depth),
            2 => self.extreme(scope, ty, depth),
            _ => self.cast(scope, ty, depth),
        }
    }

    fn range(&mut self, scope: &Scope, ty: &Ty, depth: u32) -> Option<Node> {
        let Ty::Range(high) = ty else { return None };
        let sets = scope.places(self, |other| matches!(other, Ty::Bits(n) if u64::from(*n) == *high));
        match sets.is_empty() || self.percent(40) {
            true => self.extreme(scope, ty, depth),
            false => Some(tree![format!("{}.first", self.one(&sets).path)]),
        }
    }

    fn time(&mut self, scope: &Scope, depth: u32) -> Option<Node> {
        let ty = Ty::Duration;
        match self.below(7) {
            0 => self.binary(scope, &ty, &["+", "-"], depth),
            1 => self.extreme(scope, &ty, depth),
            2 => Some(tree![
                "(",
                self.named(scope, &ty)?,
                format!(" {} {})", self.one(&["*", "/", "%"]), 1 + self.below(9))
            ]),
            3 => self.distance(scope, &Ty::Instant, depth),
            4 if scope.effects => Some(tree![format!("random_duration({} ms)", 1 + self.below(50))]),
            _ => self.named(scope, &ty),
        }
    }

    fn moment(&mut self, scope: &Scope, depth: u32) -> Option<Node> {
        let by = tree![self.literal(&Ty::Duration)];
        let (left, right) = (self.fixed(scope, &Ty::Instant, depth)?, self.named(scope, &Ty::Duration).unwrap_or(by));
        Some(tree!["(", left, format!(" {} ", self.one(&["+", "-"])), right, ")"])
    }

    fn set(&mut self, scope: &Scope, ty: &Ty, n: u32, depth: u32) -> Option<Node> {
        if self.percent(50) {
            return self.binary(scope, ty, &["|", "&", "^", "-"], depth);
        }
        let element = self.wanted(scope, &Ty::Range(u64::from(n)), depth);
        Some(tree!["(", self.fixed(scope, ty, depth)?, format!(" {} ", self.one(&["+", "-"])), element, ")"])
    }

    fn bytes(&mut self, scope: &Scope, n: u32, depth: u32) -> Option<Node> {
        if n >= 2 && self.percent(50) {
            let at = 1 + self.below(n as usize - 1) as u32;
            let (left, right) =
                (self.fixed(scope, &Ty::Bytes(at), depth)?, self.fixed(scope, &Ty::Bytes(n - at), depth)?);
            return Some(tree!["(", left, " ++ ", right, ")"]);
        }
        let from = match n {
            1..=8 => Ty::UInt((8 * n - self.below(8) as u32) as u8),
            20 => Ty::Addr,
            _ => return None,
        };
        Some(tree![self.named(scope, &from)?, ".bytes"])
    }

    /// A place of the type.
    pub fn named(&mut self, scope: &Scope, ty: &Ty) -> Option<Node> {
        let places = scope.places(self, |other| other == ty);
        (!places.is_empty()).then(|| ty.value(tree![self.one(&places).path.clone()]))
    }
}

/// Whether each value of a constant's type is one of another: of one kind, and as wide.
fn constant_fits(constant: &Ty, ty: &Ty) -> bool {
    match (constant, ty) {
        (Ty::UInt(a), Ty::UInt(b) | Ty::Seq(b)) | (Ty::Int(a), Ty::Int(b)) => a <= b,
        (Ty::UInt(a), Ty::Int(b)) => a < b,
        (Ty::UInt(a), Ty::Range(high)) => mask(*a) < *high,
        (Ty::Range(high), Ty::UInt(b) | Ty::Seq(b)) => high - 1 <= mask(*b),
        (Ty::Range(high), Ty::Range(other)) => high <= other,
        (Ty::Duration, Ty::Duration) => true,
        _ => false,
    }
}
