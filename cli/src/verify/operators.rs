//! Tests of the selection of mutants: code that affects only times has none, all other code has them all.

use std::path::Path;

use nacre_driver::Session;
use nacre_mutants::mutants;

/// The mutants of a layer with these members: operator, handler or function, and the original source.
fn seeded(members: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../layers/seeded.nacre");
    let text = format!("import \"interfaces.nacre\";\nworker seeded {{\n    requires lossy_network;\n{members}\n}}\n");
    let session = Session::from_text(&file, &text);
    assert!(!session.has_errors(), "{}", session.render(false));
    let (stack, _) = session.compose_varied("seeded", &Default::default()).expect("the layer composes");
    let source = |span| session.sources.slice(span).to_string();
    let all = mutants(&stack, &[]);
    all.iter().map(|m| format!("{} in {}: {}", m.operator, m.place.replace("seeded.", ""), m.before(&source))).collect()
}

/// A layer that stores measured times in a bool, a number and a duration.
const MEASURED: &str = "
    state { timing: bool, rounds: u32, at: instant, wait: duration = 10 ms, again: timer }

    counters { measured }

    down send(m) {
        pass m;
        if !timing { begin(1); }
        arm again in wait unless armed;
    }

    on again {
        if timing && rounds < 7 {
            rounds += longer(2);
            wait = (now - at) * 2;
            count measured;
        } else {
            timing = false;
        }
    }

    fn begin(of: u32) {
        timing = true;
        rounds = of;
        at = now;
    }

    fn longer(by: u32) -> u32 { return by + 1; }
";

#[test]
fn code_that_affects_only_waiting_times_has_no_mutants() {
    assert_eq!(
        seeded(MEASURED),
        ["emission in down.send: pass m", "timer in down.send: arm again in wait unless armed"]
    );
}

#[test]
fn code_that_affects_behaviour_is_mutated() {
    // A header field, an event's argument, a branch that sends, one that ends before a send, an index, an invariant.
    for (from, to) in [
        ("        pass m;", "        pass m + Head { number: rounds };"),
        ("            timing = false;", "            timing = false; above.grant_sends(rounds as u16);"),
        ("            count measured;", "            above.grant_sends(1);"),
        ("            count measured;", "            above.init();"),
        ("            timing = false;", "            if rounds == 3 { return; } above.init();"),
        (
            "            count measured;",
            "            let at = (rounds % 2) as 0..2 else unreachable; marks[at] = true; if marks[0] { above.init(); \
             }",
        ),
    ] {
        let more = "    header Head { number: u32 }\n    state { marks: bool per 0..2 }\n    up deliver(m - Head { \
            number }) { if number > 0 { pass m; } else { drop m; } }\n";
        let changed = MEASURED.replace(from, to);
        assert_ne!(changed, MEASURED);
        let found = seeded(&format!("{more}{changed}"));
        for update in [
            "update in begin: rounds = of",
            "arithmetic in on.again: rounds += longer(2)",
            "constant in longer: 1",
        ] {
            assert!(found.iter().any(|m| m.starts_with(update)), "{to}: {update} is not among\n{}", found.join("\n"));
        }
    }
    let found = seeded(&format!("{MEASURED}    invariant rounds < 100;"));
    assert!(found.iter().any(|m| m.contains("rounds = of")), "{found:?}");
}

#[test]
fn what_ends_a_loop_has_them() {
    let looping = |how: &str| {
        let members = format!(
            "
    state {{ rounds: u32, wait: duration = 10 ms, again: timer }}
    down send(m) {{ pass m; arm again in wait unless armed; }}
    on again {{
        rounds = 0;
        {how}
        wait = 1 ms;
    }}
    "
        );
        seeded(&members).iter().filter(|m| m.contains("in on.again: ") && m.contains("rounds")).count()
    };
    assert_eq!(looping("rounds += 1;"), 0);
    assert!(looping("while rounds < 3 bound 4 { rounds += 1; }") >= 3);
    assert!(looping("for _ in 0 .. rounds bound 4 { wait = wait * 2; }") >= 1);
}

#[test]
fn fields_of_a_struct_are_distinguished() {
    let found = seeded(
        "
    struct Trip { begun: bool, sent: u32, at: instant }
    state { trip: Trip }
    header Head { number: u32 }

    down send(m) {
        if !trip.begun { trip.begun = true; trip.at = now; }
        trip.sent += 1;
        pass m + Head { number: trip.sent };
    }

    up deliver(m - Head { number }) {
        if number > 0 { pass m; } else { drop m; }
    }
    ",
    );
    assert!(found.iter().any(|m| m.contains("trip.sent += 1")), "{found:?}");
    assert!(!found.iter().any(|m| m.contains("trip.begun") || m.contains("trip.at")), "{found:?}");
}

#[test]
fn store_through_a_reference_is_a_store_to_its_place() {
    let members = |last: &str| {
        format!(
            "
    state {{ seen: u32, wait: duration = 10 ms, again: timer }}

    down send(m) {{
        more(ref seen);
        {last}
        pass m;
    }}

    on again {{ if seen > 3 {{ wait = 1 s; }} }}

    fn more(ref of: u32) {{ of += 1; }}
    "
        )
    };
    let updates = |found: &[String]| found.iter().filter(|m| m.contains("in more")).count();
    assert_eq!(updates(&seeded(&members("arm again in wait;"))), 0);
    assert_eq!(updates(&seeded(&members("if seen == 5 { above.init(); }"))), 3);
}

#[test]
fn code_after_an_impossible_frame_has_no_mutants() {
    let found = seeded(
        "
    state { seen: u32 }
    header Head { number: u32 }

    down send(m) { pass m + Head { number: seen }; }

    up deliver(m - Head { number }) {
        if number < 3 {
            impossible m;
            seen += 4;
            return;
        }
        seen += 5;
        pass m;
    }
    ",
    );
    assert!(found.iter().any(|m| m.contains("number < 3")), "{found:?}");
    assert!(found.iter().any(|m| m.contains("+= 5")) && !found.iter().any(|m| m.contains("+= 4")), "{found:?}");
}
