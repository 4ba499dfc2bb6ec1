//! Layers built by hand, as the type checker would give them.
#![allow(dead_code)]

use nacre_stack::samples::build::*;
use nacre_stack::*;
use nacre_typed::{Fragment, FragmentReaction, InterfaceEvent, ABOVE, BELOW};

pub const DOWN: LinkId = LinkId(0);
pub const UP: LinkId = LinkId(1);
pub const LAYER: LayerId = LayerId(0);

pub fn seq(bits: u8) -> Type {
    Type::Seq(bits)
}

/// A layer under construction: a stack of one layer whose ports are its sides.
pub struct Maker {
    pub b: Builder,
    pub interface: Vec<InterfaceEvent>,
    pub fragment: Fragment,
}

/// The events of `channel`, as far as these layers need them.
#[derive(Clone, Copy)]
pub struct Channel {
    pub send: EventId,
    pub deliver: EventId,
    pub grant_sends: EventId,
    pub close: EventId,
    pub init: EventId,
}

/// The events of `datagram`.
#[derive(Clone, Copy)]
pub struct Datagram {
    pub send: EventId,
    pub deliver: EventId,
}

impl Maker {
    pub fn new(name: &str, short: &str) -> Maker {
        let mut b = Builder::new(name, short);
        b.layer(name);
        let fragment = Fragment {
            name: name.into(),
            description: short.into(),
            short: short.into(),
            wire_parameters: vec![],
            version: 1,
            provides: vec![],
            requires: vec![],
            extends: vec![],
            breaks: vec![],
            above: vec![],
            below: vec![],
            events: vec![],
            interface: vec![],
            ports: vec![],
            structs: vec![],
            enums: vec![],
            headers: vec![],
            cells: vec![],
            counters: vec![],
            timers: vec![],
            handlers: vec![],
            functions: vec![],
            filters: vec![],
            externs: vec![],
            reactions: vec![],
            accepts: vec![],
            invariants: vec![],
            goals: vec![],
            random: false,
            packs: false,
            span: Span::default(),
        };
        Maker { b, interface: vec![], fragment }
    }

    pub fn header(&mut self, name: &str, fields: &[(&str, Type)]) -> HeaderId {
        let fields: Vec<_> = fields.iter().map(|(n, t)| (*n, t.clone(), FieldPlace::Packed)).collect();
        self.b.header(LAYER, name, &fields)
    }

    pub fn cell(&mut self, name: &str, ty: Type) -> Place {
        self.b.cell(LAYER, name, Scope::Session, ty, None)
    }

    pub fn given(&mut self, name: &str, ty: Type) -> Place {
        self.b.cell(LAYER, name, Scope::Given, ty, None)
    }

    pub fn event(&mut self, name: &str, direction: Direction, parameters: &[(&str, Type)]) -> EventId {
        self.b.event(name, direction, parameters)
    }

    /// Speaks these events at a side: those that go towards the side are emitted there, others come from it.
    pub fn speaks(&mut self, side: PortId, name: &str, events: &[EventId]) {
        let list = if side == ABOVE { &mut self.fragment.above } else { &mut self.fragment.below };
        list.push(name.into());
        for event in events {
            let up = self.b.stack.event(*event).direction == Direction::Up;
            self.interface.push(InterfaceEvent { side, event: *event, incoming: up == (side == BELOW) });
        }
    }

    pub fn channel(&mut self) -> Channel {
        let m = ("m", Type::Msg);
        Channel {
            send: self.event("send", Direction::Down, std::slice::from_ref(&m)),
            deliver: self.event("deliver", Direction::Up, &[m]),
            grant_sends: self.event("grant_sends", Direction::Up, &[("n", Type::UInt(16))]),
            close: self.event("close", Direction::Down, &[]),
            init: self.event("init", Direction::Up, &[]),
        }
    }

    pub fn channel_above(&mut self, c: Channel) {
        self.speaks(ABOVE, "channel", &[c.send, c.deliver, c.grant_sends, c.close, c.init]);
    }

    pub fn channel_below(&mut self, c: Channel) {
        self.speaks(BELOW, "channel", &[c.send, c.deliver, c.grant_sends, c.close, c.init]);
    }

    pub fn datagram_below(&mut self) -> Datagram {
        let m = ("m", Type::Msg);
        let send = self.event("send", Direction::Down, &[("to", Type::Addr), m.clone()]);
        let deliver = self.event("deliver", Direction::Up, &[("from", Type::Addr), m]);
        self.speaks(BELOW, "datagram", &[send, deliver]);
        Datagram { send, deliver }
    }

    pub fn on(&mut self, event: EventId, header: Option<HeaderId>, body: impl FnOnce(&mut Locals, &[Expr]) -> Block) {
        self.b.handler(LAYER, event, header, body);
    }

    /// Only for messages that entered at a port.
    pub fn on_data(&mut self, event: EventId, body: impl FnOnce(&mut Locals, &[Expr]) -> Block) {
        let handler = self.b.handler(LAYER, event, None, body);
        let reactions = &mut self.b.stack.layers[0].reactions;
        let arm = reactions.iter_mut().flat_map(|r| &mut r.arms).find(|a| a.handler == handler);
        arm.expect("just made").guard.data = true;
    }

    pub fn done(self) -> Fragment {
        let stack = self.b.stack;
        let side = |event: EventId| if stack.event(event).direction == Direction::Up { BELOW } else { ABOVE };
        let mut reactions = vec![];
        for reaction in &stack.layers[0].reactions {
            for arm in &reaction.arms {
                reactions.push(FragmentReaction {
                    side: side(reaction.event),
                    event: reaction.event,
                    guard: arm.guard,
                    handler: arm.handler,
                });
            }
        }
        Fragment {
            events: stack.events,
            interface: self.interface,
            structs: stack.structs,
            enums: stack.enums,
            headers: stack.headers,
            cells: stack.cells,
            counters: stack.counters.into_iter().skip(builtin::NAMES.len()).map(|c| c.name).collect(),
            timers: stack.timers,
            handlers: stack.handlers,
            functions: stack.functions,
            filters: stack.filters,
            externs: stack.externs,
            goals: stack.layers[0].goals.clone(),
            invariants: stack.layers.into_iter().next().expect("one layer").invariants,
            reactions,
            ..self.fragment
        }
    }
}

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

/// A window that is resent; grants come back up; acknowledgements travel along.
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

pub const PIECES: u32 = 8;

/// Cuts messages into pieces of a size.
pub fn frag(size: u32) -> Fragment {
    let mut l = Maker::new("frag", &format!("frag<{size}>"));
    l.fragment.wire_parameters.push(("SIZE".into(), u64::from(size)));
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let piece = l.header("Piece", &[]);
    let last = l.header("Last", &[("count", Type::Range(0, u64::from(PIECES)))]);
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

/// Hides what layers above wrote.
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

/// Delivers what is sent also here: at once, or in the next step.
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

/// Sends each message so many times.
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

/// A layer that handles nothing.
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

/// Cuts messages into pieces as its credit allows; the rest waits. In the way of the library's `frag`.
pub fn patient_frag(size: u32, pieces: u32) -> Fragment {
    let mut l = Maker::new("frag", &format!("frag<{size}>"));
    l.fragment.wire_parameters.push(("SIZE".into(), u64::from(size)));
    let c = l.channel();
    l.channel_above(c);
    l.channel_below(c);
    let piece = l.header("Piece", &[]);
    let last = l.header("Last", &[("count", Type::Range(0, u64::from(pieces)))]);
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
