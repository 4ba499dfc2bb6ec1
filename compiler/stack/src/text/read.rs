//! A whole stack from text.

use std::fmt;

use super::lexer::{tokens, Token, TokenKind};
use super::names::{Names, Table};
use super::words::{self, Words};
use crate::*;

/// Why a text is not a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    pub line: u32,
    pub text: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

impl std::error::Error for ReadError {}

/// The result of reading a part of the text.
pub type Result<T> = std::result::Result<T, ReadError>;

/// Returns an error at a line (from 1).
pub fn fail<T>(line: u32, text: String) -> Result<T> {
    Err(ReadError { line, text })
}

/// Reads the output of [`print`](super::print()). The validator may still reject the stack.
pub fn read(text: &str) -> Result<Stack> {
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err((line, text)) => return fail(line, text),
    };
    let names = collect(&tokens);
    let (stack, local_names) = (Stack::default(), Table::default());
    let mut reader = Reader { tokens, at: 0, stack, names, locals: vec![], local_names, depth: 0, layer: None };
    while !reader.at_end() {
        reader.item()?;
    }
    let mut stack = reader.stack;
    number(&mut stack);
    Ok(stack)
}

/// The names that the items declare, so that code may name later items.
fn collect(tokens: &[Token]) -> Names {
    let mut names = Names::default();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.first) {
        let text = |i: usize| match tokens.get(at + i).map(|t| &t.kind) {
            Some(TokenKind::Word(w) | TokenKind::Text(w)) => w.as_str(),
            _ => "",
        };
        if text(0) == "event" {
            let line = tokens[at..].iter().take_while(|t| t.line == token.line).zip(at..);
            let typed = line.filter(|(_, i)| tokens.get(i + 1).is_some_and(|t| t.kind == TokenKind::Sign('\'')));
            names.events.add_event(text(1), typed.map(|(_, i)| text(i - at)));
            continue;
        }
        let qualifier = if text(2) == "of" { text(3) } else { "" };
        let (table, qualifier) = match text(0) {
            "layer" => (&mut names.layers, ""),
            "struct" => (&mut names.structs, ""),
            "enum" => (&mut names.enums, ""),
            "header" => (&mut names.headers, qualifier),
            "cell" => (&mut names.cells, qualifier),
            "counter" => (&mut names.counters, qualifier),
            "handler" => (&mut names.handlers, ""),
            "function" => (&mut names.functions, ""),
            "filter" => (&mut names.filters, ""),
            "extern" => (&mut names.externs, ""),
            "port" => (&mut names.ports, ""),
            _ => continue,
        };
        table.add(text(1), qualifier);
    }
    names
}

/// A recursive-descent parser for the text of a stack, and the stack that it has read so far.
pub struct Reader {
    pub tokens: Vec<Token>,
    pub at: usize,
    pub stack: Stack,
    pub names: Names,
    pub locals: Vec<Local>,
    pub local_names: Table,
    pub depth: u32,
    /// The layer of the code being read.
    pub layer: Option<LayerId>,
}

impl Reader {
    /// The next token.
    pub fn peek(&self) -> &TokenKind {
        &self.tokens[self.at.min(self.tokens.len() - 1)].kind
    }
    /// The line of the next token.
    pub fn line(&self) -> u32 {
        self.tokens[self.at.min(self.tokens.len() - 1)].line
    }
    /// Whether nothing is left.
    pub fn at_end(&self) -> bool {
        *self.peek() == TokenKind::End
    }
    /// An error at the next token.
    pub fn fail<T>(&self, text: String) -> Result<T> {
        fail(self.line(), text)
    }

