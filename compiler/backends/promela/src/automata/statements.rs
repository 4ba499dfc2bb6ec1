//! Statements of automata: assignments, and loops that are unrolled.

use nacre_specification::*;

use super::reads::reads_state;
use super::{entry, flat, leaf, Env, Result, Translator, Val};
use crate::effects::{guarded, Effect};
use crate::term::Term;

impl Translator<'_> {
    pub(super) fn statement(
        &self,
        action: usize,
        statement: &Statement,
        env: &mut Env,
        to: &mut Vec<Effect>,
    ) -> Result<()> {
        match statement {
            Statement::Let(n, e) => {
                let (value, defined) = self.expr(e, env)?;
                if env.len() <= *n {
                    env.resize(n + 1, None);
                }
                if !defined.is_true() {
                    return Err("a variable whose value may be missing".into());
                }
                env[*n] = Some(self.kept(action, *n, &value, to)?);
            }
            Statement::Assign(place, e) => {
                if let Expr::Zero(ty) = e {
                    if entry(ty).is_some() {
                        return self.operate(Operation::Clear, place, &[], env, to);
                    }
                }
                let (value, defined) = self.expr(e, env)?;
                let (at, there) = self.place(place, env)?;
                to.extend(guarded(defined.and(there), self.set_all(&flat(&at)?, &flat(&value)?)));
            }
            Statement::Do(operation, place, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|a| self.expr(a, env)).collect::<Result<_>>()?;
                self.operate(*operation, place, &arguments, env, to)?;
            }
            Statement::If(condition, then, otherwise) => {
                let (condition, defined) = self.expr(condition, env)?;
                let condition = defined.and(leaf(&condition)?);
                // Decided when the model is written, for example by a parameter of 0.
                match condition.constant() {
                    Some(true) => to.extend(self.block(action, then, env)?),
                    Some(false) => to.extend(self.block(action, otherwise, env)?),
                    None => {
                        let then = self.block(action, then, env)?;
                        to.push(Effect::If(vec![(condition, then)], self.block(action, otherwise, env)?));
                    }
                }
            }
            Statement::For(pattern, over, body) => self.repeat(action, pattern, over, body, env, to)?,
        }
        Ok(())
    }

    /// Writes a block, which has its own locals.
    fn block(&self, action: usize, body: &[Statement], env: &Env) -> Result<Vec<Effect>> {
        let (mut env, mut effects) = (env.clone(), vec![]);
        body.iter().try_for_each(|s| self.statement(action, s, &mut env, &mut effects))?;
        Ok(effects)
    }

    fn repeat(
        &self,
        action: usize,
        pattern: &Pattern,
        over: &Expr,
        body: &[Statement],
        env: &Env,
        to: &mut Vec<Effect>,
    ) -> Result<()> {
        let (over, defined) = self.expr(over, env)?;
        if !defined.is_true() {
            return Err("going through what may be missing".into());
        }
        self.enumerates_all(&over)?;
        let mut entries = self.entries(&over)?;
        let moves = changes(body) && !matches!(over, Val::All | Val::Upto(_));
        if moves {
            if !changes_own(body, pattern) || reads_state(body) {
                return Err("a container that changes while a loop goes through it".into());
            }
            // From the last entry on: entries that move up have been visited already.
            entries.reverse();
        }
        for (there, value) in entries {
            let mut env = env.clone();
            let fits = there.and(self.fits(pattern, &value, &mut env, true)?);
            let mut inner = vec![];
            if moves {
                // Copies the entry first, because the body may change its place.
                for n in bound(pattern) {
                    if let Some(value) = env.get(n).cloned().flatten() {
                        env[n] = Some(self.kept(action, n, &value, &mut inner)?);
                    }
                }
            }
            inner.extend(self.block(action, body, &env)?);
            to.extend(guarded(fits, inner));
        }
        Ok(())
    }

    pub(super) fn place(&self, place: &Place, env: &Env) -> Result<(Val, Term)> {
        let mut e = match place.root {
            Root::State(field) => Expr::State(field),
            Root::Local(n) => Expr::Local(n),
        };
        for step in &place.path {
            e = match step {
                Step::Index(index) => Expr::Index(Box::new(e), Box::new(index.clone())),
                Step::Part(n) => Expr::Part(Box::new(e), *n),
            };
        }
        self.expr(&e, env)
    }
}

/// The names that a pattern binds.
fn bound(pattern: &Pattern) -> Vec<usize> {
    match pattern {
        Pattern::Bind(n) => vec![*n],
        Pattern::Tuple(parts) => parts.iter().flat_map(bound).collect(),
        Pattern::Equal(_) | Pattern::Any => vec![],
    }
}

/// Whether a loop over a map or set only removes the current entry or replaces the value of its key.
fn changes_own(body: &[Statement], pattern: &Pattern) -> bool {
    let key = match pattern {
        Pattern::Tuple(parts) => parts.first(),
        one => Some(one),
    };
    let Some(Pattern::Bind(key)) = key else { return false };
    let own = |of: &[Expr]| matches!(of.first(), Some(Expr::Local(n)) if n == key);
    body.iter().all(|s| match s {
        Statement::Do(Operation::Remove | Operation::Insert, _, of) => own(of),
        Statement::If(_, a, b) => changes_own(a, pattern) && changes_own(b, pattern),
        _ => false,
    })
}

fn changes(body: &[Statement]) -> bool {
    body.iter().any(|s| match s {
        Statement::Do(..) => true,
        Statement::Assign(place, _) => matches!(place.root, Root::State(_)),
        Statement::If(_, a, b) => changes(a) || changes(b),
        Statement::For(_, _, body) => changes(body),
        Statement::Let(..) => false,
    })
}
