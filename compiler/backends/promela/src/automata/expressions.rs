//! Expressions of automata, and the conditions under which all that they read is there.

use nacre_specification::*;

use super::{both, entry, leaf, leaves, Env, Result, Translator, Val, NOT_DAMAGED};

impl Translator<'_> {
    /// A value, and the condition that all it reads is there.
    pub(super) fn expr(&self, e: &Expr, env: &Env) -> Result<(Val, String)> {
        let sure = |value| Ok((value, "1".to_string()));
        match e {
            Expr::Const(Value::Bool(b)) => sure(Val::Leaf((*b as u8).to_string(), Type::Bool)),
            Expr::Const(Value::Num(n)) if *n < 1 << 31 => sure(Val::Leaf(n.to_string(), Type::Nat)),
            Expr::Const(_) => Err("a constant that is too large".into()),
            Expr::State(field) => {
                let (rows, ty) = self.shape(*field);
                if rows != 1 {
                    return Err(format!("`{}` as a whole", self.automaton.state[*field].name));
                }
                sure(self.row(*field, "0", ty))
            }
            Expr::Local(n) => match env.get(*n).cloned().flatten() {
                Some(value) => sure(value),
                None => Err("a variable that has no value yet".into()),
            },
            Expr::Members => sure(Val::Leaf("2".into(), Type::Nat)),
            Expr::All => sure(Val::All),
            Expr::Peer(of) => {
                let (of, defined) = self.expr(of, env)?;
                Ok((Val::Leaf(format!("(1 - {})", leaf(&of)?), Type::Rank), defined))
            }
            Expr::Tuple(parts) => {
                let (mut values, mut when) = (vec![], "1".to_string());
                for part in parts {
                    let (value, defined) = self.expr(part, env)?;
                    values.push(value);
                    when = both(&when, &defined);
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
            Expr::If(c, a, b) => {
                let ((c, dc), (a, da), (b, db)) = (self.expr(c, env)?, self.expr(a, env)?, self.expr(b, env)?);
                let (Val::Leaf(a, ty), Val::Leaf(b, _)) = (a, b) else {
                    return Err("`if` over more than numbers".into());
                };
                if ty == Type::Msg && !matches!(self.messages.declared(), "byte" | "short" | "int") {
                    return Err("`if` over messages".into());
                }
                let c = leaf(&c)?;
                // Only the branch that is taken is read.
                let taken = if da == db { da } else { format!("({c} -> {da} : {db})") };
                Ok((Val::Leaf(format!("({c} -> {a} : {b})"), ty), both(&dc, &taken)))
            }
            Expr::Every(pattern, over, holds) | Expr::Some(pattern, over, holds) => {
                let every = matches!(e, Expr::Every(..));
                let (over, defined) = self.expr(over, env)?;
                let mut parts = vec![];
                for (there, value) in self.entries(&over)? {
                    let mut env = env.clone();
                    let fits = both(&there, &self.fits(pattern, &value, &mut env, true)?);
                    let (holds, held) = self.expr(holds, &env)?;
                    let holds = both(&held, &format!("({})", leaf(&holds)?));
                    parts.push(if every {
                        format!("(!({fits}) || ({holds}))")
                    } else {
                        format!("({fits} && {holds})")
                    });
                }
                let text = match (parts.is_empty(), every) {
                    (true, every) => u8::from(every).to_string(),
                    (false, true) => format!("({})", parts.join(" && ")),
                    (false, false) => format!("({})", parts.join(" || ")),
                };
                Ok((Val::Leaf(text, Type::Bool), defined))
            }
            Expr::Zero(ty) => match leaves(ty)?[..] {
                [Type::Msg] => Err("an empty message".into()),
                [ref ty] => sure(Val::Leaf("0".into(), ty.clone())),
                _ => Err("a tuple of zeros".into()),
            },
        }
    }

    fn row(&self, field: usize, row: &str, ty: &Type) -> Val {
        match entry(ty) {
            Some(_) => Val::Row(field, row.into(), ty.clone()),
            None => {
                let mut part = 0;
                self.leaf_row(field, row, ty, &mut part)
            }
        }
    }

    fn leaf_row(&self, field: usize, row: &str, ty: &Type, part: &mut usize) -> Val {
        match ty {
            Type::Tuple(types) => Val::Tuple(types.iter().map(|t| self.leaf_row(field, row, t, part)).collect()),
            ty => {
                let text = format!("{}[{row}]", self.array(field, *part));
                *part += 1;
                Val::Leaf(text, ty.clone())
            }
        }
    }

    /// A path of indices into the state; the last may be into a sequence or a map.
    fn index(&self, e: &Expr, env: &Env) -> Result<(Val, String)> {
        let (mut indices, mut at) = (vec![], e);
        while let Expr::Index(of, index) = at {
            indices.push(&**index);
            at = of;
        }
        indices.reverse();
        let Expr::State(field) = at else { return Err("an index into what is no field of the state".into()) };
        let mut depth = 0;
        let mut ty = &self.automaton.state[*field].ty;
        let (mut row, mut defined) = ("0".to_string(), "1".to_string());
        while let Type::Per(inner) = ty {
            let Some(index) = indices.get(depth) else {
                return Err(format!("`{}` without all its indices", self.automaton.state[*field].name));
            };
            let (index, sure) = self.expr(index, env)?;
            defined = both(&defined, &sure);
            row = if row == "0" { leaf(&index)? } else { format!("({row}) * 2 + {}", leaf(&index)?) };
            (ty, depth) = (inner, depth + 1);
        }
        let value = self.row(*field, &row, ty);
        match (indices.get(depth), ty) {
            (None, _) => Ok((value, defined)),
            (Some(index), Type::Seq(of)) if depth + 1 == indices.len() => {
                let (index, sure) = self.expr(index, env)?;
                let index = leaf(&index)?;
                let there = format!("({index}) < {}", self.len(*field, &row));
                Ok((self.entry_at(*field, &row, &format!("({index})"), of), both(&defined, &both(&sure, &there))))
            }
            _ => Err("an index into a map".into()),
        }
    }

    fn unary(&self, op: Unary, of: &Expr, env: &Env) -> Result<(Val, String)> {
        let (value, defined) = self.expr(of, env)?;
        match (op, &value) {
            (Unary::Not, value) => Ok((Val::Leaf(format!("(!({}))", leaf(value)?), Type::Bool), defined)),
            (Unary::Upto, value) => Ok((Val::Upto(leaf(value)?), defined)),
            (Unary::Len, Val::Row(field, row, _)) => Ok((Val::Leaf(self.len(*field, row), Type::Nat), defined)),
            (Unary::First | Unary::Last, Val::Row(field, row, ty)) => {
                let len = self.len(*field, row);
                let place = if op == Unary::First { "0".to_string() } else { format!("({len} - 1)") };
                let entry = entry(ty).ok_or("the first of what is no container")?;
                Ok((self.entry_at(*field, row, &place, &entry), both(&defined, &format!("{len} > 0"))))
            }
            (Unary::Damaged, _) => Err(NOT_DAMAGED.into()),
            _ => Err("a property of what is no container of the state".into()),
        }
    }

    fn binary(&self, op: Binary, a: &Expr, b: &Expr, env: &Env) -> Result<(Val, String)> {
        let (left, da) = self.expr(a, env)?;
        let (right, db) = self.expr(b, env)?;
        if matches!(op, Binary::And | Binary::Or) {
            let (a, b) = (leaf(&left)?, leaf(&right)?);
            // The right is not read where the left decides; what the left lacks is no reason for "or".
            let (text, defined) = match op {
                Binary::And => {
                    let defined = if db == "1" { da } else { both(&da, &format!("(!({a}) || ({db}))")) };
                    (format!("(({a}) && ({b}))"), defined)
                }
                _ => {
                    let left = both(&da, &format!("({a})"));
                    let defined = if db == "1" { db } else { format!("(({left}) || ({db}))") };
                    (format!("(({left}) || ({b}))"), defined)
                }
            };
            return Ok((Val::Leaf(text, Type::Bool), defined));
        }
        let mut defined = both(&da, &db);
        let text = match op {
            Binary::Equal => return Ok((Val::Leaf(self.equal(&left, &right)?, Type::Bool), defined)),
            Binary::NotEqual => {
                return Ok((Val::Leaf(format!("(!{})", self.equal(&left, &right)?), Type::Bool), defined))
            }
            Binary::In | Binary::Count | Binary::Position => {
                let (container, value) = if op == Binary::In { (&right, &left) } else { (&left, &right) };
                let mut parts = vec![];
                for (there, entry) in self.entries(container)? {
                    let key = match (container, &entry) {
                        (Val::Row(_, _, Type::Map(..)), Val::Tuple(parts)) => parts[0].clone(),
                        _ => entry,
                    };
                    parts.push(format!("({there} && {})", self.equal(&key, value)?));
                }
                match op {
                    Binary::In | Binary::Count if parts.is_empty() => "0".into(),
                    Binary::In => format!("({})", parts.join(" || ")),
                    Binary::Count => format!("({})", parts.join(" + ")),
                    _ => return Err("the position of a value".into()),
                }
            }
            Binary::Join => return Err("joined containers".into()),
            _ => {
                let (x, y) = (leaf(&left)?, leaf(&right)?);
                match op {
                    Binary::Add => format!("({x} + {y})"),
                    Binary::Sub => format!("({x} > {y} -> {x} - {y} : 0)"),
                    Binary::Mul => format!("({x} * {y})"),
                    Binary::Div | Binary::Rem => {
                        defined = both(&defined, &format!("({y} != 0)"));
                        format!("({x} {} {y})", if op == Binary::Div { "/" } else { "%" })
                    }
                    Binary::Min => format!("({x} < {y} -> {x} : {y})"),
                    Binary::Max => format!("({x} > {y} -> {x} : {y})"),
                    Binary::Less => format!("({x} < {y})"),
                    _ => format!("({x} <= {y})"),
                }
            }
        };
        let ty = if matches!(op, Binary::Less | Binary::LessEqual | Binary::In) { Type::Bool } else { Type::Nat };
        Ok((Val::Leaf(text, ty), defined))
    }
}
