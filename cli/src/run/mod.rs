//! `nacre run`: files and lines over UDP, through a stack.

mod chat;
mod conclude;
mod doorkeeper;
mod early;
mod failure;
mod framing;
mod incoming;
mod line;
mod names;
mod partial;
mod pending;
mod protection;
mod raw;
mod receive;
mod receiver;
mod report;
mod send;
mod sending;
mod share;
mod source;
mod store;
mod storing;
mod tree;
mod trust;
mod walk;

use failure::{Cause, Failure};
use nacre_runtime::Stack;
use nacre_simulator::toolchain::Toolchain;
use nacre_stack::EventRole;
use names::{printable, shown};
use protection::Protection;

use crate::args::{Net, Run, Transfer};
use crate::console::{self, complain, print_json, Exit};
use crate::interrupt::{EndAtOnce, Interrupt};
use crate::levels::{self, load};
use crate::prove::Proving;
use crate::{build, program};

/// Runs `nacre run`: compiles the stack to C, loads it and transfers data over it. The peer does not learn whether
/// somebody reads the results: the transfer goes on without.
pub fn run(args: &Run) -> Exit {
    console::outlast_output();
    console::outlasted(load_and_transfer(args))
}

fn load_and_transfer(args: &Run) -> Exit {
    let net = match &args.what {
        Transfer::Receive(args) => &args.net,
        Transfer::Send(args) => &args.net,
        Transfer::Chat(args) => &args.net,
    };
    let report = |failure: &Failure, is_encrypted: bool| {
        if net.json {
            print_json(&failure.json(verb(&args.what), is_encrypted));
        }
    };
    let (interrupt, early) = match watch(args, net) {
        Ok(watched) => watched,
        Err(words) => {
            complain(&words);
            report(&words.into(), false);
            return Exit::No;
        }
    };
    let (session, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => {
            let words =
                format!("there is no stack `{}` without errors in {}", args.which.stack, shown(&args.which.file));
            let cause = if exit == Exit::Usage { Cause::Usage } else { Cause::Stack };
            report(&Failure::new(cause, words), false);
            return exit;
        }
    };
    if let Some(words) = takes_more(&stack) {
        complain(&words);
        report(&Failure::new(Cause::Stack, words), false);
        return Exit::No;
    }
    let loaded = Toolchain::find().and_then(|toolchain| {
        let (level, optimized) = build::optimized(&session, &stack, net.level.0, Proving::Nothing);
        load(&session, &optimized, level, &toolchain.optimize("-O2").for_this_processor())
    });
    let stack = match loaded {
        Ok(stack) => stack,
        Err(error) => {
            // The compiler gets signals of the terminal, too.
            early.look();
            complain(&error.to_string());
            report(&Failure::new(Cause::Stack, error.to_string()), false);
            return levels::exit(&error);
        }
    };
    transfer(&args.what, net, &stack, &interrupt, early).unwrap_or_else(|failure| {
        complain(&failure.words);
        report(&failure, stack.is_secure());
        match failure.cause {
            Cause::Usage => Exit::Usage,
            _ => Exit::No,
        }
    })
}

/// Why the messages of a transfer cannot be given to a stack: its sending event takes more than a message.
fn takes_more(stack: &nacre_stack::Stack) -> Option<String> {
    let inputs = stack.interface().into_iter().filter(|at| at.input.is_some()).map(|at| stack.event(at.event));
    let mut sending = inputs.filter(|event| event.role == EventRole::Sending);
    let event = sending.find(|event| event.parameters.len() > 1)?;
    let others = event.parameters.iter().zip(0..).filter(|(_, at)| event.message != Some(*at));
    let others: Vec<String> = others.map(|(parameter, _)| format!("`{}`", parameter.name)).collect();
    let (name, others) = (&event.name, others.join(", "));
    Some(format!("`nacre run` sends messages alone, and `{name}` of this stack takes {others}, too: embed the stack"))
}

/// Prints the object for a command line that is no valid `nacre run`, if it has `--json`. `text`: what is printed for
/// people, whose first paragraph says what is wrong.
pub fn report_usage(text: &str) {
    let arguments: Vec<_> = std::env::args_os().skip(1).take_while(|argument| argument != "--").collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    if arguments.first().is_none_or(|verb| verb != "run") || !has("--json") {
        return;
    }
    let what = ["receive", "send", "chat"].into_iter().find(|verb| has(verb)).unwrap_or("run");
    let words = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = words.trim_start_matches("error: ").split_whitespace().collect();
    print_json(&Failure::new(Cause::Usage, printable(&words.join(" "))).json(what, false));
}

/// Watches for signals. Until the transfer begins, one ends the program at once.
fn watch(args: &Run, net: &Net) -> Result<(Interrupt, EndAtOnce), String> {
    let interrupt = Interrupt::watch()?;
    let prints = net.json && matches!(args.what, Transfer::Send(_));
    let early = interrupt.end_at_once(move || {
        if prints {
            let words = "interrupted before anything was sent";
            print_json(&Failure::new(Cause::Interrupted, words).json("send", false));
        }
    })?;
    Ok((interrupt, early))
}

fn transfer(
    what: &Transfer,
    net: &Net,
    stack: &Stack,
    interrupt: &Interrupt,
    early: EndAtOnce,
) -> Result<Exit, Failure> {
    if let Transfer::Chat(args) = what {
        chat::require_side(args)?;
    }
    let protection = Protection::choose(&net.protection, stack)?;
    match what {
        Transfer::Receive(args) => receive::receive(args, stack, &protection, interrupt, early),
        Transfer::Send(args) => send::send(args, stack, &protection, interrupt, early),
        Transfer::Chat(args) => chat::chat(args, stack, &protection, interrupt, early),
    }
}

fn verb(what: &Transfer) -> &'static str {
    match what {
        Transfer::Receive(_) => "receive",
        Transfer::Send(_) => "send",
        Transfer::Chat(_) => "chat",
    }
}
