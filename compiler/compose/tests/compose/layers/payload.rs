//! Layers that read or change payload.

use nacre_stack::samples::build::*;
use nacre_stack::*;
use nacre_typed::Fragment;

use super::maker::*;

pub const PIECES: u32 = 8;

/// A layer without handlers that has the headers of a piece and of the last piece.
pub fn cutter(size: u32, pieces: u32) -> (Maker, Channel, [HeaderId; 2]) {
    let mut l = Maker::new("frag", &format!("frag<{size}>"));
    l.fragment.wire_parameters.push(("SIZE".into(), u64::from(size)));
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let piece = l.header("Piece", &[]);
    let last = l.header("Last", &[("count", Type::Range(0, u64::from(pieces)))]);
    (l, c, [piece, last])
}

/// Cuts messages into pieces of a size.
pub fn frag(size: u32) -> Fragment {
    let (mut l, c, [piece, last]) = cutter(size, PIECES);
    let parts = l.cell("parts", Type::List(Box::new(Type::Msg), PIECES));
    let word = Type::UInt(32);
    let number = |n: u32| num(u64::from(n), Type::UInt(32));
    l.on(c.send, None, |f, a| {
        let m = &a[0];
        let (count, i) = (f.add("count", word.clone()), f.add("i", word.clone()));
        let fits = binary(BinaryOp::LessEqual, length(m.clone()), number(size));
        let many = binary(BinaryOp::Div, binary(BinaryOp::Sub, length(m.clone()), number(1)), number(size));
        let from = |n: &Expr| Box::new(binary(BinaryOp::Mul, n.clone(), number(size)));
        let slice = expr(ExprKind::Slice(Box::new(m.clone()), from(&i), Box::new(number(size))), Type::Msg);
        let rest = expr(ExprKind::Rest(Box::new(m.clone()), from(&count)), Type::Msg);
        let body = vec![emit(DOWN, c.send, vec![push(slice, piece, vec![])])];
        vec![
            when(fits, vec![emit(DOWN, c.send, vec![m.clone()]), StatementKind::Return(None).into()], vec![]),
            set(&count, many),
            StatementKind::For { variable: id(&i), from: number(0), to: count.clone(), bound: PIECES, body }.into(),
            emit(DOWN, c.send, vec![push(rest, last, vec![convert(count, Type::Range(0, u64::from(PIECES)))])]),
        ]
    });
    l.on(c.deliver, Some(piece), |f, a| {
        let (done, back) = (f.add("done", Type::Bool), f.add("back", Type::Msg));
        vec![
            operate(Operation::Push, &parts, vec![a[0].clone()], None, Some(&done), Some(&back)),
            when(not(done), vec![release(&back), operate(Operation::Clear, &parts, vec![], None, None, None)], vec![]),
        ]
    });
    l.on(c.deliver, Some(last), |f, a| {
        let whole = f.add("whole", Type::Msg);
        let complete = equal(query(Query::Len, &parts, vec![], word.clone()), convert(a[1].clone(), word.clone()));
        vec![when(
            complete,
            vec![
                StatementKind::Join { into: id(&whole), parts: parts.clone(), last: a[0].clone() }.into(),
                emit(UP, c.deliver, vec![whole]),
            ],
            vec![release(&a[0]), operate(Operation::Clear, &parts, vec![], None, None, None)],
        )]
    });
    let m = Local { name: "m".into(), ty: Type::Msg, by_ref: false };
    let message = expr(ExprKind::Local(LocalId(0)), Type::Msg);
    let short_enough = binary(BinaryOp::LessEqual, length(message), number(size * PIECES));
    l.fragment.accepts.push((c.send, Admission { layer: LAYER, locals: vec![m], condition: short_enough }));
    l.done()
}

