//! `input`: the function that receives a frame.

use nacre_stack::*;

use crate::bypasses::fields_of;
use crate::code::Code;
use crate::emitted::Level;
use crate::plan::Item;
use crate::writer::Writer;

/// A common shape of frames.
pub struct CommonShape<'a> {
    /// What takes them.
    pub input: &'a PortInput,
    /// As it is of the frames that fit.
    pub shape: Shape,
    /// In C, whether a frame has its length and number.
    pub fits: String,
    /// In C, whether its fields are valid; they are then in `whole`.
    pub reads: String,
}

impl<'a> Writer<'a> {
    /// Opens a function that takes a frame at a lower port.
    fn open_input(&self, port: PortId, word: &str, name: &str, code: &mut Code) {
        let p = &self.prefix;
        let session = if self.has_sessions(port) { ", uint32_t session" } else { "" };
        let first = format!("struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now");
        code.line(format!("{word}int {name}({first}{session}, const struct nacre_addr *from,"));
        code.open("        const uint8_t *frame, uint32_t len, struct nacre_out *out) {");
    }

    /// The entry of a lower port at which no frames arrive.
    fn no_input_function(&self, port: PortId) -> Code {
        let mut code = Code::new(0);
        self.open_input(port, "", &self.entry_name(port), &mut code);
        for name in ["s", "pool", "counters", "from", "frame", "out"] {
            code.line(format!("(void){name};"));
        }
        code.line("(void)now;");
        code.line("(void)len;");
        code.line(format!("return {}_nothing(out, NACRE_INVALID);", self.prefix));
        code.close("}");
        code
    }

