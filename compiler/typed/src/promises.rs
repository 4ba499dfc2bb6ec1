//! What a layer says of itself: goals, and the names of what it provides, requires and breaks.

use nacre_diagnostics::nearest;
use nacre_stack::Type;
use nacre_syntax::ast::{self, BinaryOp, ExprKind, Item};

use crate::checker::Checker;

impl Checker<'_> {
    /// `goal at_rest = sent.empty;`, over the layer's cells as an invariant is.
    pub(crate) fn goal(&mut self, goal: &ast::Goal) {
        if self.tree.goals.iter().any(|(name, _)| *name == goal.name.name) {
            let words = format!("`{}` is declared twice in this layer", goal.name.name);
            self.error("T0022", words, goal.name.span, "again here", "");
        }
        // What excuses it fulfils it: the cells know of no environment.
        let condition = match &goal.unless {
            None => goal.condition.clone(),
            Some(unless) => {
                let either = ExprKind::Binary(BinaryOp::Or, Box::new(goal.condition.clone()), Box::new(unless.clone()));
                ast::Expr { kind: either, span: goal.condition.span }
            }
        };
        if let Some(holds) = self.pure(&condition, &Type::Bool, &[]) {
            self.tree.goals.push((goal.name.name.clone(), holds));
        }
    }

    /// The names of automata and properties. They mean the same through whichever import they are known.
    pub(crate) fn promised(&mut self, names: &[ast::Ident]) -> Vec<String> {
        self.promised_with(names).0
    }

    /// The same, and what their automata extend but may not refine.
    pub(crate) fn promised_with(&mut self, names: &[ast::Ident]) -> (Vec<String>, Vec<String>) {
        let mut widened = vec![];
        self.once(names.iter());
        for name in names {
            match self.program.find(&name.name, name.span).map(|n| n.item) {
                Some(Item::Automaton(automaton)) => {
                    let (refined, others) = self.program.extended(automaton);
                    widened.extend(others);
                    self.tree.extends.push((plain(name), refined));
                }
                Some(Item::Property(_)) => {}
                _ => self.unknown_promise(name),
            }
        }
        let names: Vec<String> = names.iter().map(plain).collect();
        widened.retain(|name| !names.contains(name));
        (names, widened)
    }

    fn unknown_promise(&mut self, name: &ast::Ident) {
        let known = self.program.known(&name.name, name.span, is_promise);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = match nearest(&name.name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "declare it (`automaton name { ... }`, or `property name;` for an unchecked guarantee), or import the \
                file that does"
                    .into()
            }
        };
        let words = format!("there is no automaton and no property `{}`", name.name);
        self.error("T0148", words, name.span, "not declared", help);
    }
}

/// The word, without the import through which it is known.
fn plain(name: &ast::Ident) -> String {
    name.name.rsplit('.').next().unwrap_or_default().into()
}

fn is_promise(item: &Item) -> bool {
    matches!(item, Item::Automaton(_) | Item::Property(_))
}
