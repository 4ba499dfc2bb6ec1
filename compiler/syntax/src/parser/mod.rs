//! Tokens to syntax tree, by recursive descent. This file has the shared parts: tokens, errors, recovery, depth.

mod expressions;
mod handlers;
mod interfaces;
mod items;
mod layers;
mod literals;
mod names;
mod patterns;
mod recovery;
mod roles;
mod scripts;
mod specifications;
mod stacks;
mod statements;
mod types;
mod wires;

use nacre_diagnostics::{Diagnostic, SourceId, Span};

use crate::ast::{Docs, File};
use crate::errors;
use crate::lexer::{lex, Lexed, Token};
use crate::limits::{DEEPEST, LONGEST};
use crate::token::TokenKind;

pub(crate) use roles::Role;

/// The limit of diagnostics per file; further ones are consequences of the first.
const MOST_ERRORS: usize = 50;

/// A syntax error that has been reported.
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    file: SourceId,
    lexed: &'a Lexed,
    position: usize,
    /// For the formatter: the use of each token.
    roles: Vec<Role>,
    found: Vec<Diagnostic>,
    /// The token of the last error: each token gets at most one error.
    last_error: Option<usize>,
    depth: u32,
    /// The height of the tree of the last expression or type.
    height: u32,
    /// The names under which files are imported.
    aliases: Vec<&'a str>,
    /// The names in the wrong case that have been reported, and those of them that are types.
    misnamed: Vec<&'a str>,
    misnamed_types: Vec<&'a str>,
}

/// Parses a file: the tree, the tokens with their roles, the diagnostics.
pub(crate) fn parse(file: SourceId, text: &str) -> (File, (Lexed, Vec<Role>), Vec<Diagnostic>) {
    if text.len() > LONGEST {
        let end = LONGEST as u32;
        let lexed = Lexed { tokens: vec![], comments: vec![], found: vec![] };
        return (File::default(), (lexed, vec![]), vec![errors::too_long(Span { file, start: end, end })]);
    }
    let lexed = lex(file, text);
    let mut parser = Parser {
        text,
        file,
        lexed: &lexed,
        position: 0,
        roles: vec![Role::Plain; lexed.tokens.len()],
        found: Vec::new(),
        last_error: None,
        depth: 0,
        height: 0,
        aliases: Vec::new(),
        misnamed: Vec::new(),
        misnamed_types: Vec::new(),
    };
    let tree = parser.file();
    let (roles, mut found) = (parser.roles, parser.found);
    found.extend(lexed.found.iter().cloned());
    found.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
    found.truncate(MOST_ERRORS);
    (tree, (lexed, roles), found)
}

// ---- tokens

impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.lexed.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The kind of a token further ahead.
    fn ahead(&self, by: usize) -> TokenKind {
        let last = self.lexed.tokens.len() - 1;
        self.lexed.tokens[(self.position + by).min(last)].kind
    }

    fn text_at(&self, position: usize) -> &'a str {
        self.lexed.tokens.get(position).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    fn word(&self) -> &'a str {
        self.text_at(self.position)
    }

    fn word_ahead(&self, by: usize) -> &'a str {
        self.text_at(self.position + by)
    }

    fn span_of(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn span(&self) -> Span {
        self.span_of(self.token())
    }

    fn previous(&self) -> Span {
        self.span_of(self.lexed.tokens[self.position.saturating_sub(1)])
    }

    /// The span from a position to the last consumed token.
    fn since(&self, start: Span) -> Span {
        Span { file: self.file, start: start.start, end: self.previous().end.max(start.start) }
    }

    fn advance(&mut self) {
        if self.position + 1 < self.lexed.tokens.len() {
            self.position += 1;
        }
    }

    fn advance_as(&mut self, role: Role) {
        self.roles[self.position] = role;
        self.advance();
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_word(&self, word: &str) -> bool {
        self.kind() == TokenKind::Name && self.word() == word
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<()> {
        self.expect_as(kind, Role::Plain)
    }

    fn expect_as(&mut self, kind: TokenKind, role: Role) -> Parse<()> {
        if !self.at(kind) {
            return self.fail(kind.description());
        }
        self.advance_as(role);
        Ok(())
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        self.fail(&format!("`{word}`"))
    }

    /// The bracket that closes the one opened at `open`.
    fn close(&mut self, kind: TokenKind, open: Span) -> Parse<()> {
        self.close_as(kind, open, Role::Plain)
    }

    fn close_as(&mut self, kind: TokenKind, open: Span, role: Role) -> Parse<()> {
        if self.at(kind) {
            self.advance_as(role);
            return Ok(());
        }
        let bracket = &self.text[open.start as usize..open.end as usize];
        let begins_part =
            matches!(self.kind(), TokenKind::Name | TokenKind::Capitalized(_) | TokenKind::Number | TokenKind::Text);
        let found = if begins_part && !self.leaves_block() {
            errors::no_comma(bracket, open, self.previous(), self.span(), &self.found_here())
        } else {
            errors::not_closed(bracket, open, self.span(), &self.found_here())
        };
        self.fail_with(found)
    }

    /// The `;` at the end. If it is missing, it is reported and the parser continues.
    fn semicolon(&mut self) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        self.report(errors::missing_semicolon(self.previous(), self.span(), &self.found_here()));
        let new_line = self.text[self.previous().end as usize..self.span().start as usize].contains('\n');
        if new_line || self.at(TokenKind::CloseBrace) {
            Ok(())
        } else {
            Err(Failed)
        }
    }
}

// ---- docs

impl Parser<'_> {
    /// The `///` lines directly before the current token.
    fn docs(&self) -> Docs {
        self.docs_with("///")
    }

    fn docs_with(&self, mark: &str) -> Docs {
        let comments = &self.lexed.comments;
        let first = comments.partition_point(|comment| comment.before < self.position);
        let mut docs = Docs::new();
        for comment in comments[first..].iter().take_while(|comment| comment.before == self.position) {
            let text = &self.text[comment.start as usize..comment.end as usize];
            if let Some(doc) = text.strip_prefix(mark).filter(|doc| !doc.starts_with('/')) {
                docs.push(doc.strip_prefix(' ').unwrap_or(doc).to_string());
            }
        }
        docs
    }
}

// ---- errors

impl Parser<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        // The lexer has reported text that it could not read.
        let unread = |kind| matches!(kind, TokenKind::Unknown | TokenKind::OpenText);
        let told = unread(self.kind()) || self.position > 0 && unread(self.lexed.tokens[self.position - 1].kind);
        // A reserved word is named where it is declared, not at each use.
        let again = |known: &Diagnostic| known.code == errors::RESERVED && known.message == diagnostic.message;
        let told = told || self.found.iter().any(again);
        if self.last_error != Some(self.position) && self.found.len() < MOST_ERRORS && !told {
            self.found.push(self.hinted(diagnostic));
        }
        self.last_error = Some(self.position);
    }

    /// Replaces the help if the tokens around are another language's syntax.
    fn hinted(&self, diagnostic: Diagnostic) -> Diagnostic {
        let before: Vec<&str> = (self.position.saturating_sub(4)..self.position).map(|at| self.text_at(at)).collect();
        let here: Vec<&str> = (0..3).map(|by| self.word_ahead(by)).collect();
        match crate::foreign::syntax(diagnostic.code, &before, &here) {
            Some(help) => Diagnostic { help: vec![help.into()], ..diagnostic },
            None => diagnostic,
        }
    }

    fn fail_with<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    fn fail<T>(&mut self, expected: &str) -> Parse<T> {
        self.fail_with(errors::expected(expected, &self.found_here(), self.span()))
    }

    /// The description of the current token in messages.
    fn found_here(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the file".into(),
            TokenKind::CBody => "a block of C".into(),
            TokenKind::Text | TokenKind::OpenText => "a text".into(),
            _ => format!("`{}`", self.word()),
        }
    }

    /// Enters a nesting level, unless the depth limit is reached.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEEPEST {
            return self.fail_with(errors::too_deep(self.span()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Records the height of the tree being built; chains of operators make it high without nesting.
    fn grown(&mut self, height: u32) -> Parse<()> {
        self.height = height + 1;
        if height >= DEEPEST {
            return self.fail_with(errors::too_deep(self.previous()));
        }
        Ok(())
    }
}
