//! Seeded errors: each must be reported by a problem that names it.

use nacre_stack::samples::{self, build::*};
use nacre_stack::*;

#[test]
fn samples_are_valid() {
    for stack in samples::all() {
        assert_eq!(validate(&stack), Ok(()), "{}", stack.name);
    }
}

/// The stack must be rejected with a message that contains the text.
fn refused(words: &str, mut stack: Stack, breaks: impl FnOnce(&mut Stack)) {
    breaks(&mut stack);
    let problems = validate(&stack).expect_err(words);
    let texts: Vec<String> = problems.iter().map(|p| p.to_string()).collect();
    assert!(texts.iter().any(|t| t.contains(words)), "{words}: {texts:#?}");
}

fn handler<'s>(stack: &'s mut Stack, name: &str) -> &'s mut Handler {
    stack.handlers.iter_mut().find(|h| h.name == name).expect(name)
}

fn local(handler: &Handler, name: &str) -> Expr {
    let at = handler.locals.iter().position(|l| l.name == name).expect(name);
    Expr::new(ExprKind::Local(LocalId(at as u32)), handler.locals[at].ty.clone(), Span::default())
}

fn emit_in(block: &mut Block) -> &mut Emit {
    fn find(block: &mut Block) -> Option<&mut Emit> {
        block.iter_mut().find_map(|s| match &mut s.kind {
            StatementKind::Emit(emit) => Some(emit),
            StatementKind::If { then, otherwise, .. } => find(then).or_else(|| find(otherwise)),
            _ => None,
        })
    }
    find(block).expect("an emission")
}

#[test]
fn indices_outside_of_their_tables() {
    let seq = samples::sequencer;
    refused("a header of no layer", seq(), |s| s.headers[0].layer = LayerId(9));
    refused("no such event", seq(), |s| s.layers[0].reactions[0].event = EventId(99));
    refused("no such handler", seq(), |s| s.layers[0].reactions[0].arms[0].handler = HandlerId(99));
    refused("no such header", seq(), |s| s.layers[0].reactions[2].arms[0].guard.header = Some(HeaderId(77)));
    refused("no local 50", seq(), |s| handler(s, "sequencer.down.send").body.push(set(&dummy(50), num(1, Type::Bool))));
    refused("no counter", seq(), |s| handler(s, "sequencer.down.send").body.push(count(CounterId(99))));
    refused("is not a type", seq(), |s| s.cells[0].ty = Type::Struct(StructId(0)));
    refused("is not a type", seq(), |s| s.cells[0].ty = Type::UInt(65));
    refused("no cell", seq(), |s| {
        let place = Place { root: Root::Cell(CellId(40)), path: vec![], ty: Type::Bool };
        handler(s, "sequencer.down.send").body.push(store(&place, num(1, Type::Bool)));
    });
    refused("a parameter without a local", seq(), |s| handler(s, "sequencer.down.send").parameters.push(LocalId(7)));
}

#[test]
fn code_in_place_of_what_waits() {
    refused("calls nothing at once", samples::sequencer(), |s| {
        let mut drop = StatementKind::Impossible.at(Span::default());
        drop.in_place = true;
        handler(s, "sequencer.down.send").body.push(drop);
    });
    refused("calls nothing at once", samples::sequencer(), |s| {
        let body = &mut handler(s, "sequencer.down.send").body;
        emit_in(body).later = true;
        body.iter_mut().for_each(|s| s.in_place = matches!(s.kind, StatementKind::Emit(_)));
    });
}

fn dummy(id: u32) -> Expr {
    Expr::new(ExprKind::Local(LocalId(id)), Type::Bool, Span::default())
}

