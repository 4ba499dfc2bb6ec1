//! Basu et al. 1997: levels of optimization.

use super::table::{Cell, Plot, Table};
use super::workload::{How, Workloads, LEVELS};

/// Table 1: round trip in microseconds and instructions of the receiver, by the optimization of the compiler.
const THEIRS: [(&str, Option<f64>, Option<f64>); 5] = [
    ("none", Some(176.2), Some(242.0)),
    ("-O fcall", Some(78.8), Some(117.0)),
    ("-O inline", Some(78.2), Some(112.0)),
    ("-", None, None),
    ("by hand", Some(77.9), Some(100.0)),
];

/// Table 1, for active messages over a go-back-N window.
pub fn levels(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let hows = LEVELS.into_iter().chain([(How::ByHand, "by hand")]);
    let mut rows = vec![];
    for ((how, name), (theirs, latency, instructions)) in hows.zip(THEIRS) {
        let entry = workloads.active(how)?;
        let number = |number: Option<f64>, decimals| number.map_or(Cell::None, |n| Cell::Number(n, decimals));
        rows.push(vec![
            Cell::Word(name.into()),
            Cell::Word(theirs.into()),
            number(latency, 1),
            number(instructions, 0),
            number(entry.map(|entry| 2.0 * (entry.send_ns + entry.deliver_ns)), 0),
            number(entry.map(|entry| entry.deliver), 0),
            number(entry.map(|entry| entry.send + entry.deliver), 0),
        ]);
    }
    Ok(vec![Table {
        name: "promelapp-1",
        title: "Round trip of 16 bytes at each level",
        theirs: "Basu et al. 1997, table 1: Active Messages of two layers, two 60 MHz Sparc-20, U-Net over ATM \
                 (35 µs one way, part of the latency); instructions of the receiver, counted by hand",
        ours: "active_messages / go_back_n / floor: a request that its handler echoes, and the reply; two ends in one \
               process, no network. Instructions of a message, which is half of a round trip. By hand: the same \
               frames, without transfers, calls that wait, closing, and agreement on cookies"
            .into(),
        columns: vec![
            "ours",
            "theirs",
            "theirs: round trip, µs",
            "theirs: instructions, receiver",
            "round trip, ns",
            "instructions, receiver",
            "instructions, both",
        ],
        rows,
        plot: Plot::Bars(6),
    }])
}
