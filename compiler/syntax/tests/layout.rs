//! The formatter preserves the syntax tree and the comments, and has one layout for each source.

mod files;

use files::design;
use nacre_syntax::format;

fn formatted(text: &str) -> String {
    format(text).unwrap_or_else(|found| panic!("{found:#?}\nin\n{text}"))
}

/// The tree of a source as text, without spans.
fn tree(text: &str) -> String {
    let (file, found) = nacre_syntax::parse(nacre_diagnostics::SourceId(0), text);
    assert!(found.is_empty(), "{found:#?}\nin\n{text}");
    without_places(&format!("{file:#?}"))
}

fn without_places(tree: &str) -> String {
    let mut lines = tree.lines();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        if line.ends_with("Span {") {
            // Up to the brace at the same depth.
            let indent = line.len() - line.trim_start().len();
            lines.find(|inner| inner.len() - inner.trim_start().len() == indent);
        } else {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// Formats twice, and compares trees and comments.
fn check(name: &str, text: &str) -> String {
    let once = formatted(text);
    assert_eq!(formatted(&once), once, "{name} changes when it is formatted again");
    assert_eq!(tree(&once), tree(text), "{name} says something else when formatted");
    assert_eq!(comments(&once), comments(text), "{name} loses comments");
    once
}

fn comments(text: &str) -> Vec<String> {
    let lexed = nacre_syntax::lexer::lex(nacre_diagnostics::SourceId(0), text);
    lexed.comments.iter().map(|comment| text[comment.start as usize..comment.end as usize].to_string()).collect()
}

#[test]
fn all_designed_layers_parse_and_keep_their_meaning() {
    let layers = design();
    assert_eq!(layers.len(), 37);
    for (name, text) in layers {
        let once = check(&name, &text);
        let long = once.lines().filter(|line| line.chars().count() > 120 && !line.contains("//")).count();
        assert_eq!(long, 0, "{name} has lines that are too long:\n{once}");
    }
}

/// What follows a body and a comment continues the statement, and its head is laid out as without the comment.
#[test]
fn else_behind_a_comment_is_where_its_if_is() {
    let inside = |body: &str| format!("worker w {{\n    up init() {{\n{body}    }}\n}}\n");
    let body = "        if a {\n            b = 1;\n            // no more\n        }\n        // otherwise\n        \
                else if c == 7 {\n            b = 2;\n        }   // and here\n        else {\n            b = 3;\n        }\n";
    assert_eq!(check("else", &inside(body)), inside(body));
}

/// White space has no meaning: with one token per line or all on one line, the tree is the same.
#[test]
fn line_breaks_have_no_meaning() {
    for (name, text) in design() {
        let lexed = nacre_syntax::lexer::lex(nacre_diagnostics::SourceId(0), &text);
        let words: Vec<&str> =
            lexed.tokens.iter().map(|token| &text[token.start as usize..token.end as usize]).collect();
        let joined = |between: &str| words.join(between).replace("> >", ">>").replace(">\n>", ">>");
        let plain = |tree: String| {
            tree.lines()
                .filter(|line| !line.trim_start().starts_with('"'))
                .map(|line| line.to_string() + "\n")
                .collect::<String>()
        };
        // Docs are comments too, so only the trees without them are equal.
        let undocumented = plain(tree(&joined(" ")));
        assert_eq!(plain(tree(&joined("\n"))), undocumented, "{name}");
        check(&name, &joined(" "));
        check(&name, &joined("\n"));
    }
}

/// A comment after any token survives.
#[test]
fn comments_may_be_anywhere() {
    for (name, text) in
        design().into_iter().filter(|(name, _)| ["base64", "stacks", "specs"].iter().any(|one| name.starts_with(one)))
    {
        let lexed = nacre_syntax::lexer::lex(nacre_diagnostics::SourceId(0), &text);
        for token in &lexed.tokens {
            // Not between the halves of `>>`.
            if text[token.start as usize..].starts_with(">>") {
                continue;
            }
            for comment in [" // here\n", "\n// here\n"] {
                let mut commented = text.clone();
                commented.insert_str(token.end as usize, comment);
                let once = formatted(&commented);
                assert_eq!(formatted(&once), once, "{name}, behind byte {}", token.end);
                assert_eq!(comments(&once), comments(&commented), "{name}, behind byte {}", token.end);
            }
        }
    }
}

#[test]
fn short_blocks_stay_on_their_line() {
    let text = "worker x {\n    up init() { pass; }\n}\n";
    assert_eq!(formatted(text), text);
}

#[test]
fn blocks_over_several_lines_stay_so() {
    let text = "worker x {\n    up init() {\n        pass;\n    }\n}\n";
    assert_eq!(formatted(text), text);
}

#[test]
fn at_most_one_empty_line_is_kept() {
    let text = "\n\nconst A: u8 = 1;\n\n\n\nconst B: u8 = 2;\nconst C: u8 = 3;\n\n";
    assert_eq!(formatted(text), "const A: u8 = 1;\n\nconst B: u8 = 2;\nconst C: u8 = 3;\n");
}

#[test]
fn long_lists_have_a_part_on_each_line_and_a_comma_behind_each() {
    let parts: Vec<String> = (0..20).map(|n| format!("variant_{n}")).collect();
    let text = format!("enum Many {{ {} }}", parts.join(", "));
    let lines: String = parts.iter().map(|part| format!("    {part},\n")).collect();
    assert_eq!(formatted(&text), format!("enum Many {{\n{lines}}}\n"));
}

/// Fields on their own lines stay there, even if the last one is a long literal.
#[test]
fn broken_fields_are_kept_when_the_last_is_long() {
    let literal = format!("Saved {{ {} }}", (0..8).map(|n| format!("field{n}: {n}")).collect::<Vec<_>>().join(", "));
    let text = format!("worker w {{\n    shared {{\n        s: Saved = {literal},\n    }}\n}}\n");
    assert_eq!(check("fields", &text), text);
}

#[test]
fn list_on_one_line_has_no_trailing_comma() {
    assert_eq!(formatted("enum Few { one, two, }"), "enum Few { one, two }\n");
}

#[test]
fn types_arms_and_comments_are_aligned() {
    let text = "struct Pair {\n    a: u8, // one\n    longer: u16, // two\n}\n";
    assert_eq!(formatted(text), "struct Pair {\n    a:      u8,     // one\n    longer: u16,    // two\n}\n");
}

#[test]
fn actions_are_aligned_and_settings_are_on_lines() {
    let text = "automaton a {\n    input send(at p, m){x=m;}\n    fault   lose(m) when m==x{ }\ngoal  done=x.empty;}\n\
                configuration small for a{W=2;a . W=(3,0);due  before a . b;b in  phase ;}";
    let expected = "automaton a {\n    input send(at p, m)       { x = m; }\n    fault lose(m) when m == x { }\n    \
                    goal done = x.empty;\n}\nconfiguration small for a { W = 2; a.W = (3, 0); due before a.b; b in phase; }\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn c_is_left_as_it_is() {
    let text = "extern  f(x:u8)->u8 pure c { if (x)\n\t{ return 1; }   \n  return \"}\"[0]; } ;";
    assert_eq!(formatted(text), "extern f(x: u8) -> u8 pure c { if (x)\n\t{ return 1; }   \n  return \"}\"[0]; };\n");
}

#[test]
fn errors_are_given_back() {
    assert!(format("worker {").is_err());
}

#[test]
fn empty_text_stays_empty() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted(" \n\n"), "");
    assert_eq!(formatted("// only a comment"), "// only a comment\n");
}
