//! Describes frames: their headers and the values of the fields.

use nacre_runtime::wire::Control;
use nacre_stack::interpret::{show, show_length, show_payload, Value};
use nacre_stack::{LayoutForm, Stack};

/// Returns a short description of a frame: `Data{number=3} Short{to=77} 300 bytes`, or with
/// the bytes themselves if they are few.
pub fn decode(stack: &Stack, frame: &[u8]) -> String {
    let Some(layout) = stack.layouts.first() else { return show_length(frame.len()) };
    let Some(parsed) = stack.parse(layout, frame) else {
        let control = Control::read(frame).filter(|_| layout.form == LayoutForm::Preamble);
        return control.map_or_else(|| format!("no frame of this stack of {}", show_length(frame.len())), named);
    };
    // Highest layer first, as readers expect.
    let mut words: Vec<String> = parsed.headers.iter().map(|(id, values)| header(stack, *id, values)).collect();
    let data = &frame[parsed.size..];
    if layout.shapes[parsed.shape].data || !data.is_empty() {
        words.push(show_payload(data));
    }
    words.join(" ")
}

/// Describes a control frame, which a host sends by itself.
fn named(control: Control) -> String {
    match control {
        Control::Refused { to, fingerprint, .. } => {
            format!("Refused{{to={} fingerprint={fingerprint:016x}}}", to.cookie)
        }
        Control::Unknown { unknown } => format!("Unknown{{cookie={}}}", unknown.cookie),
        Control::Ping { to, .. } => format!("Ping{{to={}}}", to.cookie),
        Control::Pong { cookie, .. } => format!("Pong{{to={cookie}}}"),
        Control::Ended { to, why, words } => format!("Ended{{to={} why={why:?} code={}}}", to.cookie, words.code),
        Control::Retry { to, label } => format!("Retry{{to={} cookie={}}}", to.cookie, label.cookie),
    }
}

/// The same of a frame of one of several stacks.
pub fn decode_of_either(stacks: &[&Stack], frame: &[u8]) -> String {
    let has = |stack: &&&Stack| stack.layouts.first().is_some_and(|layout| stack.parse(layout, frame).is_some());
    stacks.iter().find(has).or(stacks.first()).map_or_else(|| show_length(frame.len()), |stack| decode(stack, frame))
}

fn header(stack: &Stack, id: nacre_stack::HeaderId, values: &[Value]) -> String {
    let header = stack.header(id);
    let fields = header.fields.iter().zip(values);
    let shown: Vec<String> =
        fields.map(|(field, value)| format!("{}={}", field.name, show(stack, value, &field.ty))).collect();
    if shown.is_empty() {
        return header.name.clone();
    }
    format!("{}{{{}}}", header.name, shown.join(" "))
}
