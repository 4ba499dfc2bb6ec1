//! Links: they connect layers in one order, and only the layers at their ends emit events over them.

use super::code::Check;
use super::problems::Problems;
use crate::*;

/// Checks the table.
pub fn check(stack: &Stack, p: &mut Problems) {
    for (index, link) in stack.links.iter().enumerate() {
        p.at(format!("link {index}"));
        let known = |end: Target| match end {
            Target::Layer(layer) => layer.index() < stack.layers.len(),
            Target::Port(port) => port.index() < stack.ports.len(),
        };
        p.unless(known(link.lower) && known(link.upper), || "it ends nowhere".into());
        match (link.lower, link.upper) {
            (Target::Port(_), Target::Port(_)) => p.add("it joins two ports"),
            (Target::Layer(lower), Target::Layer(upper)) => {
                p.unless(lower < upper, || "its upper layer does not stand after its lower one".into());
            }
            _ => {}
        }
    }
    for (index, port) in stack.ports.iter().enumerate() {
        p.at(format!("port {}", port.name));
        let ends = stack.links.iter().filter(|link| link.meets(Target::Port(PortId(index as u32)))).count();
        p.unless(ends == 1, || format!("{ends} links end at it"));
    }
}

/// Checks the turns of a port: the layer above accepts the returned event with the parameters that were sent.
pub fn turns(stack: &Stack, id: PortId, p: &mut Problems) {
    let port = &stack.ports[id.index()];
    p.unless(port.frames.is_some() || port.turns.is_empty(), || "events turn at a port that is not below".into());
    let Some((link, layer)) = stack.neighbour_of(id) else { return };
    for (at, turn) in port.turns.iter().enumerate() {
        let (Some(down), Some(up)) = (stack.events.get(turn.event.index()), stack.events.get(turn.comes_back.index()))
        else {
            p.add("no such event turns");
            continue;
        };
        let types = |event: &Event| event.parameters.iter().map(|p| p.ty.clone()).collect::<Vec<_>>();
        let way = (down.direction, up.direction) == (Direction::Down, Direction::Up);
        p.unless(way && types(down) == types(up), || format!("`{}` does not turn into `{}`", down.name, up.name));
        let again = port.turns[..at].iter().any(|other| other.event == turn.event);
        p.unless(!again, || format!("`{}` turns twice", down.name));
        let fits = |arm: &Arm| arm.guard.link.is_none_or(|asked| asked == link);
        let reaction = stack.layer(layer).reactions.iter().find(|r| r.event == turn.comes_back);
        let taken = reaction.is_some_and(|r| r.arms.iter().any(fits));
        p.unless(taken, || format!("nothing takes `{}`, which comes back", up.name));
        let leaves = port.outputs.contains(&turn.event);
        p.unless(leaves == turn.leaves, || format!("`{}` leaves, or not, against its turn", down.name));
    }
}

impl<'a> Check<'a> {
    /// Checks an emission.
    pub fn emit(&mut self, emit: &'a Emit) {
        self.problems.unless(self.effects, || "an emission where nothing may be changed".into());
        let Some(event) = self.stack.events.get(emit.event.index()) else {
            return self.problems.add(format!("no event {}", emit.event.0));
        };
        self.all_typed(&emit.arguments, event.parameters.iter().map(|p| &p.ty), "arguments");
        let Some(link) = self.stack.links.get(emit.link.index()) else {
            return self.problems.add(format!("no link {}", emit.link.0));
        };
        let (begin, end) = (link.begin(event.direction), link.end(event.direction));
        let own = self.layer.map(Target::Layer);
        // What a layer sends up from a lower port comes back to it: it has turned there.
        let turned = Some(end) == own && matches!(begin, Target::Port(_)) && event.direction == Direction::Up;
        self.problems.unless(own.is_none() || Some(begin) == own || turned, || {
            format!("`{}` is put on another layer's link", event.name)
        });
        let turn = matches!(end, Target::Port(_)).then(|| self.stack.turn(emit.link, emit.event)).flatten();
        let twice = emit.later && turn.is_some_and(|turn| turn.leaves);
        self.problems.unless(!twice, || format!("`{}` is put off, and leaves and comes back", event.name));
        let asked = emit.later && self.stack.is_asked_by_link(end, emit.event);
        self.problems.unless(!asked, || format!("`{}` is put off, and a guard asks for its link", event.name));
        let taken = self.stack.is_taken(self.layer, emit);
        self.problems.unless(taken, || format!("nothing takes `{}` at {end:?}", event.name));
    }
}
