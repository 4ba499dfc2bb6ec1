//! The transitions of an action, as guarded commands.

use nacre_specification::*;

use super::{entry, leaf, Env, Result, Transition, Translator, Val, NOT_DAMAGED};
use crate::effects::Effect;
use crate::report::{Limit, StopReason};
use crate::term::Term;

impl Translator<'_> {
    /// The transitions of an internal action, output or fault.
    pub fn transitions(&self, action: usize) -> Result<Vec<Transition>> {
        let declared = &self.automaton.actions[action];
        let bound = |n: usize| {
            declared.guards.iter().any(|g| match g {
                Guard::In(p, _) | Guard::Is(p, _) => p.binds(n),
                Guard::Holds(_) => false,
            })
        };
        let mut starts: Vec<Env> = vec![vec![None; declared.locals.len()]];
        for (n, parameter) in declared.parameters.iter().enumerate() {
            if parameter.ty == Type::Rank && !bound(n) {
                let with = |rank: u64| {
                    starts.iter().cloned().map(move |mut env| {
                        env[n] = Some(Val::leaf(Term::Number(rank), &Type::Rank));
                        env
                    })
                };
                starts = (0..2).flat_map(with).collect();
            }
        }
        let found = self.guarded(action, starts)?;
        let apart = found.into_iter().flat_map(|(guard, env)| self.by_end(action, guard, env));
        apart.map(|(guard, env)| self.transition(action, guard, env)).collect()
    }

    /// Splits the transitions of an output by endpoint, if its endpoint is known only at run time.
    fn by_end(&self, action: usize, guard: Term, env: Env) -> Vec<(Term, Env)> {
        let declared = &self.automaton.actions[action];
        match env.first() {
            Some(Some(Val::Leaf(end, Type::Rank))) if declared.kind == ActionKind::Output => {
                let at = |number: u64| {
                    let mut env = env.clone();
                    env[0] = Some(Val::leaf(Term::Number(number), &Type::Rank));
                    (guard.clone().and(end.clone().equals(Term::Number(number))), env)
                };
                (0..2).map(at).filter(|(guard, _)| !guard.is_false()).collect()
            }
            _ => vec![(guard, env)],
        }
    }

    /// The transitions of an action whose parameters are known.
    pub fn known(&self, action: usize, arguments: &[Term]) -> Result<Vec<Transition>> {
        let declared = &self.automaton.actions[action];
        let mut env: Env = vec![None; declared.locals.len()];
        for (n, (term, parameter)) in arguments.iter().zip(&declared.parameters).enumerate() {
            env[n] = Some(Val::leaf(term.clone(), &parameter.ty));
        }
        let found = self.guarded(action, vec![env])?.into_iter();
        let transitions = found.map(|(guard, env)| self.transition(action, guard, env)).collect::<Result<Vec<_>>>()?;
        match transitions.iter().any(|o| o.damages.is_some()) {
            true => Err(NOT_DAMAGED.into()),
            false => Ok(transitions),
        }
    }

    /// The solutions of the guards of an action, of which some locals have values already.
    fn guarded(&self, action: usize, starts: Vec<Env>) -> Result<Vec<(Term, Env)>> {
        let mut found = vec![];
        for env in starts {
            self.guards(&self.automaton.actions[action].guards, Term::TRUE, env, &mut found)?;
        }
        Ok(found)
    }

    fn transition(&self, action: usize, guard: Term, mut env: Env) -> Result<Transition> {
        let declared = &self.automaton.actions[action];
        let damages = env.iter().flatten().find_map(|v| match v {
            Val::Damaged(message) => Some(message.to_string()),
            _ => None,
        });
        let end = match (declared.parameters.first(), env.first()) {
            (Some(first), Some(Some(Val::Leaf(Term::Number(end), _)))) if first.ty == Type::Rank => {
                usize::try_from(*end).ok().filter(|end| *end < 2)
            }
            _ => None,
        };
        if env.iter().flatten().any(|value| matches!(value, Val::Beyond)) {
            let parameters = vec![Term::Number(0); declared.parameters.len()];
            let effects = StopReason::Limit(Limit::Choices).effects("");
            return Ok(Transition { guard, parameters, effects, damages, action, end });
        }
        // The body may move the bound values: they are copied first.
        let mut effects = vec![];
        for (n, ty) in declared.locals.iter().enumerate() {
            let value = match env[n].clone() {
                Some(value) => value,
                None if n < declared.parameters.len() && *ty != Type::Msg => Val::leaf(Term::Number(0), ty),
                None => continue,
            };
            env[n] = Some(self.kept(action, n, &value, &mut effects)?);
        }
        let parameters = env.iter().take(declared.parameters.len());
        let parameters = parameters.map(|v| match v {
            Some(Val::Leaf(term, _)) => Ok(term.clone()),
            _ => Err(format!("a parameter of `{}` that is no simple value", declared.name)),
        });
        let parameters = parameters.collect::<Result<_>>()?;
        for statement in &declared.body {
            self.statement(action, statement, &mut env, &mut effects)?;
        }
        Ok(Transition { guard, parameters, effects, damages, action, end })
    }

    /// Copies a value into the variables of a local.
    pub(super) fn kept(&self, action: usize, n: usize, value: &Val, to: &mut Vec<Effect>) -> Result<Val> {
        let mut part = 0;
        self.kept_part(&format!("{}_{action}_{n}", self.prefix), value, &mut part, to)
    }

    fn kept_part(&self, local: &str, value: &Val, part: &mut usize, to: &mut Vec<Effect>) -> Result<Val> {
        match value {
            Val::Leaf(term, ty) => {
                let variable = Term::Atom(format!("{local}_{part}"));
                *part += 1;
                if variable != *term {
                    to.push(self.set(&variable.to_string(), &(term.clone(), ty.clone())));
                }
                Ok(Val::leaf(variable, ty))
            }
            Val::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.kept_part(local, p, part, to));
                Ok(Val::Tuple(parts.collect::<Result<_>>()?))
            }
            Val::Damaged(_) => {
                let damaged = self.messages.damaged().ok_or(NOT_DAMAGED)?;
                self.kept_part(local, &Val::leaf(Term::atom(damaged), &Type::Msg), part, to)
            }
            _ => Err("a container in a variable".into()),
        }
    }

    /// Adds every solution of the guards to `found`: its condition and its bindings.
    fn guards(&self, guards: &[Guard], when: Term, env: Env, found: &mut Vec<(Term, Env)>) -> Result<()> {
        if when.is_false() {
            return Ok(());
        }
        let Some((guard, rest)) = guards.split_first() else {
            found.push((when, env));
            return Ok(());
        };
        match guard {
            Guard::Holds(e) => {
                let (value, defined) = self.expr(e, &env)?;
                self.guards(rest, when.and(defined).and(leaf(&value)?), env, found)
            }
            Guard::Is(pattern, e) => {
                let (value, defined) = self.expr(e, &env)?;
                let mut env = env;
                let fits = self.fits(pattern, &value, &mut env, false)?;
                self.guards(rest, when.and(defined).and(fits), env, found)
            }
            Guard::In(Pattern::Bind(n), Expr::Unary(Unary::Damaged, of)) => {
                self.messages.damaged().ok_or(NOT_DAMAGED)?;
                let (message, defined) = self.expr(of, &env)?;
                let mut env = env;
                if env[*n].is_some() {
                    return Err(NOT_DAMAGED.into());
                }
                env[*n] = Some(Val::Damaged(leaf(&message)?));
                self.guards(rest, when.and(defined), env, found)
            }
            Guard::In(pattern, e) => {
                let (container, defined) = self.expr(e, &env)?;
                let mut env = env;
                if let (Val::Upto(_), Pattern::Bind(n)) = (&container, pattern) {
                    env[*n] = env[*n].take().or_else(|| self.determined(*n, rest, &env));
                }
                self.guard_in(pattern, &container, rest, when.and(defined), env, found)
            }
        }
    }

    fn guard_in(
        &self,
        pattern: &Pattern,
        container: &Val,
        rest: &[Guard],
        when: Term,
        env: Env,
        found: &mut Vec<(Term, Env)>,
    ) -> Result<()> {
        if let (Val::Upto(most), Pattern::Bind(n)) = (container, pattern) {
            if let Some(Val::Leaf(known, _)) = &env[*n] {
                let within = Term::Number(1).at_most(known.clone()).and(known.clone().at_most(most.clone()));
                return self.guards(rest, when.and(within), env, found);
            }
        }
        let entries = self.entries(container)?;
        if is_known(pattern, &env) {
            // One solution for each entry.
            let each = entries
                .into_iter()
                .map(|(there, value)| Ok(there.and(self.fits(pattern, &value, &mut env.clone(), false)?)));
            let each = each.collect::<Result<Vec<_>>>()?;
            return self.guards(rest, when.and(Term::any(each)), env, found);
        }
        for (there, value) in entries {
            let mut env = env.clone();
            let fits = self.fits(pattern, &value, &mut env, false)?;
            self.guards(rest, when.clone().and(there).and(fits), env, found)?;
        }
        if let (Val::Upto(most), Pattern::Bind(n)) = (container, pattern) {
            let beyond = when.and(Term::Number(self.enumerated(most)).less(most.clone()));
            if !beyond.is_false() && most.largest() != Some(self.enumerated(most)) {
                let mut env = env;
                env[*n] = Some(Val::Beyond);
                found.push((beyond, env));
            }
        }
        Ok(())
    }

    /// How many of the numbers up to this one the model enumerates.
    fn enumerated(&self, most: &Term) -> u64 {
        most.largest().map_or(self.most, |largest| largest.min(self.most))
    }

    /// Fails for `upto` of a number that may be larger than those which the model enumerates.
    pub(super) fn enumerates_all(&self, container: &Val) -> Result<()> {
        match container {
            Val::Upto(most) if most.largest().is_none_or(|largest| largest > self.most) => {
                Err(format!("`upto` of a number that may be larger than {}, outside of an action's `when`", self.most))
            }
            _ => Ok(()),
        }
    }

    /// The value that a later guard demands of a local.
    fn determined(&self, local: usize, guards: &[Guard], env: &Env) -> Option<Val> {
        let is_local = |e: &Expr| matches!(e, Expr::Local(n) if *n == local);
        let value = |e: &Expr| match self.expr(e, env) {
            Ok((value @ Val::Leaf(..), defined)) if defined.is_true() => Some(value),
            _ => None,
        };
        guards.iter().find_map(|guard| match guard {
            Guard::Is(Pattern::Bind(n), e) if *n == local => value(e),
            Guard::Holds(Expr::Binary(Binary::Equal, a, b)) if is_local(a) => value(b),
            Guard::Holds(Expr::Binary(Binary::Equal, a, b)) if is_local(b) => value(a),
            _ => None,
        })
    }

    /// Each possible entry of a container, with the condition that it exists.
    pub(super) fn entries(&self, container: &Val) -> Result<Vec<(Term, Val)>> {
        match container {
            Val::All => Ok((0..2).map(|n: u64| (Term::TRUE, Val::leaf(Term::Number(n), &Type::Rank))).collect()),
            Val::Upto(most) => {
                let number = |n: u64| (Term::Number(n).at_most(most.clone()), Val::leaf(Term::Number(n), &Type::Nat));
                Ok((1..=self.enumerated(most)).map(number).collect())
            }
            Val::Row(field, ..) if self.stays_empty(*field) => Ok(vec![]),
            Val::Row(field, row, ty) => {
                let entry = entry(ty).ok_or("going through what is no container")?;
                let there = |k: usize| {
                    let place = Term::number(k);
                    let when = place.clone().less(Term::Atom(self.len(*field, row)));
                    (when, self.entry_at(*field, row, &place, &entry))
                };
                Ok((0..self.capacity).map(there).collect())
            }
            _ => Err("going through what is no container of the state".into()),
        }
    }

    pub(super) fn entry_at(&self, field: usize, row: &Term, place: &Term, ty: &Type) -> Val {
        let mut part = 0;
        self.entry_part(field, row, place, ty, &mut part)
    }

    fn entry_part(&self, field: usize, row: &Term, place: &Term, ty: &Type, part: &mut usize) -> Val {
        match ty {
            Type::Tuple(types) => {
                Val::Tuple(types.iter().map(|t| self.entry_part(field, row, place, t, part)).collect())
            }
            ty => {
                let term = self.at(field, *part, row, place);
                *part += 1;
                Val::leaf(term, ty)
            }
        }
    }

    /// The condition that a value matches a pattern, whose names are bound meanwhile.
    pub(super) fn fits(&self, pattern: &Pattern, value: &Val, env: &mut Env, fresh: bool) -> Result<Term> {
        match (pattern, value) {
            (Pattern::Any, _) => Ok(Term::TRUE),
            (Pattern::Equal(e), value) => {
                let (other, defined) = self.expr(e, env)?;
                Ok(defined.and(self.equal(value, &other)?))
            }
            (Pattern::Bind(n), value) => {
                if env.len() <= *n {
                    env.resize(n + 1, None);
                }
                match &env[*n] {
                    Some(known) if !fresh => self.equal(&known.clone(), value),
                    _ => {
                        env[*n] = Some(value.clone());
                        Ok(Term::TRUE)
                    }
                }
            }
            (Pattern::Tuple(patterns), Val::Tuple(values)) if patterns.len() == values.len() => {
                let mut when = Term::TRUE;
                for (pattern, value) in patterns.iter().zip(values) {
                    when = when.and(self.fits(pattern, value, env, fresh)?);
                }
                Ok(when)
            }
            _ => Err("a pattern that takes apart what is no tuple".into()),
        }
    }
}

/// Whether all names of a pattern have values already.
fn is_known(pattern: &Pattern, env: &Env) -> bool {
    match pattern {
        Pattern::Bind(n) => env.get(*n).is_some_and(Option::is_some),
        Pattern::Tuple(parts) => parts.iter().all(|p| is_known(p, env)),
        Pattern::Equal(_) | Pattern::Any => true,
    }
}
