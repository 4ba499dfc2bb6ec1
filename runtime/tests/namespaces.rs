//! Networks that fail in ways that only the system's own can: each test has a network namespace.

#[path = "support/namespace.rs"]
mod namespace;
mod support;

use nacre_runtime::{Event, Listener, Options};
use namespace::outside;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use support::*;

/// The queue of the way to 10.9.0.0/24 holds two frames, and hardly lets any out.
const ONE_WAY_IS_FULL: &str = "ip link set lo up; ip link add v0 type veth peer name v1; ip link set v0 up; \
    ip link set v1 up; ip address add 10.9.0.1/24 dev v0; ip neighbour add 10.9.0.2 lladdr 2:0:0:0:0:2 dev v0; \
    tc qdisc add dev v0 root tbf rate 8bit burst 3000 limit 3000";

#[test]
fn path_on_which_the_system_drops_frames_stops_no_other() {
    if outside("path_on_which_the_system_drops_frames_stops_no_other", ONE_WAY_IS_FULL) {
        return;
    }
    let to = |text: &str| -> SocketAddr { text.parse().expect("an address") };
    let mut peer = Listener::bind(to("127.0.0.1:7001"), Options::default()).unwrap();
    peer.serve(&window()).unwrap();
    let mut ours = Listener::bind(to("0.0.0.0:7000"), Options::default()).unwrap();
    let [bad, good] = ["10.9.0.2:7001", "127.0.0.1:7001"].map(|peer| ours.connect(to(peer), &window()).unwrap());
    let (mut received, mut lost) = (0, vec![]);
    let end = Instant::now() + Duration::from_secs(40);
    while received < 500 || lost.is_empty() {
        assert!(Instant::now() < end, "{received} received, {lost:?}");
        for id in [bad, good] {
            let _ = ours.send(id, &[7; 1000]);
        }
        while let Some(event) = ours.poll() {
            if let Event::Error { connection, cause, .. } = event {
                lost.push((connection, cause.raw_os_error()));
            }
        }
        while let Some(event) = peer.poll() {
            received += usize::from(matches!(event, Event::Delivered { .. }));
        }
    }
    assert!(lost.iter().all(|error| *error == (Some(bad), Some(libc::ENOBUFS))), "{lost:?}");
    let errors = |id| ours.statistics_of(id).unwrap().traffic.send_errors;
    assert!(errors(bad) > 0 && errors(good) == 0, "{} {}", errors(bad), errors(good));
}

/// A frame of the stack `window` has 1,252 bytes at most; over IPv4 this loopback carries 1,172 without fragments.
const LOOPBACK_IS_NARROW: &str = "ip link set lo up; ip link set lo mtu 1200";

#[test]
fn path_mtu_is_found_by_probes_that_no_host_fragments_and_long_messages_arrive_all_the_same() {
    if outside(
        "path_mtu_is_found_by_probes_that_no_host_fragments_and_long_messages_arrive_all_the_same",
        LOOPBACK_IS_NARROW,
    ) {
        return;
    }
    let mut peer = Listener::bind(loopback(), Options::default()).unwrap();
    peer.serve(&window()).unwrap();
    let mut ours = Listener::bind(loopback(), Options::default()).unwrap();
    let id = ours.connect(peer.local(), &window()).unwrap();
    let end = Instant::now() + Duration::from_secs(40);
    let (mut received, mut theirs, mut errors) = (0, None, vec![]);
    let known = |end: &Listener, id| end.statistics_of(id).ok().and_then(|statistics| statistics.path_mtu);
    while known(&ours, id).is_none() || theirs.and_then(|theirs| known(&peer, theirs)).is_none() {
        assert!(Instant::now() < end, "{:?}", known(&ours, id));
        let _ = ours.send(id, &[7; 1200]);
        while let Some(event) = ours.poll() {
            if let Event::Error { cause, .. } = event {
                errors.push(cause);
            }
        }
        while let Some(event) = peer.poll() {
            if let Event::Delivered { connection, message, .. } = event {
                theirs = Some(connection);
                received += usize::from(message.len() == 1200);
            }
        }
    }
    for found in [known(&ours, id), theirs.and_then(|theirs| known(&peer, theirs))] {
        assert!(found.is_some_and(|found| (1156..=1172).contains(&found)), "{found:?}");
    }
    assert!(received > 10 && errors.is_empty(), "{received}, {errors:?}");
}
