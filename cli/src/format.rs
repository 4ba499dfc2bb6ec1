//! `nacre fmt`: formats files in the standard layout.

use std::fs;
use std::path::Path;

use nacre_diagnostics::{Diagnostic, Sources};
use nacre_driver::files::read_text;

use crate::args::Fmt;
use crate::console::{colours, complain, print, say, Exit};

pub fn format(args: &Fmt) -> Exit {
    let mut exit = Exit::Yes;
    for file in &args.files {
        match formatted(file) {
            Ok((old, new)) if old == new => {}
            Ok(_) if args.check => {
                print(&format!("would change {}", file.display()));
                exit = Exit::No;
            }
            Ok((_, new)) => match replace(file, &new) {
                Ok(()) => print(&format!("changed {}", file.display())),
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
    exit
}

/// Returns the text of a file, and its formatted text.
fn formatted(file: &Path) -> Result<(String, String), String> {
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

/// Writes a temporary file and renames it, so that a full disk loses nothing.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = file.as_os_str().to_os_string();
    beside.push(".new");
    fs::write(&beside, text)?;
    fs::set_permissions(&beside, fs::metadata(file)?.permissions())?;
    fs::rename(&beside, file)
}
