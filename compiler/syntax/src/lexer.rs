//! Text to tokens. Comments are kept separately, for the docs of the tree and for the formatter.

use logos::Logos;
use nacre_diagnostics::{Diagnostic, SourceId, Span};

use crate::errors;
use crate::token::TokenKind;

/// A token and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// A comment up to the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    pub start: u32,
    pub end: u32,
    /// The index of the token after it.
    pub before: usize,
}

/// The result of lexing. The last token is always [`TokenKind::End`].
#[derive(Clone, Debug)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    pub found: Vec<Diagnostic>,
}

fn open_text(span: Span) -> Diagnostic {
    Diagnostic::error("S0002", "unterminated text")
        .at(span, "begins here and does not end on this line")
        .because("a text cannot span lines")
        .help("close it with `\"`; a line break within a text is written `\\n`")
}

/// Else a file whose lines end so would be a comment from its first one on.
fn lone_return(span: Span) -> Diagnostic {
    Diagnostic::error("S0039", "a carriage return does not end a comment")
        .at(span, "it goes on behind the carriage return")
        .help("end each line with a line feed, with or without a carriage return before it")
}

/// Splits a text into tokens. Never fails: invalid text becomes [`TokenKind::Unknown`] and a diagnostic.
pub fn lex(file: SourceId, text: &str) -> Lexed {
    let mut lexed = Lexed { tokens: Vec::new(), comments: Vec::new(), found: Vec::new() };
    let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = TokenKind::lexer(&text[skipped..]);
    // `c { ... }` is C only in an extern: between that word and the next brace or semicolon.
    let mut in_extern = false;
    while let Some(kind) = lexer.next() {
        let kind = kind.unwrap_or(TokenKind::Unknown);
        let range = lexer.span();
        let mut token = Token { kind, start: (range.start + skipped) as u32, end: (range.end + skipped) as u32 };
        let place = |token: Token| Span { file, start: token.start, end: token.end };
        match kind {
            TokenKind::Comment => {
                let text = lexer.slice().trim_end();
                let end = token.start + text.len() as u32;
                if text.contains('\r') {
                    lexed.found.push(lone_return(place(Token { end, ..token })));
                }
                lexed.comments.push(Comment { start: token.start, end, before: lexed.tokens.len() });
                continue;
            }
            TokenKind::Unknown => {
                let follows =
                    lexed.tokens.last().is_some_and(|last| last.kind == TokenKind::Unknown && last.end == token.start);
                if !follows {
                    lexed.found.push(errors::unknown_character(place(token), lexer.slice()));
                }
            }
            TokenKind::OpenText => lexed.found.push(open_text(place(token))),
            TokenKind::Name if lexer.slice() == "extern" => in_extern = true,
            TokenKind::Semicolon | TokenKind::CloseBrace => in_extern = false,
            TokenKind::OpenBrace if in_extern => {
                in_extern = false;
                let after_c =
                    lexed.tokens.last().is_some_and(|last| &text[last.start as usize..last.end as usize] == "c");
                if after_c {
                    let (length, closed) = c_body(lexer.remainder());
                    lexer.bump(length);
                    if !closed {
                        lexed.found.push(errors::open_c_body(place(token)));
                    }
                    token.kind = TokenKind::CBody;
                    token.end += length as u32;
                }
            }
            _ => {}
        }
        lexed.tokens.push(token);
    }
    let end = text.len() as u32;
    lexed.tokens.push(Token { kind: TokenKind::End, start: end, end });
    lexed
}

/// The length of the C up to and including its closing brace, and whether that brace exists.
fn c_body(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut depth = 1;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'"' | b'\'' => at = after_quote(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = find(text, at, "\n"),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = find(text, at + 2, "*/"),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (at, true);
        }
    }
    (text.len(), false)
}

/// The end of a quoted constant: its closing quote, or the last byte of the line.
fn after_quote(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != bytes[open] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len() - 1)
}

fn find(text: &str, from: usize, what: &str) -> usize {
    text.as_bytes()[from.min(text.len())..]
        .windows(what.len())
        .position(|window| window == what.as_bytes())
        .map_or(text.len(), |found| from + found + what.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        lex(SourceId(0), text).tokens.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_differ_in_any_letter() {
        use crate::token::{CONSTANT, TYPE};
        assert_eq!(
            kinds("go_1 Data RTO X T_2a _"),
            [TokenKind::Name, TYPE, CONSTANT, CONSTANT, TYPE, TokenKind::Name, TokenKind::End]
        );
    }

    #[test]
    fn a_range_is_not_a_decimal() {
        assert_eq!(kinds("0..5"), [TokenKind::Number, TokenKind::DotDot, TokenKind::Number, TokenKind::End]);
        assert_eq!(kinds("0.5"), [TokenKind::Decimal, TokenKind::End]);
    }

    #[test]
    fn c_ends_at_its_own_brace() {
        let text = r#"extern f() -> u8 c { if (x) { y = "}"; } /* } */ // }
            z = '}'; } ; c"#;
        let tokens = kinds(text);
        assert_eq!(
            tokens[tokens.len() - 4..],
            [TokenKind::CBody, TokenKind::Semicolon, TokenKind::Name, TokenKind::End]
        );
    }

    #[test]
    fn a_comment_knows_the_token_behind_it() {
        let lexed = lex(SourceId(0), "a // one\n// two\nb");
        assert_eq!(lexed.comments.iter().map(|comment| comment.before).collect::<Vec<_>>(), [1, 1]);
    }
}
