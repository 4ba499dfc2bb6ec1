//! Transports within a process: the simulated network, the pair between threads, transports without room, captures.

mod support;

use nacre_runtime::capture::Captured;
use nacre_runtime::faults::Faults;
use nacre_runtime::memory::{pair, Network};
use nacre_runtime::transport::Transport;
use nacre_runtime::udp::Udp;
use nacre_runtime::wire::Control;
use nacre_runtime::{ConnectionId, Endpoint, Event, Listener, Options};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;
use support::*;

fn seeded(seed: u64) -> Options {
    Options { seed: Some(seed), ..Options::default() }
}

/// Advances the simulated time to the next event; returns the texts of each listener with their times.
fn simulate(network: &Network, listeners: &mut [&mut Listener], until_ns: u64) -> Vec<Vec<(u64, String)>> {
    let mut words = vec![Vec::new(); listeners.len()];
    while network.now() < until_ns {
        for (listener, words) in listeners.iter_mut().zip(&mut words) {
            while let Some(event) = listener.poll() {
                words.push((network.now(), word(event)));
            }
        }
        let next = listeners.iter().map(|listener| listener.next_deadline()).min().unwrap();
        network.advance_to(next.min(network.next_arrival()).clamp(network.now() + 1, until_ns));
    }
    words
}

/// A network, and a client and a server on it; the client has sent its first message.
fn opened(faults: Faults) -> (Network, Listener, Listener, ConnectionId) {
    let network = Network::new(faults);
    let mut server = Listener::new(network.end(), seeded(1));
    server.serve(&window()).unwrap();
    let mut client = Listener::new(network.end(), seeded(2));
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"first").unwrap();
    (network, client, server, id)
}

/// The same without faults, a second later.
fn connected() -> (Network, Listener, Listener, ConnectionId) {
    let (network, mut client, mut server, id) = opened(Faults::default());
    simulate(&network, &mut [&mut client, &mut server], 1_000_000_000);
    (network, client, server, id)
}

fn lossy_run(seed: u64) -> Vec<Vec<(u64, String)>> {
    let faults = Faults {
        loss: 0.3,
        duplicate: 0.1,
        reorder: 0.1,
        delay: Duration::from_millis(3),
        jitter: Duration::from_millis(1),
        seed,
        ..Faults::default()
    };
    let network = Network::new(faults);
    let mut server = Listener::new(network.end(), seeded(1));
    server.serve(&window()).unwrap();
    let mut client = Listener::new(network.end(), seeded(2));
    let id = client.connect(server.local(), &window()).unwrap();
    let mut all = vec![Vec::new(), Vec::new()];
    for n in 0..50 {
        while client.send(id, format!("{n}").as_bytes()).is_err() {
            let until = network.now() + 10_000_000;
            let words = simulate(&network, &mut [&mut client, &mut server], until);
            all.iter_mut().zip(words).for_each(|(all, words)| all.extend(words));
        }
    }
    let until = network.now() + 5_000_000_000;
    let words = simulate(&network, &mut [&mut client, &mut server], until);
    all.iter_mut().zip(words).for_each(|(all, words)| all.extend(words));
    assert!(network.counts(client.local(), server.local()).lost > 5);
    all
}

#[test]
fn equal_seeds_replay_a_lossy_run_to_the_nanosecond() {
    let run = lossy_run(7);
    let delivered: Vec<&str> = run[1].iter().filter_map(|(_, word)| word.strip_prefix("delivered ")).collect();
    let wanted: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    assert_eq!(delivered, wanted, "in order, once");
    assert_eq!(run, lossy_run(7));
    assert_ne!(run, lossy_run(8));
}

