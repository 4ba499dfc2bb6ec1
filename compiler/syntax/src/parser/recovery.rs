//! Error recovery: lists continue at the next part, blocks at the next line.

use super::{Failed, Parse, Parser};
use crate::errors;
use crate::token::{is_reserved, TokenKind};

impl Parser<'_> {
    /// Whether a token is the first on its line, in the first column.
    pub(super) fn at_margin(&self) -> bool {
        let start = self.token().start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    pub(super) fn first_on_line(&self) -> bool {
        self.position == 0 || self.text[self.previous().end as usize..self.token().start as usize].contains('\n')
    }

    /// Skips to where the next part of a block may begin: after a `;` or a closed `{ }`, before a `}`, or at a line
    /// that `begins` recognizes. Skips the whole of braces that the failed part, from the token `start` on, opened.
    pub(super) fn recover(&mut self, start: usize, begins: fn(&Self) -> bool) {
        let mut open = self.open_braces(start);
        loop {
            match self.kind() {
                TokenKind::End => return,
                _ if self.position > start && self.first_on_line() && begins(self) => return,
                TokenKind::CloseBrace if open == 0 => return,
                TokenKind::CloseBrace => {
                    open -= 1;
                    self.advance();
                    if open == 0 && self.ends_part() {
                        return;
                    }
                }
                TokenKind::Semicolon | TokenKind::CBody if open == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::OpenBrace => {
                    self.skip_braces();
                    if open == 0 && self.ends_part() {
                        return;
                    }
                }
                _ => self.advance(),
            }
        }
    }

    /// The number of braces since a token that are still open.
    pub(super) fn open_braces(&self, start: usize) -> usize {
        let tokens = &self.lexed.tokens[start..self.position];
        // An unterminated string literal may have swallowed the closing ones.
        if tokens.iter().any(|token| token.kind == TokenKind::OpenText) {
            return 0;
        }
        tokens.iter().fold(0, |open: usize, token| match token.kind {
            TokenKind::OpenBrace => open + 1,
            TokenKind::CloseBrace => open.saturating_sub(1),
            _ => open,
        })
    }

    /// Whether the preceding `}` ended a statement or member.
    pub(super) fn ends_part(&self) -> bool {
        !matches!(self.kind(), TokenKind::Semicolon | TokenKind::Comma | TokenKind::CloseParen) && !self.at_word("else")
    }

    /// Skips a `{` up to its closing `}`, or up to an item that begins in the first column.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0;
        loop {
            match self.kind() {
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace => depth -= 1,
                TokenKind::End => return,
                _ if self.at_margin() && self.begins_item() => return,
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Parts separated by commas, up to a closing token, which is not consumed. A comma may follow the last part. After
    /// a part with an error, the list continues after the next comma.
    pub(super) fn list<T>(&mut self, close: TokenKind, mut part: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut parts = Vec::new();
        while !self.at(close) && !self.at(TokenKind::End) {
            match part(self) {
                Ok(part) => parts.push(part),
                Err(Failed) if self.skip_part(close) => continue,
                Err(Failed) => return Err(Failed),
            }
            if self.comma(close) {
                continue;
            }
            // At the end of a line, the bracket is more likely to be missing: the caller reports that.
            if self.at(close)
                || matches!(self.kind(), TokenKind::End | TokenKind::Semicolon)
                || self.first_on_line()
                || close == TokenKind::Greater
            {
                break;
            }
            self.report(errors::expected(&format!("`,` or {}", close.description()), &self.found_here(), self.span()));
            if !self.skip_part(close) {
                return Err(Failed);
            }
        }
        Ok(parts)
    }

    /// The comma after a part of a list. In braces, a semicolon or a missing comma at the end of a line is reported and
    /// accepted as a comma.
    pub(super) fn comma(&mut self, close: TokenKind) -> bool {
        if self.eat(TokenKind::Comma) {
            return true;
        }
        if close != TokenKind::CloseBrace {
            return false;
        }
        let begins_field = self.at(TokenKind::Name)
            && matches!(self.ahead(1), TokenKind::Colon | TokenKind::Comma | TokenKind::CloseBrace);
        if begins_field && !is_reserved(self.word()) {
            self.report(errors::missing_comma(self.previous(), self.span()));
            return true;
        }
        if self.at(TokenKind::Semicolon) {
            self.report(errors::semicolon_between_fields(self.span()));
            self.advance();
            return true;
        }
        false
    }

    /// Skips the rest of a part with an error: true after the next comma, false before the end of the list.
    pub(super) fn skip_part(&mut self, close: TokenKind) -> bool {
        let mut depth = 0;
        loop {
            let kind = self.kind();
            match kind {
                _ if depth == 0 && kind == close => return true,
                TokenKind::Comma if depth == 0 => {
                    self.advance();
                    return true;
                }
                TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace if depth == 0 => return false,
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth -= 1,
                TokenKind::End | TokenKind::Semicolon => return false,
                _ if self.first_on_line() && self.begins_elsewhere() => return false,
                _ => {}
            }
            self.advance();
        }
    }
}
