//! The reader inverts the printer.

use nacre_stack::samples::{self, build::*};
use nacre_stack::*;

fn round_trip(stack: &Stack) -> String {
    let text = print(stack);
    match read(&text) {
        Ok(again) => assert!(again == *stack, "{}\n{}", text, print(&again)),
        Err(error) => panic!("{error}\n{text}"),
    }
    text
}

#[test]
fn samples_are_read_back() {
    for stack in samples::all() {
        round_trip(&stack);
    }
}

#[test]
fn comments_are_skipped() {
    let text = print(&samples::sequencer());
    let commented = format!("// Above.\n{}", text.replace('\n', " // \"behind\" { [\n"));
    assert!(read(&commented).unwrap() == samples::sequencer());
    let error = read("// One line, then another.\n\nstack").unwrap_err();
    assert_eq!(error.line, 3, "{error}");
}

#[test]
fn text_is_readable() {
    let text = round_trip(&samples::sequencer());
    for line in [
        "cell last of sequencer session 'seq32",
        "initial @next = 1'seq32;",
        "event send down [m'msg] message 0 as sending",
        "  emit layer floor send(push(%m, Seq, @next));",
        "  if (@last < %number) {",
        "reaction floor receive [First floor.up.receive.First, Agreed floor.up.receive.Agreed]",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
}

/// Constructs that the samples do not have.
#[test]
fn every_construct_is_read_back() {
    let mut stack = samples::desk();
    let u8_ = Type::UInt(8);
    let b = |e: Expr| Box::new(e);
    let list_ty = Type::List(Box::new(Type::Msg), 3);
    let cell = |name: &str, ty: Type| Cell {
        name: name.into(),
        layer: LayerId(0),
        scope: Scope::Session,
        ty,
        initial: None,
        locals: vec![],
        draws: vec![],
        secret: true,
        role: Some(GivenRole::Cookie),
    };
    stack.cells.push(cell("peer", list_ty.clone()));
    stack.cells.push(cell("odd name\n\"", Type::Option(Box::new(Type::Msg))));
    let list = Place { root: Root::Cell(CellId(stack.cells.len() as u32 - 2)), path: vec![], ty: list_ty };
    let option_ty = Type::Option(Box::new(Type::Msg));
    let option = Place { root: Root::Cell(CellId(stack.cells.len() as u32 - 1)), path: vec![], ty: option_ty.clone() };
    stack.headers[0].fields[0].place = FieldPlace::Byte(7);
    stack.enums.push(Enum { name: "Colour".into(), variants: vec!["Red".into(), "Green".into()] });
    stack.layers[0].span = Span { file: nacre_diagnostics::SourceId(2), start: 3, end: 9 };
    stack.externs.push(Extern {
        name: "mix".into(),
        parameters: vec![Parameter { name: "x".into(), ty: u8_.clone() }],
        result: Some(u8_.clone()),
        pure_: true,
        inverse_of: Some("unmix".into()),
        through: Some("half".into()),
        grows: 1,
        shrinks: 2,
        range: Some(7),
        body: Some("return x;\n".into()),
        span: Span::default(),
    });
    let handler = &mut stack.handlers[0];
    let mut local = |name: &str, ty: Type| {
        handler.locals.push(Local { name: name.into(), ty: ty.clone(), by_ref: name == "borrowed" });
        Expr::new(ExprKind::Local(LocalId(handler.locals.len() as u32 - 1)), ty, Span::default())
    };
    let (m, o, n) = (local("m", Type::Msg), local("o", option_ty), local("n", u8_.clone()));
    let twice = local("n", u8_.clone());
    let set_ty = Type::Bits(9);
    let s = local("data", set_ty.clone());
    let r = Place { root: Root::Local(LocalId(5)), path: vec![], ty: u8_.clone() };
    let k = |n: u64| num(n, Type::UInt(8));
    let e = |kind, ty: Type| Expr::new(kind, ty, Span::default());
    let tuple = e(ExprKind::Tuple(vec![k(1), num(1, Type::Bool)]), Type::Tuple(vec![u8_.clone(), Type::Bool]));
    let array_ty = Type::Array(Box::new(u8_.clone()), 2);
    let array = e(ExprKind::Array(vec![k(1), k(2)]), array_ty);
    let bytes = e(ExprKind::Literal(vec![0, 255, 34]), Type::Bytes(3));
    let values = vec![
        e(ExprKind::If(b(num(0, Type::Bool)), b(k(1)), b(k(2))), u8_.clone()),
        e(ExprKind::MulDiv(b(k(7)), b(k(8)), b(k(9))), u8_.clone()),
        e(ExprKind::Field(b(tuple), 0), u8_.clone()),
        e(ExprKind::Index(b(array), b(k(1))), u8_.clone()),
        e(ExprKind::Now, Type::Instant),
        e(ExprKind::Room, Type::UInt(16)),
        e(ExprKind::Concat(vec![bytes.clone(), e(ExprKind::BytesOf(b(k(3))), Type::Bytes(1))]), Type::Bytes(4)),
        e(ExprKind::Part(b(bytes), b(k(0)), b(k(1))), Type::Bytes(1)),
        e(ExprKind::Extern(ExternId(0), vec![k(1)]), u8_.clone()),
        e(ExprKind::Slice(b(m.clone()), b(k(0)), b(k(1))), Type::Msg),
        e(ExprKind::Rest(b(m.clone()), b(k(1))), Type::Msg),
        e(ExprKind::Pack(LayoutId(0), b(m.clone())), Type::Msg),
        e(ExprKind::PackView(LayoutId(0), b(m.clone())), Type::View),
        e(ExprKind::Through(FilterId(0), b(view(m.clone()))), Type::UInt(16)),
        e(ExprKind::Unary(UnaryOp::Negate, b(k(1))), u8_.clone()),
        e(ExprKind::Unary(UnaryOp::Fold16, b(num(u64::MAX, Type::UInt(64)))), Type::UInt(16)),
        e(ExprKind::Load(Box::new(r.clone())), u8_.clone()),
        e(ExprKind::None, Type::Option(Box::new(Type::Enum(EnumId(0))))),
        query(Query::First, &Place { root: Root::Local(id(&s)), path: vec![], ty: set_ty }, vec![], Type::Range(0, 9)),
        length(m.clone()),
        twice.clone(),
    ];
    stack.filters.push(Filter {
        name: "sum".into(),
        state: vec![Local { name: "s".into(), ty: u8_.clone(), by_ref: false }],
        unit: FilterUnit::Byte,
        locals: vec![
            Local { name: "s".into(), ty: u8_.clone(), by_ref: false },
            Local { name: "x".into(), ty: u8_.clone(), by_ref: false },
        ],
        inputs: vec![LocalId(1)],
        initial: vec![Some(k(4))],
        body: vec![StatementKind::Yield(k(1)).into(), StatementKind::Reject.into()],
        end: vec![],
        result: Some(num(1, Type::UInt(16))),
        functions: vec![FunctionId(0)],
        grows: (1, 3, 5),
        rejects: true,
        span: Span::default(),
    });
    let walk = Walk {
        over: list.clone(),
        index: None,
        key: Some(id(&n)),
        value: Some(id(&m)),
        from: Some(k(1)),
        to: Some(k(2)),
        drain: true,
    };
    let body = &mut stack.handlers[0].body;
    body.extend(values.into_iter().map(|v| StatementKind::Let(id(&n), v).into()));
    for op in [
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Or,
        BinaryOp::Shl,
        BinaryOp::NotEqual,
        BinaryOp::LessEqual,
        BinaryOp::Min,
        BinaryOp::Subset,
    ] {
        body.push(StatementKind::Let(id(&n), binary(op, k(1), k(2))).into());
    }
    let more = [
        StatementKind::Loop { bound: 3, body: vec![StatementKind::Break.into()] },
        StatementKind::For {
            variable: id(&n),
            from: k(0),
            to: k(9),
            bound: 9,
            body: vec![StatementKind::Return(Some(k(1))).into()],
        },
        StatementKind::Each {
            walk,
            bound: 4,
            body: vec![StatementKind::Unreachable.into(), StatementKind::Impossible.into()],
        },
        StatementKind::Call {
            into: Some(id(&n)),
            function: FunctionId(0),
            arguments: vec![Argument::Reference(r), Argument::Value(k(1))],
        },
        StatementKind::CallExtern { into: None, function: ExternId(0), arguments: vec![k(1)] },
        StatementKind::Filter { into: id(&m), filter: FilterId(0), input: view(m.clone()) },
        StatementKind::Unpack { into: id(&o), layout: LayoutId(0), message: m.clone() },
        StatementKind::Join { into: id(&m), parts: list, last: m.clone() },
        StatementKind::Take { into: id(&o), place: option },
        StatementKind::If {
            condition: is_some(o),
            likely: Some(false),
            then: vec![],
            otherwise: vec![StatementKind::Return(None).into()],
        },
        StatementKind::Assert(num(1, Type::Bool), "say \"no\" \u{1f41a}\n".into()),
    ];
    body.extend(more.map(Statement::from));
    let arms = &mut stack.layers[0].reactions[0].arms;
    arms[0].guard.data = true;
    let text = round_trip(&stack);
    assert!(text.contains("%#"), "locals of one name are told apart by their index");
}

#[test]
fn invalid_text_of_a_stack_is_rejected_with_its_line() {
    let text = print(&samples::desk());
    assert_eq!(read("stack a \"b\"\nlayr x").expect_err("an error").line, 2);
    let error =
        read(&text.replacen("emit port below transmit", "emit port below transmogrify", 1)).expect_err("an error");
    assert!(error.to_string().contains("`transmogrify` is not declared"), "{error}");
    let deep = format!("layer a \"\" version 1\ninvariant a {}true", "not(".repeat(5000));
    assert!(read(&deep).expect_err("an error").text.contains("too deep"));
    // No prefix of a text, and no text without one of its characters, makes the reader panic.
    for cut in (0..text.len()).step_by(7).filter(|c| text.is_char_boundary(*c)) {
        let _ = read(&text[..cut]);
        let _ = read(&format!("{}{}", &text[..cut], text[cut..].chars().skip(1).collect::<String>()));
    }
}
