//! Bytes as messages: straight-line code for each shape of a layout, that refuses what no end writes.

use nacre_stack::*;

use crate::code::Code;
use crate::globals::Global;
use crate::leaves::{Leaf, What};
use crate::loops::Bit;
use crate::types::{constant, mask_constant, Scalar};
use crate::wire::{chunks, fitting, long_gaps};
use crate::writer::Writer;

impl Writer<'_> {
    /// Reads a message of a shape from `at` to `m`.
    pub fn read_shape(&mut self, layout: &Layout, shape: &Shape, code: &mut Code) {
        let size = shape.size;
        match fitting(shape) {
            Some(fits) => code.line(format!("if (!({fits})) {{ return false; }}")),
            None if size > 0 => code.line(format!("if (len < {size}u) {{ return false; }}")),
            None => code.line("(void)len;"),
        }
        code.line(format!("m->data = {};", shape.data));
        for layer in self.slot_layers(self.layout_level_of(layout)) {
            let header = shape.headers.iter().find(|h| self.stack.header(**h).layer.index() == layer);
            let number = header.map_or(0, |h| self.slots[layer].number(*h));
            code.line(format!("m->{} = {number};", self.slots[layer].tag));
        }
        let (leaves, unplaced) = self.leaves(layout, shape, "m->");
        let mut used = vec![false; size as usize * 8];
        for leaf in &leaves {
            used[leaf.bit as usize..((leaf.bit + leaf.bits) as usize).min(size as usize * 8)].fill(true);
        }
        self.check_unused(&mut used, code);
        if used.iter().all(|used| *used) && leaves.iter().all(|leaf| matches!(leaf.what, What::Fixed(_))) {
            code.line("(void)at;");
        }
        for (text, ty) in unplaced {
            let low = match ty {
                Type::Range(low, _) => Some(low),
                _ => None,
            };
            match (low, self.scalar(&ty)) {
                (Some(low), Some(scalar)) => code.line(format!("{text} = {};", constant(low, scalar))),
                (None, Some(_)) => code.line(format!("{text} = 0;")),
                _ => code.line(format!("memset(&{text}, 0, sizeof {text});")),
            }
        }
        // Flags precede the parts that they guard.
        for leaf in leaves {
            match leaf.is_unrolled() {
                true => self.read_leaf(&leaf, size, code),
                false => self.read_looped(&leaf, "at", &Bit::at(0), code),
            }
        }
    }

    /// Reads a part of a shape of `size` bytes.
    fn read_leaf(&mut self, leaf: &Leaf, size: u32, code: &mut Code) {
        let p = self.prefix.clone();
        match &leaf.what {
            What::Fixed(_) => {}
            What::Bytes { text, count } if leaf.bit % 8 == 0 => {
                if *count > 0 {
                    code.line(format!("memcpy({text}, at + {}, {count});", leaf.bit / 8));
                }
                self.check_absent(leaf, code);
            }
            What::Bytes { text, count } => {
                for i in 0..*count {
                    let value = load(&p, leaf.bit + 8 * i, 8, size);
                    code.line(format!("{text}[{i}] = (uint8_t)({value});"));
                    if let Some(guard) = &leaf.guard {
                        code.line(format!("if (!({guard}) && {text}[{i}] != 0) {{ return false; }}"));
                    }
                }
            }
            What::Number { text, ty, swapped } => {
                let value = load(&p, leaf.bit, leaf.bits, size);
                let value = if *swapped { format!("{p}_swap({value}, {}u)", leaf.bits / 8) } else { value };
                self.read_number(leaf, text, ty, &value, code);
            }
            What::Each { .. } | What::Big { .. } => unreachable!("read by loops"),
        }
    }

    /// Refuses bytes that are not zero where there are none.
    pub fn check_absent(&self, leaf: &Leaf, code: &mut Code) {
        if let (What::Bytes { text, count }, Some(guard)) = (&leaf.what, &leaf.guard) {
            code.line(format!(
                "for (uint32_t i = 0; i < {count}u; i++) {{ if (!({guard}) && {text}[i] != 0) {{ return false; }} }}"
            ));
        }
    }

    fn layout_level_of(&self, layout: &Layout) -> usize {
        let index = self.stack.layouts.iter().position(|l| std::ptr::eq(l, layout)).unwrap_or(0);
        self.layout_level(LayoutId(index as u32))
    }

    /// Reads a number, which is `value` of C, and refuses it if it is none of its type.
    pub fn read_number(&mut self, leaf: &Leaf, text: &str, ty: &Type, value: &str, code: &mut Code) {
        let p = self.prefix.clone();
        let scalar = self.scalar(ty).unwrap_or(Scalar::Bool);
        let reachable = mask(leaf.bits);
        let (low, most) = match ty {
            Type::Range(low, high) => (*low, high.saturating_sub(1)),
            Type::Enum(id) => (0, (self.stack.enums[id.index()].variants.len() as u64).saturating_sub(1)),
            _ => (0, mask(scalar.bits())),
        };
        let mut checks = vec![];
        if low > 0 {
            checks.push(format!("value < {}", constant(low, Scalar::WORD)));
        }
        if reachable > most {
            checks.push(format!("value > {}", constant(most, Scalar::WORD)));
        }
        let cut = match scalar {
            Scalar::Bool => "value != 0".to_string(),
            Scalar::Unsigned { c: 64, .. } => "value".into(),
            Scalar::Unsigned { c, .. } => format!("(uint{c}_t)value"),
            Scalar::Signed { c, bits } => format!("(int{c}_t){p}_sign(value, {bits}u)"),
        };
        code.open("{");
        code.line(format!("uint64_t value = {value};"));
        match (&leaf.guard, checks.is_empty()) {
            (None, true) => {}
            (None, false) => code.line(format!("if ({}) {{ return false; }}", checks.join(" || "))),
            (Some(guard), true) => code.line(format!("if (!({guard}) && value != 0) {{ return false; }}")),
            (Some(guard), false) => {
                code.line(format!("if (({guard}) ? ({}) : value != 0) {{ return false; }}", checks.join(" || ")));
            }
        }
        code.line(format!("{text} = {cut};"));
        code.close("}");
    }

    fn check_unused(&mut self, used: &mut [bool], code: &mut Code) {
        let p = self.prefix.clone();
        let touched: Vec<bool> = used.chunks(8).map(|byte| byte.contains(&true)).collect();
        for (from, to) in long_gaps(&touched, &[]) {
            let all_zero = self.bits_helper("all_zero");
            code.line(format!("if (!{all_zero}(at + {from}, {}u)) {{ return false; }}", to - from));
            used[from as usize * 8..to as usize * 8].fill(true);
        }
        for (at, n) in chunks(&vec![false; used.len() / 8]) {
            let mut unused = 0u64;
            for i in 0..n * 8 {
                if !used[(at * 8 + i) as usize] {
                    unused |= 1 << i;
                }
            }
            if unused != 0 {
                code.line(format!(
                    "if ({p}_get(at + {at}, {n}u) & {}) {{ return false; }}",
                    constant(unused, Scalar::WORD)
                ));
            }
        }
    }

    /// A function that reads any shape of a layout: the length of the head, UINT32_MAX if there is no such message.
    pub fn parse_function(&mut self, layout: LayoutId) -> String {
        let p = self.prefix.clone();
        let stack = self.stack;
        let declared = &stack.layouts[layout.index()];
        let shapes: Vec<String> = (0..declared.shapes.len()).map(|i| self.shape_function(layout, i)).collect();
        let name = self.global(Global::Parse(layout), format!("parse_{}", layout.0));
        self.helper(name, |w, name| {
            let ty = w.message_type(w.layout_level(layout));
            let mut code = Code::new(0);
            code.open(format!("{p}_PLAIN uint32_t {name}(const uint8_t *at, uint32_t len, {ty} *m) {{"));
            match declared.form {
                LayoutForm::Plain if declared.shapes.len() <= 1 => match (shapes.first(), declared.shapes.first()) {
                    (Some(name), Some(shape)) => {
                        code.line(format!("return {name}(at, len, m) ? {}u : UINT32_MAX;", shape.size))
                    }
                    _ => code.line("return at == NULL && len > 0 && m == NULL ? 0 : UINT32_MAX;"),
                },
                form => {
                    code.line("if (len == 0) { return UINT32_MAX; }");
                    code.line("uint32_t shape = at[0];");
                    let key = |shape: &Shape| match form {
                        LayoutForm::Preamble => shape.number << 1 | shape.identified as u32,
                        LayoutForm::Plain => shape.number,
                    };
                    let long = declared
                        .shapes
                        .iter()
                        .any(|s| s.number >= if form == LayoutForm::Preamble { 126 } else { 255 });
                    match (form, long) {
                        (LayoutForm::Preamble, true) => {
                            code.line("uint32_t where = shape & 1u ? 12u : 4u;");
                            code.line("if (shape >> 1 == 127u) { return UINT32_MAX; }");
                            code.open("if (shape >> 1 == 126u) {");
                            code.line("if (len < where + 2u) { return UINT32_MAX; }");
                            code.line(format!("uint32_t number = (uint32_t){p}_get(at + where, 2u);"));
                            code.line("if (number < 126u) { return UINT32_MAX; }");
                            code.line("shape = number << 1 | (shape & 1u);");
                            code.close("}");
                        }
                        (LayoutForm::Plain, true) => {
                            code.open("if (shape == 255u) {");
                            code.line("if (len < 3u) { return UINT32_MAX; }");
                            code.line(format!("shape = (uint32_t){p}_get(at + 1, 2u);"));
                            code.line("if (shape < 255u) { return UINT32_MAX; }");
                            code.close("}");
                        }
                        _ => {}
                    }
                    code.open("switch (shape) {");
                    let mut seen = vec![];
                    for (name, shape) in shapes.iter().zip(&declared.shapes) {
                        if !seen.contains(&key(shape)) {
                            seen.push(key(shape));
                            code.line(format!(
                                "case {}: return {name}(at, len, m) ? {}u : UINT32_MAX;",
                                key(shape),
                                shape.size
                            ));
                        }
                    }
                    code.line("default: return UINT32_MAX;");
                    code.close("}");
                }
            }
            code.close("}");
            code
        })
    }
}

/// Bits of a head as a number.
fn load(p: &str, bit: u32, bits: u32, size: u32) -> String {
    let first = bit / 8;
    let n = (bit + bits).div_ceil(8) - first;
    if n > 8 {
        let low = 64 - bit % 8;
        return format!(
            "({p}_get(at + {first}, 8u) >> {} | ({p}_get(at + {}, 1u) & {}) << {low})",
            bit % 8,
            first + 8,
            mask_constant(bits - low),
        );
    }
    let read = [1, 2, 4, 8].into_iter().find(|r| *r >= n && first + r <= size).unwrap_or(n);
    let word = format!("{p}_get(at + {first}, {read}u)");
    let word = if bit % 8 == 0 { word } else { format!("({word} >> {})", bit % 8) };
    if bits == read * 8 && bit % 8 == 0 {
        word
    } else {
        format!("({word} & {})", mask_constant(bits))
    }
}
