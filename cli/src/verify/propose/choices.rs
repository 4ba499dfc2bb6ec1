//! The choices of which proposals are made: each is a value of one dimension of a configuration.

use std::collections::BTreeSet;

use nacre_worlds::setup::LONGEST;

use super::draft::{Choice, Draft, Part, Value};
use super::facts::{Call, Facts, Parameter};

/// A default that is larger is meant to be set in configurations.
const LARGE: u64 = 4;
/// A parameter of a network of this default has no limit.
const WITHOUT_LIMIT: u64 = 16;
/// Small values of parameters of layers; 3 is no power of two.
const SMALL: [u64; 4] = [1, 2, 3, 4];
/// The messages at both ends: the usual ones.
const MESSAGES: [[u64; 2]; 8] = [[1, 0], [1, 1], [2, 0], [2, 1], [2, 2], [3, 0], [3, 1], [5, 0]];
/// The calls without messages at both ends.
const OTHER_CALLS: [[u64; 2]; 6] = [[1, 0], [0, 1], [1, 1], [2, 1], [0, 2], [0, 4]];
/// The width of sequence numbers that wrap.
const BITS: u64 = 8;

/// The first drafts over an automaton, the best first: the first one that is small enough is the base of the others.
/// They make one call alone; the last ones also `others`, at the other end as often. `parameters`: of layers, and of
/// the automaton.
pub fn bases(
    over: Option<&str>,
    (call, others): (&str, &[String]),
    (parameters, network): (&[Parameter], &[Parameter]),
) -> Vec<Draft> {
    let messages = [[2, 1], [1, 1], [1, 0]];
    let small = |draft: Draft| parameters.iter().filter_map(few).fold(draft, Draft::set);
    let begun = [small(Draft::over(over)), Draft::over(over)];
    let with_others: &[&[String]] = if others.is_empty() { &[&[]] } else { &[&[], others] };
    let mut all: Vec<Draft> = vec![];
    for others in with_others {
        for begun in &begun {
            for (most, [a, b]) in [2, 1].into_iter().flat_map(|most| messages.map(|times| (most, times))) {
                let limited = network.iter().filter_map(|p| restricted(p, most)).fold(begun.clone(), Draft::set);
                let draft = limited.set(Value::new(Part::Call, call, &[a, b]));
                let draft = others.iter().fold(draft, |draft, o| draft.set(Value::new(Part::Call, o, &[b, a])));
                if !all.iter().any(|other| other.key() == draft.key()) {
                    all.push(draft);
                }
            }
        }
    }
    all
}

/// A small value instead of a large default.
fn few(parameter: &Parameter) -> Option<Value> {
    let large = !parameter.is_flag && parameter.default.is_none_or(|n| n > LARGE);
    large.then(|| Value { part: Part::Parameter, path: parameter.path.clone(), values: vec![2] })
}

/// A small value of a parameter of the network that limits it.
fn restricted(parameter: &Parameter, most: u64) -> Option<Value> {
    let default = parameter.default?;
    let limits = default >= WITHOUT_LIMIT || default > 1 && most == 1;
    limits.then(|| Value { part: Part::Network, path: parameter.path.clone(), values: vec![most] })
}

