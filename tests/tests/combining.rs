//! Filters that read several strings of bytes side by side: their results follow the rule, in the interpreter and in C
//! at every level, also for damaged frames.

use nacre_driver::Session;
use nacre_simulator::world::address;
use nacre_tests::machines::Machines;
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

/// Filters of two and three inputs, by byte and by word, that yield, reject and have results, over everything that has
/// bytes: messages, parts of them, numbers, packed messages, concatenated bytes, consumed messages.
const LAYERS: &str = "
import \"../layers/interfaces.nacre\";
import \"../layers/floor/floor.nacre\";

filter xor { byte(a: u8, b: u8) { yield a ^ b; } }

filter lanes grows n * 2 { byte(a: u8, b: u8, c: u8) { yield a; yield b + c; yield a & c; } }

filter words grows 6 {
    state { sum: u64 = 7, count: u16 }
    word(x: u32, y: u32) { sum += (x as u64) * 3 + y as u64; count += 1; yield (x ^ y) as u8; yield ((x ^ y) >> 24) as u8; }
    end { yield fold16(sum) as u8; yield count as u8; }
}

filter alike {
    state { equal: u32, all: u32 }
    byte(a: u8, b: u8) { if a == b { equal += 1; } all += 1; }
    result { all ^ equal << 16 }
}

filter sum3 {
    state { sum: u64 }
    word(x: u32, y: u32, z: u32) { sum += x as u64; sum += (y as u64) << 1; sum += (z as u64) << 2; }
    result { sum }
}

filter unequal {
    state { at: u32 }
    byte(a: u8, b: u8) { at += 1; if a == b && at > 60 { reject; } yield a - b; }
}

worker pairs {
    header Data  { likeness: u32, sum: u64 }
    header Mixed {}
    header Lanes {}
    header Words {}
    state { last: msg?, before: msg?, number: u32 = 0x01020304 }

    down send(m) {
        number += 0x01010101;
        var likeness: u32 = 0;
        if let old = last { likeness = (m.bytes, old.bytes) through alike; }
        let sum = (pack(share m).bytes, number.bytes ++ m.bytes, m.bytes[3..]) through sum3;
        let lanes = (m.bytes, number.bytes ++ m.bytes, number.bytes) through lanes;
        below.send(lanes + Lanes {});
        let words = (share m, pack(share m)) through words;
        below.send(words + Words {});
        if let old = last {
            let both = (old.bytes, m.bytes) through xor;
            below.send(both + Mixed {});
        }
        before = last.take();
        last = some(share m);
        pass m + Data { likeness, sum };
    }

    up deliver(m - Data { likeness: _, sum }) {
        let again = (m.bytes, sum.bytes) through unequal else { count alike; drop m; return; }
        drop again;
        pass m;
    }
    up deliver(m - Mixed {}) { above.deliver(m); }
    up deliver(m - Lanes {}) { above.deliver(m); }
    up deliver(m - Words {}) { above.deliver(m); }
}

worker count {
    header Number { n: u16 }
    state { n: u16 }
    down send(m) { n += 1; pass m + Number { n }; }
    up deliver(m - Number { n: _ }) { pass m; }
}

worker plain {
    header Mixed {}
    state { last: msg? }
    down send(m) {
        let old = last.take() else { last = some(m); return; }
        below.send((old, m) through xor + Mixed {});
    }
    up deliver(m - Mixed {}) { pass m; }
}

stack alone = pairs / floor;
stack above = count / pairs / count / floor;
stack twice = pairs / pairs / floor;
stack two = plain / floor;
";

fn machines(name: &str) -> Machines {
    let mut session = Session::from_text(&root().join("tests/combining.nacre"), LAYERS);
    let stack = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    Machines::of(session, stack)
}

/// The messages that are delivered when each endpoint of the stack `two` sends these.
fn mixed(first: &[u8], second: &[u8]) -> Vec<u8> {
    let machines = machines("two");
    let send = machines.interface().input(None, "send").expect("it can send");
    let [mut a, mut b] = machines.endpoints(&machines.lockstep());
    assert!(a.call(1, send, &[], None, first).outputs.is_empty());
    let outputs = a.call(1, send, &[], None, second).outputs;
    let frame = outputs.iter().find_map(|o| o.message.clone()).expect("a frame");
    let delivered = b.input(1, address(0), &frame).outputs;
    assert_eq!((a.reports(), b.reports()), (vec![], vec![]));
    delivered.into_iter().filter(|o| !o.is_frame()).find_map(|o| o.message).expect("a delivery")
}

#[test]
fn the_shorter_string_is_padded_with_zeros() {
    assert_eq!(mixed(b"", b""), b"");
    assert_eq!(mixed(b"abc", b""), b"abc");
    assert_eq!(mixed(b"", b"abc"), b"abc");
    let long: Vec<u8> = (0..4000u32).map(|n| (n % 251) as u8).collect();
    for cut in [1, 1535, 1536, 1537, 3999, 4000] {
        let expected: Vec<u8> =
            long.iter().enumerate().map(|(i, byte)| if i < cut { byte ^ long[i] } else { *byte }).collect();
        assert_eq!(mixed(&long, &long[..cut]), expected, "the second ends at {cut}");
        assert_eq!(mixed(&long[..cut], &long), expected, "the first ends at {cut}");
    }
}

#[test]
fn all_levels_read_the_same_side_by_side() {
    for name in ["alone", "above", "twice", "two"] {
        let machines = machines(name);
        let mut tally = Tally::default();
        storm(&machines.stack, &machines.lockstep(), 11, 1500, &mut tally)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(tally.output("deliver") > 20 && tally.counter("broken") == 0, "{name}: {:?}", tally.counters);
    }
}

/// The bound of a parity over many messages is that of the longest message.
#[test]
fn a_kept_parity_has_the_bound_of_a_message() {
    let mut session = Session::open(&[root().join("examples/fec.nacre")]);
    let stack = session.stack("protected").unwrap_or_else(|| panic!("{}", session.render(false)));
    let longest = stack.layouts[0].shapes.iter().map(|shape| shape.data_max).max().expect("a shape");
    assert!(stack.bounds.blocks <= 5 * longest.div_ceil(stack.bounds.block), "{:?}", stack.bounds);
    let machines = Machines::of(session, stack);
    let mut tally = Tally::default();
    storm(&machines.stack, &machines.lockstep(), 3, 3000, &mut tally).unwrap_or_else(|why| panic!("{why}"));
    assert!(tally.counter("fec.recovered") > 0 && tally.counter("broken") == 0, "{:?}", tally.counters);
}
