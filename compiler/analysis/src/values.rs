//! Flow-insensitive values over a whole stack: each cell, local, result and header field has one, joined over all
//! assignments to it.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::Lattice;

/// The body of code, which owns its locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyId {
    /// A handler.
    Handler(HandlerId),
    /// A function.
    Function(FunctionId),
    /// By its place in [`Stack::bypasses`].
    Bypass(usize),
    /// The initial value of a cell.
    Initial(CellId),
    /// An invariant or admission of a layer.
    Said(LayerId),
}

/// A slot that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The contents of a cell.
    Cell(CellId),
    /// A local of a body. The analysis raises one that names a caller's place together with that place.
    Local(BodyId, LocalId),
    /// The result of a function.
    Result(FunctionId),
    /// A field of a header that is added to messages.
    Header(HeaderId, u32),
    /// A field of a struct, wherever it is.
    Field(StructId, u32),
    /// The effects of a body besides its result.
    Effect(BodyId),
}

/// Some code of a stack.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    /// Which.
    pub id: BodyId,
    /// Whose.
    pub layer: LayerId,
    /// Its name in the IR: `pt2pt.down.send`; of an initial value, the cell's.
    pub name: &'a str,
    /// Its locals.
    pub locals: &'a [Local],
    /// Those set before it begins: parameters.
    pub parameters: &'a [LocalId],
    /// And the fields of the header of the message.
    pub fields: &'a [LocalId],
    /// The statements.
    pub block: &'a Block,
}

/// Handlers and functions, in this order.
pub fn bodies(stack: &Stack) -> impl Iterator<Item = Body<'_>> {
    let handlers = stack.handlers.iter().enumerate().map(|(i, h)| Body {
        id: BodyId::Handler(HandlerId(i as u32)),
        layer: h.layer,
        name: &h.name,
        locals: &h.locals,
        parameters: &h.parameters,
        fields: &h.fields,
        block: &h.body,
    });
    let functions = stack.functions.iter().enumerate().map(|(i, f)| Body {
        id: BodyId::Function(FunctionId(i as u32)),
        layer: f.layer,
        name: &f.name,
        locals: &f.locals,
        parameters: &f.parameters,
        fields: &[],
        block: &f.body,
    });
    handlers.chain(functions)
}

/// The code of bypasses. Of what is given, only the parameters are named: no field of a header holds a message.
pub fn bypasses(stack: &Stack) -> impl Iterator<Item = Body<'_>> {
    stack.bypasses.iter().enumerate().map(|(i, bypass)| Body {
        id: BodyId::Bypass(i),
        layer: LayerId(0),
        name: "a bypass",
        locals: &bypass.locals,
        parameters: &bypass.parameters,
        fields: &[],
        block: &bypass.body,
    })
}

/// Initial values of cells: the draws for them, and the values.
pub fn initials(stack: &Stack) -> impl Iterator<Item = (Body<'_>, CellId, &Expr)> {
    stack.cells.iter().enumerate().filter_map(|(i, cell)| {
        let id = CellId(i as u32);
        let body = Body {
            id: BodyId::Initial(id),
            layer: cell.layer,
            name: &cell.name,
            locals: &cell.locals,
            parameters: &[],
            fields: &[],
            block: &cell.draws,
        };
        cell.initial.as_ref().map(|initial| (body, id, initial))
    })
}

/// The slot that contains a place.
pub fn root(body: BodyId, place: &Place) -> Slot {
    match place.root {
        Root::Cell(cell) => Slot::Cell(cell),
        Root::Local(local) => Slot::Local(body, local),
    }
}

/// The values of all slots; a slot that was never raised has the bottom.
#[derive(Clone, Debug)]
pub struct Values<L> {
    known: BTreeMap<Slot, L>,
    bottom: L,
    grew: bool,
}

impl<L: Lattice> Values<L> {
    /// All slots at the bottom.
    pub fn new(bottom: L) -> Values<L> {
        Values { known: BTreeMap::new(), bottom, grew: false }
    }

    /// The value of a slot.
    pub fn of(&self, slot: Slot) -> &L {
        self.known.get(&slot).unwrap_or(&self.bottom)
    }

    /// Joins a value into a slot.
    pub fn raise(&mut self, slot: Slot, value: &L) {
        let bottom = &self.bottom;
        self.grew |= self.known.entry(slot).or_insert_with(|| bottom.clone()).join(value);
    }

    /// All raised slots.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, &L)> {
        self.known.iter().map(|(slot, value)| (*slot, value))
    }

    /// Whether a slot was raised since the last call: an analysis iterates while this holds.
    pub fn take_grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }
}