/// All choices, those that matter most first.
pub fn choices(facts: &Facts) -> Vec<Choice> {
    let mut all = vec![];
    facts.calls.iter().for_each(|call| calls(call, facts, &mut all));
    sizes(facts, &mut all);
    facts.parameters.iter().for_each(|p| parameter(p, &mut all));
    facts.network.iter().for_each(|p| network(p, &mut all));
    if facts.has_numbers {
        let first = (1 << BITS) - 2;
        let values = vec![Value::new(Part::Numbers, "numbers", &[BITS]), Value::new(Part::Numbers, "first", &[first])];
        all.push(choice("numbers", values, "sequence numbers wrap around", "wrapping"));
        tight(facts, &mut all);
    }
    for fault in &facts.faults {
        let values = vec![Value::new(Part::Network, fault, &[0])];
        all.push(choice(fault, values, &format!("no `{fault}`"), &format!("no_{fault}")));
    }
    let values = vec![Value::new(Part::Numbers, "scarce", &[1])];
    all.push(Choice { stricter: true, ..choice("scarce", values, "a full pool refuses a frame", "scarce") });
    flag("misuse", "calls that no specification allows", &mut all);
    flag("at_once", "calls are accepted at once", &mut all);
    for timer in &facts.timers {
        let name = timer.join("_");
        for (times, words) in [(0, "never fires"), (1, "fires once, as a last resort")] {
            let values = vec![Value { part: Part::Timer, path: timer.clone(), values: vec![times] }];
            let about = format!("`{}` {words}", timer.join("."));
            let tag = if times == 0 { format!("without_{name}") } else { format!("one_{name}") };
            all.push(Choice { stricter: true, ..choice(&name, values, &about, &tag) });
        }
    }
    givens(facts, &mut all);
    if facts.has_assertions {
        flag("detects", "what passes before an assertion is violated", &mut all);
    }
    all
}

/// A choice within what the subject states.
fn choice(dimension: &str, values: Vec<Value>, about: &str, tag: &str) -> Choice {
    Choice { dimension: dimension.into(), values, stricter: false, about: about.into(), tag: tag.into() }
}

fn flag(name: &str, about: &str, all: &mut Vec<Choice>) {
    all.push(Choice { stricter: true, ..choice(name, vec![Value::new(Part::Flag, name, &[1])], about, name) });
}

/// `send` twice at a, once at b; also with other arguments than 1.
fn calls(call: &Call, facts: &Facts, all: &mut Vec<Choice>) {
    let name = &call.name;
    let mut times: Vec<[u64; 2]> = if call.has_message { MESSAGES.to_vec() } else { OTHER_CALLS.to_vec() };
    if call.has_message {
        // More than a container takes.
        times.extend(facts.capacities.iter().filter(|n| (3..=8).contains(*n)).map(|n| [n + 1, 0]));
        times.sort_by_key(|[a, b]| a + b);
        times.dedup();
    }
    for [a, b] in times {
        let tag = match (a, b) {
            (1, 0) => name.clone(),
            (1, 1) => format!("both_{name}"),
            (a, 0) => format!("{name}_{a}"),
            (a, b) => format!("{name}_{a}_{b}"),
        };
        all.push(choice(name, vec![Value::new(Part::Call, name, &[a, b])], &made(name, [a, b]), &tag));
    }
    for argument in &call.arguments {
        for values in [&[1, 3][..], &[2]] {
            let words: Vec<String> = values.iter().map(u64::to_string).collect();
            let about = format!("{} with `{argument}` {}", made(name, [0, 2]), words.join(" or "));
            let path = vec![name.clone(), argument.clone()];
            let values =
                vec![Value::new(Part::Call, name, &[0, 2]), Value { part: Part::Call, path, values: values.to_vec() }];
            all.push(choice(name, values, &about, &format!("{name}_{argument}")));
        }
    }
}

/// `send` 2 times at a, once at b.
fn made(name: &str, times: [u64; 2]) -> String {
    let words = |n: u64| if n == 1 { "once".to_string() } else { format!("{n} times") };
    match times {
        [a, 0] => format!("`{name}` {} at a", words(a)),
        [0, b] => format!("`{name}` {} at b", words(b)),
        [a, b] if a == b => format!("`{name}` {} at each end", words(a)),
        [a, b] => format!("`{name}` {} at a, {} at b", words(a), words(b)),
    }
}

