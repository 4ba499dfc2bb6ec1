//! `nacre verify`: searches for a run that breaks a specification.

mod engines;
#[cfg(test)]
mod library;
mod mutants;
mod on_c;
#[cfg(test)]
mod operators;
mod refusals;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use nacre_checker::coverage::undrawn;
use nacre_checker::explore::{explore, Options, Progress, Searched, Verdict};
use nacre_checker::space::Space;
use nacre_diagnostics::suggestion;
use nacre_driver::Session;
use nacre_specification::{Configuration, Setting};
use nacre_stack::interpret::Covered;
use nacre_stack::Span;

use crate::args::{Engine, Verify};
use crate::console::{complain, Exit};
use crate::interrupt::Interrupt;
use crate::output::require_writable;
use crate::program;
pub use nacre_worlds::world::{self, Subject, World};
pub use on_c::on_c;
use refusals::Refusals;

pub fn verify(args: &Verify) -> Exit {
    // Reported now rather than after a long search.
    for path in args.trace.iter().chain(&args.svg) {
        if let Err(words) = require_writable(path) {
            complain(&words);
            return Exit::Unknown;
        }
    }
    let session = match program::open(std::slice::from_ref(&args.file)) {
        Ok(session) => session,
        Err(exit) => return exit,
    };
    let subjects = match subjects(&session, args) {
        Ok(subjects) => subjects,
        Err(words) => {
            complain(&words);
            return Exit::Usage;
        }
    };
    let interrupt = match Interrupt::watch() {
        Ok(interrupt) => interrupt,
        Err(words) => {
            complain(&words);
            return Exit::Unknown;
        }
    };
    nacre_process::end_with(interrupt.flag());
    let configured = match wanted(&session, &subjects, args) {
        Ok(configured) => configured,
        Err(words) => {
            complain(&words);
            return Exit::Usage;
        }
    };
    let (mut all, mut violations, mut refusals) = (vec![], 0, Refusals::default());
    for (subject, configuration) in configured {
        let world = match world::world(&session, subject, &configuration, args.any_order) {
            Ok(world) => world,
            // The others are verified all the same.
            Err(refusal) => {
                refusals.add(&session, subject, &configuration, refusal);
                continue;
            }
        };
        let mut reported = vec![];
        if !args.mutants {
            reported = engines::run(args, &world, &session, &interrupt);
            reported.iter().for_each(|one| report::show(args, subject, &world, one, &mut violations));
            if let Some(words) = engines::differ(&reported) {
                complain(&words);
                return Exit::Unknown;
            }
        }
        if interrupt.came() {
            return interrupt.exit();
        }
        all.push((subject, world, reported));
    }
    if args.mutants {
        let worlds: Vec<_> = all.into_iter().map(|(subject, world, _)| (subject, world)).collect();
        let found = mutants::run(args, &worlds, &session, &interrupt);
        return refusals.exit().unwrap_or(found);
    }
    report::end(args, &subjects, &all, &refusals)
}

/// What the command line names, or all that the file itself declares and that can be verified.
fn subjects(session: &Session, args: &Verify) -> Result<Vec<Subject>, String> {
    let layers = session.layers();
    if let Some(name) = &args.layer {
        let known: Vec<&str> = layers.iter().map(|l| l.name.as_str()).collect();
        return match known.contains(&name.as_str()) {
            true => Ok(vec![Subject { name: name.clone(), is_layer: true }]),
            false => Err(format!("there is no layer `{name}`; {}", suggestion(name, &known))),
        };
    }
    if let Some(name) = &args.stack {
        program::require_stack(session, name)?;
        return Ok(vec![Subject { name: name.clone(), is_layer: false }]);
    }
    let configured: Vec<String> = session.configurations().into_iter().map(|c| c.subject).collect();
    let mut found = vec![];
    let own = |span: nacre_diagnostics::Span| session.sources.path(span.file) == args.file.to_string_lossy();
    for layer in session.program.layers().filter(|l| own(l.name.span)) {
        let subject = Subject { name: layer.name.name.clone(), is_layer: true };
        if session.network(&subject.name, None).is_some() || configured.contains(&subject.name) {
            found.push(subject);
        }
    }
    for stack in session.program.stacks().filter(|s| own(s.name.span) && configured.contains(&s.name.name)) {
        found.push(Subject { name: stack.name.name.clone(), is_layer: false });
    }
    if found.is_empty() {
        return Err("the file declares no layer that requires an automaton, and no stack with a configuration; name one by --layer or --stack".into());
    }
    Ok(found)
}

