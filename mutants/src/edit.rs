//! What a mutant changes, and the source of it before and after.

use nacre_stack::{BinaryOp, Span};

use crate::Mutant;

/// What becomes of the statement or expression at a mutant's span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another operator between two operands.
    Operator { from: BinaryOp, to: BinaryOp, operands: [Span; 2] },
    /// Another constant.
    Constant { from: String, to: String },
    /// Another header is put on.
    Header { from: String, to: String },
    /// A condition is negated: its branches are swapped.
    Negated,
    /// It is left out.
    LeftOut,
}

/// The text at a span.
pub type Source<'a> = &'a dyn Fn(Span) -> String;

/// Operators of the source, each with the mutant's. The source may have the operands of a comparison the other way
/// round, and an operator as part of an assignment. Longer ones come first.
const COMPARISONS: [(&str, &str); 6] = [("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("<", "<="), (">", ">=")];
const SUMS: [(&str, &str); 2] = [("+", "-"), ("-", "+")];

impl Mutant {
    /// The source text of the changed code, on one line.
    pub fn before(&self, source: Source) -> String {
        one_line(&source(self.span))
    }

    /// The same in the mutant; none: it is left out.
    pub fn after(&self, source: Source) -> Option<String> {
        let before = source(self.span);
        let after = match &self.edit {
            Edit::LeftOut => return None,
            Edit::Negated => Some(format!("!({before})")),
            Edit::Constant { from, to } => is_plain(&before).then(|| to.clone()).or_else(|| only(&before, from, to)),
            Edit::Header { from, to } => only(&before, from, to),
            Edit::Operator { from, operands, .. } => self.other_operator(&before, *from, operands, source),
        };
        Some(one_line(&after.unwrap_or_else(|| format!("{before}, with {}", self.words()))))
    }

    /// The text with the operator between its operands changed; none: it is not there.
    fn other_operator(&self, before: &str, from: BinaryOp, operands: &[Span; 2], source: Source) -> Option<String> {
        let [first, second] =
            if operands[0].start <= operands[1].start { *operands } else { [operands[1], operands[0]] };
        let within = self.span.start <= first.start && second.end <= self.span.end && first.end < second.start;
        // `x += 1` has its first operand where its place is.
        let between = within.then(|| source(Span { start: first.end, end: second.start, ..self.span }))?;
        let pairs: &[_] = if matches!(from, BinaryOp::Add | BinaryOp::Sub) { &SUMS } else { &COMPARISONS };
        let (old, new) = pairs.iter().find(|(old, _)| between.contains(old))?;
        let (at, length) = ((first.end - self.span.start) as usize, between.len());
        Some(format!("{}{}{}", before.get(..at)?, between.replacen(old, new, 1), before.get(at + length..)?))
    }

    /// The change where the source does not show it.
    fn words(&self) -> String {
        match &self.edit {
            Edit::Operator { from, to, .. } => format!("{to:?} for {from:?}"),
            Edit::Constant { from, to } | Edit::Header { from, to } => format!("{to} for {from}"),
            Edit::Negated | Edit::LeftOut => String::new(),
        }
    }
}

/// A number or a name.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// The text with a word changed that it has exactly once.
fn only(text: &str, from: &str, to: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let whole = |at: &usize| !text[..*at].ends_with(is_part) && !text[at + from.len()..].starts_with(is_part);
    let mut places = text.match_indices(from).map(|(at, _)| at).filter(whole);
    match (places.next(), places.next()) {
        (Some(at), None) => Some(format!("{}{to}{}", &text[..at], &text[at + from.len()..])),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
}
