//! The C types of the IR's types. All bytes zero is the zero of every type: an unarmed timer is 0, an armed one
//! deadline + 1.

use nacre_stack::*;

use crate::writer::Writer;

/// How a number is held: bits of the C type, bits that count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Bool,
    Unsigned { c: u32, bits: u32 },
    Signed { c: u32, bits: u32 },
}

fn room_for(bits: u32) -> u32 {
    match bits {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

impl Scalar {
    /// An unsigned number of 64 bits.
    pub const WORD: Scalar = Scalar::Unsigned { c: 64, bits: 64 };
    /// A size, an index, a number of entries.
    pub const SIZE: Scalar = Scalar::Unsigned { c: 32, bits: 32 };

    /// An unsigned number of the given width, in the smallest C type that holds it.
    pub fn unsigned(bits: u32) -> Scalar {
        Scalar::Unsigned { c: room_for(bits), bits }
    }
    /// The type in which C computes with it: without sign, of 32 or 64 bits.
    pub fn computed(self) -> Scalar {
        if self.c() == 64 {
            Scalar::WORD
        } else {
            Scalar::SIZE
        }
    }
    /// Returns the width of the C type in bits.
    pub fn c(self) -> u32 {
        match self {
            Scalar::Bool => 8,
            Scalar::Unsigned { c, .. } | Scalar::Signed { c, .. } => c,
        }
    }
    /// Returns the width of the IR type in bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Unsigned { bits, .. } | Scalar::Signed { bits, .. } => bits,
        }
    }
    /// Returns the name of the C type.
    pub fn name(self) -> String {
        match self {
            Scalar::Bool => "bool".into(),
            Scalar::Unsigned { c, .. } => format!("uint{c}_t"),
            Scalar::Signed { c, .. } => format!("int{c}_t"),
        }
    }
}

/// Words of a set, if it does not fit into a number.
pub fn set_words(ty: &Type) -> Option<u32> {
    match ty {
        Type::Bits(n) if *n > 64 => Some(n.div_ceil(64)),
        _ => None,
    }
}

/// Slots of a window: a number's place is its low bits.
pub fn window_slots(capacity: u32) -> u32 {
    capacity.max(1).next_power_of_two()
}

