//! Facts about the length of a message from conditions and constants: numbers wrap in the width of their type, and a
//! number narrower than a length does not bound it.

use crate::text;

/// A handler of a layer that adds its header to a part of each message.
fn data_max(body: &str, accepts: &str) -> u32 {
    let text = format!(
        "worker layer: line over line {{
            header Head {{ h: u8 }}
            state {{ a: u16, b: u16, s: seq8 }}
            {accepts}
            down send(m) {{ {body} }}
            up deliver(m - Head {{ h }}) {{ pass m; }}
            up deliver(m) {{ pass m; }}
        }}
        worker last: line over line {{}}
        interface line {{ down send(m: msg) up deliver(m: msg) }}
        stack sample = layer / last;"
    );
    let composed = text::stacks(&text).pop().expect("a stack").unwrap_or_else(|found| panic!("{body}: {found:?}"));
    let shapes = &composed.stack.layouts[0].shapes;
    shapes.iter().filter(|s| !s.headers.is_empty()).map(|s| s.data_max).max().expect("a shape with the header")
}

const LONG: u32 = 1000;

fn of_body(body: &str) -> u32 {
    data_max(body, "accepts send(m) when m.len <= 1400;")
}

/// A slice of up to this length.
fn sliced(length: &str) -> u32 {
    of_body(&format!("below.send(slice(m, 0, {length}) + Head {{ h: 1 }}); drop m;"))
}

/// The whole message, if this condition holds.
fn checked(condition: &str) -> u32 {
    of_body(&format!("if ({condition}) {{ pass m + Head {{ h: 1 }}; return; }} drop m;"))
}

#[test]
fn constants_wrap_in_the_width_of_their_type() {
    assert_eq!(of_body("pass rest(m, (4294967295 as u32) + 6) + Head { h: 1 };"), 1395);
    assert_eq!(sliced("((0 as u32) - 1)"), 1400);
    assert_eq!(sliced("((300 as u16) as u8) as u32"), 44);
    assert_eq!(sliced("((250 as u8) + (10 as u8)) as u32"), 4);
    assert_eq!(sliced("((65535 as u16) * (65535 as u16)) as u32"), 1);
    assert_eq!(sliced("max(((0 as u8) - (1 as u8)), 5) as u32"), 255);
    assert!(sliced("min((250 as seq8), (5 as seq8)) as u32") >= 250);
}

#[test]
fn condition_on_a_truncated_length_does_not_bound_it() {
    assert_eq!(checked("m.len <= 7"), 7);
    assert_eq!(checked("(m.len as u64) <= 7"), 7);
    for narrow in [
        "(m.len as u8) <= 7",
        "((m.len as u8) as u64) <= 7",
        "((m.len as seq8) as u64) <= 7",
        "((m.len as i8) as i64) <= 7",
        "(((m.len as u64) as seq8) as u64) <= 7",
    ] {
        assert!(checked(narrow) >= LONG, "{narrow}");
    }
    assert_eq!(data_max("pass m + Head { h: 1 };", "accepts send(m) when (m.len as u64) <= 7;"), 7);
    for narrow in ["(m.len as u8) <= 7", "(m.len as i8) < 7", "(m.len as seq8) <= 7"] {
        let accepts = format!("accepts send(m) when {narrow};");
        assert!(data_max("pass m + Head { h: 1 };", &accepts) >= LONG, "{narrow}");
    }
}

#[test]
fn fact_about_one_width_does_not_hold_for_another() {
    let after = |condition: &str, length: &str| {
        of_body(&format!(
            "if ({condition}) {{ below.send(slice(m, 0, {length}) + Head {{ h: 1 }}); drop m; return; }} drop m;"
        ))
    };
    assert_eq!(after("a <= 7", "a as u32"), 7);
    assert_eq!(after("(a + b) <= 7", "(a + b) as u32"), 7);
    assert!(after("(a + b) <= 7", "(a as u32) + (b as u32)") >= LONG);
    assert!(after("(m.len as u8) <= 7", "(m.len as u16) as u32") >= LONG);
    assert_eq!(after("a <= 7", "min(a as u32, 9)"), 7);
    assert!(after("(s as u64) >= 0", "min(s, 5) as u64 as u32") >= 250);
}

