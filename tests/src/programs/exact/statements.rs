//! Known code: statements.

use super::code::{Fallible, Place, Statement, Value};
use super::expressions::Names;
use super::known::Known;
use crate::programs::generator::Generator;
use crate::programs::types::Ty;

/// The context of known statements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here {
    pub depth: u32,
    pub in_loop: bool,
}

impl Here {
    fn deeper(self) -> Here {
        Here { depth: self.depth.saturating_sub(1), ..self }
    }
}

impl Generator {
    /// Returns a nested block.
    pub fn known_block(&mut self, names: &Names, here: Here) -> Vec<Statement> {
        let mut inner = names.clone();
        let mut statements = Vec::new();
        for _ in 0..1 + self.below(3) {
            statements.extend(self.known_statement(&mut inner, here.deeper()));
        }
        statements
    }

    /// Returns a block with an additional name.
    fn known_block_with(&mut self, names: &Names, name: &str, ty: Ty, here: Here) -> Vec<Statement> {
        let mut inner = names.clone();
        inner.add(name, ty, false, false);
        self.known_block(&inner, here)
    }

    pub fn known_statement(&mut self, names: &mut Names, here: Here) -> Option<Statement> {
        match self.below(if here.depth == 0 { 10 } else { 22 }) {
            0..=4 => self.known_assignment(names),
            5 | 6 => self.known_declaration(names),
            7..=9 => self.known_operation(names, here),
            10..=12 => {
                let condition = self.exact(names, &Ty::Bool, 2);
                let other = if self.percent(60) { self.known_block(names, here) } else { Vec::new() };
                Some(Statement::If(condition, self.known_block(names, here), other))
            }
            13 | 14 => self.known_match(names, here),
            15..=17 => self.known_guard(names, here),
            18 | 19 => self.known_loop(names, here),
            20 => self.known_walk(names, here),
            _ => {
                let condition = self.exact(names, &Ty::Bool, 2);
                let leave = if here.in_loop { Statement::Break } else { Statement::Return(None) };
                Some(Statement::If(condition, vec![leave], Vec::new()))
            }
        }
    }

    fn known_assignment(&mut self, names: &Names) -> Option<Statement> {
        let places = self.known_places(names, true, &|ty| ty.is_plain());
        if places.is_empty() {
            return None;
        }
        let place = self.one(&places).clone();
        let results: Vec<usize> =
            (0..names.functions.len()).filter(|at| names.functions[*at].result.as_ref() == Some(&place.ty)).collect();
        if !results.is_empty() && self.percent(70) {
            let at = *self.one(&results);
            if let Some(call) = self.known_call(names, at) {
                return Some(Statement::Assign(place, "=", call));
            }
        }
        let operators: &[&'static str] = match place.ty {
            Ty::UInt(_) | Ty::Int(_) => &["=", "+=", "-=", "*=", "|=", "&="],
            Ty::Seq(_) => &["=", "+="],
            Ty::Duration => &["=", "+=", "-="],
            Ty::Bits(_) => &["=", "|=", "&="],
            _ => &["="],
        };
        let value = self.exact(names, &place.ty, 3);
        Some(Statement::Assign(place, *self.one(operators), value))
    }

    /// A call whose `ref` arguments are places of the state.
    fn known_call(&mut self, names: &Names, at: usize) -> Option<Value> {
        let function = names.functions[at].clone();
        let states = Names { all: names.all.iter().filter(|name| name.state).cloned().collect(), ..names.clone() };
        let mut places = Vec::new();
        for (_, ty) in &function.places {
            let fitting = self.known_places(&states, true, &|other| other == ty);
            if fitting.is_empty() {
                return None;
            }
            places.push(self.one(&fitting).clone());
        }
        let values = function.values.iter().map(|(_, ty)| self.exact(names, ty, 1)).collect();
        let kind = super::code::Kind::Call(at, places, values);
        Some(Value { ty: function.result?, kind })
    }

