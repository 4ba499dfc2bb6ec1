//! `nacre check`: syntax, types and composition of files.

use std::collections::BTreeSet;
use std::path::Path;

use nacre_diagnostics::{counted, Span};
use nacre_driver::Session;
use serde_json::json;

use crate::args::Check;
use crate::console::{print, print_json, Exit};
use crate::program::tell;

/// Runs `nacre check`: each file is a program of its own. Exits with `No` if there is an error.
pub fn check(args: &Check) -> Exit {
    let mut sessions: Vec<Session> = args.files.iter().map(|file| checked(file)).collect();
    let (mut layers, mut stacks) = (BTreeSet::new(), BTreeSet::new());
    for session in &sessions {
        let place = |span: Span| (session.sources.path(span.file).to_string(), span.start);
        layers.extend(session.program.layers().map(|layer| place(layer.name.span)));
        stacks.extend(session.program.stacks().map(|stack| place(stack.name.span)));
    }
    // What several of them import is reported once.
    let (mut found, mut errors) = (Vec::new(), 0);
    for session in &mut sessions {
        let sources = &session.sources;
        session.found.retain(|one| {
            let json = one.to_json(sources);
            let is_new = !found.contains(&json);
            if is_new {
                errors += usize::from(one.is_error());
                found.push(json);
            }
            is_new
        });
    }
    if args.json {
        let (layers, stacks) = (layers.len(), stacks.len());
        print_json(&json!({ "ok": errors == 0, "layers": layers, "stacks": stacks, "diagnostics": found }));
    } else {
        sessions.iter().for_each(tell);
        if errors == 0 {
            let (layers, stacks) = (layers.len() as u64, stacks.len() as u64);
            print(&format!("checked {}, {}", counted(layers, "layer"), counted(stacks, "stack")));
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

fn checked(file: &Path) -> Session {
    let mut session = Session::open(&[file.to_path_buf()]);
    session.check();
    session
}
