//! `nacre verify` and `nacre replay`, as a user runs them.

mod common;

use std::path::{Path, PathBuf};

use common::{golden, nacre, ran, root};

const NO_BIT: &str = "cli/tests/sources/no_bit.nacre";
const ORDER: &str = "cli/tests/sources/any_order.nacre";
const CREDIT: &str = "layers/credit/credit.nacre";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("verify-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Removes what differs between machines: seconds and values derived from them.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.find(", depth ") {
        Some(at) if line.contains(" states, ") => {
            let end = line[at + 8..].find(',').map_or(line.len(), |comma| at + 8 + comma);
            line[..end].to_string()
        }
        _ => line.to_string(),
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

#[test]
fn verdict_names_its_configuration() {
    let (status, out, err) = ran(&mut nacre(&["verify", CREDIT]));
    assert_eq!((status, err.as_str()), (0, ""));
    golden("verify-credit.txt", &steady(&out));
}

#[test]
fn violation_is_drawn_with_handlers_lines_and_states() {
    let (status, out, _) = ran(&mut nacre(&["verify", NO_BIT, "--threads", "1"]));
    assert_eq!(status, 1);
    golden("verify-violated.txt", &steady(&out));
}

#[test]
fn saved_run_runs_again_in_the_interpreter_and_in_c() {
    let folder = folder("saved");
    let (trace, picture) = (folder.join("run.json"), folder.join("run.svg"));
    let (trace, picture) = (trace.to_str().unwrap(), picture.to_str().unwrap());
    let (status, ..) = ran(&mut nacre(&["verify", NO_BIT, "--trace", trace, "--svg", picture]));
    assert_eq!(status, 1);

    let levels = ["--level", "queue", "--level", "call", "--level", "inline"];
    let (status, out, err) = ran(nacre(&["replay", trace, "--brief"]).args(levels));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("interpreter: 4 steps, the same outputs at each"), "{out}");
    for level in ["queue", "call", "inline"] {
        assert!(out.contains(&format!("C at level {level}: the same outputs at each step")), "{out}");
    }

    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    for said in ["alternating_bit, configuration small", "deliver(0x81)", "no_bit.nacre:33:9", "Data{bit=false} 0x81"] {
        assert!(svg.contains(said), "{said} is in the picture");
    }
}

/// A mended specification is not said to be violated still; nor is a run that was cut short.
#[test]
fn replay_says_only_what_is_violated_now() {
    const SOURCE: &str = "import \"nacre/interfaces.nacre\";
        worker w {
            requires lossy_network;
            state { x: u8 }
            PROMISE
            down send(m) { x += 1; pass m; }
        }
        configuration c for w { send = (2, 0); }";
    let folder = folder("mended");
    let (file, trace) = (folder.join("w.nacre"), folder.join("run.json"));
    let write = |promise: &str| std::fs::write(&file, SOURCE.replace("PROMISE", promise)).unwrap();
    let (file, trace) = (file.to_str().unwrap(), trace.to_str().unwrap());
    let replayed = || ran(&mut nacre(&["replay", trace, "--brief"]));
    for (wrong, mended) in [
        ("invariant x < 2;", &["", "invariant x < 200;"][..]),
        ("goal at_rest = x == 0;", &["", "goal other = x == 0;"][..]),
    ] {
        write(wrong);
        let (status, out, err) = ran(&mut nacre(&["verify", file, "--trace", trace]));
        assert_eq!(status, 1, "{out}{err}");
        assert_eq!(replayed().0, 0, "{wrong}");
        for promise in mended {
            write(promise);
            let (status, out, _) = replayed();
            let now = out.split("but what was saved is: ").next().unwrap_or_default();
            assert!(status == 3 && now.contains("nothing is violated") && !now.contains("goal"), "{promise}: {out}");
        }
    }
    write("invariant x < 2;");
    assert_eq!(ran(&mut nacre(&["verify", file, "--trace", trace])).0, 1);
    let mut saved: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(trace).unwrap()).unwrap();
    saved["run"]["steps"].as_array_mut().unwrap().pop();
    std::fs::write(trace, saved.to_string()).unwrap();
    let (status, out, _) = replayed();
    assert!(status == 3 && out.contains("nothing is violated"), "{out}");
    std::fs::write(file, "import \"nacre/interfaces.nacre\";").unwrap();
    let (status, _, err) = replayed();
    assert!(status == 3 && err.contains("declares no `w`"), "{status}: {err}");
}

