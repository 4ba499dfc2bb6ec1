//! Stacks that call functions in C, which the interpreter cannot run.

mod common;

use common::{nacre, ran};

const SOURCE: &str = "cli/tests/sources/function_in_c.nacre";

#[test]
fn tests_of_functions_in_c_run_as_c_and_say_so() {
    let (status, out, err) = ran(&mut nacre(&["test", SOURCE]));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("1 test, 0 failed") && out.contains("queue") && !out.contains("interpreter"), "{out}");
    assert_eq!(
        err,
        "note: not every test ran in the interpreter: `stirred` is a function in C, which the interpreter cannot call\n"
    );
    let (status, out, err) = ran(nacre(&["test", SOURCE]).env("PATH", "/nonexistent").env_remove("CC"));
    assert_eq!(status, 3, "{out}{err}");
    assert!(out.contains("not run") && !out.contains("ok ") && err.contains("apt-get install gcc"), "{out}{err}");
}

#[test]
fn simulations_of_functions_in_c_need_a_level() {
    let sim = |level: &[&str]| {
        let small = ["sim", SOURCE, "--stack", "stirred_stack", "--messages", "3", "--largest", "100"];
        ran(nacre(&small).args(["--check", "unbroken"]).args(level))
    };
    let why = "error: `stirred` is a function in C, which the interpreter cannot call: use emitted C, for example \
               `--level inline`\n";
    for level in [&[][..], &["--level", "interpreter/call"]] {
        assert_eq!(sim(level), (3, String::new(), why.to_string()), "{level:?}");
    }
    let (status, out, err) = sim(&["--level", "call"]);
    assert_eq!(status, 0, "{out}{err}");
    let (status, out, err) = sim(&["--level", "all"]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("queue = call = inline = bypass and queue = call = inline = bypass"), "{out}");
}

/// Arrays are indexed by what a function returns, and enums are matched: whatever it returns, it is of its type.
#[test]
fn results_outside_of_their_types_are_the_least_values() {
    let (status, out, err) = ran(&mut nacre(&["test", "cli/tests/sources/outside_in_c.nacre"]));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("1 test, 0 failed"), "{out}");
}

/// A message that was packed twice was also released twice.
#[test]
fn message_that_a_function_makes_of_a_packed_one_arrives() {
    let source = "cli/tests/sources/packed_in_c.nacre";
    let more = ["--messages", "200", "--largest", "1000", "--loss", "10%", "--level", "all"];
    let (status, out, err) = ran(nacre(&["sim", source, "--stack", "marks"]).args(more));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("every property holds"), "{out}");
}

#[test]
fn functions_that_the_c_compiler_rejects_are_named() {
    let source = "cli/tests/sources/wrong_c.nacre";
    for level in ["queue", "inline"] {
        let (status, out, err) = ran(&mut nacre(&["sim", source, "--stack", "mixed_stack", "--level", level]));
        assert_eq!(status, 1, "{out}{err}");
        assert!(err.starts_with("error: the C compiler rejects the C of `wrong`:\n"), "{err}");
        assert!(err.contains("wrong_c.nacre:6:") && !err.contains("internal error"), "{err}");
    }
}
