//! `nacre verify`: searches for a run that breaks a specification.

mod engines;
#[cfg(test)]
mod library;
mod mutants;
mod on_c;
#[cfg(test)]
mod operators;
mod report;
mod world;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use nacre_checker::explore::{explore, Options, Progress, Searched, Verdict};
use nacre_checker::space::Space;
use nacre_driver::Session;
use nacre_specification::{Configuration, Setting};

use crate::args::{Engine, Verify};
use crate::console::{complain, say, Exit};
use crate::interrupt::Interrupt;
use crate::program;
pub use on_c::on_c;
use world::Refusal;
pub use world::{Subject, World};

pub fn verify(args: &Verify) -> Exit {
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
    nacre_verify::process::end_with(interrupt.flag());
    let (mut all, mut violations) = (vec![], 0);
    for subject in &subjects {
        let configurations = match configurations(&session, subject, args) {
            Ok(configurations) => configurations,
            Err(words) => {
                complain(&words);
                return Exit::Usage;
            }
        };
        for configuration in configurations {
            let world = match world::world(&session, subject, &configuration, args.any_order) {
                Ok(world) => world,
                Err(refusal) => {
                    refused(&session, refusal);
                    return Exit::No;
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
    }
    if args.mutants {
        let worlds: Vec<_> = all.into_iter().map(|(subject, world, _)| (subject, world)).collect();
        return mutants::run(args, &worlds, &session, &interrupt);
    }
    report::end(args, &subjects, &all)
}

fn refused(session: &Session, refusal: Refusal) {
    match refusal {
        Refusal::Words(words) => complain(&words),
        Refusal::Diagnostics(found) => {
            let text: String = found
                .iter()
                .map(|d| nacre_diagnostics::render(d, &session.sources, crate::console::colours()))
                .collect();
            say(&text);
        }
    }
}

/// What the command line names, or all that the file itself declares and that can be verified.
fn subjects(session: &Session, args: &Verify) -> Result<Vec<Subject>, String> {
    let layers = session.layers();
    if let Some(name) = &args.layer {
        let known = layers.iter().any(|l| l.name == *name);
        return match known {
            true => Ok(vec![Subject { name: name.clone(), is_layer: true }]),
            false => Err(format!("there is no layer `{name}`")),
        };
    }
    if let Some(name) = &args.stack {
        return match session.program.stack(name) {
            Some(_) => Ok(vec![Subject { name: name.clone(), is_layer: false }]),
            None => Err(format!("there is no stack `{name}`")),
        };
    }
    let configured: Vec<String> = session.configurations().into_iter().map(|c| c.subject).collect();
    let mut found = vec![];
    let own = |span: nacre_diagnostics::Span| session.sources.path(span.file) == args.file.to_string_lossy();
    for layer in session.program.layers().filter(|l| own(l.name.span)) {
        let subject = Subject { name: layer.name.name.clone(), is_layer: true };
        if world::between(session, &subject, None).below.is_some() || configured.contains(&subject.name) {
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

/// Those of the source for the subject, or one of the command line alone.
fn configurations(session: &Session, subject: &Subject, args: &Verify) -> Result<Vec<Configuration>, String> {
    let mut found: Vec<Configuration> = session.configurations();
    found.retain(|c| c.subject == subject.name);
    if let Some(name) = args.configuration.as_ref().filter(|name| found.iter().all(|c| c.name != **name)) {
        let known: Vec<String> = found.iter().map(|c| format!("`{}`", c.name)).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        return Err(format!("`{}` has no configuration `{name}`; there is {known}", subject.name));
    }
    found.retain(|c| match &args.configuration {
        Some(name) => *name == c.name,
        None => args.all || !c.on_request,
    });
    if found.is_empty() {
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
    Ok(found)
}

fn add(configuration: &mut Configuration, set: &[(Vec<String>, Vec<u64>)]) {
    for (path, values) in set {
        configuration.settings.retain(|s| s.path != *path);
        configuration.settings.push(Setting { path: path.clone(), values: values.clone(), span: Default::default() });
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
        refused(session, refusal);
        Exit::No
    })
}

/// The explorer's search of a world.
fn search(args: &Verify, world: &World, interrupt: &Interrupt, quiet: bool) -> Result<Found, String> {
    let (space, first) = Space::open(&world.setup)?;
    let stop = Arc::new(AtomicBool::new(false));
    let bar = (!quiet).then(crate::progress::Counting::begin);
    let progress = |p: &Progress| {
        if interrupt.came() {
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
    let searched = explore(&space, &first, &options);
    let run = match &searched.verdict {
        Verdict::Violated { run, why } => Some(nacre_checker::run::tell(&world.setup, &space, &first, run, why)),
        _ => None,
    };
    Ok(Found { covered: space.ends.covered(), searched, run })
}

/// What the explorer found.
struct Found {
    pub searched: Searched,
    pub run: Option<nacre_checker::run::Run>,
    pub covered: Vec<bool>,
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
