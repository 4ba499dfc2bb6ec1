//! Unpacking inverts packing, bit for bit and uniquely; and the frames on which peers must agree are in golden files.

use std::collections::BTreeMap;

use nacre_simulator::random::Random;
use nacre_stack::interpret::Value;
use nacre_stack::{Layout, LayoutForm, Shape, Stack};
use nacre_tests::library::{declared, find};
use nacre_tests::pair::Pair;
use nacre_tests::values::value;
use nacre_tests::{golden, root, soaking};

/// The number of messages for each shape.
fn rounds() -> u64 {
    if soaking() {
        2_000
    } else {
        40
    }
}

fn headers(stack: &Stack, shape: &Shape, random: &mut Random) -> Vec<(nacre_stack::HeaderId, Vec<Value>)> {
    let fields = |id: &nacre_stack::HeaderId, random: &mut Random| {
        stack.header(*id).fields.iter().map(|field| value(stack, random, &field.ty)).collect()
    };
    shape.headers.iter().rev().map(|id| (*id, fields(id, random))).collect()
}

/// Random messages of one shape; returns how many flipped bits were rejected, and how many resulted in another message.
fn shape_round_trips(stack: &Stack, layout: &Layout, index: usize, random: &mut Random) -> [u64; 2] {
    let shape = &layout.shapes[index];
    let [mut refused, mut others] = [0, 0];
    for _ in 0..rounds() {
        let packed = headers(stack, shape, random);
        let mut bytes = stack.head(layout, shape, &packed);
        assert_eq!(bytes.len(), shape.size as usize, "{}: the head of {packed:?}", stack.name);
        let length = match random.below(3) {
            0 => shape.data_min,
            1 => shape.data_max.min(shape.data_min + 70_000),
            _ => shape.data_min + random.below(u64::from((shape.data_max - shape.data_min).min(100)) + 1) as u32,
        };
        let mut data = vec![0; length as usize];
        random.fill(&mut data);
        bytes.extend(&data);
        let parsed = stack
            .parse(layout, &bytes)
            .unwrap_or_else(|| panic!("{}: {packed:?} with {length} bytes is refused", stack.name));
        assert_eq!((parsed.shape, parsed.size), (index, shape.size as usize), "{}", stack.name);
        assert_eq!(parsed.headers, packed, "{}", stack.name);
        if shape.size > 0 {
            let cut = random.below(u64::from(shape.size)) as usize;
            assert!(
                stack.parse(layout, &bytes[..cut]).is_none_or(|p| p.size <= cut),
                "{}: {cut} of {} bytes",
                stack.name,
                shape.size
            );
            // A message has one form: an accepted one packs to the same bytes.
            let bit = random.below(u64::from(shape.size) * 8) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
            match stack.parse(layout, &bytes) {
                None => refused += 1,
                Some(other) => {
                    others += 1;
                    let again = stack.head(layout, &layout.shapes[other.shape], &other.headers);
                    assert_eq!(again, &bytes[..other.size], "{}: bit {bit} of {packed:?}", stack.name);
                    assert!(
                        (other.shape, &other.headers) != (index, &packed),
                        "{}: bit {bit} means nothing",
                        stack.name
                    );
                }
            }
        }
        if shape.data_max < 66_000 {
            let mut long = stack.head(layout, shape, &packed);
            long.resize(long.len() + shape.data_max as usize + 1, 0);
            assert!(stack.parse(layout, &long).is_none(), "{}: one byte more than {}", stack.name, shape.data_max);
        }
    }
    [refused, others]
}

#[test]
fn every_shape_of_the_library_round_trips_and_has_one_form() {
    let (mut shapes, mut refused, mut others) = (0, 0, 0);
    for declared in declared() {
        let (_, stack) = declared.compose();
        for layout in &stack.layouts {
            for index in 0..layout.shapes.len() {
                let [r, o] = shape_round_trips(&stack, layout, index, &mut Random::new(index as u64));
                shapes += 1;
                refused += r;
                others += o;
            }
        }
    }
    println!(
        "{shapes} shapes, {} messages; of flipped bits {refused} were refused, {others} made another message",
        shapes * rounds()
    );
    assert!(shapes > 150, "only {shapes} shapes were found");
    assert!(refused > 100 && others > 100, "{refused} refused, {others} others");
}

#[test]
fn shapes_are_distinguished_by_their_numbers() {
    for declared in declared() {
        let (_, stack) = declared.compose();
        for layout in &stack.layouts {
            let mut seen = BTreeMap::new();
            for shape in &layout.shapes {
                let key = (layout.form == LayoutForm::Preamble && shape.identified, shape.number);
                let before = seen.insert(key, shape.headers.clone());
                assert!(before.is_none(), "{}: two shapes have the number {key:?}", stack.name);
                let mut bits: Vec<(u32, u32)> = shape
                    .fields
                    .iter()
                    .map(|placed| {
                        let field = &stack.header(placed.header).fields[placed.field as usize];
                        (placed.bit, placed.bit + field.bits)
                    })
                    .collect();
                bits.sort();
                assert!(bits.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{}: fields overlap: {bits:?}", stack.name);
                assert!(
                    bits.iter().all(|(_, end)| *end <= shape.size * 8),
                    "{}: a field beyond {} bytes",
                    stack.name,
                    shape.size
                );
            }
        }
    }
}

const DATA: &[u8] = b"nacre";

/// First frame, data, data with an acknowledgement, acknowledgement.
fn common_frames(stack: &Stack) -> [(&'static str, Vec<u8>); 4] {
    let mut pair = Pair::open(stack);
    pair.send(0, DATA);
    let first = pair.last().to_vec();
    pair.wait(1);
    // After one more exchange, both know each other's cookie.
    pair.send(1, DATA);
    pair.wait(0);
    pair.send(0, DATA);
    let data = pair.last().to_vec();
    pair.send(1, DATA);
    let both = pair.last().to_vec();
    pair.wait(0);
    [("first", first), ("data", data), ("data-ack", both), ("ack", pair.last().to_vec())]
}

fn dump(frame: &[u8]) -> String {
    let lines: Vec<String> =
        frame.chunks(16).map(|line| line.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")).collect();
    lines.join("\n") + "\n"
}

fn in_front_of_data(frame: &[u8]) -> usize {
    assert!(frame.ends_with(DATA), "{frame:02x?}");
    frame.len() - DATA.len()
}

#[test]
fn common_frames_of_reliable_plain_equal_their_golden_file() {
    let (_, stack) = find("reliable_plain").compose();
    let frames = common_frames(&stack);
    let differ: Vec<String> = frames
        .iter()
        .filter_map(|(name, frame)| {
            golden(&root().join(format!("tests/wire/reliable_plain-{name}.hex")), &dump(frame)).err()
        })
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn common_frames_are_as_short_as_promised() {
    let heads = |name: &str| {
        let (_, stack) = find(name).compose();
        let [_, data, both, ack] = common_frames(&stack).map(|(_, frame)| frame);
        [in_front_of_data(&data), in_front_of_data(&both), ack.len()]
    };
    assert_eq!(heads("reliable_plain"), [12, 15, 12]);
    assert_eq!(heads("reliable"), [16, 19, 16]);
}
