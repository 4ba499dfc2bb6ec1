//! The model holds in every world, and is refuted with every planted flaw.

use nacre_handshakes::chart::chart;
use nacre_handshakes::flaw::{Flaw, Property, FLAWS, HARMLESS};
use nacre_handshakes::rules::RULES;
use nacre_handshakes::search::{search, Outcome};
use nacre_handshakes::world::World;
use nacre_handshakes::worlds::{named, wide_worlds, worlds};
use std::collections::{BTreeMap, BTreeSet};

/// More states than any world of the default tests has.
const LIMIT: usize = 200_000;
/// More than any wide world has.
const WIDE_LIMIT: usize = 20_000_000;

/// The description of the model, which has the figures of all worlds and flaws.
fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/handshake-model.md");
    std::fs::read_to_string(path).expect("readable")
}

/// Searches a world, which must hold.
fn held(world: &World, limit: usize) -> Outcome {
    let outcome = search(world, limit);
    if let Some((violation, run)) = &outcome.violation {
        panic!("{}: {:?}: {}\n{}", world.name, violation.property, violation.how, chart(world, run));
    }
    assert!(outcome.is_complete, "{}: more than {limit} states", world.name);
    outcome
}

/// The model holds, and not because nothing happens: every rule is applied, and frames of every kind are sent and have
/// an effect. Of those that an honest end must not believe, forged ones have none.
#[test]
fn model_holds_in_every_world_and_every_rule_is_applied() {
    let document = document();
    let mut rules = BTreeSet::new();
    let mut frames: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for world in worlds() {
        let outcome = held(&world, LIMIT);
        let row = format!(
            "| {} | {} | {} | {} | {} |",
            world.name, world.about, outcome.states, outcome.moves, outcome.depth
        );
        assert!(document.contains(&row), "docs/handshake-model.md has no row {row}");
        rules.extend(outcome.rules.keys().copied());
        for (frame, counts) in outcome.frames {
            frames.entry(frame).or_default().iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
    }
    let missing: Vec<&str> = RULES.iter().map(|rule| rule.0).filter(|rule| !rules.contains(rule)).collect();
    assert!(missing.is_empty(), "no run applies {missing:?}");
    let unknown: Vec<&&str> = rules.iter().filter(|rule| RULES.iter().all(|known| known.0 != **rule)).collect();
    assert!(unknown.is_empty(), "not in the table: {unknown:?}");
    for kind in ["initiate", "respond", "finish", "sealed", "reset", "retry", "short"] {
        let [sent, delivered, _] = frames[kind];
        assert!(sent > 0 && delivered > 0, "{kind}: {sent} sent, {delivered} delivered");
    }
    for kind in ["sealed", "reset", "short"] {
        assert_eq!(frames[kind][2], 0, "forged frames of kind {kind} have an effect");
    }
}

/// Each flaw violates the property that it is about, in a run that can be repeated.
#[test]
fn every_planted_flaw_is_found() {
    let document = document();
    assert!(FLAWS.len() >= 40);
    let all: BTreeSet<Flaw> = FLAWS.iter().map(|(flaw, ..)| *flaw).collect();
    assert_eq!(all.len(), FLAWS.len());
    let mut wrong = vec![];
    for (flaw, world, property) in FLAWS {
        let row = format!(" | {world} | `{property:?}` |");
        let is_row = |line: &str| line.starts_with(&format!("| `{flaw:?}` | ")) && line.ends_with(&row);
        assert!(document.lines().any(is_row), "docs/handshake-model.md: {flaw:?}{row}");
        let world = World { flaw: Some(*flaw), ..named(world).expect("a world") };
        match search(&world, LIMIT).violation {
            Some((violation, _)) if violation.property == *property => {}
            Some((violation, run)) => wrong.push(format!("{flaw:?}: {violation:?}\n{}", chart(&world, &run))),
            None => wrong.push(format!("{flaw:?}: not found")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is bound twice is safe with one of both.
#[test]
fn harmless_changes_violate_nothing() {
    let document = document();
    for (change, name) in HARMLESS {
        assert!(document.contains(&format!("| `{change:?}` | ")), "docs/handshake-model.md: {change:?}");
        held(&World { flaw: Some(*change), ..named(name).expect("a world") }, LIMIT);
    }
    assert!(HARMLESS.iter().all(|(change, _)| FLAWS.iter().all(|(flaw, ..)| flaw != change)));
}

/// Every property is violated by some flaw: none is empty.
#[test]
fn every_property_is_violated_by_a_flaw() {
    use Property::*;
    let all = [
        Secrecy,
        ForwardSecrecy,
        HybridSecrecy,
        EpochSecrecy,
        Agreement,
        ExpectedPeer,
        Authenticity,
        Ends,
        Replacement,
        Nonces,
        IdentityHiding,
        Downgrade,
        ValidatedAddress,
        ProvenAddress,
        ResetSecrecy,
        Undisturbed,
    ];
    let missing: Vec<Property> =
        all.into_iter().filter(|property| !FLAWS.iter().any(|(_, _, violated)| violated == property)).collect();
    assert!(missing.is_empty(), "no flaw violates {missing:?}");
}

/// The chart of a counterexample shows who did what, and which frames the attacker made.
#[test]
fn chart_shows_the_run_of_a_counterexample() {
    let world = World { flaw: Some(Flaw::UnknownEnds), ..named("control").expect("a world") };
    let (_, run) = search(&world, LIMIT).violation.expect("a violation");
    let chart = chart(&world, &run);
    assert_eq!(run.len(), 4, "{chart}");
    for part in ["begins connection 0", "├─▶ initiate stack from L.a0", "respond to L.a0", "◆ unknown to L.a0"]
    {
        assert!(chart.contains(part), "{part} is missing in\n{chart}");
    }
}

/// Minutes: `cargo test --release -p nacre-handshakes -- --ignored`.
#[test]
#[ignore = "long"]
fn model_holds_in_every_wide_world() {
    for world in wide_worlds() {
        let outcome = held(&world, WIDE_LIMIT);
        println!("{}: {} states, {} moves, depth {}", world.name, outcome.states, outcome.moves, outcome.depth);
    }
}
