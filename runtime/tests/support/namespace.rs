//! Tests in network namespaces of their own: interfaces and queues that a test may spoil.

use std::process::{Command, Output};

/// Set in the process that runs the test within its namespace.
const INSIDE: &str = "NACRE_TEST_NAMESPACE";

/// Runs a test of this program again, alone, in a new network namespace that `setup`, a shell script, has prepared;
/// returns false there, and true afterwards outside. The namespace ends with its processes.
///
/// # Panics
/// If the test fails there, or if namespaces are not available: as root, by `sudo` without a password, or to any user.
pub fn outside(test: &str, setup: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return false;
    }
    let program = std::env::current_exe().expect("the path of this program");
    let script = format!("set -e; {setup}; exec timeout 300 \"$0\" --include-ignored --exact {test} --nocapture");
    let ran = |prefix: &[&str]| -> Output {
        let (first, rest) = prefix.split_first().expect("a program");
        let mut command = Command::new(first);
        command.args(rest).args(["env", &format!("{INSIDE}=1"), "sh", "-c", &script]).arg(&program);
        command.output().unwrap_or_else(|error| panic!("cannot start {first}: {error}"))
    };
    let ways =
        [&["unshare", "--net"][..], &["unshare", "--net", "--map-root-user"], &["sudo", "-n", "unshare", "--net"]];
    let works = |way: &&&[&str]| {
        Command::new(way[0])
            .args(&way[1..])
            .args(["ip", "link", "set", "lo", "up"])
            .output()
            .is_ok_and(|o| o.status.success())
    };
    let way =
        ways.iter().find(works).expect("network namespaces, for which `unshare`, `ip`, and root or sudo are needed");
    let output = ran(way);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{}\n{out}\n{err}", output.status);
    print!("{err}");
    true
}
