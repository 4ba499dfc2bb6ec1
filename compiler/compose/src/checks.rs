//! Checks a stack during composition: its layers, the flow of events between them, and its frames.

use std::collections::BTreeSet;

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;
use nacre_typed::Fragment;

use crate::codes;
use crate::course::Emission;
use crate::linked::{Linked, LOWER};
use crate::shapes::{Flow, Node};

/// Checks the list of layers.
pub(crate) fn fragments(layers: &[Fragment]) -> Vec<Diagnostic> {
    if !layers.is_empty() {
        return vec![];
    }
    vec![Diagnostic::error(codes::EMPTY, "a stack needs at least one layer").help(
        "write `stack name = upper / \
        lower;`",
    )]
}

/// Checks the linked layers.
pub(crate) fn linked(linked: &Linked, layers: &[Fragment]) -> Vec<Diagnostic> {
    let mut problems = twice(&linked.stack);
    problems.extend(externs(&linked.stack, layers));
    problems
}

fn twice(stack: &Stack) -> Vec<Diagnostic> {
    let mut problems = vec![];
    for layer in &stack.layers {
        for reaction in &layer.reactions {
            for (i, arm) in reaction.arms.iter().enumerate() {
                let Some(other) = reaction.arms[..i].iter().find(|a| a.guard == arm.guard) else { continue };
                let (first, second) = (stack.handler(other.handler), stack.handler(arm.handler));
                let event = &stack.event(reaction.event).name;
                let title = format!("`{}` has two handlers for `{event}`{}", layer.name, with(stack, arm.guard.header));
                let problem = Diagnostic::error(codes::TWICE, title)
                    .at(second.span, "the second")
                    .also(first.span, "the first")
                    .because("every variant must have exactly one handler for each event that can carry it");
                problems.push(problem);
            }
        }
    }
    problems
}

fn with(stack: &Stack, header: Option<HeaderId>) -> String {
    header.map_or(String::new(), |h| format!(" with `{}`", stack.header(h).name))
}

/// Checks that layers declare each function of the host alike.
fn externs(stack: &Stack, layers: &[Fragment]) -> Vec<Diagnostic> {
    let mut problems = vec![];
    for (i, function) in stack.externs.iter().enumerate() {
        let Some(other) = stack.externs[..i].iter().find(|e| e.name == function.name) else { continue };
        let users: Vec<String> = layers
            .iter()
            .rev()
            .filter(|l| l.externs.iter().any(|e| e.name == function.name))
            .map(|l| format!("`{}`", l.name))
            .collect();
        let title = format!("{} declare different functions named `{}`", users.join(" and "), function.name);
        let problem = Diagnostic::error(codes::EXTERNS, title)
            .at(function.span, "declared here")
            .also(other.span, "and here")
            .because("the host supplies one function with that name")
            .help("give one of them another name");
        problems.push(problem);
    }
    problems
}

/// Checks the flow of events.
pub(crate) fn flow(linked: &Linked, flow: &Flow) -> Vec<Diagnostic> {
    let stack = &linked.stack;
    let mut problems: Vec<Diagnostic> =
        flow.unhandled.iter().map(|(l, e, h)| unhandled(stack, flow, *l, *e, *h)).collect();
    problems.extend(flow.lost.iter().map(|e| lost(stack, flow, *e)));
    problems.extend(flow.one_way.iter().map(|e| one_way(stack, flow, *e)));
    problems.extend(flow.world.doubled.iter().map(|(l, h)| doubled(stack, *l, *h)));
    problems.extend(left_on(stack, flow));
    problems.extend(flow.world.unpacked.iter().filter_map(|layout| unpacked(stack, flow, *layout)));
    if flow.too_many() {
        let title = "too many combinations of headers reach the layers: more than 16,384";
        return vec![Diagnostic::error(codes::TOO_MANY_SHAPES, title)];
    }
    problems
}

/// Checks that the stack sends frames: it receives only what its peer, the same stack, sends.
pub(crate) fn silent(stack: &Stack, flow: &Flow) -> Vec<Diagnostic> {
    let inputs = &stack.ports[LOWER.index()].inputs;
    let Some(frames) = inputs.iter().find(|i| stack.event(i.event).message.is_some()) else { return vec![] };
    let arrives =
        |node: &Node| matches!(node, Node::Event(at, event, Some(_)) if (*at, *event) == (frames.layer, frames.event));
    if flow.arrivals.keys().any(arrives) {
        return vec![];
    }
    let found = Diagnostic::error(codes::SILENT, "this stack never sends a frame")
        .at(stack.layer(frames.layer).span, "no message reaches this layer from above, and it sends none")
        .help("some layer must pass messages down, or emit them");
    vec![found]
}

