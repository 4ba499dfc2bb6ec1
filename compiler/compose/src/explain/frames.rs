//! The shapes of frames: a table of all, and a drawing of the likely ones.

use nacre_diagnostics::counted;
use nacre_stack::*;

use super::columns::table;
use super::diagram::{draw, Part};
use crate::words::Named;

/// The number of shapes of each form that are drawn; the table lists all.
const DRAWN: usize = 8;

pub(crate) fn frames(stack: &Stack, index: usize) -> String {
    let layout = &stack.layouts[index];
    let mut text = heading(stack, index);
    text.push('\n');
    text += &table(&rows(stack, layout), 2);
    let mut drawn: Vec<&Shape> = vec![];
    for identified in [false, true] {
        for shape in layout.shapes.iter().filter(|s| s.identified == identified).take(DRAWN) {
            text.push('\n');
            match drawn.iter().find(|d| alike(d, shape)) {
                Some(like) => {
                    text += &format!(
                        "  {}: {}, laid out as {}\n",
                        name(layout, shape),
                        headers(stack, shape),
                        name(layout, like)
                    )
                }
                None => text += &one(stack, layout, shape),
            }
            drawn.push(shape);
        }
    }
    text
}

/// Whether two shapes differ only in their numbers and in headers without fields.
fn alike(a: &Shape, b: &Shape) -> bool {
    a.fields == b.fields
        && a.size == b.size
        && a.identified == b.identified
        && (a.data_min, a.data_max) == (b.data_min, b.data_max)
}

fn heading(stack: &Stack, index: usize) -> String {
    let layout = &stack.layouts[index];
    if index > 0 {
        return format!("what `{}` packs\n", stack.layer(layout.layer).name);
    }
    let print = if layout.form == LayoutForm::Preamble {
        format!(", fingerprint {:016x}", layout.fingerprint)
    } else {
        String::new()
    };
    let size = layout.shapes.first().map_or(0, |s| s.size);
    format!("frames: {} in front of the data of the likely one{print}\n", counted(u64::from(size), "byte"))
}

/// A shape in one line; the numbers are the bytes of headers and of data.
fn rows(stack: &Stack, layout: &Layout) -> Vec<Vec<String>> {
    let heads = ["shape", "headers", "bytes + data"].map(String::from).to_vec();
    let one = |shape: &Shape| vec![name(layout, shape), headers(stack, shape), sizes(shape)];
    std::iter::once(heads).chain(layout.shapes.iter().map(one)).collect()
}

fn name(layout: &Layout, shape: &Shape) -> String {
    let form = match (layout.form, shape.identified) {
        (LayoutForm::Plain, _) => "",
        (_, true) => "identified ",
        (_, false) => "short ",
    };
    format!("{form}{}", shape.number)
}

/// The headers from the highest layer down, in the order in which they were added.
fn headers(stack: &Stack, shape: &Shape) -> String {
    let names: Vec<String> = shape
        .headers
        .iter()
        .rev()
        .map(|h| {
            let header = stack.header(*h);
            format!("{}.{}", stack.layer(header.layer).name, header.name)
        })
        .collect();
    match (names.is_empty(), shape.data) {
        (true, _) => "no header".into(),
        (false, true) => names.join(" / "),
        (false, false) => format!("{} (control)", names.join(" / ")),
    }
}

fn front(shape: &Shape) -> String {
    match shape.data_max {
        0 => counted(u64::from(shape.size), "byte"),
        _ => format!("{} in front of the data", counted(u64::from(shape.size), "byte")),
    }
}

fn sizes(shape: &Shape) -> String {
    match shape.data_max {
        0 => shape.size.to_string(),
        max => format!("{} + {} to {max}", shape.size, shape.data_min),
    }
}

fn one(stack: &Stack, layout: &Layout, shape: &Shape) -> String {
    let parts = parts(stack, layout, shape);
    let (drawing, marked) = draw(&parts);
    let mut text = format!("  {}: {}, {}\n\n{drawing}", name(layout, shape), headers(stack, shape), front(shape));
    let mut fields: Vec<Vec<String>> =
        marked.iter().map(|i| vec![parts[*i].mark.clone(), parts[*i].names[0].clone()]).collect();
    fields.dedup();
    if !fields.is_empty() {
        text += &table(&fields, 4);
    }
    let rows: Vec<Vec<String>> = shape.fields.iter().map(|p| field(stack, p)).collect();
    if !rows.is_empty() {
        text.push('\n');
        text += &table(&rows, 4);
    }
    text
}

