//! Sample automata for tests.

use crate::*;

fn local(n: usize) -> Expr {
    Expr::Local(n)
}
fn state(n: usize, at: Expr) -> Expr {
    Expr::Index(Box::new(Expr::State(n)), Box::new(at))
}
fn place(n: usize, at: Expr) -> Place {
    Place { root: Root::State(n), path: vec![Step::Index(at)] }
}
fn len(e: Expr) -> Expr {
    Expr::Unary(Unary::Len, Box::new(e))
}
fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}
fn peer(e: Expr) -> Expr {
    Expr::Peer(Box::new(e))
}
fn parameter(name: &str, ty: Type, at: bool) -> Parameter {
    Parameter { name: name.into(), ty, at }
}
fn at_and_message(name: &str) -> Vec<Parameter> {
    vec![parameter(name, Type::Rank, true), parameter("m", Type::Msg, false)]
}
fn action(
    kind: ActionKind,
    name: &str,
    parameters: Vec<Parameter>,
    guards: Vec<Guard>,
    body: Vec<Statement>,
) -> Action {
    let locals = parameters.iter().map(|p| p.ty.clone()).collect();
    Action {
        kind,
        optional: false,
        name: name.into(),
        parameters,
        locals,
        guards,
        body,
        peer: None,
        span: Span::default(),
    }
}
fn automaton(name: &str, state: Vec<Field>, actions: Vec<Action>, goals: Vec<Goal>) -> Automaton {
    let (description, extends) = (name.into(), vec![]);
    let (opening, forger) = (None, crate::forger::Forger::default());
    Automaton { name: name.into(), description, extends, state, actions, goals, opening, forger, span: Span::default() }
}

/// Messages between two participants, at most `room` in flight each way; one more is lost. Faults lose and duplicate
/// them; they overtake each other.
pub fn lossy_network(room: u64) -> Automaton {
    let flying =
        Field { name: "flying".into(), ty: Type::Per(Box::new(Type::Bag(Box::new(Type::Msg)))), initial: None };
    let towards = |n| Guard::In(Pattern::Bind(n), state(0, local(0)));
    let has_room = |q: Expr| binary(Binary::Less, len(state(0, q)), Expr::Const(Value::Num(room)));
    let add = |q: Expr| Statement::Do(Operation::Add, place(0, q), vec![local(1)]);
    let remove = || Statement::Do(Operation::Remove, place(0, local(0)), vec![local(1)]);
    let send = vec![Statement::If(has_room(peer(local(0))), vec![add(peer(local(0)))], vec![])];
    let any = || vec![parameter("q", Type::Rank, false), parameter("m", Type::Msg, false)];
    let actions = vec![
        action(ActionKind::Input, "send", at_and_message("p"), vec![], send),
        action(ActionKind::Output, "deliver", at_and_message("q"), vec![towards(1)], vec![remove()]),
        action(ActionKind::Fault, "loss", any(), vec![towards(1)], vec![remove()]),
        action(
            ActionKind::Fault,
            "double",
            any(),
            vec![towards(1), Guard::Holds(has_room(local(0)))],
            vec![add(local(0))],
        ),
    ];
    automaton("lossy_network", vec![flying], actions, vec![])
}

/// The same with the events `transmit` and `receive`, whose first parameter is the peer.
pub fn lossy_datagrams(room: u64) -> Automaton {
    let mut network = lossy_network(room);
    for action in &mut network.actions {
        let name = match action.kind {
            ActionKind::Input => "transmit",
            ActionKind::Output => "receive",
            ActionKind::Internal | ActionKind::Fault => continue,
        };
        action.name = name.into();
        action.parameters.insert(1, parameter("peer", Type::Rank, false));
        action.locals.insert(1, Type::Rank);
        action.guards.iter_mut().for_each(moved_guard);
        action.body.iter_mut().for_each(moved);
        action.guards.insert(0, Guard::Is(Pattern::Bind(1), peer(local(0))));
    }
    network
}

fn moved_guard(guard: &mut Guard) {
    if let Guard::In(Pattern::Bind(n), _) = guard {
        *n = 2;
    }
}

fn moved(statement: &mut Statement) {
    match statement {
        Statement::Do(_, _, arguments) => *arguments = vec![local(2)],
        Statement::If(_, then, _) => then.iter_mut().for_each(moved),
        _ => {}
    }
}

/// Each message arrives exactly once, in order.
pub fn fifo_network() -> Automaton {
    let sent = Field { name: "sent".into(), ty: Type::Per(Box::new(Type::Seq(Box::new(Type::Msg)))), initial: None };
    let first = Expr::Unary(Unary::First, Box::new(state(0, peer(local(0)))));
    let is_next = Guard::Is(Pattern::Bind(1), first);
    let append = Statement::Do(Operation::Append, place(0, local(0)), vec![local(1)]);
    let pop = Statement::Do(Operation::Pop, place(0, peer(local(0))), vec![]);
    let actions = vec![
        action(ActionKind::Input, "send", at_and_message("p"), vec![], vec![append]),
        action(ActionKind::Output, "deliver", at_and_message("q"), vec![is_next], vec![pop]),
    ];
    let nothing = binary(Binary::Equal, len(state(0, local(0))), Expr::Const(Value::Num(0)));
    let holds = Expr::Every(Box::new(Pattern::Bind(0)), Box::new(Expr::All), Box::new(nothing));
    let goals = vec![Goal { name: "all_arrive".into(), holds, unless: None, span: Span::default() }];
    automaton("fifo_network", vec![sent], actions, goals)
}

/// In order and none twice; some may be missing.
pub fn lossy_fifo_network() -> Automaton {
    let mut automaton = fifo_network();
    let pop = Statement::Do(Operation::Pop, place(0, peer(local(0))), vec![]);
    let first = Expr::Unary(Unary::First, Box::new(state(0, peer(local(0)))));
    let any = vec![parameter("q", Type::Rank, false), parameter("m", Type::Msg, false)];
    automaton.actions.push(action(ActionKind::Fault, "loss", any, vec![Guard::Is(Pattern::Bind(1), first)], vec![pop]));
    automaton.name = "lossy_fifo_network".into();
    automaton.goals.clear();
    automaton
}
