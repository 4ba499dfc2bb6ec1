//! `#line`: each line of emitted C is attributed to the statement of the layer that it was written for.

use std::collections::{BTreeMap, BTreeSet};

use nacre_driver::{Level, Session};
use nacre_stack::visit::Traverse;
use nacre_stack::{Span, Stack, StatementKind};
use nacre_tests::machines::LEVELS;
use nacre_tests::root;

/// The golden cases that have no errors.
fn cases() -> Vec<(Session, Stack)> {
    let folders = std::fs::read_dir(root().join("tests/golden")).expect("the golden cases").flatten();
    let sources = folders.map(|folder| (folder.file_name(), folder.path().join("source.nacre")));
    let cases = sources.filter(|(_, source)| source.is_file()).filter_map(|(name, source)| {
        let mut session = Session::open(&[source]);
        let stack = session.stack(&name.to_string_lossy())?;
        Some((session, stack))
    });
    cases.collect()
}

/// The lines of C of each handler and function, by the comment in front of it, with the line that a compiler attributes them to;
/// braces left out.
fn attributed(c: &str) -> BTreeMap<String, Vec<(u32, String)>> {
    let mut code: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    let (mut name, mut at) = (String::new(), None);
    for line in c.lines() {
        if let Some((number, file)) = line.strip_prefix("#line ").and_then(|l| l.split_once(' ')) {
            at = file.ends_with(".nacre\"").then(|| number.parse().expect("a number"));
            continue;
        }
        if let Some(comment) = line.strip_prefix("/* ").and_then(|l| l.strip_suffix(" */")) {
            (name, at) = (comment.to_string(), None);
        }
        if let Some(number) = at.filter(|_| !matches!(line.trim(), "" | "}")) {
            code.entry(name.clone()).or_default().push((number, line.trim().to_string()));
        }
        at = at.map(|number| number + 1);
    }
    code
}

#[test]
fn each_line_belongs_to_a_statement_of_its_code_and_each_statement_has_one() {
    let mut checked = 0;
    for (session, stack) in cases() {
        let line = |span: Span| session.sources.line(span) as u32;
        for level in LEVELS {
            let code = attributed(&session.emit(&stack, level, None).source);
            for handler in stack.handlers.iter().filter(|h| !h.passes) {
                let mut wanted = BTreeSet::new();
                handler.body.each_statement(|s| wanted.extend([line(s.span)]));
                let Some(lines) = code.get(&handler.name) else { continue };
                let found: BTreeSet<u32> = lines.iter().map(|(number, _)| *number).collect();
                let place = format!("{}, {}, {}", stack.name, level.name(), handler.name);
                assert!(wanted.is_subset(&found), "{place}: {wanted:?} in {lines:#?}");
                wanted.insert(line(handler.span));
                assert!(found.is_subset(&wanted), "{place}: only {wanted:?} in {lines:#?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked} handlers");
}

/// What an emission and a count become is known by its text, so that the lines of these can be told one by one.
#[test]
fn emissions_and_counts_are_on_their_own_lines() {
    let mut checked = 0;
    for (session, stack) in cases() {
        let code = attributed(&session.emit(&stack, Level::Queue, None).source);
        for handler in stack.handlers.iter().filter(|h| !h.passes) {
            let Some(lines) = code.get(&handler.name) else { continue };
            let (mut emitted, mut counted) = (vec![], vec![]);
            handler.body.each_statement(|s| match &s.kind {
                StatementKind::Emit(_) => emitted.push(session.sources.line(s.span) as u32),
                StatementKind::Count(..) => counted.push(session.sources.line(s.span) as u32),
                _ => {}
            });
            let with = |words: &[&str]| -> Vec<u32> {
                let names = words.iter().map(|w| format!("{}{w}", stack.name)).collect::<Vec<_>>();
                lines.iter().filter(|(_, c)| names.iter().any(|n| c.contains(n))).map(|(n, _)| *n).collect()
            };
            assert_eq!(
                with(&["_out_", "_queue_", "_put_off_"]),
                emitted,
                "{}, {}: {lines:#?}",
                stack.name,
                handler.name
            );
            assert_eq!(with(&["_COUNT_"]), counted, "{}, {}: {lines:#?}", stack.name, handler.name);
            checked += emitted.len() + counted.len();
        }
    }
    assert!(checked > 20, "{checked} statements");
}
