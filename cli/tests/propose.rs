//! `nacre verify --propose` proposes configurations that hold, execute the code, and can be pasted into the file.

mod common;

use std::path::{Path, PathBuf};

use common::{golden, nacre, ran, root};
use serde_json::Value;

const SOURCES: &str = "cli/tests/sources/propose";

/// The library in a folder of its own, in which files can be changed.
struct Copy {
    folder: tempfile::TempDir,
}

impl Copy {
    fn new() -> Copy {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&root().join("layers"), &folder.path().join("layers"));
        Copy { folder }
    }

    /// The file of a layer, without its configurations.
    fn stripped(&self, layer: &str) -> PathBuf {
        let file = self.folder.path().join(format!("layers/{layer}/{layer}.nacre"));
        let text = std::fs::read_to_string(&file).expect("readable");
        std::fs::write(&file, without_configurations(&text)).expect("writable");
        file
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("readable").flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).expect("writable")),
        }
    }
}

/// The text without its configurations and their comments, which are at its end.
fn without_configurations(text: &str) -> String {
    let mut lines: Vec<&str> = vec![];
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("configuration ") {
            while lines.last().is_some_and(|l| l.starts_with("///")) {
                lines.pop();
            }
            inside = true;
        }
        if !inside {
            lines.push(line);
        }
        inside &= !line.ends_with('}');
    }
    lines.join("\n") + "\n"
}

/// A command on a file: its status, its output and its messages.
fn verify(file: &Path, options: &[&str]) -> (i32, String, String) {
    let path = file.display().to_string();
    let arguments: Vec<&str> = ["verify", &path].into_iter().chain(options.iter().copied()).collect();
    ran(&mut nacre(&arguments))
}

fn json(file: &Path, options: &[&str]) -> Value {
    let (_, out, err) = verify(file, options);
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{}: {e}: {out}{err}", file.display()))
}

/// The executed lines of a layer.
fn lines(file: &Path, layer: &str) -> usize {
    let found = json(file, &["--coverage", "--json", "--layer", layer]);
    let lines = found[0]["lines"].as_array().expect("lines");
    lines.iter().filter(|line| line["executed"] == true).count()
}

/// Proposes configurations for a layer of the library without its own, and appends them to its file. Returns the file,
/// and the lines that its own configurations execute.
fn proposed(copy: &Copy, layer: &str, options: &[&str]) -> (PathBuf, usize) {
    let stated = lines(&root().join(format!("layers/{layer}/{layer}.nacre")), layer);
    let file = copy.stripped(layer);
    let (status, source, told) = verify(&file, &[&["--propose", "--layer", layer], options].concat());
    assert!(status == 0 || status == 1, "{layer}: {told}");
    println!("{layer}: {source}\n{told}");
    // What violates the layer comes last.
    let source = source.split("\n/// ").filter(|one| !one.contains("configuration violated")).collect::<Vec<_>>();
    let text = std::fs::read_to_string(&file).expect("readable");
    std::fs::write(&file, format!("{}\n\n{}", text.trim_end(), source.join("\n/// ").trim_start())).expect("writable");
    (file, stated)
}

/// The proposals are in the standard layout, hold, and execute at least as many lines as those of the layer.
fn execute_as_much(layer: &str) {
    let copy = Copy::new();
    let (file, stated) = proposed(&copy, layer, &[]);
    let (status, out, err) = ran(&mut nacre(&["fmt", "--check", &file.display().to_string()]));
    assert_eq!(status, 0, "{out}{err}");
    let (status, out, err) = verify(&file, &["--layer", layer]);
    assert!(status == 0 || status == 3 && out.contains("no run executed"), "{layer}: {out}{err}");
    assert!(!out.contains("VIOLATED") && !out.contains("limit of"), "{layer}: {out}");
    let executed = lines(&file, layer);
    assert!(executed >= stated, "{layer}: the proposals execute {executed} lines, its configurations {stated}");
}

