//! Code of the stack IR is traversed by `nacre_stack::visit`, and its control flow by `nacre_analysis::control`. Recursions
//! over statements and expressions that are written by hand, and matches over their kinds with a `_` arm, miss what the IR
//! gains. Those that are left are listed, the recursions with a reason.

use std::collections::{BTreeMap, BTreeSet};

use nacre_tests::{files, root};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// The crates that read code of the IR. `syntax` and `typed` have trees of their own.
const ROOMS: [&str; 13] = [
    "compiler/stack",
    "compiler/analysis",
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
    "cli",
];

/// The functions that call themselves, directly or by others of their file, by reason. Only ever make these lists shorter.
const RECURSIVE: &[(&str, &[(&str, &[&str])])] = &[
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
            ("compiler/backends/c/src/operators.rs", &["unconverted"]),
            ("compiler/backends/c/src/statements.rs", &["statement"]),
            ("compiler/backends/c/src/strings.rs", &["source"]),
            ("compiler/backends/c/src/views.rs", &["pieces"]),
            ("compiler/backends/promela/src/bytes.rs", &["append", "buffer"]),
            ("compiler/backends/promela/src/expressions.rs", &["assign", "fill", "scalar", "value"]),
            ("compiler/backends/promela/src/statements.rs", &["block", "statement"]),
        ],
    ),
    (
        "mutants: what is changed and what has effects is decided for each construct",
        &[
            ("mutants/src/decisive.rs", &["acts_besides_ending", "read", "statement", "statement_acts"]),
            ("mutants/src/lib.rs", &["block", "expr", "statement"]),
        ],
    ),
    (
        "a measure or a property of paths, which joins blocks by the construct that they are in",
        &[
            ("compiler/compose/src/explain/handlers.rs", &["effects"]),
            ("compiler/compose/src/gossip.rs", &["call", "statement"]),
            ("compiler/optimize/src/inline.rs", &["size_of_statement"]),
            ("compiler/optimize/src/sites.rs", &["statement"]),
            ("compiler/stack/src/growth.rs", &["count"]),
            ("compiler/stack/src/validate/code.rs", &["leaves"]),
        ],
    ),
    (
        "evaluates an expression in a domain of its own",
        &[
            ("compiler/analysis/src/linear.rs", &["refine"]),
            ("compiler/analysis/src/random.rs", &["number"]),
            ("compiler/analysis/src/timing/marks.rs", &["mark"]),
            ("compiler/backends/c/src/expressions.rs", &["index_is_safe"]),
            ("compiler/compose/src/classes.rs", &["value"]),
            ("compiler/compose/src/constants.rs", &["constant"]),
            (
                "compiler/compose/src/facts.rs",
                &["largest", "learn", "length", "literal", "remainder", "resolve", "whole_pieces"],
            ),
            ("compiler/compose/src/gossip.rs", &["carries", "is_marked"]),
            ("compiler/compose/src/strides.rs", &["of"]),
            ("compiler/compose/src/values.rs", &["expr", "in_pieces", "viewed"]),
        ],
    ),
    (
        "follows one chain in an expression, to the local, the place or the message at its end",
        &[
            ("compiler/analysis/src/linear/uses.rs", &["holds_unwrap", "part_of", "same_bool"]),
            ("compiler/backends/c/src/body.rs", &["borrowed_message", "message", "pushes"]),
            ("compiler/backends/c/src/filters.rs", &["data_of"]),
            ("compiler/backends/promela/src/filters.rs", &["is_data"]),
            ("compiler/compose/src/admission.rs", &["is_length", "length_limit"]),
            ("compiler/compose/src/facts.rs", &["local_of", "place_of"]),
            ("compiler/optimize/src/sites.rs", &["is_empty"]),
            ("compiler/stack/src/validate/cycles.rs", &["pushed_header"]),
        ],
    ),
    (
        "not recursive: a function of this name belongs to another type, or is a closure",
        &[
            ("compiler/analysis/src/random.rs", &["points"]),
            ("compiler/backends/c/src/events.rs", &["function"]),
            ("compiler/optimize/src/calls.rs", &["mark"]),
            ("compiler/optimize/src/inline.rs", &["is_put_in_place"]),
        ],
    ),
];

/// Matches with a `_` arm, by crate. Only ever make these smaller.
const OPEN: &[(&str, usize)] = &[
    ("compiler/analysis", 10),
    ("compiler/backends/c", 24),
    ("compiler/backends/promela", 10),
    ("compiler/compose", 39),
    ("compiler/optimize", 5),
    ("compiler/stack", 19),
    ("mutants", 7),
];

