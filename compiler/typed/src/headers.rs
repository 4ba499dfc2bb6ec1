//! The headers that a layer declares.

use nacre_diagnostics::Diagnostic;
use nacre_stack::{FieldClass, FieldPlace, Header, HeaderField, HeaderId, LayerId};
use nacre_syntax::ast::{self, Member};

use crate::checker::{Checker, Declared};

/// The last byte of the longest frame.
const LAST_BYTE: i128 = 65_506;

impl Checker<'_> {
    pub(crate) fn headers(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Header(header) = member else { continue };
            let Some(fields) = &header.fields else {
                let help = format!("a header without fields is written `header {} {{}}`", header.name.name);
                self.found.push(crate::program::not_built("wire formats", header.span).help(help));
                continue;
            };
            if self.header_ids.contains_key(&header.name.name) {
                self.error(
                    "T0022",
                    format!("`{}` is declared twice in this layer", header.name.name),
                    header.name.span,
                    "again here",
                    "",
                );
                continue;
            }
            self.once(fields.iter().map(|f| &f.name));
            let fields = fields.iter().filter_map(|f| self.known_header_field(f)).collect();
            self.header_ids.insert(header.name.name.clone(), HeaderId(self.tree.headers.len() as u32));
            self.tree.headers.push(Header { name: header.name.name.clone(), layer: LayerId(0), fields });
        }
    }

    fn known_header_field(&mut self, field: &ast::HeaderField) -> Option<HeaderField> {
        let known = self.header_field(field);
        if known.is_none() {
            self.unsound.insert(Declared::Field(field.name.name.clone()));
        }
        known
    }

    fn header_field(&mut self, field: &ast::HeaderField) -> Option<HeaderField> {
        let ty = self.resolve(&field.ty)?;
        let Some(bits) = nacre_stack::wire_bits(&self.tree.structs, &self.tree.enums, &ty) else {
            let shown = self.show(&ty);
            self.error(
                "T0023",
                format!("a value of type {shown} cannot be in a header"),
                field.ty.span,
                "in a header",
                "headers contain numbers, `bool`, enums, bytes<N>, addresses, durations, sets and composites of these",
            );
            return None;
        };
        if field.big && bits % 8 != 0 {
            self.error("T0024", "`big` needs whole bytes", field.span, format!("{bits} bits"), "");
        }
        let place = self.field_place(field, bits);
        let class = match field.class.as_ref().map(|p| p.name.as_str()) {
            Some("identification") => FieldClass::Identification,
            Some("message") => FieldClass::Message,
            Some("gossip") => FieldClass::Gossip,
            _ => FieldClass::Protocol,
        };
        Some(HeaderField { name: field.name.name.clone(), ty, bits, big_endian: field.big, place, class })
    }

    /// The stated place in a frame of a field of `bits` bits.
    fn field_place(&mut self, field: &ast::HeaderField, bits: u32) -> FieldPlace {
        match &field.place {
            None => FieldPlace::Packed,
            Some(ast::Place::Byte(at)) => {
                let byte = self.constant_number(at, "the byte at which a field begins", 0, LAST_BYTE);
                byte.map_or(FieldPlace::Packed, |byte| FieldPlace::Byte(byte as u32))
            }
            Some(ast::Place::Named(name)) => match name.name.as_str() {
                "cookie" if bits == 24 => FieldPlace::Cookie,
                "fingerprint" if bits == 64 => FieldPlace::Fingerprint,
                _ => {
                    let title = "a field `at cookie` has 24 bits, a field `at fingerprint` 64";
                    self.error("T0025", title, field.span, format!("{bits} bits here"), "");
                    FieldPlace::Packed
                }
            },
        }
    }

    /// Reports headers that the layer puts on messages and takes off without naming these, which would be lost.
    pub(crate) fn lost_behind_headers(&mut self) {
        // After an error an expression may be typed again, in parts.
        if self.found.iter().any(Diagnostic::is_error) {
            return;
        }
        for (id, taken) in std::mem::take(&mut self.taken_alone) {
            let Some(put) = self.put_on.get(&id) else { continue };
            let name = self.tree.headers[id.index()].name.clone();
            let found = Diagnostic::error("T0184", format!("the message behind `{name}` is lost"))
                .at(taken, "the header is taken off alone")
                .also(*put, "it is put on a message here")
                .because("a message is consumed exactly once on every path: sent on, kept, or dropped")
                .help(format!("name the message: `m - {name} {{ ... }}`; if it is not needed, write `drop m;`"));
            self.found.push(found);
        }
    }

    pub(crate) fn unused_headers(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Header(header) = member else { continue };
            let Some(&id) = self.header_ids.get(&header.name.name) else { continue };
            if !self.pushed.contains(&id) && !self.found.iter().any(|d| d.is_error()) {
                self.found.push(
                    Diagnostic::warning("T0026", format!("no message ever carries `{}`", header.name.name))
                        .at(header.name.span, "declared here")
                        .help("add it with `m + Header { ... }`, or remove its declaration"),
                );
            }
        }
    }
}