    /// Whether the next token is a sign.
    pub fn at_sign(&self, sign: char) -> bool {
        *self.peek() == TokenKind::Sign(sign)
    }
    /// Takes a sign, if it is next.
    pub fn is_sign(&mut self, sign: char) -> bool {
        let is = self.at_sign(sign);
        self.at += is as usize;
        is
    }
    /// Takes a sign that must be next.
    pub fn sign(&mut self, sign: char) -> Result<()> {
        match self.is_sign(sign) {
            true => Ok(()),
            false => self.fail(format!("`{sign}` is missing before {:?}", self.peek())),
        }
    }
    /// Takes a word, if it is next.
    pub fn is_word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), TokenKind::Word(w) if w == word);
        self.at += is as usize;
        is
    }
    /// Takes a word that must be next.
    pub fn expect(&mut self, word: &str) -> Result<()> {
        match self.is_word(word) {
            true => Ok(()),
            false => self.fail(format!("`{word}` is missing before {:?}", self.peek())),
        }
    }
    /// A word, if the sign after the next token is not this one: then the word is a name.
    pub fn is_mark(&mut self, word: &str, sign: char) -> bool {
        let next = self.tokens.get(self.at + 1).map(|t| &t.kind);
        next != Some(&TokenKind::Sign(sign)) && self.is_word(word)
    }
    /// Takes any word.
    pub fn word(&mut self) -> Result<String> {
        match self.peek().clone() {
            TokenKind::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => self.fail(format!("a word is missing before {other:?}")),
        }
    }
    /// Takes a text in quotes.
    pub fn text(&mut self) -> Result<String> {
        match self.peek().clone() {
            TokenKind::Text(text) => {
                self.at += 1;
                Ok(text)
            }
            other => self.fail(format!("a text is missing before {other:?}")),
        }
    }
    /// A name, in quotes or not.
    pub fn name(&mut self) -> Result<String> {
        match self.peek() {
            TokenKind::Text(_) => self.text(),
            _ => self.word(),
        }
    }
    /// A word, or one of the signs that are operators.
    pub fn operator(&mut self) -> Result<String> {
        if let TokenKind::Sign(sign) = *self.peek() {
            self.at += 1;
            return Ok(sign.to_string());
        }
        self.word()
    }
    /// Takes a number, if one is next.
    pub fn is_number(&mut self) -> Option<u64> {
        let TokenKind::Number(n) = *self.peek() else { return None };
        self.at += 1;
        Some(n)
    }
    /// Takes a number.
    pub fn number(&mut self) -> Result<u64> {
        match self.is_number() {
            Some(n) => Ok(n),
            None => self.fail(format!("a number is missing before {:?}", self.peek())),
        }
    }
    /// Takes a number of 32 bits.
    pub fn small(&mut self) -> Result<u32> {
        match u32::try_from(self.number()?) {
            Ok(n) => Ok(n),
            Err(_) => self.fail("a number is too large".into()),
        }
    }
    /// A number after its name.
    pub fn stated_number(&mut self, word: &str) -> Result<u32> {
        self.expect(word)?;
        self.small()
    }

    /// Reads a list separated by commas, and the sign that ends it.
    pub fn list<T>(&mut self, end: char, item: impl FnMut(&mut Reader) -> Result<T>) -> Result<Vec<T>> {
        let list = self.list_until(end, item)?;
        self.sign(end)?;
        Ok(list)
    }
    /// The same, but the sign that ends it is not read.
    pub fn list_until<T>(&mut self, end: char, mut item: impl FnMut(&mut Reader) -> Result<T>) -> Result<Vec<T>> {
        let mut list = vec![];
        while !self.at_sign(end) {
            list.push(item(self)?);
            if !self.is_sign(',') {
                break;
            }
        }
        Ok(list)
    }
    /// A list in brackets.
    pub fn listed<T>(&mut self, item: impl FnMut(&mut Reader) -> Result<T>) -> Result<Vec<T>> {
        self.sign('[')?;
        self.list(']', item)
    }

    /// The index in a table of a name or `#n`.
    pub fn entry_of(&mut self, table: &Table) -> Result<u32> {
        if self.is_sign('#') {
            return self.small();
        }
        let line = self.line();
        let name = self.name()?;
        match table.find(&name) {
            Some(index) => Ok(index as u32),
            None => fail(line, format!("`{name}` is not declared, or more than once")),
        }
    }
    /// The index of an entry of a table of names.
    pub fn named(&mut self, table: impl Fn(&Names) -> &Table) -> Result<u32> {
        let names = std::mem::take(&mut self.names);
        let found = self.entry_of(table(&names));
        self.names = names;
        found
    }
    /// A layer.
    pub fn layer(&mut self) -> Result<LayerId> {
        Ok(LayerId(self.named(|n| &n.layers)?))
    }
    /// `of` and a layer.
    pub fn layer_of(&mut self) -> Result<LayerId> {
        self.expect("of")?;
        self.layer()
    }
    /// An event.
    pub fn event(&mut self) -> Result<EventId> {
        Ok(EventId(self.named(|n| &n.events)?))
    }
    /// A header.
    pub fn header_id(&mut self) -> Result<HeaderId> {
        Ok(HeaderId(self.named(|n| &n.headers)?))
    }
    /// Takes one of some words, if it is next.
    pub fn one_of<T: Copy>(&mut self, words: Words<T>) -> Option<T> {
        let TokenKind::Word(word) = self.peek() else { return None };
        let value = words::value(words, word);
        self.at += value.is_some() as usize;
        value
    }
    /// Takes one of some words.
    pub fn must_be<T: Copy>(&mut self, words: Words<T>) -> Result<T> {
        match self.one_of(words) {
            Some(value) => Ok(value),
            None => self.fail(format!("{:?} is not expected here", self.peek())),
        }
    }
    /// A need.
    pub fn need(&mut self) -> Result<Need> {
        Ok(Need { copies: self.stated_number("need")?, extra: self.small()? })
    }
    /// A name and its type.
    pub fn parameter(&mut self) -> Result<Parameter> {
        let name = self.name()?;
        self.sign('\'')?;
        Ok(Parameter { name, ty: self.ty()? })
    }
    /// The declaration of a local.
    pub fn local_declaration(&mut self) -> Result<Local> {
        // A local may be called `ref`: then its type follows at once.
        let by_ref = self.is_mark("ref", '\'');
        let Parameter { name, ty } = self.parameter()?;
        Ok(Local { name, ty, by_ref })
    }
    /// The locals of code that follows.
    pub fn declared_locals(&mut self) -> Result<Vec<Local>> {
        self.expect("locals")?;
        let locals = self.listed(Reader::local_declaration)?;
        self.set_locals(&locals);
        Ok(locals)
    }
    /// The type of a result, if one is stated.
    pub fn result(&mut self) -> Result<Option<Type>> {
        if !self.is_word("result") {
            return Ok(None);
        }
        self.sign('\'')?;
        Ok(Some(self.ty()?))
    }
}
