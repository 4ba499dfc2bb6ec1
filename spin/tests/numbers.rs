//! Numbers of events in automata: SPIN's have 31 bits, and a search reports larger ones.

mod common;

use std::path::Path;

use common::tools;
use nacre_backend_c::Level;
use nacre_driver::Session;
use nacre_spin::spin::{Limits, Verdict};
use nacre_spin::{emitted::between, model};
use nacre_worlds::setup::Setup;
use nacre_worlds::world::{self, Subject};

/// A layer that answers `ask` with a number, twice: the second is allowed if the condition holds for the first.
fn telling(ty: &str, number: &str, condition: &str) -> Setup {
    let text = format!(
        "import \"../../layers/interfaces.nacre\";
        interface meter {{
            down ask()
            up told(n: {ty})
        }}
        automaton metered {{
            state {{ told: bool, right: bool }}
            input ask(at p) {{ }}
            output told(at p, n) when !told || right {{
                told = true;
                right = {condition};
            }}
        }}
        worker telling: meter over channel {{
            requires lossy_network;
            provides metered;
            header Asked {{}}
            down ask() {{
                above.told({number});
                above.told({number});
                below.send(Asked {{}});
            }}
            up deliver(Asked {{}}) {{ }}
        }}
        configuration small for telling {{ ask = (1, 0); }}"
    );
    setup("telling", &text)
}

/// The world of a layer with one configuration.
fn setup(layer: &str, text: &str) -> Setup {
    let file = format!("tests/{layer}.nacre");
    let session = Session::from_text(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file), text);
    assert!(!session.has_errors(), "{}", session.render(false));
    let configuration = session.configurations().into_iter().find(|c| c.subject == layer).expect("it is there");
    let subject = Subject { name: layer.into(), is_layer: true };
    match world::world(&session, &subject, &configuration, false) {
        Ok(world) => world.setup,
        Err(_) => panic!("there is no world"),
    }
}

/// The verdicts of SPIN on the model, and on the emitted C.
fn verdicts(setup: &Setup) -> [Verdict; 2] {
    let (tools, limits) = (tools(), Limits::default());
    let searches = [model::check(setup, &tools, &limits), between::check(setup, Level::Call, &tools, &limits)];
    searches.map(|searched| searched.expect("a verdict").verdict)
}

#[test]
fn numbers_of_31_bits_are_those_of_the_stack() {
    assert_eq!(verdicts(&telling("u32", "2147483647", "n > 5")), [Verdict::Holds, Verdict::Holds]);
    for verdict in verdicts(&telling("u32", "2147483647", "n < 5")) {
        assert!(matches!(verdict, Verdict::Violated { .. }), "{verdict:?}");
    }
}

#[test]
fn larger_numbers_end_the_search() {
    for (ty, number) in [("u32", "4000000000"), ("i8", "-1")] {
        for verdict in verdicts(&telling(ty, number, "n > 5")) {
            let Verdict::Incomplete(why) = &verdict else { panic!("{ty}: {verdict:?}") };
            assert!(why.contains("larger than 2147483647"), "{why}");
        }
    }
}

/// A layer with numbers of a range, converted from another type, in its state and in a header, and a given one.
fn converting(from: &str, number: &str, range: &str, least: u64, expected: &str) -> Setup {
    let text = format!(
        "import \"../../layers/interfaces.nacre\";
        interface asked {{ down ask() }}
        automaton asking {{ input ask(at p) {{ }} }}
        worker converting: asked over channel {{
            requires lossy_network;
            provides asking;
            header Both {{ one: {range}, other: u8 }}
            given {{ most: {range} }}
            state {{ from: {from} = {number}, seen: {range} = {least}, perhaps: ({range})? }}
            invariant seen == {least} || seen == {expected};
            down ask() {{
                let fits = from as {range} else {{ below.send(Both {{ one: most, other: 1 }}); return; }}
                seen = fits;
                perhaps = some(fits);
                below.send(Both {{ one: fits, other: 0 }});
            }}
            up deliver(Both {{ one, other }}) {{ if other == 0 {{ seen = one; }} }}
        }}
        configuration small for converting {{ ask = (1, 0); }}"
    );
    setup("converting", &text)
}

/// Numbers of one and of two words of Promela, that fit and that do not.
#[test]
fn conversions_to_ranges_of_any_width_are_those_of_the_language() {
    let verdict = |setup| model::check(&setup, &tools(), &Limits::default()).expect("a verdict").verdict;
    for (range, least) in [("0..5", 0), ("0..4294967301", 0), ("2..8589934593", 2)] {
        for (from, number, expected) in [("i3", "3", "3"), ("u32", "4", "4"), ("i16", "-2", "2")] {
            let context = format!("{number} of {from} as {range}");
            assert_eq!(verdict(converting(from, number, range, least, expected)), Verdict::Holds, "{context}");
        }
        let wrong = verdict(converting("i3", "3", range, least, "2"));
        assert!(matches!(wrong, Verdict::Violated { .. }), "{range}: {wrong:?}");
    }
}
