//! `nacre verify --coverage` names the lines that no configuration executes, and the operands that never decide.

mod common;

use common::{nacre, ran};

const COVERED: &str = "cli/tests/sources/covered.nacre";

#[test]
fn operands_that_never_decide_and_lines_that_never_run_are_named() {
    let (status, told, complaints) = ran(&mut nacre(&["verify", COVERED, "--coverage"]));
    assert_eq!((status, complaints.as_str()), (0, ""));
    let expected = "\
covered: 5 of 7 lines were executed, 1 of 4 operands of conditions decided both ways
  covered.nacre:20: not executed
  covered.nacre:21: not executed
  covered.nacre:12:19: `sent < 200` never decides as false
  covered.nacre:20:12: `n > 0` never decides
  covered.nacre:20:21: `sent == 7` never decides
";
    assert_eq!(told, expected);
}

#[test]
fn every_line_is_in_the_json() {
    let (status, told, _) = ran(&mut nacre(&["verify", COVERED, "--coverage", "--json"]));
    let told: serde_json::Value = serde_json::from_str(&told).expect("it is JSON");
    let lines = told[0]["lines"].as_array().expect("lines");
    let executed = |line: u64| lines.iter().find(|one| one["line"] == line).map(|one| one["executed"] == true);
    assert_eq!((status, executed(10), executed(20), executed(3)), (0, Some(true), Some(false), None));
}

#[test]
fn incomplete_search_is_reported() {
    let (status, told, _) = ran(&mut nacre(&["verify", COVERED, "--coverage", "--states", "2"]));
    assert!(status == 3 && told.contains("  incomplete: configuration small: "), "{told}");
}

#[test]
fn coverage_is_that_of_the_explorer() {
    let (status, _, complaints) = ran(&mut nacre(&["verify", COVERED, "--coverage", "--engine", "spin"]));
    assert_eq!(status, 2);
    assert!(complaints.contains("`--coverage` runs only the explorer"), "{complaints}");
}
