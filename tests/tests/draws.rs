//! Random initial values: the generator's numbers in order, equal in the emitted C.

use nacre_stack::interpret::{Config, Machine, Outcome, SplitMix64, Value};
use nacre_stack::{Cell, CellId, Stack};
use nacre_tests::library::Declared;
use nacre_tests::machines::Machines;
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

fn declared() -> Declared {
    Declared { file: root().join("cli/tests/language/draws.nacre"), name: "drawn".into() }
}

fn opened(stack: &Stack, seed: u64) -> Machine {
    let wanted = stack.cells.iter().filter(|c| c.is_configured() && c.initial.is_none());
    let name = |c: &Cell| format!("{}.{}", stack.layer(c.layer).name, c.name);
    let config = wanted.fold(Config::default(), |to, c| to.given(&name(c), stack.zero(&c.ty)));
    let mut machine = Machine::new(stack, Config { seed, ..config });
    assert_eq!(machine.open(0), Outcome::Ok);
    machine
}

fn cell<'m>(machine: &'m Machine, name: &str) -> &'m Value {
    let at = machine.stack().cells.iter().position(|c| c.name == name).expect("a cell");
    machine.cell(CellId(at as u32))
}

/// A hand-written layer: cells in order; an initial value that is not evaluated draws nothing.
#[test]
fn initial_values_are_drawn_in_order_and_only_when_evaluated() {
    let (_, stack) = declared().compose();
    let layer = stack.layers.iter().position(|l| l.name == "draws").expect("the layer") as u32;
    let (mut heads, mut skipped) = (0, 0);
    for seed in 0..64 {
        let machine = opened(&stack, seed);
        let mut generator = SplitMix64::of_layer(seed, layer);
        let first = generator.below(0x10000);
        let second = generator.below(0x10000) << 16 | generator.below(0x10000);
        let dice = [1 + generator.below(6), 1 + generator.below(6)];
        let more = [generator.below(7), 7, generator.below(7)];
        let coin = generator.below(2) == 0 && generator.below(4) < 3;
        let chosen = match (coin, first > 0x8000) {
            (true, _) => generator.below(10),
            (false, true) => 100 + generator.below(10),
            (false, false) => 200,
        };
        (heads, skipped) = (heads + coin as u32, skipped + u32::from(chosen == 200));
        let nothing = generator.below(0);
        let number = generator.below(1000);
        let wait = 5_000_000 + generator.below(10_000_000);
        let last = 1 + generator.below(1000);
        for (name, number) in [
            ("first", first),
            ("second", second),
            ("coin", coin as u64),
            ("chosen", chosen),
            ("nothing", nothing),
            ("number", number),
            ("wait", wait),
            ("last", last),
            ("random", generator.0),
        ] {
            assert_eq!(cell(&machine, name), &Value::Num(number), "{name}, seed {seed}");
        }
        assert_eq!(cell(&machine, "dice"), &Value::Tuple(dice.map(Value::Num).to_vec()));
        assert_eq!(cell(&machine, "more"), &Value::Tuple(more.map(Value::Num).to_vec()));
    }
    assert!(heads > 0 && heads < 64 && skipped > 0, "{heads} {skipped}");
}

#[test]
fn emitted_code_draws_the_same() {
    let machines = Machines::new(&declared());
    let lockstep = machines.lockstep();
    for seed in 1..=8 {
        let mut tally = Tally::default();
        if let Err(what) = storm(&machines.stack, &lockstep, seed, 150, &mut tally) {
            panic!("{what}");
        }
        assert!(tally.connections >= 3 && tally.counter("draws.outside") == 0, "{tally:?}");
    }
}

#[test]
fn draws_are_read_back() {
    let (_, stack) = declared().compose();
    let text = nacre_stack::print(&stack);
    assert!(text.contains("draws locals ["), "{text}");
    assert_eq!(nacre_stack::print(&nacre_stack::read(&text).expect("reads")), text);
}
