//! Marks: which parts of values depend on the sources; of types, places and expressions.

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::values::{self, BodyId, Slot, Values};
use crate::Lattice;

/// The sources of tracked values.
#[derive(Clone, Copy, Default)]
pub struct Sources {
    /// `now`.
    pub clock: bool,
    /// Times in cells.
    pub kept: bool,
    /// Times from the source or the host.
    pub constants: bool,
    /// Random numbers and times.
    pub random: bool,
    /// Random times.
    pub random_times: bool,
}

/// The parts of a value that depend on the sources.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mark {
    /// Durations and instants in it.
    pub times: bool,
    /// Anything else in it.
    pub others: bool,
    /// Of an option: whether it has a value.
    pub presence: bool,
}

impl Mark {
    /// The whole value.
    pub const ALL: Mark = Mark { times: true, others: true, presence: true };

    /// Whether any part is marked.
    pub fn any(self) -> bool {
        self.times || self.others || self.presence
    }

    /// Extends the mark to the whole value.
    pub fn if_so(depends: bool) -> Mark {
        if depends {
            Mark::ALL
        } else {
            Mark::default()
        }
    }
}

impl Lattice for Mark {
    fn join(&mut self, other: &Mark) -> bool {
        self.times.join(&other.times) | self.others.join(&other.others) | self.presence.join(&other.presence)
    }
}

/// The marks of all slots, raised to a fixed point.
pub struct Marks<'a> {
    /// The stack analyzed.
    pub stack: &'a Stack,
    /// What is tracked.
    pub from: Sources,
    /// The mark of each slot.
    pub values: Values<Mark>,
}