#[test]
fn run_that_spin_finds_is_drawn_saved_and_run_again() {
    let folder = folder("spin");
    let trace = folder.join("run.json");
    let trace = trace.to_str().unwrap();
    let (status, out, err) = ran(&mut nacre(&["verify", NO_BIT, "--engine", "spin", "--trace", trace]));
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.contains("is not allowed by `fifo_network` here") && out.contains("no_bit.nacre:33:9"), "{out}");
    let (status, out, err) = ran(&mut nacre(&["replay", trace, "--brief", "--level", "inline"]));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("C at level inline: the same outputs at each step"), "{out}");
}

/// SPIN searches for it with an LTL formula.
#[test]
fn run_that_violates_a_goal_is_drawn_saved_and_replayed() {
    let folder = folder("goals");
    let (source, trace) = (folder.join("forgetful.nacre"), folder.join("run.json"));
    let text = std::fs::read_to_string(root().join("tests/verify/alternating_bit.nacre")).unwrap();
    let text = text
        .replace("\"line.nacre\"", &format!("\"{}/tests/verify/line.nacre\"", root().display()))
        .replace("bit != bit_out || waiting.empty", "waiting.empty");
    std::fs::write(&source, text).unwrap();
    let trace = trace.to_str().unwrap();
    let (status, out, err) =
        ran(&mut nacre(&["verify", source.to_str().unwrap(), "--engine", "spin", "--trace", trace]));
    assert_eq!((status, err.as_str()), (1, ""));
    let (safety, goals) = out.split_once("spin, goals").expect("a search for goals");
    assert!(safety.contains("holds in this configuration"), "{safety}");
    assert!(goals.contains("VIOLATED: all_arrive of fifo_network: does not hold infinitely often"), "{goals}");
    assert!(goals.contains("forgetful.nacre:42"), "an acknowledgement comes: {goals}");
    let (status, out, err) = ran(&mut nacre(&["replay", trace, "--brief", "--level", "inline"]));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("C at level inline: the same outputs at each step"), "{out}");
}

/// SPIN's fairness is weak: it finds a run in which retransmitted messages fill the line infinitely often. The explorer
/// decides.
#[test]
fn run_that_only_weak_fairness_allows_is_no_violation() {
    let verify = ["verify", "tests/verify/alternating_bit.nacre", "--engine"];
    let (status, out, _) = ran(nacre(&verify).args(["all", "--level", "call"]));
    let (_, goals) = out.split_once("spin, goals").expect("a search for goals");
    assert!(goals.contains("decided by the explorer, for which the goals hold"), "{out}");
    assert!(status == 0 && out.ends_with("holds in every configuration\n"), "{out}");
    let (status, out, _) = ran(nacre(&verify).args(["spin"]));
    assert!(status == 1 && out.contains("`--engine explorer` decides"), "{out}");
}

/// What opening breaks is a run without steps; repeated, it breaks the same.
#[test]
fn run_that_violates_at_opening_is_replayed() {
    let folder = folder("opening");
    let (source, trace) = (folder.join("eager.nacre"), folder.join("run.json"));
    let text = "import \"nacre/interfaces.nacre\";
automaton quiet { input send(at p, m) { } output grant_sends(at p, n) when n == 2 { } }
worker eager { requires lossy_network; provides quiet; up init() { pass; above.grant_sends(1); } }
configuration c for eager { send = (1, 0); }
";
    std::fs::write(&source, text).unwrap();
    let trace = trace.to_str().unwrap();
    let (status, out, _) = ran(&mut nacre(&["verify", source.to_str().unwrap(), "--trace", trace]));
    assert!(status == 1 && out.contains("at opening: "), "{out}");
    let (status, out, _) = ran(&mut nacre(&["replay", trace]));
    assert!(status == 0 && out.contains("at opening: ") && !out.contains("not what was saved"), "{out}");
    // Another mistake in the same place is another one.
    std::fs::write(&source, text.replace("n == 2", "n == 3")).unwrap();
    let (_, out, _) = ran(&mut nacre(&["replay", trace]));
    assert!(out.contains("at opening: "), "{out}");
}

