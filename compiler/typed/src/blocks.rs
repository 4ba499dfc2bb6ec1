//! Branches: `if`, `if let`, `match`.

use std::collections::HashMap;

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::Type;
use nacre_syntax::ast::{self, ConditionKind as Written, Else, PatternKind as WrittenPattern};

use crate::body::Body;
use crate::calls::Outcome;
use crate::tree::{
    Arm, Back, Block, Condition, ConditionKind, Expr, ExprKind, If, NameId, Partial, Pattern, PatternKind, Place,
    Statement, StatementKind, Step,
};

/// A condition without its branches.
struct Tested<'s> {
    kind: Test<'s>,
    and: Vec<Expr>,
    /// Its names are in a scope around both branches, which is open.
    scope: bool,
}

enum Test<'s> {
    Known(ConditionKind),
    /// `let`, whose names belong to the first branch.
    Let(&'s ast::Pattern, Partial),
}

impl Body<'_, '_> {
    /// `if`, with its branches.
    pub fn if_(&mut self, branch: &ast::If, span: Span) -> StatementKind {
        let (condition, then, otherwise) = self.branch(
            &branch.condition,
            span,
            |b| b.statements(&branch.then),
            |b| match &branch.otherwise {
                None => Block::default(),
                Some(Else::Block(block)) => b.statements(block),
                Some(Else::If(s)) => b.else_if(s),
            },
        );
        StatementKind::If(Box::new(If { condition, then, otherwise }))
    }

    fn else_if(&mut self, s: &ast::Statement) -> Block {
        let ast::StatementKind::If(inner) = &s.kind else { return Block::default() };
        let kind = self.if_(inner, s.span);
        Block { statements: vec![Statement { kind, span: s.span }], span: s.span }
    }

    /// A condition and both ways; the names of a `let` are known in the first. What is wrong with the condition leaves
    /// the branches as they are.
    pub fn branch(
        &mut self,
        condition: &ast::Condition,
        span: Span,
        then: impl FnOnce(&mut Self) -> Block,
        otherwise: impl FnOnce(&mut Self) -> Block,
    ) -> (Condition, Block, Block) {
        let tested = self.tested(condition).unwrap_or_else(|| self.wrong_condition(condition));
        let before = self.flow.clone();
        let (kind, then) = match tested.kind {
            Test::Known(kind) => (kind, then(self)),
            Test::Let(pattern, value) => {
                self.open();
                let pattern = self.destructured(pattern, &value.ty);
                let block = then(self);
                self.close();
                (ConditionKind::Let { pattern, value }, block)
            }
        };
        let after_then = std::mem::replace(&mut self.flow, before);
        if let ConditionKind::Let { value, .. } = &kind {
            self.give_back(&value.back, span);
        }
        let otherwise = otherwise(self);
        let after_else = std::mem::take(&mut self.flow);
        self.merge(after_then, after_else, span);
        if tested.scope {
            self.close();
        }
        let condition = Condition { likely: condition.likely, kind, and: tested.and, span: condition.span };
        (condition, then, otherwise)
    }

    /// Names for a value; their errors have been reported, and they denote no value.
    fn destructured(&mut self, pattern: &ast::Pattern, ty: &Type) -> Pattern {
        self.destructure(pattern, ty).unwrap_or_else(|| {
            self.unknown_names(pattern);
            Pattern { kind: PatternKind::Error, ty: ty.clone(), span: pattern.span }
        })
    }

