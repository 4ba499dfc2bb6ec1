//! The explorer's search of a world, with the options of the command line.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use nacre_checker::coverage::undrawn;
use nacre_checker::explore::{explore, Options, Progress, Searched, Verdict};
use nacre_checker::space::Space;
use nacre_specification::violation::Violation;
use nacre_stack::interpret::Covered;
use nacre_stack::Span;
use nacre_worlds::world::World;

use crate::args::{Engine, Verify};
use crate::interrupt::Interrupt;

/// Runs the explorer on a world.
pub fn search(args: &Verify, world: &World, interrupt: &Interrupt, quiet: bool) -> Result<Found, String> {
    return_large_blocks();
    let (space, first) = Space::open(&world.setup)?;
    let stop = Arc::new(AtomicBool::new(false));
    let bar = (!quiet).then(crate::progress::Counting::begin);
    let is_over = |p: &Progress| args.seconds.is_some_and(|limit| p.time.as_secs() >= limit);
    let progress = |p: &Progress| {
        if interrupt.came() || is_over(p) {
            stop.store(true, Ordering::Relaxed);
        }
        if let Some(bar) = &bar {
            let rate = p.states as f64 / p.time.as_secs_f64().max(0.001);
            bar.show(&format!("{} states, depth {}, {:.0} states/s, {} MiB", p.states, p.depth, rate, p.memory >> 20));
        }
    };
    let all = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = args.threads.map_or(all, usize::from);
    let options = Options {
        threads,
        states: args.states.unwrap_or(usize::MAX),
        memory: (args.memory as usize) << 20,
        bits: args.bits.map(|mib| (mib as usize) << 20),
        goals: has_goals(world),
        stop: &stop,
        progress: &progress,
    };
    let mut searched = explore(&space, &first, &options);
    if let (Verdict::Incomplete(why), Some(limit)) = (&mut searched.verdict, args.seconds) {
        if stop.load(Ordering::Relaxed) && !interrupt.came() {
            *why = format!("the limit of {limit} s was reached");
        }
    }
    let has_clock = !world.setup.bounds.trip.is_empty();
    let undrawn = undrawn(world.setup.stack(), &space.endpoints.partial(), has_clock);
    if !undrawn.is_empty() {
        searched.verdict = without(searched.verdict);
    }
    let run = match &searched.verdict {
        Verdict::Violated { run, why, .. } => {
            Some(nacre_checker::run::describe(&world.setup, &space, &first, run, why))
        }
        _ => None,
    };
    Ok(Found { covered: space.endpoints.covered(), undrawn, searched, run })
}

/// The verdict of a search in which not every random value was tried: one of the others may violate the specification,
/// or lead to a goal.
fn without(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Complete => Verdict::Incomplete("random values were left out".into()),
        Verdict::Violated { violation: Violation::Goal, why, .. } => {
            Verdict::Incomplete(format!("{why}, as far as values were tried"))
        }
        other => other,
    }
}

/// Large blocks are mapped one by one, so that they grow without a copy, and a table that has grown is returned to the
/// system. By default the C library raises the size of these blocks each time one is freed, up to 32 MiB: a search on
/// two threads then takes a quarter more memory.
fn return_large_blocks() {
    // SAFETY: sets a number of the allocator, under its lock.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10);
    }
}

/// The result of the explorer.
pub struct Found {
    /// The verdict and the statistics.
    pub searched: Searched,
    /// The run to the violation.
    pub run: Option<nacre_checker::run::Run>,
    /// The executed code.
    pub covered: Covered,
    /// The random draws of which not every relevant value was tried.
    pub undrawn: Vec<Span>,
}

/// Whether goals are checked: limited timers need not fire again, and nothing follows a violated assertion.
pub fn has_goals(world: &World) -> bool {
    !world.setup.bounds.detects && world.setup.bounds.limits.iter().all(|(name, _)| name != "timers")
}

/// Returns the requested engines.
pub fn engines(args: &Verify) -> Vec<Engine> {
    match args.engine {
        Engine::All => vec![Engine::Explorer, Engine::Spin, Engine::SpinC],
        one => vec![one],
    }
}
