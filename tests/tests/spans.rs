//! Spans of the stack IR: every statement and expression has one, in a file of the stack, and its text contains them.

use nacre_driver::{passes, Level, Session};
use nacre_stack::visit::{walk_expr, walk_stack, walk_statement, Visitor};
use nacre_stack::{print, print_with_spans, read, Expr, Span, Stack, Statement};
use nacre_tests::library::{declared, open};
use nacre_tests::{files, root};

/// The spans of all statements and expressions, in the order of the traversal.
#[derive(Default)]
struct Spans(Vec<Span>);

impl<'a> Visitor<'a> for Spans {
    fn statement(&mut self, statement: &'a Statement) {
        self.0.push(statement.span);
        walk_statement(self, statement);
    }
    fn expr(&mut self, expr: &'a Expr) {
        self.0.push(expr.span);
        walk_expr(self, expr);
    }
}

fn spans(stack: &Stack) -> Vec<Span> {
    let mut spans = Spans::default();
    walk_stack(&mut spans, stack);
    spans.0
}

/// The stacks of the golden cases, and one of each file of the library.
fn stacks() -> Vec<(Session, Stack)> {
    let golden = files(&root().join("tests/golden"), "source.nacre");
    let golden = golden.into_iter().filter_map(|file| {
        let name = file.parent()?.file_name()?.to_string_lossy().into_owned();
        let mut session = Session::open(&[file]);
        let stack = session.stack(&name)?;
        Some((session, stack))
    });
    let mut library = declared();
    library.dedup_by(|one, other| one.file == other.file);
    golden.chain(library.iter().map(|declared| declared.compose())).collect()
}

#[test]
fn text_with_spans_is_read_back_the_same() {
    let mut marked = 0;
    for (_, mut stack) in stacks() {
        for pass in passes(Level::Inline) {
            (pass.run)(&mut stack);
        }
        let text = print_with_spans(&stack);
        let again = read(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", stack.name));
        assert!(again == stack, "{}\n{text}", stack.name);
        assert_eq!(spans(&again), spans(&stack), "{}", stack.name);
        assert_eq!(print_with_spans(&again), text);
        // Without spans, the text is that of a stack that never had any.
        assert!(spans(&read(&print(&stack)).expect("it is read")).iter().all(|span| *span == Span::default()));
        marked += spans(&stack).iter().filter(|span| **span != Span::default()).count();
    }
    assert!(marked > 5_000, "{marked} spans");
}

#[test]
fn every_statement_and_expression_is_somewhere_in_a_source() {
    for (session, stack) in stacks() {
        for span in spans(&stack) {
            assert!(span != Span::default(), "{}: a node without a span", stack.name);
            let text = session.sources.slice(span);
            assert!(!text.trim().is_empty() || span.start == span.end, "{}: {span:?} is {text:?}", stack.name);
        }
    }
}

#[test]
fn explained_stage_names_the_text_of_each_expression() {
    let file = root().join("tests/golden/order/source.nacre");
    let mut session = open(&file);
    let stack = session.stack("order").expect("it composes");
    let source = std::fs::read_to_string(&file).expect("readable");
    let shown = session.stage(&source, &stack, "composed", true).expect("a stage");
    let at = source.find("seen += 1").expect("a statement") as u32;
    let line = shown.lines().find(|line| line.contains("set @seen")).expect("the statement is shown");
    assert!(line.ends_with(&format!("; @0:{at}..{}", at + 10)), "{line} ({at})");
    for stage in ["fragments", "calls"] {
        let shown = session.stage(&source, &stack, stage, true).expect("a stage");
        assert!(shown.contains(&format!("; @0:{at}..{}", at + 10)), "{stage}: {shown}");
    }
}
