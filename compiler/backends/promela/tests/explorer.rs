//! SPIN on the model stores the states that the explorer visits, and finds what it finds.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use nacre_backend_promela::{write, Bounds, Observer, EXTRA_STATES};
use nacre_checker::explore::{self, explore, Options};
use nacre_checker::search::{search, Verdict as Explored};
use nacre_checker::space::Space;
use nacre_checker::{setup, world};
use nacre_specification::samples::lossy_datagrams;
use nacre_stack::{samples, BinaryOp, CellId, Expr, ExprKind, Place, Query, Root, Stack, Statement, Type};
use nacre_verify::spin::{Limits, Model, Searched, Tools, Verdict};

const BOUNDS: Bounds = Bounds {
    messages: [2, 0],
    calls: Vec::new(),
    size: 1,
    flight: 2,
    losses: 1,
    duplications: 1,
    fifo: false,
    observer: Observer::Reliable,
};

fn spin(stack: &Stack, bounds: &Bounds) -> Searched {
    let text = write(stack, bounds, &|_| None).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    if let Ok(folder) = std::env::var("KEEP_MODELS") {
        std::fs::write(format!("{folder}/{}.pml", stack.description.replace(['/', ' ', '<', '>'], "_")), &text)
            .unwrap();
    }
    // Compiling would take longer than searching.
    let model = Model { text, flags: vec!["-O0".into()], ..Model::default() };
    Tools::find()
        .expect("spin and gcc")
        .check(&model, &Limits { shorten: true, ..Limits::default() })
        .unwrap_or_else(|e| panic!("{e}"))
}

fn explorer(stack: &Stack, bounds: &Bounds) -> nacre_checker::search::Searched {
    let observer = match bounds.observer {
        Observer::None => world::Observer::None,
        Observer::Once => world::Observer::Once,
        Observer::Ordered => world::Observer::Ordered,
        Observer::Reliable => world::Observer::Reliable,
    };
    let of = world::Bounds {
        messages: bounds.messages,
        size: bounds.size as usize,
        flight: bounds.flight as usize,
        losses: bounds.losses,
        duplications: bounds.duplications,
        fifo: bounds.fifo,
    };
    search(&Arc::new(stack.clone()), &of, observer, 3_000_000).unwrap()
}

/// A stack of the library, without times: the explorer tells deadlines apart, the model does not. A peer that does not
/// answer is given up sooner than usual, so that runs are short.
fn library(stack: &str) -> Stack {
    erase_of(stack).unwrap_or_else(|refusals| panic!("{refusals:?}"))
}

fn erase_of(stack: &str) -> Result<Stack, Vec<nacre_backend_promela::Refusal>> {
    let layers = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../layers");
    let source = std::fs::read_to_string(layers.join("pt2pt/pt2pt.nacre")).unwrap();
    assert!(source.contains("TRIES: u8 = 20,"));
    let imports: String = ["floor", "sequencer", "credit", "frag", "checksum", "corrupt", "delay", "duplicate", "lose"]
        .iter()
        .map(|n| format!("import \"../{n}/{n}.nacre\";\n"))
        .collect();
    let source = source.replace("TRIES: u8 = 20,", "TRIES: u8 = 1;");
    let source = source.replacen("import", &format!("{imports}import"), 1) + &format!("\nstack tried = {stack};\n");
    let mut session = nacre_driver::Session::from_text(&layers.join("pt2pt/tried.nacre"), &source);
    session.check();
    let stack = session.stack("tried").unwrap_or_else(|| panic!("{}", session.render(false)));
    nacre_backend_promela::erase::erase(&stack)
}

/// Both hold, and visit as many states.
fn agree(stack: &Stack, bounds: &Bounds) -> usize {
    let explored = explorer(stack, bounds);
    assert_eq!(explored.verdict, Explored::Holds, "{}", stack.name);
    let searched = spin(stack, bounds);
    assert_eq!(searched.verdict, Verdict::Holds, "{}", stack.name);
    println!("{}: {} states, {searched:?}", stack.name, explored.states);
    assert_eq!(searched.states, explored.states as u64 + EXTRA_STATES, "{} {bounds:?}", stack.name);
    explored.states
}

#[test]
fn go_back_n_has_the_explorers_states() {
    assert_eq!(agree(&samples::go_back_n(), &BOUNDS), 849);
    agree(&samples::go_back_n(), &Bounds { fifo: true, messages: [2, 1], ..BOUNDS });
}

#[test]
fn sequencer_has_the_explorers_states() {
    agree(&samples::sequencer(), &Bounds { observer: Observer::Ordered, messages: [2, 2], ..BOUNDS });
}

