//! Stacks that call functions of the host, in place of which models of their contracts run.

mod common;

use common::{nacre, ran};

const SOURCE: &str = "cli/tests/sources/host_functions.nacre";
const REPLACED: &str = "note: functions of the host are replaced by models of their contracts: ";
const CLOCK: &str = "`host_clock` is a function of the host that is not `pure`: its contract has no model";

#[test]
fn tests_run_in_the_interpreter_and_as_c_and_say_what_is_replaced() {
    let (status, out, err) = ran(&mut nacre(&["test", SOURCE]));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("1 test, 0 failed") && out.contains("interpreter") && out.contains("inline"), "{out}");
    assert!(err.starts_with(REPLACED) && err.lines().count() == 1, "{err}");
    assert!(["`host_seal`", "`host_unseal`", "`host_next`"].iter().all(|name| err.contains(name)), "{err}");
}

#[test]
fn interpreter_and_emitted_c_agree_in_simulations() {
    let faults = ["--messages", "20", "--largest", "200", "--level", "all", "--loss", "10%"];
    let (status, out, err) = ran(nacre(&["sim", SOURCE, "--stack", "kept_stack"]).args(faults));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("interpreter = queue = call = inline"), "{out}");
    assert!(err.contains(REPLACED), "{err}");
}

#[test]
fn worlds_with_models_hold_and_forged_messages_that_pass_are_found() {
    for engine in ["explorer", "spin-c"] {
        let verify = |layer: &str| ran(&mut nacre(&["verify", SOURCE, "--layer", layer, "--engine", engine]));
        let (status, out, err) = verify("closed");
        assert!(status == 0 && out.contains("holds in this configuration"), "{engine}: {out}{err}");
        assert!(out.contains(REPLACED), "{out}");
        let (status, out, err) = verify("trusting");
        assert!(status == 1 && out.contains("violated"), "{engine}: {out}{err}");
    }
    let (status, out, err) = ran(&mut nacre(&["verify", SOURCE, "--layer", "closed", "--engine", "spin"]));
    assert_eq!(status, 3, "{out}{err}");
    assert!(out.contains("the C function `host_"), "{out}");
}

#[test]
fn function_that_is_not_pure_needs_its_host() {
    for engine in ["explorer", "spin-c"] {
        let (status, out, err) = ran(&mut nacre(&["verify", SOURCE, "--layer", "clocked", "--engine", engine]));
        assert!(status == 3 && out.contains(CLOCK), "{engine}: {out}{err}");
    }
    for level in ["interpreter", "inline", "all"] {
        let (status, out, err) = ran(&mut nacre(&["sim", SOURCE, "--stack", "clocked_stack", "--level", level]));
        assert!(status == 3 && out.is_empty() && err.contains(CLOCK), "{level}: {out}{err}");
    }
}

#[test]
fn built_c_calls_the_host() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("host_functions");
    let to = folder.to_str().expect("a path in UTF-8");
    let (status, out, err) = ran(&mut nacre(&["build", SOURCE, "--stack", "closed_stack", "--output", to]));
    assert_eq!(status, 0, "{out}{err}");
    let source = std::fs::read_to_string(folder.join("closed_stack.c")).expect("the C is there");
    assert!(source.contains("uint32_t host_seal(const uint8_t *key, uint8_t number, const uint8_t *m, uint32_t m_len"));
    assert!(!source.contains("_model_"), "models are of tests alone");
}
