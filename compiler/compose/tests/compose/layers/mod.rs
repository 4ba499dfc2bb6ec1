//! Layers built by hand, in the form that the type checker produces.

mod maker;
mod payload;
mod transport;

use nacre_stack::samples::build::*;
use nacre_stack::*;
use nacre_typed::Fragment;

pub use maker::*;
pub use payload::*;
pub use transport::*;

/// Also delivers sent messages locally: at once, or in the next step.
pub fn local(later_: bool) -> Fragment {
    let mut l = Maker::new("local", "local");
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let put = if later_ { later } else { emit };
    l.on(c.send, None, |_, a| {
        vec![put(UP, c.deliver, vec![share(a[0].clone())]), emit(DOWN, c.send, vec![a[0].clone()])]
    });
    l.done()
}

/// Answers each delivery by sending it back; `later` a step afterwards.
pub fn echo() -> Fragment {
    let mut l = Maker::new("echo", "echo");
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    l.on(c.deliver, None, |_, a| vec![emit(DOWN, c.send, vec![a[0].clone()])]);
    l.done()
}

/// Sends each message this many times.
pub fn burst(times: u32) -> Fragment {
    let mut l = Maker::new("burst", &format!("burst<{times}>"));
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    l.on(c.send, None, |_, a| {
        let body = vec![emit(DOWN, c.send, vec![share(a[0].clone())])];
        vec![StatementKind::Loop { bound: times, body }.into(), release(&a[0])]
    });
    l.done()
}

/// A layer without handlers.
pub fn silent() -> Maker {
    let mut l = Maker::new("silent", "silent");
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    l
}

/// The channel of a layer made by `silent`.
pub fn channel_of(l: &Maker) -> Channel {
    let named = |name: &str| {
        let at = l.b.stack.events.iter().position(|e| e.name == name).expect("an event of the channel");
        EventId(at as u32)
    };
    Channel {
        send: named("send"),
        deliver: named("deliver"),
        grant_sends: named("grant_sends"),
        close: named("close"),
        init: named("init"),
    }
}

/// Cuts messages into pieces as its credit allows; the rest waits. Similar to `frag` of the library.
pub fn patient_frag(size: u32, pieces: u32) -> Fragment {
    let (mut l, c, [piece, last]) = cutter(size, pieces);
    let (word, short) = (Type::UInt(32), Type::UInt(16));
    let credit = l.cell("credit", short.clone());
    let waiting = l.cell("waiting", Type::Ring(Box::new(Type::Msg), 1));
    let cut = l.cell("cut", word.clone());
    let number = |n: u32| num(u64::from(n), Type::UInt(32));
    let less_credit = binary(BinaryOp::Sub, load(&credit), num(1, short.clone()));
    let send_pieces = l.b.function(LAYER, "send_pieces", 1, None, |f| {
        let (m, at, left) = (f.add("m", Type::Msg), f.add("at", word.clone()), f.add("left", Type::Msg));
        let (done, back) = (f.add("done", Type::Bool), f.add("back", Type::Msg));
        let some_credit = less(zero(short.clone()), load(&credit));
        let more = less(add(at.clone(), number(size)), length(m.clone()));
        let slice = expr(ExprKind::Slice(Box::new(m.clone()), Box::new(at.clone()), Box::new(number(size))), Type::Msg);
        let turn = vec![
            emit(DOWN, c.send, vec![push(slice, piece, vec![])]),
            set(&at, add(at.clone(), number(size))),
            store(&cut, add(load(&cut), number(1))),
            store(&credit, less_credit.clone()),
        ];
        let rest = expr(ExprKind::Rest(Box::new(m), Box::new(at.clone())), Type::Msg);
        let count = convert(load(&cut), Type::Range(0, u64::from(pieces)));
        vec![
            set(&at, zero(word.clone())),
            StatementKind::Loop {
                bound: pieces + 1,
                body: vec![when(binary(BinaryOp::Both, some_credit, more), turn, vec![StatementKind::Break.into()])],
            }
            .into(),
            set(&left, rest),
            when(
                equal(load(&credit), zero(short.clone())),
                vec![
                    operate(Operation::Push, &waiting, vec![left.clone()], None, Some(&done), Some(&back)),
                    when(not(done), vec![release(&back), StatementKind::Unreachable.into()], vec![]),
                    StatementKind::Return(None).into(),
                ],
                vec![],
            ),
            emit(DOWN, c.send, vec![push(left, last, vec![count])]),
            store(&credit, less_credit.clone()),
        ]
    });
    let call = |m: Expr| StatementKind::Call { into: None, function: send_pieces, arguments: vec![Argument::Value(m)] };
    l.on(c.send, None, |_, a| {
        let fits = binary(BinaryOp::LessEqual, length(a[0].clone()), number(size));
        let short_message = vec![
            store(&credit, less_credit.clone()),
            emit(DOWN, c.send, vec![a[0].clone()]),
            StatementKind::Return(None).into(),
        ];
        vec![when(fits, short_message, vec![]), store(&cut, number(0)), call(a[0].clone()).into()]
    });
    l.on(c.grant_sends, None, |f, a| {
        let left = f.add("left", Type::Option(Box::new(Type::Msg)));
        vec![
            store(&credit, add(load(&credit), a[0].clone())),
            operate(Operation::Pop, &waiting, vec![], Some(&left), None, None),
            when(is_some(left.clone()), vec![call(unwrap(left)).into()], vec![]),
            emit(UP, c.grant_sends, vec![a[0].clone()]),
        ]
    });
    for header in [piece, last] {
        l.on(c.deliver, Some(header), |_, a| vec![emit(UP, c.deliver, vec![a[0].clone()])]);
    }
    let m = Local { name: "m".into(), ty: Type::Msg, by_ref: false };
    let message = expr(ExprKind::Local(LocalId(0)), Type::Msg);
    let room = less(zero(short.clone()), load(&credit));
    let condition = binary(BinaryOp::Both, room, binary(BinaryOp::LessEqual, length(message), number(size * pieces)));
    l.fragment.accepts.push((c.send, Admission { layer: LAYER, locals: vec![m], condition }));
    l.done()
}
