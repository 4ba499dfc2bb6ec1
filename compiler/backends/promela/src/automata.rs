//! Automata in Promela: state as arrays, actions as options of a loop, inputs as inlines.
//!
//! A field under k `per member` becomes arrays of 2^k elements; a container becomes an array for each part of its entries, of a
//! fixed capacity, and one of lengths. Bags, sets and maps are sorted, so that equal states are equal bytes. What binds by going
//! through a container is unrolled: one option for each place. Messages are whatever the caller says ([`Messages`]).

mod expressions;
mod reads;
mod statements;

use std::fmt::Write;

use nacre_specification::*;

/// How messages are written.
pub trait Messages {
    /// The type that declares one.
    fn declared(&self) -> &str;
    /// A statement.
    fn copy(&self, to: &str, from: &str) -> String;
    /// A condition.
    fn equal(&self, a: &str, b: &str) -> String;
    /// A condition: in the order in which containers are sorted.
    fn before(&self, a: &str, b: &str) -> String;
    /// A statement.
    fn clear(&self, at: &str) -> String;
    /// The variable in which a message stands that was damaged; none: they cannot be.
    fn damaged(&self) -> Option<&str>;
}

/// Messages that are numbers, 0 for none.
pub struct Numbers;

impl Messages for Numbers {
    fn declared(&self) -> &str {
        "int"
    }
    fn copy(&self, to: &str, from: &str) -> String {
        format!("{to} = {from}")
    }
    fn equal(&self, a: &str, b: &str) -> String {
        format!("{a} == {b}")
    }
    fn before(&self, a: &str, b: &str) -> String {
        format!("{a} < {b}")
    }
    fn clear(&self, at: &str) -> String {
        format!("{at} = 0")
    }
    fn damaged(&self) -> Option<&str> {
        Some("what")
    }
}

/// One way in which an action is possible.
pub struct Option_ {
    /// The condition.
    pub when: String,
    /// The values of its parameters.
    pub parameters: Vec<String>,
    /// What it changes.
    pub body: String,
    /// The message that is damaged first, in any one bit, into [`Messages::damaged`].
    pub damages: Option<String>,
    /// Place in [`Automaton::actions`].
    pub action: usize,
}

impl Option_ {
    /// Nothing is below 0.
    pub fn is_never(&self) -> bool {
        self.when.contains("< 0)")
    }

    /// The end at which an output happens: the first assignment of its body says it.
    pub fn end(&self, automaton: &Automaton) -> std::result::Result<usize, String> {
        let copied = self.body.lines().next().and_then(|l| l.rsplit(' ').next());
        let end = copied.and_then(|t| t.trim_end_matches(';').parse::<usize>().ok()).filter(|end| *end < 2);
        let name = &automaton.actions[self.action].name;
        end.ok_or(format!("`{name}` of `{}`, which does not say at which end it happens", automaton.name))
    }
}

/// Writes one automaton; names begin with `prefix`.
pub struct Translator<'a> {
    pub automaton: &'a Automaton,
    pub prefix: String,
    /// Entries of a container.
    pub capacity: usize,
    /// Largest number that `upto` gives where it is gone through.
    pub most: u64,
    pub messages: &'a dyn Messages,
    /// What is used within a step only is no part of a state: SPIN then cannot search breadth-first.
    pub hides: bool,
}

/// A value as text: a leaf, or its parts.
#[derive(Clone, Debug)]
enum Val {
    Leaf(String, Type),
    Tuple(Vec<Val>),
    /// A container of the state: the field, and the text of the index of its row.
    Row(usize, String, Type),
    /// All participants.
    All,
    /// The numbers from 1 to a text.
    Upto(String),
    /// A message as it is after it was damaged.
    Damaged(String),
}

const NOT_DAMAGED: &str = "`damaged(m)`, but for what the network itself does to a frame";

type Env = Vec<Option<Val>>;
type Result<T> = std::result::Result<T, String>;

fn leaves(ty: &Type) -> Result<Vec<Type>> {
    match ty {
        Type::Bool | Type::Nat | Type::Rank | Type::Msg => Ok(vec![ty.clone()]),
        Type::Tuple(types) => Ok(types.iter().map(leaves).collect::<Result<Vec<_>>>()?.concat()),
        _ => Err("a container inside of a container".into()),
    }
}

