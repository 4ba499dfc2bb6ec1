//! Small sources through the compiler, with every stage in files side by side: tests/golden/<case>/.
//!
//! | file | stage |
//! |---|---|
//! | `source.nacre`, `formatted.nacre` | the source; the second only if the formatter changes it |
//! | `tokens.txt`, `tree.txt` | the tokens of each line; the syntax tree without spans |
//! | `diagnostics.txt` | instead of the following files, for a source with errors |
//! | `fragment.stack` | the output of the type checker for the layers of the case, as text of the stack IR |
//! | `composed.stack` | the stack IR |
//! | `pass-<name>.diff` | the changes of each pass of level `inline` |
//! | `frames.txt` | `nacre explain` |
//! | `queue.c` | types of the emitted C, then the code of the layers; in some cases more ([`shown`]) |
//! | `model.pml` | the code of the layers in Promela: handlers, functions, filters |
//! | `call.c`, `inline.c` | the parts that differ from the level before |
//!
//! The common text of all stacks is only in tests/golden/support/.

use nacre_backend_c::{Content, Part};
use nacre_backend_promela::between::{write_between, Form, World};
use nacre_diagnostics::SourceId;
use nacre_driver::{passes, tokens, tree, Level, Session};
use nacre_stack::{print, Stack};
use nacre_tests::library::open;
use nacre_tests::machines::LEVELS;
use nacre_tests::{golden, root};

/// A stack that needs every section of the support text.
const SUPPORT: &str = "support";

/// Each case shows one idea.
const CASES: [&str; 10] =
    ["passing", "packed", "variants", "timer", "container", "filter", "order", "reference", "pieces", "admission"];

/// The case that shows every part of the C that depends on the stack.
const WHOLE: &str = "passing";

/// A source with errors.
const WITH_ERRORS: &str = "recovery";

/// Files of a case by name, with their text.
type Files = Vec<(String, String)>;

fn file(name: impl Into<String>, text: String) -> (String, String) {
    // Paths are relative to the checkout.
    (name.into(), text.replace(&format!("{}/", root().display()), ""))
}

fn source(case: &str) -> std::path::PathBuf {
    root().join("tests/golden").join(case).join("source.nacre")
}

/// The stages before names and types.
fn syntax(case: &str) -> Files {
    let text = std::fs::read_to_string(source(case)).expect("the case has a source");
    let (parsed, _) = nacre_syntax::parse(SourceId(0), &text);
    vec![file("tokens.txt", tokens(&text)), file("tree.txt", tree::show(&parsed))]
}

/// The changes of a pass, with one line around each change.
fn difference(before: &str, after: &str) -> String {
    similar::TextDiff::from_lines(before, after).unified_diff().context_radius(1).to_string()
}

fn ir(stack: &Stack) -> Files {
    let mut files = vec![file("composed.stack", print(stack)), file("frames.txt", nacre_compose::explain(stack))];
    let mut now = stack.clone();
    for pass in passes(Level::Inline) {
        let before = print(&now);
        (pass.run)(&mut now);
        files.push(file(format!("pass-{}.diff", pass.name), difference(&before, &print(&now))));
    }
    files
}

/// Whether the golden of a case shows a part of the C: all cases show the code of the layers, `passing` shows
/// everything that depends on the stack.
fn shown(case: &str, level: Level, part: &Part) -> bool {
    let also: &[&str] = match part.content {
        Content::Interface | Content::Support | Content::Prototypes => return false,
        Content::Types | Content::Layer => return true,
        // At these levels most helpers are the same functions, inlined.
        Content::Helper if level.is_quick() => &[],
        Content::Helper => &["packed", "filter", "container", "pieces"],
        Content::Open | Content::Call => &["admission"],
        Content::Timers => &["timer"],
        Content::State => &["container"],
        Content::Title | Content::Bounds | Content::Input | Content::Descriptor => &[],
    };
    case == WHOLE || also.contains(&case)
}

/// The parts at level `queue`; at each other level the parts that differ from the level before.
fn c(case: &str, session: &Session, stack: &Stack) -> Files {
    let mut before: Vec<Part> = vec![];
    let mut files = vec![];
    for level in LEVELS {
        let parts = session.emit(stack, level, None).parts;
        let new = parts.iter().filter(|part| shown(case, level, part) && !before.contains(part));
        files.push(file(format!("{}.c", level.name()), new.map(|part| part.text.as_str()).collect()));
        before = parts;
    }
    files
}

