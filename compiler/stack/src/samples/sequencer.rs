//! `sequencer / floor`: numbers that reject late messages, over a floor that agrees on cookies.

use super::build::*;
use crate::*;

pub fn stack() -> Stack {
    let mut b = Builder::new("sequencer", "sequencer / floor");
    let (floor, sequencer) = (b.layer("floor"), b.layer("sequencer"));
    let message = ("m", Type::Msg);
    let transmit = b.event("transmit", Direction::Down, &[("to", Type::Addr), message.clone()]);
    let receive = b.event("receive", Direction::Up, &[("from", Type::Addr), message.clone()]);
    let init = b.event("init", Direction::Up, &[]);
    let send = b.event("send", Direction::Down, std::slice::from_ref(&message));
    let deliver = b.event("deliver", Direction::Up, &[message]);

    let (network, cookie) = (Target::Port(PortId(0)), Type::UInt(24));
    let above = Target::Layer(sequencer);
    let first = b.header(
        floor,
        "First",
        &[
            ("fingerprint", Type::UInt(64), FieldPlace::Fingerprint),
            ("cookie", cookie.clone(), FieldPlace::Cookie),
            ("mine", cookie.clone(), FieldPlace::Packed),
        ],
    );
    let agreed = b.header(floor, "Agreed", &[("cookie", cookie.clone(), FieldPlace::Cookie)]);
    let peer = b.cell(floor, "peer", Scope::Given, Type::Addr, None);
    let mine = b.cell(floor, "mine", Scope::Given, cookie.clone(), Some(num(0xabcd, cookie.clone())));
    let theirs = b.cell(floor, "theirs", Scope::Session, Type::Option(Box::new(cookie.clone())), None);

    b.pass(floor, init, above);
    b.handler(floor, send, None, |_, a| {
        let known = push(a[0].clone(), agreed, vec![unwrap(load(&theirs))]);
        let fingerprint = expr(ExprKind::Fingerprint, Type::UInt(64));
        let unknown = push(a[0].clone(), first, vec![fingerprint, zero(cookie.clone()), load(&mine)]);
        vec![when(
            is_some(load(&theirs)),
            vec![emit(network, transmit, vec![load(&peer), known])],
            vec![emit(network, transmit, vec![load(&peer), unknown])],
        )]
    });
    b.handler(floor, receive, Some(first), |_, a| {
        let (m, fingerprint) = (&a[1], &a[2]);
        vec![when(
            equal(fingerprint.clone(), expr(ExprKind::Fingerprint, Type::UInt(64))),
            vec![store(&theirs, some(a[4].clone())), emit(above, deliver, vec![m.clone()])],
            vec![release(m), Statement::Impossible],
        )]
    });
    b.handler(floor, receive, Some(agreed), |_, a| {
        vec![when(
            equal(a[2].clone(), load(&mine)),
            vec![emit(above, deliver, vec![a[1].clone()])],
            vec![release(&a[1]), Statement::Impossible],
        )]
    });

    let number = Type::Seq(32);
    let seq = b.header(sequencer, "Seq", &[("number", number.clone(), FieldPlace::Packed)]);
    let next = b.cell(sequencer, "next", Scope::Session, number.clone(), Some(num(1, number.clone())));
    let last = b.cell(sequencer, "last", Scope::Session, number.clone(), None);
    let late = b.counter(sequencer, "late");
    b.pass(sequencer, init, Target::Port(PortId(1)));
    b.handler(sequencer, send, None, |_, a| {
        vec![
            emit(Target::Layer(floor), send, vec![push(a[0].clone(), seq, vec![load(&next)])]),
            store(&next, add(load(&next), num(1, number.clone()))),
        ]
    });
    b.handler(sequencer, deliver, Some(seq), |_, a| {
        vec![when(
            less(load(&last), a[1].clone()),
            vec![store(&last, a[1].clone()), emit(Target::Port(PortId(1)), deliver, vec![a[0].clone()])],
            vec![release(&a[0]), count(late)],
        )]
    });

    b.input(0, init, floor, Need::default());
    b.input(0, receive, floor, Need::default());
    b.output(0, transmit);
    b.input(1, send, sequencer, Need::default());
    b.output(1, init);
    b.output(1, deliver);
    let layout = b.layout(floor, LayoutForm::Preamble, super::FINGERPRINT);
    b.shape(layout, transmit, &[agreed, seq], true, 2);
    b.shape(layout, transmit, &[first, seq], true, 2);
    b.stack
}
