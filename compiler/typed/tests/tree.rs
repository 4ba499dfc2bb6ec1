//! Sources as typed trees: resolved names, conversions, and the remaining tree of a layer with errors.

use nacre_diagnostics::{Diagnostic, SourceId};
use nacre_typed::tree::{print, Layer};
use nacre_typed::Program;

const CHANNEL: &str =
    "interface channel<A> { up init() down send(m: msg) up deliver(m: msg) up grant(n: u32) down give(n: u32) }\n";

/// The trees of the layers, and their errors.
fn typed(text: &str) -> (Vec<Layer>, Vec<Diagnostic>) {
    let (file, found) = nacre_syntax::parse(SourceId(0), &format!("{CHANNEL}{text}"));
    assert_eq!(found, [], "it parses");
    let (program, found) = Program::new(vec![file]);
    assert_eq!(found, [], "its items are in order");
    (program.layer_trees(), program.check_layers())
}

/// The statements of `down send(m)`, without errors, with this state.
fn sending(state: &str, body: &str) -> Vec<String> {
    let (trees, found) = typed(&format!("worker w {{ state {{ {state} }} down send(m) {{ {body} pass; }} }}"));
    let errors: Vec<&str> = found.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
    assert_eq!(errors, [""; 0]);
    statements(&trees[0])
}

fn statements(layer: &Layer) -> Vec<String> {
    let text = print(layer);
    let inside = text.lines().skip_while(|line| !line.starts_with("down.send")).skip(1);
    inside.take_while(|line| *line != "}").map(|line| line.trim().to_string()).collect()
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(|d| d.code).collect()
}

#[test]
fn implicit_conversions_are_in_the_tree() {
    let tree = sending("wide: u32, narrow: u8", "wide = narrow; wide = wide + narrow;");
    assert_eq!(tree[..2], ["@wide = (@narrow as u32)", "@wide = (@wide add (@narrow as u32))"]);
}

#[test]
fn constants_have_the_type_that_is_wanted() {
    let tree = sending("n: u7, d: duration", "n = 5; d = 2 ms; let x = 9;");
    assert_eq!(tree[..3], ["@n = 5'u7", "@d = 2000000'duration", "let x: u32 = 9'u32"]);
}

#[test]
fn a_name_means_the_innermost_declaration() {
    let tree = sending("n: u8, b: bool", "let x = n; if b { let x = b; b = x; } n = x;");
    assert_eq!(tree[0], "let x: u8 = @n");
    assert_eq!(tree[1..4], ["if @b {", "let x: bool = @b", "@b = x"]);
    assert_eq!(tree[5], "@n = x");
}

#[test]
fn failing_operation_is_next_to_its_else() {
    let tree = sending("row: ring<u8, 4>, n: u8", "row.push(n) else { n = 0; } n = row.pop() else unreachable;");
    let expected = ["try @row.push(@n)", "else {", "@n = 0'u8", "}", "@n = try @row.pop()", "else unreachable drop m"];
    assert_eq!(tree[..6], expected);
}

#[test]
fn message_is_read_in_place() {
    let tree = sending("last: msg?", "if let kept = last { below.send(share kept); }");
    assert_eq!(tree[0], "if ref kept: msg = @last.value where @last is some {");
    assert_eq!(tree[1], "below.send(share(borrowed kept))");
}

#[test]
fn a_wrong_statement_leaves_the_others() {
    let body = "n = true; n = 1; let x = nothing; n = x; n = 2;";
    let (trees, found) = typed(&format!("worker w {{ state {{ n: u8 }} down send(m) {{ {body} pass; }} }}"));
    assert_eq!(codes(&found), ["T0033", "T0047"], "what uses `x` is not reported again");
    let tree = statements(&trees[0]);
    assert_eq!(tree[..5], ["<error: true, @n>", "@n = 1'u8", "<error: <error>>", "<error: <error>, @n>", "@n = 2'u8"]);
    assert_eq!(tree[5], "pass below.send(m)");
}

