//! Links that fail during a transfer in both directions: down, lossy in one direction, with another MTU, without address,
//! removed. What was sent arrives afterwards, once and in order; if it takes too long, both ends are told `timeout`.

#[path = "support/line.rs"]
mod line;
#[path = "support/namespace.rs"]
mod namespace;
mod support;

use line::{Line, NEAR};
use nacre_runtime::{Event, Listener, Options};
use namespace::outside;
use std::time::Duration;
use support::*;

/// A connection that stands an outage of some seconds, and pings often.
fn patient(seconds: u64) -> Options {
    Options { ping_after: Duration::from_millis(300), timeout: Duration::from_secs(seconds + 30), ..Options::default() }
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

/// Another hardware address than the other side has: it ignores what is sent there, and nobody says so.
const NOBODY: &str = "lladdr 2:0:0:0:0:99 nud permanent";

/// Cuts one direction, and then the other.
#[test]
fn loss_in_one_direction_delays_messages_in_both() {
    if outside("loss_in_one_direction_delays_messages_in_both", NEAR) {
        return;
    }
    let mut line = Line::new(&window(), &patient(0));
    line.here(&format!("ip neighbour replace 10.9.0.2 dev v0 {NOBODY}"));
    let (far, near) = (line.far.received, line.near.retransmitted);
    line.pass(Duration::from_secs(2));
    assert!(line.far.received <= far + 8 && line.near.retransmitted > near, "{}", line.state());
    line.here("ip neighbour del 10.9.0.2 dev v0");
    line.goes_on();
    line.there(&format!("ip neighbour replace 10.9.0.1 dev v1 {NOBODY}"));
    let (near, far) = (line.near.received, line.far.retransmitted);
    line.pass(Duration::from_secs(2));
    assert!(line.near.received <= near + 8 && line.far.retransmitted > far, "{}", line.state());
    line.there("ip neighbour del 10.9.0.1 dev v1");
    line.goes_on();
    line.ends_complete();
    eprintln!("{}", line.state());
}

#[test]
fn lasting_loss_in_one_direction_ends_both_sides_in_timeout() {
    if outside("lasting_loss_in_one_direction_ends_both_sides_in_timeout", NEAR) {
        return;
    }
    let mut line = Line::new(&window(), &impatient());
    line.here(&format!("ip neighbour replace 10.9.0.2 dev v0 {NOBODY}"));
    line.ends_in_timeout();
    assert!(line.near.retransmitted > 0, "{}", line.state());
    assert!(line.far.received < line.near.sent, "the last are lost: {}", line.state());
    eprintln!("{}", line.state());
}

/// How many pieces of datagrams this namespace has sent.
fn pieces() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/net/snmp").expect("counters");
    let mut ip = text.lines().filter(|line| line.starts_with("Ip: ")).map(|line| line.split(' '));
    let (names, mut values) = (ip.next().expect("names"), ip.next().expect("values"));
    let at = names.into_iter().position(|name| name == "FragCreates").expect("counted");
    values.nth(at).expect("a value").parse().expect("a number")
}

#[test]
fn changed_mtu_loses_nothing() {
    if outside("changed_mtu_loses_nothing", NEAR) {
        return;
    }
    let mut line = Line::new(&window(), &patient(0));
    // A pair of interfaces does not compare joined datagrams with the MTU of the receiver, as a network would.
    line.here("ip link set v0 gso_max_segs 1");
    let both = |line: &Line, mtu: u32| {
        line.here(&format!("ip link set v0 mtu {mtu}"));
        line.there(&format!("ip link set v1 mtu {mtu}"));
    };
    assert_eq!(pieces(), 0);
    both(&line, 1100);
    line.goes_on();
    assert!(pieces() > 0, "the system cuts what is longer");
    both(&line, 1500);
    line.goes_on();
    // Only the receiver's: what is longer does not arrive. Pings do.
    line.there("ip link set v1 mtu 1100");
    let (before, repeated) = (line.far.received, line.near.retransmitted);
    line.pass(Duration::from_secs(2));
    assert!(line.far.received <= before + 8 && line.near.retransmitted > repeated, "{}", line.state());
    line.there("ip link set v1 mtu 1500");
    line.goes_on();
    line.ends_complete();
    eprintln!("{}", line.state());
}

