//! `numbered / sealed`: a layer that packs the headers above it, sums them, and turns every byte by a given key.

use super::build::*;
use crate::*;

pub fn stack() -> Stack {
    let mut b = Builder::new("sealed", "numbered / sealed");
    let (sealed, numbered) = (b.layer("sealed"), b.layer("numbered"));
    let message = ("m", Type::Msg);
    let transmit = b.event("transmit", Direction::Down, &[("to", Type::Addr), message.clone()]);
    let receive = b.event("receive", Direction::Up, &[("from", Type::Addr), message.clone()]);
    let send = b.event("send", Direction::Down, std::slice::from_ref(&message));
    let deliver = b.event("deliver", Direction::Up, &[message]);

    let packed = FieldPlace::Packed;
    let (sum, number) = (Type::UInt(16), Type::Seq(16));
    let seal = b.header(sealed, "Seal", &[("sum", sum.clone(), packed)]);
    b.stack.headers[seal.index()].fields[0].big_endian = true;
    let first = b.header(numbered, "First", &[("odd", Type::Bool, packed), ("number", number.clone(), packed)]);
    let peer = b.cell(sealed, "peer", Scope::Given, Type::Addr, None);
    let key = b.cell(sealed, "key", Scope::Given, Type::UInt(8), Some(num(0x5a, Type::UInt(8))));
    let Root::Cell(key_cell) = key.root else { panic!("a cell") };
    b.stack.cells[key_cell.index()].secret = true;
    let next = b.cell(numbered, "next", Scope::Session, number.clone(), Some(num(0xfffe, number.clone())));
    let damaged = b.counter(sealed, "damaged");

    b.stack.filters.push(ones_complement());
    b.stack.filters.push(turn(&key));
    let inner = LayoutId(1);
    let option = Type::Option(Box::new(Type::Msg));
    let (network, above) = (Target::Port(PortId(0)), Target::Layer(numbered));

    b.handler(sealed, send, None, |l, a| {
        let (raw, turned) = (l.add("raw", Type::Msg), l.add("turned", Type::Msg));
        let check = l.add("check", sum.clone());
        let view_of = |m: &Expr| view(m.clone());
        vec![
            set(&raw, expr(ExprKind::Pack(inner, Box::new(a[0].clone())), Type::Msg)),
            set(&check, expr(ExprKind::Through(FilterId(0), Box::new(view_of(&raw))), sum.clone())),
            Statement::Filter { into: id(&turned), filter: FilterId(1), input: view_of(&raw) },
            release(&raw),
            emit(network, transmit, vec![load(&peer), push(turned, seal, vec![check])]),
        ]
    });
    b.handler(sealed, receive, Some(seal), |l, a| {
        let (raw, whole) = (l.add("raw", Type::Msg), l.add("whole", option.clone()));
        let check = expr(ExprKind::Through(FilterId(0), Box::new(view(raw.clone()))), sum.clone());
        vec![
            Statement::Filter { into: id(&raw), filter: FilterId(1), input: view(a[1].clone()) },
            release(&a[1]),
            when(not(equal(check, a[2].clone())), vec![release(&raw), count(damaged), Statement::Return(None)], vec![]),
            Statement::Unpack { into: id(&whole), layout: inner, message: raw },
            when(is_some(whole.clone()), vec![emit(above, deliver, vec![unwrap(whole)])], vec![count(damaged)]),
        ]
    });
    b.handler(numbered, send, None, |_, a| {
        let odd = binary(BinaryOp::And, convert(load(&next), Type::UInt(16)), num(1, Type::UInt(16)));
        let header = vec![convert(odd, Type::Bool), load(&next)];
        vec![
            emit(Target::Layer(sealed), send, vec![push(a[0].clone(), first, header)]),
            store(&next, add(load(&next), num(1, number.clone()))),
        ]
    });
    b.handler(numbered, deliver, Some(first), |_, a| vec![emit(Target::Port(PortId(1)), deliver, vec![a[0].clone()])]);

    b.input(0, receive, sealed, Need::default());
    b.output(0, transmit);
    b.input(1, send, numbered, Need::default());
    b.output(1, deliver);
    let outer = b.layout(sealed, LayoutForm::Plain, super::FINGERPRINT);
    b.shape(outer, transmit, &[seal], true, 1);
    let layout = b.layout(sealed, LayoutForm::Plain, 0);
    b.shape(layout, send, &[first], true, 1);
    b.stack
}

fn ones_complement() -> Filter {
    let mut l = Locals::default();
    let wide = Type::UInt(64);
    let (sum, word) = (l.add("sum", wide.clone()), l.add("word", Type::UInt(32)));
    let body = vec![set(&sum, add(sum.clone(), convert(word.clone(), wide)))];
    Filter {
        name: "ones_complement".into(),
        state: vec![l.0[0].clone()],
        unit: FilterUnit::Word,
        locals: l.0,
        input: id(&word),
        initial: vec![None],
        body,
        end: vec![],
        result: Some(expr(ExprKind::Unary(UnaryOp::Fold16, Box::new(sum)), Type::UInt(16))),
        functions: vec![],
        grows: (0, 1, 0),
        rejects: false,
        span: Span::default(),
    }
}

/// Every byte xor the key; it is its own inverse.
fn turn(key: &Place) -> Filter {
    let mut l = Locals::default();
    let byte = l.add("byte", Type::UInt(8));
    let body = vec![Statement::Yield(binary(BinaryOp::Xor, byte.clone(), load(key)))];
    Filter {
        name: "turn".into(),
        state: vec![],
        unit: FilterUnit::Byte,
        locals: l.0,
        input: id(&byte),
        initial: vec![],
        body,
        end: vec![],
        result: None,
        functions: vec![],
        grows: (0, 1, 0),
        rejects: false,
        span: Span::default(),
    }
}
