//! Runs known code.

use std::collections::BTreeSet;

use super::code::{Fallible, Function, Kind, Place, Statement, Step, Value};
use super::known::{distance, wrapped, Known};
use crate::programs::types::Ty;

/// The place to which a name refers.
#[derive(Clone, Debug)]
struct Target {
    cell: usize,
    path: Vec<usize>,
}

/// The values of all names.
#[derive(Clone, Debug)]
pub struct Machine<'f> {
    functions: &'f [Function],
    cells: Vec<Known>,
    names: Vec<(String, Target)>,
    /// The number of names in the state, which functions can use.
    state: usize,
    /// The number of statements that may still run.
    fuel: usize,
}

/// How a body ended.
#[derive(Clone, Debug, PartialEq)]
enum Flow {
    Next,
    Break,
    Return(Option<Known>),
}

impl<'f> Machine<'f> {
    /// A machine with this state.
    pub fn new(functions: &'f [Function], state: &[(String, Known)]) -> Machine<'f> {
        let mut machine = Machine { functions, cells: Vec::new(), names: Vec::new(), state: 0, fuel: 3000 };
        state.iter().for_each(|(name, value)| machine.bind(name, value.clone()));
        machine.state = machine.names.len();
        machine
    }

    /// Runs the body of a function without parameters; returns the state afterwards, or none if it took too long.
    pub fn run(mut self, body: &[Statement]) -> Option<Vec<Known>> {
        self.body(body);
        let state = self.state;
        (self.fuel > 0).then(|| self.cells.into_iter().take(state).collect())
    }

    fn bind(&mut self, name: &str, value: Known) {
        self.cells.push(value);
        self.names.push((name.to_string(), Target { cell: self.cells.len() - 1, path: Vec::new() }));
    }

    fn target(&mut self, place: &Place) -> Target {
        let found = self.names.iter().rev().find(|(name, _)| *name == place.root);
        let mut target = found.map(|(_, target)| target.clone()).expect("a known name");
        for step in &place.steps {
            let at = match step {
                Step::Field(_, at) => *at,
                Step::Index(value) => self.value(value).num() as usize,
            };
            target.path.push(at);
        }
        target
    }

    fn at(&mut self, target: &Target) -> &mut Known {
        target.path.iter().fold(&mut self.cells[target.cell], |known, at| match known {
            Known::Parts(parts) => &mut parts[*at],
            _ => unreachable!("a way into what has no parts"),
        })
    }

    fn read(&mut self, place: &Place) -> Known {
        let target = self.target(place);
        self.at(&target).clone()
    }

    fn value(&mut self, value: &Value) -> Known {
        let ty = &value.ty;
        let flag = |holds: bool| Known::Num(i128::from(holds));
        match &value.kind {
            Kind::Known(known) => known.clone(),
            Kind::Place(place) => self.read(place),
            Kind::Binary("&&", a, b) => flag(self.value(a).holds() && self.value(b).holds()),
            Kind::Binary("||", a, b) => flag(self.value(a).holds() || self.value(b).holds()),
            Kind::Binary(operator, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                binary(operator, &a.ty, ty, x, y)
            }
            Kind::Unary("!", a) => flag(!self.value(a).holds()),
            Kind::Unary(_, a) => Known::Num(wrapped(ty, -self.value(a).num())),
            Kind::Cast(a) => Known::Num(wrapped(ty, self.value(a).num())),
            Kind::If(c, a, b) => match self.value(c).holds() {
                true => self.value(a),
                false => self.value(b),
            },
            Kind::Least(least, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                let (left, right) = if *least { (&y, &x) } else { (&x, &y) };
                if order(&a.ty, left.num(), right.num()) < 0 {
                    y
                } else {
                    x
                }
            }
            Kind::MulDiv(a, b, by) => {
                // Unsigned numbers of at most 64 bits: their product fits 128 bits.
                let product = self.value(a).num() as u128 * self.value(b).num() as u128;
                Known::Num(wrapped(ty, (product / *by as u128) as i128))
            }
            Kind::Made(parts) => {
                let mut parts: Vec<Known> = parts.iter().map(|part| self.value(part)).collect();
                match ty {
                    Ty::Option(_) => Known::Maybe(parts.pop().map(Box::new)),
                    _ => Known::Parts(parts),
                }
            }
            Kind::In(a, place) => {
                let (x, container) = (self.value(a), self.read(place));
                flag(match container {
                    Known::Set(set) => set.contains(&(x.num() as u32)),
                    Known::Queue(queue) => queue.contains(&x),
                    Known::Map(map) => map.iter().any(|(key, _)| *key == x),
                    _ => false,
                })
            }
            Kind::Asked(what, place) => asked(what, &place.ty, &self.read(place)),
            Kind::Get(place, key, other) => {
                let (key, other) = (self.value(key), self.value(other));
                let Known::Map(map) = self.read(place) else { return other };
                map.into_iter().find(|(known, _)| *known == key).map_or(other, |(_, value)| value)
            }
            Kind::Call(at, places, values) => self.call(*at, places, values).unwrap_or(Known::Num(0)),
        }
    }

    fn call(&mut self, at: usize, places: &[Place], values: &[Value]) -> Option<Known> {
        let function = &self.functions[at];
        let targets: Vec<Target> = places.iter().map(|place| self.target(place)).collect();
        let values: Vec<Known> = values.iter().map(|value| self.value(value)).collect();
        let outer = self.names.split_off(self.state);
        for ((name, _), target) in function.places.iter().zip(targets) {
            self.names.push((name.clone(), target));
        }
        for ((name, _), value) in function.values.iter().zip(values) {
            self.bind(name, value);
        }
        let flow = self.body(&function.body);
        self.names.truncate(self.state);
        self.names.extend(outer);
        if let Flow::Return(value) = flow {
            value
        } else {
            None
        }
    }

    fn fallible(&mut self, what: &Fallible) -> Option<Known> {
        match what {
            Fallible::Fit(value, high) => {
                let n = self.value(value).num();
                (0..i128::from(*high)).contains(&n).then_some(Known::Num(n))
            }
            Fallible::Divide(operator, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                (y.num() != 0).then(|| binary(operator, &a.ty, &a.ty, x, y))
            }
            Fallible::Option(place) => match self.read(place) {
                Known::Maybe(value) => value.map(|value| *value),
                _ => None,
            },
            Fallible::Take(place) => {
                let target = self.target(place);
                match std::mem::replace(self.at(&target), Known::Maybe(None)) {
                    Known::Maybe(value) => value.map(|value| *value),
                    _ => None,
                }
            }
            Fallible::Pop(place) => self.pop(place),
        }
    }

    fn pop(&mut self, place: &Place) -> Option<Known> {
        let target = self.target(place);
        let Known::Queue(queue) = self.at(&target) else { return None };
        match place.ty {
            Ty::Ring(..) if !queue.is_empty() => Some(queue.remove(0)),
            _ => queue.pop(),
        }
    }

    /// Runs a block and removes its names.
    fn body(&mut self, statements: &[Statement]) -> Flow {
        let names = self.names.len();
        for statement in statements {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            let flow = self.statement(statement);
            if flow != Flow::Next {
                self.names.truncate(names);
                return flow;
            }
        }
        self.names.truncate(names);
        Flow::Next
    }

    /// Runs a block with an additional name; true: it was left by `break`. Returns how a `return` ended it.
    fn turn(&mut self, name: &str, value: Known, body: &[Statement]) -> Flow {
        let names = self.names.len();
        self.bind(name, value);
        let flow = self.body(body);
        self.names.truncate(names);
        flow
    }

    fn turns(&mut self, name: &str, values: Vec<Known>, body: &[Statement]) -> Flow {
        for value in values {
            match self.turn(name, value, body) {
                Flow::Next => {}
                Flow::Break => break,
                returned => return returned,
            }
        }
        Flow::Next
    }

    fn statement(&mut self, statement: &Statement) -> Flow {
        match statement {
            Statement::Assign(place, operator, value) => self.assign(place, operator, value),
            Statement::Let(name, value) | Statement::Var(name, value) => {
                let value = self.value(value);
                self.bind(name, value);
            }
            Statement::Split(names, value) => {
                let Known::Parts(parts) = self.value(value) else { return Flow::Next };
                names.iter().zip(parts).for_each(|(name, part)| self.bind(name, part));
            }
            Statement::Ref(name, place) => {
                let target = self.target(place);
                self.names.push((name.clone(), target));
            }
            Statement::If(c, a, b) => {
                let body = if self.value(c).holds() { a } else { b };
                return self.body(body);
            }
            Statement::Match(value, arms, other) => {
                let value = self.value(value);
                let arm = arms.iter().find(|(known, _)| *known == value).map(|(_, body)| body);
                return arm.or(other.as_ref()).map_or(Flow::Next, |body| self.body(body));
            }
            Statement::IfLet(name, what, a, b) => {
                return match self.fallible(what) {
                    Some(value) => self.turn(name, value, a),
                    None => self.body(b),
                };
            }
            Statement::LetElse(name, what, body, leave) => match self.fallible(what) {
                Some(value) => self.bind(name, value),
                None => {
                    self.body(body);
                    return if *leave == "break;" { Flow::Break } else { Flow::Return(None) };
                }
            },
            Statement::Count(name, a, b, body) => return self.turns(name, (*a..*b).map(Known::Num).collect(), body),
            Statement::Each(name, drain, place, body) => {
                let entries = match self.read(place) {
                    Known::Parts(parts) | Known::Queue(parts) => parts,
                    Known::Set(set) => set.into_iter().map(|n| Known::Num(i128::from(n))).collect(),
                    _ => Vec::new(),
                };
                if *drain {
                    let target = self.target(place);
                    *self.at(&target) = Known::Queue(Vec::new());
                }
                return self.turns(name, entries, body);
            }
            // One iteration more than the bound, then it stops.
            Statement::While(c, bound, body) => {
                let mut turns = 0;
                while self.fuel > 0 && turns <= *bound && self.value(c).holds() {
                    (self.fuel, turns) = (self.fuel - 1, turns + 1);
                    match self.body(body) {
                        Flow::Next => {}
                        Flow::Break => break,
                        returned => return returned,
                    }
                }
            }
            Statement::WhilePop(name, place, body) => {
                while let Some(value) = self.pop(place) {
                    match self.turn(name, value, body) {
                        Flow::Next => {}
                        Flow::Break => break,
                        returned => return returned,
                    }
                }
            }
            Statement::Push(place, value, other) => {
                let value = self.value(value);
                if !self.push(place, value) {
                    return self.body(other);
                }
            }
            Statement::Insert(place, key, value, other) => {
                let (key, value) = (self.value(key), self.value(value));
                if !self.insert(place, key, value) {
                    return self.body(other);
                }
            }
            Statement::Remove(place, value) => {
                let (value, target) = (self.value(value), self.target(place));
                match self.at(&target) {
                    Known::Queue(queue) => {
                        let at = queue.iter().position(|known| *known == value);
                        at.map(|at| queue.remove(at));
                    }
                    Known::Map(map) => map.retain(|(key, _)| *key != value),
                    _ => {}
                }
            }
            Statement::Clear(place) => {
                let (target, empty) = (self.target(place), Known::zero(&place.ty));
                *self.at(&target) = empty;
            }
            Statement::Break => return Flow::Break,
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value));
                return Flow::Return(value);
            }
        }
        Flow::Next
    }

    /// Evaluates the right side first.
    fn assign(&mut self, place: &Place, operator: &str, value: &Value) {
        let right = self.value(value);
        let target = self.target(place);
        let new = match operator.strip_suffix('=').filter(|operator| !operator.is_empty()) {
            Some(operator) => {
                let old = self.at(&target).clone();
                match (&place.ty, &right) {
                    // One element is added or removed.
                    (Ty::Bits(_), Known::Num(n)) => element(operator, old, *n as u32),
                    _ => binary(operator, &place.ty, &place.ty, old, right),
                }
            }
            None => right,
        };
        *self.at(&target) = new;
    }

    fn push(&mut self, place: &Place, value: Known) -> bool {
        let target = self.target(place);
        let (Ty::Ring(_, n) | Ty::List(_, n)) = place.ty else { return false };
        let Known::Queue(queue) = self.at(&target) else { return false };
        let fits = queue.len() < n as usize;
        if fits {
            queue.push(value);
        }
        fits
    }

    fn insert(&mut self, place: &Place, key: Known, value: Known) -> bool {
        let target = self.target(place);
        let Ty::Map(_, _, n) = place.ty else { return false };
        let Known::Map(map) = self.at(&target) else { return false };
        if let Some((_, old)) = map.iter_mut().find(|(known, _)| *known == key) {
            *old = value;
            return true;
        }
        let fits = map.len() < n as usize;
        if fits {
            map.push((key, value));
        }
        fits
    }
}

