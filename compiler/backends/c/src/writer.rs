//! The state of the writer: names, declared types, and written helpers.

use std::collections::{BTreeSet, HashSet};

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::code::Code;
use crate::emitted::{Level, Options, Sources};
use crate::functions::{Calls, Parameter};
use crate::globals::{Global, Globals};
use crate::known::Known;
use crate::names;
use crate::slots::{self, Slots};

/// What functions that hand events on declare beside the event's parameters.
const OWN: &str = "e head size output segment more this_step shape outputs segments left made quick nothing";

/// A header and a source file under construction.
pub struct Writer<'a> {
    pub stack: &'a Stack,
    pub level: Level,
    pub options: Options,
    pub sources: Sources<'a>,
    /// In front of every name.
    pub prefix: String,
    pub layer_names: Vec<String>,
    pub cell_names: Vec<String>,
    /// Of all cells, as members of the config struct.
    pub given_names: Vec<String>,
    pub struct_names: Vec<String>,
    pub enum_names: Vec<String>,
    pub field_names: Vec<Vec<String>>,
    /// Of handlers, functions, filters, externs, counters.
    pub handler_names: Vec<String>,
    pub function_names: Vec<String>,
    pub slots: Vec<Slots>,
    pub globals: Globals,
    /// Names of events, parts of others.
    events: Globals,
    /// Declarations for the header, and which there are.
    pub types: Code,
    pub declared: HashSet<String>,
    /// Helper functions for the source.
    pub helpers: Vec<(String, Code)>,
    made: HashSet<String>,
    pub uses_ropes: bool,
    /// Bytes of temporary space that statements need.
    pub temporary: u32,
    /// (layer or port, event) that go through the queue, or through the ring of `later` events.
    pub queued: BTreeSet<(Target, EventId)>,
    pub put_off: BTreeSet<(Target, EventId)>,
    pub plan: crate::plan::Plan,
    pub calls: Calls,
    pub telling: crate::telling::Telling,
    pub known: Known,
}

