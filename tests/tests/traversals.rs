//! Code of the stack IR is traversed by `nacre_stack::visit`, and its control flow by `nacre_analysis`. A traversal
//! that is written by hand misses new kinds of the IR.
//!
//! **Recursions** over statements and expressions are listed with a reason, over the files of each crate.
//!
//! **Choices by kind**: code that decides a property for *all* kinds names all of them, or calls a function next to the
//! IR whose match names all of them (`compiler/stack/src/questions.rs`). Exceptions:
//!
//! - a question about *one* kind (`matches!`, `let .. else`, `if let`, or a match with one kind and a `_` arm);
//! - a choice that *delegates* the kinds that it does not name: its last arm passes the node to a function that decides
//!   for all kinds (`_ => walk_expr(self, e)`, `_ => self.value(e)`, `other => self.refuse(other.into())`);
//! - a *recognizer* ([`RECOGNIZERS`]): it recognizes some forms, and its answer for all other forms ("unknown", "not
//!   this shape") is correct for any expression or statement. Recognizers are listed with the reason.
//!
//! All other code that names two or more kinds is an open choice: `match` with a `_` arm, `matches!`, `if let .. else
//! if let` and `let .. else`. The tests find these in the syntax of the crates, under any names of the kinds
//! (`use ExprKind::*`, `use ExprKind as E`, `Self`).

use std::collections::BTreeSet;

use nacre_tests::functions::{Calls, Code};

/// The crates that read code of the IR. `syntax` and `typed` have their own trees.
const ROOMS: [&str; 16] = [
    "compiler/stack",
    "compiler/analysis",
    "compiler/symbolic",
    "compiler/bypass",
    "compiler/compose",
    "compiler/optimize",
    "compiler/backends/c",
    "compiler/backends/promela",
    "compiler/driver",
    "simulator",
    "worlds",
    "checker",
    "spin",
    "mutants",
    "prover",
    "cli",
];

/// Functions of the crates, by reason.
type Listed = &'static [(&'static str, &'static [(&'static str, &'static [&'static str])])];

