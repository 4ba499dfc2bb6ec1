//! Loops, each with a bound.

use nacre_diagnostics::Span;
use nacre_stack::{Expr, ExprKind, Place, Query, StatementKind, Step, Type, Walk};
use nacre_syntax::ast::{self, Condition, ConditionKind, PatternKind};

use crate::body::{Binding, Body, NameOf};
use crate::bounded::is_message;
use crate::convert::{constant_of, holder};
use crate::expressions::make;

/// No loop turns more often.
const MOST: i128 = 1 << 20;

impl Body<'_, '_> {
    fn bound(&mut self, stated: Option<&ast::Expr>, derived: Option<u64>, span: Span) -> Option<u32> {
        if let Some(e) = stated {
            return self.cx.constant_number(e, "the bound of a loop", 1, MOST).map(|n| n as u32);
        }
        match derived {
            Some(n) if i128::from(n) <= MOST => Some(n.max(1) as u32),
            Some(n) => {
                self.error(
                    "T0161",
                    format!("a loop turns at most {MOST} times, this one up to {n}"),
                    span,
                    "too often",
                    "a step must end soon: go over less, or state how often at the most: `bound N` before the block",
                );
                None
            }
            None => {
                self.error(
                    "T0098",
                    "how often can this turn?",
                    span,
                    "no bound is known",
                    "state one: `bound N` before the block; the loop stops there, and the tools tell when it does",
                );
                None
            }
        }
    }

    /// The body of a loop: what it consumes from outside, a second turn would lack.
    ///
    /// `begins`: from [`Body::loop_begins`], before names for each turn are declared.
    fn turn(&mut self, begins: (usize, usize), span: Span, body: impl FnOnce(&mut Self)) -> nacre_stack::Block {
        let before = self.flow.clone();
        self.breaks.push((self.declared.len(), Vec::new()));
        let (block, ()) = self.block(body);
        self.loop_ends(begins, &before.outdated);
        let after = std::mem::take(&mut self.flow);
        self.merge(before, after, span);
        self.flow.ended = false;
        for flow in self.breaks.pop().unwrap_or_default().1 {
            let so_far = std::mem::take(&mut self.flow);
            self.merge(so_far, flow, span);
        }
        block
    }

    pub fn while_(
        &mut self,
        condition: &Condition,
        bound: Option<&ast::Expr>,
        body: &ast::Block,
        span: Span,
    ) -> Option<()> {
        let derived = self.drains(condition);
        // One turn more, for the one that finds the end.
        let bound = self.bound(bound, derived, condition.span)?.saturating_add(1);
        let begins = self.loop_begins();
        let block = self.turn(begins, span, |b| {
            let _ = b.branch(
                condition,
                span,
                |b| b.statements(body),
                |b| {
                    let _ = b.break_(span);
                },
            );
        });
        self.push(StatementKind::Loop { bound, body: block });
        Some(())
    }

    /// `while let x = q.pop()` turns at most as often as q has room.
    fn drains(&mut self, condition: &Condition) -> Option<u64> {
        let ConditionKind::Let { value, .. } = &condition.kind else { return None };
        let ast::ExprKind::Call(f, _) = &value.kind else { return None };
        let ast::ExprKind::Field(base, name) = &f.kind else { return None };
        if !matches!(name.name.as_str(), "pop" | "take" | "read") {
            return None;
        }
        match self.type_of_place(base)? {
            Type::Ring(_, n) | Type::List(_, n) | Type::Window(_, n, _) => Some(u64::from(n)),
            Type::Option(_) => Some(1),
            _ => None,
        }
    }

    pub fn for_(
        &mut self,
        pattern: &ast::Pattern,
        over: &ast::Expr,
        drain: bool,
        bound: Option<&ast::Expr>,
        body: &ast::Block,
        span: Span,
    ) -> Option<()> {
        if let ast::ExprKind::Binary(ast::BinaryOp::Range, from, to) = &over.kind {
            return self.for_range(pattern, from, to, bound, body, span);
        }
        let (place, from, to) = self.walked(over)?;
        let place = self.fixed(place);
        let parts = Parts::of(&place.ty);
        let Some(parts) = parts else {
            let shown = self.show(&place.ty);
            self.error(
                "T0099",
                "this is not gone over",
                over.span,
                format!("of type {shown}"),
                "loops go over ranges, arrays, sets and containers",
            );
            return None;
        };
        let bound = self.bound(bound, Some(u64::from(parts.size)), over.span)?;
        self.open();
        let begins = self.loop_begins();
        let walk = self.walk(pattern, place, from, to, drain, &parts)?;
        let block = self.turn(begins, span, |b| {
            b.open();
            for (id, since) in &walk.held {
                b.hold(*id, *since);
            }
            if let Some((pattern, value)) = walk.entry.clone() {
                let _ = b.destructure(&pattern, value);
            }
            b.statements(body);
            b.close();
        });
        self.close();
        self.note_walk(&walk.walk.over, &block, over.span);
        self.push(StatementKind::Each { walk: walk.walk, bound, body: block });
        Some(())
    }

