//! What hosts give to the ends of a secured connection, in tests, simulations and worlds.

mod common;

use common::{nacre, ran};

const SOURCE: &str = "cli/tests/sources/keyed.nacre";

#[test]
fn keys_match_in_tests_and_simulations() {
    let (status, out, err) = ran(&mut nacre(&["test", SOURCE]));
    assert!(status == 0 && out.contains("1 test, 0 failed"), "{out}{err}");
    let small = ["sim", SOURCE, "--stack", "keyed_stack", "--messages", "3", "--largest", "100", "--level", "all"];
    let (status, out, err) = ran(nacre(&small).args(["--check", "unbroken"]));
    assert_eq!(status, 0, "{out}{err}");
}

#[test]
fn keys_and_agreed_cookies_match_in_the_worlds_of_each_engine() {
    for engine in ["explorer", "spin", "spin-c"] {
        for configuration in ["unknown", "agreed"] {
            let arguments = ["verify", SOURCE, "--layer", "keyed", "--configuration", configuration];
            let (status, out, err) = ran(nacre(&arguments).args(["--engine", engine]));
            assert!(status == 0 && out.contains("holds in this configuration"), "{engine}: {out}{err}");
        }
    }
}

#[test]
fn keys_are_of_two_members() {
    let arguments = ["verify", SOURCE, "--layer", "keyed", "--configuration", "unknown", "--set", "members=3"];
    let (status, out, err) = ran(&mut nacre(&arguments));
    let why = "`keyed.sealing` is given the key of one peer, but with `members = 3` each endpoint has 2";
    assert!(status == 3 && err.contains(why), "{status}: {out}{err}");
}
