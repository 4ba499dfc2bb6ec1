//! Writes stacks as C into a folder, at every level: `emit <folder>` the samples, `emit <folder> <file.nacre> <stack>`
//! one that a file declares.

use std::path::{Path, PathBuf};

use nacre_backend_c::{write_with, Level, Options};
use nacre_stack::Stack;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(arguments.first().expect("a folder"));
    let stacks = match &arguments[1..] {
        [file, name] => vec![declared(Path::new(file), name)],
        _ => nacre_stack::samples::all(),
    };
    for mut stack in stacks {
        for decision in nacre_optimize::calls::decide(&mut stack) {
            let handler = &stack.handler(decision.handler).name;
            println!("{handler} {} ({}): {}", decision.emission, stack.event(decision.event).name, decision.reason);
        }
        nacre_optimize::inline::mark(&mut stack);
        for level in Level::ALL {
            let prefix = format!("{}_{}", stack.name, level.name());
            let options = Options { prefix: Some(prefix.clone()), ..Options::default() };
            let text = write_with(&stack, level, &|_| None, options);
            std::fs::write(folder.join(format!("{prefix}.h")), text.header).expect("the header");
            std::fs::write(folder.join(format!("{prefix}.c")), text.source).expect("the source");
        }
    }
}

fn declared(file: &Path, name: &str) -> Stack {
    let mut session = nacre_driver::Session::open(&[file.to_path_buf()]);
    let stack = session.stack(name);
    stack.unwrap_or_else(|| panic!("{}", session.render(false)))
}