/// The functions that are recursive, directly or through others of their crate. These lists may only shrink.
const RECURSIVE: Listed = &[
    (
        "the interpreter: one arm a construct",
        &[
            ("compiler/stack/src/interpret/evaluate.rs", &["borrow", "evaluate", "take"]),
            ("compiler/stack/src/interpret/execute.rs", &["statement"]),
            ("compiler/stack/src/interpret/filter.rs", &["operand"]),
            ("compiler/stack/src/interpret/quick.rs", &["number", "step"]),
        ],
    ),
    (
        "the symbolic execution: one arm a construct",
        &[
            ("compiler/symbolic/src/bytes.rs", &["digest"]),
            ("compiler/symbolic/src/execute.rs", &["statement"]),
            ("compiler/symbolic/src/expressions.rs", &["made_of", "value"]),
        ],
    ),
    (
        "execution with sums of bits: what is none is nothing that it looks for",
        &[("compiler/analysis/src/remainders.rs", &["statement", "value"])],
    ),
    (
        "the printer and the validator: one arm a construct",
        &[
            ("compiler/analysis/src/linear.rs", &["expr"]),
            ("compiler/stack/src/text/print_code.rs", &["expr", "kind", "statement"]),
            ("compiler/stack/src/validate/code.rs", &["statement"]),
            ("compiler/stack/src/validate/expressions.rs", &["expr"]),
        ],
    ),
    (
        "the C and the Promela of each construct: one arm a construct",
        &[
            (
                "compiler/backends/c/src/expressions.rs",
                &["aggregate", "borrowed", "choice", "computed", "convert", "number", "wide"],
            ),
            ("compiler/backends/c/src/actions.rs", &["message_argument"]),
            (
                "compiler/backends/c/src/operators.rs",
                &["arithmetic", "computed_as", "known_order", "mul_div", "shift", "unconverted"],
            ),
            ("compiler/backends/c/src/orders.rs", &["shifted"]),
            ("compiler/backends/c/src/statements.rs", &["statement", "store"]),
            ("compiler/backends/c/src/strings.rs", &["source"]),
            ("compiler/backends/c/src/views.rs", &["pieces"]),
            ("compiler/backends/promela/src/bytes.rs", &["append", "buffer"]),
            ("compiler/backends/promela/src/expressions.rs", &["assign", "fill", "scalar", "value"]),
            ("compiler/backends/promela/src/loops.rs", &["count_up"]),
            ("compiler/backends/promela/src/messages.rs", &["fill_message"]),
            ("compiler/backends/promela/src/statements.rs", &["block", "statement"]),
            ("compiler/backends/promela/src/wide.rs", &["fill_wide"]),
        ],
    ),
    (
        "mutants: what is changed and what has effects is decided for each construct",
        &[
            ("mutants/src/conditions.rs", &["junction"]),
            ("mutants/src/decisive.rs", &["acts", "acts_besides_ending", "read", "statement"]),
            ("mutants/src/walk.rs", &["block", "expr", "statement"]),
        ],
    ),
    (
        "the library of control flow and dataflow",
        &[
            ("compiler/analysis/src/control.rs", &["leaves", "statement"]),
            ("compiler/analysis/src/flow.rs", &["statement"]),
        ],
    ),
    (
        "a measure or a property of paths, which joins blocks by the construct that they are in",
        &[
            ("compiler/compose/src/explain/handlers.rs", &["effects"]),
            ("compiler/backends/promela/src/statements.rs", &["is_structured"]),
            ("compiler/compose/src/activation.rs", &["breaks"]),
            ("compiler/compose/src/greatest.rs", &["collect"]),
            ("compiler/optimize/src/inline.rs", &["block", "size_of_statement"]),
            ("compiler/stack/src/growth.rs", &["count"]),
            ("compiler/stack/src/validate/code.rs", &["leaves"]),
        ],
    ),
    (
        "evaluates an expression in a domain of its own",
        &[
            ("compiler/analysis/src/delays.rs", &["range"]),
            ("compiler/analysis/src/linear.rs", &["refine"]),
            ("compiler/analysis/src/random.rs", &["number"]),
            ("compiler/analysis/src/timing/marks.rs", &["mark"]),
            ("compiler/backends/c/src/expressions.rs", &["index_is_safe"]),
            ("compiler/compose/src/blocks.rs", &["vacant"]),
            ("compiler/compose/src/classes.rs", &["value"]),
            ("compiler/analysis/src/constants.rs", &["constant"]),
            ("compiler/compose/src/facts.rs", &["largest", "learn", "literal", "resolve"]),
            ("compiler/compose/src/greatest.rs", &["of"]),
            ("compiler/compose/src/strides.rs", &["of"]),
            ("compiler/compose/src/values.rs", &["expr", "in_pieces", "parts_viewed"]),
        ],
    ),
    (
        "follows one chain in an expression, to the local, the place or the message at its end",
        &[
            ("compiler/analysis/src/linear/uses.rs", &["holds_unwrap", "part_of", "same_bool"]),
            ("compiler/backends/c/src/body.rs", &["borrowed_message", "message", "pushes"]),
            ("compiler/backends/c/src/filters.rs", &["data_of"]),
            ("compiler/backends/c/src/orders.rs", &["constant_of", "same_bits"]),
            ("compiler/backends/promela/src/filters.rs", &["is_data"]),
            ("compiler/analysis/src/lengths.rs", &["is_length", "length_limit"]),
            ("compiler/compose/src/facts.rs", &["local_of", "place_of"]),
            ("compiler/optimize/src/sites.rs", &["is_empty"]),
            ("compiler/stack/src/validate/cycles.rs", &["pushed_header"]),
        ],
    ),
    (
        "not recursive: a function of this name belongs to another type, or is a closure",
        &[("compiler/backends/c/src/events.rs", &["function"])],
    ),
];

/// The functions with an open choice that recognize some forms.
const RECOGNIZERS: Listed = &[
    (
        "what it learns from conditions of other forms is nothing, which is always true",
        &[
            ("compiler/analysis/src/linear.rs", &["refine"]),
            ("compiler/compose/src/blocks.rs", &["vacant"]),
            ("compiler/compose/src/facts.rs", &["learn", "literal"]),
        ],
    ),
    (
        "a value of another form is unknown, or may be any",
        &[
            ("compiler/analysis/src/delays.rs", &["range"]),
            ("compiler/analysis/src/linear/uses.rs", &["known", "same_bool"]),
            ("compiler/analysis/src/quick.rs", &["cell_of", "is_whole"]),
            ("compiler/analysis/src/random.rs", &["number"]),
            ("compiler/analysis/src/remainders.rs", &["statement", "value"]),
            ("compiler/analysis/src/lengths.rs", &["is_length"]),
            ("compiler/analysis/src/constants.rs", &["constant"]),
            ("compiler/compose/src/facts.rs", &["local_of", "place_of"]),
            ("compiler/compose/src/greatest.rs", &["is", "of"]),
            ("compiler/compose/src/strides.rs", &["of"]),
            ("compiler/stack/src/validate/cycles.rs", &["pushed_header"]),
            ("compiler/symbolic/src/recording.rs", &["message_of"]),
            ("prover/src/atoms.rs", &["is_foreign"]),
        ],
    ),
    (
        "a shorter or faster way for some forms; all others take the general one",
        &[
            ("compiler/backends/c/src/body.rs", &["pushes"]),
            ("compiler/backends/c/src/operators.rs", &["have_other_bits", "known_order"]),
            ("compiler/backends/c/src/orders.rs", &["constant_of", "is_narrow"]),
            ("compiler/backends/promela/src/expressions.rs", &["assign"]),
            ("compiler/bypass/src/synthesize.rs", &["reads_bytes"]),
            ("compiler/compose/src/facts.rs", &["converted"]),
            ("compiler/optimize/src/release_low.rs", &["simple"]),
            ("compiler/optimize/src/sites.rs", &["is_empty"]),
            ("compiler/stack/src/interpret/quick.rs", &["cases", "number", "step"]),
        ],
    ),
    ("a statement of another form does something with the event", &[("compiler/analysis/src/idle.rs", &["handed_on"])]),
    ("another expression reads no variable", &[("mutants/src/variables.rs", &["variable"])]),
    ("the validator refuses every other statement there", &[("compiler/stack/src/validate/code.rs", &["draws_only"])]),
    ("anything else is code that a search should reach", &[("checker/src/coverage.rs", &["is_error"])]),
];

