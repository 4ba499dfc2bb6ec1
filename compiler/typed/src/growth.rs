//! Compares the least number of bytes that a filter yields with its stated growth.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::FilterUnit;

use crate::tree::{
    Block, Each, Expr, ExprKind, Filter, Function, Otherwise, OtherwiseKind, Partial, Statement, StatementKind,
};

/// The lengths of input for which bytes are counted.
const LENGTHS: [u64; 7] = [0, 1, 2, 3, 4, 64, 1 << 20];

/// The report of a filter that always yields more than it states.
pub(crate) fn beyond_growth(filter: &Filter, name: Span) -> Option<Diagnostic> {
    let counter = Counter { functions: &filter.functions };
    let each = counter.whole(&filter.body).unwrap_or(0);
    let end = counter.whole(&filter.end).unwrap_or(0);
    let size = match filter.unit {
        FilterUnit::Byte => 1,
        FilterUnit::Word => 4,
    };
    let (num, den, add) = filter.grows;
    let stated = |read: u64| read + read * u64::from(num) / u64::from(den.max(1)) + u64::from(add);
    let made = |read: u64| each.saturating_mul(read.div_ceil(size)).saturating_add(end);
    let read = LENGTHS.into_iter().find(|read| made(*read) > stated(*read))?;
    let what = format!("`{}` yields more bytes than its `grows` allows", filter.name);
    let (made, stated) = (made(read), stated(read));
    let label = format!("it yields at least {made} bytes from {read}; its limit is {stated}");
    let help = "state the growth: `filter name grows n * 1 + 3`";
    let report = Diagnostic::error("T0164", what).at(name, label).help(help);
    let by = if end > u64::from(add) { filter.end.span } else { filter.body.span };
    Some(report.also(by, "yielded here"))
}

/// The least number of bytes yielded before each exit of some code; None: there is no such exit.
#[derive(Clone, Copy)]
struct Ways {
    /// Falls through.
    on: Option<u64>,
    /// By `break`.
    broken: Option<u64>,
    /// By `return`.
    returned: Option<u64>,
}

impl Ways {
    const NONE: Ways = Ways { on: None, broken: None, returned: None };

    fn on(bytes: Option<u64>) -> Ways {
        Ways { on: bytes, ..Ways::NONE }
    }

    /// Either of them.
    fn or(self, other: Ways) -> Ways {
        Ways {
            on: least(self.on, other.on),
            broken: least(self.broken, other.broken),
            returned: least(self.returned, other.returned),
        }
    }

    /// Both in sequence.
    fn then(self, next: Ways) -> Ways {
        let Some(so_far) = self.on else { return self };
        let after = |bytes: Option<u64>| bytes.map(|n| n.saturating_add(so_far));
        Ways { on: None, ..self }.or(Ways {
            on: after(next.on),
            broken: after(next.broken),
            returned: after(next.returned),
        })
    }
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

struct Counter<'t> {
    functions: &'t [Function],
}

impl Counter<'_> {
    /// The bytes of a whole body; None: it always rejects.
    fn whole(&self, block: &Block) -> Option<u64> {
        let ways = self.block(block);
        least(ways.on, ways.returned)
    }

    fn block(&self, block: &Block) -> Ways {
        block.statements.iter().fold(Ways::on(Some(0)), |so_far, statement| so_far.then(self.statement(statement)))
    }

    fn statement(&self, statement: &Statement) -> Ways {
        use StatementKind as K;
        match &statement.kind {
            K::Reject => Ways::NONE,
            K::Break => Ways { broken: Some(0), ..Ways::NONE },
            K::Return(value) => {
                let bytes = value.iter().map(|x| self.expr(x)).sum();
                Ways { returned: bytes, ..Ways::NONE }
            }
            K::Yield(x) => Ways::on(self.expr(x).map(|bytes| bytes.saturating_add(1))),
            K::Let { value, .. } | K::Var { value, .. } | K::Set { value, .. } | K::Store { value, .. } => {
                self.tried(value)
            }
            K::Evaluate(x) | K::Assert(x, _) => Ways::on(self.expr(x)),
            K::TryRef { value, otherwise, .. } | K::Attempt { value, otherwise } => {
                self.partial(value).then(Ways::on(Some(0)).or(self.otherwise(otherwise)))
            }
            K::If(branch) => self.block(&branch.then).or(self.block(&branch.otherwise)),
            K::Match { arms, exhaustive, .. } => {
                let rest = if *exhaustive { Ways::NONE } else { Ways::on(Some(0)) };
                arms.iter().fold(rest, |ways, arm| ways.or(self.block(&arm.body)))
            }
            K::While { body, .. } => self.turns(0, body),
            K::For { from, to, bound, body, .. } => {
                let turns = match (&from.kind, &to.kind) {
                    (ExprKind::Const(from), ExprKind::Const(to)) => to.saturating_sub(*from).min(u64::from(*bound)),
                    _ => 0,
                };
                self.turns(turns, body)
            }
            K::Each(each) => self.each(each),
            K::Error { .. } | K::Ref(_) | K::Emit { .. } | K::Pass { .. } | K::Drop { .. } => Ways::on(Some(0)),
            K::Arm { .. } | K::Cancel(_) | K::Count(_) => Ways::on(Some(0)),
        }
    }

    fn each(&self, each: &Each) -> Ways {
        self.turns(0, &each.body)
    }

    /// A loop of at least this many iterations, unless it is left.
    fn turns(&self, turns: u64, body: &Block) -> Ways {
        let once = self.block(body);
        let left = Ways { on: once.broken, broken: None, returned: once.returned };
        let all = match turns {
            0 => Some(0),
            _ => once.on.map(|bytes| bytes.saturating_mul(turns)),
        };
        left.or(Ways::on(all))
    }

    /// A value that may end the body by its `else`.
    fn tried(&self, e: &Expr) -> Ways {
        match &e.kind {
            ExprKind::Try(partial, otherwise) => {
                self.partial(partial).then(Ways::on(Some(0)).or(self.otherwise(otherwise)))
            }
            _ => Ways::on(self.expr(e)),
        }
    }

    fn partial(&self, partial: &Partial) -> Ways {
        Ways::on(partial.children().into_iter().map(|x| self.expr(x)).sum())
    }

    fn otherwise(&self, otherwise: &Otherwise) -> Ways {
        match &otherwise.kind {
            OtherwiseKind::Block(block) => self.block(block),
            OtherwiseKind::Break => Ways { broken: Some(0), ..Ways::NONE },
            OtherwiseKind::Reject => Ways::NONE,
            OtherwiseKind::Return(_) | OtherwiseKind::Unreachable { .. } | OtherwiseKind::Error => {
                Ways { returned: Some(0), ..Ways::NONE }
            }
        }
    }

    /// Bytes yielded by the functions that an expression calls; None: they always reject.
    fn expr(&self, e: &Expr) -> Option<u64> {
        use nacre_stack::BinaryOp::{Both, Either};
        match &e.kind {
            ExprKind::If(x) => {
                let either = least(self.expr(&x.then), self.expr(&x.otherwise))?;
                Some(self.expr(&x.condition)?.saturating_add(either))
            }
            ExprKind::Binary(Both | Either, left, _) => self.expr(left),
            kind => {
                let operands: Option<u64> = e.children().into_iter().map(|x| self.expr(x)).sum();
                let called = match kind {
                    ExprKind::CallOwn(function, _) => self.whole(&self.functions[*function as usize].body),
                    _ => Some(0),
                };
                Some(operands?.saturating_add(called?))
            }
        }
    }
}
