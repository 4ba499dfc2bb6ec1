//! Random programs have one layout, independent of their line breaks and comments.

use nacre_diagnostics::SourceId;
use nacre_simulator::random::Random;
use nacre_syntax::{format, lexer::lex};
use nacre_tests::programs::generate;

fn formatted(text: &str, name: &str) -> String {
    format(text).unwrap_or_else(|found| panic!("{name}: {found:#?}\nin\n{text}"))
}

/// The tokens of a source, without trailing commas, and its comments in order.
fn words(text: &str) -> (Vec<&str>, Vec<&str>) {
    let lexed = lex(SourceId(0), text);
    let mut words: Vec<&str> = Vec::new();
    for token in &lexed.tokens {
        // The formatter writes `> >` as `>>`.
        for word in text[token.start as usize..token.end as usize].split_inclusive('>') {
            let closes = ["}", ")", "]", ">"].contains(&word);
            if closes && words.last() == Some(&",") {
                words.pop();
            }
            words.push(word);
        }
    }
    (
        words,
        lexed.comments.iter().map(|comment| text[comment.start as usize..comment.end as usize].trim_end()).collect(),
    )
}

/// The same tokens with other space between them, and with comments if `comments` is set.
fn spaced(text: &str, random: &mut Random, comments: bool) -> String {
    let lexed = lex(SourceId(0), text);
    let mut out = String::new();
    for token in &lexed.tokens {
        let word = &text[token.start as usize..token.end as usize];
        let glued = word.starts_with('>') && out.ends_with('>');
        out += match random.below(12) {
            _ if glued => "",
            0 => "\n",
            1 => "\n\n\n",
            2 if comments => " // behind\n",
            3 if comments => "\n// before\n",
            _ => " ",
        };
        out += word;
    }
    out
}

fn has_one_layout(text: &str, name: &str) {
    let once = formatted(text, name);
    assert_eq!(formatted(&once, name), once, "{name} changes when it is formatted again");
    assert_eq!(words(&once), words(text), "{name}: tokens or comments differ");
}

fn have_one_layout(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let text = generate(seed).text();
        has_one_layout(&text, &format!("seed {seed}"));
        let mut random = Random::new(seed);
        has_one_layout(&spaced(&text, &mut random, false), &format!("seed {seed}, spaced"));
        has_one_layout(&spaced(&text, &mut random, true), &format!("seed {seed}, with comments"));
    }
}

#[test]
fn random_programs_have_one_layout() {
    have_one_layout(0..40);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn two_thousand_random_programs_have_one_layout() {
    have_one_layout(3_000_000..3_002_000);
}
