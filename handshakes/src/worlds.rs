//! The worlds that are searched. Each is about a part of the design, so that its runs can all be made.

use crate::noise::{Pattern, Suite};
use crate::world::{Address, Attacker, Limits, Member, Start, World};

const A: Address = 0;
const B: Address = 1;
const C: Address = 2;

/// A member that begins connections and serves none.
const CLIENT: Member =
    Member { keys: true, psk: false, serves: &[], plain: None, identity: "0", answers: 0, secret: 0 };

/// A member that serves one stack.
const SERVER: Member = Member { serves: &["stack"], answers: 1, secret: 1, ..CLIENT };

/// A member with the common secret and no key.
const SHARES: Member = Member { keys: false, psk: true, ..CLIENT };

const XX: Start =
    Start { by: A, to: B, pattern: Pattern::Xx, suite: Suite::Hybrid, stack: "stack", wants: "any", is_pinned: false };
const IK: Start = Start { pattern: Pattern::Ik, ..XX };
const PSK: Start = Start { pattern: Pattern::Psk, ..XX };

const CLASSICAL: Suite = Suite::X25519;

/// Limits in which nothing but handshakes happens.
const NOTHING: Limits = Limits { data: 0, epochs: 0, ends: 0, pings: 0, repeats: 0, restarts: 0, restarts_at: None };

fn world(name: &'static str, about: &'static str, members: &[Member], starts: &[Start]) -> World {
    World {
        name,
        about,
        members: members.to_vec(),
        starts: starts.to_vec(),
        limits: NOTHING,
        attacker: Attacker::default(),
        proof: false,
        moves: false,
        flaw: None,
    }
}

/// A start with X25519 alone: the search of what does not depend on the suite has fewer states.
fn classical(start: Start) -> Start {
    Start { suite: CLASSICAL, ..start }
}

/// All worlds. They are searched in the default tests.
pub fn worlds() -> Vec<World> {
    [handshakes(), identities(), first_frames(), lives()].concat()
}

/// A member with the common secret instead of a key.
fn sharing(member: Member) -> Member {
    Member { keys: false, psk: true, ..member }
}

/// Worlds about the handshake.
fn handshakes() -> Vec<World> {
    let server2 = Member { answers: 2, ..SERVER };
    let two_stacks = Member { serves: &["stack", "other"], ..SERVER };
    vec![
        world("first-contact", "XX: neither knows the other", &[CLIENT, SERVER], &[classical(XX)]),
        world("known-key", "IK: the initiator knows the responder", &[CLIENT, server2], &[classical(IK)]),
        world("common-secret", "NNpsk0", &[SHARES, sharing(SERVER)], &[classical(PSK)]),
        world("hybrid", "XX with the KEM", &[CLIENT, SERVER], &[XX]),
        world("hybrid-known-key", "IK with the KEM", &[CLIENT, SERVER], &[IK]),
        world("hybrid-common-secret", "NNpsk0 with the KEM", &[SHARES, sharing(SERVER)], &[PSK]),
        World {
            attacker: Attacker { breaks_dh: true, ..Attacker::default() },
            ..world("broken-dh", "NNpsk0 with the KEM; the attacker breaks X25519", &[SHARES, sharing(SERVER)], &[PSK])
        },
        World {
            attacker: Attacker { psk: true, is_passive: true, ..Attacker::default() },
            ..world("insider", "one who has the common secret listens", &[SHARES, sharing(SERVER)], &[classical(PSK)])
        },
        world("two-stacks", "the responder serves another stack, too", &[CLIENT, two_stacks], &[classical(XX)]),
        world(
            "other-stack",
            "the responder serves another stack only",
            &[CLIENT, SERVER],
            &[Start { stack: "other", ..XX }],
        ),
    ]
}

/// Worlds about who the ends are.
fn identities() -> Vec<World> {
    let compromised = |statics| Attacker { statics, ..Attacker::default() };
    let hidden = Attacker { knows_no_publics: true, ..Attacker::default() };
    vec![
        World {
            attacker: compromised(&[A]),
            ..world(
                "compromised-initiator",
                "XX and IK, and the attacker has a's key",
                &[CLIENT, SERVER],
                &[classical(XX), classical(IK)],
            )
        },
        World {
            attacker: compromised(&[B]),
            ..world("compromised-responder", "IK, and the attacker has b's key", &[CLIENT, SERVER], &[classical(IK)])
        },
        World {
            attacker: compromised(&[B]),
            ..world("compromised-peer", "XX, and the attacker has b's key", &[CLIENT, SERVER], &[classical(XX)])
        },
        World {
            attacker: Attacker { is_passive: true, ..hidden },
            ..world("passive", "XX: who only listens learns no identity", &[CLIENT, SERVER], &[classical(XX)])
        },
        World {
            attacker: hidden,
            ..world("hidden", "XX: a's identity is shown to its peer alone", &[CLIENT, SERVER], &[classical(XX)])
        },
        World {
            attacker: hidden,
            ..world("hidden-known-key", "IK: a's identity is shown to b alone", &[CLIENT, SERVER], &[classical(IK)])
        },
        world(
            "pinned",
            "XX with a peer that the application expects",
            &[CLIENT, SERVER],
            &[Start { is_pinned: true, ..classical(XX) }],
        ),
        world(
            "reflection",
            "both listen and have the common secret; so can a alone, by the attacker's mirror",
            &[Member { serves: &["stack"], answers: 1, ..SHARES }, sharing(SERVER)],
            &[classical(PSK)],
        ),
        world(
            "three-members",
            "three members have the common secret; a wants b",
            &[
                Member { identity: "1", ..SHARES },
                Member { identity: "2", ..sharing(SERVER) },
                Member { identity: "3", secret: 2, ..sharing(SERVER) },
            ],
            &[Start { wants: "2", ..classical(PSK) }],
        ),
        World { proof: true, ..world("proof", "every address is proven first", &[CLIENT, SERVER], &[classical(IK)]) },
    ]
}

