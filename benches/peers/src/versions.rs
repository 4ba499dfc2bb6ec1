//! Versions of the peers, and the machine.

use std::process::Command;

use crate::java;

extern "C" {
    fn enet_linked_version() -> u32;
    fn zmq_version(major: *mut i32, minor: *mut i32, patch: *mut i32);
}

/// The lock file of this program.
const LOCK: &str = include_str!("../Cargo.lock");

/// The version of a crate.
fn locked(name: &str) -> String {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let found = LOCK.split(&entry[..]).nth(1).and_then(|rest| rest.split('"').next());
    found.unwrap_or("unknown").to_string()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default()
}

/// The version of a peer.
pub fn of(peer: &str) -> String {
    match peer {
        "quinn" => locked("quinn"),
        "kcp" => locked("kcp"),
        "aeron" => java::VERSION.into(),
        "enet" => {
            // SAFETY: it has no preconditions.
            let version = unsafe { enet_linked_version() };
            format!("{}.{}.{}", version >> 16 & 255, version >> 8 & 255, version & 255)
        }
        "zeromq" => {
            let [mut major, mut minor, mut patch] = [0; 3];
            // SAFETY: it writes three numbers.
            unsafe { zmq_version(&raw mut major, &raw mut minor, &raw mut patch) };
            format!("{major}.{minor}.{patch}")
        }
        nacre if nacre.starts_with("nacre-") => env!("CARGO_PKG_VERSION").into(),
        _ => "of the kernel".into(),
    }
}

fn commit() -> String {
    output("git", &["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "--short", "HEAD"])
}

/// The machine, its software and this project, as text for the document.
pub fn machine() -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let control = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap_or_default();
    format!(
        "commit {}, Linux {}, {processors} processors ({}), gcc {}, default congestion control of TCP `{}`",
        commit(),
        output("uname", &["-r"]),
        model.trim_start_matches([' ', '\t', ':']),
        output("gcc", &["-dumpfullversion"]),
        control.trim(),
    )
}
