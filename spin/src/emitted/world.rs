//! The world of two endpoints of an emitted stack in Promela. Messages are numbers of strings of bytes (see
//! `harness.h`), which automata only compare and copy.
//!
//! A step is one atomic sequence: an option begins it and computes the number of its outcomes; if there are several,
//! one is chosen; and `settle`, which is written once, passes the emitted events to their receivers. SPIN's depth-first
//! search does not store the states within a step.

use std::fmt::Write;

use nacre_analysis::timing::draws;
use nacre_backend_promela::effects;
use nacre_backend_promela::environment::{choices, Move, Silent, Taken};
use nacre_backend_promela::report::{violated, Step};
use nacre_backend_promela::term::Term;
use nacre_backend_promela::world::{self, Form};
use nacre_specification::violation::Violation;
use nacre_worlds::setup::Setup;

use super::endpoints::Numbered;
use super::known::Known;
use crate::environment;

/// The capacity of a container of the automaton below; exceeding it ends the search.
const CAPACITY: usize = 16;

const CLAIM: &str = "a claim of the stack is violated: assert, unreachable, or the bound of a loop";
const UNDEFINED: &str =
    "the C has undefined behaviour (an access outside of objects, an overflow), or a step does not end";

/// The world around the endpoints of an emitted stack, as Promela.
pub struct World<'a> {
    setup: &'a Setup,
    known: &'a Known,
    around: world::World<'a>,
}

/// An event that can leave an endpoint, and its receivers.
struct Leaving {
    /// The index in the interface.
    place: usize,
    name: String,
    taken: Taken,
    /// Whether the network has several actions of this name, among which SPIN chooses.
    open: bool,
}

