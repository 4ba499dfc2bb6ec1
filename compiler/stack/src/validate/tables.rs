//! The tables: every index outside of code is in range, and related entries agree.

use super::links;
use super::problems::Problems;
use crate::*;

/// Checks the tables; if a type is wrong, nothing else is checked, as the other checks rely on types.
pub fn check(stack: &Stack, p: &mut Problems) {
    types(stack, p);
    if !p.found.is_empty() {
        return;
    }
    p.at("stack");
    p.unless(stack.ports.len() >= 2, || "a stack has a lower and an upper port".into());
    p.unless(!stack.layouts.is_empty(), || "there is no layout of frames".into());
    let names: Vec<&str> = stack.counters.iter().take(6).map(|c| c.name.as_str()).collect();
    p.unless(names == builtin::NAMES, || "the first counters are not the built-in ones".into());
    let bounds = &stack.bounds;
    p.unless(bounds.block > 0 && bounds.queue > 0, || "a bound is missing".into());
    let layers = stack.layers.len();
    let layer = |id: LayerId| id.index() < layers;
    p.unless(stack.headers.iter().all(|h| layer(h.layer)), || "a header of no layer".into());
    p.unless(stack.cells.iter().all(|c| layer(c.layer)), || "a cell of no layer".into());
    p.unless(stack.functions.iter().all(|f| layer(f.layer)), || "a function of no layer".into());
    p.unless(stack.layouts.iter().all(|l| layer(l.layer)), || "a layout of no layer".into());
    p.unless(stack.counters.iter().all(|c| c.layer.is_none_or(layer)), || "a counter of no layer".into());
    for handler in &stack.handlers {
        p.at(&handler.name);
        p.unless(layer(handler.layer), || "no such layer".into());
        p.unless(handler.event.is_none_or(|e| e.index() < stack.events.len()), || "no such event".into());
        locals(&handler.locals, handler.parameters.iter().chain(&handler.fields), p);
    }
    for function in &stack.functions {
        p.at(&function.name);
        locals(&function.locals, function.parameters.iter(), p);
    }
    for filter in &stack.filters {
        p.at(&filter.name);
        locals(&filter.locals, filter.inputs.iter(), p);
        p.unless(!filter.inputs.is_empty(), || "a filter that reads nothing".into());
        let states = filter.locals.get(..filter.state.len()).is_some_and(|l| l == filter.state);
        p.unless(states && filter.initial.len() <= filter.state.len(), || "the first locals are not the state".into());
        p.unless(filter.functions.iter().all(|f| f.index() < stack.functions.len()), || "no such function".into());
        p.unless(filter.grows.1 > 0, || "growth divides by zero".into());
    }
    links::check(stack, p);
    if p.found.is_empty() {
        events(stack, p);
        reactions(stack, p);
        ports(stack, p);
        timers(stack, p);
    }
}

fn locals<'a>(locals: &[Local], mut used: impl Iterator<Item = &'a LocalId>, p: &mut Problems) {
    p.unless(used.all(|id| id.index() < locals.len()), || "a parameter without a local".into());
}

fn types(stack: &Stack, p: &mut Problems) {
    p.at("types");
    for (index, declared) in stack.structs.iter().enumerate() {
        for field in &declared.fields {
            // A struct follows those that it contains, so that none contains itself.
            p.unless(is_type(stack, &field.ty, index), || {
                format!("field {}.{} has no type", declared.name, field.name)
            });
        }
    }
    let all = stack.structs.len();
    let parameters = stack.events.iter().flat_map(|e| &e.parameters);
    let externs = stack.externs.iter().flat_map(|e| &e.parameters);
    let results = stack.functions.iter().filter_map(|f| f.result.as_ref());
    let locals = stack.handlers.iter().flat_map(|h| &h.locals);
    let locals = locals.chain(stack.functions.iter().flat_map(|f| &f.locals));
    let locals = locals.chain(stack.filters.iter().flat_map(|f| &f.locals));
    let locals = locals.chain(stack.cells.iter().flat_map(|c| &c.locals));
    let types = parameters.chain(externs).map(|f| &f.ty).chain(results).chain(locals.map(|l| &l.ty));
    let types = types.chain(stack.cells.iter().map(|c| &c.ty));
    let types = types.chain(stack.headers.iter().flat_map(|h| &h.fields).map(|f| &f.ty));
    types.for_each(|ty| p.unless(is_type(stack, ty, all), || format!("{ty:?} is not a type")));
}

