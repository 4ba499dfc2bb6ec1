//! Blocks, statements, conditions, and `else` clauses.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::TokenKind;

/// Reserved words that begin a statement.
const STATEMENTS: &[&str] = &[
    "let", "var", "ref", "pass", "later", "drop", "arm", "cancel", "assert", "if", "match", "while", "for", "return",
    "break", "yield", "reject",
];

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parse<Block> {
        self.nested(|p| {
            let open = p.span();
            p.expect_as(TokenKind::OpenBrace, Role::Block)?;
            let mut statements = Vec::new();
            while !p.at(TokenKind::CloseBrace) && !p.at(TokenKind::End) && !p.leaves_block() {
                let start = p.position;
                match p.statement() {
                    Ok(statement) => statements.push(statement),
                    Err(_) => p.recover(start, |p| p.begins_statement() || p.leaves_block()),
                }
            }
            if !p.at(TokenKind::CloseBrace) {
                // Continues as if the block were closed: the rest belongs to the layer or the file.
                p.report(errors::not_closed("{", open, p.span(), &p.found_here()));
                return Ok(Block { statements, span: p.since(open) });
            }
            p.advance_as(Role::Block);
            Ok(Block { statements, span: p.since(open) })
        })
    }

    fn begins_statement(&self) -> bool {
        self.at(TokenKind::Name) && STATEMENTS.contains(&self.word())
    }

    fn statement(&mut self) -> Parse<Statement> {
        let start = self.span();
        let kind = match self.word() {
            "if" => return self.if_statement(),
            "match" => return self.match_(),
            "while" => return self.while_(),
            "for" => return self.for_(),
            _ => self.simple_statement()?,
        };
        let span = self.since(start);
        Ok(Statement { kind, span })
    }

    fn simple_statement(&mut self) -> Parse<StatementKind> {
        let word = self.word();
        match word {
            "let" => self.let_(),
            "var" => self.var(),
            "ref" => self.ref_(),
            "pass" => {
                self.advance();
                let ends = matches!(self.kind(), TokenKind::Semicolon | TokenKind::CloseBrace) || self.at_word("else");
                let value = if ends { None } else { Some(self.expr()?) };
                Ok(StatementKind::Pass { value, otherwise: self.otherwise()? })
            }
            "later" => self.one(word).map(StatementKind::Later),
            "drop" => self.one(word).map(StatementKind::Drop),
            "yield" => self.one(word).map(StatementKind::Yield),
            "assert" => self.one(word).map(|claim| {
                let text = &self.text[claim.span.start as usize..claim.span.end as usize];
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                StatementKind::Assert(claim, text)
            }),
            "cancel" => self.one(word).map(StatementKind::Cancel),
            "impossible" if self.ahead(1) == TokenKind::Name => {
                self.one(word).map(|what| StatementKind::Impossible(Some(what)))
            }
            "impossible" if self.ahead(1) == TokenKind::Semicolon => self.word_alone(StatementKind::Impossible(None)),
            "arm" => self.arm(),
            "count" if self.ahead(1) == TokenKind::Name && !matches!(self.word_ahead(1), "in" | "as" | "through") => {
                self.advance();
                // Counters have a name space of their own, in which any word can be a name.
                let name = if self.ahead(1) == TokenKind::Semicolon { self.ident() } else { self.name("a counter")? };
                self.end_of(word)?;
                Ok(StatementKind::Count(name))
            }
            "return" => {
                self.advance();
                let value = if self.at_end_of_statement() { None } else { Some(self.expr()?) };
                self.end_of(word)?;
                Ok(StatementKind::Return(value))
            }
            "break" => self.word_alone(StatementKind::Break),
            "reject" => self.word_alone(StatementKind::Reject),
            "else" => self.fail_with(errors::cannot_fail(self.span(), "this statement")),
            _ => self.assignment_or_call(),
        }
    }

    fn at_end_of_statement(&self) -> bool {
        matches!(self.kind(), TokenKind::Semicolon | TokenKind::CloseBrace)
    }

    fn word_alone(&mut self, kind: StatementKind) -> Parse<StatementKind> {
        let word = self.word();
        self.advance();
        self.end_of(word)?;
        Ok(kind)
    }

    /// A word and its operand.
    fn one(&mut self, word: &str) -> Parse<Expr> {
        self.advance();
        let operand = if word == "assert" { self.truth()? } else { self.expr()? };
        self.end_of(word)?;
        Ok(operand)
    }

    /// The `;` of a statement that cannot fail.
    fn end_of(&mut self, word: &str) -> Parse<()> {
        if self.at_word("else") {
            self.report(errors::cannot_fail(self.span(), &format!("`{word}`")));
            self.otherwise()?;
            return Ok(());
        }
        self.semicolon()
    }

    fn let_(&mut self) -> Parse<StatementKind> {
        self.advance();
        let pattern = self.pattern()?;
        if self.at(TokenKind::Colon) {
            return self.fail_with(errors::let_with_type(self.span()));
        }
        self.expect(TokenKind::Equal)?;
        let value = self.expr()?;
        Ok(StatementKind::Let { pattern, value, otherwise: self.otherwise()? })
    }

    fn var(&mut self) -> Parse<StatementKind> {
        self.advance();
        let name = self.name("a variable")?;
        let ty = if self.eat(TokenKind::Colon) { Some(self.ty()?) } else { None };
        let value = if self.eat(TokenKind::Equal) { Some(self.expr()?) } else { None };
        self.end_of("var")?;
        Ok(StatementKind::Var { name, ty, value })
    }

    fn ref_(&mut self) -> Parse<StatementKind> {
        self.advance();
        let name = self.name("a name for the place")?;
        self.expect(TokenKind::Equal)?;
        let place = self.expr()?;
        Ok(StatementKind::Ref { name, place, otherwise: self.otherwise()? })
    }

    fn arm(&mut self) -> Parse<StatementKind> {
        self.advance();
        let timer = self.postfix()?;
        self.expect_word("in")?;
        let delay = self.expr()?;
        let unless_armed = self.eat_word("unless");
        if unless_armed {
            self.expect_word("armed")?;
        }
        self.end_of("arm")?;
        Ok(StatementKind::Arm { timer, delay, unless_armed })
    }

    fn assignment_or_call(&mut self) -> Parse<StatementKind> {
        let place = self.expr()?;
        let op = match self.kind() {
            TokenKind::Equal => AssignOp::Set,
            TokenKind::PlusEqual => AssignOp::Add,
            TokenKind::MinusEqual => AssignOp::Sub,
            TokenKind::StarEqual => AssignOp::Mul,
            TokenKind::BarEqual => AssignOp::Or,
            TokenKind::AndEqual => AssignOp::And,
            _ => {
                return Ok(StatementKind::Expr { value: place, otherwise: self.otherwise()? });
            }
        };
        if !is_place(&place) {
            self.report(errors::not_a_place(place.span));
        }
        self.advance();
        let value = self.expr()?;
        Ok(StatementKind::Assign { place, op, value, otherwise: self.otherwise()? })
    }

    /// `;`, or the `else` clause of a statement that can fail.
    fn otherwise(&mut self) -> Parse<Option<Otherwise>> {
        let start = self.span();
        if !self.eat_word("else") {
            self.semicolon()?;
            return Ok(None);
        }
        let kind = match self.word() {
            "return" => {
                self.advance();
                let value = if self.at_end_of_statement() { None } else { Some(self.expr()?) };
                self.semicolon()?;
                OtherwiseKind::Return(value)
            }
            "break" => self.otherwise_word(OtherwiseKind::Break)?,
            "reject" => self.otherwise_word(OtherwiseKind::Reject)?,
            "unreachable" => self.otherwise_word(OtherwiseKind::Unreachable)?,
            "{" => OtherwiseKind::Block(self.block()?),
            _ => return self.fail("a block, `return`, `break`, `reject` or `unreachable`"),
        };
        Ok(Some(Otherwise { kind, span: self.since(start) }))
    }

    fn otherwise_word(&mut self, kind: OtherwiseKind) -> Parse<OtherwiseKind> {
        self.advance();
        self.semicolon()?;
        Ok(kind)
    }
}

