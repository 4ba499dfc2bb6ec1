//! Decides whether a received header field only feeds the state (gossip), or decides the fate of its message.

use std::collections::{BTreeMap, BTreeSet};

use nacre_analysis::control::{self, Dependent};
use nacre_stack::visit::{Node, Parts, Traverse};
use nacre_stack::*;

use crate::spots::{Spot, SpotRoot};

/// Whether no handler that receives the header lets this field decide the message's fate, and each uses it.
pub(crate) fn is_gossip(stack: &Stack, header: HeaderId, field: usize) -> bool {
    let arms = stack.layers.iter().flat_map(|l| &l.reactions).flat_map(|r| r.arms.iter().map(move |a| (r.event, a)));
    let receivers: Vec<(EventId, HandlerId)> =
        arms.filter(|(_, a)| a.guard.header == Some(header)).map(|(e, a)| (e, a.handler)).collect();
    !receivers.is_empty()
        && receivers.iter().all(|(event, handler)| only_feeds_state(stack, *event, stack.handler(*handler), field))
}

fn only_feeds_state(stack: &Stack, event: EventId, handler: &Handler, field: usize) -> bool {
    let Some(message) = stack.event(event).message.map(|m| handler.parameters[m as usize]) else { return false };
    let mut taint = Taint::new(stack);
    taint.marked.insert(Spot { root: SpotRoot::Local(0, handler.fields[field]), path: vec![] });
    taint.messages.insert(Spot { root: SpotRoot::Local(0, message), path: vec![] });
    loop {
        let known = (taint.marked.len(), taint.messages.len());
        taint.calls = 0;
        control::body(&mut taint, &handler.body, false);
        if taint.decides || known == (taint.marked.len(), taint.messages.len()) {
            return !taint.decides && taint.goes_on;
        }
    }
}

/// The places that depend on the field, and those that hold the message.
struct Taint<'a> {
    stack: &'a Stack,
    marked: BTreeSet<Spot>,
    messages: BTreeSet<Spot>,
    /// The places that the `ref` parameters of calls name.
    references: BTreeMap<(u32, LocalId), Spot>,
    /// The call being followed (0: the handler itself), and the number of calls so far.
    call: u32,
    calls: u32,
    /// Whether the field decides the message's fate.
    decides: bool,
    /// Whether the message is emitted or stored.
    goes_on: bool,
}

impl Dependent for Taint<'_> {
    fn decides(&mut self, statement: &Statement) -> bool {
        self.reads_marked(statement)
    }

    fn statement(&mut self, statement: &Statement, under: bool) {
        let marked = under || self.reads_marked(statement);
        match &statement.kind {
            StatementKind::If { .. } => {}
            StatementKind::Loop { .. } | StatementKind::For { .. } | StatementKind::Each { .. } => {
                if marked {
                    statement.sets().into_iter().for_each(|l| self.mark(self.call, l));
                }
            }
            StatementKind::Call { into, function, arguments } => self.call(*into, *function, arguments, under),
            _ => {
                let carries = statement.parts().operands.iter().any(|e| self.carries(self.call, e));
                self.decides |= marked && carries;
                self.effects(self.call, statement, marked, carries);
            }
        }
    }
}

impl<'a> Taint<'a> {
    fn new(stack: &'a Stack) -> Self {
        Taint {
            stack,
            marked: BTreeSet::new(),
            messages: BTreeSet::new(),
            references: BTreeMap::new(),
            call: 0,
            calls: 0,
            decides: false,
            goes_on: false,
        }
    }

    /// Whether a statement itself reads a value that depends on the field.
    fn reads_marked(&self, statement: &Statement) -> bool {
        let Parts { operands, places, .. } = statement.parts();
        operands.iter().any(|e| self.is_marked(self.call, e))
            || places.iter().any(|p| self.place_is_marked(self.call, p))
    }

    fn effects(&mut self, call: u32, statement: &Statement, marked: bool, carries: bool) {
        self.goes_on |= carries && matches!(statement.kind, StatementKind::Emit(_));
        let (into, out_of) = moves(&statement.kind);
        if let Some(place) = into {
            self.stored(call, place, marked, carries);
        }
        let holds = carries || out_of.is_some_and(|p| self.touches(&self.messages, &self.spot(call, p)));
        for local in statement.sets() {
            let spot = self.local(call, local);
            if marked {
                self.marked.insert(spot.clone());
            }
            if holds {
                self.messages.insert(spot);
            }
        }
    }

