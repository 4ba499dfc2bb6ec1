//! No name of a source conflicts with emitted C: the names of layers, state, locals, fields, functions and others in
//! these sources are all names of emitted C, and all words of C.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use nacre_driver::{Level, Session};
use nacre_stack::{why_no_prefix, words_of_c};
use nacre_tests::in_parallel;
use nacre_tests::machines::LEVELS;

/// Functions of the C library that emitted code does not use, and names of the interface.
const OF_LIBRARY: &str =
    "abort exit malloc free printf puts strlen ptrdiff_t index floor abs div signal time rand remove \
    rename nacre nacre_step nacre_out";

const LINE: &str =
    "interface line {\n    down send(m: msg)\n    up deliver(m: msg)\n}\nworker last: line over line {}\n";

/// Names that the sources below use themselves, and `data`, which is a keyword before the name in a pattern.
const OWN: &str = "data st last w line gauge many m f x send deliver ask told of_all seen";

/// A kind of names, and a source with a given number of names of that kind.
type Kind = (&'static str, fn(&[String]) -> String);

const KINDS: [Kind; 14] = [
    ("layers", layers),
    ("state", state),
    ("givens", givens),
    ("locals", locals),
    ("loops", loops),
    ("functions", functions),
    ("parameters", parameters),
    ("events", events),
    ("header fields", header_fields),
    ("struct fields and variants", fields),
    ("counters", counters),
    ("ports", ports),
    ("filters", filters),
    ("functions of the host", host_functions),
];

fn each(names: &[String], text: impl Fn(&str) -> String) -> String {
    names.iter().map(|name| text(name)).collect()
}

fn worker(members: &str, send: &str) -> String {
    let send = format!("down send(m) {{\n{send}\n        pass m;\n    }}");
    format!("{LINE}worker w: line over line {{\n{members}\n    {send}\n}}\nstack st = w / last;\n")
}

fn layers(names: &[String]) -> String {
    let member = "given { g: u8 = 1 }\n state { x: u8, t: timer }\n \
                  down send(m) { x += g; arm t in 1 ms; count seen; pass m; }\n \
                  on t { x = f(x); }\n fn f(a: u8) -> u8 { if a > 3 { return 1; } return a; }";
    let declared = each(names, |name| format!("worker {name}: line over line {{ {member} }}\n"));
    format!("{LINE}{declared}stack st = {} / last;\n", names.join(" / "))
}

fn state(names: &[String]) -> String {
    let fields = each(names, |name| format!("{name}: u16, "));
    worker(&format!("state {{ {fields} }}"), &each(names, |name| format!("{name} += 1;\n")))
}

fn givens(names: &[String]) -> String {
    let fields = each(names, |name| format!("{name}: u16, "));
    worker(
        &format!("given {{ {fields} }}\nstate {{ x_of_w: u16 }}"),
        &each(names, |name| format!("x_of_w += {name};\n")),
    )
}

fn locals(names: &[String]) -> String {
    let used = |name: &str| format!("var {name}: u32 = x_of_w; {name} += 3; x_of_w = x_of_w ^ {name};\n");
    worker("state { x_of_w: u32 }", &each(names, used))
}

fn loops(names: &[String]) -> String {
    let used = |name: &str| {
        format!("for {name} in 0 .. 3 {{ x_of_w += {name}; }} if let {name} = q_of_w.pop() {{ x_of_w += {name}; }}\n")
    };
    worker("state { x_of_w: u32, q_of_w: ring<u32, 4> }", &each(names, used))
}

fn functions(names: &[String]) -> String {
    let declared = |name: &str| format!("fn {name}() {{ x_of_w += 1; if x_of_w > 3 {{ return; }} x_of_w = 2; }}\n");
    worker(&format!("state {{ x_of_w: u32 }}\n{}", each(names, declared)), &each(names, |name| format!("{name}();\n")))
}

fn parameters(names: &[String]) -> String {
    let at = |at: usize| format!("f_{at}_of_w");
    let declared = names.iter().enumerate().map(|(i, name)| {
        format!(
            "fn {}(ref {name}: u32, m: msg) {{ {name} += m.len; if {name} > 3 {{ drop m; return; }} drop m; }}\n",
            at(i)
        )
    });
    let members = format!("state {{ x_of_w: u32 }}\n{}", declared.collect::<String>());
    let calls: String = (0..names.len()).map(|i| format!("{}(ref x_of_w, share m);\n", at(i))).collect();
    worker(&members, &calls)
}

fn events(names: &[String]) -> String {
    let declared = each(names, |name| format!("    down {name}({name}: u16)\n    up {name}({name}: u16)\n"));
    let interface = format!("interface many {{\n    down send(m: msg)\n    up deliver(m: msg)\n{declared}}}\n");
    let handlers = |name: &str| {
        format!("down {name}(a) {{ x += a; above.{name}(3); pass; }} up {name}(b) {{ x += b; above.{name}(b); }}\n")
    };
    let handlers = each(names, handlers);
    let below = each(names, |name| format!("down {name}(_) {{ above.{name}(1); }}\n"));
    format!(
        "{interface}worker w: many over many {{ state {{ x: u16 }} {handlers} }}\n\
         worker last: many over many {{ {below} }}\nstack st = w / last;\n"
    )
}

fn header_fields(names: &[String]) -> String {
    let fields = each(names, |name| format!("{name}: u9, "));
    let values = each(names, |name| format!("{name}: x_of_w as u9, "));
    let taken = each(names, |name| format!("x_of_w += {name} as u32; "));
    let members = format!(
        "header Large {{ {fields} }}\nstate {{ x_of_w: u32 }}\nup deliver(m - Large {{ {} }}) {{ {taken} pass m; }}",
        names.join(", ")
    );
    worker(&members, &format!("below.send(share m + Large {{ {values} }});"))
}

fn fields(names: &[String]) -> String {
    let declared = each(names, |name| format!("{name}: u16, "));
    let used = each(names, |name| format!("s_of_w.{name} += 1; if e_of_w == En.{name} {{ count different; }}\n"));
    let members = format!(
        "struct Large {{ {declared} }}\nenum En {{ {} }}\nstate {{ s_of_w: Large, e_of_w: En }}",
        names[..names.len().min(200)].join(", ")
    );
    let used = match names.len() > 200 {
        true => each(names, |name| format!("s_of_w.{name} += 1;\n")),
        false => used,
    };
    worker(&members, &used)
}

fn counters(names: &[String]) -> String {
    worker(&format!("counters {{ {} }}", names.join(", ")), &each(names, |name| format!("count {name};\n")))
}

/// Words with which members of a layer begin, and the sides of a layer: a handler of a port with such a name has
/// another meaning.
const MEMBERS: &str =
    "accepts version header state given shared lasting counters port below above extends invariant goal \
    struct enum const extern provides requires breaks";

fn ports(names: &[String]) -> String {
    let fits = |name: &&String| !MEMBERS.split_whitespace().any(|word| word == name.as_str());
    let names = &names.iter().filter(fits).cloned().collect::<Vec<_>>();
    let declared = each(names, |name| format!("port {name}: gauge;\n"));
    let handlers = each(names, |name| format!("{name} ask() {{ {name}.told(3); }}\n"));
    format!("interface gauge {{\n    down ask()\n    up told(n: u8)\n}}\n{}", worker(&(declared + &handlers), ""))
}

fn filters(names: &[String]) -> String {
    let declared = each(names, |name| {
        format!(
            "filter {name} {{ state {{ {name}_2: u8 }} byte(out: u8) {{ {name}_2 += out; }} result {{ {name}_2 }} }}\n"
        )
    });
    let of_state = format!(
        "filter of_all {{ state {{ {} }} byte(b_of_w: u8) {{ {} }} result {{ {} }} }}\n",
        each(names, |name| format!("{name}: u8, ")),
        each(names, |name| format!("{name} += b_of_w; ")),
        names[0]
    );
    let used = each(names, |name| format!("x_of_w += m.bytes through {name};\n"));
    declared + &of_state + &worker("state { x_of_w: u8 }", &(used + "x_of_w += m.bytes through of_all;"))
}

/// Functions of the host, with parameters and in handlers with locals of their names.
fn host_functions(names: &[String]) -> String {
    let names: Vec<String> = names.iter().filter(|name| is_of_host(name)).cloned().collect();
    calling_host(&names)
}

fn calling_host(names: &[String]) -> String {
    let declared = each(names, |name| format!("extern {name}({name}: u32, k_of_w: bytes<2>) -> u32 pure;\n"));
    let used = each(names, |name| format!("let {name} = {name}(x_of_w, k_of_w); x_of_w = x_of_w ^ {name};\n"));
    declared + &worker("state { x_of_w: u32, k_of_w: bytes<2> }", &used)
}

/// Names that a function of the host may have: none of the language's own functions, of the library or of the stack.
fn is_of_host(name: &str) -> bool {
    let mut session = Session::from_text(Path::new("name.nacre"), &calling_host(&[name.to_string()]));
    session.check();
    let taken = OF_LIBRARY.split_whitespace().any(|word| word == name) || name.starts_with("st_");
    !session.has_errors() && !taken
}

/// The header and the source of emitted C.
fn emit(text: &str, what: &str, levels: &[Level]) -> Vec<(String, String)> {
    let mut session = Session::from_text(Path::new("names.nacre"), text);
    session.check();
    let stack = (!session.has_errors()).then(|| session.stack("st")).flatten();
    let stack = stack.unwrap_or_else(|| panic!("{what}: {}", session.render(false)));
    let emitted = levels.iter().map(|level| session.emit(&stack, *level, None));
    emitted.map(|emitted| (emitted.header, emitted.source)).collect()
}

/// Names that a source may have.
fn is_name(name: &str) -> bool {
    let mut session = Session::from_text(Path::new("name.nacre"), &state(&[name.to_string()]));
    session.check();
    !session.has_errors()
}

/// Everything that looks like a name in emitted C, with and without the parts before and after a `_`.
fn names_in(text: &str, found: &mut BTreeSet<String>) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let bare = word.strip_prefix("st_").unwrap_or(word);
        for name in [word, bare] {
            if name.len() < 30 && name.starts_with(|c: char| c.is_ascii_lowercase()) {
                found.insert(name.to_string());
            }
        }
        let cuts = bare.match_indices('_').flat_map(|(at, _)| [&bare[..at], &bare[at + 1..]]);
        found.extend(cuts.filter(|c| c.starts_with(|c: char| c.is_ascii_lowercase())).map(str::to_string));
    }
}

