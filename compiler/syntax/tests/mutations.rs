//! No input makes the parser panic, hang or overflow its stack.

use std::time::Duration;

use cpu_time::ThreadTime;
use nacre_diagnostics::{SourceId, Sources};

mod files;

const MUTATIONS: u64 = 20_000;

/// A generator seeded with the number of a mutation, so that the number replays it.
struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end.max(1))
    }
}

/// Inserted text: parts of the language in the wrong place, and text that is not part of it.
const GARBAGE: [&str; 46] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ">>",
    ">=",
    ";",
    ",",
    ":",
    "..",
    "?",
    "!",
    "-",
    "+",
    "|",
    "&&",
    "=",
    "=>",
    "else",
    "if",
    "let",
    "in",
    "up",
    "down",
    "worker x {",
    "state {",
    "match x {",
    "per",
    "share",
    "some(",
    "extern f() c {",
    "c {",
    "\"",
    "'",
    "/*",
    "//",
    "0x",
    "99999999999999999999",
    "_",
    "é🦪",
    "\0",
    "test \"t\" {",
];

/// A word, a number, a run of blanks or another single character, from `at`.
fn token_at(text: &str, at: usize) -> std::ops::Range<usize> {
    let mut start = at.min(text.len().saturating_sub(1));
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let class = |character: char| (character.is_alphanumeric() || character == '_', character.is_whitespace());
    let mut rest = text[start..].char_indices();
    let Some((_, first)) = rest.next() else { return start..start };
    let is_long = class(first) != (false, false);
    let end = rest
        .find(|&(_, character)| !is_long || class(character) != class(first))
        .map_or(text.len(), |(length, _)| start + length);
    start..end
}

fn mutate(text: &str, random: &mut Random) -> String {
    let one = token_at(text, random.below(text.len()));
    let two = token_at(text, random.below(text.len()));
    let (first, second) = if one.start <= two.start { (one, two) } else { (two, one) };
    let garbage = GARBAGE[random.below(GARBAGE.len())];
    let mut out = text.to_owned();
    match random.below(9) {
        0 => out.replace_range(first, ""),
        1 => out.insert_str(first.start, &text[first.clone()]),
        2 if first.end <= second.start => {
            out.replace_range(second.clone(), &text[first.clone()]);
            out.replace_range(first, &text[second]);
        }
        3 => out.truncate(first.start),
        4 => out.insert_str(first.start, garbage),
        5 => out.replace_range(first, garbage),
        6 => out.replace_range(first.start..second.start, ""),
        7 if first.start <= second.end => {
            out.insert_str(first.start, &text[first.start..second.end].chars().take(300).collect::<String>())
        }
        _ => {
            let mut bytes = out.into_bytes();
            let at = random.below(bytes.len());
            bytes[at] = random.0.u8(..);
            out = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    out
}

#[test]
fn no_mutation_of_a_source_panics() {
    let sources: Vec<String> = files::design().into_iter().map(|(_, text)| text).collect();
    let begun = ThreadTime::now();
    for number in 0..MUTATIONS {
        let mut random = Random::new(number);
        let mut text = sources[random.below(sources.len())].clone();
        // A part of a file suffices, and is faster.
        while text.len() > 1500 {
            let cut = token_at(&text, random.below(text.len())).start;
            text = if cut > text.len() / 2 { text[..cut].to_owned() } else { text[cut..].to_owned() };
        }
        for _ in 0..=random.below(4) {
            if !text.is_empty() {
                text = mutate(&text, &mut random);
            }
        }
        let (file, found) = nacre_syntax::parse(SourceId(0), &text);
        if number % 50 == 0 {
            let mut shown = Sources::new();
            shown.add("mutation", text.as_str());
            assert!(found.iter().all(|found| !found.render(&shown, false).is_empty()), "mutation {number}");
        }
        drop(file);
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{MUTATIONS} mutations took {:?}", begun.elapsed());
}

/// Openings that nest, each with its closing text.
const NESTS: [(&str, &str, &str, &str); 17] = [
    ("worker x { up a() { y(", "(", ")", "); } }"),
    ("worker x { up a() { y(", "[", "]", "); } }"),
    ("worker x { up a() { y(", "some(", ")", "); } }"),
    ("worker x { up a() { y(", "f(", ")", "); } }"),
    ("worker x { up a() { y(1", "[a", "]", "); } }"),
    ("worker x { up a() { y(", "H { a: ", " }", "); } }"),
    ("worker x { up a() { y(", "if a { b } else { ", " }", "); } }"),
    ("worker x { up a() { y(", "if a { b } else ", "", "); } }"),
    ("worker x { up a() { y(", "!", "", "); } }"),
    ("worker x { up a() { y(", "a || b && c == d | e << f + g * ", "", "); } }"),
    ("worker x { up a() { ", "if b { ", " }", " } }"),
    ("worker x { up a() { ", "if b { } else ", "", " } }"),
    ("worker x { up a() { ", "match b { 0 => { ", " } }", " } }"),
    ("worker x { state { a: ", "list<", ", 2>", " } }"),
    ("worker x { state { a: u8", "?", "", " } }"),
    ("worker x { up a(", "(b, ", ")", ") { } }"),
    ("wire W { ", "if a == 1 { ", "}", " }"),
];

#[test]
fn deep_nesting_is_an_error_not_an_overflow() {
    for (before, open, close, after) in NESTS {
        for depth in [20, 90, 101, 300, 5_000, 100_000] {
            for close in [close, ""] {
                let text = [before, &open.repeat(depth), "x", &close.repeat(depth), after].concat();
                let begun = ThreadTime::now();
                let (file, found) = nacre_syntax::parse(SourceId(0), &text);
                assert!(begun.elapsed() < Duration::from_secs(5), "`{open}` {depth} times took {:?}", begun.elapsed());
                assert!(depth < 300 || !found.is_empty(), "`{open}` {depth} times is taken");
                assert!(found.len() < 200, "`{open}` {depth} times gives {} messages", found.len());
                drop(file);
            }
        }
    }
}

#[test]
fn long_chains_do_not_overflow() {
    for link in [" + 1", ".a", "[0]", "(0)", " as u8", " || a", " ++ b", "?", " through f", " .. 3"] {
        let text = format!("worker x {{ up a() {{ y(a{}); }} }}", link.repeat(50_000));
        let (file, _) = nacre_syntax::parse(SourceId(0), &text);
        drop(file);
    }
}

#[test]
fn time_is_linear() {
    for part in [
        "worker x { up a() { b(",
        "up a() { ",
        "}",
        "{",
        "a: b, ",
        "x = ;",
        "let ",
        "<",
        "extern f() c { ' \\",
        "/* ",
        "\"",
        "'",
        "é",
        "state { ",
        "1 ",
        "///\n",
    ] {
        let begun = ThreadTime::now();
        nacre_syntax::parse(SourceId(0), &part.repeat(20_000));
        assert!(begun.elapsed() < Duration::from_secs(5), "`{part}` took {:?}", begun.elapsed());
    }
}
