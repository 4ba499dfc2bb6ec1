//! The source of a stack, put together: what is shared by all stacks, helpers, layers, the functions of the host.

use nacre_stack::*;

use crate::code::{Code, Origin};
use crate::events::Written;
use crate::levels::Item;
use crate::names;
use crate::parts::{self, Content, Section};
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

impl Writer<'_> {
    /// Text that all stacks share: `@_` is the prefix; parts between `/*@word` and `@*/` are for stacks that need them.
    pub fn support(&mut self, text: &str) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("/*@") {
            result.push_str(&rest[..at]);
            let part = &rest[at + 3..];
            let end = part.find("@*/").expect("a part ends");
            let (word, inner) = part[..end].split_once([' ', '\n']).expect("a part has a word");
            let aside = (word == "aside").then(|| self.aside(&format!("{}_{inner}", self.prefix))).flatten();
            let inner = aside.as_ref().map_or(inner.to_string(), Code::text);
            let wanted = match word {
                "aside" => aside.is_some(),
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
        let aside = if self.level == Level::Inline { "_aside" } else { "" };
        result.replace("@aside", aside).replace("@_", &format!("{}_", self.prefix))
    }

    pub fn counter_name(&self, id: CounterId) -> String {
        let p = &self.prefix;
        let counter = &self.stack.counters[id.index()];
        match counter.layer {
            Some(layer) => format!("{p}_COUNT_{}_{}", self.layer_names[layer.index()], names::plain(&counter.name)),
            None => format!("{p}_{}", names::plain(&counter.name).to_uppercase()),
        }
    }

    /// Where in the layers' source a span begins.
    pub fn origin(&self, span: Span) -> Option<Origin> {
        if !self.options.lines {
            return None;
        }
        let (file, line) = (self.sources)(span)?;
        Some(Origin { line, file: file.replace('\\', "\\\\").replace('"', "\\\"") })
    }

    /// Header and source.
    pub fn write(&mut self) -> Emitted {
        self.note_openings();
        let externs = self.externs();
        let mut written: Vec<(String, Written)> = vec![];
        // What entries call, what that calls, and what the queue and the ring hand events to, until nothing new is
        // asked for.
        self.leave_items();
        let mut entries = self.entries();
        let mut scheduler = self.run_queue();
        loop {
            let before = (self.queued.len(), self.put_off.len(), self.temporary);
            while let Some((item, _)) = self.next_item() {
                let function = self.item(item);
                written.push(function);
            }
            self.leave_items();
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
        let bounds = self.bounds();
        let level = format!("#define {}_LEVEL \"{}\"\n", self.prefix, self.level.name());
        let head = format!("#include \"{}.h\"\n\n#include <string.h>\n\n", self.prefix);
        let support = [STEP, WORDS, POOL, OUT, CANONICAL].map(|text| self.support(text)).join("\n");
        let mut source = vec![
            Section::new(Content::Title, self.head_comment() + &level),
            Section::new(Content::Support, head),
            Section::of(Content::Bounds, bounds),
            Section::of(Content::Types, queue),
            Section::new(Content::Support, support),
            Section::of(Content::Prototypes, self.heads_of(&written)),
            Section::of(Content::Helper, externs),
        ];
        source.extend(self.written_helpers());
        source
            .extend(written.iter().map(|(name, function)| Section::of(Content::Layer, self.with_body(name, function))));
        source.push(Section::of(Content::Layer, scheduler));
        source
            .extend(self.aside(&format!("{}_run_queue", self.prefix)).map(|aside| Section::of(Content::Layer, aside)));
        source.push(Section::new(Content::Support, self.support(FINISH)));
        source.extend(entries);
        source.push(Section::new(Content::Support, self.support(HOST)));
        source.push(Section::of(Content::State, spaced(canonical)));
        source.push(Section::new(Content::Support, self.support(ANY)));
        source.push(Section::of(Content::Descriptor, descriptor));
        let header = self.header();
        Emitted {
            header: parts::join(&header, &format!("{}.h", self.prefix)),
            source: parts::join(&source, &format!("{}.c", self.prefix)),
            parts: header.into_iter().chain(source).map(Section::part).collect(),
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

    /// Prototypes, so that functions can call those that follow, and asides of these functions.
    fn heads_of(&mut self, written: &[(String, Written)]) -> Code {
        let mut code = Code::new(0);
        code.line("");
        for (_, Written { function, .. }) in written {
            code.line(format!("{};", self.register(function.clone())));
        }
        for (_, Written { function, .. }) in written {
            self.aside(&function.name).iter().for_each(|aside| code.add(aside));
        }
        code.line("");
        code
    }

    /// The helpers, each with its aside.
    fn written_helpers(&mut self) -> Vec<Section> {
        let mut parts = vec![];
        for (name, helper) in std::mem::take(&mut self.helpers) {
            parts.push(Section::of(Content::Helper, helper));
            parts.extend(self.aside(&name).map(|aside| Section::of(Content::Helper, spaced(aside))));
        }
        parts
    }

    fn with_body(&self, name: &str, written: &Written) -> Code {
        let mut code = Code::new(0);
        if !name.is_empty() {
            code.line(names::comment(name));
        }
        code.function(&written.function.head(&self.prefix), &written.body);
        code.line("");
        code
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

fn spaced(mut code: Code) -> Code {
    code.line("");
    code
}
