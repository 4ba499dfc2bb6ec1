//! The sites where a handler emits: which of them can follow each other in one run, and after which the layer's state
//! is still used.

use std::collections::{BTreeSet, HashMap};

use nacre_analysis::flow::{self, Backward, Forward};
use nacre_stack::visit::{walk_statement, Reference, Visitor};
use nacre_stack::*;

/// Index into [`Sites::all`].
pub type SiteId = usize;

/// One `emit` in the text of a handler or function.
pub struct Site {
    pub layer: LayerId,
    pub target: Target,
    pub event: EventId,
    pub later: bool,
    pub likely: bool,
    /// A message made by this layer without data; none above can have put a header on it.
    pub empty: bool,
    /// Cells of the layer may be read or written after it, in the same run of a handler.
    pub touched_after: bool,
    pub span: Span,
}

/// The behaviour of a handler with respect to order.
#[derive(Default)]
pub struct Course {
    /// In textual order; those of functions at their calls.
    pub sites: Vec<SiteId>,
    /// (a, b): b can be reached after a. In a loop a site follows itself.
    pub follows: BTreeSet<(SiteId, SiteId)>,
}

/// The emission sites of all handlers, and the orders in which a run can pass them.
pub struct Sites {
    pub all: Vec<Site>,
    pub courses: Vec<Course>,
    /// The statements that are sites: those that a handler reaches.
    pub statements: HashMap<NodeId, SiteId>,
}

/// Finds all sites of a stack, whose nodes are numbered.
pub fn find(stack: &Stack) -> Sites {
    let mut finder = Finder::new(stack);
    let mut courses = vec![];
    for handler in &stack.handlers {
        finder.layer = handler.layer;
        flow::forward(&mut finder, &handler.body, BTreeSet::new());
        courses.push(std::mem::take(&mut finder.course));
        flow::backward(&mut StillToTouch { sites: &mut finder, depth: 0 }, &handler.body, false);
    }
    Sites { all: finder.all, courses, statements: finder.known }
}

struct Finder<'s> {
    stack: &'s Stack,
    all: Vec<Site>,
    known: HashMap<NodeId, SiteId>,
    course: Course,
    /// The layer of the handler.
    layer: LayerId,
    /// The number of enclosing unlikely branches and calls, and the number of enclosing calls.
    unlikely: usize,
    depth: usize,
}

/// The facts: the sites that may have been executed in the same run of a handler.
impl Forward for Finder<'_> {
    type State = BTreeSet<SiteId>;

    fn statement(&mut self, statement: &Statement, passed: &mut BTreeSet<SiteId>) {
        match statement.reaches() {
            Reaches::Event(emit) => {
                let site = self.site(statement, emit);
                self.course.follows.extend(passed.iter().map(|before| (*before, site)));
                passed.insert(site);
            }
            // Functions do not call themselves; a stack in which they did would not be valid.
            Reaches::Function(function) if self.depth <= self.stack.functions.len() => {
                self.depth += 1;
                let ends = flow::forward(self, &self.stack.function(function).body, std::mem::take(passed));
                self.depth -= 1;
                // Its results are assigned to places of this handler.
                *passed = ends.all().unwrap_or_default();
            }
            Reaches::Function(_) | Reaches::Nothing => {}
        }
    }

    fn enter(&mut self, of: &Statement, then: bool) {
        self.unlikely += usize::from(is_unlikely(of, then));
    }

    fn leave(&mut self, of: &Statement, then: bool) {
        self.unlikely -= usize::from(is_unlikely(of, then));
    }
}

/// Whether the layer's state may still be read in the same run of a handler. Goes over a handler whose sites are
/// found.
struct StillToTouch<'a, 's> {
    sites: &'a mut Finder<'s>,
    /// How many calls there are around.
    depth: usize,
}

impl Backward for StillToTouch<'_, '_> {
    type State = bool;

    fn statement(&mut self, statement: &Statement, touched: &mut bool) {
        match statement.reaches() {
            Reaches::Event(_) => {
                if let Some(site) = self.sites.known.get(&statement.id) {
                    self.sites.all[*site].touched_after |= *touched;
                }
            }
            Reaches::Function(function) if self.depth <= self.sites.stack.functions.len() => {
                self.depth += 1;
                let stack = self.sites.stack;
                *touched = flow::backward(self, &stack.function(function).body, *touched);
                self.depth -= 1;
            }
            Reaches::Function(_) | Reaches::Nothing => {}
        }
        *touched |= touches(statement);
    }
}

