//! Aeron, whose driver and client are in Java (`java/AeronPeer.java`).

use std::path::Path;
use std::process::Command;

use crate::end::Result;

/// The key of the peer.
pub const PEER: &str = "aeron";

/// The version of the package io.aeron:aeron-all.
pub const VERSION: &str = "1.44.1";

const SOURCE: &str = include_str!("../java/AeronPeer.java");

fn jar() -> String {
    format!("aeron-all-{VERSION}.jar")
}

/// Gets the library by Maven, and compiles the part that uses it.
pub fn prepare(folder: &Path) -> Result<()> {
    let source = folder.join("AeronPeer.java");
    std::fs::write(&source, SOURCE).map_err(|e| format!("{}: {e}", source.display()))?;
    if !folder.join(jar()).exists() {
        let output = format!("-DoutputDirectory={}", folder.display());
        let artifact = format!("-Dartifact=io.aeron:aeron-all:{VERSION}");
        done(Command::new("mvn").args(["-q", "-B", "dependency:copy", &artifact, &output]))?;
    }
    done(Command::new("javac").arg("-cp").arg(folder.join(jar())).arg("-d").arg(folder).arg(source))
}

fn done(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}", command.get_program().to_string_lossy(), String::from_utf8_lossy(&output.stderr)))
}

/// Runs an end; the arguments follow.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new("java");
    command
        .args(["--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp"])
        .arg(format!("{}:{}", folder.join(jar()).display(), folder.display()))
        .arg("AeronPeer");
    command
}