#[test]
fn types_that_differ() {
    let seq = samples::sequencer;
    refused("a condition", seq(), |s| {
        let body = &mut handler(s, "floor.down.send").body;
        let StatementKind::If { condition, .. } = &mut body[0].kind else { panic!("an if") };
        *condition = num(1, Type::UInt(8));
    });
    refused("what is stored", seq(), |s| {
        let place = Place { root: Root::Cell(CellId(3)), path: vec![], ty: Type::Seq(32) };
        handler(s, "sequencer.down.send").body.push(store(&place, num(1, Type::UInt(32))));
    });
    refused("arguments", seq(), |s| _ = emit_in(&mut handler(s, "floor.down.send").body).arguments.pop());
    refused("Add of", seq(), |s| {
        let body = &mut handler(s, "sequencer.down.send").body;
        let StatementKind::Store(_, value) = &mut body[1].kind else { panic!("a store") };
        *value = add(num(1, Type::Seq(32)), num(1, Type::Seq(16)));
    });
    refused("MulDiv", seq(), |s| {
        let body = &mut handler(s, "sequencer.down.send").body;
        let StatementKind::Store(_, value) = &mut body[1].kind else { panic!("a store") };
        let three = || Box::new(num(3, Type::Seq(32)));
        *value = Expr::new(ExprKind::MulDiv(three(), three(), three()), Type::Seq(32), Span::default());
    });
    refused("what is multiplied and divided", seq(), |s| {
        let body = &mut handler(s, "sequencer.down.send").body;
        let three = |bits| Box::new(num(3, Type::UInt(bits)));
        let value = Expr::new(ExprKind::MulDiv(three(8), three(9), three(8)), Type::UInt(8), Span::default());
        body.push(when(Expr::new(ExprKind::Convert(Box::new(value)), Type::Bool, Span::default()), vec![], vec![]));
    });
    refused("header fields", seq(), |s| {
        let emit = emit_in(&mut handler(s, "sequencer.down.send").body);
        let ExprKind::Push(_, _, fields) = &mut emit.arguments[0].kind else { panic!("a push") };
        fields.clear();
    });
    refused("Const(9)", seq(), |s| s.cells[1].initial = Some(num(9, Type::Bool)));
    refused("what is at a place", samples::desk(), |s| {
        let body = &mut handler(s, "desk.on.calls[].again").body;
        let StatementKind::Let(_, value) = &mut body[0].kind else { panic!("a let") };
        let ExprKind::Load(place) = &mut value.kind else { panic!("a load") };
        place.path.pop();
    });
    refused("gives", samples::repeating(), |s| {
        let function = &mut s.functions[0];
        function.locals[1].ty = Type::UInt(8);
        let StatementKind::Operate(_) = &function.body[0].kind else { panic!("an operation") };
    });
    refused("no inner layout", samples::sealed(), |s| {
        let body = &mut handler(s, "sealed.down.send").body;
        let StatementKind::Let(_, value) = &mut body[0].kind else { panic!("a let") };
        let ExprKind::Pack(layout, _) = &mut value.kind else { panic!("a pack") };
        *layout = LayoutId(0);
    });
}

#[test]
fn messages_that_nothing_keeps() {
    let gbn = samples::repeating;
    refused("a message is lost on failure", gbn(), |s| {
        let StatementKind::Operate(operate) = &mut handler(s, "repeating.down.send").body[0].kind else {
            panic!("an operation")
        };
        operate.back = None;
    });
    refused("holds no message", gbn(), |s| {
        let handler = handler(s, "repeating.up.receive.Data");
        let number = local(handler, "number");
        handler.body.push(release(&number));
    });
}

#[test]
fn reactions_that_are_missing_or_wrong() {
    let seq = samples::sequencer;
    refused("nothing takes `send`", seq(), |s| s.layers[0].reactions.retain(|r| r.event != EventId(3)));
    refused("nothing takes `send`", seq(), |s| {
        s.layers[0].reactions.iter_mut().find(|r| r.event == EventId(3)).expect("send").event = EventId(4);
        s.handlers.iter_mut().filter(|h| h.name == "floor.down.send").for_each(|h| h.event = Some(EventId(4)));
    });
    refused("nothing takes `deliver`", seq(), |s| s.ports[1].outputs.clear());
    refused("nothing reacts", seq(), |s| s.ports[1].inputs[0].event = EventId(0));
    refused("handles something else", seq(), |s| s.layers[1].reactions[0].arms[0].handler = HandlerId(0));
    refused("of another layer", seq(), |s| {
        let emit = emit_in(&mut handler(s, "sequencer.down.send").body);
        let ExprKind::Push(_, header, fields) = &mut emit.arguments[0].kind else { panic!("a push") };
        (*header, fields[0]) = (HeaderId(1), num(1, Type::UInt(24)));
    });
    refused("is of another layer", seq(), |s| {
        let place = Place { root: Root::Cell(CellId(2)), path: vec![], ty: s.cells[2].ty.clone() };
        handler(s, "sequencer.down.send").body.push(store(&place, zero(place.ty.clone())));
    });
    refused("fields", seq(), |s| handler(s, "sequencer.up.deliver.Seq").fields.clear());
    refused("a given cell is changed", seq(), |s| {
        let place = Place { root: Root::Cell(CellId(1)), path: vec![], ty: Type::UInt(24) };
        handler(s, "floor.down.send").body.insert(0, store(&place, num(1, Type::UInt(24))));
    });
}

