//! Names, whose case shows their kind, and numbers.

use super::{Parse, Parser};
use crate::ast::Ident;
use crate::errors;
use crate::token::{is_reserved, TokenKind, CONSTANT, TYPE};

impl Parser<'_> {
    pub(super) fn ident(&mut self) -> Ident {
        let ident = Ident { name: self.word().into(), span: self.span() };
        self.advance();
        ident
    }

    /// A lower-case name.
    pub(super) fn name(&mut self, what: &str) -> Parse<Ident> {
        match self.kind() {
            TokenKind::Name if is_reserved(self.word()) => self.fail_with(errors::reserved(self.word(), self.span())),
            TokenKind::Name if self.aliases.contains(&self.word()) && !self.behind_dot() => {
                self.report(errors::name_of_import(self.word(), what, self.span()));
                Ok(self.ident())
            }
            TokenKind::Name => Ok(self.ident()),
            TokenKind::Capitalized(_) => {
                let better = snake(self.word());
                Ok(self.misnamed(what, &better))
            }
            _ => self.fail(what),
        }
    }

    fn behind_dot(&self) -> bool {
        self.position > 0 && self.lexed.tokens[self.position - 1].kind == TokenKind::Dot
    }

    /// The name given to an import.
    pub(super) fn alias(&mut self) -> Parse<Ident> {
        let word = self.word();
        // These have a meaning of their own before a dot.
        if matches!(word, "above" | "below" | "stack") {
            return self.fail_with(errors::reserved(word, self.span()));
        }
        let name = self.name("an import")?;
        if self.kind() == TokenKind::Semicolon {
            self.aliases.push(word);
        }
        Ok(name)
    }

    /// Whether the name of an import and a dot come next.
    pub(super) fn at_alias(&self) -> bool {
        self.at(TokenKind::Name) && self.ahead(1) == TokenKind::Dot && self.aliases.contains(&self.word())
    }

    /// The name of an import and the dot, if they come next: `net.`
    pub(super) fn import_before(&mut self) -> String {
        if !self.at_alias() {
            return String::new();
        }
        let before = format!("{}.", self.word());
        self.advance();
        self.advance();
        before
    }

    /// The name of an item of this file or of an imported one: `frag`, `net.frag`.
    pub(super) fn item_name(&mut self, what: &str) -> Parse<Ident> {
        let start = self.span();
        if self.at(TokenKind::Name) && self.ahead(1) == TokenKind::Dot && !self.at_alias() {
            return self.fail_with(errors::no_such_import(self.word(), &self.aliases, start));
        }
        let before = self.import_before();
        let name = self.name(what)?;
        Ok(Ident { name: before + &name.name, span: self.since(start) })
    }

    /// The name of a type, header or wire.
    pub(super) fn type_name(&mut self, what: &str) -> Parse<Ident> {
        match self.kind() {
            TYPE => Ok(self.ident()),
            CONSTANT => {
                let word = self.word();
                let better = word[..1].to_string() + &word[1..].to_lowercase();
                Ok(self.misnamed_type(what, &better))
            }
            TokenKind::Name if is_reserved(self.word()) => self.fail_with(errors::reserved(self.word(), self.span())),
            TokenKind::Name => {
                let word = self.word().trim_start_matches('_');
                let better = word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default();
                Ok(self.misnamed_type(what, &better))
            }
            _ => self.fail(what),
        }
    }

    /// The name of a type that does not read as one. `better` has no lower-case letter if no letter can change.
    fn misnamed_type(&mut self, what: &str, better: &str) -> Ident {
        let help = match better.bytes().any(|b| b.is_ascii_lowercase()) {
            true => format!("call it `{better}`"),
            false => format!("take a name with a lower-case letter, such as {}", examples(what)),
        };
        self.misnamed_types.push(self.word());
        self.misnamed_with(what, help)
    }

    /// The name of a parameter or constant; lower case is allowed for constants.
    pub(super) fn constant_name(&mut self, what: &str) -> Parse<Ident> {
        match self.kind() {
            CONSTANT => Ok(self.ident()),
            TYPE => {
                let better = snake(self.word()).to_uppercase();
                Ok(self.misnamed(what, &better))
            }
            _ => self.name(what),
        }
    }

    pub(super) fn misnamed(&mut self, what: &str, better: &str) -> Ident {
        self.misnamed_with(what, format!("call it `{better}`"))
    }

    /// Each name is reported once: where it is declared, or where it is used first.
    fn misnamed_with(&mut self, what: &str, help: String) -> Ident {
        if !self.misnamed.contains(&self.word()) {
            self.report(errors::wrong_case(self.word(), what, help, self.span()));
            self.misnamed.push(self.word());
        }
        self.ident()
    }

    /// Whether a header or a value of a struct comes next whose name has been reported.
    pub(super) fn at_misnamed_literal(&self) -> bool {
        let fields = match self.ahead(2) {
            TokenKind::Name => matches!(self.ahead(3), TokenKind::Colon | TokenKind::Comma | TokenKind::CloseBrace),
            next => next == TokenKind::CloseBrace,
        };
        self.ahead(1) == TokenKind::OpenBrace && fields && self.misnamed_types.contains(&self.word())
    }

    pub(super) fn number(&mut self, what: &str) -> Parse<u64> {
        if !self.at(TokenKind::Number) {
            return self.fail(what);
        }
        let text = self.word().replace('_', "");
        let value = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16),
            None => text.parse(),
        };
        let value = value.unwrap_or_else(|_| {
            self.report(errors::large_number(self.span()));
            0
        });
        self.advance();
        Ok(value)
    }
}

/// `GotView` to `got_view`.
fn snake(word: &str) -> String {
    let mut out = String::new();
    let mut after_small = false;
    for c in word.chars() {
        if c.is_ascii_uppercase() && after_small {
            out.push('_');
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    if is_reserved(&out) {
        out.push('_');
    }
    out
}

/// Names that a header, struct or other type could have.
fn examples(what: &str) -> &'static str {
    match what {
        "a header" => "`Data` or `Ack`",
        "a struct" => "`Entry` or `Peer`",
        "an enum" => "`Phase` or `Reason`",
        _ => "`Udp`",
    }
}
