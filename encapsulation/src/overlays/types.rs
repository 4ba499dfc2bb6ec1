//! Types, functions and variables of a C file, from the debugging information (DWARF) of its object.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, RelocateReader, RunTimeEndian};
use object::read::RelocationMap;
use object::{Object, ObjectSection};

use super::dump::Cast;

/// A type, by its place in the debugging information.
pub type Id = usize;

/// What C makes of bytes.
#[derive(Debug)]
pub enum Type {
    /// A number, of which `is_long` says whether it is a `long`, or an enumeration.
    Number {
        name: String,
        size: u64,
        is_long: bool,
    },
    Pointer(Option<Id>),
    /// A `typedef`, or a type with qualifiers.
    Same {
        name: Option<String>,
        of: Option<Id>,
    },
    Array {
        of: Option<Id>,
        count: u64,
    },
    Record(Record),
    Other,
}

/// A structure or union.
#[derive(Debug)]
pub struct Record {
    pub name: Option<String>,
    pub is_union: bool,
    pub size: u64,
    pub members: Vec<Member>,
    /// Its members are elsewhere.
    pub is_declaration: bool,
}

/// A member of a structure or union.
#[derive(Debug)]
pub struct Member {
    /// None: a structure without a name, whose members are used as those around it.
    pub name: Option<String>,
    pub of: Id,
    /// In bits.
    pub offset: u64,
    /// Of a bit field, in bits.
    pub width: Option<u64>,
}

/// What a pointer points to: a pointer that is cast to `struct mbuf **` points to a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Type(Id),
    Pointer,
}

/// Where a function is, and its variables.
#[derive(Debug, Default)]
pub struct Function {
    pub file: PathBuf,
    pub line: u64,
    pub parameters: Vec<String>,
    /// Parameters and variables, whatever block they are of.
    pub variables: BTreeMap<String, Vec<Id>>,
}

/// What the debugging information of a file tells.
#[derive(Debug, Default)]
pub struct Types {
    pub types: BTreeMap<Id, Type>,
    pub functions: BTreeMap<String, Function>,
    /// Variables outside of functions.
    pub globals: BTreeMap<String, Vec<Id>>,
}

#[derive(Debug)]
struct Relocations(RelocationMap);

impl gimli::Relocate for &Relocations {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        Ok(self.0.relocate(offset as u64, value))
    }

    fn relocate_offset(&self, offset: usize, value: usize) -> gimli::Result<usize> {
        Ok(self.0.relocate(offset as u64, value as u64) as usize)
    }
}

type Reader<'a> = RelocateReader<EndianSlice<'a, RunTimeEndian>, &'a Relocations>;
type Entry<'a, 'u> = DebuggingInformationEntry<'u, 'u, Reader<'a>, usize>;
type Node<'a, 'u, 't> = gimli::EntriesTreeNode<'u, 'u, 't, Reader<'a>>;

