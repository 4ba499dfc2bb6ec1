//! A model that holds, one with a violation, and each limit.

use std::time::Duration;

use nacre_spin::spin::{Error, Limits, Model, Searched, Tools, Verdict};
use nacre_spin::Step;

/// Counts from 0 until it wraps to 0; `assert` holds or not.
fn counter(states: u32, below: u32) -> Model {
    let text = format!(
        "int n;
active proctype count() {{
end:
    do
    :: d_step {{ n < {last} -> n++; printf(\"step: 0 place %d\\n\", n); assert(n < {below}) }}
    :: d_step {{ n == {last} -> n = 0; printf(\"step: 0 later\\n\") }}
    od
}}
",
        last = states - 1
    );
    Model { text, ..Model::default() }
}

fn check(model: &Model, limits: &Limits) -> Searched {
    Tools::find().expect("spin and gcc").check(model, limits).expect("a verdict")
}

#[test]
fn a_right_model_holds_and_every_state_is_counted() {
    let searched = check(&counter(1000, 1000), &Limits::default());
    assert_eq!((searched.verdict, searched.states, searched.transitions), (Verdict::Holds, 1000, 1001));
    assert!(searched.depth >= 999 && searched.vector_bytes > 0 && searched.memory_mib > 0.0, "{:?}", searched.depth);
}

#[test]
fn violation_in_a_model_is_reported_with_its_run() {
    for breadth_first in [false, true] {
        let searched = check(&counter(1000, 3), &Limits { breadth_first, ..Limits::default() });
        let Verdict::Violated { why, trail } = searched.verdict else { panic!("{searched:?}") };
        assert!(why.starts_with("assertion violated"), "{why}");
        assert_eq!(trail.steps, [1, 2, 3].map(|place| Step::TimerAt { end: 0, place }));
    }
}

#[test]
fn a_run_is_shortened_on_demand() {
    let text = "byte n;
active proctype p() {
    do
    :: d_step { n < 9 -> n++; printf(\"step: 0 later\\n\"); assert(n < 9) }
    :: d_step { n < 9 -> n = n + 3; printf(\"step: 0 later\\n\"); assert(n < 9) }
    od
}
";
    let model = Model { text: text.into(), ..Model::default() };
    let steps = |shorten| match check(&model, &Limits { shorten, ..Limits::default() }).verdict {
        Verdict::Violated { trail, .. } => trail.steps.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((steps(false), steps(true)), (9, 3));
}

#[test]
fn a_model_that_stops_where_it_must_not_is_broken() {
    let model = Model { text: "bit b; active proctype p() { b = 1; b == 0 }".into(), ..Model::default() };
    let Verdict::Violated { why, .. } = check(&model, &Limits::default()).verdict else { panic!("it holds") };
    assert_eq!(why, "invalid end state");
}

#[test]
fn search_that_reaches_a_limit_does_not_report_holds() {
    let model = counter(2_000_000_000, 2_000_000_000);
    let of = |limits: Limits| match check(&model, &limits).verdict {
        Verdict::Incomplete(why) => why,
        other => panic!("{other:?}"),
    };
    let usual = Limits { memory_mib: 100, ..Limits::default() };
    assert_eq!(of(Limits { depth: 100, ..usual.clone() }), "the depth limit was reached");
    assert_eq!(of(Limits { breadth_first: true, ..usual }), "the memory limit was reached");
    let wide = Model {
        text: "int a[4000]; byte i; active proctype p() { a[1] = 1; i++; a[i] == 1 }".into(),
        ..Model::default()
    };
    let Verdict::Incomplete(why) = check(&wide, &Limits { vector: 1024, ..Limits::default() }).verdict else {
        panic!("a state fits")
    };
    assert_eq!(why, "a state exceeds the limit of the state vector");
}

#[test]
fn a_verifier_that_does_not_end_is_stopped() {
    let text = "active proctype p() { c_code { while (1) pause(); } }";
    let model = Model { text: text.into(), ..Model::default() };
    let limits = Limits { time: Duration::from_secs(1), ..Limits::default() };
    assert_eq!(check(&model, &limits).verdict, Verdict::Incomplete("the time limit was reached".into()));
}

/// A search that takes long goes on with an optimized verifier, with all the time that there is.
#[test]
fn a_verifier_that_is_slow_is_optimized() {
    let text = r"c_decl {
\#ifdef __OPTIMIZE__
\#define SLOW 0
\#else
\#define SLOW 1
\#endif
}
active proctype p() { c_code { while (SLOW) pause(); } }";
    let model = Model { text: text.into(), ..Model::default() };
    assert_eq!(check(&model, &Limits::default()).verdict, Verdict::Holds);
}

#[test]
fn c_beside_the_model_is_compiled_with_it() {
    let text = "c_decl { \\#include \"part.h\" };
c_state \"int n\" \"Global\"
active proctype p() {
end:
    do
    :: c_expr { now.n < LAST } -> c_code { now.n = NEXT(now.n); }
    od
}
";
    let model = Model {
        text: text.into(),
        files: vec![
            ("part.h".into(), "int next(int n);\n#define NEXT(n) next(n)\n".into()),
            ("part.c".into(), "int next(int n) { return n + 1; }\n".into()),
        ],
        flags: vec!["-DLAST=20".into()],
        file_flags: vec![],
    };
    let searched = check(&model, &Limits::default());
    assert_eq!(searched.verdict, Verdict::Holds);
    assert!(searched.states > 20, "{}", searched.states);
}

#[test]
fn error_in_the_model_has_a_message() {
    let tools = Tools::find().expect("spin and gcc");
    let model = Model { text: "active proctype p() { nothing = 1 }".into(), ..Model::default() };
    let Err(Error::Model(words)) = tools.check(&model, &Limits::default()) else { panic!("it was taken") };
    assert!(words.contains("nothing"), "{words}");
}
