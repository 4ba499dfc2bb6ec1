//! Expressions are found at every place: messages that they pack have a shape in the layout of the layer, and the
//! bounds include their needs.

use crate::text;

/// The positions of a number in the code of a handler.
const POSITIONS: [&str; 22] = [
    "let n = NUMBER; if n == 1 { count strange; }",
    "if NUMBER == 1 { count strange; }",
    "if odd { } else if NUMBER == 1 { count strange; }",
    "odd = odd || NUMBER == 1;",
    "match NUMBER { 0 => { } _ => { count strange; } }",
    "for i in 0 .. NUMBER bound 256 { count strange; }",
    "while NUMBER == 1 bound 3 { count strange; }",
    "arm quiet in 1 ms * NUMBER as u32;",
    "numbers[NUMBER] = 1;",
    "numbers[0] = numbers[NUMBER];",
    "last = (if odd { 1 } else { NUMBER });",
    "for x in rings[NUMBER] { last = x; }",
    "for x in drain rings[NUMBER] { last = x; }",
    "rings[NUMBER].push(1) else { count strange; }",
    "rings[0].push(NUMBER) else { count strange; }",
    "if rings[NUMBER].full { count strange; }",
    "if NUMBER in rings[0] { count strange; }",
    "bump(ref numbers[NUMBER]);",
    "add(NUMBER);",
    "last = same(NUMBER);",
    "arm timers[NUMBER] in 1 ms;",
    "cancel timers[NUMBER];",
];

#[test]
fn what_an_expression_packs_has_a_shape_in_every_position() {
    for position in POSITIONS {
        let body = position.replace("NUMBER", "((pack(share m).bytes through sum) as u8)");
        let text = format!(
            "interface line {{ down send(m: msg) up deliver(m: msg) }}
            filter sum {{ state {{ all: u32 }} byte(b: u8) {{ all = all + b as u32; }} result {{ all }} }}
            worker upper: line over line {{
                header Head {{ h: u8 }}
                down send(m) {{ pass m + Head {{ h: 1 }}; }}
                up deliver(m - Head {{ h }}) {{ pass m; }}
            }}
            worker layer: line over line {{
                state {{
                    numbers: u32 per 0 .. 256, rings: ring<u8, 2> per 0 .. 256, timers: timer per 0 .. 256,
                    quiet: timer, odd: bool, last: u8,
                }}
                fn bump(ref n: u32) {{ n += 1; }}
                fn add(n: u8) {{ last += n; }}
                fn same(n: u8) -> u8 {{ return n; }}
                down send(m) {{ {body} pass m; }}
                on quiet {{ }}
                on timers[i] {{ if i == 1 {{ count strange; }} }}
            }}
            worker last: line over line {{}}
            stack sample = upper / layer / last;"
        );
        let composed = text::stacks_alone(&text).pop().expect("a stack").unwrap_or_else(|e| panic!("{body}: {e:?}"));
        let packed = composed.stack.layouts.last().expect("a layout");
        assert_eq!(packed.shapes.len(), 1, "{body}");
    }
}
