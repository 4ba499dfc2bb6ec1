//! A mutant names the statement or expression that is changed, not the handler around it.

use std::path::PathBuf;

use nacre_driver::Session;
use nacre_mutants::mutants;

fn stack(source: &str, name: &str) -> (Session, nacre_stack::Stack) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout").to_path_buf();
    let mut session = Session::open(&[root.join(source)]);
    let stack = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    (session, stack)
}

#[test]
fn span_of_a_mutant_is_what_the_operator_changes() {
    let (session, stack) = stack("layers/pt2pt/tests.nacre", "pt2pt_small");
    let all = mutants(&stack, &[]);
    assert!(all.len() > 100, "{} mutants", all.len());
    for mutant in &all {
        let text = session.sources.slice(mutant.span);
        // Some short forms abbreviate operators: `+=` is an addition, `pass` an emission.
        let signs: &[&str] = match mutant.operator {
            "comparison" => &["<", ">", "==", "!=", "in"],
            "arithmetic" => &["+", "-"],
            "timer" => &["arm", "cancel"],
            _ => &[],
        };
        let fits = signs.is_empty() || signs.iter().any(|sign| text.contains(sign));
        assert!(fits && !text.trim().is_empty(), "{} in {}: `{text}`", mutant.operator, mutant.place);
        // A handler is longer than each statement in it, except for the branches of a statement that is the whole body.
        assert!(!text.starts_with("up ") && !text.starts_with("down "), "{}: `{text}`", mutant.operator);
    }
}

#[test]
fn mutants_of_one_handler_have_places_of_their_own() {
    let (session, stack) = stack("tests/golden/order/source.nacre", "order");
    let sent: Vec<String> = mutants(&stack, &[])
        .iter()
        .filter(|mutant| mutant.place == "counted.up.deliver")
        .map(|mutant| format!("{} {}", mutant.operator, session.places(&[mutant.span])))
        .collect();
    let source = include_str!("../../tests/golden/order/source.nacre");
    let place = |text: &str| {
        let at = source.rfind(text).expect("it is written");
        let line = source[..at].matches('\n').count() + 1;
        let column = at - source[..at].rfind('\n').unwrap_or(0);
        format!("source.nacre:{line}:{column}")
    };
    for (operator, text) in [("update", "seen += 1"), ("emission", "above.marked(seen)"), ("emission", "pass m")] {
        let wanted = format!("{operator} {}", place(text));
        assert!(sent.contains(&wanted), "{wanted} in {sent:?}");
    }
}

/// The source of each change, before and after, is that of the changed expression.
#[test]
fn mutants_are_shown_in_the_words_of_the_source() {
    let members = "
    header One { number: u32 }
    header Two { number: u32 }
    state { seen: u32, signed: i8, open: bool, wait: timer }
    down send(m) {
        if (seen + 1)   >= 3 { seen += 1; }
        open = !(seen == 0x10) && true;
        arm wait in 1 s;
        pass m + One { number: seen };
    }
    up deliver(m - One { number }) { pass m; }
    up deliver(m - Two { number }) { if number < seen { signed = -1; drop m; } else { pass m; } }
    on wait { if signed == -1 && open { above.init(); } }
";
    let text = format!("import \"interfaces.nacre\";\nworker shown {{\n    requires lossy_network;\n{members}\n}}\n");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout").to_path_buf();
    let session = Session::from_text(&root.join("layers/shown.nacre"), &text);
    assert!(!session.has_errors(), "{}", session.render(false));
    let (stack, _) = session.compose_varied("shown", &Default::default()).expect("the layer composes");
    let source = |span| session.sources.slice(span).to_string();
    let shown: Vec<String> = mutants(&stack, &[])
        .iter()
        .map(|m| format!("{}: {} => {}", m.operator, m.before(&source), m.after(&source).unwrap_or_default()))
        .collect();
    for wanted in [
        "comparison: (seen + 1) >= 3 => (seen + 1) > 3",
        "arithmetic: (seen + 1) => (seen - 1)",
        "arithmetic: seen += 1 => seen -= 1",
        "constant: 3 => 4",
        "constant: 0x10 => 17",
        "constant: true => false",
        "constant: -1 => 0",
        "comparison: (seen == 0x10) => (seen != 0x10)",
        "branch: (seen + 1) >= 3 => !((seen + 1) >= 3)",
        "variant: m + One { number: seen } => m + Two { number: seen }",
        "update: seen += 1 => ",
        "timer: arm wait in 1 s => ",
        "emission: pass m => ",
    ] {
        assert!(shown.iter().any(|one| one.starts_with(wanted)), "{wanted} is not among\n{}", shown.join("\n"));
    }
}

/// In every layer of the library, each change can be shown in the source.
#[test]
fn every_mutant_of_the_library_differs_in_the_source() {
    for (source, name) in [("layers/pt2pt/tests.nacre", "pt2pt_small"), ("examples/reliable.nacre", "reliable")] {
        let (session, stack) = stack(source, name);
        let text = |span| session.sources.slice(span).to_string();
        let (mut described, all) = (vec![], mutants(&stack, &[]));
        for mutant in &all {
            let (before, after) = (mutant.before(&text), mutant.after(&text));
            assert!(after.as_ref() != Some(&before), "{} in {}: {before}", mutant.operator, mutant.place);
            described.extend(after.filter(|after| after.contains(", with ")));
        }
        // Short forms: a loop over the last numbers, ...
        assert!(described.len() * 20 < all.len(), "{} of {}: {}", described.len(), all.len(), described.join("\n"));
    }
}
