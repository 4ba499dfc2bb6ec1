//! Statements: both sides of a branch run, each under its condition.
//!
//! **Loops.** A loop of at most [`UNROLLED`] iterations is unrolled. Another one is *cut*: at its head the cells and
//! locals that its body changes become arbitrary, except that the invariants hold, which are the loop's invariants
//! too, except those in [`Run::loose`] and those that read nothing that the loop changes. That they hold when the loop
//! begins and after one iteration are further [`Claim`]s, and that an iteration that ends is not the last one that the
//! bound allows, or no other follows. After the loop the state is that of a `break`, or that of the head. So what holds
//! of the cut code holds of the code; not the other way.

use std::collections::BTreeSet;

use nacre_stack::*;

use crate::guide::Guide;
use crate::record::Record;
use crate::state::{arbitrary, Frame, State};
use crate::terms::{Op, Sort, Term, Terms};
use crate::values::{self, Unpacked, Value};
use crate::Unsupported;

/// The most iterations of a loop that is unrolled.
pub const UNROLLED: u32 = 4;

type Found<T> = Result<T, Unsupported>;

/// What must hold where it stands, under the assumptions made until then.
#[derive(Clone, Debug)]
pub struct Claim {
    pub kind: ClaimKind,
    pub span: Span,
    /// The condition under which the place is reached.
    pub guard: Term,
    pub holds: Term,
    /// How many of the assumptions were made before.
    pub assumptions: usize,
}

/// The kind of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// `else unreachable` is not reached.
    Unreachable,
    /// The condition of an `assert`, as it was written.
    Assert(String),
    /// A loop ends within its bound.
    Bound(u32),
    /// Invariant `at` of the layer holds when a cut loop begins, or after one iteration.
    LoopInvariant { at: usize, begins: bool },
}

/// An event that the code emits.
#[derive(Clone, Debug)]
pub struct Emission {
    pub guard: Term,
    pub link: LinkId,
    pub event: EventId,
    pub later: bool,
    pub arguments: Vec<Value>,
    /// Of a recorded run: the locals of the arguments.
    pub recorded: Vec<LocalId>,
}

/// Code of one layer, being run.
pub struct Run<'s> {
    pub stack: &'s Stack,
    pub terms: Terms,
    pub layer: LayerId,
    pub state: State,
    /// What is known: of the beginning, and of everything that became arbitrary.
    pub assumptions: Vec<Term>,
    pub claims: Vec<Claim>,
    pub emissions: Vec<Emission>,
    /// The most iterations of a loop that is unrolled.
    pub unrolled: u32,
    /// Whether code relies on its assertions behind them. A caller that does not show them takes care of this.
    pub relies_on_assertions: bool,
    /// Loops, by their spans, and invariants of the layer that are not theirs: they need not hold at the loop's head.
    pub loose: BTreeSet<(Span, usize)>,
    /// Follows one path instead of both sides of each branch.
    pub guide: Option<Guide>,
    /// Of a guided run: its code.
    pub record: Option<Record>,
    /// What has been unpacked.
    pub unpacked: Vec<Unpacked>,
    /// Of a guided run: whether it reached what is said to be impossible or unreachable.
    pub gives_up: bool,
    pub(crate) frames: Vec<Frame>,
    /// Of the loops that run: the condition under which each was left by `break`.
    pub(crate) breaks: Vec<Term>,
    /// Of the bodies that run: the condition under which each has returned, and the result.
    pub(crate) returns: Vec<(Term, Option<Value>)>,
    fresh: u32,
    depth: u32,
}