fn field(stack: &Stack, placed: &Placed) -> Vec<String> {
    let header = stack.header(placed.header);
    let field = &header.fields[placed.field as usize];
    let last = placed.bit + field.bits.max(1) - 1;
    let bits = if last == placed.bit { format!("bit {}", placed.bit) } else { format!("bits {}-{last}", placed.bit) };
    let order = if field.big_endian { " big" } else { "" };
    let class = match field.class {
        FieldClass::Identification => "connection identification",
        FieldClass::Protocol => "protocol-specific",
        FieldClass::Message => "message-specific",
        FieldClass::Gossip => "gossip",
    };
    let kind = match field.place {
        FieldPlace::Cookie => "cookie".into(),
        FieldPlace::Fingerprint => "fingerprint".into(),
        FieldPlace::Byte(byte) => format!("{class}, at byte {byte}"),
        FieldPlace::Packed => class.into(),
    };
    let owner = format!("{}.{}.{}", stack.layer(header.layer).name, header.name, field.name);
    vec![bits, owner, format!("{}{order}", Named::of(stack).ty(&field.ty)), kind]
}

/// Everything in a frame, from its first bit to some of its data.
fn parts(stack: &Stack, layout: &Layout, shape: &Shape) -> Vec<Part> {
    let mut parts = front_parts(layout, shape);
    for (i, placed) in shape.fields.iter().enumerate() {
        let header = stack.header(placed.header);
        let field = &header.fields[placed.field as usize];
        let layer = &stack.layer(header.layer).name;
        let names = vec![
            format!("{layer}.{}.{}", header.name, field.name),
            format!("{layer}.{}", field.name),
            field.name.clone(),
        ];
        let mark = char::from(b'a' + (i % 26) as u8).to_string();
        parts.push(Part { from: placed.bit, bits: field.bits, names, mark });
    }
    parts.retain(|p| p.bits > 0);
    fill(&mut parts, shape.size * 8);
    if shape.data_max > 0 {
        parts.push(data_part(shape));
    }
    parts
}

fn part(from: u32, bits: u32, names: &[&str]) -> Part {
    Part {
        from,
        bits,
        names: names.iter().map(|n| (*n).to_string()).collect(),
        mark: names.last().map_or(String::new(), |n| (*n).into()),
    }
}

/// The preamble or the number of a plain layout.
fn front_parts(layout: &Layout, shape: &Shape) -> Vec<Part> {
    let number = format!("shape {}", shape.number);
    let short = shape.number.to_string();
    let one = layout.shapes.len() == 1;
    match layout.form {
        LayoutForm::Preamble => {
            let escaped = shape.number >= crate::start::ESCAPE_PREAMBLE;
            let mut parts = vec![part(0, 1, &[if shape.identified { "1" } else { "0" }])];
            let seven = if escaped { "126".to_string() } else { number.clone() };
            parts.push(part(1, 7, &[&seven]));
            if escaped {
                parts.push(part(if shape.identified { 96 } else { 32 }, 16, &[&number, &short]));
            }
            parts
        }
        LayoutForm::Plain if one => vec![],
        LayoutForm::Plain if shape.number >= crate::start::ESCAPE_PLAIN => {
            vec![part(0, 8, &["255"]), part(8, 16, &[&number, &short])]
        }
        LayoutForm::Plain => vec![part(0, 8, &[&number, &short])],
    }
}

/// Bits that no field takes are zero.
fn fill(parts: &mut Vec<Part>, end: u32) {
    let mut bit = 0;
    while bit < end {
        if let Some(taken) = parts.iter().find(|p| p.from <= bit && bit < p.from + p.bits) {
            bit = taken.from + taken.bits;
            continue;
        }
        let next = parts.iter().map(|p| p.from).filter(|from| *from > bit).min().unwrap_or(end).min(end);
        parts.push(part(bit, next - bit, &["zero", "0"]));
        bit = next;
    }
}

/// The data: to the end of its row, and one more where that is narrow.
fn data_part(shape: &Shape) -> Part {
    let from = shape.size * 8;
    let left = 32 - from % 32;
    let bits = if left < 32 { left + 32 } else { 32 };
    let long = format!("data: {} to {} bytes ...", shape.data_min, shape.data_max);
    part(from, bits, &[&long, "data"])
}
