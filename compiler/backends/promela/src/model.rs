//! Constants and types of a model.

use nacre_stack::*;

use crate::names::{clean, Scope as NameScope};
use crate::numbers::MACROS;
use crate::types::{plain, Field, Shape};
use crate::writer::Writer;

impl Writer<'_> {
    /// Returns the definitions of headers, events and triggers.
    pub fn constants(&self) -> String {
        let mut lines = vec![MACROS.to_string(), "/* State of the end at hand, and what it was given. */".into()];
        lines.push("#define MY ends[me]\n#define GIVEN givens[me]\n#define me _pid\n".into());
        lines.push("/* Headers. */".into());
        for layer in (0..self.stack.layers.len() as u32).map(LayerId) {
            for (number, id) in self.headers_of(layer).enumerate() {
                lines.push(format!("#define {} {}", self.header_constant(id), number + 1));
            }
        }
        lines.push("\n/* Events: where they go, which way, and their names. */".into());
        for (number, (target, event)) in self.kinds().into_iter().enumerate() {
            lines.push(format!("#define {} {}", self.kind_name(target, event), number + 1));
        }
        lines.push("\n/* What begins a step. */".into());
        let causes = ["OPEN", "LATER"].map(String::from);
        let timers = (0..self.stack.timers.len()).map(|t| self.timer_name(t));
        for (number, name) in causes.into_iter().chain(timers).enumerate() {
            lines.push(format!("#define {name} {}", number + 1));
        }
        lines.join("\n") + "\n"
    }

    /// Returns the definitions that number the handlers in use, from 1.
    pub fn handler_numbers(&self) -> String {
        let numbered = self.handlers.iter().enumerate();
        numbered.map(|(number, (_, name))| format!("#define RUN_{name} {}\n", number + 1)).collect()
    }

    /// Returns the constant that names a timer.
    pub fn timer_name(&self, timer: usize) -> String {
        let name = format!("TIMER_{}", clean(&self.stack.timers[timer].name.replace("[]", "")).to_uppercase());
        self.names.name(NameScope::Constants, name, format!("timer {timer}"))
    }

    /// Writes the typedefs of the layers' cells and of the endpoint.
    pub fn stack_types(&mut self) {
        let generators: Vec<CellId> = self.stack.layers.iter().filter_map(|l| l.random).collect();
        let (mut states, mut givens) = (vec![], vec![]);
        for layer in (0..self.stack.layers.len() as u32).map(LayerId) {
            let name = self.layer_name(layer);
            self.frame.layer = Some(layer);
            for given in [false, true] {
                let cells = self.stack.cells.iter().enumerate();
                let cells = cells.filter(|(i, c)| c.layer == layer && !generators.contains(&CellId(*i as u32)));
                let cells = cells.filter(|(_, c)| (c.scope == Scope::Given) == given);
                let field = |(at, c): (usize, &Cell)| plain(self.cell_name(CellId(at as u32)), Shape::Of(c.ty.clone()));
                let fields: Vec<Field> = cells.map(field).collect();
                if fields.is_empty() {
                    continue;
                }
                let of = format!("{name}_{}", if given { "given" } else { "state" });
                let of = self.names.name(NameScope::Types, of.clone(), format!("{of} of {layer:?}"));
                self.typedef(&of, &fields);
                let list = if given { &mut givens } else { &mut states };
                list.push((name.clone(), of));
            }
        }
        self.frame.layer = None;
        let event = self.event_fields();
        self.typedef("event", &event);
        let mut lines: Vec<String> = states.iter().map(|(name, of)| format!("    {of} {name};")).collect();
        if self.has_later {
            lines.push(format!("    event later[{}];\n    byte later_n;", self.later_capacity()));
        }
        lines.push("    bit nothing".into());
        self.typedefs.push(format!("/* An end. */\ntypedef end_state {{\n{}\n}}\n", lines.join("\n")));
        let mut lines: Vec<String> = givens.iter().map(|(name, of)| format!("    {of} {name};")).collect();
        lines.push("    bit nothing".into());
        self.typedefs.push(format!(
            "/* What an end was given i_at opening; it never changes. */\ntypedef end_given {{\n{}\n}}\n",
            lines.join("\n")
        ));
    }
}
