//! The one traversal of the code in a stack: a [`Visitor`] that reads and a [`Rewriter`] that changes, both made by one
//! macro, so that they meet the same nodes in the same order. No match has a `_` arm and no pattern leaves out a field:
//! what is added to the IR has to be added here.
//!
//! The order is that of evaluation: operands before what uses them is done, a statement's own parts before the blocks
//! in it. A node is visited before its parts.

mod traverse;

use crate::*;

pub use traverse::{ChangeExprs, ChangeStatements, Parts, Traverse};

/// A node that a traversal visits.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    Statement(&'a Statement),
    Expr(&'a Expr),
    Place(&'a Place),
    /// A local that a statement sets.
    Set(LocalId),
}

macro_rules! traversal {
    (
        $(#[$doc:meta])*
        $Trait:ident $(<$lt:lifetime>)?, [$($mutable:tt)?], $Block:ty, $Set:ty, $Reference:ident,
        $stack:ident $block:ident $statement:ident $place:ident $expr:ident $types:ident
    ) => {
        /// What a statement or an expression refers to by its id, besides places and locals.
        #[derive(Debug)]
        pub enum $Reference<'r> {
            Function(&'r $($mutable)? FunctionId),
            Extern(&'r $($mutable)? ExternId),
            Filter(&'r $($mutable)? FilterId),
            Header(&'r $($mutable)? HeaderId),
            Layout(&'r $($mutable)? LayoutId),
            Counter(&'r $($mutable)? CounterId),
            Link(&'r $($mutable)? LinkId),
            Event(&'r $($mutable)? EventId),
        }

        $(#[$doc])*
        pub trait $Trait $(<$lt>)? {
            fn block(&mut self, block: &$($lt)? $($mutable)? $Block) {
                $block(self, block);
            }
            fn statement(&mut self, statement: &$($lt)? $($mutable)? Statement) {
                $statement(self, statement);
            }
            fn place(&mut self, place: &$($lt)? $($mutable)? Place) {
                $place(self, place);
            }
            fn expr(&mut self, expr: &$($lt)? $($mutable)? Expr) {
                $expr(self, expr);
            }
            /// A local that a statement sets.
            fn set(&mut self, _local: $Set) {}
            /// What a statement or an expression refers to, when its parts have been visited.
            fn refer(&mut self, _to: $Reference<'_>) {}
            /// The type of an expression or of a place. Its parts are visited only if this function does so.
            fn ty(&mut self, _ty: &$($lt)? $($mutable)? Type) {}
        }

        /// All code of a stack.
        pub fn $stack<$($lt,)? V: $Trait$(<$lt>)? + ?Sized>(v: &mut V, stack: &$($lt)? $($mutable)? Stack) {
            for layer in &$($mutable)? stack.layers {
                for reaction in &$($mutable)? layer.reactions {
                    if let Some(admission) = &$($mutable)? reaction.accepts {
                        v.expr(&$($mutable)? admission.condition);
                    }
                }
                for invariant in &$($mutable)? layer.invariants {
                    v.expr(invariant);
                }
                for goal in &$($mutable)? layer.goals {
                    v.expr(&$($mutable)? goal.holds);
                }
            }
            for cell in &$($mutable)? stack.cells {
                v.block(&$($mutable)? cell.draws);
                if let Some(initial) = &$($mutable)? cell.initial {
                    v.expr(initial);
                }
            }
            for handler in &$($mutable)? stack.handlers {
                v.block(&$($mutable)? handler.body);
            }
            for function in &$($mutable)? stack.functions {
                v.block(&$($mutable)? function.body);
            }
            for filter in &$($mutable)? stack.filters {
                for initial in (&$($mutable)? filter.initial).into_iter().flatten() {
                    v.expr(initial);
                }
                v.block(&$($mutable)? filter.body);
                v.block(&$($mutable)? filter.end);
                if let Some(result) = &$($mutable)? filter.result {
                    v.expr(result);
                }
            }
            for port in &$($mutable)? stack.ports {
                for input in &$($mutable)? port.inputs {
                    for admission in &$($mutable)? input.admissions {
                        v.expr(&$($mutable)? admission.condition);
                    }
                }
            }
            for bypass in &$($mutable)? stack.bypasses {
                v.expr(&$($mutable)? bypass.condition);
                v.block(&$($mutable)? bypass.body);
            }
        }

        /// The statements of a block.
        pub fn $block<$($lt,)? V: $Trait$(<$lt>)? + ?Sized>(v: &mut V, block: &$($lt)? $($mutable)? $Block) {
            for statement in block {
                v.statement(statement);
            }
        }

        /// Visits the parts of a statement, with its blocks.
        pub fn $statement<$($lt,)? V: $Trait$(<$lt>)? + ?Sized>(
            v: &mut V,
            statement: &$($lt)? $($mutable)? Statement,
        ) {
            use StatementKind::*;
            let Statement { kind, in_place: _, id: _, span: _ } = statement;
            match kind {
                Let(local, value) => {
                    v.expr(value);
                    v.set(local);
                }
                Store(place, value) => {
                    v.expr(value);
                    v.place(place);
                }
                If { condition, likely: _, then, otherwise } => {
                    v.expr(condition);
                    v.block(then);
                    v.block(otherwise);
                }
                Loop { bound: _, body } => v.block(body),
                For { variable, from, to, bound: _, body } => {
                    v.expr(from);
                    v.expr(to);
                    v.set(variable);
                    v.block(body);
                }
                Each { walk: Walk { over, index, key, value, from, to, drain: _ }, bound: _, body } => {
                    v.place(over);
                    for end in [from, to] {
                        if let Some(end) = end {
                            v.expr(end);
                        }
                    }
                    for local in [index, key, value] {
                        if let Some(local) = local {
                            v.set(local);
                        }
                    }
                    v.block(body);
                }
                Break | Impossible | Unreachable | Reject => {}
                Return(value) => {
                    if let Some(value) = value {
                        v.expr(value);
                    }
                }
                Call { into, function, arguments } => {
                    for argument in arguments {
                        match argument {
                            Argument::Value(value) => v.expr(value),
                            Argument::Reference(place) => v.place(place),
                        }
                    }
                    if let Some(into) = into {
                        v.set(into);
                    }
                    v.refer($Reference::Function(function));
                }
                CallExtern { into, function, arguments } => {
                    for argument in arguments {
                        v.expr(argument);
                    }
                    if let Some(into) = into {
                        v.set(into);
                    }
                    v.refer($Reference::Extern(function));
                }
                Operate(crate::Operate { operation: _, place, arguments, into, done, back }) => {
                    for argument in arguments {
                        v.expr(argument);
                    }
                    v.place(place);
                    for local in [into, done, back] {
                        if let Some(local) = local {
                            v.set(local);
                        }
                    }
                }
                Emit(crate::Emit { link, event, arguments, later: _, call: _, likely: _ }) => {
                    for argument in arguments {
                        v.expr(argument);
                    }
                    v.refer($Reference::Link(link));
                    v.refer($Reference::Event(event));
                }
                Drop(value) | Assert(value, _) | Yield(value) => v.expr(value),
                Count(counter, value) => {
                    v.expr(value);
                    v.refer($Reference::Counter(counter));
                }
                Arm { timer, delay, unless_armed: _ } => {
                    v.expr(delay);
                    v.place(timer);
                }
                Cancel(timer) => v.place(timer),
                Fit { into, value } | Random { into, below: value } => {
                    v.expr(value);
                    v.set(into);
                }
                Filter { into, filter, input } => {
                    v.expr(input);
                    v.set(into);
                    v.refer($Reference::Filter(filter));
                }
                Unpack { into, layout, message } => {
                    v.expr(message);
                    v.set(into);
                    v.refer($Reference::Layout(layout));
                }
                Join { into, parts, last } => {
                    v.expr(last);
                    v.place(parts);
                    v.set(into);
                }
                Take { into, place } => {
                    v.place(place);
                    v.set(into);
                }
            }
        }

        /// The types in a type.
        pub fn $types<$($lt,)? V: $Trait$(<$lt>)? + ?Sized>(v: &mut V, ty: &$($lt)? $($mutable)? Type) {
            use Type::*;
            match ty {
                Bool | UInt(_) | Int(_) | Seq(_) | Range(..) | Enum(_) | Struct(_) | Bits(_) | Addr | Duration | Instant
                | Timer | Bytes(_) | Text(_) | Msg | Bounded(_) | View => {}
                Tuple(types) => {
                    for ty in types {
                        v.ty(ty);
                    }
                }
                Option(element) | Array(element, _) | Ring(element, _) | List(element, _) | Window(element, _, _)
                | Pool(element, _) => v.ty(element),
                Map(key, value, _) => {
                    v.ty(key);
                    v.ty(value);
                }
            }
        }

        /// The expressions in a place.
        pub fn $place<$($lt,)? V: $Trait$(<$lt>)? + ?Sized>(v: &mut V, place: &$($lt)? $($mutable)? Place) {
            let Place { root: _, path, ty } = place;
            v.ty(ty);
            for step in path {
                match step {
                    Step::Index(index) => v.expr(index),
                    Step::Field(_) | Step::Unwrap => {}
                }
            }
        }

        /// Visits the parts of an expression: the place that it reads and its operands.
        pub fn $expr<$($lt,)? V: $Trait$(<$lt>)? + ?Sized>(v: &mut V, expr: &$($lt)? $($mutable)? Expr) {
            use ExprKind::*;
            let Expr { kind, ty, id: _, span: _ } = expr;
            v.ty(ty);
            match kind {
                Const(_) | Literal(_) | Zero | Local(_) | None | Now | Fingerprint | Room | Empty => {}
                Load(place) | Borrow(place) => v.place(place),
                Unary(_, a) | Convert(a) | ExprKind::Some(a) | IsSome(a) | Unwrap(a) | Field(a, _) | BytesOf(a)
                | View(a) | Share(a) | Length(a) => v.expr(a),
                Head(a, head) => {
                    v.expr(a);
                    match head {
                        crate::Head::Is(header) | crate::Head::Field(header, _) => v.refer($Reference::Header(header)),
                        crate::Head::Data => {}
                    }
                }
                Through(filter, a) => {
                    v.expr(a);
                    v.refer($Reference::Filter(filter));
                }
                Pack(layout, a) | PackView(layout, a) => {
                    v.expr(a);
                    v.refer($Reference::Layout(layout));
                }
                Binary(_, a, b) | Index(a, b) | Rest(a, b) => {
                    v.expr(a);
                    v.expr(b);
                }
                If(a, b, c) | MulDiv(a, b, c) | Part(a, b, c) | Slice(a, b, c) => {
                    v.expr(a);
                    v.expr(b);
                    v.expr(c);
                }
                Struct(list) | Tuple(list) | Array(list) | Concat(list) => {
                    for part in list {
                        v.expr(part);
                    }
                }
                Extern(function, list) => {
                    for argument in list {
                        v.expr(argument);
                    }
                    v.refer($Reference::Extern(function));
                }
                Query(_, place, list) => {
                    v.place(place);
                    for argument in list {
                        v.expr(argument);
                    }
                }
                Push(message, header, list) => {
                    v.expr(message);
                    for field in list {
                        v.expr(field);
                    }
                    v.refer($Reference::Header(header));
                }
            }
        }
    };
}

traversal! {
    /// Reads code. An implementation overrides the visits that it needs, and calls the `walk_` functions for the
    /// parts.
    Visitor<'a>, [], [Statement], &LocalId, Reference,
    walk_stack walk_block walk_statement walk_place walk_expr walk_type
}
traversal! {
    /// Changes code in place. An implementation overrides what it changes and calls the `rewrite_` function for what is
    /// inside.
    Rewriter, [mut], Block, &mut LocalId, ReferenceMut,
    rewrite_stack rewrite_block rewrite_statement rewrite_place rewrite_expr rewrite_type
}
