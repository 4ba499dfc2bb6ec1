//! The places where a handler emits: which of them can follow one another in one run, and after which the layer's state
//! is still looked at.

use std::collections::{BTreeSet, HashMap};

use nacre_analysis::flow::{self, Forward};
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
    pub span: Span,
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
    let mut finder = Finder::new(stack);
    let mut courses = vec![];
    for handler in &stack.handlers {
        finder.layer = handler.layer;
        flow::forward(&mut finder, &handler.body, BTreeSet::new());
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
    /// How many of the branches and calls around are unlikely; and how many calls there are.
    unlikely: usize,
    depth: usize,
}

/// What is followed: the sites that may have been passed in the same run of a handler.
impl Forward for Finder<'_> {
    type State = BTreeSet<SiteId>;

    fn statement(&mut self, statement: &Statement, passed: &mut BTreeSet<SiteId>) {
        if touches(statement) {
            self.touch(passed);
        }
        match &statement.kind {
            StatementKind::Emit(emit) => {
                let site = self.site(statement, emit);
                self.course.follows.extend(passed.iter().map(|before| (*before, site)));
                passed.insert(site);
            }
            // Functions do not call themselves; a stack in which they did would not be valid.
            StatementKind::Call { function, .. } if self.depth <= self.stack.functions.len() => {
                self.depth += 1;
                let ends = flow::forward(self, &self.stack.function(*function).body, std::mem::take(passed));
                self.depth -= 1;
                // The values that it gives are put into places of this handler's.
                *passed = ends.all().unwrap_or_default();
            }
            _ => {}
        }
    }

    fn turn(&mut self, of: &Statement, passed: &mut BTreeSet<SiteId>) {
        if touches(of) {
            self.touch(passed);
        }
    }

    fn enter(&mut self, of: &Statement, then: bool) {
        self.unlikely += usize::from(is_unlikely(of, then));
    }

    fn leave(&mut self, of: &Statement, then: bool) {
        self.unlikely -= usize::from(is_unlikely(of, then));
    }
}

/// Whether a branch is marked as the one that is seldom taken.
fn is_unlikely(of: &Statement, then: bool) -> bool {
    matches!(of.kind, StatementKind::If { likely: Some(likely), .. } if likely != then)
}

impl<'s> Finder<'s> {
    fn new(stack: &'s Stack) -> Finder<'s> {
        let course = Course::default();
        Finder { stack, all: vec![], known: HashMap::new(), course, layer: LayerId(0), unlikely: 0, depth: 0 }
    }

    fn touch(&mut self, passed: &BTreeSet<SiteId>) {
        passed.iter().for_each(|s| self.all[*s].touched_after = true);
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
