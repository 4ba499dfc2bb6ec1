//! A stack between automata: the network below, specifications above, and the calls of an application.
//!
//! Events that leave the endpoints pass through the queue, in order, to the inputs of the automaton below and to the
//! outputs of those above. The cause of the next step is chosen as a number (`cause`) before any hidden variable is
//! used: `begins` has an option for each transition of the network's outputs and for each call.

use nacre_stack::*;

use crate::effects;
use crate::environment::Move;
use crate::fairness::Fair;
use crate::monitors;
use crate::refusal::{Counted, Reason, Wide};
use crate::report::Step;
use crate::term::Term;
use crate::types::is_wide;
pub use crate::world::{Call, Form, World};
use crate::world::{COMMON_CAUSES, SENDING};
use crate::writer::{Frame, Writer};
use crate::{erase, Refusal, Sources};

/// Returns the model's text, or every construct that Promela cannot express.
pub fn write_between(stack: &Stack, world: &World, sources: Sources) -> Result<String, Vec<Refusal>> {
    let beyond = nacre_stack::normal::beyond_rows(stack);
    if !beyond.is_empty() {
        return Err(beyond.into_iter().map(|what| Refusal { layer: None, reason: Reason::Shape(what) }).collect());
    }
    let erased = erase::erase(stack)?;
    let size = world.calls.iter().filter_map(|c| c.bytes.as_ref()).map(Vec::len).max().unwrap_or(1);
    let mut writer = Writer::new(&erased, size.max(1) as u32, sources);
    writer.capacity += world.longer;
    writer.given = world.given;
    if world.damages() {
        writer.pack_frames();
    }
    if writer.capacity > 200 {
        writer.refuse(Reason::Size(Counted::MessageBytes, writer.capacity.into()));
    }
    writer.model_between(world)
}

