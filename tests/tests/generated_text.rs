//! Back ends do not search in text that they have written: their decisions depend on data.

use nacre_tests::{files, root};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// Methods that search in text.
const SEARCHES: &[&str] = &[
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "trim_start_matches",
    "trim_end_matches",
    "trim_matches",
    "trim_start",
    "trim_end",
    "trim",
    "rfind",
    "split_once",
    "rsplit_once",
    "split",
    "rsplit",
    "split_at",
    "split_inclusive",
    "lines",
    "replace",
    "replacen",
    "matches",
    "match_indices",
    "char_indices",
];
/// Methods that collections have too: they search in text if the argument is text.
const MAYBE: &[&str] = &["contains", "find", "position"];

/// Files that may search in text, how often, and why. This list may only shrink.
const ALLOWED: &[(&str, usize, &str)] = &[
    ("c/src/code.rs", 2, "text of a template or of the source is cut into lines"),
    ("c/src/names.rs", 13, "names, comments and strings of C are made of those of the source"),
    ("c/src/template.rs", 21, "templates are parsed and filled; their names are listed"),
    ("promela/src/dispatch.rs", 2, "a layer's description stands in a comment"),
    ("promela/src/between.rs", 1, "a stack's description stands in a comment"),
    ("promela/src/names.rs", 1, "names of Promela are made of those of the source"),
    ("promela/src/model.rs", 1, "a timer's name becomes a name of Promela"),
    ("promela/src/writer.rs", 3, "the name of a source file stands in a comment"),
    ("promela/src/operations.rs", 1, "a name of Promela is made of parts"),
    ("promela/src/filters.rs", 1, "a variable of a filter is named after another"),
    ("promela/src/frames.rs", 1, "the last separator goes"),
    ("promela/src/report.rs", 4, "the answer of the model's run is read; the last separator goes"),
    ("promela/src/refusal.rs", 1, "the name of a kind of expression, in a message"),
];

#[derive(Default)]
struct Searches {
    found: Vec<String>,
}

/// Whether an argument is text: a literal, or composed text.
fn is_text(argument: &syn::Expr) -> bool {
    match argument {
        syn::Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Str(_) | syn::Lit::Char(_)),
        syn::Expr::Reference(inner) => is_text(&inner.expr),
        syn::Expr::Macro(call) => call.mac.path.is_ident("format"),
        _ => false,
    }
}

impl<'a> Visit<'a> for Searches {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        let is_test = module.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if !is_test {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let arguments = call.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
        for argument in arguments.iter().flatten() {
            let mut inner = Searches::default();
            inner.visit_expr(argument);
            self.found.extend(inner.found);
        }
        visit::visit_macro(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let name = call.method.to_string();
        let own = matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
        let maybe = MAYBE.contains(&name.as_str()) && call.args.first().is_some_and(is_text);
        if !own && (maybe || SEARCHES.contains(&name.as_str())) {
            self.found.push(name);
        }
        visit::visit_expr_method_call(self, call);
    }
}

fn searches(text: &str) -> Vec<String> {
    let mut searches = Searches::default();
    searches.visit_file(&syn::parse_file(text).expect("Rust"));
    searches.found
}

#[test]
fn back_ends_do_not_search_in_text() {
    let back_ends = root().join("compiler/backends");
    let mut wrong = vec![];
    for back_end in ["c", "promela"] {
        for file in files(&back_ends.join(back_end).join("src"), ".rs") {
            let name = file.strip_prefix(&back_ends).expect("inside").display().to_string();
            let found = searches(&std::fs::read_to_string(&file).expect("readable"));
            let allowed = ALLOWED.iter().find(|(path, ..)| *path == name).map_or(0, |(_, count, _)| *count);
            if found.len() != allowed {
                wrong.push(format!("{name}: {found:?}, allowed are {allowed}"));
            }
        }
    }
    assert!(wrong.is_empty(), "a decision from text (docs/decisions/017):\n{}", wrong.join("\n"));
}

#[test]
fn searches_are_recognized() {
    let text = r#"
        fn f(text: &str) -> bool {
            text.contains("_quick_out_") || text.strip_prefix("(*").is_some() || text.find(&format!("x")).is_some()
                || [1].contains(&2) || list.iter().find(|x| **x == 1).is_some()
        }
        #[cfg(test)]
        mod tests { fn g() { "a".lines(); } }
    "#;
    assert_eq!(
        searches(text),
        ["find", "strip_prefix", "contains"].map(String::from).into_iter().rev().collect::<Vec<_>>()
    );
}
