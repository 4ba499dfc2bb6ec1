//! Every mutated source that still parses has one layout.

mod files;

use std::time::Duration;

use cpu_time::ThreadTime;
use nacre_diagnostics::SourceId;
use nacre_syntax::{format, parse};

/// A seeded generator: each run produces the same texts.
struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end.max(1))
    }
}

const GARBAGE: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    "\"",
    "//",
    "///",
    "//!",
    "\\",
    "if ",
    "else ",
    "let ",
    "worker ",
    "up ",
    "extern ",
    "c {",
    "0x",
    "99999999999999999999",
    "ü",
    "\0",
    "..",
    ">>",
    "header ",
    "test \"",
    "'",
    "\u{2028}",
    " in ",
    " as ",
    "some(",
    "\n",
    "goal ",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let lexed = nacre_syntax::lexer::lex(SourceId(0), text);
    let mut words: Vec<&str> = Vec::new();
    let mut end = 0;
    for token in &lexed.tokens {
        // Removes the space before it as well, so that lines remain.
        words.push(&text[end..token.end as usize]);
        end = token.end as usize;
    }
    for _ in 0..=random.below(3) {
        let (a, b) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 => drop(words.remove(a)),
            1 => words.insert(a, words[b]),
            2 => words.swap(a, b),
            3 => words.insert(a, GARBAGE[random.below(GARBAGE.len())]),
            4 => words.truncate(a.max(1)),
            _ => words[a] = GARBAGE[random.below(GARBAGE.len())],
        }
        if words.is_empty() {
            break;
        }
    }
    let mut bytes = words.concat().into_bytes();
    for _ in 0..random.below(3) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 => bytes.insert(at, random.below(256) as u8),
            _ => bytes.truncate(at.max(1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn sources_that_parse_have_one_layout() {
    let seeds = files::design();
    let mut random = Random::new(1);
    let begun = ThreadTime::now();
    for round in 0..5_000 {
        // Uses parts of files, so that a short run tries many texts.
        let whole = &seeds[random.below(seeds.len())].1;
        let lines: Vec<&str> = whole.lines().collect();
        let first = random.below(lines.len());
        let last = (first + 1 + random.below(25)).min(lines.len());
        let piece = if random.below(20) == 0 {
            whole.clone()
        } else {
            "worker x {\n".to_string() + &lines[first..last].join("\n") + "\n}\n"
        };
        let text = mutate(&piece, &mut random);
        let (_, found) = parse(SourceId(0), &text);
        match format(&text) {
            Ok(once) => {
                assert!(found.is_empty());
                assert_eq!(format(&once).ok().as_ref(), Some(&once), "round {round}:\n{text}");
            }
            Err(same) => assert_eq!(same, found, "round {round}"),
        }
    }
    let limit = if cfg!(debug_assertions) { 30 } else { 10 };
    assert!(begun.elapsed() < Duration::from_secs(limit), "5,000 texts took {:?}", begun.elapsed());
}

/// Formatting takes linear time.
#[test]
fn time_for_a_line_does_not_grow() {
    let handler = "    up deliver(from, m - Data { number, ack }) { if number > 3 { x = (a + b) * c; } else { drop m; \
        } } // so\n";
    let file = |n: usize| format!("worker x {{\n{}}}\n", handler.repeat(n));
    let time = |text: &str| {
        let begun = ThreadTime::now();
        assert!(parse(SourceId(0), text).1.is_empty());
        assert!(format(text).is_ok());
        begun.elapsed()
    };
    let (short, long) = (file(500), file(10_000));
    let once = time(&short).max(time(&short));
    let longer = time(&long);
    assert!(
        longer < once * 100 + Duration::from_millis(200),
        "{once:?} for 500 handlers, {longer:?} for 20 times as many"
    );
}
