//! Assembles the source of a stack: the text shared by all stacks, helpers, layers, the functions for the host.

use nacre_stack::*;

use crate::code::{Code, Origin};
use crate::emitted::Emitted;
use crate::events::Written;
use crate::globals::Global;
use crate::names;
use crate::parts::{self, Content, Section};
use crate::plan::Item;
use crate::writer::Writer;

const WORDS: &str = include_str!("support/words.c");
const QUIET: &str = include_str!("support/quiet.c");
const QUIET_END: &str = include_str!("support/quiet_end.c");
const STEP: &str = include_str!("support/step.c");
const FINISH: &str = include_str!("support/finish.c");
const POOL: &str = include_str!("support/pool.c");
const OUT: &str = include_str!("support/out.c");
const CANONICAL: &str = include_str!("support/canonical.c");
const HOST: &str = include_str!("support/host.c");
const ANY: &str = include_str!("support/any.c");

impl Writer<'_> {
    /// Returns the constant that indexes a counter.
    pub fn counter_name(&self, id: CounterId) -> String {
        let p = &self.prefix;
        let counter = &self.stack.counters[id.index()];
        match counter.layer {
            Some(layer) => {
                let wanted = format!("COUNT_{}_{}", self.layer_names[layer.index()], names::plain(&counter.name));
                self.global(Global::Counter(id.0), wanted)
            }
            None => format!("{p}_{}", names::plain(&counter.name).to_uppercase()),
        }
    }

    /// Where in the layers' source a span begins.
    pub fn origin(&self, span: Span) -> Option<Origin> {
        if !self.options.lines {
            return None;
        }
        let (file, line) = (self.sources)(span)?;
        Some(Origin { line, file: names::escaped(&file) })
    }

    /// Header and source.
    pub fn write(&mut self) -> Emitted {
        // What the host calls has the first choice of a name.
        self.calls();
        self.note_openings();
        let (models, externs) = (self.models(), self.externs());
        let mut written: Vec<(LayerId, Written)> = vec![];
        // The functions that entries call, those that these call, and the targets of the queue and the ring, until
        // nothing new is asked for.
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
        // By layers, from the lowest.
        written.sort_by_cached_key(|(layer, function)| (*layer, function.function.comment.clone()));
        let mut written: Vec<Written> = written.into_iter().map(|(_, function)| function).collect();
        let canonical = self.canonical();
        let descriptor = self.descriptor();
        written.extend(self.queue_functions());
        written.extend(self.put_off_functions());
        let mut queue = self.queue_struct();
        if self.queues_in_pool() {
            self.types.add(&std::mem::replace(&mut queue, Code::new(0)));
        }
        let waiting = self.waiting_struct();
        self.types.add(&waiting);
        let bounds = self.bounds();
        let level = format!("#define {}_LEVEL \"{}\"\n", self.prefix, self.level.name());
        let head = format!("#include \"{}.h\"\n\n#include <string.h>\n\n", self.prefix);
        let support = [STEP, WORDS, POOL, OUT, CANONICAL].map(|text| self.support(text)).join("\n");
        let mut source = vec![
            Section::new(Content::Title, self.head_comment() + &level),
            Section::new(Content::Support, head + QUIET),
            Section::of(Content::Bounds, bounds),
            Section::of(Content::Types, queue),
            Section::new(Content::Support, support),
            Section::of(Content::Prototypes, self.heads_of(&written)),
        ];
        if !models.is_empty() {
            source.push(Section::new(Content::Support, models));
        }
        source.push(Section::of(Content::Helper, externs));
        source.extend(self.written_helpers());
        source.extend(written.iter().map(|function| Section::of(Content::Layer, self.with_body(function))));
        source.push(Section::of(Content::Layer, scheduler));
        source
            .extend(self.aside(&format!("{}_run_queue", self.prefix)).map(|aside| Section::of(Content::Layer, aside)));
        source.push(Section::new(Content::Support, self.support(FINISH)));
        source.push(Section::new(Content::Call, self.quick_support()));
        source.extend(entries);
        source.push(Section::new(Content::Support, self.support(HOST)));
        source.push(Section::of(Content::State, spaced(canonical)));
        source.push(Section::new(Content::Support, self.support(ANY)));
        source.push(Section::of(Content::Descriptor, descriptor));
        source.push(Section::new(Content::Support, QUIET_END));
        let header = self.header();
        Emitted {
            header: parts::join(&header, &format!("{}.h", self.prefix)),
            source: parts::join(&source, &format!("{}.c", self.prefix)),
            parts: header.into_iter().chain(source).map(Section::part).collect(),
        }
    }

    /// Writes one function, preceded by its comment and attributed to its layer.
    fn item(&mut self, item: Item) -> (LayerId, Written) {
        let stack = self.stack;
        let kind = match (self.level, self.plan.quick) {
            (level, true) if level.is_quick() => ", along the likely way",
            _ => "",
        };
        let (layer, name, mut written) = match item {
            Item::Handler(id) => (stack.handler(id).layer, stack.handler(id).name.clone(), self.handler(id)),
            Item::Function(id) => (stack.function(id).layer, stack.function(id).name.clone(), self.function(id)),
            Item::Reaction(layer, event) => {
                let reactions = &stack.layer(layer).reactions;
                let none = Reaction { event, accepts: None, arms: vec![] };
                let reaction = reactions.iter().find(|r| r.event == event).unwrap_or(&none);
                let name = format!("{} takes {}", stack.layer(layer).name, stack.event(event).name);
                (layer, name, self.reaction(layer, reaction))
            }
            Item::Bypass(at) => (LayerId(0), self.bypass_name(at), self.bypass(at)),
        };
        written.function.comment = Some(name + kind);
        (layer, written)
    }

    /// Prototypes, so that functions can call those that follow, and asides of these functions.
    fn heads_of(&mut self, written: &[Written]) -> Code {
        let mut code = Code::new(0);
        code.line("");
        for Written { function, .. } in written {
            code.line(format!("{};", self.register(function.clone())));
        }
        for Written { function, .. } in written {
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

    fn with_body(&self, written: &Written) -> Code {
        let mut code = Code::new(0);
        written.function.comment.iter().for_each(|text| code.line(names::comment(text)));
        code.function(&written.function.head(&self.prefix), &written.body);
        code.line("");
        code
    }

    /// Numbers of counters, and bounds.
    fn bounds(&self) -> Code {
        let p = &self.prefix;
        let bounds = self.stack.bounds;
        let mut code = Code::new(0);
        let counters: Vec<String> =
            (0..self.stack.counters.len() as u32).map(|i| self.counter_name(CounterId(i))).collect();
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

fn spaced(mut code: Code) -> Code {
    code.line("");
    code
}
