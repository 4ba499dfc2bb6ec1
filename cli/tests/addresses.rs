//! A host with several addresses, of which one has a receiver.

mod common;
#[path = "secure/party.rs"]
mod party;
#[path = "secure/plain.rs"]
mod plain;

use std::fs;
use std::process::{Command, Output};

use party::{Receiver, User};

/// Mounts a file over `/etc/hosts`, for one program; the program runs only if both addresses are found.
const MOUNT: &str = "mount --bind \"$0\" /etc/hosts || exit 99
    [ \"$(getent ahosts two.test | grep -c STREAM)\" = 2 ] || exit 99
    exec \"$@\"";

/// Runs a program for which `two.test` has two addresses. None: this system does not allow it.
fn with_two_addresses(user: &User, command: &Command) -> Option<Output> {
    let hosts = user.path("hosts");
    fs::write(&hosts, "::1 two.test\n127.0.0.1 two.test\n").expect("written");
    let mut inside = Command::new("unshare");
    inside.args(["--map-root-user", "--mount", "sh", "-c", MOUNT]).arg(hosts);
    inside.arg(command.get_program()).args(command.get_args()).current_dir(common::root());
    for (name, value) in command.get_envs() {
        inside.env(name, value.unwrap_or_default());
    }
    let output = inside.output().ok()?;
    let is_refused = output.stdout.is_empty() && matches!(output.status.code(), Some(99 | 1) | None);
    let err = String::from_utf8_lossy(&output.stderr);
    if is_refused && !err.contains("sending to") {
        eprintln!("skipped: two addresses of a host need a mount namespace: {err}");
        return None;
    }
    Some(output)
}

#[test]
fn each_address_of_a_host_is_tried() {
    for listen in ["127.0.0.1:0", "[::1]:0"] {
        let (alice, bob) = (User::new(), User::new());
        let out = format!("{}/", alice.path("received").display());
        let receiver = Receiver::start(alice.plain("receive", &["--listen", listen, "--out", &out]));
        let to = format!("two.test:{}", receiver.address.rsplit(':').next().expect("a port"));
        let file = party::file(&bob, "f", 1000);
        let send = bob.plain("send", &["--json", "--to", &to, "--file", file.to_str().expect("UTF-8")]);
        let Some(output) = with_two_addresses(&bob, &send) else { return };
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let object: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out}{err}"));
        assert_eq!((object["ok"].as_bool(), object["peer"].as_str()), (Some(true), Some(&*receiver.address)), "{err}");
        assert_eq!(alice.received(), ["f"]);
    }
}
