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

pub type Result<T> = std::result::Result<T, ReadError>;

pub fn fail<T>(line: u32, text: String) -> Result<T> {
    Err(ReadError { line, text })
}

/// Reads what [`print`](super::print()) writes. The stack may still be one that the validator refuses.
pub fn read(text: &str) -> Result<Stack> {
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err((line, text)) => return fail(line, text),
    };
    let names = collect(&tokens);
    let stack = Stack {
        name: String::new(),
        description: String::new(),
        layers: vec![],
        structs: vec![],
        enums: vec![],
        events: vec![],
        headers: vec![],
        cells: vec![],
        counters: vec![],
        timers: vec![],
        handlers: vec![],
        functions: vec![],
        filters: vec![],
        externs: vec![],
        ports: vec![],
        layouts: vec![],
        bounds: Bounds::default(),
    };
    let mut reader = Reader { tokens, at: 0, stack, names, locals: vec![], local_names: Table::default(), depth: 0 };
    while !reader.at_end() {
        reader.item()?;
    }
    let mut stack = reader.stack;
    number(&mut stack);
    Ok(stack)
}

/// The names that the items declare, so that code may name what stands after it.
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

pub struct Reader {
    tokens: Vec<Token>,
    at: usize,
    pub stack: Stack,
    pub names: Names,
    pub locals: Vec<Local>,
    pub local_names: Table,
    pub depth: u32,
}

impl Reader {
    fn peek(&self) -> &TokenKind {
        &self.tokens[self.at.min(self.tokens.len() - 1)].kind
    }
    pub fn line(&self) -> u32 {
        self.tokens[self.at.min(self.tokens.len() - 1)].line
    }
    fn at_end(&self) -> bool {
        *self.peek() == TokenKind::End
    }
    pub fn fail<T>(&self, text: String) -> Result<T> {
        fail(self.line(), text)
    }

