//! Every declaration of a file is checked: whether a layer uses it or not, and its errors are reported once.

use std::path::Path;

use nacre_diagnostics::Diagnostic;
use nacre_driver::Session;

const LINE: &str = "interface line { down send(m: msg) up deliver(m: msg) }\n";

/// A declaration of a file, the codes of its errors, and members and a statement of a layer that use it.
type Case = (&'static str, &'static [&'static str], &'static str, &'static str);

const CASES: &[Case] = &[
    ("const A: u8 = 256;", &["T0012"], "state { x: u8 }", "x = A;"),
    ("const A: u8 = A + 1;", &["T0005"], "state { x: u8 }", "x = A;"),
    ("const A: Foo = 1;", &["T0010"], "state { x: u8 }", "x = A;"),
    ("struct Sa { s: Sa }", &["T0113"], "state { x: Sa }", ""),
    ("struct Sa { s: Sb } struct Sb { s: Sa }", &["T0113"], "state { x: Sb, y: Sa }", ""),
    ("struct Sa { a: Foo, b: bytes<0>, b: u8 }", &["T0022", "T0010", "T0004"], "state { x: Sa }", ""),
    ("struct Sa { a: list<u8, 9999999> }", &["T0004"], "state { x: Sa }", ""),
    ("enum Ea { a, b, a }", &["T0022"], "state { x: Ea }", ""),
    ("extern f(a: Foo) -> u8;", &["T0010"], "state { x: u8 }", "x = f(1); x = f(2);"),
    ("extern f(a: u8, a: u8) -> u8;", &["T0022"], "state { x: u8 }", "x = f(1, 2);"),
    ("extern f(int: u8) -> timer;", &["T0177", "T0175"], "", "f(1);"),
    ("extern f(m: msg) -> msg inverse of g;", &["T0179"], "", "let n = f(share m); drop n;"),
    ("extern f(m: msg) -> msg grows 99999999999;", &["T0004"], "", "let n = f(share m); drop n;"),
    (
        "filter f { state { a: Foo } byte(b: u8) { a = b; } result { a } }",
        &["T0010"],
        "state { x: u8 }",
        "x = m.bytes through f; x = m.bytes through f;",
    ),
    (
        "filter f { state { a: u8 } byte(b: u8) { a += c; } result { a } }",
        &["T0047"],
        "state { x: u8 }",
        "x = m.bytes through f;",
    ),
    ("filter f grows n * n { byte(b: u8) { yield b; } }", &["T0110"], "", "let n = pack(share m) through f; drop n;"),
    ("filter f grows n / 0 { byte(b: u8) { yield b; } }", &["T0110"], "", "let n = pack(share m) through f; drop n;"),
    (
        "filter f grows n + 5000000000 { byte(b: u8) { yield b; } }",
        &["T0110"],
        "",
        "let n = pack(share m) through f; drop n;",
    ),
    ("interface i { up a(x: Foo) up a(x: u8) }", &["T0022", "T0010"], "port p: i;", ""),
    ("interface i { down a(m: msg, n: msg) down b(x: u8, x: u8) }", &["T0022", "T0019"], "port p: i;", ""),
    ("interface i { down a(x: u8) as sending }", &["T0172"], "port p: i;", ""),
];

/// Members of a layer, and the codes of their errors.
const MEMBERS: &[(&str, &[&str])] = &[
    ("extern f(a: Foo, b: u8);", &["T0010"]),
    ("extern f(a: u8, a: u8);", &["T0022"]),
    ("struct Sa { s: Sa }", &["T0113"]),
    ("enum Ea { a, a }", &["T0022"]),
    ("const A: u8 = 256;", &["T0012"]),
    ("header Ha { a: Foo }", &["T0010"]),
    ("fn unused(x: Foo) {}", &["T0010"]),
    ("fn unused() -> u8 { return y; }", &["T0047"]),
];

fn errors(path: &str, text: &str) -> Vec<Diagnostic> {
    let mut session = Session::from_text(Path::new(path), text);
    session.check();
    session.found.into_iter().filter(Diagnostic::is_error).collect()
}

fn codes(text: &str) -> Vec<&'static str> {
    errors("text.nacre", text).iter().map(|d| d.code).collect()
}

#[test]
fn declarations_that_no_layer_uses_are_checked() {
    for (declared, expected, _, _) in CASES {
        assert_eq!(codes(declared), *expected, "{declared}");
        let layers = "worker w: line over line {} worker v: line over line {} stack st = w / v;";
        assert_eq!(codes(&format!("{LINE}{declared}\n{layers}")), *expected, "{declared}, with layers");
    }
}

#[test]
fn errors_of_declarations_are_not_repeated_for_layers() {
    for (declared, expected, members, statement) in CASES {
        let layer = |name: &str| {
            format!("worker {name}: line over line {{ {members} down send(m) {{ {statement} pass m; }} }}\n")
        };
        let text = format!("{LINE}{}{declared}\n{}stack st = w / v;", layer("w"), layer("v"));
        let mut found = codes(&text);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn members_that_their_layer_does_not_use_are_checked() {
    for (member, expected) in MEMBERS {
        let text = format!("{LINE}worker w: line over line {{ {member} }}\nstack st = w;");
        assert_eq!(codes(&text), *expected, "{text}");
    }
}

#[test]
fn declarations_of_imports_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    for (declared, expected, _, _) in CASES {
        std::fs::write(folder.path().join("other.nacre"), declared).expect("written");
        for import in ["import \"other.nacre\";", "import \"other.nacre\" as other;"] {
            let path = folder.path().join("text.nacre");
            let found = errors(&path.display().to_string(), import);
            assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), *expected, "{import} {declared}");
        }
    }
}
