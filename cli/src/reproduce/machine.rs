//! The conditions under which figures were measured.

use std::process::Command;

/// The processor, its cores, and the compiler.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.into());
    let version = Command::new("gcc").arg("--version").output().ok();
    let first = version.and_then(|output| String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_string));
    let s = if cores == 1 { "" } else { "s" };
    format!("{processor}, {cores} core{s}, {} -O2", first.unwrap_or_else(|| "gcc".into()))
}
