//! Van Renesse 1996: latency and rates of a sliding window through the protocol accelerator; ours over UDP on loopback.

use nacre_benches::udp;
use nacre_driver::Level;
use nacre_runtime::Stack;

use super::table::{Cell, Plot, Table};
use super::workload::{How, Workloads, LEVELS};

const THEIRS: &str =
    "van Renesse 1996: four layers with a sliding window of 16, O'Caml, two SparcStation 20, U-Net over \
                      ATM (35 µs one way)";
const OURS: &str = "frag / pt2pt / floor at level inline through the runtime, UDP on loopback, two threads";
/// Round trips of a measurement, for each thousand messages of a timed run of other tables.
const ROUNDS: u64 = 10;

fn stack(workloads: &Workloads) -> Result<Stack, String> {
    udp::load(workloads.folder(), workloads.file(), "three", Level::Inline)
}

/// More messages, longer measurements.
fn rounds(workloads: &Workloads) -> usize {
    (workloads.messages() / 1000 * ROUNDS).clamp(20, 20_000) as usize
}

/// Table 4.
pub fn basic(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let (stack, rounds) = (stack(workloads)?, rounds(workloads));
    let [blocking, polling] = [false, true].map(|polling| udp::round_trip(&stack, (8, rounds), polling));
    let (blocking, polling) = (blocking?, polling?);
    let (small, large) = (udp::rate(&stack, 8)?, udp::rate(&stack, 1024)?);
    let rows = [
        ("one-way latency, µs", 85.0, blocking / 2.0, 1),
        ("the same, polling, µs", f64::NAN, polling / 2.0, 1),
        ("messages per second", 80_000.0, small, 0),
        ("round trips per second", 6_000.0, 1e6 / blocking, 0),
        ("the same, polling", f64::NAN, 1e6 / polling, 0),
        ("bandwidth, 1 KiB, MB/s", 15.0, large * 1024.0 / 1e6, 0),
    ];
    let row = |(what, theirs, ours, decimals): (&str, f64, f64, usize)| {
        let theirs = if theirs.is_nan() { Cell::None } else { Cell::whole(theirs) };
        vec![Cell::Word(what.into()), theirs, Cell::Number(ours, decimals)]
    };
    Ok(vec![Table {
        name: "accelerator-4",
        title: "Basic performance, 8 bytes",
        theirs: THEIRS,
        ours: format!("{OURS}; latency is half the median round trip of threads that sleep in between"),
        columns: vec!["", "theirs", "ours"],
        rows: rows.into_iter().map(row).collect(),
        plot: Plot::Bars(2),
    }])
}

/// Figure 4.
pub fn breakdown(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let mut cost = |how: How| Ok::<_, String>(workloads.cost("three", how, 8)?.map(|cost| cost.pingpong));
    let [inline, bypass] = [cost(LEVELS[2].0)?, cost(LEVELS[3].0)?];
    let row = |what: &str, theirs: f64, pick: fn(&nacre_benches::harness::Entry) -> [f64; 2]| {
        let mut cells = vec![Cell::Word(what.into()), Cell::whole(theirs)];
        for entry in [inline, bypass] {
            cells.extend(entry.map_or([Cell::None, Cell::None], |entry| pick(&entry).map(Cell::whole)));
        }
        cells
    };
    Ok(vec![Table {
        name: "accelerator-figure-4",
        title: "Where the time of a message goes",
        theirs: "van Renesse 1996, figure 4; garbage collection takes 150 to 450 µs more",
        ours:
            "frag / pt2pt / floor, two ends in one process, no network. Nothing is put off until the frame has left, \
               so there is no third part"
                .into(),
        columns: vec!["", "theirs, µs", "inline: instructions", "inline, ns", "bypass: instructions", "bypass, ns"],
        rows: vec![
            row("until the frame leaves", 25.0, |entry| [entry.send, entry.send_ns]),
            row("until it is delivered", 25.0, |entry| [entry.deliver, entry.deliver_ns]),
            row("after sending and delivering", 130.0, |_| [0.0, 0.0]),
        ],
        plot: Plot::Bars(4),
    }])
}

/// Figure 5.
pub fn rates(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let (stack, rounds) = (stack(workloads)?, rounds(workloads));
    // Read off the curve with a garbage collection after each round trip.
    let theirs = [(1000, Some(170.0)), (1650, Some(170.0)), (1900, Some(400.0)), (6000, None), (20_000, None)];
    let mut rows = vec![];
    for (wanted, latency) in theirs {
        let (reached, median) = udp::paced(&stack, wanted, rounds.min(wanted as usize))?;
        rows.push(vec![
            Cell::whole(wanted.into()),
            latency.map_or(Cell::None, Cell::whole),
            Cell::whole(reached),
            Cell::Number(median, 1),
        ]);
    }
    Ok(vec![Table {
        name: "accelerator-figure-5",
        title: "Latency of a round trip by their rate",
        theirs: "van Renesse 1996, figure 5, with a garbage collection after each round trip: at most 1,900 per second",
        ours: format!("{OURS} that poll"),
        columns: vec!["round trips per second", "theirs, µs", "reached per second", "ours, median µs"],
        rows,
        plot: Plot::Points(2, 3),
    }])
}

/// Many clients of one server (§6).
pub fn clients(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let (stack, rounds) = (stack(workloads)?, rounds(workloads));
    let mut rows = vec![];
    for clients in [1, 10, 100, 1000] {
        let each = (rounds * 2 / clients).max(2);
        rows.push(vec![
            Cell::whole(clients as f64),
            Cell::whole(6000.0),
            Cell::whole(udp::crowd(&stack, clients, each)?),
        ]);
    }
    Ok(vec![Table {
        name: "accelerator-clients",
        title: "Round trips per second of one server",
        theirs: "van Renesse 1996, §6: all clients together make as many as one can, 6,000 per second (table 4)",
        ours: format!("{OURS}: the server, and all clients, each with one message on the way"),
        columns: vec!["clients", "theirs", "ours"],
        rows,
        plot: Plot::Points(0, 2),
    }])
}
