//! Long header fields, read and written by loops, so that the text of C does not grow with their length.

use crate::code::Code;
use crate::leaves::{Leaf, What, BIG};
use crate::writer::Writer;

/// A bit of a head: a constant, and for each loop around it its variable times a constant.
#[derive(Clone)]
pub struct Bit {
    constant: u32,
    loops: Vec<(String, u32)>,
}

impl Bit {
    /// A bit that no loop moves.
    pub fn at(constant: u32) -> Bit {
        Bit { constant, loops: vec![] }
    }

    fn plus(&self, bits: u32) -> Bit {
        Bit { constant: self.constant + bits, ..self.clone() }
    }

    fn within(&self, variable: &str, stride: u32) -> Bit {
        let own = (variable.to_string(), stride);
        Bit { loops: self.loops.iter().cloned().chain([own]).collect(), ..self.clone() }
    }

    /// The width of a unit, in bits.
    fn text(&self, unit: u32) -> String {
        let loops = self.loops.iter().map(|(variable, stride)| format!(" + {}u * {variable}", stride / unit));
        format!("{}u{}", self.constant / unit, loops.collect::<String>())
    }
}

impl Writer<'_> {
    /// A function of `support/bits.c`, which is for stacks that need it.
    pub fn bits_helper(&mut self, name: &str) -> String {
        self.optional_support("bits", include_str!("support/bits.c"));
        format!("{}_{name}", self.prefix)
    }

    /// The bytes that only a part written by loops is in. They are cleared, if it sets single bits.
    pub fn clear_for(&self, leaf: &Leaf, code: &mut Code) -> Option<(u32, u32)> {
        let (from, to) = (leaf.bit.div_ceil(8), (leaf.bit + leaf.bits) / 8);
        if from >= to {
            return None;
        }
        if !matches!(leaf.what, What::Each { .. }) || !leaf.is_whole_bytes() {
            code.line(format!("memset(to + {from}, 0, {});", to - from));
        }
        Some((from, to))
    }

    /// Writes a part to `to`, a name, where its bits are zero, if it is not in whole bytes. `base`: where what it is in
    /// begins.
    pub fn write_looped(&mut self, leaf: &Leaf, to: &str, base: &Bit, code: &mut Code) {
        let (bit, whole) = (base.plus(leaf.bit), leaf.is_whole_bytes() && is_whole(base));
        match &leaf.what {
            What::Fixed(_) => {}
            What::Number { text, ty, .. } => {
                let value = self.bits_of(text, ty);
                code.line(match whole {
                    true => format!("{}_put({to} + {}, {value}, {}u);", self.prefix, bit.text(8), leaf.bits / 8),
                    false => {
                        format!("{}({to}, {}, {value}, {}u);", self.bits_helper("put_bits"), bit.text(1), leaf.bits)
                    }
                });
            }
            What::Bytes { count: 0, .. } => {}
            What::Bytes { text, count } => code.line(match whole {
                true => format!("memcpy({to} + {}, {text}, {count});", bit.text(8)),
                false => format!("{}({to}, {}, {text}, {count}u);", self.bits_helper("put_bytes"), bit.text(1)),
            }),
            What::Each { count, stride, variable, entry } => {
                code.open(format!("for (uint32_t {variable} = 0; {variable} < {count}u; {variable}++) {{"));
                let base = bit.within(variable, *stride);
                entry.iter().for_each(|leaf| self.write_looped(leaf, to, &base, code));
                code.close("}");
            }
            What::Big { field } => {
                let bytes = leaf.bits / 8;
                let put = self.bits_helper("put_reversed");
                code.open("{");
                code.line(format!("uint8_t {BIG}[{bytes}] = {{0}};"));
                field.iter().for_each(|leaf| self.write_looped(leaf, BIG, &Bit::at(0), code));
                code.line(format!("{put}({to}, {}, {BIG}, {bytes}u);", bit.text(1)));
                code.close("}");
            }
        }
    }

    /// Reads a part from `from`, a name.
    pub fn read_looped(&mut self, leaf: &Leaf, from: &str, base: &Bit, code: &mut Code) {
        let (bit, whole) = (base.plus(leaf.bit), leaf.is_whole_bytes() && is_whole(base));
        match &leaf.what {
            What::Fixed(_) => {}
            What::Number { text, ty, .. } => {
                let value = match whole {
                    true => format!("{}_get({from} + {}, {}u)", self.prefix, bit.text(8), leaf.bits / 8),
                    false => format!("{}({from}, {}, {}u)", self.bits_helper("get_bits"), bit.text(1), leaf.bits),
                };
                self.read_number(leaf, text, ty, &value, code);
            }
            What::Bytes { text, count } => {
                match (whole, count) {
                    (_, 0) => {}
                    (true, _) => code.line(format!("memcpy({text}, {from} + {}, {count});", bit.text(8))),
                    (false, _) => {
                        let get = self.bits_helper("get_bytes");
                        code.line(format!("{get}({from}, {}, {text}, {count}u);", bit.text(1)));
                    }
                }
                self.check_absent(leaf, code);
            }
            What::Each { count, stride, variable, entry } => {
                code.open(format!("for (uint32_t {variable} = 0; {variable} < {count}u; {variable}++) {{"));
                let base = bit.within(variable, *stride);
                entry.iter().for_each(|leaf| self.read_looped(leaf, from, &base, code));
                code.close("}");
            }
            What::Big { field } => {
                let bytes = leaf.bits / 8;
                let get = self.bits_helper("get_reversed");
                code.open("{");
                code.line(format!("uint8_t {BIG}[{bytes}];"));
                code.line(format!("{get}({from}, {}, {BIG}, {bytes}u);", bit.text(1)));
                field.iter().for_each(|leaf| self.read_looped(leaf, BIG, &Bit::at(0), code));
                code.close("}");
            }
        }
    }
}

/// Whether it is at the beginning of a byte for all values of the variables.
fn is_whole(bit: &Bit) -> bool {
    bit.constant % 8 == 0 && bit.loops.iter().all(|(_, stride)| stride % 8 == 0)
}
