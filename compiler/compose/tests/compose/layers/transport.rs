//! Layers that number and retransmit messages, and lowest layers.

use nacre_stack::samples::build::*;
use nacre_stack::*;
use nacre_typed::Fragment;

use super::maker::*;

/// Fields from the given values of the connection; short frames once a cookie is known.
pub fn floor() -> Fragment {
    let mut l = Maker::new("floor", "floor");
    let (c, d) = (l.channel(), l.datagram_below());
    l.channel_above(c);
    let (cookie_ty, word) = (Type::UInt(24), Type::UInt(64));
    let (packed, at_cookie, at_fingerprint) = (FieldPlace::Packed, FieldPlace::Cookie, FieldPlace::Fingerprint);
    let short = l.b.header(LAYER, "Short", &[("to", cookie_ty.clone(), at_cookie)]);
    let fields = [
        ("to", cookie_ty.clone(), at_cookie),
        ("stack", word.clone(), at_fingerprint),
        ("source", word.clone(), packed),
        ("cookie", cookie_ty.clone(), packed),
    ];
    let identified = l.b.header(LAYER, "Identified", &fields);
    let (peer, source) = (l.given("peer", Type::Addr), l.given("source", word.clone()));
    let cookie = l.given("cookie", cookie_ty.clone());
    let (theirs, confirmed) = (l.cell("theirs", cookie_ty.clone()), l.cell("confirmed", Type::Bool));
    let fingerprint = expr(ExprKind::Fingerprint, word.clone());
    l.on(c.send, None, |_, a| {
        let short = push(a[0].clone(), short, vec![load(&theirs)]);
        let long =
            push(a[0].clone(), identified, vec![load(&theirs), fingerprint.clone(), load(&source), load(&cookie)]);
        vec![when(
            load(&confirmed),
            vec![emit(DOWN, d.send, vec![load(&peer), short])],
            vec![emit(DOWN, d.send, vec![load(&peer), long])],
        )]
    });
    l.on(d.deliver, Some(short), |_, a| {
        vec![when(
            equal(a[2].clone(), load(&cookie)),
            vec![store(&confirmed, num(1, Type::Bool)), emit(UP, c.deliver, vec![a[1].clone()])],
            vec![release(&a[1]), StatementKind::Impossible.into()],
        )]
    });
    l.on(d.deliver, Some(identified), |_, a| {
        vec![when(
            equal(a[3].clone(), fingerprint.clone()),
            vec![store(&theirs, a[5].clone()), emit(UP, c.deliver, vec![a[1].clone()])],
            vec![release(&a[1]), StatementKind::Impossible.into()],
        )]
    });
    l.on(d.deliver, None, |_, a| vec![release(&a[1]), StatementKind::Impossible.into()]);
    l.on(c.close, None, |_, _| vec![]);
    l.done()
}

/// `channel` over `datagram`, without a header.
pub fn plain_floor() -> Fragment {
    let mut l = Maker::new("plain", "plain");
    let (c, d) = (l.channel(), l.datagram_below());
    l.channel_above(c);
    let peer = l.given("peer", Type::Addr);
    l.on(c.send, None, |_, a| vec![emit(DOWN, d.send, vec![load(&peer), a[0].clone()])]);
    l.on(d.deliver, None, |_, a| vec![emit(UP, c.deliver, vec![a[1].clone()])]);
    l.on(c.close, None, |_, _| vec![]);
    l.done()
}

pub fn sequencer() -> Fragment {
    let mut l = Maker::new("sequencer", "sequencer");
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let header = l.header("Seq", &[("number", seq(32))]);
    let (next, last) = (l.cell("next", seq(32)), l.cell("last", seq(32)));
    let one = num(1, seq(32));
    l.on(c.send, None, |_, a| {
        vec![
            emit(DOWN, c.send, vec![push(a[0].clone(), header, vec![load(&next)])]),
            store(&next, add(load(&next), one.clone())),
        ]
    });
    l.on(c.deliver, Some(header), |_, a| {
        vec![when(
            less(load(&last), a[1].clone()),
            vec![store(&last, a[1].clone()), emit(UP, c.deliver, vec![a[0].clone()])],
            vec![release(&a[0])],
        )]
    });
    l.on(c.deliver, None, |_, a| vec![release(&a[0]), StatementKind::Impossible.into()]);
    l.done()
}

