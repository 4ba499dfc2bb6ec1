//! Every error of composition, and its message.

use nacre_compose::{compose, Options};
use nacre_diagnostics::Diagnostic;
use nacre_stack::samples::build::*;
use nacre_stack::*;
use nacre_typed::{Fragment, ABOVE};

use crate::layers::*;

fn errors(layers: &[Fragment]) -> Vec<Diagnostic> {
    compose("test", layers, &Options::default()).expect_err("it should not be a stack")
}

/// The one error: its code and its text.
fn error(layers: &[Fragment]) -> (&'static str, String) {
    let mut found = errors(layers);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = found.remove(0);
    assert!(found.is_error());
    let mut text = found.message;
    found.label.iter().chain(&found.secondary).for_each(|l| text += &format!("\n  at: {}", l.text));
    found.notes.iter().for_each(|n| text += &format!("\n  because {n}"));
    found.help.iter().for_each(|h| text += &format!("\n  help: {h}"));
    (found.code, text)
}

fn expect(layers: &[Fragment], code: &str, text: &str) {
    let (found, words) = error(layers);
    assert_eq!((found, words.as_str()), (code, text), "\n{words}");
}

#[test]
fn no_layers() {
    expect(&[], "C0001", "a stack needs at least one layer\n  help: write `stack name = upper / lower;`");
}

#[test]
fn neighbours_that_do_not_fit() {
    let (code, text) = error(&[floor(), floor()]);
    assert_eq!(code, "C0002");
    assert!(text.contains("`floor` does not fit over `floor`"), "{text}");
    assert!(
        text.contains("because `floor` emits `down send(addr, msg)`, but `floor` declares `down send(msg)`"),
        "{text}"
    );
    assert!(
        text.contains("because `floor` emits `up deliver(msg)`, but `floor` declares `up deliver(addr, msg)`"),
        "{text}"
    );
}

#[test]
fn a_variant_without_a_handler() {
    let mut l = silent();
    let c = channel_of(&l);
    let mark = l.header("Mark", &[]);
    l.on(c.send, None, |_, a| vec![emit(DOWN, c.send, vec![push(a[0].clone(), mark, vec![])])]);
    let text = "`silent` has no handler for `deliver` with its header `Mark`\n  at: `deliver` comes here with `Mark`\
                \n  at: `plain.up.deliver` emits it\
                \n  because every variant must have exactly one handler for each event that can carry it\
                \n  help: add `up deliver(m - Mark {}) { ... }`";
    expect(&[l.done(), plain_floor()], "C0003", text);
}

#[test]
fn two_handlers_for_one_variant() {
    let mut l = silent();
    let c = channel_of(&l);
    l.on(c.close, None, |_, _| vec![]);
    l.on(c.close, None, |_, _| vec![]);
    let text = "`silent` has two handlers for `close`\n  at: the second\n  at: the first\
                \n  because every variant must have exactly one handler for each event that can carry it";
    expect(&[l.done(), plain_floor()], "C0004", text);
}

#[test]
fn an_event_without_a_receiver() {
    let mut l = silent();
    let c = channel_of(&l);
    let grant = l.event("grant_delivers", Direction::Down, &[("n", Type::UInt(16))]);
    l.on(c.deliver, None, |_, a| vec![release(&a[0]), emit(DOWN, grant, vec![num(1, Type::UInt(16))])]);
    let text = "event `grant_delivers` has no handler, and no port accepts it\n  at: `silent.up.deliver` emits it\
                \n  at: `plain` is the lowest layer; the interface below it has no event `grant_delivers`\
                \n  help: handle it in a lower layer, for example by `down grant_delivers(..) { }`";
    expect(&[l.done(), plain_floor()], "C0005", text);
}

#[test]
fn a_cycle_without_later() {
    let text = "a cycle of events without `later`: a step may not terminate\
                \n  at: `echo.up.deliver` emits `send`\n  at: `local.down.send` emits `deliver`\
                \n  because the cycle is echo.up.deliver (data) -> local.down.send (data) -> echo.up.deliver (data)\
                \n  help: write `later` before one of these emissions: the event then begins a new step";
    expect(&[echo(), local(false), plain_floor()], "C0006", text);
    let (stack, _) = compose("test", &[echo(), local(true), plain_floor()], &Options::default()).expect("a stack");
    assert_eq!(stack.bounds.later, 2);
}

