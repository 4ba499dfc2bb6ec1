//! Messages that grow each time they pass: the compiler terminates, however far they could grow.

use nacre_driver::Session;

const LINE: &str = "interface line { down send(m: msg) up deliver(m: msg) }
filter longer grows n * 0 + 2 { byte(b: u8) { yield b; } end { yield 1; yield 2; } }
";

/// Whether a layer composes with nothing below it, and the diagnostics.
fn composed(layer: &str) -> (bool, String) {
    let text = format!("{LINE}worker w: line over line {{ {layer} }}\nstack st = w;\n");
    let mut session = Session::from_text(&nacre_tests::root().join("tests/growth.nacre"), &text);
    session.check();
    (session.stack("st").is_some(), session.render(false))
}

#[test]
fn stored_messages_that_grow_repeatedly_are_analyzed_to_a_bound() {
    let (_, words) = composed(
        "state { kept: ring<msg, 2>, again: timer }
         down send(m) { kept.push(m) else { drop m; } arm again in 1 ms; }
         on again {
             if let m = kept.pop() {
                 let k = m.bytes through longer;
                 drop m;
                 below.send(share k);
                 kept.push(k) else { drop k; }
             }
             arm again in 1 ms;
         }",
    );
    assert!(!words.contains("internal error"), "{words}");
}

#[test]
fn growing_messages_in_a_cycle_are_analyzed_to_a_bound() {
    let (_, words) = composed(
        "down send(m) { later above.deliver(share m); pass m; }
         up deliver(m) { let k = m.bytes through longer; drop m; later below.send(share k); pass k; }",
    );
    assert!(!words.contains("internal error"), "{words}");
}
