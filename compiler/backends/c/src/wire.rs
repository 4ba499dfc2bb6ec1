//! Messages as bytes: straight-line code for each shape of a layout, and loops for what is long in it. `parsing` is
//! the way back.

use nacre_stack::*;

use crate::code::Code;
use crate::globals::Global;
use crate::leaves::{Leaf, What};
use crate::loops::Bit;
use crate::types::{constant, mask_constant, Scalar};
use crate::writer::Writer;

impl Writer<'_> {
    /// From which layer on messages of a layout carry headers.
    pub fn layout_level(&self, layout: LayoutId) -> usize {
        if layout.0 == 0 || self.stack.ports.iter().any(|port| port.frames == Some(layout)) {
            0
        } else {
            self.stack.layouts[layout.index()].layer.index() + 1
        }
    }

    /// Returns the size in bytes of the longest head among the shapes of a layout.
    pub fn longest_head(&self, layout: LayoutId) -> u32 {
        self.stack.layouts[layout.index()].shapes.iter().map(|s| s.size).max().unwrap_or(0)
    }

    /// Writes the head of a shape to `to`; the message is `m`.
    fn write_shape(&mut self, layout: &Layout, shape: &Shape, code: &mut Code) {
        let (leaves, _) = self.leaves(layout, shape, "m.");
        let mut covered = vec![false; shape.size as usize];
        let (unrolled, looped): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(Leaf::is_unrolled);
        let numbers = self.write_bytes(unrolled, &mut covered, code);
        let mut spans: Vec<(u32, u32)> = numbers.iter().map(|(bit, bits, _)| (*bit, *bits)).collect();
        spans.extend(looped.iter().map(|leaf| (leaf.bit, leaf.bits)));
        for (from, to) in long_gaps(&covered, &spans) {
            code.line(format!("memset(to + {from}, 0, {});", to - from));
            covered[from as usize..to as usize].fill(true);
        }
        let before: Vec<(u32, u32)> = looped.iter().filter_map(|leaf| self.clear_for(leaf, code)).collect();
        before.into_iter().for_each(|(from, to)| covered[from as usize..to as usize].fill(true));
        self.write_words(&numbers, &covered, code);
        looped.iter().for_each(|leaf| self.write_looped(leaf, "to", &Bit::at(0), code));
    }

    /// Writes the rows of bytes that begin at a byte; gives the numbers: bit, bits, value.
    fn write_bytes(&self, leaves: Vec<Leaf>, covered: &mut [bool], code: &mut Code) -> Vec<(u32, u32, String)> {
        let mut numbers = vec![];
        for leaf in leaves {
            match &leaf.what {
                What::Bytes { text, count } if leaf.bit % 8 == 0 => {
                    let at = leaf.bit / 8;
                    if *count > 0 {
                        code.line(format!("memcpy(to + {at}, {text}, {count});"));
                    }
                    covered[at as usize..(at + count) as usize].fill(true);
                }
                What::Bytes { text, count } => {
                    (0..*count).for_each(|i| numbers.push((leaf.bit + 8 * i, 8, format!("(uint64_t){text}[{i}]"))));
                }
                What::Fixed(0) => {}
                What::Fixed(value) => numbers.push((leaf.bit, leaf.bits, constant(*value, Scalar::WORD))),
                What::Number { text, ty, swapped } => {
                    let value = self.bits_of(text, ty);
                    let p = &self.prefix;
                    let value = if *swapped { format!("{p}_swap({value}, {}u)", leaf.bits / 8) } else { value };
                    numbers.push((leaf.bit, leaf.bits, value));
                }
                What::Each { .. } | What::Big { .. } => unreachable!("written by loops"),
            }
        }
        numbers
    }

    /// A number's bits as 64 without sign.
    pub fn bits_of(&self, text: &str, ty: &Type) -> String {
        match self.scalar(ty).unwrap_or(Scalar::Bool) {
            Scalar::Signed { bits, .. } if bits < 64 => format!("((uint64_t){text} & {})", mask_constant(bits)),
            _ => format!("(uint64_t){text}"),
        }
    }

    /// Writes numbers by words, to the bytes that are not covered.
    fn write_words(&self, numbers: &[(u32, u32, String)], covered: &[bool], code: &mut Code) {
        for (at, n) in chunks(covered) {
            let (from, to) = (at * 8, (at + n) * 8);
            let parts: Vec<String> = numbers
                .iter()
                .filter(|(bit, bits, _)| *bit < to && bit + bits > from)
                .map(|(bit, _, value)| match bit.cmp(&from) {
                    std::cmp::Ordering::Equal => value.clone(),
                    std::cmp::Ordering::Greater => format!("{value} << {}", bit - from),
                    std::cmp::Ordering::Less => format!("{value} >> {}", from - bit),
                })
                .collect();
            let word = if parts.is_empty() { "0".into() } else { parts.join(" | ") };
            code.line(format!("{}_put(to + {at}, {word}, {n}u);", self.prefix));
        }
    }

    /// A function that writes the head of a frame and returns its length; UINT32_MAX: no such shape.
    pub fn head_function(&mut self, layout: LayoutId, event: Option<EventId>) -> String {
        let p = self.prefix.clone();
        let wanted = match event {
            Some(event) => format!("head_{}_{}", layout.0, crate::names::plain(&self.stack.event(event).name)),
            None => format!("head_{}", layout.0),
        };
        let name = self.global(Global::Head(layout, event), wanted);
        self.helper(name, |w, name| {
            let level = w.layout_level(layout);
            let stack = w.stack;
            let declared = &stack.layouts[layout.index()];
            let ty = w.message_type(level);
            let mut code = Code::new(0);
            let word = if w.level.is_quick() { "_INLINE" } else { "_PLAIN" };
            code.open(format!("{p}{word} uint32_t {name}({ty} m, uint8_t *to) {{"));
            let key = w.key_of(level, "m.");
            code.open(format!("switch ({key}) {{"));
            for (key, shape) in w.shape_keys(declared, level, event) {
                let names: Vec<&str> = shape.headers.iter().map(|h| stack.header(*h).name.as_str()).collect();
                code.open(format!("case {key}: /* {} */", names.join(" ")));
                w.write_shape(declared, shape, &mut code);
                code.line(format!("return {}u;", shape.size));
                code.close("");
            }
            code.line("default: break;");
            code.close("}");
            code.line("(void)to;");
            code.line("return UINT32_MAX;");
            code.close("}");
            code
        })
    }

    /// A number that says which headers are on a message and whether it is data; of 64 bits where 32 are too few.
    fn key_of(&self, level: usize, message: &str) -> String {
        let layers = self.slot_layers(level);
        let variants = |layer: &usize| self.slots[*layer].headers.len() as u64 + 1;
        let keys: u64 = layers.iter().map(variants).product::<u64>() * 2;
        let bits = if keys <= 1 << 32 { 32 } else { 64 };
        let mut text = format!("(uint{bits}_t){message}data");
        let mut radix = 2u64;
        for layer in layers {
            text = format!("{text} + {} * {message}{}", constant(radix, Scalar::unsigned(bits)), self.slots[layer].tag);
            radix *= variants(&layer);
        }
        text
    }

    fn shape_keys<'s>(&self, layout: &'s Layout, level: usize, event: Option<EventId>) -> Vec<(u64, &'s Shape)> {
        let mut found: Vec<(u64, &Shape)> = vec![];
        let fitting = layout.shapes.iter().filter(|s| event.is_none_or(|e| s.event == e));
        for shape in fitting.chain(&layout.shapes) {
            let (mut key, mut radix) = (shape.data as u64, 2u64);
            for layer in self.slot_layers(level) {
                let header = shape.headers.iter().find(|h| self.stack.header(**h).layer.index() == layer);
                key += radix * header.map_or(0, |h| self.slots[layer].number(*h) as u64);
                radix *= self.slots[layer].headers.len() as u64 + 1;
            }
            if found.iter().all(|(k, _)| *k != key) {
                found.push((key, shape));
            }
        }
        found
    }

    /// A function that reads one shape; `at` has at least `len` bytes or the longest head.
    pub fn shape_function(&mut self, layout: LayoutId, index: usize) -> String {
        let p = self.prefix.clone();
        let name = self.global(Global::Shape(layout, index), format!("shape_{}_{index}", layout.0));
        self.helper(name, |w, name| {
            let level = w.layout_level(layout);
            let stack = w.stack;
            let declared = &stack.layouts[layout.index()];
            let shape = &declared.shapes[index];
            let ty = w.message_type(level);
            let mut code = Code::new(0);
            let names: Vec<&str> = shape.headers.iter().map(|h| stack.header(*h).name.as_str()).collect();
            code.line(format!(
                "/* {}: {} bytes, then {} to {} of data */",
                names.join(" "),
                shape.size,
                shape.data_min,
                shape.data_max
            ));
            code.open(format!("{p}_INLINE bool {name}(const uint8_t *at, uint32_t len, {ty} *m) {{"));
            w.read_shape(declared, shape, &mut code);
            code.line("return true;");
            code.close("}");
            code
        })
    }
}

