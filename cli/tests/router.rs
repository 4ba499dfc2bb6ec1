//! `nacre verify --engine router`: stacks of the library hold, mistakes in a layer are found, shown and repeated, and
//! what cannot run on hosts is refused with a reason.

mod common;

use common::{nacre, ran, with_mistake, RELIABLE};
use serde_json::Value;

/// The result for a file in the checkout.
fn router(file: &str, more: &[&str]) -> (i32, String, String) {
    ran(nacre(&["verify", file, "--engine", "router"]).args(more))
}

#[test]
fn reliable_stacks_of_the_library_hold() {
    let (status, out, err) = router(RELIABLE, &["--set", "choices=2", "--set", "runs=200"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let verdict = "  holds in every run of up to 2 choices; no violation in 200 random runs of 24 choices\n";
    assert_eq!(out.matches(verdict).count(), 2, "both stacks of the file: {out}");
    assert_eq!(out.matches("    messages: all arrive, none twice, in order, as they were sent\n").count(), 2, "{out}");
    assert!(out.ends_with("\nholds within these bounds\n"), "{out}");
    let figures = |out: &str| out.lines().filter(|line| line.contains(" datagrams, ")).count();
    assert_eq!(figures(&out), 2, "{out}");
}

/// Clients that move and restart before they have heard of the connection that their proof has begun, too.
#[test]
fn reliable_stacks_hold_where_every_peer_proves_its_address() {
    let (status, out, err) = router(RELIABLE, &["--set", "proofs=1", "--set", "choices=2", "--set", "runs=1000"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains(", proofs = 1\n") && out.ends_with("\nholds within these bounds\n"), "{out}");
}

#[test]
fn a_mistake_in_a_layer_is_found_shown_and_repeated() {
    let folder = with_mistake("router", "floor", "if wrong || stranger || another {", "if wrong || stranger {");
    let small = ["--stack", "reliable_plain", "--set", "pt2pt.W=4"];
    let run = |more: &[&str]| {
        let all = [&["verify", RELIABLE, "--engine", "router"], &small[..], more].concat();
        ran(nacre(&all).current_dir(&folder))
    };
    let (status, out, _) = run(&[]);
    assert_eq!(status, 1, "{out}");
    let violated = "  VIOLATED: connection 3 of b delivers a message that was meant for another connection\n";
    assert!(out.contains(violated), "{out}");
    for drawn in ["✖ crashes, and starts again │", "▶ send message 0 (6 bytes) on connection 1 ", " Identified{to="]
    {
        assert!(out.contains(drawn), "{drawn}: {out}");
    }
    assert!(out.contains("\nshrunk from ") && out.ends_with("\nviolated\n"), "{out}");
    // The printed command shows the same run; without one of its choices, or without the mistake, there is none.
    let again = out.lines().find_map(|line| line.strip_prefix("again: nacre ")).expect("a command");
    let words: Vec<&str> = again.split(' ').collect();
    let chart = |out: &str| out.lines().filter(|line| line.contains(" ms  ")).map(str::to_string).collect::<Vec<_>>();
    let (status, repeated, _) = ran(nacre(&words).current_dir(&folder));
    assert_eq!((status, chart(&repeated)), (1, chart(&out)), "{repeated}");
    assert_eq!(ran(&mut nacre(&words)).0, 3);
    let (choices, seed) = (words[words.len() - 1], words[words.len() - 3]);
    let fewer = choices.rsplit_once(',').expect("several").0;
    let (status, _, _) = run(&["--set", seed, "--choices", fewer]);
    assert_eq!(status, 3);
    let (status, out, _) = run(&["--json", "--set", seed, "--choices", choices]);
    let verdicts: Value = serde_json::from_str(&out).expect("JSON");
    let engine = &verdicts["verdicts"][0]["engines"][0];
    assert_eq!((status, &engine["verdict"]), (1, &"violated".into()), "{out}");
    let listed: Vec<&str> =
        engine["run"]["choices"].as_array().expect("a list").iter().flat_map(Value::as_str).collect();
    assert_eq!(listed.join(","), choices);
}

#[test]
fn verdicts_claim_no_more_than_was_run() {
    let small = ["--stack", "reliable_plain", "--set", "runs=20"];
    let (status, out, _) = router(RELIABLE, &[&small[..], &["--set", "choices=0"]].concat());
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("  no violation found, but only random runs were made\n"), "{out}");
    let (status, out, _) = router(RELIABLE, &[&small[..], &["--choices", "send-a0,crash-b,deliver-0"]].concat());
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("  1 runs, 3 choices, 1 crashes") && out.contains("but only this run was made\n"), "{out}");
    let (status, out, _) = router(RELIABLE, &[&small[..], &["--set", "send=0,0", "--set", "choices=1"]].concat());
    assert_eq!((status, out.contains("holds in every run")), (0, true), "the last message is delivered: {out}");
    let (status, out, _) = router(RELIABLE, &[&small[..], &["--seconds", "0"]].concat());
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("  no violation found, but the time limit was reached\n"), "{out}");
    // What a stack does not promise is not asked of it.
    let (status, out, _) = router("layers/lose/tests.nacre", &["--stack", "lose_half", "--set", "choices=1"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("    messages: as they were sent\n"), "{out}");
}

/// A stack that closes without having heard the peer: the first frame of a closed connection arrives after that of the
/// next, and ends it at neither end.
#[test]
fn connections_that_were_closed_unheard_replace_no_later_ones() {
    let (status, out, _) = router("layers/lose/tests.nacre", &["--stack", "lose_half", "--set", "seed=77"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("  holds in every run of up to 3 choices; no violation in 2000 random runs"), "{out}");
}

#[test]
fn equal_seeds_make_equal_runs() {
    let small = ["--stack", "reliable_plain", "--json", "--set", "choices=1", "--set", "runs=30"];
    let figures = |seed: &str| {
        let (_, out, _) = router(RELIABLE, &[&small[..], &["--set", seed]].concat());
        let mut verdicts: Value = serde_json::from_str(&out).expect("JSON");
        let engine = &mut verdicts["verdicts"][0]["engines"][0];
        engine["seconds"] = Value::Null;
        assert_eq!((&engine["engine"], &engine["verdict"]), (&"router".into(), &"holds".into()), "{out}");
        engine.to_string()
    };
    assert_eq!(figures("seed=5"), figures("seed=5"));
    assert_ne!(figures("seed=5"), figures("seed=6"));
}

#[test]
fn subjects_that_no_host_can_run_are_refused() {
    let (status, out, err) = router("layers/pt2pt/pt2pt.nacre", &["--layer", "pt2pt"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("hosts run whole stacks: name one with the layer `pt2pt` by `--stack`"), "{err}");
    let (status, _, err) = router("layers/pt2pt/pt2pt.nacre", &[]);
    assert_eq!(status, 2);
    assert!(err.contains("hosts run whole stacks, and the file declares none"), "{err}");
    let (status, out, err) = router("layers/stacks.nacre", &["--stack", "conversation"]);
    assert_eq!((status, out.as_str()), (3, "nothing was verified\n"));
    assert!(err.contains("conversation: it does not identify connections"), "{err}");
    let (status, _, err) = router(RELIABLE, &["--stack", "reliabel"]);
    assert_eq!(status, 2);
    assert!(err.contains("there is no stack `reliabel`; did you mean `reliable`"), "{err}");
    let mut without = nacre(&["verify", RELIABLE, "--stack", "reliable", "--engine", "router"]);
    let (status, _, err) = ran(without.env("PATH", "/nowhere"));
    assert_eq!((status, err.matches("error: ").count()), (3, 1), "{err}");
    assert!(err.contains("no C compiler was found"), "{err}");
}

#[test]
fn options_that_say_nothing_here_are_errors() {
    for (options, words) in [
        (&["--set", "crash=1"][..], "`--engine router` has no setting `crash`; known are: "),
        (&["--set", "choices=99"], "--set: `choices` is a number from 0 to 12"),
        (&["--set", "send=1"], "--set: `send` has two values"),
        (&["--set", "pt2pt.W=2,3", "--stack", "reliable"], "--set: `pt2pt.W` has one value here"),
        (&["--choices", "crash-c"], "`crash-c` is no choice"),
        (&["--choices", "time"], "`--choices` is a run of one stack: name it by `--stack`"),
        (&["--states", "5"], "`--states` has no effect here"),
        (&["--configuration", "one_way"], "`--configuration` has no effect with `--engine router`"),
        (&["--svg", "run.svg"], "`--svg` has no effect with `--engine router`"),
        (&["--mutants"], "`--mutants` runs only the explorer"),
    ] {
        let (status, out, err) = router(RELIABLE, options);
        assert_eq!((status, out.as_str()), (2, ""), "{options:?}: {err}");
        assert!(err.contains(words), "{options:?}: {err}");
    }
    let (status, _, err) = router(RELIABLE, &["--stack", "reliable", "--set", "floop.W=2"]);
    assert_eq!((status, err.contains("has no layer `floop`")), (2, true), "{err}");
    let (status, _, err) = ran(&mut nacre(&["verify", RELIABLE, "--choices", "time"]));
    assert_eq!(status, 2);
    assert!(err.contains("`--choices` has no effect here: it is an option of `--engine router`"), "{err}");
}
