//! Krupczak, Calvert and Ammar 1996: protocols of BSD, encapsulated in STREAMS.

use std::sync::OnceLock;

use nacre_encapsulation::measure::{Processing, Programs, Ways, GRAPHS};

use super::table::{Cell, Plot, Table};
use super::workload::Workloads;

const OURS: &str =
    "instructions (callgrind, gcc -O2) of AppleTalk, written twice around one core: as a STREAMS driver and \
                    module, and as a domain of 4.4BSD, imported";

fn programs() -> Result<&'static Programs, String> {
    static BUILT: OnceLock<Result<Programs, String>> = OnceLock::new();
    BUILT.get_or_init(Programs::build).as_ref().map_err(String::clone)
}

/// Figure 5.
pub fn throughput(_: &mut Workloads) -> Result<Vec<Table>, String> {
    let programs = programs()?;
    let mut rows = vec![];
    let mut native = None;
    let parts =
        ["ATP and DDP of STREAMS", "ATP and DDP of BSD", "ATP of STREAMS, DDP of BSD", "ATP of BSD, DDP of STREAMS"];
    for (graph, parts) in GRAPHS.iter().zip(parts) {
        let each = programs.transactions(graph)?;
        let first = *native.get_or_insert(each);
        rows.push(vec![
            Cell::Word((*graph).into()),
            Cell::Word(parts.into()),
            Cell::whole(each.exactly_once),
            Cell::Number(each.exactly_once / first.exactly_once, 2),
            Cell::whole(each.at_least_once),
            Cell::Number(each.at_least_once / first.at_least_once, 2),
            Cell::whole(1e9 / each.nanoseconds),
            Cell::Number(each.nanoseconds / first.nanoseconds, 2),
        ]);
    }
    let isolated = programs.isolated()?;
    let mut row = vec![Cell::Word("Import1".into()), Cell::Word("the same in a process of its own".into())];
    row.extend([Cell::None, Cell::None, Cell::None, Cell::None, Cell::whole(1e9 / isolated)]);
    row.push(native.map_or(Cell::None, |first| Cell::Number(isolated / first.nanoseconds, 2)));
    rows.push(row);
    Ok(vec![Table {
        name: "encapsulation-5",
        title: "Null transactions in loopback",
        theirs:
            "Krupczak et al. 1996, figure 5 (bars without figures): native STREAMS is fastest, then Import2, native \
                 BSD, Import3 and Import1; SPARCstation LX, Solaris 2.4 and SunOS 4.1.3",
        ours: format!("{OURS}; client and server in one host"),
        columns: vec![
            "graph",
            "protocols",
            "exactly once: instructions",
            "by the native graph",
            "at least once: instructions",
            "at least once: by the native graph",
            "exactly once: a second",
            "time by the native graph",
        ],
        rows,
        plot: Plot::Bars(2),
    }])
}

/// Figure 6.
pub fn processing(_: &mut Workloads) -> Result<Vec<Table>, String> {
    let [atp, ddp] = programs()?.processing()?;
    let table = |name, title, [native, imported]: [Ways; 2]| {
        let row = |way: &str, native: Processing, imported: Processing| {
            vec![
                Cell::Word(way.into()),
                Cell::whole(native.sum()),
                Cell::whole(imported.sum()),
                Cell::Number(imported.sum() / native.sum(), 2),
            ]
        };
        Table {
            name,
            title,
            theirs: "Krupczak et al. 1996, figure 6 (bars without figures): imported to native is roughly 3 to 1",
            ours: format!("{OURS}; a packet with 64 bytes of data between two nodes"),
            columns: vec!["way", "native", "imported", "imported / native"],
            rows: vec![row("send", native.send, imported.send), row("receive", native.receive, imported.receive)],
            plot: Plot::Bars(2),
        }
    };
    Ok(vec![
        table("encapsulation-6a", "Processing of a packet in ATP", atp),
        table("encapsulation-6b", "Processing of a packet in DDP", ddp),
    ])
}

/// Figure 7.
pub fn components(_: &mut Workloads) -> Result<Vec<Table>, String> {
    Ok(vec![breakdown()?, buffers()?])
}

fn breakdown() -> Result<Table, String> {
    let [[_, atp], [_, ddp]] = programs()?.processing()?;
    let ways = [
        ("ATP, send", atp.send),
        ("ATP, receive", atp.receive),
        ("DDP, send", ddp.send),
        ("DDP, receive", ddp.receive),
    ];
    let row = |(name, way): (&str, Processing)| {
        let numbers = [way.upper, way.protocol, way.lower, way.sum()].map(Cell::whole);
        [Cell::Word(name.into())].into_iter().chain(numbers).collect()
    };
    Ok(Table {
        name: "encapsulation-7a",
        title: "Components of imported protocols",
        theirs:
            "Krupczak et al. 1996, figure 7a: ATP, send: 203 µs of 71, 114 and 41 and less 20 of the timer; a crossing \
                 takes 57 µs on average",
        ours: format!("{OURS}: ATP above a native DDP, DDP below a native ATP; a packet with 64 bytes of data"),
        columns: vec!["protocol", "upper crossing", "protocol itself", "lower crossing", "sum"],
        rows: ways.into_iter().map(row).collect(),
        plot: Plot::Bars(4),
    })
}

fn buffers() -> Result<Table, String> {
    let all = programs()?.buffers()?;
    let row = |name: &str, ours: f64, block: Option<f64>| {
        let ratio = block.map_or(Cell::None, |block| Cell::Number(ours / block, 2));
        vec![Cell::Word(name.into()), Cell::Number(ours, 1), ratio]
    };
    Ok(Table {
        name: "encapsulation-7b",
        title: "Allocation and release of a buffer, of 10,000",
        theirs: "Krupczak et al. 1996, figure 7b: an encapsulated small mbuf takes 12 µs more than a message block, a \
                 cluster mbuf 24 µs",
        ours: "instructions (callgrind, gcc -O2); a cluster is an mbuf with a buffer of 2,048 bytes. Below, one \
               data block that crosses, without copying"
            .into(),
        columns: vec!["buffer", "instructions", "by a message block"],
        rows: vec![
            row("message block, as large as a small mbuf", all.small_block, None),
            row("small mbuf", all.mbuf, Some(all.small_block)),
            row("message block, as large as a cluster", all.large_block, None),
            row("cluster mbuf", all.cluster, Some(all.large_block)),
            row("message block to mbuf", all.inward, None),
            row("mbuf to message block", all.outward, None),
        ],
        plot: Plot::Bars(1),
    })
}
