//! Several listeners with one address, each in a thread of its own: the system gives each the frames of its connections.
#![cfg(target_os = "linux")]

mod support;

use nacre_runtime::{ConnectionId, Error, Event, Expect, Keys, Listener, ListenerStatistics, Options, Stack};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};
use support::*;

/// No divisor of 255: of three, the order of a cookie's bytes would make no difference.
const SHARDS: usize = 4;
/// So many that each shard gets some, whatever their ports.
const CLIENTS: usize = 48;

/// Echoes messages until it is stopped; returns the statistics.
fn echo(mut listener: Listener, stop: Arc<AtomicBool>) -> JoinHandle<ListenerStatistics> {
    std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            let soon = Some(std::time::Duration::from_millis(20));
            let copy = match listener.wait(soon).unwrap() {
                Some(Event::Delivered { connection, message, .. }) => Some((connection, message.to_vec())),
                _ => None,
            };
            if let Some((connection, bytes)) = copy {
                listener.send_blocking(connection, &bytes, LONG).unwrap();
            }
        }
        listener.statistics()
    })
}

struct Servers {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<ListenerStatistics>>,
}

fn serve(at: &str, stack: &Stack, options: &Options) -> Servers {
    let mut listeners = Listener::bind_shards(at.parse().unwrap(), options, SHARDS).unwrap();
    let address = listeners[0].local();
    assert!(listeners.iter().all(|listener| listener.local() == address));
    listeners.iter_mut().for_each(|listener| listener.serve(stack).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let threads = listeners.into_iter().map(|listener| echo(listener, stop.clone())).collect();
    Servers { address, stop, threads }
}

impl Servers {
    fn end(self) -> Vec<ListenerStatistics> {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }
}

/// Sends messages from a socket of its own, and takes the echoes.
fn talk(client: &mut Listener, id: ConnectionId, begin: u8) {
    for n in begin..begin + 10 {
        client.send_blocking(id, &[n; 40], LONG).unwrap();
        assert_eq!(client.receive(id, LONG).unwrap(), [n; 40]);
    }
}

/// The period of labels that prove an address; each has labels of its own. Listeners with one secret count from 1970.
fn period() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 10
}

/// Every connection stays with one shard, each shard has some, and no frame comes to another one.
fn all_is_divided(at: &str, to: &str, stack: &Stack, options: &Options) {
    // Before the servers read their clocks: one that must wait for a processor handles frames at the time that it had.
    let began = period();
    let servers = serve(at, stack, options);
    let to = SocketAddr::new(to.parse().unwrap(), servers.address.port());
    let mut clients: Vec<(Listener, ConnectionId)> = (0..CLIENTS)
        .map(|_| {
            let any = SocketAddr::new(to.ip(), 0);
            let keys = options.keys.as_ref().map(|_| Keys::generate().unwrap());
            let mut client = Listener::bind(any, Options { keys, ..Options::default() }).unwrap();
            let id = match stack.is_secure() {
                true => client.connect_secure(to, stack, Expect::Any, |_| {}),
                false => client.connect(to, stack),
            };
            (client, id.unwrap())
        })
        .collect();
    for begin in [0, 100] {
        clients.iter_mut().for_each(|(client, id)| talk(client, *id, begin));
    }
    let statistics = servers.end();
    // A client whose first frame and its copy are answered in different periods gets two labels. Its frames with the
    // second one belong to no connection, and it begins again without a label.
    let stray = if options.retry_above == 0 && period() != began { CLIENTS as u64 } else { 0 };
    for one in &statistics {
        assert!(one.unknown_cookies <= stray && one.malformed == 0, "{one:?}");
        assert!(one.arrived > 0, "{statistics:?}");
    }
    // Who is told two labels begins twice, and the second connection replaces the first.
    let connections: usize = statistics.iter().map(|one| one.connections).sum();
    assert_eq!(connections, CLIENTS, "{statistics:#?}");
}

#[test]
fn frames_come_to_the_shard_of_their_connection() {
    all_is_divided("127.0.0.1:0", "127.0.0.1", &window(), &Options::default());
    all_is_divided("[::1]:0", "::1", &window(), &Options::default());
    all_is_divided("[::]:0", "127.0.0.1", &window(), &Options::default());
}

#[test]
fn who_proves_an_address_stays_with_the_shard_that_asked() {
    all_is_divided("127.0.0.1:0", "127.0.0.1", &window(), &Options { retry_above: 0, ..Options::default() });
}

#[test]
fn handshakes_stay_with_one_shard() {
    let options = Options { keys: Some(Keys::generate().unwrap()), retry_above: 0, ..Options::default() };
    all_is_divided("127.0.0.1:0", "127.0.0.1", &secure(), &options);
}

/// A shard that begins a connection is found by the answers.
#[test]
fn shard_that_connects_gets_the_answers() {
    let stop = Arc::new(AtomicBool::new(false));
    let server = server(&window(), Options::default());
    let to = server.local();
    let thread = echo(server, stop.clone());
    let mut shards = Listener::bind_shards(loopback(), &Options::default(), SHARDS).unwrap();
    for (n, shard) in shards.iter_mut().enumerate() {
        let id = shard.connect_with(to, &window(), |config| {
            config.set("floor.identity", n as u64 + 1);
        });
        talk(shard, id.unwrap(), 0);
    }
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

/// What another shard leaves behind is not taken for what is left.
#[test]
fn shards_outlive_one_another() {
    let mut shards = Listener::bind_shards(loopback(), &Options::default(), SHARDS).unwrap();
    let to = shards[0].local();
    shards.iter_mut().for_each(|shard| shard.serve(&window()).unwrap());
    let last = shards.pop().unwrap();
    let mut clients: Vec<Listener> =
        (0..CLIENTS).map(|_| Listener::bind(loopback(), Options::default()).unwrap()).collect();
    let ids: Vec<ConnectionId> = clients.iter_mut().map(|client| client.connect(to, &window()).unwrap()).collect();
    drop(shards);
    let stop = Arc::new(AtomicBool::new(false));
    let thread = echo(last, stop.clone());
    let soon = Some(std::time::Duration::from_millis(20));
    let mut answered = 0;
    for (client, id) in clients.iter_mut().zip(ids) {
        client.send_blocking(id, b"hello", LONG).unwrap();
        match client.receive(id, soon) {
            Ok(bytes) => assert_eq!(bytes, b"hello"),
            Err(error) => assert!(matches!(error, Error::TimedOut), "{error}"),
        }
        answered += usize::from(client.statistics_of(id).unwrap().confirmed);
    }
    stop.store(true, Ordering::Relaxed);
    let arrived = thread.join().unwrap().arrived;
    assert!(arrived > 0 && arrived < CLIENTS as u64 && answered as u64 <= arrived, "{arrived} {answered}");
}

#[test]
fn number_of_shards_is_bounded() {
    for count in [0, 65] {
        assert!(matches!(Listener::bind_shards(loopback(), &Options::default(), count), Err(Error::Io { .. })));
    }
    assert_eq!(Listener::bind_shards(loopback(), &Options::default(), 1).unwrap().len(), 1);
}
