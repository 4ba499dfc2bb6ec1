//! Trees made by hand, and what they are lowered to.

use nacre_diagnostics::Span;
use nacre_stack::{print, BinaryOp, FunctionId, Type};

use super::layer;
use crate::tree::*;

const WIDE: Type = Type::UInt(32);

fn at(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, Span::default())
}

fn number(n: u64) -> Expr {
    at(ExprKind::Const(n), WIDE)
}

fn name(id: u32, ty: Type) -> Expr {
    at(ExprKind::Name(NameId(id)), ty)
}

/// A call of the function without parameters that gives a number.
fn call() -> Expr {
    at(ExprKind::Call(FunctionId(0), Vec::new()), WIDE)
}

fn value(name: &str, ty: Type) -> Name {
    Name { name: name.into(), ty, is: Is::Value, span: Span::default() }
}

fn block(kinds: Vec<StatementKind>) -> Block {
    let statements = kinds.into_iter().map(|kind| Statement { kind, span: Span::default() }).collect();
    Block { statements, span: Span::default() }
}

fn function(name: &str, names: Vec<Name>, parameters: u32, body: Vec<StatementKind>) -> Function {
    Function {
        name: name.into(),
        parameters: (0..parameters).map(NameId).collect(),
        result: Some(WIDE),
        names: Names { all: names },
        body: block(body),
        span: Span::default(),
    }
}

/// The statements of a function with these names, of which the first is its parameter, beside one that gives 7.
fn lowered(names: Vec<Name>, body: Vec<StatementKind>) -> String {
    let seven = function("seven", Vec::new(), 0, vec![StatementKind::Return(Some(number(7)))]);
    let tree = Layer { functions: vec![seven, function("tested", names, 1, body)], ..Layer::default() };
    let text = print(&layer(&tree).as_stack());
    let body = text.split("tested").last().unwrap_or_default();
    let lines = body.lines().skip(1).take_while(|line| *line != "}");
    lines.map(|line| line.split(" span").next().unwrap_or_default().trim_start().to_string() + "\n").collect()
}

fn both(op: BinaryOp, l: Expr, r: Expr, ty: Type) -> Expr {
    at(ExprKind::Binary(op, Box::new(l), Box::new(r)), ty)
}

#[test]
fn a_value_without_steps_is_one_expression() {
    let sum = both(BinaryOp::Add, name(0, WIDE), number(1), WIDE);
    assert_eq!(lowered(vec![value("x", WIDE)], vec![StatementKind::Return(Some(sum))]), "return (%x + 1'u32);\n");
}

#[test]
fn operands_before_a_call_are_evaluated_before_it() {
    let sum = both(BinaryOp::Add, name(0, WIDE), call(), WIDE);
    let text = lowered(vec![value("x", WIDE)], vec![StatementKind::Return(Some(sum))]);
    assert_eq!(text, "let %t2 = %x;\ncall seven() into %t1;\nreturn (%t2 + %t1);\n");
}

#[test]
fn exchanged_operands_are_evaluated_as_they_are_written() {
    let larger = at(ExprKind::Exchanged(BinaryOp::Less, Box::new(name(0, WIDE)), Box::new(call())), Type::Bool);
    let text = lowered(vec![value("x", WIDE)], vec![StatementKind::Assert(larger, "x > f()".into())]);
    assert!(text.starts_with("let %t2 = %x;\ncall seven() into %t1;\nassert (%t1 < %t2)"), "{text}");
}

#[test]
fn the_right_side_of_and_runs_only_where_it_is_needed() {
    let right = both(BinaryOp::Equal, call(), number(7), Type::Bool);
    let test = both(BinaryOp::Both, name(0, Type::Bool), right, Type::Bool);
    let text = lowered(vec![value("x", Type::Bool)], vec![StatementKind::Assert(test, "x && f() == 7".into())]);
    let call = text.find("call").expect("it calls");
    assert!(text.find("if %t2 {").is_some_and(|at| at < call), "{text}");
}

#[test]
fn redeclared_name_has_a_separate_local() {
    let names = vec![value("x", WIDE), value("y", WIDE), value("y", WIDE)];
    let declare = |id, n| StatementKind::Var { name: NameId(id), value: number(n) };
    let sum = both(BinaryOp::Add, name(1, WIDE), name(2, WIDE), WIDE);
    let text = lowered(names, vec![declare(1, 1), declare(2, 2), StatementKind::Return(Some(sum))]);
    assert_eq!(text.matches("let %").count(), 2);
    assert!(!text.contains("(%y + %y)"), "{text}");
}

#[test]
fn a_failing_path_comes_before_the_value() {
    let option = Type::Option(Box::new(WIDE));
    let partial = Partial {
        kind: PartialKind::Option(name(0, option.clone())),
        ty: WIDE,
        back: Back::None,
        span: Span::default(),
    };
    let otherwise = Otherwise { kind: OtherwiseKind::Return(Some(number(0))), span: Span::default() };
    let tried = at(ExprKind::Try(Box::new(partial), Box::new(otherwise)), WIDE);
    let text = lowered(vec![value("x", option)], vec![StatementKind::Return(Some(tried))]);
    let expected = "let %t1 = %x;\nif not(is_some(%t1)) unlikely {\nreturn 0'u32;\n}\nreturn unwrap(%t1);\n";
    assert_eq!(text, expected);
}

#[test]
fn the_last_arm_of_an_exhaustive_match_is_not_tested() {
    let arm = |n| Arm { value: Some(number(n)), body: block(vec![StatementKind::Return(Some(number(n)))]) };
    let matched = |exhaustive| StatementKind::Match { value: name(0, WIDE), arms: vec![arm(0), arm(1)], exhaustive };
    let text = |exhaustive| lowered(vec![value("x", WIDE)], vec![matched(exhaustive)]);
    assert_eq!(text(true).matches("if ").count(), 1);
    assert_eq!(text(false).matches("if ").count(), 2);
}