/// A checksum over everything above, headers included.
pub fn checksum() -> Fragment {
    let mut l = Maker::new("checksum", "checksum");
    l.fragment.packs = true;
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let sum = l.header("Sum", &[("sum", Type::UInt(16))]);
    let word = Type::UInt(64);
    let local = |i: u32, ty: Type| expr(ExprKind::Local(LocalId(i)), ty);
    let total = local(0, word.clone());
    let locals = vec![
        Local { name: "sum".into(), ty: word.clone(), by_ref: false },
        Local { name: "w".into(), ty: Type::UInt(32), by_ref: false },
    ];
    l.b.stack.filters.push(Filter {
        name: "ones_complement".into(),
        state: vec![locals[0].clone()],
        unit: FilterUnit::Word,
        locals,
        inputs: vec![LocalId(1)],
        initial: vec![None],
        body: vec![set(&total, add(total.clone(), convert(local(1, Type::UInt(32)), word.clone())))],
        end: vec![],
        result: Some(expr(ExprKind::Unary(UnaryOp::Fold16, Box::new(total)), Type::UInt(16))),
        functions: vec![],
        grows: (0, 1, 0),
        rejects: false,
        span: Span::default(),
    });
    let summed = |m: &Expr| {
        let packed = expr(ExprKind::PackView(LayoutId(0), Box::new(share(m.clone()))), Type::View);
        expr(ExprKind::Through(FilterId(0), Box::new(packed)), Type::UInt(16))
    };
    l.on(c.send, None, |f, a| {
        let value = f.add("value", Type::UInt(16));
        vec![set(&value, summed(&a[0])), emit(DOWN, c.send, vec![push(a[0].clone(), sum, vec![value])])]
    });
    l.on(c.deliver, Some(sum), |_, a| {
        let right = equal(a[1].clone(), summed(&a[0]));
        vec![when(right, vec![emit(UP, c.deliver, vec![a[0].clone()])], vec![release(&a[0])])]
    });
    l.on(c.deliver, None, |_, a| vec![release(&a[0]), StatementKind::Impossible.into()]);
    l.done()
}

/// Encrypts the bytes of the layers above.
pub fn encrypt() -> Fragment {
    let mut l = Maker::new("encrypt", "encrypt");
    l.fragment.packs = true;
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let sealed = l.header("Sealed", &[("number", Type::UInt(64))]);
    let sent = l.cell("sent", Type::UInt(64));
    let m = Parameter { name: "m".into(), ty: Type::Msg };
    let function = |name: &str, result: Type, grows: u32, shrinks: u32| Extern {
        name: name.into(),
        parameters: vec![m.clone()],
        result: Some(result),
        pure_: true,
        inverse_of: None,
        through: None,
        grows,
        shrinks,
        range: None,
        body: None,
        span: Span::default(),
    };
    let optional = Type::Option(Box::new(Type::Msg));
    l.b.stack.externs.push(function("seal", Type::Msg, 16, 0));
    l.b.stack.externs.push(function("unseal", optional.clone(), 0, 16));
    l.on(c.send, None, |f, a| {
        let hidden = f.add("hidden", Type::Msg);
        let packed = expr(ExprKind::Pack(LayoutId(0), Box::new(a[0].clone())), Type::Msg);
        vec![
            StatementKind::CallExtern { into: Some(id(&hidden)), function: ExternId(0), arguments: vec![packed] }
                .into(),
            emit(DOWN, c.send, vec![push(hidden, sealed, vec![load(&sent)])]),
        ]
    });
    l.on(c.deliver, Some(sealed), |f, a| {
        let (plain, whole) = (f.add("plain", optional.clone()), f.add("whole", optional.clone()));
        vec![
            StatementKind::CallExtern { into: Some(id(&plain)), function: ExternId(1), arguments: vec![a[0].clone()] }
                .into(),
            when(not(is_some(plain.clone())), vec![StatementKind::Return(None).into()], vec![]),
            StatementKind::Unpack { into: id(&whole), layout: LayoutId(0), message: unwrap(plain) }.into(),
            when(is_some(whole.clone()), vec![emit(UP, c.deliver, vec![unwrap(whole)])], vec![]),
        ]
    });
    l.on(c.deliver, None, |_, a| vec![release(&a[0]), StatementKind::Impossible.into()]);
    l.done()
}
