//! How long timers wait: bounds of the durations with which each is armed.

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::values::{self, Body, BodyId, Slot, Values};
use crate::Lattice;

/// The limit of iterations; a bound that still grows then is unknown.
const ROUNDS: usize = 100;

/// Bounds of a number; both are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub least: u64,
    /// The greatest.
    pub most: u64,
}

impl Range {
    /// Unknown.
    pub const ANY: Range = Range { least: 0, most: u64::MAX };

    fn one(value: u64) -> Range {
        Range { least: value, most: value }
    }
}

impl Lattice for Range {
    fn join(&mut self, other: &Range) -> bool {
        let before = *self;
        *self = Range { least: self.least.min(other.least), most: self.most.max(other.most) };
        *self != before
    }
}

/// Returns bounds of the durations with which a timer is armed; none: it is never armed. They are known only of a timer
/// that is a cell of its own.
pub fn of(stack: &Stack, timer: TimerId) -> Option<Range> {
    let declared = &stack.timers[timer.index()];
    let durations = Durations::of(stack);
    let mut found: Option<Range> = None;
    for body in values::bodies(stack) {
        body.block.each_statement(|statement| {
            let StatementKind::Arm { timer: place, delay, .. } = &statement.kind else { return };
            let range = match (place.root, &place.path[..], &declared.path[..]) {
                (Root::Cell(cell), [], []) if cell == declared.cell => durations.range(body.id, delay),
                (Root::Cell(cell), ..) if cell != declared.cell => None,
                // It may be this one.
                _ => Some(Range::ANY),
            };
            found.join(&range);
        });
    }
    found
}

struct Durations<'a> {
    stack: &'a Stack,
    values: Values<Option<Range>>,
    /// Whether what still grows is unknown.
    gives_up: bool,
}

impl<'a> Durations<'a> {
    fn of(stack: &'a Stack) -> Durations<'a> {
        let mut durations = Durations { stack, values: Values::new(None), gives_up: false };
        for round in 0.. {
            durations.gives_up = round > ROUNDS;
            durations.round();
            if !durations.values.take_grew() {
                break;
            }
        }
        durations
    }

    fn round(&mut self) {
        for (at, cell) in self.stack.cells.iter().enumerate().filter(|(_, cell)| cell.initial.is_none()) {
            let zero = !cell.is_configured() && cell.scope != Scope::Derived;
            let value = if zero { Range::one(0) } else { Range::ANY };
            self.raise(Slot::Cell(CellId(at as u32)), Some(value));
        }
        for (body, cell, initial) in values::initials(self.stack) {
            self.body(body);
            self.raise(Slot::Cell(cell), self.range(body.id, initial));
            // The host may give another value.
            if self.stack.cell(cell).is_configured() {
                self.raise(Slot::Cell(cell), Some(Range::ANY));
            }
        }
        values::bodies(self.stack).for_each(|body| self.body(body));
    }

    fn raise(&mut self, slot: Slot, range: Option<Range>) {
        let mut range = range;
        if self.gives_up && !self.values.of(slot).is_some_and(|known| range.is_none_or(|range| !{ known }.join(&range)))
        {
            range = range.map(|_| Range::ANY);
        }
        self.values.raise(slot, &range);
    }

    fn body(&mut self, body: Body<'a>) {
        if let BodyId::Handler(_) = body.id {
            let given = body.parameters.iter().chain(body.fields);
            given.for_each(|local| self.raise(Slot::Local(body.id, *local), Some(Range::ANY)));
        }
        body.block.each_statement(|statement| self.statement(body.id, statement));
    }

    fn statement(&mut self, body: BodyId, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(local, value) => self.raise(Slot::Local(body, *local), self.range(body, value)),
            StatementKind::Store(place, value) if place.path.is_empty() => {
                self.raise(values::root(body, place), self.range(body, value));
            }
            StatementKind::Call { into, function, arguments } => {
                let parameters = &self.stack.function(*function).parameters;
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    let range = match argument {
                        Argument::Value(value) => self.range(body, value),
                        // Either name may change it.
                        Argument::Reference(place) => {
                            self.raise(values::root(body, place), Some(Range::ANY));
                            Some(Range::ANY)
                        }
                    };
                    self.raise(Slot::Local(BodyId::Function(*function), *parameter), range);
                }
                if let Some(into) = into {
                    self.raise(Slot::Local(body, *into), *self.values.of(Slot::Result(*function)));
                }
            }
            StatementKind::Return(Some(value)) => {
                if let BodyId::Function(function) = body {
                    self.raise(Slot::Result(function), self.range(body, value));
                }
            }
            _ => {
                for local in statement.sets() {
                    self.raise(Slot::Local(body, local), Some(Range::ANY));
                }
            }
        }
    }

    /// Bounds of an expression; none: it is not computed.
    fn range(&self, body: BodyId, e: &Expr) -> Option<Range> {
        if !matches!(e.ty, Type::Duration | Type::Instant | Type::UInt(_)) {
            return Some(Range::ANY);
        }
        match &e.kind {
            ExprKind::Const(value) => Some(Range::one(*value)),
            ExprKind::Zero => Some(Range::one(0)),
            ExprKind::Local(local) => *self.values.of(Slot::Local(body, *local)),
            ExprKind::Load(place) if place.path.is_empty() => *self.values.of(values::root(body, place)),
            ExprKind::If(_, then, otherwise) => {
                let mut range = self.range(body, then);
                range.join(&self.range(body, otherwise));
                range
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.range(body, left)?, self.range(body, right)?);
                let most = if let Type::UInt(bits) = e.ty { mask(u32::from(bits)) } else { u64::MAX };
                let range = computed(*op, left, right).filter(|range| range.most <= most);
                Some(range.unwrap_or(Range { least: 0, most }))
            }
            _ => Some(Range::ANY),
        }
    }
}

/// Bounds of a result that does not wrap.
fn computed(op: BinaryOp, left: Range, right: Range) -> Option<Range> {
    let (least, most) = match op {
        BinaryOp::Add => (left.least + right.least.min(u64::MAX - left.least), left.most.checked_add(right.most)?),
        BinaryOp::Sub => (left.least.checked_sub(right.most)?, left.most - right.least),
        BinaryOp::Mul => (left.least.checked_mul(right.least)?, left.most.checked_mul(right.most)?),
        BinaryOp::Div => (left.least / right.most.max(1), left.most.checked_div(right.least)?),
        BinaryOp::Min => (left.least.min(right.least), left.most.min(right.most)),
        BinaryOp::Max => (left.least.max(right.least), left.most.max(right.most)),
        _ => return None,
    };
    Some(Range { least, most })
}