#[test]
fn too_many_outputs() {
    let (code, text) = error(&[burst(64), burst(64), burst(64), plain_floor()]);
    assert_eq!(code, "C0007");
    assert!(text.starts_with("a step that `burst_3.down.send` begins can cause more than 65536 events"), "{text}");
    assert!(text.contains("up to 262144 outputs"), "{text}");
}

#[test]
fn later_events_that_grow() {
    let (code, text) = error(&[echo(), local(true), burst_of_local(), plain_floor()]);
    assert_eq!(code, "C0008");
    assert!(text.contains("can grow without bound"), "{text}");
}

/// Returns the room for `later` events if a step of each event of `below` causes those that it names; or the error
/// code.
fn room_for_later(causes: &[(&str, &[&str])]) -> Result<u32, &'static str> {
    let mut text = String::from("worker upper: line over line {");
    let declared = causes.iter().map(|(event, _)| format!(" down {event}() up back_{event}()"));
    let interface =
        format!("interface line {{ down send(m: msg) up deliver(m: msg){} }}\n", declared.collect::<String>());
    for (event, caused) in causes {
        let later: String = caused.iter().map(|e| format!("later below.{e}();")).collect();
        text += &format!("up back_{event}() {{ {later} }}");
    }
    text += "} worker lower: line over line {";
    for (event, _) in causes {
        text += &format!("down {event}() {{ above.back_{event}(); }}");
    }
    text += "} worker last: line over line {} stack sample = upper / lower / last;";
    let mut composed = crate::text::stacks_alone(&(interface + &text));
    composed.remove(0).map(|c| c.stack.bounds.later).map_err(|found| found[0].code)
}

#[test]
fn later_events_grow_in_cycles_that_cause_events_of_others() {
    assert_eq!(room_for_later(&[("one", &["one"])]), Ok(2));
    assert_eq!(room_for_later(&[("one", &["one", "two"]), ("two", &[])]), Ok(4));
    assert_eq!(room_for_later(&[("one", &["two"]), ("two", &["three"]), ("three", &["one"])]), Ok(6));
    assert_eq!(room_for_later(&[("one", &["two", "two"]), ("two", &["two"])]), Ok(4));
    assert_eq!(room_for_later(&[("one", &["one", "one"])]), Err("C0008"));
    assert_eq!(room_for_later(&[("one", &["one", "two"]), ("two", &["two"])]), Err("C0008"));
    assert_eq!(room_for_later(&[("one", &["two"]), ("two", &["one", "three"]), ("three", &["three"])]), Err("C0008"));
    assert_eq!(room_for_later(&[("one", &["two", "two"]), ("two", &["one"])]), Err("C0008"));
}

/// Delivers each message twice, later.
fn burst_of_local() -> Fragment {
    let mut l = silent();
    let c = channel_of(&l);
    l.on(c.send, None, |_, a| {
        let up = || later(UP, c.deliver, vec![share(a[0].clone())]);
        vec![up(), up(), release(&a[0])]
    });
    l.done()
}

#[test]
fn a_class_that_differs_from_the_inferred_one() {
    let mut sequencer = sequencer();
    sequencer.headers[0].fields[0].class = FieldClass::Identification;
    let text = "`Seq.number` of `sequencer` is not connection identification\
                \n  at: `number` is stated to be connection identification\
                \n  because its value depends on state that changes\
                \n  help: omit the class: it is inferred from the data flow";
    expect(&[sequencer, plain_floor()], "C0009", text);
    let mut pt2pt = pt2pt(4);
    pt2pt.headers[0].fields[0].class = FieldClass::Gossip;
    let (code, text) = error(&[pt2pt, plain_floor()]);
    assert_eq!(code, "C0009");
    assert!(text.contains("the receiver's treatment of the message depends on it"), "{text}");
}

