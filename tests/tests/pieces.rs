//! Messages joined from many pieces, or several messages stored at once, in a pool of few blocks: an admitted step
//! never runs out of space.

use std::path::Path;

use nacre_driver::Session;
use nacre_simulator::endpoint::{Maker, Opening};
use nacre_simulator::interface::{givens, Ends};
use nacre_simulator::random::Random;
use nacre_simulator::world::address;
use nacre_tests::machines::Machines;
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{in_parallel, root};

/// Layers that cut, join, keep and cut joined messages again.
const LAYERS: &str = "
import \"../layers/interfaces.nacre\";
import \"../layers/floor/floor.nacre\";

/// Cuts each message into grains of one byte, and sends them on joined.
worker sand {
    state { grains: list<msg, 60> }
    down send(m) {
        var at: u32;
        for _ in 0 .. 60 {
            if at + 1 >= m.len { break; }
            grains.push(slice(m, at, 1)) else unreachable;
            at += 1;
        }
        pass join(grains, rest(m, at));
    }
}

/// Gathers grains over many steps, all of one block, and lets none go before it is full.
worker heap {
    state { grains: list<msg, 40>, whole: ring<msg, 3> }
    down send(m) {
        grains.push(slice(m, 1, 1)) else {
            if whole.full { whole.clear(); }
            whole.push(join(grains, share m)) else unreachable;
        }
        pass m;
    }
    up deliver(m) {
        for x in whole { below.send(slice(x, 3, 20)); }
        pass m;
    }
}

/// Joins without storing, cuts what was joined, and joins it again with itself.
worker folded {
    state { last: ring<msg, 2> }
    down send(m) {
        var parts: list<msg, 8>;
        for _ in 0 .. 6 { parts.push(slice(m, 0, 5)) else unreachable; }
        let once = join(parts, slice(m, 2, 9));
        drop parts;
        var again: list<msg, 8>;
        for i in 0 .. 7 { again.push(slice(once, i as u32, 11)) else unreachable; }
        let twice = join(again, once);
        drop again;
        if last.full { last.clear(); }
        last.push(share twice) else unreachable;
        drop m;
        pass twice;
    }
    up open(_) {
        while let x = last.pop() { below.send(x); }
        pass;
    }
}

struct Three { x: msg, y: msg, z: msg }

/// Keeps several new messages by one statement.
worker shelf {
    state { row: Three?, books: list<msg, 5> }
    down send(m) {
        row = some(Three { x: pack(share m), y: pack(share m), z: pack(share m) });
        var made: list<msg, 5>;
        for _ in 0 .. 5 { made.push(pack(share m)) else unreachable; }
        books = made;
        pass m;
    }
}

/// Puts off what it gets three times over.
worker echo {
    down send(m) {
        later below.send(share m);
        later below.send(share m);
        later below.send(m);
    }
}

filter sum { state { all: u32 } byte(b: u8) { all = all * 31 + (b as u32); } result { all } }
filter both { state { all: u32 } byte(a: u8, b: u8) { all = all * 31 + ((a ^ b) as u32); } result { all } }

/// Reads parts of joined messages, and parts of parts: each needs pieces of its own while it is read.
worker sieve {
    state { grains: list<msg, 30>, seen: u32 }
    down send(m) {
        if m.len < 3 { pass m; return; }
        grains.push(slice(m, 0, 1)) else {
            let whole = join(grains, share m);
            seen += (whole.bytes[1 ..], whole.bytes[2 ..]) through both;
            seen += (whole.bytes ++ m.bytes ++ whole.bytes)[1 ..][2 ..] through sum;
            seen += (pack(share whole).bytes[1 ..], whole.bytes) through both;
            if whole.bytes[3 ..] through sum == m.bytes through sum { seen += 1; }
            drop whole;
        }
        pass m;
    }
}

/// Packs messages only to find out where to cut others.
worker measured {
    up deliver(m) {
        above.deliver(slice(m, (pack(share m).bytes through sum) % 5, 20));
        let front = slice(m, 1, 2);
        let at = pack(share front).bytes through sum;
        drop front;
        pass rest(m, at % 4);
    }
}

stack sieved   = sieve / floor;
stack weighed  = measured / floor;
stack echoed   = echo / floor;
stack shelved  = shelf / floor;
stack ground   = sand / floor;
stack heaped   = heap / sand / floor;
stack creased  = folded / sand / heap / floor;
stack put_off  = slow / sand / slow / folded / floor;

/// Stores what is in pieces until a step of its own.
worker slow {
    down send(m) { later below.send(m); }
}
";

fn composed(name: &str) -> (Session, nacre_stack::Stack) {
    let mut session = Session::from_text(&root().join("tests").join(Path::new("pieces.nacre")), LAYERS);
    let stack = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    (session, stack)
}

#[test]
fn bytes_that_are_read_to_cut_messages_have_a_layout() {
    let (session, stack) = composed("weighed");
    let machines = Machines::of(session, stack);
    let mut tally = Tally::default();
    storm(&machines.stack, &machines.lockstep(), 1, 600, &mut tally).expect("interpreter and C agree");
    assert!(tally.events > 100, "{tally:?}");
}

#[test]
fn stored_messages_are_never_lost_in_a_small_pool() {
    let starved = [("sieved", 33), ("shelved", 12), ("ground", 2), ("heaped", 4), ("creased", 9), ("put_off", 45)];
    let ran = in_parallel(&starved, |(name, blocks)| {
        let (session, mut stack) = composed(name);
        assert!(*name == "shelved" || stack.bounds.pieces >= 40, "{name}: {} pieces", stack.bounds.pieces);
        stack.bounds.blocks = stack.bounds.blocks.min(*blocks);
        let machines = Machines::of(session, stack);
        let mut tally = Tally::default();
        // C counts the same number of `broken` as the interpreter: none.
        storm(&machines.stack, &machines.lockstep(), u64::from(*blocks), 600, &mut tally).map(|()| tally)
    });
    for ((name, _), ran) in starved.iter().zip(ran) {
        let tally = ran.unwrap_or_else(|why| panic!("{name}: {why}"));
        println!("{name}: {:?}", tally.counters);
        assert_eq!(tally.counter("broken"), 0, "{name}");
        let starving = tally.counter("no_space");
        assert!(starving > 0 && starving < tally.events * 3 / 4, "{name}: {starving} of {} events", tally.events);
    }
}

/// Some `later` events have run and some wait, around the end of their ring.
#[test]
fn waiting_events_are_freed_at_the_end() {
    let (session, stack) = composed("echoed");
    let machines = Machines::of(session, stack);
    let (interface, maker) = (machines.interface(), machines.lockstep());
    let send = interface.input(None, "send").expect("it can send");
    let mut random = Random::new(1);
    for done in 0..9 {
        let givens = givens(&interface.givens, &mut random, 1, Ends { own: 0, peer: 1 }, address(1));
        let (mut end, _) = maker.open(&Opening { givens, seed: 1, now: 1 }).expect("it opens");
        let all = end.space().1;
        for step in 0..done {
            end.call(1, send, &[], None, &[step; 40]);
            end.tick(1);
        }
        end.call(1, send, &[], None, b"the last");
        assert!(end.deadline() == 0 && end.space().0 < all, "something waits, and is kept");
        end.discard();
        assert_eq!((end.space(), end.reports()), ((all, all), vec![]), "after {done} events");
    }
}
