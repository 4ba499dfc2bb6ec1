//! The measurements as Markdown.

use crate::encryption::{Encryption, End};
use crate::frame_path::{self, FramePath};
use crate::handshakes::Handshakes;
use crate::harness::{Cost, Entry};
use crate::shares::{Share, LOSSES};
use crate::udp::{Network, Rates};

const HEAD: &str = "\
# Performance

Written by `make bench`, which repeats all measurements in a few minutes. [peers.md](peers.md) has
the runtime beside TCP, QUIC, ENet, ZeroMQ, KCP and Aeron (`make bench-peers`).

**Instructions** are counted by valgrind's callgrind (gcc -O2, x86-64). With the same compiler they repeat exactly, so
a difference shows a change of the code. Compare these figures over time.

**Times** are from the machine that ran `make bench` last, which was also used for other work. It had two cores when
these figures were measured. Runs of the same program differ by up to a third. Compared variants therefore alternate
in one run, and the figure is the least time or the median. Compare ratios within a table; a single time means little.
";

const STACKS: &str = "
## A message of 16 bytes, sent and delivered

Both endpoints are in one process, without a network (`benches/c/pingpong.c`). *Instructions* are those of the entry
functions, including all functions that they call: `S_above_send` for send; `S_input` and `S_tick` for deliver. So
acknowledgements and timers are counted where they are handled. *Quick*: the program calls `send_quick` and
`input_quick` first, which return a frame or a delivery in registers, and the ordinary entries where these have
done nothing (c-interface.md); the ordinary entries do the same first. *ns* is the mean time of a call. Each call is
timed alone: the processor is drained before and after it, and the cost of reading the clock is subtracted. Interrupted
calls are excluded. The figure is the least of seven runs.

| stack | layers |
|---|---|
| `one` | floor |
| `reliable_plain` | frag / pt2pt / floor |
| `four` | frag / pt2pt / crc32c / floor: one pass over the bytes of each message at each endpoint |
| `ten` | frag / pt2pt / seven sequencers / floor |
| `hand` | `benches/c/hand.c`: the window of `reliable_plain` on the same wire, written by hand without layers. It \
keeps messages in arrays of its own instead of a shared pool; it does not cut long messages, agree on \
cookies or close connections |

`one` may lose messages; the other stacks deliver each message once and in order. *Of hand* is the ratio to the
instructions of `hand` by the same kind of entries. It is a fair comparison for `reliable_plain` alone: the other
stacks do less or more.
";

const SPACE: &str = "
## Space and compile time

A connection has its state and counters. Messages are kept in blocks of a pool, which connections may share. *Blocks*
is the number of blocks that suffices for one connection. *To C* is the time from the source of all layers to C in this
process, *gcc* that of `gcc -O2 -c`; both are measured once.

| stack | level | state, bytes | counters, bytes | block, bytes | blocks | to C, ms | gcc, ms |
|---|---|---|---|---|---|---|---|
";

const ENCRYPTION: &str = "
## Encryption

Instructions of a message of 16 bytes with `encrypt`, by the ordinary entries; messages alternate in direction.
*Host* is the part of `nacre_seal` or `nacre_unseal`, here of libsodium (`adapters/nacre_sodium.c`). *Plain* is the
stack without `encrypt`. *More* is what remains: the cost of `encrypt` itself, of packing the headers above it, and of
the larger frame. A frame has 8 bytes more in front of its data, and 16 behind it.

| stack | plain | level | send: all | host | plain | more | deliver: all | host | plain | more |
|---|---|---|---|---|---|---|---|---|---|---|
";

const SHARES: &str = "
## Calls and frames that take a bypass

Simulated connections of two endpoints: a conversation and a stream of 2,000 messages of up to 200 bytes from each
end, with a delay of 2 ms and another seed than that by which the bypasses were chosen. *Share*: of the calls of `send`
and the frames that did something.

";

const RUNTIME: &str = "
## A message through the runtime

Instructions of two listeners in one process with `reliable_plain`, messages of 16 bytes. They include all work of both
endpoints, from `send` to the delivery and the acknowledgement, over a transport that moves frames from one queue to
another (`benches/src/frame_path.rs`); *transport* is its part. *Gathered*: in one direction with `Options::gather`, and
up to 32 frames are received together, as from a socket. *Alternating*: of a message and its answer. A message at one
end costs half of the first two, and a quarter of the last. At level bypass the runtime calls the quick entries.