#[test]
fn sealed_has_the_explorers_states() {
    agree(&samples::sealed(), &Bounds { observer: Observer::None, size: 2, messages: [2, 2], ..BOUNDS });
}

#[test]
fn layers_of_the_library_have_the_explorers_states() {
    let ordered = || Bounds { observer: Observer::Ordered, ..BOUNDS };
    agree(&library("sequencer / floor"), &Bounds { messages: [2, 1], ..ordered() });
    agree(
        &library("checksum / floor"),
        &Bounds { messages: [1, 1], duplications: 0, observer: Observer::Once, ..BOUNDS },
    );
    let one = || Bounds { messages: [1, 0], flight: 1, losses: 1, duplications: 0, ..ordered() };
    agree(&library("pt2pt<2> / floor"), &Bounds { messages: [2, 0], ..one() });
    agree(&library("credit / pt2pt<2> / floor"), &one());
    agree(&library("frag<1, 4> / pt2pt<2> / floor"), &Bounds { size: 3, ..one() });
}

/// Calls of any kind, over the network that the explorer has as an automaton: pools, maps, families of timers, `later`.
#[test]
fn a_desk_has_the_explorers_states() {
    // Five questions are more than it can keep, so that it puts off what it does about that.
    for (asks, room, losses) in [([2, 0], 2, 1), ([5, 0], 0, 0)] {
        let stack = nacre_backend_promela::erase::erase(&samples::desk()).unwrap();
        let calls = vec![("ask".to_string(), asks)];
        let limits = vec![("lose".to_string(), losses), ("double".to_string(), 0)];
        let of = setup::Bounds { calls: calls.clone(), limits, ..setup::Bounds::default() };
        let explored = between(setup::Setup::new(Arc::new(stack.clone()), lossy_datagrams(room), vec![], of));
        let (messages, flight) = ([0, 0], room as u32);
        let bounds = Bounds { messages, calls, flight, losses, duplications: 0, observer: Observer::None, ..BOUNDS };
        let searched = spin(&stack, &bounds);
        println!("desk: {explored} states, {searched:?}");
        assert_eq!((searched.verdict, searched.states), (Verdict::Holds, explored + EXTRA_STATES));
        assert!(explored > 1000, "{explored}");
    }
}

/// How many states the explorer visits between automata.
fn between(setup: setup::Setup) -> u64 {
    let (space, first) = Space::open(&setup).unwrap();
    let (stop, threads) = (AtomicBool::new(false), 1);
    let options = Options {
        threads,
        states: 1_000_000,
        memory: 1 << 32,
        bits: None,
        goals: false,
        stop: &stop,
        progress: &|_| {},
    };
    let explored = explore(&space, &first, &options);
    assert_eq!(explored.verdict, explore::Verdict::Complete);
    explored.progress.states
}

/// Finds the violation that the explorer finds.
fn both_find(broken: &Stack, bounds: &Bounds, why: &str) -> Vec<String> {
    let Explored::Violated { run, why: explored } = explorer(broken, bounds).verdict else { panic!("it holds") };
    let Verdict::Violated { trail, .. } = spin(broken, bounds).verdict else { panic!("SPIN finds nothing") };
    let last = trail.last().expect("a run");
    assert!(last.contains(why), "{trail:?}, the explorer: {explored}");
    // Both ends open before, and what is broken is said behind. A run may have more steps, if they are shorter ones.
    assert!((run.len() + 3..run.len() + 6).contains(&trail.len()), "{trail:?}, the explorer: {run:?}");
    trail
}

#[test]
fn numbers_that_are_not_compared_are_found() {
    let mut broken = samples::go_back_n();
    for statement in broken.handlers.iter_mut().flat_map(|h| &mut h.body) {
        if let Statement::If { condition, otherwise, .. } = statement {
            if otherwise.len() == 1 {
                condition.kind = ExprKind::Const(1);
            }
        }
    }
    let trail = both_find(&broken, &BOUNDS, "came out");
    assert!(trail.iter().any(|step| step == "a sends"), "{trail:?}");
}

#[test]
fn a_timer_that_is_not_armed_again_is_found() {
    let mut broken = samples::go_back_n();
    for handler in &mut broken.handlers {
        if matches!(handler.body.first(), Some(Statement::Each { .. })) {
            handler.body.retain(|s| !matches!(s, Statement::Arm { .. }));
        }
    }
    both_find(&broken, &BOUNDS, "nothing can happen any more");
}

#[test]
fn a_stack_that_repairs_nothing_is_not_reliable() {
    both_find(&samples::sequencer(), &Bounds { messages: [1, 0], ..BOUNDS }, "nothing can happen any more");
}