impl Writer<'_> {
    /// Returns the C representation of a numeric type; none if the type becomes a struct.
    pub fn scalar(&self, ty: &Type) -> Option<Scalar> {
        Some(match ty {
            Type::Bool => Scalar::Bool,
            Type::UInt(b) | Type::Seq(b) => Scalar::unsigned(*b as u32),
            Type::Int(b) => Scalar::Signed { c: room_for(*b as u32), bits: *b as u32 },
            Type::Range(_, high) => {
                let c = room_for(bits_below(*high));
                Scalar::Unsigned { c, bits: c }
            }
            Type::Enum(id) => {
                let c = room_for(bits_below(self.stack.enums[id.index()].variants.len() as u64));
                Scalar::Unsigned { c, bits: c }
            }
            Type::Bits(n) if *n <= 64 => Scalar::unsigned(*n),
            Type::Duration | Type::Instant | Type::Timer => Scalar::WORD,
            _ => return None,
        })
    }

    /// A short word for a type, part of the names of structs and helpers. `layer`: whose messages are meant.
    pub fn tag(&self, ty: &Type, layer: usize) -> String {
        let of = |t: &Type| self.tag(t, layer);
        let wanted = match ty {
            Type::Bool => "bool".into(),
            Type::UInt(b) => format!("u{b}"),
            Type::Int(b) => format!("i{b}"),
            Type::Seq(b) => format!("seq{b}"),
            Type::Range(low, high) => format!("from{low}_below{high}"),
            Type::Enum(id) => self.enum_names[id.index()].clone(),
            Type::Struct(id) => match self.stack.has_message(ty) {
                true => format!("{}_{}", self.struct_names[id.index()], self.message_tag(layer + 1)),
                false => self.struct_names[id.index()].clone(),
            },
            Type::Tuple(types) => {
                format!("tuple{}_{}", types.len(), types.iter().map(of).collect::<Vec<_>>().join("_"))
            }
            Type::Option(t) => format!("maybe_{}", of(t)),
            Type::Bits(n) => format!("set{n}"),
            Type::Addr => "addr".into(),
            Type::Duration => "duration".into(),
            Type::Instant => "instant".into(),
            Type::Timer => "timer".into(),
            Type::Bytes(n) => format!("bytes{n}"),
            Type::Text(n) => format!("text{n}"),
            Type::Msg | Type::Bounded(_) => return self.message_tag(layer + 1),
            Type::View => "view".into(),
            Type::Array(t, n) => format!("array{n}_{}", of(t)),
            Type::Ring(t, n) => format!("ring{n}_{}", of(t)),
            Type::List(t, n) => format!("list{n}_{}", of(t)),
            Type::Window(t, n, b) => format!("window{n}_seq{b}_{}", of(t)),
            Type::Pool(t, n) => format!("pool{n}_{}", of(t)),
            Type::Map(k, t, n) => format!("map{n}_{}_{}", of(k), of(t)),
        };
        self.type_word(ty, layer, &wanted)
    }

    /// Returns the C type; declares it where necessary.
    pub fn c_type(&mut self, ty: &Type, layer: usize) -> String {
        if let Some(scalar) = self.scalar(ty) {
            return scalar.name();
        }
        match ty {
            Type::Addr => return "struct nacre_addr".into(),
            Type::View => return format!("struct {}_bytes", self.prefix),
            Type::Msg => return self.message_type(layer + 1),
            _ => {}
        }
        let name = format!("struct {}_{}", self.prefix, self.tag(ty, layer));
        if self.declared.insert(name.clone()) {
            let members = self.members(ty, layer);
            let comment = self.type_comment(ty);
            self.types.line(format!("{name} {{{comment}"));
            members.iter().for_each(|m| self.types.line(format!("    {m};")));
            self.types.line("};");
        }
        name
    }

    fn type_comment(&self, ty: &Type) -> &'static str {
        match ty {
            Type::Window(..) => {
                " /* entries of the numbers low <= n < high but those `missing`, at n modulo the slots; other bits are \
                 not set. `next` is the next to be taken */"
            }
            Type::Ring(..) => " /* the oldest at `head` */",
            _ => "",
        }
    }

    fn members(&mut self, ty: &Type, layer: usize) -> Vec<String> {
        let words = |name: &str, n: u32| format!("uint64_t {name}[{}]", n.div_ceil(64).max(1));
        let least = |n: u32| n.max(1);
        match ty {
            Type::Struct(id) => {
                let fields = self.stack.structs[id.index()].fields.clone();
                if fields.is_empty() {
                    return vec!["uint8_t nothing".into()];
                }
                let names = self.field_names[id.index()].clone();
                fields.iter().zip(names).map(|(f, name)| format!("{} {name}", self.c_type(&f.ty, layer))).collect()
            }
            Type::Tuple(types) if types.is_empty() => vec!["uint8_t nothing".into()],
            Type::Tuple(types) => {
                types.iter().enumerate().map(|(i, t)| format!("{} _{i}", self.c_type(t, layer))).collect()
            }
            Type::Option(t) => vec!["bool some".into(), format!("{} value", self.c_type(t, layer))],
            Type::Bits(n) => vec![format!("uint64_t word[{}]", n.div_ceil(64))],
            Type::Bytes(n) => vec![format!("uint8_t at[{}]", least(*n))],
            Type::Text(n) => vec!["uint32_t len".into(), format!("uint8_t at[{}]", least(*n))],
            Type::Array(t, n) => vec![format!("{} at[{}]", self.c_type(t, layer), least(*n))],
            Type::List(t, n) => vec!["uint32_t len".into(), format!("{} at[{}]", self.c_type(t, layer), least(*n))],
            Type::Ring(t, n) => {
                vec![
                    "uint32_t head".into(),
                    "uint32_t len".into(),
                    format!("{} at[{}]", self.c_type(t, layer), least(*n)),
                ]
            }
            Type::Window(t, n, b) => {
                let number = self.c_type(&Type::Seq(*b), layer);
                let slots = window_slots(*n);
                vec![
                    format!("{number} low, next, high, reported"),
                    words("missing", slots),
                    format!("{} at[{slots}]", self.c_type(t, layer)),
                ]
            }
            Type::Pool(t, n) => vec![words("used", *n), format!("{} at[{}]", self.c_type(t, layer), least(*n))],
            Type::Map(k, t, n) => vec![
                words("used", *n),
                format!("{} key[{}]", self.c_type(k, layer), least(*n)),
                format!("{} at[{}]", self.c_type(t, layer), least(*n)),
            ],
            _ => unreachable!("a number has no members"),
        }
    }
}

/// A constant of a number's type. In C it has the type in which C computes with such numbers, whatever its value: of 64
/// bits where the number is kept in 64 bits, else of 32 bits, signed as the number is. So an operation on constants
/// alone has the width that the IR gives it. All constants of the IR and all masks are printed here; sizes and
/// capacities, which are `u32`, are `{n}u`.
pub fn constant(value: u64, scalar: Scalar) -> String {
    let wide = scalar.c() == 64;
    match scalar {
        Scalar::Bool => if value & 1 == 1 { "true" } else { "false" }.into(),
        Scalar::Unsigned { bits, .. } => {
            let value = value & mask(bits);
            let digits = if value <= 0xffff { value.to_string() } else { format!("{value:#x}") };
            if wide {
                format!("UINT64_C({digits})")
            } else {
                format!("{digits}u")
            }
        }
        Scalar::Signed { bits, .. } => {
            let unused = 64 - bits;
            match ((value << unused) as i64) >> unused {
                i64::MIN => "INT64_MIN".into(),
                n if wide => format!("INT64_C({n})"),
                n if n == i64::from(i32::MIN) => "INT32_MIN".into(),
                n => n.to_string(),
            }
        }
    }
}

/// The mask of a number of `bits` bits, in the type in which C computes with such numbers.
pub fn mask_constant(bits: u32) -> String {
    constant(mask(bits), Scalar::unsigned(bits))
}
