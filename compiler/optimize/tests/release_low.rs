//! Tests of the pass that splits `release`.

use nacre_optimize::release_low;
use nacre_stack::samples::{self, build::*};
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

/// The first handler of a stack, which releases entries of a window, after the pass.
fn split(change: impl FnOnce(&mut Operate)) -> Block {
    let mut stack = samples::repeating();
    let cell = stack.cells.iter().position(|cell| cell.name == "sent").expect("a window");
    let place = Place { root: Root::Cell(CellId(cell as u32)), path: vec![], ty: stack.cells[cell].ty.clone() };
    let arguments = vec![num(3, Type::Seq(8))];
    let operation = Operation::Release;
    let mut release = Operate { operation, place, arguments, into: None, done: None, back: None };
    change(&mut release);
    stack.handlers[0].body = vec![StatementKind::Operate(release).into()];
    number(&mut stack);
    release_low::split(&mut stack);
    assert_eq!(validate(&stack), Ok(()));
    let again = read(&print(&stack)).expect("a stack");
    assert_eq!(print(&again), print(&stack));
    stack.handlers.swap_remove(0).body
}

/// The operations of a block and of its branches, in order.
fn operations(block: &Block) -> Vec<&Operate> {
    let mut found = vec![];
    block.each(|node| {
        let Node::Statement(Statement { kind: StatementKind::Operate(operate), .. }) = node else { return };
        found.push(operate);
    });
    found
}

#[test]
fn a_release_has_a_likely_branch_for_one_entry() {
    let block = split(|_| {});
    let [StatementKind::If { condition, likely, then, otherwise }] =
        &block.iter().map(|s| &s.kind).collect::<Vec<_>>()[..]
    else {
        panic!("{block:?}")
    };
    assert_eq!(*likely, Some(true));
    assert!(matches!(condition.kind, ExprKind::Binary(BinaryOp::Equal, ..)), "{condition:?}");
    let kinds = |block| operations(block).iter().map(|operate| operate.operation).collect::<Vec<_>>();
    assert_eq!((kinds(then), kinds(otherwise)), (vec![Operation::ReleaseLow], vec![Operation::Release]));
}

#[test]
fn the_number_is_evaluated_once_before_the_window_changes() {
    let block = split(|release| {
        release.arguments[0] = query(Query::High, &release.place, vec![], Type::Seq(8));
    });
    let StatementKind::Let(number, value) = &block[0].kind else { panic!("{block:?}") };
    assert!(matches!(value.kind, ExprKind::Query(Query::High, ..)), "{value:?}");
    let released = operations(&block)[1];
    assert_eq!(released.arguments.iter().map(|e| &e.kind).collect::<Vec<_>>(), [&ExprKind::Local(*number)]);
    let mut queries = 0;
    block.each(|node| {
        queries += usize::from(matches!(node, Node::Expr(Expr { kind: ExprKind::Query(Query::High, ..), .. })));
    });
    assert_eq!(queries, 1);
}

#[test]
fn other_operations_stay() {
    let block = split(|release| release.operation = Operation::SkipTo);
    assert_eq!(operations(&block).len(), 1);
    assert_eq!(operations(&block)[0].operation, Operation::SkipTo);
}
