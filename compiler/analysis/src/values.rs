//! Values over a whole stack, in no order: each cell, local, result and header field has one, joined over all that is
//! put there.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::Lattice;

/// Where code stands, and whose locals it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyId {
    /// A handler.
    Handler(HandlerId),
    /// A function.
    Function(FunctionId),
    /// What a cell begins with.
    Initial(CellId),
    /// What a layer says of itself, and when it takes something.
    Said(LayerId),
}

/// What has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// All that is in a cell.
    Cell(CellId),
    /// A local of a body. One that stands for a place of the caller's is raised with it by the analysis.
    Local(BodyId, LocalId),
    /// What a function gives.
    Result(FunctionId),
    /// A field of a header that is put on messages.
    Header(HeaderId, u32),
    /// A field of a struct, wherever it is.
    Field(StructId, u32),
    /// What a body does besides giving a result.
    Effect(BodyId),
}

/// Some code of a stack.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    /// Which.
    pub id: BodyId,
    /// Whose.
    pub layer: LayerId,
    /// As the IR names it: `pt2pt.down.send`; of an initial value the cell's.
    pub name: &'a str,
    /// Its locals.
    pub locals: &'a [Local],
    /// Those that are set before it begins: parameters.
    pub parameters: &'a [LocalId],
    /// And the fields of the header that was on the message.
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

/// What cells begin with: the draws for it, and the value itself.
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

/// The slot of what a place is in.
pub fn root(body: BodyId, place: &Place) -> Slot {
    match place.root {
        Root::Cell(cell) => Slot::Cell(cell),
        Root::Local(local) => Slot::Local(body, local),
    }
}

/// The values of all slots; those that nothing was said of are at the bottom.
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

    /// The slot may have this value too.
    pub fn raise(&mut self, slot: Slot, value: &L) {
        let bottom = &self.bottom;
        self.grew |= self.known.entry(slot).or_insert_with(|| bottom.clone()).join(value);
    }

    /// All slots of which something was said.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, &L)> {
        self.known.iter().map(|(slot, value)| (*slot, value))
    }

    /// Whether anything was raised since this was last asked: an analysis goes round as long as that is so.
    pub fn take_grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }
}
