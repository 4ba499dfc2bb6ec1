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
        stages.push((format!("{}.h", level.name()), emitted.header));
        stages.push((format!("{}.c", level.name()), emitted.source));
    }
    let folder = format!("{}/", root().display());
    stages.into_iter().map(|(name, text)| (name, text.replace(&folder, ""))).collect()
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
