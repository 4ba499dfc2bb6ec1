//! An automaton of one connection, in a world of more than two members: one instance of it for each pair.
//!
//! An automaton that names the `peer` of a participant specifies a connection of two. Among more members, each pair has
//! a connection of its own. All of them together are again an automaton, which is built here, so the evaluator and its
//! users know nothing of pairs:
//!
//! - Its state consists of one copy of the state for each pair.
//! - An **input** that names the peer (a parameter that is a rank) happens in the connection with that peer. Any other
//!   is a multicast: it happens in every connection of its participant, and all of them must allow it.
//! - An **output** happens in one connection of its participant; if it does not name the peer, in any that allows it.
//! - An internal action or a fault happens in one connection.
//! - The goals of every connection must be met.

use std::cell::Cell;

use crate::members::name;
use crate::*;

impl Automaton {
    /// This automaton for a number of members: itself, unless it specifies a connection and there are more than two.
    pub fn among(self, members: u64) -> Automaton {
        if members <= 2 || !self.is_of_a_connection() {
            return self;
        }
        let pairs = (0..members).flat_map(|a| (a + 1..members).map(move |b| [a, b]));
        let connections: Vec<Connection> =
            pairs.enumerate().map(|(at, pair)| Connection::of(pair, at * self.state.len())).collect();
        let mut actions = vec![];
        for (at, action) in self.actions.iter().enumerate() {
            if action.kind == ActionKind::Input && !names_peer(action) {
                // Actions of one event are alternatives, in each connection.
                let alternatives: Vec<&Action> = self.actions.iter().filter(|a| is_alternative(action, a)).collect();
                if !self.actions[..at].iter().any(|before| is_alternative(action, before)) {
                    (0..members).for_each(|p| actions.extend(multicasts(&connections, p, &alternatives)));
                }
                continue;
            }
            let is_directed = matches!(action.kind, ActionKind::Input | ActionKind::Output);
            actions.extend(connections.iter().flat_map(|connection| match is_directed {
                true => connection.pair.map(|p| connection.action(action, Some(p))).into(),
                false => vec![connection.action(action, None)],
            }));
        }
        let state = connections.iter().flat_map(|c| self.state.iter().map(|field| c.field(field))).collect();
        let goals = connections.iter().flat_map(|c| self.goals.iter().map(|goal| c.goal(goal))).collect();
        Automaton { state, actions, goals, ..self }
    }

    /// Whether it specifies a connection of two participants: it names the peer of one.
    pub fn is_of_a_connection(&self) -> bool {
        let connection = Connection::of([0, 1], 0);
        self.state.iter().for_each(|field| drop(connection.field(field)));
        self.actions.iter().for_each(|action| drop(connection.action(action, None)));
        self.goals.iter().for_each(|goal| drop(connection.goal(goal)));
        connection.has_peers.get()
    }
}

/// Whether a parameter besides `at` is a participant.
fn names_peer(action: &Action) -> bool {
    action.parameters.iter().any(|p| p.ty == Type::Rank && !p.at)
}

/// Whether two inputs are actions of one multicast event.
fn is_alternative(action: &Action, other: &Action) -> bool {
    let types = |action: &Action| action.parameters.iter().map(|p| p.ty.clone()).collect::<Vec<_>>();
    other.kind == ActionKind::Input && other.name == action.name && types(other) == types(action)
}

/// A multicast of a participant: one action for each combination of alternatives in its connections.
fn multicasts(connections: &[Connection], p: u64, alternatives: &[&Action]) -> Vec<Action> {
    let start = Action { guards: vec![is_one_of(0, &[p])], body: vec![], ..alternatives[0].clone() };
    let parameters = start.parameters.len();
    let start = Action { locals: start.locals[..parameters].to_vec(), ..start };
    connections.iter().filter(|c| c.pair.contains(&p)).fold(vec![start], |all, connection| {
        let both = |before: &Action, action: &Action| {
            let copying = Copying { connection, parameters, shift: before.locals.len() - parameters };
            let mut joined = before.clone();
            joined.locals.extend(action.locals[parameters..].iter().cloned());
            joined.guards.extend(action.guards.iter().map(|guard| copying.guard(guard)));
            joined.body.extend(copying.body(&action.body));
            joined
        };
        all.iter().flat_map(|before| alternatives.iter().map(move |action| both(before, action))).collect()
    })
}