/// A window with retransmission, grants to the layer above, and piggybacked acknowledgements.
pub fn pt2pt(window: u32) -> Fragment {
    let mut l = Maker::new("pt2pt", &format!("pt2pt<{window}>"));
    l.fragment.wire_parameters.push(("W".into(), u64::from(window)));
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let number = seq(16);
    let data = l.header("Data", &[("number", number.clone()), ("ack", number.clone())]);
    let ack = l.header("Ack", &[("ack", number.clone())]);
    let kept = Type::Window(Box::new(Type::Msg), window, 16);
    let (sent, got) = (l.cell("sent", kept.clone()), l.cell("got", kept));
    let (resend, acknowledge) = (l.cell("resend", Type::Timer), l.cell("acknowledge", Type::Timer));
    let expected = query(Query::Next, &got, vec![], number.clone());
    let released = l.b.function(LAYER, "acknowledged", 1, None, |f| {
        let (ack, count) = (f.add("ack", number.clone()), f.add("count", Type::UInt(32)));
        let some = less(zero(Type::UInt(32)), count.clone());
        vec![
            operate(Operation::Release, &sent, vec![ack], Some(&count), None, None),
            when(some, vec![emit(UP, c.grant_sends, vec![convert(count, Type::UInt(16))])], vec![]),
        ]
    });
    let release_until = |ack: &Expr| StatementKind::Call {
        into: None,
        function: released,
        arguments: vec![Argument::Value(ack.clone())],
    };
    l.on(c.init, None, |_, _| {
        vec![emit(UP, c.grant_sends, vec![num(u64::from(window), Type::UInt(16))]), emit(UP, c.init, vec![])]
    });
    l.on(c.send, None, |f, a| {
        let (n, done, back) = (f.add("n", number.clone()), f.add("done", Type::Bool), f.add("back", Type::Msg));
        vec![
            operate(Operation::Push, &sent, vec![share(a[0].clone())], Some(&n), Some(&done), Some(&back)),
            when(
                not(done),
                vec![
                    release(&back),
                    release(&a[0]),
                    StatementKind::Unreachable.into(),
                    StatementKind::Return(None).into(),
                ],
                vec![],
            ),
            emit(DOWN, c.send, vec![push(a[0].clone(), data, vec![n, expected.clone()])]),
            arm(&resend, 20_000_000, true),
        ]
    });
    l.on(c.deliver, Some(data), |f, a| {
        let (done, back) = (f.add("done", Type::Bool), f.add("back", Type::Msg));
        let optional = Type::Option(Box::new(Type::Msg));
        let next = f.add("next", optional);
        let turn = vec![
            operate(Operation::TakeNext, &got, vec![], Some(&next), None, None),
            when(not(is_some(next.clone())), vec![StatementKind::Break.into()], vec![]),
            emit(UP, c.deliver, vec![unwrap(next)]),
        ];
        vec![
            release_until(&a[2]).into(),
            operate(Operation::Put, &got, vec![a[1].clone(), a[0].clone()], None, Some(&done), Some(&back)),
            when(not(done), vec![release(&back)], vec![]),
            StatementKind::Loop { bound: window + 1, body: turn }.into(),
            arm(&acknowledge, 5_000_000, true),
        ]
    });
    l.on(c.deliver, Some(ack), |_, a| vec![release(&a[0]), release_until(&a[1]).into()]);
    l.on(c.deliver, None, |_, a| vec![release(&a[0]), StatementKind::Impossible.into()]);
    l.b.timer(LAYER, "resend", &resend, &[], |f, _| {
        let n = f.add("n", number.clone());
        let again = share(borrow(&at(&sent, n.clone(), Type::Msg)));
        let (index, over) = (Some(id(&n)), sent.clone());
        let walk = Walk { over, index, key: None, value: None, from: None, to: None, drain: false };
        let body = vec![emit(DOWN, c.send, vec![push(again, data, vec![n, expected.clone()])])];
        vec![StatementKind::Each { walk, bound: window, body }.into(), arm(&resend, 20_000_000, false)]
    });
    l.b.timer(LAYER, "acknowledge", &acknowledge, &[], |_, _| {
        vec![emit(DOWN, c.send, vec![push(empty(), ack, vec![expected.clone()])])]
    });
    let m = Local { name: "m".into(), ty: Type::Msg, by_ref: false };
    let room = not(query(Query::Full, &sent, vec![], Type::Bool));
    l.fragment.accepts.push((c.send, Admission { layer: LAYER, locals: vec![m], condition: room }));
    l.done()
}
