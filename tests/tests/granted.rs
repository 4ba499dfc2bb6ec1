//! Stacks that compose and provide every message in order deliver each message that they accept: no layer below the top loses one
//! because it was not granted, and none waits for a grant that never comes.

use std::rc::Rc;
use std::sync::Arc;

use nacre_analysis::lengths::longest_calls;
use nacre_driver::Session;
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::network::Conditions;
use nacre_simulator::run::{run, Plan, Subject};
use nacre_stack::Stack;
use nacre_tests::{in_parallel, root, soaking};

/// What the layer on top of all stacks requires, so that they provide it.
const ANY: &str = "fifo_network";
const COUNTED: &str = "fifo_network, counted_sends";

/// The names of the layers that have a folder in the library. Those with other interfaces do not compose.
fn layers() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("layers")).expect("the library").flatten();
    let mut names: Vec<String> = folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Composes the layers over `floor`, below a layer that requires what is named.
fn session(layers: &[&str], wanted: &str) -> Session {
    let imports = [layers, &["floor"]].concat();
    let name = |layer: &str| layer.split('<').next().unwrap_or(layer).to_string();
    let mut imports: Vec<String> = imports.into_iter().map(name).collect();
    imports.sort_unstable();
    imports.dedup();
    let imports: String = imports.iter().map(|name| format!("import \"../layers/{name}/{name}.nacre\";\n")).collect();
    let text = format!(
        "import \"../layers/interfaces.nacre\";\n{imports}\nworker wanted {{ requires {wanted}; }}\n\n\
        stack st = wanted / {} / floor;\n",
        layers.join(" / ")
    );
    Session::from_text(&root().join("tests/granted.nacre"), &text)
}

fn composed(layers: &[&str], wanted: &str) -> Option<Stack> {
    session(layers, wanted).stack("st")
}

/// The simulator's checks of a run in which both ends send, of any length that the stack takes.
fn failure(stack: Stack, largest: usize, conditions: Conditions) -> Option<String> {
    let stack = Arc::new(stack);
    let interface = Rc::new(Interface::of(&stack));
    let maker = Interpreter::new(stack);
    let messages = if soaking() { 1000 } else { 60 };
    let plan = Plan { seed: 3, messages, largest, conditions, ..Plan::default() };
    let run = run(&plan, &Subject { makers: vec![&maker, &maker], interface }, None, false);
    run.failure.map(|failure| format!("{:?}: {}", failure.check, failure.text))
}

/// A network that loses frames, and one that delays them by different times.
fn networks() -> [Conditions; 2] {
    let lossy = Conditions { loss: 0.05, delay: 2_000_000, ..Conditions::default() };
    let uneven = Conditions { reorder: 0.1, delay: 1_000_000, jitter: 3_000_000, ..Conditions::default() };
    [lossy, uneven]
}

#[test]
fn every_accepted_message_is_delivered() {
    let layers = layers();
    // The lowest layers that provide every message in order.
    let reliable: Vec<&str> =
        layers.iter().map(String::as_str).filter(|layer| composed(&[layer], COUNTED).is_some()).collect();
    assert!(reliable.len() >= 2, "{reliable:?}");
    let reliable = if soaking() { &reliable[..] } else { &reliable[reliable.len() - 1..] };
    // With their own windows, and with one that is full most of the time.
    let narrow: Vec<String> = reliable.iter().map(|base| format!("{base}<2>")).collect();
    let reliable = reliable.iter().copied().chain(narrow.iter().map(String::as_str));
    let mut stacks: Vec<Vec<&str>> = vec![];
    for base in reliable {
        let seconds = layers.iter().map(String::as_str).filter(|layer| composed(&[layer, base], ANY).is_some());
        for second in seconds {
            stacks.push(vec![second, base]);
            stacks.extend(layers.iter().map(|top| vec![top.as_str(), second, base]));
        }
    }
    let results = in_parallel(&stacks, |layers| {
        let stack = composed(layers, ANY)?;
        // The longest message that every layer of the stack accepts.
        let largest = longest_calls(&stack).into_values().min()?.min(20_000) as usize;
        let failed = networks().into_iter().find_map(|network| failure(stack.clone(), largest, network));
        Some((largest, failed.map(|failure| format!("{}: {failure}", layers.join(" / ")))))
    });
    let accepted: Vec<_> = results.into_iter().flatten().collect();
    let wrong: Vec<&String> = accepted.iter().filter_map(|(_, failure)| failure.as_ref()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(accepted.len() > 50, "only {} stacks were composed", accepted.len());
    assert!(accepted.iter().any(|(largest, _)| *largest == 20_000), "none has long messages");
    assert!(accepted.iter().any(|(largest, _)| *largest < 2_000), "none is limited by a layer");
}

/// Layers that count the grants from below, over layers that take several sends for a message, or none.
#[test]
fn layers_that_count_grants_do_not_fit_over_layers_that_refuse_granted_sends() {
    let refused = [
        ["credit", "frag", "pt2pt"],
        ["frag", "frag", "pt2pt"],
        ["batch", "frag", "go_back_n"],
        ["frag", "credit", "pt2pt"],
        ["batch", "credit", "pt2pt"],
        ["credit", "credit", "go_back_n"],
        ["frag", "receipts", "pt2pt"],
        ["credit", "receipts", "pt2pt"],
    ];
    for layers in refused {
        let mut session = session(&layers, ANY);
        assert!(session.stack("st").is_none(), "{layers:?}");
        let told = session.render(false);
        assert!(told.contains("requires `counted_sends`") && told.contains("breaks it"), "{layers:?}: {told}");
    }
}

/// Layers that send whenever they like, over layers that accept what they have granted.
#[test]
fn layers_that_need_no_grants_do_not_fit_over_layers_that_grant() {
    for layers in [["pt2pt", "pt2pt"], ["go_back_n", "pt2pt"], ["reno", "go_back_n"], ["delay", "pt2pt"]] {
        let mut session = session(&layers, "lossy_network");
        assert!(session.stack("st").is_none(), "{layers:?}");
        let told = session.render(false);
        assert!(told.contains("requires `unlimited_sends`"), "{layers:?}: {told}");
    }
}
