//! A stack's emitted C between automata: the world of [`nacre_checker::setup::Setup`] in Promela. Messages are numbers of strings of
//! bytes there (see `harness.h`), which automata only compare and copy.

use std::fmt::Write;

use nacre_backend_c::Level;
use nacre_backend_promela::automata::{Numbers, Option_, Translator};
use nacre_checker::setup::{Call, Setup};
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::{Direction, EventId, Type};

use super::{emit, files, timers, Failure, FLAGS};
use crate::spin::{Limits, Model, Searched, Tools};

/// Entries of a container of an automaton; one more ends the search. (Each place is an option of its own in the model, and
/// gcc takes long over many.)
const CAPACITY: usize = 16;
/// Largest number that `upto` gives.
const MOST: u64 = 8;

/// Searches a stack's emitted C at a level, between the automata of a setup. Goals are not checked.
pub fn check(setup: &Setup, level: Level, tools: &Tools, limits: &Limits) -> Result<Searched, Failure> {
    let model = model(setup, level).map_err(Failure::Unfit)?;
    tools.check(&model, limits).map_err(Failure::Spin)
}

/// The model; in words why there is none.
pub fn model(setup: &Setup, level: Level) -> Result<Model, String> {
    setup.check()?;
    let stack = &setup.stack;
    if setup.bounds.any_order {
        return Err("the emitted C has one order of events".into());
    }
    for automaton in &setup.above {
        let silent = |k| matches!(k, ActionKind::Internal | ActionKind::Fault);
        if automaton.actions.iter().any(|a| silent(a.kind)) {
            return Err(format!("`{}` has actions of its own: a judge must be in one state here", automaton.name));
        }
    }
    let emitted = emit(stack, level)?;
    let calls = setup.calls();
    let mut world = World { setup, calls: &calls, text: String::new() };
    world.write(timers(stack)? as usize)?;
    let text = world.text;
    Ok(Model {
        text,
        files: files(stack, &emitted, setup.bounds.first, &asked(&calls)),
        flags: FLAGS.map(String::from).to_vec(),
    })
}

/// The calls, as the harness has them.
fn asked(calls: &[Call]) -> String {
    let mut text = String::new();
    for call in calls {
        let bytes = call.bytes.clone().unwrap_or_default();
        let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let at = if bytes.is_empty() { "NULL".into() } else { format!("(const uint8_t[]){{{}}}", list(&bytes)) };
        let numbers = call.arguments.iter().filter(|v| matches!(v, nacre_stack::interpret::Value::Num(_)));
        let numbers: Vec<String> = numbers.map(|v| v.num().to_string()).chain(["0".into()]).collect();
        let _ = writeln!(text, "    {{{}, {{{}}}, {at}, {}}},", call.event, numbers.join(", "), bytes.len());
    }
    text
}

struct World<'a> {
    setup: &'a Setup,
    calls: &'a [Call],
    text: String,
}

