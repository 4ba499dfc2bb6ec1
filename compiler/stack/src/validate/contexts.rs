//! Contexts own the cells that they name, events change only state, and derived data depends on other cells alone.

use super::problems::Problems;
use crate::visit::{walk_expr, walk_place, walk_stack, Node, Traverse, Visitor};
use crate::*;

/// Checks contexts, the events that change their cells, the roles of cells, and derived cells.
pub fn check(stack: &Stack, p: &mut Problems) {
    for (at, context) in stack.contexts.iter().enumerate() {
        p.at(format!("context {}", context.name));
        self::context(stack, context, p);
        let others = stack.contexts[..at].iter().flat_map(Context::cells);
        let twice = others.collect::<Vec<_>>();
        p.unless(!context.cells().any(|cell| twice.contains(&cell)), || "it owns a cell of another context".into());
    }
    if !p.found.is_empty() {
        return;
    }
    for (index, port) in stack.ports.iter().enumerate() {
        for input in &port.inputs {
            changes(stack, PortId(index as u32), stack.event(input.event), p);
        }
    }
    for (cell, id) in stack.cells.iter().zip((0..).map(CellId)) {
        p.at(format!("cell {}", cell.name));
        let owned = stack.contexts.iter().any(|context| context.cells().any(|own| own == id));
        let state = cell.scope == Scope::Session && matches!(cell.role, Some(GivenRole::Peer | GivenRole::Room));
        let may = cell.role.is_none() || cell.scope == Scope::Given || (state && owned && stack.copies(id) == 1);
        let fits = cell.role.is_none_or(|role| role.fits(&cell.ty, cell.secret));
        p.unless(fits, || "its role is of other values".into());
        p.unless(may, || "the host sets it, but it is not given, and no context owns it as state".into());
        let fixed = cell.scope != Scope::Given || cell.initial.as_ref().is_none_or(is_fixed);
        p.unless(fixed, || "its default depends on the clock or on a cell".into());
        derived(stack, id, cell, p);
    }
    expansion(stack, p);
    let mut reads = Reads { stack, problems: p };
    walk_stack(&mut reads, stack);
}

fn context(stack: &Stack, context: &Context, p: &mut Problems) {
    let known = |id: &CellId| id.index() < stack.cells.len();
    if !context.cells().all(|id| known(&id)) || context.port.index() >= stack.ports.len() {
        return p.add("it names a cell or a port that there is not");
    }
    p.unless(stack.is_lower(context.port), || "frames do not arrive at its port".into());
    let roles = [
        (context.cookie, GivenRole::Cookie, "cookie"),
        (context.peer, GivenRole::Peer, "peer"),
        (context.room, GivenRole::Room, "room"),
    ];
    for (cell, role, name) in roles {
        let fits = cell.is_none_or(|id| stack.cell(id).role == Some(role));
        p.unless(fits, || format!("its {name} is a cell of another role"));
    }
    let peer = context.peer.is_none_or(|id| stack.cell(id).ty == Type::Addr);
    let room = context.room.is_none_or(|id| stack.cell(id).ty == Type::UInt(32));
    p.unless(peer && room, || "its peer is no address, or its room no number of 32 bits".into());
    let predictions = context.predictions.iter().all(|id| stack.cell(*id).scope == Scope::Derived);
    p.unless(predictions, || "a prediction is not derived".into());
    let views = context.kind == ContextKind::Connection || stack.has_views();
    p.unless(views, || "a view, but nothing outlives one".into());
}

/// An event that changes a context says what, and there is state to change. A port without contexts has one connection,
/// and no layer need keep how much room there is.
fn changes(stack: &Stack, port: PortId, event: &Event, p: &mut Problems) {
    let (ty, owned): (Type, fn(&Context) -> Option<CellId>) = match event.role {
        EventRole::Moved => (Type::Addr, |context| context.peer),
        EventRole::Room => (Type::UInt(32), |context| context.room),
        EventRole::Plain | EventRole::Opening | EventRole::Sending | EventRole::Delivery => return,
    };
    p.at(format!("event {}", event.name));
    let types = event.parameters.iter().map(|parameter| &parameter.ty).collect::<Vec<_>>();
    p.unless(types == [&ty] && event.direction == Direction::Up, || format!("it does not bring up one {ty:?}"));
    let mut contexts = stack.contexts.iter().filter(|context| context.port == port).peekable();
    let kept_by_layers = event.role == EventRole::Room && contexts.peek().is_none();
    let mut cells = contexts.filter_map(owned).map(|id| stack.cell(id));
    let state = cells.any(|cell| cell.scope == Scope::Session);
    p.unless(state || kept_by_layers, || "no context at its port has state that it could change".into());
}

