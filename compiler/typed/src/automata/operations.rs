//! Calls in automata: built-in functions and definitions.

use nacre_diagnostics::{nearest, Span};
use nacre_specification::forger::Forgery;
use nacre_specification::{Binary, Expr, Unary};
use nacre_syntax::ast::{self, BinaryOp, ExprKind};

use super::expressions::boxed;
use super::inferred::Ty;
use super::limits::size;
use super::{Binding, Typer};

const FUNCTIONS: &[&str] =
    &["peer", "all", "any", "min", "max", "upto", "damaged", "foreign", "distant", "altered", "forged"];

impl<'p> Typer<'p> {
    pub(super) fn call(
        &mut self,
        whole: &ast::Expr,
        function: &ast::Expr,
        arguments: &[ast::Argument],
    ) -> Option<(Expr, Ty)> {
        if let Some(by_ref) = arguments.iter().find(|a| a.by_ref) {
            let help = "remove `ref`: definitions of an automaton are values";
            return self.error("T0140", "nothing is passed by reference in an automaton", by_ref.value.span, "", help);
        }
        let arguments: Vec<&ast::Expr> = arguments.iter().map(|a| &a.value).collect();
        match &function.kind {
            ExprKind::Field(base, name) => self.query(base, name, &arguments, whole.span),
            ExprKind::Name(name) => match self.definitions.get(name).copied() {
                Some(definition) => self.defined(definition, &arguments, whole.span),
                None => self.built_in(name, function.span, &arguments, whole.span),
            },
            _ => self.error("T0140", "this cannot be called", function.span, "", ""),
        }
    }

    /// `c.count(x)`, `c.position(x)`
    fn query(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        arguments: &[&ast::Expr],
        span: Span,
    ) -> Option<(Expr, Ty)> {
        let op = match name.name.as_str() {
            "count" => Binary::Count,
            "position" => Binary::Position,
            "append" | "add" | "remove" | "pop" | "insert" | "clear" => {
                let words = format!("`{}` has an effect and cannot be used as a value", name.name);
                let help = "write changes as separate statements in the body of an action";
                return self.error("T0140", words, span, "", help);
            }
            _ => {
                let (_, ty) = self.expr(base)?;
                return self.no_operation(&ty, name);
            }
        };
        let (container, ty) = self.expr(base)?;
        let of = match (op, self.known(&ty)) {
            (_, Ty::Seq(of)) | (Binary::Count, Ty::Bag(of)) => of,
            _ => return self.no_operation(&ty, name),
        };
        let [argument] = arguments else { return self.arity(&name.name, 1, arguments.len(), span) };
        let argument = self.wanted(argument, &of)?;
        Some((boxed(op, container, argument), Ty::Nat))
    }

    pub(super) fn arity<T>(&mut self, name: &str, wanted: usize, given: usize, span: Span) -> Option<T> {
        let many = if wanted == 1 { "argument" } else { "arguments" };
        self.error("T0143", format!("`{name}` takes {wanted} {many}, not {given}"), span, "", "")
    }