impl Types {
    /// Reads an object file that is not linked.
    pub fn read(path: &Path) -> Result<Types, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
        let file = object::File::parse(&*bytes).map_err(|error| wrong(&error))?;
        Types::of(&file).map_err(|error| wrong(&error))
    }

    fn of(file: &object::File) -> Result<Types, Box<dyn std::error::Error>> {
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: gimli::SectionId| -> Result<(&[u8], Relocations), object::Error> {
            match file.section_by_name(id.name()) {
                Some(section) => Ok((section.data()?, Relocations(RelocationMap::new(file, &section)?))),
                None => Ok((&[], Relocations(RelocationMap::default()))),
            }
        };
        let sections = gimli::DwarfSections::load(load)?;
        let dwarf = sections.borrow(|(data, map)| RelocateReader::new(EndianSlice::new(data, endian), map));
        let mut found = Types::default();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            let mut tree = unit.entries_tree(None)?;
            let mut reading = Reading { dwarf: &dwarf, unit: &unit, found: &mut found };
            reading.children(tree.root()?, None)?;
        }
        Ok(found)
    }

    /// A type; `Other` where there is none.
    pub fn get(&self, id: Option<Id>) -> &Type {
        id.and_then(|id| self.types.get(&id)).unwrap_or(&Type::Other)
    }

    /// A type without its names of `typedef` and its qualifiers.
    pub fn plain(&self, mut id: Option<Id>) -> (Option<Id>, &Type) {
        // Chains of names are short; the bound holds for damaged debugging information.
        for _ in 0..100 {
            match self.get(id) {
                Type::Same { of, .. } => id = *of,
                other => return (id, other),
            }
        }
        (None, &Type::Other)
    }

    /// The type that a pointer of this type points to.
    pub fn pointee(&self, id: Id) -> Option<Id> {
        match self.plain(Some(id)).1 {
            Type::Pointer(of) => self.plain(*of).0,
            _ => None,
        }
    }

    /// What a pointer of a cast points to. None: the type is not known, or no pointer.
    pub fn target(&self, cast: &Cast) -> Option<Target> {
        let id = self.named(&cast.name).or_else(|| self.named(self.name(cast)))?;
        match (cast.stars, self.plain(Some(id))) {
            (0, (_, Type::Pointer(of))) => self.plain(*of).0.map(Target::Type),
            (0, _) => None,
            (1, (id, _)) => id.map(Target::Type),
            _ => Some(Target::Pointer),
        }
    }

    /// The name in a cast as sources have it: gcc adds `struct` to names of structures that have no tag.
    pub fn name<'c>(&self, cast: &'c Cast) -> &'c str {
        match self.named(&cast.name) {
            Some(_) => &cast.name,
            None => tag(&cast.name).unwrap_or(&cast.name),
        }
    }

    fn named(&self, name: &str) -> Option<Id> {
        let is_named = |known: &Type| match known {
            Type::Record(record) => {
                !record.is_declaration && record.name.is_some() && record.name.as_deref() == tag(name)
            }
            Type::Same { name: Some(known), .. } | Type::Number { name: known, .. } => known == name,
            _ => false,
        };
        self.types.iter().find(|(_, known)| is_named(known)).map(|(id, _)| *id)
    }

    /// The types of a variable, as a function sees it, and whether it is one of the function's own.
    pub fn variable(&self, function: &str, name: &str) -> (&[Id], bool) {
        match self.functions.get(function).and_then(|function| function.variables.get(name)) {
            Some(types) => (types, true),
            None => (self.globals.get(name).map_or(&[], Vec::as_slice), false),
        }
    }
}

struct Reading<'a, 'u> {
    dwarf: &'u gimli::Dwarf<Reader<'a>>,
    unit: &'u gimli::Unit<Reader<'a>>,
    found: &'u mut Types,
}