    fn known_declaration(&mut self, names: &mut Names) -> Option<Statement> {
        let name = self.name("k");
        match self.below(5) {
            0 => {
                let types: Vec<Ty> = (0..2 + self.below(2)).map(|_| self.exact_type()).collect();
                let value = self.exact(names, &Ty::Tuple(types.clone()), 2);
                // A tuple constructor determines its type if all its parts do.
                if matches!(value.kind, super::code::Kind::Known(_)) {
                    return None;
                }
                let parts: Vec<String> = types.iter().map(|_| self.name("k")).collect();
                parts.iter().zip(types).for_each(|(part, ty)| names.add(part, ty, false, false));
                Some(Statement::Split(parts, value))
            }
            1 => {
                let places = self.known_places(names, true, &|ty| ty.is_plain());
                if places.is_empty() {
                    return None;
                }
                let place = self.one(&places).clone();
                names.add(&name, place.ty.clone(), true, true);
                let origin = names.origin(&place.root).to_string();
                names.stands.push((name.clone(), origin));
                Some(Statement::Ref(name, place))
            }
            2 => {
                let ty = self.exact_type();
                let value = self.exact(names, &ty, 2);
                names.add(&name, ty, false, false);
                Some(Statement::Let(name, value))
            }
            _ => {
                let ty = self.exact_type();
                let value = self.exact(names, &ty, 2);
                names.add(&name, ty, true, false);
                Some(Statement::Var(name, value))
            }
        }
    }

    /// A type whose expressions determine it.
    pub fn exact_type(&mut self) -> Ty {
        loop {
            match self.number() {
                Ty::Range(_) if self.percent(30) => return Ty::Bool,
                Ty::Range(_) => {}
                other => return other,
            }
        }
    }

    fn containers_of(&mut self, names: &Names, fits: &dyn Fn(&Ty) -> bool) -> Option<Place> {
        let places = self.known_places(names, true, fits);
        (!places.is_empty()).then(|| self.one(&places).clone())
    }

    fn known_operation(&mut self, names: &Names, here: Here) -> Option<Statement> {
        let container = |ty: &Ty| matches!(ty, Ty::Ring(..) | Ty::List(..) | Ty::Map(..) | Ty::Option(_) | Ty::Bits(_));
        let place = self.containers_of(names, &container)?;
        let otherwise = |random: &mut Generator| match here.depth {
            0 => random.known_assignment(names).into_iter().collect(),
            _ => random.known_block(names, here),
        };
        Some(match place.ty.clone() {
            Ty::Bits(n) => {
                let element = Known::Num(self.below(n as usize) as i128);
                let kind = super::code::Kind::Known(element);
                let element = Value { ty: Ty::Range(u64::from(n)), kind };
                Statement::Assign(place, *self.one(&["+=", "-="]), element)
            }
            Ty::Map(key, of, _) => match self.below(6) {
                0 => Statement::Remove(place, self.exact(names, &key, 1)),
                1 if self.percent(30) => Statement::Clear(place),
                _ => {
                    let (key, value) = (self.exact(names, &key, 1), self.exact(names, &of, 2));
                    Statement::Insert(place, key, value, otherwise(self))
                }
            },
            Ty::Ring(of, _) | Ty::List(of, _) => match self.below(7) {
                0 => Statement::Remove(place, self.exact(names, &of, 1)),
                1 if self.percent(30) => Statement::Clear(place),
                _ => Statement::Push(place, self.exact(names, &of, 2), otherwise(self)),
            },
            _ => Statement::Clear(place),
        })
    }

    fn known_match(&mut self, names: &Names, here: Here) -> Option<Statement> {
        let matches = |ty: &Ty| matches!(ty, Ty::Enum(..) | Ty::UInt(_) | Ty::Int(_) | Ty::Bool);
        let places = self.known_places(names, false, &matches);
        if places.is_empty() {
            return None;
        }
        let ty = self.one(&places).ty.clone();
        let value = self.exact(names, &ty, 2);
        let all: Vec<Known> = match &ty {
            Ty::Enum(_, variants) => (0..variants.len()).map(|n| Known::Num(n as i128)).collect(),
            Ty::Bool => vec![Known::Num(0), Known::Num(1)],
            _ => Vec::new(),
        };
        let open = all.is_empty() || self.percent(40);
        let mut cases = if all.is_empty() { (0..3).map(|_| self.known(&ty)).collect() } else { all };
        cases.truncate(if open { 1.max(cases.len() - 1) } else { cases.len() });
        let mut arms: Vec<(Known, Vec<Statement>)> = Vec::new();
        for case in cases {
            if arms.iter().all(|(known, _)| *known != case) {
                arms.push((case, self.known_block(names, here)));
            }
        }
        // A `_` after arms for all values is an error.
        let rest = match &ty {
            Ty::Enum(_, variants) => arms.len() < variants.len(),
            Ty::Bool => arms.len() < 2,
            Ty::UInt(bits) | Ty::Int(bits) => *bits > 2 || arms.len() < 1 << bits,
            _ => true,
        };
        let other = rest.then(|| self.known_block(names, here));
        Some(Statement::Match(value, arms, other))
    }