| level | one direction | transport | gathered | transport | alternating | transport |
|---|---|---|---|---|---|---|
";

const NETWORK: &str = "
## Over UDP on loopback

`reliable_plain` at level bypass through the runtime (`Listener`), between two threads. The comparison (*raw*) is a
ping-pong of two threads on plain sockets in C (`benches/c/raw.c`) with `sendto` and `recvfrom` on unconnected IPv4
sockets; the runtime takes `recvmmsg`. The payload has 16 bytes. *Polling* never sleeps. *Blocking* sleeps in `recvfrom`
(raw) or `ppoll` (nacre).
";

const HANDSHAKES: &str = "
## Handshakes of secure connections

Processor time of each end for one handshake, from `connect_secure` to `Opened` at both ends, through the core of the
runtime (`sans_io`, `benches/src/handshakes.rs`): all frames, the agreement on keys, and the opening of a small stack.

| pattern | keys | initiator, µs | responder, µs |
|---|---|---|---|
";

/// Returns the table of the costs of handshakes.
pub fn handshakes(measured: &Handshakes) -> String {
    let mut text = HANDSHAKES.to_string();
    for one in &measured.handshakes {
        text += &format!("| {} | {} | {:.0} | {:.0} |\n", one.pattern, one.suite, one.initiator, one.responder);
    }
    let (forged, in_flood) = (measured.forged, measured.in_flood);
    text += "\nWhere addresses must be proven (*retry*), ";
    text += &format!("a responder that gets {forged} first frames from forged addresses for each honest client\nuses ");
    text += &format!(
        "{in_flood:.0} µs for all of them and a handshake: {:.0} handshakes per second on one core.\n",
        1e6 / in_flood
    );
    text
}

/// Returns the introduction of docs/performance.md.
pub fn head() -> String {
    HEAD.into()
}

/// Returns the tables of instruction counts and of sizes.
pub fn stacks(costs: &[Cost]) -> String {
    let mut text = STACKS.to_string();
    text += &mode("All messages go in one direction; acknowledgements return, one for half a window.", costs, |cost| {
        cost.stream
    });
    text += &mode("Messages alternate in direction: every message carries an acknowledgement.", costs, |cost| {
        cost.pingpong
    });
    text += SPACE;
    for c in costs.iter().filter(|cost| !cost.quick) {
        let (stack, level, s) = (&c.stack, c.level, c.sizes);
        let to_c = c.emit_ms.map_or("-".into(), |ms| format!("{ms:.0}"));
        let sizes = format!("{} | {} | {} | {}", s.state, s.counters, s.block, s.blocks);
        text += &format!("| {stack} | {level} | {sizes} | {to_c} | {:.0} |\n", c.gcc_ms);
    }
    text
}

/// The level, and the entries.
fn name(cost: &Cost) -> String {
    format!("{}{}", cost.level, if cost.quick { ", quick" } else { "" })
}