impl<'a> World<'a> {
    /// The world of a setup.
    pub fn new(setup: &'a Setup, known: &'a Known) -> World<'a> {
        // A monitor stores the calls whose outputs are outstanding.
        let calls: u8 = setup.bounds.calls.iter().flat_map(|(_, times)| times).sum();
        let capacity = [CAPACITY, usize::from(calls) + 1];
        World { setup, known, around: environment::world(setup, &known.tables, Form::Numbers, capacity) }
    }

    /// Returns the text.
    pub fn write(&self, timers: usize) -> Result<String, String> {
        let mut text = self.declarations(timers)?;
        text.push_str("active proctype world() {\n    atomic {\n        c_code { nacre_messages(); };\n");
        text.push_str(&effects::text(&self.around.each(&|j| j.start())?.concat()));
        text.push_str("        opening = 1; c_code { now.step = nacre_first(0); };\nsettle:\n        skip;\n");
        self.settle(&mut text)?;
        text.push_str(
            "        if\n        :: opening == 2 -> opening = 3; goto settle\n        :: else\n        fi\n    };\n",
        );
        text.push_str("end:\n    do\n    :: atomic {\n        if\n");
        for end in 0..2 {
            self.steps(end, timers, &mut text);
        }
        for chosen in self.around.moves(self.setup.stack(), &mut Numbered(self.setup.stack()))? {
            begins(&chosen, &mut text);
        }
        self.around.silent()?.iter().for_each(|silent| happens(silent, &mut text));
        text.push_str("        fi;\n        goto settle\n    }\n    od\n}\n");
        Ok(text)
    }

    fn declarations(&self, timers: usize) -> Result<String, String> {
        let (mut text, bounds) = (String::new(), &self.setup.bounds);
        text +=
            "/* Two endpoints of an emitted stack between automata. A state of an endpoint and a string of bytes are \
            numbers: see harness.h. */\n";
        text += "c_decl { \\#include \"harness.h\" };\nc_decl { \\#include \"tables.h\" };\nc_decl {\n";
        for end in 0..2 {
            let _ = writeln!(
                text,
                "    \\#define BUSY_{end} nacre_busy(now.ends[{end}])\n    \\#define ARMED_{end} \
                nacre_armed(now.ends[{end}])"
            );
        }
        let timers = if bounds.last.is_empty() { 0 } else { timers };
        for (end, timer) in (0..2).flat_map(|end| (0..timers).map(move |timer| (end, timer))) {
            let _ = writeln!(text, "    \\#define RANK_{end}_{timer} nacre_rank({end}, now.ends[{end}], {timer})");
        }
        for (at, call) in self.known.calls.iter().enumerate() {
            let _ = writeln!(text, "    \\#define TAKES_{at} nacre_accepts({0}, now.ends[{0}], {at})", call.end);
        }
        for (end, rank) in (0..2).flat_map(|end| (1..bounds.last.len()).map(move |rank| (end, rank))) {
            let _ = writeln!(text, "    \\#define HAS_{end}_{rank} nacre_has({end}, now.ends[{end}], {rank})");
        }
        // SPIN takes a call in `c_expr` for a side effect.
        text += "    \\#define IS_CLAIM (nacre_broken(now.step) == NACRE_CLAIM)\n    \\#define IS_FAULT \
            (nacre_broken(now.step) == NACRE_FAULT)\n    \\#define MORE_WAYS (now.i \
            < nacre_ways(now.step - now.i + 1))\n";
        text += "    \\#define MORE_BITS (now.i + 1 < nacre_bits(now.what))\n};\n\nint ends[2];\n";
        let counts = self.around.counts();
        let _ = writeln!(
            text,
            "byte used[{counts}]; /* of the bounds: calls by kind and endpoint, then limits, then last resorts */"
        );
        text += "int step, what, said, i, count, event; byte me, opening; /* within a step; 0 between steps */\n\n";
        text += &self.around.each(&|j| j.declarations())?.concat();
        text += "#define DONE step = 0; what = 0; said = 0; i = 0; count = 0; event = 0; me = 0; opening = 0; ";
        Ok(text + &self.around.resets()?.join(" ") + " skip\n\n")
    }

    /// The events that can leave an endpoint, and their receivers.
    fn leaving(&self) -> Result<Vec<Leaving>, String> {
        let stack = self.setup.stack();
        let interface = stack.interface();
        let outputs = interface.iter().enumerate().filter(|(_, e)| e.input.is_none() && e.port.0 < 2);
        let each = outputs.map(|(place, item)| {
            let (name, down) = (stack.event(item.event).name.clone(), item.port.0 == 0);
            let carried = |_, parameter: &_| Numbered(stack).carries(item.event, parameter);
            let taken = self.around.taken(stack, item.event, down, &carried)?;
            let open = down && self.around.is_open_for(&name);
            Ok(Leaving { place, name, taken, open })
        });
        each.collect()
    }

    /// Writes `settle`: passes the events that left an endpoint to their receivers; then opens the other endpoint, or
    /// ends the step.
    fn settle(&self, text: &mut String) -> Result<(), String> {
        if !draws(self.setup.stack()).is_empty() {
            // The first outcome states the number of outcomes.
            text.push_str(
                "        i = 1;\n        do\n        :: c_expr { MORE_WAYS } -> step++; i++\n        :: \
                break\n        od;\n        skip;\n",
            );
        }
        let emitted = self.leaving()?;
        let open = emitted.iter().any(|l| l.open);
        let claim = violated(Violation::Claim, CLAIM);
        let undefined = violated(Violation::Undefined, UNDEFINED);
        let begin = format!(
            "        c_code {{ now.count = nacre_left(now.step); }};
        if
        :: c_expr {{ IS_CLAIM }} -> {claim}
        :: c_expr {{ IS_FAULT }} -> {undefined}
        :: else
        fi;
        c_code {{ if (now.step != 0) {{ now.ends[now.me] = nacre_next(now.step); }} }};
        i = 0;\n"
        );
        let fetch = "            c_code {
                now.event = nacre_left_event(now.step, now.i); now.what = nacre_left_bytes(now.step, now.i);
                now.said = nacre_left_number(now.step, now.i);
            };\n";
        let finish = "        if
        :: opening == 1 -> opening = 2; me = 1; c_code { now.step = nacre_first(1); }
        :: else -> DONE
        fi\n";
        if open {
            // Each choice is a separate statement: within a d_step, SPIN would take the first option.
            let _ = write!(
                text,
                "        d_step {{\n{begin}        skip }};\n        do\n        :: i < count \
                ->\n            d_step {{\n{fetch}"
            );
            taken(&emitted, &|l| !l.open, true, text);
            text.push_str("            skip };\n");
            taken(&emitted, &|l| l.open, false, text);
            let _ = write!(
                text,
                "            i++\n        :: else -> \
                break\n        od;\n        skip;\n        d_step {{\n{finish}        }};\n"
            );
        } else {
            let _ = write!(text, "        d_step {{\n{begin}        do\n        :: i < count ->\n{fetch}");
            taken(&emitted, &|_| true, true, text);
            let _ = write!(text, "            i++\n        :: else -> break\n        od;\n{finish}        }};\n");
        }
        Ok(())
    }

    /// Writes the steps that an endpoint begins itself.
    fn steps(&self, end: usize, timers: usize, text: &mut String) {
        let later = Step::Later { end }.print();
        let _ = writeln!(
            text,
            "        :: d_step {{ (c_expr {{ BUSY_{end} }}) -> {later}; me = {end};\n            c_code {{ now.step = \
             nacre_later({end}, now.ends[{end}]); }} }}"
        );
        for timer in 0..timers {
            let fires = Step::TimerAt { end, place: timer as u32 }.print();
            for (when, spent) in self.ranks(end, timer) {
                let _ = writeln!(
                    text,
                    "        :: d_step {{ (c_expr {{ ARMED_{end} > {timer} && !BUSY_{end} }}{when}) -> {fires}; me = \
                     {end};\n            {spent}c_code {{ now.step = nacre_fire({end}, now.ends[{end}], {timer}); }} }}"
                );
            }
        }
    }

    /// The guards under which a timer fires, as a last resort and otherwise, and the counters that it consumes.
    fn ranks(&self, end: usize, timer: usize) -> Vec<(String, String)> {
        let (left, spent) = self.around.limit("timers");
        let (left, spent) = (format!(" && {left}"), effects::lines(&spent).join(" "));
        let last = self.around.last.len();
        if last == 0 {
            return vec![(left, spent)];
        }
        let mut none_armed = |at: usize| format!("c_expr {{ !HAS_0_{0} && !HAS_1_{0} }}", at + 1);
        let of_rank = |rank: usize| format!(" && c_expr {{ RANK_{end}_{timer} == {rank} }}");
        let mut ranks = vec![(of_rank(0) + &left, spent.clone())];
        for at in 0..last {
            let when = of_rank(at + 1) + &self.around.last_resort(at, &mut none_armed) + &left;
            ranks.push((when, format!("{spent}{}++; ", self.around.used_of_last(at))));
        }
        ranks
    }
}

