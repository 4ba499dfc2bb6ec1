//! `_` names nothing that is declared, and no stack has the prefix of the C interface.

use nacre_diagnostics::SourceId;

/// Declarations with `@` for the name.
const DECLARATIONS: &[&str] = &[
    "stack @ = w;",
    "worker @: line over line {}",
    "interface @ { down send(m: msg) }",
    "interface i { down @(m: msg) }",
    "enum Ea { @, b }",
    "struct Sa { @: u8 }",
    "extern @(x: u8) -> u8;",
    "filter @ { byte(b: u8) { yield b; } }",
    "const @: u8 = 1;",
    "property @;",
    "automaton @ { }",
    "automaton a { internal @(at p) {} }",
    "automaton a { define @(x) = x; }",
    "automaton a { goal @ = true; }",
    "configuration @ for st { members = 2; }",
    "import \"other.nacre\" as @;",
    "test \"t\" { open @, b with st; }",
    "test \"t\" { open a, @ with st; }",
    "worker w<@: u8 = 1>: line over line {}",
    "worker w: line over line { state { @: u8 } }",
    "worker w: line over line { given { @: u8 } }",
    "worker w: line over line { counters { @ } }",
    "worker w: line over line { header Ha { @: u8 } }",
    "worker w: line over line { port @: gauge; }",
    "worker w: line over line { fn @() {} }",
    "worker w: line over line { extern @(); }",
];

fn errors(text: &str) -> Vec<String> {
    let (_, found) = nacre_syntax::parse(SourceId(0), text);
    found.into_iter().map(|d| d.message).collect()
}

#[test]
fn nothing_is_named_by_an_underscore() {
    for declaration in DECLARATIONS {
        assert_eq!(errors(&declaration.replace('@', "fine")), [""; 0], "{declaration}");
        let found = errors(&declaration.replace('@', "_"));
        assert!(found.len() == 1 && found[0].starts_with("`_` cannot name "), "{declaration}: {found:?}");
    }
}

#[test]
fn stacks_do_not_have_the_prefix_of_the_interface() {
    for name in ["nacre", "nacre_out", "nacre_"] {
        assert_eq!(errors(&format!("stack {name} = w;")), [format!("`{name}` cannot name a stack")]);
    }
    assert_eq!(errors("stack nacres = w;"), [""; 0]);
}
