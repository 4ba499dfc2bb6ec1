//! Messages in C: bytes, whether they are data, and for each layer above a boundary the header that it has added.
//!
//! A message is the same struct while it travels and while it is kept. In layer k it has slots for the layers above k
//! only; boundaries between which no layer has headers share one type.

use crate::globals::Global;
use crate::writer::Writer;

impl Writer<'_> {
    /// The layers from `from` up that have headers.
    pub fn slot_layers(&self, from: usize) -> Vec<usize> {
        (from..self.stack.layers.len()).filter(|l| !self.slots[*l].headers.is_empty()).collect()
    }

    /// The word for messages that carry headers of layer `from` and above.
    pub fn message_tag(&self, from: usize) -> String {
        let lowest = self.slot_layers(from).first().copied();
        let wanted = lowest.map_or("msg".to_string(), |lowest| format!("msg_{}", self.layer_names[lowest]));
        self.globals.name(Global::Message(lowest), &wanted)
    }

    /// The C type of such messages; declares it.
    pub fn message_type(&mut self, from: usize) -> String {
        let name = format!("struct {}_{}", self.prefix, self.message_tag(from));
        if self.declared.insert(name.clone()) {
            let mut members = vec![format!("struct {}_bytes bytes", self.prefix), "bool data".to_string()];
            let layers = self.slot_layers(from);
            for layer in &layers {
                let slots = &self.slots[*layer];
                let bits = if slots.headers.len() < 1 << 8 { 8 } else { 16 };
                members.push(format!("uint{bits}_t {}", slots.tag));
            }
            for layer in layers {
                for (name, ty) in self.slots[layer].places.clone() {
                    members.push(format!("{} {name}", self.c_type(&ty, layer)));
                }
            }
            let whose = match self.slot_layers(from).first() {
                Some(layer) => format!(
                    " /* a message with the headers of {} and what is above; a tag names the header, 0: none */",
                    self.layer_names[*layer]
                ),
                None => " /* a message without headers */".into(),
            };
            self.types.line(format!("{name} {{{whose}"));
            members.iter().for_each(|m| self.types.line(format!("    {m};")));
            self.types.line("};");
        }
        name
    }

    /// A copy of a message, field by field: for a function that is not inlined. So the message itself never has to
    /// be in memory along the likely way.
    pub fn spread(&mut self, text: &str, level: usize) -> String {
        let ty = self.message_type(level);
        let member = |m: &str| format!("{text}.bytes.{m}");
        let bytes =
            format!("{{.block = {}, .offset = {}, .len = {}}}", member("block"), member("offset"), member("len"));
        let mut parts = vec![format!(".bytes = {bytes}"), format!(".data = {text}.data")];
        for layer in self.slot_layers(level) {
            let slots = &self.slots[layer];
            parts.push(format!(".{0} = {text}.{0}", slots.tag));
            parts.extend(slots.places.iter().map(|(name, _)| format!(".{name} = {text}.{name}")));
        }
        format!("({ty}){{{}}}", parts.join(", "))
    }

    /// An initializer that makes of `text`, a message with headers from `has` up, one with headers from `wants` up.
    pub fn as_message(&mut self, text: &str, has: usize, wants: usize) -> Option<String> {
        if self.message_tag(has) == self.message_tag(wants) {
            return None;
        }
        let layers = self.slot_layers(has.max(wants));
        let mut parts = vec![format!(".bytes = {text}.bytes"), format!(".data = {text}.data")];
        for layer in layers {
            let slots = &self.slots[layer];
            parts.push(format!(".{0} = {text}.{0}", slots.tag));
            parts.extend(slots.places.iter().map(|(name, _)| format!(".{name} = {text}.{name}")));
        }
        Some(format!("{{{}}}", parts.join(", ")))
    }
}