/// The enums whose variants are the constructs of the IR.
const KINDS: [&str; 2] = ["StatementKind", "ExprKind"];

/// Traits of traversals: their functions call each other by way of the traversal.
const TRAVERSALS: [&str; 2] = ["Visitor", "Rewriter"];

#[derive(Default)]
struct Function {
    name: String,
    /// Has a pattern of a kind.
    reads: bool,
    calls: BTreeSet<String>,
}

/// What one file has.
#[derive(Default)]
struct Reader {
    functions: Vec<Function>,
    /// Matches over kinds with a `_` arm.
    open: usize,
    /// The function that is read, by its place; the innermost last.
    inside: Vec<usize>,
    /// The type of the block of functions that is read.
    own_type: Option<String>,
}

fn is_kind(path: &syn::Path) -> bool {
    path.segments.iter().any(|segment| KINDS.iter().any(|kind| segment.ident == kind))
}

/// Whether a pattern names a kind.
fn names_kind(pattern: &syn::Pat) -> bool {
    struct Paths(bool);
    impl<'a> Visit<'a> for Paths {
        fn visit_path(&mut self, path: &'a syn::Path) {
            self.0 |= is_kind(path);
        }
    }
    let mut paths = Paths(false);
    paths.visit_pat(pattern);
    paths.0
}

fn is_open(arm: &syn::Arm) -> bool {
    matches!(arm.pat, syn::Pat::Wild(_) | syn::Pat::Ident(_))
}

fn last(path: &syn::Path) -> Option<String> {
    path.segments.last().map(|segment| segment.ident.to_string())
}

impl Reader {
    fn of(source: &str) -> Reader {
        let mut reader = Reader::default();
        reader.visit_file(&syn::parse_file(source).expect("Rust"));
        reader
    }

    fn function(&mut self, name: &syn::Ident, read: impl FnOnce(&mut Reader)) {
        self.inside.push(self.functions.len());
        self.functions.push(Function { name: name.to_string(), ..Function::default() });
        read(self);
        self.inside.pop();
    }

    fn with_current(&mut self, change: impl FnOnce(&mut Function)) {
        if let Some(at) = self.inside.last() {
            change(&mut self.functions[*at]);
        }
    }

