//! Long arrays, sets and strings of bytes: their C is as short as that of small ones, and equals the interpreter.

use nacre_driver::{Level, Session};
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{root, soaking};

/// A worker that adds a value of a type to each message, changes it, and compares the received value with the last one.
const CARRIES: &str = "
worker layer {
    header Data { before: u3, value: TYPE PLACE, after: u5 }
    header Other { value: TYPE, more: bool }
    state { value: TYPE, last: TYPE, turn: u32, equal: bool }
    counters { same, other }
    down send(m) {
        turn += 1;
        CHANGE
        let copy = value;
        if turn % 3 == 0 { below.send(Other { value: copy, more: true }); }
        pass m + Data { before: 5, value: copy, after: 21 };
    }
    up deliver(m - Data { before, value: came, after }) {
        equal = came == last && before == 5 && after == 21;
        if equal { count same; } else { count other; }
        last = came;
        pass m;
    }
    up deliver(Other { value: came, more }) { if more && came == last { count same; } last = came; }
}
worker packer {
    counters { bad }
    down send(m) { pass pack(m); }
    up deliver(m) { pass unpack(m) else { count bad; return; } }
}
stack st = layer / floor;
stack packed = layer / packer / floor;
";

/// A worker that stores values of a type in containers, and passes them to functions.
const KEEPS: &str = "
worker layer {
    fn changed(ref x: TYPE, by: u32) -> bool { let old = x; x = old; return old == x && by > 0; }
    state { value: TYPE, maybe: TYPE?, ring: ring<TYPE, 3>, map: map<u8, TYPE, 3>, window: window<TYPE, 4, seq16>, list: list<TYPE, 2>, turn: u32 }
    counters { same, full }
    down send(m) {
        turn += 1;
        CHANGE
        var copy = value;
        if changed(ref copy, turn) { count same; }
        maybe = some(copy);
        ring.push(copy) else { ring.clear(); count full; }
        list.push(copy) else { list.clear(); count full; }
        map.insert(turn as u8, copy) else { map.clear(); count full; }
        window.push(copy) else { window.release(window.high); count full; }
        if copy in ring { count same; }
        if let x = maybe { if x == value { count same; } }
        if let x = ring.pop() { value = x; }
        pass m;
    }
}
stack st = layer / floor;
";

const DECLARED: &str = "import \"../layers/interfaces.nacre\";
import \"../layers/floor/floor.nacre\";
enum Colour { red, green, blue }
struct Point { x: u7, near: bool, colour: Colour, tag: bytes<2> }
struct Odd { a: u3, b: i13, c: u16? }
";

/// A type with a given number of entries, and a statement that changes a `value` of it.
struct Kind {
    name: &'static str,
    ty: &'static str,
    change: &'static str,
}

const SLOT: &str = "let slot = (turn % N) as 0..N else unreachable;";

const KINDS: &[Kind] = &[
    Kind { name: "words", ty: "u32 per 0..N", change: "SLOT value[slot] += 0x01020304;" },
    Kind { name: "odd numbers", ty: "u13 per 0..N", change: "SLOT value[slot] += 4001;" },
    Kind { name: "flags", ty: "bool per 0..N", change: "SLOT value[slot] = !value[slot];" },
    Kind { name: "signed", ty: "i5 per 0..N", change: "SLOT value[slot] -= 3;" },
    Kind { name: "enums", ty: "Colour per 0..N", change: "SLOT value[slot] = Colour.blue;" },
    Kind { name: "ranges", ty: "0..6 per 0..N", change: "SLOT value[slot] = 5;" },
    Kind {
        name: "structs",
        ty: "Point per 0..N",
        change: "SLOT value[slot] = Point { x: 99, near: true, colour: Colour.green, tag: [1, 2] };",
    },
    Kind { name: "odd structs", ty: "Odd per 0..N", change: "SLOT value[slot].b -= 7; value[slot].c = some(0x0102);" },
    Kind { name: "options", ty: "u9? per 0..N", change: "SLOT value[slot] = some(300);" },
    Kind { name: "an option", ty: "(u9 per 0..N)?", change: "value = none;" },
    Kind { name: "pairs", ty: "(u2, u64) per 0..N", change: "SLOT value[slot] = (3, 0x0102030405060708);" },
    Kind { name: "rows", ty: "(u3 per 0..5) per 0..N", change: "SLOT value[slot][4] = 6;" },
    Kind { name: "long rows", ty: "(u3 per 0..N) per 0..9", change: "SLOT value[7][slot] = 6;" },
    Kind { name: "strings", ty: "bytes<3> per 0..N", change: "SLOT value[slot] = [1, 2, 250];" },
    Kind { name: "addresses", ty: "addr per 0..N", change: "" },
    Kind { name: "bytes", ty: "bytes<N>", change: "SLOT value[slot] = turn as u8;" },
    Kind { name: "a set", ty: "bits<N>", change: "SLOT value += slot;" },
    Kind { name: "sets", ty: "bits<70> per 0..N", change: "SLOT value[slot] += 69;" },
];