/// Whether a branch is marked as unlikely.
pub(crate) fn is_unlikely(of: &Statement, then: bool) -> bool {
    matches!(of.kind, StatementKind::If { likely: Some(likely), .. } if likely != then)
}

impl<'s> Finder<'s> {
    fn new(stack: &'s Stack) -> Finder<'s> {
        let course = Course::default();
        Finder { stack, all: vec![], known: HashMap::new(), course, layer: LayerId(0), unlikely: 0, depth: 0 }
    }

    fn site(&mut self, statement: &Statement, emit: &Emit) -> SiteId {
        let likely = self.unlikely == 0 && emit.likely != Some(false);
        let id = *self.known.entry(statement.id).or_insert_with(|| {
            self.all.push(Site {
                layer: self.layer,
                target: self.stack.target(emit),
                event: emit.event,
                later: emit.later,
                likely: false,
                empty: emit.arguments.iter().any(|a| a.ty == Type::Msg && is_empty(a)),
                touched_after: false,
                span: statement.span,
            });
            self.all.len() - 1
        });
        self.all[id].likely |= likely;
        if !self.course.sites.contains(&id) {
            self.course.sites.push(id);
        }
        id
    }
}

fn is_empty(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Empty => true,
        ExprKind::Push(inner, _, _) => is_empty(inner),
        _ => false,
    }
}

/// Whether a statement itself, without its blocks, reads or writes a cell or a local that may name one.
fn touches(statement: &Statement) -> bool {
    let mut touches = Touches(matches!(statement.kind, StatementKind::Random { .. }));
    walk_statement(&mut touches, statement);
    touches.0
}

struct Touches(bool);

impl<'a> Visitor<'a> for Touches {
    fn block(&mut self, _: &'a [Statement]) {}

    fn place(&mut self, _: &'a Place) {
        self.0 = true;
    }

    fn refer(&mut self, to: Reference) {
        self.0 |= matches!(to, Reference::Filter(_));
    }
}

#[cfg(test)]
mod tests {
    use nacre_stack::samples::build::*;
    use nacre_stack::*;

    /// After which emissions of a handler, in the order of the text, the state is still read. The handler's code
    /// is made of `emit`, `touch` (sets a cell) and a call of a function that touches.
    fn touched_after(body: impl Fn(Statement, Statement, Statement) -> Block) -> Vec<bool> {
        let mut builder = Builder::new("test", "test");
        let layer = builder.layer("layer");
        let event = builder.event("go", Direction::Up, &[]);
        let cell = builder.cell(layer, "cell", Scope::Session, Type::Bool, None);
        let touch = || store(&cell, zero(Type::Bool));
        let function = builder.function(layer, "touch", 0, None, |_| vec![touch()]);
        let call = StatementKind::Call { into: None, function, arguments: vec![] };
        let code = body(emit(LinkId(1), event, vec![]), touch(), call.into());
        builder.handler(layer, event, None, |_, _| code);
        super::find(&builder.finish()).all.iter().map(|site| site.touched_after).collect()
    }

    fn looped(body: Block) -> Statement {
        StatementKind::Loop { bound: 2, body }.into()
    }

    #[test]
    fn state_is_checked_after_an_emission() {
        let either = || zero(Type::Bool);
        assert_eq!(touched_after(|emit, touch, _| vec![touch, emit]), [false]);
        assert_eq!(touched_after(|emit, touch, _| vec![emit.clone(), touch, emit]), [true, false]);
        assert_eq!(touched_after(|emit, _, call| vec![emit, call]), [true]);
        let exit = || StatementKind::Return(None).into();
        assert_eq!(touched_after(|emit, touch, _| vec![when(either(), vec![emit, exit()], vec![]), touch]), [false]);
        assert_eq!(touched_after(|emit, touch, _| vec![when(either(), vec![], vec![emit]), touch]), [true]);
    }

    #[test]
    fn state_is_read_in_the_next_iteration() {
        assert_eq!(touched_after(|emit, touch, _| vec![looped(vec![touch, emit])]), [true]);
        let exit = || StatementKind::Break.into();
        assert_eq!(touched_after(|emit, touch, _| vec![looped(vec![touch, emit, exit()])]), [false]);
    }
}
