//! The state of checking one layer: the declarations and errors so far.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::{
    Capabilities, CellId, CounterId, EnumId, EventId, ExternId, FilterId, FunctionId, HeaderId, PortId, StructId, Type,
};
use nacre_syntax::ast;

use crate::borrows::{Called, Use};
use crate::call_graph::CallGraph;
use crate::changes::Change;
use crate::duplicates::duplicates;
use crate::program::Program;
use crate::tree;

/// A constant. It takes any type that it fits; `ty` is its declared type, if it has one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constant {
    pub value: i128,
    pub ty: Option<Type>,
}

/// The size of a value: words, and fields, where arrays and containers count as one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub words: u64,
    pub parts: u64,
}

/// Checks one layer. Collects diagnostics and continues, so that one run reports several errors.
pub(crate) struct Checker<'p> {
    pub program: &'p Program,
    pub layer: &'p ast::Layer,
    pub found: Vec<Diagnostic>,
    /// The typed tree so far.
    pub tree: tree::Layer,
    pub constants: HashMap<String, Constant>,
    /// Where the stack gives values to parameters.
    pub given_at: HashMap<String, Span>,
    pub struct_ids: HashMap<String, StructId>,
    pub enum_ids: HashMap<String, EnumId>,
    pub header_ids: HashMap<String, HeaderId>,
    pub cell_ids: HashMap<String, CellId>,
    /// Declarations with errors, which were reported: errors in their uses may follow from these alone.
    pub unsound: HashSet<Declared>,
    pub counter_ids: HashMap<String, CounterId>,
    pub function_ids: HashMap<String, FunctionId>,
    pub filter_ids: HashMap<String, FilterId>,
    pub extern_ids: HashMap<String, ExternId>,
    pub calls: CallGraph,
    /// Uses of borrowed names after changes, and all calls.
    pub uses: Vec<Use>,
    pub called: Vec<Called>,
    /// What each function changes.
    pub changes: Vec<Vec<Change>>,
    /// The type parameters of the interface being read.
    pub type_parameters: HashMap<String, Type>,
    /// Headers that something pushes.
    pub pushed: BTreeSet<HeaderId>,
    /// Where headers are put on messages, and where they are taken off without naming these.
    pub put_on: BTreeMap<HeaderId, Span>,
    pub taken_alone: BTreeMap<HeaderId, Span>,
    /// The size of each struct.
    pub struct_sizes: Vec<Extent>,
    /// Structs whose fields are being looked up.
    pub declaring: Vec<String>,
    /// The largest width of sequence numbers, in bits.
    pub sequence_bits: Option<u32>,
    /// The size of the state so far, in words.
    pub room: u64,
}

/// The declarations, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Declared {
    /// State, a parameter of the layer, or a constant.
    Value(String),
    Function(String),
    /// Of a struct or a header.
    Field(String),
    /// All events of a side.
    Side(PortId),
    Event(PortId, String),
}

impl<'p> Checker<'p> {
    /// A check that has not begun.
    pub(crate) fn new(program: &'p Program, layer: &'p ast::Layer) -> Self {
        Checker {
            program,
            layer,
            found: Vec::new(),
            tree: tree::Layer { name: layer.name.name.clone(), span: layer.span, ..tree::Layer::default() },
            constants: HashMap::new(),
            given_at: HashMap::new(),
            struct_ids: HashMap::new(),
            enum_ids: HashMap::new(),
            header_ids: HashMap::new(),
            cell_ids: HashMap::new(),
            unsound: HashSet::new(),
            counter_ids: HashMap::new(),
            function_ids: HashMap::new(),
            filter_ids: HashMap::new(),
            extern_ids: HashMap::new(),
            calls: CallGraph::default(),
            uses: Vec::new(),
            called: Vec::new(),
            changes: Vec::new(),
            type_parameters: HashMap::new(),
            pushed: BTreeSet::new(),
            put_on: BTreeMap::new(),
            taken_alone: BTreeMap::new(),
            struct_sizes: Vec::new(),
            declaring: Vec::new(),
            sequence_bits: None,
            room: 0,
        }
    }

