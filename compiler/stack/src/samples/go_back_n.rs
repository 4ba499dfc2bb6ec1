//! Go-back-n straight over datagrams: a window of kept messages, a timer, acknowledgements, back-pressure.

use super::build::*;
use crate::*;

const RESEND_NS: u64 = 20_000_000;
const WINDOW: u32 = 4;

pub fn stack() -> Stack {
    let mut b = Builder::new("go_back_n", "go_back_n<4>");
    let layer = b.layer("go_back_n");
    let message = ("m", Type::Msg);
    let transmit = b.event("transmit", Direction::Down, &[("to", Type::Addr), message.clone()]);
    let receive = b.event("receive", Direction::Up, &[("from", Type::Addr), message.clone()]);
    let init = b.event("init", Direction::Up, &[]);
    let send = b.event("send", Direction::Down, std::slice::from_ref(&message));
    let deliver = b.event("deliver", Direction::Up, &[message]);
    let grant = b.event("grant", Direction::Up, &[("count", Type::UInt(32))]);

    let number = Type::Seq(8);
    let packed = FieldPlace::Packed;
    let data = b.header(layer, "Data", &[("number", number.clone(), packed), ("ack", number.clone(), packed)]);
    let ack = b.header(layer, "Ack", &[("ack", number.clone(), packed)]);
    let peer = b.cell(layer, "peer", Scope::Given, Type::Addr, None);
    let kept = Type::Window(Box::new(Type::Msg), WINDOW, 8);
    let sent = b.cell(layer, "sent", Scope::Session, kept, None);
    let expected = b.cell(layer, "expected", Scope::Session, number.clone(), None);
    let resend = b.cell(layer, "resend", Scope::Session, Type::Timer, None);
    let resent = b.counter(layer, "resent");
    let (network, above) = (Target::Port(PortId(0)), Target::Port(PortId(1)));
    let full = query(Query::Full, &sent, vec![], Type::Bool);
    b.stack.layers[0].invariants.push(not(binary(
        BinaryOp::Both,
        query(Query::Empty, &sent, vec![], Type::Bool),
        query(Query::Armed, &resend, vec![], Type::Bool),
    )));

    let acknowledged = b.function(layer, "acknowledged", 1, None, |l| {
        let (ack, count) = (l.add("ack", number.clone()), l.add("count", Type::UInt(32)));
        vec![
            operate(Operation::Release, &sent, vec![ack], Some(&count), None, None),
            when(
                less(zero(Type::UInt(32)), count.clone()),
                vec![
                    emit(above, grant, vec![count]),
                    when(
                        query(Query::Empty, &sent, vec![], Type::Bool),
                        vec![Statement::Cancel(resend.clone())],
                        vec![arm(&resend, RESEND_NS, false)],
                    ),
                ],
                vec![],
            ),
        ]
    });
    let acknowledge = |field: &Expr| Statement::Call {
        into: None,
        function: acknowledged,
        arguments: vec![Argument::Value(field.clone())],
    };

    b.handler(layer, init, None, |_, _| vec![emit(above, grant, vec![num(WINDOW as u64, Type::UInt(32))])]);
    b.handler(layer, send, None, |l, a| {
        let m = &a[0];
        let (n, done, back) = (l.add("n", number.clone()), l.add("done", Type::Bool), l.add("back", Type::Msg));
        vec![
            operate(Operation::Push, &sent, vec![share(m.clone())], Some(&n), Some(&done), Some(&back)),
            when(not(done), vec![release(&back), release(m), Statement::Unreachable, Statement::Return(None)], vec![]),
            arm(&resend, RESEND_NS, true),
            emit(network, transmit, vec![load(&peer), push(m.clone(), data, vec![n, load(&expected)])]),
        ]
    });
    b.handler(layer, receive, Some(data), |_, a| {
        let reply = push(empty(), ack, vec![load(&expected)]);
        vec![
            acknowledge(&a[3]),
            when(
                equal(a[2].clone(), load(&expected)),
                vec![
                    store(&expected, add(load(&expected), num(1, number.clone()))),
                    emit(above, deliver, vec![a[1].clone()]),
                ],
                vec![release(&a[1])],
            ),
            emit(network, transmit, vec![load(&peer), reply]),
        ]
    });
    b.handler(layer, receive, Some(ack), |_, a| vec![release(&a[1]), acknowledge(&a[2])]);
    b.timer(layer, "resend", &resend, &[], |l, _| {
        let n = l.add("n", number.clone());
        let again = share(borrow(&at(&sent, n.clone(), Type::Msg)));
        vec![
            Statement::Each {
                walk: Walk {
                    over: sent.clone(),
                    index: Some(id(&n)),
                    key: None,
                    value: None,
                    from: None,
                    to: None,
                    drain: false,
                },
                bound: WINDOW,
                body: vec![
                    emit(network, transmit, vec![load(&peer), push(again, data, vec![n, load(&expected)])]),
                    count(resent),
                ],
            },
            arm(&resend, RESEND_NS, false),
        ]
    });

    b.input(0, init, layer, Need::default());
    b.input(0, receive, layer, Need::default());
    b.output(0, transmit);
    let input = b.input(1, send, layer, Need { copies: 1, extra: 0 });
    let m = Local { name: "m".into(), ty: Type::Msg, by_ref: false };
    input.admissions.push(Admission { layer, locals: vec![m], condition: not(full) });
    b.output(1, deliver);
    b.output(1, grant);
    let layout = b.layout(layer, LayoutForm::Plain, super::FINGERPRINT);
    b.shape(layout, transmit, &[data], true, 2);
    b.shape(layout, transmit, &[ack], false, 2);
    b.stack
}
