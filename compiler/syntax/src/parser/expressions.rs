//! Expressions, by the precedence of their operators.

use nacre_diagnostics::Span;

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::{TokenKind, CONSTANT, TYPE};

/// The precedence of an operator: the larger, the tighter it binds.
type Binding = u8;

const COMPARISON: Binding = 3;
const THROUGH: Binding = 4;
const RANGE: Binding = 5;
const SUM: Binding = 8;
const AS: Binding = 10;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(1))
    }

    /// Without comparisons and shifts: between angle brackets.
    pub(super) fn sum(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(SUM))
    }

    /// Without `&&` and `||`: the value of a `let` in a condition.
    pub(super) fn comparison(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(COMPARISON))
    }

    /// The binary operator at the current token.
    fn operator(&self) -> Option<(BinaryOp, Binding)> {
        use BinaryOp::*;
        Some(match self.kind() {
            TokenKind::BarBar => (Or, 1),
            TokenKind::AndAnd => (And, 2),
            TokenKind::EqualEqual => (Equal, COMPARISON),
            TokenKind::NotEqual => (NotEqual, COMPARISON),
            TokenKind::LessEqual => (LessEqual, COMPARISON),
            TokenKind::GreaterEqual => (GreaterEqual, COMPARISON),
            TokenKind::Less => (Less, COMPARISON),
            TokenKind::Greater if self.shifts_right() => (Shr, 7),
            TokenKind::Greater => (Greater, COMPARISON),
            TokenKind::Name if self.word() == "in" => (In, COMPARISON),
            TokenKind::DotDot => (Range, RANGE),
            TokenKind::Bar => (BitOr, 6),
            TokenKind::Caret => (BitXor, 6),
            TokenKind::And => (BitAnd, 6),
            TokenKind::ShiftLeft => (Shl, 7),
            TokenKind::Plus => (Add, SUM),
            TokenKind::Minus => (Sub, SUM),
            TokenKind::PlusPlus => (Concat, SUM),
            TokenKind::Star => (Mul, 9),
            TokenKind::Slash => (Div, 9),
            TokenKind::Percent => (Rem, 9),
            _ => return None,
        })
    }

    /// `>>` is two adjacent tokens.
    fn shifts_right(&self) -> bool {
        let next = self.lexed.tokens.get(self.position + 1);
        next.is_some_and(|next| next.kind == TokenKind::Greater && next.start == self.token().end)
    }

    /// Operands joined by operators of at least this precedence.
    fn binary(&mut self, least: Binding) -> Parse<Expr> {
        let start = self.span();
        let mut left = self.unary()?;
        let mut height = self.height;
        let mut compared: Option<Span> = None;
        loop {
            if self.at_word("through") && least <= THROUGH {
                self.advance_as(Role::Operator(THROUGH));
                let filter = self.item_name("a filter")?;
                left = Expr { kind: ExprKind::Through(Box::new(left), filter), span: self.since(start) };
                height += 1;
                self.grown(height)?;
                continue;
            }
            if self.at_word("as") && least <= AS {
                self.advance();
                let ty = self.ty()?;
                left = Expr { kind: ExprKind::As(Box::new(left), Box::new(ty)), span: self.since(start) };
                height = height.max(self.height) + 1;
                self.grown(height)?;
                continue;
            }
            let Some((operator, binding)) = self.operator().filter(|&(_, binding)| binding >= least) else { break };
            if binding == COMPARISON {
                if let Some(first) = compared {
                    self.report(errors::comparisons_in_a_row(first, self.span()));
                }
                compared = Some(self.span());
            }
            self.advance_as(if operator == BinaryOp::Range { Role::Range } else { Role::Operator(binding) });
            if operator == BinaryOp::Shr {
                self.advance();
            }
            if operator == BinaryOp::Range && self.at(TokenKind::CloseBracket) {
                self.roles[self.position - 1] = Role::Plain;
                left = Expr { kind: ExprKind::From(Box::new(left)), span: self.since(start) };
                break;
            }
            let right = self.nested(|p| p.binary(binding + 1))?;
            height = height.max(self.height) + 1;
            self.grown(height)?;
            left = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span: self.since(start) };
        }
        self.height = height;
        Ok(left)
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.span();
        let operator = match self.kind() {
            TokenKind::Not => Some(UnaryOp::Not),
            TokenKind::Minus => Some(UnaryOp::Negate),
            TokenKind::Name if self.word() == "share" => None,
            _ => return self.postfix(),
        };
        self.advance_as(if operator.is_some() { Role::Prefix } else { Role::Plain });
        let inner = Box::new(self.nested(|p| p.unary())?);
        self.grown(self.height)?;
        let kind = match operator {
            Some(operator) => ExprKind::Unary(operator, inner),
            None => ExprKind::Share(inner),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// A name, a call, a field, an element.
    pub(super) fn postfix(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut expr = self.primary()?;
        let mut height = self.height;
        loop {
            let open = self.span();
            let kind = match self.kind() {
                TokenKind::Dot => {
                    let names_item = matches!(self.ahead(1), TokenKind::Capitalized(_));
                    if let (true, ExprKind::Name(name)) = (names_item, &expr.kind) {
                        return self.fail_with(errors::no_such_import(name, &self.aliases, expr.span));
                    }
                    self.advance();
                    ExprKind::Field(Box::new(expr), self.name("the name of a field or an operation")?)
                }
                TokenKind::OpenParen => {
                    self.advance_as(Role::Call);
                    self.height = 0;
                    let arguments = self.arguments()?;
                    self.close(TokenKind::CloseParen, open)?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                TokenKind::OpenBracket => {
                    self.advance_as(Role::Index);
                    let index = self.expr()?;
                    self.close(TokenKind::CloseBracket, open)?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                _ => break,
            };
            if !matches!(kind, ExprKind::Field(..)) {
                height = height.max(self.height);
            }
            height += 1;
            self.grown(height)?;
            expr = Expr { kind, span: self.since(start) };
        }
        self.height = height;
        Ok(expr)
    }

    fn arguments(&mut self) -> Parse<Vec<Argument>> {
        let mut height = 0;
        let arguments = self.list(TokenKind::CloseParen, |p| {
            let by_ref = p.eat_word("ref");
            let value = p.expr()?;
            height = height.max(p.height);
            Ok(Argument { by_ref, value })
        })?;
        self.height = height;
        Ok(arguments)
    }

    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.height = 0;
        if self.at_alias() {
            return self.imported();
        }
        let kind = match self.kind() {
            TokenKind::Number => self.quantity()?,
            TokenKind::Text | TokenKind::OpenText => ExprKind::Text(self.text_value("a text")?),
            _ if self.at_misnamed_literal() => self.type_or_literal(String::new())?,
            TYPE => self.type_or_literal(String::new())?,
            CONSTANT => ExprKind::Name(self.ident().name),
            TokenKind::OpenParen => return self.parenthesized(),
            TokenKind::OpenBracket => {
                let open = self.span();
                self.advance();
                let mut height = 0;
                let parts = self.list(TokenKind::CloseBracket, |p| {
                    let part = p.expr()?;
                    height = height.max(p.height);
                    Ok(part)
                })?;
                self.close(TokenKind::CloseBracket, open)?;
                self.height = height + 1;
                ExprKind::Array(parts)
            }
            TokenKind::Name => match self.word() {
                "if" => self.if_expression()?,
                "true" => self.word_as(ExprKind::True),
                "false" => self.word_as(ExprKind::False),
                "none" => self.word_as(ExprKind::None),
                "some" => {
                    self.advance();
                    let open = self.span();
                    self.expect_as(TokenKind::OpenParen, Role::Call)?;
                    let inner = self.expr()?;
                    self.eat(TokenKind::Comma);
                    self.close(TokenKind::CloseParen, open)?;
                    self.height += 1;
                    ExprKind::Some(Box::new(inner))
                }
                _ => ExprKind::Name(self.name("an expression")?.name),
            },
            TokenKind::Decimal => return self.fail_with(errors::no_fraction(self.span(), self.word())),
            TokenKind::Slash if self.ahead(1) == TokenKind::Star => {
                return self.fail_with(errors::block_comment(self.span()))
            }
            _ => return self.fail("an expression"),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// `net.LARGEST`, `net.Phase` before `.open`, `net.Point { x: 1 }`, `net.sealed` before `(m)`
    fn imported(&mut self) -> Parse<Expr> {
        let start = self.span();
        let before = self.import_before();
        let kind = match self.kind() {
            _ if self.at_misnamed_literal() => self.type_or_literal(before)?,
            TYPE => self.type_or_literal(before)?,
            CONSTANT => ExprKind::Name(before + &self.ident().name),
            _ => ExprKind::Name(before + &self.name("an item of the file")?.name),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn word_as(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    /// `50`, `50 ms`
    fn quantity(&mut self) -> Parse<ExprKind> {
        let value = self.number("a number")?;
        if !self.at(TokenKind::Name) {
            return Ok(ExprKind::Number(value));
        }
        let unit = match self.word() {
            "ns" => TimeUnit::Ns,
            "us" => TimeUnit::Us,
            "ms" => TimeUnit::Ms,
            "s" => TimeUnit::S,
            "min" => TimeUnit::Min,
            "h" => TimeUnit::H,
            word => {
                let glued = self.previous().end == self.span().start;
                if glued
                    || matches!(
                        word,
                        "sec" | "secs" | "second" | "seconds" | "msec" | "millis" | "hours" | "hour" | "minutes" | "m"
                    )
                {
                    return self.fail_with(errors::not_a_unit(self.span(), word));
                }
                return Ok(ExprKind::Number(value));
            }
        };
        self.advance();
        Ok(ExprKind::Duration(value, unit))
    }

    fn parenthesized(&mut self) -> Parse<Expr> {
        let open = self.span();
        self.advance();
        let mut parts = Vec::new();
        let mut height = 0;
        loop {
            parts.push(self.truth()?);
            height = height.max(self.height);
            if !self.eat(TokenKind::Comma) || self.at(TokenKind::CloseParen) {
                break;
            }
        }
        self.close(TokenKind::CloseParen, open)?;
        self.height = height + 1;
        let span = self.since(open);
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(Expr { kind: only.kind, span }),
            Some(last) => {
                parts.push(last);
                Ok(Expr { kind: ExprKind::Tuple(parts), span })
            }
            None => self.fail("an expression"),
        }
    }

    /// `Phase` before `.open`, or `Nak { low, high: x }`
    fn type_or_literal(&mut self, before: String) -> Parse<ExprKind> {
        let start = self.span();
        let name = Ident { name: before + &self.ident().name, span: start };
        let open = self.span();
        if !self.at(TokenKind::OpenBrace) {
            return Ok(ExprKind::TypeName(name.name));
        }
        self.advance_as(Role::Literal);
        let mut height = 0;
        let fields = self.list(TokenKind::CloseBrace, |p| {
            let field = p.name("a field")?;
            if p.at(TokenKind::Equal) {
                return p.fail_with(errors::field_with_equal(p.span(), &field.name));
            }
            let value = if p.eat(TokenKind::Colon) { Some(p.expr()?) } else { None };
            height = height.max(p.height);
            Ok((field, value))
        })?;
        self.close_as(TokenKind::CloseBrace, open, Role::Literal)?;
        self.height = height + 1;
        Ok(ExprKind::Literal(name, fields))
    }

    fn if_expression(&mut self) -> Parse<ExprKind> {
        let start = self.span();
        self.advance();
        let condition = self.condition()?;
        let mut height = self.height;
        let then = self.branch()?;
        height = height.max(self.height);
        let whole = self.since(start);
        if !self.at_word("else") {
            return self.fail_with(errors::if_without_else(whole, self.span()));
        }
        self.advance_as(Role::Operator(0));
        let otherwise = if self.at_word("if") { self.nested(|p| p.primary())? } else { self.branch()? };
        height = height.max(self.height);
        self.grown(height)?;
        Ok(ExprKind::If(Box::new(IfExpr { condition, then, otherwise })))
    }

    /// The branch of an `if` that is a value; statements have a message of their own.
    fn branch(&mut self) -> Parse<Expr> {
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Value)?;
        if ["let", "var", "drop", "pass", "count", "arm", "cancel", "return"].contains(&self.word())
            && self.ahead(1) != TokenKind::CloseBrace
        {
            return self.fail_with(errors::statement_in_value(self.span(), open));
        }
        let value = self.expr()?;
        use TokenKind::{AndEqual, BarEqual, Equal, MinusEqual, PlusEqual, Semicolon, StarEqual};
        if matches!(self.kind(), Semicolon | Equal | PlusEqual | MinusEqual | StarEqual | BarEqual | AndEqual) {
            return self.fail_with(errors::statement_in_value(value.span, open));
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Value)?;
        Ok(value)
    }

    /// `{ value }`
    pub(super) fn value_in_braces(&mut self) -> Parse<Expr> {
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Value)?;
        let value = self.expr()?;
        self.close_as(TokenKind::CloseBrace, open, Role::Value)?;
        Ok(value)
    }
}
