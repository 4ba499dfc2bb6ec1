//! The kinds of tokens, and the words that are reserved.

use logos::Logos;

/// The kinds of tokens. The letters of a word decide its kind; [`RESERVED`] lists the reserved words.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \t\r\n\x0c]+")]
pub enum TokenKind {
    /// `peers`, `on`, `_`: begins with a lower-case letter or `_`.
    #[regex(r"[a-z_][A-Za-z0-9_]*")]
    Name,
    /// `Data`, `GotView`: begins with a capital and has a lower-case letter.
    #[regex(r"[A-Z][A-Za-z0-9_]*", capital)]
    Capitalized(Capital),
    #[regex(r"0x[0-9A-Fa-f_]+|[0-9][0-9_]*")]
    Number,
    /// Only in the percentages of tests.
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#, priority = 1)]
    OpenText,
    /// `//` and the rest of the line.
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    /// The content of `c { ... }`, with the braces. Made by the lexer directly, not by a pattern.
    CBody,
    /// An invalid character.
    Unknown,
    /// After the last token.
    End,

    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token("?")]
    Question,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token("<")]
    Less,
    /// `>>` is two of these, adjacent, because `list<list<u8, 4>, 4>` ends in the same characters.
    #[token(">")]
    Greater,
    #[token("=")]
    Equal,
    #[token("+=")]
    PlusEqual,
    #[token("-=")]
    MinusEqual,
    #[token("*=")]
    StarEqual,
    #[token("|=")]
    BarEqual,
    #[token("&=")]
    AndEqual,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    BarBar,
    #[token("&")]
    And,
    #[token("|")]
    Bar,
    #[token("^")]
    Caret,
    #[token("++")]
    PlusPlus,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Not,
}

/// The case of a capitalized word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capital {
    /// A type: `Data`.
    Mixed,
    /// A parameter or constant: `RTO`.
    All,
}

/// Tells the case of a capitalized word.
fn capital(word: &mut logos::Lexer<'_, TokenKind>) -> Capital {
    if word.slice().bytes().any(|b| b.is_ascii_lowercase()) {
        Capital::Mixed
    } else {
        Capital::All
    }
}

/// `Data`
pub const TYPE: TokenKind = TokenKind::Capitalized(Capital::Mixed);
/// `RTO`
pub const CONSTANT: TokenKind = TokenKind::Capitalized(Capital::All);

impl TokenKind {
    /// The description of a missing token in messages.
    pub fn description(self) -> &'static str {
        use TokenKind::*;
        match self {
            Name => "a name",
            Capitalized(Capital::Mixed) => "the name of a type",
            Capitalized(Capital::All) => "the name of a constant",
            Number | Decimal => "a number",
            Text | OpenText => "a text",
            Comment => "a comment",
            CBody => "a block of C",
            Unknown => "an unknown character",
            End => "the end of the file",
            OpenParen => "`(`",
            CloseParen => "`)`",
            OpenBracket => "`[`",
            CloseBracket => "`]`",
            OpenBrace => "`{`",
            CloseBrace => "`}`",
            Comma => "`,`",
            Semicolon => "`;`",
            Colon => "`:`",
            DotDot => "`..`",
            Dot => "`.`",
            Arrow => "`->`",
            FatArrow => "`=>`",
            Question => "`?`",
            Less => "`<`",
            Greater => "`>`",
            Equal => "`=`",
            _ => "an operator",
        }
    }
}

/// Words that are never names. Other words with a meaning (`key`, `rest`, `count`, `data`, `word`, `end`, `open`) have
/// it only where it is expected.
pub const RESERVED: &[&str] = &[
    "arm",
    "as",
    "assert",
    "bound",
    "break",
    "cancel",
    "down",
    "drain",
    "drop",
    "else",
    "extern",
    "false",
    "fn",
    "for",
    "given",
    "header",
    "if",
    "in",
    "lasting",
    "later",
    "let",
    "likely",
    "match",
    "multiplexor",
    "none",
    "on",
    "pass",
    "ref",
    "reject",
    "return",
    "router",
    "share",
    "shared",
    "some",
    "state",
    "through",
    "true",
    "unlikely",
    "up",
    "var",
    "while",
    "worker",
    "yield",
];

/// Whether a word is one of [`RESERVED`].
pub fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_and_few() {
        assert!(RESERVED.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(RESERVED.len() <= 45);
    }
}
