//! One message of a world may be empty, in every engine.

mod common;

use common::{nacre, ran};

/// The layer that repeats messages without data, with more options.
fn verified(more: &[&str]) -> (i32, String, String) {
    ran(nacre(&["verify", "cli/tests/sources/worlds/empty.nacre", "--brief"]).args(more))
}

#[test]
fn one_message_may_be_empty() {
    for engine in ["explorer", "spin", "spin-c"] {
        let (status, out, err) = verified(&["--engine", engine]);
        assert_eq!(status, 1, "{engine}: {out}{err}");
        assert!(out.contains("    messages of 1 byte; the first one may be empty\n"), "{engine}: {out}");
    }
    let (status, out, err) = verified(&["--set", "size=1"]);
    assert!(status == 3 && !out.contains("VIOLATED"), "{out}{err}");
    let (status, out, err) = verified(&["--set", "size=0"]);
    assert!(status == 3 && err.contains("only one message can be empty, because two would be equal"), "{out}{err}");
    let (status, out, err) = verified(&["--set", "size=0", "--set", "send=0,1"]);
    assert!(status == 1 && out.contains("    one empty message\n"), "{out}{err}");
}

#[test]
fn engines_agree_on_an_empty_message() {
    let options = ["--set", "size=0,1", "--engine", "all"];
    let (status, out, err) = ran(nacre(&["verify", "layers/check_fifo/check_fifo.nacre"]).args(options));
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("holds in this configuration").count(), 7, "{out}");
}
