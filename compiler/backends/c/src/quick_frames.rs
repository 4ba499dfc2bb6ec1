//! The quick entry of frames: for each common shape, which of its bypasses takes the frame, and what is returned then.

use nacre_analysis::quick::{delivery, Left, FRAMES};
use nacre_stack::*;

use crate::bypasses::fields_of;
use crate::choices::{self, Candidate};
use crate::code::Code;
use crate::functions::{Callee, Function, Linkage, Parameter};
use crate::globals::Global;
use crate::input::CommonShape;
use crate::known::Condition;
use crate::writer::Writer;

/// A bypass, whether an event leaves by it, and whether the data of the frame does.
type Quick = (usize, bool, bool);

impl Writer<'_> {
    /// The bypasses of a shape of frames that the quick entry tries.
    pub fn quick_frame(&self, entry: Entry) -> Vec<Quick> {
        let Entry::Frame(FRAMES, index) = entry else { return vec![] };
        let layout = self.stack.frames_at(FRAMES).map(|(_, layout)| &self.stack.layouts[layout.index()]);
        if self.has_sessions(FRAMES) || delivery(self.stack).is_none() {
            return vec![];
        }
        // A message of no bytes is not told from none.
        let has_data = layout.is_some_and(|layout| layout.shapes[index].may_have_data());
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

    /// The bypasses of a shape that the quick entry tries, in groups with functions of their own: those that deliver
    /// the data, or those of a shape without any; then those that keep data.
    fn quick_groups(&self, index: usize) -> Vec<Vec<Quick>> {
        let entry = Entry::Frame(FRAMES, index);
        let layout = self.stack.frames_at(FRAMES).map(|(_, layout)| &self.stack.layouts[layout.index()]);
        let has_data = layout.is_some_and(|layout| layout.shapes[index].may_have_data());
        let (first, rest) = self.quick_frame(entry).into_iter().partition(|(.., data)| *data || !has_data);
        [first, rest].into_iter().filter(|group: &Vec<Quick>| !group.is_empty()).collect()
    }

    /// The quick entry of frames. Each group of bypasses but the first has a function of its own, so that the registers
    /// that one needs cost no other.
    pub fn quick_input_function(&mut self) -> Code {
        let p = self.prefix.clone();
        let (mut code, mut main) = (Code::new(0), Code::new(1));
        self.quick_busy("(struct nacre_delivery){.at = NULL}", &mut main);
        main.line("const struct nacre_delivery nothing = {.at = NULL};");
        for (place, index) in self.quick_shapes().into_iter().enumerate() {
            let Some(common) = self.common(FRAMES, index) else { continue };
            let fits = format!("if ({p}_LIKELY({}))", common.fits);
            let mut otherwise = "nothing".to_string();
            for (number, group) in self.quick_groups(index).iter().enumerate().rev() {
                if (place, number) == (0, 0) {
                    main.open(format!("{fits} {{"));
                    self.quick_group(index, &common, group, &otherwise, &mut main);
                    main.close("}");
                    continue;
                }
                let name = self.global(Global::QuickShape(index, number), format!("quick_shape_{index}_{number}"));
                code.open(format!("{} {{", self.quick_input_head(&format!("{p}_APART "), &name[p.len() + 1..])));
                // It is called where the frame fits.
                code.line(format!("{p}_ASSUME({});", common.fits));
                code.line("const struct nacre_delivery nothing = {.at = NULL};");
                self.quick_group(index, &common, group, &otherwise, &mut code);
                code.close("}");
                code.line("");
                otherwise = format!("{name}(s, pool, counters, now, from, frame, len)");
            }
            if place > 0 {
                main.line(format!("{fits} {{ return {otherwise}; }}"));
            }
        }
        main.line("return nothing;");
        // Twice, as what gcc makes of a function that only calls the other is longer.
        for (word, name) in [(format!("{p}_INLINE "), "input_quick_in_place"), (String::new(), "input_quick")] {
            code.open(format!("{} {{", self.quick_input_head(&word, name)));
            code.add(&main);
            code.close("}");
            code.line("");
        }
        code
    }

    /// Takes a frame of a shape by the first bypass of a group whose condition holds. `otherwise`: what is returned if
    /// there is none.
    fn quick_group(&mut self, index: usize, common: &CommonShape, group: &[Quick], otherwise: &str, code: &mut Code) {
        let p = self.prefix.clone();
        let CommonShape { input, shape, .. } = common;
        let bypasses: Vec<usize> = group.iter().map(|(at, ..)| *at).collect();
        self.quick_out(2, &bypasses, "NULL", code);
        code.line("outputs[0].arguments[0] = 0; /* of an event without a number */");
        code.line(format!("{} whole = {{.data = false}};", self.message_type(0)));
        code.line(format!("if ({p}_UNLIKELY(!{})) {{ return nothing; }}", common.reads));
        let size = format!("{}u", shape.size);
        // Enough for a message in one block. The ordinary entry takes unused blocks: a call of what does so would make
        // this function save registers.
        let copies = if shape.data_max > 0 { input.need.copies } else { 0 };
        let enough = copies + input.need.extra;
        if self.is_limited(input.need) && enough > 0 {
            code.line(format!("if ({p}_UNLIKELY(pool->free < {enough}u)) {{ return nothing; }}"));
        }
        if shape.data_max > self.block_bytes() {
            // References to a message of several blocks are released at the end of a step, in `finish`.
            code.line(format!("if ({p}_UNLIKELY(len - {size} > {p}_BLOCK)) {{ return nothing; }}"));
        }
        let texts = self.begin_frame(input, &size, code);
        let fields = fields_of(self, Entry::Frame(FRAMES, index));
        let choosable = self.choosable(group).map_or(vec![], |(_, candidates)| candidates);
        let is_chosen = |one: &&Quick| choosable.iter().any(|(at, _)| *at == one.0);
        let (chosen, others): (Vec<&Quick>, Vec<&Quick>) = group.iter().partition(is_chosen);
        if let Some(which) = self.choice(group) {
            let arguments = self.bypass_arguments(chosen[0].0, &texts, &fields);
            code.open(format!("switch ({}) {{", self.call_step(&which, &arguments)));
            for one in chosen {
                let (taken, left) = (self.bypass_call(one.0, &texts, &fields), left_of(*one, &size));
                if !self.tells(one.0) {
                    code.line(format!("case {}u: {taken}; return {left};", one.0 + 1));
                    continue;
                }
                code.line(format!("case {}u:", one.0 + 1));
                code.line(format!("if ({p}_LIKELY({taken})) {{ return {left}; }}"));
                self.forget_made(one.0, code);
                code.line("break;");
            }
            code.line("default: break;");
            code.close("}");
        }
        for one in others {
            let taken = self.bypass_call(one.0, &texts, &fields);
            code.line(format!("if ({p}_LIKELY({taken})) {{ return {}; }}", left_of(*one, &size)));
            self.forget_made(one.0, code);
        }
        code.line(format!("return {otherwise};"));
    }

    /// The conditions of the bypasses of a group, as far as they are expressions, and their common parameters; none:
    /// there are none. Bypasses with other parameters ask their own conditions.
    fn choosable(&mut self, group: &[Quick]) -> Option<(Vec<Parameter>, Vec<Candidate>)> {
        let (mut common, mut candidates) = (None, vec![]);
        for (at, ..) in group {
            let Condition { parameters, expressions, .. } = self.condition_of_bypass(*at);
            if common.get_or_insert(parameters.clone()) == &parameters {
                candidates.push((*at, expressions));
            }
        }
        Some((common?, candidates))
    }

    /// Whether the entry of a bypass decides whether it takes an event.
    pub fn is_chosen(&mut self, at: usize) -> bool {
        let Entry::Frame(FRAMES, index) = self.stack.bypasses[at].entry else { return false };
        let groups = self.quick_groups(index);
        let Some(group) = groups.iter().find(|group| group.iter().any(|(other, ..)| *other == at)) else {
            return false;
        };
        self.choosable(group).is_some_and(|(_, candidates)| candidates.iter().any(|(other, _)| *other == at))
    }

    /// The function that tells which of the bypasses of a group takes the frame: its number plus one.
    fn choice(&mut self, group: &[Quick]) -> Option<Callee> {
        let (parameters, candidates) = self.choosable(group)?;
        let name = self.global(Global::QuickChoice(group[0].0), format!("quick_choice_{}", group[0].0));
        let (linkage, result) = (Linkage::InPlace, Some("uint32_t".into()));
        let unused: Vec<String> = parameters.iter().map(|parameter| format!("(void){};", parameter.name)).collect();
        let function = Function { linkage, result, ..Function::plain(name, parameters) };
        Some(self.step_helper(function, |w, code| {
            code.line("(void)step;");
            code.add_lines(unused);
            let take = |at, code: &mut Code| code.line(format!("return {}u;", at + 1));
            choices::write(&candidates, &format!("{}_LIKELY", w.prefix), code, &take);
            code.line("return 0;");
        }))
    }
}

/// What a quick entry returns for a frame that a bypass took: given its place, whether an event leaves in front, and
/// whether its data is delivered. `size`: the bytes of the head.
fn left_of((_, event, data): Quick, size: &str) -> String {
    let len = if data { format!("len - {size}") } else { "0".into() };
    let first = match event {
        true => "outputs[0].event, (uint16_t)outputs[0].arguments[0]",
        false => "NACRE_NONE, 0",
    };
    format!("(struct nacre_delivery){{frame + {size}, {len}, {first}}}")
}
