//! Words and numbers of the text of a stack, and replacements for them: for tests on stacks that no one wrote.

use crate::interpret::SplitMix64;

/// The words and numbers of a text, with their positions.
pub fn tokens(text: &str) -> Vec<(usize, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = vec![];
    let mut at = 0;
    while at < text.len() {
        let length = match text[at..].find(|c| !is_part(c)) {
            Some(0) | None => 1,
            Some(length) => length,
        };
        if !text[at..at + length].trim().is_empty() {
            found.push((at, at + length));
        }
        at += length;
    }
    found
}

/// What may replace a token: numbers at the limits, or another word of the text.
pub fn replacements(text: &str, token: &str, tokens: &[(usize, usize)], dice: &mut SplitMix64) -> Vec<String> {
    let mut other = || {
        let (from, to) = tokens[dice.below(tokens.len() as u64) as usize];
        text[from..to].to_string()
    };
    match token.parse::<u64>() {
        Ok(n) => {
            let near = [n.wrapping_sub(1), n.wrapping_add(1), 0, 1025, 4_294_967_295, u64::MAX];
            near.into_iter().map(|n| n.to_string()).collect()
        }
        Err(_) => vec![String::new(), format!("{token} {token}"), other(), other()],
    }
}
