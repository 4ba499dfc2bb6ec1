//! Sources that are long or deeply nested: every verb is fast for them, and ends with a status.

use super::desk::Desk;
use crate::common::root;

/// A stack of one layer, whose members are repeated with their numbers, and a test of it.
fn repeated(members: &str, first: &str, last: &str, count: usize) -> String {
    let interfaces = format!(
        "import \"{0}/interfaces.nacre\";\nimport \"{0}/floor/floor.nacre\";\n",
        root().join("layers").display()
    );
    let all: String =
        (1..count).map(|n| members.replace("PRE", &(n - 1).to_string()).replace("NUM", &n.to_string())).collect();
    let last = last.replace("LAST", &(count - 1).to_string());
    let test = "test \"t\" { open a, b with small; a.send(\"x\"); expect b.deliver(\"x\"); }\n";
    format!("{interfaces}worker w {{\n{first}{all}{last}}}\nstack small = w / floor;\n{test}")
}

/// Accepted sources: name, repeated member, text before and after it, and the number of repetitions.
const ACCEPTED: [(&str, &str, &str, &str, usize); 6] = [
    (
        "lets",
        "let aNUM = aPRE + 1;\n",
        "down send(m) {\nlet a0 = m.len;\n",
        "if aLAST == 7 { count x; }\npass m; }\n",
        1000,
    ),
    (
        "functions",
        "fn fNUM(x: u32) -> u32 { return fPRE(x) + 1; }\n",
        "fn f0(x: u32) -> u32 { return x; }\n",
        "down send(m) { if fLAST(m.len) == 2 { count x; } pass m; }\n",
        1000,
    ),
    ("timers", "state { tNUM: timer }\non tNUM { count x; }\n", "", "down send(m) { pass m; }\n", 1000),
    (
        "headers",
        "header HxNUM { x: u8 }\nup deliver(m - HxNUM { x }) { if x == 1 { count c; } pass m; }\n",
        "",
        "down send(m) { below.send(m + Hx1 { x: 1 }); }\n",
        1000,
    ),
    ("returns", "if m.len == 9NUM { drop m; return; }\n", "down send(m) {\n", "pass m; }\n", 300),
    ("emissions", "if m.len == 9NUM { pass share m; }\n", "down send(m) {\n", "pass m; }\n", 300),
];

/// The verbs that read such a source, and their status.
const VERBS: [(&str, i32); 6] = [
    ("check FOLDER/long.nacre", 0),
    ("fmt FOLDER/long.nacre", 0),
    ("build FOLDER/long.nacre --stack small -o FOLDER/out", 0),
    ("explain FOLDER/long.nacre --stack small", 0),
    ("sim FOLDER/long.nacre --stack small --messages 2 --largest 50 --check intact", 0),
    ("verify FOLDER/long.nacre --stack small --states 5", 3),
];

#[test]
fn long_sources_take_bounded_time_in_every_verb() {
    let desk = Desk::empty();
    for (name, members, first, last, count) in ACCEPTED {
        desk.write("long.nacre", repeated(members, first, last, count));
        for (verb, wanted) in VERBS {
            let (status, out, err) = desk.run(verb);
            assert_eq!(status, wanted, "{verb} of {name}:\n{out}{err}");
        }
        // C compilers take most of the time.
        desk.write("long.nacre", repeated(members, first, last, count / 10));
        let (status, out, err) = desk.run("test FOLDER/long.nacre");
        assert_eq!(status, 0, "test of {name}:\n{out}{err}");
    }
}

#[test]
fn long_sources_with_errors_take_bounded_time_and_stack() {
    let desk = Desk::empty();
    let nested = |open: &str, close: &str| {
        let body = format!("{}count x;{}", open.repeat(500), close.repeat(500));
        repeated("", "down send(m) { ", &format!("{body} pass m; }}\n"), 1)
    };
    let cases = [
        ("blocks", nested("if m.len > 0 { ", "}")),
        ("loops", nested("for i in 0 .. 1 { ", "}")),
        ("parentheses", nested("let a = (((((((((", ")))))))))")),
        ("errors", repeated("nope = NUM;\n", "down send(m) {\n", "pass m; }\n", 2000)),
        ("a name", repeated("", "down send(m) { ", &format!("{} = 1; pass m; }}\n", "a".repeat(10_000)), 1)),
        ("a number", repeated("", "down send(m) { let a = ", &format!("{}; pass m; }}\n", "9".repeat(100_000)), 1)),
    ];
    for (name, text) in cases {
        desk.write("long.nacre", text);
        for (verb, _) in VERBS {
            let (status, out, err) = desk.run(verb);
            assert!(verb.starts_with("fmt") || status == 1, "{verb} of {name}: {status}\n{out}{err}");
            assert!(err.lines().all(|line| line.chars().count() < 1_000), "{verb} of {name}");
        }
    }
}