#[test]
fn bounds_that_are_missing() {
    refused("without a bound", samples::repeating(), |s| {
        let StatementKind::Each { bound, .. } = &mut handler(s, "repeating.on.resend").body[0].kind else {
            panic!("a walk")
        };
        *bound = 0;
    });
    refused("a bound is missing", samples::desk(), |s| s.bounds.block = 0);
    refused("it calls itself", samples::repeating(), |s| {
        let again = vec![Argument::Value(num(1, Type::Seq(8)))];
        s.functions[0].body.push(StatementKind::Call { into: None, function: FunctionId(0), arguments: again }.into());
    });
    refused("`break` outside", samples::desk(), |s| handler(s, "desk.up.init").body.push(StatementKind::Break.into()));
    refused("`yield` outside", samples::desk(), |s| {
        handler(s, "desk.up.init").body.push(StatementKind::Yield(num(1, Type::UInt(8))).into())
    });
    refused("no generator", samples::desk(), |s| s.layers[0].random = None);
}

#[test]
fn layouts_that_do_not_fit() {
    let desk = samples::desk;
    refused("outside of", desk(), |s| s.layouts[0].shapes[0].size = 3);
    refused("overlaps", desk(), |s| s.layouts[0].shapes[0].fields[1].bit -= 1);
    refused("has no place", desk(), |s| _ = s.layouts[0].shapes[0].fields.pop());
    refused("stands twice", desk(), |s| {
        let first = s.layouts[0].shapes[0].fields[0];
        s.layouts[0].shapes[0].fields.push(Placed { bit: 32, ..first });
    });
    refused("is not at byte 9", desk(), |s| s.headers[0].fields[0].place = FieldPlace::Byte(9));
    refused("is another's", desk(), |s| s.layouts[0].shapes[1].number = 0);
    refused("no length fits", desk(), |s| s.layouts[0].shapes[0].data_min = 5000);
    refused("bits and needs", desk(), |s| s.headers[0].fields[0].bits = 15);
    refused("no row of bytes", desk(), |s| s.headers[0].fields[1].big_endian = true);
    refused("is identified, or not", samples::sequencer(), |s| s.layouts[0].shapes[0].identified = true);
    refused("order of their layers", samples::sequencer(), |s| s.layouts[0].shapes[0].headers.reverse());
    refused("wants a preamble", samples::sequencer(), |s| s.layouts[0].form = LayoutForm::Plain);
    refused("from below", samples::sealed(), |s| s.layouts[1].layer = LayerId(1));
}

#[test]
fn timers_that_lead_nowhere() {
    refused("does not lead to a timer", samples::desk(), |s| s.timers[0].path[1] = TimerStep::Field(0));
    refused("other indices", samples::desk(), |s| s.handlers[s.timers[0].handler.index()].parameters.clear());
}