    pub fn at_sign(&self, sign: char) -> bool {
        *self.peek() == TokenKind::Sign(sign)
    }
    /// A span follows; after the same sign, a cell has a name.
    pub fn at_mark(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| &token.kind);
        self.at_sign('@') && matches!(next, Some(TokenKind::Number(_)))
    }
    pub fn is_sign(&mut self, sign: char) -> bool {
        let is = self.at_sign(sign);
        self.at += is as usize;
        is
    }
    pub fn sign(&mut self, sign: char) -> Result<()> {
        match self.is_sign(sign) {
            true => Ok(()),
            false => self.fail(format!("`{sign}` is missing before {:?}", self.peek())),
        }
    }
    pub fn is_word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), TokenKind::Word(w) if w == word);
        self.at += is as usize;
        is
    }
    pub fn expect(&mut self, word: &str) -> Result<()> {
        match self.is_word(word) {
            true => Ok(()),
            false => self.fail(format!("`{word}` is missing before {:?}", self.peek())),
        }
    }
    /// A word, if the sign after the next token is not this one: then the word is a name.
    fn is_mark(&mut self, word: &str, sign: char) -> bool {
        let next = self.tokens.get(self.at + 1).map(|t| &t.kind);
        next != Some(&TokenKind::Sign(sign)) && self.is_word(word)
    }
    pub fn word(&mut self) -> Result<String> {
        match self.peek().clone() {
            TokenKind::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => self.fail(format!("a word is missing before {other:?}")),
        }
    }
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
    fn name(&mut self) -> Result<String> {
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
    pub fn is_number(&mut self) -> Option<u64> {
        let TokenKind::Number(n) = *self.peek() else { return None };
        self.at += 1;
        Some(n)
    }
    pub fn number(&mut self) -> Result<u64> {
        match self.is_number() {
            Some(n) => Ok(n),
            None => self.fail(format!("a number is missing before {:?}", self.peek())),
        }
    }
    pub fn small(&mut self) -> Result<u32> {
        match u32::try_from(self.number()?) {
            Ok(n) => Ok(n),
            Err(_) => self.fail("a number is too large".into()),
        }
    }
    /// A number after its name.
    fn stated_number(&mut self, word: &str) -> Result<u32> {
        self.expect(word)?;
        self.small()
    }

    /// A list in which commas stand between; the sign that ends it is read, too.
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
    fn listed<T>(&mut self, item: impl FnMut(&mut Reader) -> Result<T>) -> Result<Vec<T>> {
        self.sign('[')?;
        self.list(']', item)
    }

    /// The index of what a table's name or `#n` means.
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
    pub fn named(&mut self, table: impl Fn(&Names) -> &Table) -> Result<u32> {
        let names = std::mem::take(&mut self.names);
        let found = self.entry_of(table(&names));
        self.names = names;
        found
    }
    pub fn layer(&mut self) -> Result<LayerId> {
        Ok(LayerId(self.named(|n| &n.layers)?))
    }
    fn layer_of(&mut self) -> Result<LayerId> {
        self.expect("of")?;
        self.layer()
    }
    fn event(&mut self) -> Result<EventId> {
        Ok(EventId(self.named(|n| &n.events)?))
    }
    fn header_id(&mut self) -> Result<HeaderId> {
        Ok(HeaderId(self.named(|n| &n.headers)?))
    }
    pub fn one_of<T: Copy>(&mut self, words: Words<T>) -> Option<T> {
        let TokenKind::Word(word) = self.peek() else { return None };
        let value = words::value(words, word);
        self.at += value.is_some() as usize;
        value
    }
    fn must_be<T: Copy>(&mut self, words: Words<T>) -> Result<T> {
        match self.one_of(words) {
            Some(value) => Ok(value),
            None => self.fail(format!("{:?} is not expected here", self.peek())),
        }
    }
    pub fn span(&mut self) -> Result<Span> {
        if !self.is_word("span") {
            return Ok(Span::default());
        }
        let (file, start) = (self.small()?, self.small()?);
        Ok(Span { file: nacre_diagnostics::SourceId(file), start, end: self.small()? })
    }
    fn need(&mut self) -> Result<Need> {
        Ok(Need { copies: self.stated_number("need")?, extra: self.small()? })
    }
    fn parameter(&mut self) -> Result<Parameter> {
        let name = self.name()?;
        self.sign('\'')?;
        Ok(Parameter { name, ty: self.ty()? })
    }
    fn local_declaration(&mut self) -> Result<Local> {
        // A local may be called `ref`: then its type follows at once.
        let by_ref = self.is_mark("ref", '\'');
        let Parameter { name, ty } = self.parameter()?;
        Ok(Local { name, ty, by_ref })
    }
    fn declared_locals(&mut self) -> Result<Vec<Local>> {
        self.expect("locals")?;
        let locals = self.listed(Reader::local_declaration)?;
        self.set_locals(&locals);
        Ok(locals)
    }
    fn result(&mut self) -> Result<Option<Type>> {
        if !self.is_word("result") {
            return Ok(None);
        }
        self.sign('\'')?;
        Ok(Some(self.ty()?))
    }

    fn item(&mut self) -> Result<()> {
        let word = self.word()?;
        match word.as_str() {
            "stack" => {
                self.stack.name = self.name()?;
                self.stack.description = self.text()?;
            }
            "bounds" => self.bounds()?,
            "enum" => {
                let name = self.name()?;
                let variants = self.listed(Reader::name)?;
                self.stack.enums.push(Enum { name, variants });
            }
            "struct" => {
                let name = self.name()?;
                let fields = self.listed(Reader::parameter)?;
                self.stack.structs.push(Struct { name, fields });
            }
            "layer" => self.layer_item()?,
            "event" => {
                let (name, direction) = (self.name()?, self.must_be(words::DIRECTIONS)?);
                let parameters = self.listed(Reader::parameter)?;
                let message = if self.is_word("message") { Some(self.small()?) } else { None };
                let role = if self.is_word("as") { self.must_be(words::EVENT_ROLES)? } else { EventRole::Plain };
                self.stack.events.push(Event { name, direction, parameters, message, role });
            }
            "header" => {
                let (name, layer) = (self.name()?, self.layer_of()?);
                let fields = self.listed(Reader::header_field)?;
                self.stack.headers.push(Header { name, layer, fields });
            }
            "cell" => {
                let (name, layer) = (self.name()?, self.layer_of()?);
                let (scope, secret) = (self.must_be(words::SCOPES)?, self.is_word("secret"));
                let role = if self.is_word("as") { Some(self.must_be(words::GIVEN_ROLES)?) } else { None };
                self.sign('\'')?;
                let ty = self.ty()?;
                self.stack.cells.push(Cell {
                    name,
                    layer,
                    scope,
                    ty,
                    initial: None,
                    locals: vec![],
                    draws: vec![],
                    secret,
                    role,
                });
            }
            "counter" => {
                let name = self.name()?;
                let layer = if self.is_word("of") { Some(self.layer()?) } else { None };
                self.stack.counters.push(Counter { name, layer });
            }
            "extern" => self.extern_item()?,
            "initial" => self.initial()?,
            "filter" => self.filter_item()?,
            "function" => self.function_item()?,
            "handler" => self.handler_item()?,
            "invariant" => {
                let layer = self.layer()?;
                self.set_locals(&[]);
                let value = self.expr()?;
                self.sign(';')?;
                self.known_layer(layer)?.invariants.push(value);
            }
            "goal" => {
                let (layer, name) = (self.layer()?, self.name()?);
                self.set_locals(&[]);
                let holds = self.expr()?;
                self.sign(';')?;
                self.known_layer(layer)?.goals.push(Goal { name, holds });
            }
            "reaction" => {
                let (layer, event) = (self.layer()?, self.event()?);
                let arms = self.listed(Reader::arm)?;
                self.known_layer(layer)?.reactions.push(Reaction { event, arms });
            }
            "timer" => self.timer_item()?,
            "port" => self.port_item()?,
            "layout" => self.layout_item()?,
            word => return self.fail(format!("`{word}` is not an item")),
        }
        Ok(())
    }

    fn known_layer(&mut self, id: LayerId) -> Result<&mut Layer> {
        let line = self.line();
        match self.stack.layers.get_mut(id.index()) {
            Some(layer) => Ok(layer),
            None => fail(line, format!("no layer {}", id.0)),
        }
    }

    fn bounds(&mut self) -> Result<()> {
        self.stack.bounds = Bounds {
            queue: self.stated_number("queue")?,
            later: self.stated_number("later")?,
            outputs: self.stated_number("outputs")?,
            segments: self.stated_number("segments")?,
            scratch: self.stated_number("scratch")?,
            pieces: self.stated_number("pieces")?,
            block: self.stated_number("block")?,
            blocks: self.stated_number("blocks")?,
            frame_data: self.stated_number("frame_data")?,
            open: self.expect("open").and_then(|()| self.need())?,
            timer: self.expect("timer").and_then(|()| self.need())?,
        };
        Ok(())
    }

    fn layer_item(&mut self) -> Result<()> {
        let (name, description) = (self.name()?, self.text()?);
        let version = self.stated_number("version")?;
        let random = match self.is_word("random") {
            true => Some(CellId(self.named(|n| &n.cells)?)),
            false => None,
        };
        let (reactions, invariants, goals, span) = (vec![], vec![], vec![], self.span()?);
        self.stack.layers.push(Layer { name, description, version, reactions, invariants, goals, random, span });
        Ok(())
    }

    fn header_field(&mut self) -> Result<HeaderField> {
        let Parameter { name, ty } = self.parameter()?;
        let (bits, big_endian) = (self.stated_number("bits")?, self.is_word("big"));
        let place = match self.is_word("byte") {
            true => FieldPlace::Byte(self.small()?),
            false => self.must_be(words::PLACES)?,
        };
        let class = self.must_be(words::CLASSES)?;
        Ok(HeaderField { name, ty, bits, big_endian, place, class })
    }

    fn extern_item(&mut self) -> Result<()> {
        let name = self.name()?;
        let (parameters, result) = (self.listed(Reader::parameter)?, self.result()?);
        let pure_ = self.is_word("pure");
        let inverse_of = if self.is_word("inverse_of") { Some(self.text()?) } else { None };
        let (grows, shrinks) = (self.stated_number("grows")?, self.stated_number("shrinks")?);
        let range = if self.is_word("range") { Some(self.number()?) } else { None };
        let body = if self.is_word("body") { Some(self.text()?) } else { None };
        let span = self.span()?;
        self.stack.externs.push(Extern {
            name,
            parameters,
            result,
            pure_,
            inverse_of,
            grows,
            shrinks,
            range,
            body,
            span,
        });
        Ok(())
    }

    fn initial(&mut self) -> Result<()> {
        self.sign('@')?;
        let cell = self.named(|n| &n.cells)?;
        self.set_locals(&[]);
        let (locals, draws) = match self.is_word("draws") {
            true => (self.declared_locals()?, self.block()?),
            false => (vec![], vec![]),
        };
        self.sign('=')?;
        let value = self.expr()?;
        self.sign(';')?;
        match self.stack.cells.get_mut(cell as usize) {
            Some(cell) => (cell.initial, cell.locals, cell.draws) = (Some(value), locals, draws),
            None => return self.fail(format!("no cell {cell}")),
        }
        Ok(())
    }

    fn filter_item(&mut self) -> Result<()> {
        let (name, unit) = (self.name()?, self.must_be(words::UNITS)?);
        let grows = (self.stated_number("grows")?, self.small()?, self.small()?);
        let (rejects, span) = (self.is_word("rejects"), self.span()?);
        self.expect("calls")?;
        let functions = self.listed(|r| Ok(FunctionId(r.named(|n| &n.functions)?)))?;
        let locals = self.declared_locals()?;
        self.expect("state")?;
        let state = self.listed(|r| r.parameter().map(|p| Local { name: p.name, ty: p.ty, by_ref: false }))?;
        self.expect("initial")?;
        let initial = self.listed(|r| if r.is_sign('-') { Ok(None) } else { r.expr().map(Some) })?;
        self.expect("inputs")?;
        let inputs = self.listed(|r| r.local())?;
        let result = if self.is_word("result") { Some(self.expr()?) } else { None };
        let body = self.block()?;
        self.expect("end")?;
        let end = self.block()?;
        self.stack.filters.push(Filter {
            name,
            state,
            unit,
            locals,
            inputs,
            initial,
            body,
            end,
            result,
            functions,
            grows,
            rejects,
            span,
        });
        Ok(())
    }

    fn function_item(&mut self) -> Result<()> {
        let (name, layer) = (self.name()?, self.layer_of()?);
        let (result, span) = (self.result()?, self.span()?);
        let locals = self.declared_locals()?;
        self.expect("params")?;
        let parameters = self.listed(Reader::local)?;
        let body = self.block()?;
        self.stack.functions.push(Function { name, layer, parameters, result, locals, body, span });
        Ok(())
    }

    fn handler_item(&mut self) -> Result<()> {
        let (name, layer) = (self.name()?, self.layer_of()?);
        let event = if self.is_word("event") { Some(self.event()?) } else { None };
        let (passes, span) = (self.is_word("passes"), self.span()?);
        let locals = self.declared_locals()?;
        self.expect("params")?;
        let parameters = self.listed(Reader::local)?;
        self.expect("fields")?;
        let fields = self.listed(Reader::local)?;
        let body = self.block()?;
        self.stack.handlers.push(Handler { name, layer, event, parameters, fields, locals, body, passes, span });
        Ok(())
    }

    fn arm(&mut self) -> Result<Arm> {
        let header = if self.is_sign('-') { None } else { Some(self.header_id()?) };
        let ends = self.tokens.get(self.at + 1).is_some_and(|t| matches!(t.kind, TokenKind::Sign(',' | ']')));
        let data = !ends && self.is_word("data");
        let handler = HandlerId(self.named(|n| &n.handlers)?);
        Ok(Arm { guard: Guard { header, data }, handler })
    }

    fn timer_item(&mut self) -> Result<()> {
        let (name, layer) = (self.name()?, self.layer_of()?);
        self.sign('@')?;
        let cell = CellId(self.named(|n| &n.cells)?);
        let path = self.listed(|r| match r.is_word("each") {
            true => Ok(TimerStep::Each),
            false => r.small().map(TimerStep::Field),
        })?;
        let handler = HandlerId(self.named(|n| &n.handlers)?);
        self.stack.timers.push(Timer { name, layer, cell, path, handler });
        Ok(())
    }

    fn port_item(&mut self) -> Result<()> {
        let name = self.name()?;
        let outputs = self.listed(Reader::event)?;
        let mut inputs = vec![];
        self.sign('{')?;
        while !self.is_sign('}') {
            self.expect("input")?;
            let event = self.event()?;
            self.expect("to")?;
            let (layer, need) = (self.layer()?, self.need()?);
            let mut admissions = vec![];
            self.sign('[')?;
            while !self.is_sign(']') {
                self.expect("accepts")?;
                let layer = self.layer()?;
                let locals = self.declared_locals()?;
                let condition = self.expr()?;
                self.sign(';')?;
                admissions.push(Admission { layer, locals, condition });
            }
            inputs.push(PortInput { event, layer, admissions, need });
        }
        self.stack.ports.push(Port { name, inputs, outputs });
        Ok(())
    }

    fn layout_item(&mut self) -> Result<()> {
        let (layer, form, fingerprint) = (self.layer()?, self.must_be(words::FORMS)?, self.number()?);
        let mut shapes = vec![];
        self.sign('{')?;
        while !self.is_sign('}') {
            let number = self.stated_number("shape")?;
            let (identified, data) = (self.is_mark("identified", '['), self.is_mark("data", '['));
            let event = self.event()?;
            let headers = self.listed(Reader::header_id)?;
            let size = self.stated_number("size")?;
            let (data_min, data_max) = (self.stated_number("length")?, self.small()?);
            let fields = self.listed(|r| {
                let (header, field) = (r.header_id()?, r.small()?);
                Ok(Placed { header, field, bit: r.stated_number("at")? })
            })?;
            shapes.push(Shape { number, identified, event, headers, data, fields, size, data_min, data_max });
        }
        self.stack.layouts.push(Layout { layer, form, fingerprint, shapes });
        Ok(())
    }
}
