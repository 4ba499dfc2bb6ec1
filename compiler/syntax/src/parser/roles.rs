//! The uses of tokens, where their kind does not determine them; for the formatter.

/// The use of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// `<` and `>` around parameters and arguments.
    Angle,
    /// `-` and `!` before one operand.
    Prefix,
    /// Braces around statements, members, events.
    Block,
    /// Braces around a declared list: fields, variants.
    Fields,
    /// Braces around the fields of a value or pattern.
    Literal,
    /// Braces around one expression.
    Value,
    /// The last token of a statement, member, item: a line begins after it.
    Last,
    /// An operator before which a line may be broken; the loosest first.
    Operator(u8),
    /// `..` between two values.
    Range,
    /// `(` of a call or of parameters: no space before it.
    Call,
    /// `[` of an index: no space before it.
    Index,
}
