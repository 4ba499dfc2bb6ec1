//! The quick entry of frames: for each common shape, which of its bypasses takes the frame, and what is returned then.

use nacre_analysis::quick::{delivery, Left, FRAMES};
use nacre_stack::*;

use crate::bypasses::fields_of;
use crate::choices::{self, Candidate};
use crate::code::Code;
use crate::functions::{Callee, Function, Linkage, Parameter};
use crate::globals::Global;
use crate::input::CommonShape;
use crate::writer::Writer;

impl Writer<'_> {
    /// The bypasses of a shape of frames that the quick entry tries, and what leaves by each.
    pub fn quick_frame(&self, entry: Entry) -> Vec<(usize, bool, bool)> {
        let Entry::Frame(FRAMES, index) = entry else { return vec![] };
        let layout = self.stack.frames_at(FRAMES).map(|(_, layout)| &self.stack.layouts[layout.index()]);
        if self.has_sessions(FRAMES) || delivery(self.stack).is_none() {
            return vec![];
        }
        // A message of no bytes is not told from none.
        let has_data = layout.is_some_and(|layout| layout.shapes[index].data && layout.shapes[index].data_max > 0);
        let left = self.bypasses_of(entry).into_iter().filter_map(|at| match self.left_by(at)? {
            Left::Delivery { event, data } if has_data || !data => Some((at, event, data)),
            _ => None,
        });
        let mut left = left.collect();
        self.prefer_short(&mut left, |(at, ..)| *at);
        left
    }

    /// The shapes of frames that the quick entry takes.
    fn quick_shapes(&self) -> Vec<usize> {
        let shapes = self.common_shapes(FRAMES).into_iter();
        shapes.filter(|at| !self.quick_frame(Entry::Frame(FRAMES, *at)).is_empty()).collect()
    }

    /// Whether frames have a quick entry.
    pub fn has_quick_input(&self) -> bool {
        !self.quick_shapes().is_empty()
    }

    /// The head of a function that takes frames as the quick entry does.
    pub fn quick_input_head(&self, word: &str, name: &str) -> String {
        let p = &self.prefix;
        format!(
            "{word}struct nacre_delivery {p}_{name}(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, \
             uint64_t now, const struct nacre_addr *from,\n        const uint8_t *frame, uint32_t len)"
        )
    }

    /// The quick entry of frames. Each shape but the first has a function of its own, so that what one needs of the
    /// registers costs no other.
    pub fn quick_input_function(&mut self) -> Code {
        let p = self.prefix.clone();
        let (mut code, mut main) = (Code::new(0), Code::new(0));
        main.open(format!("{} {{", self.quick_input_head("", "input_quick")));
        self.quick_busy("(struct nacre_delivery){.at = NULL}", &mut main);
        for (place, index) in self.quick_shapes().into_iter().enumerate() {
            let Some(common) = self.common(FRAMES, index) else { continue };
            if place == 0 {
                self.quick_shape_begins(index, &mut main);
                main.open(format!("if ({p}_LIKELY({} && {})) {{", common.fits, common.reads));
                self.quick_shape(index, &common, &mut main);
                main.close("}");
                continue;
            }
            let name = self.global(Global::QuickShape(index), format!("quick_shape_{index}"));
            code.open(format!("{} {{", self.quick_input_head(&format!("{p}_APART "), &name[p.len() + 1..])));
            self.quick_shape_begins(index, &mut code);
            code.line(format!("if ({p}_UNLIKELY(!{})) {{ return nothing; }}", common.reads));
            self.quick_shape(index, &common, &mut code);
            code.line("return nothing;");
            code.close("}");
            code.line("");
            let call = format!("{name}(s, pool, counters, now, from, frame, len)");
            main.line(format!("if ({p}_LIKELY({})) {{ return {call}; }}", common.fits));
        }
        main.line("return nothing;");
        main.close("}");
        main.line("");
        code.add(&main);
        code
    }

    /// What the code for a shape of frames declares.
    fn quick_shape_begins(&mut self, index: usize, code: &mut Code) {
        code.line("const struct nacre_delivery nothing = {.at = NULL};");
        let bypasses: Vec<usize> =
            self.quick_frame(Entry::Frame(FRAMES, index)).into_iter().map(|(at, ..)| at).collect();
        self.quick_out(2, &bypasses, "NULL", code);
        code.line("outputs[0].arguments[0] = 0; /* of an event without a number */");
        code.line(format!("{} whole = {{.data = false}};", self.message_type(0)));
    }

    /// Takes a frame of a shape that was read into `whole` by the first of its bypasses whose condition holds.
    fn quick_shape(&mut self, index: usize, common: &CommonShape, code: &mut Code) {
        let p = self.prefix.clone();
        let entry = Entry::Frame(FRAMES, index);
        let CommonShape { input, shape, .. } = common;
        let size = format!("{}u", shape.size);
        if let Some(lacks) = self.lacks(input.need, &format!("len - {size}"), Some(shape)) {
            code.line(format!("if ({p}_UNLIKELY({lacks})) {{ return nothing; }}"));
        }
        if shape.data_max > self.block_bytes() {
            // References to a message of several blocks are released at the end of a step, in `finish`.
            code.line(format!("if ({p}_UNLIKELY(len - {size} > {p}_BLOCK)) {{ return nothing; }}"));
        }
        let texts = self.begin_frame(input, &size, code);
        let fields = fields_of(self, entry);
        let choosable = self.choosable(entry).map_or(vec![], |(_, candidates)| candidates);
        let is_chosen = |one: &(usize, bool, bool)| choosable.iter().any(|(at, _)| *at == one.0);
        let (chosen, others): (Vec<_>, Vec<_>) = self.quick_frame(entry).into_iter().partition(is_chosen);
        if let Some(which) = self.choice(entry) {
            let arguments = self.bypass_arguments(chosen[0].0, &texts, &fields);
            code.open(format!("switch ({}) {{", self.call_step(&which, &arguments)));
            for one in chosen {
                let taken = self.bypass_call(one.0, &texts, &fields);
                code.line(format!("case {}u: {taken}; return {};", one.0 + 1, left_of(one, &size)));
            }
            code.line(if others.is_empty() { "default: return nothing;" } else { "default: break;" });
            code.close("}");
        }
        for one in others {
            let taken = self.bypass_call(one.0, &texts, &fields);
            code.line(format!("if ({p}_LIKELY({taken})) {{ return {}; }}", left_of(one, &size)));
            self.forget_made(one.0, code);
        }
    }

    /// The conditions of the bypasses of a shape of frames that take no statements, and their common parameters; none:
    /// there are none. Others ask their own conditions.
    fn choosable(&mut self, entry: Entry) -> Option<(Vec<Parameter>, Vec<Candidate>)> {
        let (mut common, mut candidates) = (None, vec![]);
        for (at, ..) in self.quick_frame(entry) {
            if self.handles_bytes(at) {
                continue;
            }
            let Some((parameters, parts)) = self.condition_of_bypass(at) else { continue };
            if common.get_or_insert(parameters.clone()) == &parameters {
                candidates.push((at, parts));
            }
        }
        Some((common?, candidates))
    }

    /// Whether the entry of a bypass decides whether it takes an event.
    pub fn is_chosen(&mut self, at: usize) -> bool {
        let entry = self.stack.bypasses[at].entry;
        self.choosable(entry).is_some_and(|(_, candidates)| candidates.iter().any(|(other, _)| *other == at))
    }

    /// The function that tells which of the bypasses of a shape of frames takes the frame: its number plus one.
    fn choice(&mut self, entry: Entry) -> Option<Callee> {
        let Entry::Frame(_, index) = entry else { return None };
        let (parameters, candidates) = self.choosable(entry)?;
        let name = self.global(Global::QuickChoice(index), format!("quick_choice_{index}"));
        let (linkage, result) = (Linkage::InPlace, Some("uint32_t".into()));
        let unused: Vec<String> = parameters.iter().map(|parameter| format!("(void){};", parameter.name)).collect();
        let function = Function { linkage, result, ..Function::plain(name, parameters) };
        Some(self.step_helper(function, |w, code| {
            code.line("(void)step;");
            code.add_lines(unused);
            choices::write(&candidates, &format!("{}_LIKELY", w.prefix), code);
            code.line("return 0;");
        }))
    }
}

/// What a quick entry returns for a frame that a bypass took: given its place, whether an event leaves in front, and
/// whether its data is delivered. `size`: the bytes of the head.
fn left_of((_, event, data): (usize, bool, bool), size: &str) -> String {
    let len = if data { format!("len - {size}") } else { "0".into() };
    let first = match event {
        true => "outputs[0].event, (uint16_t)outputs[0].arguments[0]",
        false => "NACRE_NONE, 0",
    };
    format!("(struct nacre_delivery){{frame + {size}, {len}, {first}}}")
}