/// The condition that a parameter is one of these participants.
fn is_one_of(parameter: usize, members: &[u64]) -> Guard {
    Guard::In(Pattern::Bind(parameter), set(members))
}

fn set(members: &[u64]) -> Expr {
    Expr::Const(Value::Set(members.iter().copied().map(Value::Num).collect()))
}

/// A connection: a pair of members, the lower first, and the place of its state.
struct Connection {
    pair: [u64; 2],
    states: usize,
    /// Whether a peer was named in what was copied.
    has_peers: Cell<bool>,
}

impl Connection {
    fn of(pair: [u64; 2], states: usize) -> Connection {
        Connection { pair, states, has_peers: Cell::new(false) }
    }

    fn copying(&self) -> Copying<'_> {
        Copying { connection: self, parameters: 0, shift: 0 }
    }

    /// `sent` of a and b is `sent_ab`.
    fn name(&self, of: &str) -> String {
        let [a, b] = self.pair.map(|member| name(member as usize));
        format!("{of}_{a}{b}")
    }

    fn field(&self, field: &Field) -> Field {
        let initial = field.initial.as_ref().map(|e| self.copying().expr(e));
        Field { name: self.name(&field.name), initial, ..field.clone() }
    }

    fn goal(&self, goal: &Goal) -> Goal {
        let copying = self.copying();
        let unless = goal.unless.as_ref().map(|e| copying.expr(e));
        Goal { name: self.name(&goal.name), holds: copying.expr(&goal.holds), unless, ..goal.clone() }
    }

    /// An action of this connection; `at`: at one of its participants.
    fn action(&self, action: &Action, at: Option<u64>) -> Action {
        let copying = self.copying();
        let ranks = action.parameters.iter().enumerate().filter(|(_, p)| p.ty == Type::Rank);
        let bound = ranks.map(|(n, p)| match at.filter(|_| p.at) {
            Some(at) => is_one_of(n, &[at]),
            None => is_one_of(n, &self.pair),
        });
        let guards = bound.chain(action.guards.iter().map(|guard| copying.guard(guard))).collect();
        let peer = at.and_then(|at| self.pair.into_iter().find(|member| *member != at));
        Action { guards, body: copying.body(&action.body), peer, ..action.clone() }
    }
}

/// Copies code of an automaton into that of a connection. Locals after the parameters are moved up.
#[derive(Clone, Copy)]
struct Copying<'a> {
    connection: &'a Connection,
    parameters: usize,
    shift: usize,
}

