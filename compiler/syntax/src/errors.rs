//! The error messages of the lexer and the parser, one function each.

use nacre_diagnostics::{Diagnostic, Span};

/// The error codes of this crate, each with a short title.
pub const CODES: &[(&str, &str)] = &[
    ("S0001", "an unknown character"),
    ("S0002", "an unterminated text"),
    ("S0003", "a number that is too large"),
    ("S0004", "an unknown escape"),
    ("S0005", "an unexpected token"),
    ("S0006", "a semicolon is missing"),
    ("S0007", "an unclosed bracket"),
    ("S0008", "a reserved word used as a name"),
    ("S0009", "a name written in the wrong case"),
    ("S0010", "not an item of a file"),
    ("S0011", "not a member of a layer"),
    ("S0012", "nested too deeply, or too long"),
    ("S0013", "chained comparisons"),
    ("S0014", "not an attribute of a header field"),
    ("S0015", "the target of an assignment is not a place"),
    ("S0016", "not a unit of time"),
    ("S0017", "not a value of a setting"),
    ("S0018", "`else` where nothing can fail"),
    ("S0019", "wrong order"),
    ("S0020", "not a contract"),
    ("S0021", "an unclosed block of C"),
    ("S0022", "`if` as a value without `else`"),
    ("S0023", "not a statement of a test"),
    ("S0024", "a semicolon between fields"),
    ("S0025", "assignment in a condition"),
    ("S0026", "an unmatched closing bracket"),
    ("S0027", "a comma is missing"),
    ("S0028", "a member outside of a layer"),
    ("S0029", "a `let` with a type"),
    ("S0030", "a missing or duplicate part of a filter"),
    ("S0031", "`||` after `let` in a condition"),
    ("S0032", "`=` instead of `:`"),
    ("S0033", "a comment between `/*` and `*/`"),
    ("S0034", "the alias of an import as a new name"),
    ("S0035", "an unknown alias before a dot"),
    ("S0036", "statements in an `if` that is a value"),
    ("S0037", "an unknown edition"),
    ("S0038", "a sign after an event of an interface"),
    ("S0039", "a carriage return within a comment"),
];

pub(crate) fn unknown_character(span: Span, text: &str) -> Diagnostic {
    let found = Diagnostic::error("S0001", format!("unexpected character `{}`", text.escape_debug()))
        .at(span, "this character")
        .because(
            "outside of texts and comments, sources consist of ASCII letters, digits and the signs of the language",
        );
    match text {
        "'" => found.help("texts are written in double quotes: \"octet\""),
        "#" => found.help("comments begin with `//`; another file is imported: import \"path/to/file.nacre\";"),
        "@" => found.help("a fixed place in a frame is written `at byte 4` or `at cookie`"),
        "~" => found.help("the complement of x is `x ^ 0xff`, with as many bits as x has"),
        _ => found.help("remove it"),
    }
}

pub(crate) fn open_c_body(span: Span) -> Diagnostic {
    Diagnostic::error("S0021", "this block of C is not closed")
        .at(span, "its `{` has no `}`")
        .because("braces in C are counted, except in its strings, character constants and comments")
        .help("close it with `}`, and end the extern with `;`")
}

pub(crate) fn large_number(span: Span) -> Diagnostic {
    Diagnostic::error("S0003", "this number is too large")
        .at(span, "does not fit 64 bits")
        .because("the widest type of numbers is u64: up to 18446744073709551615, or 0xffffffffffffffff")
        .help("use a smaller number, or `bytes<N>` for longer values")
}

pub(crate) fn unknown_escape(span: Span, escape: &str) -> Diagnostic {
    Diagnostic::error("S0004", format!("`{escape}` is not an escape"))
        .at(span, "in this text")
        .because("escapes are `\\n`, `\\r`, `\\t`, `\\0`, `\\\\`, `\\\"` and `\\x41` (two hex digits below 80)")
        .help("for a backslash itself write `\\\\`")
}

pub(crate) fn expected(what: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("S0005", format!("expected {what}, found {found}"))
        .at(span, format!("expected {what}"))
        .help(format!("write {what} here, or remove what precedes it"))
}

pub(crate) fn missing_semicolon(after: Span, next: Span, found: &str) -> Diagnostic {
    Diagnostic::error("S0006", format!("expected `;`, found {found}"))
        .at(after, "a `;` is missing after this")
        .also(next, "this cannot follow the preceding code")
        .help("write `;` at the end")
}

