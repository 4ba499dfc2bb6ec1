//! Bounds of the durations with which timers are armed, from the source.

use std::path::Path;

use nacre_analysis::delays::{self, Range};
use nacre_driver::{Session, Variation};
use nacre_stack::TimerId;
use nacre_tests::root;

const MS: u64 = 1_000_000;

/// The bounds for a layer's timer `due`, with this state and code of its handler of `send`.
fn bounds(state: &str, code: &str) -> Option<Range> {
    let text = format!(
        "import \"../../layers/interfaces.nacre\";
         worker waits<LEAST: duration = 3 ms> {{
             given {{ told: duration = 1 ms }}
             state {{ due: timer, {state} }}
             down send(m) {{ {code} pass m; }}
             on due {{ }}
             fn wait(t: duration) {{ arm due in t; }}
             fn longer(t: duration) -> duration {{ return t * 2; }}
             fn change(ref t: duration) {{ t = 9 ms; }}
         }}"
    );
    let session = Session::from_text(Path::new(&root().join("tests/tests/case.nacre")), &text);
    let (stack, _) = session.compose_varied("waits", &Variation::default()).expect("a stack");
    delays::of(&stack, TimerId(0))
}

fn between(least: u64, most: u64) -> Option<Range> {
    Some(Range { least: least * MS, most: most * MS })
}

#[test]
fn bounds_of_delays_are_found() {
    assert_eq!(bounds("", ""), None);
    assert_eq!(bounds("", "arm due in 2 ms;"), between(2, 2));
    assert_eq!(bounds("", "arm due in 2 ms; arm due in LEAST * 2;"), between(2, 6));
    assert_eq!(bounds("", "wait(4 ms); wait(longer(3 ms));"), between(4, 6));
    assert_eq!(bounds("kept: duration = 5 ms", "arm due in kept;"), between(5, 5));
    assert_eq!(bounds("kept: duration = 5 ms", "kept = min(kept * 2, 1 s); arm due in kept;"), between(5, 1000));
    assert_eq!(bounds("kept: duration", "kept = 2 ms; arm due in kept;"), between(0, 2));
    assert_eq!(bounds("kept: duration", "arm due in max(kept, 2 ms) - 1 ms;"), between(1, 1));
    let local = "var t = 2 ms; if m.len > 3 { t = 4 ms; } arm due in t / 2;";
    assert_eq!(bounds("", local), between(1, 2));
}

#[test]
fn what_may_be_any_is_not_bounded() {
    assert_eq!(bounds("", "arm due in told;"), Some(Range::ANY));
    assert_eq!(bounds("", "arm due in random_duration(5 ms);"), Some(Range::ANY));
    assert_eq!(bounds("kept: duration = 5 ms", "change(ref kept); arm due in kept;"), Some(Range::ANY));
    assert_eq!(bounds("at: instant", "arm due in now - at;"), Some(Range::ANY));
    // Each is longer than the last, and may wrap.
    let doubled = bounds("kept: duration = 5 ms", "kept = kept * 2; arm due in kept;");
    assert_eq!(doubled.map(|range| range.most), Some(u64::MAX));
    let grown = bounds("kept: duration = 5 ms", "kept += 1 ms; arm due in kept;");
    assert_eq!(grown, Some(Range::ANY));
}
