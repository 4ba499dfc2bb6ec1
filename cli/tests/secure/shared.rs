//! Secrets that two users share.

use std::fs;

use crate::party::{file, User};

/// A new secret of a user.
fn secret(user: &User, name: &str) -> String {
    let path = user.path(name).display().to_string();
    let (status, _, err) = user.run(&["keys", "psk", "--output", &path]);
    assert_eq!(status, 0, "{err}");
    path
}

#[test]
fn users_with_the_same_secret_need_no_keys() {
    let (alice, bob) = (User::new(), User::new());
    let (file, secret) = (file(&bob, "f", 5000), secret(&alice, "secret"));
    let mut receiver = alice.receiver(&["--psk-file", &secret]);
    receiver.hear("peers need the same secret");
    let (status, out, err) = bob.send(&file, &receiver.address, &["--psk-file", &secret]);
    assert!(status == 0 && out.contains("peer     has the same secret; encrypted"), "{out}{err}");
    receiver.hear("has connected, with the same secret");
    let (status, value, err) = bob.send_json(&file, &receiver.address, &["--psk-file", &secret]);
    assert_eq!((status, value["encrypted"].as_bool(), value["peer_key"].is_null()), (0, Some(true), true), "{err}");
    assert!(!alice.secret_key().exists() && !bob.secret_key().exists() && bob.known_peers().is_empty());
    assert_eq!(alice.received(), ["f", "f-1"]);
}

/// One after the other would take as many times the time after which a sender gives up.
#[test]
fn users_without_the_same_secret_do_not_meet() {
    let (alice, bob) = (User::new(), User::new());
    let (file, [one, other]) = (file(&bob, "f", 100), [secret(&alice, "one"), secret(&bob, "other")]);
    let with_secret: &[&str] = &["--psk-file", &one];
    let cases: [(&[&str], &[&str], &str, &str); 3] = [
        (with_secret, &["--psk-file", &other], "the secret of --psk-file", "it has another secret or none"),
        (with_secret, &[], "has proven to have a key", "it has a secret (--psk-file) instead of keys"),
        (&[], &["--psk-file", &other], "the secret of --psk-file", "it has another secret or none"),
    ];
    std::thread::scope(|scope| {
        for (receives, sends, proof, doubt) in cases {
            let (alice, bob, file) = (&alice, &bob, &file);
            scope.spawn(move || {
                let mut receiver = alice.receiver(receives);
                let (status, value, err) = bob.send_json(file, &receiver.address, sends);
                assert!(status == 1 && err.contains(proof) && err.contains(doubt), "{err}");
                assert_eq!((value["cause"].as_str(), value["encrypted"].as_bool()), (Some("unproven"), Some(true)));
                receiver.hear("a frame was rejected because it is not authentic");
            });
        }
    });
    assert_eq!((alice.received(), bob.known_peers().as_str()), (vec![], ""));
}

#[test]
fn file_that_is_no_secret_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    let (file, path) = (file(&user, "f", 100), secret(&user, "secret"));
    let send = |path: &str| user.send_json(&file, "127.0.0.1:9", &["--psk-file", path]);
    let missing = format!("{path}-2");
    let (status, value, err) = send(&missing);
    assert!(status == 1 && err.contains(&format!("there is no file `{missing}`")), "{err}");
    assert_eq!(value["cause"].as_str(), Some("keys"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
    let (status, value, err) = send(&path);
    assert!(status == 1 && err.contains("other users have access to") && err.contains("(mode 640)"), "{err}");
    assert_eq!(value["cause"].as_str(), Some("keys"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
    fs::write(&path, "correct horse battery staple\n").expect("written");
    let (status, _, err) = send(&path);
    assert!(status == 1 && err.contains("has no secret: it has 64 hexadecimal digits"), "{err}");
}
