//! The order of evaluation (docs/language.md, rule 8), in the interpreter and in C of every level: each operand records
//! a mark or changes values that others read, so a different order is observable.

use nacre_driver::Session;
use nacre_simulator::endpoint::{Maker, Opening, Outcome};
use nacre_simulator::interface::Interface;
use nacre_tests::machines::Machines;

/// The common head of the cases: `n`, `at` and `yes` record a mark; `bump` also changes all values that a case reads.
const HEAD: &str = "interface line { down send(m: msg) up deliver(m: msg) }
struct Pair { a: u32, b: u32 }
worker w: line over line {
    port p: probe;
    header Head { a: u32, b: u32 }
    state {
        log: u64, v: u64, x: u32 = 1, i: 0..8 = 2, d: duration = 1 ms, go: bool, o: u32? = none, s: bits<8>,
        a: u32 per 0..8, rows: ring<u32, 4> per 0..8, names: map<u32, u32, 4>, pool: pool<Pair, 4>, t: timer,
        timers: timer per 0..8, sent: window<u32, 8, seq16> per 0..8, parts: list<msg, 4>, kept: msg?,
    }
    down send(m) { pass m + Head { a: 1, b: 2 }; }
    up deliver(m - Head { a, b }) { if a == b { drop m; } else { pass m; } }
    on t {}
    on timers[k] { if k == 3 { x = 9; } }
    fn n(k: u32) -> u32 { log = log * 10 + (k as u64); return k; }
    fn at(k: 0..8) -> 0..8 { log = log * 10 + (k as u64); return k; }
    fn yes(k: u32, is: bool) -> bool { log = log * 10 + (k as u64); return is; }
    fn bump() -> u32 { log = log * 10 + 9; x = 50; i = 5; d = 5 ms; go = true; o = some(50); return 3; }
    fn sum(a: u32, b: u32) -> u32 { return a * 100 + b; }
    fn put(a: u32, ref to: u32, b: u32) { to = a * 100 + b; }
    fn two(ref a: u32, ref b: u32) { a += 1; b = a + b; }
    fn clean() {
        log = 0; v = 0; x = 1; i = 2; d = 1 ms; go = false; o = none; s = set();
        for k in 0 .. 8 { a[k] = (k as u32) * 10; rows[k].clear(); sent[k].clear(); cancel timers[k]; }
        names.clear(); pool.clear(); parts.clear(); kept = none; cancel t;
    }
";

/// The code, the marks in their order, and the resulting value of `v`.
const CASES: &[(&str, u64, u64)] = &[
    // Operands.
    ("v = (n(1) + n(2) * n(3)) as u64;", 123, 7),
    ("v = (x + bump()) as u64;", 9, 4),
    ("v = (bump() + x) as u64;", 9, 53),
    ("v = if x > bump() { 1 } else { 2 };", 9, 2),
    ("v = if x + 50 > bump() + x { 1 } else { 2 };", 9, 2),
    ("v = if n(1) == n(2) || yes(3, true) && yes(4, true) { 1 } else { 2 };", 1234, 1),
    ("v = if yes(1, false) && yes(2, true) || yes(3, true) { 1 } else { 2 };", 13, 1),
    ("v = if go || bump() == 3 && go { 1 } else { 2 };", 9, 1),
    ("v = mul_div(x, bump(), 1) as u64;", 9, 3),
    ("v = min(x, bump()) as u64;", 9, 1),
    ("v = (x << (bump() as u3)) as u64;", 9, 8),
    ("let t = (n(1), x, bump()); let (f, g, h) = t; v = (f + g * 10 + h * 100) as u64;", 19, 311),
    ("let s = Pair { b: x, a: bump() }; v = (s.a * 100 + s.b) as u64;", 9, 301),
    ("let s = Pair { b: n(2), a: n(1) }; v = (s.a * 100 + s.b) as u64;", 21, 102),
    ("var e: u32 per 0..3 = [x, bump(), x]; v = (e[0] + e[1] * 10 + e[2] * 100) as u64;", 9, 5031),
    // Calls.
    ("v = sum(x, bump()) as u64;", 9, 103),
    ("v = sum(n(1), n(2)) as u64;", 12, 102),
    ("put(x, ref a[at(3)], bump()); v = a[3] as u64;", 39, 103),
    ("put(x, ref a[i], bump()); v = (a[2] * 1000 + a[5]) as u64;", 9, 103050),
    ("two(ref a[at(1)], ref a[at(1)]); v = a[1] as u64;", 11, 22),
    ("two(ref a[i], ref a[(bump() as u3)]); v = (a[2] * 1000 + a[3]) as u64;", 9, 21051),
    // Places and assignments: the right side first, each index once.
    ("a[i] = bump(); v = (a[2] * 1000 + a[5]) as u64;", 9, 20003),
    ("a[at(3)] = n(1); v = a[3] as u64;", 13, 1),
    ("a[(bump() as u3)] = x; v = a[3] as u64;", 9, 1),
    ("x += bump(); v = x as u64;", 9, 53),
    ("a[i] += bump(); v = (a[2] * 1000 + a[5]) as u64;", 9, 20053),
    ("a[at(3)] += n(1); v = a[3] as u64;", 13, 31),
    ("a[at(3)] += 1; v = a[3] as u64;", 3, 31),
    ("a[at(3)] *= n(2) + x; v = a[3] as u64;", 23, 90),
    ("var y: u32 = 4; y -= n(1); v = y as u64;", 1, 3),
    ("s += n(1); s += n(2); s -= n(1); v = if 2 in s && !(1 in s) { 1 } else { 2 };", 121, 1),
    ("o = some(7); x += o else return; v = x as u64;", 0, 8),
    ("ref r = a[at(3)]; r = n(1); r += n(2); v = a[3] as u64;", 312, 3),
    ("ref r = a[i]; r = bump(); v = a[2] as u64;", 9, 3),
    // Containers.
    ("rows[at(3)].push(n(1)) else { v = 9; } v = rows[3].len as u64;", 31, 1),
    ("rows[i].push(bump()) else { v = 9; } v = (rows[2].len * 10 + rows[5].len) as u64;", 9, 10),
    ("rows[5].push(3) else return; v = if bump() in rows[i] { 1 } else { 2 };", 9, 2),
    ("v = if n(1) in rows[at(2)] { 1 } else { 2 };", 21, 2),
    ("names.insert(n(1), n(2)) else return; v = names.get(n(1), n(3)) as u64;", 1213, 2),
    ("names.insert(x, bump()) else return; v = names.get(1, 7) as u64;", 9, 3),
    ("names.insert(1, 4) else return; v = names.get(x, bump()) as u64;", 9, 4),
    ("let k = pool.add(Pair { b: n(2), a: n(1) }) else return; v = pool[k].a as u64;", 21, 1),
    ("sent[i].put(bump() as seq16, x) else return; v = (sent[2].len * 10 + sent[5].len) as u64;", 9, 10),
    // Timers.
    ("arm timers[i] in d; v = if timers[2].armed { 1 } else { 2 };", 0, 1),
    ("arm timers[i] in 1 ms * bump(); v = if timers[2].armed { 1 } else { 2 };", 9, 1),
    ("arm timers[at(3)] in 1 ms * n(1); v = if timers[3].armed { 1 } else { 2 };", 31, 1),
    // Operations that can fail.
    ("let q = n(6) / n(2) else return; v = q as u64;", 62, 3),
    ("let q = x / bump() else return; v = q as u64;", 9, 0),
    ("let q = (x + bump()) as 0..8 else return; v = q as u64;", 9, 4),
    ("let q = mul_div(x, n(4), bump()) else return; v = q as u64;", 49, 1),
    // Conditions.
    ("o = some(4); if let q = o && n(1) == 1 && n(q) == 4 { v = 1; } else { v = 2; }", 14, 1),
    ("if let q = o && n(q) == 4 { v = 1; } else { v = n(3) as u64; }", 3, 3),
    ("if let q = n(4) / n(2) && yes(q, true) { v = q as u64; }", 422, 2),
    ("o = some(4); if let q = o && bump() == 3 && x == 50 { v = q as u64; }", 9, 4),
    ("if yes(1, false) { v = 1; } else if yes(2, true) { v = 2; } else if yes(3, true) { v = 3; }", 12, 2),
    ("match n(2) { 1 => { v = 1; } 2 => { v = n(3) as u64; } _ => { v = 4; } }", 23, 3),
    ("match x { 1 => { v = bump() as u64; } 50 => { v = 1; } _ => { v = 2; } }", 9, 3),
    // Loops.
    ("for k in (n(1) as u3) .. (n(4) as u3) bound 8 { v += k as u64; }", 14, 6),
    ("for k in (x as u3) .. (bump() as u3) bound 8 { v = v * 10 + (k as u64); }", 9, 12),
    ("rows[2].push(4) else return; for q in rows[at(2)] { v += (q + n(1)) as u64; }", 21, 5),
    ("rows[2].push(4) else return; for q in rows[i] { v += (bump() + q) as u64; }", 9, 7),
    ("sent[2].put(0, 6) else return; for (k, q) in sent[i].up_to(bump() as seq16) { v += q as u64; }", 9, 6),
    ("sent[2].put(0, 6) else return; for (k, q) in sent[i].delivered(0, bump() as seq16) { v += 1; }", 9, 0),
    ("while x + bump() < 5 bound 3 { v += 1; }", 99, 1),
    // Messages: headers, `pack`, slices, emissions.
    ("below.send(Head { b: n(2), a: n(1) });", 21, 0),
    ("below.send(Head { b: x, a: bump() } );", 9, 0),
    ("let m = Head { a: n(1), b: n(2) }; v = n(m.len) as u64; drop m;", 120, 0),
    ("p.done(n(1) as u64, n(2) as u64); v = 5;", 12, 5),
    ("let m = Head { a: x, b: 1 }; let c = slice(m, n(1) - 1, n(2) - 2); v = c.len as u64; drop c; drop m;", 12, 0),
];

fn source() -> String {
    let events = (0..CASES.len()).map(|at| format!("down c{at}() "));
    let handler = |(at, (body, ..)): (usize, &(&str, u64, u64))| {
        format!("    fn body{at}() {{ {body} }}\n    p c{at}() {{ clean(); body{at}(); p.done(log, v); }}\n")
    };
    let handlers: String = CASES.iter().enumerate().map(handler).collect();
    let probe = format!("interface probe {{ up done(log: u64, v: u64) {} }}\n", events.collect::<String>());
    format!("{probe}{HEAD}{handlers}}}\nstack st = w;\n")
}

#[test]
fn operands_are_evaluated_in_the_documented_order() {
    let text = source();
    let mut session = Session::from_text(&nacre_tests::root().join("tests/order.nacre"), &text);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let machines = Machines::of(session, stack);
    let interface = Interface::of(&machines.stack);
    let opening = Opening { givens: vec![], seed: 1, now: 1 };
    let (mut endpoint, _) = machines.lockstep().open(&opening).expect("it opens");
    let mut wrong = Vec::new();
    for (at, (body, log, v)) in CASES.iter().enumerate() {
        let event = interface.input(Some("p"), &format!("c{at}")).expect("it is declared");
        let step = endpoint.call(2, event, &[], None, &[]);
        assert_eq!(step.outcome, Outcome::Done, "{body}");
        let last = step.outputs.iter().rfind(|output| output.arguments.len() == 2).expect("it is done");
        if last.arguments != [*log, *v] {
            wrong.push(format!("{body}\n    gives {:?}, not {:?}", last.arguments, [log, v]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(endpoint.reports().is_empty(), "{:?}", endpoint.reports());
}
