//! Finds expressions with steps of their own: statements that run before their statement.

use nacre_stack::{has_message, Struct, Type};

use super::code::{Argument, Dropped, Expr, ExprKind, Partial, PartialKind, Place, Step};

impl Expr {
    /// The operands of an expression, in order of evaluation, without those of an `else`.
    pub fn children(&self) -> Vec<&Expr> {
        use ExprKind as K;
        match &self.kind {
            K::Error(parts) => parts.iter().collect(),
            K::Const(_) | K::Literal(_) | K::Zero | K::Name(_) | K::None => vec![],
            K::Now | K::Fingerprint | K::Room | K::Empty => vec![],
            K::Load(place) | K::Borrow(place) | K::Take(place) => place.indices(),
            K::Unary(_, x) | K::Convert(x) | K::Some(x) | K::IsSome(x) | K::Unwrap(x) | K::Field(x, _) => vec![x],
            K::QueryValue(_, x) | K::BytesOf(x) | K::View(x) | K::Share(x) | K::Length(x) => vec![x],
            K::Pack(x) | K::PackView(x) | K::Random(x) | K::Unpack(x) => vec![x],
            K::Binary(_, l, r) | K::Exchanged(_, l, r) | K::Index(l, r) | K::From(l, r) | K::Rest(l, r) => vec![l, r],
            K::MulDiv(parts) => parts.iter().collect(),
            K::If(x) => vec![&x.condition, &x.then, &x.otherwise],
            K::Struct(fields) => fields.given.iter().map(|(_, x)| x).collect(),
            K::Push(x, _, fields) => [&**x].into_iter().chain(fields.given.iter().map(|(_, x)| x)).collect(),
            K::Tuple(xs) | K::Array(xs) | K::Bytes(xs) | K::Concat(xs) => xs.iter().collect(),
            K::Through(_, xs) | K::Filter(_, xs) | K::Extern(_, xs) | K::CallExtern(_, xs) => xs.iter().collect(),
            K::Query(_, place, xs) | K::Operate(_, place, xs) => place.indices().into_iter().chain(xs).collect(),
            K::Slice(x, numbers) => numbers.iter().chain([&**x]).collect(),
            K::Call(_, arguments) | K::CallOwn(_, arguments) => arguments.iter().flat_map(Argument::children).collect(),
            K::GetOr(place, both) => place.indices().into_iter().chain(both.iter()).collect(),
            K::Join(place, x) => place.indices().into_iter().chain([&**x]).collect(),
            K::Try(partial, _) => partial.children(),
        }
    }

    /// Whether it is lowered to statements before it, not only to an expression.
    pub fn has_steps(&self, structs: &[Struct]) -> bool {
        let own = match &self.kind {
            ExprKind::If(_) => has_message(structs, &self.ty),
            kind => is_step(kind),
        };
        own || self.children().iter().any(|x| x.has_steps(structs))
    }

    /// Whether its steps only draw random numbers and choose between values without messages.
    pub fn only_draws(&self, structs: &[Struct]) -> bool {
        let own = match &self.kind {
            ExprKind::Random(_) | ExprKind::QueryValue(..) => true,
            ExprKind::If(_) => !has_message(structs, &self.ty),
            kind => !is_step(kind),
        };
        own && self.children().iter().all(|x| x.only_draws(structs))
    }

    /// Whether its evaluation can be moved: the result is the same everywhere.
    pub fn is_fixed(&self) -> bool {
        matches!(self.kind, ExprKind::Const(_) | ExprKind::Zero | ExprKind::None)
    }
}

/// Whether an expression of this kind is itself a statement of the stack IR.
fn is_step(kind: &ExprKind) -> bool {
    use ExprKind as K;
    match kind {
        K::QueryValue(..) | K::Call(..) | K::CallOwn(..) | K::CallExtern(..) | K::Operate(..) => true,
        K::Take(_) | K::GetOr(..) | K::Random(_) | K::Filter(..) | K::Unpack(_) | K::Join(..) | K::Try(..) => true,
        K::Error(_) | K::Const(_) | K::Literal(_) | K::Zero | K::Name(_) | K::None => false,
        K::Now | K::Fingerprint | K::Room | K::Empty | K::Load(_) | K::Borrow(_) => false,
        K::Unary(..) | K::Binary(..) | K::Exchanged(..) | K::MulDiv(_) | K::Convert(_) | K::If(_) | K::Struct(_) => {
            false
        }
        K::Tuple(_) | K::Array(_) | K::Bytes(_) | K::Some(_) | K::IsSome(_) | K::Unwrap(_) => false,
        K::Field(..) | K::Index(..) | K::Query(..) | K::Concat(_) | K::From(..) | K::BytesOf(_) => false,
        K::View(_) | K::Through(..) | K::Extern(..) | K::Share(_) | K::Length(_) | K::Push(..) => false,
        K::Slice(..) | K::Rest(..) | K::Pack(_) | K::PackView(_) => false,
    }
}

impl Argument {
    fn children(&self) -> Vec<&Expr> {
        match self {
            Argument::Value(x) => vec![x],
            Argument::Reference(place) => place.indices(),
        }
    }
}

impl Partial {
    /// The expressions in it, in order of evaluation.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            PartialKind::Option(x) | PartialKind::Fit(x) | PartialKind::Bound(x, _) => vec![x],
            PartialKind::Divide(_, both) => both.iter().collect(),
            PartialKind::MulDiv(parts) => parts.iter().collect(),
            PartialKind::Operate(_, place, xs) => place.indices().into_iter().chain(xs).collect(),
            PartialKind::At(place, x) => place.indices().into_iter().chain([&**x]).collect(),
        }
    }
}

impl Partial {
    /// The entry of a container that it gives, if it does: where the name for it is declared, it is the one of the
    /// operation.
    pub fn entry(&self) -> Option<Place> {
        let (PartialKind::Operate(_, place, _) | PartialKind::At(place, _)) = &self.kind else { return None };
        match &place.ty {
            Type::Pool(t, _) | Type::Map(_, t, _) => Some((**place).clone().with(Step::Current, (**t).clone())),
            _ => None,
        }
    }
}

impl Dropped {
    /// The value, or the indices of the place.
    pub fn indices(&self) -> Vec<&Expr> {
        match self {
            Dropped::Value(x) => vec![x],
            Dropped::At(place) => place.indices(),
            Dropped::Nothing => Vec::new(),
        }
    }
}

impl Place {
    /// The expressions of its indices.
    pub fn indices(&self) -> Vec<&Expr> {
        let index = self.path.iter().filter_map(|step| match step {
            Step::Index(x) => Some(x),
            Step::Field(_) | Step::Unwrap | Step::Current => None,
        });
        index.collect()
    }
}
