//! Constants: parameters, `const` items, and arithmetic on them.

use std::collections::{HashMap, HashSet, VecDeque};

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::Type;
use nacre_syntax::ast::{self, BinaryOp, ExprKind, Item, UnaryOp};

use crate::checker::{Checker, Constant, Declared};

/// The names that a constant expression mentions, without those of the imports that they come from.
pub(crate) fn mentions<'e>(e: &'e ast::Expr, found: &mut Vec<&'e str>) {
    let mut names = Vec::new();
    mentioned_at(e, &mut names);
    found.extend(names.into_iter().filter_map(|(name, _)| name.rsplit('.').next()));
}

/// The same names as they are written, and where.
fn mentioned_at<'e>(e: &'e ast::Expr, found: &mut Vec<(&'e str, Span)>) {
    match &e.kind {
        ExprKind::Name(name) => found.push((name, e.span)),
        ExprKind::Unary(_, x) => mentioned_at(x, found),
        ExprKind::Binary(_, l, r) => [l, r].into_iter().for_each(|e| mentioned_at(e, found)),
        ExprKind::If(x) => {
            if let ast::ConditionKind::Expr(condition) = &x.condition.kind {
                mentioned_at(condition, found);
            }
            [&x.then, &x.otherwise].into_iter().for_each(|e| mentioned_at(e, found));
        }
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|a| mentioned_at(&a.value, found)),
        _ => {}
    }
}

