//! Loops, each with a bound.

use nacre_diagnostics::Span;
use nacre_stack::Type;
use nacre_syntax::ast::{self, Condition, ConditionKind, PatternKind as Written};

use crate::body::{Body, Loop, NameOf, Value};
use crate::convert::{as_type, constant_of, holder};
use crate::tree::{Block, Each, Entry, Over, Pattern, PatternKind, Place, Root, StatementKind};
use crate::walks::{Head, Parts, Walk};

/// The most iterations of a loop.
const MOST: i128 = 1 << 20;

impl Body<'_, '_> {
    /// The bound of a loop: stated, or derived from what it iterates over.
    fn bound(&mut self, stated: Option<&ast::Expr>, derived: Option<u64>, span: Span) -> Option<u32> {
        if let Some(e) = stated {
            return self.cx.constant_number(e, "the bound of a loop", 1, MOST).map(|n| n as u32);
        }
        match derived {
            Some(n) if i128::from(n) <= MOST => Some(n.max(1) as u32),
            Some(n) => {
                self.error(
                    "T0161",
                    format!("a loop has at most {MOST} iterations, this one up to {n}"),
                    span,
                    "too many iterations",
                    "steps must be short: iterate over less, or state the maximum: `bound N` before the block",
                );
                None
            }
            None => {
                self.error(
                    "T0098",
                    "this loop has no bound",
                    span,
                    "the number of iterations is not bounded",
                    "state one: `bound N` before the block; the loop stops there, and the tools report it",
                );
                None
            }
        }
    }

    /// Reports that a loop ends before it has taken all messages out of a container.
    pub fn leaves_undrained(&mut self, span: Span) {
        let help = "`while let x = q.pop() { ... }` leaves the others where they are";
        self.error(
            "T0188",
            "the messages behind this one are lost here",
            span,
            "the loop is left before its end",
            help,
        );
    }

    /// The body of a loop, which must not consume messages from outside: a second iteration would lack them.
    ///
    /// `begins`: from [`Body::loop_begins`], before names for each turn are declared.
    fn turn<T>(&mut self, begins: (usize, usize), span: Span, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.flow.clone();
        self.loops.push(Loop { depth: self.declared.len(), breaks: Vec::new(), drains: false });
        let typed = body(self);
        self.loop_ends(begins, &before.outdated);
        let after = std::mem::take(&mut self.flow);
        self.merge_loop(before, after, span);
        self.flow.ended = false;
        for flow in self.loops.pop().map(|l| l.breaks).unwrap_or_default() {
            let so_far = std::mem::take(&mut self.flow);
            self.merge(so_far, flow, span);
        }
        typed
    }

    /// `while`, also with `let`.
    pub fn while_(
        &mut self,
        condition: &Condition,
        bound: Option<&ast::Expr>,
        body: &ast::Block,
        span: Span,
    ) -> Option<StatementKind> {
        let derived = self.drains(condition);
        // One more iteration, which finds the end.
        let bound = self.bound(bound, derived, condition.span).map(|bound| bound.saturating_add(1));
        let begins = self.loop_begins();
        let (condition, body, _) = self.turn(begins, span, |b| {
            b.branch(
                condition,
                span,
                |b| b.statements(body),
                |b| {
                    let _ = b.leaves_loop(span);
                    Block::default()
                },
            )
        });
        let Some(bound) = bound else {
            self.kept.push(body);
            return None;
        };
        Some(StatementKind::While { condition, bound, body })
    }

    /// `while let x = q.pop()` turns at most as often as q has room.
    fn drains(&self, condition: &Condition) -> Option<u64> {
        let ConditionKind::Let { value, .. } = &condition.kind else { return None };
        let ast::ExprKind::Call(f, _) = &value.kind else { return None };
        let ast::ExprKind::Field(base, name) = &f.kind else { return None };
        if !matches!(name.name.as_str(), "pop" | "take" | "read") {
            return None;
        }
        match self.place_type(base)? {
            Type::Ring(_, n) | Type::List(_, n) | Type::Window(_, n, _) => Some(u64::from(n)),
            Type::Option(_) => Some(1),
            _ => None,
        }
    }

