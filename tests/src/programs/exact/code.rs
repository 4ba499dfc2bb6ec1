//! The tree of known code, and its text.

use super::known::Known;
use crate::programs::types::Ty;

/// An expression whose type follows from itself.
#[derive(Clone, Debug)]
pub struct Value {
    pub ty: Ty,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Known(Known),
    Place(Place),
    Binary(&'static str, Box<Value>, Box<Value>),
    /// `!x` or `-x`
    Unary(&'static str, Box<Value>),
    Cast(Box<Value>),
    If(Box<Value>, Box<Value>, Box<Value>),
    /// `min(a, b)`, `max(a, b)`
    Least(bool, Box<Value>, Box<Value>),
    MulDiv(Box<Value>, Box<Value>, i128),
    /// A constructor of a tuple, a struct, an array or `some`.
    Made(Vec<Value>),
    /// `x in s`, of a set, a queue or the keys of a map
    In(Box<Value>, Place),
    /// `len`, `empty`, `full` or `first`
    Asked(&'static str, Place),
    /// `m.get(k, otherwise)`
    Get(Place, Box<Value>, Box<Value>),
    /// A function of the layer, by its index; the places of `ref` parameters, then values.
    Call(usize, Vec<Place>, Vec<Value>),
}

/// A name, and the path into its value.
#[derive(Clone, Debug)]
pub struct Place {
    pub root: String,
    pub ty: Ty,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub enum Step {
    Field(String, usize),
    Index(Value),
}

/// An expression whose value may be absent.
#[derive(Clone, Debug)]
pub enum Fallible {
    /// `x as 0..N`
    Fit(Value, u64),
    /// `a / b`, `a % b`
    Divide(&'static str, Value, Value),
    Option(Place),
    Take(Place),
    Pop(Place),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Assign(Place, &'static str, Value),
    Let(String, Value),
    Var(String, Value),
    /// `let (a, b) = value;`
    Split(Vec<String>, Value),
    Ref(String, Place),
    If(Value, Vec<Statement>, Vec<Statement>),
    /// The value, the arms, and the body of `_`.
    Match(Value, Vec<(Known, Vec<Statement>)>, Option<Vec<Statement>>),
    IfLet(String, Fallible, Vec<Statement>, Vec<Statement>),
    /// With an `else` that returns or breaks.
    LetElse(String, Fallible, Vec<Statement>, &'static str),
    /// `for i in a .. b`
    Count(String, i128, i128, Vec<Statement>),
    /// `for x in place`, or `for x in drain place`
    Each(String, bool, Place, Vec<Statement>),
    While(Value, i128, Vec<Statement>),
    WhilePop(String, Place, Vec<Statement>),
    /// `push` or `insert`, with what happens if it fails.
    Push(Place, Value, Vec<Statement>),
    Insert(Place, Value, Value, Vec<Statement>),
    /// `remove(x)` of a queue; of a map, the entry under a key.
    Remove(Place, Value),
    Clear(Place),
    Break,
    Return(Option<Value>),
}

/// A function of the layer.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub places: Vec<(String, Ty)>,
    pub values: Vec<(String, Ty)>,
    pub result: Option<Ty>,
    pub body: Vec<Statement>,
}

impl Place {
    pub fn text(&self, functions: &[Function]) -> String {
        self.steps.iter().fold(self.root.clone(), |text, step| match step {
            Step::Field(name, _) => format!("{text}.{name}"),
            Step::Index(value) => format!("{text}[{}]", value.text(functions)),
        })
    }
}

impl Value {
    pub fn text(&self, functions: &[Function]) -> String {
        let of = |value: &Value| value.text(functions);
        let list = |values: &[Value]| values.iter().map(of).collect::<Vec<_>>().join(", ");
        match &self.kind {
            Kind::Known(known) if self.ty.is_number() && !matches!(self.ty, Ty::Range(_)) => {
                format!("({} as {})", known.text(&self.ty), self.ty.text())
            }
            Kind::Known(known) => known.text(&self.ty),
            Kind::Place(place) => place.text(functions),
            Kind::Binary(operator, a, b) => format!("({} {operator} {})", of(a), of(b)),
            Kind::Unary(operator, a) => format!("({operator}{})", of(a)),
            Kind::Cast(a) => format!("({} as {})", of(a), self.ty.text()),
            Kind::If(c, a, b) => format!("(if ({}) {{ {} }} else {{ {} }})", of(c), of(a), of(b)),
            Kind::Least(least, a, b) => format!("{}({}, {})", if *least { "min" } else { "max" }, of(a), of(b)),
            Kind::MulDiv(a, b, by) => format!("mul_div({}, {}, {by})", of(a), of(b)),
            Kind::Made(parts) => match &self.ty {
                Ty::Struct(name, fields) => {
                    let shown = fields.iter().zip(parts).map(|(f, part)| format!("{}: {}", f.name, of(part)));
                    format!("{name} {{ {} }}", shown.collect::<Vec<_>>().join(", "))
                }
                Ty::Tuple(_) => format!("({})", list(parts)),
                Ty::Option(_) => format!("some({})", list(parts)),
                _ => format!("[{}]", list(parts)),
            },
            Kind::In(a, place) => format!("({} in {})", of(a), place.text(functions)),
            Kind::Asked(what, place) => format!("{}.{what}", place.text(functions)),
            Kind::Get(place, key, other) => format!("{}.get({}, {})", place.text(functions), of(key), of(other)),
            Kind::Call(at, places, values) => {
                let places = places.iter().map(|place| format!("ref {}", place.text(functions)));
                let all: Vec<String> = places.chain(values.iter().map(of)).collect();
                format!("{}({})", functions[*at].name, all.join(", "))
            }
        }
    }
}

impl Fallible {
    pub fn text(&self, functions: &[Function]) -> String {
        match self {
            Fallible::Fit(value, high) => format!("{} as 0..{high}", value.text(functions)),
            Fallible::Divide(operator, a, b) => format!("{} {operator} {}", a.text(functions), b.text(functions)),
            Fallible::Option(place) => place.text(functions),
            Fallible::Take(place) => format!("{}.take()", place.text(functions)),
            Fallible::Pop(place) => format!("{}.pop()", place.text(functions)),
        }
    }
}

/// The statements as text.
pub fn text(statements: &[Statement], functions: &[Function]) -> String {
    statements.iter().map(|statement| statement.text(functions)).collect()
}

impl Statement {
    fn text(&self, functions: &[Function]) -> String {
        let of = |value: &Value| value.text(functions);
        let at = |place: &Place| place.text(functions);
        let block = |body: &[Statement]| format!("{{\n{}}}", text(body, functions));
        match self {
            Statement::Assign(place, operator, value) => format!("{} {operator} {};\n", at(place), of(value)),
            Statement::Let(name, value) => format!("let {name} = {};\n", of(value)),
            Statement::Var(name, value) => format!("var {name}: {} = {};\n", value.ty.text(), of(value)),
            Statement::Split(names, value) => format!("let ({}) = {};\n", names.join(", "), of(value)),
            Statement::Ref(name, place) => format!("ref {name} = {};\n", at(place)),
            Statement::If(c, a, b) if b.is_empty() => format!("if ({}) {}\n", of(c), block(a)),
            Statement::If(c, a, b) => format!("if ({}) {} else {}\n", of(c), block(a), block(b)),
            Statement::Match(value, arms, other) => {
                let arm =
                    |(known, body): &(Known, Vec<Statement>)| format!("{} => {}\n", known.text(&value.ty), block(body));
                let arms: String = arms.iter().map(arm).collect();
                let other = other.as_ref().map_or(String::new(), |body| format!("_ => {}\n", block(body)));
                format!("match ({}) {{\n{arms}{other}}}\n", of(value))
            }
            Statement::IfLet(name, what, a, b) => {
                format!("if let {name} = {} {} else {}\n", what.text(functions), block(a), block(b))
            }
            Statement::LetElse(name, what, body, leave) => {
                format!("let {name} = {} else {{\n{}{leave}\n}}\n", what.text(functions), text(body, functions))
            }
            Statement::Count(name, a, b, body) => format!("for {name} in {a} .. {b} {}\n", block(body)),
            Statement::Each(name, drain, place, body) => {
                format!("for {name} in {}{} {}\n", if *drain { "drain " } else { "" }, at(place), block(body))
            }
            Statement::While(c, bound, body) => format!("while ({}) bound {bound} {}\n", of(c), block(body)),
            Statement::WhilePop(name, place, body) => {
                format!("while let {name} = {}.pop() {}\n", at(place), block(body))
            }
            Statement::Push(place, value, other) => {
                format!("{}.push({}) else {}\n", at(place), of(value), block(other))
            }
            Statement::Insert(place, key, value, other) => {
                format!("{}.insert({}, {}) else {}\n", at(place), of(key), of(value), block(other))
            }
            Statement::Remove(place, key) if matches!(place.ty, Ty::Map(..)) => {
                format!("if let found = {}.find({}) {{ {}.remove(found); }}\n", at(place), of(key), at(place))
            }
            Statement::Remove(place, value) => format!("{}.remove({});\n", at(place), of(value)),
            Statement::Clear(place) => format!("{}.clear();\n", at(place)),
            Statement::Break => "break;\n".into(),
            Statement::Return(None) => "return;\n".into(),
            Statement::Return(Some(value)) => format!("return {};\n", of(value)),
        }
    }
}
