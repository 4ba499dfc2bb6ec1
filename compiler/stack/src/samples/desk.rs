//! A desk that keeps questions until they are answered: pool, map, ring, a family of timers, `later`, random numbers.

use super::build::*;
use crate::*;

pub fn stack() -> Stack {
    let mut b = Builder::new("desk", "desk<4>");
    let layer = b.layer("desk");
    let message = ("m", Type::Msg);
    let key = Type::UInt(16);
    let transmit = b.event("transmit", Direction::Down, &[("to", Type::Addr), message.clone()]);
    let receive = b.event("receive", Direction::Up, &[("from", Type::Addr), message.clone()]);
    let init = b.event("init", Direction::Up, &[]);
    let ask = b.event("ask", Direction::Down, &[("key", key.clone()), message.clone()]);
    let answer = b.event("answer", Direction::Up, &[("key", key.clone()), message]);
    let failed = b.event("failed", Direction::Up, &[("key", key.clone())]);
    let flush = b.event("flush", Direction::Down, &[]);

    let packed = FieldPlace::Packed;
    let kind = Type::Range(0, 5);
    let question = b.header(
        layer,
        "Question",
        &[("key", key.clone(), packed), ("try", kind.clone(), packed), ("urgent", Type::Bool, packed)],
    );
    let reply = b.header(layer, "Reply", &[("key", key.clone(), packed), ("tag", Type::Bytes(3), packed)]);
    b.stack.headers[reply.index()].fields[0].big_endian = true;

    let call = b.structure(
        "Call",
        &[("key", key.clone()), ("tries", kind.clone()), ("again", Type::Timer), ("kept", Type::Msg)],
    );
    let peer = b.cell(layer, "peer", Scope::Given, Type::Addr, None);
    let tag = b.cell(
        layer,
        "tag",
        Scope::Given,
        Type::Bytes(3),
        Some(expr(ExprKind::Literal(b"tag".to_vec()), Type::Bytes(3))),
    );
    let calls = b.cell(layer, "calls", Scope::Session, Type::Pool(Box::new(call.clone()), 4), None);
    let slot = Type::UInt(32);
    let by_key =
        b.cell(layer, "by_key", Scope::Shared, Type::Map(Box::new(key.clone()), Box::new(slot.clone()), 4), None);
    let lost = b.cell(layer, "lost", Scope::Lasting, Type::Ring(Box::new(key.clone()), 2), None);
    let random = b.cell(layer, "random", Scope::Session, Type::UInt(64), None);
    let Root::Cell(random) = random.root else { panic!("a cell") };
    b.stack.layers[0].random = Some(random);
    let (network, above) = (Target::Port(PortId(0)), Target::Port(PortId(1)));
    let optional_slot = Type::Option(Box::new(slot.clone()));

    let entry = |slot: &Expr| at(&calls, slot.clone(), call.clone());
    let forget = b.function(layer, "forget", 1, None, |l| {
        let slot = l.add("slot", slot.clone());
        let (place, old) = (l.add("place", optional_slot.clone()), l.add("old", Type::Option(Box::new(call.clone()))));
        let old_key = l.add("old_key", key.clone());
        let removed = l.add("removed", optional_slot.clone());
        vec![
            set(&old_key, load(&field(&entry(&slot), 0, key.clone()))),
            operate(Operation::Find, &by_key, vec![old_key], Some(&place), None, None),
            when(
                is_some(place.clone()),
                vec![operate(Operation::Remove, &by_key, vec![unwrap(place)], Some(&removed), None, None)],
                vec![],
            ),
            operate(Operation::Remove, &calls, vec![slot], Some(&old), None, None),
            release(&old),
        ]
    });
    let forget = |slot: Expr| Statement::Call { into: None, function: forget, arguments: vec![Argument::Value(slot)] };

    b.handler(layer, init, None, |_, _| vec![]);
    b.handler(layer, ask, None, |l, a| {
        let (key_of, m) = (&a[0], &a[1]);
        let (new, done) = (l.add("new", slot.clone()), l.add("done", Type::Bool));
        let back = l.add("back", call.clone());
        let (jitter, mapped) = (l.add("jitter", Type::Duration), l.add("mapped", slot.clone()));
        let value = expr(
            ExprKind::Struct(vec![key_of.clone(), zero(kind.clone()), zero(Type::Timer), share(m.clone())]),
            call.clone(),
        );
        let again = field(&entry(&new), 2, Type::Timer);
        let delay = add(num(1_000_000, Type::Duration), jitter.clone());
        vec![
            operate(Operation::Add, &calls, vec![value], Some(&new), Some(&done), Some(&back)),
            when(
                not(done.clone()),
                vec![
                    release(&back),
                    release(m),
                    later(Target::Layer(layer), flush, vec![]),
                    emit(above, failed, vec![key_of.clone()]),
                    Statement::Return(None),
                ],
                vec![],
            ),
            operate(Operation::Insert, &by_key, vec![key_of.clone(), new.clone()], Some(&mapped), Some(&done), None),
            Statement::Assert(done, "by_key has room".into()),
            Statement::Random { into: id(&jitter), below: num(1000, Type::Duration) },
            Statement::Arm { timer: again, delay, unless_armed: false },
            emit(
                network,
                transmit,
                vec![
                    load(&peer),
                    push(m.clone(), question, vec![key_of.clone(), zero(kind.clone()), num(1, Type::Bool)]),
                ],
            ),
        ]
    });
    b.handler(layer, receive, Some(question), |_, a| {
        let header = vec![a[2].clone(), load(&tag)];
        vec![emit(network, transmit, vec![a[0].clone(), push(a[1].clone(), reply, header)])]
    });
    b.handler(layer, receive, Some(reply), |l, a| {
        let found = l.add("found", optional_slot.clone());
        vec![
            operate(Operation::Find, &by_key, vec![a[2].clone()], Some(&found), None, None),
            when(
                binary(BinaryOp::Both, is_some(found.clone()), equal(a[3].clone(), load(&tag))),
                vec![forget(unwrap(found)), emit(above, answer, vec![a[2].clone(), a[1].clone()])],
                vec![release(&a[1]), Statement::Impossible],
            ),
        ]
    });
    b.handler(layer, flush, None, |l, _| {
        let (n, gone) = (l.add("n", slot.clone()), l.add("gone", key.clone()));
        let (pushed, old) = (l.add("pushed", Type::Bool), l.add("oldest", Type::Option(Box::new(key.clone()))));
        vec![Statement::Each {
            walk: Walk {
                over: calls.clone(),
                index: Some(id(&n)),
                key: None,
                value: None,
                from: None,
                to: None,
                drain: false,
            },
            bound: 4,
            body: vec![
                set(&gone, load(&field(&entry(&n), 0, key.clone()))),
                operate(Operation::Push, &lost, vec![gone.clone()], None, Some(&pushed), None),
                when(
                    not(pushed.clone()),
                    vec![
                        operate(Operation::Pop, &lost, vec![], Some(&old), None, None),
                        operate(Operation::Push, &lost, vec![gone.clone()], None, Some(&pushed), None),
                    ],
                    vec![],
                ),
                emit(above, failed, vec![gone]),
                forget(n.clone()),
                Statement::Break,
            ],
        }]
    });
    b.timer(layer, "calls[].again", &calls, &[TimerStep::Each, TimerStep::Field(2)], |l, a| {
        let n = &a[0];
        let (tries, next) = (l.add("tries", kind.clone()), l.add("next", Type::Option(Box::new(kind.clone()))));
        let key_of = load(&field(&entry(n), 0, key.clone()));
        let wide = add(convert(tries.clone(), Type::UInt(8)), num(1, Type::UInt(8)));
        let again = share(borrow(&field(&entry(n), 3, Type::Msg)));
        vec![
            set(&tries, load(&field(&entry(n), 1, kind.clone()))),
            Statement::Fit { into: id(&next), value: wide },
            when(
                not(is_some(next.clone())),
                vec![emit(above, failed, vec![key_of.clone()]), forget(n.clone()), Statement::Return(None)],
                vec![],
            ),
            store(&field(&entry(n), 1, kind.clone()), unwrap(next.clone())),
            Statement::Arm {
                timer: field(&entry(n), 2, Type::Timer),
                delay: binary(
                    BinaryOp::Shl,
                    num(1_000_000, Type::Duration),
                    convert(unwrap(next.clone()), Type::UInt(8)),
                ),
                unless_armed: false,
            },
            emit(
                network,
                transmit,
                vec![load(&peer), push(again, question, vec![key_of, unwrap(next), zero(Type::Bool)])],
            ),
        ]
    });

    b.input(0, init, layer, Need::default());
    b.input(0, receive, layer, Need::default());
    b.output(0, transmit);
    b.input(1, ask, layer, Need { copies: 1, extra: 0 });
    b.output(1, answer);
    b.output(1, failed);
    let layout = b.layout(layer, LayoutForm::Plain, super::FINGERPRINT);
    b.shape(layout, transmit, &[question], true, 2);
    b.shape(layout, transmit, &[reply], true, 2);
    b.stack
}
