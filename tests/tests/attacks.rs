//! Every frame of every stack with keys, with each byte changed, cut, extended, repeated, sent back, or of another connection:
//! it is dropped and counted, nothing of it is delivered, and afterwards the connection goes on.

use std::sync::Arc;

use nacre_stack::interpret::Outcome;
use nacre_stack::Stack;
use nacre_tests::keyed::{has_keys, open_pair, Host};
use nacre_tests::library::declared;
use nacre_tests::pair::Pair;

/// Stacks with keys in which messages arrive unchanged without chance.
fn stacks() -> Vec<(String, Stack)> {
    let chance = |stack: &Stack| stack.layers.iter().any(|layer| layer.random.is_some());
    let all = declared().into_iter().map(|declared| (declared.name.clone(), declared.compose().1));
    all.filter(|(_, stack)| has_keys(stack) && !chance(stack)).collect()
}

fn opened(stack: &Stack, keys: [[u8; 32]; 2]) -> Pair {
    open_pair(stack, &Arc::new(Host::default()), keys)
}

/// What was dropped: frames that the peer has not sent, or not now.
fn dropped(pair: &Pair, end: usize) -> u64 {
    ["impossible", "malformed"].iter().map(|name| pair.count(end, name)).sum()
}

/// Gives a frame to an endpoint; nothing may come of it but that it is counted. It is not accepted: hosts take a frame that is for
/// a sign that the peer lives.
fn is_dropped(pair: &mut Pair, end: usize, frame: &[u8], what: &str) {
    let (outputs, frames, before) = (pair.outputs.len(), pair.frames.len(), dropped(pair, end));
    assert_eq!(pair.give(end, frame), Outcome::Dropped, "{what} was accepted");
    assert_eq!((pair.outputs.len(), pair.frames.len()), (outputs, frames), "{what} had an effect");
    assert_eq!(dropped(pair, end), before + 1, "{what} was not counted");
}

/// The variants of a frame that nobody sent. The lowest bits of the first byte are the shape.
fn variants(frame: &[u8]) -> Vec<(Vec<u8>, String)> {
    let mut all = vec![];
    for at in 0..frame.len() {
        for bit in 0..8 {
            let mut changed = frame.to_vec();
            changed[at] ^= 1 << bit;
            all.push((changed, format!("bit {bit} of byte {at}")));
        }
        all.push((frame[..at].to_vec(), format!("{at} of {} bytes", frame.len())));
    }
    for more in [1, 15, 16, 17] {
        all.push(([frame, &vec![0; more]].concat(), format!("{more} bytes more")));
    }
    all
}

/// Whether a variant differs in the kind of the message alone: data, or of a layer. What is sealed repeats it, so it has no effect.
fn differs_in_kind(stack: &Stack, one: &[u8], two: &[u8]) -> bool {
    let parsed = |frame: &[u8]| stack.parse(&stack.layouts[0], frame);
    match (parsed(one), parsed(two)) {
        (Some(a), Some(b)) => a.headers == b.headers && one[a.size..] == two[b.size..],
        _ => false,
    }
}

#[test]
fn frames_that_the_peer_did_not_send_are_dropped_and_counted() {
    let stacks = stacks();
    assert!(stacks.len() >= 5, "{}", stacks.len());
    for (name, stack) in stacks {
        let (mut pair, mut other) = (opened(&stack, [[1; 32], [2; 32]]), opened(&stack, [[3; 32], [4; 32]]));
        for (n, end) in [(0u8, 0), (1, 1)] {
            pair.send_lost(end, &[n; 20]);
            other.send_lost(end, &[n; 20]);
            let (frame, foreign) = (pair.last().to_vec(), other.last().to_vec());
            let receiver = 1 - end;
            is_dropped(&mut pair, end, &frame, &format!("{name}: a frame that came back"));
            is_dropped(&mut pair, receiver, &foreign, &format!("{name}: a frame of another connection"));
            for (changed, what) in variants(&frame) {
                if !differs_in_kind(&stack, &frame, &changed) {
                    is_dropped(&mut pair, receiver, &changed, &format!("{name}: {what}"));
                }
            }
            let before = pair.outputs_of(receiver, "deliver").len();
            assert_eq!(pair.give(receiver, &frame), Outcome::Ok, "{name}: what was sent is still taken");
            assert_eq!(pair.outputs_of(receiver, "deliver").len(), before + 1, "{name}");
            is_dropped(&mut pair, receiver, &frame, &format!("{name}: a copy"));
            // Changed copies, too: with an old number, a new one, one that is too old.
            for (changed, what) in variants(&frame) {
                is_dropped(&mut pair, receiver, &changed, &format!("{name}: a copy, {what}"));
            }
        }
    }
}
