//! The world around two ends in Promela: the applications, a network, an observer. The same as [`nacre_checker::world`]'s.

use std::fmt::Write;

use nacre_checker::world::{message, Bounds, Observer};

use super::Broken;

/// As [`Bounds`]; a loss or duplication that is not limited can happen at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct World {
    pub messages: [u8; 2],
    pub size: usize,
    pub flight: usize,
    pub losses: Option<u8>,
    pub duplications: Option<u8>,
    pub fifo: bool,
    pub observer: Observer,
    /// Added to all sequence numbers of the first states, so that short runs meet the wrap.
    pub first: u64,
}

impl World {
    pub fn new(bounds: &Bounds, observer: Observer) -> World {
        let Bounds { messages, size, flight, losses, duplications, fifo } = *bounds;
        let (losses, duplications) = (Some(losses), Some(duplications));
        World { messages, size, flight, losses, duplications, fifo, observer, first: 0 }
    }

    /// What the explorer is told; what is not limited is more there than any run of ours has.
    pub fn bounds(&self) -> Bounds {
        let World { messages, size, flight, fifo, .. } = *self;
        let most = |n: Option<u8>| n.unwrap_or(u8::MAX);
        Bounds { messages, size, flight, losses: most(self.losses), duplications: most(self.duplications), fifo }
    }

    /// The model. `send`: the number of the call that sends.
    pub fn promela(&self, send: u32, timers: usize) -> Result<String, String> {
        if self.size == 0 || self.messages.iter().any(|m| *m > 31) {
            return Err("messages have at least one byte, and each end sends at most 31".into());
        }
        if self.flight == 0 || self.flight > 64 {
            return Err("the network has room for 1 to 64 frames each way".into());
        }
        let mut text = self.declarations(send);
        self.settle(&mut text);
        self.opening(&mut text);
        text += "end:\n    do\n";
        for end in 0..2 {
            self.actions(end, send, timers, &mut text);
        }
        if self.observer == Observer::Reliable {
            let broken = Broken::Stuck.number();
            let stuck = "(timeout && c_expr { OUTSTANDING })";
            let _ = writeln!(text, "    :: d_step {{ {stuck} -> broken = {broken}; VERDICT }}");
        }
        text += "    od\n}\n";
        Ok(text)
    }

    fn declarations(&self, send: u32) -> String {
        let [a, b] = self.messages;
        let mut asked = String::new();
        for (name, value) in self.asked(send) {
            let _ = writeln!(asked, "    \\#define {name} {value}");
        }
        let mut text = format!(
            "/* Two ends of an emitted stack, the applications above them and a network between them. A state of an end and a\n\
             \x20* string of bytes are numbers here: see harness.h. */\n\
             c_decl {{ \\#include \"harness.h\" }};\n\
             c_decl {{\n\
             {asked}}};\n\
             #define ROOM {} /* frames in flight each way; one more is dropped */\n\
             #define SENDS_A {a}\n\
             #define SENDS_B {b}\n\
             #define MESSAGE(end, number) (1 + (end) * SENDS_A + (number)) /* its bytes */\n\n\
             int ends[2];\n\
             int flight[{}]; /* towards each end: the frames, sorted unless they stay in order */\n\
             byte flying[2];\n\
             byte sent[2];\n",
            self.flight,
            2 * self.flight
        );
        if self.losses.is_some() {
            text += "byte losses;\n";
        }
        if self.duplications.is_some() {
            text += "byte duplications;\n";
        }
        if self.observer != Observer::None {
            text += "int came[2]; /* a bit for each message that came out at an end */\n";
        }
        text += "int i, k, count, port, what, broken; /* within a step; 0 between steps */\n\n";
        let verdict = "if :: broken != 0 -> printf(\"step: broken %d\\n\", broken) :: else fi; assert(broken == 0); i = 0; k = 0; count = 0; port = 0; what = 0";
        format!("{text}#define VERDICT {verdict}\n\n")
    }

    /// What expressions in C ask: SPIN 6.5 refuses calls there, but does not look through a name.
    fn asked(&self, send: u32) -> Vec<(String, String)> {
        let mut asked = vec![("BEFORE".to_string(), "nacre_before(now.what, now.flight[now.k - 1])".to_string())];
        for end in 0..2 {
            let at = format!("now.ends[{end}]");
            asked.push((format!("BUSY_{end}"), format!("nacre_busy({at})")));
            asked.push((format!("ARMED_{end}"), format!("nacre_armed({at})")));
            asked.push((format!("ACCEPTS_{end}"), format!("nacre_accepts({end}, {at}, {send}, {})", self.size)));
        }
        if self.observer == Observer::Reliable {
            let came = |end: usize| format!("__builtin_popcount(now.came[{end}]) < now.sent[{}]", 1 - end);
            asked.push(("OUTSTANDING".into(), format!("({} || {})", came(0), came(1))));
        }
        asked
    }

    /// What left an end goes where it belongs.
    fn settle(&self, text: &mut String) {
        let order = match self.fifo {
            true => String::new(),
            false => format!(
                "        do\n        :: (k > {0} && c_expr {{ BEFORE }}) -> flight[k] = flight[k - 1]; k--\n        :: else -> break\n        od;\n",
                "(1 - end) * ROOM"
            ),
        };
        let _ = write!(
            text,
            "inline launch(end) {{
    if
    :: flying[1 - end] < ROOM ->
        k = (1 - end) * ROOM + flying[1 - end];
{order}        flight[k] = what;
        flying[1 - end]++
    :: else
    fi
}}

"
        );
        self.judge(text);
        text.push_str(
            "inline settle(end) {
    c_code { now.count = nacre_left(); now.broken = nacre_broken(); };
    i = 0;
    do
    :: i < count ->
        c_code { now.port = nacre_left_port(now.i); now.what = nacre_left_bytes(now.i); };
        if
        :: what == 0 /* an event without a message */
        :: what != 0 && port == 0 -> launch(end)
        :: else -> judge(end)
        fi;
        i++
    :: else -> break
    od;
    VERDICT
}