impl<'s> Run<'s> {
    /// Will run code of a layer in a state.
    pub fn new(stack: &'s Stack, terms: Terms, layer: LayerId, state: State) -> Run<'s> {
        Run {
            stack,
            terms,
            layer,
            state,
            assumptions: vec![],
            claims: vec![],
            emissions: vec![],
            unrolled: UNROLLED,
            relies_on_assertions: true,
            loose: BTreeSet::new(),
            guide: None,
            record: None,
            unpacked: vec![],
            gives_up: false,
            frames: vec![],
            breaks: vec![],
            returns: vec![],
            fresh: 0,
            depth: 0,
        }
    }

    /// Runs the body of a handler with values of its parameters and fields.
    pub fn handler(&mut self, handler: &Handler, parameters: Vec<Value>, fields: Vec<Value>) -> Found<()> {
        self.recorded_handler(handler, parameters, fields, &[])
    }

    /// The same, where the parameters and fields are these locals of the record.
    pub fn recorded_handler(
        &mut self,
        handler: &Handler,
        parameters: Vec<Value>,
        fields: Vec<Value>,
        recorded: &[LocalId],
    ) -> Found<()> {
        let mut frame = Frame::new(&handler.locals);
        let locals = || handler.parameters.iter().chain(&handler.fields);
        let given = locals().zip(parameters.into_iter().chain(fields));
        given.for_each(|(local, value)| frame.values[local.index()] = Some(value));
        locals().zip(recorded).for_each(|(local, recorded)| frame.recorded[local.index()] = Some(*recorded));
        let always = self.terms.truth(true);
        self.body(frame, &handler.body, always).map(|_| ())
    }

    /// The value of a condition over the cells of the layer, with values of the first locals.
    pub fn condition_with(&mut self, expr: &Expr, locals: &[Local], values: Vec<Value>) -> Found<Term> {
        let mut frame = Frame::new(locals);
        frame.values.iter_mut().zip(values).for_each(|(place, value)| *place = Some(value));
        self.frames.push(frame);
        let holds = self.term(expr);
        self.frames.pop();
        holds
    }

    /// The value of an expression over the cells of the layer and locals that are not set.
    pub fn evaluate(&mut self, expr: &Expr, locals: &[Local]) -> Found<Value> {
        self.frames.push(Frame::new(locals));
        let value = self.value(expr);
        self.frames.pop();
        value
    }

    /// Takes something for true.
    pub fn assume(&mut self, fact: Term) {
        if self.terms.truth_of(fact) != Some(true) && !self.assumptions.contains(&fact) {
            self.assumptions.push(fact);
        }
    }

    /// A number that no other name has.
    pub(crate) fn next_number(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> Term {
        let number = self.next_number();
        self.terms.free(&format!("{name}!{number}"), sort)
    }

    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("code runs in a frame")
    }

    /// Sets a local under a condition.
    pub(crate) fn set(&mut self, local: LocalId, value: Value, guard: Term) {
        let frame = self.frames.last_mut().expect("code runs in a frame");
        let place = &mut frame.values[local.index()];
        *place = Some(match place.take() {
            Some(old) => values::choose(&mut self.terms, guard, &value, &old),
            None => value,
        });
    }

    pub(crate) fn body(&mut self, frame: Frame, body: &Block, guard: Term) -> Found<Option<Value>> {
        if self.depth >= 16 {
            return Err(Unsupported::new("deep calls".into()));
        }
        self.depth += 1;
        self.frames.push(frame);
        let never = self.terms.truth(false);
        self.returns.push((never, None));
        let ran = self.block(body, guard);
        self.frames.pop();
        self.depth -= 1;
        let (_, result) = self.returns.pop().expect("pushed above");
        ran.map(|_| result)
    }

    /// Runs a block under a condition; returns the condition under which it goes on behind it.
    pub(crate) fn block(&mut self, block: &Block, mut guard: Term) -> Found<Term> {
        for statement in block {
            if self.terms.truth_of(guard) == Some(false) {
                break;
            }
            guard = self.statement(statement, guard)?;
        }
        Ok(guard)
    }

    pub(crate) fn statement(&mut self, statement: &Statement, guard: Term) -> Found<Term> {
        self.note(statement);
        match &statement.kind {
            StatementKind::Let(local, value) => {
                let value = self.value(value)?;
                self.set(*local, value, guard);
            }
            StatementKind::Store(place, value) => {
                let value = self.value(value)?;
                self.store(place, value, guard)?;
            }
            StatementKind::If { condition, likely, then, otherwise } => {
                let (span, condition) = (condition.span, self.term(condition)?);
                if self.guide.is_some() {
                    let taken = self.guided(span, condition, *likely, [then, otherwise]);
                    return self.block(if taken { then } else { otherwise }, guard);
                }
                let (yes, not) = (self.terms.and(&[guard, condition]), self.terms.not(condition));
                let no = self.terms.and(&[guard, not]);
                let (then, otherwise) = (self.block(then, yes)?, self.block(otherwise, no)?);
                return Ok(self.terms.or(&[then, otherwise]));
            }
            StatementKind::Loop { bound, body } => {
                return self.repeat(*bound, body, statement.span, guard);
            }
            StatementKind::For { variable, from, to, bound, body } => {
                return self.count_up(*variable, (from, to), *bound, (body, statement.span), guard);
            }
            StatementKind::Each { walk, bound, body } => return self.each(walk, *bound, body, statement.span, guard),
            StatementKind::Break => {
                let broken = self.breaks.last_mut().expect("a loop");
                *broken = self.terms.or(&[*broken, guard]);
                return Ok(self.terms.truth(false));
            }
            StatementKind::Return(value) => return self.leave(value.as_ref(), guard),
            StatementKind::Call { into, function, arguments } => self.call(*into, *function, arguments, guard)?,
            StatementKind::CallExtern { into, function, arguments } => {
                self.call_extern(*into, *function, arguments, guard)?;
            }
            StatementKind::Operate(operate) => self.operate(operate, guard)?,
            StatementKind::Emit(emit) => self.emit(emit, statement.span, guard)?,
            StatementKind::Impossible | StatementKind::Unreachable if self.guide.is_some() => {
                self.gives_up = true;
                return Err(Unsupported::new("the layer gives up".into()));
            }
            StatementKind::Drop(_) | StatementKind::Count(..) | StatementKind::Impossible => {}
            StatementKind::Arm { timer, delay, unless_armed } => self.arm(timer, delay, *unless_armed, guard)?,
            StatementKind::Cancel(timer) => {
                let never = self.terms.bits(64, u128::from(u64::MAX));
                self.store(timer, Value::Term(never), guard)?;
            }
            StatementKind::Assert(condition, text) => self.assert(condition, text, statement.span, guard)?,
            StatementKind::Unreachable => {
                let never = self.terms.truth(false);
                self.claim(ClaimKind::Unreachable, statement.span, guard, never);
            }
            StatementKind::Fit { into, value } => {
                let fitted = self.fit(*into, value)?;
                self.set(*into, fitted, guard);
            }
            StatementKind::Random { into, below } => self.draw(*into, below, guard)?,
            StatementKind::Filter { into, filter, input } => {
                self.claims_nothing(*filter)?;
                let parts = self.digest(input)?;
                self.made(*into, &format!("filtered {}", filter.0), &parts, guard)?;
            }
            StatementKind::Unpack { into, layout, message } => self.unpack(*into, *layout, message, guard)?,
            StatementKind::Join { into, parts, last } => self.join(*into, parts, last, guard)?,
            StatementKind::Take { into, place } => self.take(*into, place, guard)?,
            StatementKind::Yield(_) | StatementKind::Reject => return Err(Unsupported::new("a filter's code".into())),
        }
        Ok(guard)
    }

    /// Claims what is asserted; what follows may rely on it. Not on a path: there it is not shown, and code goes on
    /// where it does not hold.
    fn assert(&mut self, condition: &Expr, text: &str, span: Span, guard: Term) -> Found<()> {
        let holds = self.term(condition)?;
        self.claim(ClaimKind::Assert(text.to_string()), span, guard, holds);
        if self.guide.is_none() && self.relies_on_assertions {
            let assumed = self.terms.implies(guard, holds);
            self.assume(assumed);
        }
        Ok(())
    }

    fn emit(&mut self, emit: &Emit, span: Span, guard: Term) -> Found<()> {
        let (arguments, recorded) = (self.values(&emit.arguments)?, self.note_emission(emit, span));
        let Emit { link, event, later, .. } = *emit;
        self.emissions.push(Emission { guard, link, event, later, arguments, recorded });
        Ok(())
    }

    /// Any number below another; 0 if there is none.
    fn draw(&mut self, into: LocalId, below: &Expr, guard: Term) -> Found<()> {
        let (below, width) = (self.term(below)?, self.frame().type_of(into).clone());
        let drawn = self.any("random", &width)?;
        let zero = self.terms.bits(self.terms.width(below), 0);
        let nothing = self.terms.equal(below, zero);
        let (less, none) = (self.terms.less(Op::ULess, drawn.term()?, below), self.terms.equal(drawn.term()?, zero));
        let possible = self.terms.choose(nothing, none, less);
        let assumed = self.terms.implies(guard, possible);
        self.assume(assumed);
        self.set(into, drawn, guard);
        Ok(())
    }

    /// Some bytes under the headers of the last message; its own if there are no others.
    fn join(&mut self, into: LocalId, parts: &Place, last: &Expr, guard: Term) -> Found<()> {
        let (message, zero) = (self.message(last)?, self.terms.bits(32, 0));
        let Value::Row(mut row) = self.load(parts)? else { return Err(Unsupported::new("a join".into())) };
        let of = [row.entries.arrays[0], row.start, row.len, message.bytes];
        let joined = self.terms.call("joined", Sort::Bits(values::NAME_BITS), &of);
        let alone = self.terms.equal(row.len, zero);
        let bytes = self.terms.choose(alone, message.bytes, joined);
        row.len = zero;
        self.store(parts, Value::Row(row), guard)?;
        self.set(into, Value::Message(values::Message { bytes, ..message }), guard);
        Ok(())
    }

    fn take(&mut self, into: LocalId, place: &Place, guard: Term) -> Found<()> {
        let (taken, ty) = (self.load(place)?, place.ty.clone());
        let none = self.zero(&ty)?;
        self.store(place, none, guard)?;
        self.set(into, taken, guard);
        Ok(())
    }

    /// An arbitrary value of a type.
    pub(crate) fn any(&mut self, name: &str, ty: &Type) -> Found<Value> {
        self.fresh += 1;
        let name = format!("{name}!{}", self.fresh);
        let any = arbitrary(self.stack, &mut self.terms, self.layer.index(), &name, ty)?;
        self.assume(any.is_valid);
        Ok(any.value)
    }

    pub(crate) fn claim(&mut self, kind: ClaimKind, span: Span, guard: Term, holds: Term) {
        let assumptions = self.assumptions.len();
        self.claims.push(Claim { kind, span, guard, holds, assumptions });
    }

    fn leave(&mut self, value: Option<&Expr>, guard: Term) -> Found<Term> {
        value.into_iter().for_each(|value| self.note_return(value));
        let value = value.map(|value| self.value(value)).transpose()?;
        let (returned, result) = self.returns.last_mut().expect("a body");
        *returned = self.terms.or(&[*returned, guard]);
        if let Some(value) = value {
            *result = Some(match result.take() {
                Some(old) => values::choose(&mut self.terms, guard, &value, &old),
                None => value,
            });
        }
        Ok(self.terms.truth(false))
    }

    fn fit(&mut self, into: LocalId, value: &Expr) -> Found<Value> {
        let n = self.term(value)?;
        let n = match value.ty {
            Type::Int(_) => self.terms.resize_signed(n, 64),
            _ => self.terms.resize(n, 64),
        };
        let target = match self.frame().type_of(into) {
            Type::Option(t) => (**t).clone(),
            ty => ty.clone(),
        };
        let (low, high) = match &target {
            Type::Range(low, high) => (*low, *high),
            Type::Enum(id) => (0, self.stack.enums[id.index()].variants.len() as u64),
            _ => return Err(Unsupported::new("a conversion that may fail".into())),
        };
        let [low, high] = [low, high].map(|end| self.terms.bits(64, u128::from(end)));
        let (under, inside) = (self.terms.less(Op::ULess, n, low), self.terms.less(Op::ULess, n, high));
        let over = self.terms.not(under);
        Ok(Value::Option(self.terms.and(&[over, inside]), Box::new(Value::Term(n))))
    }
}