    fn built_in(&mut self, name: &str, at: Span, arguments: &[&ast::Expr], span: Span) -> Option<(Expr, Ty)> {
        match (name, arguments) {
            ("peer", [of]) => Some((Expr::Peer(Box::new(self.wanted(of, &Ty::Rank)?)), Ty::Rank)),
            ("min" | "max", [a, b]) => {
                let op = if name == "min" { Binary::Min } else { Binary::Max };
                let (a, b) = (self.wanted(a, &Ty::Nat), self.wanted(b, &Ty::Nat));
                Some((boxed(op, a?, b?), Ty::Nat))
            }
            ("upto", [most]) => {
                let most = self.wanted(most, &Ty::Nat)?;
                Some((Expr::Unary(Unary::Upto, Box::new(most)), Ty::Set(Box::new(Ty::Nat))))
            }
            ("damaged", [m]) => self.messages_near(Unary::Damaged, m),
            ("foreign", [m]) => self.messages_near(Unary::Forged(Forgery::Foreign), m),
            ("distant", [m]) => self.messages_near(Unary::Forged(Forgery::Distant), m),
            ("altered", [m]) => self.messages_near(Unary::Forged(Forgery::Altered), m),
            ("forged", [m]) => self.messages_near(Unary::Forged(Forgery::Forged), m),
            ("all" | "any", [range, holds]) => self.quantified(name == "all", range, holds),
            ("peer" | "upto" | "damaged" | "foreign" | "distant" | "altered" | "forged", _) => {
                self.arity(name, 1, arguments.len(), span)
            }
            ("min" | "max" | "all" | "any", _) => self.arity(name, 2, arguments.len(), span),
            _ => {
                let mut known: Vec<&str> =
                    self.definitions.keys().map(String::as_str).chain(FUNCTIONS.iter().copied()).collect();
                known.sort_unstable();
                let help = match nearest(name, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the functions are the definitions of the automaton, and {}", FUNCTIONS.join(", ")),
                };
                self.error("T0136", format!("there is no function `{name}`"), at, "not known", help)
            }
        }
    }

    /// A set of messages that differ from one.
    fn messages_near(&mut self, op: Unary, m: &ast::Expr) -> Option<(Expr, Ty)> {
        let m = self.wanted(m, &Ty::Msg)?;
        Some((Expr::Unary(op, Box::new(m)), Ty::Set(Box::new(Ty::Msg))))
    }

    /// `all(x in c, condition)`
    fn quantified(&mut self, every: bool, range: &ast::Expr, holds: &ast::Expr) -> Option<(Expr, Ty)> {
        let ExprKind::Binary(BinaryOp::In, pattern, over) = &range.kind else {
            let help = "write, for example, all(x in waiting, x.len > 0)";
            return self.error("T0143", "this call has no container to iterate over", range.span, "no `in`", help);
        };
        let (over, element) = self.container(over)?;
        self.scoped(|typer| {
            let pattern = typer.fresh_pattern(pattern, &element);
            let holds = typer.condition(holds)?;
            let (pattern, over, holds) = (Box::new(pattern?), Box::new(over), Box::new(holds));
            let e = if every { Expr::Every(pattern, over, holds) } else { Expr::Some(pattern, over, holds) };
            Some((e, Ty::Bool))
        })
    }

    fn defined(&mut self, definition: &'p ast::Definition, arguments: &[&ast::Expr], span: Span) -> Option<(Expr, Ty)> {
        if arguments.len() != definition.parameters.len() {
            return self.arity(&definition.name.name, definition.parameters.len(), arguments.len(), span);
        }
        let arguments: Vec<_> = arguments.iter().map(|a| self.expr(a)).collect();
        self.expand(definition, arguments.into_iter().collect::<Option<_>>()?, span)
    }

    /// Expands a definition.
    pub(super) fn expand(
        &mut self,
        definition: &'p ast::Definition,
        arguments: Vec<(Expr, Ty)>,
        span: Span,
    ) -> Option<(Expr, Ty)> {
        let name = &definition.name.name;
        if self.expanding.contains(name) {
            let words = format!("the definition `{name}` calls itself");
            return self.error(
                "T0144",
                words,
                span,
                "again here",
                "definitions are expanded where they are used, so they cannot be recursive",
            );
        }
        self.put_in(1, span)?;
        self.expanding.push(name.clone());
        // It sees its parameters and the automaton, not the locals around the call.
        let outside = std::mem::take(&mut self.scopes);
        self.scopes.push(Default::default());
        for (parameter, (value, ty)) in definition.parameters.iter().zip(arguments) {
            let parts = size(&value);
            self.bind(&parameter.name, Binding::Value(value, ty, parts));
        }
        let result = self.expr(&definition.value);
        self.scopes = outside;
        self.expanding.pop();
        result
    }
}
