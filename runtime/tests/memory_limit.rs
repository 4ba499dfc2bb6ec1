//! A process without memory for another connection keeps those that it has. The limit concerns the whole process, so
//! this test is alone in its file.

mod support;

use nacre_runtime::faults::Faults;
use nacre_runtime::memory::Network;
use nacre_runtime::{Error, Event, Listener, Options};
use support::*;

/// The bytes that this process may write, about.
fn size() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the numbers of this process");
    text.split(' ').nth(5).and_then(|pages| pages.parse::<u64>().ok()).expect("a number") * 4096
}

fn limit(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a valid limit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) }, 0);
}

/// Exchanges what is there, and returns how many messages arrived.
fn exchange(network: &Network, ends: &mut [&mut Listener; 2]) -> usize {
    let mut delivered = 0;
    for _ in 0..20 {
        for end in &mut *ends {
            while let Some(event) = end.poll() {
                delivered += usize::from(matches!(event, Event::Delivered { .. }));
            }
        }
        network.advance_to(network.now() + 1_000_000);
    }
    delivered
}

#[test]
fn connection_for_which_there_is_no_memory_is_an_error_and_no_more() {
    let network = Network::new(Faults::default());
    let mut server = Listener::new(network.end(), Options { retry_above: 1_000_000, ..Options::default() });
    server.serve(&window()).unwrap();
    let mut client = Listener::new(network.end(), Options::default());
    let connect = |client: &mut Listener, to, identity: u64| {
        client.connect_with(to, &window(), |config| assert!(config.set("floor.identity", identity)))
    };
    // As many as use the small pools.
    let ids: Vec<_> = (1..=64).map(|n| connect(&mut client, server.local(), n).unwrap()).collect();
    ids.iter().for_each(|id| client.send(*id, b"before").unwrap());
    assert_eq!(exchange(&network, &mut [&mut client, &mut server]), 64);

    limit(size() + (1 << 20));
    for n in 65..70 {
        let error = connect(&mut client, server.local(), n).expect_err("no memory for another pool");
        assert!(matches!(error, Error::Full("memory")), "{error}");
    }
    ids.iter().for_each(|id| client.send(*id, b"meanwhile").unwrap());
    assert_eq!(exchange(&network, &mut [&mut client, &mut server]), 64);
    limit(libc::RLIM_INFINITY);

    let id = connect(&mut client, server.local(), 65).unwrap();
    client.send(id, b"after").unwrap();
    assert_eq!(exchange(&network, &mut [&mut client, &mut server]), 1);
}
