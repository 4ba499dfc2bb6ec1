//! Questions about the kind of a statement or an expression that many ask. Each is answered here for all kinds, by a
//! match without a `_` arm, so that no answer forgets what the IR gains.

use crate::visit::Node;
use crate::*;

/// The control flow of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Control<'a> {
    /// One of two blocks.
    Branch {
        /// Decides between them.
        condition: &'a Expr,
        /// The block if it is true.
        then: &'a Block,
        /// The block if it is false.
        otherwise: &'a Block,
    },
    /// A block any number of times, also none.
    Repeat {
        /// The most iterations.
        bound: u32,
        /// What is repeated.
        body: &'a Block,
    },
    /// The end of the innermost loop.
    Break,
    /// The end of the body.
    Exit,
    /// The next statement.
    Next,
}

/// The code outside its body that a statement runs or brings on.
#[derive(Clone, Copy, Debug)]
pub enum Reaches<'a> {
    /// The handlers of an event, or a port.
    Event(&'a Emit),
    /// A function of the layer.
    Function(FunctionId),
    /// None that could emit or change state: filters and externs cannot.
    Nothing,
}

impl Statement {
    /// The control flow of the statement.
    pub fn control(&self) -> Control<'_> {
        use StatementKind::*;
        match &self.kind {
            If { condition, then, otherwise, likely: _ } => Control::Branch { condition, then, otherwise },
            Loop { bound, body } | For { bound, body, .. } | Each { bound, body, .. } => {
                Control::Repeat { bound: *bound, body }
            }
            Break => Control::Break,
            Return(_) | Reject => Control::Exit,
            Let(..)
            | Store(..)
            | Call { .. }
            | CallExtern { .. }
            | Operate(_)
            | Emit(_)
            | Drop(_)
            | Arm { .. }
            | Cancel(_)
            | Count(..)
            | Assert(..)
            | Impossible
            | Unreachable
            | Fit { .. }
            | Random { .. }
            | Filter { .. }
            | Yield(_)
            | Unpack { .. }
            | Join { .. }
            | Take { .. } => Control::Next,
        }
    }

    /// The code outside its body that the statement itself, without its blocks, runs or brings on.
    pub fn reaches(&self) -> Reaches<'_> {
        use StatementKind::*;
        match &self.kind {
            Emit(emit) => Reaches::Event(emit),
            Call { function, .. } => Reaches::Function(*function),
            Let(..)
            | Store(..)
            | If { .. }
            | Loop { .. }
            | For { .. }
            | Each { .. }
            | Break
            | Return(_)
            | CallExtern { .. }
            | Operate(_)
            | Drop(_)
            | Arm { .. }
            | Cancel(_)
            | Count(..)
            | Assert(..)
            | Impossible
            | Unreachable
            | Fit { .. }
            | Random { .. }
            | Filter { .. }
            | Yield(_)
            | Reject
            | Unpack { .. }
            | Join { .. }
            | Take { .. } => Reaches::Nothing,
        }
    }
}

/// What an expression is made of, in questions of where its value lies.
#[derive(Clone, Copy, Debug)]
pub enum Access<'a> {
    /// A local.
    Local(LocalId),
    /// The value of an option.
    Value(&'a Expr),
    /// A field of a value.
    Field(&'a Expr, u32),
    /// The bytes of a message or of a value, without or with the headers above.
    View(&'a Expr),
    /// A value of its own, or one at a place, which is a node of its own ([`Node::Place`]).
    Other,
}

impl Expr {
    /// Where the value of the expression lies.
    pub fn access(&self) -> Access<'_> {
        use ExprKind::*;
        match &self.kind {
            Local(local) => Access::Local(*local),
            Unwrap(a) => Access::Value(a),
            Field(a, at) => Access::Field(a, *at),
            View(a) | PackView(_, a) => Access::View(a),
            Const(_) | Literal(_) | Zero | Load(_) | Unary(..) | Binary(..) | MulDiv(..) | Convert(_) | If(..)
            | Struct(_) | Tuple(_) | Array(_) | Some(_) | None | IsSome(_) | Index(..) | Query(..) | Now
            | Fingerprint | Room | Concat(_) | Part(..) | BytesOf(_) | Through(..) | Extern(..) | Empty | Share(_)
            | Borrow(_) | Length(_) | Head(..) | Push(..) | Slice(..) | Rest(..) | Pack(..) => Access::Other,
        }
    }
}

impl Node<'_> {
    /// What the node itself, without its parts, reads or changes: the local that an expression is, or the root of a
    /// place. Not what a statement sets.
    pub fn root(&self) -> Option<Root> {
        match self {
            Node::Expr(e) => match e.access() {
                Access::Local(local) => Some(Root::Local(local)),
                Access::Value(_) | Access::Field(..) | Access::View(_) | Access::Other => None,
            },
            Node::Place(place) => Some(place.root),
            Node::Statement(_) | Node::Set(_) => None,
        }
    }

    /// The local that the node itself reads or changes a part of.
    pub fn local(&self) -> Option<LocalId> {
        match self.root()? {
            Root::Local(local) => Some(local),
            Root::Cell(_) => None,
        }
    }
}
