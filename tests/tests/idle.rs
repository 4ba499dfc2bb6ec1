//! Events that a host need not call, as they change nothing.

use nacre_analysis::idle::is_idle;
use nacre_driver::{Level, Session};
use nacre_stack::Stack;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::root;

fn stack(text: &str) -> Stack {
    let imports = ["check_fifo", "credit", "frag", "pt2pt", "reno", "sequencer", "floor"];
    let imports: String = imports.iter().map(|name| format!("import \"../layers/{name}/{name}.nacre\";\n")).collect();
    let mut session = Session::from_text(&root().join("tests/idle.nacre"), &format!("{imports}\nstack st = {text};"));
    session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)))
}

/// The names of the inputs that are idle, and of the others.
fn inputs(stack: &Stack) -> [Vec<String>; 2] {
    let all = stack.interface().into_iter().filter(|event| event.input.is_some());
    let (idle, busy): (Vec<_>, Vec<_>) = all.partition(|event| is_idle(stack, event));
    [idle, busy].map(|some| some.iter().map(|event| stack.event(event.event).name.clone()).collect())
}

#[test]
fn grants_are_idle_where_no_layer_counts_them() {
    for text in ["frag / pt2pt / floor", "frag / pt2pt / sequencer / reno / floor", "sequencer / floor"] {
        let [idle, busy] = inputs(&stack(text));
        assert_eq!(idle, ["grant_delivers"], "{text}");
        assert!(busy.contains(&"send".to_string()) && busy.contains(&"hello".to_string()), "{text}: {busy:?}");
    }
    for text in ["credit / pt2pt / floor", "check_fifo / credit / pt2pt / floor"] {
        let [idle, busy] = inputs(&stack(text));
        assert!(idle.is_empty() && busy.contains(&"grant_delivers".to_string()), "{text}: {idle:?}");
    }
}

/// The runtime learns of it from the descriptor.
#[test]
fn descriptor_tells_which_events_are_idle() {
    let machines = Machines::new(&find("reliable_plain"));
    let loaded = machines.load(&machines.text(Level::Inline)).expect("the C compiles");
    let idle: Vec<&str> = loaded.events().iter().filter(|event| event.idle).map(|event| event.name.as_str()).collect();
    assert_eq!(idle, ["grant_delivers"]);
}

/// A layer that counts, or that hands an event on later, does something with it.
#[test]
fn what_is_counted_or_comes_later_is_not_idle() {
    let with = |reaction: &str| {
        let text = format!(
            "interface line {{ down send(m: msg) down tell(n: u16) up deliver(m: msg) }}
            worker upper: line over line {{ counters {{ told }} state {{ last: u16 }} down tell(n) {{ {reaction} }} }}
            worker lower: line over line {{ down tell(_) {{ }} }}
            stack st = upper / lower;"
        );
        let mut session = Session::from_text(&root().join("tests/idle.nacre"), &text);
        let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
        inputs(&stack)[0].clone()
    };
    for reaction in ["pass;", "", "let twice = n + n; pass;", "return;"] {
        assert_eq!(with(reaction), ["tell"], "{reaction}");
    }
    for reaction in ["count told; pass;", "last = n; pass;", "later below.tell(n);", "assert n > 0; pass;"] {
        assert!(with(reaction).is_empty(), "{reaction}");
    }
}
