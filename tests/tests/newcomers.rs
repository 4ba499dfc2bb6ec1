//! Constructs of other languages cause a help that shows the equivalent.

use std::path::Path;

use nacre_driver::Session;
use nacre_tests::root;

/// The help of the first error of a text.
fn help(text: &str) -> String {
    let mut session = Session::from_text(Path::new(&root().join("tests/tests/case.nacre")), text);
    session.check();
    let first = session.found.iter().find(|found| found.is_error());
    first.map_or("no error".into(), |found| found.help.join(" / "))
}

const IMPORT: &str = "import \"../../layers/interfaces.nacre\";\n";

fn statement(text: &str) -> String {
    let state = "state { n: u16, flag: bool, kept: msg?, t: timer }";
    format!("{IMPORT}worker w {{ {state}\n down send(m) {{ {text}\n pass m; }}\n on t {{ }} }}")
}

fn member(text: &str) -> String {
    format!("{IMPORT}worker w {{\n {text}\n state {{ n: u16 }}\n down send(m) {{ n += 1; pass m; }}\n}}")
}

fn item(text: &str) -> String {
    format!("{IMPORT}{text}\nworker w {{ down send(m) {{ pass m; }} }}")
}

fn all_have_help(cases: &[(&str, &str)], text: impl Fn(&str) -> String) {
    let told = cases.iter().map(|(case, words)| (case, words, help(&text(case))));
    let wrong: Vec<String> = told
        .filter(|(_, words, help)| !help.contains(**words))
        .map(|(case, words, help)| format!("{case}\n    wanted: {words}\n    found:  {help}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn operators_and_conditions() {
    let cases = [
        ("if flag and n == 1 { n = 2; }", "&&"),
        ("if flag && let x = kept { n = 2; }", "second `if let`"),
        ("if let x = kept && flag && let y = kept { n = 2; }", "second `if let`"),
        ("n = 1; { n = 2; }", "braces"),
        ("if flag or n == 1 { n = 2; }", "||"),
        ("flag = flag or true;", "||"),
        ("if not flag { n = 2; }", "!a"),
        ("if n is 5 { n = 1; }", "`==`"),
        ("if flag { n = 1; } elif n == 2 { n = 3; }", "else if"),
        ("if flag { n = 1; } elsif n == 2 { n = 3; }", "else if"),
        ("if flag { n = 1; } elseif n == 2 { n = 3; }", "else if"),
        ("if flag { n = 1; } else n = 2;", "braces"),
        ("if flag: n = 1;", "braces"),
        ("if flag then { n = 1; }", "braces"),
        ("unless flag { n = 1; }", "if !a"),
        ("n++;", "n += 1;"),
        ("++n;", "n += 1;"),
        ("n--;", "n -= 1;"),
        ("n =+ 1;", "n += 1;"),
        ("n = n++;", "n += 1;"),
        ("var x = n += 1;", "statement of its own"),
        ("n /= 2;", "n = n / 2;"),
        ("n %= 2;", "twice"),
        ("n ^= 2;", "twice"),
        ("n <<= 2;", "twice"),
        ("n >>= 2;", "twice"),
        ("n == 5;", "to assign, write `=`"),
        ("if n = 5 { n = 1; }", "to compare, write `==`"),
        ("if n === 5 { n = 1; }", "`==`"),
        ("if n !== 5 { n = 1; }", "`!=`"),
        ("if n <> 5 { n = 1; }", "`!=`"),
        ("n = n ** 2;", "power"),
        ("n = flag ? 1 : 2;", "if a { b } else { c }"),
        ("flag = n in 0..3;", "0 <= x"),
        ("if n { n = 1; }", "x != 0"),
        ("if t { n = 1; }", "t.armed"),
        ("n = flag;", "if x { 1 } else { 0 }"),
        ("flag = 1;", "true"),
    ];
    all_have_help(&cases, statement);
}

#[test]
fn variables_values_and_places() {
    let cases = [
        ("let mut x = 1;", "var x"),
        ("int x = 1;", "var x"),
        ("u16 x = 1;", "var x"),
        ("auto x = 1;", "let x"),
        ("const x = 1;", "let x"),
        ("x := 1;", "let x"),
        ("var x := 1;", "var x"),
        ("let x: u16 = 1;", "var n: u16"),
        ("flag = True;", "`true`"),
        ("flag = TRUE;", "`true`"),
        ("flag = False;", "`false`"),
        ("flag = FALSE;", "`false`"),
        ("kept = null;", "`none`"),
        ("kept = NULL;", "`none`"),
        ("kept = nil;", "`none`"),
        ("kept = None;", "`none`"),
        ("kept = Some(share m);", "some(x)"),
        ("self.n = 1;", "used by their names alone"),
        ("this.n = 1;", "used by their names alone"),
        ("this->n = 1;", "follow a dot"),
        ("n = 'a';", "double quotes"),
        ("n = \"a\";", "number of the byte"),
        ("n = 5u16;", "no suffix"),
        ("n = 5UL;", "no suffix"),
        ("n = 1e3;", "exponent"),
        ("n = 1.5;", "smaller unit"),
        ("n = (u16) 5;", "x as u16"),
        ("n = u16(5);", "x as u16"),
        ("n = &n;", "pointers"),
        ("n = *n;", "pointers"),
        ("n = ~n;", "complement"),
        ("n = m[0];", "filter"),
        ("n = kept!;", "no macros and no output"),
        ("n = kept.unwrap();", "if let"),
        ("n = kept.len as u16;", "if let"),
        ("if kept != null { n = 1; }", "x != none"),
        ("let p = (n, n); n = p.0;", "let (a, b) = pair;"),
        ("let x = n / n else 0;", "an `else` leaves"),
        ("let x = min(n, n) else 0;", "an `else` leaves"),
        ("below.send(share m + H { n });", "lower-case letter"),
        ("let x = P { n };", "lower-case letter"),
    ];
    all_have_help(&cases, statement);
}

#[test]
fn loops_branches_and_calls() {
    let cases = [
        ("for (i = 0; i < 3; i++) { n = 1; }", "for i in 0 .. 10"),
        ("for i in range(3) { n = 1; }", "0 .. 10"),
        ("for i in 0..=3 { n = 1; }", "N + 1"),
        ("for i in 0...3 { n = 1; }", "N + 1"),
        ("loop { n = 1; }", "bound"),
        ("for i in 0 .. 3 { below.send(m); }", "share m"),
        ("let x = (n + 1) % 8 as 0..8 else return;", "tighter"),
        ("later pass;", "is named"),
        ("do { n = 1; } while n < 3;", "bound"),
        ("while n < 3 { n += 1; }", "bound N"),
        ("switch n { case 1: n = 2; }", "match n"),
        ("match n { 1 -> { n = 2; } _ => {} }", "=>"),
        ("match n { 1: { n = 2; } _ => {} }", "=>"),
        ("match n { 1 => n = 2, _ => {} }", "an arm is a block"),
        ("match n { 1 => { n = 2; }, _ => {} }", "follows a block"),
        ("match n { case 1 => { n = 2; } _ => {} }", "match n"),
        ("match n { 1 => { n = 2; } else => {} }", "_ =>"),
        ("continue;", "no `continue`"),
        ("goto out;", "return"),
        ("try { n = 1; }", "else { ... }"),
        ("throw n;", "else { ... }"),
        ("await n;", "later"),
        ("print(n);", "count"),
        ("printf(\"x\");", "count"),
        ("println!(\"x\");", "count"),
        ("log(\"x\");", "count"),
        ("n = len(m);", "x.len"),
        ("n = sizeof(n);", "x.len"),
        ("n = m.length as u16;", "x.len"),
        ("n = m.len() as u16;", "x.len"),
        ("n = m.size as u16;", "x.len"),
        ("t.start(5 ms);", "arm t in"),
        ("start t;", "arm t in"),
        ("set t = 5 ms;", "arm t in"),
        ("arm t 5 ms;", "arm t in"),
        ("arm t for 5 ms;", "arm t in"),
        ("t = 5 ms;", "arm"),
        ("stop t;", "cancel t;"),
        ("t.stop();", "cancel t;"),
        ("sleep(5);", "arm t in"),
        ("n = rand();", "random(n)"),
        ("n = time();", "now"),
        ("send(m);", "below.send(m);"),
        ("deliver(m);", "above.deliver(m);"),
        ("emit below.send(m);", "below.send(m);"),
        ("below->send(m);", "follow a dot"),
        ("down.send(m);", "below.send(m);"),
        ("count += 1;", "count name;"),
        ("count n += 1;", "count name;"),
        ("delete n;", "drop m;"),
        ("free(m);", "drop m;"),
        ("func f() {}", "fn name"),
        ("fn inner() {}", "member of the layer"),
        ("/* hello */ n = 1;", "//"),
        ("# hello", "//"),
        ("n = 5", "`;`"),
        ("n = 1;;", "one `;`"),
        ("if flag { n = 1; };", "follows a block"),
    ];
    all_have_help(&cases, statement);
}

#[test]
fn members_and_types() {
    let cases = [
        ("void f() { }", "fn name"),
        ("int f(x: u16) { }", "fn name"),
        ("def f(x) { }", "fn name"),
        ("func f(x: u16) { }", "fn name"),
        ("function f(x) { }", "fn name"),
        ("fn f(u16 x) { }", "the name comes first"),
        ("fn f(x: u16) => u16 { return x; }", "-> u16"),
        ("fn f(x: u16): u16 { return x; }", "-> u16"),
        ("pub fn f() { }", "omit this"),
        ("var x: u16;", "state {"),
        ("u16 x;", "state {"),
        ("int x = 1;", "state {"),
        ("x: u16;", "state {"),
        ("static x: u16;", "state {"),
        ("send(m) { pass; }", "down send(m)"),
        ("down send(msg m) { pass m; }", "without types"),
        ("down send(m: msg) { pass m; }", "without types"),
        ("down send(m) -> { pass; }", "no result"),
        ("up init { n = 1; }", "parentheses"),
        ("init { n = 1; }", "up init()"),
        ("constructor() { }", "up init()"),
        ("timer again;", "state { again: timer }"),
        ("on timer again { }", "on again"),
        ("header Data { u16 number }", "the name comes first"),
        ("header Data(number: u16)", "braces"),
        ("header Data { number: u16; other: u16 }", "`,`"),
        ("header data { number: u16 }", "`Data`"),
        ("struct Side { u16 a; }", "the name comes first"),
        ("enum Colour { red = 1, green }", "no numbers"),
        ("type X = u16;", "struct"),
        ("class X { }", "struct"),
        ("use x;", "import"),
        ("parameter N = 1;", "<SIZE"),
        ("const X = 1;", "has a type"),
        ("counters a, b;", "braces"),
        ("state y: u16;", "braces"),
        ("/* a */", "//"),
        ("state { y: int }", "i32"),
        ("state { y: uint16 }", "`u16`"),
        ("state { y: uint16_t }", "`u16`"),
        ("state { y: byte }", "`u8`"),
        ("state { y: char }", "`u8`"),
        ("state { y: String }", "bytes<N>"),
        ("state { y: float }", "smaller unit"),
        ("state { y: usize }", "`u32`"),
        ("state { y: boolean }", "`bool`"),
        ("state { y: message? }", "`msg`"),
        ("state { y: time }", "instant"),
        ("state { y: set<u16> }", "bits<N>"),
        ("state { y: Vec<u16> }", "list<u16, 4>"),
        ("state { y: queue<msg, 4> }", "ring<"),
        ("state { y: Option<u16> }", "type?"),
        ("state { y: HashMap<u16, u16> }", "map<"),
        ("state { y: u16[4] }", "per 0..4"),
        ("state { y: [u16; 4] }", "per 0..4"),
        ("state { y = 1 }", "has a type"),
        ("state { y: duration = 5 }", "unit"),
        ("state { y: bool = False }", "`false`"),
    ];
    all_have_help(&cases, member);
}

#[test]
fn items_stacks_and_tests() {
    let cases = [
        ("#include \"x.h\"", "import \""),
        ("use interfaces;", "import \""),
        ("from x import y;", "import \""),
        ("import interfaces;", "import \""),
        ("layer l { }", "worker"),
        ("class l { }", "worker"),
        ("def f(): ", "worker"),
        ("fn f() { }", "worker"),
        ("let X = 1;", "const"),
        ("static X: u16 = 1;", "const"),
        ("typedef int x;", "struct"),
        ("struct Side { a: u16 };", "follows a block"),
        ("/* a */", "//"),
        ("worker l extends channel { }", "over channel<addr>"),
        ("worker l(N: u16) { }", "<SIZE"),
        ("worker l<N = 1> { }", "has a type"),
        ("worker L { }", "call it `l`"),
        ("stack s = w | w;", "`/`"),
        ("stack s = w, w;", "`/`"),
        ("stack s = w -> w;", "`/`"),
        ("stack s { w }", "`/`"),
        ("stack = w;", "has a name"),
        ("test t { }", "is a text"),
        ("test \"t\" { open a b with s; }", "open a, b with"),
        ("test \"t\" { sleep 5 ms; }", "run 5 ms;"),
        ("test \"t\" { assert 1 == 1; }", "expect"),
        ("test \"t\" { let x = 1; }", "for i in"),
    ];
    all_have_help(&cases, item);
}