fn is_type(stack: &Stack, ty: &Type, structs: usize) -> bool {
    let inner = |t: &Type| is_type(stack, t, structs);
    match ty {
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => (1..=64).contains(b),
        Type::Range(low, high) => low < high,
        Type::Enum(id) => id.index() < stack.enums.len(),
        Type::Struct(id) => id.index() < structs,
        Type::Tuple(types) => types.iter().all(inner),
        Type::Option(t) => inner(t),
        Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _) => inner(t),
        Type::Window(t, n, b) => inner(t) && (2..=64).contains(b) && u64::from(*n) <= longest_window(*b),
        Type::Map(k, t, _) => inner(k) && inner(t) && stack.capabilities(k).compared,
        Type::Bounded(_) => false,
        _ => true,
    }
}

fn events(stack: &Stack, p: &mut Problems) {
    for event in &stack.events {
        p.at(format!("event {}", event.name));
        for (index, parameter) in event.parameters.iter().enumerate() {
            let is_message = event.message == Some(index as u32);
            p.unless(is_message == stack.has_message(&parameter.ty), || {
                "its message is not the one that it names".into()
            });
        }
        p.unless(event.message.is_none_or(|i| (i as usize) < event.parameters.len()), || "no such parameter".into());
    }
}

fn reactions(stack: &Stack, p: &mut Problems) {
    for (index, layer) in stack.layers.iter().enumerate() {
        for (at, reaction) in layer.reactions.iter().enumerate() {
            p.at(format!("layer {}, reaction {at}", layer.name));
            if reaction.event.index() >= stack.events.len() {
                p.add("no such event");
                continue;
            }
            let own = reaction.accepts.as_ref().is_none_or(|a| a.layer.index() == index);
            p.unless(own, || "its condition is of another layer".into());
            let again = layer.reactions[..at].iter().any(|r| r.event == reaction.event);
            p.unless(!again, || "a second reaction to this event".into());
            p.unless(!reaction.arms.is_empty(), || "no arm".into());
            reaction.arms.iter().for_each(|a| arm(stack, LayerId(index as u32), reaction.event, a, p));
        }
        let random = layer.random.is_none_or(|c| {
            stack.cells.get(c.index()).is_some_and(|cell| cell.layer.index() == index && cell.ty == Type::UInt(64))
        });
        p.unless(random, || "its generator is not a cell of 64 bits".into());
    }
}

fn arm(stack: &Stack, layer: LayerId, event: EventId, arm: &Arm, p: &mut Problems) {
    let Some(handler) = stack.handlers.get(arm.handler.index()) else { return p.add("no such handler") };
    p.unless(handler.layer == layer && handler.event == Some(event), || {
        format!("`{}` handles something else", handler.name)
    });
    let direction = stack.event(event).direction;
    let leads = |link: LinkId| stack.links.get(link.index()).is_some_and(|l| l.end(direction) == Target::Layer(layer));
    p.unless(arm.guard.link.is_none_or(leads), || format!("`{}` asks for a link of another layer", handler.name));
    let wanted = &stack.event(event).parameters;
    let have = handler.parameters.iter().map(|id| &handler.locals[id.index()].ty);
    p.unless(wanted.iter().map(|w| &w.ty).eq(have), || {
        format!("`{}` has other parameters than its event", handler.name)
    });
    let fields = handler.fields.iter().map(|id| &handler.locals[id.index()].ty);
    let Some(header) = arm.guard.header else {
        return p.unless(handler.fields.is_empty(), || format!("`{}` has fields of no header", handler.name));
    };
    let Some(header) = stack.headers.get(header.index()) else { return p.add("no such header") };
    p.unless(header.layer == layer, || format!("header `{}` is of another layer", header.name));
    p.unless(stack.event(event).message.is_some(), || "a header on an event without a message".into());
    p.unless(header.fields.iter().map(|f| &f.ty).eq(fields), || {
        format!("`{}` has other fields than its header", handler.name)
    });
}

