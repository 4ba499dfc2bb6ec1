//! The guarantees of docs/wire.md about identification and numbers, on the library's own stack: when frames are
//! identified, what a lost first frame costs, the effect of an unknown cookie, and that old copies are not mistaken for
//! new ones.

use nacre_stack::interpret::Value;
use nacre_tests::library::find;
use nacre_tests::pair::{Pair, Sent, COOKIES};

fn identified(frame: &[u8]) -> bool {
    frame[0] & 1 == 1
}

/// The receiver's cookie in a frame, as far as its sender knows it.
fn cookie(frame: &[u8]) -> u32 {
    u32::from_le_bytes(frame[..4].try_into().expect("four bytes")) >> 8
}

/// Frames that are identified although the sender had received its own cookie, or not although it had not.
fn misnamed(frames: &[Sent]) -> Vec<usize> {
    let mut confirmed = [false; 2];
    let mut wrong = vec![];
    for (index, Sent { end, bytes }) in frames.iter().enumerate() {
        if identified(bytes) == confirmed[*end] {
            wrong.push(index);
        }
        // It arrives at once: an endpoint that reads its own cookie knows that the peer has it.
        confirmed[1 - end] |= cookie(bytes) == COOKIES[1 - end];
    }
    wrong
}

#[test]
fn frames_are_identified_only_until_the_peer_has_used_the_cookie() {
    for name in ["reliable_plain", "reliable"] {
        let mut pair = Pair::open(&find(name).compose().1);
        for _ in 0..5 {
            pair.send(0, b"before anybody answers");
        }
        for round in 0..200 {
            pair.send(round % 2, b"to and fro");
        }
        let named = pair.frames.iter().filter(|sent| identified(&sent.bytes)).count();
        // `reliable` acknowledges the second message already.
        let least = if name == "reliable" { 3 } else { 6 };
        assert!(named >= least && pair.frames.len() > 190 + named, "{named} of {}", pair.frames.len());
        assert_eq!(misnamed(&pair.frames), Vec::<usize>::new(), "{name}");
        assert_eq!(pair.outputs_of(0, "deliver").len() + pair.outputs_of(1, "deliver").len(), 205);
    }
}

#[test]
fn lost_first_frame_costs_only_one_retransmission() {
    let mut pair = Pair::open(&find("reliable_plain").compose().1);
    pair.lose = 1;
    pair.send(0, b"first");
    assert!(pair.outputs_of(1, "deliver").is_empty(), "the frame is lost");
    pair.wait(0);
    assert_eq!(pair.outputs_of(1, "deliver"), [b"first"]);
    pair.send(1, b"answer");
    pair.send(0, b"second");
    assert_eq!(pair.outputs_of(1, "deliver"), [&b"first"[..], b"second"]);
    assert_eq!(pair.outputs_of(0, "deliver"), [b"answer"]);
    for end in 0..2 {
        assert_eq!(pair.outputs_of(end, "open").len(), 1, "each learns once that the other is there");
        assert_eq!(pair.count(end, "impossible"), 0);
    }
    assert_eq!((pair.count(0, "pt2pt.retransmitted"), pair.count(1, "pt2pt.retransmitted")), (1, 0));
}

#[test]
fn unknown_cookie_makes_the_sender_identify_itself_until_it_is_known_again() {
    let mut pair = Pair::open(&find("reliable_plain").compose().1);
    for round in 0..6 {
        pair.send(round % 2, b"hello");
    }
    assert!(!identified(pair.last()));
    pair.event(0, 0, "unknown", b"");
    let before = pair.frames.len();
    pair.send(0, b"who I am");
    assert!(identified(&pair.frames[before].bytes), "the next frame says everything");
    pair.send(1, b"I know you");
    let after = pair.frames.len();
    pair.send(0, b"good");
    assert!(!identified(&pair.frames[after].bytes), "and then no more");
    assert_eq!(pair.outputs_of(1, "deliver").len(), 5);
    assert_eq!(pair.count(0, "floor.unknown"), 1);
    assert_eq!(pair.outputs_of(1, "open").len(), 1, "the application is not notified again");
}

#[test]
fn copies_of_two_minutes_at_a_million_frames_a_second_are_not_accepted_as_new() {
    let stack = find("reliable_plain").compose().1;
    let got =
        stack.cells.iter().position(|c| c.name == "got" && stack.layer(c.layer).name == "pt2pt").expect("a window");
    let told =
        stack.cells.iter().position(|c| c.name == "told" && stack.layer(c.layer).name == "pt2pt").expect("a number");
    let mut ages: Vec<u64> = (7..27).map(|bit| 1 << bit).collect();
    ages.extend([100_000_000, 120_000_000]);
    for age in ages {
        let mut pair = Pair::open(&stack);
        for round in 0..4 {
            pair.send(round % 2, b"hello");
        }
        pair.send(0, b"once");
        let copy = pair.last().to_vec();
        pair.wait(1);
        // After that number of messages.
        let machine = &mut pair.ends[1];
        let Value::Window(window) = machine.cell(nacre_stack::CellId(got as u32)) else { panic!("a window") };
        let mut window = window.clone();
        let next = window.next + age - 1;
        (window.low, window.next, window.high) = (next, next, next);
        machine.set_cell(nacre_stack::CellId(got as u32), Value::Window(window));
        machine.set_cell(nacre_stack::CellId(told as u32), Value::Num(next));
        let delivered = pair.outputs_of(1, "deliver").len();
        pair.give(1, &copy);
        assert_eq!(pair.outputs_of(1, "deliver").len(), delivered, "a copy of {age} messages ago was delivered");
    }
}
