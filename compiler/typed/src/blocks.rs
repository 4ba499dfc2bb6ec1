//! Branches: `if`, `if let`, `match`.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::{BinaryOp, Block, Expr, ExprKind, Place, StatementKind, Step, Type};
use nacre_syntax::ast::{self, Condition, ConditionKind, Else, PatternKind};

use crate::body::Body;
use crate::calls::Outcome;
use crate::expressions::make;
use crate::flow::Flow;

/// Arms of a `match`, at the most. Each is nested in those before, and compilers of C limit nesting.
const MOST_ARMS: usize = 128;

impl Body<'_, '_> {
    pub fn if_(&mut self, branch: &ast::If, span: Span) -> Option<()> {
        self.branch(
            &branch.condition,
            span,
            |b| b.statements(&branch.then),
            |b| match &branch.otherwise {
                None => {}
                Some(Else::Block(block)) => b.statements(block),
                Some(Else::If(s)) => {
                    if let ast::StatementKind::If(inner) = &s.kind {
                        let _ = b.if_(inner, s.span);
                    }
                }
            },
        )
    }

    /// Tests a condition and lowers both ways; the names of a `let` are known in the first.
    pub fn branch(
        &mut self,
        condition: &Condition,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) -> Option<()> {
        match &condition.kind {
            ConditionKind::Expr(e) => {
                let test = self.truth(e)?;
                self.both(test, condition.likely, span, then, otherwise);
                Some(())
            }
            ConditionKind::Let { pattern, value, and } => {
                self.branch_let(condition, pattern, value, and, span, then, otherwise)
            }
        }
    }

    fn both(
        &mut self,
        test: Expr,
        likely: Option<bool>,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let before = self.flow.clone();
        let (then, ()) = self.block(then);
        let after_then = std::mem::replace(&mut self.flow, before);
        let (otherwise, ()) = self.block(otherwise);
        let after_else = std::mem::take(&mut self.flow);
        self.merge(after_then, after_else, span);
        self.push(StatementKind::If { condition: test, likely, then, otherwise });
    }

    #[allow(clippy::too_many_arguments)]
    fn branch_let(
        &mut self,
        condition: &Condition,
        pattern: &ast::Pattern,
        value: &ast::Expr,
        and: &[ast::Expr],
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) -> Option<()> {
        let likely = condition.likely;
        // An option in its place that holds a message is looked at there.
        let held = self.attempt(|b| {
            let place = b.place(value)?;
            let Type::Option(t) = place.ty.clone() else { return None };
            (b.cx.linear(&t) && !b.is_local(&place)).then_some((place, *t))
        });
        if let Some((place, inside)) = held {
            return self.branch_borrowed(place, inside, pattern, and, likely, span, then, otherwise);
        }
        if let ast::ExprKind::Call(f, arguments) = &value.kind {
            if matches!(&f.kind, ast::ExprKind::Field(base, name) if name.name == "at" && self.type_of_place(base).is_some())
            {
                return self.branch_entry(f, arguments, pattern, and, likely, value.span, then, otherwise);
            }
        }
        let got = self.try_value(value, value.span)?;
        let mut test = not(got.failed.clone());
        let linear = got.option.clone();
        if !and.is_empty() && linear.is_some() {
            self.error(
                "T0096",
                "a message is not tested further in the same condition",
                and[0].span,
                "it would be held, but not consumed, where this is false",
                "test it in the block",
            );
            return None;
        }
        let give_back = got.give_back.clone();
        if and.is_empty() {
            self.both(
                test,
                likely,
                span,
                |b| {
                    b.open();
                    let _ = b.destructure(pattern, got.value);
                    then(b);
                    b.close();
                },
                |b| {
                    b.give_back(&give_back, span);
                    if let Some(option) = linear {
                        b.push(StatementKind::Drop(option));
                    }
                    otherwise(b);
                },
            );
            return Some(());
        }
        self.open();
        let (bind, bound) = self.block(|b| b.destructure(pattern, got.value));
        bound?;
        let mut condition_block = bind;
        let (more, rest) = self.block(|b| and.iter().map(|e| b.truth(e)).collect::<Option<Vec<Expr>>>());
        condition_block.extend(more);
        let rest = rest?
            .into_iter()
            .reduce(|a, b| make(ExprKind::Binary(BinaryOp::Both, Box::new(a), Box::new(b)), Type::Bool))?;
        let all = self.temporary(Type::Bool);
        condition_block.push(StatementKind::Let(all, rest).into());
        test = self.spill(test);
        self.push(StatementKind::Let(all, make(ExprKind::Const(0), Type::Bool)));
        self.push(StatementKind::If { condition: test, likely, then: condition_block, otherwise: Vec::new() });
        let test = self.get(all);
        self.both(test, likely, span, then, otherwise);
        self.close();
        Some(())
    }

    /// `if let m = last { ... share m ... }`: the message stays where it is.
    #[allow(clippy::too_many_arguments)]
    fn branch_borrowed(
        &mut self,
        place: Place,
        inside: Type,
        pattern: &ast::Pattern,
        and: &[ast::Expr],
        likely: Option<bool>,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) -> Option<()> {
        let place = self.fixed(place);
        let option = make(ExprKind::Borrow(Box::new(place.clone())), place.ty.clone());
        let test = make(ExprKind::IsSome(Box::new(option)), Type::Bool);
        let mut entry = place;
        entry.path.push(Step::Unwrap);
        entry.ty = inside;
        self.branch_place(test, entry, pattern, and, likely, span, then, otherwise)
    }

