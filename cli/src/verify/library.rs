//! The library holds in its configurations, and classic mistakes in layers are found by short runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use nacre_checker::coverage::{unvisited_in_all, Unvisited};
use nacre_checker::explore::{explore, Options, Verdict};
use nacre_checker::run::{describe, Run};
use nacre_checker::space::Space;
use nacre_driver::{Level, Session};
use nacre_specification::Configuration;
use nacre_spin::replay::on_c;
use nacre_stack::interpret::Covered;

use nacre_worlds::world::{self, Subject, World};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

pub fn world(session: &Session, configuration: &Configuration) -> World {
    let is_layer = session.layers().iter().any(|l| l.name == configuration.subject);
    let subject = Subject { name: configuration.subject.clone(), is_layer };
    world::world(session, &subject, configuration, false).unwrap_or_else(|refusal| match refusal {
        world::Refusal::Words(words) | world::Refusal::Usage(words) => panic!("{}: {words}", configuration.name),
        world::Refusal::Diagnostics(found) => panic!("{}: {found:?}", configuration.name),
    })
}

/// The outcome of a search.
struct Outcome {
    verdict: Verdict,
    run: Option<Run>,
    /// The executed code.
    covered: Covered,
}

fn searched(world: &World, threads: usize) -> Outcome {
    searched_within(world, threads, 3_000_000, 1 << 30)
}

fn searched_within(world: &World, threads: usize, states: usize, memory: usize) -> Outcome {
    let (space, first) = Space::open(&world.setup).unwrap();
    let options = Options {
        threads,
        states,
        memory,
        bits: None,
        goals: super::search::has_goals(world),
        stop: &AtomicBool::new(false),
        progress: &|_| {},
    };
    let verdict = explore(&space, &first, &options).verdict;
    let run = match &verdict {
        Verdict::Violated { run, why, .. } => Some(describe(&world.setup, &space, &first, run, why)),
        _ => None,
    };
    Outcome { verdict, run, covered: space.endpoints.covered() }
}

/// The configurations that a file itself declares: those on request, or the others.
pub fn own(session: &Session, file: &Path, on_request: bool) -> Vec<Configuration> {
    let here = |c: &Configuration| Path::new(session.sources.path(c.span.file)) == file;
    session.configurations().into_iter().filter(|c| here(c) && c.on_request == on_request).collect()
}

/// The handlers and branches that no search executed.
fn idle(all: &[(World, Covered)]) -> Vec<Unvisited> {
    let both: Vec<(&World, &Covered)> = all.iter().map(|(world, covered)| (world, covered)).collect();
    let mut idle = unvisited_in_all(&both);
    // Branches of the layers in a stack are covered by the layers' own configurations.
    idle.retain(|one| one.branch.is_none() || all[0].0.setup.stack().layers.len() == 1);
    idle
}

/// Every configuration of a file holds, and every handler runs in one of them.
fn holds(file: &Path) {
    let session = Session::open(&[file.to_path_buf()]);
    assert!(!session.has_errors(), "{}", session.render(false));
    let configurations = own(&session, file, false);
    assert!(!configurations.is_empty(), "{} has a configuration", file.display());
    let mut subjects: Vec<&String> = configurations.iter().map(|c| &c.subject).collect();
    subjects.dedup();
    for subject in subjects {
        let mut all = vec![];
        for configuration in configurations.iter().filter(|c| c.subject == *subject) {
            let world = world(&session, configuration);
            let Outcome { verdict, covered, .. } = searched(&world, 2);
            assert_eq!(verdict, Verdict::Complete, "{subject}, {}", configuration.name);
            all.push((world, covered));
        }
        let idle = idle(&all);
        idle.iter().for_each(|one| eprintln!("{subject}: {one:?}"));
        let idle = idle.len();
        // One bit that `corrupt` may change belongs to the shape, and `batch` waits with messages that have headers of
        // layers above; alone, these layers have only one shape.
        let of_shapes = usize::from(subject == "corrupt" || subject == "batch");
        assert_eq!(idle, of_shapes, "{subject}: handlers and branches that never run");
    }
}