/// The near socket is bound to the address, the far one to any.
#[test]
fn address_that_is_removed_and_added_again_delays_messages() {
    if outside("address_that_is_removed_and_added_again_delays_messages", NEAR) {
        return;
    }
    let mut line = Line::new(&window(), &patient(0));
    line.here("ip address del 10.9.0.1/24 dev v0");
    let before = line.far.received;
    line.pass(Duration::from_secs(1));
    assert!(line.far.received <= before + 8 && line.near.send_errors > 0, "{}", line.state());
    assert!(!line.near.errors.is_empty() && line.far.errors.is_empty(), "{}", line.state());
    line.here("ip address add 10.9.0.1/24 dev v0");
    line.goes_on();
    line.there("ip address del 10.9.0.2/24 dev v1");
    let (before, errors) = (line.near.received, line.far.send_errors);
    line.pass(Duration::from_secs(1));
    assert!(line.near.received <= before + 8 && line.far.send_errors > errors, "{}", line.state());
    line.there("ip address add 10.9.0.2/24 dev v1");
    line.goes_on();
    line.ends_complete();
    eprintln!("{}", line.state());
}

/// As when a machine changes networks. The near socket is bound to any address.
#[test]
fn other_address_of_the_same_machine_delays_messages() {
    if outside("other_address_of_the_same_machine_delays_messages", NEAR) {
        return;
    }
    let mut line = Line::bound("0.0.0.0:7000", &window(), &Options { moves: true, ..patient(0) });
    let id = line.far.id.expect("open");
    let peer = |line: &Line| line.far.listener.peer(id).expect("open").to_string();
    assert_eq!(peer(&line), "10.9.0.1:7000");
    for (old, new) in [("10.9.0.1", "10.9.0.3"), ("10.9.0.3", "10.9.0.4")] {
        line.here(&format!("ip address del {old}/24 dev v0; ip address add {new}/24 dev v0"));
        line.goes_on();
        assert_eq!(peer(&line), format!("{new}:7000"));
    }
    assert_eq!(line.far.listener.statistics().moved, 2);
    line.ends_complete();
    eprintln!("{}", line.state());
}

/// The processor time that this thread has taken.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place of the result is valid.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("less than a second"))
}

/// Returns every message of its first connection, until that is closed.
fn echo(mut server: Listener) {
    let id = server.accept(LONG).unwrap();
    while let Ok(message) = server.receive(id, LONG) {
        server.send_blocking(id, &message, LONG).unwrap();
    }
    server.linger(id).unwrap();
}

/// Another connection of the same socket, over the loopback, goes on, and waiting takes no processor time.
#[test]
fn removed_interface_ends_its_connection_and_no_other() {
    if outside("removed_interface_ends_its_connection_and_no_other", NEAR) {
        return;
    }
    let local = server(&window(), impatient());
    let to = local.local();
    let echo = std::thread::spawn(move || echo(local));
    let mut line = Line::bound("0.0.0.0:7000", &window(), &impatient());
    let (bad, near) = (line.near.id.expect("open"), &mut line.near.listener);
    let good = near.connect(to, &window()).unwrap();
    near.send_blocking(good, b"before", LONG).unwrap();
    assert_eq!(near.receive(good, LONG).unwrap(), b"before");
    line.here("ip link delete v0");

    let near = &mut line.near.listener;
    let _ = near.send(bad, &[0; 1000]); // refused if the window is full: something waits for its answer in any case
    let (mut asked, mut answered, before) = (0, 0, processor_time());
    while line.near.closed.is_none() {
        match near.wait(LONG).unwrap().expect("an event") {
            Event::Error { connection, .. } => {
                assert_eq!(connection, Some(bad));
                near.send_blocking(good, b"meanwhile", LONG).unwrap();
                asked += 1;
            }
            Event::Delivered { connection, .. } => answered += usize::from(connection == good),
            Event::Closed { connection, reason, .. } => {
                assert_eq!(connection, bad);
                line.near.closed = Some(reason);
            }
            _ => {}
        }
    }
    let taken = processor_time() - before;
    eprintln!("{asked} errors, {answered} answers, {taken:?} of processor time");
    assert!(asked > 0 && answered + 1 >= asked, "{asked} {answered}");
    assert!(taken < Duration::from_millis(500), "{taken:?} of 3 s");
    near.send_blocking(good, b"after", LONG).unwrap();
    while near.receive(good, LONG).unwrap() != b"after" {}
    near.close_blocking(good, LONG).unwrap();
    line.ends_in_timeout();
    echo.join().unwrap();
}
