//! Inference of the types of automata.

use nacre_diagnostics::nearest;
use nacre_specification as spec;
use nacre_syntax::ast::{self, Item, TypeArgument, TypeKind};

use super::inferred::{plain, Ty};
use super::Typer;

const KNOWN: &[&str] =
    &["bool", "nat", "rank", "msg", "seq", "bag", "set", "map", "members", "duration", "addr", "endpoint", "instant"];

impl Typer<'_> {
    pub(super) fn fresh(&mut self) -> Ty {
        self.variables.push(None);
        Ty::Var(self.variables.len() - 1)
    }

    /// The outermost constructor of a type, as far as known.
    pub(super) fn known(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Var(n) => match &self.variables[*n] {
                Some(ty) => self.known(ty),
                None => ty.clone(),
            },
            ty => ty.clone(),
        }
    }

    /// Unifies two types. Ranks are numbers.
    pub(super) fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        match (self.known(a), self.known(b)) {
            (Ty::Var(x), Ty::Var(y)) if x == y => true,
            (Ty::Var(x), other) | (other, Ty::Var(x)) => {
                if self.mentions(&other, x) {
                    return false;
                }
                self.variables[x] = Some(other);
                true
            }
            (Ty::Nat | Ty::Rank, Ty::Nat | Ty::Rank) | (Ty::Bool, Ty::Bool) | (Ty::Msg, Ty::Msg) => true,
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.unify(a, b)),
            (Ty::Per(a), Ty::Per(b))
            | (Ty::Seq(a), Ty::Seq(b))
            | (Ty::Bag(a), Ty::Bag(b))
            | (Ty::Set(a), Ty::Set(b)) => self.unify(&a, &b),
            (Ty::Map(k, v), Ty::Map(l, w)) => self.unify(&k, &l) && self.unify(&v, &w),
            _ => false,
        }
    }

    fn mentions(&self, ty: &Ty, variable: usize) -> bool {
        match self.known(ty) {
            Ty::Var(n) => n == variable,
            Ty::Tuple(types) => types.iter().any(|t| self.mentions(t, variable)),
            Ty::Per(t) | Ty::Seq(t) | Ty::Bag(t) | Ty::Set(t) => self.mentions(&t, variable),
            Ty::Map(k, v) => self.mentions(&k, variable) || self.mentions(&v, variable),
            Ty::Bool | Ty::Nat | Ty::Rank | Ty::Msg => false,
        }
    }

    /// The inferred type; an undecided one is a number.
    pub(super) fn settled(&self, ty: &Ty) -> spec::Type {
        let inner = |t: &Ty| Box::new(self.settled(t));
        match self.known(ty) {
            Ty::Var(_) | Ty::Nat => spec::Type::Nat,
            Ty::Bool => spec::Type::Bool,
            Ty::Rank => spec::Type::Rank,
            Ty::Msg => spec::Type::Msg,
            Ty::Tuple(types) => spec::Type::Tuple(types.iter().map(|t| self.settled(t)).collect()),
            Ty::Per(t) => spec::Type::Per(inner(&t)),
            Ty::Seq(t) => spec::Type::Seq(inner(&t)),
            Ty::Bag(t) => spec::Type::Bag(inner(&t)),
            Ty::Set(t) => spec::Type::Set(inner(&t)),
            Ty::Map(k, v) => spec::Type::Map(inner(&k), inner(&v)),
        }
    }

    /// How a type is written.
    pub(super) fn show(&self, ty: &Ty) -> String {
        match self.known(ty) {
            Ty::Var(_) => "_".into(),
            Ty::Bool => "bool".into(),
            Ty::Nat => "nat".into(),
            Ty::Rank => "rank".into(),
            Ty::Msg => "msg".into(),
            Ty::Tuple(types) => format!("({})", types.iter().map(|t| self.show(t)).collect::<Vec<_>>().join(", ")),
            Ty::Per(t) => format!("{} per member", self.show(&t)),
            Ty::Seq(t) => format!("seq<{}>", self.show(&t)),
            Ty::Bag(t) => format!("bag<{}>", self.show(&t)),
            Ty::Set(t) => format!("set<{}>", self.show(&t)),
            Ty::Map(k, v) => format!("map<{}, {}>", self.show(&k), self.show(&v)),
        }
    }

    /// A type as written in the state of an automaton.
    pub(super) fn resolve(&mut self, ty: &ast::Type) -> Option<Ty> {
        match &ty.kind {
            TypeKind::Name(name, arguments) => self.resolve_name(name, arguments),
            TypeKind::Tuple(types) => {
                let types: Vec<_> = types.iter().map(|t| self.resolve(t)).collect();
                Some(Ty::Tuple(types.into_iter().collect::<Option<_>>()?))
            }
            TypeKind::PerMember(of) => Some(Ty::Per(Box::new(self.resolve(of)?))),
            TypeKind::Range(..) => Some(Ty::Nat),
            TypeKind::Option(_) => {
                let help = "use a set or a sequence, which can be empty";
                self.error("T0132", "automata have no optional values", ty.span, "not allowed here", help)
            }
            TypeKind::Per(..) => {
                let help = "use `per member`, a sequence or a map";
                self.error("T0132", "the only arrays of automata are `per member`", ty.span, "not allowed here", help)
            }
        }
    }

    fn resolve_name(&mut self, name: &ast::Ident, arguments: &[TypeArgument]) -> Option<Ty> {
        let plain = match plain(&name.name) {
            Some(plain) => Some(plain),
            None => matches!(self.program.find(&name.name, name.span).map(|n| n.item), Some(Item::Enum(_)))
                .then_some(Ty::Nat),
        };
        if let Some(plain) = plain {
            return Some(plain);
        }
        let wanted = match name.name.as_str() {
            "seq" | "bag" | "set" => 1,
            "map" => 2,
            n => {
                let help = match nearest(n, KNOWN) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "types are bool, nat, rank, msg, tuples, seq<T>, bag<T>, set<T>, map<K, V> and `T per member`"
                            .into()
                    }
                };
                let words = format!("automata have no type `{n}`");
                return self.error("T0132", words, name.span, "not a type here", help);
            }
        };
        if arguments.len() != wanted {
            let form = if wanted == 1 { format!("{}<T>", name.name) } else { "map<K, V>".into() };
            let words = format!("`{}` takes {wanted} type{}", name.name, if wanted == 1 { "" } else { "s" });
            let help = format!("its form is {form}; containers of automata have no capacity");
            return self.error("T0132", words, name.span, "", help);
        }
        let inner: Vec<Option<Ty>> = arguments.iter().map(|a| self.resolve_argument(a)).collect();
        let mut inner = inner.into_iter().collect::<Option<Vec<_>>>()?.into_iter().map(Box::new);
        let first = inner.next()?;
        Some(match name.name.as_str() {
            "seq" => Ty::Seq(first),
            "bag" => Ty::Bag(first),
            "set" => Ty::Set(first),
            _ => Ty::Map(first, inner.next()?),
        })
    }

    fn resolve_argument(&mut self, argument: &TypeArgument) -> Option<Ty> {
        match argument {
            TypeArgument::Type(ty) => self.resolve(ty),
            TypeArgument::Expr(e) => {
                let help = "containers of automata have no capacity: bounds belong to configurations";
                self.error("T0132", "this is not a type", e.span, "", help)
            }
        }
    }

    /// The type of an event's parameter in an automaton; none: automata cannot use it.
    pub(super) fn of_event(&self, ty: &ast::Type, type_parameters: &[ast::Ident]) -> Option<Ty> {
        Some(match &ty.kind {
            // Who it is, not what its address looks like.
            TypeKind::Name(name, _) if type_parameters.iter().any(|p| p.name == name.name) => Ty::Rank,
            TypeKind::Name(name, _) => {
                match (plain(&name.name), self.program.find(&name.name, name.span).map(|n| n.item)) {
                    (Some(plain), _) => plain,
                    (None, Some(Item::Enum(_))) => Ty::Nat,
                    _ if matches!(name.name.as_str(), "bytes" | "text") => Ty::Msg,
                    _ if name.name == "bits" => Ty::Set(Box::new(Ty::Nat)),
                    _ => return None,
                }
            }
            TypeKind::Range(..) => Ty::Nat,
            TypeKind::Tuple(types) => {
                Ty::Tuple(types.iter().map(|t| self.of_event(t, type_parameters)).collect::<Option<_>>()?)
            }
            TypeKind::PerMember(of) => Ty::Per(Box::new(self.of_event(of, type_parameters)?)),
            // Empty, or with one entry.
            TypeKind::Option(of) => Ty::Seq(Box::new(self.of_event(of, type_parameters)?)),
            TypeKind::Per(..) => return None,
        })
    }
}