pub(crate) fn not_closed(bracket: &str, open: Span, next: Span, found: &str) -> Diagnostic {
    let close = closing(bracket);
    Diagnostic::error("S0007", format!("this `{bracket}` is not closed"))
        .at(open, "opened here")
        .also(next, format!("{found} cannot be within it"))
        .help(format!("close it with `{close}` before this"))
}

fn closing(bracket: &str) -> &'static str {
    match bracket {
        "{" => "}",
        "(" => ")",
        "[" => "]",
        _ => ">",
    }
}

pub(crate) fn no_comma(bracket: &str, open: Span, after: Span, next: Span, found: &str) -> Diagnostic {
    let close = closing(bracket);
    Diagnostic::error("S0027", format!("expected `,` or `{close}`, found {found}"))
        .at(next, "this cannot follow the preceding code")
        .also(after, format!("a `,` or `{close}` is missing after this"))
        .also(open, "opened here")
        .because("the parts of a list are separated by commas")
        .help(format!("write `,` before it to add another part, `{close}` to end the list"))
}

pub(crate) fn closes_nothing(span: Span, bracket: &str) -> Diagnostic {
    Diagnostic::error("S0026", format!("unmatched `{bracket}`"))
        .at(span, "there is no open bracket here")
        .because("all brackets before it are already closed")
        .help(format!("remove it, or an extra `{bracket}` before it"))
}

/// A reserved word is a name.
pub(crate) const RESERVED: &str = "S0008";

pub(crate) fn reserved(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error(RESERVED, format!("`{word}` is a reserved word"))
        .at(span, "cannot be a name")
        .because("reserved words cannot be used as names")
        .help(format!("use another name, such as `{word}_` or a longer one"))
}

pub(crate) fn name_of_import(word: &str, what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("S0034", format!("`{word}` is the alias of an import"))
        .at(span, format!("it refers to a file, not to {what}"))
        .because("in this file, the alias refers to the imported file and is always followed by a dot")
        .help(format!("use another name, or write `{word}.` and the name of an item of the file"))
}

pub(crate) fn no_such_import(word: &str, known: &[&str], span: Span) -> Diagnostic {
    let found = Diagnostic::error("S0035", format!("no import has the alias `{word}`"))
        .at(span, "unknown")
        .because("the name before the dot must be the alias of an `import` of this file");
    match known {
        [] => found.help(format!("write: import \"path/to/file.nacre\" as {word};")),
        known => found.help(format!("there are: {}", known.join(", "))),
    }
}

pub(crate) fn wrong_case(word: &str, what: &str, help: String, span: Span) -> Diagnostic {
    Diagnostic::error("S0009", format!("`{word}` cannot name {what}"))
        .at(span, format!("expected the name of {what}"))
        .because(
            "types and headers are Capitalized with a lower-case letter, constants and parameters ALL_CAPITALS, all \
                other names lower_case",
        )
        .help(help)
}

pub(crate) fn no_item(span: Span, found: &str, hint: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error("S0010", format!("{found} does not begin an item"))
        .at(span, "expected a layer, a stack or another item")
        .because(
            "a file consists of `worker`, `multiplexor`, `router`, `interface`, `struct`, `enum`, `wire`, `filter`, \
             `automaton`, `configuration`, `property`, `extern`, `const`, `stack`, `graph` and `test`",
        );
    match hint {
        Some(hint) => diagnostic.help(hint),
        None => diagnostic.help("handlers, headers and state are written between the braces of a layer"),
    }
}

pub(crate) fn no_member(span: Span, found: &str, hint: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error("S0011", format!("{found} does not begin a member of a layer"))
        .at(span, "expected a member")
        .because(
            "a layer consists of `provides`, `requires`, `breaks`, `accepts`, `version`, `header`, `state`, `lasting`, \
             `shared`, `given`, `counters`, `port`, `below`, `extends`, `invariant`, `goal`, `struct`, `enum`, \
             `const`, `extern`, handlers (`up`, `down`, a port, `on`) and `fn`",
        );
    match hint {
        Some(hint) => diagnostic.help(hint),
        None => diagnostic.help("a handler begins with the direction or port of its event: `up deliver(m) { pass; }`"),
    }
}

pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("S0012", "this is nested too deeply")
        .at(span, format!("more than {} levels", crate::limits::DEEPEST))
        .because("the compiler traverses nested constructs recursively, and its own stack is finite")
        .help("name parts of it with `let`, or move them to a `fn`")
}