#[test]
fn numbers_that_were_drawn_are_drawn_again_in_c() {
    let folder = folder("drawn");
    let (source, trace) = (folder.join("lose.nacre"), folder.join("run.json"));
    let text = std::fs::read_to_string(root().join("layers/lose/lose.nacre")).unwrap();
    let text = text
        .replace("../interfaces", &format!("{}/layers/interfaces", root().display()))
        .replace("    breaks orderless_network, fifo_network, fair_lossy_network, fair_lossy_fifo_network;\n", "")
        .replace("over usable_lossy_fifo_network {", "over fifo_network {\n    ROOM = 2;");
    std::fs::write(&source, text).unwrap();
    let trace = trace.to_str().unwrap();
    let (status, out, _) = ran(&mut nacre(&["verify", source.to_str().unwrap(), "--trace", trace]));
    assert!(status == 1 && out.contains("`deliver` at b is not allowed"), "{out}");
    let levels = ["--level", "queue", "--level", "inline"];
    let (status, out, err) = ran(nacre(&["replay", trace, "--brief"]).args(levels));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("C at level inline: the same outputs at each step"), "{out}");
}

#[test]
fn run_of_a_source_that_has_changed_is_not_possible_any_more() {
    let folder = folder("changed");
    let trace = folder.join("run.json");
    let trace = trace.to_str().unwrap();
    ran(&mut nacre(&["verify", NO_BIT, "--trace", trace]));
    let text = std::fs::read_to_string(root().join(NO_BIT)).unwrap();
    let text =
        text.replace("../../../", &format!("{}/", root().display())).replace("if true {", "if bit == expected {");
    let mended = folder.join("mended.nacre");
    std::fs::write(&mended, text).unwrap();
    let (status, out, err) = ran(&mut nacre(&["replay", trace, "--file", mended.to_str().unwrap()]));
    assert_eq!(status, 3, "{out}{err}");
    assert!(err.contains("step 4 does something else"), "{out}{err}");
}

#[test]
fn modified_run_is_reported() {
    let folder = folder("tampered");
    let trace = folder.join("run.json");
    ran(&mut nacre(&["verify", NO_BIT, "--trace", trace.to_str().unwrap()]));
    let text = std::fs::read_to_string(&trace).unwrap();
    for (from, to) in
        [("\"bytes\": \"000081\"", "\"bytes\": \"00\""), ("nacre_trace\": 1", "nacre_trace\": 7"), ("{", "[")]
    {
        let changed = folder.join("changed.json");
        std::fs::write(&changed, text.replacen(from, to, 1)).unwrap();
        let (status, _, err) = ran(&mut nacre(&["replay", changed.to_str().unwrap(), "--level", "inline"]));
        assert!(matches!(status, 1..=3) && !err.contains("internal error"), "{status} {err}");
    }
}

#[test]
fn files_of_several_violations_are_numbered() {
    let folder = folder("several");
    let source = folder.join("twice.nacre");
    let text = std::fs::read_to_string(root().join(NO_BIT)).unwrap();
    let text = text.replace("../../../", &format!("{}/", root().display()));
    std::fs::write(&source, text + "\nconfiguration other for alternating_bit {\n    send = (2, 0);\n}\n").unwrap();
    let trace = folder.join("run.json");
    let (status, ..) = ran(&mut nacre(&["verify", source.to_str().unwrap(), "--trace", trace.to_str().unwrap()]));
    assert_eq!(status, 1);
    let second = std::fs::read_to_string(folder.join("run-2.json")).unwrap();
    assert!(second.contains("\"configuration\": \"other\"") && trace.exists());
}

#[test]
fn any_order_finds_violations_that_the_reference_order_hides() {
    let (status, out, _) = ran(&mut nacre(&["verify", ORDER, "--stack", "three"]));
    assert_eq!(status, 0, "{out}");
    let (status, out, _) = ran(&mut nacre(&["verify", ORDER, "--stack", "three", "--any-order"]));
    assert_eq!(status, 1);
    assert!(
        out.contains("VIOLATED: middle: an assertion does not hold: heard\n    at any_order.nacre:31:16\n"),
        "{out}"
    );
}

