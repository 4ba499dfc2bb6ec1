//! Small helpers to write a stack by hand.

use crate::*;

/// A stack under construction.
pub struct Builder {
    pub stack: Stack,
}

/// The locals of a handler or function under construction.
#[derive(Default)]
pub struct Locals(pub Vec<Local>);

impl Locals {
    /// Declares a local and returns the expression that reads it.
    pub fn add(&mut self, name: &str, ty: Type) -> Expr {
        self.0.push(Local { name: name.into(), ty: ty.clone(), by_ref: false });
        Expr::new(ExprKind::Local(LocalId(self.0.len() as u32 - 1)), ty, Span::default())
    }
}

/// The local that an expression names.
pub fn id(local: &Expr) -> LocalId {
    match local.kind {
        ExprKind::Local(id) => id,
        _ => panic!("not a local: {local:?}"),
    }
}

impl Builder {
    /// Returns a stack without layers, with a lower port `below`, an upper port `above` and small bounds.
    pub fn new(name: &str, description: &str) -> Builder {
        let counters = builtin::NAMES.iter().map(|n| Counter { name: n.to_string(), layer: None }).collect();
        Builder {
            stack: Stack {
                name: name.into(),
                description: description.into(),
                counters,
                ports: vec![Port::lower("below", LayoutId(0)), Port::named("above")],
                bounds: Bounds {
                    queue: 64,
                    later: 8,
                    outputs: 64,
                    segments: 256,
                    scratch: 4096,
                    pieces: 64,
                    block: 64,
                    blocks: 64,
                    frame_data: 1024,
                    open: Need::default(),
                    timer: Need::default(),
                },
                ..Stack::default()
            },
        }
    }

    /// The stack, its nodes numbered.
    pub fn finish(mut self) -> Stack {
        number(&mut self.stack);
        self.stack
    }

    /// Adds a layer without reactions, of version 1.
    pub fn layer(&mut self, name: &str) -> LayerId {
        self.stack.layers.push(Layer {
            name: name.into(),
            description: name.into(),
            version: 1,
            sessions: 1,
            reactions: vec![],
            invariants: vec![],
            goals: vec![],
            random: None,
            span: Span::default(),
        });
        let id = LayerId(self.stack.layers.len() as u32 - 1);
        // The layers form a column, so that link k is below layer k.
        let (this, links) = (Target::Layer(id), &mut self.stack.links);
        match links.last_mut() {
            Some(top) => top.upper = this,
            None => links.push(Link { lower: Target::Port(PortId(0)), upper: this }),
        }
        links.push(Link { lower: this, upper: Target::Port(PortId(1)) });
        id
    }

    /// Adds an event; its role follows from its name, direction and parameters ([`EventRole::of`]).
    pub fn event(&mut self, name: &str, direction: Direction, parameters: &[(&str, Type)]) -> EventId {
        let message = parameters.iter().position(|(_, ty)| *ty == Type::Msg).map(|i| i as u32);
        let role = EventRole::of(name, direction, parameters.len(), message.is_some());
        let (name, parameters) = (name.into(), named(parameters));
        self.stack.events.push(Event { name, direction, parameters, message, session: None, role });
        EventId(self.stack.events.len() as u32 - 1)
    }

    /// Adds a header variant of a layer. Panics if a field's type has no wire format.
    pub fn header(&mut self, layer: LayerId, name: &str, fields: &[(&str, Type, FieldPlace)]) -> HeaderId {
        let fields = fields
            .iter()
            .map(|(name, ty, place)| HeaderField {
                name: name.to_string(),
                ty: ty.clone(),
                bits: self.stack.wire_bits(ty).expect("a type of the wire"),
                big_endian: false,
                place: *place,
                class: FieldClass::Protocol,
            })
            .collect();
        self.stack.headers.push(Header { name: name.into(), layer, fields });
        HeaderId(self.stack.headers.len() as u32 - 1)
    }

    /// Adds a state cell of a layer and returns the place that names it.
    pub fn cell(&mut self, layer: LayerId, name: &str, scope: Scope, ty: Type, initial: Option<Expr>) -> Place {
        self.stack.cells.push(Cell {
            name: name.into(),
            layer,
            scope,
            ty: ty.clone(),
            initial,
            locals: vec![],
            draws: vec![],
            secret: false,
            role: None,
        });
        Place { root: Root::Cell(CellId(self.stack.cells.len() as u32 - 1)), path: vec![], ty }
    }

