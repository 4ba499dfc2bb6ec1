//! Tests of the pass that splits `release`.

use nacre_optimize::release_low;
use nacre_stack::samples::{self, build::*};
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

/// A stack whose first handler releases entries of a window, after the pass; and the operations there.
fn split(change: impl FnOnce(&mut Operate)) -> Vec<Operation> {
    let mut stack = samples::go_back_n();
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
    let mut found = vec![];
    stack.handlers[0].body.each(|node| {
        let Node::Statement(Statement { kind: StatementKind::Operate(operate), .. }) = node else { return };
        found.push(operate.operation);
    });
    found
}

#[test]
fn a_release_has_a_likely_branch_for_one_entry() {
    assert_eq!(split(|_| {}), [Operation::ReleaseLow, Operation::Release]);
}

#[test]
fn the_number_is_evaluated_before_the_window_changes() {
    let high = |release: &mut Operate| {
        release.arguments[0] = query(Query::High, &release.place, vec![], Type::Seq(8));
    };
    assert_eq!(split(high), [Operation::ReleaseLow, Operation::Release]);
}

#[test]
fn other_operations_stay() {
    assert_eq!(split(|release| release.operation = Operation::SkipTo), [Operation::SkipTo]);
}
