//! `nacre run`: files and lines over UDP, through a stack.

mod chat;
mod doorkeeper;
mod failure;
mod framing;
mod line;
mod protection;
mod receive;
mod report;
mod send;
mod share;
mod store;
mod storing;
mod trust;

use failure::{Cause, Failure};
use nacre_runtime::Stack;
use nacre_simulator::toolchain::Toolchain;
use protection::Protection;

use crate::args::{Net, Run, Transfer};
use crate::console::{complain, print_json, Exit};
use crate::levels::{self, load};
use crate::prove::Proving;
use crate::{build, program};

/// Runs `nacre run`: compiles the stack to C, loads it and transfers data over it.
pub fn run(args: &Run) -> Exit {
    let (session, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let net = match &args.what {
        Transfer::Receive(args) => &args.net,
        Transfer::Send(args) => &args.net,
        Transfer::Chat(args) => &args.net,
    };
    let loaded = Toolchain::find().and_then(|toolchain| {
        let (level, optimized) = build::optimized(&session, &stack, net.level.0, Proving::Nothing);
        load(&session, &optimized, level, &toolchain.optimize("-O2").for_this_processor())
    });
    let stack = match loaded {
        Ok(stack) => stack,
        Err(error) => {
            complain(&error.to_string());
            return levels::exit(&error);
        }
    };
    transfer(&args.what, net, &stack).unwrap_or_else(|failure| {
        complain(&failure.words);
        if net.json {
            print_json(&failure.json(verb(&args.what), stack.is_secure()));
        }
        match failure.cause {
            Cause::Usage => Exit::Usage,
            _ => Exit::No,
        }
    })
}

fn transfer(what: &Transfer, net: &Net, stack: &Stack) -> Result<Exit, Failure> {
    if let Transfer::Chat(args) = what {
        chat::require_side(args)?;
    }
    let protection = Protection::choose(&net.protection, stack)?;
    match what {
        Transfer::Receive(args) => receive::receive(args, stack, &protection),
        Transfer::Send(args) => send::send(args, stack, &protection),
        Transfer::Chat(args) => chat::chat(args, stack, &protection),
    }
}

fn verb(what: &Transfer) -> &'static str {
    match what {
        Transfer::Receive(_) => "receive",
        Transfer::Send(_) => "send",
        Transfer::Chat(_) => "chat",
    }
}
