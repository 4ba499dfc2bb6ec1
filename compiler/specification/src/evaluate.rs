//! The reference semantics of automata: which actions are enabled, and their effects.

use crate::compute::{binary, element, element_mut, operate, unary};
use crate::forger::Forger;
use crate::*;

/// A state: the values of [`Automaton::state`], in order.
pub type State = Vec<Value>;

/// Values of an action's locals; none: unset.
pub type Locals = Vec<Option<Value>>;

impl Automaton {
    /// The initial state for this number of participants.
    pub fn start(&self, members: u64) -> State {
        let mut state: State = self.state.iter().map(|f| Value::zero(&f.ty, members)).collect();
        for (at, field) in self.state.iter().enumerate() {
            if let Some(initial) = &field.initial {
                if let Some(value) = self.scope(&state, members).value(initial, &mut vec![]) {
                    state[at] = value;
                }
            }
        }
        self.opened(state, members)
    }

    /// The state after the output that opening makes at each member, where it is allowed.
    fn opened(&self, mut state: State, members: u64) -> State {
        let outputs = || self.actions.iter().enumerate().filter(|(_, a)| a.kind == ActionKind::Output);
        for member in 0..members {
            for (action, declared) in outputs().filter(|(_, a)| self.opening.as_ref() == Some(&a.name)) {
                let Some(at) = declared.parameters.iter().position(|p| p.at) else { continue };
                let here = |locals: &Locals| locals[at] == Some(Value::Num(member));
                if let Some(locals) = self.enabled(&state, members, action).into_iter().find(here) {
                    state = self.apply(&state, members, action, &locals);
                }
            }
        }
        state
    }

    /// All bindings of locals for which an action is enabled, with free parameters.
    pub fn enabled(&self, state: &State, members: u64, action: usize) -> Vec<Locals> {
        let action = &self.actions[action];
        let bound = |n: usize| {
            action.guards.iter().any(|g| match g {
                Guard::In(pattern, _) | Guard::Is(pattern, _) => pattern.binds(n),
                Guard::Holds(_) => false,
            })
        };
        let mut starts: Vec<Locals> = vec![vec![None; action.locals.len()]];
        for (n, parameter) in action.parameters.iter().enumerate() {
            if parameter.ty == Type::Rank && !bound(n) {
                let with = |rank: u64| {
                    starts.iter().cloned().map(move |mut locals| {
                        locals[n] = Some(Value::Num(rank));
                        locals
                    })
                };
                starts = (0..members).flat_map(with).collect();
            }
        }
        let mut found = vec![];
        for locals in starts {
            self.scope(state, members).satisfy(&action.guards, locals, &mut found);
        }
        for locals in &mut found {
            // Parameters that no guard binds.
            for (local, parameter) in locals.iter_mut().zip(&action.parameters) {
                local.get_or_insert_with(|| Value::zero(&parameter.ty, members));
            }
        }
        found.dedup();
        found
    }

    /// All bindings for which an action is enabled with these parameters (several where guards bind other locals).
    pub fn allows(&self, state: &State, members: u64, action: usize, arguments: &[Value]) -> Vec<Locals> {
        let action = &self.actions[action];
        let mut locals: Locals = arguments.iter().cloned().map(Some).collect();
        locals.resize(action.locals.len().max(locals.len()), None);
        let mut found = vec![];
        self.scope(state, members).satisfy(&action.guards, locals, &mut found);
        found
    }

    /// The state after an action.
    pub fn apply(&self, state: &State, members: u64, action: usize, locals: &Locals) -> State {
        let mut next = state.clone();
        execute(&self.actions[action].body, &mut next, (members, &self.forger), &mut locals.clone());
        next
    }

    fn scope<'a>(&'a self, state: &'a State, members: u64) -> Scope<'a> {
        Scope { state, outside: (members, &self.forger) }
    }

    /// Whether a goal holds.
    pub fn holds(&self, state: &State, members: u64, goal: usize) -> bool {
        self.scope(state, members).value(&self.goals[goal].holds, &mut vec![]) == Some(Value::Bool(true))
    }

    /// Whether a goal is excused in this state.
    pub fn excused(&self, state: &State, members: u64, goal: usize) -> bool {
        let unless = self.goals[goal].unless.as_ref();
        unless.is_some_and(|e| self.scope(state, members).value(e, &mut vec![]) == Some(Value::Bool(true)))
    }
}

impl Pattern {
    /// Returns whether a match assigns to variable `n`.
    pub fn binds(&self, n: usize) -> bool {
        match self {
            Pattern::Bind(m) => *m == n,
            Pattern::Tuple(parts) => parts.iter().any(|p| p.binds(n)),
            Pattern::Equal(_) | Pattern::Any => false,
        }
    }
}

/// What an expression reads besides the state and locals: the number of participants, and what makes up frames.
type Outside<'a> = (u64, &'a Forger);

#[derive(Clone, Copy)]
struct Scope<'a> {
    state: &'a State,
    outside: Outside<'a>,
}

