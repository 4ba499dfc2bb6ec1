//! The longest call for which no layer states a limit: every frame with bytes of calls fits the transport, whatever
//! was stored before.

use crate::text;

const FRAME: u32 = 65_507;

/// The longest call of a layer with these declarations; none: only empty calls are accepted.
fn longest(declarations: &str, down: &str, up: &str) -> Option<u32> {
    let text = format!(
        "filter twice grows n * 1 + 0 {{ byte(b: u8) {{ yield b; yield b; }} }}
        filter marked grows n * 0 + 1 {{ byte(b: u8) {{ yield b; }} end {{ yield 1; }} }}
        filter parity {{ byte(a: u8, b: u8) {{ yield a ^ b; }} }}
        worker layer: line over line {{
            {declarations}
            down send(m) {{ {down} }}
            up deliver(m) {{ {up} }}
        }}
        worker last: line over line {{}}
        interface line {{ down send(m: msg) up deliver(m: msg) }}
        stack sample = layer / last;"
    );
    let composed =
        text::stacks_alone(&text).pop().expect("a stack").unwrap_or_else(|found| panic!("{down}: {found:?}"));
    let input = &composed.stack.ports[1].inputs[0];
    let condition = input.admissions.iter().map(|a| format!("{:?}", a.condition.kind)).collect::<String>();
    let limit = condition.rsplit("Const(").next().and_then(|rest| rest.split(')').next()?.parse().ok());
    assert_eq!(composed.warnings.iter().any(|w| w.code == "C0023"), limit == Some(0), "{:?}", composed.warnings);
    limit.filter(|n| *n > 0)
}

fn of_calls(declarations: &str, down: &str) -> Option<u32> {
    longest(declarations, down, "pass m;")
}

#[test]
fn calls_that_pass_are_as_long_as_a_frame() {
    assert_eq!(of_calls("", "pass m;"), Some(FRAME));
    assert_eq!(of_calls("", "later below.send(m);"), Some(FRAME));
    assert_eq!(of_calls("state { old: list<msg, 8> }", "old.push(share m) else {} pass m;"), Some(FRAME));
    assert_eq!(of_calls("", "pass slice(m, 0, min(m.len, 100)); drop m;"), Some(FRAME));
}

/// What is stored may grow after the step in which it entered.
#[test]
fn growth_of_what_was_stored_shortens_calls() {
    let list = "state { old: list<msg, 8> }";
    let kept = |statement: &str| {
        of_calls(list, &format!("old.push(share m) else {{ old.clear(); }} for x in old {{ {statement} }} pass m;"))
    };
    assert_eq!(kept("later below.send(share x through twice);"), Some(FRAME / 2));
    assert_eq!(kept("let y = share x through twice; later below.send(y);"), Some(FRAME / 2));
    assert_eq!(kept("let y = share x through marked; below.send(y through marked);"), Some(FRAME - 2));
    let twice_marked = "if let x = old.take() { below.send(x through marked); } old = some(m through marked);";
    // Control messages have a shape of their own: a byte has the number of the shape.
    assert_eq!(of_calls("state { old: msg? }", twice_marked), Some(FRAME - 3));
}

/// A message that grows with its length, at once or where it is stored first.
#[test]
fn growth_by_a_factor_shortens_calls() {
    assert_eq!(of_calls("", "pass m through twice;"), Some(FRAME / 2));
    assert_eq!(of_calls("", "pass (m through twice) through twice;"), Some(FRAME / 4));
    let later = "if let x = old.take() { below.send(x through twice); } old = some(m);";
    assert_eq!(of_calls("state { old: msg? }", later), Some(FRAME / 2));
    let grown =
        "if let x = old.take() { below.send(share x); old = some(x through twice); drop m; } else { old = some(m); }";
    assert_eq!(of_calls("state { old: msg? }", grown), None, "it grows with each call");
}

