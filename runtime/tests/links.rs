//! Links that fail during a transfer in both directions: down, deaf in one direction, with another MTU, without address, removed. What was
//! sent arrives afterwards, once and in order; if it takes too long, both ends are told `timeout`.

#[path = "support/line.rs"]
mod line;
#[path = "support/namespace.rs"]
mod namespace;
mod support;

use line::{Line, NEAR};
use nacre_runtime::Options;
use namespace::outside;
use std::time::Duration;
use support::*;

/// A connection that stands an outage of some seconds, and pings often.
fn patient(seconds: u64) -> Options {
    Options {
        ping_after: Duration::from_millis(300),
        timeout: Duration::from_secs(seconds + 30),
        ..Options::default()
    }
}

/// A connection that ends soon.
fn impatient() -> Options {
    Options { ping_after: Duration::from_millis(300), timeout: Duration::from_secs(3), ..Options::default() }
}

fn stands_a_link_that_is_down(test: &str, times: &[u64]) {
    if outside(test, NEAR) {
        return;
    }
    for &seconds in times {
        let mut line = Line::new(&window(), &patient(seconds));
        line.here("ip link set v0 down");
        let before = [line.near.received, line.far.received];
        line.pass(Duration::from_secs(seconds));
        let state = line.state();
        assert!(line.near.received <= before[0] + 8 && line.far.received <= before[1] + 8, "it is down: {state}");
        assert!(line.near.retransmitted > 0 && line.far.retransmitted > 0, "{state}");
        assert!(line.near.send_errors > 0 && !line.near.errors.is_empty(), "{state}");
        line.here("ip link set v0 up");
        line.goes_on();
        line.ends_complete();
        eprintln!("down for {seconds} s: {}", line.state());
        line.here("ip link delete v0; ip link add v0 type veth peer name v1; ip link set v0 up");
        line.here("ip address add 10.9.0.1/24 dev v0");
    }
}

#[test]
fn link_that_is_down_for_a_while_delays_messages() {
    stands_a_link_that_is_down("link_that_is_down_for_a_while_delays_messages", &[1, 5]);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn link_that_is_down_for_a_minute_delays_messages() {
    stands_a_link_that_is_down("link_that_is_down_for_a_minute_delays_messages", &[20, 60]);
}

#[test]
fn link_that_stays_down_ends_both_sides_in_timeout() {
    if outside("link_that_stays_down_ends_both_sides_in_timeout", NEAR) {
        return;
    }
    let mut line = Line::new(&window(), &impatient());
    line.here("ip link set v0 down");
    line.ends_in_timeout();
    assert!(line.near.retransmitted > 0 && line.far.retransmitted > 0, "{}", line.state());
    assert!(line.near.received < line.far.sent && line.far.received < line.near.sent, "the last are lost");
    eprintln!("{}", line.state());
}
