//! Signed numbers at the interface: sign-extended to 64 bits, in the interpreter and in C of every level.

use nacre_driver::Session;
use nacre_simulator::endpoint::{Maker, Opening, Outcome};
use nacre_simulator::interface::Interface;
use nacre_tests::machines::Machines;

const SOURCE: &str = "interface line { down send(m: msg) up deliver(m: msg) }
interface gauge { down ask(five: i5, eight: i8, long: i64) up answer(five: i5, eight: i8, long: i64) }
worker w: line over line { port meter: gauge; meter ask(a, b, c) { meter.answer(a, b, c); } }
stack st = w;
";

#[test]
fn numbers_with_a_sign_are_extended_and_others_are_invalid() {
    let mut session = Session::from_text(&nacre_tests::root().join("tests/signed.nacre"), SOURCE);
    let stack = session.stack("st").expect("it composes");
    let machines = Machines::of(session, stack);
    let interface = Interface::of(&machines.stack);
    let ask = interface.input(Some("meter"), "ask").expect("it is declared");
    let opening = Opening { givens: vec![], seed: 1, now: 1 };
    let (mut endpoint, _) = machines.lockstep().open(&opening).expect("it opens");
    let cases = [
        ([-3i64, -128, i64::MIN], Outcome::Done),
        ([15, 127, i64::MAX], Outcome::Done),
        ([16, 0, 0], Outcome::Invalid),
        ([0x1d, 0, 0], Outcome::Invalid),
        ([0, 128, 0], Outcome::Invalid),
        ([0, 256, 0], Outcome::Invalid),
    ];
    for (numbers, outcome) in cases {
        let numbers = numbers.map(|n| n as u64);
        let step = endpoint.call(2, ask, &numbers, None, &[]);
        assert_eq!(step.outcome, outcome, "{numbers:?}");
        let answers: Vec<&[u64]> = step.outputs.iter().map(|output| output.arguments.as_slice()).collect();
        let expected = if outcome == Outcome::Done { vec![numbers.as_slice()] } else { vec![] };
        assert_eq!(answers, expected);
    }
    assert!(endpoint.reports().is_empty(), "{:?}", endpoint.reports());
}
