//! `nacre replay`: replays a saved run in the interpreter, and in the emitted C of any level.

use nacre_checker::draw::{self, Words};
use nacre_checker::explore::UNMET;
use nacre_checker::run::follow;
use nacre_checker::show::arguments;
use nacre_checker::space::Space;
use nacre_driver::Session;
use nacre_simulator::decode::decode_of_either;

use crate::args::Replay;
use crate::console::{complain, print, Exit};
use crate::interrupt::Interrupt;
use crate::levels::EmittedLevel;
use crate::program;
use crate::trace::Trace;
use crate::verify::{self, Subject, World};

/// Runs `nacre replay`: repeats a saved run and compares each engine's steps with it.
pub fn replay(args: &Replay) -> Exit {
    let mut trace = match Trace::read(&args.trace) {
        Ok(trace) => trace,
        Err(words) => {
            complain(&words);
            return Exit::No;
        }
    };
    let file = args.file.clone().unwrap_or_else(|| trace.file.clone());
    let session = match program::open(std::slice::from_ref(&file)) {
        Ok(session) => session,
        Err(exit) => return exit,
    };
    if !is_declared(&session, &trace) {
        return fail(args, &format!("{} declares no `{}`", file.display(), trace.subject));
    }
    let world = match world(&session, &trace) {
        Ok(world) => world,
        Err(exit) => return exit,
    };
    let outcome = Space::open(&world.setup).and_then(|(space, first)| {
        let broke = follow(&world.setup, &space, &first, &trace.run)?;
        Ok((broke, space.goal_names()))
    });
    let (broke, goals) = match outcome {
        Ok(followed) => followed,
        Err(words) => {
            return fail(args, &format!("the run cannot be repeated ({words}): the source has changed since"))
        }
    };
    let stacks: Vec<_> = world.setup.members().all().map(|end| &**world.setup.stack_of(end)).collect();
    let words = Words {
        frame: &|bytes| decode_of_either(&stacks, bytes),
        arguments: &|event, numbers| arguments(world.setup.stack(), event, numbers),
        details: !args.brief,
    };
    // A run to a state from which a goal is unreachable shows no violation itself. SPIN names the goal first.
    let named = trace.run.why.strip_prefix(UNMET).unwrap_or(&trace.run.why);
    let unmet = goals.iter().any(|goal| named.starts_with(goal.as_str()));
    let saved = trace.run.why.clone();
    if !unmet || broke.is_some() {
        trace.run.why = broke.unwrap_or_else(|| "nothing is violated".into());
    }
    print(&draw::text(&trace.run, &words));
    print(&format!("interpreter: {} steps, the same outputs at each", trace.run.steps.len()));
    let is_same = trace.run.why == saved;
    if !is_same {
        print(&format!("but what was saved is: {saved}. The source or the saved run has changed since"));
    } else if unmet {
        print("whether the goal can still be met from here is not searched again: `nacre verify` does");
    }
    let interrupt = match Interrupt::watch() {
        Ok(interrupt) => interrupt,
        Err(words) => return fail(args, &words),
    };
    nacre_process::end_with(interrupt.flag());
    for EmittedLevel(level) in &args.level {
        let done = verify::on_c(&session, &world.setup, *level, &trace.run, args.gdb);
        if interrupt.came() && !args.gdb {
            return interrupt.exit();
        }
        match done {
            Ok(None) => print(&format!("C at level {}: the same outputs at each step", level.name())),
            Ok(Some(differs)) => {
                print(&format!("C at level {}: {differs}", level.name()));
                return Exit::No;
            }
            Err(words) => return fail(args, &words),
        }
    }
    match is_same {
        true => Exit::Yes,
        false => Exit::Unknown,
    }
}

fn fail(args: &Replay, words: &str) -> Exit {
    complain(&format!("{}: {words}", args.trace.display()));
    Exit::Unknown
}

fn is_declared(session: &Session, trace: &Trace) -> bool {
    match trace.layer {
        true => session.program.layers().any(|layer| layer.name.name == trace.subject),
        false => session.program.stack(&trace.subject).is_some(),
    }
}

fn world(session: &Session, trace: &Trace) -> Result<World, Exit> {
    let subject = Subject { name: trace.subject.clone(), is_layer: trace.layer };
    let configuration = verify::configuration(session, &subject, &trace.configuration, &trace.settings());
    verify::make(session, &subject, &configuration, trace.any_order)
}
