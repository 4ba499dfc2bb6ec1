//! `nacre build`: a stack as C.

use std::fs;
use std::path::PathBuf;

use nacre_driver::{Emitted, Level, Session, INTERFACE};
use nacre_profiles::{bypassed_by, usually_common, NotSimulated};
use nacre_runtime::{listener_header, listener_source};
use nacre_simulator::toolchain::{Error, Text, Toolchain};
use nacre_stack::{why_no_prefix, GivenRole, Stack};
use serde_json::json;

use crate::args::Build;
use crate::console::{complain, print, print_json, say, Exit};
use crate::output::{install, write};
use crate::profile::Profile;
use crate::program;
use crate::prove::{self, Proving};

/// Base name of the files of the listener.
const LISTENER: &str = "nacre_listener";

/// Runs `nacre build`: writes the header and the source file of a stack into the output folder.
pub fn build(args: &Build) -> Exit {
    let (session, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let name = args.name.as_deref().unwrap_or(&stack.name);
    if let Err(why) = require_prefix(name) {
        complain(&format!("`{name}` cannot be a prefix in C: {why}"));
        return Exit::Usage;
    }
    if let Err(why) = args.with_listener.then(|| require_listener(&stack)).transpose() {
        complain(&why);
        return Exit::No;
    }
    let profile = match args.profile.as_deref().map(Profile::read).transpose() {
        Ok(profile) => profile,
        Err(why) => {
            complain(&why);
            return Exit::No;
        }
    };
    if profile.is_some() && args.level.0 != Level::Bypass {
        complain("--profile orders bypasses: it needs `--level bypass`");
        return Exit::Usage;
    }
    let (level, optimized) = optimized_for(&session, &stack, args.level.0, profile.as_ref(), Proving::Missing);
    let bypasses = optimized.bypasses.len();
    let emitted = session.emit_optimized(optimized, level, args.name.as_deref());
    let object = match args.shared.then(|| compiled(name, &emitted)).transpose() {
        Ok(object) => object,
        Err(why) => {
            complain(&why.to_string());
            return if matches!(why, Error::Missing) { Exit::Unknown } else { Exit::No };
        }
    };
    let mut files = vec![(format!("{name}.h"), emitted.header), (format!("{name}.c"), emitted.source)];
    if args.with_listener {
        files.push((format!("{LISTENER}.h"), listener_header(INTERFACE)));
        files.push((format!("{LISTENER}.c"), listener_source()));
    }
    if let Err(error) = fs::create_dir_all(&args.output) {
        complain(&format!("cannot create the folder `{}`: {error}", args.output.display()));
        return Exit::No;
    }
    let mut written = Vec::new();
    for (file, text) in files {
        let path = args.output.join(file);
        if let Err(words) = write(&path, &text) {
            complain(&words);
            return Exit::No;
        }
        written.push(path.display().to_string());
    }
    if let Some(object) = object {
        let path = args.output.join(format!("{name}.so"));
        if let Err(error) = install(&object, &path, 0o755) {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            return Exit::No;
        }
        written.push(path.display().to_string());
    }
    if args.json {
        let symbol = format!("{name}_stack");
        let level = level.name();
        print_json(&json!({
            "stack": stack.name, "files": written, "symbol": symbol, "level": level, "bypasses": bypasses
        }));
    } else {
        written.iter().for_each(|path| print(&format!("wrote {path}")));
    }
    Exit::Yes
}

/// Requires that a listener in C can run a stack.
///
/// # Errors
/// The message.
fn require_listener(stack: &Stack) -> Result<(), String> {
    if let Some(key) = stack.cells.iter().find(|cell| cell.role.is_some_and(GivenRole::is_key)) {
        let stack = &stack.name;
        return Err(format!(
            "`{stack}` has keys (`{}`), and the listener in C makes no handshakes: use the runtime \
             (docs/runtime.md), or build without --with-listener and give both ends their keys",
            key.name
        ));
    }
    Ok(())
}

/// The shared object of a stack.
fn compiled(name: &str, emitted: &Emitted) -> Result<PathBuf, Error> {
    Toolchain::find()?.optimize("-O2").object(&Text {
        header_name: &format!("{name}.h"),
        header: &emitted.header,
        source: &emitted.source,
        symbol: &format!("{name}_stack"),
    })
}

/// The stack as it is emitted, and at which level: without proved bypasses, level bypass would be slower than inline.
pub fn optimized(session: &Session, stack: &Stack, level: Level, proving: Proving) -> (Level, Stack) {
    optimized_for(session, stack, level, None, proving)
}

/// The same with the bypasses that a profile finds common.
fn optimized_for(
    session: &Session,
    stack: &Stack,
    level: Level,
    profile: Option<&Profile>,
    proving: Proving,
) -> (Level, Stack) {
    let at = |level: Level| {
        let mut optimized = stack.clone();
        nacre_driver::optimize(&mut optimized, level);
        optimized
    };
    if level != Level::Bypass {
        return (level, at(level));
    }
    let chosen = profile.and_then(|profile| profile.choose(stack));
    let mut optimized = chosen.unwrap_or_else(|| usually_bypassed(stack));
    if optimized.bypasses.is_empty() {
        let name = &stack.name;
        let why = "`nacre explain --stage paths` tells why";
        say(&format!("note: no common event of `{name}` has a bypass ({why}), so the level is inline"));
        return (Level::Inline, at(Level::Inline));
    }
    prove::keep_proved(session, stack, &mut optimized, proving);
    if optimized.bypasses.is_empty() {
        say("note: no bypass is left, so the level is inline");
        return (Level::Inline, at(Level::Inline));
    }
    (level, optimized)
}

/// With bypasses of what is usually common; says if the stack breaks a rule of its own.
fn usually_bypassed(stack: &Stack) -> Stack {
    let common = usually_common(stack);
    if let Err(why @ NotSimulated::Broken(_)) = &common {
        say(&format!("note: {why}; bypasses are those of ways that layers mark as likely"));
    }
    bypassed_by(stack, common.as_ref().ok())
}

fn require_prefix(name: &str) -> Result<(), String> {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    if !first || !bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err("expected letters, digits and `_`, beginning with a letter".into());
    }
    why_no_prefix(name).map_or(Ok(()), Err)
}
