//! Automata, goals and configurations of the language, and their form in the compiler.

use nacre_driver::{Override, Session, Variation};
use nacre_specification::evaluate::State;
use nacre_specification::{samples, Automaton, Type, Value};
use nacre_stack::interpret::{Config, Machine, Outcome};
use nacre_stack::Type as StackType;
use nacre_tests::root;

/// A program of the standard interfaces and this text.
fn session(text: &str) -> Session {
    let text = format!("import \"layers/interfaces.nacre\";\n{text}");
    let session = Session::from_text(&root().join("case.nacre"), &text);
    assert!(!session.has_errors(), "{}", session.render(false));
    session
}

fn automaton(session: &mut Session, name: &str, parameters: &[(String, u64)]) -> Automaton {
    match session.automaton(name, parameters) {
        Ok(automaton) => automaton,
        Err(found) => {
            session.found.extend(found);
            panic!("{}", session.render(false));
        }
    }
}

const NETWORKS: &str = "
automaton lossy<ROOM: nat = 2> {
    state { flying: bag<msg> per member }
    input send(at p, m) { if flying[peer(p)].len < ROOM { flying[peer(p)].add(m); } }
    output deliver(at q, m) when m in flying[q] { flying[q].remove(m); }
    fault loss(q, m) when m in flying[q] { flying[q].remove(m); }
    fault double(q, m) when m in flying[q] && flying[q].len < ROOM { flying[q].add(m); }
}
automaton fifo {
    state { sent: seq<msg> per member }
    input send(at p, m) { sent[p].append(m); }
    output deliver(at q, m) when m == sent[peer(q)].first { sent[peer(q)].pop(); }
    goal all_arrive = all(p in members, sent[p].empty);
}
";

/// Removes names and spans, which the samples do not have.
fn bare(mut automaton: Automaton) -> Automaton {
    automaton.span = Default::default();
    automaton.actions.iter_mut().for_each(|a| a.span = Default::default());
    automaton.goals.iter_mut().for_each(|g| g.span = Default::default());
    (automaton.name, automaton.description) = Default::default();
    automaton
}

#[test]
fn automata_in_the_language_are_those_made_by_hand() {
    let mut session = session(NETWORKS);
    let lossy = automaton(&mut session, "lossy", &[]);
    assert_eq!(lossy.description, "lossy<ROOM = 2>");
    assert_eq!(bare(lossy), bare(samples::lossy_network(2)));
    let wider = automaton(&mut session, "lossy", &[("ROOM".into(), 5)]);
    assert_eq!(wider.description, "lossy<ROOM = 5>");
    assert_eq!(bare(wider), bare(samples::lossy_network(5)));
    assert_eq!(bare(automaton(&mut session, "fifo", &[])), bare(samples::fifo_network()));
}

/// Performs an action with these parameters, if it is enabled.
fn step(automaton: &Automaton, state: &State, name: &str, arguments: &[Value]) -> Option<State> {
    let fits = |a: &nacre_specification::Action| a.name == name && a.parameters.len() == arguments.len();
    let actions = automaton.actions.iter().enumerate().filter(|(_, a)| fits(a));
    let mut ways =
        actions.flat_map(|(at, _)| automaton.allows(state, 2, at, arguments).into_iter().map(move |w| (at, w)));
    ways.next().map(|(at, locals)| automaton.apply(state, 2, at, &locals))
}