/// The subjects with their configurations. Of a configuration that is named, some subjects may have none; all, not.
fn wanted<'s>(
    session: &Session,
    subjects: &'s [Subject],
    args: &Verify,
) -> Result<Vec<(&'s Subject, Configuration)>, String> {
    let declared = session.configurations();
    let mine = |c: &&Configuration| subjects.iter().any(|s| s.name == c.subject);
    let names: Vec<&str> = declared.iter().filter(mine).map(|c| c.name.as_str()).collect();
    if let Some(name) = args.configuration.as_deref().filter(|name| !names.contains(name)) {
        let whose: Vec<String> = subjects.iter().map(|s| format!("`{}`", s.name)).collect();
        let whose = whose.join(", ");
        return Err(format!("there is no configuration `{name}` for {whose}; {}", suggestion(name, &names)));
    }
    let of = |subject: &'s Subject| {
        configurations(&declared, subject, args).into_iter().map(move |configuration| (subject, configuration))
    };
    Ok(subjects.iter().flat_map(of).collect())
}

/// Those of the source for the subject, or one of the command line alone.
fn configurations(declared: &[Configuration], subject: &Subject, args: &Verify) -> Vec<Configuration> {
    let mut found: Vec<Configuration> = declared.iter().filter(|c| c.subject == subject.name).cloned().collect();
    found.retain(|c| match &args.configuration {
        Some(name) => *name == c.name,
        None => args.all || !c.on_request,
    });
    if found.is_empty() && args.configuration.is_none() {
        found.push(Configuration {
            name: "default".into(),
            subject: subject.name.clone(),
            over: None,
            on_request: false,
            settings: vec![],
            span: Default::default(),
        });
    }
    found.iter_mut().for_each(|configuration| add(configuration, &args.set));
    found
}

fn add(configuration: &mut Configuration, set: &[(Vec<String>, Vec<u64>)]) {
    for (path, values) in set {
        configuration.settings.retain(|s| s.path != *path);
        let (path, values) = (path.clone(), values.clone());
        configuration.settings.push(Setting { path, values, names: vec![], span: Default::default() });
    }
}

/// One configuration by its name, with settings besides.
pub fn configuration(
    session: &Session,
    subject: &Subject,
    name: &str,
    set: &[(Vec<String>, Vec<u64>)],
) -> Configuration {
    let found = session.configurations().into_iter().find(|c| c.subject == subject.name && c.name == name);
    let none = || Configuration {
        name: name.into(),
        subject: subject.name.clone(),
        over: None,
        on_request: false,
        settings: vec![],
        span: Default::default(),
    };
    let mut configuration = found.unwrap_or_else(none);
    add(&mut configuration, set);
    configuration
}

/// A subject in a configuration; why there is none is told.
pub fn make(
    session: &Session,
    subject: &Subject,
    configuration: &Configuration,
    any_order: bool,
) -> Result<World, Exit> {
    world::world(session, subject, configuration, any_order).map_err(|refusal| {
        let mut refusals = Refusals::default();
        refusals.add(session, subject, configuration, refusal);
        refusals.exit().unwrap_or(Exit::No)
    })
}

/// Prints the model of a stack in its first configuration, as SPIN reads it.
pub fn show_model(session: &Session, stack: &str) -> Exit {
    let subject = Subject { name: stack.into(), is_layer: false };
    let first = session.configurations().into_iter().find(|c| c.subject == stack).map(|c| c.name);
    let configuration = configuration(session, &subject, first.as_deref().unwrap_or("default"), &[]);
    let world = match make(session, &subject, &configuration, false) {
        Ok(world) => world,
        Err(exit) => return exit,
    };
    match nacre_spin::model::printed(&world.setup) {
        Ok(text) => {
            crate::console::print(&text);
            Exit::Yes
        }
        Err(why) => {
            complain(&format!("no model of `{stack}`: {why}"));
            Exit::Unknown
        }
    }
}

/// The explorer's search of a world.
fn search(args: &Verify, world: &World, interrupt: &Interrupt, quiet: bool) -> Result<Found, String> {
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
    let run = match &searched.verdict {
        Verdict::Violated { run, why, .. } => Some(nacre_checker::run::tell(&world.setup, &space, &first, run, why)),
        _ => None,
    };
    let undrawn = undrawn(&world.setup.stack, &space.endpoints.partial());
    Ok(Found { covered: space.endpoints.covered(), undrawn, searched, run })
}

/// What the explorer found.
struct Found {
    pub searched: Searched,
    pub run: Option<nacre_checker::run::Run>,
    pub covered: Covered,
    /// Where random numbers are drawn of which not every value that matters was tried.
    pub undrawn: Vec<Span>,
}

/// Where timers are limited, nothing need ever happen again.
fn has_goals(world: &World) -> bool {
    world.setup.bounds.limits.iter().all(|(name, _)| name != "timers")
}

/// Which engines are wanted.
fn engines(args: &Verify) -> Vec<Engine> {
    match args.engine {
        Engine::All => vec![Engine::Explorer, Engine::Spin, Engine::SpinC],
        one => vec![one],
    }
}
