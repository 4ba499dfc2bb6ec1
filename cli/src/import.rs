//! `nacre import`: compiles protocol code of another system to a capsule.

use nacre_encapsulation::import::{Import, Imported, Refused};
use nacre_encapsulation::overlays::{Displaced, Overlay, Wide};
use nacre_encapsulation::report::{Asked, Report};
use serde_json::{json, Map, Value};

use crate::args::projects;
use crate::console::{complain, print, print_json, Exit};

/// Runs the command.
pub fn import(args: &projects::Import) -> Exit {
    let import = Import {
        tree: args.tree.clone(),
        environment: args.environment.clone(),
        name: args.name.clone(),
        description: args.description.clone(),
        flags: args.flag.clone(),
        isolate: args.isolate,
    };
    match import.write(&args.output) {
        Ok(imported) if args.json => {
            print_json(&to_json(&import, Some(&imported), &imported.report));
            Exit::Yes
        }
        Ok(imported) => {
            print(&shown(&imported));
            Exit::Yes
        }
        Err(Refused::Source(report)) => {
            if args.json {
                print_json(&to_json(&import, None, &report));
            } else {
                print(&report.to_string());
            }
            complain(&format!("{} cannot be imported", import.tree.display()));
            Exit::No
        }
        Err(Refused::Tool(words)) => {
            complain(words.trim_end());
            Exit::Unknown
        }
        Err(Refused::Other(words)) => {
            complain(words.trim_end());
            Exit::Usage
        }
    }
}

fn shown(imported: &Imported) -> String {
    format!(
        "{}: {} sources, {} services of others\nSHA-256 of the sources: {}\n{}",
        imported.capsule.display(),
        imported.sources,
        imported.uses.len(),
        imported.digest,
        imported.report
    )
}

fn to_json(import: &Import, imported: Option<&Imported>, report: &Report) -> Value {
    let asked = |asked: &Asked| -> Value {
        asked.iter().map(|(name, files)| (name.clone(), json!(files))).collect::<Map<String, Value>>().into()
    };
    json!({
        "name": import.name,
        "environment": import.environment,
        "capsule": imported.map(|it| it.capsule.display().to_string()),
        "sources": imported.map(|it| it.sources),
        "sha256": imported.map(|it| &it.digest),
        "uses": imported.map(|it| &it.uses),
        "missing_headers": asked(&report.headers),
        "missing_services": asked(&report.services),
        "remarks": report.remarks,
        "errors": report.errors,
        "narrow_pointers": report.narrow,
        "undeclared": asked(&report.undeclared),
        "overlays": report.overlays.iter().map(overlay).collect::<Vec<Value>>(),
    })
}

fn overlay(overlay: &Overlay) -> Value {
    let wide = |it: &Wide| json!({"member": it.member, "offset": it.offset, "is_pointer": it.is_pointer});
    let displaced = |it: &Displaced| {
        let offsets = (it.offset, it.narrow_offset);
        json!({"member": it.member, "offset": offsets.0, "narrow_offset": offsets.1, "is_used": it.is_used})
    };
    json!({
        "name": overlay.name,
        "place": overlay.place,
        "functions": overlay.functions,
        "size": overlay.size,
        "narrow_size": overlay.narrow_size,
        "wide": overlay.wide.iter().map(wide).collect::<Vec<Value>>(),
        "displaced": overlay.displaced.iter().map(displaced).collect::<Vec<Value>>(),
    })
}
