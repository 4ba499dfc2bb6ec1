//! Structures with pointers, or `long`s, to which packets are cast. They were written for processors on which these
//! have 32 bits; with 64, what is behind them lies elsewhere than in the packet. No compiler reports it.
//!
//! Each file is compiled once more, without optimization. gcc writes its functions without macros and with all casts
//! (`dump`), and debugging information has the layouts (`types`, `layout`). Pointers into packets are followed from the
//! members that point to the data of a packet, through variables, arguments of functions that are called by name, and
//! variables whose type is a pointer to a structure without pointers that packets are cast to. They are not followed
//! through members of structures, results of functions, and functions that are called through pointers.

mod dump;
mod layout;
mod tokens;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use dump::{Cast, Found, Known};
use serde::Deserialize;

use layout::{Kind, Layout, Leaf};
use types::{Id, Target, Type, Types};

/// Flags, after those of the import, of the compilation that `Unit::read` reads.
pub const FLAGS: [&str; 8] =
    ["-O0", "-g2", "-gdwarf-5", "-gz=none", "-fno-eliminate-unused-debug-types", "-fno-lto", "-fno-sanitize=all", "-w"];

/// A structure that packets are cast to, or a pointer or `long` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    pub name: String,
    /// The file and line of the first cast.
    pub place: String,
    /// How many functions have such a cast.
    pub functions: usize,
    /// In bytes: as it is, and with pointers and `long` of 32 bits. None: not known.
    pub size: u64,
    pub narrow_size: Option<u64>,
    /// Pointers and `long`s.
    pub wide: Vec<Wide>,
    /// What lies behind them.
    pub displaced: Vec<Displaced>,
}

/// A member that is wider than on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Empty: the whole.
    pub member: String,
    /// In bytes.
    pub offset: u64,
    pub is_pointer: bool,
}

/// A member that lies elsewhere than on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displaced {
    pub member: String,
    /// In bytes, rounded down for bit fields: as it is, and with pointers and `long` of 32 bits.
    pub offset: u64,
    pub narrow_offset: u64,
    /// Whether the source names a member of this name.
    pub is_used: bool,
}

/// How an environment keeps packets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Buffers {
    /// The members of its structures that point to data. None: there is nothing to find.
    pub data: Vec<String>,
    /// Functions whose results are buffers for what is no packet, such as protocol control blocks.
    pub storage: Vec<String>,
    /// Functions that write two pointers to where their first argument points, as `insque`; with their names in source.
    pub queues: BTreeMap<String, String>,
}

/// A file that was compiled with `FLAGS`.
pub struct Unit {
    types: Types,
    functions: Vec<tokens::Function>,
}

impl Unit {
    /// Reads its object, and what `-fdump-tree-original=FILE` wrote.
    pub fn read(object: &Path, dump: &Path) -> Result<Unit, String> {
        let text = std::fs::read(dump).map_err(|error| format!("{}: {error}", dump.display()))?;
        Ok(Unit { types: Types::read(object)?, functions: tokens::functions(&String::from_utf8_lossy(&text)) })
    }
}

/// Finds what packets are cast to. `trim` is removed from the beginning of paths.
pub fn find(units: &[Unit], buffers: &Buffers, trim: &str) -> Vec<Overlay> {
    let (pointers, structures) = (BTreeSet::new(), BTreeSet::new());
    let mut search = Search { units, buffers, kept: BTreeMap::new(), pointers, structures };
    for (number, unit) in units.iter().enumerate() {
        unit.functions.iter().for_each(|function| search.keep(number, function));
    }
    let mut places = Places::default();
    let mut members = BTreeSet::new();
    loop {
        let before = (search.pointers.len(), search.structures.len());
        for (number, unit) in units.iter().enumerate() {
            for function in &unit.functions {
                let found = search.follow(number, function);
                for cast in &found.casts {
                    places.cast(unit, cast, &function.name);
                }
                let first = found.passed.iter().filter(|(_, number)| *number == 0);
                for name in first.filter_map(|(name, _)| buffers.queues.get(name)) {
                    places.add(unit, name, What::Links, &function.name);
                }
                search.add(number, &function.name, &found);
                members.extend(found.members);
            }
        }
        if before == (search.pointers.len(), search.structures.len()) {
            break;
        }
    }
    let overlays = places.all.into_iter().filter_map(|(name, (what, functions))| {
        let overlay = match what {
            What::Cast(cast) => {
                let (types, target) = units.iter().find_map(|unit| Some((&unit.types, unit.types.target(&cast)?)))?;
                overlay(types, target, &members)?
            }
            What::Links => links(),
        };
        let place = functions.iter().map(|function| place(function, &name, trim)).min();
        let place = place.map(|(file, line)| format!("{file}:{line}")).unwrap_or_default();
        Some(Overlay { name, place, functions: functions.len(), ..overlay })
    });
    overlays.collect()
}

