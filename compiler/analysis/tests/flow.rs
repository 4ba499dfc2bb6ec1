//! The solvers on small bodies: the locals that may still be read and those that have been set, in loops and their
//! exits.

use std::collections::BTreeSet;

use nacre_analysis::flow::{self, Backward, Forward};
use nacre_stack::samples::build::*;
use nacre_stack::visit::Traverse;
use nacre_stack::*;

fn local(id: u32) -> Expr {
    Expr::new(ExprKind::Local(LocalId(id)), Type::Bool, Span::default())
}

fn let_(id: u32, value: Expr) -> Statement {
    set(&local(id), value)
}

fn looped(body: Block) -> Statement {
    StatementKind::Loop { bound: 3, body }.into()
}

fn exit() -> Statement {
    StatementKind::Return(None).into()
}

/// The locals that a statement itself reads.
fn reads(statement: &Statement) -> BTreeSet<LocalId> {
    let operands = statement.parts().operands.into_iter();
    operands.filter_map(|e| if let ExprKind::Local(id) = e.kind { Some(id) } else { None }).collect()
}

/// The locals that useful statements may still read.
struct Live;

impl Backward for Live {
    type State = BTreeSet<LocalId>;

    fn statement(&mut self, statement: &Statement, state: &mut BTreeSet<LocalId>) {
        let sets = statement.sets();
        let used = sets.iter().filter(|set| state.remove(*set)).count() > 0;
        if used || sets.is_empty() {
            state.extend(reads(statement));
        }
    }
}

/// The locals that may have been set.
struct Written;

impl Forward for Written {
    type State = BTreeSet<LocalId>;

    fn statement(&mut self, statement: &Statement, state: &mut BTreeSet<LocalId>) {
        state.extend(statement.sets());
    }
}

fn ids(ids: &[u32]) -> BTreeSet<LocalId> {
    ids.iter().map(|id| LocalId(*id)).collect()
}

/// The live locals before a body after which 9 is live.
fn live(body: Block) -> BTreeSet<LocalId> {
    flow::backward(&mut Live, &body, ids(&[9]))
}

#[test]
fn a_local_is_live_until_it_is_set_again() {
    assert_eq!(live(vec![let_(9, local(1))]), ids(&[1]));
    assert_eq!(live(vec![let_(0, local(1))]), ids(&[9]));
    assert_eq!(live(vec![let_(1, local(2)), let_(9, local(1))]), ids(&[2]));
    assert_eq!(live(vec![when(local(3), vec![let_(9, local(4))], vec![])]), ids(&[3, 4, 9]));
}

#[test]
fn iteration_reads_values_set_by_the_previous_one() {
    // Only the second iteration of the analysis finds that 2 is live, and only the third that 3 is.
    let body = vec![let_(9, local(1)), let_(1, local(2)), let_(2, local(3))];
    assert_eq!(live(vec![looped(body)]), ids(&[1, 2, 3, 9]));
}

#[test]
fn code_after_an_exit_is_not_read() {
    assert_eq!(live(vec![exit(), let_(9, local(1))]), ids(&[9]));
    let left = vec![looped(vec![StatementKind::Break.into(), let_(2, local(1))]), let_(9, local(2))];
    assert_eq!(live(left), ids(&[2]));
}

#[test]
fn exits_are_distinguished_from_the_end() {
    let body = vec![when(local(3), vec![let_(0, local(1)), exit()], vec![let_(2, local(1))]), let_(4, local(1))];
    let ends = flow::forward(&mut Written, &body, ids(&[]));
    assert_eq!((ends.falls, ends.returns), (Some(ids(&[2, 4])), Some(ids(&[0]))));
}

#[test]
fn a_loop_ends_before_its_first_turn_and_where_it_breaks() {
    let body = vec![looped(vec![let_(0, local(1)), StatementKind::Break.into()])];
    assert_eq!(flow::forward(&mut Written, &body, ids(&[])).falls, Some(ids(&[0])));
    let endless = vec![exit(), looped(vec![let_(0, local(1))])];
    assert_eq!(flow::forward(&mut Written, &endless, ids(&[])).falls, None);
}

/// The locals that may be live, and the number of visits of statements.
struct Counted(usize);

impl Backward for Counted {
    type State = BTreeSet<LocalId>;

    fn statement(&mut self, statement: &Statement, state: &mut BTreeSet<LocalId>) {
        self.0 += 1;
        Live.statement(statement, state);
    }
}

/// The locals that may have been set since they were set to the local 9.
impl Forward for Counted {
    type State = BTreeSet<LocalId>;

    fn statement(&mut self, statement: &Statement, state: &mut BTreeSet<LocalId>) {
        self.0 += 1;
        let forgets = reads(statement).contains(&LocalId(9));
        statement.sets().into_iter().for_each(|set| _ = if forgets { state.remove(&set) } else { state.insert(set) });
    }
}

#[test]
fn loops_in_one_another_take_little_time() {
    let depth = 16;
    let body = (10..10 + depth).fold(vec![], |inner, id| {
        // At the entry of the inner loop nothing is known about the local; each iteration learns its value again.
        let turn = inner.into_iter().chain([let_(id, local(id + 100)), let_(id + 100, local(id))]).collect();
        vec![let_(id, local(9)), looped(turn), let_(9, local(id)), let_(id + 100, local(9))]
    });
    let mut counted = Counted(0);
    flow::backward(&mut counted, &body, ids(&[9]));
    flow::forward(&mut counted, &body, ids(&[]));
    assert!(counted.0 < 20_000, "{} statements", counted.0);
}
