//! The constructs of the language reference, as test blocks that run in the interpreter and in C at every level.

mod common;

use common::*;

fn passes(file: &str) {
    let path = root().join("cli/tests/language").join(file);
    let (status, out, err) = ran(&mut nacre(&["test", &path.display().to_string()]));
    assert!(status == 0 && out.contains(" 0 failed"), "{out}{err}");
    for machine in ["interpreter", "queue", "call", "inline"] {
        assert!(out.contains(machine), "{machine} did not run: {out}");
    }
}

#[test]
fn arithmetic_is_defined_and_evaluated_in_order() {
    passes("arithmetic.nacre");
}

#[test]
fn initial_values_are_drawn_at_random() {
    passes("draws.nacre");
}

#[test]
fn filters_have_functions() {
    passes("filters.nacre");
}

#[test]
fn files_that_declare_the_same_names_are_imported_under_names() {
    passes("imports.nacre");
}

#[test]
fn gaps_of_windows_are_new_however_many_numbers_have_passed() {
    passes("holes.nacre");
}

#[test]
fn kept_messages_are_those_that_were_kept() {
    passes("kept.nacre");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn forty_layers_with_headers_make_a_stack() {
    passes("deep.nacre");
}

#[test]
fn options_are_tested_where_they_are() {
    passes("options.nacre");
}

#[test]
fn sets_have_their_elements() {
    passes("sets.nacre");
}

#[test]
fn given_values_of_every_type_are_those_of_c() {
    passes("givens.nacre");
}

#[test]
fn constants_have_the_width_of_their_type() {
    passes("constants.nacre");
}

#[test]
fn emissions_that_never_happen_are_no_error() {
    passes("never.nacre");
}

#[test]
fn names_for_entries_are_used_before_their_containers_change() {
    passes("borrows.nacre");
}

#[test]
fn filters_yield_what_they_state() {
    passes("growth.nacre");
}

#[test]
fn names_get_the_rest_of_their_message() {
    passes("reassigned.nacre");
}

#[test]
fn tests_have_negative_numbers() {
    passes("negative.nacre");
}

#[test]
fn frames_without_an_address_reach_the_peer() {
    passes("point_to_point.nacre");
}
