//! Each operator applies exactly at the expected places of a small layer.

use std::path::PathBuf;

use nacre_driver::Session;
use nacre_mutants::mutants;

/// The mutants of an operator: line of the member, before, after.
fn made(operator: &str, members: &str) -> Vec<String> {
    let text = format!("import \"interfaces.nacre\"; worker tiny {{ requires lossy_network;\n{members}\n}}\n");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout").to_path_buf();
    let session = Session::from_text(&root.join("layers/tiny.nacre"), &text);
    assert!(!session.has_errors(), "{}", session.render(false));
    let (stack, _) = session.compose_varied("tiny", &Default::default()).expect("the layer composes");
    let source = |span| session.sources.slice(span).to_string();
    let mut shown = vec![];
    for mutant in mutants(&stack, &[]) {
        let changed = mutant.stack(&stack);
        assert_ne!(changed, stack);
        assert_eq!(nacre_stack::validate(&changed), Ok(()));
        let after = mutant.after(&source).unwrap_or_else(|| "(removed)".into());
        let before = mutant.before(&source);
        assert_ne!(before, after);
        if mutant.operator == operator {
            let start = mutant.span.start as usize;
            let line = text[..start].matches('\n').count();
            let column = start - text[..start].rfind('\n').expect("a line before");
            shown.push(format!("{line}:{column} {before} => {after}"));
        }
    }
    shown
}

/// State of the layers below, on one line.
const STATE: &str = "state { a: bool, b: bool, c: bool, n: u32, k: u32 }";
/// A header, and who sends it.
const HEADER: &str = "header One { number: seq8 } down grant_delivers(_) { below.send(One { number: 0 }); }";

#[test]
fn one_operand_of_a_condition_is_omitted() {
    let members = format!("{STATE}\ndown send(m) {{ if (a && b && c) || n == 3 {{ above.grant_sends(1); }} pass m; }}");
    assert_eq!(
        made("conjunct", &members),
        ["2:19 (a && b && c) => (b && c)", "2:19 (a && b && c) => (a && c)", "2:19 (a && b && c) => (a && b)"]
    );
    assert_eq!(
        made("disjunct", &members),
        ["2:19 (a && b && c) || n == 3 => n == 3", "2:19 (a && b && c) || n == 3 => (a && b && c)"]
    );
}

#[test]
fn condition_of_acceptance_is_mutated() {
    let members = format!("{STATE}\naccepts send(m) when !a && m.len > 3;\ndown send(m) {{ a = b; pass m; }}");
    assert_eq!(made("conjunct", &members), ["2:22 !a && m.len > 3 => m.len > 3", "2:22 !a && m.len > 3 => !a"]);
    assert_eq!(made("guard", &members), ["2:22 !a && m.len > 3 => true"]);
    assert_eq!(made("comparison", &members), ["2:28 m.len > 3 => m.len >= 3"]);
    assert_eq!(made("constant", &members), ["2:36 3 => 4"]);
}

#[test]
fn condition_becomes_constant_and_else_is_omitted() {
    let members = format!(
        "{STATE} {HEADER}
down send(m) {{ if a {{ n += 1; }} pass m; }}
down close() {{ if b {{ return; }} pass; }}
up deliver(m - One {{ number: _ }}) {{ if c {{ pass m; }} else {{ n += 1; below.send(m + One {{ number: 1 }}); }} }}
up grant_sends(_) {{ n = 0; while n < 3 bound 4 {{ n += 1; }} }}"
    );
    assert_eq!(made("guard", &members), ["2:19 a => true", "3:19 b => false", "4:40 c => true"]);
    assert_eq!(made("else", &members), ["4:61 n += 1; below.send(m + One { number: 1 }) => (removed)"]);
}

/// An `else` that only drops and counts is what remains of any other.
#[test]
fn else_without_an_effect_is_not_omitted() {
    let members =
        format!("counters {{ lost }} {STATE}\nup deliver(m) {{ if a {{ pass m; }} else {{ drop m; count lost; }} }}");
    assert_eq!(made("else", &members), [""; 0]);
}