impl World<'_> {
    fn translator<'t>(&self, automaton: &'t Automaton, prefix: String, capacity: usize) -> Translator<'t> {
        Translator { automaton, prefix, capacity, most: MOST, messages: &Numbers }
    }

    fn network(&self) -> Translator<'_> {
        self.translator(&self.setup.below, "network".into(), CAPACITY)
    }

    fn judges(&self) -> Vec<Translator<'_>> {
        // A judge keeps what was called and has not come out.
        let calls: u8 = self.setup.bounds.calls.iter().flat_map(|(_, times)| times).sum();
        let each = self.setup.above.iter().enumerate();
        each.map(|(at, a)| self.translator(a, format!("judge{at}"), usize::from(calls) + 1)).collect()
    }

    fn write(&mut self, timers: usize) -> Result<(), String> {
        let (mut text, bounds) = (String::new(), &self.setup.bounds);
        text += "/* Two ends of an emitted stack between automata. A state of an end and a string of bytes are numbers: see harness.h. */\n";
        text += "c_decl { \\#include \"harness.h\" };\nc_decl {\n";
        for end in 0..2 {
            let _ = writeln!(text, "    \\#define BUSY_{end} nacre_busy(now.ends[{end}])\n    \\#define ARMED_{end} nacre_armed(now.ends[{end}])");
        }
        for (at, call) in self.calls.iter().enumerate() {
            let _ = writeln!(text, "    \\#define TAKES_{at} nacre_asked_accepts({0}, now.ends[{0}], {at})", call.end);
        }
        text += "};\n\nint ends[2];\n";
        let _ = writeln!(
            text,
            "byte used[{}]; /* of the bounds: calls by kind and end, then limits */",
            (2 * bounds.calls.len() + bounds.limits.len()).max(1)
        );
        text += "int what, said, i, count, port, event, broken; /* within a step; 0 between steps */\n\n";
        text += &self.network().declarations()?;
        for judge in self.judges() {
            text += &judge.declarations()?;
        }
        text += "#define VERDICT assert(broken == 0); what = 0; said = 0; i = 0; count = 0; port = 0; event = 0; ";
        text += &self.network().resets()?;
        for judge in self.judges() {
            text += "; ";
            text += &judge.resets()?;
        }
        text += "\n\n";
        self.settle(&mut text)?;
        self.opening(&mut text)?;
        text += "end:\n    do\n";
        for end in 0..2 {
            self.steps(end, timers, &mut text)?;
        }
        self.moves(&mut text)?;
        text += "    od\n}\n";
        self.text = text;
        Ok(())
    }

    /// Parameters of an event as the texts of an action's: where it happens, then what it carries.
    fn parameters(&self, event: EventId, end: &str) -> Result<Vec<String>, String> {
        let declared = self.setup.stack.event(event);
        let mut texts = vec![end.to_string()];
        let mut numbers = 0;
        for parameter in &declared.parameters {
            texts.push(match parameter.ty {
                Type::Msg => "what".into(),
                Type::Addr => format!("(1 - {end})"),
                _ => {
                    numbers += 1;
                    "said".into()
                }
            });
        }
        if numbers > 1 {
            return Err(format!("`{}` carries more than one number", declared.name));
        }
        Ok(texts)
    }

    fn actions<'t>(automaton: &'t Automaton, kind: ActionKind, name: &'t str) -> impl Iterator<Item = usize> + 't {
        let all = automaton.actions.iter().enumerate();
        all.filter(move |(_, a)| a.kind == kind && a.name == name).map(|(at, _)| at)
    }

    /// What left an end goes where it belongs.
    fn settle(&self, text: &mut String) -> Result<(), String> {
        text.push_str(
            "inline settle(end) {
    c_code { now.count = nacre_left(); };
    if
    :: c_expr { nacre_broken_now } -> printf(\"step: broken: a claim of the stack, or a fault of its C\\n\"); broken = 1
    :: else
    fi;
    i = 0;
    do
    :: i < count ->
        c_code {
            now.port = nacre_left_port(now.i); now.event = nacre_left_event(now.i);
            now.what = nacre_left_bytes(now.i); now.said = nacre_left_number(now.i);
        };
        if
",
        );
        for (place, item) in
            self.setup.stack.interface().iter().enumerate().filter(|(_, e)| e.input.is_none() && e.port.0 < 2)
        {
            let event = self.setup.stack.event(item.event);
            let (down, kind) =
                (item.port.0 == 0, if item.port.0 == 0 { ActionKind::Input } else { ActionKind::Output });
            let all = if down { vec![self.network()] } else { self.judges() };
            let _ = writeln!(text, "        :: event == {place} -> /* {} */", event.name);
            for translator in all {
                let mut options: Vec<Option_> = vec![];
                for at in Self::actions(translator.automaton, kind, &event.name) {
                    options.extend(translator.known(at, &self.parameters(item.event, "end")?)?);
                }
                if options.is_empty() && Self::actions(translator.automaton, kind, &event.name).next().is_none() {
                    continue;
                }
                // Nothing is below 0.
                options.retain(|o| !o.when.contains("< 0)"));
                if down && options.len() > 1 {
                    return Err(format!(
                        "`{}` can take `{}` in more than one way, and a step of this model has one",
                        translator.automaton.name, event.name
                    ));
                }
                text.push_str("            if\n");
                let sure = options.iter().any(|o| o.when == "1");
                for option in &options {
                    let _ = writeln!(text, "            :: ({}) ->\n{}                skip", option.when, option.body);
                }
                if !sure {
                    let why = match down {
                        true => {
                            format!("{} goes down where {} does not take it", event.name, translator.automaton.name)
                        }
                        false => format!("{} is not allowed by {} here", event.name, translator.automaton.name),
                    };
                    let _ = writeln!(text, "            :: else -> printf(\"step: broken: {why}\\n\"); broken = 1");
                }
                text.push_str("            fi;\n");
            }
            text.push_str("            skip\n");
        }
        text.push_str("        :: else\n        fi;\n        i++\n    :: else -> break\n    od;\n    VERDICT\n}\n\n");
        *text = text.replacen("c_decl {\n", "c_decl {\n    \\#define nacre_broken_now (nacre_broken() != 0)\n", 1);
        Ok(())
    }

    fn opening(&self, text: &mut String) -> Result<(), String> {
        text.push_str("active proctype world() {\n    d_step {\n        c_code {\n");
        for (at, _) in self.calls.iter().enumerate().filter(|(_, c)| c.bytes.is_some()) {
            let _ = writeln!(text, "            nacre_asks({at});");
        }
        text.push_str("        };\n");
        text.push_str(&self.network().start()?);
        for judge in self.judges() {
            text.push_str(&judge.start()?);
        }
        for end in 0..2 {
            let _ =
                writeln!(text, "        c_code {{ now.ends[{end}] = nacre_first({end}); }};\n        settle({end});");
        }
        text.push_str("        skip\n    };\n");
        Ok(())
    }

    /// What an end does by itself, and what its application asks of it.
    fn steps(&self, end: usize, timers: usize, text: &mut String) -> Result<(), String> {
        let name = ["a", "b"][end];
        let free = format!("c_expr {{ !BUSY_{end} }}");
        let _ = writeln!(
            text,
            "    :: d_step {{ (c_expr {{ BUSY_{end} }}) -> printf(\"step: {name} goes on\\n\");\n        c_code {{ now.ends[{end}] = nacre_later({end}, now.ends[{end}]); }}; settle({end}) }}"
        );
        let mut message = 0;
        for (at, call) in self.calls.iter().enumerate() {
            message += call.bytes.is_some() as u32;
            if call.end != end {
                continue;
            }
            let used = call.kind * 2 + end;
            let event = &self.setup.stack.event(call.id).name;
            let mut ways: Vec<(String, String)> =
                vec![(format!("used[{used}] == {} && {free} && c_expr {{ TAKES_{at} }}", call.number), String::new())];
            for judge in self.judges() {
                // Numbers of calls are ours: the peer, or one.
                let texts: Vec<String> = self
                    .parameters(call.id, &end.to_string())?
                    .into_iter()
                    .map(|t| match t.as_str() {
                        "what" => message.to_string(),
                        "said" => call.arguments.iter().map(|v| v.num().to_string()).next().unwrap_or("0".into()),
                        _ => t,
                    })
                    .collect();
                let mut options = vec![];
                for action in Self::actions(judge.automaton, ActionKind::Input, event) {
                    options.extend(judge.known(action, &texts)?);
                }
                if options.is_empty() && Self::actions(judge.automaton, ActionKind::Input, event).next().is_none() {
                    continue;
                }
                ways = ways
                    .iter()
                    .flat_map(|(when, body)| {
                        options.iter().map(move |o| (format!("{when} && ({})", o.when), format!("{body}{}", o.body)))
                    })
                    .collect();
            }
            for (when, body) in ways {
                let _ = writeln!(
                    text,
                    "    :: d_step {{ ({when}) -> printf(\"step: {name} calls {event}, number {}\\n\");\n        used[{used}]++;\n{body}        c_code {{ now.ends[{end}] = nacre_asked({end}, now.ends[{end}], {at}); }}; settle({end}) }}",
                    call.number + 1
                );
            }
        }
        let (left, spent) = self.limit("timers");
        for timer in 0..timers {
            let _ = writeln!(
                text,
                "    :: d_step {{ (c_expr {{ ARMED_{end} > {timer} && !BUSY_{end} }}{left}) -> printf(\"step: timer {timer} of {name}\\n\");\n        {spent}c_code {{ now.ends[{end}] = nacre_fire({end}, now.ends[{end}], {timer}); }}; settle({end}) }}"
            );
        }
        Ok(())
    }

    fn limit(&self, name: &str) -> (String, String) {
        let bounds = &self.setup.bounds;
        match bounds.limits.iter().position(|(known, _)| known == name) {
            Some(at) => {
                let used = format!("used[{}]", 2 * bounds.calls.len() + at);
                (format!(" && {used} < {}", bounds.limits[at].1), format!("{used}++; "))
            }
            None => (String::new(), String::new()),
        }
    }

    /// What the network does by itself.
    fn moves(&self, text: &mut String) -> Result<(), String> {
        let network = self.network();
        let interface = self.setup.stack.interface();
        for (at, action) in self.setup.below.actions.iter().enumerate() {
            if action.kind == ActionKind::Input {
                continue;
            }
            let event = match action.kind {
                ActionKind::Output => match self.setup.event_at(0, &action.name, Direction::Up) {
                    Some(event) => Some(event),
                    // What the layer does not know cannot be seen.
                    None => continue,
                },
                _ => None,
            };
            let (left, spent) = self.limit(&action.name);
            for option in network.options(at)? {
                let mut when = format!("{}{left}", option.when);
                let mut then = format!("{}        {spent}", option.body);
                let mut where_ = "the network".to_string();
                if let Some(event) = event {
                    let end: usize = constant_end(&self.setup.below, at, &option)?;
                    where_ = ["a", "b"][end].to_string();
                    when = format!("{when} && c_expr {{ !BUSY_{end} }}");
                    let declared = self.setup.stack.event(event);
                    for (parameter, value) in declared.parameters.iter().zip(&option.parameters[1..]) {
                        let _ = match parameter.ty {
                            Type::Msg => write!(then, "what = {value}; "),
                            Type::Addr => Ok(()),
                            _ => write!(then, "said = {value}; "),
                        };
                    }
                    let place = interface.iter().position(|e| e.port.0 == 0 && e.input.is_some() && e.event == event);
                    let step = match declared.message {
                        Some(_) => format!("nacre_input({end}, now.ends[{end}], now.what)"),
                        None => format!("nacre_said({end}, now.ends[{end}], {}, now.said)", place.unwrap_or(0)),
                    };
                    let _ = write!(then, "c_code {{ now.ends[{end}] = {step}; }}; settle({end})");
                } else {
                    then.push_str("VERDICT");
                }
                let _ = writeln!(
                    text,
                    "    :: d_step {{ ({when}) -> printf(\"step: {} at {where_}\\n\");\n{then} }}",
                    action.name
                );
            }
        }
        Ok(())
    }
}

/// The end at which an output happens: the first assignment of its body says it.
fn constant_end(automaton: &Automaton, action: usize, option: &Option_) -> Result<usize, String> {
    let copied = option.body.lines().next().and_then(|l| l.rsplit(' ').next());
    let end = copied.and_then(|t| t.trim_end_matches(';').parse::<usize>().ok()).filter(|end| *end < 2);
    end.ok_or(format!(
        "`{}` of `{}` does not say at which end it happens",
        automaton.actions[action].name, automaton.name
    ))
}
