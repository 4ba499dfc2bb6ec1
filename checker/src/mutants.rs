//! Mutants: a layer with one small mistake. The share that a specification finds says how much it asks.
//!
//! | operator | changes |
//! |---|---|
//! | comparison | `<` and `<=` into one another, `==` and `!=` |
//! | arithmetic | `+` and `-` into one another |
//! | constant | a number into the next one, a bool or a variant of an enum into the other (the next) |
//! | update | leaves an assignment out, or an operation whose result nobody uses |
//! | timer | leaves out an `arm` or a `cancel` |
//! | variant | puts on another header with the same fields |
//! | emission | leaves it out; its message is dropped |
//! | branch | swaps the two branches of an `if` |
//!
//! Left alone is what is no behaviour (counters), what a checker erases (durations and instants), and how likely something is:
//! a condition that compares a number drawn at random is decided both ways anyway, whatever it is compared with.

use nacre_stack::*;

/// A stack with one mistake in it.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub stack: Stack,
    pub operator: &'static str,
    /// Handler or function.
    pub place: String,
    pub span: Span,
    /// The line of the IR before and after; empty: it is not there.
    pub before: String,
    pub after: String,
}

/// Every mutant of the layers named (all: none are).
pub fn mutants(stack: &Stack, layers: &[LayerId]) -> Vec<Mutant> {
    let original = print(stack);
    let wanted = |layer: LayerId| layers.is_empty() || layers.contains(&layer);
    let mut all = vec![];
    for (at, handler) in stack.handlers.iter().enumerate().filter(|(_, h)| wanted(h.layer) && !h.passes) {
        each(&handler.body, &handler.locals, stack, &mut |operator, body| {
            let mut mutant = stack.clone();
            mutant.handlers[at].body = body;
            all.push(made(&original, mutant, operator, &handler.name, handler.span));
        });
    }
    for (at, function) in stack.functions.iter().enumerate().filter(|(_, f)| wanted(f.layer)) {
        each(&function.body, &function.locals, stack, &mut |operator, body| {
            let mut mutant = stack.clone();
            mutant.functions[at].body = body;
            all.push(made(&original, mutant, operator, &function.name, function.span));
        });
    }
    all
}

