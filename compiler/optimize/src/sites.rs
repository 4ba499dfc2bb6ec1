//! The places where a handler emits: which of them can follow one another in one run, and after which the layer's state
//! is still looked at.

use std::collections::{BTreeSet, HashMap, HashSet};

use nacre_stack::visit::Node;
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
}

/// What a handler does, as far as order is concerned.
#[derive(Default)]
pub struct Course {
    /// In the order of the text; those of functions where they are called.
    pub sites: Vec<SiteId>,
    /// (a, b): b can be reached after a. In a loop a site follows itself.
    pub follows: BTreeSet<(SiteId, SiteId)>,
}

pub struct Sites {
    pub all: Vec<Site>,
    pub courses: Vec<Course>,
    /// The statements that are sites: those that a handler reaches.
    pub statements: HashMap<NodeId, SiteId>,
}

/// Finds all sites of a stack, whose nodes are numbered.
pub fn find(stack: &Stack) -> Sites {
    let mut finder = Finder { stack, all: vec![], known: HashMap::new(), course: Course::default(), layer: LayerId(0) };
    let mut courses = vec![];
    for handler in &stack.handlers {
        finder.layer = handler.layer;
        finder.block(&handler.body, Some(HashSet::new()), true, &mut Frame::default());
        courses.push(std::mem::take(&mut finder.course));
    }
    Sites { all: finder.all, courses, statements: finder.known }
}

struct Finder<'s> {
    stack: &'s Stack,
    all: Vec<Site>,
    known: HashMap<NodeId, SiteId>,
    course: Course,
    /// Whose handler is read.
    layer: LayerId,
}

/// Sites that may have been passed; none: this place is not reached.
type Passed = Option<HashSet<SiteId>>;

#[derive(Default)]
struct Frame {
    /// What was passed at each `Break` of the innermost loop.
    breaks: Vec<HashSet<SiteId>>,
    /// What was passed at each `Return`.
    returns: Vec<HashSet<SiteId>>,
    depth: usize,
}

fn join(a: Passed, b: Passed) -> Passed {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.extend(b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

impl<'s> Finder<'s> {
    fn block(&mut self, block: &'s [Statement], mut passed: Passed, likely: bool, frame: &mut Frame) -> Passed {
        for statement in block {
            passed = match passed {
                Some(sites) => self.statement(statement, sites, likely, frame),
                None => return None,
            };
        }
        passed
    }

    fn touch(&mut self, passed: &HashSet<SiteId>) {
        passed.iter().for_each(|s| self.all[*s].touched_after = true);
    }

    fn statement(
        &mut self,
        statement: &'s Statement,
        mut passed: HashSet<SiteId>,
        likely: bool,
        frame: &mut Frame,
    ) -> Passed {
        if touches(statement) {
            self.touch(&passed);
        }
        match &statement.kind {
            StatementKind::Emit(emit) => {
                let site = self.site(statement.id, emit, likely);
                passed.iter().for_each(|before| {
                    self.course.follows.insert((*before, site));
                });
                passed.insert(site);
                Some(passed)
            }
            StatementKind::If { likely: often, then, otherwise, .. } => {
                let first = self.block(then, Some(passed.clone()), likely && *often != Some(false), frame);
                let second = self.block(otherwise, Some(passed), likely && *often != Some(true), frame);
                join(first, second)
            }
            StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
                let outer = std::mem::take(&mut frame.breaks);
                let mut all = passed;
                // Twice: what a turn passes lies before the next one.
                for _ in 0..2 {
                    if touches(statement) {
                        self.touch(&all);
                    }
                    let turn = self.block(body, Some(all.clone()), likely, frame);
                    all.extend(turn.unwrap_or_default());
                }
                let breaks = std::mem::replace(&mut frame.breaks, outer);
                breaks.into_iter().for_each(|b| all.extend(b));
                Some(all)
            }
            StatementKind::Break => {
                frame.breaks.push(passed);
                None
            }
            StatementKind::Return(_) | StatementKind::Reject => {
                frame.returns.push(passed);
                None
            }
            StatementKind::Call { function, .. } => {
                let called = self.stack.function(*function);
                if frame.depth > self.stack.functions.len() {
                    return Some(passed);
                }
                let mut inner = Frame { depth: frame.depth + 1, ..Frame::default() };
                let end = self.block(&called.body, Some(passed), likely, &mut inner);
                let ends = inner.returns.into_iter().map(Some).fold(end, join);
                // The values that it gives are put into places of this handler's.
                Some(ends.unwrap_or_default())
            }
            _ => Some(passed),
        }
    }

    fn site(&mut self, node: NodeId, emit: &Emit, likely: bool) -> SiteId {
        let likely = likely && emit.likely != Some(false);
        let id = *self.known.entry(node).or_insert_with(|| {
            self.all.push(Site {
                layer: self.layer,
                target: emit.target,
                event: emit.event,
                later: emit.later,
                likely: false,
                empty: emit.arguments.iter().any(|a| a.ty == Type::Msg && is_empty(a)),
                touched_after: false,
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

/// Whether a statement itself (not the blocks in it) reads or writes a cell, or a local that may stand for one.
fn touches(statement: &Statement) -> bool {
    let mut found = matches!(&statement.kind, StatementKind::Random { .. } | StatementKind::Filter { .. });
    statement.each_own(|node| {
        found |= match node {
            Node::Place(_) => true,
            Node::Expr(e) => matches!(e.kind, ExprKind::Through(..)),
            _ => false,
        }
    });
    found
}