impl Scope<'_> {
    fn satisfy(self, guards: &[Guard], mut locals: Locals, found: &mut Vec<Locals>) {
        let Some((guard, rest)) = guards.split_first() else { return found.push(locals) };
        match guard {
            Guard::Holds(e) => {
                if self.value(e, &mut locals) == Some(Value::Bool(true)) {
                    self.satisfy(rest, locals, found);
                }
            }
            Guard::Is(pattern, e) => {
                let Some(value) = self.value(e, &mut locals) else { return };
                if self.fits(pattern, &value, &mut locals, false) {
                    self.satisfy(rest, locals, found);
                }
            }
            Guard::In(Pattern::Bind(n), Expr::Unary(Unary::Upto, most))
                if locals.get(*n).is_some_and(Option::is_some) =>
            {
                let most = self.value(most, &mut locals).map_or(0, |most| most.num());
                let known = locals[*n].as_ref().map_or(0, Value::num);
                if 1 <= known && known <= most {
                    self.satisfy(rest, locals, found);
                }
            }
            Guard::In(pattern, e) => {
                let Some(container) = self.value(e, &mut locals) else { return };
                let mut entries = container.entries();
                entries.sort();
                entries.dedup();
                for entry in entries {
                    let mut locals = locals.clone();
                    if self.fits(pattern, &entry, &mut locals, false) {
                        self.satisfy(rest, locals, found);
                    }
                }
            }
        }
    }

    /// Matches a value with a pattern. `fresh`: a binding replaces the variable's previous value.
    fn fits(self, pattern: &Pattern, value: &Value, locals: &mut Locals, fresh: bool) -> bool {
        match (pattern, value) {
            (Pattern::Any, _) => true,
            (Pattern::Equal(e), value) => self.value(e, locals).as_ref() == Some(value),
            (Pattern::Bind(n), value) => {
                if locals.len() <= *n {
                    locals.resize(n + 1, None);
                }
                match &locals[*n] {
                    Some(known) if !fresh => known == value,
                    _ => {
                        locals[*n] = Some(value.clone());
                        true
                    }
                }
            }
            (Pattern::Tuple(parts), Value::Tuple(values)) => {
                parts.len() == values.len() && parts.iter().zip(values).all(|(p, v)| self.fits(p, v, locals, fresh))
            }
            (Pattern::Tuple(_), _) => false,
        }
    }

    /// The value of an expression; none: something that it reads is missing.
    fn value(self, e: &Expr, locals: &mut Locals) -> Option<Value> {
        let (members, forger) = self.outside;
        Some(match e {
            Expr::Const(value) => value.clone(),
            Expr::State(n) => self.state.get(*n)?.clone(),
            Expr::Local(n) => locals.get(*n)?.clone()?,
            Expr::Members => Value::Num(members),
            Expr::All => Value::Set((0..members).map(Value::Num).collect()),
            Expr::Peer(e) => Value::Num((self.value(e, locals)?.num() + 1) % members.max(1)),
            Expr::Tuple(parts) => Value::Tuple(parts.iter().map(|p| self.value(p, locals)).collect::<Option<_>>()?),
            Expr::Part(e, n) => match self.value(e, locals)? {
                Value::Tuple(mut parts) if *n < parts.len() => parts.swap_remove(*n),
                _ => return None,
            },
            Expr::Index(e, index) => {
                let index = self.value(index, locals)?;
                // Follows a path into the state without copying all of it.
                match &**e {
                    Expr::State(n) => element(self.state.get(*n)?, &index)?.clone(),
                    e => element(&self.value(e, locals)?, &index)?.clone(),
                }
            }
            Expr::Unary(Unary::Forged(forgery), e) => {
                let Value::Msg(of) = self.value(e, locals)? else { return None };
                let mut made: Vec<Value> = forger.frames(&of, *forgery).iter().map(|f| Value::msg(f)).collect();
                made.sort();
                made.dedup();
                Value::Set(made)
            }
            Expr::Unary(op, e) => unary(*op, &self.value(e, locals)?)?,
            Expr::Binary(Binary::And, a, b) => match self.value(a, locals)? {
                Value::Bool(true) => self.value(b, locals)?,
                no => no,
            },
            Expr::Binary(Binary::Or, a, b) => match self.value(a, locals) {
                Some(Value::Bool(true)) => Value::Bool(true),
                _ => self.value(b, locals)?,
            },
            Expr::Binary(op, a, b) => {
                let a = self.value(a, locals)?;
                binary(*op, a, self.value(b, locals)?)?
            }
            Expr::If(condition, then, otherwise) => match self.value(condition, locals)? {
                Value::Bool(true) => self.value(then, locals)?,
                _ => self.value(otherwise, locals)?,
            },
            Expr::Every(pattern, over, holds) => Value::Bool(self.each(pattern, over, holds, locals, true)?),
            Expr::Some(pattern, over, holds) => Value::Bool(!self.each(pattern, over, holds, locals, false)?),
            Expr::Zero(ty) => Value::zero(ty, members),
        })
    }

    /// Whether, for each entry, the condition is `wanted`.
    fn each(self, pattern: &Pattern, over: &Expr, holds: &Expr, locals: &mut Locals, wanted: bool) -> Option<bool> {
        for entry in self.value(over, locals)?.entries() {
            if !self.fits(pattern, &entry, locals, true) {
                continue;
            }
            let held = self.value(holds, locals) == Some(Value::Bool(true));
            if held != wanted {
                return Some(false);
            }
        }
        Some(true)
    }
}