#[test]
fn next_variable_of_the_type_is_read() {
    let members =
        format!("{STATE}\ndown send(m) {{ let first = n + 1; if first > k && b {{ above.init(); }} pass m; }}");
    assert_eq!(made("variable", &members), ["2:28 n => k", "2:46 k => first", "2:38 first => n", "2:51 b => c"]);
    // A single variable of its type has no other.
    assert_eq!(
        made("variable", "state { n: u32, a: bool }\ndown send(m) { n += 1; if a { above.init(); } pass m; }"),
        [""; 0]
    );
}

#[test]
fn ranges_become_one_wider() {
    let members = format!(
        "{STATE} state {{ kept: window<msg, 4, seq8> }}
down send(m) {{ for i in n .. k bound 9 {{ above.grant_sends(i as u16); }} below.send(slice(m, n, k)); drop m; }}
up grant_sends(_) {{ for (_, m) in kept.up_to(kept.low + 1) {{ above.deliver(share m); }} }}
up deliver(m) {{ pass rest(m, n); }}"
    );
    assert_eq!(
        made("range", &members),
        [
            "2:25 n => n, one less",
            "2:30 k => k, one more",
            "2:96 k => k, one more",
            "3:21 for (_, m) in kept.up_to(kept.low + 1) => for (_, m) in kept.up_to(kept.low + 1), one more",
            "4:30 n => n, one less"
        ]
    );
}

#[test]
fn modulus_is_changed() {
    let members = format!(
        "{STATE} {HEADER} state {{ next: seq8 }}
down send(m) {{ n = k % 5; let d = n % k else unreachable; k = d; pass m + One {{ number: next }}; }}
up deliver(m - One {{ number: _ }}) {{ pass m; }}"
    );
    assert_eq!(
        made("modulus", &members),
        [
            "2:20 k % 5 => k",
            "2:35 n % k => n % k, one more",
            "2:35 n % k => n",
            "2:89 next => next, without its highest bit"
        ]
    );
}

#[test]
fn statements_are_omitted() {
    let members = format!(
        "{STATE} state {{ kept: ring<u32, 4> }}
down send(m) {{ add(1); a = true; kept.clear(); pass m; }}
fn add(by: u32) {{ if a {{ above.grant_sends(by as u16); }} }}"
    );
    assert_eq!(made("call", &members), ["2:16 add(1) => (removed)"]);
    assert_eq!(made("update", &members), ["2:24 a = true => (removed)", "2:34 kept.clear() => (removed)"]);
    assert_eq!(
        made("assertion", &format!("{STATE}\nup deliver(m) {{ assert n < 3; n += 1; pass m; }}")),
        ["2:17 assert n < 3 => (removed)"]
    );
}

#[test]
fn statements_that_depend_on_each_other_are_swapped() {
    let members = format!(
        "{STATE} {HEADER}
down send(m) {{ n += 1; a = n > 2; b = true; if c {{ b = a; }} if b {{ pass m; }} else {{ drop m; }} }}
up deliver(m - One {{ number: _ }}) {{ above.grant_sends(1); above.deliver(m); n = 4; }}
up grant_sends(_) {{ let first = n; k = first; if a {{ return; }} n = k + 1; above.grant_sends(n as u16); }}"
    );
    assert_eq!(
        made("swap", &members),
        [
            "2:16 n += 1; a = n > 2 => a = n > 2; n += 1",
            "2:35 b = true; if c => if c; b = true",
            "2:45 if c; if b => if b; if c",
            "3:37 above.grant_sends(1); above.deliver(m) => above.deliver(m); above.grant_sends(1)",
            "4:36 k = first; if a => if a; k = first",
            "4:47 if a; n = k + 1 => n = k + 1; if a",
            "4:64 n = k + 1; above.grant_sends(n as u16) => above.grant_sends(n as u16); n = k + 1"
        ]
    );
}

/// In another configuration, the same mutants have the same keys.
#[test]
fn mutants_of_all_configurations_correspond() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout").to_path_buf();
    let mut session = Session::open(&[root.join("layers/pt2pt/tests.nacre")]);
    let stack = session.stack("pt2pt_small").unwrap_or_else(|| panic!("{}", session.render(false)));
    let all = mutants(&stack, &[]);
    let keys: std::collections::BTreeSet<_> = all.iter().map(|m| m.key()).collect();
    assert_eq!(keys.len(), all.len());
}