/// A packed message need not fit a frame: a layer below can cut it.
#[test]
fn packed_messages_are_as_long_as_they_can_be_not_as_a_frame_is() {
    let packed = |accepts: &str| {
        let text = format!(
            "worker upper: line over line {{
                header Tag {{ n: u8 }}
                {accepts}
                down send(m) {{ pass m + Tag {{ n: 7 }}; }}
                up deliver(m - Tag {{ n }}) {{ pass m; }}
                up deliver(m) {{ pass m; }}
            }}
            worker packer: line over line {{
                header Packed {{ }}
                down send(m) {{ let bytes = pack(m); pass bytes + Packed {{ }}; }}
                up deliver(m - Packed {{ }}) {{
                    let inner = unpack(m) else return;
                    pass inner;
                }}
                up deliver(m) {{ pass m; }}
            }}
            worker last: line over line {{}}
            interface line {{ down send(m: msg) up deliver(m: msg) }}
            stack sample = upper / packer / last;"
        );
        let composed = text::stacks(&text).pop().expect("a stack").unwrap_or_else(|found| panic!("{found:?}"));
        let longest = |layout: usize| composed.stack.layouts[layout].shapes.iter().map(|s| s.data_max).max();
        (longest(0).expect("a shape"), longest(1).expect("a shape"))
    };
    assert_eq!(packed("accepts send(m) when m.len <= 1400;").1, 1400);
    let (frame, inner) = packed("accepts send(m) when m.len <= 200000;");
    assert!(frame <= 65_507, "{frame}");
    assert_eq!(inner, 200_000);
}

/// Returns the blocks of 1000 bytes that a stored piece of up to 1000 bytes can take if a handler cuts it like this.
fn blocks_of_a_piece(statements: &str) -> u32 {
    let text = format!(
        "worker layer: line over line {{
            header Head {{ h: u32 }}
            state {{ old: msg?, at: u32, short: u16, n: u16, many: u32 }}
            accepts send(m) when m.len <= 64000;
            down send(m) {{ below.send(share m); {statements} drop m; }}
            up deliver(m - Head {{ h }}) {{ many = h; n = h as u16; drop m; }}
            up deliver(m) {{ pass m; }}
            fn double(n: u32) -> u32 {{ return n * 2; }}
            down note() {{ below.send(Head {{ h: many }}); }}
        }}
        worker last: line over line {{ down note() {{}} }}
        interface line {{ down send(m: msg) up deliver(m: msg) down note() }}
        stack sample = layer / last;"
    );
    let composed = text::stacks_alone(&text).pop().expect("a stack");
    let bounds = composed.unwrap_or_else(|found| panic!("{statements}: {found:?}")).stack.bounds;
    assert_eq!(bounds.block, 1000, "{statements}");
    // A call copies the whole message.
    bounds.blocks - 64
}

#[test]
fn the_starts_of_pieces_are_multiples_unless_they_can_wrap() {
    let at = |start: &str| blocks_of_a_piece(&format!("old = some(slice(m, {start}, 1000));"));
    for aligned in
        ["3000", "(n as u32) * 1000", "1000 * (n as u32) + 2000", "m.len / 1000 * 1000", "(many % 64) * 1000"]
    {
        assert_eq!(at(aligned), 1, "{aligned}");
    }
    // The product of 4294968 and 1000 is 704.
    for ragged in
        ["3001", "many", "many * 1000", "(n * 1000) as u32", "(n as u32) * 1000 * 1000 * 1000", "0 - many * 1000"]
    {
        assert_eq!(at(ragged), 2, "{ragged}");
    }
    let from = |before: &str, start: &str| blocks_of_a_piece(&format!("{before} old = some(slice(m, {start}, 1000));"));
    let looped = |ty: &str, bound: &str, step: &str| {
        let body = format!("old = some(slice(m, at as u32, 1000)); at = {step};");
        blocks_of_a_piece(&format!("var at: {ty}; while (at as u32) < m.len bound {bound} {{ {body} }}"))
    };
    assert_eq!(looped("u32", "64", "at + 1000"), 1);
    assert_eq!(looped("u16", "60", "at + 1000"), 1);
    assert_eq!(looped("u16", "66", "at + 1000"), 2);
    assert_eq!(looped("u8", "66", "at + 200"), 2);
    assert_eq!(looped("u32", "1000000", "at + 5000"), 2);
    assert_eq!(looped("u32", "64", "at - 1000"), 2);
    assert_eq!(looped("u32", "64", "at * 1000"), 2);
    assert_eq!(looped("u32", "64", "double(at)"), 2);
    let counted = |ends: &str| {
        blocks_of_a_piece(&format!("for i in {ends} bound 64 {{ old = some(slice(m, i * 1000, 1000)); }}"))
    };
    assert_eq!((counted("0 .. many"), counted("7 .. many"), counted("many .. 4000000000")), (1, 1, 2));
    // A number that persists over many steps can wrap.
    assert_eq!(from("at += 1000;", "at"), 2);
    assert_eq!(from("at = 3000;", "at"), 1);
    assert_eq!(from("short = 3000;", "short as u32"), 1);
    assert_eq!(from("short += 1000;", "short as u32"), 2);
}
