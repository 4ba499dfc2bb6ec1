//! Patterns of handlers, `let` and `for`.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::{TokenKind, TYPE};

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Parse<Pattern> {
        self.nested(|p| {
            let start = p.span();
            let kind = p.pattern_kind()?;
            Ok(Pattern { kind, span: p.since(start) })
        })
    }

    fn pattern_kind(&mut self) -> Parse<PatternKind> {
        match self.kind() {
            TokenKind::DotDot => {
                self.advance();
                Ok(PatternKind::Rest)
            }
            TokenKind::OpenParen => self.tuple_pattern(),
            _ if self.at_misnamed_literal() => Ok(PatternKind::Header(self.header_pattern()?)),
            TYPE => Ok(PatternKind::Header(self.header_pattern()?)),
            TokenKind::Name => match self.word() {
                "_" => {
                    self.advance();
                    Ok(PatternKind::Any)
                }
                "some" => {
                    self.advance();
                    let open = self.span();
                    self.expect_as(TokenKind::OpenParen, Role::Call)?;
                    let inner = self.pattern()?;
                    self.eat(TokenKind::Comma);
                    self.close(TokenKind::CloseParen, open)?;
                    Ok(PatternKind::Some(Box::new(inner)))
                }
                "data" if self.ahead(1) == TokenKind::Name => {
                    self.advance();
                    Ok(PatternKind::Data(self.name("a message")?))
                }
                _ => self.named_pattern(),
            },
            _ => self.fail("a pattern"),
        }
    }

    fn tuple_pattern(&mut self) -> Parse<PatternKind> {
        let open = self.span();
        self.advance();
        let mut parts = self.list(TokenKind::CloseParen, |p| p.pattern())?;
        self.close(TokenKind::CloseParen, open)?;
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(only.kind),
            Some(last) => {
                parts.push(last);
                Ok(PatternKind::Tuple(parts))
            }
            None => self.fail_with(errors::expected("a pattern", "`()`", open)),
        }
    }

    /// `m`, `m - Header { ... }`, `m - h: Wire`
    fn named_pattern(&mut self) -> Parse<PatternKind> {
        let message = self.name("a pattern")?;
        if !self.eat(TokenKind::Minus) {
            return Ok(PatternKind::Name(message));
        }
        if self.at(TokenKind::Name) && self.ahead(1) == TokenKind::Colon {
            let name = self.name("a name for the header")?;
            self.expect(TokenKind::Colon)?;
            return Ok(PatternKind::PopWire { message, name, wire: self.type_name("a wire")? });
        }
        Ok(PatternKind::Pop(message, self.header_pattern()?))
    }

    fn header_pattern(&mut self) -> Parse<HeaderPattern> {
        let start = self.span();
        let name = self.type_name("a header")?;
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Literal)?;
        let fields = self.list(TokenKind::CloseBrace, |p| {
            let field = p.name("a field")?;
            let with = if p.eat(TokenKind::Colon) { Some(p.pattern()?) } else { None };
            Ok((field, with))
        })?;
        self.close_as(TokenKind::CloseBrace, open, Role::Literal)?;
        Ok(HeaderPattern { name, fields, span: self.since(start) })
    }
}