impl Checker<'_> {
    pub(crate) fn global_constants(&mut self) {
        let items = self.program.files().iter().flat_map(|f| &f.items);
        let constants: Vec<_> = items.filter_map(|i| if let Item::Const(c) = i { Some(c) } else { None }).collect();
        let key = |c: &ast::Const| self.program.find(&c.name.name, c.name.span).map(|n| n.key());
        self.constant_items(constants.into_iter().filter_map(|c| Some((key(c)?, c))).collect());
    }

    /// Constants may be in any order: one that mentions others is evaluated when these are known.
    pub(crate) fn constant_items(&mut self, items: Vec<(String, &ast::Const)>) {
        let mut mentioned: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (_, item)) in items.iter().enumerate() {
            let mut names = Vec::new();
            mentions(&item.value, &mut names);
            names.into_iter().for_each(|name| mentioned.entry(name).or_default().push(at));
        }
        let mut waiting: VecDeque<usize> = (0..items.len()).collect();
        let mut known = vec![false; items.len()];
        while let Some(at) = waiting.pop_front() {
            let (key, item) = &items[at];
            if known[at] || self.constant(&item.value).is_none() {
                continue;
            }
            known[at] = true;
            self.constant_item(key.clone(), item);
            waiting.extend(mentioned.get(item.name.name.as_str()).into_iter().flatten().filter(|at| !known[**at]));
        }
        let wrong: Vec<usize> = (0..items.len()).filter(|at| !known[*at]).collect();
        let consequences = self.consequences(&items, &wrong);
        for (at, (key, item)) in items.into_iter().enumerate() {
            if !known[at] {
                if consequences.contains(&at) {
                    self.unsound.insert(Declared::Value(item.name.name.clone()));
                    continue;
                }
                self.constant_item(key, item);
                self.unsound.insert(Declared::Value(item.name.name.clone()));
            }
        }
    }

    /// Of constants without a value, those outside of cycles.
    fn consequences(&self, items: &[(String, &ast::Const)], wrong: &[usize]) -> HashSet<usize> {
        let named: HashMap<&str, usize> = wrong.iter().map(|at| (items[*at].1.name.name.as_str(), *at)).collect();
        let mentioned = |at: &usize| {
            let mut names = Vec::new();
            mentions(&items[*at].1.value, &mut names);
            names.into_iter().filter_map(|name| named.get(name).copied()).collect::<Vec<_>>()
        };
        let mut reached: HashSet<usize> = wrong.iter().copied().filter(|at| mentioned(at).is_empty()).collect();
        let mut by: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in wrong {
            mentioned(at).into_iter().for_each(|other| by.entry(other).or_default().push(*at));
        }
        let mut waiting: Vec<usize> = reached.iter().copied().collect();
        let roots = reached.clone();
        while let Some(at) = waiting.pop() {
            waiting.extend(by.get(&at).into_iter().flatten().filter(|other| reached.insert(**other)));
        }
        reached.difference(&roots).copied().collect()
    }

    fn mentions_unsound(&self, e: &ast::Expr) -> bool {
        let mut names = Vec::new();
        mentions(e, &mut names);
        names.into_iter().any(|name| self.is_unsound(name))
    }

    fn constant_item(&mut self, key: String, c: &ast::Const) {
        let Some(ty) = self.resolve(&c.ty) else {
            self.unsound.insert(Declared::Value(c.name.name.clone()));
            return;
        };
        if !self.coherent(&c.value) {
            return;
        }
        match self.constant(&c.value) {
            Some(value) => {
                self.same_kind(&value, &ty, c.value.span, &c.name.name);
                self.fitting(&c.name.name, value.value, &ty, c.value.span);
                if !crate::convert::fits(value.value, &ty) {
                    self.unsound.insert(Declared::Value(c.name.name.clone()));
                    return;
                }
                self.constants.insert(key, Constant { value: value.value, ty: Some(ty) });
            }
            None if self.mentions_unsound(&c.value) => {}
            None => self.unknown(&format!("`{}`", c.name.name), &c.value),
        }
    }

    /// Reports an expression that is no constant, or has no value as one.
    pub(crate) fn unknown(&mut self, what: &str, e: &ast::Expr) {
        let help =
            "use numbers, durations, `true`, `false`, parameters and constants, and operators that have a result";
        let words = format!("{what} must be known when the stack is composed");
        let mut names = Vec::new();
        mentioned_at(e, &mut names);
        let (span, label) = match names.into_iter().find(|(name, at)| self.constant_named(name, *at).is_none()) {
            Some((name, at)) if self.is_constant(name, at) => (at, format!("the value of `{name}` is not known")),
            Some((name, at)) => (at, format!("`{name}` is not a known constant")),
            None => (e.span, "has no constant value".into()),
        };
        self.error("T0005", words, span, label, help)
    }

    fn is_constant(&self, name: &str, at: Span) -> bool {
        matches!(self.program.find(name, at).map(|n| n.item), Some(Item::Const(_)))
    }

    /// Reports a constant that is not of the kind of its type: a duration, a bool, or a number.
    pub(crate) fn same_kind(&mut self, constant: &Constant, ty: &Type, span: Span, name: &str) {
        let (is, help) = match (&constant.ty, ty) {
            (Some(Type::Bool), Type::Bool) | (Some(Type::Duration), Type::Duration) => return,
            (Some(Type::Bool), _) => ("a bool", ""),
            (Some(Type::Duration), Type::Bool) => ("a duration", "write `true` or `false`"),
            (_, Type::Bool) => ("a plain number", "write `true` or `false`"),
            // Nothing is nothing in every unit.
            _ if constant.value == 0 => return,
            (Some(Type::Duration), _) => ("a duration", "remove the unit"),
            (_, Type::Duration) => ("a plain number", "add a unit: 20 ms, 1 s"),
            _ => return,
        };
        let shown = self.show(ty);
        self.error("T0016", format!("expected {shown} for `{name}`, found {is}"), span, is, help);
    }

    /// The value of an expression, if it is a constant one; no diagnostics.
    pub(crate) fn constant(&self, e: &ast::Expr) -> Option<Constant> {
        let plain = |value: i128| Some(Constant { value, ty: None });
        match &e.kind {
            ExprKind::Number(n) => plain(i128::from(*n)),
            ExprKind::Duration(n, unit) => {
                Some(Constant { value: i128::from(n.checked_mul(unit.nanoseconds())?), ty: Some(Type::Duration) })
            }
            ExprKind::True => Some(Constant { value: 1, ty: Some(Type::Bool) }),
            ExprKind::False => Some(Constant { value: 0, ty: Some(Type::Bool) }),
            ExprKind::Name(name) => self.constant_named(name, e.span),
            ExprKind::Unary(UnaryOp::Negate, x) => {
                let x = self.constant(x)?;
                Some(Constant { value: x.value.checked_neg()?, ty: x.ty })
            }
            ExprKind::Unary(UnaryOp::Not, x) => {
                let x = self.constant(x).filter(|x| x.ty == Some(Type::Bool))?;
                Some(Constant { value: i128::from(x.value == 0), ty: x.ty })
            }
            ExprKind::Binary(op, l, r) => self.constant_binary(*op, l, r),
            ExprKind::If(x) => {
                let ast::ConditionKind::Expr(condition) = &x.condition.kind else { return None };
                let (taken, other) = match self.constant(condition)?.value {
                    0 => (&x.otherwise, &x.then),
                    _ => (&x.then, &x.otherwise),
                };
                // The other one may have no value (`100 / 0`); where it is no constant at all it has a part in the
                // type.
                self.constant(taken).filter(|_| self.is_of_constants(other))
            }
            ExprKind::Call(f, arguments) => {
                let ExprKind::Name(name) = &f.kind else { return None };
                let [a, b] = arguments.as_slice() else { return None };
                let (a, b) = (self.constant(&a.value)?, self.constant(&b.value)?);
                match name.as_str() {
                    "min" => Some(if a.value <= b.value { a } else { b }),
                    "max" => Some(if a.value >= b.value { a } else { b }),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether an expression has the form of a constant, with or without a value.
    fn is_of_constants(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::Not, x) => self.is_of_constants(x),
            ExprKind::Binary(_, l, r) => self.is_of_constants(l) && self.is_of_constants(r),
            ExprKind::If(x) => self.is_of_constants(&x.then) && self.is_of_constants(&x.otherwise),
            ExprKind::Call(_, arguments) => {
                arguments.len() == 2 && arguments.iter().all(|a| self.is_of_constants(&a.value))
            }
            _ => self.constant(e).is_some(),
        }
    }

    /// A constant of the layer, or of the visible files.
    pub(crate) fn constant_named(&self, name: &str, at: Span) -> Option<Constant> {
        let of_file = || self.constants.get(&self.program.find(name, at)?.key());
        let own = || self.constants.get(name);
        if self.is_here(at) { own().or_else(of_file) } else { of_file().or_else(own) }.cloned()
    }

    fn constant_binary(&self, op: BinaryOp, l: &ast::Expr, r: &ast::Expr) -> Option<Constant> {
        let truth = |x: bool| Some(Constant { value: i128::from(x), ty: Some(Type::Bool) });
        let left = self.constant(l)?;
        // The right one may have no value then (`COUNT > 0 && 100 / COUNT > 1`).
        if left.value == i128::from(op == BinaryOp::Or) && matches!(op, BinaryOp::And | BinaryOp::Or) {
            return truth(op == BinaryOp::Or).filter(|_| self.is_of_constants(r));
        }
        let (l, r) = (left, self.constant(r)?);
        let (a, b) = (l.value, r.value);
        let value = match op {
            BinaryOp::Add => a.checked_add(b)?,
            BinaryOp::Sub => a.checked_sub(b)?,
            BinaryOp::Mul => a.checked_mul(b)?,
            BinaryOp::Div => a.checked_div(b)?,
            BinaryOp::Rem => a.checked_rem(b)?,
            BinaryOp::Shl => a.checked_mul(1i128.checked_shl(u32::try_from(b).ok().filter(|b| *b < 64)?)?)?,
            BinaryOp::Shr => a.checked_shr(u32::try_from(b).ok().filter(|b| *b < 64)?)?,
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Equal => return truth(a == b),
            BinaryOp::NotEqual => return truth(a != b),
            BinaryOp::Less => return truth(a < b),
            BinaryOp::LessEqual => return truth(a <= b),
            BinaryOp::Greater => return truth(a > b),
            BinaryOp::GreaterEqual => return truth(a >= b),
            BinaryOp::And => return truth(a != 0 && b != 0),
            BinaryOp::Or => return truth(a != 0 || b != 0),
            _ => return None,
        };
        let duration = |c: &Constant| c.ty == Some(Type::Duration);
        let ratio = op == BinaryOp::Div && duration(&l) && duration(&r);
        Some(Constant { value, ty: if ratio { None } else { l.ty.or(r.ty) } })
    }

    /// Reports constants of mismatched kinds: a duration with a plain number, a bool in arithmetic, a negative
    /// duration.
    pub(crate) fn coherent(&mut self, e: &ast::Expr) -> bool {
        let Some(fault) = self.incoherent(e).or_else(|| self.negative(e)) else { return true };
        self.found.push(fault);
        false
    }

    fn negative(&self, e: &ast::Expr) -> Option<Diagnostic> {
        let c = self.constant(e).filter(|c| c.ty == Some(Type::Duration) && c.value < 0)?;
        let found = Diagnostic::error("T0012", "this duration is negative").at(e.span, format!("{} ns", c.value));
        Some(
            found.because("durations are never negative").help("swap the operands, or subtract the `min(...)` of both"),
        )
    }

    pub(crate) fn incoherent(&self, e: &ast::Expr) -> Option<Diagnostic> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Negate, x) => self.incoherent(x).or_else(|| {
                let duration = self.constant(x)?.ty == Some(Type::Duration);
                duration
                    .then(|| Diagnostic::error("T0056", "a duration has no negative values").at(x.span, "a duration"))
            }),
            ExprKind::Unary(_, x) => self.incoherent(x),
            ExprKind::Binary(op, l, r) => {
                self.incoherent(l).or_else(|| self.incoherent(r)).or_else(|| self.kinds(*op, l, r, e.span))
            }
            ExprKind::If(x) => self.incoherent(&x.then).or_else(|| self.incoherent(&x.otherwise)),
            ExprKind::Call(_, arguments) => {
                let [l, r] = arguments.as_slice() else { return None };
                let (l, r) = (&l.value, &r.value);
                // `min` and `max` compare.
                self.incoherent(l).or_else(|| self.incoherent(r)).or_else(|| self.kinds(BinaryOp::Less, l, r, e.span))
            }
            _ => None,
        }
    }

    /// Whether an operator takes constants of these kinds; a plain 0 is also a duration.
    fn kinds(&self, op: BinaryOp, l: &ast::Expr, r: &ast::Expr, span: Span) -> Option<Diagnostic> {
        use BinaryOp as B;
        let (a, b) = (self.constant(l)?, self.constant(r)?);
        let duration = |c: &Constant| c.ty == Some(Type::Duration);
        let truth = |c: &Constant| c.ty == Some(Type::Bool);
        let plain = if duration(&a) { (&b, r.span) } else { (&a, l.span) };
        let mixed = duration(&a) != duration(&b) && plain.0.value != 0;
        let found = match op {
            B::And | B::Or => return None,
            B::Equal | B::NotEqual if truth(&a) && truth(&b) => return None,
            _ if truth(&a) || truth(&b) => {
                Diagnostic::error("T0059", format!("`{}` does not work on bool", op.symbol()))
                    .at(span, "a truth value")
                    .help("join conditions with `&&` and `||`")
            }
            B::Add | B::Sub | B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual
                if mixed =>
            {
                Diagnostic::error("T0034", "the operands are a duration and a plain number")
                    .at(plain.1, "a plain number")
                    .help("give the number a unit: `3 ms`")
            }
            B::Mul if duration(&a) && duration(&b) => Diagnostic::error("T0059", "`*` does not work on two durations")
                .at(span, "both are durations")
                .help("multiply a duration by a plain number"),
            B::Div if !duration(&a) && duration(&b) => {
                Diagnostic::error("T0034", "cannot divide a plain number by a duration")
                    .at(r.span, "a duration")
                    .help("swap the operands, or remove the unit")
            }
            _ => return None,
        };
        Some(found)
    }

    /// A constant that must be a number between two bounds; reports an error otherwise.
    pub(crate) fn constant_number(&mut self, e: &ast::Expr, what: &str, low: i128, high: i128) -> Option<u64> {
        if !self.coherent(e) {
            return None;
        }
        match self.constant(e) {
            Some(c) if c.value >= low && c.value <= high => u64::try_from(c.value).ok(),
            Some(c) => {
                self.error(
                    "T0004",
                    format!("{what} is {}, outside {low} to {high}", c.value),
                    e.span,
                    "this value",
                    "",
                );
                None
            }
            None if self.mentions_unsound(e) => None,
            None => {
                self.unknown(what, e);
                None
            }
        }
    }
}