#[test]
fn every_layer_of_the_library_holds() {
    let folders = std::fs::read_dir(root().join("layers")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(folders.len() >= 14);
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap().to_string();
        holds(&folder.join(format!("{name}.nacre")));
    }
}

/// Every configuration of a file holds. No layer is verified there that has configurations of its own; their handlers
/// need not all run.
fn stacks_hold(file: &str) {
    let file = root().join(file);
    let session = Session::open(std::slice::from_ref(&file));
    let configurations = own(&session, &file, false);
    assert!(!configurations.is_empty());
    for configuration in &configurations {
        let Outcome { verdict, .. } = searched(&world(&session, configuration), 2);
        assert_eq!(verdict, Verdict::Complete, "{}, {}", configuration.subject, configuration.name);
    }
}

#[test]
fn stacks_for_one_layer_hold() {
    stacks_hold("layers/stacks.nacre");
}

#[test]
fn the_reliable_stacks_hold() {
    holds(&root().join("examples/reliable.nacre"));
}

#[test]
fn the_stack_that_encrypts_holds() {
    holds(&root().join("examples/secure.nacre"));
}

#[test]
fn the_stack_that_signs_holds() {
    stacks_hold("examples/signed.nacre");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn the_large_configurations_hold() {
    let mut tried = 0;
    for file in ["layers/pt2pt/pt2pt.nacre", "examples/reliable.nacre"] {
        let file = root().join(file);
        let session = Session::open(std::slice::from_ref(&file));
        for configuration in own(&session, &file, true) {
            let Outcome { verdict, .. } = searched_within(&world(&session, &configuration), 2, 50_000_000, 12 << 30);
            assert_eq!(verdict, Verdict::Complete, "{}, {}", configuration.subject, configuration.name);
            tried += 1;
        }
    }
    assert!(tried >= 7);
}

/// Verifies a configuration of the library with some settings changed, such as `EARLY=3 send=1,0`.
fn with(layer: &str, name: &str, settings: &str) -> Verdict {
    let file = root().join(format!("layers/{layer}/{layer}.nacre"));
    let session = Session::open(std::slice::from_ref(&file));
    let found = own(&session, &file, false).into_iter().find(|c| c.name == name);
    let mut configuration = found.unwrap_or_else(|| panic!("{layer} has no configuration {name}"));
    let set: Vec<_> = settings.split(' ').map(|setting| crate::units::setting(setting).unwrap()).collect();
    super::configurations::add(&mut configuration, &set);
    searched(&world(&session, &configuration), 2).verdict
}

#[test]
fn configurations_have_minimal_limits() {
    for (layer, name, settings, told) in [
        // Too few messages follow a third lost one: only a timeout repairs it.
        ("pt2pt", "two_lost", "EARLY=3", Some("cannot be met any more")),
        ("pt2pt", "two_lost", "EARLY=3 resend=1", None),
        // A message delayed by three places counts as lost, and is retransmitted unnecessarily.
        ("pt2pt", "late", "LATE=3", Some("`send` goes down")),
        ("pt2pt", "scattered", "resend=1", Some("cannot be met any more")),
        ("pt2pt", "window_lost", "resend=0", Some("cannot be met any more")),
        ("pt2pt", "beyond", "ANSWERS=6", Some("`send` goes down")),
        // A timeout repairs one frame that a full pool refused.
        ("pt2pt", "full_pool", "resend=1", Some("cannot be met any more")),
        ("pt2pt", "full_pool", "resend=1 scarce=1", None),
        // A long message waits although there is room.
        ("frag", "short", "size=2", Some("not taken")),
        ("frag", "short", "size=2 at_once=0", None),
    ] {
        match (with(layer, name, settings), told) {
            (Verdict::Complete, None) => {}
            (Verdict::Violated { why, .. }, Some(told)) if why.contains(told) => {}
            (other, _) => panic!("{name} of {layer} with {settings}: {other:?}, not {told:?}"),
        }
    }
}

#[test]
fn a_last_resort_waits_for_those_that_are_named_before_it() {
    // The acknowledgement must leave before the sender's timeout; otherwise messages are retransmitted.
    let verdict = |settings| with("pt2pt", "answering", settings);
    assert_eq!(verdict("ANSWERS=2 send=1,0 due=1 resend=1"), Verdict::Complete);
    let Verdict::Violated { why, .. } = verdict("ANSWERS=2 send=1,0 resend=1 due=1") else { panic!("it holds") };
    assert!(why.contains("`send` goes down"), "{why}");
}

/// A seeded mistake: the file, the replaced text and its replacement, and the violation that is reported.
struct Seed {
    file: &'static str,
    change: &'static [(&'static str, &'static str)],
    told: &'static str,
}

const fn seed(file: &'static str, change: &'static [(&'static str, &'static str)], told: &'static str) -> Seed {
    Seed { file, change, told }
}

const SEEDS: &[(&str, Seed)] = &[
    (
        "the alternating bit without the bit",
        seed("tests/verify/alternating_bit.nacre", &[("if bit == expected {", "if true {")], "`deliver` at"),
    ),
    (
        "the bit of an acknowledgement is not looked at",
        seed("tests/verify/alternating_bit.nacre", &[("bit != bit_out || waiting", "waiting")], "all_arrive"),
    ),
    (
        "another message is acknowledged than came",
        seed(
            "tests/verify/alternating_bit.nacre",
            &[("below.send(Ack { bit });", "below.send(Ack { bit: !bit });")],
            "",
        ),
    ),
    (
        "an acknowledgement says one number too many",
        seed(
            "layers/pt2pt/pt2pt.nacre",
            &[("below.send(Ack { ack: told });", "below.send(Ack { ack: told + 1 });")],
            "",
        ),
    ),
    (
        "a window as large as the numbers",
        seed("tests/verify/go_back_n.nacre", &[("SPACE: u8 = 3", "SPACE: u8 = 2")], "`deliver` at b"),
    ),
    (
        "the timer is not armed again",
        seed(
            "tests/verify/go_back_n.nacre",
            &[(
                "            number = (number + 1) % SPACE;\n        }\n        arm resend in 10 ms;",
                "            number = (number + 1) % SPACE;\n        }",
            )],
            "",
        ),
    ),
    (
        "messages are sent again under the number of another",
        seed("tests/verify/go_back_n.nacre", &[("var number = low;", "var number = (low + 1) % SPACE;")], ""),
    ),
    (
        "the oldest is never sent again, only the newest",
        seed(
            "layers/pt2pt/pt2pt.nacre",
            &[(
                "repeat_below(sent.low + 1);",
                "for \
                 (number, m) in sent.up_to(sent.high) { if number + 1 == sent.high { transmit(number, share m); } }",
            )],
            "all_arrive",
        ),
    ),
    (
        "halves of two messages are put together",
        seed("tests/verify/halves.nacre", &[("if !half.empty && number == of {", "if !half.empty {")], "`deliver` at"),
    ),
    (
        "pieces of a message that gave way are kept",
        seed(
            "tests/verify/halves.nacre",
            &[(
                "        half.clear();\n        half.push(m) else unreachable;",
                "        half.push(m) else { drop m; }",
            )],
            "`deliver` at",
        ),
    ),
    (
        "a duplicate is delivered",
        seed(
            "layers/sequencer/sequencer.nacre",
            &[("likely (number > last)", "likely (number >= last)")],
            "`deliver` at",
        ),
    ),
    (
        "numbers are compared as if they did not wrap",
        seed(
            "layers/sequencer/sequencer.nacre",
            &[("likely (number > last)", "likely (number as u32 > last as u32)")],
            "",
        ),
    ),
    (
        "credit leaks when there is no room below",
        seed(
            "layers/credit/credit.nacre",
            &[("room == 0 || closing { return; }\n", "room == 0 || closing { owed = 0; return; }\n")],
            "all calls of the application are accepted",
        ),
    ),
    (
        "a grant is lost, and both wait",
        seed(
            "layers/credit/credit.nacre",
            &[
                (
                    "    invariant owed == 0 || room == 0 || \
            closing;\n",
                    "",
                ),
                ("        tell();\n        hand_on();", "        hand_on();"),
            ],
            "",
        ),
    ),
    (
        "one grants after the end",
        seed(
            "layers/credit/credit.nacre",
            &[("!waiting.empty || closing { return; }", "!waiting.empty { return; }")],
            "`grant_sends` at",
        ),
    ),
    (
        "close overtakes what waits for room",
        seed("layers/frag/frag.nacre", &[("if waiting.empty { pass; }", "pass;")], ""),
    ),
    ("close overtakes what is held", seed("layers/delay/delay.nacre", &[("if held.empty { pass; }", "pass;")], "")),
    (
        "its own first frame, come back, is taken for the peer's",
        seed(
            "layers/floor/floor.nacre",
            &[("|| from == cookie as u32 && born == incarnation;", "|| false;")],
            "`deliver` at",
        ),
    ),
    (
        "a window is repaired by one timeout a message",
        seed(
            "layers/pt2pt/pt2pt.nacre",
            &[("else { repeat_below(min(ack + room as seq28, until)); }", "")],
            "all_arrive",
        ),
    ),
    (
        "a grant too many",
        seed("layers/pt2pt/pt2pt.nacre", &[("above.grant_sends(W);", "above.grant_sends(W + 1);")], "not taken"),
    ),
    (
        "the end passes the last message",
        seed(
            "layers/pt2pt/pt2pt.nacre",
            &[
                ("if number == got.next && got.empty {", "if got.empty {"),
                ("ending = true;\n        if sent.empty {", "ending = true;\n        if true {"),
            ],
            "`closed` at",
        ),
    ),
];

/// Checks that the compiled C behaves in the same way at each step.
fn replayed(what: &str, world: &World, run: &Run, level: Level) {
    match on_c(&world.setup, level, run) {
        Ok(None) => {}
        other => panic!("{what}, level {level:?}: {other:?}"),
    }
}

#[test]
fn classic_mistakes_are_found_by_short_runs() {
    let mut wrong = vec![];
    for (number, (what, seed)) in SEEDS.iter().enumerate() {
        let file = root().join(seed.file);
        let mut text = std::fs::read_to_string(&file).unwrap();
        for (from, to) in seed.change {
            assert_eq!(text.matches(from).count(), 1, "{what}: what is changed is there once");
            text = text.replace(from, to);
        }
        let session = Session::from_text(&file, &text);
        assert!(!session.has_errors(), "{what}: {}", session.render(false));
        let found = own(&session, &file, false).into_iter().find_map(|c| {
            let world = world(&session, &c);
            searched(&world, 2).run.map(|run| (world, run))
        });
        match found {
            Some((world, run)) if run.steps.len() <= 25 && run.why.contains(seed.told) => {
                println!("{what}: {} steps: {}", run.steps.len(), run.why);
                assert_eq!(
                    searched(&world, 1).run.map(|r| r.steps.len()),
                    Some(run.steps.len()),
                    "{what}: a shortest run"
                );
                let level = Level::ALL[number % Level::ALL.len()];
                replayed(what, &world, &run, level);
            }
            other => wrong.push(format!("{what}: {:?}", other.map(|(_, run)| (run.steps.len(), run.why)))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_layers_that_are_seeded_hold() {
    for name in ["alternating_bit", "go_back_n", "halves"] {
        holds(&root().join(format!("tests/verify/{name}.nacre")));
    }
}
