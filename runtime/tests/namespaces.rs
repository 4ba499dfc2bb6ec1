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