    /// A handler for an event at a layer. The locals begin with the event's parameters, then the fields of the header.
    pub fn handler(
        &mut self,
        layer: LayerId,
        event: EventId,
        header: Option<HeaderId>,
        body: impl FnOnce(&mut Locals, &[Expr]) -> Block,
    ) -> HandlerId {
        let stack = &self.stack;
        let mut locals = Locals::default();
        let mut arguments = vec![];
        for parameter in &stack.event(event).parameters {
            arguments.push(locals.add(&parameter.name, parameter.ty.clone()));
        }
        let parameters = arguments.iter().map(id).collect();
        for field in header.iter().flat_map(|h| &stack.header(*h).fields) {
            arguments.push(locals.add(&field.name, field.ty.clone()));
        }
        let fields = arguments.iter().skip(stack.event(event).parameters.len()).map(id).collect();
        let body = body(&mut locals, &arguments);
        let direction = if stack.event(event).direction == Direction::Up { "up" } else { "down" };
        let mut name = format!("{}.{direction}.{}", stack.layer(layer).name, stack.event(event).name);
        if let Some(header) = header {
            name = format!("{name}.{}", stack.header(header).name);
        }
        let handler = self.add_handler(Handler {
            name,
            layer,
            event: Some(event),
            parameters,
            fields,
            locals: locals.0,
            body,
            passes: false,
            span: Span::default(),
        });
        let arm = Arm { guard: Guard { header, ..Guard::NONE }, handler };
        let reactions = &mut self.stack.layers[layer.index()].reactions;
        match reactions.iter_mut().find(|r| r.event == event) {
            Some(reaction) => reaction.arms.push(arm),
            None => reactions.push(Reaction { event, accepts: None, arms: vec![arm] }),
        }
        handler
    }

    /// A timer and its handler, whose first locals are the indices.
    pub fn timer(
        &mut self,
        layer: LayerId,
        name: &str,
        cell: &Place,
        path: &[TimerStep],
        body: impl FnOnce(&mut Locals, &[Expr]) -> Block,
    ) {
        let mut locals = Locals::default();
        let each = path.iter().filter(|s| **s == TimerStep::Each).count();
        let indices: Vec<Expr> = (0..each).map(|i| locals.add(&format!("index{i}"), Type::UInt(32))).collect();
        let body = body(&mut locals, &indices);
        let parameters = indices.iter().map(id).collect();
        let layer_name = &self.stack.layer(layer).name;
        let (handler_name, timer_name) = (format!("{layer_name}.on.{name}"), format!("{layer_name}.{name}"));
        let handler = self.add_handler(Handler {
            name: handler_name,
            layer,
            event: None,
            parameters,
            fields: vec![],
            locals: locals.0,
            body,
            passes: false,
            span: Span::default(),
        });
        let Root::Cell(cell) = cell.root else { panic!("a timer stands in a cell") };
        self.stack.timers.push(Timer { name: timer_name, layer, cell, path: path.to_vec(), handler });
    }

    fn add_handler(&mut self, handler: Handler) -> HandlerId {
        self.stack.handlers.push(handler);
        HandlerId(self.stack.handlers.len() as u32 - 1)
    }

    /// The first `parameters` locals that `body` makes are the parameters.
    pub fn function(
        &mut self,
        layer: LayerId,
        name: &str,
        parameters: u32,
        result: Option<Type>,
        body: impl FnOnce(&mut Locals) -> Block,
    ) -> FunctionId {
        let mut locals = Locals::default();
        let body = body(&mut locals);
        let name = format!("{}.{name}", self.stack.layer(layer).name);
        let parameters = (0..parameters).map(LocalId).collect();
        let (locals, span) = (locals.0, Span::default());
        self.stack.functions.push(Function { name, layer, parameters, result, locals, body, span });
        FunctionId(self.stack.functions.len() as u32 - 1)
    }
}

fn named(fields: &[(&str, Type)]) -> Vec<Parameter> {
    fields.iter().map(|(name, ty)| Parameter { name: name.to_string(), ty: ty.clone() }).collect()
}

/// Returns an expression without a span.
pub fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, Span::default())
}
/// Returns a constant of the type.
pub fn num(value: u64, ty: Type) -> Expr {
    expr(ExprKind::Const(value), ty)
}
/// Returns the zero of the type.
pub fn zero(ty: Type) -> Expr {
    expr(ExprKind::Zero, ty)
}
/// Returns a copy of the value at a place.
pub fn load(place: &Place) -> Expr {
    expr(ExprKind::Load(Box::new(place.clone())), place.ty.clone())
}
/// Applies an operator and derives the type of the result. Panics on a distance of anything but `Type::Seq`.
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    use BinaryOp::*;
    let ty = match op {
        Equal | NotEqual | Less | LessEqual | Both | Either | Subset | Member => Type::Bool,
        Distance => match a.ty {
            Type::Seq(bits) => Type::Int(bits),
            _ => panic!("distance of {:?}", a.ty),
        },
        _ => a.ty.clone(),
    };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}
