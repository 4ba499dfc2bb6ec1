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
        // What is written short stands for more: `+=` is an addition, `pass` an emission.
        let signs: &[&str] = match mutant.operator {
            "comparison" => &["<", ">", "==", "!=", "in"],
            "arithmetic" => &["+", "-"],
            "timer" => &["arm", "cancel"],
            _ => &[],
        };
        let fits = signs.is_empty() || signs.iter().any(|sign| text.contains(sign));
        assert!(fits && !text.trim().is_empty(), "{} in {}: `{text}`", mutant.operator, mutant.place);
        // A handler is longer than each statement in it, but for the branches of one that is all of it.
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