/// Of all mutants of a layer, the share in percent that the proposals detect.
fn detected(layer: &str) -> u64 {
    let copy = Copy::new();
    let (file, _) = proposed(&copy, layer, &[]);
    let found = json(&file, &["--mutants", "--json", "--layer", layer]);
    let number = |key: &str| found[0][key].as_u64().expect("a number");
    println!("{layer}: {} of {} mutants", number("found"), number("all"));
    number("found") * 100 / number("all")
}

#[test]
fn proposals_for_small_layers_execute_what_their_own_configurations_do() {
    ["sequencer", "checksum", "credit"].into_iter().for_each(execute_as_much);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn proposals_for_all_layers_execute_what_their_own_configurations_do() {
    let mut layers: Vec<String> = std::fs::read_dir(root().join("layers"))
        .expect("the library")
        .flatten()
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    layers.sort();
    layers.iter().for_each(|layer| execute_as_much(layer));
}

#[test]
fn proposals_detect_most_mutants() {
    // In `credit`, mutants of what refuses a sum of grants beyond 65,535 need calls with large numbers: none are proposed.
    for (layer, least) in [("sequencer", 75), ("credit", 85)] {
        let share = detected(layer);
        assert!(share >= least, "{layer}: {share} %");
    }
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn proposals_for_all_layers_detect_most_mutants() {
    for (layer, least) in [("checksum", 80), ("crc32c", 80), ("frag", 70), ("floor", 60), ("pt2pt", 60)] {
        let share = detected(layer);
        assert!(share >= least, "{layer}: {share} %");
    }
}

#[test]
fn proposals_are_the_same_each_time() {
    let file = root().join(SOURCES).join("window.nacre");
    let (status, out, err) = verify(&file, &["--propose"]);
    assert_eq!(status, 0, "{out}{err}");
    golden("propose-window.txt", &format!("{out}\n{err}"));
}

#[test]
fn configurations_of_the_file_are_not_proposed_again() {
    let file = root().join("layers/sequencer/sequencer.nacre");
    let found = json(&file, &["--propose", "--json"]);
    let executes = |one: &Value| one["lines"].as_u64().expect("a number");
    let all = found[0]["proposals"].as_array().expect("proposals");
    assert!(all.iter().all(|one| executes(one) == 0), "{found}");
    // The mutants that its own configurations detect count as detected.
    let mutants = &found[0]["mutants"];
    assert!(mutants["all"].as_u64() > Some(10) && mutants["found"] == mutants["all"], "{mutants}");
}

#[test]
fn violation_of_what_a_layer_states_is_shown_with_its_run() {
    let (status, out, err) = verify(&root().join(SOURCES).join("wrong.nacre"), &["--propose"]);
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("configuration violated for hasty {"), "{out}");
    assert!(out.contains("  VIOLATED: `grant_sends` at a is not allowed") && out.contains("▼ close()"), "{out}");
}

#[test]
fn what_has_no_world_has_no_proposals() {
    let (status, out, err) = verify(&root().join(SOURCES).join("alone.nacre"), &["--propose"]);
    assert_eq!((status, out.as_str()), (3, ""));
    assert!(err.contains("no configuration for `alone`: no automaton"), "{err}");
}

#[test]
fn file_without_layers_and_stacks_has_no_proposals() {
    let (status, out, err) = verify(&root().join("layers/interfaces.nacre"), &["--propose"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("the file declares no layer and no stack"), "{err}");
}

#[test]
fn options_of_a_search_are_refused() {
    let file = root().join(SOURCES).join("window.nacre");
    for option in [&["--engine", "spin"][..], &["--set", "N=2"], &["--configuration", "small"], &["--coverage"]] {
        let (status, out, err) = verify(&file, &[&["--propose"], option].concat());
        assert_eq!((status, out.as_str()), (2, ""), "{option:?}");
        assert!(err.contains("--propose"), "{option:?}: {err}");
    }
}

#[test]
fn layer_without_a_configuration_is_said_to_have_none() {
    let (_, out, _) = verify(&root().join(SOURCES).join("window.nacre"), &[]);
    assert!(
        out.contains("window has no configuration: `nacre verify ") && out.contains(" --propose` proposes"),
        "{out}"
    );
}
