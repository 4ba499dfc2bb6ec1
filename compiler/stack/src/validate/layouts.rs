//! Layouts: every field has its bits, no two have the same.

use std::ops::Range;

use super::problems::Problems;
use crate::*;

/// Checks the layouts: header fields fit the frame without overlap, and numbers distinguish the shapes.
pub fn check(stack: &Stack, p: &mut Problems) {
    headers(stack, p);
    for (index, layout) in stack.layouts.iter().enumerate() {
        for (at, shape) in layout.shapes.iter().enumerate() {
            p.at(format!("layout {index}, shape {at}"));
            let again = layout.shapes[..at].iter().any(|s| {
                let identified = s.identified == shape.identified || layout.form == LayoutForm::Plain;
                s.number == shape.number && identified
            });
            p.unless(!again, || format!("number {} is another's", shape.number));
            p.unless(shape.event.index() < stack.events.len(), || "no such event".into());
            p.unless(shape.data_min <= shape.data_max, || "no length fits".into());
            p.unless(shape.number <= u16::MAX as u32, || "the number has no form".into());
            if shape.headers.iter().any(|h| h.index() >= stack.headers.len()) {
                p.add("no such header");
                continue;
            }
            let layers: Vec<LayerId> = shape.headers.iter().map(|h| stack.header(*h).layer).collect();
            p.unless(layers.is_sorted_by(|a, b| a < b), || "headers are not in the order of their layers".into());
            let frames = index == 0 || stack.ports.iter().any(|p| p.frames == Some(LayoutId(index as u32)));
            let above = |l: &LayerId| if frames { *l >= layout.layer } else { *l > layout.layer };
            p.unless(layers.iter().all(above), || "a header from below the boundary".into());
            fields(stack, layout, shape, p);
        }
    }
}

fn headers(stack: &Stack, p: &mut Problems) {
    for header in &stack.headers {
        p.at(format!("header {}", header.name));
        for field in &header.fields {
            let needs = stack.wire_bits(&field.ty);
            let exact = !matches!(field.ty, Type::Range(..) | Type::Enum(_));
            let fits =
                needs.is_some_and(
                    |needs| if exact { field.bits == needs } else { field.bits >= needs && field.bits <= 64 },
                );
            p.unless(fits, || format!("field `{}` has {} bits and needs {needs:?}", field.name, field.bits));
            p.unless(!field.big_endian || field.bits % 8 == 0, || format!("field `{}` is no row of bytes", field.name));
            let place = match field.place {
                FieldPlace::Packed | FieldPlace::Byte(_) => true,
                FieldPlace::Cookie => field.bits <= 24,
                FieldPlace::Fingerprint => field.bits == 64,
            };
            p.unless(place, || format!("field `{}` does not fit its place", field.name));
        }
    }
}

fn fields(stack: &Stack, layout: &Layout, shape: &Shape, p: &mut Problems) {
    let mut used: Vec<Range<u64>> = vec![];
    let mut take = |from: u32, bits: u32, what: &str, p: &mut Problems| {
        let taken = u64::from(from)..u64::from(from) + u64::from(bits);
        if taken.end > u64::from(shape.size) * 8 {
            return p.add(format!("{what} stands outside of {} bytes", shape.size));
        }
        let overlaps = used.iter().any(|other| other.start < taken.end && taken.start < other.end);
        p.unless(!overlaps, || format!("{what} overlaps another"));
        used.push(taken);
    };
    match layout.form {
        LayoutForm::Preamble => {
            take(0, 8, "the number", p);
            if shape.number >= 126 {
                take(if shape.identified { 96 } else { 32 }, 16, "the long number", p);
            }
        }
        LayoutForm::Plain if layout.shapes.len() <= 1 => {}
        LayoutForm::Plain => take(0, if shape.number >= 255 { 24 } else { 8 }, "the number", p),
    }
    let mut fingerprint = false;
    for id in &shape.headers {
        for (index, field) in stack.header(*id).fields.iter().enumerate() {
            let mut places = shape.fields.iter().filter(|f| f.header == *id && f.field as usize == index);
            let place = places.next();
            p.unless(places.next().is_none(), || format!("field `{}` stands twice", field.name));
            let fixed = match field.place {
                FieldPlace::Packed => None,
                FieldPlace::Byte(byte) => {
                    let bit = u64::from(byte) * 8;
                    let at_byte = place.is_none_or(|p| u64::from(p.bit) == bit);
                    p.unless(at_byte, || format!("field `{}` is not at byte {byte}", field.name));
                    None
                }
                FieldPlace::Cookie => Some(8),
                FieldPlace::Fingerprint => {
                    fingerprint = true;
                    Some(32)
                }
            };
            if fixed.is_some() && layout.form != LayoutForm::Preamble {
                p.add(format!("field `{}` wants a preamble", field.name));
            }
            match (fixed, place.map(|p| p.bit)) {
                (Some(bit), None) => take(bit, field.bits, &field.name, p),
                (Some(bit), Some(at)) if bit != at => p.add(format!("field `{}` is not at its place", field.name)),
                (_, Some(at)) => take(at, field.bits, &field.name, p),
                (None, None) => p.unless(field.bits == 0, || format!("field `{}` has no place", field.name)),
            }
        }
    }
    let stray =
        |f: &&Placed| !shape.headers.contains(&f.header) || f.field as usize >= stack.header(f.header).fields.len();
    p.unless(!shape.fields.iter().any(|f| stray(&f)), || "a field of no header of the shape".into());
    p.unless(shape.identified == fingerprint, || "it is identified, or not, against its headers".into());
}
