//! Interfaces, references to them, and lists of parameters.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn interface(&mut self) -> Parse<Interface> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("an interface")?;
        let parameters = self.angled(|p| p.constant_name("a parameter"))?;
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        let (mut events, mut is_told) = (Vec::new(), false);
        while !self.ends_braces() {
            let start = self.position;
            match self.event_declaration() {
                Ok(event) => {
                    events.push(event);
                    self.sign_after_event(&mut is_told);
                }
                Err(_) => self.recover(start, |p| matches!(p.word(), "up" | "down" | "turn")),
            }
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Block)?;
        Ok(Interface { docs, name, parameters, events, span })
    }

    /// Events are separated by nothing. A sign after one is reported once for the interface.
    fn sign_after_event(&mut self, is_told: &mut bool) {
        if self.at(TokenKind::Semicolon) || self.at(TokenKind::Comma) {
            if !std::mem::replace(is_told, true) {
                self.report(errors::sign_after_event(self.span()));
            }
            self.advance();
        }
    }

    fn event_declaration(&mut self) -> Parse<EventDeclaration> {
        let (docs, start) = (self.docs(), self.span());
        let direction = match self.word() {
            "up" => EventDirection::Up,
            "down" => EventDirection::Down,
            "turn" => EventDirection::Turn,
            _ => return self.fail("an event of the interface: `up`, `down` or `turn`"),
        };
        self.advance();
        let name = self.name("the name of an event")?;
        let parameters = self.function_parameters()?;
        let role = self.role()?;
        self.roles[self.position - 1] = Role::Last;
        Ok(EventDeclaration { docs, direction, name, parameters, role, span: self.since(start) })
    }

    /// `(ref parts: list<msg, N>, m: msg)`
    pub(super) fn function_parameters(&mut self) -> Parse<Vec<FunctionParameter>> {
        let open = self.span();
        self.expect_as(TokenKind::OpenParen, Role::Call)?;
        let parameters = self.list(TokenKind::CloseParen, |p| {
            let by_ref = p.eat_word("ref");
            let name = p.name("a parameter")?;
            p.expect(TokenKind::Colon)?;
            Ok(FunctionParameter { by_ref, name, ty: p.ty()? })
        })?;
        self.close(TokenKind::CloseParen, open)?;
        Ok(parameters)
    }

    /// `<part, part>`, or nothing.
    pub(super) fn angled<T>(&mut self, part: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let open = self.span();
        if !self.at(TokenKind::Less) {
            return Ok(Vec::new());
        }
        self.advance_as(Role::Angle);
        let parts = self.list(TokenKind::Greater, part)?;
        self.close_as(TokenKind::Greater, open, Role::Angle)?;
        Ok(parts)
    }

    /// `<W: u16 = 64, RTO: duration = 50 ms>`, or nothing.
    pub(super) fn parameters(&mut self) -> Parse<Vec<Parameter>> {
        self.angled(|p| {
            let name = p.constant_name("a parameter")?;
            p.expect(TokenKind::Colon)?;
            let ty = p.ty()?;
            let default = if p.eat(TokenKind::Equal) { Some(p.sum()?) } else { None };
            Ok(Parameter { name, ty, default })
        })
    }

    pub(super) fn interface_ref(&mut self) -> Parse<InterfaceRef> {
        let name = self.item_name("an interface")?;
        let start = name.span;
        let arguments = self.angled(|p| p.ty())?;
        Ok(InterfaceRef { name, arguments, span: self.since(start) })
    }
}
