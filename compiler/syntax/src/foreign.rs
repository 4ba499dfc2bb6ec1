//! Hints for syntax of other languages: C, Rust, Go, Python, and older drafts of Nacre.
//!
//! The parser's error states what was expected; if the tokens around it are another language's syntax, the help shows
//! the equivalent in Nacre. The tables are tried in order; the first matching row applies.

/// A pattern for one token near an error: literal, one of several, or by kind.
enum Word {
    Is(&'static str),
    OneOf(&'static [&'static str]),
    /// A name, a type or a constant.
    Name,
    /// The name of a type, in this language or another.
    Type,
    /// A name in capitals.
    Capitals,
    /// A number.
    Digits,
}

mod names;

use names::{ARRAYS, NAMES, OPERATIONS, TYPES};
use Word::{Capitals, Digits, Is, Name, OneOf, Type};

/// The tokens before the error, the tokens from the error on, and the help.
type Row = (&'static [Word], &'static [Word], &'static str);

const DECLARED: &str = "`let x = ...;` names a value, `var x: u16 = ...;` declares a variable";
const BRACES: &str = "a block is written in braces: `if x { ... } else { ... }`";
const SECOND_LET: &str =
    "a condition has one `let`, as its first part: `if let x = a && b { ... }`; put a second `if let` into its block";
const CASE: &str = "the name of a header or struct has a lower-case letter: `Head { number: 1 }`";
const LEAVES: &str = "an `else` leaves: `else return;`, `break`, `unreachable`, or a block that ends with one of them";
const MATCHED: &str = "write `match n { 1 => { ... } _ => { ... } }`";
const NAME_FIRST: &str =
    "the name comes first: `number: u16`; a handler names its parameters without types: `down send(m)`";
const FAILING: &str = "there are no exceptions: an operation that can fail has an `else { ... }`";
const LOOPS: &str = "every loop has a bound: `while x bound 10 { ... }`, `for i in 0 .. 10 { ... }`";
const LAYERS: &str = "layers are composed by `/`, the top layer first: `stack s = frag / pt2pt / floor;`";
const STATE: &str = "fields of a layer are declared in its state: `state { next: u32 }`";
const PRINTS: &str = "there are no macros and no output; a layer counts what happens: `count late;`";

/// At an error where a statement, an expression or its end was expected.
const STATEMENTS: &[Row] = &[
    (&[], &[Is("and")], "`a and b` is written `a && b`"),
    (&[], &[Is("or")], "`a or b` is written `a || b`"),
    (&[Is("not")], &[], "`not a` is written `!a`"),
    (&[], &[Is("is")], "write `==`, or `!=` for `is not`"),
    (&[OneOf(&["elif", "elsif", "elseif", "elsef"])], &[], "write `else if`"),
    (&[Is("unless")], &[], "write `if !a { ... }`"),
    (&[Capitals], &[Is("{")], CASE),
    (&[Is(".")], &[Digits], "the parts of a tuple are named by a pattern: `let (a, b) = pair;`"),
    (&[OneOf(&[")", "]"]), Is("else")], &[], LEAVES),
    (&[Name, Is("else")], &[Digits], LEAVES),
    (&[Is("else")], &[], BRACES),
    (&[Is(")")], &[OneOf(&["pass", "drop", "count", "return", "arm", "cancel", "break"])], BRACES),
    (&[Is("++")], &[], "increment by `n += 1;` (`++` concatenates strings of bytes)"),
    (&[], &[Is("++")], "increment by `n += 1;` (`++` concatenates strings of bytes)"),
    (&[Is("-"), Is("-")], &[], "decrement by `n -= 1;`"),
    (&[Is("count"), Name], &[], "`count name;` increments the counter"),
    (&[], &[OneOf(&["+=", "-=", "*=", "|=", "&="])], "an assignment is a statement of its own, and has no value"),
    (&[Is("==")], &[Is("=")], "equality is `==`, also of options and enums"),
    (&[Is("!=")], &[Is("=")], "inequality is `!=`"),
    (&[Is("<")], &[Is(">")], "inequality is `!=`"),
    (&[Is("*")], &[Is("*")], "there is no power operator: multiply, or shift as in `1 << n`"),
    (&[Is("..")], &[OneOf(&["=", "."])], "a range excludes its end: `0 .. N + 1`"),
    (&[OneOf(&["/", "%", "^", "<<", ">"])], &[OneOf(&["=", ">="])], "write the place twice: `n = n / 2;`"),
    (&[Is("=")], &[Is("+")], "write `n += 1;`"),
    (&[Is("for"), Is("("), Name], &[Is("=")], "write `for i in 0 .. 10 { ... }`"),
    (&[Is("mut")], &[], "variables are declared by `var x = ...;`"),
    (&[OneOf(&["try", "throw", "raise", "catch", "except", "panic", "abort"])], &[], FAILING),
    (&[OneOf(&["loop", "do", "repeat", "until"])], &[], LOOPS),
    (&[OneOf(&["switch", "case"])], &[], MATCHED),
    (
        &[OneOf(&["goto", "await", "go", "defer", "async", "spawn", "lock"])],
        &[],
        "a handler runs to its end without interruption; `later above.event();` begins another step, `break` and \
            `return` leave early",
    ),
    (
        &[OneOf(&["start", "set", "schedule"])],
        &[Name],
        "arm a timer with `arm t in 5 ms;`; assign to a place with `x = ...;`",
    ),
    (
        &[OneOf(&["stop", "clear", "kill", "disarm"])],
        &[Name],
        "stop a timer with `cancel t;`, empty a container with `c.clear();`",
    ),
    (
        &[OneOf(&["delete", "del", "free", "release", "discard"])],
        &[Name],
        "a message is released by `drop m;`, an entry by `c.remove(i);`",
    ),
    (
        &[OneOf(&["emit", "send", "raise", "trigger", "call", "reply", "forward", "deliver", "post", "transmit"])],
        &[],
        "events are emitted by `below.send(m);` and \
        `above.deliver(m);`",
    ),
    (&[Is("arm"), Name], &[], "write `arm t in 5 ms;`"),
    (&[OneOf(&["new", "auto", "const", "static", "local", "my", "let", "var"])], &[Name], DECLARED),
    (&[Type], &[Name], DECLARED),
    (&[Is("("), Type, Is(")")], &[], "a conversion is written `x as u16`"),
    (&[], &[Is(":"), Is("=")], DECLARED),
    (&[Is(":")], &[Is("=")], DECLARED),
    (
        &[],
        &[Is("?")],
        "write `if a { b } else { c }`; test an option with `!= none`, or bind its value with `if let x = a`",
    ),
    (&[Name], &[Is("!")], PRINTS),
    (&[], &[Is("fn")], "a function is a member of the layer, not of a handler"),
    (
        &[OneOf(&["func", "function", "def", "lambda"])],
        &[],
        "a function is a member of the layer: `fn name(x: u16) -> \
        u16 { ... }`",
    ),
    (&[Is("=")], &[OneOf(&["&", "*"])], "there are no pointers: `ref x = place;` names a place"),
    (&[], &[OneOf(&["then", "begin", "do"])], BRACES),
    (&[OneOf(&["begin", "end"])], &[], BRACES),
    (&[Is("=>")], &[], "an arm is a block: `1 => { ... }`"),
    (&[], &[Is("->")], "fields and events follow a dot, `below.send(m)`; an arm is written `1 => { ... }`"),
    (&[], &[Is(":"), Is("{")], "an arm is written `1 => { ... }`, a block `if x { ... }`"),
    (&[], &[Is(":")], BRACES),
    (&[], &[OneOf(&["U", "L", "UL", "LL", "ULL"])], "numbers have no suffix: their type is inferred"),
    (&[Is("}")], &[OneOf(&[",", ";"])], "no `;` or `,` follows a block"),
    (&[Is(";")], &[Is(";")], "one `;` is enough"),
    (
        &[OneOf(&[";", "{", "}"])],
        &[Is("{")],
        "a block follows `if`, `else`, `for`, `while` or `=>`; others have no braces",
    ),
    (&[Is("{")], &[Is(";")], "omit empty statements"),
];

const STACKS: &[Row] = &[
    (&[Is("stack"), Name], &[], LAYERS),
    (&[Is("stack"), Name, Is("="), Name], &[], LAYERS),
    (&[Is("stack")], &[Is("=")], "a stack has a name: `stack name = frag / pt2pt / floor;`"),
];

/// Reserved words where a name or an expression was expected.
const RESERVED: &[Row] = &[
    (&[], &[Is("else"), Is("=>")], "the arm for all other values is `_ => { ... }`"),
    (&[Is("pass")], &[], "write `pass;`"),
    (&[Is("later")], &[Is("pass")], "`later` precedes an event that is named: `later below.send(m);`"),
    (&[OneOf(&["&&", "||", "(", "!"])], &[Is("let")], SECOND_LET),
    (&[], &[Is("fn"), Name], "a function is a member of the layer, not of a handler"),
    (&[], &[OneOf(&["up", "down"]), Is(".")], "events are emitted by `below.send(m);` and `above.deliver(m);`"),
];

/// At an error where a part of a declaration was expected.
const DECLARATIONS: &[Row] = &[
    (&[OneOf(&["up", "down"]), Name], &[Is(":")], "parameters are in parentheses: `up measured(n: u16, m: msg)`"),
    (&[OneOf(&["{", ","])], &[Is("..")], "omit the other fields: `m - Head { number }`"),
    (&[Is("filter"), Name], &[Is("<")], "a filter has no parameters, but can use constants: `const SHIFT: u8 = 13;`"),
    (&[Is(":"), Type], &[Name], "write `,` between the two"),
    (
        &[OneOf(&["func", "function", "def", "void", "sub", "proc"])],
        &[],
        "a function is written `fn name(x: u16) -> u16 { ... }`",
    ),
    (
        &[OneOf(&["func", "function", "def", "void", "sub", "proc"]), Name, Is("("), Name],
        &[],
        "a function is written `fn name(x: u16) -> u16 { ... }`",
    ),
    (&[Type, Name, Is("("), Name], &[], "a function is written `fn name(x: u16) -> u16 { ... }`"),
    (&[Is(")")], &[OneOf(&[":", "=>"]), Type], "the result of a function is written `-> u16`"),
    (&[Is(")")], &[Is("->"), Is("{")], "a handler has no result: `down send(m) { ... }`"),
    (&[Is("const"), Name], &[], "a constant has a type: `const LARGEST: u16 = 1;`"),
    (&[OneOf(&["{", ","]), Name], &[Is("=")], "a field has a type: `number: u16 = 1`; values of enums have no numbers"),
    (
        &[OneOf(&["<", ","]), Name],
        &[OneOf(&["=", ">", ","])],
        "a parameter has a type: `worker name<SIZE: u16 = 16> { ... }`",
    ),
    (&[Type], &[Is("[")], ARRAYS),
    (&[Is(":")], &[Is("[")], ARRAYS),
    (&[Type], &[Name], NAME_FIRST),
    (&[OneOf(&["(", ","]), Name], &[Is(":"), Type], NAME_FIRST),
    (&[Name], &[Type], "`:` separates a name and its type: `number: u16`"),
    (&[Is("on"), Is("timer")], &[], "a handler of a timer is written `on again { ... }`"),
    (&[OneOf(&["up", "down"]), Name], &[Is("{")], "an event has parentheses: `up init() { ... }`"),
    (&[OneOf(&["header", "struct"]), Name], &[Is("(")], "fields are written in braces: `header Data { number: u16 }`"),
    (
        &[OneOf(&["state", "given", "shared", "lasting", "counters"])],
        &[Name],
        "fields are written in braces: `state { next: u32 }`, `counters { late }`",
    ),
    (
        &[Is("worker"), Name],
        &[OneOf(&["extends", "implements", "provides"])],
        "the interfaces of a layer follow its name: `worker name: channel<addr> over channel<addr> { ... }`",
    ),
    (
        &[Is("worker"), Name],
        &[Is("(")],
        "parameters are written between `<` and `>`: `worker name<SIZE: u16 = 16> { ... }`",
    ),
    (&[Is("import")], &[], "an import names a file: import \"path/to/file.nacre\";"),
    (&[Is("test")], &[], "the name of a test is a text: `test \"what is sent arrives\" { ... }`"),
    (&[Is("open"), Name], &[], "write `open a, b with stack;`"),
    (&[Is("open"), Name, Is(","), Name], &[], "write `open a, b with stack;`"),
];

/// By the first words of a layer's member.
const MEMBERS: &[Row] = &[
    (
        &[],
        &[OneOf(&["pub", "private", "public", "protected", "export"])],
        "all members of a layer are private to it: omit this",
    ),
    (
        &[],
        &[OneOf(&["func", "function", "def", "void", "sub", "proc"])],
        "a function is written `fn name(x: u16) -> u16 { ... }`",
    ),
    (&[], &[OneOf(&["type", "typedef", "using"])], "there are no type aliases; group fields in a `struct`"),
    (
        &[],
        &[OneOf(&["class", "impl", "object", "trait"])],
        "fields are grouped in a `struct`; functions are members of the layer",
    ),
    (
        &[],
        &[OneOf(&["use", "import", "include", "require"])],
        "a file begins with its imports: import \"path/to/file.nacre\";",
    ),
    (
        &[],
        &[OneOf(&["init", "constructor", "new", "setup", "main"])],
        "a connection begins with `up init() { pass; }`; initial values are in the state: `state { next: u32 = 1 }`",
    ),
    (
        &[],
        &[Is("timer")],
        "a timer is a field of the state, `state { again: timer }`, with a handler: `on again { ... }`",
    ),
    (
        &[],
        &[OneOf(&["parameter", "parameters", "param", "params"])],
        "parameters follow the name: `worker name<SIZE: u16 = 16> { ... }`",
    ),
    (&[], &[OneOf(&["mut", "static", "local"])], STATE),
    (
        &[],
        &[Name, Is("(")],
        "a handler begins with the direction or port of its event: `down send(m) { ... }`, `up deliver(m) { ... }`",
    ),
    (&[], &[Name, Is(":")], STATE),
    (&[], &[Type], STATE),
    (&[], &[Is("/"), Is("*")], "a comment begins with `//` and ends with its line"),
    (&[], &[Is(";")], "no `;` or `,` follows a block"),
];

/// By the first words of an item.
const ITEMS: &[Row] = &[
    (&[], &[OneOf(&["layer", "protocol", "class", "service", "object"])], "a layer is written `worker name { ... }`"),
    (
        &[],
        &[OneOf(&["func", "function", "def", "void", "sub", "proc", "pub"])],
        "a layer is written `worker name { ... }`, and functions are its members: `fn name(x: u16) -> u16 { ... }`",
    ),
    (
        &[],
        &[OneOf(&["use", "from", "include", "require", "using", "package", "mod", "module", "namespace"])],
        "another file is imported by its path: import \"path/to/file.nacre\";",
    ),
    (&[], &[OneOf(&["type", "typedef"])], "there are no type aliases; group fields in a `struct`"),
    (&[], &[OneOf(&["let", "var", "static", "define"])], "a constant of a file is written `const LARGEST: u16 = 1;`"),
    (&[], &[Type], "a constant of a file is written `const LARGEST: u16 = 1;`"),
    (&[], &[Is("/"), Is("*")], "a comment begins with `//` and ends with its line"),
    (&[], &[Is(";")], "no `;` or `,` follows a block"),
];

/// By the first words of a step of a test.
const STEPS: &[Row] = &[
    (&[], &[OneOf(&["sleep", "wait", "pause", "delay", "advance"])], "`run 5 ms;` advances the time"),
    (
        &[],
        &[OneOf(&["assert", "check", "assert_eq"])],
        "write what is expected: `expect b.deliver(\"text\");`, `expect count a.layer.late == 0;`",
    ),
    (&[], &[OneOf(&["let", "var", "const"])], "the only variables of a test are those of `for i in 0 .. 10 { ... }`"),
    (&[], &[OneOf(&["send", "call", "deliver"])], "an event is called at an endpoint: `a.send(\"text\");`"),
    (
        &[],
        &[OneOf(&["if", "while", "loop", "match"])],
        "a test repeats statements by `for i in 0 .. 10 { ... }` and has no conditions",
    ),
    (&[], &[Is("/"), Is("*")], "a comment begins with `//` and ends with its line"),
];

/// Whether a word names a type, here or in another language.
fn is_type(word: &str) -> bool {
    let digits = |prefix| {
        word.strip_prefix(prefix).is_some_and(|n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let own = ["bool", "msg", "duration", "instant", "addr", "bytes"];
    digits("u")
        || digits("i")
        || digits("seq")
        || own.contains(&word)
        || TYPES.iter().any(|(words, _)| words.contains(&word))
}

impl Word {
    fn fits(&self, word: &str) -> bool {
        match self {
            Is(other) => *other == word,
            OneOf(words) => words.contains(&word),
            Name => word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
            Type => is_type(word),
            Capitals => word.starts_with(|c: char| c.is_ascii_uppercase()) && !word.contains(char::is_lowercase),
            Digits => word.starts_with(|c: char| c.is_ascii_digit()),
        }
    }
}

fn fits(row: &Row, before: &[&str], at: &[&str]) -> bool {
    let (wanted, next, _) = row;
    wanted.len() <= before.len()
        && next.len() <= at.len()
        && wanted.iter().rev().zip(before.iter().rev()).all(|(w, word)| w.fits(word))
        && next.iter().zip(at).all(|(w, word)| w.fits(word))
}

/// Returns the equivalent in Nacre of the syntax around an error with this code. `before`: the tokens before the error;
/// `at`: those from the error on.
pub(crate) fn syntax(code: &str, before: &[&str], at: &[&str]) -> Option<&'static str> {
    let tables: &[&[Row]] = match code {
        "S0006" => &[STACKS, STATEMENTS],
        "S0008" => &[RESERVED],
        "S0005" | "S0007" | "S0027" => &[STACKS, DECLARATIONS, STATEMENTS],
        "S0010" => &[ITEMS],
        "S0011" => &[MEMBERS],
        "S0023" => &[STEPS],
        _ => &[],
    };
    tables.iter().copied().flatten().find(|row| fits(row, before, at)).map(|(.., help)| *help)
}

/// The kind of an unknown name.
pub enum Unknown {
    /// A value or a function.
    Value,
    Type,
    /// An operation or a field of a value.
    Operation,
    /// The side from which a handler's event comes.
    Port,
}

/// Returns the help for a name used in another language.
///
/// ```
/// use nacre_syntax::foreign::{name, Unknown};
/// assert!(name("null", Unknown::Value).is_some_and(|help| help.contains("`none`")));
/// assert_eq!(name("window", Unknown::Type), None);
/// ```
pub fn name(word: &str, unknown: Unknown) -> Option<&'static str> {
    let table = match unknown {
        Unknown::Value => NAMES,
        Unknown::Type => TYPES,
        Unknown::Operation => OPERATIONS,
        Unknown::Port => {
            let is_function = is_type(word) || matches!(word, "func" | "function" | "def" | "void" | "sub" | "proc");
            return is_function.then_some("a function is written `fn name(x: u16) -> u16 { ... }`");
        }
    };
    let found = table.iter().find(|(words, _)| words.contains(&word)).map(|(_, help)| *help);
    let is_conversion = matches!(unknown, Unknown::Value) && is_type(word);
    found.or(is_conversion.then_some("a conversion is written `x as u16`"))
}
