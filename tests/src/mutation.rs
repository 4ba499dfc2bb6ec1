//! Sources with a few mistakes: most of them still parse, so that later stages process them too.

use std::ops::Range;
use std::path::PathBuf;

use nacre_simulator::random::Random;

use crate::{files, root};

/// A text, and its path for imports.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

/// Every source of the repository: the library, the examples, the tests, and the blocks of the documents.
pub fn sources() -> Vec<Source> {
    let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let mut all: Vec<Source> =
        files(&root(), ".nacre").into_iter().map(|path| Source { text: read(&path), path }).collect();
    let mut documents = files(&root().join("docs"), ".md");
    documents.push(root().join("README.md"));
    for document in documents {
        let folder = document.parent().map(PathBuf::from).unwrap_or_default();
        let folder = if folder == root() { root().join("layers") } else { folder };
        let text = read(&document);
        for (number, block) in text.split("\n```nacre").skip(1).enumerate() {
            let Some((mark, rest)) = block.split_once('\n') else { continue };
            let body = rest.split("\n```").next().unwrap_or_default();
            let text = match mark.trim() {
                "-part" => format!("import \"../layers/interfaces.nacre\";\nworker part {{\n{body}\n}}\n"),
                _ => format!("{body}\n"),
            };
            all.push(Source { path: folder.join(format!("block{number}.nacre")), text });
        }
    }
    all.retain(|source| !source.text.is_empty());
    all
}

/// Replacements for numbers.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "31",
    "32",
    "63",
    "64",
    "255",
    "256",
    "65536",
    "4294967296",
    "18446744073709551615",
    "0x7f",
];
const OPERATORS: [&str; 24] = [
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", "<=", ">", "in", "++", "=", "+=",
    "-=", "..", "!",
];
const TYPES: [&str; 30] = [
    "u1",
    "u7",
    "u8",
    "u13",
    "u16",
    "u32",
    "u64",
    "i1",
    "i8",
    "i64",
    "seq2",
    "seq16",
    "seq32",
    "0..5",
    "0..1",
    "bool",
    "msg",
    "timer",
    "duration",
    "instant",
    "addr",
    "bytes<5>",
    "text<3>",
    "bits<9>",
    "msg?",
    "u8?",
    "ring<msg, 3>",
    "window<msg, 4, seq8>",
    "pool<u8, 2>",
    "map<u8, msg, 3>",
];
const PIECES: [&str; 40] = [
    "drop m;",
    "pass;",
    "pass m;",
    "return;",
    "break;",
    "share m",
    "share ",
    "m.len",
    "m.bytes",
    "now",
    "none",
    "some(m)",
    "zeroes",
    "later ",
    "likely ",
    "ref ",
    "secret ",
    "data ",
    "else return",
    "else unreachable",
    "else { drop m; }",
    "random(3)",
    "pack(m)",
    "unpack(m)",
    "slice(m, 0, 1)",
    "rest(m, 1)",
    "bound 3",
    "unless armed",
    "cancel ",
    "count x;",
    "assert true;",
    "impossible m;",
    "stack.fingerprint",
    "below.room",
    "-",
    "big",
    "at cookie",
    "{ }",
    "(m, 1)",
    "[1, 2]",
];

/// The text with one to three changes; the same for the same `random`.
pub fn mutate(text: &str, random: &mut Random) -> String {
    let mut out = text.to_string();
    let changes = 1 + random.below(3) / 2 + random.below(4) / 3;
    for _ in 0..changes {
        let tokens = tokens(&out);
        if tokens.is_empty() {
            return out;
        }
        change(&mut out, &tokens, random);
    }
    out
}

fn change(out: &mut String, tokens: &[Range<usize>], random: &mut Random) {
    let any = |random: &mut Random| tokens[random.below(tokens.len() as u64) as usize].clone();
    let from = |list: &[&'static str], random: &mut Random| list[random.below(list.len() as u64) as usize];
    let (mut one, other) = (any(random), any(random));
    // Half of the changes preserve the form, so that many sources are still accepted.
    if random.below(2) == 0 {
        let gentle =
            |t: &&Range<usize>| out[(*t).clone()].starts_with(|c: char| c.is_ascii_digit() || "<>+-*&|".contains(c));
        let gentle: Vec<&Range<usize>> = tokens.iter().filter(gentle).collect();
        if let Some(token) = gentle.get(random.below(gentle.len() as u64) as usize) {
            one = (*token).clone();
            let with = if out[one.clone()].starts_with(|c: char| c.is_ascii_digit()) {
                from(&NUMBERS[..12], random)
            } else {
                from(&["+", "-", "*", "&", "|", "<", ">"], random)
            };
            out.replace_range(one, with);
            return;
        }
    }
    let kind = out[one.clone()].chars().next().unwrap_or(' ');
    match random.below(12) {
        // Usually one of the same kind.
        0..=5 => {
            let with = match kind {
                '0'..='9' => from(&NUMBERS, random).to_string(),
                'a'..='z' | 'A'..='Z' if random.below(4) == 0 => from(&TYPES, random).to_string(),
                'a'..='z' | 'A'..='Z' => {
                    let like = |t: &&Range<usize>| out[(*t).clone()].starts_with(|c: char| c.is_alphabetic());
                    let names: Vec<&Range<usize>> = tokens.iter().filter(like).collect();
                    out[names[random.below(names.len() as u64) as usize].clone()].to_string()
                }
                _ => from(&OPERATORS, random).to_string(),
            };
            out.replace_range(one, &with);
        }
        6 => out.insert_str(one.start, from(&PIECES, random)),
        7 => out.replace_range(one, from(&PIECES, random)),
        8 => out.replace_range(one, ""),
        9 => {
            let piece = out[one.clone()].to_string();
            out.insert_str(other.start, &format!("{piece} "));
        }
        // A line is removed or repeated.
        10 => {
            let line = line(out, one.start);
            out.replace_range(line, "");
        }
        _ => {
            let piece = out[line(out, one.start)].to_string();
            let at = line(out, other.start).start;
            out.insert_str(at, &piece);
        }
    }
}

fn line(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
    start..end
}

/// Words, numbers and single characters; no blanks, no comments.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        if c == '/' && text[start..].starts_with("//") {
            while rest.next_if(|(_, c)| *c != '\n').is_some() {}
            continue;
        }
        if c.is_whitespace() {
            continue;
        }
        while word(c) && rest.next_if(|(_, c)| word(*c)).is_some() {}
        found.push(start..rest.peek().map_or(text.len(), |(at, _)| *at));
    }
    found
}
