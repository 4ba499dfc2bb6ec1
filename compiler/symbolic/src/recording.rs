//! What a recorded run notes.

use std::collections::BTreeMap;

use nacre_stack::visit::{rewrite_expr, rewrite_place, rewrite_statement, Node, Rewriter, Traverse};
use nacre_stack::*;

use crate::execute::Run;
use crate::record::Record;
use crate::state::Frame;
use crate::terms::Term;
use crate::values::Value;

impl Run<'_> {
    fn renaming(&mut self) -> Option<Renaming<'_>> {
        let home = Target::Layer(self.layer);
        Some(Renaming { record: self.record.as_mut()?, frame: self.frames.last_mut()?, home })
    }

    /// Records a statement that runs, if it is no branch and no call.
    pub(crate) fn note(&mut self, statement: &Statement) {
        let Some(mut renaming) = self.renaming() else { return };
        match &statement.kind {
            StatementKind::If { .. }
            | StatementKind::Loop { .. }
            | StatementKind::For { .. }
            | StatementKind::Each { .. }
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::Call { .. }
            | StatementKind::Emit(_)
            | StatementKind::Impossible
            | StatementKind::Unreachable => {}
            StatementKind::Random { .. } => renaming.record.refuse("a random number"),
            StatementKind::Let(local, Expr { kind: ExprKind::Local(from), .. }) => {
                let into = renaming.local(*local);
                renaming.hand_over(into, *from, statement.span);
            }
            StatementKind::Drop(Expr { kind: ExprKind::Local(local), ty, .. }) => {
                let dropped = Expr::new(ExprKind::Local(renaming.local(*local)), ty.clone(), statement.span);
                renaming.record.add(StatementKind::Drop(dropped), statement.span);
            }
            kind => {
                let mut copy = Statement { kind: kind.clone(), ..statement.clone() };
                rewrite_statement(&mut renaming, &mut copy);
                renaming.record.add(copy.kind, statement.span);
            }
        }
    }

    /// Notes what a term is, where it is calculated from what is given alone.
    pub(crate) fn note_calculated(&mut self, term: Term, expr: &Expr) {
        let Some(mut renaming) = self.renaming() else { return };
        let mut expr = expr.clone();
        renaming.expr(&mut expr);
        let given = &renaming.record.given;
        let mut known = true;
        expr.each(|node| {
            let of_cell = matches!(node, Node::Place(Place { root: Root::Cell(_), .. }));
            known &= !of_cell && node.local().is_none_or(|local| given.contains_key(&local));
        });
        if known {
            rewrite_expr(&mut Given(given), &mut expr);
            renaming.record.calculated.insert(term, expr);
        }
    }

    /// Records the arguments of an event on its way; returns their locals.
    pub(crate) fn note_emission(&mut self, emit: &Emit, span: Span) -> Vec<LocalId> {
        let stack = self.stack;
        let (event, home) = (stack.event(emit.event), stack.target(emit));
        let Some(mut renaming) = self.renaming() else { return vec![] };
        if emit.later {
            let mut arguments = emit.arguments.clone();
            arguments.iter_mut().for_each(|argument| renaming.expr(argument));
            renaming.record.add(StatementKind::Emit(Emit { arguments, call: false, ..emit.clone() }), span);
            return vec![];
        }
        let parameters = event.parameters.iter().zip(&emit.arguments);
        let given = parameters.map(|(parameter, argument)| {
            let local = renaming.given(&parameter.name, &parameter.ty, home, argument);
            // A layer that an event reaches from below finds its header on the message.
            let finds = event.direction == Direction::Up && matches!(home, Target::Layer(_));
            if finds && parameter.ty == Type::Msg && !renaming.record.is_worn(local) {
                renaming.record.homes[local.index()] = renaming.home;
            }
            local
        });
        given.collect()
    }

    /// Notes what a statement has made.
    pub(crate) fn note_made(&mut self, into: LocalId, value: &Value) {
        let Some(mut renaming) = self.renaming() else { return };
        let into = renaming.local(into);
        renaming.record.note_made(into, value.clone());
    }

    /// Records the arguments of a function: the frame's parameters get locals. `into`: where the caller wants the
    /// result.
    pub(crate) fn note_call(
        &mut self,
        function: &Function,
        arguments: &[Argument],
        into: Option<LocalId>,
        frame: &mut Frame,
    ) {
        let Some(mut renaming) = self.renaming() else { return };
        let home = renaming.home;
        for (local, argument) in function.parameters.iter().zip(arguments) {
            let Argument::Value(value) = argument else { continue };
            let declared = &function.locals[local.index()];
            frame.recorded[local.index()] = Some(renaming.given(&declared.name, &declared.ty, home, value));
        }
        let into = into.map(|into| renaming.local(into));
        renaming.record.results.push(into);
    }

    /// Records the end of a function; `falls`: it has ended without `return`.
    pub(crate) fn note_end(&mut self, falls: bool) {
        let Some(record) = &mut self.record else { return };
        if let (Some(Some(into)), true) = (record.results.pop(), falls) {
            let zero = Expr::new(ExprKind::Zero, record.locals[into.index()].ty.clone(), Span::default());
            record.add(StatementKind::Let(into, zero), Span::default());
        }
    }

    /// Records a result.
    pub(crate) fn note_return(&mut self, value: &Expr) {
        let Some(mut renaming) = self.renaming() else { return };
        let Some(Some(into)) = renaming.record.results.last().copied() else { return };
        match value.kind {
            ExprKind::Local(from) => renaming.hand_over(into, from, value.span),
            _ => {
                let mut value = value.clone();
                renaming.expr(&mut value);
                renaming.set_worn(into, None);
                renaming.record.add(StatementKind::Let(into, value.clone()), value.span);
            }
        }
    }
}

