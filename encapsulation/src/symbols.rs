//! What a shared object needs, and what it provides.

use std::collections::BTreeSet;
use std::path::Path;

use object::{Object, ObjectSymbol};

/// The symbols of an object file.
#[derive(Debug, Default)]
pub struct Symbols {
    /// What others have to provide; what may be absent is left out.
    pub needs: BTreeSet<String>,
    /// What others can use.
    pub has: BTreeSet<String>,
}

impl Symbols {
    /// Reads them.
    pub fn of(path: &Path) -> Result<Symbols, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
        let file = object::File::parse(&*bytes).map_err(|error| wrong(&error))?;
        let mut symbols = Symbols::default();
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            // Of a versioned symbol such as `memcpy@GLIBC_2.14`, the name alone.
            let name = symbol.name().unwrap_or_default().split('@').next().unwrap_or_default().to_string();
            if name.is_empty() {
                continue;
            }
            if !symbol.is_undefined() {
                symbols.has.insert(name);
            } else if !symbol.is_weak() {
                symbols.needs.insert(name);
            }
        }
        Ok(symbols)
    }
}
