//! Quick entries: they try the bypasses that leave no more than fits registers (`nacre_analysis::quick`), and return
//! it. The ordinary entries do the same first, in place.
//!
//! A bypass writes its outputs as anywhere, here to arrays of the entry. Everything is inlined, so the C compiler knows
//! each of their elements, and keeps none of the arrays. Other bytes that a bypass makes have an array of their own,
//! and the head of a frame is copied from there.

use nacre_analysis::quick::{delivery, handles_bytes, left_by, Left, Sent, FRAMES};
use nacre_stack::*;

use crate::code::Code;
use crate::entries::Call;
use crate::globals::Global;
use crate::writer::Writer;

const QUICK: &str = include_str!("support/quick.c");
/// The largest array for bytes that are made: it is on the stack.
const MADE: u32 = 16 << 10;

/// The bypasses that a quick entry tries for a call, and how their frames leave.
pub struct QuickCall {
    bypasses: Vec<usize>,
    sent: Sent,
}

impl Writer<'_> {
    /// What leaves by a bypass; none: more than a quick entry returns.
    pub fn left_by(&self, at: usize) -> Option<Left> {
        let fits = self.stack.bounds.scratch <= MADE || !self.handles_bytes(at);
        left_by(self.stack, &self.stack.bypasses[at]).filter(|_| fits)
    }

    /// Whether a bypass reads or makes bytes, which takes registers and time.
    pub fn handles_bytes(&self, at: usize) -> bool {
        handles_bytes(&self.stack.bypasses[at])
    }

    /// What the quick entry of a call does; none: it has none. Its frames leave by one event, to one address.
    pub fn quick_call(&self, entry: Entry) -> Option<QuickCall> {
        let left = self.bypasses_of(entry).into_iter().filter_map(|at| match self.left_by(at)? {
            Left::Frame(sent) => Some((at, sent)),
            Left::Delivery { .. } => None,
        });
        let mut left: Vec<(usize, Sent)> = left.collect();
        self.prefer_short(&mut left, |(at, _)| *at);
        let sent = left.first()?.1;
        let bypasses = left.iter().filter(|(_, other)| *other == sent).map(|(at, _)| *at).collect();
        Some(QuickCall { bypasses, sent })
    }

    /// Leaves long bypasses to the ordinary entry, if others are short.
    pub fn prefer_short<T>(&self, bypasses: &mut Vec<T>, at: impl Fn(&T) -> usize) {
        let short = |one: &T| !self.handles_bytes(at(one));
        if bypasses.iter().any(short) {
            bypasses.retain(short);
        }
    }

    /// The bypasses of an entry that its quick entry does not try.
    pub fn slower_bypasses(&self, entry: Entry) -> Vec<usize> {
        let mut all = self.bypasses_of(entry);
        let quick = match entry {
            Entry::Call(..) => self.quick_call(entry).map_or(vec![], |quick| quick.bypasses),
            _ => self.quick_frame(entry).into_iter().map(|(at, ..)| at).collect(),
        };
        all.retain(|at| !quick.contains(at));
        all
    }

    /// The call of the event by which the application sends, if there is one such event and it has a quick entry.
    pub fn quick_sending(&self) -> Option<(Call, QuickCall)> {
        let is_sending = |call: &Call| {
            let event = self.stack.ports[call.port].inputs[call.input].event;
            self.stack.event(event).role == EventRole::Sending
        };
        let mut all = self.calls().into_iter().filter(is_sending);
        let call = all.next().filter(|_| all.next().is_none())?;
        self.quick_call(call.entry()).map(|quick| (call, quick))
    }

    /// The name of the quick entry of a call.
    pub fn quick_name(&self, call: &Call) -> String {
        self.global(Global::Quick(call.number), format!("{}_quick", call.name))
    }

    /// The name of what it does, for inlining into both entries of the call.
    fn quick_name_in_place(&self, call: &Call) -> String {
        self.global(Global::QuickInPlace(call.number), format!("{}_quick_in_place", call.name))
    }

    fn quick_call_head(&self, word: &str, name: &str) -> String {
        let p = &self.prefix;
        format!(
            "{word}uint32_t {name}(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now, \
             const uint8_t *data, uint32_t len, uint8_t *head)"
        )
    }

    /// Prototypes of the quick entries.
    pub fn quick_prototypes(&self, code: &mut Code) {
        for call in self.calls().iter().filter(|call| self.quick_call(call.entry()).is_some()) {
            code.line("/* As send_quick in struct nacre_stack. */");
            code.line(format!("{};", self.quick_call_head("", &self.quick_name(call))));
        }
        if self.has_quick_input() {
            code.line("/* As input_quick in struct nacre_stack. */");
            code.line(format!("{};", self.quick_input_head("", "input_quick")));
        }
    }

    /// Where a bypass of a quick entry writes what leaves. `head`: where a head goes, unless other bytes are made.
    /// Returns whether they are.
    pub fn quick_out(&self, outputs: u32, bypasses: &[usize], head: &str, code: &mut Code) -> bool {
        let makes = bypasses.iter().any(|at| self.handles_bytes(*at));
        let (bytes, most) = if makes { ("made", self.stack.bounds.scratch) } else { (head, self.longest_frame_head()) };
        if makes {
            code.line(format!("uint8_t made[{}];", most.max(1)));
        }
        code.line(format!("struct nacre_output outputs[{outputs}];"));
        code.line("struct nacre_segment segments[2];");
        let arrays = ".outputs = outputs, .segments = segments, .bytes = ";
        let bounds = format!(".outputs_max = {outputs}, .segments_max = 2, .bytes_max = {most}");
        code.line(format!("struct nacre_out left = {{{bounds}, {arrays}{bytes}}};"));
        code.line("struct nacre_out *const out = &left;");
        makes
    }

    /// Nothing is taken while events of an earlier step wait.
    pub fn quick_busy(&self, nothing: &str, code: &mut Code) {
        if !self.put_off.is_empty() {
            code.line(format!("if ({0}_UNLIKELY(s->waiting.len != 0)) {{ return {nothing}; }}", self.prefix));
        }
    }

    /// The quick entry of a call.
    pub fn quick_call_function(&mut self, call: &Call, quick: &QuickCall) -> Code {
        let p = self.prefix.clone();
        let input = &self.stack.ports[call.port].inputs[call.input];
        let mut code = Code::new(0);
        let in_place = self.quick_name_in_place(call);
        code.open(format!("{} {{", self.quick_call_head(&format!("{p}_INLINE "), &in_place)));
        self.quick_busy("0", &mut code);
        let makes = self.quick_out(1, &quick.bypasses, "head", &mut code);
        self.begin_or(&mut code, Some(("data", "len")), "0");
        let texts = self.entry_arguments(input.event, Target::Layer(input.layer), &mut code);
        if !input.admissions.is_empty() {
            let admitted = self.call_step(&self.admission(call).callee(), &texts);
            code.line(format!("if ({p}_UNLIKELY(!{admitted})) {{ return 0; }}"));
        }
        if self.is_limited(input.need) {
            code.line(format!("if ({p}_UNLIKELY({})) {{ return 0; }}", self.is_not_short(input)));
        }
        for at in &quick.bypasses {
            let taken = self.bypass_call(*at, &texts, &[]);
            code.open(format!("if ({p}_LIKELY({taken})) {{"));
            if makes {
                code.line("memcpy(head, segments[0].at, segments[0].len);");
            }
            code.line("return segments[0].len;");
            code.close("}");
            self.forget_made(*at, &mut code);
        }
        code.line("return 0;");
        code.close("}");
        code.line("");
        code.open(format!("{} {{", self.quick_call_head("", &self.quick_name(call))));
        code.line(format!("return {in_place}(s, pool, counters, now, data, len, head);"));
        code.close("}");
        code.line("");
        code
    }

    /// What the condition of a bypass has made is of no use where it does not hold.
    pub fn forget_made(&self, at: usize, code: &mut Code) {
        if self.handles_bytes(at) {
            code.line("step->bytes = 0;");
        }
    }

    /// Tries the quick entry of a call in the ordinary one.
    pub fn try_quick_call(&self, call: &Call, quick: &QuickCall, code: &mut Code) {
        let p = &self.prefix;
        let name = self.quick_name_in_place(call);
        code.line(format!("const uint32_t head = {name}(s, pool, counters, now, data, len, out->bytes);"));
        code.open(format!("if ({p}_LIKELY(head != 0)) {{"));
        if let Some(to) = quick.sent.to {
            code.line(format!("out->outputs->address = s->{};", self.cell_member(to)));
        }
        let event = self.output_number(FRAMES, quick.sent.event);
        code.line(format!("return {p}_left_frame(out, {event}, head, data, len);"));
        code.close("}");
    }

    /// Tries the quick entry of frames in the ordinary one.
    pub fn try_quick_input(&self, code: &mut Code) {
        let p = &self.prefix;
        let arguments = "s, pool, counters, now, from, frame, len";
        code.line(format!("const struct nacre_delivery quick = {p}_input_quick_in_place({arguments});"));
        code.line(format!("if ({p}_LIKELY(quick.at != NULL)) {{ return {p}_left_delivery(out, quick); }}"));
    }

    /// A cell, as a member of the state.
    fn cell_member(&self, id: CellId) -> String {
        let layer = self.stack.cell(id).layer.index();
        format!("{}.{}", self.layer_names[layer], self.cell_names[id.index()])
    }

    /// For drivers of any stack.
    pub fn any_quick(&self) -> String {
        let mut text = String::new();
        if let Some((call, _)) = self.quick_sending() {
            text += &self.of_texts(QUICK, "any_send", &[("name", self.quick_name(&call))]);
            text.push('\n');
        }
        if self.has_quick_input() {
            text += &self.of_texts(QUICK, "any_input", &[]);
            text.push('\n');
        }
        text
    }

    /// The members of the descriptor.
    pub fn quick_members(&self, code: &mut Code) {
        let p = &self.prefix;
        let to = match self.quick_sending() {
            Some((_, quick)) => {
                code.line(format!(".send_quick = {p}_any_send_quick,"));
                quick.sent.to.map(|cell| self.cell_member(cell))
            }
            None => None,
        };
        if self.has_quick_input() {
            code.line(format!(".input_quick = {p}_any_input_quick,"));
        }
        let to = to.map(|member| format!("offsetof(struct {p}_state, {member})"));
        code.line(format!(".quick_to = {},", to.unwrap_or("UINT32_MAX".into())));
    }

    /// What turns the results of quick entries into outputs.
    pub fn quick_support(&self) -> String {
        let mut text = String::new();
        if self.calls().iter().any(|call| self.quick_call(call.entry()).is_some()) {
            text += &self.of_texts(QUICK, "frame", &[]);
            text.push('\n');
        }
        if let (true, Some(delivery)) = (self.has_quick_input(), delivery(self.stack)) {
            let event = self.output_number(delivery.port, delivery.event).to_string();
            text += &self.of_texts(QUICK, "delivery", &[("port", delivery.port.0.to_string()), ("event", event)]);
            text.push('\n');
        }
        text
    }
}