    /// Checks the branches of an erroneous condition, which has been reported.
    fn wrong_condition<'s>(&mut self, condition: &'s ast::Condition) -> Tested<'s> {
        let mut parts = Vec::new();
        let tested = match &condition.kind {
            Written::Expr(e) => e,
            Written::Let { value, .. } => value,
        };
        parts.push(self.salvaged(tested));
        self.recovered();
        self.open();
        if let Written::Let { pattern, and, .. } = &condition.kind {
            self.unknown_names(pattern);
            parts.extend(and.iter().map(|e| self.salvaged(e)));
            self.recovered();
        }
        let test = ConditionKind::Test(Expr { ty: Type::Bool, ..Expr::error(parts, condition.span) });
        Tested { kind: Test::Known(test), and: Vec::new(), scope: true }
    }

    fn tested<'s>(&mut self, condition: &'s ast::Condition) -> Option<Tested<'s>> {
        match &condition.kind {
            Written::Expr(e) => {
                let test = ConditionKind::Test(self.truth(e)?);
                Some(Tested { kind: Test::Known(test), and: Vec::new(), scope: false })
            }
            Written::Let { pattern, value, and } => self.tested_let(pattern, value, and),
        }
    }

    fn tested_let<'s>(
        &mut self,
        pattern: &'s ast::Pattern,
        value: &ast::Expr,
        and: &[ast::Expr],
    ) -> Option<Tested<'s>> {
        if let Some(inside) = self.held_in_place(value) {
            let option = self.place(value)?;
            let entry = option.clone().with(Step::Unwrap, inside);
            return self.tested_place(pattern, entry, and, |name| ConditionKind::Present { option, name });
        }
        if let Some((f, arguments)) = self.entry_call(value) {
            let Outcome::Failable(partial) = self.outcome(f, arguments, value.span, None)? else { return None };
            let entry = partial.entry()?;
            return self.tested_place(pattern, entry, and, |name| ConditionKind::Entry { value: partial, name });
        }
        let partial = self.partial(value)?;
        let Some(first) = and.first() else {
            return Some(Tested { kind: Test::Let(pattern, partial), and: Vec::new(), scope: false });
        };
        if self.cx.linear(&partial.ty) || partial.back != Back::None {
            self.error(
                "T0096",
                "a message bound by `if let` cannot be tested in the same condition",
                first.span,
                "it would not be consumed if this is false",
                "test it in the block",
            );
            return None;
        }
        self.in_scope(and, |b| {
            let pattern = b.destructure(pattern, &partial.ty)?;
            Some(ConditionKind::Let { pattern, value: partial })
        })
    }

    /// Returns the type in an option that holds a message and is read in its place.
    fn held_in_place(&self, value: &ast::Expr) -> Option<Type> {
        match self.place_type(value)? {
            Type::Option(t) if self.cx.linear(&t) && !self.is_whole_value(value) => Some(*t),
            _ => None,
        }
    }

    /// `pool.at(slot)`
    fn entry_call<'e>(&self, value: &'e ast::Expr) -> Option<(&'e ast::Expr, &'e [ast::Argument])> {
        let ast::ExprKind::Call(f, arguments) = &value.kind else { return None };
        let ast::ExprKind::Field(base, name) = &f.kind else { return None };
        (name.name == "at" && self.place_type(base).is_some()).then_some((&**f, arguments.as_slice()))
    }

    /// A name for what stays in its place.
    fn tested_place<'s>(
        &mut self,
        pattern: &ast::Pattern,
        entry: Place,
        and: &[ast::Expr],
        make: impl FnOnce(Option<NameId>) -> ConditionKind,
    ) -> Option<Tested<'s>> {
        self.in_scope(and, |b| match &pattern.kind {
            WrittenPattern::Name(name) => Some(make(Some(b.bind_place(name, entry, true)))),
            WrittenPattern::Any => Some(make(None)),
            _ => {
                b.error("T0082", "expected a name", pattern.span, "the value is only borrowed", "");
                None
            }
        })
    }

    /// A condition whose names are known in further tests, in a scope that stays open.
    fn in_scope<'s>(
        &mut self,
        and: &[ast::Expr],
        make: impl FnOnce(&mut Self) -> Option<ConditionKind>,
    ) -> Option<Tested<'s>> {
        self.open();
        let kind = make(self);
        let and = kind.is_some().then(|| and.iter().map(|e| self.truth(e)).collect::<Option<Vec<Expr>>>()).flatten();
        match (kind, and) {
            (Some(kind), Some(and)) => Some(Tested { kind: Test::Known(kind), and, scope: true }),
            _ => {
                self.close();
                None
            }
        }
    }

    // ---- match

    /// Compared in order; `_` takes the rest.
    pub fn match_(&mut self, value: &ast::Expr, arms: &[ast::MatchArm], span: Span) -> Option<StatementKind> {
        let Some(value) = self.matched(value) else { return Some(self.wrong_match(value, arms, span)) };
        let exhaustive = self.exhaustive(&value.ty, arms);
        if !exhaustive {
            self.error(
                "T0097",
                "this `match` does not cover all values",
                span,
                "not all values have an arm",
                "add an arm `_ => { ... }`",
            );
        }
        let mut known = HashMap::new();
        let typed = self.arms(arms, span, |b, arm| {
            let with = arm.value.as_ref().map(|e| b.expr_or_error(e, &value.ty));
            b.reached(with.as_ref(), arm, &mut known);
            with
        });
        Some(StatementKind::Match { value, arms: typed, exhaustive })
    }

    fn matched(&mut self, value: &ast::Expr) -> Option<Expr> {
        let value = self.expr(value, None)?;
        let value = self.settle(value);
        self.comparable(&value.ty, "match", value.span)?;
        Some(value)
    }

    /// The arms of a `match` whose value is wrong, which has been reported.
    fn wrong_match(&mut self, value: &ast::Expr, arms: &[ast::MatchArm], span: Span) -> StatementKind {
        let parts = vec![self.salvaged(value)];
        self.recovered();
        let arms = self.arms(arms, span, |b, arm| arm.value.as_ref().map(|e| b.salvaged(e)));
        StatementKind::Match { value: Expr::error(parts, value.span), arms, exhaustive: true }
    }

    fn arms(
        &mut self,
        arms: &[ast::MatchArm],
        span: Span,
        mut value: impl FnMut(&mut Self, &ast::MatchArm) -> Option<Expr>,
    ) -> Vec<Arm> {
        let before = self.flow.clone();
        let (mut typed, mut flows) = (Vec::new(), Vec::new());
        for arm in arms {
            self.flow = before.clone();
            let value = value(self, arm);
            let body = self.statements(&arm.body);
            flows.push(std::mem::take(&mut self.flow));
            typed.push(Arm { value, body });
        }
        let mut flows = flows.into_iter();
        self.flow = flows.next().unwrap_or(before);
        for flow in flows {
            let so_far = std::mem::take(&mut self.flow);
            self.merge(so_far, flow, span);
        }
        typed
    }

    /// Reports an arm that never runs, as an earlier one takes its value. `known`: where the values of those before
    /// are, none for all.
    fn reached(&mut self, with: Option<&Expr>, arm: &ast::MatchArm, known: &mut HashMap<Option<u64>, Span>) {
        let value = match with.map(|e| &e.kind) {
            None => None,
            Some(ExprKind::Const(n)) => Some(*n),
            Some(_) => return,
        };
        let span = arm.value.as_ref().map_or(arm.body.span, |e| e.span);
        match known.get(&None).or_else(|| known.get(&value)) {
            Some(first) => self.cx.found.push(
                Diagnostic::error("T0117", "this arm of the `match` never runs")
                    .at(span, "its value already has an arm")
                    .also(*first, "by this arm")
                    .help("remove one of them; `_` must be last"),
            ),
            None => drop(known.insert(value, span)),
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
                named.len() == self.cx.tree.enums[id.index()].variants.len()
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
