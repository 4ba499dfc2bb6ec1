//! The measurements as Markdown.

use crate::frame_path::FramePath;
use crate::harness::{Cost, Entry};
use crate::udp::Network;

const HEAD: &str = "\
# Performance

Written by `make bench`, which measures everything anew in a few minutes.

**Instructions** are counted by valgrind's callgrind (gcc -O2, x86-64). They repeat exactly on the same compiler, so \
a change of one
means a change of the code: they are what to compare over time.

**Times** are from whatever machine ran `make bench` last, shared with other work; it had two cores when the figures \
below were
made. The same program differs by a third from run to run. What is compared is therefore measured by turns in one \
run, and
given as least time or median; a ratio within one table means something, a time by itself little.
";

const STACKS: &str = "
## A message of 16 bytes, sent and delivered

Both ends in one process, without a network (`benches/c/pingpong.c`). *Instructions* are those of the entry functions \
with all that
they call: `S_above_send` for send; `S_input` and `S_tick` for deliver, so that the acknowledgements and timers that \
a message
needs are counted where they are handled. *ns* is the mean of a call timed alone, with the processor drained before \
and after it
and the time for reading its clock taken away; calls that were interrupted are left out; the least of seven runs.

| stack | layers |
|---|---|
| `one` | floor |
| `reliable_plain` | frag / pt2pt / floor |
| `four` | frag / pt2pt / crc32c / floor: one pass over the bytes of each message at each end |
| `ten` | frag / pt2pt / seven sequencers / floor |
| `hand` | `benches/c/hand.c`: the window of `reliable_plain` on the same wire in one piece, as one would write it \
without layers. It keeps messages in arrays of its own instead of a shared pool, and cuts no long ones, agrees on no \
cookies and closes no connection |

`one` may lose messages; the others deliver each once and in order. *Of hand* is a fair comparison for \
`reliable_plain` alone: the
other stacks do less or more.
";

const SPACE: &str = "
## Space and compile time

A connection has its state and counters; messages are kept in blocks of a pool that connections may share, up to a \
limit for each.
*To C* is the time from the source of all layers to C in this process, *gcc* is `gcc -O2 -c` on it; both measured once.

| stack | level | state, bytes | counters, bytes | block, bytes | blocks, most | to C, ms | gcc, ms |
|---|---|---|---|---|---|---|---|
";

const RUNTIME: &str = "
## A message through the runtime

Instructions of two listeners in one process for a message of 16 bytes with `reliable_plain` at level inline: all \
that both ends
do, from `send` to the delivery and the acknowledgement, over a transport that hands frames from one queue to another
(`benches/src/frame_path.rs`).

| | instructions |
|---|---|
";

const NETWORK: &str = "
## Over UDP on loopback

`reliable_plain` at level inline through the runtime (`Listener`), between two threads, against a ping-pong of two \
threads on bare
sockets in C (`benches/c/raw.c`) with the same system calls: `sendto` and `recvfrom` on unconnected IPv4 sockets, 16 \
bytes of
payload. *Polling* never sleeps, *blocking* does: in `recvfrom` there, in `ppoll` here.
";

/// Returns the introduction of docs/performance.md.
pub fn head() -> String {
    HEAD.into()
}

/// Returns the tables of instruction counts and of sizes.
pub fn stacks(costs: &[Cost]) -> String {
    let mut text = STACKS.to_string();
    text += &mode("All messages one way; the other way go acknowledgements, one for half a window.", costs, |cost| {
        cost.stream
    });
    text += &mode("To and fro: every message carries an acknowledgement.", costs, |cost| cost.pingpong);
    text += SPACE;
    for c in costs {
        let (stack, level, s) = (&c.stack, c.level, c.sizes);
        let to_c = c.emit_ms.map_or("-".into(), |ms| format!("{ms:.0}"));
        let sizes = format!("{} | {} | {} | {}", s.state, s.counters, s.block, s.blocks);
        text += &format!("| {stack} | {level} | {sizes} | {to_c} | {:.0} |\n", c.gcc_ms);
    }
    text
}

fn mode(what: &str, costs: &[Cost], entry: impl Fn(&Cost) -> Entry) -> String {
    let mut text = format!(
        "\n{what}\n\n\
         | stack | layers | level | instructions: send | deliver | both | of hand | ns: send | deliver | both |\n\
         |---|---|---|---|---|---|---|---|---|---|\n"
    );
    let hand = costs.iter().find(|cost| cost.layers.is_none()).map(&entry);
    for cost in costs {
        let e = entry(cost);
        let layers = cost.layers.map_or("-".into(), |layers| layers.to_string());
        let of_hand =
            hand.map_or("-".into(), |hand| format!("{:.2}", (e.send + e.deliver) / (hand.send + hand.deliver)));
        text += &format!(
            "| {} | {layers} | {} | {:.0} | {:.0} | **{:.0}** | {of_hand} | {:.0} | {:.0} | {:.0} |\n",
            cost.stack,
            cost.level,
            e.send,
            e.deliver,
            e.send + e.deliver,
            e.send_ns,
            e.deliver_ns,
            e.send_ns + e.deliver_ns
        );
    }
    text
}

/// Returns the table of the instructions for a message through the runtime.
pub fn runtime(path: &FramePath) -> String {
    format!("{RUNTIME}| one way | {:.0} |\n| to and fro | {:.0} |\n", path.stream, path.pingpong)
}

/// Returns the tables of round trips and rates over UDP.
pub fn network(n: &Network) -> String {
    let mut text = format!(
        "{NETWORK}\n{} runs of each by turns, {} round trips a run. Microseconds are the median over the runs \
         of a run's median; the ratio is the\nmedian over the pairs of runs, in brackets what a quarter of them \
         lies below and above.\n\n\
         | | raw, µs | nacre, µs | ratio |\n|---|---|---|---|\n",
        crate::udp::RUNS,
        crate::udp::ROUNDS
    );
    for (mode, r) in [("polling", &n.polling), ("blocking", &n.blocking)] {
        let (low, high) = r.quarters;
        text += &format!("| {mode} | {:.1} | {:.1} | **{:.2}** ({low:.2}-{high:.2}) |\n", r.raw, r.nacre, r.ratio);
    }
    text += "\nOne way, as fast as the window lets, until everything is acknowledged (median of five runs):\n\n\
             | message | messages a second | MB/s |\n|---|---|---|\n";
    for (size, rate) in &n.rates {
        text += &format!("| {size} B | {rate:.0} | {:.1} |\n", rate * *size as f64 / 1e6);
    }
    text
}