impl<'a> Writer<'a> {
    /// Returns a writer for a stack in normal form; the names of all its parts are chosen here.
    pub fn new(stack: &'a Stack, level: Level, options: Options, sources: Sources<'a>) -> Writer<'a> {
        let prefix = names::plain(options.prefix.as_deref().unwrap_or(&stack.name));
        let layer_names = names::all(&prefix, stack.layers.iter().map(|l| l.name.as_str()));
        let cells = stack.cells.iter().map(|c| (c.layer.index(), c.name.as_str()));
        let cell_names = names::grouped(&prefix, stack.layers.len(), cells);
        let given = |(c, name): (&Cell, &String)| format!("{}_{name}", layer_names[c.layer.index()]);
        let given_names: Vec<String> = stack.cells.iter().zip(&cell_names).map(given).collect();
        let mut members = names::Unique::new(&prefix);
        layer_names.iter().for_each(|name| drop(members.take(name)));
        let slots = (0..stack.layers.len())
            .map(|l| slots::slots(stack, LayerId(l as u32), &layer_names[l], &mut members))
            .collect();
        let field_names =
            stack.structs.iter().map(|s| names::all(&prefix, s.fields.iter().map(|f| f.name.as_str()))).collect();
        let calls = Calls::new(&prefix, level);
        Writer {
            cell_names,
            given_names: names::all(&prefix, given_names.iter().map(String::as_str)),
            struct_names: names::all(&prefix, stack.structs.iter().map(|s| s.name.as_str())),
            enum_names: names::all(&prefix, stack.enums.iter().map(|e| e.name.as_str())),
            handler_names: names::all(&prefix, stack.handlers.iter().map(|h| h.name.as_str())),
            function_names: names::all(&prefix, stack.functions.iter().map(|f| f.name.as_str())),
            field_names,
            slots,
            globals: Globals::new(&prefix),
            events: Globals::new(&prefix),
            layer_names,
            prefix,
            stack,
            level,
            options,
            sources,
            types: Code::new(0),
            declared: HashSet::new(),
            helpers: vec![],
            made: HashSet::new(),
            uses_ropes: uses_ropes(stack),
            temporary: 0,
            queued: BTreeSet::new(),
            put_off: BTreeSet::new(),
            plan: crate::plan::Plan::default(),
            calls,
            telling: Default::default(),
            known: Known::default(),
        }
    }

    /// Writes a helper once; returns its name.
    pub fn helper(&mut self, name: String, write: impl FnOnce(&mut Self, &str) -> Code) -> String {
        if self.made.insert(name.clone()) {
            let mut code = write(self, &name);
            code.line("");
            self.helpers.push((name.clone(), code));
        }
        name
    }

    /// Returns a condition marked as likely to hold.
    pub fn likely(&self, condition: &str) -> String {
        format!("{}_LIKELY({condition})", self.prefix)
    }

    /// The name of a field of a struct or tuple.
    pub fn member(&self, ty: &Type, field: u32) -> String {
        match ty {
            Type::Struct(id) => self.field_names[id.index()][field as usize].clone(),
            _ => format!("_{field}"),
        }
    }

    /// An initializer that makes all of it zero.
    pub fn zero(&mut self, ty: &Type) -> String {
        match ty {
            Type::Struct(id) => match self.stack.structs[id.index()].fields.first().map(|f| f.ty.clone()) {
                Some(first) => {
                    let inner = self.zero(&first);
                    format!("{{.{} = {inner}}}", self.member(ty, 0))
                }
                None => "{.nothing = 0}".into(),
            },
            Type::Tuple(types) => match types.first() {
                Some(first) => format!("{{._0 = {}}}", self.zero(first)),
                None => "{.nothing = 0}".into(),
            },
            Type::Option(_) => "{.some = false}".into(),
            Type::Bits(n) if *n > 64 => "{.word = {0}}".into(),
            Type::Addr => "{.port = 0}".into(),
            Type::Bytes(_) => "{.at = {0}}".into(),
            Type::Text(_) | Type::List(..) => "{.len = 0}".into(),
            Type::Ring(..) => "{.head = 0}".into(),
            Type::Window(..) => "{.low = 0}".into(),
            Type::Pool(..) | Type::Map(..) => "{.used = {0}}".into(),
            Type::View => "{.block = 0}".into(),
            Type::Msg => "{.data = false}".into(),
            Type::Array(t, _) => {
                let inner = self.zero(t);
                format!("{{.at = {{{inner}}}}}")
            }
            _ => "0".into(),
        }
    }

    /// The name of what receives an event: `pt2pt_down_send`.
    pub fn event_name(&self, target: Target, event: EventId) -> String {
        let declared = self.stack.event(event);
        let whose = match target {
            Target::Layer(layer) => self.layer_names[layer.index()].clone(),
            Target::Port(port) => format!("port_{}", names::plain(&self.stack.ports[port.index()].name)),
        };
        // Only a copy that was made for a link has the name of another event at the same place.
        let copy = match self.stack.occurrence(event) {
            1 => String::new(),
            n => format!("_{n}"),
        };
        let wanted = format!("{whose}_{}_{}{copy}", names::direction(declared), names::plain(&declared.name));
        self.events.name(Global::Event(target, event), &wanted)
    }

    /// From which layer's headers on a message carries at a target.
    pub fn level_at(&self, target: Target) -> usize {
        match target {
            Target::Layer(layer) => layer.index(),
            Target::Port(port) if self.stack.is_lower(port) => 0,
            Target::Port(_) => self.stack.layers.len(),
        }
    }

    /// Names of an event's parameters, in functions that hand it on and in the structs in which it waits.
    pub fn parameter_names(&self, event: &Event) -> Vec<String> {
        let mut unique = names::Unique::new(&self.prefix).without(OWN);
        event.parameters.iter().map(|p| unique.take(&p.name)).collect()
    }

    /// C parameters of an event at a target.
    pub fn parameters(&mut self, target: Target, event: EventId) -> Vec<Parameter> {
        let declared = self.stack.event(event);
        let names = self.parameter_names(declared);
        let level = self.level_at(target);
        declared
            .parameters
            .iter()
            .zip(names)
            .map(|(p, name)| match &p.ty {
                Type::Msg => Parameter::new(self.message_type(level), name),
                ty => Parameter::new(self.c_type(ty, 0), name),
            })
            .collect()
    }
}

/// Whether messages can be in pieces: then the pool has nodes.
fn uses_ropes(stack: &Stack) -> bool {
    stack.any_statement(|s| matches!(s.kind, StatementKind::Join { .. }))
}