fn execute(body: &[Statement], state: &mut State, outside: Outside, locals: &mut Locals) {
    for statement in body {
        // A statement that reads something missing has no effect.
        let _ = run(statement, state, outside, locals);
    }
}

fn run(statement: &Statement, state: &mut State, outside: Outside, locals: &mut Locals) -> Option<()> {
    match statement {
        Statement::Let(n, e) => {
            let value = Scope { state, outside }.value(e, locals)?;
            if locals.len() <= *n {
                locals.resize(n + 1, None);
            }
            locals[*n] = Some(value);
        }
        Statement::Assign(place, e) => {
            let value = Scope { state, outside }.value(e, locals)?;
            change(place, state, outside, locals, |at| *at = value)?;
        }
        Statement::Do(operation, place, arguments) => {
            let arguments: Vec<Value> =
                arguments.iter().map(|a| Scope { state, outside }.value(a, locals)).collect::<Option<_>>()?;
            change(place, state, outside, locals, |at| operate(*operation, at, arguments))??;
        }
        Statement::If(condition, then, otherwise) => {
            let yes = Scope { state, outside }.value(condition, locals) == Some(Value::Bool(true));
            execute(if yes { then } else { otherwise }, state, outside, locals);
        }
        Statement::For(pattern, over, body) => {
            let over = Scope { state, outside }.value(over, locals)?;
            for entry in over.entries() {
                let fits = Scope { state, outside }.fits(pattern, &entry, locals, true);
                if fits {
                    execute(body, state, outside, locals);
                }
            }
        }
    }
    Some(())
}

fn change<T>(
    place: &Place,
    state: &mut State,
    outside: Outside,
    locals: &mut Locals,
    with: impl FnOnce(&mut Value) -> T,
) -> Option<T> {
    let mut path = vec![];
    for step in &place.path {
        path.push(match step {
            Step::Index(e) => Scope { state, outside }.value(e, locals)?,
            Step::Part(n) => Value::Num(*n as u64),
        });
    }
    let mut at = match place.root {
        Root::State(n) => state.get_mut(n)?,
        Root::Local(n) => locals.get_mut(n)?.as_mut()?,
    };
    for index in &path {
        at = element_mut(at, index)?;
    }
    Some(with(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(automaton: &Automaton, name: &str) -> usize {
        automaton.actions.iter().position(|a| a.name == name).expect("an action of this name")
    }
    fn arguments(at: u64, m: &str) -> Vec<Value> {
        vec![Value::Num(at), Value::msg(m.as_bytes())]
    }
    fn does(automaton: &Automaton, state: &State, name: &str, at: u64, m: &str) -> Option<State> {
        let action = action(automaton, name);
        let ways = automaton.allows(state, 2, action, &arguments(at, m));
        ways.first().map(|locals| automaton.apply(state, 2, action, locals))
    }

    #[test]
    fn a_network_loses_doubles_and_drops_what_has_no_room() {
        let network = samples::lossy_network(2);
        let mut state = network.start(2);
        for m in ["b", "a", "c"] {
            state = does(&network, &state, "send", 0, m).unwrap();
        }
        let ways = network.enabled(&state, 2, action(&network, "deliver"));
        let told: Vec<_> = ways.iter().map(|l| (l[0].clone().unwrap().num(), l[1].clone().unwrap())).collect();
        assert_eq!(told, [(1, Value::msg(b"a")), (1, Value::msg(b"b"))]);
        assert!(network.enabled(&state, 2, action(&network, "double")).is_empty());
        let lost = network.apply(&state, 2, action(&network, "loss"), &ways[1]);
        let doubled = network.apply(&lost, 2, action(&network, "double"), &ways[0]);
        assert_eq!(doubled, [Value::Tuple(vec![Value::Bag(vec![]), Value::Bag(vec![Value::msg(b"a"); 2])])]);
        assert_eq!(does(&network, &doubled, "deliver", 1, "b"), None);
    }

    #[test]
    fn a_fifo_network_gives_only_what_is_next_and_is_done_at_the_end() {
        let network = samples::fifo_network();
        let mut state = network.start(2);
        for m in ["a", "b"] {
            state = does(&network, &state, "send", 0, m).unwrap();
        }
        assert_eq!(does(&network, &state, "deliver", 1, "b"), None);
        assert_eq!(does(&network, &state, "deliver", 0, "a"), None);
        assert!(!network.holds(&state, 2, 0));
        state = does(&network, &state, "deliver", 1, "a").unwrap();
        state = does(&network, &state, "deliver", 1, "b").unwrap();
        assert!(network.holds(&state, 2, 0));
        assert!(network.enabled(&state, 2, action(&network, "deliver")).is_empty());
    }
}
