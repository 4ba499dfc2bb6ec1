//! Mutations of the text of stacks: reading and validating end with a stack or an error, and accepted stacks run and
//! have a valid normal form.

use nacre_stack::interpret::{Addr, Config, Machine, Outcome, SplitMix64, Value};
use nacre_stack::samples::mutations::{replacements, tokens};
use nacre_stack::*;

/// Runs a stack for a few steps, if it is small enough for a test.
fn run(stack: &Stack) {
    let name = |cell: &Cell| format!("{}.{}", stack.layer(cell.layer).name, cell.name);
    let missing = stack.cells.iter().filter(|c| c.is_configured() && c.initial.is_none());
    let config = missing.fold(Config::default(), |config, cell| config.given(&name(cell), stack.zero(&cell.ty)));
    let mut machine = Machine::new(stack, config);
    if machine.open(0) != Outcome::Ok {
        return;
    }
    for (number, event) in stack.interface().into_iter().enumerate() {
        let declared = stack.event(event.event);
        let zeros = declared.parameters.iter().enumerate().filter(|(i, _)| declared.message != Some(*i as u32));
        let zeros: Vec<Value> = zeros.map(|(_, p)| stack.zero(&p.ty)).collect();
        let data = if declared.message.is_some() { &b"some data"[..] } else { b"" };
        if event.input.is_some() && !(stack.is_lower(event.port) && declared.message.is_some()) {
            machine.call(number as u32, &zeros, data, 1);
        }
    }
    for output in machine.take_outputs().into_iter().filter(|o| stack.is_lower(o.port)) {
        if let Some(bytes) = output.bytes {
            machine.enter(output.port, output.session, Addr::default(), &bytes, 2);
        }
    }
    machine.tick(u64::MAX - 1);
    machine.canonical_bytes();
}

/// Whether a mutation is accepted.
fn survives(text: &str) -> bool {
    let Ok(stack) = read(text) else { return false };
    if validate(&stack).is_err() {
        return false;
    }
    assert_eq!(read(&print(&stack)).as_ref(), Ok(&stack), "the text of what was accepted: {text}");
    let normal = normal::normal(&stack);
    assert_eq!(validate(&normal), Ok(()), "the normal form of what was accepted: {text}");
    // Cells of gigabytes are valid, but no test can hold one.
    let large = text.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() > 8 && n.parse() != Ok(samples::FINGERPRINT));
    if !large {
        run(&stack);
        run(&normal);
    }
    true
}

/// All mutations of each token with `NACRE_SOAK`, else one.
#[test]
fn every_token_of_every_graph_can_be_changed() {
    let all = std::env::var_os("NACRE_SOAK").is_some();
    let mut dice = SplitMix64(7);
    for stack in samples::graphs() {
        let text = print(&stack);
        let tokens = tokens(&text);
        let (mut accepted, mut refused) = (0, 0);
        for (from, to) in &tokens {
            let mut replacements = replacements(&text, &text[*from..*to], &tokens, &mut dice);
            if !all {
                replacements = vec![replacements.swap_remove(dice.below(replacements.len() as u64) as usize)];
            }
            for replacement in replacements {
                let mutated = format!("{}{replacement}{}", &text[..*from], &text[*to..]);
                match survives(&mutated) {
                    true => accepted += 1,
                    false => refused += 1,
                }
            }
        }
        assert!(accepted > 20 && refused > 200, "{}: {accepted} accepted, {refused} refused", stack.name);
    }
}

#[test]
fn lines_can_be_missing_or_there_twice() {
    for stack in samples::graphs() {
        let text = print(&stack);
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let without = [&lines[..at], &lines[at + 1..]].concat().join("\n");
            let twice = [&lines[..at + 1], &lines[at..]].concat().join("\n");
            survives(&without);
            survives(&twice);
        }
    }
}