/// The emissions of an event in sources.
fn emitters<'a>(stack: &'a Stack, flow: &'a Flow, event: EventId) -> Vec<(&'a Handler, &'a Emission)> {
    let mut found: Vec<(&Handler, &Emission)> = vec![];
    let mut seen = BTreeSet::new();
    for (node, course) in &flow.courses {
        let handler = stack.handler(flow.handlers[node]);
        for emission in course.emissions().into_iter().filter(|e| e.event == event && !handler.passes) {
            if seen.insert((handler.name.clone(), emission.span)) {
                found.push((handler, emission));
            }
        }
    }
    found
}

fn unhandled(stack: &Stack, flow: &Flow, layer: LayerId, event: EventId, header: HeaderId) -> Diagnostic {
    let (name, variant, event_name) = (&stack.layer(layer).name, &stack.header(header).name, &stack.event(event).name);
    let title = format!("`{name}` has no handler for `{event_name}` with its header `{variant}`");
    let mut error = Diagnostic::error(codes::UNHANDLED, title)
        .at(stack.layer(layer).span, format!("`{event_name}` comes here with `{variant}`"));
    for (handler, emission) in emitters(stack, flow, event) {
        error = error.also(emission.span, format!("`{}` emits it", handler.name));
    }
    let message = stack.event(event).message.map_or(String::new(), |_| "m - ".into());
    let direction = if stack.event(event).direction == Direction::Up { "up" } else { "down" };
    let fields = stack.header(header).fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    let fields = if fields.is_empty() { fields } else { format!(" {fields} ") };
    error
        .because("every variant must have exactly one handler for each event that can carry it")
        .help(format!("add `{direction} {event_name}({message}{variant} {{{fields}}}) {{ ... }}`"))
}

fn lost(stack: &Stack, flow: &Flow, event: EventId) -> Diagnostic {
    let name = &stack.event(event).name;
    let (_, lowest) = stack.neighbour_of(LOWER).expect("the lower port has a neighbour");
    let lowest = stack.layer(lowest);
    let mut error = Diagnostic::error(codes::LOST, format!("event `{name}` has no handler, and no port accepts it"));
    for (handler, emission) in emitters(stack, flow, event) {
        error = error.at(emission.span, format!("`{}` emits it", handler.name));
    }
    error
        .also(
            lowest.span,
            format!("`{}` is the lowest layer; the interface below it has no event `{name}`", lowest.name),
        )
        .help(format!("handle it in a lower layer, for example by `down {name}(..) {{ }}`"))
}

fn one_way(stack: &Stack, flow: &Flow, event: EventId) -> Diagnostic {
    let name = &stack.event(event).name;
    let first = stack.ports[LOWER.index()].inputs.iter().find(|i| stack.event(i.event).message.is_some());
    let back = first.map_or("nothing".into(), |i| format!("`{}`", stack.event(i.event).name));
    let mut error = Diagnostic::error(codes::ONE_WAY, format!("frames leave by `{name}`, but come back by {back}"));
    for (handler, emission) in emitters(stack, flow, event) {
        error = error.at(emission.span, format!("`{}` emits it", handler.name));
    }
    error
        .because(
            "`send` arrives at the peer as `deliver`, any other event under its own name; one event must bring up \
                all frames",
        )
        .help("put a layer with the interface `datagram` below at the bottom")
}

fn doubled(stack: &Stack, layer: LayerId, header: HeaderId) -> Diagnostic {
    let (name, header) = (&stack.layer(layer).name, &stack.header(header).name);
    Diagnostic::error(
        codes::DOUBLED,
        format!("`{name}` adds `{header}` to a message that already has a header of this layer"),
    )
    .at(stack.layer(layer).span, "this layer")
    .because("a layer has at most one header on a message")
    .help("add the header in the emission itself")
}

/// Checks that a layer that unpacks also packs: the peer runs the same stack.
fn unpacked(stack: &Stack, flow: &Flow, layout: LayoutId) -> Option<Diagnostic> {
    if flow.world.packed.get(&layout).is_some_and(|bag| !bag.is_empty()) {
        return None;
    }
    let layer = stack.layer(stack.layouts[layout.index()].layer);
    let error = Diagnostic::error(codes::UNPACKED, format!("`{}` unpacks messages but packs none", layer.name))
        .at(layer.span, "no message reaches a `pack` of this layer")
        .because("the peer runs the same stack, so it sends no packed messages")
        .help("`pack` the message before it is sent, or use it without `unpack`");
    Some(error)
}

