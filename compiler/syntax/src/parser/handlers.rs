//! Handlers of events and timers, admission, functions.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::token::{is_reserved, TokenKind};

impl Parser<'_> {
    /// `app cast(m) { ... }`
    pub(super) fn begins_port_handler(&self) -> bool {
        let named = self.at(TokenKind::Name) && !is_reserved(self.word());
        let ahead_is_event =
            self.ahead(1) == TokenKind::Name && matches!(self.ahead(2), TokenKind::OpenParen | TokenKind::Bar);
        let condition = || self.word() == "invariant" && !self.parameters_precede_a_block();
        named && ahead_is_event && self.word() != "accepts" && !condition()
    }

    /// Whether a block follows the first parentheses: in `app cast(m) { ... }`, but not in `invariant f(x) == y;`.
    fn parameters_precede_a_block(&self) -> bool {
        let mut depth = 0;
        for by in 2.. {
            match self.ahead(by) {
                TokenKind::OpenParen => depth += 1,
                TokenKind::CloseParen if depth <= 1 => return self.ahead(by + 1) == TokenKind::OpenBrace,
                TokenKind::CloseParen => depth -= 1,
                TokenKind::End | TokenKind::Semicolon => return false,
                _ => {}
            }
        }
        false
    }

    /// `accepts send(m) when expr;`
    pub(super) fn accepts(&mut self) -> Parse<Accepts> {
        let start = self.span();
        self.advance();
        let event = self.name("an event")?;
        let patterns = self.parameters_of_handler()?;
        self.expect_word("when")?;
        let condition = self.truth()?;
        let span = self.since(start);
        self.semicolon()?;
        Ok(Accepts { event, patterns, condition, span })
    }

    pub(super) fn handler(&mut self) -> Parse<Handler> {
        let (docs, start) = (self.docs(), self.span());
        let from = match self.word() {
            "up" => From::Up(start),
            "down" => From::Down(start),
            _ => From::Port(Ident { name: self.word().into(), span: start }),
        };
        self.advance();
        let mut events = vec![self.event_name()?];
        while self.eat(TokenKind::Bar) {
            events.push(self.event_name()?);
        }
        let patterns = self.parameters_of_handler()?;
        let span = self.since(start);
        let body = self.block()?;
        Ok(Handler { docs, from, events, patterns, body, span })
    }

    fn event_name(&mut self) -> Parse<EventName> {
        let name = self.name("an event")?;
        if self.eat(TokenKind::Dot) {
            return Ok(EventName { port: Some(name), name: self.name("an event")? });
        }
        Ok(EventName { port: None, name })
    }

    fn parameters_of_handler(&mut self) -> Parse<Vec<Pattern>> {
        let open = self.span();
        self.expect_as(TokenKind::OpenParen, Role::Call)?;
        let patterns = self.list(TokenKind::CloseParen, |p| p.pattern())?;
        self.close(TokenKind::CloseParen, open)?;
        Ok(patterns)
    }

    pub(super) fn timer_handler(&mut self) -> Parse<TimerHandler> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let place = self.postfix()?;
        let span = self.since(start);
        let body = self.block()?;
        Ok(TimerHandler { docs, place, body, span })
    }

    pub(super) fn function(&mut self) -> Parse<Function> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a function")?;
        let parameters = self.function_parameters()?;
        let result = if self.eat(TokenKind::Arrow) { Some(self.ty()?) } else { None };
        let span = self.since(start);
        let body = self.block()?;
        Ok(Function { docs, name, parameters, result, body, span })
    }
}