/// What a container holds; of a map, key and value.
fn entry(ty: &Type) -> Option<Type> {
    match ty {
        Type::Seq(t) | Type::Bag(t) | Type::Set(t) => Some((**t).clone()),
        Type::Map(k, v) => Some(Type::Tuple(vec![(**k).clone(), (**v).clone()])),
        _ => None,
    }
}

fn both(a: &str, b: &str) -> String {
    match (a, b) {
        ("1", b) => b.into(),
        (a, "1") => a.into(),
        (a, b) => format!("{a} && {b}"),
    }
}

impl Translator<'_> {
    fn declared(&self, ty: &Type) -> &str {
        match ty {
            Type::Msg => self.messages.declared(),
            Type::Bool | Type::Rank => "byte",
            _ => "int",
        }
    }

    /// The shape of a field: how many rows, and what each is.
    fn shape(&self, field: usize) -> (usize, &Type) {
        let (mut rows, mut ty) = (1, &self.automaton.state[field].ty);
        while let Type::Per(inner) = ty {
            (rows, ty) = (rows * 2, inner);
        }
        (rows, ty)
    }

    /// A container into which nothing is ever put, and of which no place is named.
    fn stays_empty(&self, field: usize) -> bool {
        let container = entry(self.shape(field).1).is_some();
        let mut actions = self.automaton.actions.iter().filter(|a| !a.is_never());
        let never = self.automaton.state[field].initial.is_none() && !actions.any(|a| fills(&a.body, field));
        container && never && !reads::reads_place(self.automaton, field)
    }

    fn array(&self, field: usize, part: usize) -> String {
        format!("{}_{}_{part}", self.prefix, self.automaton.state[field].name)
    }

    fn len(&self, field: usize, row: &str) -> String {
        format!("{}_{}_len[{row}]", self.prefix, self.automaton.state[field].name)
    }

    fn at(&self, field: usize, part: usize, row: &str, place: &str) -> String {
        format!("{}[({row}) * {} + {place}]", self.array(field, part), self.capacity)
    }

    /// Variables of the state, and what is used within a step only.
    pub fn declarations(&self) -> Result<String> {
        let mut text = format!("/* {} */\n", self.automaton.description);
        for field in 0..self.automaton.state.len() {
            let (rows, ty) = self.shape(field);
            let parts = leaves(&entry(ty).unwrap_or_else(|| ty.clone()))?;
            let size = if entry(ty).is_some() { rows * self.capacity } else { rows };
            if entry(ty).is_some() {
                let _ = writeln!(text, "byte {}_{}_len[{rows}];", self.prefix, self.automaton.state[field].name);
            }
            for (part, leaf) in parts.iter().enumerate().filter(|_| !self.stays_empty(field)) {
                let _ = writeln!(text, "{} {}[{size}];", self.declared(leaf), self.array(field, part));
            }
        }
        let (hidden, between) = if self.hides { ("hidden ", "nothing") } else { ("", "0") };
        let _ = writeln!(text, "{hidden}int {0}_i, {0}_j; /* within a step; {between} between steps */", self.prefix);
        for (at, action) in self.automaton.actions.iter().enumerate() {
            for (n, ty) in action.locals.iter().enumerate() {
                for (part, leaf) in leaves(ty)?.iter().enumerate() {
                    let _ = writeln!(text, "{hidden}{} {}_{at}_{n}_{part};", self.declared(leaf), self.prefix);
                }
            }
        }
        Ok(text)
    }

    /// Statements that put back what is used within a step only, and is not hidden.
    pub fn resets(&self) -> Result<String> {
        if self.hides {
            return Ok("skip".into());
        }
        let mut text = format!("{0}_i = 0; {0}_j = 0", self.prefix);
        for (at, action) in self.automaton.actions.iter().enumerate() {
            for (n, ty) in action.locals.iter().enumerate() {
                for (part, leaf) in leaves(ty)?.iter().enumerate() {
                    let _ = write!(text, "; {}", self.clear(&format!("{}_{at}_{n}_{part}", self.prefix), leaf));
                }
            }
        }
        Ok(text)
    }

    /// Statements that make the first state; all is zero before.
    pub fn start(&self) -> Result<String> {
        let mut text = String::new();
        for (field, declared) in self.automaton.state.iter().enumerate() {
            let Some(initial) = &declared.initial else { continue };
            let (rows, ty) = self.shape(field);
            if entry(ty).is_some() || rows != 1 {
                return Err(format!("the initial value of `{}`", declared.name));
            }
            let (value, _) = self.expr(initial, &vec![])?;
            for (part, value) in flat(&value)?.iter().enumerate() {
                let _ = writeln!(text, "{};", self.set(&format!("{}[0]", self.array(field, part)), value));
            }
        }
        Ok(text)
    }

    fn set(&self, to: &str, value: &(String, Type)) -> String {
        match value.1 {
            Type::Msg => self.messages.copy(to, &value.0),
            _ => format!("{to} = {}", value.0),
        }
    }

    fn clear(&self, at: &str, ty: &Type) -> String {
        match ty {
            Type::Msg => self.messages.clear(at),
            _ => format!("{at} = 0"),
        }
    }

    /// Every way in which an action by itself can happen.
    pub fn options(&self, action: usize) -> Result<Vec<Option_>> {
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
                        env[n] = Some(Val::Leaf(rank.to_string(), Type::Rank));
                        env
                    })
                };
                starts = (0..2).flat_map(with).collect();
            }
        }
        let mut found = vec![];
        for env in starts {
            self.guards(&declared.guards, "1".into(), env, &mut found)?;
        }
        found.into_iter().map(|(when, env)| self.option(action, when, env)).collect()
    }

    /// The ways of an action whose parameters are known, as texts.
    pub fn known(&self, action: usize, arguments: &[String]) -> Result<Vec<Option_>> {
        let declared = &self.automaton.actions[action];
        let mut env: Env = vec![None; declared.locals.len()];
        for (n, (text, parameter)) in arguments.iter().zip(&declared.parameters).enumerate() {
            env[n] = Some(Val::Leaf(text.clone(), parameter.ty.clone()));
        }
        let mut found = vec![];
        self.guards(&declared.guards, "1".into(), env, &mut found)?;
        let options = found.into_iter().map(|(when, env)| self.option(action, when, env));
        let options = options.collect::<Result<Vec<_>>>()?;
        match options.iter().any(|o| o.damages.is_some()) {
            true => Err(NOT_DAMAGED.into()),
            false => Ok(options),
        }
    }

    /// Of each goal: that it holds, and that it is excused.
    pub fn goals(&self) -> Result<Vec<[String; 2]>> {
        let condition = |e: &Expr| -> Result<String> {
            let (value, defined) = self.expr(e, &vec![])?;
            Ok(both(&defined, &format!("({})", leaf(&value)?)))
        };
        let each = self.automaton.goals.iter();
        each.map(|g| Ok([condition(&g.holds)?, g.unless.as_ref().map_or(Ok("0".into()), condition)?])).collect()
    }

    fn option(&self, action: usize, when: String, mut env: Env) -> Result<Option_> {
        let declared = &self.automaton.actions[action];
        // What is bound may be moved by the body: it is copied first.
        let mut body = String::new();
        let damages = env.iter().flatten().find_map(|v| match v {
            Val::Damaged(message) => Some(message.clone()),
            _ => None,
        });
        for (n, ty) in declared.locals.iter().enumerate() {
            let value = match env[n].clone() {
                Some(value) => value,
                None if n < declared.parameters.len() && *ty != Type::Msg => Val::Leaf("0".into(), ty.clone()),
                None => continue,
            };
            env[n] = Some(self.kept(action, n, &value, &mut body)?);
        }
        let parameters = env.iter().take(declared.parameters.len());
        let parameters = parameters.map(|v| match v {
            Some(Val::Leaf(text, _)) => Ok(text.clone()),
            _ => Err(format!("a parameter of `{}` that is no simple value", declared.name)),
        });
        let parameters = parameters.collect::<Result<_>>()?;
        for statement in &declared.body {
            self.statement(action, statement, &mut env, &mut body)?;
        }
        Ok(Option_ { when, parameters, body, damages, action })
    }

    /// Copies a value into the variables of a local.
    fn kept(&self, action: usize, n: usize, value: &Val, body: &mut String) -> Result<Val> {
        let mut part = 0;
        self.kept_part(action, n, value, &mut part, body)
    }

    fn kept_part(&self, action: usize, n: usize, value: &Val, part: &mut usize, body: &mut String) -> Result<Val> {
        match value {
            Val::Leaf(text, ty) => {
                let name = format!("{}_{action}_{n}_{part}", self.prefix);
                *part += 1;
                if name != *text {
                    let _ = writeln!(body, "{};", self.set(&name, &(text.clone(), ty.clone())));
                }
                Ok(Val::Leaf(name, ty.clone()))
            }
            Val::Tuple(parts) => {
                Ok(Val::Tuple(parts.iter().map(|p| self.kept_part(action, n, p, part, body)).collect::<Result<_>>()?))
            }
            Val::Damaged(_) => {
                let damaged = self.messages.damaged().ok_or(NOT_DAMAGED)?;
                self.kept_part(action, n, &Val::Leaf(damaged.into(), Type::Msg), part, body)
            }
            _ => Err("a container in a variable".into()),
        }
    }

    fn guards(&self, guards: &[Guard], when: String, env: Env, found: &mut Vec<(String, Env)>) -> Result<()> {
        let Some((guard, rest)) = guards.split_first() else {
            found.push((when, env));
            return Ok(());
        };
        match guard {
            Guard::Holds(e) => {
                let (value, defined) = self.expr(e, &env)?;
                let text = leaf(&value)?;
                self.guards(rest, both(&both(&when, &defined), &format!("({text})")), env, found)
            }
            Guard::Is(pattern, e) => {
                let (value, defined) = self.expr(e, &env)?;
                let mut env = env;
                let fits = self.fits(pattern, &value, &mut env, false)?;
                self.guards(rest, both(&both(&when, &defined), &fits), env, found)
            }
            Guard::In(Pattern::Bind(n), Expr::Unary(Unary::Damaged, of)) => {
                self.messages.damaged().ok_or(NOT_DAMAGED)?;
                let (message, defined) = self.expr(of, &env)?;
                let mut env = env;
                if env[*n].is_some() {
                    return Err(NOT_DAMAGED.into());
                }
                env[*n] = Some(Val::Damaged(leaf(&message)?));
                self.guards(rest, both(&when, &defined), env, found)
            }
            Guard::In(pattern, e) => {
                let (container, defined) = self.expr(e, &env)?;
                let when = both(&when, &defined);
                if let (Val::Upto(most), Pattern::Bind(n)) = (&container, pattern) {
                    if let Some(Val::Leaf(known, _)) = &env[*n] {
                        return self.guards(
                            rest,
                            both(&when, &format!("(1 <= {known} && {known} <= {most})")),
                            env,
                            found,
                        );
                    }
                }
                let entries = self.entries(&container)?;
                if is_known(pattern, &env) {
                    // Whichever entry it is.
                    let each = entries.iter().map(|(there, value)| {
                        Ok(format!("({})", both(there, &self.fits(pattern, value, &mut env.clone(), false)?)))
                    });
                    let each = each.collect::<Result<Vec<_>>>()?;
                    return match each.is_empty() {
                        true => Ok(()),
                        false => self.guards(rest, both(&when, &format!("({})", each.join(" || "))), env, found),
                    };
                }
                for (there, value) in entries {
                    let mut env = env.clone();
                    let fits = self.fits(pattern, &value, &mut env, false)?;
                    self.guards(rest, both(&both(&when, &there), &fits), env, found)?;
                }
                Ok(())
            }
        }
    }

    /// Each entry that a container can have, with the condition that it is there.
    fn entries(&self, container: &Val) -> Result<Vec<(String, Val)>> {
        match container {
            Val::All => Ok((0..2).map(|n: u64| ("1".into(), Val::Leaf(n.to_string(), Type::Rank))).collect()),
            Val::Upto(most) => {
                let number = |n: u64| (format!("{n} <= {most}"), Val::Leaf(n.to_string(), Type::Nat));
                Ok((1..=self.most).map(number).collect())
            }
            Val::Row(field, ..) if self.stays_empty(*field) => Ok(vec![]),
            Val::Row(field, row, ty) => {
                let entry = entry(ty).ok_or("going through what is no container")?;
                let there = |k: usize| {
                    let when = format!("{} > {k}", self.len(*field, row));
                    (when, self.entry_at(*field, row, &k.to_string(), &entry))
                };
                Ok((0..self.capacity).map(there).collect())
            }
            _ => Err("going through what is no container of the state".into()),
        }
    }

    fn entry_at(&self, field: usize, row: &str, place: &str, ty: &Type) -> Val {
        let mut part = 0;
        self.entry_part(field, row, place, ty, &mut part)
    }

    fn entry_part(&self, field: usize, row: &str, place: &str, ty: &Type, part: &mut usize) -> Val {
        match ty {
            Type::Tuple(types) => {
                Val::Tuple(types.iter().map(|t| self.entry_part(field, row, place, t, part)).collect())
            }
            ty => {
                let text = self.at(field, *part, row, place);
                *part += 1;
                Val::Leaf(text, ty.clone())
            }
        }
    }

    /// The condition that a value fits a pattern, which binds on the way.
    fn fits(&self, pattern: &Pattern, value: &Val, env: &mut Env, fresh: bool) -> Result<String> {
        match (pattern, value) {
            (Pattern::Any, _) => Ok("1".into()),
            (Pattern::Equal(e), value) => {
                let (other, defined) = self.expr(e, env)?;
                Ok(both(&defined, &self.equal(value, &other)?))
            }
            (Pattern::Bind(n), value) => {
                if env.len() <= *n {
                    env.resize(n + 1, None);
                }
                match &env[*n] {
                    Some(known) if !fresh => self.equal(&known.clone(), value),
                    _ => {
                        env[*n] = Some(value.clone());
                        Ok("1".into())
                    }
                }
            }
            (Pattern::Tuple(patterns), Val::Tuple(values)) if patterns.len() == values.len() => {
                let mut when = "1".to_string();
                for (pattern, value) in patterns.iter().zip(values) {
                    when = both(&when, &self.fits(pattern, value, env, fresh)?);
                }
                Ok(when)
            }
            _ => Err("a pattern that takes apart what is no tuple".into()),
        }
    }

    fn equal(&self, a: &Val, b: &Val) -> Result<String> {
        let (a, b) = (flat(a)?, flat(b)?);
        if a.len() != b.len() {
            return Err("a comparison of different things".into());
        }
        let each = a.iter().zip(&b).map(|(a, b)| match a.1 {
            Type::Msg => format!("({})", self.messages.equal(&a.0, &b.0)),
            _ => format!("({}) == ({})", a.0, b.0),
        });
        Ok(format!("({})", each.collect::<Vec<_>>().join(" && ")))
    }

    /// Lexicographic order.
    fn before(&self, a: &[(String, Type)], b: &[(String, Type)]) -> String {
        let mut text = "0".to_string();
        for (a, b) in a.iter().zip(b).rev() {
            let (less, equal) = match a.1 {
                Type::Msg => (self.messages.before(&a.0, &b.0), self.messages.equal(&a.0, &b.0)),
                _ => (format!("{} < {}", a.0, b.0), format!("{} == {}", a.0, b.0)),
            };
            text = if text == "0" { format!("({less})") } else { format!("(({less}) || (({equal}) && {text}))") };
        }
        text
    }
}