/// Messages below, at and above each length that decides a branch.
fn sizes(facts: &Facts, all: &mut Vec<Choice>) {
    if !facts.calls.iter().any(|call| call.has_message) {
        return;
    }
    let near = |n: &u64| [n.saturating_sub(1), *n, n + 1].into_iter().filter(|n| (1..=LONGEST as u64).contains(n));
    let every: BTreeSet<u64> = facts.lengths.iter().flat_map(near).collect();
    let mut wanted: Vec<(Vec<u64>, String)> = vec![];
    if facts.lengths.len() > 1 {
        wanted.push((every.iter().copied().collect(), "messages around every length that decides a branch".into()));
    }
    for length in &facts.lengths {
        wanted.push((near(length).collect(), format!("messages of {length} bytes, one less and one more")));
    }
    let others = [vec![0, 1], vec![2], vec![1, 3]].into_iter().map(|sizes| (sizes, String::new()));
    let longest = facts.lengths.iter().chain(&every).map(|n| (vec![*n], String::new()));
    wanted.extend(longest.chain(others));
    let mut known: Vec<Vec<u64>> = vec![vec![1]];
    for (values, about) in wanted {
        if known.contains(&values) {
            continue;
        }
        let words: Vec<String> = values.iter().map(u64::to_string).collect();
        let usual = || format!("messages of {} bytes", words.join(" or "));
        let about = if about.is_empty() { usual() } else { about };
        all.push(choice("size", vec![Value::new(Part::Size, "size", &values)], &about, &format!("size_{}", words[0])));
        known.push(values);
    }
}

fn parameter(parameter: &Parameter, all: &mut Vec<Choice>) {
    let most = if parameter.is_flag { 1 } else { parameter.default.unwrap_or(LARGE).max(2) };
    let values: Vec<u64> = match parameter.is_flag {
        true => (0..=1).filter(|n| Some(*n) != parameter.default).collect(),
        false => SMALL.into_iter().filter(|n| *n <= most).collect(),
    };
    for n in values {
        all.push(of_parameter(parameter, Part::Parameter, n));
    }
}

fn of_parameter(parameter: &Parameter, part: Part, n: u64) -> Choice {
    let name = parameter.path.join(".");
    let values = vec![Value { part, path: parameter.path.clone(), values: vec![n] }];
    let odd = if n == 3 && part == Part::Parameter { ", no power of two" } else { "" };
    let tag = format!("{}_{n}", parameter.path.join("_").to_lowercase());
    choice(&name, values, &format!("{name} is {n}{odd}"), &tag)
}

/// A value above the default of a parameter allows the network more than what the subject requires of it.
fn network(parameter: &Parameter, all: &mut Vec<Choice>) {
    let Some(default) = parameter.default else { return };
    for n in (0..=3).filter(|n| *n != default && (*n > 0 || default < WITHOUT_LIMIT)) {
        all.push(Choice { stricter: n > default, ..of_parameter(parameter, Part::Network, n) });
    }
}

/// As many messages as numbers of a few bits tell apart.
fn tight(facts: &Facts, all: &mut Vec<Choice>) {
    let Some(call) = facts.calls.iter().find(|call| call.has_message) else { return };
    let bits = 4;
    let times = (1 << (bits - 1)) - 1;
    let values = vec![
        Value::new(Part::Call, &call.name, &[times, 0]),
        Value::new(Part::Numbers, "numbers", &[bits]),
        Value::new(Part::Numbers, "first", &[(1 << bits) - 2]),
    ];
    let about = format!("as many messages as numbers of {bits} bits tell apart");
    all.push(Choice { stricter: true, ..choice(&call.name, values, &about, "few_numbers") });
}

/// Given values with a default: what each end is given, and what it expects of the other.
fn givens(facts: &Facts, all: &mut Vec<Choice>) {
    let different: [u64; 2] = [5, 6];
    for (name, bits) in &facts.givens {
        let greatest = if *bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        for values in [&different[..], &[greatest]] {
            let about = match values {
                [one] => format!("`{name}` is {one}"),
                _ => format!("`{name}` differs between the ends"),
            };
            let values = vec![Value::new(Part::Given, name, values)];
            all.push(Choice { stricter: true, ..choice(name, values, &about, name) });
        }
        // Of two values of one type each may be what the other is at the peer.
        for (other, _) in facts.givens.iter().filter(|(other, width)| other != name && width == bits) {
            let swapped = [different[1], different[0]];
            let values = vec![Value::new(Part::Given, name, &different), Value::new(Part::Given, other, &swapped)];
            let about = format!("`{other}` is `{name}` of the peer");
            all.push(Choice { stricter: true, ..choice(name, values, &about, other) });
        }
    }
}