fn mode(what: &str, costs: &[Cost], entry: impl Fn(&Cost) -> Entry) -> String {
    let mut text = format!(
        "\n{what}\n\n\
         | stack | layers | level | instructions: send | deliver | both | of hand | ns: send | deliver | both |\n\
         |---|---|---|---|---|---|---|---|---|---|\n"
    );
    for cost in costs {
        let hand = costs.iter().find(|hand| hand.layers.is_none() && hand.quick == cost.quick).map(&entry);
        let e = entry(cost);
        let layers = cost.layers.map_or("-".into(), |layers| layers.to_string());
        let of_hand =
            hand.map_or("-".into(), |hand| format!("{:.2}", (e.send + e.deliver) / (hand.send + hand.deliver)));
        text += &format!(
            "| {} | {layers} | {} | {:.0} | {:.0} | **{:.0}** | {of_hand} | {:.0} | {:.0} | {:.0} |\n",
            cost.stack,
            name(cost),
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

/// Returns the table of the cost of encryption.
pub fn encryption(rows: &[Encryption]) -> String {
    let end = |end: &End| format!("{:.0} | {:.0} | {:.0} | **{:.0}**", end.all, end.host, end.plain, end.more());
    let row = |e: &Encryption| {
        format!("| {} | {} | {} | {} | {} |\n", e.stack, e.plain, e.level.name(), end(&e.send), end(&e.deliver))
    };
    ENCRYPTION.to_string() + &rows.iter().map(row).collect::<String>()
}

/// Returns the table of the shares of bypasses.
pub fn shares(all: &[Share]) -> String {
    let losses: String = LOSSES.iter().map(|loss| format!(" share at {loss:.0} % loss |")).collect();
    let mut text = format!("{SHARES}| stack | bypasses |{losses}\n|---|---|{}\n", "---|".repeat(LOSSES.len()));
    for Share { stack, bypasses, taken } in all {
        let taken: String = taken.iter().map(|share| format!(" {share:.1} % |")).collect();
        text += &format!("| {stack} | {bypasses} |{taken}\n");
    }
    text
}

const AMONG: &str = "
A message and its answer on each of many connections of the two endpoints in turn, and the ratio to ten connections.
A turn takes the same simulated time for any number of connections, so the same timers of each are due:

| level | 10 | | 1,000 | | 10,000 | |
|---|---|---|---|---|---|---|
";

/// Returns the table of the instructions for a message through the runtime.
pub fn runtime(paths: &[FramePath]) -> String {
    let cost = |cost: &frame_path::Cost| format!("**{:.0}** | {:.0}", cost.all, cost.transport);
    let row = |path: &FramePath| {
        let costs = [&path.stream, &path.gathered, &path.alternating].map(cost).join(" | ");
        format!("| {} | {costs} |\n", path.level)
    };
    let among = |path: &FramePath| {
        let least = path.among[0].1.all;
        let costs = path.among.each_ref().map(|(_, cost)| format!("{:.0} | {:.2}", cost.all, cost.all / least));
        format!("| {} | {} |\n", path.level, costs.join(" | "))
    };
    RUNTIME.to_string()
        + &paths.iter().map(row).collect::<String>()
        + AMONG
        + &paths.iter().map(among).collect::<String>()
}

/// Returns the tables of round trips and rates over UDP.
pub fn network(n: &Network) -> String {
    let mut text = format!(
        "{NETWORK}\n{} alternating runs of each, with {} round trips per run. Microseconds are the median over the \
         runs of the median of each run. The\nratio is the median over the pairs of runs, with the quartiles in \
         brackets.\n\n\
         | | raw, µs | nacre, µs | ratio |\n|---|---|---|---|\n",
        crate::udp::RUNS,
        crate::udp::ROUNDS
    );
    for (mode, r) in [("polling", &n.polling), ("blocking", &n.blocking)] {
        let (low, high) = r.quarters;
        text += &format!("| {mode} | {:.1} | {:.1} | **{:.2}** ({low:.2}-{high:.2}) |\n", r.raw, r.nacre, r.ratio);
    }
    text += "\nThousands of messages per second in one direction, as fast as the window allows, until everything is \
             acknowledged; of datagrams that arrive (*raw*, `benches/c/flood.c`, without acknowledgements). Medians \
             of five alternating runs. *Offload*: the system divides and joins datagrams. *Gathered*: \
             `Options::gather`, and then the same.\n\n\
             | message | raw | raw, offload | nacre | nacre, gathered | of raw | MB/s |\n\
             |---|---|---|---|---|---|---|\n";
    for Rates { size, raw: [raw, offload], nacre: [nacre, gathered] } in &n.rates {
        let thousands = [raw, offload, nacre, gathered].map(|rate| format!("{:.0}", rate / 1e3)).join(" | ");
        let megabytes = gathered * *size as f64 / 1e6;
        text += &format!("| {size} B | {thousands} | **{:.2}** | {megabytes:.1} |\n", gathered / raw);
    }
    text +=
        "\nThe same with `encrypt` between `pt2pt` and `floor`, divided by the rate without (median and quartiles of \
             alternating runs):\n\n| message | ratio |\n|---|---|\n";
    for (size, middle, (low, high)) in &n.encrypted {
        text += &format!("| {size} B | **{middle:.2}** ({low:.2}-{high:.2}) |\n");
    }
    text
}
