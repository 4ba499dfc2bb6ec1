//! The random programs of the default tests contain every construct of the typed tree.

use std::collections::BTreeSet;
use std::path::Path;

use nacre_driver::Session;
use nacre_tests::in_parallel;
use nacre_tests::programs::{generate, STACK};
use nacre_typed::tree::{
    Argument, ConditionKind, Dropped, Entry, Expr, ExprKind, Index, Layer, Node, OtherwiseKind, Over, PartialKind,
    StatementKind,
};

/// Names the variants of enums. An unlisted variant is a compile error.
macro_rules! variants {
    ($($kind:ident { $($variant:ident),* })*) => {
        const ALL: &[&str] = &[$($(concat!(stringify!($kind), "::", stringify!($variant))),*),*];

        $(impl Named for $kind {
            fn name(&self) -> &'static str {
                match self {
                    $($kind::$variant { .. } => concat!(stringify!($kind), "::", stringify!($variant)),)*
                }
            }
        })*
    };
}

trait Named {
    fn name(&self) -> &'static str;
}

variants! {
    StatementKind {
        Error, Let, Var, Set, Ref, TryRef, Store, Evaluate, Attempt, Emit, Pass, Drop, Arm, Cancel, Count, Assert, If,
        Match, While, For, Each, Return, Break, Yield, Reject
    }
    ExprKind {
        Error, Const, Literal, Zero, Name, Load, Borrow, Unary, Binary, Exchanged, MulDiv, Convert, If, Struct, Tuple,
        Array, Bytes, Some, None, IsSome, Unwrap, Field, Index, Query, QueryValue, Now, Fingerprint, Room, Concat,
        From, BytesOf, View, Through, Extern, Empty, Share, Length, Push, Slice, Rest, Pack, PackView, Call, CallOwn,
        CallExtern, Operate, Take, GetOr, Random, Filter, Unpack, Join, Try
    }
    PartialKind { Option, Fit, Bound, Divide, MulDiv, Operate, At }
    OtherwiseKind { Block, Return, Break, Reject, Unreachable, Error }
    ConditionKind { Test, Let, Present, Entry }
    Over { Place, UpTo, Between, Delivered, Value }
    Entry { Unused, Value, Pattern, InPlace }
    Index { Unused, Hidden, Named }
    Dropped { Value, At, Nothing }
    Argument { Value, Reference }
}

/// Variants that no program can contain, and why.
const NEVER: [(&str, &str); 3] = [
    ("StatementKind::Error", "programs have no errors"),
    ("ExprKind::Error", "programs have no errors"),
    ("OtherwiseKind::Error", "programs have no errors"),
];

#[test]
fn programs_have_every_construct_of_the_typed_tree() {
    let seeds: Vec<u64> = (0..50).collect();
    let found = in_parallel(&seeds, |seed| {
        let path = nacre_tests::root().join("tests/program.nacre");
        let layers = Session::from_text(Path::new(&path), &generate(*seed).text()).trees(STACK);
        layers.iter().flat_map(constructs).collect::<BTreeSet<&str>>()
    });
    let found: BTreeSet<&str> = found.into_iter().flatten().collect();
    let excused = |variant: &&&str| NEVER.iter().any(|(name, _)| name == *variant);
    let missing: Vec<&&str> = ALL.iter().filter(|v| !found.contains(**v)).filter(|v| !excused(v)).collect();
    assert!(missing.is_empty(), "no program of these seeds has {missing:?}");
    let known: Vec<&&str> = found.iter().filter(|v| NEVER.iter().any(|(name, _)| name == *v)).collect();
    assert!(known.is_empty(), "programs have {known:?}, which they cannot have");
}

/// The constructs of a layer.
fn constructs(layer: &Layer) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let handlers = layer.handlers.iter().map(|handler| &handler.body);
    let own = layer.filters.iter().flat_map(|filter| &filter.functions);
    let functions = layer.functions.iter().chain(own).map(|function| &function.body);
    let filters = layer.filters.iter().flat_map(|filter| [&filter.body, &filter.end]);
    handlers.chain(functions).chain(filters).for_each(|block| block.visit(&mut |node| note(node, &mut found)));
    let initial = layer.cells.iter().filter_map(|cell| cell.initial.as_ref());
    let accepts = layer.accepts.iter().map(|accepts| &accepts.condition);
    let values = initial.chain(accepts).chain(&layer.invariants).chain(layer.goals.iter().map(|(_, goal)| goal));
    let results = layer.filters.iter().filter_map(|filter| filter.result.as_ref());
    let state = layer.filters.iter().flat_map(|filter| &filter.state).filter_map(|(_, value)| value.as_ref());
    let all: Vec<&Expr> = values.map(|value| &value.value).chain(results).chain(state).collect();
    all.into_iter().for_each(|expr| expr.visit(&mut |node| note(node, &mut found)));
    found
}

fn note(node: Node, found: &mut BTreeSet<&'static str>) {
    let name: &dyn Named = match &node {
        Node::Statement(statement) => &statement.kind,
        Node::Expr(expr) => &expr.kind,
        Node::Partial(partial) => &partial.kind,
        Node::Otherwise(otherwise) => &otherwise.kind,
    };
    found.insert(name.name());
    match node {
        Node::Statement(statement) => found.extend(parts(&statement.kind)),
        Node::Expr(Expr { kind: ExprKind::Call(_, arguments) | ExprKind::CallOwn(_, arguments), .. }) => {
            found.extend(arguments.iter().map(Named::name));
        }
        Node::Expr(_) | Node::Partial(_) | Node::Otherwise(_) => {}
    }
}

/// The parts of a statement that have variants of their own.
fn parts(statement: &StatementKind) -> Vec<&'static str> {
    match statement {
        StatementKind::If(branch) => vec![branch.condition.kind.name()],
        StatementKind::While { condition, .. } => vec![condition.kind.name()],
        StatementKind::Each(each) => vec![each.over.name(), each.entry.name(), each.index.name()],
        StatementKind::Drop { what, .. } => vec![what.name()],
        _ => Vec::new(),
    }
}
