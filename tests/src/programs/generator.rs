//! The common state of the generator: the random numbers, fresh names, and the declarations of the file.

use std::collections::BTreeSet;

use nacre_simulator::random::{hash, Random};

use super::names::strange;
use super::tree::{Node, Role};
use super::types::{mask, Field, Ty};

/// Seeds from this one on have strange names.
pub const STRANGE: u64 = 3_000_000;

/// The state of one generation.
pub struct Generator {
    pub random: Random,
    names: u32,
    /// The percentage of strange names, and those in use.
    strange: usize,
    used: BTreeSet<String>,
    pieces: u32,
    /// The number of operations so far that add or remove entries of containers, or iterate over them.
    pub moves: u32,
    /// The number of emitted messages so far.
    pub sends: u32,
    /// Enums and structs of the file.
    pub declared: Vec<Ty>,
}

impl Generator {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Generator {
        let mut generator = Generator {
            // Not a multiple of the seed: neighbouring seeds would draw the same sequence, shifted by one.
            random: Random::new(hash(&[seed])),
            names: 0,
            strange: 0,
            used: BTreeSet::new(),
            pieces: 0,
            moves: 0,
            sends: 0,
            declared: Vec::new(),
        };
        // Seeds of a range of their own have strange names.
        if seed >= STRANGE {
            generator.strange = 60;
        }
        generator
    }

    /// Draws a number below `high`.
    pub fn below(&mut self, high: usize) -> usize {
        self.random.below(high as u64) as usize
    }

