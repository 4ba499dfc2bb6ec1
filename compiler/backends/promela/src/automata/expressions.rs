//! Expressions of automata, and the conditions under which all values that they read exist.

use nacre_specification::*;

use super::{entry, leaf, leaves, Env, Result, Translator, Val, NOT_DAMAGED};
use crate::term::{Operator, Term};

/// A value, and the condition that all values that it reads exist.
type Defined = (Val, Term);

impl Translator<'_> {
    pub(super) fn expr(&self, e: &Expr, env: &Env) -> Result<Defined> {
        let sure = |value| Ok((value, Term::TRUE));
        match e {
            Expr::Const(Value::Bool(b)) => sure(Val::condition(Term::number(*b))),
            Expr::Const(Value::Num(n)) if *n < 1 << 31 => sure(Val::leaf(Term::Number(*n), &Type::Nat)),
            Expr::Const(_) => Err("a constant that is too large".into()),
            Expr::State(field) => {
                let (rows, ty) = self.shape(*field);
                if rows != 1 {
                    return Err(format!("`{}` as a whole", self.automaton.state[*field].name));
                }
                sure(self.row(*field, &Term::Number(0), ty))
            }
            Expr::Local(n) => match env.get(*n).cloned().flatten() {
                Some(value) => sure(value),
                None => Err("a variable that has no value yet".into()),
            },
            Expr::Members => sure(Val::leaf(Term::Number(2), &Type::Nat)),
            Expr::All => sure(Val::All),
            Expr::Peer(of) => {
                let (of, defined) = self.expr(of, env)?;
                Ok((Val::leaf(Term::Number(1).minus(leaf(&of)?), &Type::Rank), defined))
            }
            Expr::Tuple(parts) => {
                let (mut values, mut when) = (vec![], Term::TRUE);
                for part in parts {
                    let (value, defined) = self.expr(part, env)?;
                    values.push(value);
                    when = when.and(defined);
                }
                Ok((Val::Tuple(values), when))
            }
            Expr::Part(of, n) => match self.expr(of, env)? {
                (Val::Tuple(parts), defined) if *n < parts.len() => Ok((parts[*n].clone(), defined)),
                _ => Err("a part of what is no tuple".into()),
            },
            Expr::Index(..) => self.index(e, env),
            Expr::Unary(op, of) => self.unary(*op, of, env),
            Expr::Binary(op, a, b) => self.binary(*op, a, b, env),
            Expr::If(c, a, b) => self.choice(c, a, b, env),
            Expr::Every(pattern, over, holds) => self.quantified(pattern, over, holds, true, env),
            Expr::Some(pattern, over, holds) => self.quantified(pattern, over, holds, false, env),
            Expr::Zero(ty) => match leaves(ty)?[..] {
                [Type::Msg] => Err("an empty message".into()),
                [ref ty] => sure(Val::leaf(Term::Number(0), ty)),
                _ => Err("a tuple of zeros".into()),
            },
        }
    }

    fn choice(&self, condition: &Expr, a: &Expr, b: &Expr, env: &Env) -> Result<Defined> {
        let ((c, dc), (a, da), (b, db)) = (self.expr(condition, env)?, self.expr(a, env)?, self.expr(b, env)?);
        let (Val::Leaf(a, ty), Val::Leaf(b, _)) = (a, b) else {
            return Err("`if` over more than numbers".into());
        };
        if ty == Type::Msg && !self.messages.is_number() {
            return Err("`if` over messages".into());
        }
        let c = leaf(&c)?;
        // Only the selected branch is read.
        let taken = Term::choice(c.clone(), da, db);
        Ok((Val::leaf(Term::choice(c, a, b), &ty), dc.and(taken)))
    }

    /// Whether every or some entry satisfies a condition.
    fn quantified(&self, pattern: &Pattern, over: &Expr, holds: &Expr, every: bool, env: &Env) -> Result<Defined> {
        let (over, defined) = self.expr(over, env)?;
        self.enumerates_all(&over)?;
        let mut parts = vec![];
        for (there, value) in self.entries(&over)? {
            let mut env = env.clone();
            let fits = there.and(self.fits(pattern, &value, &mut env, true)?);
            let (holds, held) = self.expr(holds, &env)?;
            let holds = held.and(leaf(&holds)?);
            parts.push(if every { fits.negated().or(holds) } else { fits.and(holds) });
        }
        Ok((Val::condition(if every { Term::all(parts) } else { Term::any(parts) }), defined))
    }

    fn row(&self, field: usize, row: &Term, ty: &Type) -> Val {
        match entry(ty) {
            Some(_) => Val::Row(field, row.clone(), ty.clone()),
            None => {
                let mut part = 0;
                self.leaf_row(field, row, ty, &mut part)
            }
        }
    }

    fn leaf_row(&self, field: usize, row: &Term, ty: &Type, part: &mut usize) -> Val {
        match ty {
            Type::Tuple(types) => Val::Tuple(types.iter().map(|t| self.leaf_row(field, row, t, part)).collect()),
            ty => {
                let term = Term::Atom(format!("{}[{row}]", self.array(field, *part)));
                *part += 1;
                Val::leaf(term, ty)
            }
        }
    }

    /// A path of indices into the state; the last one can index a sequence or a map.
    fn index(&self, e: &Expr, env: &Env) -> Result<Defined> {
        let (mut indices, mut at) = (vec![], e);
        while let Expr::Index(of, index) = at {
            indices.push(&**index);
            at = of;
        }
        indices.reverse();
        let Expr::State(field) = at else { return Err("an index into what is no field of the state".into()) };
        let mut depth = 0;
        let mut ty = &self.automaton.state[*field].ty;
        let (mut row, mut defined) = (Term::Number(0), Term::TRUE);
        while let Type::Per(inner) = ty {
            let Some(index) = indices.get(depth) else {
                return Err(format!("`{}` without all its indices", self.automaton.state[*field].name));
            };
            let (index, sure) = self.expr(index, env)?;
            defined = defined.and(sure);
            row = match depth {
                0 => leaf(&index)?,
                _ => Term::binary(Operator::Mul, row, Term::Number(2)).plus(leaf(&index)?),
            };
            (ty, depth) = (inner, depth + 1);
        }
        let value = self.row(*field, &row, ty);
        match (indices.get(depth), ty) {
            (None, _) => Ok((value, defined)),
            (Some(index), Type::Seq(of)) if depth + 1 == indices.len() => {
                let (index, sure) = self.expr(index, env)?;
                let index = leaf(&index)?;
                let there = index.clone().less(Term::Atom(self.len(*field, &row)));
                Ok((self.entry_at(*field, &row, &index, of), defined.and(sure).and(there)))
            }
            _ => Err("an index into a map".into()),
        }
    }

    fn unary(&self, op: Unary, of: &Expr, env: &Env) -> Result<Defined> {
        let (value, defined) = self.expr(of, env)?;
        match (op, &value) {
            (Unary::Not, value) => Ok((Val::condition(leaf(value)?.negated()), defined)),
            (Unary::Upto, value) => Ok((Val::Upto(leaf(value)?), defined)),
            (Unary::Len, Val::Row(field, row, _)) => {
                Ok((Val::leaf(Term::Atom(self.len(*field, row)), &Type::Nat), defined))
            }
            (Unary::First | Unary::Last, Val::Row(field, row, ty)) => {
                let len = Term::Atom(self.len(*field, row));
                let place = if op == Unary::First { Term::Number(0) } else { len.clone().minus(Term::Number(1)) };
                let entry = entry(ty).ok_or("the first of what is no container")?;
                Ok((self.entry_at(*field, row, &place, &entry), defined.and(Term::Number(0).less(len))))
            }
            (Unary::Damaged, _) => Err(NOT_DAMAGED.into()),
            (Unary::Forged(_), _) => Err("frames that no endpoint sends".into()),
            _ => Err("a property of what is no container of the state".into()),
        }
    }

    fn binary(&self, op: Binary, a: &Expr, b: &Expr, env: &Env) -> Result<Defined> {
        let (left, da) = self.expr(a, env)?;
        let (right, db) = self.expr(b, env)?;
        let both = || da.clone().and(db.clone());
        Ok(match op {
            // The right operand is not read if the left decides; an absent value in the left does not make "or" false.
            Binary::And => {
                let (a, b) = (leaf(&left)?, leaf(&right)?);
                let defined = da.and(a.clone().negated().or(db));
                (Val::condition(a.and(b)), defined)
            }
            Binary::Or => {
                let (a, b) = (da.and(leaf(&left)?), leaf(&right)?);
                let defined = a.clone().or(db);
                (Val::condition(a.or(b)), defined)
            }
            Binary::Equal => (Val::condition(self.equal(&left, &right)?), both()),
            Binary::NotEqual => (Val::condition(self.equal(&left, &right)?.negated()), both()),
            Binary::In => (Val::condition(Term::any(self.equal_entries(&right, &left)?)), both()),
            Binary::Count => {
                let each = self.equal_entries(&left, &right)?;
                (Val::leaf(each.into_iter().fold(Term::Number(0), sum), &Type::Nat), both())
            }
            Binary::Position => return Err("the position of a value".into()),
            Binary::Join => return Err("joined containers".into()),
            _ => {
                let (value, defined) = arithmetic(op, leaf(&left)?, leaf(&right)?);
                let ty = if matches!(op, Binary::Less | Binary::LessEqual) { Type::Bool } else { Type::Nat };
                (Val::Leaf(value, ty), both().and(defined))
            }
        })
    }

    /// For each entry of a container (for a map: each key), the condition that it exists and equals a value.
    fn equal_entries(&self, container: &Val, value: &Val) -> Result<Vec<Term>> {
        let each = self.entries(container)?.into_iter().map(|(there, entry)| {
            let key = match (container, &entry) {
                (Val::Row(_, _, Type::Map(..)), Val::Tuple(parts)) => parts[0].clone(),
                _ => entry,
            };
            Ok(there.and(self.equal(&key, value)?))
        });
        each.collect()
    }
}

fn sum(a: Term, b: Term) -> Term {
    match a {
        Term::Number(0) => b,
        a => a.plus(b),
    }
}

/// The value of an operator on numbers, and the condition that it is defined.
fn arithmetic(op: Binary, x: Term, y: Term) -> (Term, Term) {
    let both = |operator| Term::binary(operator, x.clone(), y.clone());
    let chosen = |when: Term, then: Term, otherwise: Term| (Term::choice(when, then, otherwise), Term::TRUE);
    match op {
        Binary::Add => (both(Operator::Add), Term::TRUE),
        Binary::Sub => chosen(y.clone().less(x.clone()), both(Operator::Sub), Term::Number(0)),
        Binary::Mul => (both(Operator::Mul), Term::TRUE),
        Binary::Div => (both(Operator::Div), y.equals(Term::Number(0)).negated()),
        Binary::Rem => (both(Operator::Rem), y.equals(Term::Number(0)).negated()),
        Binary::Min => chosen(x.clone().less(y.clone()), x, y),
        Binary::Max => chosen(y.clone().less(x.clone()), x, y),
        Binary::Less => (both(Operator::Less), Term::TRUE),
        _ => (both(Operator::LessEqual), Term::TRUE),
    }
}