/// Puts the locals of the record in the place of those of a body.
struct Renaming<'r> {
    record: &'r mut Record,
    frame: &'r mut Frame,
    home: Target,
}

impl Renaming<'_> {
    fn local(&mut self, local: LocalId) -> LocalId {
        if let Some(known) = self.frame.recorded[local.index()] {
            return known;
        }
        let (name, ty) = (self.frame.names[local.index()].clone(), self.frame.types[local.index()].clone());
        let new = self.record.local(&name, &ty, self.home);
        self.frame.recorded[local.index()] = Some(new);
        new
    }

    /// A new local with the value of an argument.
    fn given(&mut self, name: &str, ty: &Type, home: Target, argument: &Expr) -> LocalId {
        let new = self.record.local(name, ty, home);
        match argument.kind {
            ExprKind::Local(from) => self.hand_over(new, from, argument.span),
            _ => {
                let mut value = argument.clone();
                self.expr(&mut value);
                self.record.add(StatementKind::Let(new, value), argument.span);
            }
        }
        new
    }

    /// Moves a local into another one; a message of the frame stays one.
    fn hand_over(&mut self, into: LocalId, from: LocalId, span: Span) {
        let from = self.local(from);
        let (worn, given) = (self.record.worn.get(&from).cloned(), self.record.given.get(&from).copied());
        self.set_worn(into, worn);
        match given {
            Some(given) => self.record.given.insert(into, given),
            None => self.record.given.remove(&into),
        };
        let ty = self.record.locals[from.index()].ty.clone();
        self.record.add(StatementKind::Let(into, Expr::new(ExprKind::Local(from), ty, span)), span);
    }

    fn set_worn(&mut self, local: LocalId, worn: Option<Vec<HeaderId>>) {
        match worn {
            Some(headers) => self.record.worn.insert(local, headers),
            None => self.record.worn.remove(&local),
        };
    }

    /// The local of an operand that is only looked at.
    fn looked_at(&mut self, operand: &mut Expr) {
        match &mut operand.kind {
            ExprKind::Local(local) => *local = self.local(*local),
            _ => self.expr(operand),
        }
    }

    /// The message of the frame that an operand is, as a whole.
    fn message_of(&mut self, operand: &Expr) -> Option<LocalId> {
        let local = match &operand.kind {
            ExprKind::Local(local) => *local,
            ExprKind::Borrow(place) if place.path.is_empty() => match place.root {
                Root::Local(local) => local,
                Root::Cell(_) => return None,
            },
            _ => return None,
        };
        let local = self.local(local);
        self.record.worn.contains_key(&local).then_some(local)
    }
}

impl Rewriter for Renaming<'_> {
    fn place(&mut self, place: &mut Place) {
        if let Root::Local(local) = &mut place.root {
            *local = self.local(*local);
        }
        rewrite_place(self, place);
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Local(local) => {
                let local = self.local(*local);
                *expr = self.record.dressed(local, Expr { kind: ExprKind::Local(local), ..expr.clone() });
            }
            ExprKind::Share(operand) => {
                let message = self.message_of(operand);
                self.looked_at(operand);
                if let Some(message) = message {
                    *expr = self.record.dressed(message, expr.clone());
                }
            }
            ExprKind::PackView(_, operand) => {
                let message = self.message_of(operand);
                self.looked_at(operand);
                if let Some(message) = message {
                    let shared = ExprKind::Share(operand.clone());
                    **operand = self.record.dressed(message, Expr::new(shared, Type::Msg, operand.span));
                }
            }
            ExprKind::Length(operand) | ExprKind::Head(operand, _) | ExprKind::View(operand) => self.looked_at(operand),
            ExprKind::Slice(operand, at, length) => {
                self.looked_at(operand);
                self.expr(at);
                self.expr(length);
            }
            _ => rewrite_expr(self, expr),
        }
    }

    fn set(&mut self, local: &mut LocalId) {
        *local = self.local(*local);
        self.record.worn.remove(local);
        self.record.given.remove(local);
    }
}

/// Puts what is given in the place of the locals into which it was moved.
struct Given<'r>(&'r BTreeMap<LocalId, LocalId>);

impl Given<'_> {
    fn local(&self, local: &mut LocalId) {
        if let Some(given) = self.0.get(local) {
            *local = *given;
        }
    }
}

impl Rewriter for Given<'_> {
    fn place(&mut self, place: &mut Place) {
        if let Root::Local(local) = &mut place.root {
            self.local(local);
        }
        rewrite_place(self, place);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Local(local) = &mut expr.kind {
            self.local(local);
        }
        rewrite_expr(self, expr);
    }
}
