//! Header fields at a fixed byte: they are there in every frame, the others are packed around them, and damaged frames
//! have the same effect in the interpreter and in C at every level.

use nacre_driver::Session;
use nacre_simulator::world::address;
use nacre_stack::{FieldPlace, Stack};
use nacre_tests::machines::Machines;
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

/// Two layers with fields at fixed bytes among others of odd widths, alone, below others and above a layer that packs.
const LAYERS: &str = "
import \"../layers/interfaces.nacre\";
import \"../layers/floor/floor.nacre\";

enum Colour { red, green, blue }

worker upper<AT: u32 = 60> {
    header Data { number: u32 at byte AT, urgent: bool, colour: Colour, sum: u16 big at byte AT + 6, tag: bytes<3> }
    header Note { at: u13, size: u40 big at byte AT + 1 }
    state { next: u32 = 0x01020304, seen: u32 }
    down send(m) {
        if m.len < 4 {
            below.send(Note { at: 0x1abc, size: 0x0102030405 });
        }
        pass m + Data { number: next, urgent: true, colour: Colour.blue, sum: 0xa1b2, tag: [7, 8, 9] };
        next += 0x01010101;
    }
    up deliver(m - Data { number, urgent, colour, sum, tag }) {
        seen = number;
        if !urgent || colour == Colour.red || sum != 0xa1b2 || tag[0] != 7 { count changed; }
        pass m;
    }
    up deliver(Note { at, size }) { if at != 0x1abc || size != 0x0102030405 { count changed; } }
}

worker lower {
    header Mark { hop: u5, pair: (bool, u9) at byte 52, wide: bits<70>, extra: bytes<2>? at byte 56 }
    state { hop: u5, all: bits<70> }
    down send(m) {
        hop += 1;
        all += 69;
        pass m + Mark { hop, pair: (true, 300), wide: all, extra: if hop == 3 { some([1, 2]) } else { none } };
    }
    up deliver(m - Mark { hop: _, pair, wide: _, extra: maybe }) {
        let (flag, number) = pair;
        if !flag || number != 300 { count changed; }
        if let two = maybe { if two[0] != 1 { count changed; } }
        pass m;
    }
}

worker packer {
    counters { bad }
    down send(m) { pass pack(m); }
    up deliver(m) { pass unpack(m) else { count bad; return; } }
}

stack one    = upper / floor;
stack both   = upper / lower / floor;
stack packed = upper<9> / packer / lower / floor;
stack far    = upper<1000> / lower / floor;
";

fn machines(name: &str) -> Machines {
    let mut session = Session::from_text(&root().join("tests/offsets.nacre"), LAYERS);
    let stack = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    Machines::of(session, stack)
}

/// The place of each field of a shape, by the rules of docs/frames.md: fields with a fixed place there, each other one
/// at the first bit where enough bits are free.
fn places(stack: &Stack, layout: usize, shape: usize) -> Vec<(String, u32)> {
    let layout = &stack.layouts[layout];
    let shape = &layout.shapes[shape];
    let mut taken = vec![false; 20_000];
    let mut found = vec![];
    let mut take = |name: &str, bit: u32, bits: u32| {
        taken[bit as usize..(bit + bits) as usize].fill(true);
        found.push((name.to_string(), bit));
    };
    let preamble = layout.form == nacre_stack::LayoutForm::Preamble;
    let front = match (preamble, shape.identified, layout.shapes.len()) {
        (true, true, _) => 96,
        (true, false, _) => 32,
        (false, _, 1) => 0,
        (false, ..) => 8,
    };
    take("front", 0, front);
    let mut packed = vec![];
    for id in &shape.headers {
        let header = stack.header(*id);
        let leads = header.fields.iter().any(|f| f.place == FieldPlace::Fingerprint);
        for field in &header.fields {
            match field.place {
                FieldPlace::Byte(byte) => take(&field.name, byte * 8, field.bits),
                FieldPlace::Packed => packed.push((!leads, if leads { None } else { Some(field.class) }, field)),
                FieldPlace::Cookie | FieldPlace::Fingerprint => {}
            }
        }
    }
    packed.sort_by_key(|(follows, class, _)| (*follows, *class));
    for (.., field) in packed {
        let free = |bit: &usize| (*bit..bit + field.bits as usize).all(|b| !taken[b]);
        let bit = (front as usize..).find(free).expect("there is room");
        taken[bit..bit + field.bits as usize].fill(true);
        found.push((field.name.clone(), bit as u32));
    }
    let last = taken.iter().rposition(|taken| *taken).expect("something is taken");
    found.push(("data".into(), (last as u32 / 8 + 1) * 8));
    found
}

#[test]
fn other_fields_are_packed_around_those_at_a_byte() {
    for name in ["one", "both", "packed", "far"] {
        let stack = machines(name).stack;
        for (l, layout) in stack.layouts.iter().enumerate() {
            for (s, shape) in layout.shapes.iter().enumerate() {
                let expected = places(&stack, l, s);
                for placed in &shape.fields {
                    let field = &stack.header(placed.header).fields[placed.field as usize];
                    if matches!(field.place, FieldPlace::Packed | FieldPlace::Byte(_)) {
                        let found = (field.name.clone(), placed.bit);
                        assert!(expected.contains(&found), "{name}: {found:?} not in {expected:?}");
                    }
                }
                assert!(expected.contains(&("data".into(), shape.size * 8)), "{name}: {} bytes", shape.size);
            }
        }
    }
}

#[test]
fn fields_have_their_offsets_in_frames_and_are_parsed_back() {
    for (name, at) in [("one", 60), ("both", 60), ("far", 1000)] {
        let machines = machines(name);
        let send = machines.interface().input(None, "send").expect("it can send");
        let [mut a, mut b] = machines.endpoints(&machines.lockstep());
        for round in 0..5u32 {
            for output in a.call(1, send, &[], None, &[round as u8; 9]).outputs {
                let frame = output.message.expect("a frame");
                let number = u32::from_le_bytes(frame[at..at + 4].try_into().expect("four bytes"));
                assert_eq!(number, 0x0102_0304 + round * 0x0101_0101, "{name}, frame {round}");
                assert_eq!(frame[at + 6..at + 8], [0xa1, 0xb2], "{name}, frame {round}");
                if name == "both" {
                    let pair = u16::from_le_bytes(frame[52..54].try_into().expect("two bytes"));
                    assert_eq!(pair & 0x3ff, 1 | 300 << 1, "frame {round}");
                }
                let came = b.input(1, address(0), &frame).outputs;
                let delivered: Vec<&Vec<u8>> =
                    came.iter().filter(|o| !o.is_frame()).filter_map(|o| o.message.as_ref()).collect();
                assert_eq!(delivered, [&vec![round as u8; 9]], "{name}, frame {round}");
                for answer in came.iter().filter(|o| o.is_frame()) {
                    a.input(1, address(1), answer.message.as_ref().expect("a frame"));
                }
            }
        }
        assert_eq!(
            (machines.interface().counter(&b.counters(), "upper.changed"), b.reports()),
            (Some(0), vec![]),
            "{name}"
        );
    }
}

#[test]
fn damaged_frames_are_the_same_to_all() {
    for name in ["both", "packed"] {
        let machines = machines(name);
        let mut tally = Tally::default();
        storm(&machines.stack, &machines.lockstep(), 7, 3000, &mut tally).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(tally.counter("malformed") > 20 && tally.counter("broken") == 0, "{name}: {:?}", tally.counters);
    }
}