#[test]
fn frames_that_do_not_come_back() {
    let mut l = Maker::new("group", "group");
    let m = ("m", Type::Msg);
    let events = [
        l.event("cast", Direction::Down, std::slice::from_ref(&m)),
        l.event("cast", Direction::Up, std::slice::from_ref(&m)),
        l.event("tell", Direction::Down, std::slice::from_ref(&m)),
        l.event("tell", Direction::Up, &[m]),
    ];
    l.speaks(ABOVE, "two", &events);
    l.speaks(nacre_typed::BELOW, "two", &events);
    let text = "frames leave by `tell`, but come back by `cast`\
                \n  because `send` arrives at the peer as `deliver`, any other event under its own name; \
                one event must bring up all frames\n  \
                help: put a layer with the interface `datagram` below at the bottom";
    expect(&[l.done()], "C0010", text);
}

#[test]
fn fields_that_do_not_fit_their_place() {
    let mut narrow = floor();
    narrow.headers[0].fields[0].bits = 16;
    let text = "`Short.to` of `floor` does not fit its place\n  at: declared in this layer\
                \n  because a field `at cookie` has 24 bits: `u24`";
    expect(&[narrow], "C0011", text);
}

#[test]
fn a_second_header_of_one_layer() {
    let mut l = silent();
    let c = channel_of(&l);
    let mark = l.header("Mark", &[]);
    l.on(c.send, None, |_, a| vec![emit(DOWN, c.send, vec![push(push(a[0].clone(), mark, vec![]), mark, vec![])])]);
    let text = "`silent` adds `Mark` to a message that already has a header of this layer\n  at: this layer\
                \n  because a layer has at most one header on a message\n  help: add the header in the emission itself";
    expect(&[l.done(), plain_floor()], "C0012", text);
}

#[test]
fn headers_that_leave_by_a_port() {
    let mut l = silent();
    let c = channel_of(&l);
    let seen = l.event("seen", Direction::Up, &[("m", Type::Msg)]);
    l.fragment.ports.push("app".into());
    l.interface.push(nacre_typed::InterfaceEvent { side: PortId(2), event: seen, incoming: false });
    l.on(c.deliver, None, |_, a| vec![emit(LinkId(2), seen, vec![a[0].clone()])]);
    let text = "`seen` leaves by port `app` with the header `Seq` of `sequencer`\n  at: `silent.up.deliver` emits it\
                \n  because the host cannot read headers: `sequencer` above would never receive this one\
                \n  help: match only `data m` there, and pass on other messages";
    expect(&[sequencer(), l.done(), plain_floor()], "C0013", text);
}

#[test]
fn one_name_for_two_functions_of_the_host() {
    let mut other = encrypt();
    other.externs[0].grows = 32;
    let text = "`encrypt` and `encrypt` declare different functions named `seal`\n  at: declared here\n  at: and here\
                \n  because the host supplies one function with that name\n  help: give one of them another name";
    expect(&[encrypt(), other, plain_floor()], "C0015", text);
}

#[test]
fn untriggered_handlers_are_reported() {
    let (_, warnings) = compose("test", &[sequencer(), plain_floor()], &Options::default()).expect("a stack");
    let texts: Vec<(&str, &str)> = warnings.iter().map(|w| (w.code, w.message.as_str())).collect();
    assert_eq!(texts, [("C0016", "`sequencer.up.deliver` is never triggered in this stack")]);
    assert!(!warnings[0].is_error());
}

#[test]
fn a_stack_that_sends_nothing() {
    let mut l = silent();
    let c = channel_of(&l);
    l.on(c.send, None, |_, a| vec![StatementKind::Drop(a[0].clone()).into()]);
    let (code, text) = error(&[l.done(), plain_floor()]);
    assert_eq!(code, "C0017");
    assert!(text.starts_with("this stack never sends a frame"), "{text}");
}

#[test]
fn every_code_is_listed_once() {
    let codes: Vec<&str> = nacre_compose::CODES.iter().map(|(code, _)| *code).collect();
    let numbered: Vec<String> = (1..=codes.len()).map(|n| format!("C{n:04}")).collect();
    assert_eq!(codes, numbered);
}