#[test]
fn initial_values_that_do_more_than_drawing() {
    let drawn = |draws: Block, scope: Scope| {
        let mut stack = samples::desk();
        let local = |ty: Type| Local { name: "drawn".into(), ty, by_ref: false };
        stack.cells.push(Cell {
            name: "first".into(),
            layer: LayerId(0),
            scope,
            ty: Type::Bool,
            initial: Some(dummy(0)),
            locals: vec![local(Type::Bool), local(Type::UInt(8))],
            draws,
            secret: false,
            role: None,
        });
        number(&mut stack);
        stack
    };
    let two = || StatementKind::Random { into: LocalId(1), below: num(2, Type::UInt(8)) };
    let fine = drawn(vec![two().into(), set(&dummy(0), num(1, Type::Bool))], Scope::Session);
    assert_eq!(validate(&fine), Ok(()));
    refused("cannot be drawn", drawn(vec![two().into()], Scope::Given), |_| {});
    refused("cannot be drawn", drawn(vec![two().into()], Scope::Shared), |_| {});
    refused("its default depends on", drawn(vec![], Scope::Given), |s| {
        let cell = s.cells.last_mut().unwrap();
        (cell.ty, cell.initial) = (Type::Instant, Some(Expr::new(ExprKind::Now, Type::Instant, Span::default())));
    });
    refused("its default depends on", drawn(vec![], Scope::Given), |s| {
        let own = Place { root: Root::Cell(CellId(s.cells.len() as u32 - 1)), path: vec![], ty: Type::Bool };
        s.cells.last_mut().unwrap().initial =
            Some(Expr::new(ExprKind::Load(Box::new(own)), Type::Bool, Span::default()));
    });
    refused("cannot be drawn", fine.clone(), |s| s.cells.last_mut().unwrap().initial = None);
    refused("more than drawing", drawn(vec![count(CounterId(0))], Scope::Session), |_| {});
    let hidden =
        StatementKind::If { condition: dummy(0), likely: None, then: vec![count(CounterId(0))], otherwise: vec![] };
    refused("more than drawing", drawn(vec![hidden.into()], Scope::Session), |_| {});
    refused("a random number", drawn(vec![two().into()], Scope::Session), |s| {
        s.cells.last_mut().unwrap().locals[1].ty = Type::UInt(9);
    });
    refused("no generator", fine.clone(), |s| s.layers[0].random = None);
    refused("a message or a reference", fine.clone(), |s| s.cells.last_mut().unwrap().locals[1].ty = Type::Msg);
    refused("is not a type", fine, |s| s.cells.last_mut().unwrap().locals[1].ty = Type::UInt(65));
}

#[test]
fn nodes_that_are_not_numbered() {
    let unnumbered = "the stack has not been numbered";
    refused(unnumbered, samples::desk(), |s| s.handlers[0].body.push(StatementKind::Unreachable.into()));
    let repeated = |s: &mut Stack| s.handlers.iter_mut().for_each(|h| h.body.iter_mut().for_each(|s| s.id = NodeId(0)));
    refused(unnumbered, samples::sequencer(), repeated);
    let swapped = |s: &mut Stack| {
        let [first, .., last] = &mut s.handlers[..] else { panic!("a sample has several handlers") };
        std::mem::swap(&mut first.body[0].id, &mut last.body[0].id);
    };
    refused(unnumbered, samples::repeating(), swapped);
}

#[test]
fn turns_that_lead_nowhere() {
    let stack = samples::turning;
    let turn = |s: &mut Stack, change: &dyn Fn(&mut Turn)| change(&mut s.ports[0].turns[0]);
    refused("no such event turns", stack(), |s| turn(s, &|t| t.comes_back = EventId(99)));
    refused("does not turn into", stack(), |s| turn(s, &|t| t.comes_back = t.event));
    refused("does not turn into", stack(), |s| s.events[1].parameters.clear());
    refused("turns twice", stack(), |s| s.ports[0].turns = vec![s.ports[0].turns[0]; 2]);
    refused("leaves, or not, against its turn", stack(), |s| turn(s, &|t| t.leaves = false));
    refused("nothing takes", stack(), |s| s.layers[0].reactions.retain(|r| r.event != EventId(3)));
    refused("not below", stack(), |s| s.ports[1].turns = s.ports[0].turns.clone());
    refused("frames, or not, against its link", stack(), |s| s.ports[1].frames = Some(LayoutId(0)));
    refused("put off, and leaves", stack(), |s| emit_in(&mut handler(s, "order.down.cast").body).later = true);
    let fork = samples::fork;
    refused("a guard asks for its link", fork(), |s| emit_in(&mut handler(s, "numbered.down.send").body).later = true);
}

#[test]
fn the_normal_form_of_a_graph_is_a_valid_stack_that_stays_as_it_is() {
    for stack in samples::graphs() {
        let once = normal::normal(&stack).into_owned();
        assert_eq!(validate(&once), Ok(()), "{}", stack.name);
        assert!(normal::is_normal(&once) && !normal::beyond_rows(&stack).is_empty());
        assert_eq!(normal::normal(&once).into_owned(), once);
        let events =
            |s: &Stack| s.interface().iter().map(|e| (e.port, e.input, s.event(e.event).clone())).collect::<Vec<_>>();
        assert_eq!(events(&once), events(&stack), "the host sees the same");
    }
}