/// Finds messages that leave by a port other than the lowest with headers of layers that never see them.
fn left_on(stack: &Stack, flow: &Flow) -> Vec<Diagnostic> {
    let mut problems = vec![];
    for ((port, event), bag) in flow.outputs.iter().filter(|((port, _), _)| *port != LOWER) {
        let Some(header) = bag.0.keys().find_map(|k| k.headers.first()) else { continue };
        let (port, name) = (&stack.ports[port.index()].name, &stack.event(*event).name);
        let header = stack.header(*header);
        let owner = &stack.layer(header.layer).name;
        let title = format!("`{name}` leaves by port `{port}` with the header `{}` of `{owner}`", header.name);
        let mut problem = Diagnostic::error(codes::LEFT_ON, title);
        for (handler, emission) in emitters(stack, flow, *event) {
            problem = problem.at(emission.span, format!("`{}` emits it", handler.name));
        }
        let because = format!("the host cannot read headers: `{owner}` above would never receive this one");
        problems.push(problem.because(because).help("match only `data m` there, and pass on other messages"));
    }
    problems
}

/// Checks the layouts of frames.
pub(crate) fn layouts(stack: &Stack, frame_max: u32) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> = stack.headers.iter().filter_map(|h| places(stack, h)).collect();
    problems.extend(too_wide(stack, frame_max));
    for layout in &stack.layouts {
        let short = layout.shapes.iter().filter(|s| !s.identified).count();
        let count = short.max(layout.shapes.len() - short);
        if count > usize::from(u16::MAX) + 1 {
            let layer = stack.layer(layout.layer);
            let title = format!("{count} combinations of headers; the limit is 65,536");
            problems.push(Diagnostic::error(codes::TOO_MANY_SHAPES, title).at(layer.span, "below this layer"));
        }
    }
    problems.extend(crowded(stack).or_else(|| overlapping(stack)));
    problems.extend(unnumbered(stack));
    problems
}

/// Checks that a number of 64 bits, with a digit for each layer, can encode the headers of a message.
fn unnumbered(stack: &Stack) -> Option<Diagnostic> {
    let variants = |layer: usize| stack.headers.iter().filter(|h| h.layer.index() == layer).count() as u64;
    let numbers = (0..stack.layers.len()).try_fold(2u64, |all, layer| all.checked_mul(variants(layer) + 1));
    if numbers.is_some() {
        return None;
    }
    let title = "the layers have too many header variants together: their combinations do not fit 64 bits";
    Some(Diagnostic::error(codes::TOO_MANY_SHAPES, title).help("use fewer layers with headers"))
}

/// Reports the widest shape, if its headers do not fit a frame.
fn too_wide(stack: &Stack, frame_max: u32) -> Option<Diagnostic> {
    let shape = stack.layouts[0].shapes.iter().filter(|s| s.size > frame_max).max_by_key(|s| s.size)?;
    let end = |field: &HeaderField| match field.place {
        FieldPlace::Byte(byte) => u64::from(byte) * 8 + u64::from(field.bits),
        FieldPlace::Packed | FieldPlace::Cookie | FieldPlace::Fingerprint => 0,
    };
    let bits = |id: &HeaderId| {
        let fields = &stack.header(*id).fields;
        let all = fields.iter().map(|f| u64::from(f.bits)).sum::<u64>();
        fields.iter().map(end).fold(all, u64::max)
    };
    let widest = *shape.headers.iter().max_by_key(|id| bits(id))?;
    let (header, layer) = (stack.header(widest), stack.layer(stack.header(widest).layer));
    let title = format!("headers of {} bytes fit no frame: the transport takes {frame_max}", shape.size);
    let label = format!("its `{}` takes {} of them", header.name, bits(&widest).div_ceil(8));
    let error = Diagnostic::error(codes::TOO_WIDE, title).at(layer.span, label);
    Some(error.help("send long values as data, with `++` or `join`, instead of in a header"))
}

/// Checks the widths of fields at fixed places.
fn places(stack: &Stack, header: &Header) -> Option<Diagnostic> {
    let preamble = stack.layouts[0].form == LayoutForm::Preamble;
    let wrong = header.fields.iter().find_map(|f| match f.place {
        FieldPlace::Cookie if f.bits != 24 => Some((f, "a field `at cookie` has 24 bits: `u24`".to_string())),
        FieldPlace::Fingerprint if f.bits != 64 => Some((f, "a field `at fingerprint` has 64 bits: `u64`".to_string())),
        FieldPlace::Fingerprint if !preamble => {
            Some((f, "frames without a preamble have no place for it: a field must be `at cookie`".to_string()))
        }
        _ => None,
    });
    let (field, why) = wrong?;
    let layer = stack.layer(header.layer);
    let title = format!("`{}.{}` of `{}` does not fit its place", header.name, field.name, layer.name);
    Some(Diagnostic::error(codes::PLACES, title).at(layer.span, "declared in this layer").because(why))
}

