//! Known values: the results of arithmetic on them, and their text in a source.

use std::collections::BTreeSet;

use crate::programs::types::Ty;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Numbers, booleans, indices of enum variants, sequence numbers, durations.
    Num(i128),
    /// Tuples, structs, arrays, strings of bytes.
    Parts(Vec<Known>),
    Maybe(Option<Box<Known>>),
    Set(BTreeSet<u32>),
    /// Rings and lists, the oldest first.
    Queue(Vec<Known>),
    Map(Vec<(Known, Known)>),
}

impl Known {
    /// The number; 0 if it is not a number.
    pub fn num(&self) -> i128 {
        if let Known::Num(n) = self {
            *n
        } else {
            0
        }
    }

    /// Whether it is a true condition.
    pub fn holds(&self) -> bool {
        self.num() != 0
    }

    /// The initial value of state.
    pub fn zero(ty: &Ty) -> Known {
        match ty {
            Ty::Struct(_, fields) => Known::Parts(fields.iter().map(|field| Known::zero(&field.ty)).collect()),
            Ty::Tuple(types) => Known::Parts(types.iter().map(Known::zero).collect()),
            Ty::Array(of, n) => Known::Parts(vec![Known::zero(of); *n as usize]),
            Ty::Bytes(n) => Known::Parts(vec![Known::Num(0); *n as usize]),
            Ty::Option(_) => Known::Maybe(None),
            Ty::Bits(_) => Known::Set(BTreeSet::new()),
            Ty::Ring(..) | Ty::List(..) => Known::Queue(Vec::new()),
            Ty::Map(..) => Known::Map(Vec::new()),
            _ => Known::Num(0),
        }
    }

    /// The value as a source writes it if its type is known.
    pub fn text(&self, ty: &Ty) -> String {
        let all = |types: &mut dyn Iterator<Item = &Ty>, parts: &[Known]| {
            types.zip(parts).map(|(ty, part)| part.text(ty)).collect::<Vec<_>>().join(", ")
        };
        match (ty, self) {
            (Ty::Bool, Known::Num(n)) => (*n != 0).to_string(),
            (Ty::Enum(name, variants), Known::Num(n)) => format!("{name}.{}", variants[*n as usize]),
            (Ty::Duration, Known::Num(n)) => format!("{n} ns"),
            (_, Known::Num(n)) if *n < 0 => format!("({n})"),
            (_, Known::Num(n)) => n.to_string(),
            (Ty::Struct(name, fields), Known::Parts(parts)) => {
                let shown = fields.iter().zip(parts).map(|(f, part)| format!("{}: {}", f.name, part.text(&f.ty)));
                format!("{name} {{ {} }}", shown.collect::<Vec<_>>().join(", "))
            }
            (Ty::Tuple(types), Known::Parts(parts)) => format!("({})", all(&mut types.iter(), parts)),
            (Ty::Array(of, _), Known::Parts(parts)) => format!("[{}]", all(&mut std::iter::repeat(&**of), parts)),
            (Ty::Bytes(_), Known::Parts(parts)) => format!("[{}]", all(&mut std::iter::repeat(&Ty::UInt(8)), parts)),
            (Ty::Option(of), Known::Maybe(Some(value))) => format!("some({})", value.text(of)),
            (Ty::Bits(_), Known::Set(set)) if !set.is_empty() => {
                format!("set({})", set.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
            }
            (Ty::Option(_), _) => "none".into(),
            _ => "zeroes".into(),
        }
    }
}

/// The number truncated to the type.
pub fn wrapped(ty: &Ty, n: i128) -> i128 {
    match ty {
        Ty::UInt(bits) | Ty::Seq(bits) => n & ((1 << bits) - 1),
        Ty::Int(bits) => {
            let free = 128 - u32::from(*bits);
            (n << free) >> free
        }
        Ty::Duration => n & i128::from(u64::MAX),
        _ => n,
    }
}

/// `a - b` of sequence numbers: the signed distance.
pub fn distance(bits: u8, a: i128, b: i128) -> i128 {
    wrapped(&Ty::Int(bits), a - b)
}
