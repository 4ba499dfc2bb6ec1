//! Where the members of a structure lie, and where they would lie if pointers and `long` had 32 bits.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::types::{Id, Member, Record, Type, Types};

/// A member that is no structure, or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its name with those of the structures around it.
    pub name: String,
    pub kind: Kind,
    /// In bits.
    pub offset: u64,
    pub width: u64,
    /// The offset with pointers and `long` of 32 bits. None: the compiler lays the structure out by other rules.
    pub narrow: Option<u64>,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Pointer,
    Long,
    Other,
}

/// Rules of layout: the size of pointers and `long` in bytes, and whether nothing is aligned.
#[derive(Clone, Copy)]
struct Rules {
    word: u64,
    is_packed: bool,
}

const WIDE: Rules = Rules { word: 8, is_packed: false };
const NARROW: Rules = Rules { word: 4, is_packed: false };

/// Structures that are nested deeper are not looked into.
const DEEPEST: usize = 30;

/// The layouts of the types of a file, as they are and with pointers and `long` of 32 bits.
pub struct Layout<'a> {
    types: &'a Types,
    /// Whether a structure is packed. None: its layout follows other rules.
    packed: RefCell<BTreeMap<Id, Option<bool>>>,
}

impl<'a> Layout<'a> {
    /// Nothing is laid out before it is asked for.
    pub fn new(types: &'a Types) -> Layout<'a> {
        Layout { types, packed: RefCell::default() }
    }

    /// The leaves of a type.
    pub fn leaves(&self, id: Id) -> Vec<Leaf> {
        let mut found = Vec::new();
        let none = Leaf { name: String::new(), kind: Kind::Other, offset: 0, width: 0, narrow: Some(0) };
        self.collect(id, none, 0, &mut found);
        found
    }

    /// The size of a type in bytes: now, and with pointers and `long` of 32 bits.
    pub fn sizes(&self, id: Id) -> (u64, Option<u64>) {
        match self.types.plain(Some(id)) {
            (Some(id), Type::Record(record)) => {
                let packed = self.is_packed(id, record, 0);
                (record.size, packed.map(|is_packed| self.place(record, Rules { is_packed, ..NARROW }, 0).1 .0))
            }
            _ => (self.extent(Some(id), WIDE, 0).0, Some(self.extent(Some(id), NARROW, 0).0)),
        }
    }

    /// Adds the leaves of a member.
    fn collect(&self, id: Id, member: Leaf, depth: usize, to: &mut Vec<Leaf>) {
        let (Some(id), Type::Record(record)) = self.types.plain(Some(id)) else {
            let width = 8 * self.extent(Some(id), WIDE, depth).0;
            to.push(Leaf { kind: self.kind(Some(id), depth), width, ..member });
            return;
        };
        if depth == DEEPEST {
            return;
        }
        let packed = self.is_packed(id, record, depth);
        let places = packed.map(|is_packed| self.place(record, Rules { is_packed, ..NARROW }, depth).0);
        for (number, below) in record.members.iter().enumerate() {
            let name = match &below.name {
                None => member.name.clone(),
                Some(own) if member.name.is_empty() => own.clone(),
                Some(own) => format!("{}.{own}", member.name),
            };
            let offset = member.offset + below.offset;
            let narrow = member.narrow.zip(places.as_ref()).map(|(narrow, places)| narrow + places[number]);
            let leaf = Leaf { name, kind: Kind::Other, offset, width: below.width.unwrap_or(0), narrow };
            match below.width {
                Some(_) => to.push(leaf),
                None => self.collect(below.of, leaf, depth + 1, to),
            }
        }
    }

    /// Of arrays, that of their elements; of structures in arrays, that of some member.
    fn kind(&self, id: Option<Id>, depth: usize) -> Kind {
        match self.types.plain(id).1 {
            Type::Pointer(_) => Kind::Pointer,
            Type::Number { is_long: true, .. } => Kind::Long,
            Type::Array { of, .. } if depth < DEEPEST => self.kind(*of, depth + 1),
            Type::Record(record) if depth < DEEPEST => {
                record.members.iter().map(|member| self.kind(Some(member.of), depth + 1)).min().unwrap_or(Kind::Other)
            }
            _ => Kind::Other,
        }
    }

    fn is_packed(&self, id: Id, record: &Record, depth: usize) -> Option<bool> {
        if let Some(known) = self.packed.borrow().get(&id) {
            return *known;
        }
        let offsets: Vec<u64> = record.members.iter().map(|member| member.offset).collect();
        let found = [false, true].into_iter().find(|is_packed| {
            let (places, (size, _)) = self.place(record, Rules { is_packed: *is_packed, ..WIDE }, depth);
            places == offsets && size == record.size
        });
        self.packed.borrow_mut().insert(id, found);
        found
    }

    /// The offsets of the members in bits, and size and alignment in bytes.
    fn place(&self, record: &Record, rules: Rules, depth: usize) -> (Vec<u64>, (u64, u64)) {
        let (mut places, mut end, mut most, mut aligned) = (Vec::new(), 0u64, 0u64, 1u64);
        for member in &record.members {
            let (size, alignment) = self.extent(Some(member.of), rules, depth + 1);
            let begin = if record.is_union { 0 } else { begin(member, end, (size, alignment), rules) };
            places.push(begin);
            end = begin.saturating_add(member.width.unwrap_or(size.saturating_mul(8)));
            most = most.max(end);
            aligned = aligned.max(alignment);
        }
        (places, (most.div_ceil(8).next_multiple_of(aligned), aligned))
    }

    /// Size and alignment in bytes.
    fn extent(&self, id: Option<Id>, rules: Rules, depth: usize) -> (u64, u64) {
        let aligned = |size: u64| (size, if rules.is_packed { 1 } else { size.clamp(1, 16) });
        match self.types.plain(id) {
            (_, Type::Pointer(_) | Type::Number { is_long: true, .. }) => aligned(rules.word),
            (_, Type::Number { size, .. }) if size.is_power_of_two() => aligned(*size),
            (_, Type::Number { size, .. }) => (*size, 1),
            (_, Type::Array { of, count }) if depth < DEEPEST => {
                let (size, alignment) = self.extent(*of, rules, depth + 1);
                (size.saturating_mul(*count), alignment)
            }
            (Some(id), Type::Record(record)) if depth < DEEPEST => {
                // A structure within a packed one has the gaps that it has elsewhere.
                let is_packed = self.is_packed(id, record, depth).unwrap_or(rules.is_packed);
                let (size, alignment) = self.place(record, Rules { is_packed, ..rules }, depth + 1).1;
                (size, if rules.is_packed { 1 } else { alignment })
            }
            _ => (0, 1),
        }
    }
}

/// Where a member begins, after those that end at `end`: a bit field lies within one unit of its type.
fn begin(member: &Member, end: u64, (size, alignment): (u64, u64), rules: Rules) -> u64 {
    let unit = 8 * size.max(1);
    match member.width {
        Some(_) if rules.is_packed => end,
        Some(width) if end / unit == (end + width.max(1) - 1) / unit => end,
        Some(_) => end.next_multiple_of(unit),
        None => end.next_multiple_of(8 * alignment),
    }
}
