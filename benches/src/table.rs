//! The measurements as Markdown.

use crate::harness::Cost;
use crate::udp::Network;

pub fn head() -> String {
    "# Performance\n\n\
     Written by `make bench`. Instructions are counted by valgrind's callgrind (gcc -O2, x86-64) and repeat exactly; times are the\n\
     smallest of several runs on a shared machine of two cores and only good for ratios within one table.\n"
        .into()
}

pub fn instructions(costs: &[Cost]) -> String {
    let mut text = String::from(
        "\n## A message of 16 bytes, sent and delivered\n\n\
         Instructions of the entry functions with all that they call. *Stream*: all messages go one way, and explicit acknowledgements come\n\
         back; what they cost is counted. *Ping-pong*: acknowledgements ride on data. `one` is `floor` alone, `reliable_plain` is\n\
         `frag / pt2pt / floor`, `four` adds crc32c, `ten` adds seven sequencers to `reliable_plain`.\n\n\
         | stack | layers | level | send | deliver | stream | send | deliver | ping-pong | ns stream | ns ping-pong |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for c in costs {
        text += &format!(
            "| {} | {} | {} | {:.0} | {:.0} | **{:.0}** | {:.0} | {:.0} | **{:.0}** | {:.0} | {:.0} |\n",
            c.stack,
            c.layers,
            c.level,
            c.stream.send,
            c.stream.deliver,
            c.stream.send + c.stream.deliver,
            c.pingpong.send,
            c.pingpong.deliver,
            c.pingpong.send + c.pingpong.deliver,
            c.stream_ns,
            c.pingpong_ns
        );
    }
    text += "\n## Space and compile time\n\n\
             | stack | level | bytes of state | bytes of pool a block | gcc -O2, ms |\n|---|---|---|---|---|\n";
    for c in costs {
        text += &format!("| {} | {} | {} | {} | {:.0} |\n", c.stack, c.level, c.state, c.block, c.compile_ms);
    }
    text
}

pub fn network(n: &Network) -> String {
    let mut text = format!(
        "\n## Over UDP on loopback\n\n\
         `reliable_plain` at level inline through the runtime, against a ping-pong in C on bare sockets, interleaved in one run. 16 bytes,\n\
         median round trip in microseconds.\n\n\
         | | raw | nacre | ratio |\n|---|---|---|---|\n\
         | polling | {:.1} | {:.1} | {:.2} |\n| blocking | {:.1} | {:.1} | {:.2} |\n",
        n.raw_polling,
        n.nacre_polling,
        n.nacre_polling / n.raw_polling,
        n.raw_blocking,
        n.nacre_blocking,
        n.nacre_blocking / n.raw_blocking
    );
    text += "\n| one way, message of | messages a second | MB/s |\n|---|---|---|\n";
    for (size, rate) in &n.rates {
        text += &format!("| {size} B | {rate:.0} | {:.1} |\n", rate * *size as f64 / 1e6);
    }
    text
}
