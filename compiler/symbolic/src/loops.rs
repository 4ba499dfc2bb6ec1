//! Loops: unrolled if they are short, cut otherwise (see [`crate::execute`]).

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::changes::Changes;
use crate::execute::{ClaimKind, Run};
use crate::state::State;
use crate::terms::{Op, Sort, Term};
use crate::values::{self, Value};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

/// An iteration of a loop that is cut.
struct Iteration {
    /// The condition under which there is one.
    there: Term,
    /// The condition under which another one would exceed the bound; None: never.
    exceeds: Option<Term>,
}

impl Run<'_> {
    /// Each entry of a container.
    pub(crate) fn each(&mut self, walk: &Walk, bound: u32, body: &Block, span: Span, guard: Term) -> Found<Term> {
        if walk.drain {
            return Err(Unsupported::new("a loop that drains".into()));
        }
        if self.guide.is_some() {
            return Err(Unsupported::new("a loop over entries".into()));
        }
        let over = self.load(&walk.over)?;
        let mut ends = [None, None];
        for (end, expr) in ends.iter_mut().zip([&walk.from, &walk.to]) {
            *end = expr.as_ref().map(|expr| self.term(expr)).transpose()?;
        }
        let (size, width) = match (&over, &walk.over.ty) {
            (Value::Window(window), Type::Window(_, n, _)) => (*n, self.terms.width(window.low)),
            (Value::Row(_), Type::Ring(_, n) | Type::List(_, n)) => (*n, 32),
            (Value::Term(_), Type::Bits(n)) => (*n, (*n).max(32)),
            _ => return Err(Unsupported::new("a loop over that".into())),
        };
        if size > self.unrolled || bound < size {
            return self.cut(bound, body, span, guard, |run, guard| {
                let entry = run.fresh("entry", Sort::Bits(width));
                let there = run.enter_entry(walk, entry, ends, guard)?;
                // How many entries there are is not known, but they are no more than fit.
                let exceeds = (bound < size).then(|| run.fresh("bound", Sort::Bool));
                Ok(Iteration { there, exceeds })
            });
        }
        self.unroll(bound, span, guard, size, |run, at, inside| {
            let at = run.terms.bits(width, u128::from(at));
            let entry = match &over {
                Value::Window(window) => run.terms.binary(Op::Add, window.low, at),
                _ => at,
            };
            let there = run.enter_entry(walk, entry, ends, inside)?;
            let not_there = run.terms.not(there);
            let (entered, passed) = (run.terms.and(&[inside, there]), run.terms.and(&[inside, not_there]));
            let again = run.block(body, entered)?;
            Ok(run.terms.or(&[again, passed]))
        })
    }

    /// Sets the locals of an iteration over an entry: a number, a place or an element. Returns whether it is there.
    fn enter_entry(&mut self, walk: &Walk, entry: Term, ends: [Option<Term>; 2], guard: Term) -> Found<Term> {
        let (mut inside, value) = match self.load(&walk.over)? {
            Value::Window(window) => (vec![self.has(&window, entry)], Some(self.entry_of(&window, entry))),
            Value::Row(row) => (vec![self.terms.less(Op::ULess, entry, row.len)], Some(self.entry_at(&row, entry))),
            Value::Term(set) => (vec![self.terms.has(set, entry)], None),
            _ => return Err(Unsupported::new("a loop over that".into())),
        };
        if let Value::Window(window) = self.load(&walk.over)? {
            // Both ends are distances from the lowest number: a limit more than half of all numbers away is before it.
            let mut distance = |number| self.terms.binary(Op::Sub, number, window.low);
            let (offset, ends) = (distance(entry), ends.map(|end| end.map(&mut distance)));
            if let Some(from) = ends[0] {
                let before = self.terms.less(Op::SLess, offset, from);
                inside.push(self.terms.not(before));
            }
            if let Some(to) = ends[1] {
                inside.push(self.terms.less(Op::SLess, offset, to));
            }
        }
        let there = self.terms.and(&inside);
        let guard = self.terms.and(&[guard, there]);
        match value {
            Some(value) => walk.value.into_iter().for_each(|local| self.set(local, value.clone(), guard)),
            None => walk.value.into_iter().try_for_each(|local| self.set_number(local, entry, guard))?,
        }
        walk.index.into_iter().try_for_each(|local| self.set_number(local, entry, guard))?;
        Ok(there)
    }

    /// Sets a local to a number, in the width of its type.
    fn set_number(&mut self, local: LocalId, number: Term, guard: Term) -> Found<()> {
        let Some(Sort::Bits(width)) = values::sort_of(self.frame().type_of(local)) else {
            return Err(Unsupported::new("a counter".into()));
        };
        let number = self.terms.resize(number, width);
        self.set(local, Value::Term(number), guard);
        Ok(())
    }

    /// Runs iterations one by one, at most `most`; the bound is met if one of more than `bound` is entered.
    fn unroll(
        &mut self,
        bound: u32,
        span: Span,
        guard: Term,
        most: u32,
        mut iterate: impl FnMut(&mut Self, u32, Term) -> Found<Term>,
    ) -> Found<Term> {
        let (mut inside, mut after) = (guard, self.terms.truth(false));
        for at in 0..most.min(bound) {
            let never = self.terms.truth(false);
            self.breaks.push(never);
            let ran = iterate(self, at, inside);
            let broken = self.breaks.pop().expect("pushed above");
            inside = ran?;
            after = self.terms.or(&[after, broken]);
        }
        if most > bound {
            let never = self.terms.truth(false);
            self.claim(ClaimKind::Bound(bound), span, inside, never);
        }
        Ok(self.terms.or(&[after, inside]))
    }

    /// Each number of a range, ascending.
    pub(crate) fn count_up(
        &mut self,
        variable: LocalId,
        (from, to): (&Expr, &Expr),
        bound: u32,
        (body, span): (&Block, Span),
        guard: Term,
    ) -> Found<Term> {
        let (start, end) = (self.term(from)?, self.term(to)?);
        let (ends, width) = (from.ty.clone(), self.terms.width(start));
        if self.guide.is_some() {
            let enters = self.less(start, end, &ends);
            return match self.enters(span, enters) {
                true => Err(Unsupported::new("a loop that counts".into())),
                false => Ok(guard),
            };
        }
        if bound > self.unrolled {
            return self.cut(bound, body, span, guard, |run, guard| {
                let number = run.fresh("counter", Sort::Bits(width));
                let (before, inside) = (run.less(number, start, &ends), run.less(number, end, &ends));
                run.set_number(variable, number, guard)?;
                let reached = run.terms.not(before);
                let there = run.terms.and(&[reached, inside]);
                Ok(Iteration { there, exceeds: run.exceeds(number, (start, end), bound) })
            });
        }
        // One iteration more than the bound, which no number may enter.
        self.unroll(bound + 1, span, guard, bound + 1, |run, at, inside| {
            let offset = run.terms.bits(width, u128::from(at));
            let number = run.terms.binary(Op::Add, start, offset);
            let there = run.less(number, end, &ends);
            let not_there = run.terms.not(there);
            let (entered, passed) = (run.terms.and(&[inside, there]), run.terms.and(&[inside, not_there]));
            let broken = run.breaks.last_mut().expect("a loop");
            *broken = run.terms.or(&[*broken, passed]);
            if at == bound {
                let never = run.terms.truth(false);
                run.claim(ClaimKind::Bound(bound), span, entered, never);
                return Ok(entered);
            }
            run.set_number(variable, number, entered)?;
            run.block(body, entered)
        })
    }

    /// A `while`: unrolled if its bound is small, else cut.
    pub(crate) fn repeat(&mut self, bound: u32, body: &Block, span: Span, guard: Term) -> Found<Term> {
        if self.guide.is_some() {
            return self.follow(bound, body, guard);
        }
        if bound > self.unrolled {
            return self.cut(bound, body, span, guard, |run, _| {
                // Nothing is known of how often it runs.
                let (there, exceeds) = (run.terms.truth(true), run.fresh("bound", Sort::Bool));
                Ok(Iteration { there, exceeds: Some(exceeds) })
            });
        }
        self.unroll(bound, span, guard, bound + 1, |run, _, inside| run.block(body, inside))
    }

    /// Whether the iteration for a number is the last that the bound allows, and there is a next number; None: never.
    fn exceeds(&mut self, number: Term, (start, end): (Term, Term), bound: u32) -> Option<Term> {
        let width = self.terms.width(start);
        let fits = width >= u32::BITS || bound < 1 << width;
        let most = fits.then(|| self.terms.bits(width, u128::from(bound)))?;
        let one = self.terms.bits(width, 1);
        let all = self.terms.binary(Op::Sub, end, start);
        let done = self.terms.binary(Op::Sub, number, start);
        let done = self.terms.binary(Op::Add, done, one);
        let (last, more) = (self.terms.equal(done, most), self.terms.less(Op::ULess, most, all));
        Some(self.terms.and(&[last, more])).filter(|exceeds| self.terms.truth_of(*exceeds) != Some(false))
    }

    /// A loop of any number of iterations, from a head at which everything that it changes is arbitrary. `enter` sets
    /// the locals of an iteration.
    fn cut(
        &mut self,
        bound: u32,
        body: &Block,
        span: Span,
        guard: Term,
        enter: impl FnOnce(&mut Self, Term) -> Found<Iteration>,
    ) -> Found<Term> {
        let changes = Changes::of(self.stack, body);
        let kept = self.loop_invariants(&changes, span);
        self.claim_invariants(&kept, span, guard, true)?;
        self.forget(&changes, &kept, guard)?;
        let head = (self.state.clone(), self.frame().clone());
        let Iteration { there, exceeds } = enter(self, guard)?;
        let inside = self.terms.and(&[guard, there]);
        let never = self.terms.truth(false);
        self.breaks.push(never);
        let ran = self.block(body, inside);
        let broken = self.breaks.pop().expect("pushed above");
        let again = ran?;
        self.claim_invariants(&kept, span, again, false)?;
        if let Some(exceeds) = exceeds {
            let within = self.terms.not(exceeds);
            self.claim(ClaimKind::Bound(bound), span, again, within);
        }
        // A state in which the loop was left by `break`, by `return`, or the head: its last iteration is done.
        let left = self.terms.or(&[broken, self.returns.last().expect("a body").0]);
        self.state = State::choose(&mut self.terms, left, &self.state, &head.0);
        let frame = self.frames.last_mut().expect("a frame");
        for (value, before) in frame.values.iter_mut().zip(head.1.values) {
            if let (Some(now), Some(before)) = (&value, before) {
                *value = Some(values::choose(&mut self.terms, left, now, &before));
            }
        }
        let returned = self.returns.last().expect("a body").0;
        let not_returned = self.terms.not(returned);
        Ok(self.terms.and(&[guard, not_returned]))
    }

    fn claim_invariants(&mut self, kept: &[usize], span: Span, guard: Term, begins: bool) -> Found<()> {
        for at in kept.iter().copied() {
            let holds = self.invariant(at)?;
            self.claim(ClaimKind::LoopInvariant { at, begins }, span, guard, holds);
        }
        Ok(())
    }

    /// The invariants of the layer that are those of a loop, too. What reads no cell that the loop changes is not: it
    /// holds at the head if it held before.
    fn loop_invariants(&self, changes: &Changes, span: Span) -> Vec<usize> {
        let changed = |place: &Place| matches!(place.root, Root::Cell(cell) if changes.cells.contains(&cell));
        let all = self.stack.layer(self.layer).invariants.iter().enumerate();
        let read = all.filter(|(_, one)| one.any(|node| matches!(node, Node::Place(place) if changed(place))));
        read.map(|(at, _)| at).filter(|at| !self.loose.contains(&(span, *at))).collect()
    }

    /// Whether an invariant of the layer holds now.
    pub fn invariant(&mut self, at: usize) -> Found<Term> {
        let invariant = self.stack.layer(self.layer).invariants[at].clone();
        self.condition_with(&invariant, &[], vec![])
    }

    /// Makes cells and locals arbitrary under a condition; the invariants then hold of them.
    fn forget(&mut self, changes: &Changes, kept: &[usize], guard: Term) -> Found<()> {
        for cell in &changes.cells {
            let (name, ty) = (self.stack.cell(*cell).name.clone(), self.stack.cell(*cell).ty.clone());
            let (any, old) = (self.any(&name, &ty)?, self.state.cells[cell.index()].clone()?);
            self.state.cells[cell.index()] = Ok(values::choose(&mut self.terms, guard, &any, &old));
        }
        for local in &changes.locals {
            let ty = self.frame().type_of(*local).clone();
            let name = self.frame().names[local.index()].clone();
            let any = self.any(&name, &ty)?;
            self.set(*local, any, guard);
        }
        for at in kept.iter().copied() {
            let holds = self.invariant(at)?;
            let known = self.terms.implies(guard, holds);
            self.assume(known);
        }
        Ok(())
    }
}