#[test]
fn search_that_ends_early_does_not_say_that_it_holds() {
    let closing = ["verify", "layers/frag/frag.nacre", "--configuration", "closing"];
    let (status, out, _) = ran(nacre(&closing).args(["--states", "1000"]));
    assert_eq!(status, 3);
    assert!(out.contains("no violation found, but the limit of 1000 states was reached"), "{out}");

    let (status, out, _) = ran(nacre(&["verify", CREDIT]).args(["--bits", "1"]));
    assert_eq!(status, 3);
    let states = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.split_once(" states, ")).map(|(count, _)| count.to_string()).collect()
    };
    assert_eq!(states(&out), states(include_str!("golden/verify-credit.txt")), "as many as an exact search: {out}");
    assert!(out.contains("no violation found, but states were known by 3 bits each, of which 0."), "{out}");
    assert!(!out.contains("holds"), "{out}");
}

/// An end takes no call while events of a step are pending.
#[test]
fn layers_that_put_events_off_are_searched() {
    let (status, out, err) = ran(&mut nacre(&["verify", "cli/tests/sources/later.nacre"]));
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("holds in this configuration: every state was visited").count(), 2, "{out}");
}

#[test]
fn search_by_bits_finds_runs() {
    let (status, out, _) = ran(&mut nacre(&["verify", NO_BIT, "--bits", "1", "--threads", "1"]));
    assert_eq!(status, 1);
    let (_, exact, _) = ran(&mut nacre(&["verify", NO_BIT, "--threads", "1"]));
    assert_eq!(steady(&out), steady(&exact), "the same run");
}

#[test]
fn settings_and_configurations_that_are_there_twice_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("twice.nacre");
    let file = path.to_str().expect("UTF-8");
    let source = "import \"nacre/interfaces.nacre\";\nworker w { requires orderless_network; }\n";
    let cases = [
        ("configuration c for w { send = (1, 0); send = (2, 0); }", "`send` is set twice"),
        ("configuration c for w { }\nconfiguration c for w { }", "`w` has two configurations `c`"),
        ("configuration c for w over lossy_network { AGE = -1; }", "-1 does not fit `AGE` of `lossy_network`"),
        ("configuration c for w over lossy_network { AGE = 4294967296; }", "4294967296 does not fit `AGE`"),
    ];
    for (more, words) in cases {
        std::fs::write(&path, format!("{source}{more}\n")).expect("written");
        let (status, out, err) = ran(&mut nacre(&["verify", file]));
        assert!(status == 1 && err.contains(words) && !out.contains("holds"), "{more}: {status} {out}{err}");
    }
}

#[test]
fn runs_are_saved_beside_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_string();
    let (trace, picture) = (path("run.json"), path("run.svg"));
    let (status, out, err) = ran(&mut nacre(&["verify", NO_BIT, "--json", "--trace", &trace, "--svg", &picture]));
    assert!(status == 1 && serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}{err}");
    let (status, out, err) = ran(&mut nacre(&["replay", &trace, "--brief"]));
    assert!(status == 0 && std::fs::read_to_string(&picture).expect("drawn").contains("<svg"), "{out}{err}");
}

#[test]
fn wrong_usage_is_reported() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["--configuration", "nosuch"],
            "there is no configuration `nosuch` for `alternating_bit`; known are: `small`",
        ),
        (&["--set", "nosuch=3"], "a configuration of `alternating_bit` has no setting `nosuch`"),
        (&["--set", "send=x"], "expected one or two values after `=`"),
        (&["--layer", "nosuch"], "there is no layer `nosuch`"),
        (&["--bits", "0"], "invalid value '0'"),
    ];
    for (arguments, words) in cases {
        let (status, out, err) = ran(nacre(&["verify", NO_BIT]).args(arguments));
        assert!(matches!(status, 1 | 2) && err.contains(words), "{arguments:?}: {status} {out}{err}");
    }
}

