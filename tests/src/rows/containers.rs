//! Containers: a stack for each, in which every method and query of it can be called in any order.

use nacre_stack::operations::methods::{self, Success};
use nacre_stack::operations::queries::{Answer, QUESTIONS};
use nacre_stack::operations::{Operand, Parts};
use nacre_stack::samples::build::{self, expr, id, load, num, query, store, when};
use nacre_stack::*;

use super::{Code, Program};

/// A stack with containers of one type of entries. Its event `run(case, x, y, m)` calls an operation on one of them
/// with entries made of `x`, `y` and `m`, then evaluates all queries of it and iterates over its entries.
pub struct Containers {
    pub stack: Stack,
    pub containers: Vec<Container>,
}

/// One of the containers.
pub struct Container {
    pub ty: Type,
    /// The cell of the container, and the cell that records whether the last operation succeeded.
    pub cell: CellId,
    pub done: CellId,
    /// The case of the first of its operations; the others follow.
    pub first: u64,
    pub operations: Vec<Operation>,
}

/// Types of entries.
pub fn entries() -> Vec<Type> {
    let option = |ty| Type::Option(Box::new(ty));
    let [plain, kept] = Program::structs();
    vec![
        Type::UInt(7),
        Type::UInt(33),
        Type::Int(9),
        Type::Seq(8),
        Type::Bool,
        Type::Range(3, 260),
        Type::Enum(EnumId(1)),
        Type::Bits(65),
        option(Type::UInt(8)),
        Type::Tuple(vec![Type::Bool, Type::Int(33)]),
        plain,
        Type::Bytes(3),
        Type::Text(3),
        Type::Array(Box::new(Type::Int(7)), 2),
        Type::Msg,
        kept,
        option(Type::Msg),
    ]
}

/// Containers of entries of a type: every form for the first types, some forms for the others.
pub fn of(entry: &Type, every: bool) -> Vec<Type> {
    let boxed = || Box::new(entry.clone());
    let keys = [Type::Tuple(vec![Type::Bool, Type::Int(2)]), Type::UInt(2), Type::Enum(EnumId(1))];
    let map = |key: Type| Type::Map(Box::new(key), boxed(), 2);
    let [first, others @ ..] = keys;
    let mut types = vec![
        Type::Ring(boxed(), 3),
        Type::List(boxed(), 3),
        Type::Pool(boxed(), 3),
        Type::Window(boxed(), 3, 3),
        map(first),
    ];
    if every {
        types.extend([Type::Ring(boxed(), 1), Type::Pool(boxed(), 1), Type::Window(boxed(), 1, 2)]);
        types.extend([Type::Window(boxed(), 5, 8), Type::Window(boxed(), 4, 33), Type::Window(boxed(), 3, 64)]);
        types.extend(others.map(map));
    }
    types
}

const PARAMETERS: [(&str, Type); 4] =
    [("case", Type::UInt(16)), ("x", Type::UInt(64)), ("y", Type::UInt(64)), ("m", Type::Msg)];

impl Containers {
    /// The stack for a type of entries.
    pub fn new(name: &str, entry: &Type, every: bool) -> Containers {
        Containers::of(name, of(entry, every))
    }

    /// The stack with containers of these types.
    pub fn of(name: &str, types: Vec<Type>) -> Containers {
        let mut program = Program::new(name);
        let event = program.builder.event("run", Direction::Down, &PARAMETERS);
        let mut code = Code { program: &mut program, name: String::new(), locals: vec![], body: vec![] };
        PARAMETERS.iter().for_each(|(_, ty)| drop(code.local(ty.clone())));
        let (mut containers, mut body, mut first) = (vec![], vec![], 0);
        for ty in types {
            code.name = format!("{ty:?}");
            let container = container(&mut code, ty, first, &mut body);
            first += container.operations.len() as u64;
            containers.push(container);
        }
        let (layer, locals) = (code.program.layer, code.locals);
        program.builder.handler(layer, event, None, |into, arguments| {
            into.0.extend(locals.into_iter().skip(PARAMETERS.len()));
            body.push(build::release(&arguments[3]));
            body
        });
        Containers { stack: program.input(event).0, containers }
    }
}