#[test]
fn a_wrong_condition_leaves_its_branches() {
    let body =
        "if n { n = 1; } else { n = nothing; } while n bound 3 { n = 2; } match nothing { 1 => { n = 3; } _ => { } }";
    let (trees, found) = typed(&format!("worker w {{ state {{ n: u8 }} down send(m) {{ {body} pass; }} }}"));
    assert_eq!(codes(&found), ["T0033", "T0047", "T0033", "T0047"]);
    let text = statements(&trees[0]).join("\n");
    for kept in ["if <error: @n> {\n@n = 1'u8", "while <error: @n> bound 4 {\n@n = 2'u8", "match <error", "@n = 3'u8"] {
        assert!(text.contains(kept), "{kept}:\n{text}");
    }
}

#[test]
fn names_of_a_wrong_condition_are_not_reported() {
    let body = "if let (a, b) = nothing { n = a; } for x in nothing { n = x; }";
    let (_, found) = typed(&format!("worker w {{ state {{ n: u8 }} down send(m) {{ {body} pass; }} }}"));
    assert_eq!(codes(&found), ["T0047", "T0047"]);
}

#[test]
fn an_error_in_one_handler_leaves_the_others() {
    let (trees, found) = typed("worker w { state { n: u8 } down send(m) { n = no; } up deliver(m) { n = 1; pass; } }");
    assert_eq!(codes(&found), ["T0047"]);
    assert_eq!(trees[0].handlers.len(), 2);
    assert!(print(&trees[0]).contains("@n = 1'u8"));
}

#[test]
fn error_in_a_head_does_not_report_its_names_in_the_body() {
    let handler = "up deliver(m - Unknown { a, b }) { n = a; n = no; drop m; }";
    let text = &format!("worker w {{ header Head {{ a: u8 }} state {{ n: u8 }} {handler} }}");
    let (_, found) = typed(text);
    let found: Vec<&str> = found.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
    assert_eq!(found, ["T0108", "T0047"]);
}

#[test]
fn deep_nesting_is_typed_in_linear_time() {
    // Each level visits the level below once, also if it is an index in a comparison: two visits for each of 24 levels
    // would take hours.
    let deep = (0..24).fold("i".to_string(), |x, _| format!("a[if a[{x}] == 0 {{ i }} else {{ a[i] }}]"));
    let state = "state { a: 0..4 per 0..4, i: 0..4 }";
    let (_, found) = typed(&format!("worker w {{ {state} down send(m) {{ i = {deep}; pass; }} }}"));
    assert_eq!(codes(&found), [""; 0]);
}

#[test]
fn a_message_with_a_header_of_the_layer_is_only_sent() {
    let head = "state { last: msg?, row: ring<msg, 4>, parts: list<msg, 4>, n: u8 } header Head { a: u8 }
        fn same(m: msg) -> msg { return m; } fn size(m: msg) { drop m; }";
    let errors = |body: &str| {
        let text = format!("worker w {{ {head} down send(m) {{ {body} }} }}");
        let (_, found) = typed(&text);
        found.iter().filter(|d| d.is_error()).map(|d| d.code).collect::<Vec<_>>()
    };
    let on = "m + Head { a: 1 }";
    for kept in [
        format!("last = some({on});"),
        format!("row.push({on}) else {{ n = 1; }}"),
        format!("let x = {on}; last = some(x);"),
        format!("let x = {on}; if n == 1 {{ row.push(share x) else {{ n = 2; }} }} pass x;"),
        format!("var x = {on}; size(x);"),
        format!("pass same({on});"),
        format!("pass pack({on});"),
        format!("pass join(parts, {on});"),
        format!("let x = {on}; pass x + Head {{ a: 2 }};"),
        format!("pass {on} + Head {{ a: 2 }};"),
        format!("let (x, y) = ({on}, true); if y {{ n = 1; }} pass x;"),
        format!("let x = if n == 1 {{ {on} }} else {{ m }}; last = some(x);"),
        format!("let x = ({on}) as msg<9> else {{ return; }} last = some(x);"),
    ] {
        assert_eq!(errors(&kept), ["T0075"], "{kept}");
    }
    for sent in [
        format!("pass {on};"),
        format!("let x = {on}; below.send(share x); pass x;"),
        format!("later below.send({on});"),
        format!("let x = if n == 1 {{ {on} }} else {{ m }}; pass x;"),
        format!("let x = {on}; n = x.len as u8; last = some(slice(x, 0, 1)); drop x;"),
    ] {
        assert_eq!(errors(&sent), [""; 0], "{sent}");
    }
}
