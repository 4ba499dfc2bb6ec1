//! Stacks, and graphs of layers.

use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::token::{TokenKind, CONSTANT};

impl Parser<'_> {
    pub(super) fn stack(&mut self) -> Parse<Stack> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a stack")?;
        let open = self.span();
        let mut members = None;
        if self.at(TokenKind::Less) {
            self.advance_as(Role::Angle);
            members = Some(self.number("the largest number of members")?);
            self.eat(TokenKind::Comma);
            self.close_as(TokenKind::Greater, open, Role::Angle)?;
        }
        self.expect(TokenKind::Equal)?;
        let body = if self.at_word("for") { self.stack_for()? } else { self.stack_layers()? };
        let span = self.since(start);
        self.semicolon()?;
        Ok(Stack { docs, name, members, body, span })
    }

    fn stack_for(&mut self) -> Parse<StackBody> {
        self.advance();
        let mut properties = vec![self.name("a property")?];
        while self.eat(TokenKind::Comma) {
            properties.push(self.name("a property")?);
        }
        self.expect_word("over")?;
        Ok(StackBody::For { properties, over: self.name("a property of the network")? })
    }

    fn stack_layers(&mut self) -> Parse<StackBody> {
        let mut layers = vec![self.layer_ref()?];
        while self.at(TokenKind::Slash) {
            self.advance_as(Role::Operator(0));
            layers.push(self.layer_ref()?);
        }
        Ok(StackBody::Layers(layers))
    }

    fn layer_ref(&mut self) -> Parse<LayerRef> {
        let name = self.item_name("a layer")?;
        let start = name.span;
        let open = self.span();
        let mut arguments = Vec::new();
        if self.at(TokenKind::Less) {
            self.advance_as(Role::Angle);
            arguments = self.list(TokenKind::Greater, |p| {
                let named = p.at(CONSTANT) && p.ahead(1) == TokenKind::Equal;
                let name = if named { Some(p.ident()) } else { None };
                if named {
                    p.advance();
                }
                Ok(LayerArgument { name, value: p.sum()? })
            })?;
            self.close_as(TokenKind::Greater, open, Role::Angle)?;
        }
        Ok(LayerRef { name, arguments, span: self.since(start) })
    }

    pub(super) fn graph(&mut self) -> Parse<Graph> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a graph")?;
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        let mut lines = Vec::new();
        while !self.ends_braces() {
            let start = self.position;
            match self.graph_line() {
                Ok(line) => lines.push(line),
                Err(_) => self.recover(start, |p| p.word() == "let"),
            }
        }
        self.close_as(TokenKind::CloseBrace, open, Role::Block)?;
        Ok(Graph { docs, name, lines, span })
    }

    /// `let big = frag<1400> over mux[key 1, peer 1];`
    fn graph_line(&mut self) -> Parse<GraphLine> {
        let start = self.span();
        self.expect_word("let")?;
        let name = self.name("a name")?;
        self.expect(TokenKind::Equal)?;
        let layer = self.layer_ref()?;
        let key = self.graph_key()?;
        let mut over = Vec::new();
        if self.eat_word("over") {
            let open = self.span();
            if self.eat(TokenKind::OpenParen) {
                over = self.list(TokenKind::CloseParen, |p| p.graph_over())?;
                self.close(TokenKind::CloseParen, open)?;
            } else {
                over.push(self.graph_over()?);
            }
        }
        let span = self.since(start);
        self.semicolon()?;
        Ok(GraphLine { name, layer, over, key, span })
    }

    fn graph_over(&mut self) -> Parse<GraphOver> {
        Ok(GraphOver { name: self.name("the layer below")?, key: self.graph_key()? })
    }

    fn graph_key(&mut self) -> Parse<Option<(u64, u64)>> {
        let open = self.span();
        if !self.at(TokenKind::OpenBracket) {
            return Ok(None);
        }
        self.advance_as(Role::Index);
        self.expect_word("key")?;
        let key = self.number("the key of this endpoint")?;
        self.expect(TokenKind::Comma)?;
        self.expect_word("peer")?;
        let peer = self.number("the key of the other endpoint")?;
        self.close(TokenKind::CloseBracket, open)?;
        Ok(Some((key, peer)))
    }
}