#[test]
fn extending_adds_guards_and_effects() {
    let text = format!(
        "{NETWORKS}
        automaton slow<GAP: nat = 1> extends fifo {{
            state {{ now: nat, last: nat per member = zeroes, order: seq<(rank, nat)> }}
            internal tick() when now < 5 {{ now += 1; }}
            output deliver(at to, n) when may(to) && n.len > 0 {{ last[to] = now; order.append((to, n.len)); }}
            define may(q) = now >= last[q] + GAP;
            goal nothing_odd = !any((p, n) in order, n == 0 || p == peer(p));
        }}"
    );
    let mut session = session(&text);
    let slow = automaton(&mut session, "slow", &[]);
    assert_eq!(slow.extends, ["fifo"]);
    assert_eq!(slow.state.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["sent", "now", "last", "order"]);
    assert_eq!(slow.goals.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["all_arrive", "nothing_odd"]);
    assert_eq!(slow.actions.iter().filter(|a| a.name == "deliver").count(), 1);
    let m = |text: &str| vec![Value::Num(1), Value::msg(text.as_bytes())];
    let mut state = slow.start(2);
    for text in ["ab", ""] {
        state = step(&slow, &state, "send", &[Value::Num(0), Value::msg(text.as_bytes())]).unwrap();
    }
    assert_eq!(step(&slow, &state, "deliver", &m("ab")), None, "not before the first tick");
    state = step(&slow, &state, "tick", &[]).unwrap();
    assert_eq!(step(&slow, &state, "deliver", &m("x")), None, "what it extends says which is next");
    state = step(&slow, &state, "deliver", &m("ab")).unwrap();
    assert_eq!(state[3], Value::Seq(vec![Value::Tuple(vec![Value::Num(1), Value::Num(2)])]));
    assert!(slow.holds(&state, 2, 1));
    state = step(&slow, &state, "tick", &[]).unwrap();
    assert_eq!(step(&slow, &state, "deliver", &m("")), None, "an empty message is refused by the guard that was added");
}

#[test]
fn parameters_are_typed_by_guards_and_events() {
    let text = "
        const MANY: u16 = 2 * 2;
        automaton all_kinds<N: nat = MANY + 1> {
            state { seen: map<(rank, nat), msg>, ended: set<rank>, order: seq<(rank, msg)>, done: nat per member }
            input close(at p) { ended += p; }
            output closed(at p, why) when why == Reason.timeout && p in ended { ended -= p; }
            output grant_sends(at p, n) when n == N && done[p] < n { done[p] += n; if order.empty { done[p] = min(n, 7); } else { done[p] = 3; } }
            internal next(q) when done[q] > 0 { done[q] = 0; order.clear(); }
            internal take(p, m) when order[done[p]] == (p, m) { let x = m; var k = 1; for (r, _) in order { k += r; } }
            internal forget(q, n) when (q, n) in seen && !(q in ended) { seen.remove((q, n)); }
        }";
    let mut session = session(text);
    let found = automaton(&mut session, "all_kinds", &[]);
    let types = |name: &str| {
        let action = found.actions.iter().find(|a| a.name == name).expect("there is one");
        action.parameters.iter().map(|p| p.ty.clone()).collect::<Vec<_>>()
    };
    assert_eq!(types("close"), [Type::Rank]);
    assert_eq!(types("closed"), [Type::Rank, Type::Nat]);
    assert_eq!(types("next"), [Type::Rank]);
    assert_eq!(types("take"), [Type::Rank, Type::Msg]);
    assert_eq!(types("forget"), [Type::Rank, Type::Nat]);
    let mut state = found.start(2);
    let grant = found.actions.iter().position(|a| a.name == "grant_sends").unwrap();
    let ways = found.enabled(&state, 2, grant);
    assert_eq!(
        ways.iter().map(|w| (w[0].clone().unwrap().num(), w[1].clone().unwrap().num())).collect::<Vec<_>>(),
        [(0, 5), (1, 5)]
    );
    state = step(&found, &state, "close", &[Value::Num(1)]).unwrap();
    let closed = found.actions.iter().position(|a| a.name == "closed").unwrap();
    let ways = found.enabled(&state, 2, closed);
    assert_eq!(ways, [vec![Some(Value::Num(1)), Some(Value::Num(4))]]);
}

