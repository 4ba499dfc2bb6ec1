//! `nacre check`: syntax, types and composition of files.

use nacre_diagnostics::counted;
use nacre_driver::Session;
use serde_json::json;

use crate::args::Check;
use crate::console::{print, print_json, Exit};
use crate::program::tell;

/// Runs `nacre check`; exits with `No` if there is an error.
pub fn check(args: &Check) -> Exit {
    let mut session = Session::open(&args.files);
    session.check();
    let (layers, stacks) = (session.program.layers().count(), session.program.stacks().count());
    let errors = session.found.iter().filter(|found| found.is_error()).count();
    if args.json {
        let found: Vec<_> = session.found.iter().map(|found| found.to_json(&session.sources)).collect();
        print_json(&json!({ "ok": errors == 0, "layers": layers, "stacks": stacks, "diagnostics": found }));
    } else {
        tell(&session);
        if errors == 0 {
            print(&format!("checked {}, {}", counted(layers as u64, "layer"), counted(stacks as u64, "stack")));
        } else {
            crate::console::say(&counted(errors as u64, "error"));
        }
    }
    if errors == 0 {
        Exit::Yes
    } else {
        Exit::No
    }
}
