//! The source of a stack, put together: what is shared by all stacks, helpers, layers, the functions of the host.

use nacre_stack::*;

use crate::asides::asides;
use crate::code::Code;
use crate::events::Written;
use crate::levels::Item;
use crate::names;
use crate::parts::{self, Content, Part};
use crate::writer::Writer;
use crate::{Emitted, Level};

const WORDS: &str = include_str!("support/words.c");
const STEP: &str = include_str!("support/step.c");
const FINISH: &str = include_str!("support/finish.c");
const POOL: &str = include_str!("support/pool.c");
const OUT: &str = include_str!("support/out.c");
const CANONICAL: &str = include_str!("support/canonical.c");
const HOST: &str = include_str!("support/host.c");
const ANY: &str = include_str!("support/any.c");
/// Stands where the numbering of lines goes back to the file itself.
pub const HERE: &str = "#line @here";

impl Writer<'_> {
    /// Text that all stacks share: `@_` is the prefix; parts between `/*@word` and `@*/` are for stacks that need them.
    pub fn support(&self, text: &str) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("/*@") {
            result.push_str(&rest[..at]);
            let part = &rest[at + 3..];
            let end = part.find("@*/").expect("a part ends");
            let (word, inner) = part[..end].split_once([' ', '\n']).expect("a part has a word");
            let wanted = match word {
                "rope" => self.uses_ropes,
                "temp" => self.temporary > 0,
                _ => !self.queued.is_empty(),
            };
            if wanted {
                result.push_str(inner.trim_end());
            }
            rest = &part[end + 3..];
            if !wanted {
                rest = without_line(&mut result, rest);
            }
        }
        result.push_str(rest);
        result.replace("@_", &format!("{}_", self.prefix))
    }

    pub fn counter_name(&self, id: CounterId) -> String {
        let p = &self.prefix;
        let counter = &self.stack.counters[id.index()];
        match counter.layer {
            Some(layer) => format!("{p}_COUNT_{}_{}", self.layer_names[layer.index()], names::plain(&counter.name)),
            None => format!("{p}_{}", names::plain(&counter.name).to_uppercase()),
        }
    }

    pub fn extern_name(&self, id: ExternId) -> String {
        let declared = &self.stack.externs[id.index()];
        match declared.body {
            Some(_) => format!("{}_extern_{}", self.prefix, names::plain(&declared.name)),
            None => names::plain(&declared.name),
        }
    }

    /// Functions in C: those with a body, and prototypes of those that the host supplies.
    fn externs(&mut self) -> Code {
        let mut code = Code::new(0);
        for index in 0..self.stack.externs.len() {
            let declared = self.stack.externs[index].clone();
            let name = self.extern_name(ExternId(index as u32));
            let mut parameters = vec![];
            for parameter in &declared.parameters {
                let n = names::plain(&parameter.name);
                match &parameter.ty {
                    Type::Msg | Type::View => {
                        parameters.extend([format!("const uint8_t *{n}"), format!("uint32_t {n}_len")])
                    }
                    Type::Bytes(_) => parameters.push(format!("const uint8_t *{n}")),
                    Type::Text(_) => parameters.extend([format!("const uint8_t *{n}"), format!("uint32_t {n}_len")]),
                    ty => match self.scalar(ty) {
                        Some(scalar) => parameters.push(format!("{} {n}", scalar.name())),
                        None => parameters.push(format!("const {} *{n}", self.c_type(ty, 0))),
                    },
                }
            }
            let result = match &declared.result {
                None => "void".to_string(),
                Some(Type::Msg) => {
                    parameters.extend(["uint8_t *result".into(), "uint32_t result_max".into()]);
                    "uint32_t".into()
                }
                Some(Type::Option(t)) if **t == Type::Msg => {
                    parameters.extend(["uint8_t *result".into(), "uint32_t result_max".into()]);
                    "uint32_t".into()
                }
                Some(Type::Bytes(_)) => {
                    parameters.push("uint8_t *result".into());
                    "void".into()
                }
                Some(ty) => match self.scalar(ty) {
                    Some(scalar) => scalar.name(),
                    None => {
                        let c_type = self.c_type(ty, 0);
                        parameters.push(format!("{c_type} *result"));
                        "void".into()
                    }
                },
            };
            let list = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
            match &declared.body {
                None => code.line(format!("{result} {name}({list});")),
                Some(body) => {
                    code.open(format!("{}_PLAIN {result} {name}({list}) {{", self.prefix));
                    if let Some(line) = self.source_line(declared.span) {
                        code.text.push_str(&line);
                        code.text.push_str(body);
                        code.text.push('\n');
                        code.text.push_str(HERE);
                        code.text.push('\n');
                    } else {
                        code.text.push_str(body);
                        code.text.push('\n');
                    }
                    code.close("}");
                }
            }
            code.line("");
        }
        code
    }

    /// `#line` for a place in the layers' source.
    pub fn source_line(&self, span: Span) -> Option<String> {
        if !self.options.lines {
            return None;
        }
        let (file, line) = (self.sources)(span)?;
        Some(format!("#line {line} \"{}\"\n", file.replace('\\', "\\\\").replace('"', "\\\"")))
    }

    /// Header and source.
    pub fn write(&mut self) -> Emitted {
        self.note_openings();
        let externs = self.externs();
        let mut written: Vec<(String, Written)> = vec![];
        // What entries call, what that calls, and what the queue and the ring hand events to, until nothing new is
        // asked for.
        self.plan.quick = true;
        let mut entries = self.entries();
        let mut scheduler = self.run_queue();
        loop {
            let before = (self.queued.len(), self.put_off.len(), self.temporary);
            while let Some((item, _)) = self.next_item() {
                let function = self.item(item);
                written.push(function);
            }
            self.plan.quick = true;
            scheduler = match before == (self.queued.len(), self.put_off.len(), self.temporary) {
                true => scheduler,
                false => {
                    entries = self.entries();
                    self.run_queue()
                }
            };
            if !self.is_asked() {
                break;
            }
        }
        written.sort_by_key(|(name, _)| self.place_of(name));
        let canonical = self.canonical();
        let descriptor = self.descriptor();
        for function in self.queue_functions().into_iter().chain(self.put_off_functions()) {
            written.push((String::new(), function));
        }
        let queue = self.queue_struct();
        let waiting = self.waiting_struct();
        self.types.add(&waiting);
        let helpers = std::mem::take(&mut self.helpers);
        let bounds = self.bounds();
        let level = format!("#define {}_LEVEL \"{}\"\n", self.prefix, self.level.name());
        let head = format!("#include \"{}.h\"\n\n#include <string.h>\n\n", self.prefix);
        let support = [STEP, WORDS, POOL, OUT, CANONICAL].map(|text| self.support(text)).join("\n");
        let mut source = vec![
            Part::new(Content::Title, self.head_comment() + &level),
            Part::new(Content::Support, head),
            Part::of(Content::Bounds, bounds),
            Part::of(Content::Types, queue),
            Part::new(Content::Support, support),
            Part::new(Content::Prototypes, heads_of(&written)),
            Part::of(Content::Helper, externs),
        ];
        source.extend(helpers.into_iter().map(|helper| Part::of(Content::Helper, helper)));
        source.extend(written.iter().map(|(name, function)| Part::of(Content::Layer, with_body(name, function))));
        source.push(Part::of(Content::Layer, scheduler));
        source.push(Part::new(Content::Support, self.support(FINISH)));
        source.extend(entries);
        source.push(Part::new(Content::Support, self.support(HOST)));
        source.push(Part::of(Content::State, spaced(canonical)));
        source.push(Part::new(Content::Support, self.support(ANY)));
        source.push(Part::of(Content::Descriptor, descriptor));
        let header = self.header();
        let source = match self.level {
            Level::Inline => asides(&source, &self.prefix),
            _ => source,
        };
        Emitted {
            header: header.iter().map(|part| part.text.as_str()).collect(),
            source: parts::join(&source, &format!("{}.c", self.prefix)),
            parts: parts::unnumbered(header.into_iter().chain(source).collect()),
        }
    }

    /// One function, with words above it.
    fn item(&mut self, item: Item) -> (String, Written) {
        let stack = self.stack;
        let kind = match (self.level, self.plan.quick) {
            (Level::Inline, true) => ", along the likely way",
            _ => "",
        };
        match item {
            Item::Handler(id) => (format!("{}{kind}", stack.handler(id).name), self.handler(id)),
            Item::Function(id) => (format!("{}{kind}", stack.function(id).name), self.function(id)),
            Item::Reaction(layer, event) => {
                let reactions = &stack.layer(layer).reactions;
                let none = Reaction { event, arms: vec![] };
                let reaction = reactions.iter().find(|r| r.event == event).unwrap_or(&none);
                let name = format!("{} takes {}{kind}", stack.layer(layer).name, stack.event(event).name);
                (name, self.reaction(layer, reaction))
            }
        }
    }

    /// Functions stand by layers, from the lowest.
    fn place_of(&self, name: &str) -> (usize, String) {
        let layer = self
            .stack
            .layers
            .iter()
            .position(|l| name.starts_with(&format!("{}.", l.name)) || name.starts_with(&format!("{} ", l.name)));
        (layer.unwrap_or(usize::MAX), name.to_string())
    }

    /// Numbers of counters, and bounds.
    fn bounds(&self) -> Code {
        let p = &self.prefix;
        let bounds = self.stack.bounds;
        let mut code = Code::new(0);
        let mut counters: Vec<String> =
            (0..self.stack.counters.len() as u32).map(|i| self.counter_name(CounterId(i))).collect();
        let mut seen = std::collections::HashSet::new();
        counters.iter_mut().for_each(|name| {
            while !seen.insert(name.clone()) {
                name.push('_');
            }
        });
        code.line(format!("enum {{ {} }};", counters.join(", ")));
        for (name, value) in [
            ("BLOCK", self.block_bytes()),
            ("NODES", bounds.pieces.max(1)),
            ("OUTPUTS", bounds.outputs),
            ("SEGMENTS", bounds.segments),
            ("BYTES", bounds.scratch),
            ("QUEUE", bounds.queue.max(1)),
            ("WAITING", self.most_waiting()),
            ("TEMPORARY", self.temporary),
        ] {
            code.line(format!("#define {p}_{name} {value}u"));
        }
        code.line("");
        code
    }
}

