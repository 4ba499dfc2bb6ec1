//! Renumbers the parts of a fragment for the stack, and resolves its emissions.

use nacre_stack::visit::{rewrite_place, rewrite_type, ReferenceMut, Rewriter};
use nacre_stack::*;
use nacre_typed::{side_of, Fragment, ABOVE, BELOW};

use crate::linked::{add_arm, unique, Linker, UPPER};

/// The numbers in the stack of a fragment's identifiers.
pub(crate) struct Renumber<'a> {
    pub fragment: &'a Fragment,
    pub linker: &'a mut Linker,
    pub layer: LayerId,
    pub structs: Vec<Option<StructId>>,
    pub enums: Vec<EnumId>,
    pub cells: Vec<CellId>,
    pub headers: u32,
    pub counters: u32,
    pub handlers: u32,
    pub functions: u32,
    pub filters: Vec<FilterId>,
    pub externs: Vec<ExternId>,
    /// The stack's port for each of the layer's own.
    pub ports: u32,
    /// The first link of the layer's own ports.
    pub links: u32,
    pub instance: String,
}

impl Renumber<'_> {
    fn stack(&mut self) -> &mut Stack {
        &mut self.linker.stack
    }

    /// Renumbers all identifiers of a fragment.
    pub fn all(mut self) {
        self.types();
        self.interface();
        // Initial values call functions in C, and filters.
        self.helpers();
        self.storage();
        self.code();
    }

    fn types(&mut self) {
        for declared in &self.fragment.enums {
            let id = match self.stack().enums.iter().position(|e| e == declared) {
                Some(known) => known,
                None => {
                    let mut new = declared.clone();
                    new.name = unique(&new.name, |n| self.linker.stack.enums.iter().any(|e| e.name == n));
                    self.stack().enums.push(new);
                    self.stack().enums.len() - 1
                }
            };
            self.enums.push(EnumId(id as u32));
        }
        for i in 0..self.fragment.structs.len() {
            self.structure(i);
        }
    }

    /// The number of a struct in the stack; contained structs precede it.
    fn structure(&mut self, index: usize) -> StructId {
        if let Some(id) = self.structs[index] {
            return id;
        }
        let mut new = self.fragment.structs[index].clone();
        new.fields.iter_mut().for_each(|f| self.ty(&mut f.ty));
        let known = self.stack().structs.iter().position(|s| *s == new);
        let id = known.unwrap_or_else(|| {
            new.name = unique(&new.name, |n| self.linker.stack.structs.iter().any(|s| s.name == n));
            self.stack().structs.push(new);
            self.stack().structs.len() - 1
        });
        let id = StructId(id as u32);
        self.structs[index] = Some(id);
        id
    }

    /// The number of an event at one of the layer's sides.
    fn event(&mut self, side: PortId, event: EventId) -> EventId {
        let mut new = self.fragment.events[event.index()].clone();
        new.parameters.iter_mut().for_each(|p| self.ty(&mut p.ty));
        let types = new.parameters.iter().map(|p| p.ty.clone()).collect();
        let port = (side > ABOVE).then(|| self.port(side));
        let key = (new.name.clone(), new.direction, types, new.message, port);
        let next = EventId(self.stack().events.len() as u32);
        let id = *self.linker.events.entry(key).or_insert(next);
        if id == next {
            self.stack().events.push(new);
        }
        id
    }

    /// The stack's port for one of the layer's sides.
    fn port(&self, side: PortId) -> PortId {
        PortId(self.ports + side.0 - ABOVE.0 - 1)
    }

    fn interface(&mut self) {
        for spoken in &self.fragment.interface {
            let event = self.event(spoken.side, spoken.event);
            if spoken.side > ABOVE {
                let (link, layer) = (self.own_link(spoken.side), self.layer);
                let port = self.port(spoken.side).index();
                let port = &mut self.stack().ports[port];
                if spoken.incoming {
                    port.inputs.push(PortInput { event, link, layer, admissions: vec![], need: Need::default() });
                }
                continue;
            }
            let sides = &mut self.linker.sides[self.layer.index()];
            let set = match (spoken.side == BELOW, spoken.incoming) {
                (true, true) => &mut sides.from_below,
                (true, false) => &mut sides.to_below,
                (false, true) => &mut sides.from_above,
                (false, false) => &mut sides.to_above,
            };
            set.insert(event);
        }
        for header in &self.fragment.headers {
            let mut new = header.clone();
            new.layer = self.layer;
            new.fields.iter_mut().for_each(|f| self.ty(&mut f.ty));
            self.stack().headers.push(new);
        }
        for name in &self.fragment.counters {
            let counter = Counter { name: name.clone(), layer: Some(self.layer) };
            self.stack().counters.push(counter);
        }
    }

    /// Cells, the givens first, and at the end that of the random generator.
    fn storage(&mut self) {
        let base = self.stack().cells.len() as u32;
        let cells = &self.fragment.cells;
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&i| cells[i].scope != Scope::Given);
        self.cells = vec![CellId(0); cells.len()];
        for (place, &i) in order.iter().enumerate() {
            self.cells[i] = CellId(base + place as u32);
        }
        for &i in &order {
            let mut cell = cells[i].clone();
            cell.layer = self.layer;
            self.ty(&mut cell.ty);
            cell.locals.iter_mut().for_each(|l| self.ty(&mut l.ty));
            self.block(&mut cell.draws);
            cell.initial.iter_mut().for_each(|e| self.expr(e));
            self.stack().cells.push(cell);
        }
        if self.fragment.random {
            let id = CellId(self.stack().cells.len() as u32);
            let (layer, ty) = (self.layer, Type::UInt(64));
            self.stack().cells.push(Cell {
                name: "random".into(),
                layer,
                scope: Scope::Lasting,
                ty,
                initial: None,
                locals: vec![],
                draws: vec![],
                secret: false,
                role: None,
            });
            self.stack().layers[layer.index()].random = Some(id);
        }
    }

    /// Externs and filters: equal declarations of several layers are one.
    fn helpers(&mut self) {
        for declared in &self.fragment.externs {
            let mut new = declared.clone();
            new.parameters.iter_mut().for_each(|p| self.ty(&mut p.ty));
            new.result.iter_mut().for_each(|t| self.ty(t));
            let same = |e: &Extern| e.name == new.name && Extern { span: new.span, ..e.clone() } == new;
            let known = self.linker.stack.externs.iter().position(same);
            let id = known.unwrap_or_else(|| {
                if new.body.is_some() {
                    new.name = unique(&new.name, |n| self.linker.stack.externs.iter().any(|e| e.name == n));
                }
                self.stack().externs.push(new);
                self.stack().externs.len() - 1
            });
            self.externs.push(ExternId(id as u32));
        }
        for declared in &self.fragment.filters {
            let mut new = declared.clone();
            new.state.iter_mut().chain(&mut new.locals).for_each(|l| self.ty(&mut l.ty));
            new.initial.iter_mut().flatten().chain(&mut new.result).for_each(|e| self.expr(e));
            self.block(&mut new.body);
            self.block(&mut new.end);
            new.functions.iter_mut().for_each(|f| f.0 += self.functions);
            let same = |f: &Filter| Filter { span: new.span, ..f.clone() } == new;
            let known = self.linker.stack.filters.iter().position(same);
            let id = known.unwrap_or_else(|| {
                new.name = unique(&new.name, |n| self.linker.stack.filters.iter().any(|f| f.name == n));
                self.stack().filters.push(new);
                self.stack().filters.len() - 1
            });
            self.filters.push(FilterId(id as u32));
        }
    }

    fn code(&mut self) {
        for declared in &self.fragment.functions {
            let mut new = declared.clone();
            new.name = self.renamed(&new.name);
            new.layer = self.layer;
            new.locals.iter_mut().for_each(|l| self.ty(&mut l.ty));
            new.result.iter_mut().for_each(|t| self.ty(t));
            self.block(&mut new.body);
            self.stack().functions.push(new);
        }
        for (i, declared) in self.fragment.handlers.iter().enumerate() {
            let mut new = declared.clone();
            new.name = self.renamed(&new.name);
            new.layer = self.layer;
            new.locals.iter_mut().for_each(|l| self.ty(&mut l.ty));
            self.block(&mut new.body);
            let brought = self.fragment.reactions.iter().find(|r| r.handler.index() == i);
            new.event = brought.map(|r| self.event(r.side, r.event));
            self.stack().handlers.push(new);
        }
        for timer in &self.fragment.timers {
            let mut new = timer.clone();
            new.name = self.renamed(&new.name);
            new.layer = self.layer;
            new.cell = self.cells[new.cell.index()];
            new.handler.0 += self.handlers;
            self.stack().timers.push(new);
        }
        for reaction in &self.fragment.reactions {
            let event = self.event(reaction.side, reaction.event);
            let header = reaction.guard.header.map(|h| HeaderId(h.0 + self.headers));
            let guard = Guard { header, ..reaction.guard };
            let arm = Arm { guard, handler: HandlerId(reaction.handler.0 + self.handlers) };
            let layer = self.layer;
            add_arm(&mut self.stack().layers[layer.index()], event, arm);
        }
        for (event, admission) in &self.fragment.accepts {
            let link = self.fragment.interface.iter().any(|i| i.event == *event && i.side <= ABOVE);
            let side = self.fragment.interface.iter().find(|i| i.event == *event).map_or(ABOVE, |i| i.side);
            let event = self.event(if link { ABOVE } else { side }, *event);
            let mut new = admission.clone();
            new.layer = self.layer;
            new.locals.iter_mut().for_each(|l| self.ty(&mut l.ty));
            self.expr(&mut new.condition);
            self.linker.accepts.push((event, new));
        }
        for invariant in &self.fragment.invariants {
            let mut new = invariant.clone();
            self.expr(&mut new);
            let layer = self.layer;
            self.stack().layers[layer.index()].invariants.push(new);
        }
        for goal in &self.fragment.goals {
            let mut new = goal.clone();
            self.expr(&mut new.holds);
            let layer = self.layer;
            self.stack().layers[layer.index()].goals.push(new);
        }
    }

    /// `pt2pt.acknowledged` as `pt2pt_2.acknowledged`.
    fn renamed(&self, name: &str) -> String {
        match name.split_once('.') {
            Some((layer, rest)) if layer == self.fragment.name => format!("{}.{rest}", self.instance),
            _ => format!("{}.{name}", self.instance),
        }
    }

    /// The target of an emission; none: an event from the highest layer that is unknown above ends.
    fn onward(&self, side: PortId, event: EventId) -> Option<LinkId> {
        let sides = &self.linker.sides[self.layer.index()];
        let ends = self.linker.stack.link(sides.above).upper == Target::Port(UPPER);
        match side {
            BELOW => Some(sides.below),
            ABOVE if ends && !sides.to_above.contains(&event) => None,
            ABOVE => Some(sides.above),
            own => Some(self.own_link(own)),
        }
    }

    /// The link to one of the layer's own ports.
    fn own_link(&self, side: PortId) -> LinkId {
        LinkId(self.links + side.0 - ABOVE.0 - 1)
    }
}

