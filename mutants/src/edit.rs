//! The change of a mutant, and its source before and after.

use nacre_stack::{BinaryOp, Span};

use crate::Mutant;

/// The change of the statement or expression at the span of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another operator between two operands.
    Operator { from: BinaryOp, to: BinaryOp, operands: [Span; 2] },
    /// Another constant.
    Constant { from: String, to: String },
    /// Another header is added.
    Header { from: String, to: String },
    /// A condition is negated: its branches are swapped.
    Negated,
    /// The statement is omitted.
    LeftOut,
}

/// The text at a span.
pub type Source<'a> = &'a dyn Fn(Span) -> String;

/// Operators of the source, and their replacements. The operands of a comparison may be swapped in the source, and an
/// operator may be part of an assignment. Longer operators come first.
const COMPARISONS: [(&str, &str); 6] = [("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("<", "<="), (">", ">=")];
const SUMS: [(&str, &str); 2] = [("+", "-"), ("-", "+")];

impl Mutant {
    /// Returns the source text of the changed code, on one line.
    pub fn before(&self, source: Source) -> String {
        one_line(&source(self.span))
    }

    /// Returns the same for the mutant; none: the statement is omitted.
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

    /// Returns the text with the operator between its operands replaced; none: the operator is not there.
    fn other_operator(&self, before: &str, from: BinaryOp, operands: &[Span; 2], source: Source) -> Option<String> {
        let [first, second] =
            if operands[0].start <= operands[1].start { *operands } else { [operands[1], operands[0]] };
        let within = self.span.start <= first.start && second.end <= self.span.end && first.end < second.start;
        // The first operand of `x += 1` is its place.
        let between = within.then(|| source(Span { start: first.end, end: second.start, ..self.span }))?;
        let pairs: &[_] = if matches!(from, BinaryOp::Add | BinaryOp::Sub) { &SUMS } else { &COMPARISONS };
        let (old, new) = pairs.iter().find(|(old, _)| between.contains(old))?;
        let (at, length) = ((first.end - self.span.start) as usize, between.len());
        Some(format!("{}{}{}", before.get(..at)?, between.replacen(old, new, 1), before.get(at + length..)?))
    }

    /// Describes a change that the source does not show.
    fn words(&self) -> String {
        match &self.edit {
            Edit::Operator { from, to, .. } => format!("{to:?} for {from:?}"),
            Edit::Constant { from, to } | Edit::Header { from, to } => format!("{to} for {from}"),
            Edit::Negated | Edit::LeftOut => String::new(),
        }
    }
}

/// Whether the text is a number or a name.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// Replaces a word that occurs exactly once in the text.
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