pub(crate) fn too_long(span: Span) -> Diagnostic {
    Diagnostic::error("S0012", "this file is too long")
        .at(span, format!("more than {} bytes", crate::limits::LONGEST))
        .because("positions in a file have 32 bits")
        .help("split it, and `import` the parts")
}

pub(crate) fn no_attribute(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("S0014", format!("`{word}` is not an attribute of a header field"))
        .at(span, "expected an attribute, or the end of the field")
        .because(
            "the type can be followed by the byte order (`big`), a place in the frame (`at byte 4`, `at cookie`, \
                `at fingerprint`) and a class (`identification`, `protocol`, `message`, `gossip`), each once",
        )
        .help("use one of these, or write `,` before the next field")
}

pub(crate) fn missing_comma(after: Span, next: Span) -> Diagnostic {
    Diagnostic::error("S0027", "a comma is missing")
        .at(after, "a `,` is missing after this")
        .also(next, "the next field begins here")
        .because("fields and variants are separated by commas")
        .help("write `,`")
}

pub(crate) fn member_outside(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("S0028", format!("this `{word}` is outside a layer"))
        .at(span, "no layer is open here")
        .because("handlers, headers, state and functions are written between the braces of a layer")
        .help("move it into a `worker`, `multiplexor` or `router`, or remove an extra `}` before it")
}

pub(crate) fn let_with_type(span: Span) -> Diagnostic {
    Diagnostic::error("S0029", "a `let` cannot have a type")
        .at(span, "expected `=`")
        .because("the type of a `let` is the type of its value")
        .help("omit the type, convert the value with `as`, or declare a variable: `var n: u16 = ...;`")
}

pub(crate) fn or_after_let(span: Span) -> Diagnostic {
    Diagnostic::error("S0031", "`||` cannot follow `let` in a condition")
        .at(span, "after this, the pattern might not match")
        .because("the names of the pattern would have no value if only the other side is true")
        .help("write `||` in parentheses after `&&`, or write two `if`s")
}

pub(crate) fn field_with_equal(span: Span, field: &str) -> Diagnostic {
    Diagnostic::error("S0032", format!("the value of `{field}` is written after `:`, not `=`"))
        .at(span, "should be `:`")
        .because("`=` assigns to an existing place; this expression creates a value")
        .help(format!("write `{field}: ...`"))
}

pub(crate) fn block_comment(span: Span) -> Diagnostic {
    Diagnostic::error("S0033", "comments are not written between `/*` and `*/`")
        .at(span, "expected a statement or an expression")
        .because("a comment ends at the end of its line")
        .help("begin each of its lines with `//`")
}

pub(crate) fn filter_without_input(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S0030", format!("the filter `{name}` does not process its input"))
        .at(span, "has neither `byte` nor `word`")
        .because("a filter is run once for each byte, or once for each word of four bytes")
        .help("add `byte(b: u8) { ... }` or `word(w: u32) { ... }`")
}

pub(crate) fn part_again(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("S0030", format!("this filter has a second `{word}`"))
        .at(span, "the first is above")
        .because("a filter has one input, of bytes or of words, at most one `end` and at most one `result`")
        .help("merge the two")
}

pub(crate) fn comparisons_in_a_row(first: Span, second: Span) -> Diagnostic {
    Diagnostic::error("S0013", "comparisons cannot be chained")
        .at(second, "a second comparison")
        .also(first, "the result of the first one is true or false")
        .because("`a < b < c` would compare true or false with c")
        .help("write `a < b && b < c`, or put one comparison in parentheses")
}

pub(crate) fn not_a_place(span: Span) -> Diagnostic {
    Diagnostic::error("S0015", "this cannot be assigned to")
        .at(span, "not a place")
        .because("a place is a name, a field of a place, or an element of a place: `x`, `peers[to].sent`")
        .help("for a comparison write `==`")
}

pub(crate) fn no_fraction(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("S0005", format!("expected a whole number, found `{word}`"))
        .at(span, "a fraction")
        .because("numbers are whole; fractions are for the percentages of a test")
        .help("use a smaller unit: `1500 ms` for one and a half seconds")
}

