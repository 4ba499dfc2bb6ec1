//! `nacre new`: a folder with a stack or a layer to begin with, and what is done with it.

use std::fs;
use std::io;
use std::path::Path;

use nacre_stack::why_no_prefix;

use crate::args::projects::{New, Template};
use crate::console::{complain, print, Exit};
use crate::sources;

/// Names that a program in Rust cannot have: words of that language, crates that it uses, and folders of Cargo.
const OF_RUST: &str = "
    as async await become box break const continue crate do dyn else enum extern
    false final fn for gen if impl in let loop macro match mod move mut override
    priv pub ref return self static struct super trait true try type typeof unsafe
    unsized use virtual where while yield alloc core nacre_build nacre_runtime
    proc_macro std test build deps examples incremental
";

/// Whether a name can be one of a stack and of a C function.
fn is_valid(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && name.len() <= 40
}

/// The files of a template, with NAME where the name of the project comes.
fn files(template: Template, crates: &str) -> Vec<(&'static str, String)> {
    let stack = || include_str!("../templates/stack.nacre").to_string();
    // The example is a program for the stack `reliable`.
    let named = |text: &str| text.replace("reliable", "NAME").replace("RELIABLE", "UPPER");
    let makefile = |text: &str| named(&text.replace("../", ""));
    match template {
        Template::Stack => vec![("NAME.nacre", stack()), ("README.md", include_str!("../templates/stack.md").into())],
        Template::Layer => vec![
            ("NAME.nacre", include_str!("../templates/layer.nacre").into()),
            ("README.md", include_str!("../templates/layer.md").into()),
        ],
        Template::C => vec![
            ("NAME.nacre", stack()),
            ("main.c", named(include_str!("../../examples/c-embed/main.c"))),
            ("Makefile", makefile(include_str!("../../examples/c-embed/Makefile"))),
            (".gitignore", "/build\n".into()),
            ("README.md", include_str!("../templates/c.md").into()),
        ],
        Template::Cpp => vec![
            ("NAME.nacre", stack()),
            ("main.cpp", named(include_str!("../../examples/cpp-runtime/main.cpp"))),
            ("Makefile", makefile(include_str!("../../examples/cpp-runtime/Makefile"))),
            (".gitignore", "/build\n/runtime\n".into()),
            ("README.md", include_str!("../templates/cpp.md").into()),
        ],
        Template::Rust => vec![
            ("NAME.nacre", stack()),
            ("Cargo.toml", include_str!("../templates/rust.toml").replace("CRATES", crates)),
            ("build.rs", named(include_str!("../../examples/rust-embed/build.rs")).replace("../NAME", "NAME")),
            ("src/main.rs", named(include_str!("../../examples/rust-embed/src/main.rs"))),
            (".gitignore", "/target\n".into()),
            ("README.md", include_str!("../templates/rust.md").into()),
        ],
        Template::Python => vec![
            ("NAME.nacre", stack()),
            ("main.py", named(include_str!("../../examples/python-embed/main.py")).replace("../NAME", "NAME")),
            (".gitignore", "/nacre/\n/nacre-*.dist-info/\n__pycache__/\n".into()),
            ("README.md", include_str!("../templates/python.md").into()),
        ],
    }
}

/// Runs `nacre new`.
pub fn new(args: &New) -> Exit {
    // `.` has the name of the folder that it is.
    let folder = args.folder.canonicalize().unwrap_or_else(|_| args.folder.clone());
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_valid(&name) {
        complain(&format!(
            "`{name}` cannot be a name here: it has to begin with a small letter, and to consist of small letters, \
             digits and `_`, 40 at most"
        ));
        return Exit::Usage;
    }
    let is_taken = why_no_prefix(&name).is_some()
        || args.template == Template::Rust && OF_RUST.split_whitespace().any(|word| word == name);
    if is_taken {
        complain(&format!("`{name}` cannot be a name here: it has a meaning of its own in what is compiled"));
        return Exit::Usage;
    }
    let crates = match crates(args) {
        Ok(crates) => crates,
        Err(why) => {
            complain(&why);
            return Exit::Usage;
        }
    };
    let files = files(args.template, &crates).into_iter().map(|(path, text)| {
        let put = |text: &str| text.replace("NAME", &name).replace("UPPER", &name.to_uppercase());
        (put(path), put(&text))
    });
    let files: Vec<(String, String)> = files.collect();
    if let Some(why) = objection(&files) {
        complain(&format!("`{name}` cannot be a name here: {why}"));
        return Exit::Usage;
    }
    if let Err(error) = write(&args.folder, &files) {
        complain(&format!("{}: {error}", args.folder.display()));
        return Exit::No;
    }
    let listed: Vec<String> = files.iter().map(|(path, _)| args.folder.join(path).display().to_string()).collect();
    print(&format!("wrote {}", listed.join(", ")));
    Exit::Yes
}

/// Where the crates are that a program in Rust depends on, as a string of Cargo.toml.
fn crates(args: &New) -> Result<String, String> {
    if args.template != Template::Rust {
        return match args.crates {
            Some(_) => Err("only the template rust needs crates".into()),
            None => Ok(String::new()),
        };
    }
    let found = sources::find(args.crates.as_deref())?;
    let plain = |path: &&str| !path.contains(|c: char| c == '"' || c == '\\' || c.is_control());
    let path = found.to_str().filter(plain).map(str::to_string);
    path.ok_or_else(|| format!("{}: Cargo.toml cannot have this path", found.display()))
}

/// Why a project is not valid: its name is that of a layer that it imports, or a word of the language.
fn objection(files: &[(String, String)]) -> Option<String> {
    let (path, text) = files.first()?;
    let mut session = nacre_driver::Session::from_text(Path::new(path), text);
    session.check();
    let error = session.found.iter().find(|found| found.is_error())?;
    Some(match error.message.strip_suffix(" is declared twice") {
        Some(name) => format!("{name} is something of the library that the project uses"),
        None => error.message.clone(),
    })
}

/// Writes files into a new folder, or an empty one.
fn write(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::other("the folder is there and is not empty"));
    }
    files.iter().try_for_each(|(path, text)| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)
    })
}
