//! Searches worlds of the handshake model: `cargo run --release -p nacre-handshakes -- [--wide] [WORLD [FLAW]]`.

use nacre_handshakes::chart::chart;
use nacre_handshakes::flaw::{Flaw, FLAWS};
use nacre_handshakes::search::{search, Outcome};
use nacre_handshakes::world::World;
use nacre_handshakes::worlds::{named, wide_worlds, worlds};
use std::io::{self, Write};
use std::process::ExitCode;

/// The limit of states of a search.
const LIMIT: usize = 20_000_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let all = match arguments[..] {
        [] => worlds(),
        ["--wide"] => wide_worlds(),
        ["--flaws"] => FLAWS.iter().filter_map(|(flaw, world, _)| flawed(world, *flaw)).collect(),
        [world] => named(world).into_iter().collect(),
        [world, flaw] => Flaw::named(flaw).and_then(|flaw| flawed(world, flaw)).into_iter().collect(),
        _ => vec![],
    };
    if all.is_empty() {
        eprintln!("usage: nacre-handshakes [--wide | --flaws | WORLD [FLAW]]");
        return ExitCode::from(2);
    }
    let mut is_violated = false;
    for world in &all {
        match report(world, &mut std::io::stdout().lock()) {
            Ok(holds) => is_violated |= !holds,
            // Nobody reads any more.
            Err(_) => return ExitCode::from(2),
        }
    }
    ExitCode::from(u8::from(is_violated))
}

fn flawed(world: &str, flaw: Flaw) -> Option<World> {
    named(world).map(|world| World { flaw: Some(flaw), ..world })
}

/// Searches a world and prints the outcome; returns whether nothing is violated.
fn report(world: &World, out: &mut impl Write) -> io::Result<bool> {
    let before = std::time::Instant::now();
    let outcome = search(world, LIMIT);
    let flaw = world.flaw.map_or(String::new(), |flaw| format!(" with {flaw:?}"));
    writeln!(out, "{}{flaw}: {}", world.name, world.about)?;
    let Outcome { states, moves, depth, is_complete, .. } = outcome;
    let seconds = before.elapsed().as_secs_f64();
    writeln!(out, "  {states} states, {moves} moves, depth {depth}, {seconds:.2} s")?;
    for (frame, [sent, delivered, forged]) in &outcome.frames {
        writeln!(out, "  {frame}: {sent} sent, {delivered} delivered, {forged} forged")?;
    }
    let Some((violation, run)) = &outcome.violation else {
        writeln!(
            out,
            "  {}\n",
            if is_complete { "holds" } else { "no violation found, but the search is not complete" }
        )?;
        return Ok(true);
    };
    writeln!(out, "  VIOLATED: {:?}: {}\n\n{}", violation.property, violation.how, chart(world, run))?;
    Ok(false)
}
