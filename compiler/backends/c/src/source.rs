//! The source of a stack, put together: what is shared by all stacks, helpers, layers, the functions of the host.

use nacre_stack::*;

use crate::asides::asides;
use crate::code::Code;
use crate::events::Written;
use crate::levels::Item;
use crate::names;
use crate::writer::Writer;
use crate::Level;

const WORDS: &str = include_str!("support/words.c");
const POOL: &str = include_str!("support/pool.c");
const OUT: &str = include_str!("support/out.c");
const CANONICAL: &str = include_str!("support/canonical.c");
/// Stands where the numbering of lines goes back to the file itself.
pub const HERE: &str = "#line @here";

impl Writer<'_> {
    /// Text that all stacks share: `@_` is the prefix; parts between `/*@word` and `@*/` are for stacks that need them.
    fn support(&self, text: &str) -> String {
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
                rest = rest.trim_start_matches(' ');
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
    pub fn write(&mut self) -> (String, String) {
        self.note_openings();
        let externs = self.externs();
        let mut written: Vec<(String, Written)> = vec![];
        // What entries call, what that calls, and what the queue and the ring hand events to, until nothing new is asked for.
        self.plan.quick = true;
        let mut entries = self.entries();
        let mut finish = self.finish_function();
        loop {
            let before = (self.queued.len(), self.put_off.len(), self.temporary);
            while let Some((item, _)) = self.next_item() {
                let function = self.item(item);
                written.push(function);
            }
            self.plan.quick = true;
            finish = match before == (self.queued.len(), self.put_off.len(), self.temporary) {
                true => finish,
                false => {
                    entries = self.entries();
                    self.finish_function()
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
        let step = self.step_struct(&queue);
        let mut code = Code::new(0);
        code.line("");
        for (_, function) in &written {
            code.line(format!("{};", function.head));
        }
        code.line("");
        code.add(&externs);
        code.add(&helpers);
        for (name, function) in &written {
            if !name.is_empty() {
                code.line(format!("/* {} */", name.replace("*/", "* /")));
            }
            code.open(format!("{} {{", function.head));
            code.add(&function.body);
            if function.body.text.contains("\n#line ") || function.body.text.starts_with("#line ") {
                code.text.push_str(HERE);
                code.text.push('\n');
            }
            code.close("}");
            code.line("");
        }
        code.add(&finish);
        code.line("");
        code.add(&entries);
        code.line(self.pool_functions());
        code.add(&canonical);
        code.line("");
        code.add(&descriptor);
        let header = self.header();
        let source = format!(
            "{}#include \"{}.h\"\n\n#include <string.h>\n\n{step}{}\n{}\n{}\n{}",
            self.head_comment(),
            self.prefix,
            self.support(WORDS),
            self.support(POOL),
            self.support(OUT),
            self.support(CANONICAL),
        );
        let source = source + &code.text;
        let source = match self.level {
            Level::Inline => asides(&source, &self.prefix),
            _ => source,
        };
        (header, numbered(source, &format!("{}.c", self.prefix)))
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

    fn step_struct(&self, queue: &Code) -> String {
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
        ] {
            code.line(format!("#define {p}_{name} {value}u"));
        }
        code.line("");
        if !self.queued.is_empty() {
            code.line("/* An event that waits for its turn. */");
            code.add(queue);
        }
        code.line("/* What a step seldom needs. */");
        code.open(format!("struct {p}_more {{"));
        code.line("uint8_t nothing;");
        if !self.queued.is_empty() {
            code.line(format!("struct {p}_event queue[{p}_QUEUE];"));
        }
        if self.temporary > 0 {
            code.line(format!("uint8_t temp[{}]; /* bytes that are looked at in one statement */", self.temporary));
        }
        code.close("};");
        code.line("/* One call of the host and all that it causes. */");
        code.open(format!("struct {p}_step {{"));
        code.line(format!("struct {p}_state *s;"));
        code.line(format!("struct {p}_pool *pool;"));
        code.line("uint64_t *counters;");
        code.line("struct nacre_out *out;");
        code.line("uint64_t now;");
        code.line("const uint8_t *in; /* data of the message that came with the call */");
        code.line("uint32_t in_len;");
        code.line("uint32_t kept; /* first block of that data, once it is in the pool */");
        code.line("uint32_t outputs, segments, bytes; /* what was made in `out` so far */");
        code.line("uint32_t impossible; /* whether the message was said to be */");
        code.line("bool held; /* the step has references to what is kept */");
        if !self.queued.is_empty() {
            code.line("uint32_t first, len; /* in the queue */");
        }
        code.line(format!("struct {p}_more *more;"));
        code.close("};");
        code.line("");
        code.text
    }

    fn pool_functions(&self) -> String {
        let p = &self.prefix;
        let mut code = Code::new(0);
        code.open(format!("void {p}_pool_init(struct {p}_pool *pool, uint32_t blocks) {{"));
        code.line("if (blocks > 0xffffu) { blocks = 0xffffu; }");
        code.line("pool->free = pool->last = blocks;");
        code.line("pool->first = 1;");
        code.open("for (uint32_t i = 0; i < blocks; i++) {");
        code.line("memset(&pool->block[i], 0, sizeof pool->block[i]);");
        code.line("pool->block[i].after = (uint16_t)(i + 2u);");
        code.close("}");
        if self.uses_ropes {
            code.line("pool->node = 0;");
            code.open(format!("for (uint32_t number = {p}_NODES; number > 0; number--) {{"));
            code.line(format!("{p}_node(pool, number)->next = pool->node;"));
            code.line("pool->node = number;");
            code.close("}");
        }
        code.close("}");
        code.line("");
        code.line(format!("uint32_t {p}_pool_free(const struct {p}_pool *pool) {{ return pool->free; }}"));
        code.line("");
        code.open(format!(
            "void {p}_settle(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, struct nacre_out *out) {{"
        ));
        for name in ["s", "pool", "counters", "out"] {
            code.line(format!("(void){name};"));
        }
        code.close("}");
        code.text
    }
}

/// Puts the line numbers of the file itself where they are asked for.
fn numbered(text: String, file: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if line == HERE {
            result.push_str(&format!("#line {} \"{file}\"\n", index + 2));
        } else {
            result.push_str(line.trim_end());
            result.push('\n');
        }
    }
    result
}
