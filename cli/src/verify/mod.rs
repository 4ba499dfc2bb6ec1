//! `nacre verify`: searches for a run that violates a specification.

#[cfg(test)]
mod canonical;
mod configurations;
mod coverage;
mod engines;
#[cfg(test)]
mod library;
mod mutants;
mod on_c;
#[cfg(test)]
mod operators;
mod propose;
mod refusals;
mod report;
mod router;
mod search;
mod unreached;

use nacre_driver::Session;

use crate::args::{Engine, Verify};
use crate::console::{colours, complain, print, say, Exit};
use crate::interrupt::Interrupt;
use crate::output::require_writable;
use crate::program;
pub use configurations::{configuration, make};
use configurations::{subjects, wanted};
pub use nacre_worlds::world::{self, Subject, World};
pub use on_c::on_c;
use refusals::Refusals;

/// Runs `nacre verify`: searches every requested subject with every requested engine.
pub fn verify(args: &Verify) -> Exit {
    let twice = || configurations::set_twice(&args.set).map(|name| format!("--set: `{name}` is set twice"));
    if let Some(words) = router::without_effect(args).or_else(|| engines::without_effect(args)).or_else(twice) {
        complain(&words);
        return Exit::Usage;
    }
    // Reported now rather than after a long search.
    let unwritable = args.trace.iter().chain(&args.svg).find_map(|path| require_writable(path).err());
    if let Some(words) = unwritable {
        complain(&words);
        return Exit::Unknown;
    }
    let session = match program::open(std::slice::from_ref(&args.file)) {
        Ok(session) if is_ambiguous(&session) => return Exit::No,
        Ok(session) => session,
        Err(exit) => return exit,
    };
    if args.engine == Engine::Router {
        return watched().map_or_else(|exit| exit, |interrupt| router::run(args, &session, &interrupt));
    }
    let subjects = match subjects(&session, args) {
        Ok(subjects) => subjects,
        Err(words) => {
            complain(&words);
            return Exit::Usage;
        }
    };
    let interrupt = match watched() {
        Ok(interrupt) => interrupt,
        Err(exit) => return exit,
    };
    if args.propose {
        return propose::run(args, &subjects, &session, &interrupt);
    }
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
            // The other configurations are verified nevertheless.
            Err(refusal) => {
                refusals.add(&session, subject, &configuration, refusal);
                continue;
            }
        };
        let mut reported = vec![];
        if !args.mutants && !args.coverage {
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
    if args.mutants || args.coverage {
        let worlds: Vec<_> = all.into_iter().map(|(subject, world, _)| (subject, world)).collect();
        let run = if args.mutants { mutants::run } else { coverage::run };
        let found = run(args, &worlds, &session, &interrupt);
        return refusals.exit().unwrap_or(found);
    }
    if !args.json && args.set.is_empty() {
        configurations::unconfigured(&session, &subjects).for_each(|name| {
            let file = args.file.display();
            print(&format!("{name} has no configuration: `nacre verify {file} --propose` proposes some"));
        });
    }
    report::end(args, &session, &subjects, &all, &refusals)
}

/// Whether a configuration or a setting is there twice: which one is meant is not known. Prints that.
fn is_ambiguous(session: &Session) -> bool {
    let found = session.program.check_configurations();
    found.iter().for_each(|found| say(&found.render(&session.sources, colours())));
    !found.is_empty()
}

/// Watches for signals, which also end the programs that are run.
fn watched() -> Result<Interrupt, Exit> {
    let interrupt = Interrupt::watch().map_err(|words| {
        complain(&words);
        Exit::Unknown
    })?;
    nacre_process::end_with(interrupt.flag());
    Ok(interrupt)
}

/// Prints the Promela model of a stack in its first configuration.
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