/// Whether an expression can be assigned to.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Field(base, _) | ExprKind::Index(base, _) => {
            is_place(base) || matches!(base.kind, ExprKind::Call(..))
        }
        _ => false,
    }
}

// ---- statements with blocks

impl Parser<'_> {
    fn if_statement(&mut self) -> Parse<Statement> {
        self.nested(|p| {
            let start = p.span();
            p.advance();
            let condition = p.condition()?;
            let span = p.since(start);
            let then = p.block()?;
            let mut otherwise = None;
            if p.eat_word("else") {
                otherwise =
                    Some(if p.at_word("if") { Else::If(Box::new(p.if_statement()?)) } else { Else::Block(p.block()?) });
            }
            Ok(Statement { kind: StatementKind::If(If { condition, then, otherwise }), span })
        })
    }

    /// An expression that is true or false.
    pub(super) fn truth(&mut self) -> Parse<Expr> {
        let condition = self.expr()?;
        self.no_assignment()?;
        Ok(condition)
    }

    fn no_assignment(&mut self) -> Parse<()> {
        match self.at(TokenKind::Equal) {
            true => self.fail_with(errors::assignment_in_condition(self.span())),
            false => Ok(()),
        }
    }

    /// `likely (x)`, `let pattern = x && y`
    pub(super) fn condition(&mut self) -> Parse<Condition> {
        let start = self.span();
        let likely = match self.word() {
            "likely" => Some(true),
            "unlikely" => Some(false),
            _ => None,
        };
        if likely.is_some() {
            self.advance();
        }
        let kind = if self.eat_word("let") {
            let pattern = self.pattern()?;
            self.expect(TokenKind::Equal)?;
            let value = self.comparison()?;
            let mut height = self.height;
            let mut and = Vec::new();
            while self.at(TokenKind::AndAnd) {
                self.advance_as(Role::Operator(2));
                and.push(self.comparison()?);
                height = height.max(self.height);
            }
            if self.at(TokenKind::BarBar) {
                return self.fail_with(errors::or_after_let(self.span()));
            }
            self.height = height;
            ConditionKind::Let { pattern, value, and }
        } else {
            ConditionKind::Expr(self.expr()?)
        };
        self.no_assignment()?;
        Ok(Condition { likely, kind, span: self.since(start) })
    }

    fn match_(&mut self) -> Parse<Statement> {
        self.nested(|p| {
            let start = p.span();
            p.advance();
            let value = p.expr()?;
            let span = p.since(start);
            let open = p.span();
            p.expect_as(TokenKind::OpenBrace, Role::Block)?;
            let mut arms = Vec::new();
            while !p.at(TokenKind::CloseBrace) && !p.at(TokenKind::End) && !p.leaves_block() {
                let value = if p.at_word("_") {
                    p.advance();
                    None
                } else {
                    Some(p.expr()?)
                };
                p.expect(TokenKind::FatArrow)?;
                arms.push(MatchArm { value, body: p.block()? });
            }
            p.close_as(TokenKind::CloseBrace, open, Role::Block)?;
            Ok(Statement { kind: StatementKind::Match { value, arms }, span })
        })
    }

    fn while_(&mut self) -> Parse<Statement> {
        let start = self.span();
        self.advance();
        let condition = self.condition()?;
        let bound = self.bound()?;
        let span = self.since(start);
        let body = self.block()?;
        Ok(Statement { kind: StatementKind::While { condition, bound, body }, span })
    }

    fn for_(&mut self) -> Parse<Statement> {
        let start = self.span();
        self.advance();
        let pattern = self.pattern()?;
        self.expect_word("in")?;
        let drain = self.eat_word("drain");
        let over = self.expr()?;
        let bound = self.bound()?;
        let span = self.since(start);
        let body = self.block()?;
        Ok(Statement { kind: StatementKind::For { pattern, over, drain, bound, body }, span })
    }

    fn bound(&mut self) -> Parse<Option<Expr>> {
        if self.eat_word("bound") {
            return self.expr().map(Some);
        }
        Ok(None)
    }
}