#[test]
fn saved_run_is_stepped_through_in_gdb() {
    let folder = folder("gdb");
    let trace = folder.join("run.json");
    let trace = trace.to_str().unwrap();
    ran(&mut nacre(&["verify", NO_BIT, "--trace", trace]));
    let commands = folder.join("commands");
    // At the second step the frame is delivered: a line of the layer is reached in the C.
    std::fs::write(&commands, "continue\ntbreak no_bit.nacre:35\ncontinue\nbacktrace\ncontinue\ncontinue\ncontinue\n")
        .unwrap();
    let input = std::fs::File::open(&commands).unwrap();
    let (status, out, err) = ran(nacre(&["replay", trace, "--level", "queue", "--gdb", "--brief"]).stdin(input));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("/main.c:") && out.contains("step (number=2"), "it stops at each step: {out}{err}");
    assert!(out.contains("expected = !expected"), "with the layer's own lines: {out}{err}");
    assert!(out.contains("C at level queue: the same outputs at each step"), "{out}{err}");
}

#[test]
fn empty_layer_checks_whether_one_automaton_implements_another() {
    let file = "cli/tests/sources/refinement.nacre";
    let (status, out, _) = ran(&mut nacre(&["verify", file, "--layer", "nothing_is_lost"]));
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("network perfect") && out.contains("specification lossy_fifo_network"), "{out}");
    let (status, out, _) = ran(&mut nacre(&["verify", file, "--layer", "nothing_is_overtaken"]));
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("is not allowed by `perfect` here"), "{out}");
}

/// By all three engines, which visit the same number of states; none omits anything but frames that no endpoint sends. SPIN
/// says what it cannot check: constructs without Promela, ports that it does not observe.
#[test]
#[ignore = "a long campaign: make soak runs it"]
fn every_engine_holds_for_the_library() {
    let folders = std::fs::read_dir(root().join("layers")).unwrap().map(|entry| entry.unwrap().path());
    let names =
        folders.filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_str().unwrap().to_string());
    let mut files: Vec<String> = names.map(|name| format!("layers/{name}/{name}.nacre")).collect();
    files.push("examples/reliable.nacre".into());
    let (mut held, mut unchecked) = (0, 0);
    for file in files {
        let (_, out, err) = ran(&mut nacre(&["verify", &file, "--engine", "all", "--json"]));
        assert_eq!(err, "", "{file}");
        let told: serde_json::Value = serde_json::from_str(&out).unwrap();
        for verdict in told["verdicts"].as_array().unwrap() {
            for engine in verdict["engines"].as_array().unwrap() {
                let forges = engine.to_string().contains("frames that no endpoint sends");
                let is_checked = engine["verdict"] != "cannot be checked" || engine["engine"] == "explorer";
                assert!(engine["verdict"] == "holds" || forges || !is_checked, "{file}: {engine}");
                held += u32::from(is_checked);
                unchecked += u32::from(!is_checked);
            }
        }
    }
    assert!(held > 4 * unchecked, "{held} checked, {unchecked} not");
}

/// Numbers that an automaton chooses, and calls that are refused because of an argument.
#[test]
fn engines_agree_on_large_numbers() {
    for configuration in ["lavish", "most", "most_closing"] {
        let arguments = ["--configuration", configuration, "--engine", "all", "--level", "inline"];
        let (_, out, err) = ran(nacre(&["verify", "layers/credit/credit.nacre"]).args(arguments));
        assert_eq!(err, "", "{configuration}: {out}");
        assert!(out.matches("  holds in this configuration").count() >= 3, "{configuration}: {out}");
    }
    // Values that differ between the endpoints, some of more than 32 bits.
    for (configuration, states) in [("hinted", 407), ("proven", 6)] {
        let arguments = ["--configuration", configuration, "--engine", "all", "--level", "inline"];
        let (_, out, err) = ran(nacre(&["verify", "layers/floor/floor.nacre"]).args(arguments));
        assert_eq!(err, "", "{configuration}: {out}");
        let expected = [states, states + 2].map(|states| out.contains(&format!("  {states} states, ")));
        assert_eq!(expected, [true, true], "{configuration}: the model has two more: {out}");
    }
    // SPIN enumerates all numbers, or says that it does not; a number that a condition states is not enumerated.
    for (configuration, states, complete) in [("small", 145, true), ("many", 7526, false), ("generous", 5, true)] {
        let arguments = ["--configuration", configuration, "--engine", "all", "--level", "inline"];
        let (_, out, err) = ran(nacre(&["verify", "cli/tests/sources/enumerated.nacre"]).args(arguments));
        assert_eq!(err, "", "{configuration}: {out}");
        assert!(out.contains(&format!("  {states} states, ")), "{configuration}: {out}");
        let limited = "no violation found, but an automaton chooses one of more numbers than the model enumerates";
        assert_eq!(out.contains(limited), !complete, "{configuration}: {out}");
    }
}