#[test]
fn configurations_name_what_is_below_and_share_names() {
    let with = |over: &str| {
        format!(
            "import \"layers/interfaces.nacre\";
            worker one {{ }}
            worker two {{ requires lossy_network; }}
            configuration small for one over {over} {{ AGE = 2; }}
            configuration small for two {{ send = 1; }}"
        )
    };
    let checked = |text: &str| {
        let mut session = Session::from_text(&root().join("case.nacre"), text);
        session.check();
        session
    };
    let open = |over: &str| checked(&with(over));
    let found = open("lossy_network");
    assert!(!found.has_errors(), "{}", found.render(false));
    let overs: Vec<_> = found.configurations().into_iter().map(|c| (c.subject, c.over)).collect();
    assert_eq!(overs, [("one".into(), Some("lossy_network".into())), ("two".into(), None)]);
    assert!(open("lossy_fifo_network").render(false).contains("below has a parameter `AGE`"));
    assert!(open("lossy_netwrk").render(false).contains("did you mean `lossy_network`?"));
    let twice = with("lossy_network") + " configuration small for one { }";
    let twice = checked(&twice).render(false);
    assert!(twice.contains("`one` has two configurations `small`"), "{twice}");
}

#[test]
fn configurations_and_promises_are_listed() {
    let session = session(
        "worker one<W: u16 = 8> { requires lossy_network; provides fifo_network; breaks any_length; }
         configuration small for one { W = 2; one.W = 3; send = (3, 0); }",
    );
    let layer = session.layers().into_iter().find(|l| l.name == "one").unwrap();
    assert_eq!((layer.requires, layer.provides), (vec!["lossy_network".to_string()], vec!["fifo_network".to_string()]));
    let [found] = &session.configurations()[..] else { panic!("one configuration") };
    assert_eq!((found.name.as_str(), found.subject.as_str()), ("small", "one"));
    let settings: Vec<_> = found.settings.iter().map(|s| (s.path.join("."), s.values.clone())).collect();
    assert_eq!(settings, [("W".into(), vec![2]), ("one.W".into(), vec![3]), ("send".into(), vec![3, 0])]);
}

fn set(layer: &str, parameter: &str, value: u64) -> Override {
    Override { layer: layer.into(), parameter: parameter.into(), value, span: nacre_stack::Span::default() }
}

#[test]
fn a_layer_is_composed_alone_and_with_other_parameters() {
    let session = Session::open(&[root().join("layers/pt2pt/pt2pt.nacre")]);
    let variation =
        Variation { parameters: vec![set("pt2pt", "W", 2), set("pt2pt", "RTO", 7_000_000)], sequence_bits: Some(8) };
    let (stack, _) = session.compose_varied("pt2pt", &variation).unwrap_or_else(|found| panic!("{found:#?}"));
    assert_eq!(stack.layers.len(), 1);
    assert!(stack.layers[0].description.contains("W = 2, RTO = 7 ms"), "{}", stack.layers[0].description);
    let sent = stack.cells.iter().find(|c| c.name == "sent").expect("its window");
    assert_eq!(sent.ty, StackType::Window(Box::new(StackType::Msg), 2, 8));
    let number = stack.headers.iter().find(|h| h.name == "Data").expect("its header").fields[0].clone();
    assert_eq!((number.ty, number.bits), (StackType::Seq(8), 8));
}

#[test]
fn a_stack_is_composed_with_other_parameters_of_its_layers() {
    let session = Session::open(&[root().join("examples/reliable.nacre")]);
    let variation = Variation { parameters: vec![set("frag", "PIECES", 3), set("pt2pt", "W", 4)], sequence_bits: None };
    let (stack, _) = session.compose_varied("reliable", &variation).unwrap_or_else(|found| panic!("{found:#?}"));
    let described: Vec<&str> = stack.layers.iter().map(|l| l.description.as_str()).collect();
    assert!(described.iter().any(|d| d.starts_with("frag<SIZE = 1400, PIECES = 3,")), "{described:?}");
    assert!(described.iter().any(|d| d.starts_with("pt2pt<W = 4,")), "{described:?}");
    let plain = session.compose_varied("reliable", &Variation::default()).expect("as it stands").0;
    assert_ne!(plain, stack);
    for (layer, parameter, code) in [("frag", "NONE", "T0013"), ("nothing", "W", "D0004")] {
        let variation = Variation { parameters: vec![set(layer, parameter, 1)], sequence_bits: None };
        let found = session.compose_varied("reliable", &variation).expect_err("there is no such parameter");
        assert_eq!(found[0].code, code);
    }
}