#[test]
fn joined_messages_share_a_frame() {
    let stored = |capacity: u32| {
        let body = "old.push(share m) else { pass join(old, m); return; } drop m;";
        of_calls(&format!("state {{ old: list<msg, {capacity}> }}"), body)
    };
    assert_eq!(stored(1), Some(FRAME / 2));
    assert_eq!(stored(8), Some(FRAME / 9));
    let local = "var parts: list<msg, 2>; parts.push(share m) else {} let all = join(parts, m); drop parts; pass all;";
    assert_eq!(of_calls("", local), Some(FRAME / 3));
    // An unlimited number of them fits no frame.
    let all = "var one: list<msg, 1>; if let x = old.take() { one.push(x) else { drop x; } } let all = join(one, m);
        drop one; below.send(share all); old = some(all);";
    assert_eq!(of_calls("state { old: msg? }", all), None);
}

/// A single shape of packed messages has no number, thus no bytes in front of the data.
#[test]
fn packed_messages_without_headers_are_as_long_as_a_frame() {
    let kept = "if let x = old.take() { below.send(x); } old = some(pack(m));";
    let unpacks = "let x = unpack(m) else return; pass x;";
    assert_eq!(longest("state { old: msg? }", kept, unpacks), Some(FRAME));
}

/// A filter of several inputs is as long as the longest of them.
#[test]
fn parity_of_stored_messages_is_no_longer_than_they_are() {
    let parity = |sent: &str| {
        let body = format!("if let x = old.take() {{ let y = (x, share m) through parity; {sent} }} old = some(m);");
        of_calls("state { old: msg?, sum: msg? }", &body)
    };
    assert_eq!(parity("below.send(y);"), Some(FRAME));
    let later = "if let z = sum.take() { below.send(z through marked); } sum = some(y through marked);";
    assert_eq!(parity(later), Some(FRAME - 2));
}

/// `Rule::Long` is the rule for what the peer sent: it does not depend on the length of calls.
#[test]
fn bytes_of_the_peer_do_not_shorten_calls() {
    let of_peer = |up: &str| longest("state { old: list<msg, 8> }", "pass m;", up);
    assert_eq!(of_peer("old.push(share m) else {} below.send(join(old, m));"), Some(FRAME));
    assert_eq!(
        of_peer("old.push(m) else { drop m; } for x in old { later below.send(share x through twice); }"),
        Some(FRAME)
    );
    let both = longest("state { old: list<msg, 2> }", "pass join(old, m);", "old.push(m) else { drop m; }");
    assert_eq!(both, Some(FRAME));
    let store = "old.push(share m) else { old.clear(); } for x in old { later below.send(share x through marked); }
        drop m;";
    assert_eq!(longest("state { old: list<msg, 8> }", store, store), Some(FRAME - 1));
}

#[test]
fn stated_limits_stay() {
    let stated = "state { old: list<msg, 8> } accepts send(m) when m.len <= 60000;";
    assert_eq!(of_calls(stated, "old.push(share m) else {} pass join(old, m);"), Some(60_000));
}

/// The longest call that enters `added` and passes to `last`, which accepts 1,000 bytes.
fn longest_above(added: &str) -> Option<u32> {
    nacre_analysis::lengths::longest_calls(&above(added).stack).into_values().next()
}

fn warned_above(added: &str) -> Vec<String> {
    above(added).warnings.into_iter().map(|warning| warning.message).collect()
}

fn above(added: &str) -> nacre_compose::Composed {
    let text = format!(
        "filter twice grows n * 1 + 0 {{ byte(b: u8) {{ yield b; yield b; }} }}
        filter marked grows n * 0 + 1 {{ byte(b: u8) {{ yield b; }} end {{ yield 1; }} }}
        worker added: line over line {{ {added} }}
        worker last: line over line {{ accepts send(m) when m.len <= 1000; }}
        interface line {{ down send(m: msg) up deliver(m: msg) }}
        stack sample = added / last;"
    );
    text::stacks_alone(&text).pop().expect("a stack").expect("a correct stack")
}

