//! The layer library, composed from its sources: explanations are golden, and runs stay within the bounds.

use std::path::Path;
use std::sync::Arc;

use nacre_compose::{explain, Composed};

use crate::{peers, text};

/// Stacks of the library, each over the minimal layers that it needs.
const STACKS: &str = "
stack alone      = floor;
stack reliable   = frag<1400> / pt2pt<64> / floor;
stack careful    = frag<1400> / pt2pt<16> / crc32c / floor;
stack numbered   = sequencer / sequencer / checksum / floor;
stack granted    = credit / pt2pt<16> / floor;
stack bad        = check_fifo / pt2pt<16> / lose<20> / duplicate<20> / reorder<20> / delay / crc32c / corrupt / floor;
stack faulty     = check_fifo / pt2pt<8> / crc32c / corrupt<10> / lose<10> / duplicate<10> / reorder<10> / floor;
";

fn stacks() -> Vec<Composed> {
    text::stacks(STACKS).into_iter().map(|found| found.unwrap_or_else(|e| panic!("{e:#?}"))).collect()
}

#[test]
fn the_library_composes() {
    for composed in stacks() {
        let stack = &composed.stack;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/library/{}.txt", stack.name));
        let text = explain(stack);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("the folder can be written");
        }
        assert!(std::fs::read_to_string(&path).unwrap_or_default() == text, "{} differs:\n{text}", stack.name);
    }
}

#[test]
fn runs_stay_within_the_bounds() {
    for composed in stacks() {
        let stack = Arc::new(composed.stack);
        let runs: Vec<peers::Seen> = (0..3).map(|seed| peers::run(&stack, seed, 600)).collect();
        assert!(runs.iter().all(|seen| seen.delivered >= 5), "{}: {runs:?}", stack.name);
        let needs = stack.ports.iter().flat_map(|p| &p.inputs).map(|i| i.need).chain([stack.bounds.timer]);
        let (copies, extra) = needs.fold((0, 0), |(c, e), n| (n.copies.max(c), n.extra.max(e)));
        let taken = runs.iter().map(|seen| seen.taken).max();
        println!(
            "{:10} needs {copies} copies and {extra} blocks, took {taken:?} of {}",
            stack.name, stack.bounds.block
        );
    }
}

#[test]
fn more_layers_with_headers_than_have_numbers_are_refused() {
    let text = format!("stack high = {} / floor;", ["sequencer"; 62].join(" / "));
    let errors = text::stacks(&text).remove(0).err().unwrap_or_default();
    let told: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    let words = "the layers have too many header variants together: their combinations do not fit 64 bits";
    assert_eq!(told, [words]);
}

#[test]
fn many_layers_compose() {
    let text = format!("stack high = {} / floor;", ["sequencer"; 24].join(" / "));
    let composed = text::stacks(&text).remove(0).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(composed.stack.layers.len(), 25);
    assert_eq!(composed.stack.layouts[0].shapes.len(), 3);
}