#[test]
fn connection_is_set_up_under_heavy_loss() {
    for seed in 0..20 {
        let network = Network::new(Faults { loss: 0.5, seed, ..Faults::default() });
        let mut server = Listener::new(network.end(), seeded(1));
        server.serve(&window()).unwrap();
        let mut client = Listener::new(network.end(), seeded(2));
        let id = client.connect(server.local(), &window()).unwrap();
        client.send(id, b"first").unwrap();
        client.send(id, b"second").unwrap();
        let words = simulate(&network, &mut [&mut client, &mut server], 10_000_000_000);
        let plain: Vec<&str> = words[1].iter().map(|(_, word)| word.as_str()).collect();
        let arrived = plain.iter().filter(|word| **word == "arrived").count();
        assert_eq!(arrived, 1, "seed {seed}: {plain:?}");
        assert!(plain.contains(&"delivered first") && plain.contains(&"delivered second"), "seed {seed}: {plain:?}");
        assert!(words[0].iter().any(|(_, word)| word == "opened"), "seed {seed}");
        assert_eq!(server.statistics().connections, 1, "seed {seed}");
    }
}

#[test]
fn corruption_creates_no_second_connection() {
    for seed in 0..20 {
        let faults = Faults { corrupt: 0.3, duplicate: 0.3, seed, ..Faults::default() };
        let (network, mut client, mut server, id) = opened(faults);
        simulate(&network, &mut [&mut client, &mut server], 3_000_000_000);
        assert!(client.statistics_of(id).is_ok(), "seed {seed}");
        assert_eq!(server.statistics().arrived, 1, "seed {seed}");
    }
}

#[test]
fn partition_ends_in_timeout_on_both_sides() {
    let (network, mut client, mut server, _) = opened(Faults::default());
    let quiet = simulate(&network, &mut [&mut client, &mut server], 100_000_000_000);
    assert!(!quiet.iter().flatten().any(|(_, word)| word.starts_with("closed")), "pings keep it: {quiet:?}");
    network.set_partition(client.local(), server.local(), true);
    let words = simulate(&network, &mut [&mut client, &mut server], 140_000_000_000);
    for words in words {
        let (at, word) = words.last().unwrap();
        assert_eq!(word, "closed Timeout");
        assert!((125_000_000_000..131_000_000_000).contains(at), "{at}");
    }
}

#[test]
fn forged_unknown_makes_the_stack_identify_itself_and_no_more() {
    let (network, mut client, mut server, id) = connected();
    let label = server.label(server.connections()[0]).unwrap();
    let lie = Control::Unknown { unknown: label }.write(12).unwrap();
    for _ in 0..5 {
        network.end_at(server.local()).send(client.local(), &[IoSlice::new(&lie)]).unwrap();
        let until = network.now() + 1_500_000_000;
        let words = simulate(&network, &mut [&mut client, &mut server], until);
        assert!(words.iter().all(Vec::is_empty), "an idle connection stands it too: {words:?}");
    }
    for n in 0..5 {
        network.end_at(server.local()).send(client.local(), &[IoSlice::new(&lie)]).unwrap();
        client.send(id, b"more").unwrap();
        let words = simulate(&network, &mut [&mut client, &mut server], network.now() + 2_000_000_000);
        assert_eq!(words[1].last().unwrap().1, "delivered more", "{n}");
        assert!(!words[0].iter().any(|(_, word)| word.starts_with("closed")), "{words:?}");
    }
    assert_eq!(server.statistics().arrived, 1);
}

#[test]
fn orderly_close_under_loss_delivers_everything() {
    for seed in 0..20 {
        let network = Network::new(Faults { loss: 0.3, seed, ..Faults::default() });
        let mut server = Listener::new(network.end(), seeded(1));
        server.serve(&window()).unwrap();
        let mut client = Listener::new(network.end(), seeded(2));
        let id = client.connect(server.local(), &window()).unwrap();
        (0..8).for_each(|n| client.send(id, &[b'0' + n]).unwrap());
        client.close(id).unwrap();
        assert!(client.send(id, b"late").is_err() || client.statistics_of(id).is_ok());
        let words = simulate(&network, &mut [&mut client, &mut server], 10_000_000_000);
        let delivered = words[1].iter().filter(|(_, word)| word.starts_with("delivered")).count();
        assert_eq!(delivered, 8, "seed {seed}: {words:?}");
        for words in words {
            assert_eq!(words.last().unwrap().1, "closed Closed", "seed {seed}");
        }
        assert_eq!(client.statistics().connections + server.statistics().connections, 0, "lingering ends");
    }
}