    /// Draws whether something happens `n` times of 100.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// Draws one of several items.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Returns a unique name.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        if self.strange > 0 && self.percent(self.strange) {
            let number = self.random.number() as usize;
            if let Some(name) = strange(prefix, number, &mut self.used) {
                return name;
            }
        }
        format!("{prefix}{}", self.names)
    }

    /// Returns a number for pieces that belong together.
    pub fn piece(&mut self) -> u32 {
        self.pieces += 1;
        self.pieces
    }

    /// Makes a node a separate piece.
    pub fn alone(&mut self, node: Node) -> Node {
        let piece = self.piece();
        node.with(Role::Piece(piece))
    }

    // ---- types

    /// A width of 1 to `most` bits, often one next to a machine word.
    pub fn width(&mut self, most: u8) -> u8 {
        let edges = [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64];
        let width = if self.percent(70) { *self.one(&edges) } else { 1 + self.below(64) as u8 };
        width.min(most)
    }

    /// A type of numbers.
    pub fn number(&mut self) -> Ty {
        match self.below(10) {
            0..=4 => Ty::UInt(self.width(64)),
            5 | 6 => Ty::Int(self.width(64)),
            7 => Ty::Seq(self.width(32).max(2)),
            _ => Ty::Range(self.size(300)),
        }
    }

    /// A number of 1 to `most`, often a small one, sometimes the limit.
    pub fn size(&mut self, most: u64) -> u64 {
        match self.below(6) {
            0 => 1,
            1 => most,
            2 => 1 + self.random.below(most),
            _ => 1 + self.random.below(most.min(8)),
        }
    }

    /// The size of a set, string of bytes or text: up to 130, often one next to a word.
    pub fn extent(&mut self) -> u32 {
        let edges = [1, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 130];
        if self.percent(60) {
            *self.one(&edges)
        } else {
            1 + self.below(130) as u32
        }
    }

    /// A type whose values can be on the wire.
    pub fn wire_type(&mut self, depth: u32) -> Ty {
        let simple = depth == 0 || self.percent(60);
        match self.below(if simple { 9 } else { 14 }) {
            0..=4 => self.number(),
            5 => Ty::Bool,
            6 => Ty::Bits(self.extent()),
            7 => Ty::Bytes(self.extent().min(40)),
            8 => match self.below(3) {
                0 => Ty::Addr,
                _ => Ty::Duration,
            },
            9 | 10 => self.of_file(|ty| ty.is_wire()),
            11 => Ty::Tuple(vec![self.wire_type(depth - 1), self.wire_type(depth - 1)]),
            12 => Ty::Option(Box::new(self.wire_type(depth - 1))),
            _ => Ty::Array(Box::new(self.wire_type(depth - 1)), self.size(9) as u32),
        }
    }

    /// A type of plain values, including those that headers cannot contain.
    pub fn plain_type(&mut self, depth: u32) -> Ty {
        match self.below(12) {
            0 => Ty::Instant,
            1 => Ty::Text(self.extent().min(40)),
            _ => self.wire_type(depth),
        }
    }

    /// An enum or struct of the file; a number if none fits.
    fn of_file(&mut self, fits: impl Fn(&Ty) -> bool) -> Ty {
        let fitting: Vec<Ty> = self.declared.iter().filter(|ty| fits(ty)).cloned().collect();
        match fitting.is_empty() {
            true => self.number(),
            false => self.one(&fitting).clone(),
        }
    }

    /// A declared enum.
    pub fn new_enum(&mut self) -> Ty {
        let variants = (0..1 + self.below(5)).map(|_| self.name("v")).collect();
        Ty::Enum(self.name("En"), variants)
    }

    /// A declared struct of plain fields.
    pub fn new_struct(&mut self) -> Ty {
        let fields = (0..1 + self.below(4)).map(|_| {
            let ty = if self.percent(80) { self.wire_type(1) } else { self.plain_type(1) };
            Field { name: self.name("f"), ty, piece: self.piece() }
        });
        let fields = fields.collect();
        Ty::Struct(self.name("St"), fields)
    }

    // ---- numbers

    /// A number of a type as text, often an extreme one.
    pub fn literal(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::UInt(bits) | Ty::Seq(bits) => {
                let n = self.up_to(mask(*bits));
                if self.percent(10) {
                    format!("0x{n:x}")
                } else {
                    n.to_string()
                }
            }
            Ty::Int(bits) => {
                let half = mask(*bits) >> 1;
                let n = self.up_to(half);
                match self.below(3) {
                    0 => format!("(-{})", n.wrapping_add(1).min(half + 1)),
                    1 => format!("(-{n})"),
                    _ => n.to_string(),
                }
            }
            Ty::Range(high) => self.up_to(high - 1).to_string(),
            Ty::Duration => self.duration(),
            _ => ty.simplest().to_string(),
        }
    }

    /// A number of 0 to `most`, often a limit or a power of two.
    pub fn up_to(&mut self, most: u64) -> u64 {
        let bit = 1u64 << self.below(64);
        let n = match self.below(8) {
            0 => 0,
            1 => most,
            2 => most.saturating_sub(1),
            3 => bit,
            4 => bit - 1,
            5 => self.random.number(),
            _ => self.random.below(10),
        };
        if n <= most {
            n
        } else {
            self.random.below(most.saturating_add(1).max(1))
        }
    }

    /// A duration, rarely an extreme one.
    pub fn duration(&mut self) -> String {
        let units = ["ns", "us", "ms", "s", "min", "h"];
        match self.below(8) {
            0 => format!("{} ns", u64::MAX - self.random.below(2)),
            1 => format!("{} {}", self.below(4), self.one(&units)),
            2 => format!("{} ns", 1u64 << self.below(64)),
            _ => format!("{} ms", self.below(200)),
        }
    }
}

impl Ty {
    /// Whether headers can contain values of the type.
    pub fn is_wire(&self) -> bool {
        match self {
            Ty::Instant | Ty::Text(_) => false,
            Ty::Struct(_, fields) => fields.iter().all(|field| field.ty.is_wire()),
            Ty::Tuple(types) => types.iter().all(Ty::is_wire),
            Ty::Option(of) | Ty::Array(of, _) => of.is_wire(),
            other => other.is_plain(),
        }
    }
}