impl Copying<'_> {
    fn local(self, n: usize) -> usize {
        n + if n < self.parameters { 0 } else { self.shift }
    }

    fn guard(self, guard: &Guard) -> Guard {
        match guard {
            Guard::In(pattern, e) => Guard::In(self.pattern(pattern), self.expr(e)),
            Guard::Is(pattern, e) => Guard::Is(self.pattern(pattern), self.expr(e)),
            Guard::Holds(e) => Guard::Holds(self.expr(e)),
        }
    }

    fn pattern(self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Bind(n) => Pattern::Bind(self.local(*n)),
            Pattern::Equal(e) => Pattern::Equal(self.expr(e)),
            Pattern::Any => Pattern::Any,
            Pattern::Tuple(parts) => Pattern::Tuple(parts.iter().map(|part| self.pattern(part)).collect()),
        }
    }

    fn expr(self, e: &Expr) -> Expr {
        let copy = |e: &Expr| Box::new(self.expr(e));
        let pattern = |pattern: &Pattern| Box::new(self.pattern(pattern));
        match e {
            Expr::Const(_) | Expr::Zero(_) => e.clone(),
            Expr::State(n) => Expr::State(self.connection.states + n),
            Expr::Local(n) => Expr::Local(self.local(*n)),
            Expr::Members => Expr::Const(Value::Num(2)),
            Expr::All => set(&self.connection.pair),
            Expr::Peer(of) => {
                self.connection.has_peers.set(true);
                let [a, b] = self.connection.pair.map(|member| Box::new(Expr::Const(Value::Num(member))));
                Expr::If(Box::new(Expr::Binary(Binary::Equal, copy(of), a.clone())), b, a)
            }
            Expr::Tuple(parts) => Expr::Tuple(parts.iter().map(|part| self.expr(part)).collect()),
            Expr::Part(of, n) => Expr::Part(copy(of), *n),
            Expr::Index(of, index) => Expr::Index(copy(of), copy(index)),
            Expr::Unary(op, of) => Expr::Unary(*op, copy(of)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, copy(a), copy(b)),
            Expr::If(condition, then, otherwise) => Expr::If(copy(condition), copy(then), copy(otherwise)),
            Expr::Every(each, over, holds) => Expr::Every(pattern(each), copy(over), copy(holds)),
            Expr::Some(each, over, holds) => Expr::Some(pattern(each), copy(over), copy(holds)),
        }
    }

    fn body(self, body: &[Statement]) -> Vec<Statement> {
        body.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(self, statement: &Statement) -> Statement {
        match statement {
            Statement::Let(n, e) => Statement::Let(self.local(*n), self.expr(e)),
            Statement::Assign(place, e) => Statement::Assign(self.place(place), self.expr(e)),
            Statement::Do(operation, place, arguments) => {
                Statement::Do(*operation, self.place(place), arguments.iter().map(|e| self.expr(e)).collect())
            }
            Statement::If(condition, then, otherwise) => {
                Statement::If(self.expr(condition), self.body(then), self.body(otherwise))
            }
            Statement::For(pattern, over, body) => {
                Statement::For(self.pattern(pattern), self.expr(over), self.body(body))
            }
        }
    }

    fn place(self, place: &Place) -> Place {
        let root = match place.root {
            Root::State(n) => Root::State(self.connection.states + n),
            Root::Local(n) => Root::Local(self.local(n)),
        };
        let step = |step: &Step| match step {
            Step::Index(e) => Step::Index(self.expr(e)),
            Step::Part(n) => Step::Part(*n),
        };
        Place { root, path: place.path.iter().map(step).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::subset_construction::{follow, Observed};

    /// The states of a first-in-first-out network of three after some events: `(input, member, message)`.
    fn after(events: &[(bool, usize, &str)]) -> usize {
        let network = samples::fifo_network().among(3);
        let mut states = vec![network.start(3)];
        for (input, end, m) in events {
            let (kind, name) = match input {
                true => (ActionKind::Input, "send"),
                false => (ActionKind::Output, "deliver"),
            };
            let arguments = [Value::msg(m.as_bytes())];
            states = follow(&network, 3, &states, Observed { kind, name, end: *end, arguments: &arguments }).1;
        }
        states.len()
    }

    #[test]
    fn what_a_member_sends_reaches_each_other_one_in_order() {
        let sent = [(true, 0, "x"), (true, 0, "y"), (true, 1, "z")];
        let and = |more: &[(bool, usize, &'static str)]| after(&[&sent[..], more].concat());
        assert_eq!(and(&[(false, 2, "x"), (false, 2, "z"), (false, 2, "y"), (false, 1, "x"), (false, 0, "z")]), 1);
        assert_eq!(and(&[(false, 2, "z"), (false, 2, "x")]), 1, "messages of different members have no order");
        assert_eq!(and(&[(false, 2, "y")]), 0, "it is not the next of its sender");
        assert_eq!(and(&[(false, 2, "x"), (false, 2, "x")]), 0, "each arrives once");
        assert_eq!(and(&[(false, 0, "x")]), 0, "none arrives at its sender");
    }

    #[test]
    fn an_automaton_without_peers_has_one_instance() {
        let mut network = samples::fifo_network();
        assert!(network.is_of_a_connection());
        network.actions.clear();
        assert!(!network.is_of_a_connection());
        assert_eq!(network.clone().among(3), network);
    }

    #[test]
    fn each_connection_has_its_goals() {
        let network = samples::fifo_network().among(3);
        let names: Vec<&str> = network.goals.iter().map(|goal| goal.name.as_str()).collect();
        let one = &samples::fifo_network().goals[0].name;
        assert_eq!(names, ["ab", "ac", "bc"].map(|pair| format!("{one}_{pair}")));
    }
}
