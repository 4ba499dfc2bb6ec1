//! User-defined interfaces without the library's `floor`: for any events, with and without messages, and any handlers
//! (pass, drop, answer, none), a stack is either rejected with an error, or compiles at every level and behaves
//! equally.

use nacre_driver::Session;
use nacre_simulator::endpoint::{Address, Maker, Opening};
use nacre_simulator::interface::Interface;
use nacre_stack::interpret::SplitMix64;
use nacre_tests::machines::{Machines, LEVELS};

/// The events of every interface: direction, name, parameters.
const EVENTS: &[(&str, &str, &str)] = &[
    ("down", "send", "m: msg"),
    ("up", "deliver", "m: msg"),
    ("down", "note", "m: msg"),
    ("up", "heard", "m: msg"),
    ("up", "late", "k: u8, m: msg"),
    ("down", "ask", "k: u8"),
    ("up", "told", "k: u8"),
    ("down", "flush", ""),
    ("up", "flushed", ""),
];

struct Writer {
    dice: SplitMix64,
    text: String,
}

impl Writer {
    fn chance(&mut self, percent: u64) -> bool {
        self.dice.below(100) < percent
    }

    /// The body of a handler of an event; `back` are the events in the other direction.
    fn body(&mut self, message: Option<&str>, headers: &[&str], down: bool, back: &[usize]) -> String {
        let answer = back.get(self.dice.below(back.len().max(1) as u64) as usize).map(|index| EVENTS[*index]);
        let side = if down { "above" } else { "below" };
        let pushed = |writer: &mut Writer, message: &str| match headers {
            [] => message.to_string(),
            _ => format!("{message} + {} {{ n: k }}", headers[writer.dice.below(headers.len() as u64) as usize]),
        };
        match (message, self.dice.below(6), answer) {
            (None, 0 | 1, Some((_, name, parameters))) if !parameters.contains("msg") => {
                format!("{side}.{name}({});", if parameters.is_empty() { "" } else { "k" })
            }
            (None, 2, _) => "count seen;".into(),
            (None, ..) => "pass;".into(),
            (Some(m), 0, _) => format!("count seen; drop {m};"),
            (Some(m), 1 | 2, Some((_, name, parameters))) if parameters.contains("msg") => {
                let first = if parameters.starts_with('k') { "k, " } else { "" };
                let up = if down { m.to_string() } else { pushed(self, m) };
                let other = if down { pushed(self, m) } else { m.to_string() };
                format!("if {m}.len > 9 {{ {side}.{name}({first}{up}); }} else {{ pass {other}; }}")
            }
            (Some(m), ..) if down => format!("pass {};", pushed(self, m)),
            (Some(m), ..) => format!("pass {m};"),
        }
    }

    fn worker(&mut self, name: &str, known: &[usize]) {
        let headers = &["One", "Two"][..self.dice.below(3) as usize];
        let declared: String = headers.iter().map(|name| format!("    header {name} {{ n: u8 }}\n")).collect();
        self.text += &format!("worker {name}: own over own {{\n{declared}    counters {{ seen }}\n");
        self.text += "    state { k: u8 = 3 }\n";
        for index in known {
            let (direction, name, parameters) = EVENTS[*index];
            if self.chance(30) {
                continue;
            }
            let down = direction == "down";
            let back: Vec<usize> = known.iter().copied().filter(|i| EVENTS[*i].0 != direction).collect();
            let message = parameters.contains("msg").then_some("m");
            let names: Vec<&str> = parameters.split(", ").filter_map(|p| p.split(':').next()).collect();
            let plain = names.join(", ").replace('k', "_");
            let variants: Vec<String> = match message {
                Some(_) if !down && !headers.is_empty() => {
                    headers.iter().map(|header| plain.replace('m', &format!("m - {header} {{ n: _ }}"))).collect()
                }
                _ => vec![plain],
            };
            for variant in variants {
                let body = self.body(message, headers, down, &back);
                self.text += &format!("    {direction} {name}({variant}) {{ {body} }}\n");
            }
        }
        self.text += "}\n";
    }
}

/// A stack of one to three layers.
fn source(seed: u64) -> String {
    let mut writer = Writer { dice: SplitMix64(seed), text: String::new() };
    let mut known = vec![0, 1];
    known.extend((2..EVENTS.len()).filter(|_| writer.chance(50)));
    let events: String =
        known.iter().map(|i| format!(" {} {}({})", EVENTS[*i].0, EVENTS[*i].1, EVENTS[*i].2)).collect();
    writer.text += &format!("interface own {{{events} }}\n");
    let names: Vec<String> = (0..1 + writer.dice.below(3)).map(|index| format!("w{index}")).collect();
    names.iter().for_each(|name| writer.worker(name, &known));
    writer.text + &format!("stack st = {};\n", names.join(" / "))
}