/// An overlay by its layout. None: it has neither pointers nor `long`s.
fn overlay(types: &Types, target: Target, members: &BTreeSet<String>) -> Option<Overlay> {
    let layout = Layout::new(types);
    let (leaves, (size, narrow_size)) = match target {
        Target::Type(id) => (layout.leaves(id), layout.sizes(id)),
        Target::Pointer => {
            let narrow = Some(0);
            (vec![Leaf { name: String::new(), kind: Kind::Pointer, offset: 0, width: 64, narrow }], (8, Some(4)))
        }
    };
    let (other, wide): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(|leaf| leaf.kind == Kind::Other);
    if wide.is_empty() {
        return None;
    }
    let wide = wide.into_iter().map(|leaf| {
        let is_pointer = leaf.kind == Kind::Pointer;
        Wide { member: leaf.name, offset: leaf.offset / 8, is_pointer }
    });
    let displaced = other.into_iter().filter_map(|leaf| {
        let narrow = leaf.narrow.filter(|narrow| *narrow != leaf.offset)?;
        let is_used = members.contains(leaf.name.rsplit('.').next().unwrap_or_default());
        Some(Displaced { member: leaf.name, offset: leaf.offset / 8, narrow_offset: narrow / 8, is_used })
    });
    let (wide, displaced) = (wide.collect(), displaced.collect());
    Some(Overlay { size, narrow_size, wide, displaced, ..Overlay::default() })
}

/// What a function of queues writes.
fn links() -> Overlay {
    let wide = [("next", 0), ("previous", 8)];
    let wide = wide.map(|(member, offset)| Wide { member: member.into(), offset, is_pointer: true });
    Overlay { size: 16, narrow_size: Some(8), wide: wide.to_vec(), ..Overlay::default() }
}

/// As `struct ipovly (in.c:5): ih_next and ih_prev have 64 bits; ih_len lies at 18 instead of 10`.
impl fmt::Display for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.name, self.place)?;
        match self.functions {
            1 => write!(f, "): ")?,
            functions => write!(f, ", {functions} functions): ")?,
        }
        match self.wide.as_slice() {
            [Wide { member, .. }] if member.is_empty() => return write!(f, "has 64 bits"),
            wide => listed(f, wide.iter().map(|wide| wide.member.clone()))?,
        }
        write!(f, " {} 64 bits", if self.wide.len() == 1 { "has" } else { "have" })?;
        if let Some(narrow) = self.narrow_size {
            write!(f, "; {} bytes instead of {narrow}", self.size)?;
        }
        let (used, unused): (Vec<&Displaced>, Vec<&Displaced>) = self.displaced.iter().partition(|it| it.is_used);
        for (of, words) in [(used, "used"), (unused, "not used")] {
            if !of.is_empty() {
                write!(f, "; behind, {words}: ")?;
                listed(
                    f,
                    of.iter().map(|it| format!("{} at {} instead of {}", it.member, it.offset, it.narrow_offset)),
                )?;
            }
        }
        Ok(())
    }
}

