//! C that does not depend on the stack is in templates, `support/*.c` of the C back end, not in strings of Rust.

use std::collections::BTreeSet;
use std::path::Path;

use nacre_tests::{files, root};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The functions of the back end that write functions of C whose parameters or bodies depend on the stack.
const OF_THE_STACK: &[&str] = &[
    "admission::admission_function",
    "admission::rest_of_call",
    "calls::step_helper",
    "check::fire_any",
    "code::function",
    "entries::accepts_function",
    "entries::begin_entry",
    "entries::call_function",
    "externs::externs",
    "functions::aside",
    "filters::filter_function",
    "graphs::first_session",
    "graphs::view_function",
    "input::open_input",
    "opening::config_default",
    "opening::open_function",
    "outputs::output_function",
    "parsing::parse_function",
    "queue::run_queue",
    "quick::quick_call_function",
    "quick_frames::choice",
    "quick_frames::quick_input_function",
    "remainders::remainder_ends",
    "source::with_body",
    "table_calls::generic_call",
    "timers::tick",
    "wire::head_function",
    "wire::shape_function",
];

/// A Rust function and the strings in it.
struct Found {
    name: String,
    strings: Vec<String>,
}

struct Reader<'f> {
    file: &'f str,
    found: Vec<Found>,
}

impl Reader<'_> {
    fn enter(&mut self, name: &syn::Ident) {
        self.found.push(Found { name: format!("{}::{name}", self.file), strings: vec![] });
    }

    /// Strings in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.string(text.value().replace("{{", "{").replace("}}", "}"));
                    }
                }
                _ => {}
            }
        }
    }

    fn string(&mut self, text: String) {
        if self.found.is_empty() {
            self.found.push(Found { name: self.file.to_string(), strings: vec![] });
        }
        self.found.last_mut().expect("a function").strings.push(text);
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| matches!(&a.meta, syn::Meta::List(list) if list.tokens.to_string() == "test"))
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.enter(&item.sig.ident);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.enter(&item.sig.ident);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_lit_str(&mut self, literal: &'a syn::LitStr) {
        self.string(literal.value());
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if METHODS.iter().any(|name| call.method == name) && call.args.len() == 2 {
            self.string("f() {".into());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.tokens(called.tokens.clone());
    }
}

/// Methods that write a function of C with a given head.
const METHODS: [&str; 2] = ["step_helper", "function"];

/// Whether a string has the head of a function of C before the `{` of its body.
fn defines_a_function(text: &str) -> bool {
    // The head was written elsewhere.
    if text.ends_with("} {") && !["struct", "} else"].iter().any(|word| text.starts_with(word)) {
        return true;
    }
    let opens = |at: &usize| text[at + 3..].chars().next().is_none_or(char::is_whitespace);
    text.match_indices(") {").map(|(at, _)| at).filter(opens).any(|end| {
        let mut depth = 0;
        let open = text[..=end].char_indices().rev().find(|(_, c)| {
            depth += i32::from(*c == ')') - i32::from(*c == '(');
            depth == 0
        });
        let before = open.map_or("", |(at, _)| text[..at].trim_end());
        !["if", "for", "while", "switch"].iter().any(|word| before.ends_with(word))
    })
}

/// The functions in a source that write functions of C by strings.
fn writers(file: &str, source: &str) -> BTreeSet<String> {
    let syntax = syn::parse_file(source).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut reader = Reader { file, found: vec![] };
    reader.visit_file(&syntax);
    let writes = |found: &Found| found.strings.iter().any(|text| defines_a_function(text));
    reader.found.into_iter().filter(writes).map(|found| found.name).collect()
}

#[test]
fn c_that_is_not_of_the_stack_is_in_templates() {
    let folder = root().join("compiler/backends/c/src");
    let mut found = BTreeSet::new();
    for path in files(&folder, ".rs") {
        let name = |path: &Path| path.strip_prefix(&folder).expect("inside").with_extension("").display().to_string();
        found.extend(writers(&name(&path), &std::fs::read_to_string(&path).expect("readable")));
    }
    let known: BTreeSet<String> = OF_THE_STACK.iter().map(|name| name.to_string()).collect();
    let new: Vec<&String> = found.difference(&known).collect();
    assert!(new.is_empty(), "functions of C in strings; make them templates in support/: {new:#?}");
    let gone: Vec<&String> = known.difference(&found).collect();
    assert!(gone.is_empty(), "these write no functions of C any more: {gone:#?}");
}

#[test]
fn functions_of_c_in_strings_are_found() {
    let found = |text: &str| writers("f", &format!("impl A {{ fn a() {{ {text} }} }}"));
    for text in [
        r#"code.open(format!("{p}_PLAIN void {name}({c} *w) {{"));"#,
        r#"line("static int f(void) { return 3; }");"#,
        r#"code.open("        uint64_t now) {");"#,
        r#"code.open(format!("{head} {{"));"#,
        r#"self.step_helper(function, |w, code| w.write(code));"#,
        r#"vec![format!("bool {name}(int (*f)(int)) {{\n return f(3); }}")];"#,
    ] {
        assert_eq!(found(text), ["f::a".to_string()].into(), "{text}");
    }
    for text in [
        r#"code.open(format!("if ({c}) {{"));"#,
        r#"code.line("for (uint32_t i = 0; i < (n); i++) { x(); }");"#,
        r#"line(format!("f({a}) {sign} 0"));"#,
        r#"code.open(format!("struct {name} {{"));"#,
        r#"code.turn("} else if (f(x)) {");"#,
        r#"line(format!("return ({c}){{.a = 1}};"));"#,
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}
