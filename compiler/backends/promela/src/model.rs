//! The model as a whole: its parts, in the order in which SPIN wants them.

use nacre_stack::*;

use crate::names::clean;
use crate::numbers::MACROS;
use crate::types::{plain, Field, Shape};
use crate::writer::Writer;
use crate::Refusal;

impl Writer<'_> {
    /// The whole text.
    pub fn model(mut self) -> Result<String, Vec<Refusal>> {
        self.check();
        self.message_helpers();
        self.stack_types();
        let environment = self.environment();
        let next_event = self.next_event();
        let open = self.opening();
        let invariants = self.invariants();
        for timer in &self.stack.timers {
            self.handler_name(timer.handler);
        }
        let process = self.endpoint();
        if !self.refusals.is_empty() {
            self.refusals.sort();
            return Err(self.refusals);
        }
        let mut text = vec![self.head()];
        text.push(self.constants());
        text.append(&mut self.typedefs);
        text.push(self.variables());
        text.push(crate::dispatch::queue());
        text.push(crate::bytes::put_byte());
        text.append(&mut self.helpers);
        text.push(environment);
        text.append(&mut self.functions);
        text.push(self.handler_numbers());
        text.extend([next_event, open, invariants, process, self.network()]);
        Ok(text.join("\n"))
    }

    /// What is refused before anything is written.
    pub fn check(&mut self) {
        for at in 0..self.bounds.calls.len() {
            if self.call_input(at).is_none() {
                let name = self.bounds.calls[at].0.clone();
                self.refuse(format!("`{name}`, which is no event that the stack takes from above"));
            }
        }
        if self.send_input().is_none() && self.bounds.messages != [0, 0] {
            self.refuse("no event above the network takes a message and nothing else");
        }
        if self.bounds.size == 0 || self.bounds.messages.iter().any(|m| *m > 126) {
            self.refuse("messages have at least one byte, and each end sends at most 126");
        }
        if self.capacity > 200 {
            self.refuse(format!("messages of {} bytes", self.capacity));
        }
    }

    pub fn send_input(&self) -> Option<PortInput> {
        let takes = |i: &&PortInput| {
            let parameters = &self.stack.event(i.event).parameters;
            parameters.len() == 1 && parameters[0].ty == Type::Msg
        };
        self.stack.ports.iter().skip(1).flat_map(|p| &p.inputs).find(takes).cloned()
    }

    pub fn head(&self) -> String {
        let b = &self.bounds;
        format!(
            "/* {}: two ends over a network, as nacre-backend-promela wrote it.\n * Messages: {} from a, {} from b, of {} bytes; frames in flight: {} each way{}; losses: {}; \
             duplications: {}; the observer demands: {:?}.\n * Check with: spin -a; gcc -O2 -fwrapv -DSAFETY -DNOFAIR -DVECTORSZ=8192 pan.c */\n",
            self.stack.description.replace("*/", ""),
            b.messages[0],
            b.messages[1],
            b.size,
            b.flight,
            if b.fifo { ", in i_order" } else { "" },
            b.losses,
            b.duplications,
            b.observer
        )
    }

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
        let causes = ["OPEN", "SEND", "DELIVER", "DUPLICATE", "LATER"].map(String::from);
        let timers = (0..self.stack.timers.len()).map(|t| self.timer_name(t));
        let calls = (0..self.bounds.calls.len()).map(|at| self.call_name(at));
        for (number, name) in causes.into_iter().chain(timers).chain(calls).enumerate() {
            lines.push(format!("#define {name} {}", number + 1));
        }
        lines.join("\n") + "\n"
    }

    pub fn handler_numbers(&self) -> String {
        let numbered = self.handlers.iter().enumerate();
        numbered.map(|(number, (_, name))| format!("#define RUN_{name} {}\n", number + 1)).collect()
    }

    pub fn timer_name(&self, timer: usize) -> String {
        format!("TIMER_{}", clean(&self.stack.timers[timer].name.replace("[]", "")).to_uppercase())
    }

    /// Typedefs of the layers' cells, and of the whole end.
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
                let fields: Vec<Field> = cells.map(|(_, c)| plain(clean(&c.name), Shape::Of(c.ty.clone()))).collect();
                if fields.is_empty() {
                    continue;
                }
                let of = format!("{name}_{}", if given { "given" } else { "state" });
                self.typedef(&of, &fields);
                let list = if given { &mut givens } else { &mut states };
                list.push((name.clone(), of));
            }
        }
        self.frame.layer = None;
        let event = self.event_fields();
        self.typedef("event", &event);
        let mut lines: Vec<String> = states.iter().map(|(name, of)| format!("    {of} {name};")).collect();
        if self.has_later() {
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
        let room = self.bounds.flight.max(1);
        self.typedefs
            .push(format!("/* Frames towards an end. */\ntypedef bag {{\n    byte n;\n    message f[{room}]\n}}\n"));
        let most = self.most();
        self.typedefs.push(format!("typedef record {{\n    bool seen[{most}]\n}}\n"));
    }

    pub fn most(&self) -> u8 {
        self.bounds.messages[0].max(self.bounds.messages[1]).max(1)
    }

    pub fn variables(&self) -> String {
        let b = &self.bounds;
        let mut lines = vec!["/* The state. */".to_string(), "end_state ends[2];\nbag flight[2];\nbyte opened;".into()];
        lines.push("byte sent[2];\nrecord delivered[2];".into());
        lines.push(format!("byte losses = {};\nbyte duplications = {};\n", b.losses, b.duplications));
        if !b.calls.is_empty() {
            lines.push(format!("byte calls[{}];\n", 2 * b.calls.len()));
        }
        lines.push("/* Means nothing between steps. */".into());
        lines.push("hidden end_given givens[2];".into());
        lines.push("hidden int i_at, i_gone, i_each0, i_each1, i_each2, i_each3, i_each4, i_each5;".into());
        lines.push("hidden byte roll_left, roll_count, came_number, i_place, byte_in, next_handler;\nhidden message offered_message;".into());
        lines.extend(self.hidden.iter().cloned());
        lines.join("\n") + "\n"
    }
}
