//! Mutants: a layer with one small mistake. The share that a specification detects measures its strength.
//!
//! | operator | change |
//! |---|---|
//! | comparison | swaps `<` and `<=`, or `==` and `!=` |
//! | arithmetic | swaps `+` and `-` |
//! | constant | replaces a number by the next one, a bool by its negation, or an enum variant by the next one |
//! | update | omits an assignment, or an operation whose result is unused |
//! | timer | omits an `arm` or a `cancel` |
//! | variant | adds another header with the same fields |
//! | emission | omits an emission and drops its message |
//! | branch | swaps the two branches of an `if` |
//!
//! An operator is applied at every place except:
//!
//! | not mutated | reason |
//! |---|---|
//! | counters, durations, instants | they do not affect behaviour, or a checker erases them |
//! | code that affects only times ([`decisive`]) | if timers may fire at any time, it is unobservable |
//! | a condition that compares a random number | both outcomes are tried anyway |
//! | statements that follow `impossible` in its block | no correct peer leads there |

pub mod decisive;
mod edit;

use decisive::Decisive;
pub use edit::Edit;
use nacre_analysis::values::BodyId;
use nacre_stack::*;

/// A stack with one mistake in it.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub stack: Stack,
    pub operator: &'static str,
    /// Handler or function.
    pub place: String,
    /// The statement or expression that is changed.
    pub span: Span,
    /// The change.
    pub edit: Edit,
}

/// Returns every mutant of these layers; of all layers if none is named.
pub fn mutants(stack: &Stack, layers: &[LayerId]) -> Vec<Mutant> {
    let wanted = |layer: LayerId| layers.is_empty() || layers.contains(&layer);
    let decisive = Decisive::of(stack);
    let mut all = vec![];
    for (at, handler) in stack.handlers.iter().enumerate().filter(|(_, h)| wanted(h.layer) && !h.passes) {
        each(&handler.body, BodyId::Handler(HandlerId(at as u32)), &decisive, stack, &mut |change, body| {
            let mut mutant = stack.clone();
            mutant.handlers[at].body = body;
            all.push(made(mutant, change, &handler.name));
        });
    }
    for (at, function) in stack.functions.iter().enumerate().filter(|(_, f)| wanted(f.layer)) {
        each(&function.body, BodyId::Function(FunctionId(at as u32)), &decisive, stack, &mut |change, body| {
            let mut mutant = stack.clone();
            mutant.functions[at].body = body;
            all.push(made(mutant, change, &function.name));
        });
    }
    all
}

/// An operator, the statement or expression to which it is applied, and the change.
type Change = (&'static str, Span, Edit);

fn made(stack: Stack, (operator, span, edit): Change, place: &str) -> Mutant {
    Mutant { stack, operator, place: place.into(), span, edit }
}

/// Calls `found` with the body after each change.
fn each(block: &Block, body: BodyId, decisive: &Decisive, stack: &Stack, found: &mut dyn FnMut(Change, Block)) {
    let mut wanted = 0;
    loop {
        let mut changed = block.clone();
        let mut walk = Walker { stack, body, decisive, wanted, seen: 0, done: None, drawn: vec![] };
        walk.block(&mut changed);
        let Some(change) = walk.done else { return };
        found(change, changed);
        wanted += 1;
    }
}

struct Walker<'a> {
    stack: &'a Stack,
    body: BodyId,
    decisive: &'a Decisive<'a>,
    wanted: usize,
    seen: usize,
    done: Option<Change>,
    /// Locals that were drawn at random.
    drawn: Vec<LocalId>,
}