    /// The function that takes a frame at a lower port.
    pub fn input_function(&mut self, port: PortId) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let mut code = Code::new(0);
        let passed = if self.has_sessions(port) { "session, " } else { "" };
        let (entry, any) = (self.entry_name(port), self.any_frame_name(port));
        let Some((input, layout_id)) = stack.frames_at(port) else { return self.no_input_function(port) };
        let quick = port == PortId(0) && self.has_quick_input();
        let mut hot = self.common_shapes(port);
        if self.level == Level::Bypass {
            hot.retain(|index| !self.slower_bypasses(Entry::Frame(port, *index)).is_empty());
        }
        let parse = self.parse_function(layout_id);
        let room = format!("if ({p}_UNLIKELY(!{p}_room(out))) {{ return {p}_nothing(out, NACRE_INVALID); }}");
        let checks = |w: &Self, code: &mut Code| {
            code.line(&room);
            w.busy(code);
        };
        if hot.is_empty() && !quick {
            self.open_input(port, "", &entry, &mut code);
            checks(self, &mut code);
        } else {
            self.open_input(port, &format!("{p}_APART "), &any, &mut code);
        }
        let ty = self.message_type(0);
        code.line(format!("{ty} whole = {{.data = false}};"));
        code.line(format!("uint32_t size = {parse}(frame, len, &whole);"));
        code.open(format!("if ({p}_UNLIKELY(size == UINT32_MAX)) {{"));
        code.line(format!("counters[{p}_MALFORMED]++;"));
        code.line(format!("return {p}_nothing(out, NACRE_DROPPED);"));
        code.close("}");
        self.take_frame(input, "size", None, &mut code);
        code.close("}");
        if !hot.is_empty() || quick {
            code.line("");
            if quick {
                let function = self.quick_input_function();
                code.add(&function);
            }
            if quick {
                self.open_input(port, &format!("{p}_APART "), &format!("{p}_slower_input"), &mut code);
                self.busy(&mut code);
            } else {
                self.open_input(port, "", &entry, &mut code);
                checks(self, &mut code);
            }
            if !hot.is_empty() {
                code.line("/* The common shapes of frames, each with code of its own. */");
                code.line(format!("{ty} whole = {{.data = false}};"));
            }
            hot.into_iter().for_each(|index| self.common_shape(port, index, &mut code));
            code.line(format!("return {any}(s, pool, counters, now, {passed}from, frame, len, out);"));
            code.close("}");
            if quick {
                code.line("");
                self.open_input(port, "", &entry, &mut code);
                code.line(&room);
                self.try_quick_input(&mut code);
                code.line(format!("return {p}_slower_input(s, pool, counters, now, from, frame, len, out);"));
                code.close("}");
            }
        }
        self.first_session(port, &mut code);
        code
    }

    /// The shapes of frames that have code of their own.
    pub fn common_shapes(&self, port: PortId) -> Vec<usize> {
        let Some((_, layout)) = self.stack.frames_at(port) else { return vec![] };
        let layout = &self.stack.layouts[layout.index()];
        let in_place = |i: &usize| match self.level {
            Level::Queue | Level::Call => false,
            Level::Inline => layout.shapes[*i].in_place,
            Level::Bypass => {
                let (shape, bypasses) = (&layout.shapes[*i], self.bypasses_of(Entry::Frame(port, *i)));
                !shape.identified && shape.number < 126 && !bypasses.is_empty()
            }
        };
        (0..layout.shapes.len()).filter(in_place).collect()
    }

    /// The code for frames of a common shape.
    fn common_shape(&mut self, port: PortId, index: usize, code: &mut Code) {
        let Some((input, shape)) = self.open_shape(port, index, code) else { return };
        match self.level {
            Level::Bypass => self.bypass_frame(Entry::Frame(port, index), input, &shape, code),
            _ => self.take_frame(input, &format!("{}u", shape.size), Some(&shape), code),
        }
        code.close("}");
    }

    /// Opens a block for frames of a common shape, with their fields in `whole`. Returns what takes them, and the shape
    /// as it is there.
    pub fn open_shape(&mut self, port: PortId, index: usize, code: &mut Code) -> Option<(&'a PortInput, Shape)> {
        let p = self.prefix.clone();
        let CommonShape { input, shape, fits, reads } = self.common(port, index)?;
        code.open(format!("if ({p}_LIKELY({fits} && {reads})) {{"));
        Some((input, shape))
    }

    /// The C conditions that identify the frames of a common shape.
    pub fn common(&mut self, port: PortId, index: usize) -> Option<CommonShape<'a>> {
        let stack = self.stack;
        let (input, layout_id) = stack.frames_at(port)?;
        let layout = &stack.layouts[layout_id.index()];
        let shape = &layout.shapes[index];
        let reads = format!("{}(frame, len, &whole)", self.shape_function(layout_id, index));
        let first = match layout.form {
            LayoutForm::Preamble => format!(" && frame[0] == {}u", shape.number << 1),
            LayoutForm::Plain if layout.shapes.len() > 1 => format!(" && frame[0] == {}u", shape.number),
            LayoutForm::Plain => String::new(),
        };
        // Empty messages are rare, and the code for the others need not ask whether there is any data.
        let shape = Shape { data_min: shape.data_min.max(shape.may_have_data().into()), ..shape.clone() };
        let long = crate::wire::fitting(&shape)
            .filter(|_| shape.size > 0)
            .unwrap_or(format!("len >= {}u", (shape.size + shape.data_min).max(1)));
        Some(CommonShape { input, shape, fits: long + &first, reads })
    }

    /// The bypasses of a shape; where none takes the frame, it is read again with any others.
    fn bypass_frame(&mut self, entry: Entry, input: &PortInput, shape: &Shape, code: &mut Code) {
        let size = format!("{}u", shape.size);
        self.need(input.need, &format!("len - {size}"), Some(shape), code);
        let texts = self.begin_frame(input, &size, code);
        let fields = fields_of(self, entry);
        self.try_bypasses(entry, &texts, &fields, code);
    }

    /// The rest of the way of a frame that was read into `whole`.
    fn take_frame(&mut self, input: &PortInput, size: &str, shape: Option<&Shape>, code: &mut Code) {
        let p = self.prefix.clone();
        self.need(input.need, &format!("len - {size}"), shape, code);
        let texts = self.begin_frame(input, size, code);
        let reaction = self.ask(Item::Reaction(input.layer, input.event), shape.is_some() || !self.level.is_quick());
        code.line(format!("{};", self.call_step(&reaction, &texts)));
        code.line(format!("{p}_finish(step);"));
        code.line(format!("return {p}_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;"));
    }

    /// Begins the step of a frame that was read into `whole`; returns the arguments of its event.
    pub fn begin_frame(&mut self, input: &PortInput, size: &str, code: &mut Code) -> Vec<String> {
        let p = self.prefix.clone();
        self.begin(code, Some((&format!("frame + {size}"), &format!("len - {size}"))));
        code.line(format!("whole.bytes = (struct {p}_bytes){{.block = {p}_IN, .offset = 0, .len = len - {size}}};"));
        let (mut texts, mut uses_from) = (vec![], false);
        let stack = self.stack;
        let declared = stack.event(input.event);
        for (i, parameter) in declared.parameters.iter().enumerate() {
            texts.push(match &parameter.ty {
                _ if declared.message == Some(i as u32) => match self.as_message("whole", 0, input.layer.index()) {
                    None => "whole".to_string(),
                    Some(initial) => format!("({}){initial}", self.message_type(input.layer.index())),
                },
                Type::Addr => {
                    uses_from = true;
                    "from == NULL ? (struct nacre_addr){.port = 0} : *from".into()
                }
                ty => match self.scalar(ty) {
                    Some(scalar) if declared.session == Some(i as u32) && stack.sessions_of(input.event) > 1 => {
                        format!("({})session", scalar.name())
                    }
                    Some(_) => "0".into(),
                    None => format!("({}){}", self.c_type(ty, 0), self.zero(ty)),
                },
            });
        }
        if !uses_from {
            code.line("(void)from;");
        }
        texts
    }
}