fn ports(stack: &Stack, p: &mut Problems) {
    for (index, port) in stack.ports.iter().enumerate() {
        p.at(format!("port {}", port.name));
        let here = Target::Port(PortId(index as u32));
        let Some(link) = stack.link_of(PortId(index as u32)) else { continue };
        let arrives =
            |e: &EventId| stack.events.get(e.index()).is_some_and(|e| stack.link(link).end(e.direction) == here);
        let lower = stack.link(link).lower == here;
        let layout = port.frames.is_none_or(|layout| layout.index() < stack.layouts.len());
        p.unless(lower == port.frames.is_some() && layout, || "it has frames, or not, against its link".into());
        links::turns(stack, PortId(index as u32), p);
        p.unless(port.outputs.iter().all(arrives), || "no such event, or one that does not come out here".into());
        let events = port.inputs.iter().map(|input| input.event).chain(port.outputs.iter().copied());
        for event in events.filter_map(|id| stack.events.get(id.index())) {
            let beyond = event.beyond_port();
            p.unless(beyond.is_none(), || {
                format!("`{}` is not for a host: {}", event.name, beyond.unwrap_or_default())
            });
        }
        for input in &port.inputs {
            let known = input.event.index() < stack.events.len() && input.layer.index() < stack.layers.len();
            let reacts = known && stack.layer(input.layer).reactions.iter().any(|r| r.event == input.event);
            p.unless(reacts, || format!("nothing reacts to input {}", input.event.0));
            let leads = known && input.link == link && stack.arrives(link, input.event) == Target::Layer(input.layer);
            p.unless(leads, || format!("input {} does not lead to its layer", input.event.0));
            let layers = input.admissions.iter().all(|a| a.layer.index() < stack.layers.len());
            p.unless(layers, || "an admission of no layer".into());
        }
    }
}

fn timers(stack: &Stack, p: &mut Problems) {
    for timer in &stack.timers {
        p.at(format!("timer {}", timer.name));
        let (Some(cell), Some(handler)) =
            (stack.cells.get(timer.cell.index()), stack.handlers.get(timer.handler.index()))
        else {
            p.add("no such cell or handler");
            continue;
        };
        p.unless(cell.layer == timer.layer && handler.layer == timer.layer, || "it belongs to several layers".into());
        let mut ty = Some(&cell.ty);
        for step in &timer.path {
            ty = match (step, ty) {
                (TimerStep::Field(i), Some(Type::Struct(id))) => {
                    stack.structs[id.index()].fields.get(*i as usize).map(|f| &f.ty)
                }
                (TimerStep::Field(i), Some(Type::Tuple(types))) => types.get(*i as usize),
                (TimerStep::Each, Some(Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _))) => {
                    Some(t)
                }
                (TimerStep::Each, Some(Type::Window(t, ..) | Type::Map(_, t, _) | Type::Option(t))) => Some(t),
                _ => None,
            };
        }
        p.unless(ty == Some(&Type::Timer), || "its path does not lead to a timer".into());
        let each = timer.path.iter().filter(|s| **s == TimerStep::Each).count();
        let session = usize::from(stack.layer(timer.layer).sessions > 1);
        p.unless(handler.parameters.len() == session + each && handler.event.is_none(), || {
            "its handler has other indices".into()
        });
    }
}