/// Returns `a + b`, modulo the width of the type of `a`.
pub fn add(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Add, a, b)
}
/// Returns `a == b`.
pub fn equal(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Equal, a, b)
}
/// Returns `a < b`.
pub fn less(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Less, a, b)
}
/// Returns the negation of a bool.
pub fn not(a: Expr) -> Expr {
    expr(ExprKind::Unary(UnaryOp::Not, Box::new(a)), Type::Bool)
}
/// Returns whether an option has a value.
pub fn is_some(a: Expr) -> Expr {
    expr(ExprKind::IsSome(Box::new(a)), Type::Bool)
}
/// Returns the value of an option that is known to have one. Panics if the type is no option.
pub fn unwrap(a: Expr) -> Expr {
    let Type::Option(ty) = a.ty.clone() else { panic!("unwrap of {:?}", a.ty) };
    expr(ExprKind::Unwrap(Box::new(a)), *ty)
}
/// Converts a number to another type; narrowing truncates.
pub fn convert(a: Expr, ty: Type) -> Expr {
    expr(ExprKind::Convert(Box::new(a)), ty)
}
/// Returns a second message with the same bytes; the operand is not consumed.
pub fn share(message: Expr) -> Expr {
    expr(ExprKind::Share(Box::new(message)), Type::Msg)
}
/// Reads a message in place, without moving it.
pub fn borrow(place: &Place) -> Expr {
    expr(ExprKind::Borrow(Box::new(place.clone())), Type::Msg)
}
/// Returns the length of a message in bytes, as `u32`.
pub fn length(message: Expr) -> Expr {
    expr(ExprKind::Length(Box::new(message)), Type::UInt(32))
}
/// Returns the bytes of a message as a view, without consuming it.
pub fn view(message: Expr) -> Expr {
    expr(ExprKind::View(Box::new(message)), Type::View)
}
/// Returns a new message without bytes.
pub fn empty() -> Expr {
    expr(ExprKind::Empty, Type::Msg)
}
/// Puts a header with these field values on a message.
pub fn push(message: Expr, header: HeaderId, fields: Vec<Expr>) -> Expr {
    expr(ExprKind::Push(Box::new(message), header, fields), Type::Msg)
}
/// Asks a container at a place, with a result of type `ty`.
pub fn query(query: Query, place: &Place, arguments: Vec<Expr>, ty: Type) -> Expr {
    expr(ExprKind::Query(query, Box::new(place.clone()), arguments), ty)
}

/// An entry of the place.
pub fn at(place: &Place, index: Expr, ty: Type) -> Place {
    let mut path = place.path.clone();
    path.push(Step::Index(index));
    Place { root: place.root, path, ty }
}

/// Declares the local and assigns to it, or assigns again.
pub fn set(local: &Expr, value: Expr) -> Statement {
    StatementKind::Let(id(local), value).into()
}
/// Overwrites the value at a place.
pub fn store(place: &Place, value: Expr) -> Statement {
    StatementKind::Store(place.clone(), value).into()
}
/// Returns `if condition { then } else { otherwise }`, without a likelihood.
pub fn when(condition: Expr, then: Block, otherwise: Block) -> Statement {
    StatementKind::If { condition, likely: None, then, otherwise }.into()
}
/// Emits an event over a link, through the queue.
pub fn emit(link: LinkId, event: EventId, arguments: Vec<Expr>) -> Statement {
    StatementKind::Emit(Emit { link, event, arguments, later: false, call: false, likely: None }).into()
}
/// Emits an event over a link as a step of its own.
pub fn later(link: LinkId, event: EventId, arguments: Vec<Expr>) -> Statement {
    StatementKind::Emit(Emit { link, event, arguments, later: true, call: false, likely: None }).into()
}
/// Drops a message.
pub fn release(message: &Expr) -> Statement {
    StatementKind::Drop(message.clone()).into()
}
/// Adds 1 to a counter.
pub fn count(counter: CounterId) -> Statement {
    StatementKind::Count(counter, num(1, Type::UInt(64))).into()
}
/// Changes a container at a place. The operation sets `into` to its result, `done` to whether it succeeded, and `back`
/// to an argument that was not taken.
pub fn operate(
    operation: Operation,
    place: &Place,
    arguments: Vec<Expr>,
    into: Option<&Expr>,
    done: Option<&Expr>,
    back: Option<&Expr>,
) -> Statement {
    let (into, done, back) = (into.map(id), done.map(id), back.map(id));
    StatementKind::Operate(Operate { operation, place: place.clone(), arguments, into, done, back }).into()
}
/// Sets a timer to `delay` nanoseconds from now; with `unless_armed`, only if it is not running.
pub fn arm(timer: &Place, delay: u64, unless_armed: bool) -> Statement {
    StatementKind::Arm { timer: timer.clone(), delay: num(delay, Type::Duration), unless_armed }.into()
}
