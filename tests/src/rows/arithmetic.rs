//! Operators and conversions: each row on each type, with operands that are read, constant, and computed.

use nacre_stack::operations::operators::{converts, Gives, Right, Run, BINARY, UNARY};
use nacre_stack::operations::Kind;
use nacre_stack::samples::build::{self, at, expr, load, num, store};
use nacre_stack::*;

use super::values::{composite, limits, plain};
use super::{Code, Program};

/// The number of cases of one program: a C compiler takes long for more.
const CASES: usize = 60;
/// The same for conversions, which are short.
const CONVERSIONS: usize = 900;

/// A case that is not in a program yet, with its name.
type Write = (String, Box<dyn FnOnce(&mut Program)>);

/// Programs for every operator and every conversion.
pub fn programs() -> Vec<(Stack, Vec<super::Case>)> {
    let [operators, conversions] = cases();
    let whole = |programs: Vec<Program>| programs.into_iter().map(Program::finish).collect::<Vec<_>>();
    let all = |cases, each| whole(group(cases, each, true, &|_| true));
    [all(operators, CASES), all(conversions, CONVERSIONS)].concat()
}

/// Programs of a fixed number of cases each, for cases with a wanted name; the event `run_7` calls case 7. Only some
/// operands are constants.
pub fn programs_apart(each: usize, is_wanted: &dyn Fn(&str) -> bool) -> Vec<(Stack, Vec<super::Case>)> {
    let all = cases().into_iter().flatten().collect();
    group(all, each, false, is_wanted).into_iter().map(Program::finish_apart).collect()
}

/// The operators' cases, and the conversions'.
fn cases() -> [Vec<Write>; 2] {
    let (mut operators, mut converted) = (vec![], vec![]);
    binary(&mut operators);
    unary(&mut operators);
    mul_div(&mut operators);
    converted_orders(&mut operators);
    conversions(&mut converted);
    [operators, converted]
}

