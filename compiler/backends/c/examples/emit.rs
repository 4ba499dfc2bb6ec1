//! Writes the samples as C into a folder: `emit <folder>`.

use nacre_backend_c::{write_with, Level, Options};

fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).expect("a folder"));
    for mut stack in nacre_stack::samples::all() {
        nacre_optimize::calls::decide(&mut stack);
        for level in Level::ALL {
            let prefix = format!("{}_{}", stack.name, level.name());
            let options = Options { prefix: Some(prefix.clone()), ..Options::default() };
            let text = write_with(&stack, level, &|_| None, options);
            std::fs::write(folder.join(format!("{prefix}.h")), text.header).expect("the header");
            std::fs::write(folder.join(format!("{prefix}.c")), text.source).expect("the source");
        }
    }
}