/// Whether an expression has the same value in all connections.
fn is_fixed(initial: &Expr) -> bool {
    !initial.any(|node| match node {
        Node::Expr(expr) => expr.kind == ExprKind::Now,
        Node::Place(place) => matches!(place.root, Root::Cell(_)),
        Node::Statement(_) | Node::Set(_) => false,
    })
}

fn derived(stack: &Stack, id: CellId, cell: &Cell, p: &mut Problems) {
    if cell.scope != Scope::Derived {
        return;
    }
    let Some(value) = &cell.initial else { return p.add("nothing says what it is derived from") };
    p.unless(stack.capabilities(&cell.ty).copied && !stack.has_message(&cell.ty), || "it cannot be copied".into());
    let mut inputs = Inputs { stack, id, fit: true };
    inputs.expr(value);
    p.unless(inputs.fit, || "it is derived from the clock, or from a cell that does not stand before it".into());
}

/// The most expressions of a derived value after expansion.
const MOST_DERIVED: usize = 4096;

/// Derived values that are derived from each other must not double with every cell.
fn expansion(stack: &Stack, p: &mut Problems) {
    let mut sizes: Vec<usize> = vec![];
    for cell in &stack.cells {
        let mut size = Size { sizes: &sizes, total: 0 };
        match &cell.initial {
            Some(value) if cell.scope == Scope::Derived => size.expr(value),
            _ => {}
        }
        let total = size.total;
        p.at(format!("cell {}", cell.name));
        p.unless(total <= MOST_DERIVED, || format!("it is derived by more than {MOST_DERIVED} expressions"));
        sizes.push(total);
    }
}

/// Counts expressions; a load of a derived cell counts its expression, too.
struct Size<'s> {
    sizes: &'s [usize],
    total: usize,
}

impl<'a> Visitor<'a> for Size<'_> {
    fn place(&mut self, place: &'a Place) {
        if let Root::Cell(cell) = place.root {
            self.total = self.total.saturating_add(self.sizes.get(cell.index()).copied().unwrap_or(0));
        }
        walk_place(self, place);
    }

    fn expr(&mut self, expr: &'a Expr) {
        self.total = self.total.saturating_add(1);
        walk_expr(self, expr);
    }
}

/// Whether a derived value depends only on earlier cells.
struct Inputs<'a> {
    stack: &'a Stack,
    id: CellId,
    fit: bool,
}

impl<'a> Visitor<'a> for Inputs<'a> {
    fn place(&mut self, place: &'a Place) {
        if let Root::Cell(cell) = place.root {
            self.fit &= cell < self.id && self.stack.copies(cell) == 1;
        }
        walk_place(self, place);
    }

    fn expr(&mut self, expr: &'a Expr) {
        self.fit &= expr.kind != ExprKind::Now;
        walk_expr(self, expr);
    }
}

/// Derived cells are read as a whole or in part, and nothing else is done with them.
struct Reads<'a, 'p> {
    stack: &'a Stack,
    problems: &'p mut Problems,
}

impl<'a> Visitor<'a> for Reads<'a, '_> {
    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Load(place) if self.is_derived(place) => {
                let fixed = place.path.iter().all(|step| matches!(step, Step::Field(_)));
                self.problems.unless(fixed, || "an element of derived data is read".into());
            }
            _ => walk_expr(self, expr),
        }
    }

    fn place(&mut self, place: &'a Place) {
        let name = |root| match root {
            Root::Cell(id) => self.stack.cells[id.index()].name.clone(),
            Root::Local(_) => String::new(),
        };
        if self.is_derived(place) {
            self.problems.at(format!("cell {}", name(place.root)));
            self.problems.add("derived data is changed, or used other than by reading it");
        }
        walk_place(self, place);
    }
}

impl Reads<'_, '_> {
    fn is_derived(&self, place: &Place) -> bool {
        let Root::Cell(id) = place.root else { return false };
        self.stack.cells.get(id.index()).is_some_and(|cell| cell.scope == Scope::Derived)
    }
}
