//! Messages as automata store them, and frames as bytes.
//!
//! A network that damages frames stores them as bytes: a message is packed when it leaves an endpoint, and parsed when
//! it arrives. All other networks store the messages themselves, which are smaller and easier to read. Automata above
//! an endpoint observe only the data.

use std::fmt::Write;

use nacre_stack::*;

use crate::bytes::BUFFER;
use crate::refusal::{Counted, Reason};
use crate::report::{within, Limit};
use crate::term::Term;
use crate::types::{is_scalar, plain, Field, Shape};
use crate::world::COMMON_CAUSES;
use crate::writer::{Frame, Writer};

impl Writer<'_> {
    /// Replaces `turned`, a length in bytes, by the number of any bit within it, if it is not 0. Every choice takes the
    /// same number of steps: SPIN, which searches short runs, would revisit states that it reaches by a shorter path.
    /// No hidden variable has been used before the choice.
    pub fn any_bit(&self) -> String {
        let bytes = 0..self.frame_size.unwrap_or(0);
        let bytes: Vec<String> = bytes.map(|n| format!(":: turned > {n} -> turned = {}", 8 * n)).collect();
        let bits: Vec<String> = (0..8).map(|n| format!(":: turned = turned + {n}")).collect();
        format!("if\n:: turned > 0 ->\nif {} fi;\nif {} fi\n:: else\nfi;", bytes.join(" "), bits.join(" "))
    }

    /// Selects the damaged bit of the transition that begins the step. `moves`: the damaged frame of each transition.
    pub fn turns(&mut self, moves: &[Option<&str>]) {
        let damage = moves.iter().enumerate().filter_map(|(at, frame)| Some((at, (*frame)?)));
        let options: Vec<String> =
            damage.map(|(at, frame)| format!(":: cause == {} -> turned = {frame}.n", COMMON_CAUSES + at)).collect();
        if !options.is_empty() {
            self.line(format!("if\n{}\n:: else\nfi;\n{}", options.join("\n"), self.any_bit()));
        }
    }

    /// Writes the option of a network that damages frames by internal transitions: for each, its condition, its frame
    /// and its effects.
    pub fn damaging(&self, moves: &[(String, String, String)]) -> String {
        if moves.is_empty() {
            return String::new();
        }
        let (mut which, mut then) = (String::new(), String::new());
        for (at, (when, frame, body)) in moves.iter().enumerate() {
            let _ = writeln!(which, "       :: {when} -> cause = {at}; turned = {frame}.n");
            let _ = writeln!(then, "       :: cause == {at} -> d_step {{ {body}; cause = 0; turned = 0 }}");
        }
        format!("    :: atomic {{\n       if\n{which}       fi;\n{}\n       if\n{then}       fi }}\n", self.any_bit())
    }

    /// Switches the model to frames of bytes.
    pub fn pack_frames(&mut self) {
        let sizes = || self.stack.layouts.first().into_iter().flat_map(|l| &l.shapes).map(|s| s.size);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        let size = self.capacity + most;
        if size > BUFFER {
            self.refuse(Reason::Size(Counted::FrameBytes, size.into()));
        }
        // A damaged frame may be parsed as a shape with fewer bytes of headers.
        self.capacity = size - least;
        self.frame_size = Some(size);
    }

    /// The typedefs of messages in automata, their macros, and the messages in transit between an endpoint and the
    /// network.
    pub fn carried(&mut self) -> String {
        let mut text = String::from("/* Messages in automata. */\n");
        let bytes = |count| Field { name: "b".into(), ty: Shape::Number("byte"), count: Some(count) };
        let of = |count| vec![plain("n", Shape::Number("byte")), bytes(count)];
        let data = of(self.capacity);
        self.typedef("data", &data);
        text += &self.macros("DATA", &data);
        match self.frame_size {
            None => text += &self.macros("MESSAGE", &self.message_fields()),
            Some(size) => {
                let frame = of(size);
                self.typedef("frame", &frame);
                text += &self.macros("FRAME", &frame);
                self.hidden
                    .push("hidden frame left_frame, damaged_frame, arrived_frame;\nhidden byte is_frame;".into());
                text += "inline turn_bit() {\n    damaged_frame.b[turned / 8] = damaged_frame.b[turned / 8] ^ (1 << \
                    (turned % 8))\n}\n";
            }
        }
        text
    }

    /// The path of every number in a value, relative to the value.
    fn number_paths(&self, fields: &[Field], before: &str, to: &mut Vec<String>) {
        for field in fields {
            let places = match field.count {
                None => vec![format!("{before}.{}", field.name)],
                Some(n) => (0..n).map(|i| format!("{before}.{}[{i}]", field.name)).collect(),
            };
            for place in places {
                match &field.ty {
                    Shape::Of(ty) if !is_scalar(ty) => self.number_paths(&self.fields(ty), &place, to),
                    _ => to.push(place),
                }
            }
        }
    }

    /// The macros that automata use for messages of these fields.
    fn macros(&self, of: &str, fields: &[Field]) -> String {
        let mut paths = vec![];
        self.number_paths(fields, "", &mut paths);
        let mut before = "0".to_string();
        for path in paths.iter().rev() {
            before = format!("(A{path} < B{path} || (A{path} == B{path} && {before}))");
        }
        let same: Vec<String> = paths.iter().map(|p| format!("A{p} == B{p}")).collect();
        let (a, b) = ("A".to_string(), "B".to_string());
        let statements = |lines: Vec<String>| lines.join(" ").trim_end_matches(';').to_string();
        let copy = statements(self.spread(fields, &[a.clone(), b], &|p| format!("{} = {};", p[0], p[1])));
        let clear = statements(self.spread(fields, &[a], &|p| format!("{} = 0;", p[0])));
        format!(
            "#define COPY_{of}(A, B) {copy}\n#define CLEAR_{of}(A) {clear}\n#define SAME_{of}(A, B) ({})\n#define \
             {of}_BEFORE(A, B) {before}\n",
            same.join(" && "),
        )
    }

    /// Packs the message that leaves an endpoint into `left_frame`, if frames are packed.
    pub fn pack_frame(&mut self, event: EventId, message: &str) {
        let (Some(size), Some(layout)) = (self.frame_size, self.stack.layouts.first()) else { return };
        if self.stack.event(event).message.is_none() {
            return;
        }
        // If several shapes have the headers, the shape of the event is used.
        let (mut shapes, others): (Vec<_>, Vec<_>) = layout.shapes.iter().partition(|s| s.event == event);
        shapes.extend(others);
        let name = format!("pack_frame_{}", event.0);
        let text =
            self.inline(&name, &["X", "M"].map(String::from), "A frame for the network.", Frame::default(), |w| {
                w.line("CLEAR_FRAME(X);");
                w.write_one_of(layout, &shapes);
                w.line(within(&format!("X.n + M.n <= {size}"), Limit::Length));
                w.line("i_at = 0;");
                w.line("do :: i_at < M.n -> put_byte(X, M.b[i_at]); i_at++ :: else -> break od;");
            });
        self.helpers.push(text);
        self.line(format!("{name}(left_frame, {message});"));
    }

    /// Puts an event of the network into the empty queue; a frame is parsed by [`Writer::parses`], which is written
    /// once.
    pub fn arrives(&mut self, input: &PortInput, given: &[(String, Term)]) {
        let message = given.iter().position(|(place, _)| place == "m");
        let (Some(_), Some(at)) = (self.frame_size, message) else { return self.put(input, given) };
        let mut others = given.to_vec();
        let (_, frame) = others.remove(at);
        self.put(input, &others);
        self.line(format!("COPY_FRAME(arrived_frame, {frame}); is_frame = 1;"));
    }

    /// Parses a frame; one that cannot be parsed has no effect.
    pub fn parses(&mut self) {
        if self.frame_size.is_none() {
            return;
        }
        self.line("if");
        self.option("is_frame");
        self.open_text("d_step {");
        self.parse(LayoutId(0), "arrived_frame", "queue[0].m", "is_frame");
        self.line("if :: is_frame -> is_frame = 0 :: else -> queue_end = 0; queue_n = 0 fi");
        self.close("}");
        self.end_option();
        self.line(":: else\n    fi;");
    }
}