fn leaf(value: &Val) -> Result<String> {
    match value {
        Val::Leaf(text, _) => Ok(text.clone()),
        _ => Err("a container or a tuple where a number is wanted".into()),
    }
}

fn flat(value: &Val) -> Result<Vec<(String, Type)>> {
    match value {
        Val::Leaf(text, ty) => Ok(vec![(text.clone(), ty.clone())]),
        Val::Tuple(parts) => Ok(parts.iter().map(flat).collect::<Result<Vec<_>>>()?.concat()),
        _ => Err("a container as a value".into()),
    }
}

/// Whether a body puts anything into a field of the state.
fn fills(body: &[Statement], field: usize) -> bool {
    let is = |place: &Place| matches!(place.root, Root::State(n) if n == field);
    body.iter().any(|s| match s {
        Statement::Do(operation, place, _) => {
            is(place) && !matches!(operation, Operation::Remove | Operation::Pop | Operation::Clear)
        }
        Statement::Assign(place, value) => is(place) && !matches!(value, Expr::Zero(_)),
        Statement::If(_, a, b) => fills(a, field) || fills(b, field),
        Statement::For(_, _, body) => fills(body, field),
        Statement::Let(..) => false,
    })
}

/// Whether all that a pattern binds has its value already.
fn is_known(pattern: &Pattern, env: &Env) -> bool {
    match pattern {
        Pattern::Bind(n) => env.get(*n).is_some_and(Option::is_some),
        Pattern::Tuple(parts) => parts.iter().all(|p| is_known(p, env)),
        Pattern::Equal(_) | Pattern::Any => true,
    }
}
