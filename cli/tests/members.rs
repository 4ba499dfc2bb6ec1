//! Worlds, charts and simulations of more than two members.

mod common;

use std::path::Path;

use common::{golden, nacre, ran};

const MEMBERS: &str = "cli/tests/sources/worlds/members.nacre";

/// The result of `verify` for a layer in one configuration.
fn verified(layer: &str, configuration: &str, more: &[&str]) -> (i32, String, String) {
    let arguments = ["verify", MEMBERS, "--layer", layer, "--configuration", configuration, "--threads", "1"];
    ran(nacre(&arguments).args(more))
}

/// Removes what differs between machines.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.find(", depth ") {
        Some(at) => {
            let end = line[at + 8..].find(',').map_or(line.len(), |comma| at + 8 + comma);
            line[..end].to_string() + "\n"
        }
        None => line.to_string() + "\n",
    };
    text.lines().map(line).collect()
}

#[test]
fn what_each_member_sends_arrives_in_order_at_each_other() {
    for configuration in ["two", "three", "one_sender"] {
        let (status, out, err) = verified("numbered", configuration, &[]);
        assert!(status == 0 && out.contains("  holds in this configuration"), "{configuration}: {out}{err}");
    }
    let (_, out, _) = verified("numbered", "three", &[]);
    assert!(out.contains("    3 members\n    send 1 at a, 1 at b, 1 at c\n"), "{out}");
    let (status, out, err) = verified("honest", "three", &[]);
    assert!(status == 0 && out.contains("  holds in this configuration"), "{out}{err}");
}

#[test]
fn mistake_that_two_members_do_not_show_is_drawn_with_three_lanes() {
    let (_, out, err) = verified("forgetful", "two", &[]);
    assert!(out.contains("  holds in this configuration"), "{out}{err}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (trace, picture) = (folder.join("members.json"), folder.join("members.svg"));
    let (trace, picture) = (trace.to_str().unwrap(), picture.to_str().unwrap());
    let (status, out, err) = verified("forgetful", "three", &["--trace", trace, "--svg", picture]);
    assert_eq!(status, 1, "{out}{err}");
    golden("verify-members.txt", &steady(&out).replace(trace, "run.json").replace(picture, "run.svg"));
    golden("verify-members.svg", &std::fs::read_to_string(picture).unwrap());
    // The saved run is repeated in the interpreter and in C.
    let (status, out, err) = ran(nacre(&["replay", trace, "--brief"]).args(["--level", "queue", "--level", "inline"]));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("interpreter: 5 steps, the same outputs at each"), "{out}");
    assert!(out.contains("C at level inline: the same outputs at each step"), "{out}");
}

#[test]
fn event_that_names_its_peer_belongs_to_that_connection() {
    let (_, out, err) = verified("hasty", "two", &[]);
    assert!(out.contains("  holds in this configuration"), "{out}{err}");
    let (status, out, err) = verified("hasty", "three", &["--brief"]);
    assert!(status == 1 && out.contains("VIOLATED: `deliver` at c is not allowed by `post` here"), "{out}{err}");
}

#[test]
fn timers_in_phase_are_in_phase_at_each_pair_of_members() {
    let (_, out, err) = verified("beating", "three", &[]);
    assert!(out.contains("beat fires at most twice at one end while it is armed at another"), "{out}{err}");
    let states = |out: &str| out.split(" states, ").next().and_then(|s| s.rsplit(' ').next()?.parse::<u64>().ok());
    assert_eq!(states(&out), Some(beating_in_phase()), "{out}");
}

/// The number of states of three members that beat three times each: a member beats at most twice since another one,
/// whose timer is still armed, has armed it.
fn beating_in_phase() -> u64 {
    // How often each has beaten; by the other member, how often since that one armed its timer.
    type State = ([u8; 3], [[u8; 3]; 3]);
    let mut found: Vec<State> = vec![Default::default()];
    let mut at = 0;
    while at < found.len() {
        for beats in 0..3 {
            let (mut times, mut since) = found[at];
            let armed = |other: &usize| *other != beats && times[*other] < 3;
            if times[beats] == 3 || (0..3).filter(armed).any(|other| since[other][beats] == 2) {
                continue;
            }
            (0..3).filter(armed).for_each(|other| since[other][beats] += 1);
            times[beats] += 1;
            since[beats] = [0; 3];
            if !found.contains(&(times, since)) {
                found.push((times, since));
            }
        }
        at += 1;
    }
    found.len() as u64
}

#[test]
fn what_has_one_peer_is_refused_with_the_reason() {
    let (status, _, err) = ran(&mut nacre(&["verify", "layers/floor/floor.nacre", "--set", "members=3"]));
    assert_eq!(status, 2, "{err}");
    let words = "`floor.peer` is given the address of one peer, but with `members = 3` each endpoint has 2";
    assert!(err.contains(words), "{err}");
    let (status, _, err) = verified("numbered", "two", &["--set", "members=9"]);
    assert!(status == 2 && err.contains("`members` is 2 to 8"), "{err}");
    let (_, out, _) =
        ran(nacre(&["verify", MEMBERS, "--layer", "numbered"]).args(["--configuration", "three", "--engine", "spin"]));
    assert!(out.contains("not checked by this engine: this engine has two endpoints (`members = 2`)"), "{out}");
}

#[test]
fn members_are_simulated_and_a_mistake_is_drawn() {
    let simulated = |stack: &str, members: &str, more: &[&str]| {
        let arguments = ["sim", MEMBERS, "--stack", stack, "--members", members, "--messages", "20", "--largest", "20"];
        let faults =
            ["--duplicate", "20%", "--delay", "1ms", "--jitter", "9ms", "--check", "once,order,intact,unbroken"];
        ran(nacre(&arguments).args(faults).args(more))
    };
    for (stack, members) in [("numbers", "2"), ("numbers", "3"), ("numbers", "5"), ("forgets", "2")] {
        let (status, out, err) = simulated(stack, members, &["--runs", "5", "--level", "all"]);
        assert_eq!(status, 0, "{stack}, {members}: {out}{err}");
    }
    let (status, out, err) = simulated("forgets", "3", &[]);
    assert_eq!(status, 1, "{out}{err}");
    let chart = out.lines().filter(|line| !line.starts_with("shrunk from") && !line.starts_with("again"));
    golden("sim-members.txt", &chart.map(|line| line.to_string() + "\n").collect::<String>());
    let (status, _, err) = ran(&mut nacre(&["sim", common::RELIABLE, "--stack", "reliable", "--members", "3"]));
    assert!(status == 3 && err.contains("`floor.peer` is given the address of one peer"), "{err}");
}
