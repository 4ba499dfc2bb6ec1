//! Links, and the events on them.

use super::names::link_to;
use super::read::{fail, Reader, Result};
use super::words;
use crate::*;

/// The target of an emission, as written.
enum Way {
    Link(LinkId),
    /// The target of the event.
    To(Target),
}

impl Reader {
    /// Reads `link port below to layer floor`.
    pub fn link_item(&mut self) -> Result<()> {
        let lower = self.end()?;
        self.expect("to")?;
        let link = Link { lower, upper: self.end()? };
        self.stack.links.push(link);
        Ok(())
    }

    /// Reads an end of a link.
    fn end(&mut self) -> Result<Target> {
        if self.is_word("layer") {
            return Ok(Target::Layer(self.layer()?));
        }
        self.expect("port")?;
        Ok(Target::Port(PortId(self.named(|n| &n.ports)?)))
    }

    /// Reads `cast to heard leaves`, of a port.
    pub fn turn(&mut self) -> Result<Turn> {
        let event = self.event()?;
        self.expect("to")?;
        Ok(Turn { event, comes_back: self.event()?, leaves: self.is_word("leaves") })
    }

    /// Reads `context far connection port below cookie @id peer @peer room @room predictions [@next]`.
    pub fn context_item(&mut self) -> Result<()> {
        let (name, kind) = (self.name()?, self.must_be(words::CONTEXTS)?);
        self.expect("port")?;
        let port = PortId(self.named(|n| &n.ports)?);
        let mut owned = [None; 3];
        for (owned, word) in owned.iter_mut().zip(["cookie", "peer", "room"]) {
            *owned = if self.is_word(word) { Some(self.cell()?) } else { None };
        }
        let predictions = if self.is_word("predictions") { self.listed(Reader::cell)? } else { vec![] };
        let [cookie, peer, room] = owned;
        self.stack.contexts.push(Context { name, kind, port, cookie, peer, room, predictions });
        Ok(())
    }

    /// Reads `bypass call above 0 locals [..] homes [..] params [..] fields [[..]] when condition; { .. }`.
    pub fn bypass_item(&mut self) -> Result<()> {
        let kind = self.name()?;
        let mut port = || Ok(PortId(self.named(|n| &n.ports)?));
        let entry = match kind.as_str() {
            "call" => Entry::Call(port()?, self.small()? as usize),
            "frame" => Entry::Frame(port()?, self.small()? as usize),
            other => return self.fail(format!("no entry is a `{other}`")),
        };
        let locals = self.declared_locals()?;
        self.expect("homes")?;
        let homes = self.listed(Reader::end)?;
        self.expect("params")?;
        let parameters = self.listed(Reader::local)?;
        self.expect("fields")?;
        let fields = self.listed(|reader| reader.listed(Reader::local))?;
        self.expect("when")?;
        self.layer = None;
        let condition = self.expr()?;
        self.sign(';')?;
        let body = self.block()?;
        self.stack.bypasses.push(Bypass { entry, condition, locals, homes, parameters, fields, body });
        Ok(())
    }

    fn cell(&mut self) -> Result<CellId> {
        self.sign('@')?;
        Ok(CellId(self.named(|n| &n.cells)?))
    }

    /// Reads an emission.
    pub fn emit(&mut self) -> Result<Emit> {
        let (line, way) = (self.line(), self.way()?);
        let event = EventId(self.named(|n| &n.events)?);
        let link = self.link(line, way, event)?;
        self.sign('(')?;
        let arguments = self.list(')', Reader::expr)?;
        let (later, call) = (self.is_word("later"), self.is_word("call"));
        let likely = self.one_of(words::LIKELY);
        Ok(Emit { link, event, arguments, later, call, likely })
    }

    fn way(&mut self) -> Result<Way> {
        if self.is_word("link") {
            self.sign('#')?;
            return Ok(Way::Link(LinkId(self.small()?)));
        }
        Ok(Way::To(self.end()?))
    }

    fn link(&mut self, line: u32, way: Way, event: EventId) -> Result<LinkId> {
        let end = match way {
            Way::Link(link) => return Ok(link),
            Way::To(end) => end,
        };
        let Some(event) = self.stack.events.get(event.index()) else {
            return fail(line, format!("no event {}", event.0));
        };
        let link = self.layer.and_then(|layer| link_to(&self.stack, layer, event.direction, end));
        match link {
            Some(link) => Ok(link),
            None => fail(line, format!("no link of the layer leads `{}` there, or more than one does", event.name)),
        }
    }
}