fn made(original: &str, stack: Stack, operator: &'static str, place: &str, span: Span) -> Mutant {
    let changed = print(&stack);
    let (old, new): (Vec<&str>, Vec<&str>) = (original.lines().collect(), changed.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let line = |lines: &[&str]| lines.get(same).map_or(String::new(), |l| l.trim().to_string());
    // A statement that was left out: the line after it is not the one that replaced it.
    let after = if new.len() < old.len() { String::new() } else { line(&new) };
    Mutant { operator, place: place.into(), span, before: line(&old), after, stack }
}

/// Calls `found` with the body after each change.
fn each(body: &Block, locals: &[Local], stack: &Stack, found: &mut dyn FnMut(&'static str, Block)) {
    let mut wanted = 0;
    loop {
        let mut changed = body.clone();
        let mut walk = Walker { stack, locals, wanted, seen: 0, done: None, drawn: vec![] };
        walk.block(&mut changed);
        let Some(operator) = walk.done else { return };
        found(operator, changed);
        wanted += 1;
    }
}

struct Walker<'a> {
    stack: &'a Stack,
    locals: &'a [Local],
    wanted: usize,
    seen: usize,
    done: Option<&'static str>,
    /// Locals that were drawn at random.
    drawn: Vec<LocalId>,
}

impl Walker<'_> {
    /// A place where an operator applies: whether it is the one to change.
    fn here(&mut self, operator: &'static str) -> bool {
        let here = self.seen == self.wanted;
        self.seen += 1;
        if here {
            self.done = Some(operator);
        }
        here
    }

    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.len() && self.done.is_none() {
            if let Some((operator, instead)) = self.left_out(&block[at]) {
                if self.here(operator) {
                    block.splice(at..=at, instead);
                    return;
                }
            }
            self.statement(&mut block[at]);
            at += 1;
        }
    }

    /// What is left of a statement that is left out: its messages are dropped.
    fn left_out(&self, statement: &Statement) -> Option<(&'static str, Option<Statement>)> {
        let dropped =
            |arguments: &[Expr]| match arguments.iter().filter(|a| self.has_message(&a.ty)).collect::<Vec<_>>()[..] {
                [] => Some(None),
                [one] if one.ty == Type::Msg => Some(Some(Statement::Drop(one.clone()))),
                _ => None,
            };
        match statement {
            Statement::Store(place, value) if !is_time(&place.ty) => {
                Some(("update", dropped(std::slice::from_ref(value))?))
            }
            Statement::Operate(o) if o.into.is_none() && o.done.is_none() => Some(("update", dropped(&o.arguments)?)),
            Statement::Arm { .. } | Statement::Cancel(_) => Some(("timer", None)),
            Statement::Emit(emit) => Some(("emission", dropped(&emit.arguments)?)),
            _ => None,
        }
    }

    fn has_message(&self, ty: &Type) -> bool {
        match ty {
            Type::Msg => true,
            Type::Option(t)
            | Type::Array(t, _)
            | Type::Ring(t, _)
            | Type::List(t, _)
            | Type::Window(t, ..)
            | Type::Pool(t, _) => self.has_message(t),
            Type::Map(_, t, _) => self.has_message(t),
            Type::Tuple(types) => types.iter().any(|t| self.has_message(t)),
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().any(|f| self.has_message(&f.ty)),
            _ => false,
        }
    }

    /// Whether a condition compares a number that was drawn.
    fn by_chance(&self, condition: &Expr) -> bool {
        let ExprKind::Binary(_, a, b) = &condition.kind else { return false };
        [a, b].iter().any(|e| matches!(&e.kind, ExprKind::Local(local) if self.drawn.contains(local)))
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            // `let` of a time decides nothing but times.
            Statement::Let(local, e) if !is_time(&self.locals[local.index()].ty) => self.expr(e),
            Statement::Store(place, e) if !is_time(&place.ty) => self.expr(e),
            Statement::Random { into, .. } => self.drawn.push(*into),
            Statement::If { condition, then, otherwise, .. } => {
                if !self.by_chance(condition) {
                    self.expr(condition);
                    if self.done.is_none() && self.here("branch") {
                        std::mem::swap(then, otherwise);
                    }
                }
                self.block(then);
                self.block(otherwise);
            }
            Statement::Loop { body, .. } => self.block(body),
            Statement::For { from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.block(body);
            }
            Statement::Each { walk, body, .. } => {
                walk.from.iter_mut().chain(&mut walk.to).for_each(|e| self.expr(e));
                self.block(body);
            }
            Statement::Return(Some(e)) => self.expr(e),
            Statement::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Value(e) = argument {
                        self.expr(e);
                    }
                }
            }
            Statement::Operate(o) => o.arguments.iter_mut().for_each(|e| self.expr(e)),
            Statement::Emit(emit) => emit.arguments.iter_mut().for_each(|e| self.expr(e)),
            Statement::Fit { value, .. } => self.expr(value),
            _ => {}
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        if self.done.is_some() {
            return;
        }
        let ty = e.ty.clone();
        match &mut e.kind {
            ExprKind::Const(n) => {
                let next = match &ty {
                    Type::Bool => Some(*n ^ 1),
                    Type::Enum(id) => {
                        let count = self.stack.enums[id.index()].variants.len() as u64;
                        (count > 1).then(|| (*n + 1) % count)
                    }
                    Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => {
                        Some(n.wrapping_add(1) & mask(u32::from(*bits)))
                    }
                    Type::Range(low, high) => (high - low > 1).then(|| if *n + 1 < *high { *n + 1 } else { *low }),
                    _ => None,
                };
                if let Some(next) = next {
                    if self.here("constant") {
                        *n = next;
                    }
                }
            }
            ExprKind::Binary(op, a, b) => {
                use BinaryOp::*;
                let other = match op {
                    Less => Some((LessEqual, "comparison")),
                    LessEqual => Some((Less, "comparison")),
                    Equal => Some((NotEqual, "comparison")),
                    NotEqual => Some((Equal, "comparison")),
                    Add if !is_time(&ty) => Some((Sub, "arithmetic")),
                    Sub if !is_time(&ty) => Some((Add, "arithmetic")),
                    _ => None,
                };
                let times = is_time(&a.ty);
                if let Some((other, operator)) = other.filter(|_| !times) {
                    if self.here(operator) {
                        *op = other;
                        return;
                    }
                }
                if !times {
                    self.expr(a);
                    self.expr(b);
                }
            }
            ExprKind::Push(message, header, fields) => {
                let (mine, same) = (*header, |a: &Header, b: &Header| {
                    a.layer == b.layer
                        && a.fields.len() == b.fields.len()
                        && a.fields.iter().zip(&b.fields).all(|(a, b)| a.ty == b.ty)
                });
                let others: Vec<usize> = (0..self.stack.headers.len())
                    .filter(|at| *at != mine.index() && same(&self.stack.headers[*at], self.stack.header(mine)))
                    .collect();
                for other in others {
                    if self.here("variant") {
                        *header = HeaderId(other as u32);
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
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                parts.iter_mut().for_each(|e| self.expr(e))
            }
            ExprKind::Query(_, _, parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            _ => {}
        }
    }
}

fn is_time(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::Instant)
}
