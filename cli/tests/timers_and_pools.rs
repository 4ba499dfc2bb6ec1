//! Worlds in which timers keep an order or a clock, a full pool refuses frames, and the endpoints have different
//! parameters.

mod common;

use std::path::Path;

use common::{nacre, ran};

/// The result of `verify` for one of the sources.
fn verified(name: &str, more: &[&str]) -> (i32, String, String) {
    let file = format!("cli/tests/sources/worlds/{name}.nacre");
    ran(nacre(&["verify", &file, "--brief"]).args(more))
}

#[test]
fn frames_that_a_full_pool_refuses_are_lost() {
    let of = |layer, configuration, more: &[&str]| {
        verified("full_pool", &[&["--layer", layer, "--configuration", configuration], more].concat())
    };
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full_pool.json");
    let trace = trace.to_str().unwrap();
    let not_allowed = "VIOLATED: `deliver` at b is not allowed by `line` here";
    for (layer, why) in [("keeps", not_allowed), ("defers", "this goal cannot be met any more: all_arrive of line")] {
        let (status, out, _) = of(layer, "c", &["--trace", trace]);
        assert!(status == 1 && out.contains("× the pool is full") && out.contains(why), "{out}");
        assert!(out.contains("    a full pool refuses frames: at most 1\n"), "{out}");
        let (status, out, err) = ran(&mut nacre(&["replay", trace, "--brief"]));
        assert_eq!(status, 0, "{out}{err}");
    }
    for (layer, configuration) in [("keeps", "roomy"), ("defers", "roomy"), ("hands_on", "c"), ("pt2pt", "c")] {
        let (_, out, _) = of(layer, configuration, &[]);
        assert!(out.contains("  holds in this configuration"), "{layer}: {out}");
    }
    let without = "note: no frame needs room in the pool: `scarce` has no effect";
    for (layer, has) in [("hands_on", true), ("keeps", false), ("defers", false), ("pt2pt", false)] {
        let (_, out, _) = of(layer, "c", &[]);
        assert_eq!(out.contains(without), has, "{layer}: {out}");
    }
    let (_, out, _) = of("keeps", "c", &["--engine", "spin"]);
    assert!(out.contains("not checked by this engine: in this engine no pool is full (`scarce`)"), "{out}");
}

#[test]
fn timers_keep_the_stated_order() {
    let of = |layer, configuration, more: &[&str]| {
        verified("timers", &[&["--layer", layer, "--configuration", configuration], more].concat())
    };
    let gone = "VIOLATED: `gone` at";
    // A shorter timer that was armed no later fires first; one that was armed later need not.
    for (layer, configuration) in
        [("asks", "any"), ("forgets", "ordered"), ("puts_off", "ordered"), ("in_turn", "half")]
    {
        let (status, out, _) = of(layer, configuration, &[]);
        assert!(status == 1 && out.contains(gone), "{layer}: {out}");
    }
    for layer in ["asks", "in_turn"] {
        let (_, out, _) = of(layer, "ordered", &[]);
        assert!(out.contains("  holds in this configuration"), "{layer}: {out}");
        assert!(!out.contains("it is assumed"), "{layer}: {out}");
    }
    // The durations are compared.
    let (status, _, err) = of("asks", "ordered", &["--set", "ASK=5s"]);
    let words = "`asks.ask` is not shorter than `asks.give_up`: `asks.ask` waits 5000 ms and `asks.give_up` 5000 ms";
    assert!(status == 2 && err.contains(words), "{err}");
    let (_, out, _) = of("in_turn", "ordered", &["--set", "FIRST=2500ms"]);
    assert!(out.contains("note: that `in_turn.first` is shorter than `in_turn.next` was not shown"), "{out}");
    let (_, out, _) = of("asks", "ordered", &["--engine", "spin"]);
    assert!(out.contains("not checked by this engine: in this engine timers fire in any order"), "{out}");
}

#[test]
fn timers_in_phase_fire_at_most_twice_in_a_period_of_the_other_endpoint() {
    let of = |configuration, more: &[&str]| {
        verified("timers", &[&["--layer", "beats", "--configuration", configuration], more].concat())
    };
    let (_, out, _) = of("ordered", &[]);
    assert!(out.contains("  holds in this configuration"), "{out}");
    assert!(out.contains("    beats.beat fires at most twice at one end while it is armed at the other\n"), "{out}");
    for (configuration, missed) in [("any", "MISSED=2"), ("ordered", "MISSED=1")] {
        let (status, out, _) = of(configuration, &["--set", missed]);
        assert!(status == 1 && out.contains("VIOLATED: `gone` at"), "{configuration}: {out}");
    }
    let (status, _, err) = verified("timers", &["--layer", "stumbles"]);
    assert!(status == 1 && err.contains("`stumbles.beat` has no period: it waits 1000 ms to 2000 ms"), "{err}");
}