#[test]
fn links_that_join_nothing_or_go_in_circles() {
    let seq = samples::sequencer;
    refused("it ends nowhere", seq(), |s| s.links[0].upper = Target::Layer(LayerId(9)));
    refused("it joins two ports", seq(), |s| s.links[0].upper = Target::Port(PortId(1)));
    refused("does not stand after", seq(), |s| s.links[1] = Link { lower: s.links[1].upper, upper: s.links[1].lower });
    refused("2 links end at it", seq(), |s| s.links.push(s.links[0]));
    refused("0 links end at it", seq(), |s| s.links.truncate(2));
    refused("does not lead to its layer", seq(), |s| s.ports[0].inputs[0].layer = LayerId(1));
    refused("does not lead to its layer", seq(), |s| s.ports[0].inputs[0].link = LinkId(2));
    let add = |s: &mut Stack, ty: Type, count: usize| {
        let event = s.ports[1].outputs[0].index();
        s.events[event].parameters.extend((0..count).map(|n| Parameter { name: format!("more{n}"), ty: ty.clone() }));
    };
    refused("it has 5 numbers; the limit is 4", seq(), |s| add(s, Type::UInt(8), 5));
    refused("more than one address", seq(), |s| add(s, Type::Addr, 2));
    refused("neither a message, an address nor a number", seq(), |s| add(s, Type::Bytes(4), 1));
    refused("does not come out here", seq(), |s| s.ports[1].outputs = vec![s.ports[1].inputs[0].event]);
    refused("no link 9", seq(), |s| emit_in(&mut s.handlers[0].body).link = LinkId(9));
    refused("another layer's link", seq(), |s| emit_in(&mut handler(s, "sequencer.down.send").body).link = LinkId(0));
    refused("a link of another layer", seq(), |s| s.layers[0].reactions[0].arms[0].guard.link = Some(LinkId(2)));
}

#[test]
fn events_that_lead_to_themselves_within_a_step() {
    let cycle = "events go round in a cycle";
    let body = |s: &Stack, name: &str| s.handlers.iter().find(|h| h.name == name).expect("a handler").body.clone();
    // The received message is sent again, with the header of the same handler.
    refused(cycle, samples::turning(), |s| {
        let mut again = body(s, "order.down.cast").remove(0);
        let StatementKind::Emit(emit) = &mut again.kind else { panic!("an emission") };
        let StatementKind::Emit(up) = &body(s, "order.up.heard.Order")[1].kind else { panic!("an emission") };
        let ExprKind::Push(message, ..) = &mut emit.arguments[0].kind else { panic!("a header is pushed") };
        **message = up.arguments[0].clone();
        handler(s, "order.up.heard.Order").body[1] = again;
    });
    // A cycle over two handlers, without a message.
    let flush = |later: bool| {
        move |s: &mut Stack| {
            let mut again = body(s, "order.down.suspect").remove(1);
            let StatementKind::Emit(emit) = &mut again.kind else { panic!("an emission") };
            emit.later = later;
            handler(s, "order.up.flushed").body.push(again);
        }
    };
    refused(cycle, samples::turning(), flush(false));
    let mut put_off = samples::turning();
    flush(true)(&mut put_off);
    number(&mut put_off);
    assert_eq!(validate(&put_off), Ok(()));
    assert_eq!(validate(&normal::normal(&put_off)), Ok(()));
    // Two layers that answer each other.
    refused(cycle, samples::turning(), |s| {
        let down = body(s, "member.down.cast")[1].clone();
        let up = handler(s, "member.up.flushed");
        up.body.push(down);
        let StatementKind::Emit(emit) = &mut up.body.last_mut().expect("a statement").kind else { panic!("it") };
        let ExprKind::Push(message, ..) = &mut emit.arguments[0].kind else { panic!("a header is pushed") };
        message.kind = ExprKind::Empty;
        emit_in(&mut handler(s, "order.down.cast").body).event = EventId(4);
        emit_in(&mut handler(s, "order.down.cast").body).arguments.clear();
    });
}

