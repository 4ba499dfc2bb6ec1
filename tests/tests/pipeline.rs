//! The way of small stacks through the compiler, every stage on file side by side: tests/golden/<case>/.

use nacre_driver::{optimize, Level};
use nacre_stack::print;
use nacre_tests::library::open;
use nacre_tests::machines::LEVELS;
use nacre_tests::{golden, root};

const CASES: [&str; 4] = ["held", "lossy", "numbered", "summed"];

/// Every stage by the name of its file. The paths in it are those inside the project, wherever the checkout is.
fn stages(case: &str) -> Vec<(String, String)> {
    let source = root().join("tests/golden").join(case).join("source.nacre");
    let text = std::fs::read_to_string(&source).expect("the case has a source");
    let formatted = nacre_syntax::format(&text).expect("the source has no errors");
    let mut session = open(&source);
    let stack = session.stack(case).unwrap_or_else(|| panic!("{}", session.render(false)));
    let mut optimized = stack.clone();
    optimize(&mut optimized, Level::Inline);
    let mut stages = vec![
        ("formatted.nacre".to_string(), formatted),
        ("composed.stack".to_string(), print(&stack)),
        ("optimized.stack".to_string(), print(&optimized)),
        ("frames.txt".to_string(), nacre_compose::explain(&stack)),
    ];
    for level in LEVELS {
        let emitted = session.emit(&stack, level, None);
        stages.push((
            format!("{}.h", level.name()),
            without(&emitted.header, "/* The interface of every stack", "#endif"),
        ));
        stages.push((format!("{}.c", level.name()), own_part(&emitted.source)));
    }
    let folder = format!("{}/", root().display());
    stages.into_iter().map(|(name, text)| (name, text.replace(&folder, ""))).collect()
}

/// What a source has of its own: without the text that all stacks share, and the numbers of its lines.
fn own_part(source: &str) -> String {
    let own = without(source, "/* ---- what compilers want to be told", "    tell(t, data, 1);");
    let number = |line: &str| line.starts_with("#line ") && line.ends_with(".c\"");
    let lines = own.lines().filter(|line| !number(line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Without the lines from one that begins so to one that is (but for the stack's prefix) so; a line says that they are left out.
fn without(text: &str, from: &str, to: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| line.starts_with(from)).expect("what all stacks share begins");
    let ends =
        |line: &&str| *line == to || (line.starts_with("    ") && line.ends_with(&format!("_{}", to.trim_start())));
    let end = begin + lines[begin..].iter().position(ends).expect("what all stacks share ends");
    let rest = lines[end + 1..].strip_prefix(&["}"]).unwrap_or(&lines[end + 1..]);
    let left = [&lines[..begin], &["/* ... text that all stacks share ... */"], rest].concat();
    left.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn each_stage_is_as_on_file() {
    let mut wrong = Vec::new();
    for case in CASES {
        for (name, text) in stages(case) {
            let differs = golden(&root().join("tests/golden").join(case).join(name), &text);
            wrong.extend(differs.err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
