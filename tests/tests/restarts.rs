//! Crash, restart, strangers and stale frames over the runtime's own router core, for stacks of the library.

use nacre_driver::Level;
use nacre_hosts::{repeat, search, Bounds, Choice, Searched, Service, Subject, Verdict};
use nacre_tests::library::{find, open, Declared};
use nacre_tests::machines::Machines;
use nacre_tests::soaking;
use nacre_worlds::world::{self, between};

/// The stack, compiled twice, and what it promises.
fn subject(declared: &Declared) -> Subject {
    let machines = Machines::new(declared);
    let mut other = (*machines.stack).clone();
    other.layouts[0].fingerprint = !other.layouts[0].fingerprint;
    let load = |stack| {
        let machines = Machines::of(open(&declared.file), stack);
        machines.load(&machines.text(Level::Inline)).expect("C that compiles")
    };
    let of = world::Subject { name: declared.name.clone(), is_layer: false };
    let automata = between(&machines.session, &of, None).above;
    let automata: Vec<_> =
        automata.iter().map(|one| machines.session.automaton(&one.name, &[]).expect("an automaton")).collect();
    Subject { stack: load((*machines.stack).clone()), other: load(other), service: Service::of(&automata) }
}

fn searched(subject: &Subject, bounds: &Bounds) -> Searched {
    search(subject, bounds, &|_| true).expect("hosts can run the stack")
}

fn words(searched: &Searched) -> String {
    match &searched.verdict {
        Verdict::Violated(violation) => format!("{}, after {:?}", violation.broken, violation.choices),
        verdict => format!("{verdict:?}, {:?}", searched.looked),
    }
}

#[test]
fn connections_survive_crashes_restarts_and_stale_frames() {
    let all = Service { intact: true, once: true, ordered: true, gapless: true, arrives: true };
    let bounds = match soaking() {
        true => Bounds { choices: 5, runs: 20_000, ..Bounds::default() },
        false => Bounds::default(),
    };
    for name in ["pt2pt_small", "reliable_plain", "reliable"] {
        let subject = subject(&find(name));
        assert_eq!(subject.service, all, "{name}");
        let found = searched(&subject, &bounds);
        println!("{name}: {}", words(&found));
        assert!(matches!(found.verdict, Verdict::Holds) && found.exhausted, "{name}: {}", words(&found));
        let looked = &found.looked;
        let least = [looked.crashes, looked.moves, looked.connections, looked.messages].into_iter().min();
        assert!(least > Some(looked.runs / 10), "{name}: {looked:?}");
        // A late frame confirms the connection of an earlier life; the one of the new life goes on.
        let late = "send-a0,deliver-0,send-b0,deliver-0,send-a0,crash-a,send-a0,deliver-0,deliver-1";
        let late: Vec<Choice> = late.split(',').map(|choice| choice.parse().expect("a choice")).collect();
        let found = repeat(&subject, &bounds, &late).expect("hosts can run the stack");
        assert!(matches!(found.verdict, Verdict::Holds), "{name}: {}", words(&found));
        assert_eq!((found.looked.choices, found.looked.connections), (late.len() as u64, 4), "{name}");
    }
}
