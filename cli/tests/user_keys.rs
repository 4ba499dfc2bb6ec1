//! `nacre keys`: keys are made once, read by their owner alone, and never replaced unasked.

mod common;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::*;

/// A user's configuration.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("config/nacre").join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = nacre(arguments);
        command.env("XDG_CONFIG_HOME", self.0.path().join("config"));
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        ran(&mut self.command(arguments))
    }
}

fn mode(path: &std::path::Path) -> u32 {
    path.metadata().expect("there").mode() & 0o777
}

#[test]
fn keys_are_made_for_their_owner_alone_and_shown() {
    let home = Home::new();
    let (status, out, err) = home.run(&["keys", "show"]);
    assert!(status == 1 && out.is_empty() && err.contains("`nacre keys new` makes them"), "{err}");
    assert!(!home.0.path().join("config").exists(), "nothing is made to show keys");
    let (status, key, err) = home.run(&["keys", "new"]);
    assert!(status == 0 && err.contains("new keys in"), "{err}");
    assert_eq!((key.trim_end().len(), key.lines().count()), (52, 1), "{key}");
    assert_eq!((mode(&home.path("secret_key")), mode(&home.path(""))), (0o600, 0o700));
    assert_eq!(mode(&home.0.path().join("config")), 0o700);
    assert_eq!(home.run(&["keys", "show"]), (0, key.clone(), String::new()));
    let (status, json, _) = home.run(&["keys", "show", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((status, value["public_key"].as_str()), (0, Some(key.trim_end())));
    let verifying = value["verifying_key"].as_str().expect("an Ed25519 key in hexadecimal");
    assert!(verifying.len() == 64 && verifying.bytes().all(|digit| digit.is_ascii_hexdigit()));
    assert_eq!(value["path"].as_str(), home.path("secret_key").to_str());
    let secret = fs::read_to_string(home.path("secret_key")).expect("there");
    assert!(!key.contains(secret.trim_end()) && !json.contains(secret.trim_end()));
}

#[test]
fn keys_are_replaced_on_request_only() {
    let home = Home::new();
    let key = home.run(&["keys", "new"]).1;
    let (status, out, err) = home.run(&["keys", "new"]);
    assert!(status == 1 && out.is_empty() && err.contains("exists; --force replaces it"), "{err}");
    assert_eq!(home.run(&["keys", "show"]).1, key);
    let (status, other, _) = home.run(&["keys", "new", "--force"]);
    assert_eq!(status, 0);
    assert_ne!(other, key);
    assert_eq!(home.run(&["keys", "show"]).1, other);
    assert_eq!(fs::read_dir(home.path("")).expect("there").count(), 1, "nothing else is left");
}

#[test]
fn one_of_concurrent_runs_makes_the_keys() {
    let home = Home::new();
    let start =
        |_| home.command(&["keys", "new"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let all: Vec<_> = (0..12).map(start).collect();
    let all: Vec<_> = all.into_iter().map(|child| child.wait_with_output().expect("ends")).collect();
    let made: Vec<_> = all.iter().filter(|output| output.status.success()).collect();
    assert_eq!(made.len(), 1);
    assert_eq!(String::from_utf8_lossy(&made[0].stdout), home.run(&["keys", "show"]).1);
    assert!(all.iter().all(|output| output.status.code().is_some_and(|code| code < 2)));
}

#[test]
fn keys_that_others_have_access_to_are_refused() {
    let home = Home::new();
    home.run(&["keys", "new"]);
    let secret = home.path("secret_key");
    for bits in [0o640, 0o644, 0o602] {
        fs::set_permissions(&secret, Permissions::from_mode(bits)).expect("set");
        let (status, out, err) = home.run(&["keys", "show"]);
        assert_eq!((status, out.as_str()), (1, ""));
        let words = format!("other users have access to `{}` (mode {bits:o})", secret.display());
        assert!(err.contains(&words) && err.contains("chmod 600"), "{err}");
    }
    fs::set_permissions(&secret, Permissions::from_mode(0o600)).expect("set");
    fs::set_permissions(home.path(""), Permissions::from_mode(0o777)).expect("set");
    for verb in ["show", "new"] {
        let (status, _, err) = home.run(&["keys", verb]);
        assert!(status == 1 && err.contains("other users can write to") && err.contains("chmod 700"), "{err}");
    }
    fs::set_permissions(home.path(""), Permissions::from_mode(0o700)).expect("set");
    fs::write(&secret, "no key\n").expect("written");
    let (status, _, err) = home.run(&["keys", "show"]);
    assert!(status == 1 && err.contains("has no secret: it has 64 hexadecimal digits"), "{err}");
}

#[test]
fn a_folder_for_keys_is_needed() {
    let home = Home::new();
    let (status, _, err) = ran(nacre(&["keys", "new"]).env_remove("HOME").env("XDG_CONFIG_HOME", "relative"));
    assert!(status == 1 && err.contains("set HOME or XDG_CONFIG_HOME to an absolute path"), "{err}");
    let mut command = nacre(&["keys", "new"]);
    let (status, key, err) = ran(command.env("HOME", home.0.path()).env_remove("XDG_CONFIG_HOME"));
    assert!(status == 0 && home.0.path().join(".config/nacre/secret_key").is_file(), "{key}{err}");
    let (status, _, err) = ran(nacre(&["keys", "new"]).env("XDG_CONFIG_HOME", "/dev/null"));
    assert!(status == 1 && err.contains("cannot create `/dev/null/nacre`"), "{err}");
}

#[test]
fn secret_is_written_once() {
    let home = Home::new();
    let path = home.0.path().join("secret");
    let name = path.to_str().expect("UTF-8");
    let (status, out, err) = home.run(&["keys", "psk", "--output", name]);
    assert!(status == 0 && out.is_empty() && err.contains("new secret in"), "{out}{err}");
    let text = fs::read_to_string(&path).expect("there");
    assert!(text.len() == 65 && text.trim_end().chars().all(|c| c.is_ascii_hexdigit()), "{}", text.len());
    assert_eq!(mode(&path), 0o600);
    let (status, _, err) = home.run(&["keys", "psk", "--output", name]);
    assert!(status == 1 && err.contains("exists; nothing replaces a secret"), "{err}");
    assert_eq!(fs::read_to_string(&path).expect("there"), text);
    assert_ne!(home.run(&["keys", "psk", "-o", &format!("{name}-2")]).0, 1);
    assert_ne!(fs::read_to_string(format!("{name}-2")).expect("there"), text);
}

#[test]
fn peers_are_forgotten_by_name() {
    let home = Home::new();
    let key = home.run(&["keys", "new"]).1;
    let (status, _, err) = home.run(&["keys", "forget", "localhost:7"]);
    assert!(status == 1 && err.contains("localhost:7 is not known"), "{err}");
    fs::write(home.path("known_peers"), format!("# two\nlocalhost:7 {key}127.0.0.1:7 {key}")).expect("written");
    let (status, json, err) = home.run(&["keys", "forget", "localhost:7", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((status, value["public_key"].as_str()), (0, Some(key.trim_end())), "{err}");
    let left = fs::read_to_string(home.path("known_peers")).expect("there");
    assert_eq!(left, format!("# two\n127.0.0.1:7 {key}"));
}