#[test]
fn sessions_that_nothing_names_or_that_are_not_there() {
    let mux = samples::mux;
    refused("names no session of its layer", mux(), |s| s.layers[1].sessions = 4);
    refused("from 1 to 1024 are possible", mux(), |s| s.layers[0].sessions = 0);
    refused("from 1 to 1024 are possible", mux(), |s| s.layers[0].sessions = 1025);
    refused("its session is no number", mux(), |s| s.events[0].session = Some(1));
    refused("its session is no number", mux(), |s| s.events[0].session = Some(7));
    refused("nothing says in which session", mux(), |s| s.events[6].session = None);
    refused("has other indices", mux(), |s| handler(s, "talk.on.again").parameters.clear());
    refused("changes the number of its session", mux(), |s| {
        let talk = handler(s, "talk.down.ask");
        let other = local(talk, "other");
        talk.body.insert(0, StatementKind::Let(talk.parameters[0], other).into());
    });
    refused("which session's `salt` is meant", mux(), |s| {
        let next = s.cells.iter().find(|c| c.name == "next").unwrap().initial.clone();
        let total = s.cells.iter_mut().find(|c| c.name == "total").unwrap();
        (total.initial, total.ty) = (next, Type::Seq(8));
    });
}

#[test]
fn contexts_that_own_what_they_cannot() {
    let far = samples::far;
    let at = |s: &Stack, name: &str| CellId(s.cells.iter().position(|c| c.name == name).expect(name) as u32);
    refused("a cell of another role", far(), |s| s.contexts[0].cookie = s.contexts[0].room);
    refused("names a cell or a port that there is not", far(), |s| s.contexts[0].peer = Some(CellId(99)));
    refused("names a cell or a port that there is not", far(), |s| s.contexts[0].port = PortId(9));
    refused("frames do not arrive at its port", far(), |s| s.contexts[0].port = PortId(1));
    refused("a prediction is not derived", far(), |s| s.contexts[0].predictions = vec![at(s, "next")]);
    refused("nothing outlives one", far(), |s| s.contexts[0].kind = ContextKind::View);
    refused("a cell of another context", far(), |s| s.contexts.push(s.contexts[0].clone()));
    refused("no context owns it as state", far(), |s| s.contexts.clear());
    refused("state that it could change", far(), |s| s.contexts[0].room = None);
    refused("does not bring up one", far(), |s| s.events[4].role = EventRole::Moved);
    refused("its room no number of 32 bits", far(), |s| s.cells[2].ty = Type::UInt(31));
}

#[test]
fn derived_data_is_read_only_and_depends_on_earlier_declarations() {
    let far = samples::far;
    fn cell<'s>(s: &'s mut Stack, name: &str) -> &'s mut Cell {
        s.cells.iter_mut().find(|c| c.name == name).expect(name)
    }
    refused("what it is derived from", far(), |s| _ = cell(s, "piece").initial.take());
    refused("from the clock, or from a cell that does not stand before", far(), |s| {
        cell(s, "piece").initial = cell(s, "expected").initial.clone();
    });
    refused("changed, or used other than by reading", far(), |s| cell(s, "moves").scope = Scope::Derived);
    // Each is derived from the one before it, twice.
    let doubling = |count: usize| {
        let name = |n: usize| if n == 0 { "piece".into() } else { format!("d{n}") };
        let cells: String = (1..=count).map(|n| format!("cell d{n} of far derived 'u32\n")).collect();
        let values = (1..=count).map(|n| format!("initial @d{n} = (@{0} + @{0});\n", name(n - 1)));
        let text = include_str!("../src/samples/far.stack").replacen("\ncounter ", &format!("\n{cells}\ncounter "), 1);
        let text = text.replacen("\nhandler ", &format!("\n{}\nhandler ", values.collect::<String>()), 1);
        read(&text).expect("a stack")
    };
    assert_eq!(validate(&doubling(4)), Ok(()));
    assert_eq!(validate(&normal::normal(&doubling(4))), Ok(()));
    refused("derived by more than 4096 expressions", doubling(64), |_| {});
    let normal = normal::normal(&far()).into_owned();
    assert_eq!(validate(&normal), Ok(()));
    assert!(normal.cells.iter().all(|cell| cell.scope != Scope::Derived));
}
