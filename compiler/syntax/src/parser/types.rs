//! Types, and the arguments between their angle brackets.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::{TokenKind, CONSTANT, TYPE};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parse<Type> {
        self.nested(|p| {
            let start = p.span();
            p.height = 0;
            let mut ty = p.plain_type()?;
            let mut height = p.height;
            loop {
                if p.eat(TokenKind::Question) {
                    ty = Type { kind: TypeKind::Option(Box::new(ty)), span: p.since(start) };
                } else if p.eat_word("per") {
                    ty = p.per(ty, start)?;
                } else {
                    p.height = height;
                    return Ok(ty);
                }
                height += 1;
                p.grown(height)?;
            }
        })
    }

    fn per(&mut self, ty: Type, start: nacre_diagnostics::Span) -> Parse<Type> {
        let kind = if self.eat_word("member") {
            TypeKind::PerMember(Box::new(ty))
        } else {
            TypeKind::Per(Box::new(ty), Box::new(self.plain_type()?))
        };
        Ok(Type { kind, span: self.since(start) })
    }

    fn plain_type(&mut self) -> Parse<Type> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::OpenParen => self.tuple_type()?,
            TokenKind::Number => self.range_type()?,
            CONSTANT if self.begins_range() => self.range_type()?,
            TYPE | CONSTANT => self.named_type()?,
            TokenKind::Name if self.at_alias() && self.ahead(2) == CONSTANT && self.ahead(3) == TokenKind::DotDot => {
                self.range_type()?
            }
            TokenKind::Name if self.ahead(1) == TokenKind::Dot && !self.at_alias() => {
                return self.fail_with(errors::no_such_import(self.word(), &self.aliases, start));
            }
            TokenKind::Name if !crate::token::is_reserved(self.word()) => self.named_type()?,
            _ => return self.fail("a type"),
        };
        Ok(Type { kind, span: self.since(start) })
    }

    fn tuple_type(&mut self) -> Parse<TypeKind> {
        let open = self.span();
        self.advance();
        let mut parts = vec![self.ty()?];
        let mut height = self.height;
        while self.eat(TokenKind::Comma) && !self.at(TokenKind::CloseParen) {
            parts.push(self.ty()?);
            height = height.max(self.height);
        }
        self.close(TokenKind::CloseParen, open)?;
        self.grown(height)?;
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(only.kind),
            Some(last) => {
                parts.push(last);
                Ok(TypeKind::Tuple(parts))
            }
            None => self.fail("a type"),
        }
    }

    /// Whether the current constant begins a range rather than being a type: `N..8`, `N + 1..8`
    fn begins_range(&self) -> bool {
        use TokenKind::*;
        matches!(self.ahead(1), DotDot | Plus | Minus | Star | Slash | Percent)
    }

    /// `0..N`, `0..N + 1`
    fn range_type(&mut self) -> Parse<TypeKind> {
        let low = self.sum()?;
        if !self.at(TokenKind::DotDot) {
            return self.fail("`..` and the end of a range");
        }
        self.advance_as(Role::Plain);
        let high = self.sum()?;
        Ok(TypeKind::Range(Box::new(low), Box::new(high)))
    }

    fn named_type(&mut self) -> Parse<TypeKind> {
        let start = self.span();
        let before = self.import_before();
        if !matches!(self.kind(), TokenKind::Name | TokenKind::Capitalized(_)) {
            return self.fail("a type");
        }
        let name = Ident { name: before + &self.ident().name, span: self.since(start) };
        let open = self.span();
        let mut arguments = Vec::new();
        // After a type of numbers, `<` compares: `x as u16 < y`.
        if self.at(TokenKind::Less) && !is_number(&name.name) {
            self.advance_as(Role::Angle);
            let mut height = 0;
            arguments = self.list(TokenKind::Greater, |p| {
                let argument = p.type_argument()?;
                height = height.max(p.height);
                Ok(argument)
            })?;
            self.close_as(TokenKind::Greater, open, Role::Angle)?;
            self.grown(height)?;
        }
        Ok(TypeKind::Name(name, arguments))
    }

    /// A type or a size: arithmetic is a size; a lone lower-case name is a type.
    fn type_argument(&mut self) -> Parse<TypeArgument> {
        let behind = self.ahead(1);
        let range = behind == TokenKind::DotDot;
        let computes =
            matches!(behind, TokenKind::Dot | TokenKind::Plus | TokenKind::Minus | TokenKind::Star | TokenKind::Slash);
        let size = match self.kind() {
            TokenKind::Name if self.at_alias() => self.ahead(2) == CONSTANT && self.ahead(3) != TokenKind::DotDot,
            TokenKind::Number | CONSTANT => !range,
            TokenKind::Name => computes,
            _ => false,
        };
        if size {
            return self.sum().map(TypeArgument::Expr);
        }
        self.ty().map(TypeArgument::Type)
    }
}

/// Whether a type is `uN`, `iN` or `seqN`, which have no arguments.
fn is_number(name: &str) -> bool {
    let width = ["u", "i", "seq"].iter().find_map(|prefix| name.strip_prefix(prefix));
    width.is_some_and(|width| !width.is_empty() && width.bytes().all(|byte| byte.is_ascii_digit()))
}
