//! The tables and plots of docs/peers.md. What is written by hand there stays.

use std::path::Path;

use crate::end::Result;
use crate::figures::{short, summary, Pick, KERNEL, MEDIAN, MEDIAN_MS, MIB, P99, P99_MS, PER_BYTE, RATE, RESIDENT};
use crate::job::Workload;
use crate::plan::{relays, takes_part, Cell, Peer, Setting, BULK, PEERS, SIZES};
use crate::plot::{bars, panels, Bar, Line};
use crate::run::{Results, QUIET};
use crate::versions;

/// Between these lines the document is written by this program.
const BEGIN: &str = "<!-- Written by `make bench-peers` from here -->";
const END: &str = "<!-- to here -->";

/// Puts tables into the document, and plots into the folder of the same name beside it.
pub fn write(results: &Results, document: &Path) -> Result<()> {
    let failed = |e: std::io::Error| format!("{}: {e}", document.display());
    let text = std::fs::read_to_string(document).map_err(failed)?;
    let (before, rest) = text.split_once(BEGIN).ok_or(format!("{} has no line {BEGIN}", document.display()))?;
    let (_, after) = rest.split_once(END).ok_or(format!("{} has no line {END}", document.display()))?;
    let tables = tables(results);
    std::fs::write(document, format!("{before}{BEGIN}\n\n{tables}\n{END}{after}")).map_err(failed)?;
    let folder = document.with_extension("");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (name, plot) in plots(results) {
        std::fs::write(folder.join(name), plot).map_err(failed)?;
    }
    Ok(())
}

fn loopback(workload: Workload) -> Cell {
    Cell { setting: Setting::Loopback, workload }
}

/// One column of a table.
struct Column {
    head: String,
    cell: Cell,
    pick: Pick,
}

fn column(head: impl Into<String>, cell: Cell, pick: Pick) -> Column {
    Column { head: head.into(), cell, pick }
}

/// Those that take part in a measurement of any column.
fn table(results: &Results, columns: &[Column]) -> String {
    let heads: String = columns.iter().map(|column| format!(" {} |", column.head)).collect();
    let mut text = format!("| |{heads}\n|---|{}\n", "---|".repeat(columns.len()));
    for peer in PEERS.iter().filter(|peer| columns.iter().any(|column| takes_part(peer, column.cell))) {
        let cells: String = columns.iter().map(|column| format!(" {} |", shown(results, peer, column))).collect();
        let name = if peer.ours { format!("**{}**", peer.name) } else { peer.name.into() };
        text += &format!("| {name} |{cells}\n");
    }
    text + "\n"
}

fn shown(results: &Results, peer: &Peer, column: &Column) -> String {
    match summary(results, column.cell, peer, column.pick) {
        Some(summary) => {
            let failed = results.failure(column.cell, peer).map_or("", |_| " *");
            summary.shown() + failed
        }
        None if results.failure(column.cell, peer).is_some() => "failed".into(),
        None => "-".into(),
    }
}

fn tables(results: &Results) -> String {
    let mut text = format!(
        "Measured at {}. A figure is the median over the rounds ({} over loopback, {} over the relay), with the least \
         and the greatest in brackets; rounds in which other processes used more than {} % of the machine count \
         only if there are no others. Over all runs they used {:.0} % over loopback and {:.0} % over the relay \
         (median).\n\n",
        results.machine,
        results.rounds(true),
        results.rounds(false),
        QUIET * 100.0,
        results.others(true) * 100.0,
        results.others(false) * 100.0,
    );
    text += &who();
    text += &over_loopback(results);
    text += &memory(results);
    text += &over_relay(results);
    text + &failures(results)
}

fn who() -> String {
    let mut text = "## Who encrypts\n\n| | version | encrypts | as it is used here |\n|---|---|---|---|\n".to_string();
    for peer in PEERS {
        let version = versions::of(peer.key);
        text += &format!("| {} | {version} | {} | {} |\n", peer.name, peer.encrypts, peer.how);
    }
    text + "\n"
}

fn over_loopback(results: &Results) -> String {
    let mut text = "## Round trip of 8 bytes over loopback\n\nMicroseconds.\n\n".to_string();
    let (polling, blocking) = (loopback(Workload::Polling), loopback(Workload::Blocking));
    text += &table(
        results,
        &[
            column("polling, median", polling, MEDIAN),
            column("p99", polling, P99),
            column("blocking, median", blocking, MEDIAN),
            column("p99", blocking, P99),
        ],
    );
    text += "![Round trips](peers/round-trip.svg)\n\n## One way over loopback\n\nMessages per second.\n\n";
    let rates = SIZES.map(|size| column(size_name(size), loopback(Workload::Stream(size)), RATE));
    text += &table(results, &rates);
    text += "![Messages of 8 bytes](peers/rate.svg)\n\nBulk: messages of 8 KiB (datagrams of 1,400 bytes of bare \
             sockets). Processor time of both ends, with the kernel's part.\n\n";
    let bulk = loopback(Workload::Stream(BULK));
    text += &table(results, &[column("MiB/s", bulk, MIB), column("ns of processor time per byte", bulk, PER_BYTE)]);
    text + "![Bulk](peers/bulk.svg)\n\n"
}

fn size_name(size: usize) -> String {
    if size < 1024 {
        format!("{size} B")
    } else {
        format!("{} KiB", size / 1024)
    }
}

/// The number of connections that were measured.
fn crowd(results: &Results) -> usize {
    results.outcomes.keys().filter(|key| key.1 == "crowd").map(|key| key.2).max().unwrap_or(10_000)
}

