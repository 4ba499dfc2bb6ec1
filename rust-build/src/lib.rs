//! Compiles stacks in the build script of a Rust program:
//!
//! ```no_run
//! // In `main` of build.rs:
//! nacre_build::stack("chat.nacre", "chat");
//! ```
//!
//! In the program, `nacre_runtime::stack!(chat);` declares the module `chat`, whose function `stack` returns the
//! [`nacre_runtime::Stack`](https://docs.rs/nacre-runtime).

use std::path::{Path, PathBuf};
use std::{env, fs};

use nacre_driver::{library, Level, Session};

/// Compiles a stack to C, and the C into the program. The file is relative to the package; Cargo runs the build script
/// again if it changes, or a file that it imports.
///
/// Ends the build script if the source has errors, which it prints, or if there is no C compiler.
pub fn stack(file: impl AsRef<Path>, name: &str) {
    library::provide(nacre_library::FILES);
    let mut session = Session::open(&[file.as_ref().to_path_buf()]);
    for path in sources(&session) {
        println!("cargo::rerun-if-changed={path}");
    }
    let Some(stack) = session.stack(name) else {
        eprintln!("{}", session.render(false));
        std::process::exit(1);
    };
    // Code without layer boundaries is large if nothing optimizes it.
    let level = if env::var("OPT_LEVEL").is_ok_and(|level| level != "0") { Level::Inline } else { Level::Call };
    let emitted = session.emit(&stack, level, None);
    let folder = PathBuf::from(env::var("OUT_DIR").expect("Cargo sets it for build scripts"));
    for (ending, text) in [("h", emitted.header), ("c", emitted.source), ("rs", module(name))] {
        fs::write(folder.join(format!("{name}.{ending}")), text).expect("the output folder can be written to");
    }
    // The header is beside the C: that folder is not searched for those of the system.
    cc::Build::new().file(folder.join(format!("{name}.c"))).std("c11").compile(&format!("nacre_{name}"));
}

/// The files that were read, without those of the library.
fn sources(session: &Session) -> Vec<&str> {
    session.sources.paths().filter(|path| !library::is_of_library(Path::new(path))).collect()
}

/// What `nacre_runtime::stack!` includes.
fn module(name: &str) -> String {
    format!(
        "/// A stack that the build script has compiled.
pub mod {name} {{
    /// Returns the stack.
    pub fn stack() -> ::nacre_runtime::Stack {{
        unsafe extern \"C\" {{
            static {name}_stack: ::nacre_runtime::ffi::NacreStack;
        }}
        // SAFETY: the descriptor is a constant of the C that the build script has emitted.
        let stack = unsafe {{ ::nacre_runtime::Stack::from_raw(&raw const {name}_stack) }};
        stack.expect(\"the compiler and the runtime have one version\")
    }}
}}
"
    )
}
