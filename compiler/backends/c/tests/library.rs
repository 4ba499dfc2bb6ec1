//! Stacks of the layer library: C at every level behaves like the interpreter.

#[path = "live/differential.rs"]
mod differential;
mod live;

use std::path::Path;

use nacre_stack::Stack;

/// Composes a stack of layers of the library.
fn stack(name: &str, layers: &[&str], text: &str) -> Stack {
    with_own(name, layers, "", text)
}

/// The same, with additional layers.
fn with_own(name: &str, layers: &[&str], own: &str, text: &str) -> Stack {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../layers");
    let library = library.canonicalize().expect("the layers are there");
    let imports: String = layers.iter().map(|l| format!("import \"{}/{l}/{l}.nacre\";\n", library.display())).collect();
    let source = format!("{imports}{own}\nstack {name} = {text};\n");
    let mut session = nacre_driver::Session::from_text(&library.join(format!("{name}.nacre")), &source);
    let found = session.stack(name);
    found.unwrap_or_else(|| panic!("{}", session.render(false)))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn check(name: &str, layers: &[&str], text: &str) {
    check_stack(stack(name, layers, text));
}

fn check_stack(stack: Stack) {
    let name = &stack.name;
    let seen = differential::run(&stack, &["-O2"], 0..number("NACRE_TEST_SEEDS", 6), number("NACRE_TEST_STEPS", 1500));
    println!("{name}: {seen:?}");
    assert!(seen.get("input 0").is_some_and(|n| *n > 100), "{name}: {seen:?}");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn fragments_over_a_window_over_cookies() {
    check("tight", &["frag", "pt2pt", "floor"], "frag<40, 6> / pt2pt<4> / floor");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn the_usual_reliable_stack() {
    check("usual", &["frag", "pt2pt", "floor"], "frag<1400> / pt2pt<16> / floor");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn a_checksum_over_packed_headers() {
    check("summed", &["frag", "pt2pt", "crc32c", "floor"], "frag<100, 8> / pt2pt<8> / crc32c / floor");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn faults_drawn_from_a_generator() {
    check(
        "faulty",
        &["check_fifo", "pt2pt", "lose", "duplicate", "reorder", "corrupt", "crc32c", "floor"],
        "check_fifo / pt2pt<8> / crc32c / corrupt<10> / lose<10> / duplicate<10> / reorder<10> / floor",
    );
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn late_messages_are_dropped() {
    check("ordered", &["sequencer", "delay", "floor"], "sequencer / delay / floor");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn grants_in_batches() {
    check("credited", &["credit", "check_integrity", "pt2pt", "floor"], "credit / check_integrity / pt2pt<16> / floor");
}

/// A layer that reads bytes of joined pieces in every possible way.
const LOOKS: &str = "
import \"interfaces.nacre\";
filter sum_bytes { state { run: u32, count: u8 } byte(unit: u8) { run = run * 31 + unit as u32; count += 1; } result { run ^ count as u32 } }
filter sum_words { state { reader: u64 } word(w: u32) { reader = reader * 7 + w as u64; } result { reader } }
filter invert    { byte(b: u8) { yield b ^ 255; } }

worker looks {
    header Seen { bytes: u32, words: u64, part: u32 }
    state { last: ring<msg, 1> }

    down send(m) {
        let seen = (pack(share m).bytes ++ m.len.bytes ++ m.bytes) through sum_bytes;
        let words = (m.bytes[3 ..] ++ pack(share m).bytes ++ m.bytes) through sum_words;
        let part = (pack(share m).bytes ++ m.bytes)[9 ..] through sum_bytes;
        let other = (m.bytes ++ m.len.bytes ++ m.bytes) through invert;
        last.clear();
        last.push(other) else unreachable;
        pass m + Seen { bytes: seen, words, part };
    }

    up deliver(m - Seen { bytes: seen, words, part }) {
        if seen == (pack(share m).bytes ++ m.len.bytes ++ m.bytes) through sum_bytes { pass m; } else { drop m; }
    }
}
";

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn bytes_in_pieces_are_read_one_after_the_other() {
    check_stack(with_own("looking", &["sequencer", "floor"], LOOKS, "sequencer / looks / floor"));
    check_stack(with_own(
        "joined",
        &["frag", "pt2pt", "floor"],
        LOOKS,
        "looks / frag<40, 6> / looks / pt2pt<4> / floor",
    ));
}

/// The functions of a source: name, whether it is inlined, body.
fn functions<'s>(source: &'s str, prefix: &str) -> Vec<(&'s str, bool, &'s str)> {
    let mut found = vec![];
    for part in source.split("\n}\n") {
        let Some((head, body)) = part.rfind(") {\n").map(|at| (&part[..at], &part[at..])) else { continue };
        let start = head.rfind(&format!("\n{prefix}_")).map_or(0, |at| at + 1);
        let (head, body) = match part[start..].split_once(") {\n") {
            Some((head, body)) => (head, body),
            None => (&head[start..], body),
        };
        let Some(name) = head.split('(').next().and_then(|h| h.rsplit([' ', '*']).next()) else { continue };
        found.push((name, head.starts_with(&format!("{prefix}_INLINE ")), body));
    }
    found
}

/// The names of the functions that a body calls with its step as the first argument.
fn called_with_step(body: &str) -> impl Iterator<Item = &str> {
    body.match_indices("(step").filter_map(|(at, _)| {
        let is_argument = body[at + "(step".len()..].starts_with([',', ')']);
        let name = body[..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        name.filter(|_| is_argument)
    })
}

#[test]
fn inlined_code_does_not_leak_the_address_of_its_step() {
    let stacks = [
        stack("usual", &["frag", "pt2pt", "floor"], "frag<1400> / pt2pt<16> / floor"),
        stack("summed", &["frag", "pt2pt", "crc32c", "floor"], "frag<100, 8> / pt2pt<8> / crc32c / floor"),
    ];
    let mut calls = 0;
    for mut stack in stacks {
        nacre_driver::optimize(&mut stack, nacre_backend_c::Level::Inline);
        let source = nacre_backend_c::write(&stack, nacre_backend_c::Level::Inline, &|_| None).source;
        let all = functions(&source, &stack.name);
        let in_place: Vec<&str> = all.iter().filter(|(_, in_place, _)| *in_place).map(|(name, ..)| *name).collect();
        for (name, _, body) in all.iter().filter(|(_, in_place, _)| *in_place) {
            for callee in called_with_step(body) {
                assert!(in_place.contains(&callee), "{name} gives its step to {callee}");
                calls += 1;
            }
        }
    }
    assert!(calls > 40, "{calls} calls were seen");
}

/// A row of stored references to messages of 60 bytes, and one in a function.
fn references(stored: u32, in_step: u32) -> String {
    let own = format!(
        "worker keeper {{
            state {{ old: ring<msg, {stored}> }}
            accepts send(m) when m.len <= 60;
            down send(m) {{
                for i in 0 .. {stored} {{ old.push(share m) else break; }}
                var more: list<msg, {in_step}>;
                for i in 0 .. {in_step} {{ more.push(share m) else break; }}
                drop more;
                pass m;
            }}
        }}"
    );
    let stack = with_own("kept", &["floor"], &own, "keeper / floor");
    let header =
        nacre_backend_c::write_with(&stack, nacre_backend_c::Level::Inline, &|_| None, Default::default()).header;
    let found = header.lines().find(|line| line.trim_end().ends_with(" references;")).expect("a block counts them");
    found.trim().to_string()
}

#[test]
fn a_block_counts_all_references_that_there_can_be() {
    assert_eq!(references(4000, 4000), "uint16_t references;");
    assert_eq!(references(65_000, 10), "uint16_t references;");
    assert_eq!(references(65_000, 600), "uint32_t references;");
    assert_eq!(references(10, 65_600), "uint32_t references;");
}
