//! Sources with one injected error: the tree still has every other declaration and handler, the error is reported at
//! the changed part, and other errors are still reported, once and without consequential errors.

use nacre_diagnostics::{Diagnostic, SourceId};
use nacre_typed::tree::{Layer, Node};
use nacre_typed::Program;

const INTERFACES: &str = "interface channel<A> { up init() down send(m: msg) up deliver(m: msg) down give(n: u32) }
interface meter { down ask(n: u32) up answer(n: u32) }
";

/// Each line is a part; the names at its end are handlers that it declares.
const PARTS: &[(&str, &[&str])] = &[
    ("const MOST: u32 = 8;", &[]),
    ("struct Peer { sent: u32, quiet: bool, again: timer }", &[]),
    ("enum Mode { open, shut }", &[]),
    ("worker w {", &[]),
    ("port side: meter;", &[]),
    ("header Data { number: seq16, last: bool }", &[]),
    ("header Ack { number: seq16 }", &[]),
    ("state { next: seq16, peers: Peer per 0..4, mode: Mode, sum: u32, kept: msg?, row: ring<u32, MOST>, idle: timer \
        }", &[]),
    ("counters { late, lost }", &[]),
    ("fn added(by: u32) -> u32 { sum += by; return sum; }", &[]),
    ("fn noted(ref place: u32, by: u32) { place = place + by * 2; }", &[]),
    ("accepts send(m) when sum < 1000;", &[]),
    ("invariant sum < 100000;", &[]),
    ("down send(m) { let size = m.len; sum = added(size) + 1; next += 1; pass m + Data { number: next, last: size > 9 \
        }; }", &["down.send"]),
    ("up deliver(m - Data { number, last }) { if number == next && last { count late; } above.deliver(m); \
        }", &["up.deliver.Data"]),
    ("up deliver(Ack { number }) { if number < next { noted(ref peers[1].sent, 3); } else { mode = Mode.shut; } \
        }", &["up.deliver.Ack"]),
    ("down give(n) { row.push(n) else { count lost; } for x in row { sum += x; } pass; }", &["down.give"]),
    ("side ask(n) { match mode { Mode.open => { side.answer(n + sum); } Mode.shut => { arm idle in 5 ms; } } \
        }", &["side.ask"]),
    ("on idle { let x = row.pop() else { count late; return; } sum = x; below.send(Ack { number: next }); \
        }", &["on.idle"]),
    ("on peers[i].again { peers[i].sent = sum; while sum > 4 bound 9 { sum = sum / 2; } }", &["on.peers[].again"]),
    ("}", &[]),
];

/// The errors at uses of something that is no longer declared, or is smaller.
const MISSING: &[&str] =
    &["T0005", "T0010", "T0037", "T0047", "T0048", "T0051", "T0054", "T0068", "T0101", "T0104", "T0108"];

/// Another part, which has an error in the original.
const WRONG: &str = "up init() { sum = nowhere; pass; }";

/// A text with a replaceable part, and the position of the part.
fn source(at: usize, with: &str) -> (String, std::ops::Range<u32>) {
    let (mut text, mut range) = (INTERFACES.to_string(), 0..0);
    for (n, (part, _)) in PARTS.iter().enumerate() {
        if n + 1 == PARTS.len() {
            text += WRONG;
        }
        let part = if n == at { with } else { part };
        if n == at {
            range = text.len() as u32..(text.len() + part.len()) as u32;
        }
        text += part;
        text.push('\n');
    }
    (text, range)
}

fn typed(text: &str) -> Option<(Vec<Layer>, Vec<Diagnostic>)> {
    let (file, found) = nacre_syntax::parse(SourceId(0), text);
    if found.iter().any(Diagnostic::is_error) {
        return None;
    }
    let (program, found) = Program::new(vec![file]);
    let errors = found.into_iter().chain(program.check_layers()).filter(Diagnostic::is_error);
    Some((program.layer_trees(), errors.collect()))
}

/// The words of a part and their replacements: another name, a type, a value.
fn broken(part: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in part.char_indices().chain([(part.len(), ' ')]) {
        match (from, is_word(c)) {
            (None, true) => from = Some(at),
            (Some(begin), false) => {
                words.push(begin..at);
                from = None;
            }
            _ => {}
        }
    }
    let with =
        |range: &std::ops::Range<usize>, word: &str| format!("{}{word}{}", &part[..range.start], &part[range.end..]);
    let replaced = words.iter().flat_map(|range| ["nosuch", "Nosuch", "true", "70000"].map(|word| with(range, word)));
    replaced.filter(|text| text != part).collect()
}

