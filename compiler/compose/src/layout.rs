//! Lays out frames: numbers the shapes and packs the fields of all layers into bits. docs/frames.md is normative.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use nacre_stack::*;

use crate::linked::LOWER;
use crate::message::{Bag, Size, LONGEST};
use crate::shapes::Flow;
use crate::start::start;

/// The largest datagram of a transport.
pub const TRANSPORT_MAX: u32 = 65_507;

const COOKIE_BIT: u32 = 8;
const FINGERPRINT_BIT: u32 = 32;

/// A combination of headers that was found, before it has a number.
struct Found {
    event: EventId,
    headers: Vec<HeaderId>,
    data: bool,
    size: Size,
}

/// Fills in all layouts of a stack from what flows through it.
pub(crate) fn lay_out(stack: &mut Stack, flow: &Flow, frame_max: u32) {
    let form = if placed(stack, FieldPlace::Cookie) { LayoutForm::Preamble } else { LayoutForm::Plain };
    let frames = flow.outputs.iter().filter(|((port, _), _)| *port == LOWER);
    let mut found = vec![];
    for ((_, event), bag) in frames {
        found.extend(combinations(*event, bag));
    }
    stack.layouts[0].form = form;
    stack.layouts[0].shapes = shapes(stack, form, found);
    let worst = stack.layouts[0].shapes.iter().map(|s| s.size).max().unwrap_or(0);
    let longest = frame_max.saturating_sub(worst);
    stack.bounds.frame_data = longest;
    for shape in &mut stack.layouts[0].shapes {
        shape.data_max = shape.data_max.min(longest);
        shape.data_min = shape.data_min.min(shape.data_max);
    }
    for i in 1..stack.layouts.len() {
        let bag = flow.world.packed.get(&LayoutId(i as u32)).cloned().unwrap_or_default();
        let found = combinations(EventId(0), &bag);
        stack.layouts[i].shapes = shapes(stack, LayoutForm::Plain, found);
    }
    name_packed_events(stack, flow);
}

/// The greatest length of a frame's data, and of a call's message that fits a frame whatever layers add.
pub(crate) fn longest(stack: &Stack, flow: &Flow, frame_max: u32) -> (u32, u32) {
    let mut trial = stack.clone();
    lay_out(&mut trial, flow, frame_max);
    let frame = trial.bounds.frame_data;
    let frames = flow.outputs.iter().filter(|((port, _), _)| *port == LOWER);
    let grown = frames.flat_map(|(_, bag)| bag.0.values()).map(|size| size.growth).max().unwrap_or(0);
    (frame, frame.saturating_sub(grown))
}

/// Whether any field of the stack has this place.
pub(crate) fn placed(stack: &Stack, place: FieldPlace) -> bool {
    stack.headers.iter().any(|h| h.fields.iter().any(|f| f.place == place))
}

/// The combinations of headers in a bag, wherever their bytes are.
fn combinations(event: EventId, bag: &Bag) -> Vec<Found> {
    let mut sizes: BTreeMap<(Vec<HeaderId>, bool), Size> = BTreeMap::new();
    for (kind, size) in &bag.0 {
        let key = (kind.headers.clone(), kind.data);
        let joined = sizes.get(&key).map_or(*size, |known| known.join(*size));
        sizes.insert(key, joined);
    }
    sizes.into_iter().map(|((headers, data), size)| Found { event, headers, data, size }).collect()
}

/// Numbers the combinations and places their fields: short forms first, likely ones before others.
fn shapes(stack: &Stack, form: LayoutForm, mut found: Vec<Found>) -> Vec<Shape> {
    found.sort_by_key(|f| {
        let identified = is_identified(stack, form, &f.headers);
        (identified, Reverse(f.data), f.headers.len(), f.headers.clone(), stack.event(f.event).name.clone(), f.event)
    });
    let only = found.len() == 1;
    let (mut short, mut long) = (0, 0);
    let mut result = vec![];
    for f in found {
        let identified = is_identified(stack, form, &f.headers);
        let next = if identified { &mut long } else { &mut short };
        let (number, start) = (*next, start(form, identified, *next, only));
        *next += 1;
        let (fields, size) = pack(stack, &f.headers, identified, start);
        // A message that no condition bounds may have any length.
        let longest = if f.size.max < LONGEST { f.size.max } else { u32::MAX - size };
        result.push(Shape {
            number,
            identified,
            event: f.event,
            headers: f.headers,
            data: f.data,
            fields,
            size,
            data_min: f.size.min,
            data_max: longest,
            in_place: false,
        });
    }
    result
}

