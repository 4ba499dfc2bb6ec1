//! The header of a stack: the interface of all stacks, then this one's types, bounds and functions.

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::code::Code;
use crate::globals::Global;
use crate::names;
use crate::parts::{Content, Section};
use crate::writer::Writer;

/// The interface of every stack, at the head of each header.
pub const INTERFACE: &str = include_str!("nacre.h");
/// What C++ does not have, as the array of unknown length at the end of a pool, its compilers have all the same.
const CPLUSPLUS: &str =
    "#ifdef __cplusplus\n#ifdef __GNUC__\n#pragma GCC system_header\n#endif\nextern \"C\" {\n#endif\n\n";
const PROTOTYPES: &str = include_str!("support/prototypes.h");

impl Writer<'_> {
    /// Returns the size of a pool block in bytes, at least 1.
    pub fn block_bytes(&self) -> u32 {
        self.stack.bounds.block.max(1)
    }

    /// Events that can wait for a step of their own: those of a step that itself was one, and of one before it.
    pub fn most_waiting(&self) -> u32 {
        (self.stack.bounds.later * 4).max(16)
    }

    /// Returns the comment at the head of both files.
    pub fn head_comment(&self) -> String {
        format!(
            "/* `{}`, as Nacre's C back end writes it at level {}. Do not edit: edit the layers.\n * This text carries \
             no licence obligation from Nacre: it is yours, under the terms of your layers' source. */\n",
            names::in_comment(&self.stack.description),
            self.level.name(),
        )
    }

    /// Returns the header file: constants, types, and prototypes of the entries.
    pub fn header(&mut self) -> Vec<Section> {
        let p = self.prefix.clone();
        let guard = format!("{}_H", p.to_uppercase());
        let (mut bounds, mut code) = (Code::new(0), Code::new(0));
        self.constants(&mut bounds);
        self.enums(&mut code);
        code.line("/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */");
        code.line(format!("struct {p}_bytes {{ uint32_t block, offset, len; }};"));
        // What these name is declared first.
        let (mut state, mut pool, mut config, mut prototypes) =
            (Code::new(0), Code::new(0), Code::new(0), Code::new(0));
        self.state_structs(&mut state);
        self.pool_structs(&mut pool);
        self.config_struct(&mut config);
        prototypes.line(format!("extern const struct nacre_stack {p}_stack;"));
        prototypes.line("");
        self.prototypes(&mut prototypes);
        let types = std::mem::take(&mut self.types);
        code.add(&types);
        code.add(&state);
        vec![
            Section::new(Content::Title, self.head_comment()),
            Section::new(Content::Support, format!("#ifndef {guard}\n#define {guard}\n\n")),
            Section::new(Content::Interface, format!("{INTERFACE}\n")),
            Section::new(Content::Support, CPLUSPLUS),
            Section::of(Content::Bounds, bounds),
            Section::of(Content::Types, code),
            Section::of(Content::Bounds, pool),
            Section::of(Content::Types, config),
            Section::of(Content::Prototypes, prototypes),
            Section::new(Content::Support, self.support(PROTOTYPES)),
            Section::new(Content::Support, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"),
        ]
    }

    fn constants(&mut self, code: &mut Code) {
        let (upper, bounds) = (self.prefix.to_uppercase(), self.stack.bounds);
        for (name, value) in [
            ("BLOCK_BYTES", self.block_bytes()),
            ("BLOCKS_FOR_ONE", bounds.blocks),
            ("OUTPUTS_MAX", bounds.outputs),
            ("SEGMENTS_MAX", bounds.segments),
            ("BYTES_MAX", bounds.scratch),
            ("FRAME_HEAD_MAX", self.longest_frame_head()),
            ("FRAME_DATA_MAX", bounds.frame_data),
            ("QUEUE_MAX", bounds.queue),
            ("COUNTERS", self.stack.counters.len() as u32),
        ] {
            code.line(format!("#define {upper}_{name} {value}u"));
        }
        code.line("");
    }

    fn enums(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        for (index, declared) in self.stack.enums.iter().enumerate() {
            let name = self.tag(&Type::Enum(EnumId(index as u32)), 0);
            let variant = |(i, v): (usize, &String)| {
                let wanted = format!("{}_{}", self.enum_names[index], names::plain(v));
                self.global(Global::Variant(index as u32, i), wanted)
            };
            let variants: Vec<String> = declared.variants.iter().enumerate().map(variant).collect();
            if !variants.is_empty() {
                code.line(format!("enum {p}_{name} {{ {} }};", variants.join(", ")));
            }
        }
        code.line("");
    }

    fn state_structs(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        code.line("");
        code.open(format!("struct {p}_state {{"));
        for (index, layer) in self.stack.layers.iter().enumerate() {
            let cells: Vec<(String, String)> = (self.stack.cells.iter().enumerate())
                .filter(|(_, c)| c.layer.index() == index)
                .map(|(i, c)| (self.c_type(&c.ty, index), self.cell_names[i].clone()))
                .collect();
            if cells.is_empty() {
                continue;
            }
            code.open(format!("struct {{ {}", names::comment(&layer.description)));
            cells.iter().for_each(|(ty, name)| code.line(format!("{ty} {name};")));
            code.close(format!("}} {};", self.layer_names[index]));
        }
        if !self.put_off.is_empty() {
            code.open("struct {");
            code.line("uint32_t head, len;");
            code.line(format!("struct {p}_waiting at[{}];", self.most_waiting()));
            code.close("} waiting;");
        }
        code.line("uint8_t nacre_nothing;");
        code.close("};");
        code.line("");
    }

    fn pool_structs(&self, code: &mut Code) {
        let p = &self.prefix;
        if self.uses_ropes {
            code.line("/* A piece of bytes that are in pieces. */");
            code.line(format!("struct {p}_node {{ struct {p}_bytes bytes; uint32_t next, references; }};"));
        }
        code.open(format!("struct {p}_block {{"));
        let references = if self.most_references() < 1 << 16 { "uint16_t" } else { "uint32_t" };
        code.line(format!("{references} references;"));
        code.line("uint16_t next; /* block with the bytes that follow; 0: none */");
        code.line("uint16_t after; /* of a free block: the one that is taken next */");
        code.line(format!("uint8_t bytes[{}];", self.block_bytes().next_multiple_of(8)));
        code.close("};");
        code.open(format!("struct {p}_pool {{"));
        code.line("uint32_t all, fresh; /* number of blocks; how many of the last ones have never been used */");
        code.line("uint32_t free, first, last; /* how many of the others are free; first and last of these, from 1 */");
        if self.known.asks_processor {
            code.line(
                "uint32_t crc32; /* 1: the processor has this instruction, and the code of the stack asks for it */",
            );
        }
        if self.uses_ropes {
            code.line("uint32_t node; /* the first free piece; all are free between steps */");
            code.line(format!("struct {p}_node nodes[{}];", self.stack.bounds.pieces.max(1)));
        }
        if self.queues_in_pool() {
            code.line(format!(
                "struct {p}_event queue[{}]; /* of a step; empty between steps */",
                self.stack.bounds.queue
            ));
        }
        code.line(format!("struct {p}_block block[];"));
        code.close("};");
        code.line("");
    }

    /// Upper bound of the references to one block: each of a message that is stored or waits, and those of a step, in
    /// which a handler or function runs once at a time. The limits of state and steps keep it far below 2^32.
    fn most_references(&self) -> u64 {
        let stack = self.stack;
        let bounds = &stack.bounds;
        let held = |types: &mut dyn Iterator<Item = &Type>| {
            types.fold(0, |sum: u64, ty| sum.saturating_add(stack.messages_in(ty)))
        };
        let stored = held(&mut stack.cells.iter().map(|cell| &cell.ty));
        let handlers = stack.handlers.iter().flat_map(|h| &h.locals);
        let locals = held(&mut handlers.chain(stack.functions.iter().flat_map(|f| &f.locals)).map(|local| &local.ty));
        let shares = stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body));
        let mut in_statements = 0;
        shares.for_each(|body| body.each_expr(|e| in_statements += u64::from(matches!(e.kind, ExprKind::Share(_)))));
        let of_step = [bounds.queue, bounds.pieces, bounds.segments, bounds.outputs, self.most_waiting()];
        let all = of_step.into_iter().map(u64::from).chain([stored, locals, in_statements]);
        all.fold(0, u64::saturating_add)
    }

    fn config_struct(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        code.open(format!("struct {p}_config {{"));
        let mut any = false;
        for (index, cell) in self.stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            let ty = self.c_type(&cell.ty, cell.layer.index());
            let comment = if cell.initial.is_none() { " /* the host must say */" } else { "" };
            code.line(format!("{ty} {};{comment}", self.given_names[index]));
            any = true;
        }
        if !any {
            code.line("uint8_t nothing;");
        }
        code.close("};");
        code.line("");
    }

    /// Functions for the events that the host calls.
    fn prototypes(&mut self, code: &mut Code) {
        for call in self.calls() {
            let head = self.entry_head(&call);
            code.line(format!("{head};"));
        }
        self.quick_prototypes(code);
        self.graph_prototypes(code);
    }
}
