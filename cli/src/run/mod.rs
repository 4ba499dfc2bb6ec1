//! `nacre run`: files and lines over UDP, through a stack.

mod chat;
mod framing;
mod line;
mod receive;
mod report;
mod send;
mod store;

use nacre_simulator::toolchain::Toolchain;

use crate::args::{Run, Transfer};
use crate::console::{complain, Exit};
use crate::levels::{self, load};
use crate::program;

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
    let loaded =
        Toolchain::find().and_then(|toolchain| load(&session, &stack, net.level.0, &toolchain.optimize("-O2")));
    let stack = match loaded {
        Ok(stack) => stack,
        Err(error) => {
            complain(&error.to_string());
            return levels::exit(&error);
        }
    };
    let done = match &args.what {
        Transfer::Receive(args) => receive::receive(args, &stack),
        Transfer::Send(args) => send::send(args, &stack),
        Transfer::Chat(args) => chat::chat(args, &stack),
    };
    match done {
        Ok(exit) => exit,
        Err(words) => {
            complain(&words);
            Exit::No
        }
    }
}
