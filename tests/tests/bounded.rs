//! Messages of a bounded length: the values of the type, the bound of stored messages, and equal behaviour at every
//! level.

use nacre_driver::Session;
use nacre_stack::Stack;
use nacre_tests::machines::Machines;
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

/// Bounded messages in options, containers, structs, functions, tuples and filters; unbounded ones where the text says
/// `BOUND`.
const LAYERS: &str = "
import \"../layers/interfaces.nacre\";
import \"../layers/floor/floor.nacre\";

filter xor { byte(a: u8, b: u8) { yield a ^ b; } }

worker holds<N: u32 = 100> {
    header Kept {}
    struct Entry { size: u32, held: msgBOUND }
    state {
        queue: ring<msgBOUND, 8>,
        last:  msgBOUND?,
        sum:   msgBOUND?,
        slots: pool<Entry, 4>,
        wide:  ring<msg, 1>,
    }
    counters { too_long, full }

    down send(m) {
        let short = m as msg<N> else {
            count too_long;
            cut(m);
            return;
        }
        queue.push(share short) else { count full; }
        let old = last.take() else {
            last = some(share short);
            pass short;
            return;
        }
        let both = (share old, share short) through xor;
        sum = some(both);
        let size = old.len;
        let entry = Entry { size, held: old };
        let slot = slots.add(entry) else { drop entry; slots.clear(); pass short; return; }
        if slots[slot].held.len != size { count broken_entry; }
        last = some(first_of(share short));
        pass short;
    }

    up deliver(m - Kept {}) { pass m; }

    up open(_) {
        while let m = queue.pop() { below.send(m + Kept {}); }
        pass;
    }

    up deliver(m) {
        while let kept = queue.pop() { above.deliver(kept); }
        if let m = sum { above.deliver(share m); }
        for (slot, e) in slots { above.deliver(share e.held); }
        let fits = share m as msg<20> else { pass m; return; }
        above.deliver(fits);
        pass m;
    }

    fn cut(m: msg) {
        let head = slice(m, 0, 50);
        last = some(share head);
        below.send(head);
        let tail = rest(m, 50) as msg<80> else { count too_long; return; }
        below.send(tail);
    }

    fn first_of(m: msg<N>) -> msgBOUND { return m; }
}


stack held = holds / floor;
";

fn stack(bound: &str) -> (Session, Stack) {
    let text = LAYERS.replace("BOUND", bound);
    let mut session = Session::from_text(&root().join("tests/bounded.nacre"), &text);
    let stack = session.stack("held").unwrap_or_else(|| panic!("{}", session.render(false)));
    (session, stack)
}

#[test]
fn bounded_messages_behave_the_same_at_every_level() {
    for bound in ["", "<N>", "<200>"] {
        let (session, stack) = stack(bound);
        let machines = Machines::of(session, stack);
        let mut tally = Tally::default();
        storm(&machines.stack, &machines.lockstep(), 5, 2000, &mut tally)
            .unwrap_or_else(|why| panic!("{bound}: {why}"));
        let counted = |name: &str| tally.counter(&format!("holds.{name}"));
        assert!(counted("too_long") > 0 && counted("full") > 0, "{:?}", tally.counters);
        assert!(tally.counter("broken") == 0 && counted("broken_entry") == 0, "{:?}", tally.counters);
    }
}

/// The bound of stored messages follows from the types of their places.
#[test]
fn kept_messages_take_the_room_of_their_bound() {
    let (_, narrow) = stack("<N>");
    let bytes = |stack: &Stack| stack.bounds.blocks * stack.bounds.block;
    // 8 in the queue, `last`, `sum` and 4 slots; and the longest call, of which one step keeps a part.
    assert!(bytes(&narrow) < 8 * 1024 + narrow.bounds.frame_data, "{:?}", narrow.bounds);
    let printed = nacre_stack::print(&narrow);
    assert!(!printed.contains("msg<"), "the stack IR knows one type of message");
    // The same layers without the comparison keep frames of any length.
    let text =
        LAYERS.replace("BOUND", "").replace("m as msg<N> else {", "m as msg<1000000> else {").replace("msg<N>", "msg");
    let mut session = Session::from_text(&root().join("tests/bounded.nacre"), &text);
    let wide = session.stack("held").unwrap_or_else(|| panic!("{}", session.render(false)));
    assert!(bytes(&wide) > 4 * bytes(&narrow), "{:?} against {:?}", wide.bounds, narrow.bounds);
}
