//! Visits code: statements and their parts, in order of evaluation.

use super::code::{
    Block, Condition, ConditionKind, Each, Expr, ExprKind, Otherwise, OtherwiseKind, Over, Partial, Statement,
    StatementKind,
};

/// A node of code.
#[derive(Clone, Copy, Debug)]
pub enum Node<'t> {
    Statement(&'t Statement),
    Expr(&'t Expr),
    Partial(&'t Partial),
    Otherwise(&'t Otherwise),
}

impl Block {
    /// Visits each node of a block, before its parts.
    pub fn visit<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        for statement in &self.statements {
            see(Node::Statement(statement));
            statement.inside(see);
        }
    }
}

impl Expr {
    /// Visits each node of an expression, before its parts.
    pub fn visit<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        see(Node::Expr(self));
        if let ExprKind::Try(partial, otherwise) = &self.kind {
            partial.visit(see);
            return otherwise.visit(see);
        }
        self.children().into_iter().for_each(|x| x.visit(see));
    }
}

impl Partial {
    fn visit<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        see(Node::Partial(self));
        self.children().into_iter().for_each(|x| x.visit(see));
    }
}

impl Otherwise {
    fn visit<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        see(Node::Otherwise(self));
        match &self.kind {
            OtherwiseKind::Block(block) => block.visit(see),
            OtherwiseKind::Return(value) => value.iter().for_each(|x| x.visit(see)),
            OtherwiseKind::Break | OtherwiseKind::Reject | OtherwiseKind::Unreachable { .. } => {}
            OtherwiseKind::Error => {}
        }
    }
}

impl Condition {
    fn visit<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        match &self.kind {
            ConditionKind::Test(x) => x.visit(see),
            ConditionKind::Let { value, .. } | ConditionKind::Entry { value, .. } => value.visit(see),
            ConditionKind::Present { option, .. } => option.indices().into_iter().for_each(|x| x.visit(see)),
        }
        self.and.iter().for_each(|x| x.visit(see));
    }
}

impl Each {
    fn visit<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        let evaluated = match &self.over {
            Over::Place(place) => place.indices(),
            Over::UpTo(place, to) => place.indices().into_iter().chain([to]).collect(),
            Over::Between(place, both) | Over::Delivered(place, both) => {
                place.indices().into_iter().chain(both.iter()).collect()
            }
            Over::Value(value) => vec![value],
        };
        evaluated.into_iter().for_each(|x| x.visit(see));
        self.body.visit(see);
    }
}

impl Statement {
    fn inside<'t>(&'t self, see: &mut dyn FnMut(Node<'t>)) {
        use StatementKind as K;
        match &self.kind {
            K::Error { parts, blocks } => {
                parts.iter().for_each(|x| x.visit(see));
                blocks.iter().for_each(|block| block.visit(see));
            }
            K::Ref(_) | K::Count(_) | K::Break | K::Reject => {}
            K::Let { value, .. } | K::Var { value, .. } | K::Set { value, .. } => value.visit(see),
            K::Evaluate(x) | K::Assert(x, _) | K::Yield(x) => x.visit(see),
            K::TryRef { value, otherwise, .. } | K::Attempt { value, otherwise } => {
                value.visit(see);
                otherwise.visit(see);
            }
            K::Store { place, value } => {
                value.visit(see);
                place.indices().into_iter().for_each(|x| x.visit(see));
            }
            K::Emit { arguments, .. } => arguments.iter().for_each(|x| x.visit(see)),
            K::Pass { message: value, .. } | K::Return(value) => value.iter().for_each(|x| x.visit(see)),
            K::Drop { what, .. } => what.indices().into_iter().for_each(|x| x.visit(see)),
            K::Arm { timer, delay, .. } => {
                timer.indices().into_iter().chain([delay]).for_each(|x| x.visit(see));
            }
            K::Cancel(timer) => timer.indices().into_iter().for_each(|x| x.visit(see)),
            K::If(branch) => {
                branch.condition.visit(see);
                branch.then.visit(see);
                branch.otherwise.visit(see);
            }
            K::Match { value, arms, .. } => {
                value.visit(see);
                for arm in arms {
                    arm.value.iter().for_each(|x| x.visit(see));
                    arm.body.visit(see);
                }
            }
            K::While { condition, body, .. } => {
                condition.visit(see);
                body.visit(see);
            }
            K::For { from, to, body, .. } => {
                [from, to].into_iter().for_each(|x| x.visit(see));
                body.visit(see);
            }
            K::Each(each) => each.visit(see),
        }
    }
}