/// Behind a part that is left out: the line on which it stood goes too, if nothing else is on it.
fn without_line<'t>(before: &mut String, after: &'t str) -> &'t str {
    let after = after.trim_start_matches(' ');
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    match after.strip_prefix('\n') {
        Some(next) if before[line..].trim_start_matches(' ').is_empty() => {
            before.truncate(line);
            next
        }
        _ => after,
    }
}

/// Prototypes, so that functions can call those that follow.
fn heads_of(written: &[(String, Written)]) -> String {
    let heads: String = written.iter().map(|(_, function)| format!("{};\n", function.head)).collect();
    format!("\n{heads}\n")
}

fn with_body(name: &str, function: &Written) -> Code {
    let mut code = Code::new(0);
    if !name.is_empty() {
        code.line(comment(name));
    }
    add_function(&mut code, &function.head, &function.body);
    code.line("");
    code
}

/// A comment of one line.
pub fn comment(text: &str) -> String {
    format!("/* {} */", text.replace("*/", "* /"))
}

/// Adds a function whose lines are attributed to what they were written for.
pub fn add_function(code: &mut Code, head: &str, body: &Code) {
    code.open(format!("{head} {{"));
    let body = attributed(&body.text);
    code.text.push_str(&body);
    if body.contains("\n#line ") || body.starts_with("#line ") {
        code.text.push_str(HERE);
        code.text.push('\n');
    }
    code.close("}");
}

/// Puts a `#line` before each line of C that a compiler would not attribute to where the last one in `body` says: by
/// itself it counts on from line to line.
fn attributed(body: &str) -> String {
    let mut text = String::new();
    let (mut said, mut counted): (Option<(u32, &str)>, Option<(u32, &str)>) = (None, None);
    for line in body.lines() {
        if let Some((number, file)) = line.strip_prefix("#line ").and_then(|l| l.split_once(' ')) {
            said = number.parse().ok().map(|number| (number, file));
            continue;
        }
        let does_something = !matches!(line.trim(), "" | "}");
        if let Some((number, file)) = said.filter(|_| said != counted && does_something) {
            text.push_str(&format!("#line {number} {file}\n"));
            counted = said;
        }
        text.push_str(line);
        text.push('\n');
        counted = counted.map(|(number, file)| (number + 1, file));
    }
    text
}

fn spaced(mut code: Code) -> Code {
    code.line("");
    code
}
