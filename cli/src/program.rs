//! Opens sources and composes their stacks.

use std::path::PathBuf;

use nacre_diagnostics::suggestion;
use nacre_driver::Session;
use nacre_stack::Stack;

use crate::args::common::Which;
use crate::console::{colours, complain, say, Exit};

/// Parses files; prints their errors.
pub fn open(files: &[PathBuf]) -> Result<Session, Exit> {
    let session = Session::open(files);
    if session.has_errors() {
        tell(&session);
        return Err(Exit::No);
    }
    Ok(session)
}

/// Composes one stack; prints its errors.
pub fn stack(which: &Which) -> Result<(Session, Stack), Exit> {
    let mut session = open(std::slice::from_ref(&which.file))?;
    require_stack(&session, &which.stack).map_err(|words| {
        complain(&words);
        Exit::Usage
    })?;
    let stack = session.stack(&which.stack);
    tell(&session);
    match stack {
        Some(stack) if !session.has_errors() => Ok((session, stack)),
        _ => Err(Exit::No),
    }
}

/// Requires that the sources declare a stack.
///
/// # Errors
/// The message for an unknown stack, with the name that was probably meant.
pub fn require_stack(session: &Session, name: &str) -> Result<(), String> {
    let known: Vec<&str> = session.program.stacks().map(|s| s.name.name.as_str()).collect();
    match known.contains(&name) {
        true => Ok(()),
        false => Err(format!("there is no stack `{name}`; {}", suggestion(name, &known))),
    }
}

/// Prints all diagnostics.
pub fn tell(session: &Session) {
    let text = session.render(colours());
    if !text.is_empty() {
        say(&text);
    }
}