fn is_identified(stack: &Stack, form: LayoutForm, headers: &[HeaderId]) -> bool {
    form == LayoutForm::Preamble && headers.iter().any(|h| carries(stack, *h, FieldPlace::Fingerprint))
}

fn carries(stack: &Stack, header: HeaderId, place: FieldPlace) -> bool {
    stack.header(header).fields.iter().any(|f| f.place == place)
}

/// The places of all fields of a shape, and the bytes before the data. `checks` reports overlapping fields.
fn pack(stack: &Stack, headers: &[HeaderId], identified: bool, start: u32) -> (Vec<Placed>, u32) {
    let mut fields = vec![];
    let mut packed = vec![];
    for &header in headers {
        let leads = identified && carries(stack, header, FieldPlace::Fingerprint);
        for (i, field) in stack.header(header).fields.iter().enumerate() {
            let placed = |bit| Placed { header, field: i as u32, bit };
            match field.place {
                FieldPlace::Cookie => fields.push(placed(COOKIE_BIT)),
                FieldPlace::Fingerprint => fields.push(placed(FINGERPRINT_BIT)),
                FieldPlace::Byte(byte) => fields.push(placed(byte * 8)),
                FieldPlace::Packed => {
                    packed.push(((!leads, if leads { FieldClass::Identification } else { field.class }), placed(0)))
                }
            }
        }
    }
    packed.sort_by_key(|(order, _)| *order);
    let bits = |place: &Placed| stack.header(place.header).fields[place.field as usize].bits;
    let fixed = fields.iter().map(|place| (place.bit, bits(place))).collect();
    let mut gaps = Gaps::new(start, fixed);
    for ((follows, _), mut place) in packed {
        place.bit = if follows { gaps.take(bits(&place)) } else { gaps.take_at_start(bits(&place)) };
        fields.push(place);
    }
    fields.sort_by_key(|p| p.bit);
    let end = fields.iter().map(|place| place.bit + bits(place)).fold(start, u32::max);
    (fields, end.div_ceil(8))
}

/// The bits of a shape that fields with a fixed place leave to the others, in order.
struct Gaps {
    /// Each from its first bit up to, but not including, its end.
    free: Vec<(u32, u32)>,
    /// The end of the last packed field.
    end: u32,
}

impl Gaps {
    /// The gaps from `start` on between the fixed fields, each by its first bit and width.
    fn new(start: u32, mut fixed: Vec<(u32, u32)>) -> Gaps {
        fixed.sort_unstable();
        let (mut free, mut from) = (vec![], start);
        for (bit, bits) in fixed {
            if bit > from {
                free.push((from, bit));
            }
            from = from.max(bit + bits);
        }
        free.push((from, u32::MAX));
        Gaps { free, end: start }
    }

    /// The first bit of the first gap that is wide enough. A field of no bits is at the end of the last field.
    fn take(&mut self, bits: u32) -> u32 {
        if bits == 0 {
            return self.end;
        }
        let fits = self.free.iter_mut().find(|(from, to)| to - *from >= bits);
        let (from, _) = fits.expect("the last gap has no end");
        let bit = *from;
        *from += bits;
        self.end = bit + bits;
        bit
    }

    /// The place of a field with a fixed position: directly after the last one.
    fn take_at_start(&mut self, bits: u32) -> u32 {
        let bit = self.end;
        self.end += bits;
        for (from, _) in &mut self.free {
            *from = (*from).max(self.end);
        }
        self.free.retain(|(from, to)| from < to);
        bit
    }
}

/// Sets the event of packed messages, which no field encodes: the event with which such a message first reaches the
/// layer.
fn name_packed_events(stack: &mut Stack, flow: &Flow) {
    for i in 1..stack.layouts.len() {
        let layer = stack.layouts[i].layer;
        let comes = flow.arrivals.keys().find_map(|node| match node {
            crate::shapes::Node::Event(l, event, Some(_)) if *l == layer => Some(*event),
            _ => None,
        });
        let event = comes.unwrap_or(EventId(0));
        stack.layouts[i].shapes.iter_mut().for_each(|s| s.event = event);
    }
}
