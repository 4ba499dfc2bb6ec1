//! What an emission reaches in the same step: which layers and ports, how deep, and behind how many waits in the
//! queue.

use std::collections::{BTreeMap, BTreeSet};

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::sites::{SiteId, Sites};

/// Limit of depths: a deeper step may be in a cycle. The way through a stack and back is shorter.
fn deepest(stack: &Stack) -> u8 {
    (2 * stack.layers.len() + 16).clamp(48, usize::from(u8::MAX)) as u8
}

/// A place where order is observable: the state that some layers share, a port, or the ring of `later` events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    State(usize),
    Port(PortId),
    Later,
}

/// The depth in events at which something happens (0: in the handler itself), and the number of waits before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depth {
    pub events: u8,
    pub waits: u8,
}

impl Depth {
    fn below(self, waits: bool, deepest: u8) -> Depth {
        let one_more = |depth: u8, more: bool| depth.saturating_add(u8::from(more)).min(deepest);
        Depth { events: one_more(self.events, true), waits: one_more(self.waits, waits) }
    }
}

/// What is reached, and at which depths.
pub type Reached = BTreeMap<Seen, BTreeSet<Depth>>;

/// What each handler reaches in the step in which it runs: a least fixed point over all handlers.
pub struct Reach<'s> {
    pub stack: &'s Stack,
    pub sites: &'s Sites,
    /// Of each layer, which state it belongs to.
    pub states: Vec<usize>,
    /// A value at the limit may be greater.
    pub deepest: u8,
    /// Of each handler.
    handlers: Vec<Reached>,
}

/// The handlers of a site's emission.
pub fn takers(stack: &Stack, sites: &Sites, site: SiteId) -> Vec<HandlerId> {
    let site = &sites.all[site];
    let Target::Layer(layer) = site.target else { return vec![] };
    let reactions = stack.layer(layer).reactions.iter().filter(|r| r.event == site.event);
    let fits = |arm: &&Arm| !site.empty || site.layer == layer || (arm.guard.header.is_none() && !arm.guard.data);
    reactions.flat_map(|r| &r.arms).filter(fits).map(|a| a.handler).collect()
}

impl<'s> Reach<'s> {
    /// Returns the start of the fixed point: nothing is reached yet.
    pub fn new(stack: &'s Stack, sites: &'s Sites) -> Reach<'s> {
        let handlers = vec![Reached::new(); stack.handlers.len()];
        Reach { stack, sites, states: states(stack), deepest: deepest(stack), handlers }
    }

    /// The places that the site reaches, with depths from its handler.
    pub fn of_site(&self, site: SiteId, waits: &[bool]) -> Reached {
        let mut reached = Reached::new();
        let place = &self.sites.all[site];
        let here = Depth { events: 0, waits: 0 };
        let mut add = |seen: Seen, depth: Depth| {
            reached.entry(seen).or_default().insert(depth);
        };
        match (place.later, place.target) {
            (true, _) => add(Seen::Later, here),
            (false, Target::Port(port)) => add(Seen::Port(port), here),
            (false, Target::Layer(layer)) => {
                add(Seen::State(self.states[layer.index()]), here.below(waits[site], self.deepest));
                for handler in takers(self.stack, self.sites, site) {
                    for (seen, depths) in &self.handlers[handler.index()] {
                        depths.iter().for_each(|d| add(*seen, d.below(waits[site], self.deepest)));
                    }
                }
            }
        }
        reached
    }

    /// Follows all emissions until nothing new is reached.
    pub fn follow(&mut self, waits: &[bool]) {
        self.handlers = vec![Reached::new(); self.stack.handlers.len()];
        // Handlers are in order from the lowest layer up. Events go both ways, so the direction alternates.
        let mut order: Vec<usize> = (0..self.stack.handlers.len()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            order.reverse();
            for &handler in &order {
                for site in &self.sites.courses[handler].sites {
                    for (seen, depths) in self.of_site(*site, waits) {
                        let known = self.handlers[handler].entry(seen).or_default();
                        let before = known.len();
                        known.extend(depths);
                        changed |= known.len() != before;
                    }
                }
            }
        }
    }

    /// All places that some handlers reach: handler, site, place, and the depth from that site's handler.
    pub fn over(&self, handlers: &[usize], waits: &[bool]) -> Vec<(usize, SiteId, Seen, Depth)> {
        let mut all = vec![];
        for handler in handlers {
            for site in &self.sites.courses[*handler].sites {
                for (seen, depths) in self.of_site(*site, waits) {
                    all.extend(depths.into_iter().map(|depth| (*handler, *site, seen, depth)));
                }
            }
        }
        all
    }

    /// The sites on a path from `site` to a place at a depth; the last one reaches it.
    pub fn way(&self, site: SiteId, seen: Seen, depth: Depth, waits: &[bool]) -> Vec<SiteId> {
        let mut way = vec![];
        let (mut site, mut depth) = (site, depth);
        while way.len() < usize::from(self.deepest) {
            way.push(site);
            let place = &self.sites.all[site];
            let Target::Layer(layer) = place.target else { break };
            let here = Depth { events: 0, waits: 0 };
            if depth == here.below(waits[site], self.deepest) && seen == Seen::State(self.states[layer.index()]) {
                break;
            }
            let next = takers(self.stack, self.sites, site).into_iter().find_map(|handler| {
                self.sites.courses[handler.index()].sites.iter().find_map(|inner| {
                    let depths = self.of_site(*inner, waits);
                    let found = depths.get(&seen)?.iter().find(|d| d.below(waits[site], self.deepest) == depth)?;
                    Some((*inner, *found))
                })
            });
            let Some(next) = next else { break };
            (site, depth) = next;
        }
        way
    }
}

/// Layers that name each other's cells share their state.
fn states(stack: &Stack) -> Vec<usize> {
    let mut states: Vec<usize> = (0..stack.layers.len()).collect();
    let mut unite = |a: usize, b: usize| {
        let (from, to) = (states[a].max(states[b]), states[a].min(states[b]));
        states.iter_mut().filter(|s| **s == from).for_each(|s| *s = to);
    };
    let bodies =
        stack.handlers.iter().map(|h| (h.layer, &h.body)).chain(stack.functions.iter().map(|f| (f.layer, &f.body)));
    for (layer, body) in bodies {
        cells_of(body, &mut |cell| {
            let declared = stack.cell(cell);
            if declared.layer != layer && declared.scope != Scope::Given {
                unite(layer.index(), declared.layer.index());
            }
        });
    }
    states
}

/// Calls `found` for each cell that a block names.
fn cells_of(block: &Block, found: &mut dyn FnMut(CellId)) {
    block.each(|node| {
        if let Node::Place(Place { root: Root::Cell(cell), .. }) = node {
            found(*cell);
        }
    });
}
