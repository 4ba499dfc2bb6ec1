//! Mutated stacks: mutations of the text of every graph that the validator accepts, in C of every level compared with
//! the interpreter.

#[path = "live/differential.rs"]
mod differential;
mod live;

use nacre_stack::interpret::SplitMix64;
use nacre_stack::samples::mutations;
use nacre_stack::{normal, print, read, samples, validate, Stack};

/// Returns a mutation that is a valid stack, and small enough for a test.
fn mutation(text: &str, tokens: &[(usize, usize)], dice: &mut SplitMix64) -> Option<(Stack, String)> {
    let (from, to) = tokens[dice.below(tokens.len() as u64) as usize];
    let mut found = mutations::replacements(text, &text[from..to], tokens, dice);
    let replacement = found.swap_remove(dice.below(found.len() as u64) as usize);
    let changed = format!("`{}` at {from} becomes `{replacement}`", &text[from..to]);
    let stack = read(&format!("{}{replacement}{}", &text[..from], &text[to..])).ok()?;
    let is_stack = validate(&stack).is_ok() && nacre_analysis::linear::check(&normal::normal(&stack)).is_empty();
    (is_stack && replacement.len() < 9).then_some((stack, changed))
}

#[test]
fn c_equals_the_interpreter_on_mutations_of_every_graph() {
    let soaks = std::env::var_os("NACRE_SOAK").is_some();
    let (count, steps) = if soaks { (400, 1000) } else { (4, 300) };
    for stack in samples::graphs() {
        let text = print(&stack);
        // `compose` computes the bounds: only the interpreter reports bounds that are too small.
        let bounds = text.find("bounds ").expect("a line of bounds");
        let line = bounds..bounds + text[bounds..].find('\n').expect("its end");
        let tokens: Vec<_> = mutations::tokens(&text).into_iter().filter(|(from, _)| !line.contains(from)).collect();
        let mut dice = SplitMix64(tokens.len() as u64 + count as u64);
        for _ in 0..count {
            let (mutant, changed) = (0..10_000)
                .find_map(|_| mutation(&text, &tokens, &mut dice).filter(|(mutant, _)| *mutant != stack))
                .expect("a mutation that is a stack");
            println!("{}: {changed}", stack.name);
            // A mutated value may be compared with itself, or be unused.
            differential::run(&mutant, &["-O0", "-w", "-Dalways_inline=unused"], 0..2, steps);
        }
    }
}