/// At most three, and the number of the others.
fn listed(f: &mut fmt::Formatter<'_>, items: impl ExactSizeIterator<Item = String>) -> fmt::Result {
    let more = items.len().saturating_sub(3);
    write!(f, "{}", items.take(3).collect::<Vec<String>>().join(", "))?;
    match more {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

struct Search<'a> {
    units: &'a [Unit],
    buffers: &'a Buffers,
    /// Variables with buffers that are no packets, of a unit and a function.
    kept: BTreeMap<(usize, String), BTreeSet<String>>,
    /// Variables that point into packets, of a unit and a function; "" has those outside of functions.
    pointers: BTreeSet<(usize, String, String)>,
    /// Structures without pointers that packets are cast to.
    structures: BTreeSet<String>,
}

impl Search<'_> {
    fn follow(&self, unit: usize, function: &tokens::Function) -> Found {
        let types = &self.units[unit].types;
        let is_pointer = |name: &str| {
            let (ids, is_local) = types.variable(&function.name, name);
            let owner = if is_local { function.name.as_str() } else { "" };
            self.pointers.contains(&(unit, owner.to_string(), name.to_string()))
                || ids.iter().any(|id| self.is_pointer_type(types, *id))
        };
        let nothing = BTreeSet::new();
        let storage = self.kept.get(&(unit, function.name.clone())).unwrap_or(&nothing);
        function.follow(&Known { data: &self.buffers.data, is_pointer: &is_pointer, storage })
    }

    /// Finds the variables of a function that have no other buffers than those of the functions for storage.
    fn keep(&mut self, unit: usize, function: &tokens::Function) {
        let nothing = Known { data: &[], is_pointer: &|_| false, storage: &BTreeSet::new() };
        let types = &self.units[unit].types;
        let (mut kept, mut other) = (BTreeSet::new(), BTreeSet::new());
        for (variable, result) in function.follow(&nothing).results {
            match result {
                Some(result) if self.buffers.storage.contains(&result) => kept.insert(variable),
                _ => other.insert(variable),
            };
        }
        let parameters = types.functions.get(&function.name).map_or(&[][..], |function| &function.parameters);
        let is_own = |name: &String| types.variable(&function.name, name).1 && !parameters.contains(name);
        kept.retain(|variable| is_own(variable) && !other.contains(variable));
        self.kept.insert((unit, function.name.clone()), kept);
    }

    fn is_pointer_type(&self, types: &Types, id: Id) -> bool {
        match types.get(types.pointee(id)) {
            Type::Record(record) => record.name.as_ref().is_some_and(|name| self.structures.contains(name)),
            _ => false,
        }
    }

    fn add(&mut self, unit: usize, function: &str, found: &Found) {
        let types = &self.units[unit].types;
        for variable in &found.assigned {
            let (ids, is_local) = types.variable(function, variable);
            if ids.iter().any(|id| matches!(types.plain(Some(*id)).1, Type::Pointer(_))) {
                let owner = if is_local { function } else { "" };
                self.pointers.insert((unit, owner.to_string(), variable.clone()));
            }
        }
        for cast in &found.casts {
            let Some(Target::Type(id)) = types.target(cast) else { continue };
            if let Type::Record(record) = types.get(Some(id)) {
                let is_flat = Layout::new(types).leaves(id).iter().all(|leaf| leaf.kind != Kind::Pointer);
                self.structures.extend(record.name.clone().filter(|_| is_flat));
            }
        }
        for (callee, number) in &found.passed {
            // A static function of the same file, or one of another.
            let has = |unit: &usize| self.units[*unit].types.functions.contains_key(callee);
            let Some(of) = Some(unit).filter(has).or_else(|| (0..self.units.len()).find(has)) else { continue };
            let parameter = self.units[of].types.functions[callee].parameters.get(*number);
            self.pointers.extend(parameter.map(|parameter| (of, callee.clone(), parameter.clone())));
        }
    }
}

enum What {
    Cast(Cast),
    /// Two pointers, written by a function.
    Links,
}

/// Where casts are: by the name of the type, the functions with their files and lines.
#[derive(Default)]
struct Places {
    all: BTreeMap<String, (What, BTreeSet<(PathBuf, u64)>)>,
}

impl Places {
    fn cast(&mut self, unit: &Unit, cast: &Cast, function: &str) {
        let name = unit.types.name(cast);
        let name = match cast.stars {
            0 | 1 => name.to_string(),
            stars => format!("{name} {}", "*".repeat(stars - 1)),
        };
        self.add(unit, &name, What::Cast(cast.clone()), function);
    }

    fn add(&mut self, unit: &Unit, name: &str, what: What, function: &str) {
        let Some(function) = unit.types.functions.get(function) else { return };
        let (_, functions) = self.all.entry(name.to_string()).or_insert_with(|| (what, BTreeSet::new()));
        functions.insert((function.file.clone(), function.line));
    }
}

/// The first line of a function that has a cast to a type, or a call; the line of the function, if a macro hides it.
fn place((file, line): &(PathBuf, u64), name: &str, trim: &str) -> (String, u64) {
    let text = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let rest = text.lines().enumerate().skip((*line as usize).saturating_sub(1));
    let mut body = rest.take_while(|(number, text)| *number + 1 == *line as usize || !text.starts_with('}'));
    // `long int` is `long` in most sources.
    let name = name.trim_end_matches(" int").trim_start_matches("long unsigned");
    let is_cast = |text: &str| {
        text.match_indices(name).any(|(at, _)| {
            let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = text[at + name.len()..].trim_start();
            is_whole && (rest.starts_with('*') && rest.contains("*)") || rest.starts_with('('))
        })
    };
    let found = body.find(|(_, text)| is_cast(text)).map_or(*line, |(at, _)| at as u64 + 1);
    let file = file.display().to_string();
    (file.strip_prefix(trim).unwrap_or(&file).to_string(), found)
}
