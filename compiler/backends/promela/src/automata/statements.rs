//! Statements of automata: assignments, loops that are unrolled, and changes of containers.

use std::fmt::Write;

use nacre_specification::*;

use super::reads::reads_state;
use super::{both, entry, flat, leaf, leaves, Env, Result, Translator, Val};

impl Translator<'_> {
    pub(super) fn statement(&self, action: usize, statement: &Statement, env: &mut Env, to: &mut String) -> Result<()> {
        match statement {
            Statement::Let(n, e) => {
                let (value, defined) = self.expr(e, env)?;
                if env.len() <= *n {
                    env.resize(n + 1, None);
                }
                if defined != "1" {
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
                let (at, value) = (flat(&at)?, flat(&value)?);
                let sets: Vec<String> = at.iter().zip(&value).map(|(a, v)| self.set(&a.0, v)).collect();
                guarded(&both(&defined, &there), &sets.join("; "), to);
            }
            Statement::Do(operation, place, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|a| self.expr(a, env)).collect::<Result<_>>()?;
                self.operate(*operation, place, &arguments, env, to)?;
            }
            Statement::If(condition, then, otherwise) => {
                let (condition, defined) = self.expr(condition, env)?;
                let condition = both(&defined, &format!("({})", leaf(&condition)?));
                // Decided already, as a parameter of 0 or more decides it.
                let (mut a, mut b) = (String::new(), String::new());
                let constant = constant(&condition);
                if constant != Some(false) {
                    self.block(action, then, &mut env.clone(), &mut a)?;
                }
                if constant != Some(true) {
                    self.block(action, otherwise, &mut env.clone(), &mut b)?;
                }
                match constant {
                    Some(true) => *to += &a,
                    Some(false) => *to += &b,
                    None => {
                        let _ = write!(to, "if\n:: ({condition}) ->\n{a}skip\n:: else ->\n{b}skip\nfi;\n");
                    }
                }
            }
            Statement::For(pattern, over, body) => {
                let (over, defined) = self.expr(over, env)?;
                if defined != "1" {
                    return Err("going through what may be missing".into());
                }
                let mut entries = self.entries(&over)?;
                let moves = changes(body) && !matches!(over, Val::All | Val::Upto(_));
                if moves {
                    if !changes_own(body, pattern) || reads_state(body) {
                        return Err("a container that changes while a loop goes through it".into());
                    }
                    // From the last on: what moves up has had its turn.
                    entries.reverse();
                }
                for (there, value) in entries {
                    let mut env = env.clone();
                    let fits = both(&there, &self.fits(pattern, &value, &mut env, true)?);
                    let mut inner = String::new();
                    if moves {
                        // What was there when its turn came, whatever becomes of the place.
                        for n in bound(pattern) {
                            if let Some(value) = env.get(n).cloned().flatten() {
                                env[n] = Some(self.kept(action, n, &value, &mut inner)?);
                            }
                        }
                    }
                    self.block(action, body, &mut env, &mut inner)?;
                    let _ = write!(to, "if\n:: ({fits}) ->\n{inner}skip\n:: else\nfi;\n");
                }
            }
        }
        Ok(())
    }

    fn block(&self, action: usize, body: &[Statement], env: &mut Env, to: &mut String) -> Result<()> {
        body.iter().try_for_each(|s| self.statement(action, s, env, to))
    }

    fn place(&self, place: &Place, env: &Env) -> Result<(Val, String)> {
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

    fn operate(
        &self,
        operation: Operation,
        place: &Place,
        arguments: &[(Val, String)],
        env: &Env,
        to: &mut String,
    ) -> Result<()> {
        let (at, mut there) = self.place(place, env)?;
        let Val::Row(field, row, ty) = at else { return Err("a change of what is no container of the state".into()) };
        let mut values = vec![];
        for (value, defined) in arguments {
            there = both(&there, defined);
            values.extend(flat(value)?);
        }
        if self.stays_empty(field) {
            return Ok(());
        }
        let entry = entry(&ty).ok_or("a change of what is no container")?;
        let parts = leaves(&entry)?;
        let (i, j, len) = (format!("{}_i", self.prefix), format!("{}_j", self.prefix), self.len(field, &row));
        let cell = |part: usize, place: &str| self.at(field, part, &row, place);
        let entry_of = |place: &str| -> Vec<(String, Type)> {
            parts.iter().enumerate().map(|(p, t)| (cell(p, place), t.clone())).collect()
        };
        let copy = |to: &str, from: &str| -> String {
            let each = entry_of(to).into_iter().zip(entry_of(from)).map(|(a, b)| self.set(&a.0, &b));
            each.collect::<Vec<_>>().join("; ")
        };
        let put = |place: &str| -> String {
            let each = entry_of(place).into_iter().zip(&values).map(|(a, v)| self.set(&a.0, v));
            each.collect::<Vec<_>>().join("; ")
        };
        let empty = |place: &str| -> String {
            entry_of(place).iter().map(|(a, t)| self.clear(a, t)).collect::<Vec<_>>().join("; ")
        };
        let room = format!("assert({len} < {})", self.capacity);
        // Moves all behind a place one back or forth.
        let closed = format!(
            "do\n:: {i} + 1 < {len} -> {}; {i}++\n:: else -> break\nod;\n{len}--; {}",
            copy(&i, &format!("{i} + 1")),
            empty(&len)
        );
        let key_parts = if let Type::Map(k, _) = &ty { leaves(k)?.len() } else { parts.len() };
        let same = |place: &str| -> Result<String> {
            let a: Vec<Val> =
                entry_of(place)[..key_parts].iter().map(|(t, ty)| Val::Leaf(t.clone(), ty.clone())).collect();
            let b: Vec<Val> = values.iter().take(key_parts).map(|(t, ty)| Val::Leaf(t.clone(), ty.clone())).collect();
            self.equal(&Val::Tuple(a), &Val::Tuple(b))
        };
        let find = |then: &str, otherwise: &str| -> Result<String> {
            Ok(format!(
                "{i} = 0;\ndo\n:: {i} < {len} && !{} -> {i}++\n:: else -> break\nod;\nif\n:: {i} < {len} -> {then}\n:: else -> {otherwise}\nfi",
                same(&i)?
            ))
        };
        let sorted = || -> String {
            let value = &values[..key_parts.min(values.len())];
            let order = self.before(value, &entry_of(&format!("{j} - 1"))[..key_parts]);
            format!(
                "{room}; {j} = {len}; {len}++;\ndo\n:: {j} > 0 && {order} -> {}; {j}--\n:: else -> break\nod;\n{}",
                copy(&j, &format!("{j} - 1")),
                put(&j)
            )
        };
        let text = match (operation, &ty) {
            (Operation::Append, Type::Seq(_)) => format!("{room}; {}; {len}++", put(&len)),
            (Operation::Add, Type::Bag(_)) => sorted(),
            (Operation::Add, Type::Set(_)) => find("skip", &sorted())?,
            (Operation::Insert, Type::Map(..)) => find(&put(&i), &sorted())?,
            (Operation::Remove, _) => find(&closed, "skip")?,
            (Operation::Pop, Type::Seq(_)) => format!("if\n:: {len} > 0 -> {i} = 0;\n{closed}\n:: else\nfi"),
            (Operation::Clear, _) => {
                format!("{i} = 0;\ndo\n:: {i} < {len} -> {}; {i}++\n:: else -> break\nod;\n{len} = 0", empty(&i))
            }
            _ => return Err("an operation that the container has not".into()),
        };
        guarded(&there, &text, to);
        Ok(())
    }
}

fn guarded(when: &str, what: &str, to: &mut String) {
    let _ = match when {
        "1" => writeln!(to, "{what};"),
        when => writeln!(to, "if\n:: ({when}) -> {what}\n:: else\nfi;"),
    };
}

/// Whether a condition of constants holds.
fn constant(text: &str) -> Option<bool> {
    let inner = text.trim_matches(|c| c == '(' || c == ')');
    let parts: Vec<&str> = inner.split(' ').collect();
    let [a, op, b] = parts[..] else { return inner.parse::<u64>().ok().map(|n| n != 0) };
    let (a, b) = (a.parse::<u64>().ok()?, b.parse::<u64>().ok()?);
    match op {
        "<" => Some(a < b),
        "<=" => Some(a <= b),
        "==" => Some(a == b),
        _ => None,
    }
}

/// What a pattern gives a value to.
fn bound(pattern: &Pattern) -> Vec<usize> {
    match pattern {
        Pattern::Bind(n) => vec![*n],
        Pattern::Tuple(parts) => parts.iter().flat_map(bound).collect(),
        Pattern::Equal(_) | Pattern::Any => vec![],
    }
}

/// Whether all that a loop over a map or set does is to remove the entry at hand or to put another value under its key.
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
