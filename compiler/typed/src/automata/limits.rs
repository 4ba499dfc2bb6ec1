//! Limits that keep small sources from becoming large automata: expanded definitions, nested tuples, joined actions.

use nacre_diagnostics::Span;
use nacre_specification::{Expr, Pattern};

use super::inferred::Ty;
use super::Typer;

/// Parts of expressions that come from definitions.
const MOST_PUT_IN: usize = 200_000;
/// The nesting depth of definitions.
const DEEPEST: usize = 16;
/// Parts of one type.
const MOST_PARTS: usize = 256;
/// The number of combinations in which actions of one name are joined.
pub(super) const MOST_JOINED: usize = 256;

impl Typer<'_> {
    /// Counts what a definition adds; none: it is too much.
    pub(super) fn put_in(&mut self, parts: usize, span: Span) -> Option<()> {
        let told = self.put_in > MOST_PUT_IN;
        self.put_in = self.put_in.saturating_add(parts);
        if self.put_in <= MOST_PUT_IN && self.expanding.len() < DEEPEST {
            return Some(());
        }
        self.put_in = usize::MAX;
        if told {
            return None;
        }
        let words = "this automaton is too large after its definitions are expanded";
        self.error("T0150", words, span, "too large here", "nest fewer definitions")
    }

    /// Whether a type is within the limits.
    pub(super) fn bounded(&mut self, ty: &Ty, span: Span) -> Option<()> {
        if self.parts(ty, MOST_PARTS) > 0 {
            return Some(());
        }
        let words = format!("a value of an automaton has at most {MOST_PARTS} parts");
        self.error("T0150", words, span, "has more", "store parts of it in separate fields")
    }

    /// How many parts are left when those of a type are taken away.
    fn parts(&self, ty: &Ty, left: usize) -> usize {
        let left = left.saturating_sub(1);
        if left == 0 {
            return 0;
        }
        match self.known(ty) {
            Ty::Tuple(types) => types.iter().fold(left, |left, t| self.parts(t, left)),
            Ty::Per(t) | Ty::Seq(t) | Ty::Bag(t) | Ty::Set(t) => self.parts(&t, left),
            Ty::Map(k, v) => self.parts(&v, self.parts(&k, left)),
            _ => left,
        }
    }
}

/// How many parts an expression has.
pub(super) fn size(e: &Expr) -> usize {
    1 + match e {
        Expr::Const(_) | Expr::State(_) | Expr::Local(_) | Expr::Members | Expr::All | Expr::Zero(_) => 0,
        Expr::Peer(a) | Expr::Part(a, _) | Expr::Unary(_, a) => size(a),
        Expr::Tuple(parts) => parts.iter().map(size).sum(),
        Expr::Index(a, b) | Expr::Binary(_, a, b) => size(a) + size(b),
        Expr::If(a, b, c) => size(a) + size(b) + size(c),
        Expr::Every(p, a, b) | Expr::Some(p, a, b) => of_pattern(p) + size(a) + size(b),
    }
}

fn of_pattern(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Bind(_) | Pattern::Any => 1,
        Pattern::Equal(e) => size(e),
        Pattern::Tuple(parts) => parts.iter().map(of_pattern).sum(),
    }
}
