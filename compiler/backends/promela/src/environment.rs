//! What is round the two ends: the application, the network and the observer.

use nacre_stack::*;

use crate::writer::{Frame, Writer};
use crate::Observer;

impl Writer<'_> {
    /// The network's and the observer's inlines, which the stack uses: `send_frame` and `deliver`.
    pub fn environment(&mut self) -> String {
        let room = self.bounds.flight;
        let send = self.inline(
            "send_frame",
            &["M".into()],
            "The network takes a frame, if there is room.",
            Frame::default(),
            |w| {
                w.line("if");
                w.option(format!("flight[1 - me].n < {room}"));
                if w.bounds.fifo {
                    w.copy(&Type::Msg, "flight[1 - me].f[flight[1 - me].n]", "M");
                } else {
                    // Sorted, so that equal bags are equal states.
                    w.line("i_place = flight[1 - me].n;");
                    let order = w.hide("i_order", &Type::UInt(8));
                    w.line("do");
                    w.line(":: i_place == 0 -> break");
                    w.otherwise();
                    w.line(format!("{order} = 0;"));
                    let text = w.order_text(&Type::Msg, &order, "M", "flight[1 - me].f[i_place - 1]");
                    w.line(text);
                    w.line("if");
                    w.option(format!("{order} == 1"));
                    w.copy(&Type::Msg, "flight[1 - me].f[i_place]", "flight[1 - me].f[i_place - 1]");
                    w.line("i_place--");
                    w.end_option();
                    w.line(":: else -> break");
                    w.line("fi");
                    w.end_option();
                    w.line("od;");
                    w.copy(&Type::Msg, "flight[1 - me].f[i_place]", "M");
                }
                w.line("flight[1 - me].n++");
                w.end_option();
                w.line(":: else");
                w.line("fi");
            },
        );
        let remove = self.inline("remove_frame", &["X".into(), "K".into()], "", Frame::default(), |w| {
            w.line("i_place = K;");
            w.line("do");
            w.option("i_place + 1 < X.n");
            w.copy(&Type::Msg, "X.f[i_place]", "X.f[i_place + 1]");
            w.line("i_place++");
            w.end_option();
            w.line(":: else -> break");
            w.line("od;");
            w.line("X.n--;");
            w.zero(&Type::Msg, "X.f[X.n]");
        });
        let deliver = self.deliver();
        let offer = self.offer();
        [send, remove, deliver, offer].join("\n")
    }

    /// The observer.
    pub fn deliver(&mut self) -> String {
        let (size, most, observer) = (self.bounds.size, self.most(), self.bounds.observer);
        self.inline("deliver", &["M".into()], "The observer sees a message come out.", Frame::default(), |w| {
            if observer == Observer::None {
                return;
            }
            w.line("came_number = (M.b[0] & 127) - 1;");
            let whole: Vec<String> = (1..size).map(|i| format!(" || M.b[{i}] != M.b[0]")).collect();
            let ours =
                format!("M.n != {size} || (M.b[0] >> 7) != 1 - me || came_number >= sent[1 - me]{}", whole.join(""));
            w.broken_if(&ours, "a message came out that was not sent");
            w.broken_if("delivered[me].seen[came_number]", "a message came out twice");
            if matches!(observer, Observer::Ordered | Observer::Reliable) {
                let later: Vec<String> =
                    (1..most).map(|i| format!("(came_number < {i} && delivered[me].seen[{i}])")).collect();
                if !later.is_empty() {
                    w.broken_if(&later.join(" || "), "a message came out after a later one");
                }
            }
            if observer == Observer::Reliable && most > 1 {
                let early: Vec<String> =
                    (0..most - 1).map(|i| format!("(came_number > {i} && !delivered[me].seen[{i}])")).collect();
                w.broken_if(&early.join(" || "), "a message came out before an earlier one");
            }
            w.line("delivered[me].seen[came_number] = 1");
        })
    }

    /// The application's next message.
    pub fn offer(&mut self) -> String {
        let size = self.bounds.size;
        self.inline("offer", &[], "The application's next message.", Frame::default(), |w| {
            w.zero(&Type::Msg, "offered_message");
            w.line(format!("offered_message.is_data = 1; offered_message.n = {size};"));
            for i in 0..size {
                w.line(format!("offered_message.b[{i}] = (me << 7) | (sent[me] + 1);"));
            }
        })
    }

    /// What the network does by itself, and what must not be stuck.
    pub fn network(&self) -> String {
        let reach = if self.bounds.fifo { 1 } else { self.bounds.flight };
        let mut lines = vec![
            "/* The network loses frames. */".to_string(),
            "active proctype network() {".into(),
            "    bit way;".into(),
        ];
        lines.push("    byte lost;\nend:\n    do\n    :: atomic {\n        if".into());
        for way in 0..2 {
            for at in 0..reach {
                lines.push(format!(
                    "        :: opened == 2 && losses > 0 && flight[{way}].n > {at} -> way = {way}; lost = {at}"
                ));
            }
        }
        lines.push("        :: false".into());
        lines.push("        fi;\n        d_step {\n            printf(\"step: frame %d towards %c is lost\\n\", lost, 97 + way);".into());
        lines.push("            remove_frame(flight[way], lost);\n            losses--; way = 0; lost = 0\n        }\n    }\n    od\n}\n".into());
        if self.bounds.observer == Observer::Reliable {
            let most = self.most();
            let came = |end: usize| -> String {
                (0..most).map(|i| format!("delivered[{end}].seen[{i}]")).collect::<Vec<_>>().join(" + ")
            };
            lines.push("/* When nothing can happen any more, all that was sent has come out. */".into());
            lines.push("active proctype watch() {\nend:\n    do\n    :: atomic { timeout ->".into());
            lines.push(format!("        if :: ({} < sent[0]) || ({} < sent[1]) ->", came(1), came(0)));
            lines.push("            printf(\"step: messages are outstanding, and nothing can happen any more\\n\"); assert(false)".into());
            lines.push("        :: else\n        fi }\n    od\n}\n".into());
        }
        lines.join("\n")
    }
}
