//! Replays a saved run in the emitted C, also under a debugger.

use std::process::Command;

use nacre_checker::run::Run;
use nacre_driver::{Level, Session};
use nacre_spin::replay;
use nacre_stack::Span;
use nacre_worlds::setup::Setup;

/// Runs a trace at a level; returns the first mismatch. With `gdb`, starts a debugger instead.
pub fn on_c(session: &Session, setup: &Setup, level: Level, run: &Run, gdb: bool) -> Result<Option<String>, String> {
    if !gdb {
        return replay::on_c(setup, level, run);
    }
    let line = |span: Span| {
        let path = std::path::absolute(session.sources.path(span.file)).ok()?;
        (span != Span::default()).then(|| (path.display().to_string(), session.sources.line(span) as u32))
    };
    let files = replay::program(setup, level, run, Some(&line))?;
    let folder = replay::folder()?;
    let binary = replay::build(folder.path(), &files)?;
    let mut gdb = Command::new("gdb");
    gdb.current_dir(folder.path()).args(["-q", "-ex", "break step", "-ex", "run"]).arg(&binary);
    match gdb.status() {
        Ok(_) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err("`gdb` was not found: install it, on Debian and Ubuntu with `apt-get install gdb`".into())
        }
        Err(error) => Err(format!("gdb: {error}")),
    }
}