/// Checks that each fixed place of a frame has one field.
fn crowded(stack: &Stack) -> Option<Diagnostic> {
    let fixed = |shape: &Shape, place| {
        let field = |p: &&Placed| stack.header(p.header).fields[p.field as usize].place == place;
        shape.fields.iter().filter(field).map(|p| p.header).collect::<Vec<_>>()
    };
    let shapes = stack.layouts.iter().enumerate().flat_map(|(i, l)| l.shapes.iter().map(move |s| (i, s)));
    for (layout, shape) in shapes {
        for place in [FieldPlace::Cookie, FieldPlace::Fingerprint] {
            let headers = fixed(shape, place);
            let Some(first) = headers.first().map(|h| stack.header(*h)) else { continue };
            if headers.len() > 1 || layout > 0 {
                let layer = stack.layer(first.layer);
                let title = format!(
                    "`{}` of `{}` overlaps another field at its fixed place in the frame",
                    first.name, layer.name
                );
                let because = if layout > 0 {
                    "another layer packs this header into bytes"
                } else {
                    "another header on the same frame has the same place"
                };
                return Some(
                    Diagnostic::error(codes::PLACES, title).at(layer.span, "declared in this layer").because(because),
                );
            }
        }
    }
    None
}

/// Finds a field at a stated byte that overlaps another.
fn overlapping(stack: &Stack) -> Option<Diagnostic> {
    let shapes = || stack.layouts.iter().flat_map(|layout| layout.shapes.iter().map(move |shape| (layout, shape)));
    let chosen = |p: &&Placed| matches!(field_of(stack, p).place, FieldPlace::Byte(_));
    let early = shapes().filter_map(|(layout, shape)| {
        let front = crate::start::start(layout.form, shape.identified, shape.number, layout.shapes.len() == 1);
        let field = shape.fields.iter().filter(chosen).find(|p| p.bit < front)?;
        Some((front, layout, field))
    });
    if let Some((front, layout, field)) = early.max_by_key(|(front, ..)| *front) {
        return Some(in_front(stack, layout, field, front));
    }
    shapes().find_map(|(_, shape)| {
        let fields: Vec<&Placed> = shape.fields.iter().filter(|p| field_of(stack, p).bits > 0).collect();
        let mut pairs = fields.windows(2);
        let pair = pairs.find(|pair| pair[0].bit + field_of(stack, pair[0]).bits > pair[1].bit)?;
        Some(overlap(stack, pair[0], pair[1]))
    })
}

fn field_of<'s>(stack: &'s Stack, placed: &Placed) -> &'s HeaderField {
    &stack.header(placed.header).fields[placed.field as usize]
}

/// `pt2pt.Data.number`, and the bytes that it takes.
fn described(stack: &Stack, placed: &Placed) -> (String, String) {
    let (header, field) = (stack.header(placed.header), field_of(stack, placed));
    let (first, last) = (placed.bit / 8, (placed.bit + field.bits - 1) / 8);
    let bytes = if first == last { format!("byte {first}") } else { format!("bytes {first} to {last}") };
    (format!("{}.{}.{}", stack.layer(header.layer).name, header.name, field.name), bytes)
}

fn in_front(stack: &Stack, layout: &Layout, placed: &Placed, front: u32) -> Diagnostic {
    let (name, bytes) = described(stack, placed);
    let layer = stack.layer(stack.header(placed.header).layer);
    let what = match layout.form {
        LayoutForm::Preamble => "the preamble takes",
        LayoutForm::Plain => "the number of the shape takes",
    };
    Diagnostic::error(codes::PLACES, format!("`{name}` cannot be at byte {}", placed.bit / 8))
        .at(layer.span, format!("this layer places it in {bytes}"))
        .because(format!("{what} the first {} bytes", front / 8))
        .help(format!("place it at byte {} or later", front / 8))
}

fn overlap(stack: &Stack, first: &Placed, second: &Placed) -> Diagnostic {
    let [(a, a_bytes), (b, b_bytes)] = [first, second].map(|p| described(stack, p));
    let [a_layer, b_layer] = [first, second].map(|p| stack.layer(stack.header(p.header).layer));
    let error = Diagnostic::error(codes::PLACES, format!("`{a}` and `{b}` overlap in the frame"))
        .at(b_layer.span, format!("`{b}` takes {b_bytes}"));
    let error = if a_layer.span == b_layer.span {
        error.because(format!("`{a}` takes {a_bytes}"))
    } else {
        error.also(a_layer.span, format!("`{a}` takes {a_bytes}"))
    };
    error.help("change one of the offsets; a header can be on the frame together with those of all other layers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_shapes_run_out() {
        let mut stack = samples::sequencer();
        let shape = stack.layouts[0].shapes[0].clone();
        stack.layouts[0].shapes = vec![Shape { fields: vec![], ..shape }; 65_537];
        let found = layouts(&stack, crate::TRANSPORT_MAX);
        assert_eq!(found[0].code, codes::TOO_MANY_SHAPES);
        assert_eq!(found[0].message, "65537 combinations of headers; the limit is 65,536");
    }
}
