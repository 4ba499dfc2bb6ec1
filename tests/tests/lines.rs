//! `#line`: each line of emitted C is attributed to its statement of the layer.

use std::collections::{BTreeMap, BTreeSet};

use nacre_driver::{Level, Session};
use nacre_stack::visit::Traverse;
use nacre_stack::{Block, Expr, Span, Stack, StatementKind};
use nacre_tests::line_numbers::{attributed, shifted, Attributed};
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

/// The statements to which the lines of one function of C may be attributed.
struct Code<'a> {
    /// The comment in front of it.
    name: String,
    span: Span,
    blocks: Vec<&'a Block>,
    /// Expressions that are in no statement.
    values: Vec<&'a Expr>,
}

impl Code<'_> {
    /// The lines of its statements, to each of which some C must be attributed.
    fn statements(&self, line: impl Fn(Span) -> u32) -> BTreeSet<u32> {
        let mut lines = BTreeSet::new();
        self.blocks.iter().for_each(|block| block.each_statement(|s| lines.extend([line(s.span)])));
        lines.extend(self.values.iter().map(|value| line(value.span)));
        lines
    }
}

/// The handlers, functions and filters of a stack.
fn code(stack: &Stack) -> Vec<Code<'_>> {
    let handlers = stack.handlers.iter().map(|h| (h.name.clone(), h.span, vec![&h.body], vec![]));
    let functions = stack.functions.iter().map(|f| (f.name.clone(), f.span, vec![&f.body], vec![]));
    let filters = stack.filters.iter().map(|f| {
        let values = f.initial.iter().flatten().chain(&f.result).collect();
        (format!("filter {}", f.name), f.span, vec![&f.body, &f.end], values)
    });
    let all = handlers.chain(functions).chain(filters);
    all.map(|(name, span, blocks, values)| Code { name, span, blocks, values }).collect()
}

/// Returns how many handlers, functions and filters were found in the emitted C, and the wrong attributions.
fn compare(session: &Session, stack: &Stack, c: &str) -> (usize, Vec<String>) {
    let line = |span: Span| session.sources.line(span) as u32;
    let mut lines = attributed(c);
    let (mut checked, mut wrong) = (0, vec![]);
    for code in code(stack) {
        // At level `inline` the same code is emitted again for the likely path.
        for name in [code.name.clone(), format!("{}, along the likely way", code.name)] {
            let Some(here) = lines.remove(&name) else { continue };
            let mut wanted = code.statements(line);
            let found: BTreeSet<u32> = here.iter().map(|l| l.number).collect();
            let all = name == code.name;
            if all && !wanted.is_subset(&found) {
                wrong.push(format!("{name}: {wanted:?} in {}", shown(&here)));
            }
            wanted.insert(line(code.span));
            if !found.is_subset(&wanted) {
                wrong.push(format!("{name}: only {wanted:?} in {}", shown(&here)));
            }
            checked += all as usize;
        }
    }
    // A bypass has statements of all layers.
    let all: BTreeSet<u32> = code(stack).into_iter().flat_map(|code| code.statements(line)).collect();
    lines.retain(|name, here| !name.starts_with("bypass ") || here.iter().any(|line| !all.contains(&line.number)));
    // All other code is not written by a layer: dispatchers, helpers, the functions of the host.
    wrong.extend(lines.iter().map(|(name, lines)| format!("`{name}` is of no layer: {}", shown(lines))));
    (checked, wrong)
}

fn shown(lines: &[Attributed]) -> String {
    lines.iter().map(|l| format!("\n  {} {}", l.number, l.c)).collect()
}

#[test]
fn each_line_is_attributed_to_a_statement_and_each_statement_has_a_line() {
    let mut checked = 0;
    for (session, stack) in cases() {
        for level in LEVELS {
            let (found, wrong) = compare(&session, &stack, &session.emit(&stack, level, None).source);
            assert!(wrong.is_empty(), "{}, {}: {}", stack.name, level.name(), wrong.join("\n"));
            checked += found;
        }
    }
    assert!(checked > 40, "{checked} handlers, functions and filters");
}

#[test]
fn a_writer_that_is_off_by_one_is_noticed_in_every_stack() {
    for (session, stack) in cases() {
        for level in LEVELS {
            let c = session.emit(&stack, level, None).source;
            for by in [-1, 1] {
                let (_, wrong) = compare(&session, &stack, &shifted(&c, by));
                assert!(!wrong.is_empty(), "{}, {}, by {by}", stack.name, level.name());
            }
        }
    }
}

/// The code of emissions and counts is recognized by its text, so that the line of each can be checked.
#[test]
fn emissions_and_counts_are_on_their_own_lines() {
    let mut checked = 0;
    for (session, stack) in cases() {
        let code: BTreeMap<_, _> = attributed(&session.emit(&stack, Level::Queue, None).source);
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
                lines.iter().filter(|l| names.iter().any(|n| l.c.contains(n))).map(|l| l.number).collect()
            };
            let place = format!("{}, {}: {}", stack.name, handler.name, shown(lines));
            assert_eq!(with(&["_out_", "_queue_", "_put_off_"]), emitted, "{place}");
            assert_eq!(with(&["_COUNT_"]), counted, "{place}");
            checked += emitted.len() + counted.len();
        }
    }
    assert!(checked > 20, "{checked} statements");
}
