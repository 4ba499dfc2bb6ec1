//! Stacks with more shapes of frames than one byte can number: their numbers have a longer form on the wire.

use nacre_driver::Session;
use nacre_simulator::world::address;
use nacre_tests::machines::Machines;
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

/// A layer that adds each of its headers in turn, and counts the received ones; alone, and packed by another.
fn source(headers: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..headers).map(line).collect::<Vec<_>>().join("\n");
    let declared = each(&|n| format!("    header Head{n} {{ bit: bool }}"));
    let arms = each(&|n| format!("            {n} => {{ below.send(m + Head{n} {{ bit: {n} == 7 }}); }}"));
    let handlers = each(&|n| {
        format!(
            "    up deliver(m - Head{n} {{ bit }}) {{ if bit == ({n} == 7) {{ above.deliver(m); }} else {{ drop m; \
            count wrong; }} count h{n}; }}"
        )
    });
    let counters = (0..headers).map(|n| format!("h{n}")).collect::<Vec<_>>().join(", ");
    format!(
        "import \"../layers/interfaces.nacre\";
import \"../layers/floor/floor.nacre\";

worker many {{
{declared}
    state {{ next: 0..{headers} }}
    counters {{ wrong, {counters} }}
    down send(m) {{
        let now = next;
        let then = ((now as u32 + 1) % {headers}) as 0..{headers} else unreachable;
        next = then;
        match now {{
{arms}
        }}
    }}
{handlers}
}}

worker packer {{
    counters {{ bad }}
    down send(m) {{ pass pack(m); }}
    up deliver(m) {{ pass unpack(m) else {{ count bad; return; }} }}
}}

stack bare   = many / floor;
stack packed = many / packer / floor;
"
    )
}

fn machines(name: &str, headers: usize) -> Machines {
    let mut session = Session::from_text(&root().join("tests/shapes.nacre"), &source(headers));
    let stack = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    Machines::of(session, stack)
}

#[test]
fn every_shape_arrives_as_itself_and_damaged_ones_are_the_same_to_all() {
    // In frames, numbers below 126 take one byte, in packed messages those below 255; 256 headers need more than a byte
    // in C.
    for (name, headers) in [("bare", 130), ("packed", 258)] {
        let machines = machines(name, headers);
        let (interface, maker) = (machines.interface(), machines.lockstep());
        let send = interface.input(None, "send").expect("it can send");
        let [mut a, mut b] = machines.endpoints(&maker);
        for round in 0..headers {
            for output in a.call(1, send, &[], None, &[round as u8; 3]).outputs {
                let frame = output.message.expect("a frame");
                let came = b.input(1, address(0), &frame).outputs;
                let delivered: Vec<&Vec<u8>> =
                    came.iter().filter(|o| !o.is_frame()).filter_map(|o| o.message.as_ref()).collect();
                assert_eq!(delivered, [&vec![round as u8; 3]], "{name}, message {round}");
                for answer in came.iter().filter(|o| o.is_frame()) {
                    a.input(1, address(1), answer.message.as_ref().expect("a frame"));
                }
            }
        }
        let counters = b.counters();
        for header in 0..headers {
            let counted = interface.counter(&counters, &format!("many.h{header}"));
            assert_eq!(counted, Some(1), "{name}: header {header}");
        }
        assert_eq!((interface.counter(&counters, "many.wrong"), a.reports(), b.reports()), (Some(0), vec![], vec![]));
        let mut tally = Tally::default();
        storm(&machines.stack, &maker, 5, 3000, &mut tally).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(tally.counter("malformed") > 20 && tally.counter("broken") == 0, "{name}: {:?}", tally.counters);
    }
}