impl Walker<'_> {
    /// Records a place where an operator applies; returns whether it is the one to change.
    fn here(&mut self, operator: &'static str, span: Span, edit: Edit) -> bool {
        let here = self.seen == self.wanted;
        self.seen += 1;
        if here {
            self.done = Some((operator, span, edit));
        }
        here
    }

    /// Returns the constant of the mutant; none: the type has no other constant.
    fn next(&self, ty: &Type, n: u64) -> Option<u64> {
        match ty {
            Type::Bool => Some(n ^ 1),
            Type::Enum(id) => {
                let count = self.stack.enums[id.index()].variants.len() as u64;
                (count > 1).then(|| (n + 1) % count)
            }
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Some(n.wrapping_add(1) & mask(u32::from(*bits))),
            Type::Range(low, high) => (high - low > 1).then(|| if n + 1 < *high { n + 1 } else { *low }),
            _ => None,
        }
    }

    /// Formats a constant as in the source.
    fn constant(&self, ty: &Type, number: u64) -> String {
        match ty {
            Type::Bool => (number != 0).to_string(),
            Type::Enum(id) => self.stack.enums[id.index()].variants[number as usize].clone(),
            Type::Int(bits) => {
                let unused = 64 - u32::from(*bits).min(64);
                (((number << unused) as i64) >> unused).to_string()
            }
            _ => number.to_string(),
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.len() && self.done.is_none() {
            if let Some((operator, instead)) = self.left_out(&block[at]) {
                if self.here(operator, block[at].span, Edit::LeftOut) {
                    block.splice(at..=at, instead);
                    return;
                }
            }
            self.statement(&mut block[at]);
            if matches!(block[at].kind, StatementKind::Impossible) {
                return;
            }
            at += 1;
        }
    }

    /// Whether a store there is observable, apart from times.
    fn is_update(&self, place: &Place) -> bool {
        !is_time(&place.ty) && self.decisive.place(self.body, place)
    }

    /// Returns the operator that omits a statement, and the statement that drops its message.
    fn left_out(&self, statement: &Statement) -> Option<(&'static str, Option<Statement>)> {
        let dropped = |arguments: &[Expr]| match arguments
            .iter()
            .filter(|a| self.stack.has_message(&a.ty))
            .collect::<Vec<_>>()[..]
        {
            [] => Some(None),
            [one] if one.ty == Type::Msg => Some(Some(StatementKind::Drop(one.clone()).at(statement.span))),
            _ => None,
        };
        match &statement.kind {
            StatementKind::Store(place, value) if self.is_update(place) => {
                Some(("update", dropped(std::slice::from_ref(value))?))
            }
            StatementKind::Operate(o) if o.into.is_none() && o.done.is_none() => {
                Some(("update", dropped(&o.arguments)?))
            }
            StatementKind::Arm { .. } | StatementKind::Cancel(_) => Some(("timer", None)),
            StatementKind::Emit(emit) => Some(("emission", dropped(&emit.arguments)?)),
            StatementKind::Let(..)
            | StatementKind::Store(..)
            | StatementKind::If { .. }
            | StatementKind::Loop { .. }
            | StatementKind::For { .. }
            | StatementKind::Each { .. }
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::Call { .. }
            | StatementKind::CallExtern { .. }
            | StatementKind::Operate(_)
            | StatementKind::Drop(_)
            | StatementKind::Count(..)
            | StatementKind::Assert(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Fit { .. }
            | StatementKind::Random { .. }
            | StatementKind::Filter { .. }
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. }
            | StatementKind::Take { .. } => None,
        }
    }

    /// Whether a condition compares a random number.
    fn by_chance(&self, condition: &Expr) -> bool {
        let ExprKind::Binary(_, a, b) = &condition.kind else { return false };
        [a, b].iter().any(|e| matches!(&e.kind, ExprKind::Local(local) if self.drawn.contains(local)))
    }

    fn statement(&mut self, statement: &mut Statement) {
        let (decisive, body) = (self.decisive, self.body);
        match &mut statement.kind {
            StatementKind::Let(local, e) if decisive.local(body, *local) || self.stack.has_message(&e.ty) => {
                self.expr(e)
            }
            StatementKind::Store(place, e) if self.is_update(place) => self.expr(e),
            StatementKind::Random { into, .. } => self.drawn.push(*into),
            StatementKind::If { condition, then, otherwise, .. } => {
                let acts = decisive.block_acts(body, then) || decisive.block_acts(body, otherwise);
                if acts && !self.by_chance(condition) {
                    self.expr(condition);
                    if self.done.is_none() && self.here("branch", condition.span, Edit::Negated) {
                        std::mem::swap(then, otherwise);
                    }
                }
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Loop { body, .. } => self.block(body),
            StatementKind::For { from, to, body: inner, .. } => {
                self.expr(from);
                self.expr(to);
                self.block(inner);
            }
            StatementKind::Each { walk, body: inner, .. } => {
                if decisive.block_acts(body, inner) {
                    walk.from.iter_mut().chain(&mut walk.to).for_each(|e| self.expr(e));
                }
                self.block(inner);
            }
            StatementKind::Return(Some(e)) if decisive.result(body) || self.stack.has_message(&e.ty) => self.expr(e),
            StatementKind::Call { function, arguments, .. } => {
                let parameters = &self.stack.functions[function.index()].parameters;
                for (argument, parameter) in arguments.iter_mut().zip(parameters) {
                    match argument {
                        Argument::Value(e)
                            if decisive.parameter(*function, *parameter) || self.stack.has_message(&e.ty) =>
                        {
                            self.expr(e)
                        }
                        _ => {}
                    }
                }
            }
            StatementKind::Operate(o) => o.arguments.iter_mut().for_each(|e| self.expr(e)),
            StatementKind::Emit(emit) => emit.arguments.iter_mut().for_each(|e| self.expr(e)),
            StatementKind::Fit { into, value } if decisive.local(body, *into) => self.expr(value),
            StatementKind::Let(..)
            | StatementKind::Store(..)
            | StatementKind::Fit { .. }
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::CallExtern { .. }
            | StatementKind::Drop(_)
            | StatementKind::Arm { .. }
            | StatementKind::Cancel(_)
            | StatementKind::Count(..)
            | StatementKind::Assert(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Filter { .. }
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. }
            | StatementKind::Take { .. } => {}
        }
    }

    /// Returns the other headers of the layer that have fields of the same types.
    fn alike(&self, mine: HeaderId) -> Vec<HeaderId> {
        let header = self.stack.header(mine);
        let same = |other: &Header| {
            other.layer == header.layer
                && other.fields.len() == header.fields.len()
                && other.fields.iter().zip(&header.fields).all(|(a, b)| a.ty == b.ty)
        };
        let all = (0..self.stack.headers.len() as u32).map(HeaderId);
        all.filter(|id| *id != mine && same(self.stack.header(*id))).collect()
    }

    fn binary(&mut self, op: &mut BinaryOp, operands: [&mut Expr; 2], span: Span) {
        if is_time(&operands[0].ty) {
            return;
        }
        if let Some((other, operator)) = other_operator(*op) {
            let edit = Edit::Operator { from: *op, to: other, operands: [operands[0].span, operands[1].span] };
            if self.here(operator, span, edit) {
                *op = other;
                return;
            }
        }
        operands.into_iter().for_each(|operand| self.expr(operand));
    }

    fn expr(&mut self, e: &mut Expr) {
        let (ty, span) = (e.ty.clone(), e.span);
        if self.done.is_some() || is_time(&ty) {
            return;
        }
        match &mut e.kind {
            ExprKind::Const(n) => {
                if let Some(next) = self.next(&ty, *n) {
                    let [from, to] = [*n, next].map(|number| self.constant(&ty, number));
                    if self.here("constant", span, Edit::Constant { from, to }) {
                        *n = next;
                    }
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(op, [a, b], span),
            ExprKind::Push(message, header, fields) => {
                let mine = *header;
                for other in self.alike(mine) {
                    let [from, to] = [mine, other].map(|id| self.stack.header(id).name.clone());
                    if self.here("variant", span, Edit::Header { from, to }) {
                        *header = other;
                        return;
                    }
                }
                self.expr(message);
                fields.iter_mut().for_each(|e| self.expr(e));
            }
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Some(a)
            | ExprKind::IsSome(a)
            | ExprKind::Unwrap(a) => self.expr(a),
            ExprKind::Field(a, _) | ExprKind::Share(a) | ExprKind::Length(a) => self.expr(a),
            ExprKind::Index(a, b) | ExprKind::Rest(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::If(a, b, c) | ExprKind::Slice(a, b, c) => {
                for part in [a, b, c] {
                    self.expr(part);
                }
            }
            ExprKind::Struct(parts) => {
                let Type::Struct(id) = ty else { return };
                let fields = parts.iter_mut().enumerate().filter(|(at, _)| self.decisive.field(id, *at as u32));
                fields.for_each(|(_, e)| self.expr(e));
            }
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            ExprKind::Query(_, _, parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            // These contain no number of the layer, or only a claim or bytes.
            ExprKind::Literal(_)
            | ExprKind::Zero
            | ExprKind::Local(_)
            | ExprKind::Load(_)
            | ExprKind::MulDiv(..)
            | ExprKind::None
            | ExprKind::Now
            | ExprKind::Fingerprint
            | ExprKind::Room
            | ExprKind::Concat(_)
            | ExprKind::Part(..)
            | ExprKind::BytesOf(_)
            | ExprKind::View(_)
            | ExprKind::Through(..)
            | ExprKind::Extern(..)
            | ExprKind::Empty
            | ExprKind::Borrow(_)
            | ExprKind::Pack(..)
            | ExprKind::PackView(..) => {}
        }
    }
}

fn is_time(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::Instant)
}

/// Returns the operator that replaces another, and the name of the mutation operator.
fn other_operator(op: BinaryOp) -> Option<(BinaryOp, &'static str)> {
    use BinaryOp::*;
    match op {
        Less => Some((LessEqual, "comparison")),
        LessEqual => Some((Less, "comparison")),
        Equal => Some((NotEqual, "comparison")),
        NotEqual => Some((Equal, "comparison")),
        Add => Some((Sub, "arithmetic")),
        Sub => Some((Add, "arithmetic")),
        _ => None,
    }
}
