//! Tests of the pass that fuses `skip_to` and `release`.

use nacre_optimize::pass_over;
use nacre_stack::interpret::Value;
use nacre_stack::operations::methods::{Arguments, METHODS};
use nacre_stack::operations::window::Window;
use nacre_stack::samples::{self, build::*};
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

fn run(operation: Operation, window: &mut Value, number: u64) {
    let keep = &mut |_: &mut Value| {};
    let arguments = Arguments { first: None, last: Some(Value::Num(number)), capacity: 4, keep };
    let method = METHODS.iter().find(|method| method.operation == operation).expect("a row");
    (method.rows[0].run)(window, arguments);
}

#[test]
fn the_operation_is_the_two_one_after_the_other() {
    let mut compared = 0;
    // All windows of four numbers of four bits with some of their entries, at every position of the number space.
    for (low, entries, next, high) in (0..16 * 16 * 5 * 5).map(|i| (i / 400, i / 25 % 16, i / 5 % 5, i % 5)) {
        let mut window = Window::new(4, 4);
        (0..low).for_each(|_| {
            window.push(Value::Num(0));
            window.take_next();
        });
        (0..high).for_each(|offset| window.raise(low + offset + 1));
        for offset in (0..high).filter(|offset| entries >> offset & 1 == 1) {
            if window.can_put((low + offset) % 16) {
                window.put((low + offset) % 16, Value::Num(offset));
            }
        }
        window.skip_to((low + next) % 16);
        for number in 0..16 {
            let (mut one, mut two) = (Value::Window(window.clone()), Value::Window(window.clone()));
            run(Operation::PassOver, &mut one, number);
            run(Operation::SkipTo, &mut two, number);
            run(Operation::Release, &mut two, number);
            assert_eq!(format!("{one:?}"), format!("{two:?}"), "{window:?}, {number}");
            compared += 1;
        }
    }
    assert_eq!(compared, 16 * 16 * 25 * 16);
}

/// Returns the number of fused pairs in a handler that ends with two operations.
fn fused(change: impl FnOnce(&mut Operate, &mut Operate)) -> usize {
    let mut stack = samples::repeating();
    let cell = stack.cells.iter().position(|cell| cell.name == "sent").expect("a window");
    let place = Place { root: Root::Cell(CellId(cell as u32)), path: vec![], ty: stack.cells[cell].ty.clone() };
    let pair = [Operation::SkipTo, Operation::Release].map(|operation| Operate {
        operation,
        place: place.clone(),
        arguments: vec![num(3, Type::Seq(8))],
        into: None,
        done: None,
        back: None,
    });
    let [mut first, mut second] = pair;
    change(&mut first, &mut second);
    stack.handlers[0].body.extend([first, second].map(|operate| StatementKind::Operate(operate).into()));
    number(&mut stack);
    assert_eq!(validate(&stack), Ok(()));
    pass_over::fuse(&mut stack);
    assert_eq!(validate(&stack), Ok(()));
    let again = read(&print(&stack)).expect("a stack");
    assert_eq!(print(&again), print(&stack));
    let mut found = 0;
    stack.handlers[0].body.each(|node| {
        let Node::Statement(Statement { kind: StatementKind::Operate(operate), .. }) = node else { return };
        found += usize::from(operate.operation == Operation::PassOver);
    });
    found
}

#[test]
fn a_pair_is_fused() {
    assert_eq!(fused(|_, _| {}), 1);
}

#[test]
fn operations_that_differ_or_depend_on_each_other_are_not_fused() {
    assert_eq!(fused(std::mem::swap), 0, "the other order");
    assert_eq!(fused(|_, second| second.arguments[0] = num(4, Type::Seq(8))), 0, "another number");
    let low = |place: &Place| query(Query::Low, place, vec![], Type::Seq(8));
    let moves = |first: &mut Operate, second: &mut Operate| {
        first.arguments[0] = low(&first.place);
        second.arguments[0] = low(&second.place);
    };
    assert_eq!(fused(moves), 0, "a number that the first may change");
}
