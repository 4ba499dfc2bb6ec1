//! Files, imports, and the items that files and layers share: structs, enums, constants, externs.

use super::{Failed, Parse, Parser, Role};
use crate::ast::*;
use crate::errors;
use crate::token::TokenKind;

/// The words that begin an item.
const ITEMS: &[&str] = &[
    "worker",
    "multiplexor",
    "router",
    "interface",
    "struct",
    "enum",
    "wire",
    "filter",
    "automaton",
    "configuration",
    "property",
    "extern",
    "const",
    "stack",
    "graph",
    "test",
    "import",
    "edition",
];

/// The edition of the language that this compiler knows.
const EDITION: u64 = 1;

/// Those that also begin a member of a layer.
const ALSO_MEMBERS: &[&str] = &["struct", "enum", "extern", "const"];

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut file = File { docs: self.docs_with("//!"), ..File::default() };
        while !self.at(TokenKind::End) {
            let start = self.position;
            if self.file_part(&mut file).is_err() {
                self.recover_item(start);
            }
        }
        file
    }

    fn file_part(&mut self, file: &mut File) -> Parse<()> {
        match self.word() {
            "edition" => {
                if file.edition.is_some() || !file.imports.is_empty() || !file.items.is_empty() {
                    self.report(errors::wrong_order(self.span(), "edition", "import or item"));
                }
                file.edition = Some(self.edition()?);
            }
            "import" => {
                if !file.items.is_empty() {
                    self.report(errors::wrong_order(self.span(), "import", "item"));
                }
                file.imports.push(self.import()?);
            }
            _ if self.begins_certain_member() => self.members_outside(file),
            _ => file.items.push(self.item()?),
        }
        Ok(())
    }

    /// A member of a layer between items: usually the `}` before it was one too many. It is reported once, and the
    /// members up to the next `}` are assigned to the preceding layer.
    fn members_outside(&mut self, file: &mut File) {
        self.report(errors::member_outside(self.span(), self.word()));
        let mut members = self.members();
        self.eat(TokenKind::CloseBrace);
        if let Some(Item::Layer(layer)) = file.items.last_mut() {
            layer.members.append(&mut members);
        }
    }

    fn edition(&mut self) -> Parse<(u64, nacre_diagnostics::Span)> {
        self.advance();
        let span = self.span();
        let number = self.number("the number of an edition")?;
        if number != EDITION {
            self.report(errors::unknown_edition(span, number, EDITION));
        }
        self.semicolon()?;
        Ok((number, span))
    }

    fn import(&mut self) -> Parse<Import> {
        let start = self.span();
        self.advance();
        let path = self.text_value("the path of a file in quotes")?;
        let alias = if self.eat_word("as") { Some(self.alias()?) } else { None };
        let span = self.since(start);
        self.semicolon()?;
        Ok(Import { path, alias, file: None, span })
    }

    fn item(&mut self) -> Parse<Item> {
        match self.word() {
            "worker" | "multiplexor" | "router" => self.layer().map(Item::Layer),
            "interface" => self.interface().map(Item::Interface),
            "struct" => self.struct_().map(Item::Struct),
            "enum" => self.enum_().map(Item::Enum),
            "wire" => self.wire().map(Item::Wire),
            "filter" => self.filter().map(Item::Filter),
            "automaton" => self.automaton().map(Item::Automaton),
            "configuration" => self.configuration().map(Item::Configuration),
            "property" => self.property().map(Item::Property),
            "extern" => self.extern_().map(Item::Extern),
            "const" => self.const_().map(Item::Const),
            "stack" => self.stack().map(Item::Stack),
            "graph" => self.graph().map(Item::Graph),
            "test" => self.test().map(Item::Test),
            "}" | ")" | "]" => self.fail_with(errors::closes_nothing(self.span(), self.word())),
            word => {
                let hint = match word {
                    "layer" => Some("a layer is a `worker`, a `multiplexor` or a `router`".to_string()),
                    _ => nearest(word, ITEMS).map(|near| format!("did you mean `{near}`?")),
                };
                self.fail_with(errors::no_item(self.span(), &self.found_here(), hint.as_deref()))
            }
        }
    }

    /// Whether an item that is no member of a layer begins here.
    pub(super) fn begins_item(&self) -> bool {
        let word = self.word();
        let names_event = matches!(self.ahead(2), TokenKind::OpenParen | TokenKind::Bar);
        self.at(TokenKind::Name) && ITEMS.contains(&word) && !ALSO_MEMBERS.contains(&word) && !names_event
    }

    /// Whether a list of members, fields or statements ends here, with or without its closing bracket.
    pub(super) fn ends_braces(&self) -> bool {
        matches!(self.kind(), TokenKind::CloseBrace | TokenKind::End) || self.at_margin() && self.begins_item()
    }

    /// Skips to the next item: after a `;` or closed braces, or at an item's keyword that is first on its line.
    fn recover_item(&mut self, start: usize) {
        loop {
            let begins = self.at(TokenKind::Name) && ITEMS.contains(&self.word());
            match self.kind() {
                TokenKind::End => return,
                _ if begins && self.position > start && self.first_on_line() => return,
                TokenKind::CloseBrace | TokenKind::Semicolon => {
                    self.advance();
                    return;
                }
                TokenKind::OpenBrace => {
                    self.skip_braces();
                    return;
                }
                _ => self.advance(),
            }
        }
    }

    pub(super) fn struct_(&mut self) -> Parse<Struct> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.type_name("a struct")?;
        let span = self.since(start);
        let fields = self.fields()?;
        Ok(Struct { docs, name, fields, span })
    }

    pub(super) fn enum_(&mut self) -> Parse<Enum> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.type_name("an enum")?;
        let span = self.since(start);
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Fields)?;
        let variants = self.list(TokenKind::CloseBrace, |p| p.name("a variant"))?;
        self.close_as(TokenKind::CloseBrace, open, Role::Fields)?;
        Ok(Enum { docs, name, variants, span })
    }

    pub(super) fn const_(&mut self) -> Parse<Const> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.constant_name("a constant")?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        self.expect(TokenKind::Equal)?;
        let value = self.expr()?;
        let span = self.since(start);
        self.semicolon()?;
        Ok(Const { docs, name, ty, value, span })
    }

    pub(super) fn extern_(&mut self) -> Parse<Extern> {
        let (docs, start) = (self.docs(), self.span());
        self.advance();
        let name = self.name("a function in C")?;
        let parameters = self.function_parameters()?;
        let result = if self.eat(TokenKind::Arrow) { Some(self.ty()?) } else { None };
        let span = self.since(start);
        let mut contract = Vec::new();
        if self.at(TokenKind::Name) {
            self.roles[self.position] = Role::Operator(0);
        }
        let begins_c = |p: &Self| p.at_word("c") && p.ahead(1) == TokenKind::CBody;
        while !self.at(TokenKind::Semicolon) && !begins_c(self) {
            contract.push(self.contract()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let mut body = None;
        if begins_c(self) {
            self.advance();
            let text = self.word();
            let inner = text.strip_prefix('{').unwrap_or(text);
            body = Some(inner.strip_suffix('}').unwrap_or(inner).to_string());
            self.advance();
        }
        self.semicolon()?;
        Ok(Extern { docs, name, parameters, result, contract, body, span })
    }

    fn contract(&mut self) -> Parse<Contract> {
        let word = self.word();
        match word {
            "pure" => {
                self.advance();
                Ok(Contract::Pure)
            }
            "inverse" => {
                self.advance();
                self.expect_word("of")?;
                let function = self.item_name("the inverse function")?;
                let through = match self.eat_word("through") {
                    true => Some(self.item_name("the function of the first argument")?),
                    false => None,
                };
                Ok(Contract::InverseOf { function, through })
            }
            "grows" | "shrinks" | "range" => {
                self.advance();
                let value = self.expr()?;
                Ok(match word {
                    "grows" => Contract::Grows(value),
                    "shrinks" => Contract::Shrinks(value),
                    _ => Contract::Range(value),
                })
            }
            _ if self.first_on_line() || self.at(TokenKind::End) => {
                self.semicolon()?;
                Err(Failed)
            }
            _ => self.fail_with(errors::no_contract(self.span(), &self.found_here())),
        }
    }

    /// `{ name: type = initial, secret key: bytes<32> }`; a missing type is reported later.
    pub(super) fn fields(&mut self) -> Parse<Vec<Field>> {
        let open = self.span();
        self.expect_as(TokenKind::OpenBrace, Role::Fields)?;
        let fields = self.list(TokenKind::CloseBrace, Self::field)?;
        self.close_as(TokenKind::CloseBrace, open, Role::Fields)?;
        Ok(fields)
    }

    /// `as cookie`, or nothing.
    pub(super) fn role(&mut self) -> Parse<Option<Ident>> {
        if self.eat_word("as") {
            self.name("a role").map(Some)
        } else {
            Ok(None)
        }
    }

    fn field(&mut self) -> Parse<Field> {
        let (docs, start) = (self.docs(), self.span());
        let secret = self.at_word("secret") && self.ahead(1) == TokenKind::Name;
        if secret {
            self.advance();
        }
        let name = self.name("a field")?;
        let mut field = Field { docs, name, secret, ty: None, role: None, initial: None, span: start };
        if self.eat(TokenKind::Colon) {
            field.ty = Some(self.ty()?);
            field.role = self.role()?;
            if self.eat(TokenKind::Equal) {
                field.initial = Some(self.expr()?);
            }
        }
        field.span = self.since(start);
        Ok(field)
    }
}

/// Returns the known word with the least edit distance to a misspelled one, if that is at most 2 (1 for short words).
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if word.len() < 3 || word.len() > 20 {
        return None;
    }
    let allowed = if word.len() <= 4 { 1 } else { 2 };
    known
        .iter()
        .map(|&other| (strsim::levenshtein(word, other), other))
        .filter(|&(d, _)| d <= allowed)
        .min()
        .map(|(_, other)| other)
}
