//! The change of a mutant, and its source before and after.

use nacre_stack::{BinaryOp, Span};

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
    /// The statement, or the block, is omitted.
    LeftOut,
    /// Other text.
    Becomes(String),
    /// More text behind it.
    Followed(String),
    /// A part alone.
    Only(Span),
    /// One of several operands is omitted, with an operator beside it.
    Omitted { of: Vec<Span>, at: usize },
    /// Two statements in the other order.
    Swapped(Span, Span),
}

/// The text at a span.
pub type Source<'a> = &'a dyn Fn(Span) -> String;

/// Operators of the source, and their replacements. The operands of a comparison may be swapped in the source, and an
/// operator may be part of an assignment. Longer operators come first.
const COMPARISONS: [(&str, &str); 6] = [("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("<", "<="), (">", ">=")];
const SUMS: [(&str, &str); 2] = [("+", "-"), ("-", "+")];

/// An operator, the statement or expression to which it is applied, and the change.
pub type Change = (&'static str, Span, Edit);

impl Edit {
    /// Returns the source text of the code at a span, on one line.
    pub fn before(&self, span: Span, source: Source) -> String {
        match self {
            Edit::Swapped(first, second) => ordered(*first, *second, source),
            Edit::LeftOut => shortened(&one_line(&source(span))),
            _ => one_line(&source(span)),
        }
    }

    /// Returns the same for the mutant; none: the statement is omitted.
    pub fn after(&self, span: Span, source: Source) -> Option<String> {
        let before = source(span);
        let after = match self {
            Edit::LeftOut => return None,
            Edit::Negated => Some(format!("!({before})")),
            Edit::Constant { from, to } => is_plain(&before).then(|| to.clone()).or_else(|| only(&before, from, to)),
            Edit::Header { from, to } => only(&before, from, to),
            Edit::Operator { from, operands, .. } => other_operator(span, &before, *from, operands, source),
            Edit::Becomes(text) => Some(text.clone()),
            Edit::Followed(text) => Some(format!("{before}{text}")),
            Edit::Only(part) => Some(source(*part)),
            Edit::Omitted { of, at } => without(span, &before, of, *at),
            Edit::Swapped(first, second) => Some(ordered(*second, *first, source)),
        };
        Some(one_line(&after.unwrap_or_else(|| format!("{before}, with {}", self.words()))))
    }

    /// Describes a change that the source does not show.
    fn words(&self) -> String {
        match self {
            Edit::Operator { from, to, .. } => format!("{} for {}", sign(*to), sign(*from)),
            Edit::Constant { from, to } | Edit::Header { from, to } => format!("{to} for {from}"),
            Edit::Omitted { of, at } => format!("one of its {} parts omitted, number {}", of.len(), at + 1),
            Edit::Negated | Edit::LeftOut | Edit::Becomes(_) | Edit::Followed(_) => String::new(),
            Edit::Only(_) | Edit::Swapped(..) => String::new(),
        }
    }
}

/// The sign of an operator that mutants exchange.
fn sign(op: BinaryOp) -> String {
    let shown = match op {
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Both => "&&",
        BinaryOp::Either => "||",
        other => return format!("{other:?}"),
    };
    format!("`{shown}`")
}

/// Returns the text with the operator between its operands replaced; none: the operator is not there.
fn other_operator(span: Span, before: &str, from: BinaryOp, operands: &[Span; 2], source: Source) -> Option<String> {
    let [first, second] = if operands[0].start <= operands[1].start { *operands } else { [operands[1], operands[0]] };
    let within = span.start <= first.start && second.end <= span.end && first.end < second.start;
    // The first operand of `x += 1` is its place.
    let between = within.then(|| source(Span { start: first.end, end: second.start, ..span }))?;
    let pairs: &[_] = if matches!(from, BinaryOp::Add | BinaryOp::Sub) { &SUMS } else { &COMPARISONS };
    let (old, new) = pairs.iter().find(|(old, _)| between.contains(old))?;
    let (at, length) = ((first.end - span.start) as usize, between.len());
    Some(format!("{}{}{}", before.get(..at)?, between.replacen(old, new, 1), before.get(at + length..)?))
}

/// Returns the text without an operand; none: the operands are not there.
fn without(span: Span, before: &str, operands: &[Span], at: usize) -> Option<String> {
    let ordered = operands.windows(2).all(|pair| pair[0].end < pair[1].start);
    let within = operands.iter().all(|one| span.start <= one.start && one.end <= span.end);
    let cut = match at.checked_sub(1) {
        Some(last) => Span { start: operands[last].end, ..operands[at] },
        None => Span { end: operands.get(1)?.start, ..operands[at] },
    };
    let [from, to] = [cut.start, cut.end].map(|end| end.checked_sub(span.start).map(|end| end as usize));
    let (head, tail) = (before.get(..from?)?, before.get(to?..)?);
    (ordered && within).then(|| format!("{head}{tail}"))
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

/// Two statements, on one line.
fn ordered(first: Span, second: Span, source: Source) -> String {
    [first, second].map(|span| shortened(&one_line(&source(span)))).join("; ")
}

/// Leaves out the middle of a long text.
fn shortened(text: &str) -> String {
    let all: Vec<char> = text.chars().collect();
    if all.len() <= LONGEST {
        return text.into();
    }
    let part = |chars: &[char]| chars.iter().collect::<String>();
    format!("{} ... {}", part(&all[..LONGEST / 2]), part(&all[all.len() - LONGEST / 2..]))
}

/// The longest text of a change, in characters.
const LONGEST: usize = 80;

fn one_line(text: &str) -> String {
    text.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
}
