//! Recovery after an error: the typeable parts of a statement stay in the tree, and its further errors are reported,
//! unless they may follow from the first one.

use nacre_syntax::ast::{self, OtherwiseKind, StatementKind as Written};

use crate::body::{Binding, Body};
use crate::checker::Declared;
use crate::tree::{Expr, StatementKind};

/// Errors that do not depend on the context of an expression: unknown names, fields and functions, mismatched operands
/// and arguments.
const INDEPENDENT: &[&str] = &["T0033", "T0047", "T0051", "T0063", "T0068", "T0071", "T0073"];

impl Body<'_, '_> {
    /// The rest of a statement with a reported error. Its declarations and the messages that it consumes are unknown.
    pub fn recover(&mut self, s: &ast::Statement) -> StatementKind {
        self.flow.forget();
        let parts = self.all_salvaged(heads(&s.kind));
        if let (Some(OtherwiseKind::Block(block)), true) = (otherwise(&s.kind), self.kept.is_empty()) {
            let before = (self.flow.clone(), self.cx.found.len());
            let block = self.statements(block);
            self.flow = before.0;
            self.only_new(before.1, |_| true);
            self.kept.push(block);
        }
        match &s.kind {
            Written::Let { pattern, .. } => self.unknown_names(pattern),
            Written::Var { name, .. } | Written::Ref { name, .. } => self.bind(&name.name, Binding::Unknown),
            Written::Return(_) => self.flow.ended = true,
            _ => {}
        }
        StatementKind::Error { parts, blocks: std::mem::take(&mut self.kept) }
    }

    /// An expression, or those of its operands that can be typed alone.
    pub fn salvaged(&mut self, e: &ast::Expr) -> Expr {
        let before = self.cx.found.len();
        let value = self.expr(e, None);
        self.only_new(before, |code| INDEPENDENT.contains(&code));
        match value {
            Some(value) => value.expr,
            None => Expr::error(self.all_salvaged(operands(e)), e.span),
        }
    }

    /// Of several expressions, without the names of the layer's sides.
    fn all_salvaged(&mut self, all: Vec<&ast::Expr>) -> Vec<Expr> {
        let values: Vec<_> = all.into_iter().filter(|x| self.side(x).is_none()).collect();
        values.into_iter().map(|x| self.salvaged(x)).collect()
    }

    /// Whether a field may be missing because its declaration has an error: then the statement has one, too.
    pub fn is_unsound_field(&mut self, name: &str) -> bool {
        let is = self.cx.unsound.contains(&Declared::Field(name.into()));
        self.poisoned |= is;
        is
    }

    /// Withdraws reports about a statement that uses a name whose declaration has an error, except those that do not
    /// depend on it.
    pub fn forget_consequences(&mut self) {
        if std::mem::take(&mut self.poisoned) {
            self.only_new(self.reported, |code| INDEPENDENT.contains(&code));
        }
    }

    /// Continues with the blocks of a statement whose head has a reported error.
    pub fn recovered(&mut self) {
        self.forget_consequences();
        self.reported = self.cx.found.len();
        self.flow.forget();
    }

    /// Keeps, of the reports from an index on, those that are selected and new.
    fn only_new(&mut self, from: usize, wanted: impl Fn(&str) -> bool) {
        for report in self.cx.found.split_off(from) {
            if wanted(report.code) && !self.cx.found.contains(&report) {
                self.cx.found.push(report);
            }
        }
    }
}

/// The expressions of a statement without its blocks.
fn heads(kind: &Written) -> Vec<&ast::Expr> {
    match kind {
        Written::Let { value, .. } => vec![value],
        Written::Var { value, .. }
        | Written::Pass { value, .. }
        | Written::Return(value)
        | Written::Impossible(value) => value.iter().collect(),
        Written::Ref { place, .. } => vec![place],
        Written::Assign { place, value, .. } => vec![value, place],
        Written::Later(call) => operands(call),
        Written::Expr { value: e, .. } | Written::Drop(e) => vec![e],
        Written::Cancel(e) | Written::Assert(e, _) | Written::Yield(e) => vec![e],
        Written::Arm { timer, delay, .. } => vec![timer, delay],
        Written::Match { value, .. } => vec![value],
        Written::For { over, .. } => vec![over],
        Written::While { condition, .. } => tested(condition),
        Written::If(branch) => tested(&branch.condition),
        Written::Count(_) | Written::Break | Written::Reject => vec![],
    }
}

fn tested(condition: &ast::Condition) -> Vec<&ast::Expr> {
    match &condition.kind {
        ast::ConditionKind::Expr(e) => vec![e],
        ast::ConditionKind::Let { value, .. } => vec![value],
    }
}

fn otherwise(kind: &Written) -> Option<&OtherwiseKind> {
    let otherwise = match kind {
        Written::Let { otherwise, .. } | Written::Ref { otherwise, .. } | Written::Assign { otherwise, .. } => {
            otherwise
        }
        Written::Expr { otherwise, .. } | Written::Pass { otherwise, .. } => otherwise,
        _ => return None,
    };
    otherwise.as_ref().map(|otherwise| &otherwise.kind)
}

/// The operands of an expression that have a value: not the names of functions, sides or types.
fn operands(e: &ast::Expr) -> Vec<&ast::Expr> {
    use ast::ExprKind as K;
    let is_value = |x: &&ast::Expr| !matches!(x.kind, K::TypeName(_));
    match &e.kind {
        K::Call(f, arguments) => {
            let receiver = match &f.kind {
                K::Field(base, _) => Some(&**base),
                _ => None,
            };
            receiver.into_iter().chain(arguments.iter().map(|a| &a.value)).filter(is_value).collect()
        }
        _ => e.children().into_iter().filter(is_value).collect(),
    }
}
