//! String literals.

use super::{Parse, Parser};
use crate::errors;
use crate::token::TokenKind;

impl Parser<'_> {
    /// The content of a string literal, with escapes resolved.
    pub(super) fn text_value(&mut self, what: &str) -> Parse<String> {
        if self.at(TokenKind::OpenText) {
            self.advance();
            return Ok(String::new());
        }
        if !self.at(TokenKind::Text) {
            return self.fail(what);
        }
        let (span, quoted) = (self.span(), self.word());
        let mut characters = quoted[1..quoted.len() - 1].chars();
        let mut value = String::new();
        while let Some(c) = characters.next() {
            if c != '\\' {
                value.push(c);
                continue;
            }
            let rest = characters.as_str();
            match characters.next() {
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some('0') => value.push('\0'),
                Some('\\') => value.push('\\'),
                Some('"') => value.push('"'),
                Some('x') if hex(rest).is_some() => {
                    value.extend(hex(rest));
                    characters.nth(1);
                }
                other => {
                    let escape = format!("\\{}", other.map(|c| c.escape_debug().to_string()).unwrap_or_default());
                    self.report(errors::unknown_escape(span, &escape));
                }
            }
        }
        self.advance();
        Ok(value)
    }
}

/// `x41` to `A`, below 0x80.
fn hex(text: &str) -> Option<char> {
    let digits = text.get(1..3).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii).map(char::from)
}