/// The code of the layers in Promela. Declarations and the common text of all models are not shown.
fn promela(stack: &Stack) -> Files {
    let below = nacre_specification::samples::lossy_network(2);
    let world = World {
        below: &below,
        above: &[],
        tables: &[],
        calls: vec![],
        limits: vec![],
        last: vec![],
        at_once: false,
        first: 0,
        goals: false,
        form: Form::Values,
        capacity: [2; 2],
        longer: 0,
        given: &[],
    };
    let text = match write_between(stack, &world, &|_| None) {
        Ok(text) => text,
        Err(refusals) => refusals.iter().map(|refusal| format!("/* not written: {} */\n", refusal.reason)).collect(),
    };
    let code: Vec<String> = stack
        .handlers
        .iter()
        .filter(|handler| !handler.passes)
        .map(|handler| format!(": {} */", handler.name))
        .chain(stack.functions.iter().map(|function| format!("/* fn {} */", function.name)))
        .chain(stack.filters.iter().map(|filter| format!("/* filter {} */", filter.name)))
        .chain(["/* not written".to_string()])
        .collect();
    let begins = |line: &str| line.starts_with("/* ") && code.iter().any(|head| line.contains(head));
    let mut shown = String::new();
    let mut inside = false;
    for line in text.lines() {
        inside = if line.starts_with("/* ") { begins(line) } else { inside };
        if inside {
            shown += line;
            shown.push('\n');
        }
        inside &= line != "}";
    }
    vec![file("model.pml", shown)]
}

/// Every stage of a source without errors.
fn stages(case: &str) -> Files {
    let text = std::fs::read_to_string(source(case)).expect("the case has a source");
    let formatted = nacre_syntax::format(&text).expect("the source has no errors");
    let mut session = open(&source(case));
    let stack = session.stack(case).unwrap_or_else(|| panic!("{}", session.render(false)));
    let mut files = syntax(case);
    if formatted != text {
        files.push(file("formatted.nacre", formatted));
    }
    // The layer below is the same in all cases.
    files.push(file("typed.txt", session.typed(case).swap_remove(0)));
    let fragments = session.fragments(case);
    let own = fragments.split("\n// line\n").next().unwrap_or_default();
    files.push(file("fragment.stack", format!("{}\n", own.trim_end())));
    files.extend(ir(&stack));
    files.extend(c(case, &session, &stack));
    files.extend(promela(&stack));
    files
}

/// Compares with the files; a file that no stage writes is an error too.
fn compare(case: &str, files: Files) -> Vec<String> {
    let folder = root().join("tests/golden").join(case);
    let mut wrong: Vec<String> =
        files.iter().filter_map(|(name, text)| golden(&folder.join(name), text).err()).collect();
    for entry in std::fs::read_dir(&folder).expect("the case has a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "source.nacre" && files.iter().all(|(known, _)| *known != name) {
            wrong.push(format!("no stage writes {}", entry.path().display()));
        }
    }
    wrong
}

fn hold(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_stage_equals_its_golden_file() {
    hold(CASES.iter().flat_map(|case| compare(case, stages(case))).collect());
}

#[test]
fn source_with_errors_keeps_the_rest_of_its_tree() {
    let session = Session::open(&[source(WITH_ERRORS)]);
    assert!(session.has_errors());
    let mut files = syntax(WITH_ERRORS);
    files.push(file("diagnostics.txt", session.render(false)));
    files.push(file("typed.txt", session.typed_layers().concat()));
    hold(compare(WITH_ERRORS, files));
}

/// The support text of a stack, with the prefix of another.
fn support(case: &str, level: Level, prefix: &str) -> String {
    let mut session = open(&source(case));
    let stack = session.stack(case).unwrap_or_else(|| panic!("{}", session.render(false)));
    let parts = session.emit(&stack, level, Some(prefix)).parts;
    parts.iter().filter(|part| part.content == Content::Support).map(|part| part.text.as_str()).collect()
}

#[test]
fn support_text_equals_its_golden_file() {
    let [queue, inline] = [Level::Queue, Level::Inline].map(|level| support(SUPPORT, level, SUPPORT));
    let changed = difference(&queue, &inline);
    hold(compare(SUPPORT, vec![file("support.c", queue), file("inline.diff", changed)]));
}

/// So no text that a case omits is missing from the files.
#[test]
fn support_text_of_each_stack_is_part_of_the_golden_file() {
    for level in LEVELS {
        // The queue is a section of it, and only level `queue` needs it in this stack.
        let whole = support(SUPPORT, if level.is_quick() { Level::Inline } else { Level::Queue }, SUPPORT);
        for case in CASES {
            let mut lines = whole.lines();
            for line in support(case, level, SUPPORT).lines() {
                assert!(lines.any(|known| known == line), "{case} at level {}: {line}", level.name());
            }
        }
    }
}
