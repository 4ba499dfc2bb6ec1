//! The common paths of stacks of the library are those that are stored in `golden`, as `nacre explain --stage paths`
//! prints them. `BLESS=1` stores them anew.

use std::path::{Path, PathBuf};

use nacre_bypass::show::show;
use nacre_bypass::{bypass, paths, Form};
use nacre_driver::Session;
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::{BinaryOp, Entry, EventRole, Expr, ExprKind, PortId, Shape, Span};
use nacre_symbolic::guide::Why;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The paths of a stack, and the file that stores them.
fn examine(file: &str, stack: &str) {
    let mut session = Session::open(&[root().join(file)]);
    let composed = session.stack(stack).unwrap_or_else(|| panic!("{}", session.render(false)));
    let source = |span: Span| {
        let line = session.sources.slice(span).lines().next().unwrap_or_default();
        format!("{line} ({})", session.places(&[span]).split(':').next().unwrap_or_default())
    };
    let found = show(&composed, &source);
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{stack}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&stored, &found).expect("written");
    }
    let expected = std::fs::read_to_string(&stored).expect("readable");
    assert!(found == expected, "{stack}: not what {} stores:\n{found}", stored.display());
}

#[test]
fn paths_of_a_stack_that_orders_messages() {
    examine("layers/sequencer/tests.nacre", "sequencer_alone");
}

/// A message of data, and one that is sent, pass all layers in one direction, without a branch that is not marked.
#[test]
fn common_paths_of_a_reliable_stack_are_linear() {
    let mut session = Session::open(&[root().join("examples/reliable.nacre")]);
    let stack = session.stack("reliable_plain").unwrap_or_else(|| panic!("{}", session.render(false)));
    let carries = |shape: &Shape, name: &str| {
        shape.data && !shape.identified && shape.headers.iter().any(|id| stack.header(*id).name == name)
    };
    let (data, acknowledged) = (|shape: &Shape| carries(shape, "Data"), |shape: &Shape| carries(shape, "DataAck"));
    let shapes = &stack.layouts[0].shapes;
    let at = |wanted: &dyn Fn(&Shape) -> bool| shapes.iter().position(wanted).expect("a shape");

    let (found, refused) = paths(&stack, Entry::Frame(PortId(0), at(&data)));
    assert_eq!((found.len(), refused.len()), (1, 0));
    assert_eq!((found[0].form, found[0].handlers.len(), found[0].outputs.len()), (Form::Linear, 3, 1));
    assert!(found[0].branches.iter().all(|branch| branch.why != Why::Either));

    let (found, _) = paths(&stack, Entry::Frame(PortId(0), at(&acknowledged)));
    assert!(found.len() > 10 && found.iter().any(|path| path.form == Form::Splitting));

    let above = &stack.ports[1];
    let send = above.inputs.iter().position(|input| stack.event(input.event).role == EventRole::Sending);
    let (found, refused) = paths(&stack, Entry::Call(PortId(1), send.expect("messages are sent")));
    assert_eq!((found.len(), refused.len()), (2, 0));
    for path in &found {
        assert_eq!((path.form, path.outputs.len(), path.outputs[0].port(&stack)), (Form::Linear, 1, Some(PortId(0))));
    }
}

/// Nothing is left out: each call, each shape of a frame and each timer is an entry.
#[test]
fn entries_are_all_events_from_outside() {
    let mut session = Session::open(&[root().join("examples/reliable.nacre")]);
    let stack = session.stack("reliable_plain").unwrap_or_else(|| panic!("{}", session.render(false)));
    let all = Entry::all(&stack);
    let calls = stack.ports.iter().filter(|port| port.frames.is_none()).map(|port| port.inputs.len()).sum::<usize>();
    assert_eq!(all.len(), calls + stack.layouts[0].shapes.len() + stack.timers.len());
}

/// Whether an element is in a set is a condition that a bypass can ask, at a place that the frame or the call gives.
#[test]
fn elements_of_sets_are_asked_for_on_bypasses() {
    let source = "import \"../layers/interfaces.nacre\";
        import \"../layers/floor/floor.nacre\";
        worker once over channel {
            header Once { at: 0..16 }
            state { seen: bits<16>, sent: bits<16>, next: u8 }
            down send(m) {
                let at = next as 0..16 else { drop m; return; }
                if at in sent { drop m; return; }
                sent += at;
                pass m + Once { at };
            }
            up deliver(m - Once { at }) {
                if at in seen { drop m; return; }
                seen += at;
                pass m;
            }
        }
        stack st = once / floor;";
    let mut session = Session::from_text(&root().join("tests/sets.nacre"), source);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let at = stack.layouts[0].shapes.iter().position(|shape| shape.data && !shape.identified).expect("a shape");
    let (frames, _) = paths(&stack, Entry::Frame(PortId(0), at));
    let (calls, _) = paths(&stack, Entry::Call(PortId(1), 0));
    assert!(!frames.is_empty() && !calls.is_empty());
    for path in frames.iter().chain(&calls) {
        let made = bypass(&stack, path).unwrap_or_else(|why| panic!("{}", why.what));
        let asks = made.condition.any(|node| matches!(node, Node::Expr(e) if is_member(e)));
        assert!(asks, "{:?}", made.condition);
    }
}

fn is_member(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Binary(BinaryOp::Member, ..))
}
