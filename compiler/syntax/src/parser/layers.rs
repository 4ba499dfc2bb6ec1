//! Layers and their members: headers, storage, ports.

use super::items::nearest;
use super::{Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::TokenKind;

/// The words that begin a member, besides the names of ports.
const MEMBERS: &[&str] = &[
    "provides",
    "requires",
    "breaks",
    "version",
    "header",
    "state",
    "lasting",
    "shared",
    "given",
    "counters",
    "accepts",
    "port",
    "below",
    "extends",
    "invariant",
    "goal",
    "up",
    "down",
    "on",
    "fn",
    "struct",
    "enum",
    "const",
    "extern",
];

/// Those that are never names: in a block, one shows that the block was not closed.
const CERTAIN: &[&str] = &["up", "down", "on", "fn", "header", "state", "lasting", "shared", "given", "extern"];

impl Parser<'_> {
    pub(super) fn layer(&mut self) -> Parse<Layer> {
        let (docs, start) = (self.docs(), self.span());
        let kind = match self.word() {
            "worker" => LayerKind::Worker,
            "multiplexor" => LayerKind::Multiplexor,
            _ => LayerKind::Router,
        };
        self.advance();
        let name = self.name("a layer")?;
        let parameters = self.parameters()?;
        let above = if self.eat(TokenKind::Colon) { Some(self.interface_ref()?) } else { None };
        let mut over = Vec::new();
        if self.eat_word("over") {
            over.push(self.interface_ref()?);
            while self.eat(TokenKind::Plus) {
                over.push(self.interface_ref()?);
            }
        }
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Block)?;
        let members = self.members();
        if self.at(TokenKind::CloseBrace) {
            self.advance_as(Role::Block);
        } else {
            // The layer is kept, because other items follow.
            self.report(errors::not_closed("{", open, self.span(), &self.found_here()));
        }
        Ok(Layer { docs, kind, name, parameters, above, over, members, span })
    }

    pub(super) fn members(&mut self) -> Vec<Member> {
        let mut members = Vec::new();
        while !self.ends_braces() {
            let start = self.position;
            match self.member() {
                Ok(member) => members.push(member),
                Err(_) => self.recover(start, |p| p.begins_member() || p.at_margin() && p.begins_item()),
            }
        }
        members
    }

    fn begins_member(&self) -> bool {
        self.at(TokenKind::Name) && MEMBERS.contains(&self.word()) && self.ahead(1) != TokenKind::Colon
    }

    /// Whether a construct begins here that cannot be in a block.
    pub(super) fn leaves_block(&self) -> bool {
        self.begins_certain_member() && self.first_on_line() || self.at_margin() && self.begins_item()
    }

    pub(super) fn begins_certain_member(&self) -> bool {
        let certain = self.at(TokenKind::Name) && CERTAIN.contains(&self.word());
        certain && (self.word() != "extern") && !matches!(self.ahead(1), TokenKind::Dot)
    }

    /// Whether a construct begins here that cannot be in a list: a member, an item, a statement.
    pub(super) fn begins_elsewhere(&self) -> bool {
        let statement = ["let", "var", "if", "for", "while", "pass", "return", "drop", "arm"].contains(&self.word());
        let named = matches!(self.ahead(1), TokenKind::Colon | TokenKind::Comma | TokenKind::CloseBrace);
        statement || self.begins_member() && !named || self.begins_item()
    }

    fn member(&mut self) -> Parse<Member> {
        let start = self.span();
        if self.begins_port_handler() {
            return self.handler().map(Member::Handler);
        }
        match self.word() {
            "provides" => self.names().map(Member::Provides),
            "requires" => self.names().map(Member::Requires),
            "breaks" => self.names().map(Member::Breaks),
            "version" => self.version(),
            "header" => self.header().map(Member::Header),
            "state" => self.storage(StorageKind::State),
            "lasting" => self.storage(StorageKind::Lasting),
            "shared" => self.storage(StorageKind::Shared),
            "given" => self.storage(StorageKind::Given),
            "counters" => self.storage(StorageKind::Counters),
            "accepts" => self.accepts().map(Member::Accepts),
            "port" => self.port(),
            "below" => self.below(),
            "extends" => {
                self.advance();
                let what = self.name("`view`")?;
                let span = self.since(start);
                Ok(Member::Extends { what, fields: self.fields()?, span })
            }
            "invariant" => {
                self.advance();
                let condition = self.truth()?;
                let span = self.since(start);
                self.semicolon()?;
                Ok(Member::Invariant { condition, span })
            }
            "goal" => self.goal().map(Member::Goal),
            "up" | "down" => self.handler().map(Member::Handler),
            "on" => self.timer_handler().map(Member::TimerHandler),
            "fn" => self.function().map(Member::Function),
            "struct" => self.struct_().map(Member::Struct),
            "enum" => self.enum_().map(Member::Enum),
            "const" => self.const_().map(Member::Const),
            "extern" => self.extern_().map(Member::Extern),
            word => {
                let hint = match word {
                    "let" | "var" => {
                        Some("fields of a layer are declared in its state: `state { next: u32 }`".to_string())
                    }
                    _ => nearest(word, MEMBERS).map(|near| format!("did you mean `{near}`?")),
                };
                self.fail_with(errors::no_member(self.span(), &self.found_here(), hint.as_deref()))
            }
        }
    }

    /// `provides a, b;`
    fn names(&mut self) -> Parse<Vec<Ident>> {
        self.advance();
        let mut names = vec![self.item_name("an automaton or a property")?];
        while self.eat(TokenKind::Comma) {
            names.push(self.item_name("an automaton or a property")?);
        }
        self.semicolon()?;
        Ok(names)
    }

    fn version(&mut self) -> Parse<Member> {
        self.advance();
        let span = self.span();
        let number = self.number("the number of a version")?;
        self.semicolon()?;
        Ok(Member::Version(number, span))
    }

    fn header(&mut self) -> Parse<Header> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.type_name("a header")?;
        let span = self.since(start);
        if self.eat(TokenKind::Semicolon) {
            return Ok(Header { docs, name, fields: None, span });
        }
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Fields)?;
        let fields = self.list(TokenKind::CloseBrace, Self::header_field)?;
        self.close_as(TokenKind::CloseBrace, open, Role::Fields)?;
        Ok(Header { docs, name, fields: Some(fields), span })
    }

    /// `number: u29 big at cookie gossip`; the parts after the type in any order.
    fn header_field(&mut self) -> Parse<HeaderField> {
        let (docs, start) = (self.docs(), self.span());
        let name = self.name("a field")?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        let mut field = HeaderField { docs, name, ty, big: false, place: None, class: None, span: start };
        while self.at(TokenKind::Name) {
            match self.word() {
                "big" if !field.big => {
                    self.advance();
                    field.big = true;
                }
                "at" if field.place.is_none() && matches!(self.word_ahead(1), "cookie" | "fingerprint") => {
                    self.advance();
                    field.place = Some(Place::Named(self.ident()));
                }
                "at" if field.place.is_none() && self.word_ahead(1) == "byte" => {
                    self.advance();
                    self.advance();
                    field.place = Some(Place::Byte(self.expr()?));
                }
                "identification" | "protocol" | "message" | "gossip" if field.class.is_none() => {
                    field.class = Some(self.ident())
                }
                // The name of the next field, after a missing comma.
                _ if self.ahead(1) == TokenKind::Colon => break,
                word => return self.fail_with(errors::no_attribute(self.span(), word)),
            }
        }
        field.span = self.since(start);
        Ok(field)
    }

    fn storage(&mut self, kind: StorageKind) -> Parse<Member> {
        let span = self.span();
        self.advance();
        let fields = self.fields()?;
        Ok(Member::Storage(Storage { kind, fields, span }))
    }

    fn port(&mut self) -> Parse<Member> {
        let start = self.span();
        self.advance();
        let name = self.name("a port")?;
        self.expect(TokenKind::Colon)?;
        let interface = self.interface_ref()?;
        let span = self.since(start);
        self.semicolon()?;
        Ok(Member::Port { name, interface, span })
    }

    fn below(&mut self) -> Parse<Member> {
        let start = self.span();
        self.advance();
        let mut ports = Vec::new();
        loop {
            let name = self.name("a port")?;
            let interface = if self.eat(TokenKind::Colon) { Some(self.interface_ref()?) } else { None };
            ports.push((name, interface));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let span = self.since(start);
        self.semicolon()?;
        Ok(Member::Below { ports, span })
    }
}