fn compiles(header: &str, source: &str, compiler: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("st.h"), header).expect("written");
    std::fs::write(folder.path().join("st.c"), source).expect("written");
    let mut command = Command::new(compiler);
    command.args([
        "-std=c11",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused",
        "-Wno-tautological-compare",
    ]);
    let ran = command.arg(folder.path().join("st.c")).output().expect("the compiler runs");
    match ran.status.success() {
        true => included_by_cpp(folder.path()),
        false => Err(String::from_utf8_lossy(&ran.stderr).chars().take(1500).collect()),
    }
}

/// A program in C++ may include the header in a folder.
fn included_by_cpp(folder: &Path) -> Result<(), String> {
    let program = folder.join("program.cpp");
    std::fs::write(&program, "#include \"st.h\"\nint main() { return 0; }\n").expect("written");
    let mut command = Command::new("clang");
    command.args(["-x", "c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]).arg(program);
    let ran = command.output().expect("the compiler runs");
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ran.stderr).chars().take(1500).collect()),
    }
}

#[test]
fn every_name_of_emitted_code_is_a_name_for_a_source() {
    let few: Vec<String> = ["one_of_these", "another_name"].map(str::to_string).to_vec();
    let mut found: BTreeSet<String> =
        words_of_c::in_headers().chain(OF_LIBRARY.split_whitespace()).map(str::to_string).collect();
    for (what, source) in KINDS {
        for (header, source) in emit(&source(&few), what, &LEVELS) {
            names_in(&header, &mut found);
            names_in(&source, &mut found);
        }
    }
    let own = |name: &str| name.ends_with("_of_w") || OWN.split_whitespace().any(|own| own == name);
    let names: Vec<String> = found.into_iter().filter(|name| is_name(name) && !own(name)).collect();
    assert!(names.len() > 300, "{names:?}");
    let chunks = KINDS.iter().flat_map(|kind| names.chunks(200).map(move |chunk| (kind, chunk)));
    let chunks: Vec<(usize, (&Kind, &[String]))> = chunks.enumerate().collect();
    let problems = in_parallel(&chunks, |(number, ((what, source), names))| {
        let (header, source) = &emit(&source(names), what, &[LEVELS[number % LEVELS.len()]])[0];
        let compiled = compiles(header, source, ["gcc", "clang"][number % 2]);
        compiled.err().map(|words| format!("{what}: {words}"))
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), chunks.len(), problems.join("\n"));
}

/// The name of a stack is the prefix of all names in its C.
#[test]
fn stacks_may_have_the_names_of_c() {
    let names: Vec<&str> =
        words_of_c::in_c().chain(OF_LIBRARY.split_whitespace()).filter(|name| is_name(name)).collect();
    let problems = in_parallel(&names, |name| {
        let text = layers(&["w".to_string()]).replace("stack st", &format!("stack {name}"));
        let mut session = Session::from_text(Path::new("names.nacre"), &text);
        session.check();
        let Some(stack) = session.stack(name) else {
            let refused = session.render(false);
            let is_right = why_no_prefix(name).is_some_and(|why| refused.contains(&why));
            return (!is_right).then_some(refused);
        };
        let emitted = session.emit(&stack, LEVELS[2], None);
        let source = emitted.source.replace(&format!("{name}.h"), "st.h");
        compiles(&emitted.header, &source, "gcc").err().map(|words| format!("{name}: {words}"))
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
