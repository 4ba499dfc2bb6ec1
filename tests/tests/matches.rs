//! `match` with few and many arms, over every type that can be compared: the selected arm is that of the source, in the
//! interpreter and in C of every level.

use nacre_driver::Session;
use nacre_simulator::endpoint::{Maker, Opening, Outcome};
use nacre_simulator::interface::Interface;
use nacre_simulator::random::Random;
use nacre_tests::machines::Machines;

const HEAD: &str = "interface line { down send(m: msg) up deliver(m: msg) }
interface probe { down ask(x: u64, y: u64) up answer(took: u64, calls: u64) }
";

/// A layer whose port answers with the number of the arm that matches `x`, as `ty`.
fn layer(ty: &str, arms: &[String], rest: bool) -> String {
    let arm = |(at, value): (usize, &String)| format!("            {value} => {{ took = {at}; }}\n");
    let arms: String = arms.iter().enumerate().map(arm).collect();
    let rest = if rest { "            _ => { took = 99999; }\n" } else { "" };
    let value = if ty == "Many" { "of(x)".into() } else { format!("x as {ty}") };
    let of = (0..40).map(|n| format!("if x == {n} {{ return Many.v{n}; }} ")).collect::<String>();
    let variants = (0..40).map(|n| format!("v{n}")).collect::<Vec<_>>().join(", ");
    format!(
        "{HEAD}enum Many {{ {variants} }}
worker w: line over line {{
    port p: probe;
    state {{ took: u64, calls: u64, keep: u64 per 0..32 }}
    fn of(x: u64) -> Many {{ {of} return Many.v0; }}
    fn n(k: u64) -> u64 {{ calls += 1; return k; }}
    p ask(x, y) {{
        took = 0;
        calls = 0;
        for i in 0 .. 32 {{ keep[i] = y + (i as u64) * 3; }}
        match {value} {{
{arms}{rest}        }}
        p.answer(took, calls);
    }}
}}
stack st = w;
"
    )
}

/// Calls the layer, and compares with the source: the first arm with the value, and one call for each tested arm.
fn answers(source: &str, cases: &[(u64, u64)], expected: impl Fn(u64, u64) -> [u64; 2]) {
    let mut session = Session::from_text(&nacre_tests::root().join("tests/matches.nacre"), source);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let machines = Machines::of(session, stack);
    let ask = Interface::of(&machines.stack).input(Some("p"), "ask").expect("it is declared");
    let opening = Opening { givens: vec![], seed: 1, now: 1 };
    let (mut endpoint, _) = machines.lockstep().open(&opening).expect("it opens");
    for &(x, y) in cases {
        let step = endpoint.call(2, ask, &[x, y], None, &[]);
        assert_eq!(step.outcome, Outcome::Done);
        assert_eq!(step.outputs[0].arguments, expected(x, y), "{x} {y}");
    }
    assert!(endpoint.reports().is_empty(), "{:?}", endpoint.reports());
}

/// Distinct numbers in no order.
fn shuffled(count: u64, from: u64) -> Vec<u64> {
    let mut random = Random::new(7);
    let mut numbers: Vec<u64> = (0..count).map(|n| from.wrapping_add(n * 3)).collect();
    (1..numbers.len()).rev().for_each(|at| numbers.swap(at, random.below(at as u64 + 1) as usize));
    numbers
}

fn constants(ty: &str, bits: u32, count: u64, from: u64) {
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let numbers: Vec<u64> = shuffled(count, from).into_iter().map(|n| n & mask).collect();
    let written = |n: &u64| match ty.starts_with('i') && *n >> (bits - 1) == 1 {
        true => format!("{}", (n | !mask) as i64),
        false => n.to_string(),
    };
    let arms: Vec<String> = numbers.iter().map(written).collect();
    let near = |n: &u64| [*n, n.wrapping_add(1) & mask, n.wrapping_sub(1) & mask];
    let cases: Vec<(u64, u64)> = numbers.iter().flat_map(near).chain([0, mask]).map(|x| (x, 0)).collect();
    let arm = |x: u64| numbers.iter().position(|n| *n == x).map_or(99999, |at| at as u64);
    answers(&layer(ty, &arms, true), &cases, |x, _| [arm(x), 0]);
}

#[test]
fn each_number_has_the_arm_that_names_it() {
    constants("u8", 8, 5, 250);
    constants("u16", 16, 16, 5);
    constants("u16", 16, 17, 5);
    constants("u32", 32, 600, 0x7fff_ff00);
    constants("u64", 64, 300, 0x7fff_ffff_ffff_ff00);
    constants("seq16", 16, 200, 0xff00);
    constants("i16", 16, 300, 0xff00);
    constants("i64", 64, 40, 0xffff_ffff_ffff_ffc0);
}

#[test]
fn each_variant_has_the_arm_that_names_it() {
    for (count, rest) in [(40, false), (17, true), (3, true)] {
        let arms: Vec<String> = (0..count).rev().map(|n| format!("Many.v{n}")).collect();
        let cases: Vec<(u64, u64)> = (0..40).map(|x| (x, 0)).collect();
        answers(&layer("Many", &arms, rest), &cases, |x, _| [if x < count { count - 1 - x } else { 99999 }, 0]);
    }
}

#[test]
fn values_that_are_no_constants_are_compared_in_order() {
    for count in [3, 16, 17, 32] {
        let arm = |n: u64| if n % 2 == 0 { format!("keep[{n}]") } else { format!("n(keep[{n}])") };
        let arms: Vec<String> = (0..count).map(arm).collect();
        let cases: Vec<(u64, u64)> = (0..100).flat_map(|x| [(x, 0), (x, x)]).collect();
        answers(&layer("u64", &arms, true), &cases, |x, y| {
            let at = (0..count).find(|n| y + n * 3 == x);
            [at.unwrap_or(99999), (at.map_or(count, |at| at + 1)) / 2]
        });
    }
}
