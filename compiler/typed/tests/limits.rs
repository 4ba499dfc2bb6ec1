//! The time to check a long program is linear in its length, and constants keep their types.

use nacre_diagnostics::SourceId;
use nacre_stack::print;
use nacre_typed::Program;

const CHANNEL: &str =
    "interface channel<A> { up init() down send(m: msg) up deliver(m: msg) up grant(n: u32) down give(n: u32) }\n";

fn program(text: &str) -> Program {
    let (file, found) = nacre_syntax::parse(SourceId(0), &format!("{CHANNEL}{text}"));
    assert_eq!(found, [], "it parses");
    let (program, found) = Program::new(vec![file]);
    assert_eq!(found, [], "its items are in order");
    program
}

#[test]
fn constants_are_known_in_any_order() {
    let chain: String = (0..3000).map(|n| format!("const C{n}: u32 = C{} + 1;\n", n + 1)).collect();
    let text =
        format!("{chain}const C3000: u32 = 1;\nworker w {{ state {{ x: u32 }} down send(m) {{ x = C0; pass; }} }}");
    let layer = &program(&text);
    assert_eq!(layer.check_layers(), []);
}

#[test]
fn a_constant_that_depends_on_itself_is_an_error() {
    let text = "const A: u32 = B + 1; const B: u32 = A; worker w { down send(m) { pass; } }";
    let found: Vec<_> = program(text).check_layers().iter().map(|d| d.code).collect();
    assert_eq!(found, ["T0005"], "what depends on it is not reported again");
}

#[test]
fn a_long_chain_of_functions_is_checked() {
    let chain: String = (0..3000).map(|n| format!("fn f{n}() {{ x += 1; f{}(); }}\n", n + 1)).collect();
    let text =
        format!("worker w {{ state {{ x: u32 }} down send(m) {{ f0(); pass; }} {chain} fn f3000() {{ x = 1; }} }}");
    assert_eq!(program(&text).check_layers(), []);
}

#[test]
fn a_conditional_constant_keeps_the_type_of_both_arms() {
    let text = "worker w { state { x: u64 } down send(m) {
        let a = if false { (29 as u7) } else { 92 };
        x = (a + 100) as u64;
        pass;
    } } stack s = w;";
    let program = program(text);
    let stack = program.stack("s").expect("declared");
    let (fragments, _) = program.fragments(stack).expect("it has no errors");
    let shown = print(&fragments[0].as_stack());
    assert!(shown.contains("u7"), "{shown}");
}

#[test]
fn structs_within_structs_are_limited() {
    let chain = |length: usize| {
        let inner: String = (0..length).map(|n| format!("struct Part{n} {{ a: Part{} }}\n", n + 1)).collect();
        let last = format!("struct Part{length} {{ a: u8 }}\n");
        let text = format!("{inner}{last}worker w {{ state {{ x: Part0 }} down send(m) {{ pass; }} }}");
        program(&text).check_layers().iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(chain(60), [""; 0]);
    assert_eq!(chain(20_000).first(), Some(&"T0113"));
}
