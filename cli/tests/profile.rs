//! `nacre profile`, and `nacre build --profile`.

mod common;

use std::path::Path;

use common::{nacre, ran};
use serde_json::Value;

const FILE: &str = "layers/sequencer/tests.nacre";

fn profiled(folder: &Path, stack: &str, name: &str, more: &[&str]) -> (String, Value) {
    let path = folder.join(name);
    let path = path.to_str().expect("UTF-8").to_string();
    let (status, out, err) = ran(nacre(&["profile", FILE, "--stack", stack, "-o", &path]).args(more));
    assert!(status == 0 && out.is_empty() && err.contains("calls and frames took a bypass"), "{out}{err}");
    let text = std::fs::read_to_string(&path).expect("it is written");
    (path, serde_json::from_str(&text).expect("JSON"))
}

fn built(folder: &Path, more: &[&str]) -> (i32, Value, String) {
    let to = folder.join("c");
    let arguments = ["build", FILE, "--stack", "sequencer_alone", "--json", "-o"];
    let (status, out, err) = ran(nacre(&arguments).arg(&to).args(more));
    (status, serde_json::from_str(&out).unwrap_or_default(), err)
}

#[test]
fn what_is_common_gets_bypasses() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, profile) = profiled(folder.path(), "sequencer_alone", "profile", &["--messages", "500"]);
    let number = |name: &str| profile[name].as_u64().expect("a number");
    assert!(number("steps") >= 2000 && number("bypassed") * 100 >= number("steps") * 98, "{profile}");
    let counts = profile["ways"].as_array().expect("ways").iter().map(|way| way["taken"].as_u64().expect("a count"));
    assert_eq!(counts.clone().sum::<u64>(), number("bypassed"));
    let common = counts.filter(|count| count * 1000 >= number("steps"));
    let (status, json, err) = built(folder.path(), &["--level", "bypass", "--profile", &path]);
    assert!(status == 0 && json["level"] == "bypass", "{json}{err}");
    assert_eq!(json["bypasses"].as_u64(), Some(common.count() as u64), "{err}");
    // Equal runs give equal profiles.
    let (_, again) = profiled(folder.path(), "sequencer_alone", "again", &["--messages", "500"]);
    assert_eq!(profile, again);
}

/// Calls with an empty message are steps, too.
#[test]
fn no_more_steps_take_a_bypass_than_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    for largest in ["0", "1"] {
        let more = ["--messages", "20", "--largest", largest];
        let (_, profile) = profiled(folder.path(), "sequencer_alone", "profile", &more);
        let number = |name: &str| profile[name].as_u64().expect("a number");
        assert!(number("bypassed") <= number("steps") && number("steps") >= 80, "{profile}");
    }
}

#[test]
fn profile_of_another_stack_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, without, _) = built(folder.path(), &["--level", "bypass"]);
    let (path, _) = profiled(folder.path(), "sequencer_twice", "profile", &["--messages", "50"]);
    let (status, json, err) = built(folder.path(), &["--level", "bypass", "--profile", &path]);
    assert!(status == 0 && err.contains("the profile is not of this stack"), "{err}");
    assert_eq!(json["bypasses"], without["bypasses"]);
}

#[test]
fn files_that_are_no_profiles_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("profile");
    for text in [
        "",
        "{}",
        "[1]",
        "{\"format\": 2, \"stack\": \"a\", \"digest\": \"\", \"steps\": -1, \"bypassed\": 0, \"ways\": []}",
    ] {
        std::fs::write(&path, text).expect("written");
        let (status, _, err) = built(folder.path(), &["--level", "bypass", "--profile", path.to_str().expect("UTF-8")]);
        assert!(status == 1 && err.contains("cannot read the profile"), "{text}: {err}");
    }
    let old = "{\"format\": 1, \"stack\": \"a\", \"digest\": \"\", \"steps\": 0, \"bypassed\": 0, \"ways\": []}";
    std::fs::write(&path, old).expect("written");
    let (status, _, err) = built(folder.path(), &["--profile", path.to_str().expect("UTF-8")]);
    assert!(status == 1 && err.contains("format 1"), "{err}");
    let (status, _, err) = built(folder.path(), &["--level", "bypass", "--profile", "/no/such/file"]);
    assert!(status == 1 && err.contains("/no/such/file"), "{err}");
    let nothing = "{\"format\": 2, \"stack\": \"a\", \"digest\": \"\", \"steps\": 0, \"bypassed\": 0, \"ways\": []}";
    std::fs::write(&path, nothing).expect("written");
    let (status, _, err) = built(folder.path(), &["--level", "inline", "--profile", path.to_str().expect("UTF-8")]);
    assert!(status == 2 && err.contains("it needs `--level bypass`"), "{err}");
}

/// Losses, and what repairs them: frames beyond a gap take a bypass, too, and these are proved.
#[test]
fn what_repairs_losses_gets_bypasses() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("profile");
    let profile = path.to_str().expect("UTF-8");
    let of = ["examples/reliable.nacre", "--stack", "reliable_plain"];
    let conditions = ["--loss", "1%", "--delay", "1ms", "-o", profile];
    let (status, _, err) = ran(nacre(&["profile"]).args(of).args(conditions));
    assert!(status == 0 && err.contains("have none: a loop over entries, in `pt2pt."), "{err}");
    let text = std::fs::read_to_string(&path).expect("it is written");
    let measured: Value = serde_json::from_str(&text).expect("JSON");
    let number = |name: &str| measured[name].as_u64().expect("a number");
    assert!(number("bypassed") * 100 >= number("steps") * 90, "{err}");
    let built = ["--level", "bypass", "--profile", profile, "--json", "-o"];
    let (status, out, err) = ran(nacre(&["build"]).args(of).args(built).arg(folder.path()));
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let ways = measured["ways"].as_array().expect("ways").len() as u64;
    assert!(status == 0 && !err.contains("left out"), "{err}");
    assert!(json["bypasses"].as_u64().is_some_and(|count| count >= 8 && count <= ways), "{out}{err}");
}
