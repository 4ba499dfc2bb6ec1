//! No tool shows, draws or saves the value of a `secret` field.

mod common;

use std::path::Path;

use common::{nacre, ran};

const SOURCE: &str = "cli/tests/sources/secret_state.nacre";

/// Whether a text shows a key of a world, in hexadecimal or as a list.
fn shows_a_key(text: &str) -> bool {
    ["01010101", "02020202", "1, 1, 1, 1", "2, 2, 2, 2", "1,1,1,1", "2,2,2,2"].iter().any(|key| text.contains(key))
}

#[test]
fn runs_that_verify_draws_saves_and_replays_show_public_state_alone() {
    for engine in ["explorer", "spin-c"] {
        let file = |end: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("secrets_{engine}.{end}"));
        let (run, picture) = (file("json"), file("svg"));
        let [run, picture] = [&run, &picture].map(|path| path.to_str().expect("a path in UTF-8"));
        let arguments = ["verify", SOURCE, "--layer", "keeping", "--engine", engine, "--trace", run, "--svg", picture];
        let (status, out, err) = ran(&mut nacre(&arguments));
        assert_eq!(status, 1, "{engine}: {out}{err}");
        assert!(out.contains("keeping.public"), "the state is drawn: {out}");
        let (status, json, _) = ran(nacre(&arguments).arg("--json"));
        assert_eq!(status, 1, "{json}");
        let (status, again, _) = ran(&mut nacre(&["replay", run, "--level", "call"]));
        assert_eq!(status, 0, "{again}");
        let [run, picture] = [run, picture].map(|path| std::fs::read_to_string(path).expect("it is saved"));
        assert!(run.contains("keeping.public"), "the state is saved: {run}");
        for text in [out, err, json, again, run, picture] {
            assert!(!shows_a_key(&text) && !text.contains("keeping.kept"), "{engine}: {text}");
        }
    }
}

#[test]
fn failing_tests_and_explanations_show_no_secret() {
    let (status, out, err) = ran(&mut nacre(&["test", SOURCE]));
    let all = out + &err;
    assert!(status == 1 && all.contains("an assertion does not hold"), "{all}");
    assert!(!all.contains("(32 bytes)") && !all.contains("kept"), "{all}");
    let (status, out, err) = ran(&mut nacre(&["explain", SOURCE, "--stack", "keeping_stack"]));
    assert!(status == 0 && !shows_a_key(&out), "{out}{err}");
}
