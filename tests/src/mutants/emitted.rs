//! Bugs in the back end: it receives a different stack from the interpreter, or its C is changed.

use nacre_driver::Level;
use nacre_simulator::lockstep::Lockstep;
use nacre_stack::visit::{rewrite_stack, ChangeStatements};
use nacre_stack::{Stack, Statement, StatementKind};

use super::Fate;
use crate::library::find;
use crate::machines::Machines;
use crate::storm::{storm, Tally};

/// The number of events within which a bug must be detected.
const EVENTS: u64 = 6000;

/// The mistake of the back end.
pub enum Wrong {
    /// Changes its stack; false: there is nothing of this kind to change.
    Stack(fn(&mut Stack) -> bool),
    /// Replaces the first occurrence of a text in the C of level `queue`; `@` stands for the stack's name.
    Text(&'static str, &'static str),
}

pub struct Bug {
    pub name: &'static str,
    pub wrong: Wrong,
}

/// Compares the interpreter of `reliable` with C that has the bug.
pub fn fate(bug: &Bug) -> Fate {
    let machines = Machines::new(&find("reliable"));
    let mut text = machines.text(Level::Queue);
    match &bug.wrong {
        Wrong::Stack(change) => {
            // After the passes, which validate their input and output.
            let mut stack = (*machines.stack).clone();
            nacre_driver::optimize(&mut stack, Level::Queue);
            if !change(&mut stack) {
                return Fate { name: bug.name, found: Err("the stack has nothing of the kind any more".into()) };
            }
            nacre_stack::number(&mut stack);
            text = nacre_backend_c::write(&stack, Level::Queue, &|_| None);
        }
        Wrong::Text(from, to) => {
            let [from, to] = [from, to].map(|text| text.replace('@', &machines.stack.name));
            if !text.source.contains(&from) {
                return Fate { name: bug.name, found: Err(format!("the C has no `{from}` any more")) };
            }
            text.source = text.source.replacen(&from, &to, 1);
        }
    }
    let maker = match machines.compile(&text) {
        Ok(maker) => maker,
        Err(words) => return Fate { name: bug.name, found: Ok(("the C compiler", words)) },
    };
    let lockstep = Lockstep { makers: vec![machines.interpreter(), maker] };
    let ran = storm(&machines.stack, &lockstep, 9, EVENTS, &mut Tally::default());
    let found = ran.err().map(|words| ("the differential", words)).ok_or_else(|| "nothing found it".to_string());
    Fate { name: bug.name, found }
}

/// Returns a difference without a bug.
pub fn sound() -> Option<String> {
    let machines = Machines::new(&find("reliable"));
    let lockstep = Lockstep { makers: vec![machines.interpreter(), machines.emitted(Level::Queue)] };
    storm(&machines.stack, &lockstep, 9, EVENTS, &mut Tally::default()).err()
}

/// Changes one statement of the stack: the first for which `change` returns true.
pub fn edit(stack: &mut Stack, change: &mut dyn FnMut(&mut StatementKind) -> bool) -> bool {
    let mut done = false;
    let mut first = ChangeStatements(|s: &mut Statement| done = done || change(&mut s.kind));
    rewrite_stack(&mut first, stack);
    done
}

/// Removes the `number`th statement of a kind.
pub fn forget(stack: &mut Stack, mut number: u32, kind: fn(&StatementKind) -> bool) -> bool {
    edit(stack, &mut |statement| {
        if !kind(statement) {
            return false;
        }
        if number > 0 {
            number -= 1;
            return false;
        }
        *statement = StatementKind::Loop { bound: 1, body: vec![StatementKind::Break.into()] };
        true
    })
}
