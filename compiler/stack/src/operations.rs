//! The table of operations: every operator, query and change of a container, each defined once.
//!
//! A row says how an operation is written in the text of the IR, which operands it takes and what it gives, when it has
//! no result, what it releases, what it asks of the types, and what it does (`run`: plain functions on [`Value`]s, the
//! reference). There is one row for each operation and each kind of type that it treats in its own way.
//!
//! - [`operators`]: arithmetic, comparison and sets: [`UnaryOp`](crate::UnaryOp) and [`BinaryOp`](crate::BinaryOp).
//! - [`queries`]: properties of a container, which do not change it: [`Query`](crate::Query).
//! - [`methods`]: what changes a container: [`Operation`](crate::Operation).
//!
//! All rows are total: for operands of the types that a row allows there is always a result. Where there is nothing to
//! give, the row says so ([`methods::Success`]).
//!
//! The validator, the text of the IR, the types that the reader fills in, the methods of the language and the
//! interpreter are written from the rows.
//!
//! [`Value`]: crate::interpret::Value

mod changes;
mod kind;
pub mod methods;
pub mod numbers;
pub mod operators;
mod parts;
pub mod queries;
pub mod sets;
pub mod window;

pub use kind::Kind;
pub use parts::{Operand, Parts};