#[test]
fn one_broken_word_leaves_the_rest_of_the_tree_and_its_errors() {
    let (trees, found) = typed(&source(usize::MAX, "").0).expect("it parses");
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["T0047"], "{found:?}");
    let handlers: Vec<&str> = trees[0].handlers.iter().map(|h| h.name.as_str()).collect();
    for name in PARTS.iter().flat_map(|(_, names)| *names) {
        assert!(handlers.contains(name), "{name}: {handlers:?}");
    }
    let (mut tried, mut wrong) = (0, Vec::new());
    for (at, (part, own)) in PARTS.iter().enumerate() {
        for with in broken(part) {
            let (text, range) = source(at, &with);
            let Some((trees, found)) = typed(&text) else { continue };
            tried += 1;
            let mut say = |what: String| wrong.push(format!("{with}\n    {what}"));
            let layer = trees.first().expect("one layer");
            let known: Vec<&str> = layer.handlers.iter().map(|h| h.name.as_str()).collect();
            if known.len() != handlers.len() {
                say(format!("not all handlers are in the tree: {known:?}"));
            }
            for (_, names) in PARTS.iter().filter(|(_, names)| names != own) {
                // A timer or a header whose declaration is broken is missing in the names of its handlers.
                let is_there = |name: &&str| known.iter().any(|known| name.starts_with(known));
                if !names.iter().all(is_there) {
                    say(format!("{names:?} is missing: {known:?}"));
                }
            }
            let nowhere = text.find("nowhere").expect("it stands there") as u32;
            let spans = found.iter().filter_map(|d| Some((d.code, d.span()?, d)));
            let (first, others): (Vec<_>, Vec<_>) = spans.partition(|(_, span, _)| span.start == nowhere);
            let hidden = with.contains("sum") != part.contains("sum");
            if first.len() != 1 && !hidden {
                say(format!("the error that was there is reported {} times", first.len()));
            }
            for (code, span, d) in &others {
                let inside = range.start <= span.start && span.end <= range.end;
                if !inside && !MISSING.contains(code) {
                    say(format!("{code} elsewhere: {}: {}", d.message, &text[span.start as usize..span.end as usize]));
                }
            }
        }
    }
    assert!(tried > 300, "{tried}");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the errors of a layer with this state.
fn codes(body: &str) -> Vec<&'static str> {
    let text = format!("{INTERFACES}worker w {{ state {{ n: u8, q: ring<u8, 4>, bad: nosuch }} {body} }}");
    let (_, found) = typed(&text).expect("it parses");
    found.iter().map(|d| d.code).filter(|code| *code != "T0010").collect()
}

