//! Random stacks: for all inputs, no step takes more of the pool, the queue, the ring of `later` events or the outputs
//! than its bounds state, and none is refused for lack of room if the connection has its own pool. A step is admitted
//! by these bounds, so they must be sound.

use std::sync::Arc;

use nacre_stack::interpret::SplitMix64;

use crate::{peers, text};

/// Layers that process bytes in all ways with different costs. They do not implement a channel.
const ODD: &str = "
filter invert { byte(b: u8) { yield b ^ 255; } }
filter twice grows n * 1 + 0 { byte(b: u8) { yield b; yield b; } }
filter sum { state { all: u32 } byte(b: u8) { all = all * 31 + b as u32; } result { all } }

// Stores each packed message twice, and forwards it unchanged.
worker packs {
    state { old: ring<msg, 3> }
    down send(m) {
        let packed = pack(m);
        keep(share packed);
        keep(share packed);
        let again = unpack(packed) else return;
        pass again;
    }
    fn keep(m: msg) {
        if old.full { old.clear(); }
        old.push(m) else { drop m; }
    }
}

// Joins pieces from different places without storing them first, and stores the result.
worker mosaic {
    state { old: list<msg, 2>, last: ring<msg, 1> }
    down send(m) {
        var parts: list<msg, 4>;
        for x in last {
            parts.push(share x) else unreachable;
            break;
        }
        parts.push(slice(m, 0, 7)) else unreachable;
        parts.push(slice(m, 7, 2000) through invert) else unreachable;
        let whole = join(parts, slice(m, 5, 900));
        drop parts;
        old.clear();
        old.push(share whole) else unreachable;
        old.push(whole) else unreachable;
        last.clear();
        last.push(slice(m, 3, 1200)) else unreachable;
        pass m;
    }
}

// Retransmits the last few messages.
worker echoes {
    state { last: ring<msg, 4> }
    down send(m) {
        for x in last { below.send(share x); }
        if last.full { for x in drain last { drop x; } }
        last.push(share m) else unreachable;
        pass m;
    }
}

// Stores small pieces, and forwards the whole when it is complete.
worker sand {
    state { grains: list<msg, 40> }
    down send(m) {
        var at: u32;
        while at + 33 < m.len bound 40 {
            grains.push(slice(m, at, 33)) else unreachable;
            at += 33;
        }
        pass join(grains, rest(m, at));
    }
}

// Stores new bytes computed from joined messages.
worker swollen {
    state { last: ring<msg, 1>, parts: list<msg, 2>, big: ring<msg, 1> }
    up deliver(m) {
        for x in drain last { parts.push(x) else unreachable; }
        let whole = join(parts, share m);
        let half = slice(whole, 0, 900) through twice;
        drop half;
        let other = whole through invert;
        big.clear();
        big.push(other) else unreachable;
        last.push(slice(m, 0, 9000)) else unreachable;
        pass m;
    }
}

// Forwards the message in a separate step.
worker slow {
    down send(m)  { later below.send(m); }
    up deliver(m) { later above.deliver(m through invert); }
}

// A checksum over many bytes.
worker summed {
    header Sum { sum: u32 }
    down send(m) {
        let sum = (pack(share m).bytes ++ m.len.bytes) through sum;
        pass m + Sum { sum };
    }
    up deliver(m - Sum { sum }) {
        if sum == (pack(share m).bytes ++ m.len.bytes) through sum { pass m; } else { drop m; }
    }
}
";

const LAYERS: [&str; 18] = [
    "packs",
    "mosaic",
    "echoes",
    "sand",
    "swollen",
    "slow",
    "summed",
    "frag<100, 8>",
    "frag<1400>",
    "pt2pt<4>",
    "pt2pt<16>",
    "crc32c",
    "corrupt<30>",
    "duplicate<30>",
    "reorder<30>",
    "delay<3 ms, 16>",
    "lose<10>",
    "sequencer",
];

/// Generates this number of stacks of one to five layers over a floor.
fn chance(seed: u64, count: u64) -> String {
    let mut dice = SplitMix64(seed);
    let mut text = String::from(ODD);
    for number in 0..count {
        let layers: Vec<&str> =
            (0..=dice.below(4)).map(|_| LAYERS[dice.below(LAYERS.len() as u64) as usize]).chain(["floor"]).collect();
        text += &format!("stack chance_{number} = {};\n", layers.join(" / "));
    }
    text
}

/// Runs the stacks that compose; returns their number.
fn stay_within_bounds(seed: u64, count: u64, steps: u32) -> usize {
    let mut ran = 0;
    for composed in text::stacks(&chance(seed, count)).into_iter().flatten() {
        let stack = Arc::new(composed.stack);
        peers::run(&stack, seed, steps);
        ran += 1;
    }
    ran
}

#[test]
fn steps_stay_within_their_needs() {
    assert!(stay_within_bounds(1, 40, 300) >= 10);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn steps_of_many_stacks_stay_within_their_needs() {
    for seed in 100..112 {
        assert!(stay_within_bounds(seed, 40, 600) >= 10);
    }
}

/// Returns the segments of a step if the lowest layer defers a frame of such a message, and if a layer below sends the
/// frame.
fn segments_put_off(message: &str) -> [u32; 2] {
    let text = format!(
        "{ODD}
        interface line {{ down send(m: msg) up deliver(m: msg) }}
        worker layer: line over line {{
            state {{ parts: list<msg, 4> }}
            accepts send(m) when m.len <= 12000;
            down send(m) {{ parts.push(slice(m, 0, 100)) else {{ parts.clear(); }} later below.send({message}); drop m; }}
        }}
        worker last: line over line {{}}
        stack alone = layer;
        stack above = layer / last;"
    );
    let composed = text::stacks(&text);
    let segments: Vec<u32> = composed.iter().map(|c| c.as_ref().expect("a stack").stack.bounds.segments).collect();
    segments.try_into().expect("two stacks")
}

#[test]
fn what_is_put_off_at_the_bottom_leaves_the_pool_in_blocks() {
    let messages = [
        ("share m", 8),
        ("share m through invert", 8),
        ("share m through twice", 16),
        ("pack(share m)", 8),
        ("slice(m, 1, m.len)", 8),
        ("join(parts, share m)", 8),
        ("join(parts, share m) through twice", 16),
    ];
    for (message, least) in messages {
        let [alone, above] = segments_put_off(message);
        assert_eq!(alone, above, "{message}");
        assert!(alone > least, "{message}: {alone}");
    }
}