    /// A function that is called, or handed on to be called.
    fn call(&mut self, path: &syn::Path) {
        let before = path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string());
        let is_own = match before.as_deref() {
            None | Some("Self" | "self") => true,
            // That of the traversal.
            Some("visit") => false,
            Some(other) => !other.starts_with(char::is_uppercase) || self.own_type.as_deref() == Some(other),
        };
        if let Some(name) = last(path).filter(|_| is_own) {
            self.with_current(|function| function.calls.extend([name]));
        }
    }

    fn handed_on<'a>(&mut self, arguments: impl IntoIterator<Item = &'a syn::Expr>) {
        for argument in arguments {
            if let syn::Expr::Path(path) = argument {
                self.call(&path.path);
            }
        }
    }

    /// The functions that read kinds and come back to themselves.
    fn recursive(&self) -> BTreeSet<&str> {
        let comes_back = |from: &Function| {
            let (mut seen, mut pending) = (BTreeSet::new(), vec![from]);
            while let Some(function) = pending.pop() {
                let next = self.functions.iter().filter(|other| function.calls.contains(&other.name));
                pending.extend(next.filter(|other| seen.insert(other.name.as_str())));
            }
            seen.contains(from.name.as_str())
        };
        self.functions.iter().filter(|f| f.reads && comes_back(f)).map(|f| f.name.as_str()).collect()
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let name = item.trait_.as_ref().and_then(|(_, path, _)| last(path));
        let of_type = if let syn::Type::Path(path) = &*item.self_ty { last(&path.path) } else { None };
        let before = std::mem::replace(&mut self.own_type, of_type);
        let from = self.functions.len();
        visit::visit_item_impl(self, item);
        if name.is_some_and(|name| TRAVERSALS.contains(&name.as_str())) {
            self.functions.truncate(from);
        }
        self.own_type = before;
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig.ident, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.sig.ident, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_pat(&mut self, pattern: &'a syn::Pat) {
        if names_kind(pattern) {
            self.with_current(|function| function.reads = true);
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_expr_match(&mut self, of: &'a syn::ExprMatch) {
        self.open += usize::from(of.arms.iter().any(|arm| names_kind(&arm.pat)) && of.arms.iter().any(is_open));
        visit::visit_expr_match(self, of);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        self.handed_on(call.args.iter().chain([&*call.func]));
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        // A method of `self` or of a parameter; not of a field, which has another type.
        if let syn::Expr::Path(_) = &*call.receiver {
            self.with_current(|function| function.calls.extend([call.method.to_string()]));
        }
        self.handed_on(&call.args);
        visit::visit_expr_method_call(self, call);
    }

    /// The patterns of `matches!`.
    fn visit_macro(&mut self, made: &'a syn::Macro) {
        let parse = |input: syn::parse::ParseStream| {
            input.parse::<syn::Expr>()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            input.parse::<proc_macro2::TokenStream>()?;
            Ok(pattern)
        };
        if made.path.is_ident("matches") {
            let pattern = made.parse_body_with(parse).expect("an expression and a pattern");
            self.with_current(|function| function.reads |= names_kind(&pattern));
        } else if let Ok(arguments) = made.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated) {
            arguments.iter().for_each(|argument| Visit::visit_expr(self, argument));
        }
    }
}

/// By crate, the functions that are recursive and the number of matches with a `_` arm.
fn found() -> BTreeMap<&'static str, (BTreeSet<String>, usize)> {
    let mut found = BTreeMap::new();
    for room in ROOMS {
        let (recursive, open) = found.entry(room).or_insert_with(Default::default) as &mut (BTreeSet<String>, usize);
        for path in files(&root().join(room).join("src"), ".rs") {
            let name = path.strip_prefix(root()).expect("below the root").display().to_string();
            if name.ends_with("tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("readable");
            // The kinds of the syntax tree.
            if text.contains("nacre_syntax::ast") {
                continue;
            }
            let reader = Reader::of(&text);
            recursive.extend(reader.recursive().into_iter().map(|function| format!("{name}::{function}")));
            *open += reader.open;
        }
    }
    found
}

#[test]
fn recursions_over_code_are_traversals_or_have_a_reason() {
    let found: BTreeSet<String> = found().into_values().flat_map(|(recursive, _)| recursive).collect();
    let known = RECURSIVE.iter().flat_map(|(_, files)| files.iter());
    let known = known.flat_map(|(file, functions)| functions.iter().map(move |name| format!("{file}::{name}")));
    let known: BTreeSet<String> = known.collect();
    let new: Vec<&String> = found.difference(&known).collect();
    assert!(new.is_empty(), "write these as a visitor of `nacre_stack::visit` or by `nacre_analysis`: {new:#?}");
    let gone: Vec<&String> = known.difference(&found).collect();
    assert!(gone.is_empty(), "take these from the list: {gone:#?}");
}

#[test]
fn matches_over_kinds_name_all_of_them() {
    let mut wrong = vec![];
    for (room, (_, open)) in found() {
        let known = OPEN.iter().find(|(known, _)| *known == room).map_or(0, |(_, open)| *open);
        if open != known {
            wrong.push(format!("{room} has {open}, and had {known}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "matches with a `_` arm over the kinds of the IR, which become fewer:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn recursions_and_open_matches_are_found() {
    for (text, recursive, open) in [
        ("fn a(s: &S) -> bool { match s { ExprKind::A(x) => a(x), _ => false } }", 1, 1),
        ("fn a(s: &S) -> bool { match s { stack::StatementKind::A(x) => x.iter().any(a), ref other => no() } }", 1, 1),
        ("fn a(s: &S) { if let ExprKind::A(x) = s { b(x) } } fn b(s: &S) { a(s) }", 1, 0),
        ("fn a(s: &S) -> bool { matches!(s, ExprKind::A(x) if x > 1) || a(s.next()) }", 1, 0),
        ("impl W { fn a(&self, s: &S) { if let Some(ExprKind::A(x)) = s { self.a(x) } } }", 1, 0),
        ("impl W { fn a(s: &S) { if let ExprKind::A(x) = s { Self::a(x); W::a(x); } } }", 1, 0),
        ("impl W { fn a(s: &S) { if let ExprKind::A(x) = s { V::a(x); visit::a(x); } } }", 0, 0),
        ("impl Visitor for W { fn a(&self, s: &S) { if let ExprKind::A(x) = s { self.a(x) } } }", 0, 0),
        ("fn a(s: &S) { if let ExprKind::A(x) = s { print!(\"{}\", a(x)) } }", 1, 0),
        ("fn a(s: &S) { match s { Other::A(x) => a(x), _ => {} } }", 0, 0),
        ("fn a(s: &S) -> u8 { match s { ExprKind::A(a) => a, ExprKind::B => 1 } }", 0, 0),
    ] {
        let reader = Reader::of(text);
        assert_eq!((reader.recursive().len(), reader.open), (recursive, open), "{text}");
    }
}
