//! Names instead of indices, where they are clear.

use crate::*;

/// The names of one table: for each entry a short one, and a longer one for where that is not unique.
#[derive(Clone, Debug, Default)]
pub struct Table(pub Vec<(String, String)>);

impl Table {
    /// An event; if several have the same name, its parameters identify it (`send.to.m`).
    pub fn add_event<'n>(&mut self, name: &str, parameters: impl Iterator<Item = &'n str>) {
        let long = parameters.fold(name.to_string(), |long, parameter| format!("{long}.{parameter}"));
        self.0.push((name.into(), long));
    }

    /// Adds the name of the next index; with a qualifier, `qualifier.name` is its full form.
    pub fn add(&mut self, name: &str, qualifier: &str) {
        self.0.push((name.into(), if qualifier.is_empty() { name.into() } else { format!("{qualifier}.{name}") }));
    }

    fn only(&self, wanted: &str, of: impl Fn(&(String, String)) -> &str) -> Option<usize> {
        let mut found = self.0.iter().enumerate().filter(|(_, names)| of(names) == wanted);
        found.next().filter(|_| found.next().is_none()).map(|(index, _)| index)
    }

    /// The entry that a name means.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.only(name, |n| &n.0).or_else(|| self.only(name, |n| &n.1))
    }

    /// How an entry is written.
    pub fn show(&self, index: usize) -> String {
        let Some((short, long)) = self.0.get(index) else { return format!("#{index}") };
        let clear = [short, long].into_iter().find(|name| self.find(name) == Some(index));
        clear.map_or(format!("#{index}"), |name| quoted(name))
    }
}

/// A name as it is; in quotes if it is not a word.
pub fn quoted(name: &str) -> String {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        name.into()
    } else {
        format!("{name:?}")
    }
}

/// The names of all tables.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub layers: Table,
    pub structs: Table,
    pub enums: Table,
    pub events: Table,
    pub headers: Table,
    pub cells: Table,
    pub counters: Table,
    pub handlers: Table,
    pub functions: Table,
    pub filters: Table,
    pub externs: Table,
    pub ports: Table,
}

/// The only link of a layer over which events of a direction arrive at an end.
pub fn link_to(stack: &Stack, layer: LayerId, direction: Direction, end: Target) -> Option<LinkId> {
    let leads = |link: &&(usize, &Link)| link.1.meets(Target::Layer(layer)) && link.1.end(direction) == end;
    let links: Vec<(usize, &Link)> = stack.links.iter().enumerate().collect();
    let mut found = links.iter().filter(leads);
    found.next().filter(|_| found.next().is_none()).map(|(index, _)| LinkId(*index as u32))
}

impl Names {
    /// An end of a link, as it is written.
    pub fn end(&self, end: Target) -> String {
        match end {
            Target::Layer(layer) => format!("layer {}", self.layers.show(layer.index())),
            Target::Port(port) => format!("port {}", self.ports.show(port.index())),
        }
    }

    /// Collects the names of everything in a stack that code refers to.
    pub fn of(stack: &Stack) -> Names {
        let mut names = Names::default();
        let layer = |id: LayerId| stack.layers.get(id.index()).map_or("", |l| l.name.as_str());
        stack.layers.iter().for_each(|l| names.layers.add(&l.name, ""));
        stack.structs.iter().for_each(|l| names.structs.add(&l.name, ""));
        stack.enums.iter().for_each(|l| names.enums.add(&l.name, ""));
        for event in &stack.events {
            names.events.add_event(&event.name, event.parameters.iter().map(|p| p.name.as_str()));
        }
        stack.headers.iter().for_each(|h| names.headers.add(&h.name, layer(h.layer)));
        stack.cells.iter().for_each(|c| names.cells.add(&c.name, layer(c.layer)));
        stack.counters.iter().for_each(|c| names.counters.add(&c.name, c.layer.map_or("", layer)));
        stack.handlers.iter().for_each(|h| names.handlers.add(&h.name, ""));
        stack.functions.iter().for_each(|f| names.functions.add(&f.name, ""));
        stack.filters.iter().for_each(|f| names.filters.add(&f.name, ""));
        stack.externs.iter().for_each(|x| names.externs.add(&x.name, ""));
        stack.ports.iter().for_each(|p| names.ports.add(&p.name, ""));
        names
    }
}
