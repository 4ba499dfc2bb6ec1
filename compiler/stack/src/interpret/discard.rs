//! The end of a machine: secrets are erased.

use std::sync::Arc;

use super::machine::Machine;
use super::value::{Addr, Value};

impl Machine {
    /// Ends the connection: secrets are erased, and further calls are invalid. Clones keep theirs.
    pub fn discard(&mut self) {
        self.opened = false;
        let stack = self.stack.clone();
        let config = Arc::make_mut(&mut self.config);
        for (cell, value) in stack.cells.iter().zip(&mut self.state.cells).filter(|(cell, _)| cell.secret) {
            erase(value);
            let name = format!("{}.{}", stack.layer(cell.layer).name, cell.name);
            config.givens.get_mut(&name).into_iter().for_each(erase);
        }
    }
}

/// Overwrites all that a value consists of.
fn erase(value: &mut Value) {
    match value {
        Value::Num(n) | Value::Timer(n) => *n = 0,
        Value::Set(words) => words.fill(0),
        Value::Bytes(bytes) => bytes.fill(0),
        Value::Addr(address) => *address = Addr::default(),
        Value::Option(inner) => inner.iter_mut().for_each(|inner| erase(inner)),
        Value::Tuple(parts) => parts.iter_mut().for_each(erase),
        Value::Row(row) => row.iter_mut().for_each(erase),
        Value::Window(window) => window.entries.iter_mut().flatten().for_each(erase),
        Value::Pool(slots) => slots.iter_mut().flatten().for_each(erase),
        Value::Map(slots) => {
            slots.iter_mut().flatten().for_each(|(key, entry)| [key, entry].into_iter().for_each(erase))
        }
        Value::Msg(_) | Value::Gone => {}
    }
}
