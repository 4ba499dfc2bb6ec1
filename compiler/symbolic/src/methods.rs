//! Operations on containers as terms.

use nacre_stack::{Operate, Operation, Type};

use crate::execute::Run;
use crate::terms::{Op, Term};
use crate::values::{self, Row, Value, Window};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

/// The outcome of an operation.
struct Done {
    container: Value,
    /// Whether it was done, or there was something to give.
    done: Term,
    /// What it gives; zero if there is nothing.
    gives: Option<Value>,
}

impl Run<'_> {
    /// Runs an operation on a container under a condition.
    pub(crate) fn operate(&mut self, operate: &Operate, guard: Term) -> Found<()> {
        let mut arguments = self.values(&operate.arguments)?;
        let back = arguments.last().cloned();
        let container = self.load(&operate.place)?;
        let done = match container {
            Value::Window(window) => self.on_window(operate.operation, window, &mut arguments, &operate.place.ty)?,
            Value::Row(row) => self.on_row(operate.operation, row, &mut arguments, &operate.place.ty)?,
            Value::Term(set) if matches!(operate.place.ty, Type::Bits(_)) && operate.operation == Operation::Clear => {
                let (nothing, done) = (self.terms.bits(self.terms.width(set), 0), self.terms.truth(true));
                Done { container: Value::Term(nothing), done, gives: None }
            }
            _ => return Err(Unsupported::new(format!("the operation {:?}", operate.operation))),
        };
        self.store(&operate.place, done.container, guard)?;
        if let (Some(into), Some(gives)) = (operate.into, done.gives) {
            let is_option = matches!(self.frame().type_of(into), Type::Option(_));
            let value = if is_option { Value::Option(done.done, Box::new(gives)) } else { gives };
            self.set(into, value, guard);
        }
        if let Some(local) = operate.done {
            self.set(local, Value::Term(done.done), guard);
        }
        if let (Some(local), Some(back)) = (operate.back, back) {
            self.set(local, back, guard);
        }
        Ok(())
    }

    fn on_window(&mut self, operation: Operation, old: Window, arguments: &mut Vec<Value>, ty: &Type) -> Found<Done> {
        let last = arguments.pop();
        let number = match (&last, arguments.first()) {
            (_, Some(Value::Term(number))) | (Some(Value::Term(number)), None) => *number,
            _ => old.low,
        };
        match operation {
            Operation::Push => self.push_numbered(old, last, ty),
            Operation::Put => self.put(old, number, last, ty),
            Operation::TakeNext => self.take_next(old),
            Operation::Read => self.read(old),
            Operation::Release => self.release(old, number),
            Operation::ReleaseLow => {
                let one = self.terms.bits(self.terms.width(old.low), 1);
                let number = self.terms.binary(Op::Add, old.low, one);
                self.release(old, number)
            }
            Operation::Raise => Ok(self.raise(old, number, ty)),
            Operation::SkipTo => Ok(self.skip_to(old, number, ty)),
            Operation::PassOver => {
                let skipped = self.skip_to(old, number, ty);
                let Value::Window(window) = skipped.container else { unreachable!("a window") };
                Ok(Done { gives: None, ..self.release(window, number)? })
            }
            Operation::Clear => {
                let (zero, none) =
                    (self.terms.bits(self.terms.width(old.low), 0), self.terms.bits(self.terms.width(old.used), 0));
                let window = Window { low: zero, next: zero, high: zero, reported: zero, used: none, ..old };
                Ok(self.done(window))
            }
            Operation::ClearUndelivered => {
                let span = self.terms.binary(Op::Sub, old.next, old.low);
                let kept = self.ones(&old, span);
                let used = self.terms.binary(Op::BvAnd, old.used, kept);
                let high = old.next;
                Ok(self.done(Window { used, high, ..old }))
            }
            _ => Err(Unsupported::new(format!("the operation {operation:?} of a window"))),
        }
    }

    fn done(&mut self, window: Window) -> Done {
        Done { container: Value::Window(window), done: self.terms.truth(true), gives: None }
    }

    /// The window if the condition holds, otherwise as it was.
    fn only_if(&mut self, done: Term, new: Window, old: Window, gives: Option<Value>) -> Done {
        let container = values::choose(&mut self.terms, done, &Value::Window(new), &Value::Window(old));
        Done { container, done, gives }
    }

    /// A bit at an offset from `low`.
    fn bit(&mut self, window: &Window, offset: Term) -> Term {
        let size = self.terms.width(window.used);
        let (one, amount) = (self.terms.bits(size, 1), self.terms.resize(offset, size));
        self.terms.binary(Op::Shl, one, amount)
    }

    /// The bits of the offsets below one.
    fn ones(&mut self, window: &Window, offset: Term) -> Term {
        let (size, width) = (self.terms.width(window.used), self.terms.width(offset));
        let most = self.terms.bits(width, u128::from(size));
        let fits = self.terms.less(Op::ULess, offset, most);
        let (bit, one) = (self.bit(window, offset), self.terms.bits(size, 1));
        let (below, all) = (self.terms.binary(Op::Sub, bit, one), self.terms.all_ones(size));
        self.terms.choose(fits, below, all)
    }

    fn push_numbered(&mut self, old: Window, entry: Option<Value>, ty: &Type) -> Found<Done> {
        let entry = entry.ok_or_else(|| Unsupported::new("a push of nothing".into()))?;
        let span = self.terms.binary(Op::Sub, old.high, old.low);
        let most = self.capacity(&old, ty);
        let full = self.terms.equal(span, most);
        let done = self.terms.not(full);
        let (number, one) = (old.high, self.terms.bits(self.terms.width(old.low), 1));
        let mut new = old.clone();
        new.high = self.terms.binary(Op::Add, old.high, one);
        let bit = self.bit(&old, span);
        new.used = self.terms.binary(Op::BvOr, old.used, bit);
        self.store_entry(&mut new, number, &entry)?;
        let zero = self.terms.bits(self.terms.width(old.low), 0);
        let gives = self.terms.choose(done, number, zero);
        Ok(self.only_if(done, new, old, Some(Value::Term(gives))))
    }

    fn store_entry(&mut self, window: &mut Window, number: Term, entry: &Value) -> Found<()> {
        let (always, index) = (self.terms.truth(true), self.terms.resize(number, window.entries.index));
        window.entries.set(&mut self.terms, always, index, entry)
    }

    fn put(&mut self, old: Window, number: Term, entry: Option<Value>, ty: &Type) -> Found<Done> {
        let entry = entry.ok_or_else(|| Unsupported::new("a put of nothing".into()))?;
        let offset = self.terms.binary(Op::Sub, number, old.low);
        let next = self.terms.binary(Op::Sub, old.next, old.low);
        let zero = self.terms.bits(self.terms.width(offset), 0);
        let most = self.capacity(&old, ty);
        // Signed, as offsets are: a number before `low` is negative.
        let (before, early) = (self.terms.less(Op::SLess, offset, next), self.terms.less(Op::SLess, offset, zero));
        let (inside, there) = (self.terms.less(Op::SLess, offset, most), self.is_used(&old, offset));
        let refused = self.terms.or(&[before, early, there]);
        let allowed = self.terms.not(refused);
        let done = self.terms.and(&[allowed, inside]);
        let mut new = old.clone();
        let bit = self.bit(&old, offset);
        new.used = self.terms.binary(Op::BvOr, old.used, bit);
        let one = self.terms.bits(self.terms.width(offset), 1);
        let after = self.terms.binary(Op::Add, offset, one);
        new.high = self.raised(&old, after);
        self.store_entry(&mut new, number, &entry)?;
        Ok(self.only_if(done, new, old, None))
    }

    /// `high`, raised to an offset if it is below.
    fn raised(&mut self, window: &Window, offset: Term) -> Term {
        let span = self.terms.binary(Op::Sub, window.high, window.low);
        let below = self.terms.less(Op::SLess, span, offset);
        let raised = self.terms.binary(Op::Add, window.low, offset);
        self.terms.choose(below, raised, window.high)
    }

    /// Forgets all below an offset that is not beyond `high`.
    fn dropped(&mut self, old: &Window, offset: Term) -> Window {
        let low = self.terms.binary(Op::Add, old.low, offset);
        let (size, width) = (self.terms.width(old.used), self.terms.width(offset));
        let most = self.terms.bits(width, u128::from(size));
        let fits = self.terms.less(Op::ULess, offset, most);
        let amount = self.terms.resize(offset, size);
        let (moved, none) = (self.terms.binary(Op::LShr, old.used, amount), self.terms.bits(size, 0));
        Window { low, used: self.terms.choose(fits, moved, none), ..old.clone() }
    }

    fn take_next(&mut self, old: Window) -> Found<Done> {
        let done = self.has(&old, old.next);
        let entry = self.entry_of(&old, old.next);
        let one = self.terms.bits(self.terms.width(old.low), 1);
        let next = self.terms.binary(Op::Add, old.next, one);
        let offset = self.terms.binary(Op::Sub, next, old.low);
        let new = Window { next, ..self.dropped(&old, offset) };
        Ok(self.only_if(done, new, old, Some(entry)))
    }

    fn read(&mut self, old: Window) -> Found<Done> {
        let done = self.has(&old, old.next);
        let entry = self.entry_of(&old, old.next);
        let one = self.terms.bits(self.terms.width(old.low), 1);
        let next = self.terms.binary(Op::Add, old.next, one);
        let new = Window { next, ..old.clone() };
        Ok(self.only_if(done, new, old, Some(entry)))
    }

    fn release(&mut self, old: Window, number: Term) -> Found<Done> {
        let offset = self.terms.binary(Op::Sub, number, old.low);
        let span = self.terms.binary(Op::Sub, old.high, old.low);
        let next = self.terms.binary(Op::Sub, old.next, old.low);
        let zero = self.terms.bits(self.terms.width(offset), 0);
        let (some, beyond) = (self.terms.less(Op::SLess, zero, offset), self.terms.less(Op::SLess, span, offset));
        let inside = self.terms.not(beyond);
        let done = self.terms.and(&[some, inside]);
        let mut new = self.dropped(&old, offset);
        let behind = self.terms.less(Op::SLess, next, offset);
        new.next = self.terms.choose(behind, number, old.next);
        let (count, none) = (self.terms.resize(offset, 32), self.terms.bits(32, 0));
        let gives = self.terms.choose(done, count, none);
        Ok(self.only_if(done, new, old, Some(Value::Term(gives))))
    }

    fn raise(&mut self, old: Window, number: Term, ty: &Type) -> Done {
        let offset = self.terms.binary(Op::Sub, number, old.low);
        let most = self.capacity(&old, ty);
        let beyond = self.terms.less(Op::SLess, most, offset);
        let done = self.terms.not(beyond);
        let high = self.raised(&old, offset);
        self.only_if(done, Window { high, ..old.clone() }, old, None)
    }

    fn skip_to(&mut self, old: Window, number: Term, ty: &Type) -> Done {
        let offset = self.terms.binary(Op::Sub, number, old.low);
        let next = self.terms.binary(Op::Sub, old.next, old.low);
        let most = self.capacity(&old, ty);
        let (ahead, beyond) = (self.terms.less(Op::SLess, next, offset), self.terms.less(Op::SLess, most, offset));
        let inside = self.terms.not(beyond);
        let done = self.terms.and(&[ahead, inside]);
        let high = self.raised(&old, offset);
        self.only_if(done, Window { next: number, high, ..old.clone() }, old, None)
    }

    fn on_row(&mut self, operation: Operation, old: Row, arguments: &mut Vec<Value>, ty: &Type) -> Found<Done> {
        let (Type::Ring(_, n) | Type::List(_, n)) = ty else { unreachable!("a row") };
        let (zero, one) = (self.terms.bits(32, 0), self.terms.bits(32, 1));
        match operation {
            Operation::Push => {
                let entry = arguments.pop().ok_or_else(|| Unsupported::new("a push of nothing".into()))?;
                let most = self.terms.bits(32, u128::from(*n));
                let full = self.terms.equal(old.len, most);
                let done = self.terms.not(full);
                let at = self.terms.binary(Op::Add, old.start, old.len);
                let at = self.terms.resize(at, old.entries.index);
                let mut new = old.clone();
                new.entries.set(&mut self.terms, done, at, &entry)?;
                let longer = self.terms.binary(Op::Add, old.len, one);
                new.len = self.terms.choose(done, longer, old.len);
                Ok(Done { container: Value::Row(new), done, gives: None })
            }
            Operation::Pop => {
                let empty = self.terms.equal(old.len, zero);
                let done = self.terms.not(empty);
                let shorter = self.terms.binary(Op::Sub, old.len, one);
                let is_ring = matches!(ty, Type::Ring(..));
                let entry = self.entry_at(&old, if is_ring { zero } else { shorter });
                let mut new = old.clone();
                new.len = self.terms.choose(done, shorter, old.len);
                if is_ring {
                    let start = self.terms.binary(Op::Add, old.start, one);
                    let slots = self.terms.bits(32, u128::from(n.next_power_of_two()) - 1);
                    let start = self.terms.binary(Op::BvAnd, start, slots);
                    new.start = self.terms.choose(done, start, old.start);
                }
                Ok(Done { container: Value::Row(new), done, gives: Some(entry) })
            }
            Operation::Clear => {
                let done = self.terms.truth(true);
                Ok(Done { container: Value::Row(Row { len: zero, ..old }), done, gives: None })
            }
            _ => Err(Unsupported::new(format!("the operation {operation:?} of a row"))),
        }
    }
}
