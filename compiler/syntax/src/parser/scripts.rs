//! Tests: scripts of calls, faults and expectations on named endpoints.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::TokenKind;

const STEPS: &[&str] = &["open", "network", "run", "expect", "for"];

impl Parser<'_> {
    pub(super) fn test(&mut self) -> Parse<Test> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.text_value("the name of the test in quotes")?;
        let span = self.since(start);
        Ok(Test { docs, name, body: self.script()?, span })
    }

    fn script(&mut self) -> Parse<Vec<TestStatement>> {
        self.nested(|p| {
            let open = p.span();
            p.expect_as(TokenKind::OpenBrace, Role::Block)?;
            let mut steps = Vec::new();
            while !p.ends_braces() {
                let start = p.position;
                match p.step() {
                    Ok(step) => steps.push(step),
                    Err(_) => p.recover(start, |p| STEPS.contains(&p.word()) || p.at_margin() && p.begins_item()),
                }
            }
            p.close_as(TokenKind::CloseBrace, open, Role::Block)?;
            Ok(steps)
        })
    }

    fn step(&mut self) -> Parse<TestStatement> {
        let start = self.span();
        let calls = self.ahead(1) == TokenKind::Dot;
        let kind = match self.word() {
            "for" => return self.test_for(),
            "open" if !calls => self.test_open()?,
            "network" if !calls => self.network()?,
            "run" if !calls => {
                self.advance();
                TestKind::Run(self.expr()?)
            }
            "expect" if !calls => self.expectation()?,
            _ if calls => {
                let Call { endpoint, port, event, arguments } = self.test_call()?;
                TestKind::Call { endpoint, port, event, arguments }
            }
            _ => return self.fail_with(errors::no_test_statement(self.span(), &self.found_here())),
        };
        let span = self.since(start);
        self.semicolon()?;
        Ok(TestStatement { kind, span })
    }

    /// `open a, b with reliable`
    fn test_open(&mut self) -> Parse<TestKind> {
        self.advance();
        let mut endpoints = vec![self.name("an endpoint")?];
        while self.eat(TokenKind::Comma) {
            endpoints.push(self.name("an endpoint")?);
        }
        self.expect_word("with")?;
        Ok(TestKind::Open { endpoints, stack: self.name("a stack")? })
    }

    /// `network loss 20%, delay 5 ms, seed 7`
    fn network(&mut self) -> Parse<TestKind> {
        self.advance();
        let mut settings = Vec::new();
        loop {
            let name = self.name("a fault: `loss`, `duplicate`, `reorder`, `corrupt`, `delay` or `seed`")?;
            settings.push(NetworkSetting { name, value: self.network_value()? });
            if !self.eat(TokenKind::Comma) {
                return Ok(TestKind::Network(settings));
            }
        }
    }

    fn network_value(&mut self) -> Parse<NetworkValue> {
        let percent = self.ahead(1) == TokenKind::Percent;
        if self.at(TokenKind::Decimal) || self.at(TokenKind::Number) && percent {
            let value = self.word().replace('_', "").parse().unwrap_or(0.0);
            self.advance();
            self.expect_as(TokenKind::Percent, Role::Call)?;
            return Ok(NetworkValue::Percent(value));
        }
        Ok(NetworkValue::Expr(self.expr()?))
    }

    fn expectation(&mut self) -> Parse<TestKind> {
        self.advance();
        let calls = self.ahead(1) == TokenKind::Dot;
        match self.word() {
            "nothing" if !calls => {
                self.advance();
                self.expect_word("at")?;
                Ok(TestKind::ExpectNothing(self.name("an endpoint")?))
            }
            "count" if !calls => self.expected_count(),
            "refused" if !calls => {
                self.advance();
                let Call { endpoint, port, event, arguments } = self.test_call()?;
                Ok(TestKind::ExpectRefused { endpoint, port, event, arguments })
            }
            _ => {
                let Call { endpoint, port, event, arguments } = self.test_call()?;
                Ok(TestKind::Expect { endpoint, port, event, arguments })
            }
        }
    }

    /// `count a.pt2pt.repeated > 0`
    fn expected_count(&mut self) -> Parse<TestKind> {
        self.advance();
        let endpoint = self.name("an endpoint")?;
        self.expect(TokenKind::Dot)?;
        let first = match self.kind() {
            TokenKind::Name if self.word() == "bound" => self.ident(),
            _ => self.name("a layer or a counter")?,
        };
        let (layer, counter) =
            if self.eat(TokenKind::Dot) { (Some(first), self.name("a counter")?) } else { (None, first) };
        let comparison = match self.kind() {
            TokenKind::EqualEqual => BinaryOp::Equal,
            TokenKind::NotEqual => BinaryOp::NotEqual,
            TokenKind::Less => BinaryOp::Less,
            TokenKind::LessEqual => BinaryOp::LessEqual,
            TokenKind::Greater => BinaryOp::Greater,
            TokenKind::GreaterEqual => BinaryOp::GreaterEqual,
            _ => return self.fail("a comparison"),
        };
        self.advance_as(Role::Operator(3));
        Ok(TestKind::ExpectCount { endpoint, layer, counter, comparison, value: self.sum()? })
    }

    /// `a.send("hello")`, `a.app.cast(bytes 3000)`
    fn test_call(&mut self) -> Parse<Call> {
        let endpoint = self.name("an endpoint")?;
        self.expect(TokenKind::Dot)?;
        let first = self.name("an event or a port")?;
        let (port, event) =
            if self.eat(TokenKind::Dot) { (Some(first), self.name("an event")?) } else { (None, first) };
        let open = self.span();
        self.expect_as(TokenKind::OpenParen, Role::Call)?;
        let arguments = self.list(TokenKind::CloseParen, |p| p.test_argument())?;
        self.close(TokenKind::CloseParen, open)?;
        Ok(Call { endpoint, port, event, arguments })
    }

    fn test_argument(&mut self) -> Parse<TestArgument> {
        let start = self.span();
        match self.word() {
            "_" => {
                self.advance();
                Ok(TestArgument::Any(start))
            }
            "bytes" if !matches!(self.ahead(1), TokenKind::Comma | TokenKind::CloseParen) => {
                self.advance();
                let length = self.expr()?;
                let seed = if self.eat_word("seed") { Some(self.expr()?) } else { None };
                Ok(TestArgument::Bytes { length, seed, span: self.since(start) })
            }
            _ if self.at(TokenKind::Text) => Ok(TestArgument::Text(self.text_value("a text")?, start)),
            _ => Ok(TestArgument::Expr(self.expr()?)),
        }
    }

    fn test_for(&mut self) -> Parse<TestStatement> {
        let start = self.span();
        self.advance();
        let variable = self.name("a variable")?;
        self.expect_word("in")?;
        let from = self.sum()?;
        if !self.at(TokenKind::DotDot) {
            return self.fail("`..` and the end of the range");
        }
        self.advance_as(Role::Range);
        let to = self.sum()?;
        let span = self.since(start);
        let body = self.script()?;
        Ok(TestStatement { kind: TestKind::For { variable, from, to, body }, span })
    }
}

/// A call at a port.
struct Call {
    endpoint: Ident,
    port: Option<Ident>,
    event: Ident,
    arguments: Vec<TestArgument>,
}