#[test]
fn an_invariant_that_does_not_hold_is_found() {
    let mut broken = samples::go_back_n();
    let ty = Type::Bool;
    let sent = Place { root: Root::Cell(CellId(1)), path: vec![], ty: broken.cells[1].ty.clone() };
    let empty = ExprKind::Query(Query::Empty, Box::new(sent), vec![]);
    broken.layers[0].invariants.push(Expr { kind: empty, ty });
    both_find(&broken, &BOUNDS, "go_back_n: invariant 2");
}

/// A layer that draws what it begins with.
fn drawn(invariant: &str) -> Stack {
    let layers = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../layers");
    let source = format!(
        "import \"../interfaces.nacre\";\nimport \"../floor/floor.nacre\";
        worker drawn {{
            state {{ n: u8 = random(6) as u8, high: bool = n > 0 && random(2) == 1 }}
            invariant {invariant};
        }}
        stack tried = drawn / floor;"
    );
    let mut session = nacre_driver::Session::from_text(&layers.join("pt2pt/tried.nacre"), &source);
    session.check();
    let stack = session.stack("tried").unwrap_or_else(|| panic!("{}", session.render(false)));
    nacre_backend_promela::erase::erase(&stack).unwrap()
}

/// The least or the greatest, in every way, before the first step.
#[test]
fn initial_values_that_are_drawn_are_chosen() {
    let bounds = Bounds { observer: Observer::None, messages: [1, 0], flight: 1, duplications: 0, ..BOUNDS };
    let holds = |invariant: &str| matches!(spin(&drawn(invariant), &bounds).verdict, Verdict::Holds);
    assert!(holds("n == 0 || n == 5"));
    assert!(holds("!high || n == 5"));
    assert!(!holds("n == 0"));
    assert!(!holds("n == 5"));
    assert!(!holds("n == 0 || high"));
}

#[test]
fn what_cannot_be_written_is_refused_in_words() {
    let mut timed = samples::go_back_n();
    let now = Expr { kind: ExprKind::Now, ty: Type::Instant };
    let zero = Expr { kind: ExprKind::Zero, ty: Type::Instant };
    let late = Expr { kind: ExprKind::Binary(BinaryOp::Less, Box::new(zero), Box::new(now)), ty: Type::Bool };
    timed.handlers[0].body.push(Statement::Assert(late, "late".into()));
    let refusals = write(&timed, &BOUNDS, &|_| None).unwrap_err();
    let said: Vec<String> = refusals.iter().map(|r| r.to_string()).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("cannot be written in Promela: a time decides more than when a timer fires"),
        "{said:?}"
    );
    let delays = erase_of("delay<50 ms, 2> / floor").unwrap_err();
    assert!(delays.iter().any(|r| r.what.contains("`delay.down.send`")), "{delays:?}");
    let refusals = write(&samples::desk(), &BOUNDS, &|_| None).unwrap_err();
    assert!(refusals.iter().any(|r| r.what.contains("no event above the network")), "{refusals:?}");
}

/// What is drawn is the least or the greatest, for both.
#[test]
fn layers_that_draw_random_numbers_have_the_explorers_states() {
    let mut network = lossy_datagrams(2);
    for action in &mut network.actions {
        action.name = action.name.replace("transmit", "send").replace("receive", "deliver");
    }
    let limits = vec![("lose".to_string(), 1), ("double".to_string(), 0)];
    let drawn = ("drawn / floor", drawn("n == 0 || n == 5"), 3);
    let drawing = ["duplicate<20> / floor", "lose<20> / floor", "corrupt<20> / floor"].map(|n| (n, library(n), 1));
    for (name, stack, openings) in drawing.into_iter().chain([drawn]) {
        let calls = vec![("send".to_string(), [1, 1])];
        let of = setup::Bounds { calls, limits: limits.clone(), ..setup::Bounds::default() };
        let explored = between(setup::Setup::new(Arc::new(stack.clone()), network.clone(), vec![], of));
        let searched = spin(&stack, &Bounds { messages: [1, 1], duplications: 0, observer: Observer::None, ..BOUNDS });
        println!("{name}: {explored} states, {searched:?}");
        // In one state of the model for each way in which an end opens, the other has not been opened.
        let wanted = explored + EXTRA_STATES + openings - 1;
        assert_eq!((searched.verdict, searched.states), (Verdict::Holds, wanted), "{name}");
    }
}

#[test]
fn handlers_are_named_as_in_the_source_and_say_where_they_stand() {
    let text = write(&samples::go_back_n(), &BOUNDS, &|_| Some(("layers/g/g.nacre".into(), 7))).unwrap();
    let expected = "/* go_back_n: go_back_n.up.receive.Data (g.nacre:7) */\ninline go_back_n_up_receive_Data() {";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("/* fn go_back_n.acknowledged (g.nacre:7) */"), "{text}");
}