/// Writes the option of an outside event that begins a step.
fn begins(chosen: &Move, text: &mut String) {
    let end = chosen.end;
    let when = chosen.when.clone().and(Term::Atom(format!("c_expr {{ !BUSY_{end} }}")));
    option(&when, &chosen.damages, &format!("{}; me = {end};", chosen.told.print()), &chosen.lines, text);
}

/// Writes the option of an internal transition of the network.
fn happens(silent: &Silent, text: &mut String) {
    let told = Step::Network { name: silent.name.clone(), end: None }.print();
    option(&silent.when, &silent.damages, &format!("{told};"), &silent.lines, text);
}

fn option(when: &Term, damages: &Option<String>, told: &str, lines: &[String], text: &mut String) {
    let lines = lines.join("\n            ");
    let _ = match damages {
        None => writeln!(text, "        :: d_step {{ ({when}) -> {told}\n            {lines} skip }}"),
        Some(message) => {
            let any_bit = any_bit(message, when);
            writeln!(text, "        :: {any_bit}            d_step {{ {told}\n            {lines} skip }}")
        }
    };
}

/// Lets SPIN choose the bit of a message that is inverted.
fn any_bit(message: &str, when: &Term) -> String {
    format!(
        "({when}) -> what = {message}; i = 0;
            do
            :: c_expr {{ MORE_BITS }} -> i++
            :: break
            od;
            skip;
"
    )
}

/// Writes the reception of the current event, if it is one of those.
fn taken(emitted: &[Leaving], which: &dyn Fn(&Leaving) -> bool, within: bool, text: &mut String) {
    text.push_str("            if\n");
    for one in emitted.iter().filter(|l| which(l)) {
        let _ = writeln!(text, "            :: event == {} -> /* {} */", one.place, one.name);
        for line in choices(&one.taken, !within) {
            let _ = writeln!(text, "                {line}");
        }
        text.push_str("                skip\n");
    }
    text.push_str("            :: else\n            fi;\n");
}
