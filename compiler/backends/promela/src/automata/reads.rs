//! The variables that expressions of an automaton read.

use nacre_specification::*;

/// The immediate operands of an expression.
fn operands(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::Const(_) | Expr::State(_) | Expr::Local(_) | Expr::Members | Expr::All | Expr::Zero(_) => vec![],
        Expr::Peer(of) | Expr::Part(of, _) | Expr::Unary(_, of) => vec![of],
        Expr::Tuple(parts) => parts.iter().collect(),
        Expr::Index(a, b) | Expr::Binary(_, a, b) => vec![a, b],
        Expr::If(a, b, c) => vec![a, b, c],
        Expr::Every(pattern, a, b) | Expr::Some(pattern, a, b) => {
            let mut all = equals(pattern);
            all.extend([&**a, &**b]);
            all
        }
    }
}

/// The expressions with which a pattern compares.
fn equals(pattern: &Pattern) -> Vec<&Expr> {
    match pattern {
        Pattern::Bind(_) | Pattern::Any => vec![],
        Pattern::Equal(e) => vec![e],
        Pattern::Tuple(parts) => parts.iter().flat_map(equals).collect(),
    }
}

/// Whether an expression or one of its parts satisfies a predicate.
fn any(e: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    is(e) || operands(e).into_iter().any(|part| any(part, is))
}

/// Every expression of statements except the paths to the places that they change.
fn of_body<'a>(body: &'a [Statement], all: &mut Vec<&'a Expr>) {
    for statement in body {
        match statement {
            Statement::Let(_, e) | Statement::Assign(_, e) => all.push(e),
            Statement::Do(_, _, arguments) => all.extend(arguments),
            Statement::If(condition, a, b) => {
                all.push(condition);
                of_body(a, all);
                of_body(b, all);
            }
            Statement::For(pattern, over, body) => {
                all.extend(equals(pattern));
                all.push(over);
                of_body(body, all);
            }
        }
    }
}

/// Whether statements read the state, which they may have changed.
pub fn reads_state(body: &[Statement]) -> bool {
    let mut all = vec![];
    of_body(body, &mut all);
    all.into_iter().any(|e| any(e, &|e| matches!(e, Expr::State(_))))
}

/// Whether an automaton reads an individual entry of a container of the state: its first, or one by index.
pub fn reads_place(automaton: &Automaton, field: usize) -> bool {
    let mut all = vec![];
    for action in &automaton.actions {
        for guard in &action.guards {
            match guard {
                Guard::In(pattern, e) | Guard::Is(pattern, e) => {
                    all.extend(equals(pattern));
                    all.push(e);
                }
                Guard::Holds(e) => all.push(e),
            }
        }
        of_body(&action.body, &mut all);
    }
    for goal in &automaton.goals {
        all.push(&goal.holds);
        all.extend(&goal.unless);
    }
    let mut rows = 0;
    let mut ty = &automaton.state[field].ty;
    while let Type::Per(inner) = ty {
        (rows, ty) = (rows + 1, inner);
    }
    all.into_iter().any(|e| {
        any(e, &|e| match e {
            Expr::Unary(Unary::First | Unary::Last, of) => any(of, &|e| matches!(e, Expr::State(n) if *n == field)),
            e => indices(e, field).is_some_and(|depth| depth > rows),
        })
    })
}

/// The number of indices applied to a field of the state.
fn indices(e: &Expr, field: usize) -> Option<usize> {
    match e {
        Expr::State(n) => (*n == field).then_some(0),
        Expr::Index(of, _) => indices(of, field).map(|depth| depth + 1),
        _ => None,
    }
}