fn element(operator: &str, set: Known, n: u32) -> Known {
    let Known::Set(mut set) = set else { return set };
    match operator {
        "+" => set.insert(n),
        _ => set.remove(&n),
    };
    Known::Set(set)
}

/// The distance of one number from another: negative if it is before it. (Of two sequence numbers at half the number
/// space, each is before the other.)
fn order(ty: &Ty, a: i128, b: i128) -> i128 {
    match ty {
        Ty::Seq(bits) => distance(*bits, a, b),
        _ => a - b,
    }
}

fn binary(operator: &str, of: &Ty, ty: &Ty, a: Known, b: Known) -> Known {
    let flag = |holds: bool| Known::Num(i128::from(holds));
    match (operator, &a, &b) {
        ("==", ..) => return flag(a == b),
        ("!=", ..) => return flag(a != b),
        ("<=", Known::Set(one), Known::Set(other)) => return flag(one.is_subset(other)),
        ("+" | "-", Known::Set(_), Known::Num(n)) => return element(operator, a, *n as u32),
        (_, Known::Set(one), Known::Set(other)) => return Known::Set(sets(operator, one, other)),
        _ => {}
    }
    let (a, b) = (a.num(), b.num());
    match operator {
        "<" => return flag(order(of, a, b) < 0),
        ">" => return flag(order(of, b, a) < 0),
        "<=" => return flag(order(of, a, b) <= 0),
        ">=" => return flag(order(of, b, a) <= 0),
        _ => {}
    }
    let n = match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a / b,
        "%" => a % b,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a << b,
        _ => a >> b,
    };
    Known::Num(wrapped(ty, n))
}

fn sets(operator: &str, one: &BTreeSet<u32>, other: &BTreeSet<u32>) -> BTreeSet<u32> {
    match operator {
        "|" => one | other,
        "&" => one & other,
        "^" => one ^ other,
        _ => one - other,
    }
}

fn asked(what: &str, ty: &Ty, container: &Known) -> Known {
    let len = match container {
        Known::Set(set) => set.len(),
        Known::Queue(queue) => queue.len(),
        Known::Map(map) => map.len(),
        _ => 0,
    };
    let (Ty::Bits(room) | Ty::Ring(_, room) | Ty::List(_, room) | Ty::Map(_, _, room)) = ty else {
        return Known::Num(0);
    };
    Known::Num(match (what, container) {
        ("first", Known::Set(set)) => i128::from(set.first().copied().unwrap_or(0)),
        ("empty", _) => i128::from(len == 0),
        ("full", _) => i128::from(len == *room as usize),
        _ => len as i128,
    })
}