    /// Reports an error.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        let (help, label) = (help.into(), label.into());
        let label = if label.is_empty() { "here".into() } else { label };
        let found = Diagnostic::error(code, message.into()).at(span, label);
        let found = if help.is_empty() { found } else { found.help(help) };
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }

    /// Whether an error was reported.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(Diagnostic::is_error)
    }

    /// The abilities of values of the type.
    pub(crate) fn capabilities(&self, ty: &Type) -> Capabilities {
        Capabilities::of(&self.tree.structs, ty)
    }

    /// Whether the zero of the type would need a message.
    pub(crate) fn needs_message(&self, ty: &Type) -> bool {
        !self.capabilities(ty).zero
    }

    /// Whether the type has no zero: it contains a message, or a range that begins above 0.
    pub(crate) fn lacks_zero(&self, ty: &Type) -> bool {
        self.needs_message(ty) || self.begins_above_zero(ty)
    }

    /// Whether the type contains a range that begins above 0.
    pub(crate) fn begins_above_zero(&self, ty: &Type) -> bool {
        match ty {
            Type::Range(low, _) => *low > 0,
            Type::Struct(id) => self.tree.structs[id.index()].fields.iter().any(|f| self.begins_above_zero(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.begins_above_zero(t)),
            Type::Array(t, _) => self.begins_above_zero(t),
            _ => false,
        }
    }

    /// Reports that a type has no zero.
    pub(crate) fn no_zero(&mut self, ty: &Type, span: Span) {
        let shown = self.show(ty);
        let (label, help) = match self.needs_message(ty) {
            true => (
                "it contains a message",
                "a message comes from an event, `share`, `slice` or a header alone; if it may be absent, use `msg?`",
            ),
            false => ("it contains a range that begins above 0", "state a value: `= ...`"),
        };
        self.error("T0154", format!("{shown} has no zero value"), span, label, help);
    }

    /// Whether values of the type are linear: they contain messages, which are used exactly once.
    pub(crate) fn linear(&self, ty: &Type) -> bool {
        nacre_stack::has_message(&self.tree.structs, ty)
    }

    /// Reports duplicates among these names.
    pub(crate) fn once<'n>(&mut self, names: impl Iterator<Item = &'n ast::Ident>) {
        self.found.extend(duplicates(names));
    }

    /// Whether a name at this span may be the layer's own: one of its file, or one without a span.
    pub(crate) fn is_here(&self, at: Span) -> bool {
        at.file == self.layer.name.span.file || at == Span::default()
    }

    /// Whether an event may be missing at a side because its declaration is wrong.
    pub(crate) fn may_be_missing(&self, side: PortId, event: &str) -> bool {
        let declared = [Declared::Side(side), Declared::Event(side, event.into())];
        declared.iter().any(|declared| self.unsound.contains(declared))
    }

    /// Whether the declaration of a value has an error.
    pub(crate) fn is_unsound(&self, name: &str) -> bool {
        self.unsound.contains(&Declared::Value(name.into()))
    }

    /// An event at one side by its name and direction.
    pub(crate) fn event_at(&self, side: PortId, incoming: bool, name: &str) -> Option<EventId> {
        let at = self.tree.interface.iter().filter(|i| i.side == side && i.incoming == incoming);
        at.map(|i| i.event).find(|e| self.tree.events[e.index()].name == name)
    }

    /// The names of the events at one side, for help.
    pub(crate) fn events_at(&self, side: PortId, incoming: bool) -> String {
        let at = self.tree.interface.iter().filter(|i| i.side == side && i.incoming == incoming);
        at.map(|i| self.tree.events[i.event.index()].name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// How a type is written.
    pub(crate) fn show(&self, ty: &Type) -> String {
        tree::show_type(&self.tree.structs, &self.tree.enums, ty)
    }
}