/// The condition under which a frame has the length of a shape; none if any is long enough.
pub fn fitting(shape: &Shape) -> Option<String> {
    let span = shape.data_max.saturating_sub(shape.data_min);
    let least = shape.size as u64 + shape.data_min as u64;
    (span < u32::MAX - shape.size).then(|| format!("len - {least}u <= {span}u"))
}

/// More bytes than these that nothing is in are cleared and checked by loops.
const LONG_GAP: u32 = 64;

/// Runs of many bytes that are not covered, and in which no part (bit, bits) is.
pub fn long_gaps(covered: &[bool], parts: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut used = covered.to_vec();
    for (bit, bits) in parts.iter().filter(|(_, bits)| *bits > 0) {
        let end = (bit + bits).div_ceil(8) as usize;
        used[*bit as usize / 8..end.min(covered.len())].fill(true);
    }
    let (mut found, mut at) = (vec![], 0);
    for run in used.chunk_by(|a, b| a == b) {
        let from = at;
        at += run.len() as u32;
        if !run[0] && at - from > LONG_GAP {
            found.push((from, at));
        }
    }
    found
}

/// Runs of bytes that are not covered, cut into words.
pub fn chunks(covered: &[bool]) -> Vec<(u32, u32)> {
    let (mut found, mut at) = (vec![], 0usize);
    while at < covered.len() {
        if covered[at] {
            at += 1;
            continue;
        }
        let run = covered[at..].iter().take_while(|c| !**c).count();
        let n = [8, 4, 2, 1].into_iter().find(|n| *n <= run).unwrap_or(1);
        found.push((at as u32, n as u32));
        at += n;
    }
    found
}