#[test]
fn pair_joins_two_threads() {
    let (left, right) = pair();
    let to = right.local();
    let thread = std::thread::spawn(move || {
        let mut server = Listener::new(right, Options::default());
        server.serve(&window()).unwrap();
        let id = server.accept(LONG).unwrap();
        for _ in 0..500 {
            let message = server.receive(id, LONG).unwrap();
            server.send_blocking(id, &message, LONG).unwrap();
        }
        server.close_blocking(id, LONG).unwrap();
        server.linger(id).unwrap();
    });
    let mut client = Endpoint::over(Listener::new(left, Options::default()), to, &window()).unwrap();
    for n in 0..500u32 {
        client.send(&n.to_le_bytes(), LONG).unwrap();
        assert_eq!(client.receive(LONG).unwrap(), n.to_le_bytes());
    }
    client.close(LONG).unwrap();
    thread.join().unwrap();
}

/// A transport that has no room every other time.
struct Tight {
    inner: Udp,
    calls: u32,
    refused: Arc<AtomicU32>,
    waits: Arc<AtomicU32>,
}

impl Transport for Tight {
    fn local(&self) -> SocketAddr {
        self.inner.local()
    }

    fn now(&self) -> u64 {
        self.inner.now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.calls += 1;
        if self.calls % 2 == 0 {
            self.refused.fetch_add(1, Relaxed);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.inner.send(to, frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.inner.receive(buffer)
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.waits.fetch_add(1, Relaxed);
        self.inner.wait(writable, time)
    }
}

#[test]
fn who_waits_for_a_message_sleeps() {
    let mut server = server(&window(), Options::default());
    let waits = Arc::default();
    let inner = Udp::bind(loopback()).unwrap();
    let counted = Tight { inner, calls: 0, refused: Arc::default(), waits: Arc::clone(&waits) };
    let mut client = Endpoint::over(Listener::new(counted, Options::default()), server.local(), &window()).unwrap();
    client.send(b"hello", LONG).unwrap();
    let (listener, id) = client.parts();
    while !listener.statistics_of(id).unwrap().confirmed {
        listener.drive();
        server.drive();
    }
    // An event that is not consumed must not keep it awake.
    let before = waits.load(Relaxed);
    assert!(client.receive(Some(Duration::from_millis(200))).is_err());
    assert!(waits.load(Relaxed) - before < 40, "{} times", waits.load(Relaxed) - before);
}

#[test]
fn frames_without_room_wait_in_order_and_none_is_lost() {
    let mut server = server(&window(), Options::default());
    let refused = Arc::default();
    let inner = Udp::bind(loopback()).unwrap();
    let tight = Tight { inner, calls: 0, refused: Arc::clone(&refused), waits: Arc::default() };
    let mut client = Listener::new(tight, Options::default());
    let id = client.connect(server.local(), &window()).unwrap();
    let mut next = 0u32;
    let mut got = 0u32;
    while got < 300 {
        if next < 300 && client.send(id, &next.to_le_bytes()).is_ok() {
            next += 1;
        }
        client.drive();
        while let Some(event) = server.poll() {
            if let Event::Delivered { message, .. } = event {
                assert_eq!(message.to_vec(), got.to_le_bytes());
                got += 1;
            }
        }
    }
    assert!(refused.load(Relaxed) > 100);
    let statistics = client.statistics_of(id).unwrap();
    assert_eq!(statistics.traffic.overflowed, 0);
    let repeated = server.statistics_of(server.connections()[0]).unwrap();
    let (_, repeated) = repeated.counters.iter().find(|(name, _)| name == "window.repeated").unwrap().clone();
    assert!(repeated <= statistics.retransmitted.unwrap(), "frames kept their order");
}

#[test]
fn capture_is_a_pcap_file_with_every_frame() {
    let folder = scratch();
    let file = folder.path().join("capture.pcap");
    let udp = Udp::bind(loopback()).unwrap();
    let captured = Captured::new(udp, std::fs::File::create(&file).unwrap()).unwrap();
    let mut server = server(&window(), Options::default());
    let to = server.local();
    let mut client = Endpoint::over(Listener::new(captured, Options::default()), to, &window()).unwrap();
    client.send(b"captured", LONG).unwrap();
    let (listener, _) = client.parts();
    run_until(&mut [listener, &mut server], |words| words[0].contains(&"opened".into()));
    let traffic = client.statistics().unwrap().traffic;
    drop(client);
    let bytes = std::fs::read(&file).unwrap();
    let mut at = 24;
    let mut frames = 0;
    while at < bytes.len() {
        let len = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        let packet = &bytes[at + 16..at + 16 + len];
        assert_eq!((packet[0], packet[9]), (0x45, 17), "IPv4, UDP");
        if frames == 0 {
            assert_eq!(u16::from_be_bytes([packet[22], packet[23]]), to.port());
            assert_eq!(packet[28 + 4..28 + 12], window().fingerprint().to_le_bytes());
        }
        if frames == 1 {
            assert_eq!(&packet[packet.len() - 8..], b"captured", "after the greeting");
        }
        frames += 1;
        at += 16 + len;
    }
    assert_eq!(frames, traffic.frames_in + traffic.frames_out);
    // If tshark is installed, it must agree.
    let tshark = Command::new("tshark").arg("-r").arg(&file).args(["-T", "fields", "-e", "udp.length"]).output();
    if let Some(output) = tshark.ok().filter(|output| output.status.success()) {
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count() as u64, frames);
    }
}

#[test]
fn noise_of_every_kind_is_survived() {
    let (network, client, mut server, _) = connected();
    let cookie = server.label(server.connections()[0]).unwrap().cookie;
    let mut stranger = network.end();
    let mut forger = network.end_at(client.local());
    let mut random = nacre_runtime::random::Random::new(5);
    for n in 0..20_000u32 {
        let mut frame: Vec<u8> = (0..random.below(80)).map(|_| random.draw() as u8).collect();
        if frame.len() >= 20 {
            let kind = frame[5] % 5;
            match random.below(5) {
                0 => frame.splice(..8, [0xfe, 7, 7, 7, 1, kind, 0, 0]).for_each(drop),
                1 => frame[1..4].copy_from_slice(&cookie.to_le_bytes()[..3]),
                2 => {
                    frame[0] |= 1;
                    frame[4..12].copy_from_slice(&window().fingerprint().to_le_bytes());
                }
                3 => {
                    frame[..4].copy_from_slice(&(0xfe | cookie << 8).to_le_bytes());
                    frame[4..8].copy_from_slice(&[1, kind, 0, 0]);
                }
                _ => {}
            }
        }
        let from = if n % 3 == 0 { &mut forger } else { &mut stranger };
        from.send(server.local(), &[IoSlice::new(&frame)]).unwrap();
        while server.poll().is_some() {}
    }
    let statistics = server.statistics();
    assert_eq!((statistics.connections, statistics.arrived), (1, 1), "{statistics:?}");
    assert!(statistics.malformed > 0 && statistics.unknown_cookies > 0 && statistics.controls_in > 1000);
}

/// More frames that mean nothing than one call of `poll` handles: an event loop that watches for changes of the
/// descriptor would not come back by itself.
#[test]
fn poll_that_has_not_handled_all_frames_is_called_again_at_once() {
    let network = Network::new(Faults::default());
    let mut server = Listener::new(network.end(), seeded(1));
    server.serve(&window()).unwrap();
    let mut stranger = network.end();
    for _ in 0..600 {
        stranger.send(server.local(), &[IoSlice::new(b"x")]).unwrap();
    }
    network.advance_to(network.now() + 1_000_000_000);
    let mut calls = 0;
    while calls == 0 || server.next_deadline() == 0 {
        assert!(server.poll().is_none());
        calls += 1;
    }
    assert_eq!((server.statistics().malformed, calls), (600, 3));
}