/// A lower layer decides how long a message may be when it arrives there.
#[test]
fn what_layers_above_add_shortens_the_stated_limit() {
    assert_eq!(longest_above(""), Some(1000));
    assert_eq!(longest_above("down send(m) { pass slice(m, 0, min(m.len, 10)); drop m; }"), Some(1000));
    assert_eq!(longest_above("down send(m) { pass m through marked; }"), Some(999));
    assert_eq!(longest_above("down send(m) { pass m through twice; }"), Some(500));
    assert_eq!(longest_above("down send(m) { let both = m through marked; pass both through twice; }"), Some(499));
    // What was stored counts where it arrives.
    let kept = "state { old: list<msg, 3> } down send(m) { old.push(share m) else {} pass join(old, m); }";
    assert_eq!(longest_above(kept), Some(250));
    assert_eq!(longest_above("accepts send(m) when m.len <= 999; down send(m) { pass m through marked; }"), Some(999));
}

/// What a layer accepts itself is no longer than what the layers below it take of what it makes of it.
#[test]
fn every_layer_on_the_path_limits_a_call() {
    let accepting = |condition: &str, down: &str| longest_above(&format!("accepts send(m) when {condition}; {down}"));
    assert_eq!(accepting("true", ""), Some(1000));
    assert_eq!(accepting("m.len <= 5000", ""), Some(1000));
    assert_eq!(accepting("m.len <= 1000", "down send(m) { pass m through marked; }"), Some(999));
    let cut = "down send(m) { pass slice(m, 0, min(m.len, 10)); drop m; }";
    assert_eq!(accepting("m.len <= 5000", cut), Some(5000));
    // It makes pieces of its own length of longer messages.
    let pieces = |piece: u32| {
        format!(
            "down send(m) {{ if m.len <= {piece} {{ pass m; }} else {{ for i in 0 .. 3 {{
            let at = min(m.len, {piece} * i as u32); below.send(slice(m, at, min(m.len - at, {piece}))); }} drop m; }} }}"
        )
    };
    assert_eq!(accepting("m.len <= 2700", &pieces(900)), Some(2700));
    assert_eq!(accepting("m.len <= 3600", &pieces(1200)), Some(1000));
    // Nothing that it makes of any message can be taken.
    let twice: String = (1..=10).map(|n| format!("let m{n} = m{} through twice; ", n - 1)).collect();
    let padded = &format!("down send(m) {{ let m0 = m through marked; {twice}pass m10; }}");
    assert_eq!(accepting("m.len <= 5000", padded), Some(5000));
    assert_eq!(warned_above(padded), ["layers above `last` may make even an empty message too long for it"]);
    assert!(warned_above("").is_empty());
}

/// Messages of two calls that leave together: the one that enters last is as much shorter as the other may be long.
#[test]
fn calls_whose_messages_are_joined_are_limited_together() {
    let text = "
        worker joins: line over line {
            port more: more;
            accepts put(m) when old.empty && m.len <= 200;
            state { old: list<msg, 1> }
            more put(m) { old.push(m) else unreachable; }
            down send(m) { pass join(old, m); }
        }
        worker last: line over line { accepts send(m) when m.len <= 1000; }
        interface line { down send(m: msg) up deliver(m: msg) }
        interface more { down put(m: msg) }
        stack sample = joins / last;";
    let composed = text::stacks_alone(text).pop().expect("a stack").expect("a correct stack");
    let longest = nacre_analysis::lengths::longest_calls(&composed.stack);
    let of = |name: &str| {
        longest.iter().find(|((_, event), _)| composed.stack.event(*event).name == name).map(|(_, most)| *most)
    };
    assert_eq!((of("send"), of("put")), (Some(800), Some(200)));
}