/// Counts to three in both directions, and comes to rest.
const RESTING: &str = "
worker resting<MOST: u8 = 1> {
    header Numbered { number: u8 }
    state { waiting: u8 }
    goal rests = waiting == 0;
    goal waits = waiting > MOST unless waiting == MOST;
    down send(m) { waiting += 1; pass m + Numbered { number: waiting }; }
    up deliver(m - Numbered { number }) { waiting -= min(number, waiting); pass m; }
}
stack twice = resting<2> / resting;
";

#[test]
fn goals_of_layers_are_listed_and_do_not_affect_behaviour() {
    let session = session(RESTING);
    let (stack, _) =
        session.compose_varied("twice", &Variation::default()).unwrap_or_else(|found| panic!("{found:#?}"));
    let named: Vec<Vec<&str>> =
        stack.layers.iter().map(|l| l.goals.iter().map(|g| g.name.as_str()).collect()).collect();
    assert_eq!(named, [["rests", "waits"], ["rests", "waits"]]);
    let text = nacre_stack::print(&stack);
    assert_eq!(nacre_stack::read(&text).as_ref(), Ok(&stack));
    let interface = stack.interface();
    let mut machine = Machine::of(std::sync::Arc::new(stack), Config::default());
    assert_eq!(machine.open(0), Outcome::Ok);
    assert_eq!(machine.goals(), [true, false, true, false]);
    let before = machine.canonical_bytes();
    assert_eq!(machine.goals().len(), 4);
    assert_eq!(machine.canonical_bytes(), before, "to ask changes nothing");
    let send = interface.iter().position(|e| e.port.0 == 1 && e.input.is_some()).unwrap() as u32;
    assert_eq!(machine.call(send, &[], b"x", 1), Outcome::Ok);
    assert_eq!(machine.goals(), [false, true, false, false], "the lower waits for one, the upper for two");
}

/// Layers with properties, and stacks of them.
const PROMISES: &str = "
automaton any_order { state { n: nat } input send(at p, m) { n += 1; } }
automaton in_order extends any_order { state { k: nat } input send(at p, m) { k += 1; } }
property sealed;

worker ordering  { provides in_order; }
worker sealing   { requires any_order; provides sealed; }
worker shuffling { breaks any_order; }
worker plain     { }
worker ordered   { requires in_order, sealed; }
worker needing   { requires any_order; }
worker using     { requires in_order; }

stack handed     = ordered / plain / sealing / plain / ordering;
stack extended   = needing / ordering / shuffling / needing;
stack missing    = ordered / plain / ordering;
stack broken     = needing / plain / shuffling / ordering;
stack of_network = needing / plain / needing;
stack undone     = using / shuffling / ordering;
stack unknown    = needing / plain;
";

#[test]
fn required_property_is_provided_below_or_preserved() {
    let session = session(PROMISES);
    let found = |stack: &str| -> Vec<String> {
        let found = session.compose_varied(stack, &Variation::default()).err().unwrap_or_default();
        found.into_iter().filter(|d| d.code == "C0021").map(|d| d.message).collect()
    };
    assert_eq!(found("handed"), [""; 0]);
    assert_eq!(found("extended"), [""; 0], "what provides more provides what it extends");
    assert_eq!(found("of_network"), [""; 0], "what the lowest layer requires is the network's");
    assert_eq!(found("missing"), ["`ordered` requires `sealed`, which nothing below it in `missing` provides"]);
    assert_eq!(found("broken"), ["`needing` requires `any_order`, which `shuffling` below it in `broken` breaks"]);
    // An automaton that extends a broken one is broken too.
    assert_eq!(found("undone"), ["`using` requires `in_order`, which `shuffling` below it in `undone` breaks"]);
    assert_eq!(found("unknown"), ["`needing` requires `any_order`, which nothing below it in `unknown` provides"]);
}