const SEVERAL: &str = "cli/tests/sources/several.nacre";

#[test]
fn one_wrong_layer_does_not_stop_the_others() {
    let (status, out, err) = ran(&mut nacre(&["verify", SEVERAL]));
    assert_eq!(status, 1, "{out}{err}");
    assert_eq!(out.matches("  holds in this configuration").count(), 3, "{out}");
    assert_eq!(err.matches("[C0010]").count(), 1, "{err}");
    let end = "1 configuration not verified: see the errors\nholds in every configuration that was verified\n";
    assert!(out.ends_with(end), "{out}");
    let (status, out, _) = ran(&mut nacre(&["verify", SEVERAL, "--json"]));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, value["verdicts"].as_array().map(Vec::len)), (1, Some(3)));
    assert_eq!(value["refused"][0]["subject"], "broken");
}

#[test]
fn configuration_of_one_layer_is_verified_alone() {
    let (status, out, _) = ran(&mut nacre(&["verify", SEVERAL, "--configuration", "other"]));
    assert_eq!((status, out.matches("layer ").count()), (0, 1), "{out}");
    let (status, out, err) = ran(&mut nacre(&["verify", SEVERAL, "--configuration", "smal"]));
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("did you mean `small`?"), "{err}");
}

#[test]
fn specification_handed_through_has_the_parameters_of_the_network() {
    for engine in ["explorer", "spin"] {
        let (status, out, err) = ran(&mut nacre(&["verify", SEVERAL, "--layer", "handing", "--engine", engine]));
        assert_eq!(status, 0, "{out}{err}");
        assert!(out.contains("    specification short_fifo<ROOM = 3>\n"), "{out}");
    }
}

#[test]
fn names_on_the_command_line_are_resolved() {
    let wrong: [(&[&str], &str); 5] = [
        (&["--layer", "plian"], "there is no layer `plian`; did you mean `plain`?"),
        (&["--stack", "plain"], "there is no stack `plain`; there are none"),
        (&["--layer", "plain", "--set", "sned=1,0"], "did you mean `send`?"),
        (&["--layer", "plain", "--set", "numbers=50"], "`numbers` is 2 to 32"),
        (&["--layer", "plain", "--set", "send=256"], "`send` is 0 to 255"),
    ];
    for (arguments, words) in wrong {
        let (status, out, err) = ran(nacre(&["verify", SEVERAL]).args(arguments));
        assert!(status == 2 && err.contains(words), "{arguments:?}: {status} {out}{err}");
    }
}

#[test]
fn function_in_c_is_searched_in_c_alone_and_its_absence_elsewhere_is_no_violation() {
    const SOURCE: &str = "cli/tests/sources/function_in_c.nacre";
    let why = "not checked by this engine: `stirred` is a function in C, which the interpreter cannot call";
    let (status, out, err) = ran(&mut nacre(&["verify", SOURCE]));
    assert_eq!((status, err.as_str()), (3, ""));
    assert!(out.contains(why) && out.contains("the search is incomplete"), "{out}");
    let (status, out, err) = ran(&mut nacre(&["verify", SOURCE, "--engine", "spin-c", "--level", "call"]));
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("holds in this configuration: every state was visited"), "{out}");
    assert!(!out.contains(", 0 states"), "{out}");
}

#[test]
fn stack_without_an_automaton_below_is_undecided() {
    let (status, out, err) = ran(&mut nacre(&["verify", "cli/tests/sources/no_automaton.nacre", "--stack", "bare"]));
    assert_eq!(status, 3, "{out}{err}");
    assert!(err.contains("[D0008]") && out.ends_with("nothing was verified\n"), "{out}{err}");
    let (status, out, err) = ran(&mut nacre(&["verify", "cli/tests/sources/no_automaton.nacre"]));
    assert_eq!(status, 1, "a configuration of the source is wrong: {out}{err}");
    assert!(err.contains("[D0008]") && err.contains("the network below is not specified"), "{err}");
}
