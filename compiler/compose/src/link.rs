//! Links fragments: common numbers, unique names, and targets of emissions.

use std::collections::HashMap;

use nacre_stack::*;
use nacre_typed::Fragment;

use crate::linked::{unique, Instances, Linked, Linker, Sides, LOWER, UPPER};
use crate::renumber::Renumber;

/// Links the fragments, the top first; their interfaces have been checked.
pub(crate) fn link(name: &str, fragments: &[Fragment]) -> Linked {
    let description = fragments.iter().map(|f| f.short.as_str()).collect::<Vec<_>>().join(" / ");
    let mut linker = Linker {
        stack: empty(name, description),
        instances: Instances::default(),
        events: HashMap::new(),
        sides: vec![],
        accepts: vec![],
    };
    // All layers are placed before the first is renumbered, so that its neighbours exist.
    let between: Vec<(LinkId, LinkId)> = (0..fragments.len()).map(|i| linker.stand(LayerId(i as u32))).collect();
    for (fragment, between) in fragments.iter().rev().zip(between) {
        linker.add(fragment, between);
    }
    Linked { stack: linker.stack, sides: linker.sides, accepts: linker.accepts }
}

fn empty(name: &str, description: String) -> Stack {
    Stack {
        name: name.into(),
        description,
        counters: builtin::NAMES.iter().map(|n| Counter { name: (*n).into(), layer: None }).collect(),
        ports: vec![Port::lower("below", LayoutId(0)), Port::named("above")],
        layouts: vec![Layout { layer: LayerId(0), form: LayoutForm::Plain, fingerprint: 0, shapes: vec![] }],
        ..Stack::default()
    }
}

impl Linker {
    /// Puts a layer on top of those placed before; returns the links to its neighbours.
    fn stand(&mut self, layer: LayerId) -> (LinkId, LinkId) {
        let (this, links) = (Target::Layer(layer), &mut self.stack.links);
        let below = match links.iter().position(|link| link.upper == Target::Port(UPPER)) {
            Some(top) => top,
            None => {
                links.push(Link { lower: Target::Port(LOWER), upper: this });
                0
            }
        };
        links[below].upper = this;
        links.push(Link { lower: this, upper: Target::Port(UPPER) });
        (LinkId(below as u32), LinkId(links.len() as u32 - 1))
    }

    fn add(&mut self, fragment: &Fragment, (below, above): (LinkId, LinkId)) {
        let layer = LayerId(self.stack.layers.len() as u32);
        let instance = self.instances.take(&fragment.name);
        let mut sides = Sides::of(below, above);
        if fragment.packs {
            sides.layout = Some(LayoutId(self.stack.layouts.len() as u32));
            self.stack.layouts.push(Layout { layer, form: LayoutForm::Plain, fingerprint: 0, shapes: vec![] });
        }
        self.sides.push(sides);
        let stack = &mut self.stack;
        let ports = stack.ports.len() as u32;
        let links = stack.links.len() as u32;
        for name in &fragment.ports {
            let name = unique(name, |n| stack.ports.iter().any(|p| p.name == n));
            let (lower, port) = (Target::Layer(layer), Target::Port(PortId(stack.ports.len() as u32)));
            stack.links.push(Link { lower, upper: port });
            stack.ports.push(Port::named(name));
        }
        stack.layers.push(Layer {
            name: instance.clone(),
            description: fragment.description.clone(),
            version: fragment.version,
            sessions: 1,
            reactions: vec![],
            invariants: vec![],
            goals: vec![],
            random: None,
            span: fragment.span,
        });
        let (headers, counters) = (stack.headers.len() as u32, stack.counters.len() as u32);
        let (handlers, functions) = (stack.handlers.len() as u32, stack.functions.len() as u32);
        let renumber = Renumber {
            fragment,
            layer,
            links,
            structs: vec![None; fragment.structs.len()],
            enums: vec![],
            cells: vec![],
            headers,
            counters,
            handlers,
            functions,
            filters: vec![],
            externs: vec![],
            ports,
            instance,
            linker: self,
        };
        renumber.all();
    }
}
