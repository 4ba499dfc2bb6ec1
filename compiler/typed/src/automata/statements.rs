//! Bodies of actions, which change the state.

use nacre_specification::{Binary, Expr, Operation, Place, Root, Statement, Step};
use nacre_syntax::ast::{self, AssignOp, ExprKind, StatementKind};

use super::expressions::boxed;
use super::inferred::Ty;
use super::Typer;

impl Typer<'_> {
    pub(super) fn block(&mut self, block: &ast::Block) -> Vec<Statement> {
        self.scoped(|typer| block.statements.iter().flat_map(|s| typer.statement(s).unwrap_or_default()).collect())
    }

    fn statement(&mut self, statement: &ast::Statement) -> Option<Vec<Statement>> {
        match &statement.kind {
            StatementKind::Let { pattern, value, otherwise: None } => self.let_(pattern, value),
            StatementKind::Var { name, ty, value } => self.var(name, ty.as_ref(), value.as_ref()),
            StatementKind::Assign { place, op, value, otherwise: None } => self.assign(place, *op, value).map(one),
            StatementKind::Expr { value, otherwise: None } => self.change(value).map(one),
            StatementKind::If(branch) => self.branch(branch).map(one),
            StatementKind::For { pattern, over, drain: false, bound: None, body } => {
                let (over, element) = self.container(over)?;
                self.scoped(|typer| {
                    let pattern = typer.as_expression(pattern)?;
                    let pattern = typer.fresh_pattern(&pattern, &element)?;
                    Some(one(Statement::For(pattern, over, typer.block(body))))
                })
            }
            _ => {
                let help =
                    "a body consists of `let`, `var`, assignments, changes of containers (append, add, remove, pop, \
                        insert, clear), `if` and `for x in container`; none of them can fail";
                self.error("T0141", "this is not allowed in an automaton", statement.span, "", help)
            }
        }
    }

    fn let_(&mut self, pattern: &ast::Pattern, value: &ast::Expr) -> Option<Vec<Statement>> {
        let (value, ty) = self.expr(value)?;
        let pattern = self.as_expression(pattern)?;
        let mut statements = Vec::new();
        self.take_apart(&pattern, value, &ty, &mut statements)?;
        Some(statements)
    }

    /// Each name of a `let`.
    fn take_apart(&mut self, pattern: &ast::Expr, value: Expr, ty: &Ty, out: &mut Vec<Statement>) -> Option<()> {
        match &pattern.kind {
            ExprKind::Tuple(parts) => {
                let types: Vec<Ty> = parts.iter().map(|_| self.fresh()).collect();
                if !self.unify(&Ty::Tuple(types.clone()), ty) {
                    let words = format!("this pattern has {} parts, but the value is {}", parts.len(), self.show(ty));
                    return self.error("T0137", words, pattern.span, "does not fit", "");
                }
                for (at, (part, ty)) in parts.iter().zip(&types).enumerate() {
                    self.take_apart(part, Expr::Part(Box::new(value.clone()), at), ty, out)?;
                }
            }
            ExprKind::Name(name) if name != "_" => {
                let n = self.local(name);
                self.locals[n].ty = ty.clone();
                out.push(Statement::Let(n, value));
            }
            _ => {}
        }
        Some(())
    }

    fn var(&mut self, name: &ast::Ident, ty: Option<&ast::Type>, value: Option<&ast::Expr>) -> Option<Vec<Statement>> {
        let declared = match ty {
            Some(ty) => Some(self.resolve(ty)?),
            None => None,
        };
        let (value, ty) = match (value, declared) {
            (Some(value), Some(ty)) => (self.wanted(value, &ty)?, ty),
            (Some(value), None) => self.expr(value)?,
            (None, Some(ty)) => (Expr::Zero(self.settled(&ty)), ty),
            (None, None) => {
                let help = "write `var x: nat;` or `var x = 0;`";
                return self.error("T0145", "the type of this is not known here", name.span, "", help);
            }
        };
        let n = self.local(&name.name);
        self.locals[n].ty = ty;
        self.locals[n].variable = true;
        Some(vec![Statement::Let(n, value)])
    }

    fn branch(&mut self, branch: &ast::If) -> Option<Statement> {
        let condition = match &branch.condition.kind {
            ast::ConditionKind::Expr(condition) => self.condition(condition),
            ast::ConditionKind::Let { .. } => {
                let help = "test `.empty` or `in` first";
                self.error("T0141", "`if let` is not allowed in an automaton", branch.condition.span, "", help)
            }
        };
        let then = self.block(&branch.then);
        let otherwise = match &branch.otherwise {
            None => Vec::new(),
            Some(ast::Else::Block(block)) => self.block(block),
            Some(ast::Else::If(inner)) => self.statement(inner).unwrap_or_default(),
        };
        Some(Statement::If(condition?, then, otherwise))
    }

    // ---- changes

    fn assign(&mut self, target: &ast::Expr, op: AssignOp, value: &ast::Expr) -> Option<Statement> {
        let (place, ty) = self.place(target)?;
        let of = self.known(&ty);
        let added = match (op, &of) {
            (AssignOp::Add, Ty::Set(of) | Ty::Bag(of)) => Some((Operation::Add, of)),
            (AssignOp::Sub, Ty::Set(of) | Ty::Bag(of)) => Some((Operation::Remove, of)),
            _ => None,
        };
        if let Some((operation, element)) = added {
            let value = self.wanted(value, element)?;
            return Some(Statement::Do(operation, place, vec![value]));
        }
        let combined = match op {
            AssignOp::Set => None,
            AssignOp::Add => Some(Binary::Add),
            AssignOp::Sub => Some(Binary::Sub),
            AssignOp::Mul => Some(Binary::Mul),
            AssignOp::Or | AssignOp::And => {
                let help = "write `x = x || y`";
                return self.error(
                    "T0141",
                    "this is not allowed in an automaton",
                    target.span,
                    "a bitwise assignment",
                    help,
                );
            }
        };
        let value = match combined {
            None => self.wanted(value, &ty)?,
            Some(op) => {
                let before = self.wanted(target, &Ty::Nat)?;
                boxed(op, before, self.wanted(value, &Ty::Nat)?)
            }
        };
        // A key that is not in the map is no place.
        let mut place = place;
        if self.in_map(target)? {
            if let Some(Step::Index(key)) = place.path.pop() {
                return Some(Statement::Do(Operation::Insert, place, vec![key, value]));
            }
        }
        Some(Statement::Assign(place, value))
    }

    fn in_map(&mut self, target: &ast::Expr) -> Option<bool> {
        let ExprKind::Index(base, _) = &target.kind else { return Some(false) };
        let (_, ty) = self.expr(base)?;
        Some(matches!(self.known(&ty), Ty::Map(..)))
    }

    fn place(&mut self, e: &ast::Expr) -> Option<(Place, Ty)> {
        match &e.kind {
            ExprKind::Name(name) => {
                if let Some(n) = self.changeable(name) {
                    return Some((Place { root: Root::Local(n), path: vec![] }, self.locals[n].ty.clone()));
                }
                match self.name(name, e.span)? {
                    (Expr::State(n), ty) => Some((Place { root: Root::State(n), path: vec![] }, ty)),
                    _ => {
                        let help = "only the state and locals declared with `var` can be assigned";
                        self.error("T0146", format!("`{name}` cannot be changed"), e.span, "not in the state", help)
                    }
                }
            }
            ExprKind::Index(base, index) => {
                let (mut place, ty) = self.place(base)?;
                let (index, element) = self.index_into(&ty, index, base.span)?;
                place.path.push(Step::Index(index));
                Some((place, element))
            }
            _ => {
                let help = "only fields of the state and their elements can be changed";
                self.error("T0146", "this cannot be changed", e.span, "not a place", help)
            }
        }
    }

    /// `sent[p].append(m);`
    fn change(&mut self, call: &ast::Expr) -> Option<Statement> {
        let ExprKind::Call(function, arguments) = &call.kind else {
            return self.error("T0141", "this value is not used", call.span, "", "a statement must have an effect");
        };
        let ExprKind::Field(base, name) = &function.kind else {
            let help =
                "a body changes the state; definitions and `peer`, `min`, `max`, `all`, `any` only return values";
            return self.error("T0141", "this call has no effect", call.span, "", help);
        };
        let (place, ty) = self.place(base)?;
        let ty = self.known(&ty);
        let (operation, wanted): (Operation, Vec<Ty>) = match (name.name.as_str(), &ty) {
            ("append", Ty::Seq(of)) => (Operation::Append, vec![(**of).clone()]),
            ("add", Ty::Bag(of) | Ty::Set(of)) => (Operation::Add, vec![(**of).clone()]),
            ("remove", Ty::Bag(of) | Ty::Set(of) | Ty::Seq(of) | Ty::Map(of, _)) => {
                (Operation::Remove, vec![(**of).clone()])
            }
            ("pop", Ty::Seq(_)) => (Operation::Pop, vec![]),
            ("insert", Ty::Map(key, of)) => (Operation::Insert, vec![(**key).clone(), (**of).clone()]),
            ("clear", Ty::Seq(_) | Ty::Bag(_) | Ty::Set(_) | Ty::Map(..)) => (Operation::Clear, vec![]),
            _ => return self.no_operation(&ty, name),
        };
        if arguments.len() != wanted.len() {
            return self.arity(&name.name, wanted.len(), arguments.len(), call.span);
        }
        let arguments: Vec<_> = arguments.iter().zip(&wanted).map(|(a, ty)| self.wanted(&a.value, ty)).collect();
        Some(Statement::Do(operation, place, arguments.into_iter().collect::<Option<_>>()?))
    }
}

fn one(statement: Statement) -> Vec<Statement> {
    vec![statement]
}
