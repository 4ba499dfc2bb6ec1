//! The text that two peers must agree on, and its fingerprint. docs/frames.md is normative.

use std::fmt::Write;

use nacre_stack::*;
use nacre_typed::Fragment;
use sha2::{Digest, Sha256};

use crate::words::Named;

/// Raised when the rules of docs/frames.md change.
pub const WIRE_VERSION: u32 = 1;

/// Writes the text: layers with their headers and parameters, and every shape bit by bit.
pub fn wire_text(stack: &Stack, layers: &[Fragment]) -> String {
    let mut text = format!("nacre wire {WIRE_VERSION}\n");
    for (layer, fragment) in stack.layers.iter().zip(layers.iter().rev()) {
        let _ = writeln!(text, "layer {} version {}", fragment.name, layer.version);
        for (name, value) in &fragment.wire_parameters {
            let _ = writeln!(text, "parameter {name} {value}");
        }
    }
    for (i, layout) in stack.layouts.iter().enumerate() {
        layout_text(stack, layout, i == 0, &mut text);
    }
    text
}

/// Returns the first eight bytes of the text's SHA-256, as a little-endian number.
pub(crate) fn fingerprint(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    u64::from_le_bytes(*digest.first_chunk().expect("a digest of 32 bytes"))
}

fn layout_text(stack: &Stack, layout: &Layout, frames: bool, text: &mut String) {
    let form = if layout.form == LayoutForm::Preamble { "preamble" } else { "plain" };
    let _ = writeln!(text, "layout {} {form}", layout.layer.0);
    for shape in &layout.shapes {
        let length = if shape.identified { "identified" } else { "short" };
        let made = if shape.data { "data" } else { "control" };
        let event = if frames { stack.event(shape.event).name.as_str() } else { "-" };
        let _ = writeln!(text, "shape {length} {} {event} {made} size {}", shape.number, shape.size);
        for header in &shape.headers {
            let _ = writeln!(text, "header {} {}", stack.header(*header).layer.0, stack.header(*header).name);
        }
        for placed in &shape.fields {
            let header = stack.header(placed.header);
            let field = &header.fields[placed.field as usize];
            let ty = Named::of(stack).ty_in_full(&field.ty);
            let order = if field.big_endian { " big" } else { "" };
            let _ = writeln!(
                text,
                "field {} {}.{} at {} bits {} {ty}{order}",
                header.layer.0, header.name, field.name, placed.bit, field.bits
            );
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn fingerprint_is_the_head_of_the_sha_256_of_the_text() {
        // FIPS 180-4: SHA-256("abc") begins with ba7816bf8f01cfea.
        assert_eq!(super::fingerprint("abc"), 0xeacf_018f_bf16_78ba);
    }
}