impl<'a, 'u> Reading<'a, 'u> {
    /// Reads what is below an entry: of a function, or of none.
    fn children(&mut self, node: Node<'a, 'u, '_>, function: Option<&str>) -> gimli::Result<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry().clone();
            let id = entry.offset().0;
            let name = self.name(&entry)?;
            let of = self.of(&entry)?;
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    let Some(name) = name else { continue };
                    if entry.attr(gimli::DW_AT_declaration)?.is_none() {
                        let file = self.file(&entry)?;
                        let line = number(&entry, gimli::DW_AT_decl_line)?.unwrap_or(0);
                        self.found.functions.insert(name.clone(), Function { file, line, ..Function::default() });
                        self.children(child, Some(&name))?;
                    }
                    continue;
                }
                gimli::DW_TAG_formal_parameter | gimli::DW_TAG_variable => {
                    let (Some(name), Some(of)) = (name, of) else { continue };
                    let function = function.and_then(|function| self.found.functions.get_mut(function));
                    let variables = match function {
                        Some(function) => {
                            if entry.tag() == gimli::DW_TAG_formal_parameter {
                                function.parameters.push(name.clone());
                            }
                            &mut function.variables
                        }
                        None => &mut self.found.globals,
                    };
                    variables.entry(name).or_default().push(of);
                    continue;
                }
                gimli::DW_TAG_lexical_block => {
                    self.children(child, function)?;
                    continue;
                }
                tag => {
                    let known = self.type_of(tag, &entry, (name, of), child)?;
                    self.found.types.insert(id, known);
                }
            }
        }
        Ok(())
    }

    fn type_of(
        &mut self,
        tag: gimli::DwTag,
        entry: &Entry<'a, 'u>,
        (name, of): (Option<String>, Option<Id>),
        node: Node<'a, 'u, '_>,
    ) -> gimli::Result<Type> {
        let size = number(entry, gimli::DW_AT_byte_size)?.unwrap_or(0);
        Ok(match tag {
            gimli::DW_TAG_base_type | gimli::DW_TAG_enumeration_type => {
                let name = name.unwrap_or_default();
                let longs = name.split(' ').filter(|word| *word == "long").count();
                Type::Number { is_long: longs == 1 && size == 8 && !name.contains("double"), name, size }
            }
            gimli::DW_TAG_pointer_type => Type::Pointer(of),
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => Type::Same { name, of },
            gimli::DW_TAG_array_type => Type::Array { of, count: count(node)? },
            gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
                let is_declaration = entry.attr(gimli::DW_AT_declaration)?.is_some();
                let is_union = tag == gimli::DW_TAG_union_type;
                Type::Record(Record { name, is_union, size, members: self.members(node)?, is_declaration })
            }
            _ => Type::Other,
        })
    }

    fn members(&mut self, node: Node<'a, 'u, '_>) -> gimli::Result<Vec<Member>> {
        let mut members = Vec::new();
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry().clone();
            let (name, of) = (self.name(&entry)?, self.of(&entry)?);
            if entry.tag() != gimli::DW_TAG_member {
                // Types that are declared within.
                let known = self.type_of(entry.tag(), &entry, (name, of), child)?;
                self.found.types.insert(entry.offset().0, known);
                continue;
            }
            let bits = number(&entry, gimli::DW_AT_data_bit_offset)?;
            let bytes = number(&entry, gimli::DW_AT_data_member_location)?.unwrap_or(0);
            let width = number(&entry, gimli::DW_AT_bit_size)?;
            members.extend(of.map(|of| Member { name, of, offset: bits.unwrap_or(8 * bytes), width }));
        }
        Ok(members)
    }

    fn name(&self, entry: &Entry<'a, 'u>) -> gimli::Result<Option<String>> {
        let Some(value) = entry.attr_value(gimli::DW_AT_name)? else { return Ok(None) };
        Ok(Some(self.text(value)?))
    }

    fn text(&self, value: AttributeValue<Reader<'a>>) -> gimli::Result<String> {
        let text = self.dwarf.attr_string(self.unit, value)?;
        Ok(String::from_utf8_lossy(&gimli::Reader::to_slice(&text)?).into_owned())
    }

    fn of(&self, entry: &Entry<'a, 'u>) -> gimli::Result<Option<Id>> {
        Ok(match entry.attr_value(gimli::DW_AT_type)? {
            Some(AttributeValue::UnitRef(offset)) => Some(offset.0),
            _ => None,
        })
    }

    /// The file in which something is declared, as the compiler was given it.
    fn file(&self, entry: &Entry<'a, 'u>) -> gimli::Result<PathBuf> {
        let Some(AttributeValue::FileIndex(index)) = entry.attr_value(gimli::DW_AT_decl_file)? else {
            return Ok(PathBuf::new());
        };
        let Some(program) = &self.unit.line_program else { return Ok(PathBuf::new()) };
        let Some(file) = program.header().file(index) else { return Ok(PathBuf::new()) };
        let name = self.text(file.path_name())?;
        let folder = match file.directory(program.header()) {
            Some(folder) => self.text(folder)?,
            None => String::new(),
        };
        Ok(Path::new(&folder).join(name))
    }
}

fn tag(name: &str) -> Option<&str> {
    name.strip_prefix("struct ").or(name.strip_prefix("union "))
}

fn number(entry: &Entry<'_, '_>, name: gimli::DwAt) -> gimli::Result<Option<u64>> {
    Ok(entry.attr_value(name)?.and_then(|value| value.udata_value()))
}

/// The number of elements of an array: 0, if it is not stated.
fn count(node: Node<'_, '_, '_>) -> gimli::Result<u64> {
    let mut children = node.children();
    let mut all = 1u64;
    while let Some(child) = children.next()? {
        let entry = child.entry();
        let count = match number(entry, gimli::DW_AT_count)? {
            Some(count) => count,
            None => number(entry, gimli::DW_AT_upper_bound)?.map_or(0, |last| last.saturating_add(1)),
        };
        all = all.saturating_mul(count);
    }
    Ok(all)
}
