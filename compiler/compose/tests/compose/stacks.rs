//! Stacks of small layers: their composition and their behaviour.

use std::path::Path;
use std::sync::Arc;

use nacre_compose::{compose_all, explain, Composed, Options};
use nacre_stack::interpret::{SplitMix64, Value};
use nacre_stack::*;
use nacre_typed::Fragment;

use crate::layers::*;
use crate::peers;

fn composed(name: &str, layers: &[Fragment]) -> Composed {
    compose_all(name, layers, &Options::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn stacks() -> Vec<Composed> {
    vec![
        composed("bare", &[plain_floor()]),
        composed("numbered", &[sequencer(), sequencer(), plain_floor()]),
        composed("reliable", &[frag(1400), pt2pt(16), floor()]),
        composed("summed", &[local(true), checksum(), sequencer(), floor()]),
        composed("hidden", &[frag(1400), pt2pt(16), encrypt(), checksum(), floor()]),
        composed("hidden_above", &[frag(100), encrypt(), pt2pt(4), plain_floor()]),
    ]
}

/// Compares with a file under `golden/`; BLESS=1 writes it.
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("the folder can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == text, "{name} differs; BLESS=1 writes it:\n{text}");
}

#[test]
fn explanations_are_golden() {
    for c in stacks() {
        golden(&format!("{}.txt", c.stack.name), &explain(&c.stack));
    }
}

#[test]
fn wire_texts_are_golden() {
    for c in stacks() {
        golden(
            &format!("{}.wire", c.stack.name),
            &format!("{}fingerprint {:016x}\n", c.wire_text, c.stack.layouts[0].fingerprint),
        );
    }
}

#[test]
fn stacks_are_valid() {
    for c in stacks() {
        assert_eq!(validate(&c.stack), Ok(()), "{}", c.stack.name);
    }
}

#[test]
fn composing_twice_gives_the_same() {
    assert_eq!(stacks(), stacks());
}

#[test]
fn instances_have_names_of_their_own() {
    let c = composed("numbered", &[sequencer(), sequencer(), plain_floor()]);
    let names: Vec<&str> = c.stack.layers.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["plain", "sequencer", "sequencer_2"]);
    assert!(c.stack.handlers.iter().any(|h| h.name == "sequencer_2.down.send" && !h.passes));
    assert_eq!(c.stack.description, "sequencer / sequencer / plain");
}

#[test]
fn parameters_change_the_fingerprint() {
    let print = |w| composed("x", &[frag(1400), pt2pt(w), floor()]).stack.layouts[0].fingerprint;
    assert_ne!(print(16), print(8));
}

/// A frame of the likely shape, byte by byte as docs/frames.md says.
#[test]
fn a_short_frame_has_its_bytes() {
    let c = composed("reliable", &[frag(1400), pt2pt(16), floor()]);
    let layout = &c.stack.layouts[0];
    let shape = &layout.shapes[2];
    let number = |n| Value::Num(n);
    let headers: Vec<(HeaderId, Vec<Value>)> = shape
        .headers
        .iter()
        .map(|h| match c.stack.header(*h).name.as_str() {
            "Short" => (*h, vec![number(0xc0_ffee)]),
            "Data" => (*h, vec![number(0x1234), number(0xabcd)]),
            _ => (*h, vec![number(5)]),
        })
        .collect();
    let head = c.stack.head(layout, shape, &headers);
    // shape 2 << 1; the cookie; the number; 3 bits of count, then 16 of ack: 0xabcd << 3 | 5, little-endian
    assert_eq!(head, [0x04, 0xee, 0xff, 0xc0, 0x34, 0x12, 0x6d, 0x5e, 0x05]);
}

/// The rest is at most a piece, which follows from the exit condition of the loop before it and the remaining credit.
#[test]
fn lengths_are_found_through_loops_and_functions() {
    let c = composed("patient", &[patient_frag(1400, 64), pt2pt(16), floor()]);
    assert!(c.stack.layouts[0].shapes.iter().all(|s| s.data_max == if s.data { 1400 } else { 0 }));
    assert_eq!(c.stack.bounds.block, 1400);
    // 64 wait in frag, 16 are stored for sending and 16 out of order, and a call can have 64
    assert_eq!(c.stack.bounds.blocks, 64 + 16 + 16 + 64);
    assert_eq!(validate(&c.stack), Ok(()));
}

/// A value of a type, and its significant bits.
fn any_value(stack: &Stack, field: &HeaderField, dice: &mut SplitMix64) -> Value {
    let raw = dice.draw();
    Value::Num(match &field.ty {
        Type::Range(low, high) => low + raw % (high - low),
        ty => raw & mask(stack.wire_bits(ty).unwrap_or(0)),
    })
}

#[test]
fn packed_messages_are_unpacked() {
    let mut dice = SplitMix64(1);
    for c in stacks() {
        for (layout, shape) in c.stack.layouts.iter().flat_map(|l| l.shapes.iter().map(move |s| (l, s))) {
            for _ in 0..50 {
                let values = |h: &HeaderId, dice: &mut SplitMix64| {
                    c.stack.header(*h).fields.iter().map(|f| any_value(&c.stack, f, dice)).collect::<Vec<_>>()
                };
                let headers: Vec<_> = shape.headers.iter().rev().map(|h| (*h, values(h, &mut dice))).collect();
                let mut bytes = c.stack.head(layout, shape, &headers);
                bytes.extend(vec![7; shape.data_max.min(20) as usize]);
                let parsed = c.stack.parse(layout, &bytes).unwrap_or_else(|| panic!("{}: {shape:?}", c.stack.name));
                assert_eq!(&layout.shapes[parsed.shape], shape);
                assert_eq!((parsed.headers, parsed.size), (headers, shape.size as usize));
            }
        }
    }
}

/// Two peers over a network that loses and duplicates: no bound, need or shape is ever violated.
#[test]
fn runs_stay_within_the_bounds() {
    for c in stacks() {
        let stack = Arc::new(c.stack);
        for seed in 0..3 {
            assert!(peers::run(&stack, seed, 600).delivered >= 5, "{}", stack.name);
        }
    }
}
