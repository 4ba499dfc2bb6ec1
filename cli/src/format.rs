//! `nacre fmt`: formats files in the standard layout.

use std::path::Path;

use nacre_diagnostics::{Diagnostic, Sources};
use nacre_driver::files::read_text;
use nacre_driver::library::is_of_library;

use crate::args::Fmt;
use crate::console::{colours, complain, print, say, Exit};
use crate::output::replace;

/// Runs `nacre fmt`. A file that cannot be formatted is reported, and the others are formatted nevertheless.
pub fn format(args: &Fmt) -> Exit {
    let (mut exit, mut lines) = (Exit::Yes, vec![]);
    for file in &args.files {
        match formatted(file) {
            Ok((old, new)) if old == new => {}
            Ok(_) if args.check => {
                lines.push(format!("would change {}", file.display()));
                exit = Exit::No;
            }
            Ok((_, new)) => match replace(file, &new) {
                Ok(()) => lines.push(format!("changed {}", file.display())),
                Err(error) => {
                    complain(&format!("{}: {error}", file.display()));
                    exit = Exit::No;
                }
            },
            Err(words) => {
                say(&words);
                exit = Exit::No;
            }
        }
    }
    // At the end: a reader that goes away leaves no file behind that is not formatted.
    if !lines.is_empty() {
        print(&lines.join("\n"));
    }
    exit
}

/// Returns the text of a file, and its formatted text.
fn formatted(file: &Path) -> Result<(String, String), String> {
    if is_of_library(file) {
        return Err(format!("error: `{}` is a file of the library, which cannot be changed", file.display()));
    }
    let old = read_text(file).map_err(|why| format!("error: cannot read `{}`: {why}", file.display()))?;
    match nacre_syntax::format(&old) {
        Ok(new) => Ok((old, new)),
        Err(found) => {
            let mut sources = Sources::new();
            sources.add(file.display().to_string(), old);
            Err(render(&found, &sources))
        }
    }
}

fn render(found: &[Diagnostic], sources: &Sources) -> String {
    found.iter().map(|diagnostic| diagnostic.render(sources, colours())).collect()
}