    fn for_range(
        &mut self,
        pattern: &ast::Pattern,
        from: &ast::Expr,
        to: &ast::Expr,
        bound: Option<&ast::Expr>,
        body: &ast::Block,
        span: Span,
    ) -> Option<()> {
        let left = self.expr(from, None)?;
        let right = self.expr(to, None)?;
        let derived = match (&left, &right) {
            (l, r) if l.flexible && r.flexible => u64::try_from(constant_of(&r.expr) - constant_of(&l.expr)).ok(),
            (_, r) => match &r.expr.ty {
                Type::Range(_, high) => Some(high - 1),
                Type::UInt(bits) if *bits <= 16 => Some(nacre_stack::mask(u32::from(*bits))),
                _ => None,
            },
        };
        let element = match (&left, &right) {
            (l, r) if l.flexible && r.flexible && constant_of(&l.expr) < constant_of(&r.expr) => {
                Type::Range(constant_of(&l.expr) as u64, constant_of(&r.expr) as u64)
            }
            (l, r) if l.flexible => match &r.expr.ty {
                Type::Range(_, high) if *high > 1 => Type::Range(0, high - 1),
                other => holder(other),
            },
            (l, _) => holder(&l.expr.ty),
        };
        let bound = self.bound(bound, derived, span)?;
        let (from, to) = if left.flexible && right.flexible {
            (self.settle(left), self.settle(right))
        } else {
            self.unify(left, right, None, span)?
        };
        if !matches!(holder(&from.ty), Type::UInt(_)) {
            let shown = self.show(&from.ty);
            self.error("T0099", "a range goes from a number to a number", pattern.span, shown, "");
            return None;
        }
        let wide = holder(&from.ty);
        let (from, to) = (crate::operators::as_type(&from, wide.clone()), crate::operators::as_type(&to, wide));
        self.open();
        let variable = match &pattern.kind {
            PatternKind::Name(name) => self.declare_constant(name, element, NameOf::Loop),
            PatternKind::Any => self.temporary(element),
            _ => {
                self.error("T0082", "a name is wanted here", pattern.span, "", "");
                return None;
            }
        };
        let begins = self.loop_begins();
        let block = self.turn(begins, span, |b| b.statements(body));
        self.close();
        self.push(StatementKind::For { variable, from, to, bound, body: block });
        Some(())
    }

    /// What a loop goes over: a place, or a part of a window.
    fn walked(&mut self, over: &ast::Expr) -> Option<(Place, Option<Expr>, Option<Expr>)> {
        if let ast::ExprKind::Call(f, arguments) = &over.kind {
            if let ast::ExprKind::Field(base, name) = &f.kind {
                if matches!(name.name.as_str(), "up_to" | "delivered") {
                    return self.part_of_window(base, name, arguments, over.span);
                }
            }
        }
        if let Some(place) = self.place(over) {
            return Some((place, None, None));
        }
        let value = self.expr(over, None)?.expr;
        let id = self.temporary(value.ty.clone());
        self.push(StatementKind::Let(id, value));
        Some((self.place_of(id), None, None))
    }

