//! Sources that are long or deeply nested.

use super::desk::Desk;
use crate::common::root;

/// A stack of one layer, whose members are repeated with their numbers.
fn repeated(members: &str, first: &str, last: &str, count: usize) -> String {
    let interfaces = format!(
        "import \"{0}/interfaces.nacre\";\nimport \"{0}/floor/floor.nacre\";\n",
        root().join("layers").display()
    );
    let all: String =
        (1..count).map(|n| members.replace("PRE", &(n - 1).to_string()).replace("NUM", &n.to_string())).collect();
    format!("{interfaces}worker w {{\n{first}{all}{last}}}\nstack small = w / floor;\n")
}

#[test]
fn long_sources_take_bounded_time_and_stack() {
    let desk = Desk::empty();
    let nested = |open: &str, close: &str| {
        let body = format!("{}count x;{}", open.repeat(500), close.repeat(500));
        repeated("", "down send(m) { ", &format!("{body} pass m; }}\n"), 1)
    };
    let cases = [
        (
            "lets",
            0,
            repeated(
                "let aNUM = aPRE + 1;\n",
                "down send(m) {\nlet a0 = m.len;\n",
                "if a1999 == 7 { count x; }\npass m; }\n",
                2000,
            ),
        ),
        (
            "functions",
            0,
            repeated(
                "fn fNUM(x: u32) -> u32 { return fPRE(x) + 1; }\n",
                "fn f0(x: u32) -> u32 { return x; }\n",
                "down send(m) { if f999(m.len) == 2 { count x; } pass m; }\n",
                1000,
            ),
        ),
        (
            "timers",
            0,
            repeated("state { tNUM: timer }\non tNUM { count x; }\n", "", "down send(m) { pass m; }\n", 1000),
        ),
        (
            "headers",
            0,
            repeated(
                "header HxNUM { x: u8 }\nup deliver(m - HxNUM { x }) { if x == 1 { count c; } pass m; }\n",
                "",
                "down send(m) { below.send(m + Hx1 { x: 1 }); }\n",
                1000,
            ),
        ),
        ("blocks", 1, nested("if m.len > 0 { ", "}")),
        ("loops", 1, nested("for i in 0 .. 1 { ", "}")),
        ("parentheses", 1, nested("let a = (((((((((", ")))))))))")),
        ("errors", 1, repeated("nope = NUM;\n", "down send(m) {\n", "pass m; }\n", 2000)),
        ("a name", 1, repeated("", "down send(m) { ", &format!("{} = 1; pass m; }}\n", "a".repeat(10_000)), 1)),
        ("a number", 1, repeated("", "down send(m) { let a = ", &format!("{}; pass m; }}\n", "9".repeat(100_000)), 1)),
    ];
    for (name, wanted, text) in cases {
        desk.write("long.nacre", text);
        for verb in
            ["check FOLDER/long.nacre", "sim FOLDER/long.nacre --stack small --messages 2", "fmt FOLDER/long.nacre"]
        {
            let (status, out, err) = desk.run(verb);
            assert!(verb.starts_with("fmt") || status == wanted, "{verb} of {name}: {status}\n{out}{err}");
            assert!(err.lines().all(|line| line.chars().count() < 1_000), "{verb} of {name}");
        }
    }
}
