//! Templates: `support/*.c`, the C that does not depend on the stack. Only this module searches in text, and only in
//! templates, never in text that was made of a stack.
//!
//! - `@_name` is a name with the prefix of the stack.
//! - `@word` and `@word{a, b}` are replaced by the [`Vocabulary`]'s text for the word. If the text is empty and nothing
//!   else is on the line, the line is removed; if it has several lines, they get the indentation of the first.
//! - `/*@word text@*/` is replaced by the text, or removed: the vocabulary decides by the word.
//! - `//@ name: what it does` begins a function of a file of several ([`function`]).

const TEMPLATES: [&str; 26] = [
    include_str!("support/any.c"),
    include_str!("support/bits.c"),
    include_str!("support/canonical.c"),
    include_str!("support/check.c"),
    include_str!("support/discard.c"),
    include_str!("support/finish.c"),
    include_str!("support/graphs.c"),
    include_str!("support/host.c"),
    include_str!("support/messages.c"),
    include_str!("support/models.c"),
    include_str!("support/mul_div.c"),
    include_str!("support/order.c"),
    include_str!("support/out.c"),
    include_str!("support/pool.c"),
    include_str!("support/prototypes.h"),
    include_str!("support/quick.c"),
    include_str!("support/remainder.c"),
    include_str!("support/row.c"),
    include_str!("support/same.c"),
    include_str!("support/slots.c"),
    include_str!("support/step.c"),
    include_str!("support/tell.c"),
    include_str!("support/timers.c"),
    include_str!("support/views.c"),
    include_str!("support/window.c"),
    include_str!("support/words.c"),
];

/// Replacements for the words of a template.
pub trait Vocabulary {
    /// The text of `@word{arguments}`.
    fn text(&mut self, word: &str, arguments: &[String]) -> String;

    /// The text for `/*@word inner@*/`; none: it is left out.
    fn part(&mut self, word: &str, inner: &str) -> Option<String>;
}

/// Words with fixed texts.
pub struct Texts<'t>(pub &'t [(&'t str, String)]);

impl Vocabulary for Texts<'_> {
    fn text(&mut self, word: &str, _: &[String]) -> String {
        let found = self.0.iter().find(|(known, _)| *known == word);
        found.unwrap_or_else(|| unreachable!("`@{word}` has no text")).1.clone()
    }

    fn part(&mut self, word: &str, _: &str) -> Option<String> {
        unreachable!("a template of fixed texts has no part `{word}`")
    }
}

/// The names behind the prefix that templates use.
pub fn names() -> impl Iterator<Item = String> {
    let name = |part: &str| part[..word_len(part)].to_string();
    TEMPLATES.iter().flat_map(move |text| text.split("@_").skip(1).map(name)).filter(|name| !name.is_empty())
}

/// A function of a file of several, without the comment on it.
pub fn function(file: &str, name: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//@");
    let begins = |line: &&str| line.strip_prefix("//@ ").is_some_and(|head| head.split(':').next() == Some(name));
    let lines = file.lines().skip_while(|line| !begins(line)).skip_while(is_comment);
    let lines: Vec<&str> = lines.take_while(|line| !is_comment(line)).collect();
    assert!(!lines.is_empty(), "the templates have no function `{name}`");
    lines.join("\n")
}

/// Expands a template with the prefix of a stack and the texts for its words.
pub fn expand(template: &str, prefix: &str, words: &mut dyn Vocabulary) -> String {
    let mut result = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('@') {
        let is_part = rest[..at].ends_with("/*");
        result.push_str(&rest[..if is_part { at - 2 } else { at }]);
        let (text, behind) = match is_part {
            true => part(&rest[at + 1..], prefix, words),
            false => word(&rest[at + 1..], prefix, words),
        };
        rest = if text.is_empty() { without_line(&mut result, behind) } else { behind };
        match is_part {
            true => result.push_str(&text),
            false => push_indented(&mut result, &text),
        }
    }
    result.push_str(rest);
    result
}

/// Expands a part, given the text behind its `@`; returns it and the rest of the text.
fn part<'t>(text: &'t str, prefix: &str, words: &mut dyn Vocabulary) -> (String, &'t str) {
    let mut depth = 1;
    let mut end = 0;
    while depth > 0 {
        let next = |mark: &str| text[end..].find(mark).map(|at| end + at);
        let close = next("@*/").expect("a part ends");
        match next("/*@").filter(|open| *open < close) {
            Some(open) => (depth, end) = (depth + 1, open + 3),
            None => (depth, end) = (depth - 1, close + 3),
        }
    }
    let (word, inner) = text[..end - 3].split_once([' ', '\n']).expect("a part has a word");
    let inner = words.part(word, inner).unwrap_or_default();
    (expand(&inner, prefix, words).trim_end().to_string(), &text[end..])
}