fn places(listed: Listed) -> BTreeSet<String> {
    let files = listed.iter().flat_map(|(_, files)| files.iter());
    files.flat_map(|(file, functions)| functions.iter().map(move |name| format!("{file}::{name}"))).collect()
}

/// Asserts that the found functions are the listed ones.
fn agree(found: &BTreeSet<String>, listed: Listed, advice: &str) {
    let known = places(listed);
    let new: Vec<&String> = found.difference(&known).collect();
    assert!(new.is_empty(), "{advice}: {new:#?}");
    let gone: Vec<&String> = known.difference(found).collect();
    assert!(gone.is_empty(), "take these from the list: {gone:#?}");
}

#[test]
fn recursions_over_code_are_traversals_or_have_a_reason() {
    let found = ROOMS.iter().flat_map(|room| Calls::new(&Code::of(room)).recursive()).collect();
    agree(&found, RECURSIVE, "write these as a visitor of `nacre_stack::visit` or by `nacre_analysis`");
}

#[test]
fn choices_by_kind_name_all_kinds() {
    let all: Vec<_> = ROOMS.iter().flat_map(|room| Code::of(room).functions).collect();
    let open = all.iter().filter(|function| !function.open.is_empty());
    agree(&open.map(|function| function.place()).collect(), RECOGNIZERS, "name all kinds, or ask the IR");
}