    #[allow(clippy::too_many_arguments)]
    fn branch_entry(
        &mut self,
        f: &ast::Expr,
        arguments: &[ast::Argument],
        pattern: &ast::Pattern,
        and: &[ast::Expr],
        likely: Option<bool>,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) -> Option<()> {
        let Outcome::Failable { done, place: Some(place), .. } = self.outcome(f, arguments, span, None)? else {
            return None;
        };
        self.branch_place(done, place, pattern, and, likely, span, then, otherwise)
    }

    #[allow(clippy::too_many_arguments)]
    fn branch_place(
        &mut self,
        mut test: Expr,
        entry: Place,
        pattern: &ast::Pattern,
        and: &[ast::Expr],
        likely: Option<bool>,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) -> Option<()> {
        self.open();
        match &pattern.kind {
            PatternKind::Name(name) => self.bind_place(&name.name, entry, true),
            PatternKind::Any => {}
            _ => {
                self.error("T0082", "a name is wanted here", pattern.span, "the value stays in its place", "");
                return None;
            }
        }
        for e in and {
            let more = self.truth(e)?;
            test = make(ExprKind::Binary(BinaryOp::Both, Box::new(test), Box::new(more)), Type::Bool);
        }
        self.both(test, likely, span, then, otherwise);
        self.close();
        Some(())
    }

    /// Compared in order; `_` takes the rest.
    pub fn match_(&mut self, value: &ast::Expr, arms: &[ast::MatchArm], span: Span) -> Option<()> {
        if let Some(extra) = arms.get(MOST_ARMS) {
            let what = format!("a `match` has at most {MOST_ARMS} arms");
            let help = "keep what differs in an array, and look it up: `per 0..N`";
            self.error("T0174", what, extra.body.span, "one more here", help);
            return None;
        }
        let value = self.expr(value, None)?;
        let value = self.settle(value);
        self.comparable(&value.ty, "match", value.span)?;
        let value = self.spill(value);
        let exhaustive = self.exhaustive(&value.ty, arms);
        if !exhaustive {
            self.error(
                "T0097",
                "this `match` leaves values out",
                span,
                "what happens with the others?",
                "add an arm `_ => { ... }`",
            );
        }
        let before = self.flow.clone();
        let mut done: Vec<(Option<Expr>, Block)> = Vec::new();
        let mut flows: Vec<Flow> = Vec::new();
        let mut known: Vec<(Option<u64>, Span)> = Vec::new();
        for (i, arm) in arms.iter().enumerate() {
            let last = i + 1 == arms.len() && exhaustive;
            let with = match &arm.value {
                Some(e) => Some(self.expr_as(e, &value.ty)?),
                None => None,
            };
            self.reached(with.as_ref(), arm, &mut known);
            let equal = |with| ExprKind::Binary(BinaryOp::Equal, Box::new(value.clone()), Box::new(with));
            let test = with.filter(|_| !last).map(|with| {
                let span = with.span;
                Expr::new(equal(with), Type::Bool, span)
            });
            self.flow = before.clone();
            let (block, ()) = self.block(|b| b.statements(&arm.body));
            flows.push(std::mem::take(&mut self.flow));
            done.push((test, block));
        }
        let mut flows = flows.into_iter();
        self.flow = flows.next().unwrap_or(before);
        for flow in flows {
            let so_far = std::mem::take(&mut self.flow);
            self.merge(so_far, flow, span);
        }
        let mut rest: Block = Vec::new();
        for (test, block) in done.into_iter().rev() {
            rest = match test {
                Some(condition) => {
                    let span = condition.span;
                    vec![StatementKind::If { condition, likely: None, then: block, otherwise: rest }.at(span)]
                }
                None => block,
            };
        }
        self.out.extend(rest);
        Some(())
    }

    /// Tells of an arm that never runs, as an earlier one takes its value. `known`: the values of those before, none for all.
    fn reached(&mut self, with: Option<&Expr>, arm: &ast::MatchArm, known: &mut Vec<(Option<u64>, Span)>) {
        let value = match with.map(|e| &e.kind) {
            None => None,
            Some(ExprKind::Const(n)) => Some(*n),
            Some(_) => return,
        };
        let span = arm.value.as_ref().map_or(arm.body.span, |e| e.span);
        match known.iter().find(|(k, _)| k.is_none() || *k == value) {
            Some((_, first)) => self.cx.found.push(
                Diagnostic::error("T0117", "this arm of the `match` never runs")
                    .at(span, "its value is taken already")
                    .also(*first, "by this arm")
                    .help("remove one of them; `_` stands last"),
            ),
            None => known.push((value, span)),
        }
    }

    fn exhaustive(&self, ty: &Type, arms: &[ast::MatchArm]) -> bool {
        if arms.iter().any(|a| a.value.is_none()) {
            return true;
        }
        match ty {
            Type::Enum(id) => {
                let mut named: Vec<&str> = arms
                    .iter()
                    .filter_map(|a| match &a.value.as_ref()?.kind {
                        ast::ExprKind::Field(_, variant) => Some(variant.name.as_str()),
                        _ => None,
                    })
                    .collect();
                named.sort_unstable();
                named.dedup();
                named.len() == self.cx.fragment.enums[id.index()].variants.len()
            }
            Type::Bool => arms.len() >= 2,
            Type::Range(low, high) => self.distinct(arms) == high - low,
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => {
                1u64.checked_shl(u32::from(*bits)) == Some(self.distinct(arms))
            }
            _ => false,
        }
    }

    /// How many different numbers have an arm.
    fn distinct(&self, arms: &[ast::MatchArm]) -> u64 {
        let values = arms.iter().filter_map(|a| Some(self.cx.constant(a.value.as_ref()?)?.value));
        values.collect::<std::collections::BTreeSet<i128>>().len() as u64
    }
}

fn not(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Unary(nacre_stack::UnaryOp::Not, inner) => *inner,
        kind => crate::failing::not(Expr::new(kind, e.ty, e.span)),
    }
}
