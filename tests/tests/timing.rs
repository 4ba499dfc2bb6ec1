//! Values from the clock are tracked: kept to timers, or told where they go.

use std::path::Path;

use nacre_driver::Session;
use nacre_stack::timing::leaks;
use nacre_tests::root;

fn stack(text: &str) -> nacre_stack::Stack {
    let path = root().join("layers/from_test.nacre");
    let mut session = Session::from_text(Path::new(&path), text);
    session.stack("s").unwrap_or_else(|| panic!("{}", session.render(false)))
}

fn one(body: &str) -> Vec<String> {
    let text = format!(
        "import \"interfaces.nacre\";\nimport \"floor/floor.nacre\";\nworker x {{ {body} }}\nstack s = x / floor;\n"
    );
    leaks(&stack(&text)).into_iter().map(|l| l.into.to_string()).collect()
}

#[test]
fn a_round_trip_estimate_stays_in_its_timer() {
    let kept = one("state { sent: instant, rto: duration = 20 ms, again: timer, n: u32 }
         down send(m) { sent = now; arm again in rto; pass; }
         up deliver(m) { rto = (rto * 7 + (now - sent)) / 8; pass; }
         on again { n += 1; }");
    assert_eq!(kept, Vec::<String>::new());
}

#[test]
fn a_branch_on_the_clock_leaks() {
    let told =
        one("state { last: instant } down send(m) { if now - last > 5 ms { drop m; return; } last = now; pass; }");
    assert!(told.contains(&"the way a message takes".to_string()), "{told:?}");
}

#[test]
fn a_time_that_becomes_a_number_leaks() {
    let told = one("state { last: instant, n: u64 } down send(m) { n = (now - last) as u64; pass; }");
    assert_eq!(told, ["a value that is not a time"]);
}

#[test]
fn a_time_in_a_header_leaks() {
    let told = one("header Stamp { at: u64 } state { last: instant } down send(m) { pass m + Stamp { at: (now - last) as u64 }; } up deliver(m - Stamp { at }) { pass m; }");
    assert_eq!(told, ["an event"]);
}

#[test]
fn the_library_keeps_the_clock_to_its_timers() {
    let mut session = Session::open(&[root().join("examples/reliable.nacre")]);
    let stack = session.stack("reliable").unwrap_or_else(|| panic!("{}", session.render(false)));
    assert_eq!(leaks(&stack), Vec::new());
}