    fn stored(&mut self, call: u32, place: &Place, marked: bool, carries: bool) {
        let spot = self.spot(call, place);
        self.goes_on |= carries;
        if marked {
            self.marked.insert(spot.clone());
        }
        if carries {
            self.messages.insert(spot);
        }
    }

    fn call(&mut self, into: Option<LocalId>, function: FunctionId, arguments: &[Argument], under: bool) {
        let call = self.call;
        let callee = self.stack.function(function);
        self.calls += 1;
        let inner = self.calls;
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            let spot = Spot { root: SpotRoot::Local(inner, *parameter), path: vec![] };
            match argument {
                Argument::Value(e) => {
                    if under || self.is_marked(call, e) {
                        self.marked.insert(spot.clone());
                    }
                    if self.carries(call, e) {
                        self.decides |= under;
                        self.messages.insert(spot);
                    }
                }
                Argument::Reference(place) => {
                    let place = self.spot(call, place);
                    self.references.insert((inner, *parameter), place);
                }
            }
        }
        self.call = inner;
        let after = under | control::body(self, &callee.body, under);
        self.call = call;
        if let Some(into) = into {
            let spot = self.local(call, into);
            let mut returns = (after, false);
            callee.body.each_statement(|s| {
                if let StatementKind::Return(Some(e)) = &s.kind {
                    returns.0 |= self.is_marked(inner, e);
                    returns.1 |= self.carries(inner, e);
                }
            });
            if returns.0 {
                self.marked.insert(spot.clone());
            }
            if returns.1 {
                self.messages.insert(spot);
            }
        }
    }

    fn local(&self, call: u32, local: LocalId) -> Spot {
        let own = || Spot { root: SpotRoot::Local(call, local), path: vec![] };
        self.references.get(&(call, local)).cloned().unwrap_or_else(own)
    }

    fn mark(&mut self, call: u32, local: LocalId) {
        let spot = self.local(call, local);
        self.marked.insert(spot);
    }

    fn spot(&self, call: u32, place: &Place) -> Spot {
        let mut spot = match place.root {
            Root::Cell(cell) => Spot { root: SpotRoot::Cell(cell), path: vec![] },
            Root::Local(local) => self.local(call, local),
        };
        spot.path.extend(place.path.iter().filter_map(|s| if let Step::Field(n) = s { Some(*n) } else { None }));
        spot
    }

    fn touches(&self, set: &BTreeSet<Spot>, spot: &Spot) -> bool {
        set.iter().any(|s| s.root == spot.root && (s.path.starts_with(&spot.path) || spot.path.starts_with(&s.path)))
    }

    fn is_marked(&self, call: u32, expr: &Expr) -> bool {
        expr.any(|node| match (node, node.root()) {
            (Node::Place(place), _) => self.touches(&self.marked, &self.spot(call, place)),
            (_, Some(Root::Local(local))) => self.touches(&self.marked, &self.local(call, local)),
            (_, Some(Root::Cell(_)) | None) => false,
        })
    }

    fn place_is_marked(&self, call: u32, place: &Place) -> bool {
        self.touches(&self.marked, &self.spot(call, place))
            || place.operands().into_iter().any(|e| self.is_marked(call, e))
    }

    /// A result of a container does not carry its messages.
    fn carries(&self, call: u32, expr: &Expr) -> bool {
        expr.any_expr(|e| match &e.kind {
            ExprKind::Borrow(place) => self.touches(&self.messages, &self.spot(call, place)),
            _ => matches!(e.access(), Access::Local(local) if self.touches(&self.messages, &self.local(call, local))),
        })
    }
}

/// The place that a statement moves its operands into, and the one that it moves to what it sets.
fn moves(kind: &StatementKind) -> (Option<&Place>, Option<&Place>) {
    use StatementKind::*;
    match kind {
        Store(place, _) => (Some(place), None),
        Operate(o) => (Some(&o.place), Some(&o.place)),
        Take { place, .. } | Join { parts: place, .. } => (None, Some(place)),
        Let(..)
        | If { .. }
        | Loop { .. }
        | For { .. }
        | Each { .. }
        | Break
        | Return(_)
        | Call { .. }
        | CallExtern { .. }
        | Emit(_)
        | Drop(_)
        | Arm { .. }
        | Cancel(_)
        | Count(..)
        | Assert(..)
        | Impossible
        | Unreachable
        | Fit { .. }
        | Random { .. }
        | Filter { .. }
        | Yield(_)
        | Reject
        | Unpack { .. } => (None, None),
    }
}
