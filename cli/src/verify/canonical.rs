//! In the worlds of the library, local states with equal canonical forms behave equally.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use nacre_checker::canonical::Canonical;
use nacre_checker::explore::{explore, Options};
use nacre_checker::space::Space;
use nacre_driver::Session;

use super::library::{own, root, world};

/// Repeats the steps of the configurations of a file from other machines of each local state; returns how many were
/// repeated.
fn compared(file: &Path) -> usize {
    let session = Session::open(&[file.to_path_buf()]);
    let mut steps = 0;
    for configuration in own(&session, file, false) {
        let world = world(&session, &configuration);
        let canonical = Canonical { twins: true, ..Canonical::default() };
        let (space, first) = Space::open_with(&world.setup, canonical).unwrap();
        let options = Options {
            threads: 2,
            states: 3_000_000,
            memory: 1 << 30,
            bits: None,
            goals: false,
            stop: &AtomicBool::new(false),
            progress: &|_| {},
        };
        explore(&space, &first, &options);
        let compared = space.endpoints.compare();
        assert_eq!(compared.differences, Vec::<String>::new(), "{}, {}", configuration.subject, configuration.name);
        steps += compared.steps;
    }
    steps
}

/// Times are left out of the states of `pt2pt` (the timeout and the measured trip), so its states have different
/// machines.
#[test]
fn equal_states_of_the_library_behave_equally() {
    compared(&root().join("layers/floor/floor.nacre"));
    assert!(compared(&root().join("layers/pt2pt/pt2pt.nacre")) > 0);
}