inline take(end, place) { /* what is in flight closes up */
    what = flight[end * ROOM + place];
    flying[end]--;
    k = end * ROOM + place;
    do
    :: k < end * ROOM + flying[end] -> flight[k] = flight[k + 1]; k++
    :: else -> break
    od;
    flight[k] = 0
}

",
        );
    }

    fn judge(&self, text: &mut String) {
        let broken = |b: Broken| format!("broken = (broken -> broken : {})", b.number());
        text.push_str("inline judge(end) {\n");
        if self.observer == Observer::None {
            text.push_str("    skip\n}\n\n");
            return;
        }
        let _ = write!(
            text,
            "    k = what - MESSAGE(1 - end, 0);
    if
    :: (k < 0 || k >= sent[1 - end]) -> {}
    :: else ->
        if
        :: (came[end] >> k) & 1 -> {}\n",
            broken(Broken::NotSent),
            broken(Broken::Twice)
        );
        if self.observer != Observer::Once {
            let _ = writeln!(
                text,
                "        :: (((came[end] >> k) & 1) == 0 && (came[end] >> k) > 1) -> {}",
                broken(Broken::Overtaken)
            );
        }
        if self.observer == Observer::Reliable {
            let missing = "(came[end] >> k) == 0 && came[end] != (1 << k) - 1";
            let _ = writeln!(text, "        :: ({missing}) -> {}", broken(Broken::Missing));
        }
        text.push_str("        :: else\n        fi;\n        came[end] = came[end] | (1 << k)\n    fi\n}\n\n");
    }

    fn opening(&self, text: &mut String) {
        text.push_str("active proctype world() {\n    d_step {\n        c_code {\n");
        for end in 0..2 {
            for number in 0..self.messages[end] {
                let value = message(end, number, 1)[0];
                let _ = writeln!(text, "            nacre_bytes({value}, {});", self.size);
            }
        }
        text.push_str("        };\n");
        if let Some(n) = self.losses {
            let _ = writeln!(text, "        losses = {n};");
        }
        if let Some(n) = self.duplications {
            let _ = writeln!(text, "        duplications = {n};");
        }
        for end in 0..2 {
            let _ =
                writeln!(text, "        c_code {{ now.ends[{end}] = nacre_first({end}); }};\n        settle({end});");
        }
        text.push_str("        skip\n    };\n");
    }

    fn actions(&self, end: usize, send: u32, timers: usize, text: &mut String) {
        let mut action = |guard: String, step: String, what: String| {
            let _ = write!(
                text,
                "    :: d_step {{ ({guard}) ->\n        printf(\"step: {step}\\n\");\n        {what} }}\n"
            );
        };
        let free = format!("c_expr {{ !BUSY_{end} }}");
        let run = |call: &str| format!("c_code {{ now.ends[{end}] = nacre_{call}; }};\n        settle({end})");
        action(
            format!("c_expr {{ BUSY_{end} }}"),
            format!("later {end}"),
            run(&format!("later({end}, now.ends[{end}])")),
        );
        if self.messages[end] > 0 {
            let sends = ["SENDS_A", "SENDS_B"][end];
            let base = if end == 0 { "1".to_string() } else { format!("1 + {}", self.messages[0]) };
            let call = run(&format!("call({end}, now.ends[{end}], {send}, {base} + now.sent[{end}])"));
            // The message counts as sent before it can come out at the other end.
            action(
                format!("sent[{end}] < {sends} && c_expr {{ ACCEPTS_{end} }}"),
                format!("send {end}"),
                call.replacen("};", &format!("}};\n        sent[{end}]++;"), 1),
            );
        }
        let reach = if self.fifo { 1 } else { self.flight };
        for place in 0..reach {
            let at = end * self.flight + place;
            let mut there = format!("{place} < flying[{end}]");
            if place > 0 {
                let _ = write!(there, " && flight[{at}] != flight[{}]", at - 1);
            }
            let input = run(&format!("input({end}, now.ends[{end}], now.what)"));
            action(
                format!("{there} && {free}"),
                format!("deliver {end} {place}"),
                format!("take({end}, {place});\n        {input}"),
            );
            if self.losses != Some(0) {
                let (left, fewer) = budget("losses", self.losses);
                action(
                    format!("{there}{left}"),
                    format!("lose {end} {place}"),
                    format!("take({end}, {place}){fewer}; VERDICT"),
                );
            }
            if self.duplications != Some(0) {
                let (left, fewer) = budget("duplications", self.duplications);
                action(
                    format!("{there}{left} && {free}"),
                    format!("duplicate {end} {place}"),
                    format!("what = flight[{at}]{fewer};\n        {input}"),
                );
            }
        }
        for timer in 0..timers {
            action(
                format!("c_expr {{ ARMED_{end} > {timer} && !BUSY_{end} }}"),
                format!("timer {end} {timer}"),
                run(&format!("fire({end}, now.ends[{end}], {timer})")),
            );
        }
    }
}

fn budget(name: &str, limit: Option<u8>) -> (String, String) {
    match limit {
        Some(_) => (format!(" && {name} > 0"), format!("; {name}--")),
        None => (String::new(), String::new()),
    }
}
