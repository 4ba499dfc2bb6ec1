//! No name of a part of a stack conflicts with names of the emitted C: parts of the samples are named after every piece
//! of the names of its functions.

use std::collections::BTreeSet;

use nacre_backend_c::{write, Level};
use nacre_stack::{Link, PortId, Stack, Target};

/// The functions that a text declares and defines at its top level: each name with whether that is a definition.
fn functions(text: &str) -> Vec<(String, bool)> {
    let mut lines = text.lines();
    let mut found = vec![];
    while let Some(line) = lines.next() {
        let Some((head, _)) = line.split_once('(').filter(|_| line.starts_with(|c: char| c.is_ascii_alphabetic()))
        else {
            continue;
        };
        let ends = |line: &&str| line.ends_with([';', '{', '}']);
        let last = std::iter::once(line).chain(lines.by_ref()).find(ends).unwrap_or(line);
        let name = head.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(head);
        found.push((name.to_string(), !last.ends_with(';')));
    }
    found
}

/// The names of functions without the prefix, and their parts after each `_`.
fn pieces(functions: Vec<(String, bool)>, prefix: &str) -> Vec<String> {
    let names = functions.iter().filter_map(|(name, _)| name.strip_prefix(prefix)?.strip_prefix('_'));
    let cut = |name: &'_ str| -> Vec<String> {
        let cuts = name.match_indices('_').map(|(at, _)| &name[at + 1..]);
        cuts.chain([name]).map(str::to_string).collect()
    };
    let names: BTreeSet<String> = names.flat_map(cut).collect();
    names.into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())).collect()
}

type Rename = fn(&mut Stack, &[String]) -> usize;

/// Renames parts of a kind as far as the names suffice; returns the number of parts.
const KINDS: [(&str, Rename); 4] = [
    ("ports", |stack, names| rename(stack.ports.last_mut().into_iter().map(|part| &mut part.name), names)),
    ("layers", |stack, names| rename(stack.layers.iter_mut().map(|part| &mut part.name), names)),
    ("functions", |stack, names| rename(stack.functions.iter_mut().map(|part| &mut part.name), names)),
    ("events", |stack, names| rename(stack.events.iter_mut().map(|part| &mut part.name), names)),
];

fn rename<'s>(parts: impl Iterator<Item = &'s mut String>, names: &[String]) -> usize {
    parts.zip(names).map(|(part, name)| *part = name.clone()).count()
}

#[test]
fn functions_are_found() {
    let text = "int a_b(int c);\nint *a_b(\n    int c) {\n    d(e);\n}\nstatic struct s f(void) { return x; }\n";
    let found = functions(text);
    let found: Vec<(&str, bool)> = found.iter().map(|(name, defined)| (name.as_str(), *defined)).collect();
    assert_eq!(found, [("a_b", false), ("a_b", true), ("f", true)]);
}

#[test]
fn parts_of_stacks_may_have_the_names_of_emitted_functions() {
    let [sealed, router] = [nacre_stack::samples::sealed(), nacre_stack::samples::router()];
    for stack in [sealed, router, two_lower_ports(nacre_stack::samples::mux())] {
        let (prefix, emitted) = (nacre_backend_c::prefix(&stack), write(&stack, Level::Inline, &|_| None));
        let of_host = pieces(functions(&emitted.header), &prefix);
        let all = pieces(functions(&emitted.source), &prefix);
        assert!(of_host.len() > 10 && all.len() > 100, "{of_host:?} {all:?}");
        for (kind, rename) in KINDS {
            let mut rest = if kind == "ports" { of_host.as_slice() } else { all.as_slice() };
            while !rest.is_empty() {
                let mut renamed = stack.clone();
                let used = rename(&mut renamed, rest);
                if used == 0 {
                    break;
                }
                defines_each_once(&renamed, &format!("{kind} of {prefix}: {:?}", &rest[..used]));
                rest = &rest[used..];
            }
        }
    }
}

/// A stack with another lower port, a copy of the first.
fn two_lower_ports(mut stack: Stack) -> Stack {
    let (first, second) = (Target::Port(PortId(0)), Target::Port(PortId(stack.ports.len() as u32)));
    stack.ports.push(stack.ports[0].clone());
    let links = stack.links.iter().filter(|link| link.lower == first);
    let links: Vec<Link> = links.map(|link| Link { lower: second, ..*link }).collect();
    stack.links.extend(links);
    stack
}

fn defines_each_once(stack: &Stack, what: &str) {
    let emitted = write(stack, Level::Inline, &|_| None);
    let mut defined = BTreeSet::new();
    for (name, _) in functions(&emitted.source).into_iter().filter(|(_, defined)| *defined) {
        assert!(defined.insert(name.clone()), "{what}: `{name}` is defined twice");
    }
    let declared = functions(&emitted.header).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let names: BTreeSet<&String> = declared.iter().collect();
    assert_eq!(names.len(), declared.len(), "{what}: {declared:?}");
}

/// `a` with `b_c` and `a_b` with `c`: the struct of givens has a member for each.
#[test]
fn defaults_of_givens_are_those_of_their_own_layer() {
    let layer = |name: &str, given: &str, value: u32| {
        format!(
            "worker {name}: line over line {{ given {{ {given}: u16 = {value} }} state {{ x: u16 }} down send(m) \
            {{ x += {given}; pass m; }} }}\n"
        )
    };
    let text = format!(
        "interface line {{\n    down send(m: msg)\n    up deliver(m: msg)\n}}\n{}{}\
         worker last: line over line {{}}\nstack st = a_b / a / last;\n",
        layer("a", "b_c", 1),
        layer("a_b", "c", 2)
    );
    let mut session = nacre_driver::Session::from_text(std::path::Path::new("st.nacre"), &text);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let emitted = write(&stack, Level::Call, &|_| None);
    let assigned: BTreeSet<&str> =
        emitted.source.lines().filter_map(|line| line.trim().strip_prefix("config->")?.split(' ').next()).collect();
    assert_eq!(assigned, BTreeSet::from(["a_b_c", "a_b_c_2"]), "{}", emitted.source);
}
