//! Automata and properties, which layers provide and require.

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
        let extends = if self.eat_word("extends") { Some(self.item_name("an automaton")?) } else { None };
        let span = self.since(start);
        let mut automaton = Automaton {
            docs,
            name,
            parameters,
            extends,
            state: vec![],
            actions: vec![],
            definitions: vec![],
            goals: vec![],
            span,
        };
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        while !self.ends_braces() {
            let start = self.position;
            if self.automaton_part(&mut automaton).is_err() {
                self.recover(start, |p| {
                    matches!(p.word(), "state" | "input" | "output" | "internal" | "fault" | "define" | "goal")
                });
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
            "fault" => {
                let action = self.fault()?;
                automaton.actions.push(action);
            }
            "goal" => automaton.goals.push(self.goal()?),
            _ => {
                let what =
                    "a part of the automaton: `state`, `input`, `output`, `internal`, `fault`, `define` or `goal`";
                return self.fail(what);
            }
        }
        Ok(())
    }

    /// `goal all_arrive = expr;` or `goal all_arrive = expr unless expr;`, in an automaton or a layer
    pub(super) fn goal(&mut self) -> Parse<Goal> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a goal")?;
        self.expect(TokenKind::Equal)?;
        let condition = self.truth()?;
        let unless = if self.eat_word("unless") { Some(self.truth()?) } else { None };
        let span = self.since(start);
        self.semicolon()?;
        Ok(Goal { docs, name, condition, unless, span })
    }

    pub(super) fn configuration(&mut self) -> Parse<Configuration> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a configuration")?;
        self.expect_word("for")?;
        let subject = self.item_name("a layer or a stack")?;
        let over = if self.eat_word("over") { Some(self.item_name("an automaton")?) } else { None };
        let on_request = self.eat_word("on");
        if on_request {
            self.expect_word("request")?;
        }
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        let mut settings = Vec::new();
        while !self.ends_braces() {
            let start = self.position;
            match self.setting() {
                Ok(setting) => settings.push(setting),
                Err(_) => self.recover(start, |p| p.first_on_line() && p.begins_setting()),
            }
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Block)?;
        Ok(Configuration { docs, name, subject, over, on_request, settings, span })
    }

    fn begins_setting(&self) -> bool {
        self.ahead(1) == TokenKind::Equal || matches!(self.word_ahead(1), "before" | "in")
    }

    /// `W = 2;`, `pt2pt.W = 2;`, `send = (3, 0);`, `due before resend;`, `beat in phase;`
    fn setting(&mut self) -> Parse<Setting> {
        let start = self.span();
        let path = self.setting_path()?;
        if let Some(timing) = self.timing()? {
            let span = self.since(start);
            self.semicolon()?;
            return Ok(Setting { path, values: vec![], timing: Some(timing), span });
        }
        self.expect(TokenKind::Equal)?;
        let open = self.span();
        let values = if self.eat(TokenKind::OpenParen) {
            let values = self.list(TokenKind::CloseParen, Self::setting_value)?;
            self.close(TokenKind::CloseParen, open)?;
            values
        } else {
            vec![self.setting_value()?]
        };
        let span = self.since(start);
        self.semicolon()?;
        Ok(Setting { path, values, timing: None, span })
    }

    fn setting_path(&mut self) -> Parse<Vec<Ident>> {
        let mut path = vec![self.setting_name()?];
        while self.eat(TokenKind::Dot) {
            path.push(self.setting_name()?);
        }
        Ok(path)
    }

    fn timing(&mut self) -> Parse<Option<Timing>> {
        if self.eat_word("before") {
            return Ok(Some(Timing::Before(self.setting_path()?)));
        }
        if self.eat_word("in") {
            self.expect_word("phase")?;
            return Ok(Some(Timing::InPhase));
        }
        Ok(None)
    }

    fn setting_name(&mut self) -> Parse<Ident> {
        self.constant_name("a setting: a parameter, an action or a bound")
    }

    /// A constant; a negative number in two's complement of 64 bits.
    fn setting_value(&mut self) -> Parse<Expr> {
        let start = self.span();
        let negative = self.eat(TokenKind::Minus);
        let value = self.primary()?;
        match value.kind {
            ExprKind::Number(n) if negative => {
                Ok(Expr { kind: ExprKind::Number(n.wrapping_neg()), span: self.since(start) })
            }
            ExprKind::Number(_) | ExprKind::Duration(..) | ExprKind::True | ExprKind::False if !negative => Ok(value),
            _ => self.fail_with(crate::errors::no_setting(value.span)),
        }
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
        let condition = if self.eat_word("when") { Some(self.truth()?) } else { None };
        let span = self.since(start);
        Ok(Action { docs, kind, optional: false, name, parameters, condition, body: self.block()?, span })
    }

    /// `fault name(..)` or `fault output name(..)`.
    fn fault(&mut self) -> Parse<Action> {
        let docs = self.docs();
        if self.text_at(self.position + 1) != "output" || self.ahead(2) != TokenKind::Name {
            return self.action(ActionKind::Fault);
        }
        self.advance();
        Ok(Action { docs, optional: true, ..self.action(ActionKind::Output)? })
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