fn session(template: &str, kind: &Kind, place: &str, n: u32) -> Session {
    let text = template
        .replace("CHANGE", kind.change)
        .replace("SLOT", SLOT)
        .replace("TYPE", kind.ty)
        .replace("PLACE", place)
        .replace("0..N", &format!("0..{n}"))
        .replace("<N>", &format!("<{n}>"))
        .replace("% N", &format!("% {n}"));
    Session::from_text(&root().join("tests/large.nacre"), &format!("{DECLARED}{text}"))
}

fn machines(template: &str, kind: &Kind, place: &str, name: &str, n: u32) -> Machines {
    let mut session = session(template, kind, place, n);
    let stack = session.stack(name).unwrap_or_else(|| panic!("{}: {}", kind.name, session.render(false)));
    Machines::of(session, stack)
}

/// The numbers of bytes and lines of C, at level bypass with bypasses of the ways that layers mark as likely: a stack
/// with large headers is not simulated.
fn size(machines: &Machines, level: Level) -> (usize, usize) {
    let text = machines.session.emit_modelled(&machines.stack, level, None);
    let both = text.header + &text.source;
    (both.len(), both.lines().count())
}

#[test]
fn size_of_c_does_not_depend_on_the_length_of_values() {
    // Only some kinds, if time is short.
    let cases =
        [(CARRIES, "", "st", 1), (CARRIES, "", "packed", 7), (CARRIES, "at byte 48", "st", 7), (KEEPS, "", "st", 4)];
    for (template, place, name, step) in cases {
        for (index, kind) in KINDS.iter().enumerate().step_by(if soaking() { 1 } else { step }) {
            // A set of up to 64 elements is a number.
            let least = if kind.ty == "bits<N>" { 100 } else { 10 };
            let [small, large, huge] = [least, 1000, 3000].map(|n| machines(template, kind, place, name, n));
            let levels = if soaking() { &LEVELS[..] } else { &LEVELS[index % LEVELS.len()..][..1] };
            for level in levels {
                let [small, large, huge] = [&small, &large, &huge].map(|machines| size(machines, *level));
                let what = format!("{} {place} of {name}: {small:?}, {large:?}, {huge:?} bytes and lines", kind.name);
                // Loops, and the functions that they call; beyond these, only numbers become longer.
                assert!(large.0 <= small.0 + 6_000 && large.1 <= small.1 + 100, "{what}");
                assert!(huge.0 <= large.0 + 300 && huge.1 == large.1, "{what}");
            }
        }
    }
}

#[test]
fn distant_fields_take_no_more_c() {
    let kind = Kind { name: "far", ty: "u32", change: "value += 1;" };
    let [small, large] = ["at byte 60", "at byte 20000"].map(|place| machines(CARRIES, &kind, place, "st", 1));
    for level in LEVELS {
        let ((bytes, _), (more, _)) = (size(&small, level), size(&large, level));
        assert!(more <= bytes + 1_400, "{bytes} to {more} bytes");
    }
}

/// Runs the interpreter and all levels in a storm of valid, damaged and random frames.
fn agree(template: &str, kind: &Kind, place: &str, name: &str, n: u32) {
    let machines = machines(template, kind, place, name, n);
    let mut tally = Tally::default();
    let what = format!("{} {place} of {name}, {n} entries", kind.name);
    storm(&machines.stack, &machines.lockstep(), 3, 400, &mut tally).unwrap_or_else(|why| panic!("{what}: {why}"));
    assert!(tally.counter("broken") == 0, "{what}: {:?}", tally.counters);
    let seen = tally.counters.iter().filter(|(name, n)| name.starts_with("layer.") && **n > 0).count();
    assert!(seen > 0, "{what}: {:?}", tally.counters);
}

#[test]
fn long_values_in_headers_are_the_same_in_c() {
    for kind in KINDS.iter().step_by(if soaking() { 1 } else { 3 }) {
        agree(CARRIES, kind, "", "st", 67);
    }
    agree(CARRIES, &KINDS[6], "", "packed", 67);
    agree(CARRIES, &KINDS[1], "at byte 48", "st", 67);
}

#[test]
fn long_values_of_big_endian_fields_are_the_same_in_c() {
    let whole = ["words", "structs", "strings", "bytes", "addresses", "a set"];
    for kind in KINDS.iter().filter(|kind| whole.contains(&kind.name)) {
        agree(CARRIES, kind, "big", "st", 64);
        agree(CARRIES, kind, "big", "st", 8);
    }
    let pair = Kind {
        name: "a pair of odd numbers",
        ty: "(u3, u13)",
        change: "let (a, b) = value; value = (a + 1, b + 4001);",
    };
    agree(CARRIES, &pair, "big", "st", 1);
}

#[test]
fn long_values_in_containers_are_the_same_in_c() {
    for kind in KINDS.iter().step_by(5).chain([&KINDS[16]]) {
        agree(KEEPS, kind, "", "st", 600);
    }
}