fn group(cases: Vec<Write>, each: usize, constants: bool, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Program> {
    let mut programs = vec![];
    let mut cases = cases.into_iter().filter(|(name, _)| is_wanted(name)).peekable();
    while cases.peek().is_some() {
        let mut program = Program { constants, ..Program::new(&format!("rows{}", programs.len())) };
        cases.by_ref().take(each).for_each(|(_, write)| write(&mut program));
        programs.push(program);
    }
    programs
}

fn types() -> Vec<Type> {
    plain().into_iter().chain(composite()).collect()
}

fn binary(cases: &mut Vec<Write>) {
    for operator in BINARY {
        for left in types() {
            let Some(row) = operator.op.row(&left) else { continue };
            // Composite types have no comparison but equality.
            for right in rights(row.right, &left) {
                let (op, left, result) = (operator.op, left.clone(), row.result(&left));
                let deep = matches!((row.run, row.gives), (Run::Numbers(_) | Run::Order(_), _) | (_, Gives::Left));
                let name = format!("{left:?} {} {right:?}", operator.word);
                let write = move |program: &mut Program, name| {
                    program.case(name, |code| operands(code, op, &left, &right, &result, deep))
                };
                push(cases, name, write);
            }
        }
    }
}

/// Types of right operands.
fn rights(right: Right, left: &Type) -> Vec<Type> {
    match right {
        Right::Same => vec![left.clone()],
        Right::Natural => vec![Type::UInt(32), Type::UInt(64), Type::Range(0, 64)],
        Right::Set => plain().into_iter().filter(|ty| Kind::of(ty) == Kind::Set).collect(),
    }
}

/// A cell with all limits of a type.
fn table(code: &mut Code, ty: &Type) -> (Place, Vec<Expr>) {
    let mut values = limits(&code.program.builder.stack, ty);
    if *ty == Type::UInt(32) {
        // Counts of shifts.
        values.extend([7, 8, 9, 31, 32, 33, 63, 64, 65].map(|n| num(n, ty.clone())));
    }
    let name = format!("table of {ty:?}");
    let array = Type::Array(Box::new(ty.clone()), values.len() as u32);
    let cells = &code.program.builder.stack.cells;
    let place = match cells.iter().position(|cell| cell.name == name) {
        Some(at) => Place { root: Root::Cell(CellId(at as u32)), path: vec![], ty: array },
        None => code.program.cell(&name, array.clone(), Some(expr(ExprKind::Array(values.clone()), array))),
    };
    (place, values)
}

/// A cell for the results of rows.
fn results(code: &mut Code, what: &str, ty: &Type, rows: usize, each: usize) -> Place {
    let row = Type::Array(Box::new(ty.clone()), each as u32);
    let name = format!("{} {what}", code.name);
    code.program.cell(&name, Type::Array(Box::new(row), rows as u32), None)
}

fn element(row: &Place, i: Expr, j: Expr, ty: &Type) -> Place {
    let Type::Array(inner, _) = row.ty.clone() else { panic!("a table of tables") };
    at(&at(row, i, *inner), j, ty.clone())
}

fn operands(code: &mut Code, op: BinaryOp, left: &Type, right: &Type, result: &Type, deep: bool) {
    let ((a, these), (b, those)) = (table(code, left), table(code, right));
    let made = |x: Expr, y: Expr| expr(ExprKind::Binary(op, Box::new(x), Box::new(y)), result.clone());
    let (n, m) = (these.len(), those.len());
    let [read, constant, before] = ["read", "constant", "before"].map(|what| results(code, what, result, n, m));
    let x = |i: Expr| load(&at(&a, i, left.clone()));
    let y = |j: Expr| load(&at(&b, j, right.clone()));
    let index = |i: usize| num(i as u64, Type::UInt(32));
    let wanted = if code.program.constants { &those[..] } else { &[] };
    let body = code.count(n, |code, i| {
        let both =
            code.count(m, |_, j| vec![store(&element(&read, i.clone(), j.clone(), result), made(x(i.clone()), y(j)))]);
        let constants = wanted.iter().enumerate().map(|(j, value)| {
            store(&element(&constant, i.clone(), index(j), result), made(x(i.clone()), value.clone()))
        });
        std::iter::once(both).chain(constants).collect()
    });
    code.body.push(body);
    let wanted = if code.program.constants { &these[..] } else { &[] };
    let body = code.count(m, |_, j| {
        let constants = wanted
            .iter()
            .enumerate()
            .map(|(i, value)| store(&element(&before, index(i), j.clone(), result), made(value.clone(), y(j.clone()))));
        constants.collect()
    });
    code.body.push(body);
    let whole = results(code, "constants", result, n, 1);
    for (i, value) in these.iter().enumerate() {
        let other = those[(i * 5 + 3) % m].clone();
        code.body.push(store(&element(&whole, index(i), index(0), result), made(value.clone(), other)));
    }
    if deep && left == right && BinaryOp::Add.row(left).is_some() {
        // Operands that were just computed, and may exceed their width in a faulty engine.
        let sums = results(code, "of sums", result, n, m);
        let body = code.count(n, |code, i| {
            let inner = code.count(m, |_, j| {
                let sum = build::binary(BinaryOp::Add, x(i.clone()), y(j.clone()));
                let difference = build::binary(BinaryOp::Sub, y(j.clone()), x(i.clone()));
                vec![store(&element(&sums, i.clone(), j, result), made(sum, difference))]
            });
            vec![inner]
        });
        code.body.push(body);
    }
}

/// A function of one value at every limit of a type, as a variable and as a constant.
fn unary_case(code: &mut Code, of: &Type, result: &Type, values: Vec<usize>, make: &dyn Fn(Expr) -> Expr) {
    let (a, these) = table(code, of);
    let rows = results(code, "read and constant", result, these.len(), 2);
    let index = |i: usize| num(i as u64, Type::UInt(32));
    for i in values {
        let read = load(&at(&a, index(i), of.clone()));
        code.body.push(store(&element(&rows, index(i), index(0), result), make(read)));
        code.body.push(store(&element(&rows, index(i), index(1), result), make(these[i].clone())));
    }
}

/// Adds a case with its name.
fn push(cases: &mut Vec<Write>, name: String, write: impl FnOnce(&mut Program, String) + 'static) {
    let its = name.clone();
    cases.push((name, Box::new(move |program| write(program, its))));
}

fn unary(cases: &mut Vec<Write>) {
    for operator in UNARY {
        for of in types().into_iter().filter(|ty| operator.on.contains(&Kind::of(ty))) {
            push(cases, format!("{} {of:?}", operator.word), move |program, name| {
                let result = operator.result(&of);
                program.case(name, |code| {
                    let make = |x: Expr| expr(ExprKind::Unary(operator.op, Box::new(x)), operator.result(&of));
                    let count = table(code, &of).1.len();
                    unary_case(code, &of, &result, (0..count).collect(), &make);
                });
            });
        }
    }
}

fn conversions(cases: &mut Vec<Write>) {
    for from in plain() {
        for to in plain().into_iter().filter(|to| converts(&from, to)) {
            let from = from.clone();
            push(cases, format!("{from:?} as {to:?}"), move |program, name| {
                program.case(name, |code| {
                    let make = |x: Expr| expr(ExprKind::Convert(Box::new(x)), to.clone());
                    let values = table(code, &from).1;
                    let fit = (0..values.len()).filter(|i| fits(&code.program.builder.stack, &values[*i], &to));
                    let fit: Vec<usize> = fit.collect();
                    unary_case(code, &from, &to, fit, &make);
                });
            });
        }
    }
}

/// Unsigned numbers as signed ones of as many bits, compared with constants.
fn converted_orders(cases: &mut Vec<Write>) {
    for from in plain() {
        let (Type::UInt(bits) | Type::Seq(bits)) = from else { continue };
        for (word, op) in [("<", BinaryOp::Less), ("<=", BinaryOp::LessEqual)] {
            let from = from.clone();
            push(cases, format!("{from:?} as Int({bits}) {word} constant"), move |program, name| {
                program.case(name, |code| converted_order(code, &from, &Type::Int(bits), op));
            });
        }
    }
}

fn converted_order(code: &mut Code, from: &Type, to: &Type, op: BinaryOp) {
    let ((a, these), (_, constants)) = (table(code, from), table(code, to));
    let rows = results(code, "compared", &Type::Bool, these.len(), 2 * constants.len());
    let body = code.count(these.len(), |_, i| {
        let element = |j: usize| element(&rows, i.clone(), num(j as u64, Type::UInt(32)), &Type::Bool);
        let converted = expr(ExprKind::Convert(Box::new(load(&at(&a, i.clone(), from.clone())))), to.clone());
        let compared = |x: &Expr, y: &Expr| build::binary(op, x.clone(), y.clone());
        let both = constants.iter().enumerate().flat_map(|(j, constant)| {
            let before = store(&element(2 * j), compared(&converted, constant));
            [before, store(&element(2 * j + 1), compared(constant, &converted))]
        });
        both.collect()
    });
    code.body.push(body);
}

/// Whether a value may be converted: into ranges and enums, only their values.
fn fits(stack: &Stack, value: &Expr, to: &Type) -> bool {
    let ExprKind::Const(n) = value.kind else { return !matches!(to, Type::Range(..) | Type::Enum(_)) };
    match to {
        Type::Range(low, high) => *low <= n && n < *high,
        Type::Enum(id) => n < stack.enums[id.index()].variants.len() as u64,
        _ => true,
    }
}

fn mul_div(cases: &mut Vec<Write>) {
    for ty in plain().into_iter().filter(|ty| matches!(ty, Type::UInt(_) | Type::Duration)) {
        push(cases, format!("{ty:?} * / "), move |program, name| {
            program.case(name, |code| {
                let (a, these) = table(code, &ty);
                let read = |i: Expr| load(&at(&a, i, ty.clone()));
                for (k, constant) in these.iter().enumerate() {
                    let place = read(num(k as u64, Type::UInt(32)));
                    for (what, by) in [("constant", constant.clone()), ("read", place)] {
                        let rows = results(code, &format!("by {what} {k}"), &ty, these.len(), these.len());
                        let body = code.count(these.len(), |code, i| {
                            let inner = code.count(these.len(), |_, j| {
                                let [x, y] = [i.clone(), j.clone()].map(read).map(Box::new);
                                let made = expr(ExprKind::MulDiv(x, y, Box::new(by.clone())), ty.clone());
                                vec![store(&element(&rows, i.clone(), j, &ty), made)]
                            });
                            vec![inner]
                        });
                        code.body.push(body);
                    }
                }
            });
        });
    }
}