#[test]
fn networks_of_the_library_behave_as_documented() {
    let mut session = Session::open(&[root().join("layers/interfaces.nacre")]);
    let m = |end: u64, text: &str| [Value::Num(end), Value::msg(text.as_bytes())];
    let aging = automaton(&mut session, "lossy_network", &[("AGE".into(), 1)]);
    assert_eq!(aging.extends, ["noisy_network"], "what changes nothing is also one that might");
    let mut state = aging.start(2);
    for text in ["a", "b"] {
        state = step(&aging, &state, "send", &m(0, text)).unwrap();
    }
    assert!(step(&aging, &state, "deliver", &m(1, "a")).is_some(), "one later message lets it come");
    state = step(&aging, &state, "send", &m(0, "c")).unwrap();
    assert_eq!(step(&aging, &state, "deliver", &m(1, "a")), None, "two do not");
    assert!(aging.actions.iter().all(|a| a.name != "damage"), "what never happens is left out");

    let noisy = automaton(&mut session, "noisy_network", &[]);
    let state = step(&noisy, &noisy.start(2), "send", &m(0, "a")).unwrap();
    let damage = [&m(0, "a")[..], &[Value::msg(b"c")]].concat();
    let changed = step(&noisy, &state, "damage", &damage).unwrap();
    assert_eq!(step(&noisy, &state, "deliver", &m(1, "c")), None);
    assert!(step(&noisy, &changed, "deliver", &m(1, "c")).is_some());

    let fifo = automaton(&mut session, "fifo_network", &[("ROOM".into(), 2)]);
    let mut state = fifo.start(2);
    assert_eq!(step(&fifo, &state, "send", &m(0, "a")), None, "nothing is granted yet");
    assert_eq!(step(&fifo, &state, "grant_sends", &[Value::Num(0), Value::Num(3)]), None);
    state = step(&fifo, &state, "grant_sends", &[Value::Num(0), Value::Num(2)]).unwrap();
    for text in ["a", "b"] {
        state = step(&fifo, &state, "send", &m(0, text)).unwrap();
    }
    assert_eq!(step(&fifo, &state, "deliver", &m(1, "b")), None, "in order");
    assert!(!fifo.holds(&state, 2, 0) && fifo.goals[0].name == "all_arrive");
    for text in ["a", "b"] {
        state = step(&fifo, &state, "deliver", &m(1, text)).unwrap();
    }
    assert!(fifo.holds(&state, 2, 0));
    let closed = |why: u64| [Value::Num(1), Value::Num(why)];
    assert_eq!(step(&fifo, &state, "closed", &closed(0)), None, "nobody has closed");
    let ended = step(&fifo, &state, "closed", &closed(4)).unwrap();
    assert_eq!(step(&fifo, &ended, "closed", &closed(4)), None, "it comes once");
    state = step(&fifo, &state, "grant_sends", &[Value::Num(0), Value::Num(1)]).unwrap();
    state = step(&fifo, &state, "send", &m(0, "c")).unwrap();
    state = step(&fifo, &state, "close", &[Value::Num(0)]).unwrap();
    assert_eq!(step(&fifo, &state, "closed", &closed(0)), None, "not before all that was sent");
    assert_eq!(step(&fifo, &state, "send", &m(0, "d")), None, "not after close");
    state = step(&fifo, &state, "deliver", &m(1, "c")).unwrap();
    assert!(!fifo.holds(&state, 2, 1) && fifo.goals[1].name == "all_end");
    let (state, heard) = (step(&fifo, &state, "closed", &closed(0)).unwrap(), [Value::Num(0), Value::Num(0)]);
    assert!(fifo.holds(&step(&fifo, &state, "closed", &heard).unwrap(), 2, 1));
}