/// Worlds about what a responder does with first frames.
fn first_frames() -> Vec<World> {
    vec![
        World {
            proof: true,
            ..world("proof-first-contact", "every address is proven first", &[CLIENT, SERVER], &[classical(XX)])
        },
        world(
            "downgrade",
            "a plain stack is served beside the secure one",
            &[CLIENT, Member { plain: Some("plain"), ..SERVER }],
            &[XX],
        ),
    ]
}

/// Worlds about connections that are open.
fn lives() -> Vec<World> {
    let server2 = Member { answers: 2, ..SERVER };
    let one = [classical(IK)];
    let two = [classical(IK), classical(IK)];
    let back = Start { by: B, to: A, ..classical(IK) };
    let listener = Member { secret: 2, answers: 0, ..SERVER };
    let at_b = Limits { data: 1, restarts: 1, restarts_at: Some(B), ..NOTHING };
    vec![
        world("replacement", "a connects twice", &[CLIENT, server2], &two),
        world(
            "both-begin",
            "a and b begin at the same time",
            &[Member { secret: 0, ..SERVER }, SERVER],
            &[classical(IK), back],
        ),
        with(
            Limits { ends: 1, pings: 1, repeats: 1, ..NOTHING },
            world("control", "pings, ends, repetitions", &[CLIENT, SERVER], &one),
        ),
        with(Limits { data: 2, ..NOTHING }, world("data", "messages in both directions", &[CLIENT, SERVER], &one)),
        with(
            Limits { data: 2, epochs: 1, ..NOTHING },
            world("epochs", "messages in two epochs", &[CLIENT, SERVER], &one),
        ),
        with(at_b, world("restart", "the responder loses its state", &[CLIENT, SERVER], &one)),
        with(
            Limits { data: 0, ..at_b },
            world("restart-twice", "a connects twice, the responder loses its state", &[CLIENT, server2], &two),
        ),
        with(
            Limits { data: 2, ..at_b },
            world("restart-data", "the responder loses its state after messages", &[CLIENT, server2], &one),
        ),
        with(
            Limits { data: 1, ..NOTHING },
            world("two-listeners", "another listener of the same host", &[CLIENT, SERVER, listener], &one),
        ),
        World {
            moves: true,
            ..with(
                Limits { data: 1, pings: 1, ..NOTHING },
                world("address-change", "frames arrive from other addresses", &[CLIENT, SERVER], &one),
            )
        },
    ]
}

/// Larger worlds, for long searches.
pub fn wide_worlds() -> Vec<World> {
    let server2 = Member { answers: 2, ..SERVER };
    let one = [classical(IK)];
    let two = [classical(IK), classical(IK)];
    let both = |member: Member| Member { psk: true, ..member };
    let (other, client) = (Member { secret: 2, ..CLIENT }, Start { by: C, ..classical(IK) });
    let life = Limits { data: 1, ends: 1, pings: 1, restarts: 1, ..NOTHING };
    let server3 = Member { answers: 3, ..SERVER };
    vec![
        with(
            Limits { ends: 1, ..NOTHING },
            world("wide-replacement", "a connects twice, or again after an end", &[CLIENT, server2], &two),
        ),
        with(
            Limits { data: 3, epochs: 2, ..NOTHING },
            world("wide-epochs", "messages in three epochs", &[CLIENT, SERVER], &one),
        ),
        with(life, world("wide-life", "all that happens to an open connection", &[CLIENT, SERVER], &one)),
        world("wide-known-key", "IK with the KEM, three handshakes of the responder", &[CLIENT, server3], &[IK]),
        world("wide-first-contact", "XX, two handshakes of the responder", &[CLIENT, server2], &[classical(XX)]),
        World {
            attacker: Attacker { statics: &[B], ..Attacker::default() },
            ..world(
                "wide-compromised",
                "XX and IK, and the attacker has b's key",
                &[CLIENT, SERVER],
                &[classical(XX), classical(IK)],
            )
        },
        world("wide-patterns", "XX and psk", &[both(CLIENT), both(server2)], &[classical(XX), classical(PSK)]),
        world("wide-three", "two initiators", &[CLIENT, server2, other], &[classical(IK), client]),
    ]
}

fn with(limits: Limits, world: World) -> World {
    World { limits, ..world }
}

/// The world of this name.
pub fn named(name: &str) -> Option<World> {
    worlds().into_iter().chain(wide_worlds()).find(|world| world.name == name)
}