/// Calls every event, and delivers everything that leaves by the lower port.
fn run(machines: &Machines) {
    let interface = Interface::of(&machines.stack);
    let opening = Opening { givens: vec![], seed: 1, now: 1 };
    let (mut endpoint, _) = machines.lockstep().open(&opening).expect("it opens");
    let mut frames: Vec<Vec<u8>> = vec![vec![], vec![0; 40]];
    for round in 0..3 {
        for (index, event) in interface.events.iter().enumerate().filter(|(_, event)| event.input) {
            let message = if event.has_message() { &b"twelve bytes"[..6 * round] } else { b"" };
            if event.port == 0 && event.has_message() {
                continue;
            }
            let step = endpoint.call(2, index as u16, &vec![3; event.numbers()], None, message);
            frames.extend(step.outputs.into_iter().filter(|o| o.is_frame()).filter_map(|o| o.message));
        }
        for frame in std::mem::take(&mut frames) {
            let step = endpoint.input(3, Address::default(), &frame);
            frames.extend(step.outputs.into_iter().filter(|o| o.is_frame()).filter_map(|o| o.message));
        }
    }
    assert!(endpoint.reports().is_empty(), "{:?}", endpoint.reports());
}

#[test]
fn any_interface_is_rejected_or_behaves_equally_at_every_level() {
    let count = if nacre_tests::soaking() { 20_000 } else { 800 };
    let (mut accepted, mut ran) = (0, 0);
    for seed in 0..count as u64 {
        let text = source(seed);
        let mut session = Session::from_text(&nacre_tests::root().join("tests/own.nacre"), &text);
        session.check();
        let found = session.render(false);
        let Some(stack) = session.stack("st") else {
            assert!(session.has_errors(), "refused without an error:\n{text}");
            continue;
        };
        assert!(!session.has_errors(), "{found}\n{text}");
        accepted += 1;
        let machines = Machines::of(session, stack);
        drop(machines.text(LEVELS[accepted % LEVELS.len()]));
        if accepted % 50 == 1 {
            run(&machines);
            ran += 1;
        }
    }
    assert!(accepted > count / 10 && ran > count / 400, "of {count}: {accepted} accepted, {ran} ran");
    println!("of {count}: {accepted} accepted, {ran} ran");
}

/// The types that the C interface carries as one number.
const NUMBERS: [&str; 16] = [
    "bool", "u1", "u8", "u33", "u64", "i8", "i33", "i64", "seq8", "3..70", "Kind", "duration", "instant", "bits<1>",
    "bits<33>", "bits<64>",
];

/// Numbers of any type, also those that are none of it, are taken or not, and come out, alike in the interpreter and in C.
#[test]
fn numbers_of_each_type_pass_a_port_alike() {
    for ty in NUMBERS {
        let text = format!(
            "enum Kind {{ one, two, three }}\n\
             interface own {{ down send(m: msg) up deliver(m: msg) down ask(k: {ty}) up told(k: {ty}) }}\n\
             worker w: own over own {{ down ask(k) {{ above.told(k); }} }}\nstack st = w;\n"
        );
        let mut session = Session::from_text(&nacre_tests::root().join("tests/own.nacre"), &text);
        session.check();
        let Some(stack) = session.stack("st") else { panic!("{ty}: {}", session.render(false)) };
        let machines = Machines::of(session, stack);
        let interface = Interface::of(&machines.stack);
        let ask = interface.events.iter().position(|event| event.input && event.numbers() == 1).expect("`ask`");
        let (mut endpoint, _) =
            machines.lockstep().open(&Opening { givens: vec![], seed: 1, now: 1 }).expect("it opens");
        let mut told = 0;
        let edges = (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, (1u64 << bit).wrapping_neg()]);
        for number in edges.chain([2, 5, 69, 70, u64::MAX]) {
            let step = endpoint.call(2, ask as u16, &[number], None, b"");
            told += step.outputs.iter().filter(|output| output.arguments == [number]).count();
        }
        assert!(endpoint.reports().is_empty(), "{ty}: {:?}", endpoint.reports());
        assert!(told > 1, "{ty}: {told} numbers came out as they were");
    }
}