/// Expands a word, given the text behind its `@`; returns it and the rest of the text.
fn word<'t>(text: &'t str, prefix: &str, words: &mut dyn Vocabulary) -> (String, &'t str) {
    let (word, behind) = text.split_at(word_len(text));
    if word.starts_with('_') {
        return (format!("{prefix}{word}"), behind);
    }
    let (arguments, behind) = match behind.strip_prefix('{') {
        Some(text) => arguments(text),
        None => (vec![], behind),
    };
    let arguments: Vec<String> = arguments.into_iter().map(|argument| expand(argument, prefix, words)).collect();
    (words.text(word, &arguments), behind)
}

fn word_len(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Splits the arguments behind a `{` at commas outside of brackets; returns them and the text behind the `}`.
fn arguments(text: &str) -> (Vec<&str>, &str) {
    let (mut depth, mut from) = (0, 0);
    let mut found = vec![];
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
                if c == '}' {
                    return (found, &text[from..]);
                }
            }
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    unreachable!("the arguments of a template's word end: {text}")
}

fn push_indented(result: &mut String, text: &str) {
    let line = &result[result.rfind('\n').map_or(0, |at| at + 1)..];
    let indentation = &line[..line.len() - line.trim_start_matches(' ').len()];
    let text = text.replace('\n', &format!("\n{indentation}"));
    result.push_str(&text);
}

/// Removes the line of a part that is left out, if nothing else is on it; returns the rest of the text.
fn without_line<'t>(before: &mut String, after: &'t str) -> &'t str {
    let after = after.trim_start_matches(' ');
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    match after.strip_prefix('\n') {
        Some(next) if before[line..].trim_start_matches(' ').is_empty() => {
            before.truncate(line);
            next
        }
        _ => after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Test;

    impl Vocabulary for Test {
        fn text(&mut self, word: &str, arguments: &[String]) -> String {
            match word {
                "none" => String::new(),
                "two" => "one;\ntwo;".into(),
                _ => format!("<{word} {}>", arguments.join("|")),
            }
        }
        fn part(&mut self, word: &str, inner: &str) -> Option<String> {
            (word == "yes").then(|| inner.to_string())
        }
    }

    #[test]
    fn words_parts_and_prefixes_are_replaced() {
        let expanded = |text: &str| expand(text, "st", &mut Test);
        assert_eq!(expanded("@_a @b @c{x[1, 2], @d{y}}"), "st_a <b > <c x[1, 2]|<d y>>");
        assert_eq!(expanded("a\n  /*@no b@*/\nc /*@no d@*/\n"), "a\nc \n");
        assert_eq!(expanded("/*@yes a /*@no b@*/c /*@yes @_d@*/@*/"), "a c st_d");
        assert_eq!(expanded("{\n    /*@yes a {\n        b\n    }@*/\n}"), "{\n    a {\n        b\n    }\n}");
        assert_eq!(expanded("{\n    @two\n    @none\n}"), "{\n    one;\n    two;\n}");
    }

    #[test]
    fn functions_of_a_file_are_found_by_name() {
        let file = "//@ a: which\n//@ is long\nint a;\n//@ b\nint b;\nint c;\n";
        assert_eq!([function(file, "a"), function(file, "b")], ["int a;", "int b;\nint c;"]);
    }
}
