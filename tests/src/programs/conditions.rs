//! Conditions: logic, comparisons, members of containers, and queries of containers and timers.

use super::generator::Generator;
use super::scope::Scope;
use super::tree::{tree, Node};
use super::types::Ty;

impl Generator {
    /// Returns a condition.
    pub fn condition(&mut self, scope: &Scope, depth: u32) -> Node {
        for _ in 0..4 {
            let node = match self.below(10) {
                0 | 1 => self.logic(scope, depth),
                2 => self.fixed(scope, &Ty::Bool, depth).map(|node| tree!["(!", node, ")"]),
                3 => self.member(scope, depth),
                4 => self.asked(scope),
                5 => self.compared(scope, depth, false),
                _ => self.compared(scope, depth, true),
            };
            if let Some(node) = node {
                return node;
            }
        }
        tree!["true"]
    }

    fn logic(&mut self, scope: &Scope, depth: u32) -> Option<Node> {
        let (left, right) = (self.wanted(scope, &Ty::Bool, depth), self.wanted(scope, &Ty::Bool, depth));
        Some(tree!["(", left, format!(" {} ", self.one(&["&&", "||"])), right, ")"])
    }

    fn compared(&mut self, scope: &Scope, depth: u32, numbers: bool) -> Option<Node> {
        let ty = match numbers {
            true if self.percent(80) => self.number(),
            true => self.one(&[Ty::Duration, Ty::Instant]).clone(),
            false => {
                let places = scope.places(self, |ty| ty.is_plain() && !matches!(ty, Ty::Text(_)));
                if places.is_empty() {
                    return None;
                }
                self.one(&places).ty.clone()
            }
        };
        let operators = if numbers { ["==", "!=", "<", "<=", ">", ">="].as_slice() } else { &["==", "!="] };
        if matches!(ty, Ty::Option(_)) && self.percent(50) {
            return Some(tree!["(", self.named(scope, &ty)?, format!(" {} none)", self.one(operators))]);
        }
        let operators = if matches!(ty, Ty::Bits(_)) { &["==", "!=", "<="] } else { operators };
        self.binary(scope, &ty, operators, depth)
    }

    fn member(&mut self, scope: &Scope, depth: u32) -> Option<Node> {
        let asks = |ty: &Ty| {
            matches!(ty, Ty::Bits(_) | Ty::Window(..) | Ty::Pool(..) | Ty::Map(..))
                || matches!(ty, Ty::Ring(of, _) | Ty::List(of, _) if of.is_plain())
        };
        let places = scope.places(self, asks);
        if places.is_empty() {
            return None;
        }
        let container = self.one(&places).clone();
        let key = match &container.ty {
            Ty::Bits(n) | Ty::Pool(_, n) => Ty::Range(u64::from(*n)),
            Ty::Window(_, _, bits) => Ty::Seq(*bits),
            Ty::Map(key, ..) => (**key).clone(),
            Ty::Ring(of, _) | Ty::List(of, _) => (**of).clone(),
            _ => return None,
        };
        // A set does not determine the type of its elements.
        let key = match container.ty {
            Ty::Bits(_) => self.fixed(scope, &key, depth).unwrap_or_else(|| tree!["0"]),
            _ => self.wanted(scope, &key, depth),
        };
        Some(tree!["(", key, format!(" in {})", container.path)])
    }

    fn asked(&mut self, scope: &Scope) -> Option<Node> {
        let places = scope.places(self, |ty| ty.is_countable() || *ty == Ty::Timer || ty.is_message_option());
        if places.is_empty() {
            return None;
        }
        let place = self.one(&places).clone();
        Some(match place.ty {
            Ty::Bits(_) if scope.effects && self.percent(30) => {
                let (value, what) = (self.fixed(scope, &place.ty, 0)?, *self.one(&["empty", "full"]));
                tree![format!("({} | ", place.path), value, format!(").{what}")]
            }
            Ty::Timer => tree![format!("{}.armed", place.path)],
            Ty::Option(_) => tree![format!("({} {} none)", place.path, self.one(&["==", "!="]))],
            _ => tree![format!("{}.{}", place.path, self.one(&["empty", "full"]))],
        })
    }
}

impl Ty {
    /// Whether it has `len`, `empty` and `full`.
    pub fn is_countable(&self) -> bool {
        matches!(self, Ty::Bits(_) | Ty::Ring(..) | Ty::List(..) | Ty::Window(..) | Ty::Pool(..) | Ty::Map(..))
    }

    /// `msg?`
    pub fn is_message_option(&self) -> bool {
        matches!(self, Ty::Option(of) if **of == Ty::Msg)
    }
}