/// Writes the code of a container.
fn container(code: &mut Code, ty: Type, first: u64, body: &mut Block) -> Container {
    let place = cell(code, "container", ty.clone());
    let done = cell(code, "done", Type::Bool);
    let compared = Parts::of(&ty).entry.is_some_and(|t| code.program.builder.stack.capabilities(t).compared);
    let rows = methods::all(&ty).filter(|(_, row)| compared || !row.compares);
    let operations: Vec<Operation> = rows.map(|(operation, _)| operation).collect();
    let case = |at: u64| num(first + at, Type::UInt(16));
    for (at, operation) in operations.iter().enumerate() {
        call(code, *operation, &place, &done);
        let this = build::equal(parameter(0, Type::UInt(16)), case(at as u64));
        body.push(when(this, std::mem::take(&mut code.body), vec![]));
    }
    look(code, &place);
    let number = || parameter(0, Type::UInt(16));
    let (from, to) = (build::not(build::less(number(), case(0))), build::less(number(), case(operations.len() as u64)));
    body.push(when(build::binary(BinaryOp::Both, from, to), std::mem::take(&mut code.body), vec![]));
    let [Root::Cell(cell), Root::Cell(done)] = [place.root, done.root] else { panic!("cells") };
    Container { ty, cell, done, first, operations }
}

/// A cell of the current container.
fn cell(code: &mut Code, what: &str, ty: Type) -> Place {
    let name = format!("{}: {what}", code.name);
    code.program.cell(&name, ty, None)
}

fn parameter(at: u32, ty: Type) -> Expr {
    expr(ExprKind::Local(LocalId(at)), ty)
}

/// A value of a type made of a number and the message.
fn made(stack: &Stack, ty: &Type, x: &Expr) -> Expr {
    let make = |kind| expr(kind, ty.clone());
    let small = |n: u64| build::binary(BinaryOp::Rem, x.clone(), num(n, Type::UInt(64)));
    let cut = |value: Expr| make(ExprKind::Convert(Box::new(value)));
    match ty {
        Type::Range(low, high) => cut(build::add(small(high - low), num(*low, Type::UInt(64)))),
        Type::Enum(of) => cut(small(stack.enums[of.index()].variants.len() as u64)),
        Type::Msg => make(ExprKind::Share(Box::new(parameter(3, Type::Msg)))),
        Type::Option(inner) => {
            let there = build::equal(small(3), num(0, Type::UInt(64)));
            let some = make(ExprKind::Some(Box::new(made(stack, inner, x))));
            make(ExprKind::If(Box::new(there), Box::new(make(ExprKind::None)), Box::new(some)))
        }
        Type::Tuple(types) => make(ExprKind::Tuple(types.iter().map(|t| made(stack, t, x)).collect())),
        Type::Struct(of) => {
            let fields = stack.structs[of.index()].fields.clone();
            make(ExprKind::Struct(fields.iter().map(|f| made(stack, &f.ty, x)).collect()))
        }
        Type::Array(t, n) => make(ExprKind::Array(vec![made(stack, t, x); *n as usize])),
        Type::Bytes(_) | Type::Text(_) => make(ExprKind::BytesOf(Box::new(x.clone()))),
        _ => cut(x.clone()),
    }
}

/// An argument: an entry or a key of `x`, a number or slot of `y`.
fn argument(code: &Code, parts: &Parts, operand: Operand, also: bool) -> Expr {
    let stack = &code.program.builder.stack;
    let [x, y] = [1, 2].map(|at| parameter(at, Type::UInt(64)));
    let ty = parts.operand(operand).unwrap_or(Type::UInt(64));
    match operand {
        Operand::Key if also => made(stack, &ty, &y),
        Operand::Entry | Operand::Key => made(stack, &ty, &x),
        _ => made(stack, &ty, &y),
    }
}