    /// An operation that can fail, and the code for its failure.
    fn known_guard(&mut self, names: &mut Names, here: Here) -> Option<Statement> {
        let (what, ty) = match self.below(5) {
            0 => {
                let ty = self.exact_type();
                let bits = match ty {
                    Ty::UInt(bits) | Ty::Int(bits) => bits,
                    _ => return None,
                };
                let high = 1 + self.up_to(254);
                if bits < 9 {
                    return None;
                }
                (Fallible::Fit(self.exact(names, &ty, 2), high), Ty::Range(high))
            }
            1 => {
                let ty = match self.percent(60) {
                    true => Ty::UInt(self.width(64)),
                    false => Ty::Int(self.width(64)),
                };
                let (a, b) = (self.exact(names, &ty, 2), self.exact(names, &ty, 2));
                if matches!(b.kind, super::code::Kind::Known(_)) {
                    return None;
                }
                (Fallible::Divide(*self.one(&["/", "%"]), a, b), ty)
            }
            2 => {
                let queue = self.containers_of(names, &|ty| matches!(ty, Ty::Ring(..) | Ty::List(..)))?;
                let (Ty::Ring(of, _) | Ty::List(of, _)) = queue.ty.clone() else { return None };
                (Fallible::Pop(queue), *of)
            }
            take => {
                let option = self.containers_of(names, &|ty| matches!(ty, Ty::Option(_)))?;
                let Ty::Option(of) = option.ty.clone() else { return None };
                (if take == 3 { Fallible::Take(option) } else { Fallible::Option(option) }, *of)
            }
        };
        let name = self.name("k");
        // A borrowed value does not change meanwhile.
        let mut inner = names.clone();
        if let Fallible::Option(place) = &what {
            inner.fixed.push(place.root.clone());
        }
        if matches!(what, Fallible::Option(_)) || self.percent(60) {
            let (some, none) = (self.known_block_with(&inner, &name, ty, here), self.known_block(names, here));
            return Some(Statement::IfLet(name, what, some, none));
        }
        let body = self.known_block(names, Here { depth: 0, ..here });
        names.add(&name, ty, false, false);
        Some(Statement::LetElse(name, what, body, if here.in_loop { "break;" } else { "return;" }))
    }

    fn known_loop(&mut self, names: &Names, here: Here) -> Option<Statement> {
        let (name, here) = (self.name("i"), Here { in_loop: true, ..here });
        if self.percent(25) {
            let (condition, bound) = (self.exact(names, &Ty::Bool, 2), 1 + self.below(5) as i128);
            return Some(Statement::While(condition, bound, self.known_block(names, here)));
        }
        if self.percent(60) {
            let high = 1 + self.below(5);
            let body = self.known_block_with(names, &name, Ty::Range(high as u64), here);
            return Some(Statement::Count(name, 0, high as i128, body));
        }
        let queue = self.containers_of(names, &|ty| matches!(ty, Ty::Ring(..) | Ty::List(..)))?;
        let (Ty::Ring(of, _) | Ty::List(of, _)) = queue.ty.clone() else { return None };
        let mut inner = names.clone();
        inner.fixed.push(queue.root.clone());
        let body = self.known_block_with(&inner, &name, *of, here);
        Some(match self.percent(50) {
            true => Statement::WhilePop(name, queue, body),
            false => Statement::Each(name, true, queue, body),
        })
    }

    fn known_walk(&mut self, names: &Names, here: Here) -> Option<Statement> {
        let walked = |ty: &Ty| matches!(ty, Ty::Ring(..) | Ty::List(..) | Ty::Bits(_) | Ty::Array(..));
        let place = self.containers_of(names, &walked)?;
        let entry = match place.ty.clone() {
            Ty::Bits(n) => Ty::Range(u64::from(n)),
            Ty::Ring(of, _) | Ty::List(of, _) | Ty::Array(of, _) => *of,
            _ => return None,
        };
        let mut inner = names.clone();
        inner.fixed.push(place.root.clone());
        let name = self.name("e");
        let body = self.known_block_with(&inner, &name, entry, Here { in_loop: true, ..here });
        Some(Statement::Each(name, false, place, body))
    }
}