pub(crate) fn not_a_unit(span: Span, word: &str) -> Diagnostic {
    let found = Diagnostic::error("S0016", format!("`{word}` is not a unit of time"))
        .at(span, "a number is followed by a unit or nothing")
        .because("the units are ns, us, ms, s, min and h");
    let digits = |prefix| word.strip_prefix(prefix).is_some_and(|n: &str| n.bytes().all(|b| b.is_ascii_digit()));
    if digits('e') || digits('E') {
        return found.help("numbers have no exponent: write the digits, in groups if you like: `1_000_000`");
    }
    if digits('u') || digits('i') || matches!(word, "U" | "L" | "UL" | "ULL" | "LL" | "f") {
        return found.help("numbers have no suffix: their type is inferred, or stated by `as`: `5 as u16`");
    }
    found.help("write, for example, `50 ms`; if this is not a duration, an operator is missing between the two")
}

pub(crate) fn no_setting(span: Span) -> Diagnostic {
    Diagnostic::error("S0017", "a setting of a configuration is a number")
        .at(span, "not a number")
        .because("the settings of a configuration are constants and cannot refer to names")
        .help("write a number, a duration, `true`, `false`, or one value per participant: `send = (3, 0);`")
}

pub(crate) fn cannot_fail(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("S0018", format!("{what} cannot have an `else`"))
        .at(span, "nothing before it can fail")
        .because("`else` follows a statement that can fail: a `let`, `ref`, assignment, call or `pass`")
        .help("remove the `else`; the branches of an `if` are in braces: `if x { ... } else { ... }`")
}

pub(crate) fn wrong_order(span: Span, what: &str, before: &str) -> Diagnostic {
    Diagnostic::error("S0019", format!("`{what}` is in the wrong place"))
        .at(span, "not here")
        .because("a file begins with its edition, then its imports, then its items")
        .help(format!("move it before the first {before}"))
}

pub(crate) fn unknown_edition(span: Span, number: u64, known: u64) -> Diagnostic {
    Diagnostic::error("S0037", format!("edition {number} is not known"))
        .at(span, "not known")
        .because(format!("this compiler knows edition {known} of the language"))
        .help(format!("write `edition {known};`, or install a version of Nacre that knows it"))
}

pub(crate) fn no_contract(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error("S0020", format!("{found} is not a contract"))
        .at(span, "expected a contract of the function")
        .because(
            "a contract states what the compiler may assume of a function in C: `pure`, `inverse of f`, \
             `inverse of f through g`, `grows n`, `shrinks n`, `range n`",
        )
        .help("write one of these, or `;`")
}

pub(crate) fn if_without_else(span: Span, next: Span) -> Diagnostic {
    Diagnostic::error("S0022", "this `if` is a value, so it needs an `else`")
        .at(span, "no value when this is false")
        .also(next, "expected `else` here")
        .because("an expression has a value on every path")
        .help("write `if condition { value } else { other }`")
}

pub(crate) fn statement_in_value(span: Span, branch: Span) -> Diagnostic {
    Diagnostic::error("S0036", "this `if` is a value, so its branches have no statements")
        .at(span, "a statement")
        .also(branch, "the branch")
        .because("each branch is one expression, in braces")
        .help("declare `var x = 0;`, and assign it in a statement: `if condition { x = 1; } else { x = 2; }`")
}

pub(crate) fn no_test_statement(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error("S0023", format!("{found} does not begin a statement of a test"))
        .at(span, "expected a statement")
        .because(
            "a test consists of `open`, `network`, `run`, `expect`, `for`, and calls at the ports of its endpoints",
        )
        .help("for example `open a, b with reliable;`, `a.send(\"hello\");`, `expect b.deliver(\"hello\");`")
}

pub(crate) fn semicolon_between_fields(span: Span) -> Diagnostic {
    Diagnostic::error("S0024", "fields are separated by commas")
        .at(span, "this should be `,`")
        .because(
            "fields of headers, structs and states are separated by commas; only a `wire` ends its fields with `;`",
        )
        .help("write `,`")
}

pub(crate) fn sign_after_event(span: Span) -> Diagnostic {
    Diagnostic::error("S0038", "nothing follows an event of an interface")
        .at(span, "remove this, also after the other events")
}

pub(crate) fn assignment_in_condition(span: Span) -> Diagnostic {
    Diagnostic::error("S0025", "a condition cannot assign")
        .at(span, "`=` assigns")
        .because("assignments are statements of their own")
        .help("to compare, write `==`; to take an optional value, write `if let x = ...`")
}
