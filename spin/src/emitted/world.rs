//! The world of two endpoints of an emitted stack in Promela. Messages are numbers of strings of bytes (see
//! `harness.h`), which automata only compare and copy.
//!
//! A step is one atomic sequence: an option says what begins it, which ends in the number of its ways; one of them is
//! chosen where it has several; and `settle`, of which there is one copy, takes what left the endpoint where it
//! belongs. States within are not kept by SPIN's depth-first search.

use std::fmt::Write;

use nacre_analysis::timing::draws;
use nacre_backend_promela::automata::{Numbers, Transition, Translator};
use nacre_backend_promela::effects::{self, Effect};
use nacre_backend_promela::monitors::{clash, known, unclear, Monitor, Written};
use nacre_backend_promela::report::{violated, Step};
use nacre_backend_promela::term::Term;
use nacre_specification::violation::Violation;
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::{EventId, Type};
use nacre_worlds::setup::Setup;

use super::known::Known;

/// Entries of a container of an automaton; one more ends the search.
const CAPACITY: usize = 16;
/// Largest number that `upto` gives.
const MOST: u64 = 8;

const CLAIM: &str = "a claim of the stack does not hold: assert, unreachable, or the bound of a loop";
const UNDEFINED: &str =
    "the C does what C does not define (an access outside its memory, an overflow), or a step does not end";

/// The world around the endpoints of an emitted stack, as Promela.
pub struct World<'a> {
    pub setup: &'a Setup,
    pub known: &'a Known,
}

/// One event that may leave an endpoint: whom it reaches, and how each may take it.
struct Leaving {
    /// Place in the interface.
    place: usize,
    name: String,
    /// For each automaton that speaks of it, its ways, and what is said where there is none.
    taken: Vec<(Vec<Transition>, Violation, String)>,
    /// The network has several actions of the name: which one it does is for SPIN to choose.
    open: bool,
}