/// Calls an operation and stores its results.
fn call(code: &mut Code, operation: Operation, place: &Place, done: &Place) {
    let parts = Parts::of(&place.ty);
    let row = operation.row(&place.ty).expect("a row of the table");
    let keyed = row.takes.contains(&Operand::Key);
    let arguments: Vec<Expr> = row.takes.iter().map(|operand| argument(code, &parts, *operand, keyed)).collect();
    let fails = row.success == Success::Fails;
    let back = fails.then(|| code.local(arguments.last().expect("a last argument").ty.clone()));
    let was = fails.then(|| code.local(Type::Bool));
    let into = row.gives.map(|operand| {
        let ty = parts.operand(operand).unwrap_or(Type::UInt(32));
        code.local(if row.success == Success::Always { ty } else { Type::Option(Box::new(ty)) })
    });
    code.body.push(build::operate(operation, place, arguments, into.as_ref(), was.as_ref(), back.as_ref()));
    let word = operation.method().word;
    if let Some(into) = into {
        let kept = cell(code, &format!("{word} gave"), into.ty.clone());
        code.body.push(store(&kept, into));
    }
    let succeeded = was.clone().unwrap_or_else(|| num(1, Type::Bool));
    code.body.push(store(done, succeeded));
    if let (Some(back), Some(was)) = (back, was) {
        let option = Type::Option(Box::new(back.ty.clone()));
        let kept = cell(code, &format!("{word} gave back"), option.clone());
        let given = store(&kept, expr(ExprKind::Some(Box::new(back)), option));
        code.body.push(when(was, vec![], vec![given]));
    }
}

/// Evaluates all queries, and iterates over all entries.
fn look(code: &mut Code, place: &Place) {
    let parts = Parts::of(&place.ty);
    for question in QUESTIONS {
        let Some(row) = question.query.row(&place.ty) else { continue };
        let comparable = parts.entry.is_none_or(|t| code.program.builder.stack.capabilities(t).compared);
        if row.compares && !comparable {
            continue;
        }
        let arguments: Vec<Expr> = row.takes.iter().map(|operand| argument(code, &parts, *operand, true)).collect();
        let ty = match row.gives {
            Answer::Number => Type::UInt(32),
            _ => row.result(&place.ty).expect("the type of an answer"),
        };
        let told = cell(code, question.word, ty.clone());
        code.body.push(store(&told, query(question.query, place, arguments, ty)));
    }
    let entry = parts.entry.expect("entries").clone();
    let linear = code.program.builder.stack.has_message(&entry);
    let index = code.local(match parts.bits {
        Some(bits) => Type::Seq(bits),
        None => Type::UInt(32),
    });
    let value = (!linear).then(|| code.local(entry.clone()));
    let key = parts.key.map(|key| code.local(key.clone()));
    let at = cell(code, "visited", Type::UInt(32));
    let trail = |code: &mut Code, name: &str, ty: &Type| cell(code, name, Type::Array(Box::new(ty.clone()), 8));
    let here = |place: &Place, ty: &Type| build::at(place, load(&at), ty.clone());
    let mut body: Block = vec![];
    for (name, local) in [("index", Some(&index)), ("key", key.as_ref()), ("value", value.as_ref())] {
        let Some(local) = local else { continue };
        let kept = trail(code, &format!("{name} visited"), &local.ty);
        body.push(store(&here(&kept, &local.ty), local.clone()));
    }
    body.push(store(&at, build::add(load(&at), num(1, Type::UInt(32)))));
    code.body.push(store(&at, num(0, Type::UInt(32))));
    let limit =
        |at| parts.bits.map(|bits| made(&code.program.builder.stack, &Type::Seq(bits), &parameter(at, Type::UInt(64))));
    let (from, to) = (limit(1), limit(2));
    let walk = Walk {
        over: place.clone(),
        index: Some(id(&index)),
        key: key.as_ref().map(id),
        value: value.as_ref().map(id),
        from: None,
        to: None,
        drain: false,
    };
    let some = Walk { from, to, ..walk.clone() };
    let bound = parts.capacity;
    code.body.push(StatementKind::Each { walk, bound, body: body.clone() }.into());
    if some.from.is_some() {
        code.body.push(StatementKind::Each { walk: some, bound, body }.into());
    }
    if code.program.builder.stack.capabilities(&place.ty).compared {
        let before = cell(code, "before", place.ty.clone());
        let same = cell(code, "as before", Type::Bool);
        code.body.push(store(&same, build::equal(load(place), load(&before))));
        let copied = store(&before, load(place));
        let now = build::equal(
            made(&code.program.builder.stack, &Type::UInt(1), &parameter(2, Type::UInt(64))),
            num(1, Type::UInt(1)),
        );
        code.body.push(when(now, vec![copied], vec![]));
    }
}
