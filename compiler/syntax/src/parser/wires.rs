//! Wire formats, and filters over bytes.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn wire(&mut self) -> Parse<Wire> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.type_name("a wire format")?;
        let big = self.eat_word("big");
        let span = self.since(start);
        Ok(Wire { docs, name, big, fields: self.wire_fields()?, span })
    }

    fn wire_fields(&mut self) -> Parse<Vec<WireField>> {
        self.nested(|p| {
            let open = p.span();
            p.expect_as(TokenKind::OpenBrace, Role::Block)?;
            let mut fields = Vec::new();
            while !p.ends_braces() {
                let start = p.position;
                match p.wire_field() {
                    Ok(field) => fields.push(field),
                    Err(_) => p.recover(start, |p| p.ahead(1) == TokenKind::Colon || p.at_margin() && p.begins_item()),
                }
            }
            p.close_as(TokenKind::CloseBrace, open, Role::Block)?;
            Ok(fields)
        })
    }

    fn wire_field(&mut self) -> Parse<WireField> {
        let start = self.span();
        match self.word() {
            "let" => {
                self.advance();
                let name = self.name("a name")?;
                self.expect(TokenKind::Equal)?;
                let value = self.expr()?;
                let span = self.since(start);
                self.semicolon()?;
                Ok(WireField::Let { name, value, span })
            }
            "rest" if self.ahead(1) == TokenKind::Semicolon => {
                self.advance();
                self.semicolon()?;
                Ok(WireField::Rest(start))
            }
            "if" => {
                self.advance();
                let condition = self.expr()?;
                let span = self.since(start);
                Ok(WireField::If { condition, fields: self.wire_fields()?, span })
            }
            "match" => self.wire_match(),
            _ => self.wire_value(),
        }
    }

    fn wire_value(&mut self) -> Parse<WireField> {
        let start = self.span();
        let name = self.name("a field")?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        let nul = self.eat_word("nul");
        let value = if self.eat(TokenKind::Equal) { Some(self.expr()?) } else { None };
        let until = if self.eat_word("until") { Some(self.number("the number that ends the list")?) } else { None };
        let condition = if self.eat_word("where") { Some(self.expr()?) } else { None };
        let span = self.since(start);
        self.semicolon()?;
        Ok(WireField::Field { name, ty, nul, value, until, condition, span })
    }

    fn wire_match(&mut self) -> Parse<WireField> {
        let start = self.span();
        self.advance();
        let on = self.name("a field")?;
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        let mut arms = Vec::new();
        while !self.at(TokenKind::CloseBrace) && !self.at(TokenKind::End) {
            let start = self.span();
            let number = self.number("the number of a variant")?;
            self.expect(TokenKind::FatArrow)?;
            let name = self.type_name("a variant")?;
            let condition = if self.eat_word("where") { Some(self.expr()?) } else { None };
            let span = self.since(start);
            arms.push(WireArm { number, name, condition, fields: self.wire_fields()?, span });
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Block)?;
        Ok(WireField::Match { on, arms, span })
    }

    pub(super) fn filter(&mut self) -> Parse<Filter> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a filter")?;
        let grows = if self.eat_word("grows") { Some(self.expr()?) } else { None };
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        let mut parts = FilterParts::default();
        while !self.ends_braces() {
            let start = self.position;
            if self.filter_part(&mut parts).is_err() {
                self.recover(start, |p| matches!(p.word(), "byte" | "word" | "end" | "result" | "fn" | "state"));
            }
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Block)?;
        let FilterParts { state, main, end, result, functions } = parts;
        let Some((unit, inputs, body)) = main else {
            return self.fail_with(crate::errors::filter_without_input(name.span, &name.name));
        };
        Ok(Filter { docs, name, grows, state, unit, inputs, body, end, result, functions, span })
    }

    fn filter_part(&mut self, parts: &mut FilterParts) -> Parse<()> {
        let again = match self.word() {
            "byte" | "word" => parts.main.is_some(),
            "end" => parts.end.is_some(),
            "result" => parts.result.is_some(),
            _ => false,
        };
        if again {
            return self.fail_with(crate::errors::part_again(self.span(), self.word()));
        }
        match self.word() {
            "state" => {
                self.advance();
                parts.state.extend(self.fields()?);
            }
            word @ ("byte" | "word") => {
                self.advance();
                let unit = if word == "byte" { FilterUnit::Byte } else { FilterUnit::Word };
                let inputs = self.function_parameters()?;
                if inputs.is_empty() {
                    return self.fail_with(crate::errors::expected("a parameter", "none", self.previous()));
                }
                parts.main = Some((unit, inputs, self.block()?));
            }
            "end" => {
                self.advance();
                parts.end = Some(self.block()?);
            }
            "result" => {
                self.advance();
                parts.result = Some(self.value_in_braces()?);
                self.roles[self.position - 1] = Role::Last;
            }
            "fn" => parts.functions.push(self.function()?),
            _ => return self.fail("a part of the filter: `state`, `byte`, `word`, `end`, `result` or `fn`"),
        }
        Ok(())
    }
}

#[derive(Default)]
struct FilterParts {
    state: Vec<Field>,
    main: Option<(FilterUnit, Vec<FunctionParameter>, Block)>,
    end: Option<Block>,
    result: Option<Expr>,
    functions: Vec<Function>,
}
