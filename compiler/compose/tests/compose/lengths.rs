//! What conditions and constants say of the length of a message: numbers wrap in the width of their type, and what is
//! narrower than a length says nothing of it.

use crate::text;

/// A handler of a layer that puts its header on a part of what it gets.
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

/// All of the message, if this holds.
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
fn conditions_on_less_than_a_length_say_nothing_of_it() {
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
fn what_is_known_of_one_width_is_not_of_another() {
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

/// What is packed need not fit a frame: a layer below can cut it.
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