impl Rewriter for Renumber<'_> {
    fn ty(&mut self, ty: &mut Type) {
        match ty {
            Type::Struct(id) => *id = self.structure(id.index()),
            Type::Enum(id) => *id = self.enums[id.index()],
            _ => rewrite_type(self, ty),
        }
    }

    fn refer(&mut self, to: ReferenceMut) {
        match to {
            ReferenceMut::Function(function) => function.0 += self.functions,
            ReferenceMut::Extern(function) => *function = self.externs[function.index()],
            ReferenceMut::Filter(filter) => *filter = self.filters[filter.index()],
            ReferenceMut::Header(header) => header.0 += self.headers,
            ReferenceMut::Layout(layout) => *layout = self.layout(),
            ReferenceMut::Counter(counter) => {
                if counter.index() >= builtin::NAMES.len() {
                    counter.0 += self.counters - builtin::NAMES.len() as u32;
                }
            }
            // An emission is replaced as a whole: see `block`.
            ReferenceMut::Link(_) | ReferenceMut::Event(_) => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let Root::Cell(cell) = &mut place.root {
            *cell = self.cells[cell.index()];
        }
        rewrite_place(self, place);
    }

    fn block(&mut self, block: &mut Block) {
        let statements = std::mem::take(block);
        for mut statement in statements {
            self.statement(&mut statement);
            let StatementKind::Emit(emit) = &mut statement.kind else {
                block.push(statement);
                continue;
            };
            let side = side_of(emit.link);
            emit.event = self.event(side, emit.event);
            match self.onward(side, emit.event) {
                Some(link) => {
                    emit.link = link;
                    block.push(statement);
                }
                None => block.extend(ended(&self.linker.stack, emit).map(|kind| kind.at(statement.span))),
            }
        }
    }
}

impl Renumber<'_> {
    fn layout(&self) -> LayoutId {
        self.linker.sides[self.layer.index()].layout.unwrap_or(LayoutId(0))
    }
}

/// Replaces an emission without a receiver: its message is dropped.
fn ended(stack: &Stack, emit: &Emit) -> Option<StatementKind> {
    let message = stack.event(emit.event).message?;
    Some(StatementKind::Drop(emit.arguments[message as usize].clone()))
}
