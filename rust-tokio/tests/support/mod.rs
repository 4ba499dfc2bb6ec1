//! Shared code of the tests: compiled stacks, listeners on bad networks, tokio runtimes of both kinds.
#![allow(dead_code)]

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nacre_driver::{Level, Session};
use nacre_runtime::faults::{Direction, Faults, Faulty};
use nacre_runtime::random::Random;
use nacre_runtime::udp::Udp;
use nacre_runtime::{Options, Stack};
use nacre_simulator::toolchain::{Text, Toolchain};
use nacre_tokio::{Connection, Limits, Listener};

/// The time limit of every test; none waits for it to pass.
pub const LONG: Duration = Duration::from_secs(100);

fn at(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn load(text: &Text) -> Stack {
    Toolchain::find().expect("a C compiler").load(text).unwrap_or_else(|error| panic!("{error}"))
}

fn compile(mut session: Session, name: &str) -> Stack {
    let stack = session.stack(name).expect("the stack is valid");
    let emitted = session.emit(&stack, Level::Inline, None);
    let (header, source) = (&emitted.header, &emitted.source);
    load(&Text { header_name: &format!("{name}.h"), header, source, symbol: &format!("{name}_stack") })
}

/// `frag<1400> / pt2pt<64> / crc32c / floor`: reliable, and counts no grants.
pub fn reliable() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    STACK.get_or_init(|| compile(Session::open(&[at("examples/reliable.nacre")]), "reliable")).clone()
}

/// The same with receipts.
pub fn receipted() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    STACK.get_or_init(|| compile(Session::open(&[at("examples/receipts.nacre")]), "receipted")).clone()
}

/// A reliable stack that sends nothing again, and acknowledges less than half a window, only after 20 s.
pub fn patient() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    let text = "
        import \"../layers/frag/frag.nacre\";
        import \"../layers/pt2pt/pt2pt.nacre\";
        import \"../layers/floor/floor.nacre\";
        stack patient = frag<1400> / pt2pt<64, 20 s, 20 s, 20 s, 20 s> / floor;
    ";
    STACK.get_or_init(|| compile(Session::from_text(&at("examples/patient.nacre"), text), "patient")).clone()
}

/// A window of eight messages of at most 1,200 bytes, written by hand, which counts grants.
pub fn window() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    let read = |path: &str| std::fs::read_to_string(at(path)).expect("readable");
    let stack = STACK.get_or_init(|| {
        let (header, source) = (&read("compiler/backends/c/src/nacre.h"), &read("runtime/tests/stack/window.c"));
        load(&Text { header_name: "nacre.h", header, source, symbol: "nacre_stack_window" })
    });
    stack.clone()
}

pub fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().expect("an address")
}

/// A listener over UDP, with limits.
pub fn listener(limits: Limits) -> Listener {
    let listener = nacre_runtime::Listener::bind(loopback(), Options::default()).expect("a socket");
    Listener::over(listener, limits).expect("it has a descriptor")
}

/// A network that loses, duplicates and reorders frames.
pub fn bad(seed: u64) -> Faults {
    let reorder_by = Duration::from_millis(3);
    Faults { loss: 0.05, duplicate: 0.05, reorder: 0.1, reorder_by, seed, ..Faults::default() }
}

/// A listener over UDP with faults in both directions.
pub fn faulty(seed: u64, limits: Limits) -> Listener {
    let udp = Udp::bind(loopback()).expect("a socket");
    let transport = Faulty::new(udp, bad(seed), Direction::Both);
    // Many clients at one address begin at once; none is asked to prove it, because such answers are rationed.
    let options =
        Options { seed: Some(seed), unconfirmed_per_address: 5_000, retry_above: 1_000_000, ..Options::default() };
    let listener = nacre_runtime::Listener::new(transport, options);
    Listener::over(listener, limits).expect("it has a descriptor")
}

/// Both ends of a connection with their listeners: the client's and the server's.
pub async fn pair(client: Listener, server: Listener, stack: &Stack) -> (Ends, Ends) {
    server.serve(stack).expect("it serves");
    let ours = client.connect(server.local(), stack).await.expect("the server answers");
    let theirs = server.accept().await.expect("it has begun");
    (Ends { connection: ours, listener: client }, Ends { connection: theirs, listener: server })
}

pub struct Ends {
    pub connection: Connection,
    pub listener: Listener,
}

/// Runs a test on a runtime of one thread and on one of three, within the time limit. Every task has ended afterwards.
pub fn on_each_runtime<F: Future<Output = ()> + Send + 'static>(test: impl Fn() -> F) {
    for threads in [0, 3] {
        let runtime = match threads {
            0 => tokio::runtime::Builder::new_current_thread().enable_all().build(),
            _ => tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build(),
        };
        let runtime = runtime.expect("a runtime");
        let test = test();
        runtime.block_on(async {
            let done = tokio::time::timeout(LONG, async {
                tokio::spawn(test).await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
                while tokio::runtime::Handle::current().metrics().num_alive_tasks() > 0 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            });
            done.await.unwrap_or_else(|_| panic!("not done in time, with {threads} threads"));
        });
    }
}

/// A message with a number and any length.
pub fn numbered(number: u64, len: usize) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.extend((8..len.max(8)).map(|at| (at as u64).wrapping_mul(31).wrapping_add(number) as u8));
    bytes
}

/// Asserts that a message is the one with this number.
pub fn assert_numbered(bytes: &[u8], number: u64) {
    let found = bytes.first_chunk().map(|first| u64::from_le_bytes(*first));
    assert_eq!(found, Some(number), "in order, none lost and none twice");
    assert!(bytes == numbered(number, bytes.len()), "the bytes of message {number}");
}

/// Returns each message to its sender, until the connection ends.
pub async fn echo(connection: Connection) {
    while let Ok(message) = connection.recv().await {
        if connection.send(&message).await.is_err() {
            return;
        }
    }
}

/// Accepts connections, and echoes on each.
pub async fn echo_all(server: Arc<Listener>) {
    while let Ok(connection) = server.accept().await {
        tokio::spawn(echo(connection));
    }
}

/// Polls a future a number of times, and drops it if it is not done.
pub async fn cancelled_after<F: Future>(polls: u64, future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    for poll in 0..polls {
        let first = std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context))).await;
        if let std::task::Poll::Ready(output) = first {
            return Some(output);
        }
        if poll + 1 < polls {
            tokio::task::yield_now().await;
        }
    }
    None
}

/// A number below a bound.
pub fn below(random: &mut Random, bound: u64) -> u64 {
    random.below(bound)
}
