//! Shrinks a failing program: removes pieces, replaces blocks by bodies inside them and expressions by simple values,
//! as long as the verdict is of the same kind.

use std::collections::BTreeSet;

use super::tree::{Node, Part, Role};

/// Shrinks a tree; tries at most `budget` programs.
pub fn shrink(tree: &Node, mut budget: usize, fails: &dyn Fn(&str) -> bool) -> Node {
    let mut best = tree.clone();
    loop {
        let before = best.text().len();
        for pass in [pieces, bodies, values] {
            best = pass(best, &mut budget, fails);
        }
        if budget == 0 || best.text().len() == before {
            return best;
        }
    }
}

/// Keeps the smaller tree if it fails too.
fn attempt(best: &mut Node, smaller: Node, budget: &mut usize, fails: &dyn Fn(&str) -> bool) -> bool {
    if *budget == 0 || smaller.text() == best.text() {
        return false;
    }
    *budget -= 1;
    let worse = fails(&smaller.text());
    if worse {
        *best = smaller;
    }
    worse
}

/// Removes pieces, level by level: first layers and declarations, then the parts of the remaining ones.
fn pieces(tree: Node, budget: &mut usize, fails: &dyn Fn(&str) -> bool) -> Node {
    let mut best = tree;
    let mut level = 0;
    while !numbers(&best, level).is_empty() {
        best = thinned(best, level, budget, fails);
        level += 1;
    }
    best
}

/// Removes pieces of one level: many neighbours at once, then fewer.
fn thinned(tree: Node, level: usize, budget: &mut usize, fails: &dyn Fn(&str) -> bool) -> Node {
    let mut best = tree;
    let mut size = numbers(&best, level).len().next_power_of_two();
    while size > 0 {
        let mut at = 0;
        loop {
            let all = numbers(&best, level);
            if at >= all.len() {
                break;
            }
            let gone: BTreeSet<u32> = all[at..all.len().min(at + size)].iter().copied().collect();
            let smaller = without(&best, &gone);
            if !attempt(&mut best, smaller, budget, fails) {
                at += size;
            }
        }
        size /= 2;
    }
    best
}

/// The numbers of the pieces at a nesting level (0: those in no other piece), in the order of the text.
fn numbers(node: &Node, level: usize) -> Vec<u32> {
    let mut found = Vec::new();
    number(node, level, &mut found);
    found
}

fn number(node: &Node, level: usize, found: &mut Vec<u32>) {
    match node.role {
        Role::Piece(piece) if level == 0 => {
            if !found.contains(&piece) {
                found.push(piece);
            }
        }
        Role::Piece(_) => node.children().for_each(|child| number(child, level - 1, found)),
        _ => node.children().for_each(|child| number(child, level, found)),
    }
}

fn without(node: &Node, gone: &BTreeSet<u32>) -> Node {
    let stays = |node: &Node| !matches!(node.role, Role::Piece(piece) if gone.contains(&piece));
    let parts = node.parts.iter().filter_map(|part| match part {
        Part::Node(inner) => stays(inner).then(|| Part::Node(without(inner, gone))),
        text => Some(text.clone()),
    });
    Node { role: node.role.clone(), parts: parts.collect() }
}

/// Replaces pieces by bodies inside them.
fn bodies(tree: Node, budget: &mut usize, fails: &dyn Fn(&str) -> bool) -> Node {
    let mut best = tree;
    let mut at = 0;
    while let Some((piece, body)) = body_at(&best, at) {
        let smaller = replaced(&best, &|node| (node.role == Role::Piece(piece)).then(|| body.clone()));
        if !attempt(&mut best, smaller, budget, fails) {
            at += 1;
        }
    }
    best
}

/// The n-th body, and the enclosing piece.
fn body_at(tree: &Node, n: usize) -> Option<(u32, Node)> {
    fn walk(node: &Node, around: Option<u32>, left: &mut usize) -> Option<(u32, Node)> {
        let around = if let Role::Piece(piece) = node.role { Some(piece) } else { around };
        if let (Role::Body, Some(piece)) = (&node.role, around) {
            if *left == 0 {
                return Some((piece, node.clone().with(Role::Group)));
            }
            *left -= 1;
        }
        node.children().find_map(|child| walk(child, around, left))
    }
    walk(tree, None, &mut { n })
}

/// Replaces expressions by simple values, or by parts of them.
fn values(tree: Node, budget: &mut usize, fails: &dyn Fn(&str) -> bool) -> Node {
    let mut best = tree;
    let mut at = 0;
    while let Some(value) = value_at(&best, at) {
        let mut smaller = false;
        for with in simpler(&value) {
            let candidate = replace_value(&best, at, &with);
            smaller = attempt(&mut best, candidate, budget, fails);
            if smaller {
                break;
            }
        }
        at += usize::from(!smaller);
    }
    best
}

fn simpler(value: &Node) -> Vec<Node> {
    let Role::Value { ty, simplest } = &value.role else { return Vec::new() };
    let text = value.text();
    let mut found = vec![Node { role: value.role.clone(), parts: vec![Part::from(simplest)] }];
    collect(value, ty, &mut found);
    found.retain(|node| node.text().len() < text.len());
    found
}

fn collect(node: &Node, wanted: &str, found: &mut Vec<Node>) {
    for child in node.children() {
        if matches!(&child.role, Role::Value { ty, .. } if ty == wanted) {
            found.push(child.clone());
        }
        collect(child, wanted, found);
    }
}

fn value_at(tree: &Node, n: usize) -> Option<Node> {
    fn walk(node: &Node, left: &mut usize) -> Option<Node> {
        if matches!(node.role, Role::Value { .. }) {
            if *left == 0 {
                return Some(node.clone());
            }
            *left -= 1;
        }
        node.children().find_map(|child| walk(child, left))
    }
    walk(tree, &mut { n })
}

fn replace_value(tree: &Node, n: usize, with: &Node) -> Node {
    let count = std::cell::Cell::new(0);
    replaced(tree, &|node| {
        if !matches!(node.role, Role::Value { .. }) {
            return None;
        }
        count.set(count.get() + 1);
        (count.get() == n + 1).then(|| with.clone())
    })
}

/// Returns the tree with some nodes replaced, in the order of the text.
fn replaced(node: &Node, with: &dyn Fn(&Node) -> Option<Node>) -> Node {
    if let Some(other) = with(node) {
        return other;
    }
    let parts = node.parts.iter().map(|part| match part {
        Part::Node(inner) => Part::Node(replaced(inner, with)),
        text => text.clone(),
    });
    Node { role: node.role.clone(), parts: parts.collect() }
}
