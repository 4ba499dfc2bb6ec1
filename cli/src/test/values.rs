//! The values in tests: numbers, durations, messages.

use std::collections::HashMap;

use nacre_diagnostics::Span;
use nacre_simulator::random::Random;
use nacre_syntax::ast::{BinaryOp, Expr, ExprKind, TestArgument, UnaryOp};

/// The limit of a message's length in a test.
const LONGEST: u64 = 64 << 20;

/// The variables of `for` loops, and the variants of enums such as `Reason.closed`.
pub type Variables = HashMap<String, u64>;

/// An argument of a call or an expectation.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Message(Vec<u8>),
    Number(u64),
    /// The name of an endpoint, as an address.
    Name(String),
    Any,
}

/// Evaluates an argument of an event; an error has the span of the expression at fault.
pub fn argument(argument: &TestArgument, variables: &Variables) -> Result<Argument, (Span, String)> {
    match argument {
        TestArgument::Text(text, _) => Ok(Argument::Message(text.clone().into_bytes())),
        TestArgument::Any(_) => Ok(Argument::Any),
        TestArgument::Bytes { length, seed, span } => {
            let seed = seed.as_ref().map_or(Ok(0), |seed| number(seed, variables))?;
            let length = number(length, variables)?;
            if length > LONGEST {
                return Err((*span, format!("{length} bytes are too many for a test")));
            }
            Ok(Argument::Message(pattern(length as usize, seed)))
        }
        TestArgument::Expr(expr) => match &expr.kind {
            ExprKind::Text(text) => Ok(Argument::Message(text.clone().into_bytes())),
            ExprKind::Unary(UnaryOp::Negate, positive) => {
                number(positive, variables).map(|number| Argument::Number(number.wrapping_neg()))
            }
            ExprKind::Name(name) if !variables.contains_key(name) => Ok(Argument::Name(name.clone())),
            _ => number(expr, variables).map(Argument::Number),
        },
    }
}

/// Returns `bytes n seed s`, the same on every machine.
pub fn pattern(length: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Random::new(seed).fill(&mut bytes);
    bytes
}

/// Evaluates a number, or a duration in nanoseconds.
pub fn number(expr: &Expr, variables: &Variables) -> Result<u64, (Span, String)> {
    let wrong = |text: &str| Err((expr.span, text.to_string()));
    match &expr.kind {
        ExprKind::Number(number) => Ok(*number),
        ExprKind::Duration(number, unit) => Ok(number.saturating_mul(unit.nanoseconds())),
        ExprKind::True => Ok(1),
        ExprKind::False => Ok(0),
        ExprKind::Name(name) => match variables.get(name) {
            Some(value) => Ok(*value),
            None => wrong("no such variable in this test"),
        },
        ExprKind::Field(of, variant) => {
            let value = match &of.kind {
                ExprKind::TypeName(name) | ExprKind::Name(name) => variables.get(&format!("{name}.{}", variant.name)),
                _ => None,
            };
            value.map_or_else(|| wrong("no enum of the opened stacks has this variant"), |value| Ok(*value))
        }
        ExprKind::Tuple(parts) if parts.len() == 1 => number(&parts[0], variables),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (number(left, variables)?, number(right, variables)?);
            let result = match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                BinaryOp::Div => left.checked_div(right),
                BinaryOp::Rem => left.checked_rem(right),
                _ => return wrong("tests support only + - * / %"),
            };
            result.map_or_else(|| wrong("overflow or division by zero"), Ok)
        }
        _ => wrong("expected a number or a duration"),
    }
}

/// Whether a comparison holds; None: the operator is not a comparison.
pub fn compare(op: BinaryOp, left: u64, right: u64) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        BinaryOp::Less => left < right,
        BinaryOp::LessEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterEqual => left >= right,
        _ => return None,
    })
}

/// Formats an argument.
pub fn show(argument: &Argument) -> String {
    match argument {
        Argument::Message(bytes) => show_message(bytes),
        Argument::Number(number) => number.to_string(),
        Argument::Name(name) => name.clone(),
        Argument::Any => "_".into(),
    }
}

/// Returns a short printable message as text; any other as its length and first 12 bytes in hexadecimal.
pub fn show_message(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= 60 && text.chars().all(|c| !c.is_control()) => format!("\"{text}\""),
        _ => {
            let start: String = bytes.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
            format!("{} bytes {start}{}", bytes.len(), if bytes.len() > 12 { ".." } else { "" })
        }
    }
}
