//! Liu et al. 1999: scheduler, calls and bypasses of stacks of four and ten layers.

use std::collections::BTreeMap;
use std::process::Command;

use nacre_benches::harness::gcc;
use nacre_driver::Level;

use super::table::{Cell, Plot, Table};
use super::workload::{both, prefix, How, Workloads, LEVELS};

/// The paper's name of a configuration, and microseconds down and up, with transport.
type Theirs = (&'static str, Option<(f64, f64)>);

/// Table 1(a), by our levels: IMP has a scheduler, FUNC calls, MACH a synthesized bypass.
const TEN: [Theirs; 4] =
    [("IMP", Some((47.0, 34.0))), ("FUNC", Some((72.0, 60.0))), ("-", None), ("MACH", Some((17.0, 15.0)))];
/// Table 1(b); HAND is a bypass written by hand.
const FOUR: [Theirs; 5] = [
    ("IMP", Some((17.0, 18.0))),
    ("FUNC", Some((20.0, 22.0))),
    ("-", None),
    ("MACH", Some((8.0, 11.0))),
    ("HAND", Some((6.0, 8.0))),
];
const OURS: &str =
    "two ends in one process, no network; send is the way down with the making of the frame, deliver the \
                    way up with that of acknowledgements and timers";

/// Table 1.
pub fn latencies(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let ten = latency(
        workloads,
        ("ensemble-1a", "ten"),
        "Code latency of ten layers, 4 bytes",
        &TEN,
        format!("frag / pt2pt / seven sequencers / floor; {OURS}"),
    )?;
    let four = latency(
        workloads,
        ("ensemble-1b", "four"),
        "Code latency of four layers, 4 bytes",
        &FOUR,
        format!("frag / pt2pt / sequencer / floor; {OURS}. By hand: three layers of it, without long messages"),
    )?;
    Ok(vec![ten, four])
}

fn latency(
    workloads: &mut Workloads,
    (name, stack): (&'static str, &'static str),
    title: &'static str,
    theirs: &[Theirs],
    ours: String,
) -> Result<Table, String> {
    let hows = LEVELS.into_iter().chain([(How::ByHand, "by hand")]);
    let slowest = workloads.cost(stack, LEVELS[0].0, 4)?.map_or(0.0, |cost| cost.pingpong.send + cost.pingpong.deliver);
    let of_theirs = theirs[0].1.map_or(0.0, |(down, up)| down + up);
    let mut rows = vec![];
    for ((how, level), (name, figures)) in hows.zip(theirs) {
        let entry = workloads.cost(stack, how, 4)?.map(|cost| cost.pingpong);
        let their = |pick: fn((f64, f64)) -> f64| figures.map_or(Cell::None, |figures| Cell::whole(pick(figures)));
        let our = |number: Option<f64>| number.map_or(Cell::None, Cell::whole);
        let [instructions, nanoseconds] = both(entry);
        rows.push(vec![
            Cell::Word(level.into()),
            Cell::Word((*name).into()),
            their(|(down, _)| down),
            their(|(_, up)| up),
            figures.map_or(Cell::None, |(down, up)| Cell::Number(of_theirs / (down + up), 1)),
            our(entry.map(|entry| entry.send)),
            our(entry.map(|entry| entry.deliver)),
            nanoseconds,
            instructions.number().map_or(Cell::None, |both| Cell::Number(slowest / both, 1)),
        ]);
    }
    Ok(Table {
        name,
        title,
        theirs: "Liu et al. 1999, table 1: two UltraSparc of 300 MHz, OCaml, stack and transport together",
        ours,
        columns: vec![
            "ours",
            "theirs",
            "theirs: down, µs",
            "up, µs",
            "speedup",
            "ours: send, instructions",
            "deliver, instructions",
            "both, ns",
            "speedup (instructions)",
        ],
        rows,
        plot: Plot::Bars(7),
    })
}

/// Figure 6.
pub fn message_sizes(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    let mut rows = vec![];
    for (how, level) in LEVELS {
        for size in [4, 24, 100, 1024] {
            let entry = workloads.cost("ten", how, size)?.map(|cost| cost.pingpong);
            let [instructions, nanoseconds] = both(entry);
            let name = Cell::Word(format!("{level}, {size}"));
            rows.push(vec![name, Cell::whole(size.into()), instructions, nanoseconds]);
        }
    }
    Ok(vec![Table {
        name: "ensemble-figure-6",
        title: "Code latency of ten layers by the length of messages",
        theirs: "Liu et al. 1999, figure 6 (bars without figures): mostly independent of the length, as nothing is \
                 copied",
        ours: format!(
            "frag / pt2pt / seven sequencers / floor; {OURS}. The sender keeps a copy of each message until it is \
             acknowledged"
        ),
        columns: vec!["ours", "bytes", "instructions, both", "ns, both"],
        rows,
        plot: Plot::Bars(2),
    }])
}

/// Table 2.
pub fn instructions_and_sizes(workloads: &mut Workloads) -> Result<Vec<Table>, String> {
    Ok(vec![instructions(workloads)?, sizes(workloads)?])
}

/// Table 2(a): of the counters, instructions alone are the same on all machines.
fn instructions(workloads: &mut Workloads) -> Result<Table, String> {
    const ROUNDS: f64 = 10_000.0;
    let mut rows = vec![];
    for ((how, level), theirs) in [(LEVELS[0], Some(182_715_118.0)), (LEVELS[2], None), (LEVELS[3], Some(98_031_212.0))]
    {
        let entry = workloads.cost("ten", how, 4)?.map(|cost| cost.pingpong);
        let of_all = entry.map(|entry| (entry.send + entry.deliver) * ROUNDS);
        let cell = |number: Option<f64>, by: f64| number.map_or(Cell::None, |n| Cell::whole(n / by));
        rows.push(vec![
            Cell::Word(level.into()),
            cell(theirs, 1.0),
            cell(theirs, ROUNDS),
            cell(of_all, 1.0),
            cell(of_all, ROUNDS),
        ]);
    }
    Ok(Table {
        name: "ensemble-2a",
        title: "Instructions of 10,000 rounds, each a message sent and one received",
        theirs: "Liu et al. 1999, table 2(a), `inst_decoder`: Pentium II, Linux 2.2, OCaml; the original and the \
                 optimized stack of ten layers",
        ours: format!("frag / pt2pt / seven sequencers / floor, 4 bytes; {OURS}"),
        columns: vec!["ours", "theirs", "theirs, each round", "ours: instructions", "each round"],
        rows,
        plot: Plot::Bars(4),
    })
}

/// Table 2(b): bytes of object code, of each layer and of the bypasses.
fn sizes(workloads: &mut Workloads) -> Result<Table, String> {
    let mut rows = vec![];
    let functions = functions(workloads, Level::Call)?.unwrap_or_default();
    for (layer, times) in workloads.layers("ten")? {
        let (down, up) = of_layer(&functions, &prefix("ten", Level::Call), &layer);
        let name = if times > 1 { format!("{layer} ({times} of them)") } else { layer };
        rows.push(row(&name, None, Some((down, up))));
    }
    let sum = |at: usize| rows.iter().filter_map(|row: &Vec<Cell>| row[at].number()).sum::<f64>();
    rows.push(row("all layers", Some((6084.0, 17980.0)), Some((sum(3), sum(4)))));
    let bypass = self::functions(workloads, Level::Bypass)?.map(|functions| {
        let prefix = prefix("ten", Level::Bypass);
        let of = |entry: &str| of_entry(&functions, &format!("{prefix}_{entry}"));
        (of("above_send_quick"), of("input_quick"))
    });
    rows.push(row("bypass", Some((3592.0, 2108.0)), bypass));
    Ok(Table {
        name: "ensemble-2b",
        title: "Bytes of object code",
        theirs: "Liu et al. 1999, table 2(b): OCaml on Sparc; one bypass for each direction",
        ours: "handlers of frag / pt2pt / seven sequencers / floor at level call (-fno-inline); the quick entries, in \
               which all bypasses for sending and for frames are inlined"
            .into(),
        columns: vec!["ours", "theirs: down", "up", "ours: down", "up"],
        rows,
        plot: Plot::Bars(3),
    })
}

fn row(name: &str, theirs: Option<(f64, f64)>, ours: Option<(f64, f64)>) -> Vec<Cell> {
    let mut cells = vec![Cell::Word(name.into())];
    for pair in [theirs, ours] {
        match pair {
            Some((down, up)) => cells.extend([Cell::whole(down), Cell::whole(up)]),
            None => cells.extend([Cell::None, Cell::None]),
        }
    }
    cells
}

/// The bytes of each function of the stack of ten layers. None: no bypass is proved here.
fn functions(workloads: &mut Workloads, level: Level) -> Result<Option<BTreeMap<String, u64>>, String> {
    if workloads.emit("ten", level)?.is_none() {
        return Ok(None);
    }
    let prefix = prefix("ten", level);
    let object = format!("{prefix}_sizes.o");
    gcc(workloads.folder(), &["-fno-inline", "-c", &format!("{prefix}.c"), "-o", &object])?;
    let output = Command::new("nm")
        .args(["-S", "--defined-only", &object])
        .current_dir(workloads.folder())
        .output()
        .map_err(|_| "nm was not found: apt-get install binutils".to_string())?;
    // Address, size, kind, name.
    let function = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [_, size, "t" | "T", name] => Some((name.to_string(), u64::from_str_radix(size, 16).ok()?)),
        _ => None,
    };
    Ok(Some(String::from_utf8_lossy(&output.stdout).lines().filter_map(function).collect()))
}