#[test]
fn every_independent_error_is_reported_once() {
    let cases: &[(&str, &[&str])] = &[
        ("down send(m) { n = one + two; pass; }", &["T0047", "T0047"]),
        ("down send(m) { n = f(one, two); pass; }", &["T0068", "T0047", "T0047"]),
        ("down send(m) { q.push(one) else { n = two; } pass; }", &["T0047", "T0047"]),
        ("down send(m) { let x = one else { n = two; drop m; return; } n = x; pass; }", &["T0047", "T0047"]),
        ("down nosuch(m) { n = one; n = true; drop m; }", &["T0102", "T0047", "T0033"]),
        ("up deliver(m - Nosuch { a }) { n = a; n = one; pass m; }", &["T0108", "T0047"]),
        ("on nosuch[i] { n = i; n = one; }", &["T0047", "T0047"]),
        ("down send(m) { bad = 1; n = bad; n = one; n = bad + two; pass; }", &["T0047", "T0047"]),
        (
            "fn f(a: nosuch) -> u8 { n = one; return a + 1; } down send(m) { n = f(1); n = f(true) + two; pass; }",
            &["T0047", "T0047"],
        ),
        ("fn f() -> nosuch { return 3; } down send(m) { n = f(); pass; }", &[]),
        ("invariant bad == 1; invariant n == one; down send(m) { pass; }", &["T0047"]),
        ("on bad { n = one; }", &["T0047"]),
        (
            "fn f() -> u8 { return one; } fn g() -> u8 { let x = q.pop() else return two; return x; } down send(m) { \
            pass; }",
            &["T0047", "T0047"],
        ),
        ("const A: nosuch = 3; down send(m) { n = A; pass; }", &[]),
    ];
    for (body, expected) in cases {
        let mut found = codes(body);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn a_wrong_interface_struct_or_constant_is_the_only_error() {
    for (text, code) in [
        ("worker w over chanel { state { n: u8 } down send(m) { n = 1; pass; } up deliver(m) { below.send(m); } \
            }", "T0018"),
        ("interface line { down send(m: msg) down ask(n: nosuch) } worker w: line over line { down ask(n) { drop n; \
            pass; } down send(m) { pass; } }", "T0010"),
        ("struct Peer { a: nosuch, b: u8 } worker w { state { p: Peer, n: u8 } down send(m) { p.a = 1; p = Peer { a: \
            1, b: 2 }; n = p.b; pass; } }", "T0010"),
        ("worker w { header Head { a: nosuch, b: u8 } state { n: u8 } down send(m) { pass m + Head { a: 1, b: 2 }; } \
            up deliver(m - Head { a, b }) { n = a; n = b; pass m; } }", "T0010"),
        ("const A: u8 = nosuch; const B: u8 = A + 1; worker w { state { n: u8, q: ring<u8, B> } down send(m) { n = B; \
            q.push(A) else { n = 1; } pass; } }", "T0005"),
        ("worker w<N: nosuch = 3> { state { n: u8, a: u8 per 0..N } down send(m) { n = N; a[2] = 1; pass; } \
            }", "T0010"),
    ] {
        let (_, found) = typed(&format!("{INTERFACES}{text}")).expect("it parses");
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [code], "{text}: {found:?}");
    }
}

#[test]
fn parts_of_erroneous_code_are_in_the_tree() {
    let text =
        "worker w { state { n: u32 } fn f(a: u32) -> u32 { return a; } down send(m) { n = f(n * 3) + nosuch; pass; } }";
    let (trees, _) = typed(&format!("{INTERFACES}{text}")).expect("it parses");
    let mut calls = 0;
    for handler in &trees[0].handlers {
        handler.body.visit(&mut |node| {
            if let Node::Expr(e) = node {
                calls += usize::from(matches!(e.kind, nacre_typed::tree::ExprKind::Call(..)));
            }
        });
    }
    assert_eq!(calls, 1);
}

/// The errors of a layer with these members.
fn errors_of(members: &str) -> Vec<Diagnostic> {
    let layer =
        format!("worker w {{ state {{ seen: bits<8>, key: bytes<4>, ages: map<u8, u8, 4>, n: u8 }} {members} }}");
    typed(&format!("{INTERFACES}{layer}")).expect("it parses").1
}

#[test]
fn a_set_has_the_type_of_what_it_is_compared_with() {
    for condition in ["set(1, 2) <= seen", "seen == set(3)", "set() == seen || set(1) != seen", "zeroes == key"] {
        assert_eq!(errors_of(&format!("invariant {condition};")), [], "{condition}");
    }
    let unknown = errors_of("invariant set(1) == set(2);");
    assert_eq!(unknown[0].code, "T0043");
    assert!(unknown[0].help.iter().any(|help| help.contains("var both: bits<8>")), "{unknown:?}");
}

#[test]
fn a_condition_that_begins_with_a_call_is_no_handler() {
    assert_eq!(errors_of("invariant min(n, (n + 1) * 2) <= 3; invariant max(n, 1) > 0;"), []);
    let called = errors_of("invariant ages.get(3, 1) == 1;");
    assert_eq!(called[0].code, "T0106");
    assert!(called[0].help.iter().any(|help| help.contains("`k in map`")), "{called:?}");
}

#[test]
fn a_failed_operation_returns_messages_named_anywhere_in_its_entry() {
    let inner = "struct Inner { first: msg?, second: (u8, msg) } struct Entry { n: u8, inner: Inner, last: msg? }";
    let kept = "state { options: ring<msg?, 2>, slots: pool<Entry, 2> }";
    for (entry, other) in [
        ("options.push(some(m)) else { drop m; }", ""),
        ("slots.add(Entry { n: 1, inner: Inner { first: none, second: (2, m) }, last: none }) else { drop m; }", ""),
        (
            "slots.add(Entry { n: 1, inner: Inner { first: some(m), second: (2, x) }, last: none }) \
                else { drop m; drop x; }",
            "let x = slice(m, 0, 9);",
        ),
    ] {
        let members = format!("{inner} {kept} down send(m) {{ {other} {entry} }}");
        assert_eq!(errors_of(&members), [], "{entry}");
    }
}