    fn part_of_window(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<(Place, Option<Expr>, Option<Expr>)> {
        let Some(place) = self.place(base) else {
            self.unknown_place(base);
            return None;
        };
        let Type::Window(_, _, bits) = place.ty else {
            let shown = self.show(&place.ty);
            self.error(
                "T0078",
                format!("{shown} has no operation `{}`", name.name),
                name.span,
                "",
                "it is one of windows",
            );
            return None;
        };
        let seq = Type::Seq(bits);
        if name.name == "up_to" {
            self.count_arguments("up_to", 1, arguments.len(), span)?;
            let to = self.expr_as(&arguments[0].value, &seq)?;
            let to = self.spill(to);
            return Some((place, None, Some(to)));
        }
        self.count_arguments("delivered", 2, arguments.len(), span)?;
        let values = self.values(&[(&arguments[0].value, seq.clone()), (&arguments[1].value, seq.clone())])?;
        let [from, to] = <[_; 2]>::try_from(values).ok()?;
        let from = self.spill(from);
        let next = make(ExprKind::Query(Query::Next, Box::new(place.clone()), Vec::new()), seq.clone());
        let smaller = make(ExprKind::Binary(nacre_stack::BinaryOp::Min, Box::new(to), Box::new(next)), seq);
        let to = self.spill(smaller);
        Some((place, Some(from), Some(to)))
    }

    fn walk(
        &mut self,
        pattern: &ast::Pattern,
        over: Place,
        from: Option<Expr>,
        to: Option<Expr>,
        drain: bool,
        parts: &Parts,
    ) -> Option<Going> {
        let linear = self.cx.linear(&parts.value);
        let (index_pattern, value_pattern) = match (&pattern.kind, parts.pairs) {
            (PatternKind::Tuple(both), true) if both.len() == 2 => (Some(both[0].clone()), both[1].clone()),
            (_, true) => {
                self.error(
                    "T0082",
                    "two names are wanted: (index, entry)",
                    pattern.span,
                    "",
                    "`_` for the one that is not needed",
                );
                return None;
            }
            (_, false) => (None, pattern.clone()),
        };
        let mut walk = Walk { over: over.clone(), index: None, key: None, value: None, from, to, drain };
        let index = self.temporary(parts.index.clone());
        let mut used_index = index_pattern.is_some() || (linear && !drain) || matches!(over.ty, Type::Map(..));
        if let Some(p) = &index_pattern {
            match (&p.kind, &over.ty) {
                (PatternKind::Name(name), Type::Map(key, _, _)) => {
                    let id = self.declare_constant(name, (**key).clone(), NameOf::Loop);
                    walk.key = Some(id);
                }
                (PatternKind::Name(name), _) => {
                    self.locals[index.index()].name = name.name.clone();
                    self.bind(&name.name, Binding::Local(index));
                    self.constant_locals.insert(index, NameOf::Loop);
                }
                _ => {}
            }
        }
        let mut entry = None;
        let mut held = Vec::new();
        let by_place = !drain && (linear || matches!(over.ty, Type::Pool(..) | Type::Map(..)));
        if by_place {
            used_index = true;
            let mut place = over;
            place.path.push(Step::Index(self.get(index)));
            place.ty = parts.value.clone();
            match &value_pattern.kind {
                PatternKind::Name(name) => {
                    let borrowed = linear && is_message(&parts.value);
                    self.bind_place(&name.name, place, borrowed);
                }
                PatternKind::Any => {}
                PatternKind::Tuple(names) => {
                    let Type::Tuple(types) = parts.value.clone() else {
                        self.error("T0082", "this pattern does not fit the entry", value_pattern.span, "", "");
                        return None;
                    };
                    for (i, (p, ty)) in names.iter().zip(types).enumerate() {
                        if let PatternKind::Name(name) = &p.kind {
                            let mut part = place.clone();
                            part.path.push(Step::Field(i as u32));
                            part.ty = ty;
                            self.bind_place(&name.name, part, true);
                        }
                    }
                }
                _ => {
                    self.error("T0082", "a name is wanted here", value_pattern.span, "", "");
                    return None;
                }
            }
        } else {
            match &value_pattern.kind {
                PatternKind::Name(name) => {
                    let id = self.temporary(parts.value.clone());
                    self.locals[id.index()].name = name.name.clone();
                    self.bind(&name.name, Binding::Local(id));
                    self.constant_locals.insert(id, NameOf::Loop);
                    if linear {
                        held.push((id, name.span));
                    }
                    walk.value = Some(id);
                }
                PatternKind::Any if !linear => {}
                _ => {
                    let id = self.temporary(parts.value.clone());
                    walk.value = Some(id);
                    entry = Some((value_pattern.clone(), self.get(id)));
                }
            }
        }
        if used_index {
            walk.index = Some(index);
        }
        Some(Going { walk, entry, held })
    }
}

/// A loop over a container, about to be lowered.
struct Going {
    walk: Walk,
    /// What is taken apart at the beginning of each turn.
    entry: Option<(ast::Pattern, Expr)>,
    /// Messages that each turn must consume.
    held: Vec<(nacre_stack::LocalId, Span)>,
}

/// What a loop over a type gives.
struct Parts {
    index: Type,
    value: Type,
    size: u32,
    /// Entries come with their index, slot, number or key.
    pairs: bool,
}

impl Parts {
    fn of(ty: &Type) -> Option<Parts> {
        let numbered = |n: u32| Type::Range(0, u64::from(n));
        let parts = |index, value: &Type, size, pairs| Some(Parts { index, value: value.clone(), size, pairs });
        match ty {
            Type::Array(t, n) => parts(numbered(*n), t, *n, false),
            Type::Bits(n) => parts(numbered(*n), &numbered(*n), *n, false),
            Type::Ring(t, n) | Type::List(t, n) => parts(numbered(*n), t, *n, false),
            Type::Window(t, n, bits) => parts(Type::Seq(*bits), t, *n, true),
            Type::Pool(t, n) | Type::Map(_, t, n) => parts(numbered(*n), t, *n, true),
            _ => None,
        }
    }
}
