//! The interfaces at the sides of a layer: the events of each.

use nacre_diagnostics::{counted, nearest, Diagnostic};
use nacre_stack::{Direction, Event, EventId, Parameter, PortId, Type};
use nacre_syntax::ast::{self, Item, Member};

use crate::checker::{Checker, Declared};
use crate::fragment::{InterfaceEvent, ABOVE, BELOW};

impl Checker<'_> {
    /// A standard interface that the library does not declare yet.
    pub(crate) fn is_of_groups(&self, interface: &ast::InterfaceRef) -> bool {
        let name = interface.name.name.as_str();
        matches!(name, "group" | "group_application" | "merging" | "state_transfer")
            && self.program.find(name, interface.span).is_none()
    }

    pub(crate) fn interfaces(&mut self) {
        let layer = self.layer;
        let channel =
            |span| ast::InterfaceRef { name: ast::Ident { name: "channel".into(), span }, arguments: Vec::new(), span };
        let above = layer.above.clone().unwrap_or_else(|| channel(layer.name.span));
        let below = if layer.over.is_empty() { vec![channel(layer.name.span)] } else { layer.over.clone() };
        self.tree.above.push(above.name.name.clone());
        self.interface(&above, ABOVE);
        for interface in &below {
            self.tree.below.push(interface.name.name.clone());
            self.interface(interface, BELOW);
        }
        for member in &layer.members {
            if let Member::Port { name, interface, .. } = member {
                if self.tree.ports.contains(&name.name) {
                    self.error("T0022", format!("`{}` is declared twice here", name.name), name.span, "again here", "");
                }
                let side = PortId(2 + self.tree.ports.len() as u32);
                self.tree.ports.push(name.name.clone());
                self.interface(interface, side);
            }
        }
    }

    pub(crate) fn interface(&mut self, reference: &ast::InterfaceRef, side: PortId) {
        let found = self.program.find(&reference.name.name, reference.name.span);
        let Some(Item::Interface(declared)) = found.map(|n| n.item) else {
            let is_interface = |i: &Item| matches!(i, Item::Interface(_));
            let known = self.program.known(&reference.name.name, reference.name.span, is_interface);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let help = match nearest(&reference.name.name, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "import the file that declares it: `import \"nacre/interfaces.nacre\";`".into(),
            };
            self.error(
                "T0018",
                format!("there is no interface `{}`", reference.name.name),
                reference.name.span,
                "not declared",
                help,
            );
            self.unsound.insert(Declared::Side(side));
            return;
        };
        let declared = declared.clone();
        self.once(declared.parameters.iter());
        if let Some(extra) = reference.arguments.get(declared.parameters.len()) {
            let takes = counted(declared.parameters.len() as u64, "parameter");
            self.error("T0015", format!("`{}` takes {takes}", declared.name.name), extra.span, "one too many", "");
        }
        for direction in [ast::EventDirection::Up, ast::EventDirection::Down, ast::EventDirection::Turn] {
            self.once(declared.events.iter().filter(|e| e.direction == direction).map(|e| &e.name));
        }
        declared.events.iter().for_each(|e| self.once(e.parameters.iter().map(|p| &p.name)));
        for (i, parameter) in declared.parameters.iter().enumerate() {
            let ty = match reference.arguments.get(i) {
                Some(ty) => self.resolve(ty).unwrap_or(Type::Addr),
                None => Type::Addr,
            };
            self.type_parameters.insert(parameter.name.clone(), ty);
        }
        for event in &declared.events {
            let direction = match event.direction {
                ast::EventDirection::Up => Direction::Up,
                ast::EventDirection::Down => Direction::Down,
                ast::EventDirection::Turn => {
                    self.unbuilt::<()>("groups (`turn` events)", event.name.span);
                    continue;
                }
            };
            let incoming = (direction == Direction::Up) == (side == BELOW);
            match self.event(event, direction) {
                Some(id) => self.tree.interface.push(InterfaceEvent { side, event: id, incoming }),
                None => drop(self.unsound.insert(Declared::Event(side, event.name.name.clone()))),
            }
        }
        self.type_parameters.clear();
    }

    fn event(&mut self, declared: &ast::EventDeclaration, direction: Direction) -> Option<EventId> {
        let mut parameters = Vec::new();
        for p in &declared.parameters {
            let ty = match &p.ty.kind {
                ast::TypeKind::Name(n, a) if a.is_empty() && self.type_parameters.contains_key(&n.name) => {
                    self.type_parameters[&n.name].clone()
                }
                _ => self.resolve(&p.ty)?,
            };
            parameters.push(Parameter { name: p.name.name.clone(), ty });
        }
        let messages: Vec<u32> =
            (0..parameters.len() as u32).filter(|i| self.linear(&parameters[*i as usize].ty)).collect();
        if messages.len() > 1 || messages.iter().any(|m| parameters[*m as usize].ty != Type::Msg) {
            let bounded = messages.iter().any(|m| matches!(parameters[*m as usize].ty, Type::Bounded(_)));
            let help = if bounded {
                "a layer limits the length by `accepts`: `accepts send(m) when m.len <= ...;`"
            } else {
                ""
            };
            let title = "an event carries at most one message, as a parameter of type msg";
            self.error("T0019", title, declared.name.span, "", help);
        }
        let message = messages.first().copied();
        let role = self.event_role(declared, direction, &parameters, message.is_some());
        let (name, session) = (declared.name.name.clone(), None);
        let event = Event { name, direction, parameters, message, session, role };
        if let Some(known) = self.tree.events.iter().position(|e| *e == event) {
            return Some(EventId(known as u32));
        }
        self.tree.events.push(event);
        Some(EventId(self.tree.events.len() as u32 - 1))
    }

    /// Whether an event is passed on as another one: the names of parameters may differ.
    fn is_same(&self, a: EventId, b: EventId) -> bool {
        let [a, b] = [a, b].map(|id| &self.tree.events[id.index()]);
        let types = |event: &Event| event.parameters.iter().map(|p| p.ty.clone()).collect::<Vec<_>>();
        a.name == b.name && types(a) == types(b)
    }

    /// Reports events that no handler takes and that cannot be passed on, as the interface at the other side has none
    /// that is the same. After an error a handler may be unknown.
    pub(crate) fn lost_events(&mut self) {
        if self.has_errors() {
            return;
        }
        for (from, to, at, direction) in [(BELOW, ABOVE, "above", "up"), (ABOVE, BELOW, "below", "down")] {
            let (messages, signals): (Vec<&Event>, Vec<&Event>) =
                self.unhandled(from, to).into_iter().partition(|event| event.message.is_some());
            let message =
                |event: &&Event| format!("`{direction} {}({}) {{ drop {}; }}`", event.name, names(event), name(event));
            let signals_help = (!signals.is_empty()).then(|| {
                let all: Vec<&str> = signals.iter().map(|event| event.name.as_str()).collect();
                format!("`{direction} {}(..) {{ }}`", all.join(" | "))
            });
            let handlers: Vec<String> = messages.iter().map(message).chain(signals_help).collect();
            if handlers.is_empty() {
                continue;
            }
            let lost: Vec<&str> = messages.iter().chain(&signals).map(|event| event.name.as_str()).collect();
            let words = format!(
                "no handler takes `{}`, and the interface {at} has no event of this name and these types",
                lost.join("`, `")
            );
            let found = match messages.is_empty() {
                true => Diagnostic::warning("T0185", words),
                false => Diagnostic::error("T0185", words),
            };
            let help = format!("write {}, or add what is missing to the interface", handlers.join(" and "));
            self.found.push(found.at(self.layer.name.span, "lost in this layer").help(help));
        }
    }

    /// The events from one side without a handler that are not in the interface at the other side.
    fn unhandled(&self, from: PortId, to: PortId) -> Vec<&Event> {
        let at = |side, incoming| self.tree.interface.iter().filter(move |i| i.side == side && i.incoming == incoming);
        let handlers: Vec<_> = self.tree.handlers.iter().filter_map(|handler| handler.trigger.event()).collect();
        let is_handled = |event| handlers.iter().any(|reacts| reacts.side == from && reacts.event == event);
        at(from, true)
            .filter(|i| !is_handled(i.event) && !at(to, false).any(|other| self.is_same(other.event, i.event)))
            .map(|i| &self.tree.events[i.event.index()])
            .collect()
    }
}

/// The names of an event's parameters, as a handler has them.
fn names(event: &Event) -> String {
    let name = |(at, p): (usize, &Parameter)| match Some(at as u32) == event.message {
        true => p.name.clone(),
        false => "_".into(),
    };
    event.parameters.iter().enumerate().map(name).collect::<Vec<_>>().join(", ")
}

/// The name of its message.
fn name(event: &Event) -> &str {
    event.message.map_or("", |at| &event.parameters[at as usize].name)
}