#[test]
fn endpoints_have_different_parameters() {
    let of = |configuration, layer, more: &[&str]| {
        let subject = if layer == "apart" { "--stack" } else { "--layer" };
        verified("unequal", &[&[subject, layer, "--configuration", configuration], more].concat())
    };
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unequal.json");
    let trace = trace.to_str().unwrap();
    for (layer, holds, violated, why) in [
        ("tells", "unequal", "equal", "an assertion does not hold: number != NUMBER"),
        ("believes", "equal", "unequal", "an assertion does not hold: number == NUMBER"),
        // Over `floor`, a fingerprint that differs keeps them apart.
        ("apart", "unequal", "equal", "`deliver` at b is not allowed by `silent_network` here"),
    ] {
        let (_, out, _) = of(holds, layer, &[]);
        assert!(out.contains("  holds in this configuration"), "{layer}: {out}");
        let (status, out, _) = of(violated, layer, &["--trace", trace]);
        assert!(status == 1 && out.contains(why), "{layer}: {out}");
        let (status, out, err) = ran(&mut nacre(&["replay", trace, "--brief"]));
        assert!(status == 0 && out.contains("the same outputs at each"), "{out}{err}");
    }
    let (_, out, _) = of("unequal", "tells", &[]);
    assert!(out.contains("    stack tells<1> at a, tells<2> at b\n"), "{out}");
    // What only one stack can do is refused.
    let (_, out, _) = of("unequal", "tells", &["--engine", "spin"]);
    assert!(out.contains("not checked by this engine: in this engine both endpoints have the same stack"), "{out}");
    of("unequal", "believes", &["--trace", trace]);
    let (status, _, err) = ran(&mut nacre(&["replay", trace, "--brief", "--level", "call"]));
    assert!(status != 0 && err.contains("are repeated in the interpreter alone"), "{err}");
    let (status, _, err) = of("unequal", "tells", &["--set", "NUMBER=1,2,3"]);
    assert!(status == 2 && err.contains("`NUMBER` cannot have 3 values"), "{err}");
    let library = |file: &str, configuration: &str, set: &str| {
        ran(&mut nacre(&["verify", file, "--brief", "--configuration", configuration, "--set", set]))
    };
    let (_, out, _) = library("layers/pt2pt/pt2pt.nacre", "forged", "W=2,3");
    assert!(out.contains("`forging_network` makes up frames of one stack, but the endpoints have several"), "{out}");
    let (status, out, _) = library("layers/frag/frag.nacre", "granted", "SIZE=2,1");
    assert!(status == 1 && out.contains("all_arrive of fifo_network"), "{out}");
}

#[test]
fn frames_and_timers_keep_a_clock() {
    let of = |layer, configuration, more: &[&str]| {
        verified("clock", &[&["--layer", layer, "--configuration", configuration], more].concat())
    };
    let (_, out, _) = of("asks", "timed", &[]);
    assert!(out.contains("  holds in this configuration"), "{out}");
    assert!(out.contains("    timers at their deadlines\n    a frame takes 8 ms\n"), "{out}");
    assert!(out.contains("    all is at rest 16 ms after the last call\n"), "{out}");

    // The answer takes longer than the timer.
    let twice = "VIOLATED: `send` goes down where `once` below does not take it";
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clock.json");
    let trace = trace.to_str().unwrap();
    for trips in ["trip=12ms", "trip=8ms,12ms"] {
        let (status, out, _) = of("asks", "timed", &["--set", trips, "--set", "within=90ms", "--trace", trace]);
        assert!(status == 1 && out.contains(twice) && out.contains("⏱ 20 ms"), "{trips}: {out}");
        let (status, out, err) = ran(&mut nacre(&["replay", trace, "--brief", "--level", "inline"]));
        assert!(status == 0 && out.contains("C at level inline: the same outputs at each step"), "{out}{err}");
    }
    let (status, out, _) = of("asks", "untimed", &[]);
    assert!(status == 1 && out.contains(twice), "{out}");

    let late = "VIOLATED: something happens 16 ms after the last call: all is to be at rest after 15 ms";
    let (status, out, _) = of("asks", "timed", &["--set", "within=15ms"]);
    assert!(status == 1 && out.contains(late), "{out}");

    // A clock that decides is searched.
    let (_, out, _) = of("paced", "untimed", &[]);
    assert!(out.contains("but the search does everything at time 0"), "{out}");
    let (_, out, _) = of("paced", "timed", &[]);
    assert!(out.contains("  holds in this configuration"), "{out}");

    let (_, out, _) = of("asks", "timed", &["--engine", "spin"]);
    assert!(out.contains("not checked by this engine: this engine has no clock (`trip`)"), "{out}");
    let (_, out, err) = of("asks", "untimed", &["--set", "within=15ms"]);
    assert!(format!("{out}{err}").contains("state how long a frame takes"), "{out}{err}");
}