#[test]
fn recursions_and_open_choices_are_found() {
    for (text, recursive, open) in [
        ("fn a(s: &S) -> bool { match s { ExprKind::A(x) => a(x), _ => false } }", 1, 0),
        ("fn a(s: &S) -> bool { match s { ExprKind::A(x) => a(x), ExprKind::B => no(), _ => false } }", 1, 1),
        (
            "fn a(s: &S) { match s { stack::StatementKind::A(x) => x.b(a), StatementKind::B => b(), ref c => {} } }",
            1,
            1,
        ),
        ("fn a(s: &S) { match (s, t) { (ExprKind::A(x), _) => b(), (_, ExprKind::B) => c(), (_, _) => {} } }", 0, 1),
        // Kinds that are not named are passed on.
        ("fn a(s: &S) { match &s.kind { ExprKind::A(x) => b(x), ExprKind::B => c(), _ => walk(self, s) } }", 0, 0),
        ("fn a(s: &S) { match &s.kind { ExprKind::A(x) => b(x), ExprKind::B => c(), _ => vec![d(s)] } }", 0, 0),
        ("fn a(s: &S) { match &s.kind { ExprKind::A(x) => b(x), ExprKind::B => c(), other => other.d() } }", 0, 0),
        ("fn a(s: &S) { match &s.kind { ExprKind::A(x) => b(x), ExprKind::B => c(), e => panic!(\"{e}\") } }", 0, 1),
        (
            "fn a(s: &S) { match s.kind { ExprKind::A(x) => b(x), ExprKind::B => c(), _ if d(s) => e(s), _ => {} } }",
            0,
            1,
        ),
        ("fn a(&self) { match &self.kind { ExprKind::A(x) => b(x), ExprKind::B => c(), _ => self.other() } }", 0, 1),
        ("fn a(s: &S) -> bool { matches!(s, ExprKind::A(_) | ExprKind::B) }", 0, 1),
        ("fn a(s: &S) -> bool { matches!(s, ExprKind::A(ExprKind::A(_))) }", 0, 0),
        ("fn a(s: &S) { let (ExprKind::A(x) | ExprKind::B(x)) = s else { return }; }", 0, 1),
        ("fn a(s: &S) { if let ExprKind::A(x) = s { b() } else if let ExprKind::B = s { c() } }", 0, 1),
        ("fn a(s: &S) { if let ExprKind::A(x) = s { b() } else if let ExprKind::B = s { c() } else { d(s) } }", 0, 0),
        ("fn a(s: &S) { match s { Other::A(x) => a(x), Other::B => b(), _ => {} } }", 0, 0),
        ("fn a(s: &S) -> u8 { match s { ExprKind::A(a) => b(a), ExprKind::B => 1 } }", 0, 0),
        ("fn a(s: &S) { if let ExprKind::A(x) = s { b(x) } } fn b(s: &S) { a(s) }", 1, 0),
        ("fn a(s: &S) -> bool { matches!(s, ExprKind::A(x) if x > 1) || a(s.next()) }", 1, 0),
        ("impl W { fn a(&self, s: &S) { if let Some(ExprKind::A(x)) = s { self.a(x) } } }", 1, 0),
        ("impl W { fn a(s: &S) { if let ExprKind::A(x) = s { Self::a(x); W::a(x); } } }", 1, 0),
        ("impl W { fn a(s: &S) { if let ExprKind::A(x) = s { V::a(x); visit::a(x); } } }", 0, 0),
        ("impl Visitor for W { fn a(&self, s: &S) { if let ExprKind::A(x) = s { self.a(x) } } }", 0, 0),
        ("fn a(s: &S) { if let ExprKind::A(x) = s { print!(\"{}\", a(x)) } }", 1, 0),
        // Other names of kinds, each in its scope.
        ("fn a(s: &S) { use ExprKind::*; match s { View(x) => b(x), Empty => c(), _ => {} } }", 0, 1),
        ("fn a(s: &S) { use ExprKind::*; match s { View(x) => b(x), Empty => c(), Now => {} } }", 0, 0),
        ("use ExprKind::*; fn a(s: &S) { match s { View(x) => a(x), _ => {} } }", 1, 0),
        ("use x::{y, z::ExprKind::{self, *}}; fn a(s: &S) -> bool { matches!(s, View(_) | Empty) }", 0, 1),
        ("use ExprKind::{View as V, Now}; fn a(s: &S) -> bool { matches!(s, V(_) | Now) }", 0, 1),
        ("use ExprKind::{View, Now}; fn a(s: &S) -> bool { matches!(s, View(_) | Empty) }", 0, 0),
        ("use x::ExprKind as E; fn a(s: &S) -> bool { matches!(s, E::A | E::B) }", 0, 1),
        ("type E = x::ExprKind; fn a(s: &S) -> bool { matches!(s, E::A | E::B) }", 0, 1),
        ("impl ExprKind { fn a(&self) -> bool { matches!(self, Self::A | Self::B) } }", 0, 1),
        ("impl Other { fn a(&self) -> bool { matches!(self, Self::A | Self::B) } }", 0, 0),
        ("mod m { use ExprKind::*; fn a(s: &S) -> bool { matches!(s, View(_) | Empty) } }", 0, 1),
        ("fn a() { { use ExprKind::*; } } fn b(s: &S) -> bool { matches!(s, View(_) | Empty) }", 0, 0),
    ] {
        let code = Code::default().with("room/src/file.rs", text);
        let found = code.functions.iter().filter(|function| !function.open.is_empty()).count();
        assert_eq!((Calls::new(&code).recursive().len(), found), (recursive, open), "{text}");
    }
}

#[test]
fn recursions_over_several_files_are_found() {
    for (one, other, recursive) in [
        ("use crate::b::g; fn f(s: &S) { if let ExprKind::A(x) = s { g(x) } }", "fn g(s: &S) { super::f(s) }", 0),
        (
            "use crate::b::g; fn f(s: &S) { if let ExprKind::A(x) = s { g(x) } }",
            "use crate::a::f; fn g(s: &S) { f(s) }",
            1,
        ),
        ("fn f(s: &S) { if let ExprKind::A(x) = s { b::g(x) } }", "fn g(s: &S) { crate::a::f(s) }", 1),
        (
            "impl W { fn f(&self, s: &S) { if let ExprKind::A(x) = s { self.g(x) } } }",
            "impl W { fn g(&self) { self.f() } }",
            1,
        ),
        (
            "impl W { fn f(&self, s: &S) { if let ExprKind::A(x) = s { self.g(x) } } }",
            "impl V { fn g(&self) { self.f() } }",
            0,
        ),
        ("fn f(w: &mut W) { if let ExprKind::A(x) = w.s { w.g(x) } }", "impl W { fn g(&self) { a::f(self) } }", 1),
        (
            "struct V { w: Box<W> } impl V { fn f(&self) { if let ExprKind::A(x) = s { self.w.g(x) } } }",
            "impl W { fn g(&self, v: &V) { v.f() } }",
            1,
        ),
    ] {
        let code = Code::default().with("room/src/a.rs", one).with("room/src/b.rs", other);
        assert_eq!(Calls::new(&code).recursive().len(), recursive, "{one} {other}");
    }
}