impl World<'_> {
    fn translator<'t>(&self, automaton: &'t Automaton, prefix: String, capacity: usize) -> Translator<'t> {
        Translator { automaton, prefix, capacity, most: MOST, messages: &Numbers, hides: false }
    }

    pub(super) fn network(&self) -> Translator<'_> {
        self.translator(&self.setup.below, "network".into(), CAPACITY)
    }

    fn monitors<'t>(&'t self, written: Written<'t>) -> Vec<Monitor<'t>> {
        // A monitor keeps what was called and has not come out.
        let calls: u8 = self.setup.bounds.calls.iter().flat_map(|(_, times)| times).sum();
        let each = self.setup.above.iter().zip(&self.known.tables).enumerate();
        let monitor = |(at, (a, table)): (usize, (&'t Automaton, &Option<_>))| {
            Monitor::new(
                self.translator(a, format!("judge{at}"), usize::from(calls) + 1),
                table.as_ref(),
                written,
                true,
            )
        };
        each.map(monitor).collect()
    }

    /// The text.
    pub fn write(&self, timers: usize) -> Result<String, String> {
        let written = |bytes: &[u8]| self.known.number(bytes).map(Term::number);
        let monitors = self.monitors(&written);
        let mut text = self.declarations(timers, &monitors)?;
        text.push_str("active proctype world() {\n    atomic {\n        c_code { nacre_messages(); };\n");
        text.push_str(&effects::text(&self.network().start()?));
        for monitor in &monitors {
            text.push_str(&effects::text(&monitor.start()?));
        }
        text.push_str("        opening = 1; c_code { now.step = nacre_first(0); };\nsettle:\n        skip;\n");
        self.settle(&monitors, &mut text)?;
        text.push_str(
            "        if\n        :: opening == 2 -> opening = 3; goto settle\n        :: else\n        fi\n    };\n",
        );
        text.push_str("end:\n    do\n    :: atomic {\n        if\n");
        for end in 0..2 {
            self.steps(end, timers, &monitors, &mut text)?;
        }
        self.moves(&mut text)?;
        text.push_str("        fi;\n        goto settle\n    }\n    od\n}\n");
        Ok(text)
    }

    fn declarations(&self, timers: usize, monitors: &[Monitor]) -> Result<String, String> {
        let (mut text, bounds) = (String::new(), &self.setup.bounds);
        text += "/* Two ends of an emitted stack between automata. A state of an end and a string of bytes are numbers: see harness.h. */\n";
        text += "c_decl { \\#include \"harness.h\" };\nc_decl { \\#include \"tables.h\" };\nc_decl {\n";
        for end in 0..2 {
            let _ = writeln!(text, "    \\#define BUSY_{end} nacre_busy(now.ends[{end}])\n    \\#define ARMED_{end} nacre_armed(now.ends[{end}])");
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
        text += "    \\#define IS_CLAIM (nacre_broken(now.step) == NACRE_CLAIM)\n    \\#define IS_FAULT (nacre_broken(now.step) == NACRE_FAULT)\n    \\#define MORE_WAYS (now.i < nacre_ways(now.step - now.i + 1))\n";
        text += "    \\#define MORE_BITS (now.i + 1 < nacre_bits(now.what))\n};\n\nint ends[2];\n";
        let counts = (2 * bounds.calls.len() + bounds.limits.len() + bounds.last.len()).max(1);
        let _ = writeln!(
            text,
            "byte used[{counts}]; /* of the bounds: calls by kind and end, then limits, then last resorts */"
        );
        text += "int step, what, said, i, count, event; byte me, opening; /* within a step; 0 between steps */\n\n";
        text += &self.network().declarations()?;
        for monitor in monitors {
            text += &monitor.declarations()?;
        }
        text += "#define DONE step = 0; what = 0; said = 0; i = 0; count = 0; event = 0; me = 0; opening = 0; ";
        let mut resets = self.network().resets()?;
        for monitor in monitors {
            resets.extend(monitor.resets()?);
        }
        Ok(text + &effects::lines(&resets).join(" ") + " skip\n\n")
    }

    /// Parameters of an event as an action's: where it happens, then what it carries.
    fn parameters(&self, event: EventId, end: &Term, what: &Term, said: &Term) -> Result<Vec<Term>, String> {
        let declared = self.setup.stack.event(event);
        let mut terms = vec![end.clone()];
        let mut numbers = 0;
        for parameter in &declared.parameters {
            terms.push(match parameter.ty {
                Type::Msg => what.clone(),
                Type::Addr => Term::Number(1).minus(end.clone()),
                _ => {
                    numbers += 1;
                    said.clone()
                }
            });
        }
        if numbers > 1 {
            return Err(format!("`{}` carries more than one number", declared.name));
        }
        Ok(terms)
    }

    /// What may leave an endpoint, and how it is taken.
    fn emitted(&self, monitors: &[Monitor]) -> Result<Vec<Leaving>, String> {
        let mut all = vec![];
        let interface = self.setup.stack.interface();
        for (place, item) in interface.iter().enumerate().filter(|(_, e)| e.input.is_none() && e.port.0 < 2) {
            let name = self.setup.stack.event(item.event).name.clone();
            let [me, what, said] = ["me", "what", "said"].map(Term::atom);
            let arguments = self.parameters(item.event, &me, &what, &said)?;
            let (mut taken, mut open) = (vec![], false);
            if item.port.0 == 0 {
                open = self.inputs(&name, &arguments)? > 1;
                let why = format!("{name} goes down where {} does not take it", self.setup.below.name);
                taken.extend(
                    known(&self.network(), ActionKind::Input, &name, &arguments)?
                        .map(|found| (found, Violation::NotAllowed, why)),
                );
            } else {
                for monitor in monitors {
                    let why = format!("{name} is not allowed by {} here", monitor.name());
                    taken.extend(
                        monitor
                            .known(ActionKind::Output, &name, &arguments)?
                            .map(|found| (found, Violation::NotAllowed, why)),
                    );
                }
            }
            all.push(Leaving { place, name, taken, open });
        }
        Ok(all)
    }

    /// How many of the network's actions take an event in some state.
    fn inputs(&self, name: &str, arguments: &[Term]) -> Result<usize, String> {
        let network = self.network();
        let actions = self.setup.below.actions.iter().enumerate();
        let mut able = 0;
        for (at, _) in actions.filter(|(_, a)| a.kind == ActionKind::Input && a.name == name) {
            able += usize::from(!network.known(at, arguments)?.is_empty());
        }
        Ok(able)
    }

    /// What left an endpoint goes where it belongs; then the other endpoint is opened, or the step is done.
    fn settle(&self, monitors: &[Monitor], text: &mut String) -> Result<(), String> {
        if !draws(&self.setup.stack).is_empty() {
            // The first of the ways says how many there are.
            text.push_str("        i = 1;\n        do\n        :: c_expr { MORE_WAYS } -> step++; i++\n        :: break\n        od;\n        skip;\n");
        }
        let emitted = self.emitted(monitors)?;
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
            // Each choice is a statement of its own: within a d_step the first way would be taken.
            let _ = write!(text, "        d_step {{\n{begin}        skip }};\n        do\n        :: i < count ->\n            d_step {{\n{fetch}");
            self.taken(&emitted, &|l| !l.open, true, text);
            text.push_str("            skip };\n");
            self.taken(&emitted, &|l| l.open, false, text);
            let _ = write!(text, "            i++\n        :: else -> break\n        od;\n        skip;\n        d_step {{\n{finish}        }};\n");
        } else {
            let _ = write!(text, "        d_step {{\n{begin}        do\n        :: i < count ->\n{fetch}");
            self.taken(&emitted, &|_| true, true, text);
            let _ = write!(text, "            i++\n        :: else -> break\n        od;\n{finish}        }};\n");
        }
        Ok(())
    }

    /// The event at hand, if it is one of those.
    fn taken(&self, emitted: &[Leaving], which: &dyn Fn(&Leaving) -> bool, within: bool, text: &mut String) {
        text.push_str("            if\n");
        for one in emitted.iter().filter(|l| which(l)) {
            let _ = writeln!(text, "            :: event == {} -> /* {} */", one.place, one.name);
            for (transitions, violation, why) in &one.taken {
                let clash = clash(transitions);
                if within && !clash.is_false() {
                    let _ = writeln!(text, "                if :: ({clash}) -> {} :: else fi;", unclear(why));
                }
                text.push_str("                if\n");
                for transition in transitions {
                    let body = effects::text(&transition.effects);
                    let body = if within { body } else { format!("d_step {{ {body}skip }};\n") };
                    let _ = writeln!(text, "                :: {} ->\n{body}                skip", transition.guard);
                }
                if !transitions.iter().any(|t| t.guard.is_true()) {
                    let _ = writeln!(text, "                :: else -> {}", violated(*violation, why));
                }
                text.push_str("                fi;\n");
            }
            text.push_str("                skip\n");
        }
        text.push_str("            :: else\n            fi;\n");
    }

    /// What an endpoint does by itself, and what its application asks of it.
    fn steps(&self, end: usize, timers: usize, monitors: &[Monitor], text: &mut String) -> Result<(), String> {
        let later = Step::Later { end }.print();
        let _ = writeln!(
            text,
            "        :: d_step {{ (c_expr {{ BUSY_{end} }}) -> {later}; me = {end};\n            c_code {{ now.step = nacre_later({end}, now.ends[{end}]); }} }}"
        );
        for at in (0..self.known.calls.len()).filter(|at| self.known.calls[*at].end == end) {
            self.call(at, monitors, text)?;
        }
        for timer in 0..timers {
            let fires = Step::TimerAt { end, place: timer as u32 }.print();
            for (when, spent) in self.ranks(end, timer) {
                let _ = writeln!(
                    text,
                    "        :: d_step {{ (c_expr {{ ARMED_{end} > {timer} && !BUSY_{end} }}{when}) -> {fires}; me = {end};\n            {spent}c_code {{ now.step = nacre_fire({end}, now.ends[{end}], {timer}); }} }}"
                );
            }
        }
        Ok(())
    }

    /// When a timer fires, if it is a last resort and if it is none, and what that uses up. `timeout` is SPIN's word
    /// for: nothing else can happen.
    fn ranks(&self, end: usize, timer: usize) -> Vec<(String, String)> {
        let bounds = &self.setup.bounds;
        let (left, spent) = self.limit("timers");
        let left = format!(" && {left}");
        if bounds.last.is_empty() {
            return vec![(left, spent)];
        }
        let used = |at: usize| format!("used[{}]", 2 * bounds.calls.len() + bounds.limits.len() + at);
        let over = |at: usize| {
            let (most, rank) = (bounds.last[at].1, at + 1);
            format!(" && ({} >= {most} || c_expr {{ !HAS_0_{rank} && !HAS_1_{rank} }})", used(at))
        };
        let mut ranks = vec![(format!(" && c_expr {{ RANK_{end}_{timer} == 0 }}{left}"), spent.clone())];
        for (at, (_, most)) in bounds.last.iter().enumerate() {
            let sooner: String = (0..at).map(over).collect();
            let when = format!(" && timeout && {} < {most} && c_expr {{ RANK_{end}_{timer} == {} }}", used(at), at + 1);
            ranks.push((when + &sooner + &left, format!("{spent}{}++; ", used(at))));
        }
        ranks
    }

    fn call(&self, at: usize, monitors: &[Monitor], text: &mut String) -> Result<(), String> {
        let call = &self.known.calls[at];
        let (end, used) = (call.end, call.kind * 2 + call.end);
        let event = &self.setup.stack.event(call.id).name;
        let message = call.bytes.as_ref().and_then(|bytes| self.known.number(bytes)).unwrap_or(0);
        // Numbers of calls are ours: the peer, or one.
        let said = call.arguments.iter().map(|v| v.num()).next().unwrap_or(0);
        let arguments = self.parameters(call.id, &Term::number(end), &Term::number(message), &Term::number(said))?;
        let next = Term::Atom(format!("used[{used}]")).equals(Term::number(call.number));
        let mut moves: Vec<(Term, Vec<Effect>)> = vec![(next, vec![])];
        for monitor in monitors {
            let Some(transitions) = monitor.known(ActionKind::Input, event, &arguments)? else { continue };
            let with = |(when, body): &(Term, Vec<Effect>)| -> Vec<(Term, Vec<Effect>)> {
                let each = transitions.iter();
                each.map(|t| (when.clone().and(t.guard.clone()), [&body[..], &t.effects].concat())).collect()
            };
            moves = moves.iter().flat_map(with).collect();
        }
        for (when, body) in moves {
            let body = effects::text(&body);
            let told = Step::Call { end, name: event.to_string(), number: call.number + 1 }.print();
            if self.setup.bounds.at_once {
                let refused = violated(Violation::Refused, &format!("{event} is allowed, and not taken"));
                let _ = writeln!(
                    text,
                    "        :: d_step {{ ({when} && c_expr {{ !BUSY_{end} && !TAKES_{at} }}) -> {told};\n            {refused} }}"
                );
            }
            let _ = writeln!(
                text,
                "        :: d_step {{ ({when} && c_expr {{ !BUSY_{end} && TAKES_{at} }}) -> {told}; me = {end};\n            used[{used}]++;\n{body}            c_code {{ now.step = nacre_asked({end}, now.ends[{end}], {at}); }} }}"
            );
        }
        Ok(())
    }

    pub(super) fn limit(&self, name: &str) -> (Term, String) {
        let bounds = &self.setup.bounds;
        match bounds.limits.iter().position(|(known, _)| known == name) {
            Some(at) => {
                let used = format!("used[{}]", 2 * bounds.calls.len() + at);
                (Term::atom(&used).less(Term::number(bounds.limits[at].1)), format!("{used}++; "))
            }
            None => (Term::TRUE, String::new()),
        }
    }
}
