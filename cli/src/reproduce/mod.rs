//! `nacre reproduce`: builds the workloads of the papers, runs them, and prints our figures beside those of the papers.

mod accelerator;
mod encapsulation;
mod ensemble;
mod machine;
mod page;
mod promelapp;
mod table;
mod workload;

use serde_json::json;

use crate::args::Reproduce;
use crate::console::{complain, print, print_json, Exit};
use crate::output::{require_writable, write};
use table::Table;
use workload::Workloads;

/// Measures one table.
type Measure = fn(&mut Workloads) -> Result<Vec<Table>, String>;

/// The tables by name, in the order of the papers' years.
const TABLES: &[(&str, Measure)] = &[
    ("accelerator-4", accelerator::basic),
    ("accelerator-figure-4", accelerator::breakdown),
    ("accelerator-figure-5", accelerator::rates),
    ("accelerator-clients", accelerator::clients),
    ("encapsulation-5", encapsulation::throughput),
    ("encapsulation-6", encapsulation::processing),
    ("encapsulation-7", encapsulation::components),
    ("promelapp-1", promelapp::levels),
    ("ensemble-1", ensemble::latencies),
    ("ensemble-2", ensemble::instructions_and_sizes),
    ("ensemble-figure-6", ensemble::message_sizes),
];

/// Runs `nacre reproduce`.
pub fn reproduce(args: &Reproduce) -> Exit {
    let is_all = args.table == "all";
    let chosen: Vec<&(&str, Measure)> = TABLES.iter().filter(|(name, _)| is_all || args.table == *name).collect();
    if chosen.is_empty() {
        let known: Vec<String> = TABLES.iter().map(|(name, _)| format!("`{name}`")).collect();
        complain(&format!("there is no table `{}`: known are {}, and `all`", args.table, known.join(", ")));
        return Exit::Usage;
    }
    if let Some(Err(why)) = args.html.as_ref().map(|path| require_writable(path)) {
        complain(&why);
        return Exit::No;
    }
    let mut tables = vec![];
    let measured = Workloads::new(args.messages).and_then(|mut workloads| {
        for (_, measure) in chosen {
            let found = measure(&mut workloads)?;
            if !args.json {
                found.iter().for_each(|table| print(&format!("{}\n", table.text())));
            }
            tables.extend(found);
        }
        Ok(())
    });
    // A tool is missing, or it refuses what is given to it.
    if let Err(why) = measured {
        complain(why.trim_end());
        return Exit::Unknown;
    }
    let machine = machine::describe();
    match args.json {
        true => print_json(&json!({
            "machine": machine, "tables": tables.iter().map(Table::json).collect::<Vec<_>>()
        })),
        false => print(&format!("Measured on {machine}.")),
    }
    if let Some(Err(why)) = args.html.as_ref().map(|path| write(path, &page::page(&tables, &machine))) {
        complain(&why);
        return Exit::No;
    }
    Exit::Yes
}