    /// `for`, over numbers or entries.
    pub fn for_(&mut self, head: &Head, body: &ast::Block, span: Span) -> Option<StatementKind> {
        self.cx.once(head.pattern.names().into_iter());
        let typed = match &head.over.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Range, from, to) => self.for_range(head, (from, to), body, span),
            _ => self.for_each(head, body, span),
        };
        typed.or_else(|| {
            self.wrong_loop(head, body, span);
            None
        })
    }

    /// The body of a loop whose head has a reported error.
    fn wrong_loop(&mut self, head: &Head, body: &ast::Block, span: Span) {
        self.recovered();
        let begins = self.loop_begins();
        self.open();
        self.unknown_names(head.pattern);
        let body = self.turn(begins, span, |b| b.statements(body));
        self.close();
        self.kept.push(body);
    }

    fn for_each(&mut self, head: &Head, body: &ast::Block, span: Span) -> Option<StatementKind> {
        let over = self.walked(head.over)?;
        let place = match &over {
            Over::Place(place) | Over::UpTo(place, _) | Over::Between(place, _) | Over::Delivered(place, _) => {
                place.clone()
            }
            Over::Value(value) => {
                Place { root: Root::Walked, path: Vec::new(), ty: value.ty.clone(), span: value.span }
            }
        };
        let Some(parts) = Parts::of(&place.ty) else {
            let shown = self.show(&place.ty);
            self.error(
                "T0099",
                "a loop cannot iterate over this",
                head.over.span,
                format!("of type {shown}"),
                "loops iterate over ranges, arrays, sets and containers; a filter reads bytes one by one",
            );
            return None;
        };
        let bound = self.bound(head.bound, Some(u64::from(parts.size)), head.over.span)?;
        self.open();
        let begins = self.loop_begins();
        let first = self.entries.in_loops.len();
        let Some(walk) = self.walk(head, &place, &parts) else {
            self.close();
            return None;
        };
        let mut entry = walk.entry;
        let drains = head.drain && !self.cx.capabilities(&place.ty).copied;
        let body = self.turn(begins, span, |b| {
            b.loops.iter_mut().last().into_iter().for_each(|around| around.drains = drains);
            b.open();
            if let Some((id, since)) = walk.held {
                b.hold(id, since);
            }
            if let Some((pattern, ty)) = walk.taken_apart {
                let typed = b.parts(pattern, &ty);
                let kind = PatternKind::Error;
                entry = Entry::Pattern(typed.unwrap_or(Pattern { kind, ty, span: pattern.span }));
            }
            let body = b.statements(body);
            b.close();
            body
        });
        self.close();
        self.note_walk(&place, first, head.over.span);
        if head.drain {
            self.note_store(&place);
        }
        let Walk { index, key, .. } = walk;
        Some(StatementKind::Each(Box::new(Each { over, index, key, entry, drain: head.drain, bound, body })))
    }

    fn for_range(
        &mut self,
        head: &Head,
        (from, to): (&ast::Expr, &ast::Expr),
        body: &ast::Block,
        span: Span,
    ) -> Option<StatementKind> {
        let ast_from = from;
        let left = self.expr(from, None)?;
        let right = self.expr(to, None)?;
        let (element, derived) = numbers_between(&left, &right);
        let bound = self.bound(head.bound, derived, span)?;
        let (from, to) = if left.flexible && right.flexible {
            (self.settle(left), self.settle(right))
        } else {
            self.unify(left, right, None, span)?
        };
        if !matches!(holder(&from.ty), Type::UInt(_)) {
            let shown = self.show(&from.ty);
            let words = "the ends of a range must be numbers without a sign";
            self.error("T0099", words, ast_from.span, format!("of type {shown}"), "");
            return None;
        }
        let wide = holder(&from.ty);
        self.before([&from], &to);
        // The index of an empty range is of the type of its ends.
        let element = if matches!(element, Type::UInt(_)) { wide.clone() } else { element };
        let (from, to) = (as_type(&from, wide.clone()), as_type(&to, wide));

        self.open();
        let variable = match &head.pattern.kind {
            Written::Name(name) => Some(self.declare_constant(name, element, NameOf::Loop)),
            Written::Any => Some(self.hidden("_", element, head.pattern.span)),
            _ => {
                self.error("T0082", "expected a name", head.pattern.span, "", "");
                None
            }
        };
        let begins = self.loop_begins();
        let body = variable.map(|_| self.turn(begins, span, |b| b.statements(body)));
        self.close();
        Some(StatementKind::For { variable: variable?, from, to, bound, body: body? })
    }

    /// The iterated container of a loop: a place, a part of a window, or a value.
    fn walked(&mut self, over: &ast::Expr) -> Option<Over> {
        if let ast::ExprKind::Call(f, arguments) = &over.kind {
            if let ast::ExprKind::Field(base, name) = &f.kind {
                if matches!(name.name.as_str(), "up_to" | "between" | "delivered") {
                    return self.part_of_window(base, name, arguments, over.span);
                }
            }
        }
        if self.place_type(over).is_some() {
            return self.place(over).map(Over::Place);
        }
        Some(Over::Value(self.expr(over, None)?.expr))
    }

    fn part_of_window(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Over> {
        if self.place_type(base).is_none() {
            self.unknown_place(base);
            return None;
        }
        let place = self.place(base)?;
        let Type::Window(_, _, bits) = place.ty else {
            let what = format!("{} has no operation `{}`", self.show(&place.ty), name.name);
            self.error("T0078", what, name.span, "", "it is one of windows");
            return None;
        };
        let seq = Type::Seq(bits);
        if name.name == "up_to" {
            self.count_arguments("up_to", 1, arguments.len(), span)?;
            return Some(Over::UpTo(place, self.expr_as(&arguments[0].value, &seq)?));
        }
        self.count_arguments(&name.name, 2, arguments.len(), span)?;
        let values = self.values(&[(&arguments[0].value, seq.clone()), (&arguments[1].value, seq)])?;
        let both = Box::new(values.try_into().ok()?);
        Some(if name.name == "between" { Over::Between(place, both) } else { Over::Delivered(place, both) })
    }
}

/// The type of the variable of `for i in left .. right`, and the most iterations.
fn numbers_between(left: &Value, right: &Value) -> (Type, Option<u64>) {
    let (low, high) = (constant_of(&left.expr), constant_of(&right.expr));
    if left.flexible && right.flexible {
        let element = if low < high { Type::Range(low as u64, high as u64) } else { holder(&right.expr.ty) };
        return (element, u64::try_from((high - low).max(0)).ok());
    }
    let derived = match &right.expr.ty {
        Type::Range(_, high) => Some(high - 1),
        Type::UInt(bits) if *bits <= 16 => Some(nacre_stack::mask(u32::from(*bits))),
        _ => None,
    };
    let element = match &right.expr.ty {
        Type::Range(_, high) if left.flexible && *high > 1 => Type::Range(0, high - 1),
        other if left.flexible => holder(other),
        _ => holder(&left.expr.ty),
    };
    (element, derived)
}