impl Marks<'_> {
    /// Types that hold times.
    pub fn holds_time(&self, ty: &Type) -> bool {
        match ty {
            Type::Duration | Type::Instant => true,
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().any(|f| self.holds_time(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.holds_time(t)),
            Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => self.holds_time(t),
            Type::Window(t, _, _) | Type::Pool(t, _) => self.holds_time(t),
            Type::Map(k, t, _) => self.holds_time(k) || self.holds_time(t),
            _ => false,
        }
    }

    /// Types that hold something else.
    pub fn holds_others(&self, ty: &Type) -> bool {
        match ty {
            Type::Duration | Type::Instant => false,
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().any(|f| self.holds_others(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.holds_others(t)),
            Type::Option(t) | Type::Array(t, _) => self.holds_others(t),
            _ => true,
        }
    }

    /// The part of a mark that applies to values of the type.
    pub fn within(&self, mark: Mark, ty: &Type) -> Mark {
        let (times, others) = (self.holds_time(ty), self.holds_others(ty));
        Mark {
            times: times && (mark.times || mark.others && !others),
            others: others && mark.others,
            presence: matches!(ty, Type::Option(_)) && (mark.presence || mark.others),
        }
    }

    /// The mark of a part of that type.
    pub fn part(&self, mark: Mark, ty: &Type) -> Mark {
        Mark {
            times: mark.times && self.holds_time(ty),
            others: mark.others,
            presence: mark.presence && matches!(ty, Type::Option(_)),
        }
    }

    /// The mark of a computed value: it depends on all operands.
    pub fn computed(&self, depends: bool, ty: &Type) -> Mark {
        match ty {
            Type::Duration | Type::Instant => Mark { times: depends, ..Mark::default() },
            _ => Mark { others: depends, ..Mark::default() },
        }
    }

    /// The mark of the value at a place.
    pub fn place(&self, body: BodyId, place: &Place) -> Mark {
        let mark = self.part(*self.values.of(values::root(body, place)), &place.ty);
        if self.chosen(body, place) {
            Mark::ALL
        } else {
            mark
        }
    }

    /// Whether the choice of the place depends on the time.
    pub fn chosen(&self, body: BodyId, place: &Place) -> bool {
        place.path.iter().any(|step| matches!(step, Step::Index(at) if self.mark(body, at).any()))
    }

    /// Whether the presence of an entry or key depends on the time, by comparison with times.
    pub fn compares(&self, body: BodyId, place: &Place) -> bool {
        let compared = match &place.ty {
            Type::Ring(t, _) | Type::List(t, _) | Type::Map(t, _, _) => self.holds_time(t),
            _ => false,
        };
        compared && self.place(body, place).times
    }

    /// Whether any value depends on the sources.
    pub fn any(&self, body: BodyId, parts: &[Expr]) -> bool {
        parts.iter().any(|e| self.mark(body, e).any())
    }

    /// The mark of an expression's value.
    pub fn mark(&self, body: BodyId, e: &Expr) -> Mark {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                Mark { times: self.from.constants && self.holds_time(&e.ty), ..Mark::default() }
            }
            ExprKind::Literal(_) | ExprKind::None | ExprKind::Fingerprint | ExprKind::Room | ExprKind::Empty => {
                Mark::default()
            }
            ExprKind::Now => self.computed(self.from.clock, &e.ty),
            ExprKind::Local(id) => *self.values.of(Slot::Local(body, *id)),
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.place(body, place),
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                let whole = parts.iter().fold(Mark::default(), |whole, e| whole.joined(&self.mark(body, e)));
                Mark { others: whole.others || whole.presence, presence: false, ..whole }
            }
            ExprKind::Some(inner) => Mark { presence: false, ..self.mark(body, inner) },
            ExprKind::Unwrap(inner) | ExprKind::Field(inner, _) => self.part(self.mark(body, inner), &e.ty),
            ExprKind::Index(of, at) if self.mark(body, at).any() => self.mark(body, of).joined(&Mark::ALL),
            ExprKind::Index(of, _) => self.part(self.mark(body, of), &e.ty),
            ExprKind::IsSome(inner) => {
                let mark = self.mark(body, inner);
                self.computed(mark.presence || mark.others, &e.ty)
            }
            ExprKind::If(condition, a, b) => {
                let depends = Mark::if_so(self.mark(body, condition).any());
                self.mark(body, a).joined(&self.mark(body, b)).joined(&depends)
            }
            ExprKind::Query(query, place, parts) => self.query(body, e, *query, place, parts),
            ExprKind::Unary(_, _)
            | ExprKind::Binary(..)
            | ExprKind::MulDiv(..)
            | ExprKind::Convert(_)
            | ExprKind::Concat(_)
            | ExprKind::Part(..)
            | ExprKind::BytesOf(_)
            | ExprKind::View(_)
            | ExprKind::Through(..)
            | ExprKind::Extern(..)
            | ExprKind::Share(_)
            | ExprKind::Length(_)
            | ExprKind::Head(..)
            | ExprKind::Push(..)
            | ExprKind::Slice(..)
            | ExprKind::Rest(..)
            | ExprKind::Pack(..)
            | ExprKind::PackView(..) => {
                let parts = e.parts();
                let depends = parts.operands.into_iter().any(|e| self.mark(body, e).any())
                    || parts.places.into_iter().any(|place| self.place(body, place).any());
                self.computed(depends, &e.ty)
            }
        }
    }

    /// The mark of a query: the contents depend on the operations, which depend on no time.
    pub fn query(&self, body: BodyId, e: &Expr, query: Query, place: &Place, parts: &[Expr]) -> Mark {
        let held = self.place(body, place);
        let depends = held.others || self.chosen(body, place) || self.any(body, parts);
        let told = match query {
            Query::Contains => self.computed(depends || self.compares(body, place), &e.ty),
            Query::Key => self.part(held, &e.ty),
            Query::Len
            | Query::Empty
            | Query::Full
            | Query::Has
            | Query::Low
            | Query::Next
            | Query::High
            | Query::Armed
            | Query::First => Mark::default(),
        };
        told.joined(&self.computed(depends, &e.ty))
    }
}
