//! Automata and properties: what layers provide and require.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn property(&mut self) -> Parse<Property> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a property")?;
        let span = self.since(start);
        self.semicolon()?;
        Ok(Property { docs, name, span })
    }

    pub(super) fn automaton(&mut self) -> Parse<Automaton> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("an automaton")?;
        let parameters = self.parameters()?;
        let extends = if self.eat_word("extends") { Some(self.name("an automaton")?) } else { None };
        let span = self.since(start);
        let mut automaton =
            Automaton { docs, name, parameters, extends, state: vec![], actions: vec![], definitions: vec![], span };
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        while !self.ends_braces() {
            let start = self.position;
            if self.automaton_part(&mut automaton).is_err() {
                self.recover(start, |p| matches!(p.word(), "state" | "input" | "output" | "internal" | "define"));
            }
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Block)?;
        Ok(automaton)
    }

    fn automaton_part(&mut self, automaton: &mut Automaton) -> Parse<()> {
        match self.word() {
            "state" => {
                self.advance();
                automaton.state.extend(self.fields()?);
            }
            "input" => automaton.actions.push(self.action(ActionKind::Input)?),
            "output" => automaton.actions.push(self.action(ActionKind::Output)?),
            "internal" => automaton.actions.push(self.action(ActionKind::Internal)?),
            "define" => automaton.definitions.push(self.definition()?),
            "goal" => return self.fail_with(crate::errors::reserved_for_later(self.span(), "goal")),
            _ => return self.fail("a part of the automaton: `state`, `input`, `output`, `internal` or `define`"),
        }
        Ok(())
    }

    fn action(&mut self, kind: ActionKind) -> Parse<Action> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("an action")?;
        let open = self.span();
        self.expect_as(TokenKind::OpenParen, Role::Call)?;
        let parameters = self.list(TokenKind::CloseParen, |p| {
            let at = p.at_word("at") && p.ahead(1) == TokenKind::Name;
            if at {
                p.advance();
            }
            Ok((at, p.name("a parameter")?))
        })?;
        self.close(TokenKind::CloseParen, open)?;
        let condition = if self.eat_word("when") { Some(self.expr()?) } else { None };
        let span = self.since(start);
        Ok(Action { docs, kind, name, parameters, condition, body: self.block()?, span })
    }

    fn definition(&mut self) -> Parse<Definition> {
        let start = self.span();
        self.advance();
        let name = self.name("a definition")?;
        let open = self.span();
        self.expect_as(TokenKind::OpenParen, Role::Call)?;
        let parameters = self.list(TokenKind::CloseParen, |p| p.name("a parameter"))?;
        self.close(TokenKind::CloseParen, open)?;
        self.expect(TokenKind::Equal)?;
        let value = self.expr()?;
        let span = self.since(start);
        self.semicolon()?;
        Ok(Definition { name, parameters, value, span })
    }
}