impl Writer<'_> {
    fn model_between(mut self, world: &World) -> Result<String, Vec<Refusal>> {
        self.message_helpers();
        self.stack_types();
        let macros = self.carried();
        let next_event = self.next_event();
        let open = self.opening();
        let invariants = self.invariants();
        for timer in &self.stack.timers {
            self.handler_name(timer.handler);
        }
        let first_numbers = self.first_numbers(world.first);
        let parts = self
            .between_parts(world)
            .map_err(|what| vec![Refusal { layer: None, reason: Reason::Environment(what) }])?;
        let [automata, first_state, processes] = parts;
        if self.stack.cells.iter().any(|c| !c.draws.is_empty()) {
            self.refuse(Reason::DrawnInitials);
        }
        if !self.refusals.is_empty() {
            return Err(self.in_order());
        }
        let mut text = vec![format!(
            "/* {}: two ends between automata, as nacre-backend-promela wrote it.\n * Check with: spin -a; gcc -O2 \
             -fwrapv -DSAFETY -DNOFAIR -DVECTORSZ=8192 pan.c */\n",
            self.stack.description.replace("*/", "")
        )];
        if monitors::tables_in_c(world.tables).is_some() {
            text.push("/* The tables of judges. */\nc_decl {\n    \\#include \"tables.h\"\n};\n".into());
        }
        text.push(self.constants());
        text.append(&mut self.typedefs);
        text.push(macros);
        text.push(self.variables_between(world));
        text.push(automata);
        text.push(crate::dispatch::queue());
        text.push(crate::bytes::put_byte());
        text.append(&mut self.helpers);
        text.append(&mut self.functions);
        text.push(self.handler_numbers());
        text.extend([next_event, open, first_numbers, invariants, first_state, processes]);
        Ok(text.join("\n"))
    }

    fn variables_between(&self, world: &World) -> String {
        let mut lines = vec!["/* The state. */\nend_state ends[2];\nbyte opened;".to_string()];
        let counts = world.counts();
        lines.push(format!("byte used[{counts}]; /* calls by kind and end, then limits, then last resorts */\n"));
        if world.goals {
            lines.push(Fair::VARIABLES.into());
        }
        if world.is_open() {
            lines.push("/* What waits for the network within a step; 0 between steps. */".into());
            lines.push(format!("event sending[{SENDING}];\nbyte sending_len[1], sending_at;\n"));
            if self.frame_size.is_some() {
                lines.push(format!("frame sending_frames[{SENDING}];\n"));
            }
        }
        lines.push("/* Means nothing between steps, or never changes. */\nhidden end_given givens[2];".into());
        lines.push(format!("hidden message asked[{}];", (world.calls.len() + world.not_asked().len()).max(1)));
        lines.push(COUNTERS.into());
        lines.extend(self.hidden.iter().cloned());
        lines.join("\n") + "\n"
    }

    /// The variables of the automata, their initial state, and the processes.
    fn between_parts(&mut self, world: &World) -> Result<[String; 3], String> {
        let automata = world.each(&|j| j.declarations())?.join("\n");
        let first = self.first_state(world)?;
        Ok([automata, first, self.processes(world)?])
    }

    /// Checks that automata can represent the parameters of an event.
    pub fn carries_numbers(&self, id: EventId) -> Result<(), String> {
        let wide = self.stack.event(id).parameters.iter().any(|parameter| is_wide(&parameter.ty));
        if wide {
            Err(self.too_wide(id))
        } else {
            Ok(())
        }
    }

    /// The reason why an automaton cannot receive an event.
    pub fn too_wide(&self, id: EventId) -> String {
        format!("a number of more than 32 bits that `{}` carries to an automaton", self.stack.event(id).name)
    }

    fn first_state(&mut self, world: &World) -> Result<String, String> {
        let start = effects::lines(&world.each(&|j| j.start())?.concat());
        Ok(self.inline("first_state", &[], "Of the automata; and all that is asked.", Frame::default(), |w| {
            start.iter().for_each(|l| w.line(l));
            let not_asked = world.not_asked();
            let all = world.calls.iter().map(|c| c.bytes.as_ref()).chain(not_asked.iter().map(Some)).enumerate();
            for (at, bytes) in all {
                let Some(bytes) = bytes else { continue };
                w.line(format!("asked[{at}].is_data = 1; asked[{at}].n = {};", bytes.len()));
                for (i, byte) in bytes.iter().enumerate() {
                    w.line(format!("asked[{at}].b[{i}] = {byte};"));
                }
            }
            w.line("skip");
        }))
    }

    /// Sets the initial sequence numbers.
    fn first_numbers(&mut self, first: u64) -> String {
        self.inline("first_numbers", &[], "Sequence numbers begin elsewhere.", Frame::default(), |w| {
            let stack = w.stack;
            let cells = stack.cells.iter().enumerate().filter(|(_, c)| first != 0 && c.scope != Scope::Given);
            for (at, cell) in cells {
                let id = CellId(at as u32);
                if stack.layer(cell.layer).random != Some(id) {
                    let place = w.cell(id);
                    w.renumber(&cell.ty, &place, first);
                }
            }
        })
    }

    fn renumber(&mut self, ty: &Type, place: &str, first: u64) {
        let add = |w: &mut Self, place: &str, bits: u8| {
            let ty = Type::Seq(bits);
            if is_wide(&ty) {
                return w.refuse(Reason::Wide(Wide::FirstNumber));
            }
            let by = (first & mask(u32::from(bits))) as u32 as i32;
            w.line(format!("{place} = {};", crate::numbers::wrap(&format!("({place} + ({by}))"), &ty)));
        };
        let each = |w: &mut Self, n: u32, inner: &Type, there: &dyn Fn(u32) -> String| {
            let n = if w.has_numbers(inner) { n } else { 0 };
            for i in 0..n {
                w.when(&there(i), |w| w.renumber(inner, &format!("{place}.v[{i}]"), first));
            }
        };
        match ty {
            Type::Seq(bits) => add(self, place, *bits),
            Type::Window(inner, n, bits) => {
                ["low", "next", "high", "told"].iter().for_each(|field| add(self, &format!("{place}.{field}"), *bits));
                each(self, *n, inner, &|i| format!("{place}.used[{i}]"));
            }
            Type::Struct(_) | Type::Tuple(_) => {
                let fields = self.fields(ty);
                for (at, field) in fields.into_iter().enumerate() {
                    let inner = self.part_type(ty, at as u32);
                    self.renumber(&inner, &format!("{place}.{}", field.name), first);
                }
            }
            Type::Array(inner, n) => each(self, *n, inner, &|_| "true".into()),
            Type::Ring(inner, n) | Type::List(inner, n) => each(self, *n, inner, &|i| format!("{place}.n > {i}")),
            Type::Option(inner) if self.has_numbers(inner) => {
                self.when(&format!("{place}.some"), |w| w.renumber(inner, &format!("{place}.v"), first));
            }
            _ => {}
        }
    }

    /// Whether a type contains sequence numbers, which the interpreter renumbers too.
    fn has_numbers(&self, ty: &Type) -> bool {
        match ty {
            Type::Seq(_) | Type::Window(..) => true,
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().any(|f| self.has_numbers(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.has_numbers(t)),
            Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Option(t) => self.has_numbers(t),
            _ => false,
        }
    }

    /// Returns the lines that a closure writes.
    pub fn written(&mut self, what: impl FnOnce(&mut Self)) -> Vec<String> {
        let outer = (std::mem::take(&mut self.lines), std::mem::take(&mut self.depth));
        what(self);
        self.depth = outer.1;
        std::mem::replace(&mut self.lines, outer.0)
    }

    /// The processes of the endpoints and of the network.
    fn processes(&mut self, world: &World) -> Result<String, String> {
        let moves = world.moves(self.stack, self)?;
        let fair = if world.goals { Some(self.fair(world, &moves)?) } else { None };
        let fair = fair.as_ref();
        let resets = world.resets()?;
        let (free, spent) = world.limit("timers");
        let spent = effects::lines(&spent);
        let (mut left, mut sent) = (Ok(()), Ok(()));
        let waits = if self.has_later { Term::atom("MY.later_n").equals(Term::Number(0)) } else { Term::TRUE };
        let waits = waits.and(free);
        let lines = self.written(|w| {
            w.open_text("/* An end: one step after the other. */\nactive [2] proctype endpoint() {");
            let turned = if w.frame_size.is_some() { " short turned;" } else { "" };
            w.line(format!("short cause; byte which0, which1, roll;{turned}\nend:\n    do\n    :: atomic {{"));
            w.open_text("if /* what begins the step */");
            w.begins("opened == me", "cause = OPEN", None);
            for (at, chosen) in moves.iter().enumerate() {
                let begins = w.begins_with(chosen, fair);
                w.begins(&begins, &format!("cause = {}", COMMON_CAUSES + at), fair.map(|f| f.of_transition(at)));
            }
            if w.has_later {
                w.begins("opened == 2 && MY.later_n > 0", "cause = LATER", fair.map(Fair::of_later));
            }
            w.timer_options(world, &waits.to_string(), fair);
            w.close("fi;");
            w.rolls();
            w.turns(&moves.iter().map(|chosen| chosen.damages.as_deref()).collect::<Vec<_>>());
            w.open_text("if");
            for (at, chosen) in moves.iter().enumerate() {
                w.option(format!("cause == {}", COMMON_CAUSES + at));
                w.open_text("d_step {");
                w.line(QUEUE_IS_EMPTY);
                w.line(format!("{};", chosen.told.print()));
                chosen.lines.iter().for_each(|l| w.line(l));
                w.line("skip");
                w.close("}");
                w.end_option();
            }
            w.option(format!("cause < {COMMON_CAUSES}"));
            w.open_text("d_step {");
            w.line(QUEUE_IS_EMPTY);
            w.open_text("if");
            w.option("cause == OPEN");
            w.line(format!("{};", Step::Opened { end: 0 }.print_of_me()));
            w.line("if :: me == 0 -> first_state() :: else fi;");
            w.line("open(); first_numbers(); opened++");
            w.end_option();
            w.begin_later();
            for at in 0..w.stack.timers.len() {
                let resort = world.last.iter().position(|(name, _)| *name == w.stack.timers[at].name);
                w.fire(at, resort.map(|at| world.used_of_last(at)));
            }
            w.close("fi;");
            if !spent.is_empty() {
                w.line(format!("if :: cause != OPEN && cause != LATER -> {} skip :: else fi;", spent.join(" ")));
            }
            w.line("skip");
            w.close("}");
            w.end_option();
            w.close("fi;");
            w.parses();
            w.handling();
            left = w.emitted().into_iter().try_for_each(|(port, event)| w.leaves(world, port, event));
            w.line("od;");
            sent = w.sent(world);
            let waited = if world.is_open() { "sending_len[0] = 0; sending_at = 0; " } else { "" };
            let turned = if w.frame_size.is_some() { "; turned = 0" } else { "" };
            w.open_text("d_step {");
            fair.into_iter().for_each(|f| w.turn(f, true));
            let resets = resets.join(" ");
            w.line(format!(
                "check_invariants(); {waited}{resets} cause = 0; which0 = 0; which1 = 0; roll = 0{turned} }}"
            ));
            w.close("}\n    od\n}\n");
        });
        left.and(sent)?;
        let network = self.network_between(world, fair)?;
        Ok(lines.join("\n") + "\n" + &network + &fair.map_or(String::new(), Fair::watch))
    }

    /// The process of the network's own transitions.
    fn network_between(&mut self, world: &World, fair: Option<&Fair>) -> Result<String, String> {
        let resets = world.resets()?;
        let (mut text, mut damaging) = (String::new(), vec![]);
        for (place, silent) in world.silent()?.into_iter().enumerate() {
            let no_fault = no_fault(silent.fault, fair);
            let when = format!("(opened == 2{no_fault} && ({}))", silent.when);
            let turn = fair.map_or(vec![], |fair| {
                let taken = format!("taken = {};", fair.of_network(place));
                [vec![taken], self.written(|w| w.turn(fair, false))].concat()
            });
            let told = format!("{};", Step::Network { name: silent.name, end: None }.print());
            let body = [vec![told], silent.lines, turn, resets.clone(), vec!["skip".into()]].concat().join("\n");
            match silent.damages {
                None => text += &format!("    :: d_step {{ {when} -> {body} }}\n"),
                Some(frame) => damaging.push((when, frame, body)),
            }
        }
        let variables = if damaging.is_empty() { "" } else { " short turned, cause;" };
        text += &self.damaging(&damaging);
        if text.is_empty() {
            return Ok(text);
        }
        Ok(format!(
            "/* What the network does by itself. */\nactive proctype network() \
             {{{variables}\nend:\n    do\n{text}    od\n}}\n"
        ))
    }
}

impl Writer<'_> {
    /// The guard under which an outside event can begin a step.
    fn begins_with(&self, chosen: &Move, fair: Option<&Fair>) -> String {
        let free = if self.has_later { " && MY.later_n == 0" } else { "" };
        format!("opened == 2 && me == {}{free}{} && ({})", chosen.end, no_fault(chosen.fault, fair), chosen.when)
    }
}

/// The guard of a fault in a search for fair runs: no faults happen once a goal is watched.
fn no_fault(fault: bool, fair: Option<&Fair>) -> &'static str {
    if fault && fair.is_some() {
        " && goal == 0"
    } else {
        ""
    }
}

/// Hidden variables that every model has.
pub const COUNTERS: &str = "\
hidden int i_at, i_gone, i_each0, i_each1, i_each2, i_each3, i_each4, i_each5;
hidden short next_handler;
hidden byte roll_left, roll_count, byte_in;";

const QUEUE_IS_EMPTY: &str =
    "queue_at = 0; queue_end = 0; queue_n = 0; next_handler = 0; roll_count = 0; roll_left = roll;";