/// Bytes of the handlers of a layer, or of all layers of this name, that go down, and of all its others. What is
/// neither is reached both ways, and counts as up.
fn of_layer(functions: &BTreeMap<String, u64>, prefix: &str, layer: &str) -> (f64, f64) {
    let (mut down, mut up) = (0, 0);
    for (name, size) in functions {
        let Some(rest) = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')) else { continue };
        let rest = rest.strip_prefix("on_").unwrap_or(rest);
        let Some(rest) = rest.strip_prefix(layer).and_then(|rest| rest.strip_prefix('_')) else { continue };
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
        match rest.starts_with("down") {
            true => down += size,
            false => up += size,
        }
    }
    (down as f64, up as f64)
}

/// Bytes of a function, with what the compiler has moved out of it.
fn of_entry(functions: &BTreeMap<String, u64>, name: &str) -> f64 {
    let parts = functions.iter().filter(|(found, _)| found.split('.').next() == Some(name));
    parts.map(|(_, size)| *size).sum::<u64>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_belong_to_layers() {
        let sizes = [
            ("ten_call_frag_down_send", 100),
            ("ten_call_on_sequencer_2_up_deliver_Seq", 20),
            ("ten_call_on_sequencer_up_deliver_Seq", 3),
            ("ten_call_sequencer_3_down_send.cold", 4),
            ("ten_call_fragment", 1000),
        ];
        let functions = sizes.into_iter().map(|(name, size)| (name.to_string(), size)).collect();
        assert_eq!(of_layer(&functions, "ten_call", "frag"), (100.0, 0.0));
        assert_eq!(of_layer(&functions, "ten_call", "sequencer"), (4.0, 23.0));
        assert_eq!(of_entry(&functions, "ten_call_sequencer_3_down_send"), 4.0);
    }
}
