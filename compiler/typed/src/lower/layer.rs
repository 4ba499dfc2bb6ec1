//! A layer: its declarations as they are, and the code of all bodies.

use nacre_stack::{
    Admission, Cell, Expr, Filter, Function, Goal, Handler, HandlerId, LayerId, Local, LocalId, StatementKind, Timer,
};

use super::Lowering;
use crate::fragment::{Fragment, FragmentReaction};
use crate::tree::{self, NameId, Names, PatternKind, Value};

/// The fragment of a layer. The tree has no error nodes.
pub(crate) fn layer(tree: &tree::Layer) -> Fragment {
    let reaction = |(at, handler): (usize, &tree::Handler)| {
        let tree::Reacts { side, event, guard } = handler.trigger.event()?;
        Some(FragmentReaction { side, event, guard, handler: HandlerId(at as u32) })
    };
    let goal = |(name, value): &(String, Value)| Goal { name: name.clone(), holds: condition(tree, value) };
    let mut fragment = Fragment {
        name: tree.name.clone(),
        description: tree.description.clone(),
        short: tree.short.clone(),
        wire_parameters: tree.wire_parameters.clone(),
        version: tree.version,
        provides: tree.provides.clone(),
        requires: tree.requires.clone(),
        breaks: tree.breaks.clone(),
        extends: tree.extends.clone(),
        above: tree.above.clone(),
        below: tree.below.clone(),
        events: tree.events.clone(),
        interface: tree.interface.clone(),
        ports: tree.ports.clone(),
        structs: tree.structs.clone(),
        enums: tree.enums.clone(),
        headers: tree.headers.clone(),
        cells: tree.cells.iter().map(|c| cell(tree, c)).collect(),
        counters: tree.counters.clone(),
        timers: tree.timers.iter().map(timer).collect(),
        handlers: tree.handlers.iter().map(|h| handler(tree, h)).collect(),
        functions: tree.functions.iter().map(|f| function(tree, f)).collect(),
        filters: tree.filters.iter().map(|f| filter(tree, f)).collect(),
        externs: tree.externs.clone(),
        reactions: tree.handlers.iter().enumerate().filter_map(reaction).collect(),
        accepts: tree.accepts.iter().map(|a| (a.event, admission(tree, &a.condition))).collect(),
        invariants: tree.invariants.iter().map(|value| condition(tree, value)).collect(),
        goals: tree.goals.iter().map(goal).collect(),
        random: tree.random,
        packs: tree.packs,
        span: tree.span,
    };
    fragment.forget_bounds();
    fragment
}

fn begin<'t>(layer: &'t tree::Layer, names: &'t Names) -> Lowering<'t> {
    Lowering::new(layer, names, layer.span)
}

fn cell(layer: &tree::Layer, cell: &tree::StateCell) -> Cell {
    let Some(Value { names, value }) = &cell.initial else { return cell.cell.clone() };
    let mut lowering = begin(layer, names);
    let initial = Some(lowering.expr(value));
    Cell { initial, locals: lowering.locals, draws: lowering.out, ..cell.cell.clone() }
}

fn timer(timer: &tree::Timer) -> Timer {
    let tree::Timer { name, cell, path, handler } = timer;
    let handler = HandlerId(*handler);
    Timer { name: name.clone(), layer: LayerId(0), cell: *cell, path: path.clone(), handler }
}

/// A condition over cells alone.
fn condition(layer: &tree::Layer, value: &Value) -> Expr {
    begin(layer, &value.names).expr(&value.value)
}

fn admission(layer: &tree::Layer, condition: &Value) -> Admission {
    let mut lowering = begin(layer, &condition.names);
    lowering.declare_each((0..condition.names.all.len() as u32).map(NameId));
    let locals: Vec<Local> = lowering.locals.clone();
    Admission { layer: LayerId(0), locals, condition: lowering.expr(&condition.value) }
}

fn handler(layer: &tree::Layer, handler: &tree::Handler) -> Handler {
    let mut lowering = Lowering::new(layer, &handler.names, handler.span);
    let parameters = handler.parameters.iter().map(|p| lowering.parameter(p)).collect();
    let fields = lowering.declare_each(handler.fields.iter().copied());
    lowering.statements(&handler.body);
    Handler {
        name: handler.name.clone(),
        layer: LayerId(0),
        event: handler.trigger.event().map(|r| r.event),
        parameters,
        fields,
        locals: lowering.locals,
        body: lowering.out,
        passes: false,
        span: handler.span,
    }
}

fn function(layer: &tree::Layer, function: &tree::Function) -> Function {
    let mut lowering = Lowering::new(layer, &function.names, function.span);
    let parameters = lowering.declare_each(function.parameters.iter().copied());
    lowering.statements(&function.body);
    Function {
        name: function.name.clone(),
        layer: LayerId(0),
        parameters,
        result: function.result.clone(),
        locals: lowering.locals,
        body: lowering.out,
        span: function.span,
    }
}

fn filter(layer: &tree::Layer, filter: &tree::Filter) -> Filter {
    let mut lowering = Lowering::new(layer, &filter.names, filter.span);
    lowering.own = &filter.functions;
    lowering.declare_each(filter.state.iter().map(|(name, _)| *name));
    let state = lowering.locals.clone();
    let initial = filter.state.iter().map(|(_, value)| value.as_ref().map(|value| lowering.expr(value))).collect();
    let inputs = lowering.declare_each(filter.inputs.iter().copied());
    let (body, ()) = lowering.block(|l| l.statements(&filter.body));
    let (end, ()) = lowering.block(|l| l.statements(&filter.end));
    let result = filter.result.as_ref().map(|value| lowering.expr(value));
    Filter {
        name: filter.name.clone(),
        state,
        unit: filter.unit,
        locals: lowering.locals,
        inputs,
        initial,
        body,
        end,
        result,
        functions: Vec::new(),
        grows: filter.grows,
        rejects: filter.rejects,
        span: filter.span,
    }
}

impl Lowering<'_> {
    fn declare_each(&mut self, names: impl IntoIterator<Item = NameId>) -> Vec<LocalId> {
        names.into_iter().map(|name| self.declare(name)).collect()
    }

    /// A parameter of a handler, and what becomes of it first.
    fn parameter(&mut self, parameter: &tree::HandlerParameter) -> LocalId {
        let local = self.declare(parameter.name);
        let Some(pattern) = &parameter.pattern else { return local };
        let value = self.get(local);
        match pattern.kind {
            PatternKind::Any => self.push(StatementKind::Drop(value)),
            _ => self.destructure(pattern, value),
        }
        local
    }
}
