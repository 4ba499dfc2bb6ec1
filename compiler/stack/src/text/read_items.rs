//! The items of a stack: one for each entry of a table.

use super::lexer::TokenKind;
use super::read::{fail, Reader, Result};
use super::words;
use crate::*;

impl Reader {
    /// Reads one item.
    pub fn item(&mut self) -> Result<()> {
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
            "event" => self.event_item()?,
            "link" => self.link_item()?,
            "header" => self.header_item()?,
            "cell" => self.cell_item()?,
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
                let accepts = if self.is_word("accepts") { Some(self.admission()?) } else { None };
                self.known_layer(layer)?.reactions.push(Reaction { event, accepts, arms });
            }
            "timer" => self.timer_item()?,
            "port" => self.port_item()?,
            "layout" => self.layout_item()?,
            "context" => self.context_item()?,
            "bypass" => self.bypass_item()?,
            word => return self.fail(format!("`{word}` is not an item")),
        }
        Ok(())
    }

    fn event_item(&mut self) -> Result<()> {
        let (name, direction) = (self.name()?, self.must_be(words::DIRECTIONS)?);
        let parameters = self.listed(Reader::parameter)?;
        let message = if self.is_word("message") { Some(self.small()?) } else { None };
        let session = if self.is_word("session") { Some(self.small()?) } else { None };
        let role = if self.is_word("as") { self.must_be(words::EVENT_ROLES)? } else { EventRole::Plain };
        self.stack.events.push(Event { name, direction, parameters, message, session, role });
        Ok(())
    }

    fn header_item(&mut self) -> Result<()> {
        let (name, layer) = (self.name()?, self.layer_of()?);
        let fields = self.listed(Reader::header_field)?;
        self.stack.headers.push(Header { name, layer, fields });
        Ok(())
    }

    fn cell_item(&mut self) -> Result<()> {
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
        let sessions = if self.is_word("sessions") { self.small()? } else { 1 };
        let random = match self.is_word("random") {
            true => Some(CellId(self.named(|n| &n.cells)?)),
            false => None,
        };
        let (reactions, invariants, goals, span) = (vec![], vec![], vec![], self.span()?);
        let (name, layers) = (name, &mut self.stack.layers);
        layers.push(Layer { name, description, version, sessions, reactions, invariants, goals, random, span });
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
        let through = if self.is_word("through") { Some(self.text()?) } else { None };
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
            through,
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
        self.layer = Some(layer);
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
        self.layer = Some(layer);
        let body = self.block()?;
        self.stack.handlers.push(Handler { name, layer, event, parameters, fields, locals, body, passes, span });
        Ok(())
    }

    fn arm(&mut self) -> Result<Arm> {
        let link = match self.is_sign('(') {
            true => {
                self.sign('#')?;
                let link = LinkId(self.small()?);
                self.sign(')')?;
                Some(link)
            }
            false => None,
        };
        let header = if self.is_sign('-') { None } else { Some(self.header_id()?) };
        let ends = self.tokens.get(self.at + 1).is_some_and(|t| matches!(t.kind, TokenKind::Sign(',' | ']')));
        let data = !ends && self.is_word("data");
        let handler = HandlerId(self.named(|n| &n.handlers)?);
        Ok(Arm { guard: Guard { link, header, data }, handler })
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
        let Some(link) = self.stack.link_of(PortId(self.stack.ports.len() as u32)) else {
            return self.fail(format!("no link leads to port `{name}`"));
        };
        let frames = match self.is_word("frames") {
            true => Some(LayoutId(self.small()?)),
            false => matches!(self.stack.link(link).lower, Target::Port(_)).then_some(LayoutId(0)),
        };
        let outputs = self.listed(Reader::event)?;
        let (mut turns, mut inputs) = (vec![], vec![]);
        self.sign('{')?;
        while !self.is_sign('}') {
            if self.is_word("turn") {
                turns.push(self.turn()?);
                continue;
            }
            self.expect("input")?;
            let event = self.event()?;
            self.expect("to")?;
            let (layer, need) = (self.layer()?, self.need()?);
            let mut admissions = vec![];
            self.sign('[')?;
            while !self.is_sign(']') {
                self.expect("accepts")?;
                admissions.push(self.admission()?);
            }
            inputs.push(PortInput { event, link, layer, admissions, need });
        }
        self.stack.ports.push(Port { name, frames, turns, inputs, outputs });
        Ok(())
    }

    fn admission(&mut self) -> Result<Admission> {
        let layer = self.layer()?;
        let locals = self.declared_locals()?;
        let condition = self.expr()?;
        self.sign(';')?;
        Ok(Admission { layer, locals, condition })
    }

    fn layout_item(&mut self) -> Result<()> {
        let (layer, form, fingerprint) = (self.layer()?, self.must_be(words::FORMS)?, self.number()?);
        let mut shapes = vec![];
        self.sign('{')?;
        while !self.is_sign('}') {
            let number = self.stated_number("shape")?;
            let (identified, data) = (self.is_mark("identified", '['), self.is_mark("data", '['));
            let in_place = self.is_mark("in_place", '[');
            let event = self.event()?;
            let headers = self.listed(Reader::header_id)?;
            let size = self.stated_number("size")?;
            let (data_min, data_max) = (self.stated_number("length")?, self.small()?);
            let fields = self.listed(|r| {
                let (header, field) = (r.header_id()?, r.small()?);
                Ok(Placed { header, field, bit: r.stated_number("at")? })
            })?;
            shapes.push(Shape { number, identified, event, headers, data, fields, size, data_min, data_max, in_place });
        }
        self.stack.layouts.push(Layout { layer, form, fingerprint, shapes });
        Ok(())
    }
}