fn memory(results: &Results) -> String {
    let connections = crowd(results);
    let cell = loopback(Workload::Crowd(connections));
    let of = |pick: Pick| move |peer: &Peer| summary(results, cell, peer, pick).map(|s| s.median);
    let mut text = format!(
        "## Memory for {} connections\n\nOf the server, after one message of 8 bytes on each: growth of its resident \
         memory since before it listened, and half the growth of the kernel's memory (the other half is that of the \
         clients, which are on the same machine). KiB for each connection; one run.\n\n| | process | kernel | \
         together, MiB for all |\n|---|---|---|---|\n",
        short(connections as f64)
    );
    for peer in PEERS.iter().filter(|peer| takes_part(peer, cell)) {
        let name = if peer.ours { format!("**{}**", peer.name) } else { peer.name.into() };
        let row = match (of(RESIDENT)(peer), of(KERNEL)(peer)) {
            (Some(process), Some(kernel)) => {
                let all = (process + kernel) * connections as f64 / 1024.0;
                format!("{} | {} | {}", short(process), short(kernel), short(all))
            }
            _ => "failed | - | -".into(),
        };
        text += &format!("| {name} | {row} |\n");
    }
    text + "\n![Memory](peers/memory.svg)\n\n"
}

fn over_relay(results: &Results) -> String {
    let tables: [(&str, Workload, Pick); 4] = [
        ("Round trip of a message of 8 bytes every 10 ms: median, ms", Workload::Paced, MEDIAN_MS),
        ("The same: 99th percentile, ms", Workload::Paced, P99_MS),
        ("One way, 8 B: messages per second", Workload::Stream(8), RATE),
        ("Bulk: MiB/s", Workload::Stream(BULK), MIB),
    ];
    let mut text =
        "## With delay and loss\n\nColumns: delay of each direction / loss of each direction.\n\n".to_string();
    for (head, workload, pick) in tables {
        let settings: Vec<Setting> = relays().into_iter().filter(|s| measured(results, *s)).collect();
        let name = |setting| match setting {
            Setting::Relay(loss, delay) => format!("{delay} ms / {loss} %"),
            Setting::Loopback => String::new(),
        };
        let columns: Vec<Column> =
            settings.into_iter().map(|setting| column(name(setting), Cell { setting, workload }, pick)).collect();
        if !columns.is_empty() {
            text += &format!("**{head}**\n\n{}", table(results, &columns));
        }
    }
    text + "![Bulk with delay and loss](peers/bulk-relay.svg)\n\n![99th percentile](peers/p99-relay.svg)\n\n"
}

fn measured(results: &Results, setting: Setting) -> bool {
    results.outcomes.keys().any(|key| key.0 == setting.key())
}

fn failures(results: &Results) -> String {
    if results.failures.is_empty() {
        return String::new();
    }
    let mut text = "## Failed runs\n\n`*` and *failed* in the tables:\n\n".to_string();
    for ((setting, workload, number, peer), why) in &results.failures {
        text += &format!("- {peer}, {setting}, {workload} {number}, {} of the runs: {}\n", why.len(), why[0]);
    }
    text + "\n"
}

fn plots(results: &Results) -> Vec<(&'static str, String)> {
    let bulk = loopback(Workload::Stream(BULK));
    let eight = loopback(Workload::Stream(8));
    let crowd = loopback(Workload::Crowd(crowd(results)));
    let kib: Pick = |outcome| Some(RESIDENT(outcome)? + KERNEL(outcome)?);
    vec![
        ("round-trip.svg", bar_plot(results, "Round trip of 8 B, blocking, µs", loopback(Workload::Blocking), MEDIAN)),
        ("rate.svg", bar_plot(results, "Messages of 8 B one way, per second", eight, RATE)),
        ("bulk.svg", bar_plot(results, "Bulk, MiB/s", bulk, MIB)),
        ("memory.svg", bar_plot(results, "Memory of a connection, KiB", crowd, kib)),
        ("bulk-relay.svg", line_plot(results, "Bulk by delay (ms), MiB/s", Workload::Stream(BULK), MIB)),
        ("p99-relay.svg", line_plot(results, "Round trip by delay (ms), 99th percentile, ms", Workload::Paced, P99_MS)),
    ]
}

fn bar_plot(results: &Results, title: &str, cell: Cell, pick: Pick) -> String {
    let all: Vec<Bar> = PEERS
        .iter()
        .filter(|peer| takes_part(peer, cell))
        .filter_map(|peer| {
            let summary = summary(results, cell, peer, pick)?;
            Some(Bar { name: peer.name.into(), value: summary.median, shown: summary.shown(), ours: peer.ours })
        })
        .collect();
    bars(title, &all)
}

/// A panel for each loss, the delay across.
fn line_plot(results: &Results, title: &str, workload: Workload, pick: Pick) -> String {
    let (losses, delays) = ([0.0, 0.1, 1.0], [0, 10, 100]);
    let at = |peer: &Peer, loss, delay| {
        let cell = Cell { setting: Setting::Relay(loss, delay), workload };
        summary(results, cell, peer, pick).map(|summary| summary.median)
    };
    let takes = |peer: &&Peer| takes_part(peer, Cell { setting: Setting::Relay(0.0, 0), workload });
    let lines: Vec<Line> = PEERS
        .iter()
        .filter(takes)
        .map(|peer| Line {
            name: peer.name.into(),
            ours: peer.ours,
            values: losses.map(|loss| delays.map(|delay| at(peer, loss, delay)).to_vec()).to_vec(),
        })
        .collect();
    panels(title, &losses.map(|loss| format!("loss {loss} %")), &["0", "10", "100"], &lines)
}
