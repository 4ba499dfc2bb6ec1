//! Receipts, and connections that are begun again, with servers that end without a word.

mod support;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use nacre_runtime::reconnect::Backoff;
use nacre_runtime::{Event, Options, Reason};
use nacre_tokio::{Change, Ended, Error, Incoming, Limits, Listener, Reconnecting};
use support::*;

/// A server in a thread, which ends without a word when it is dropped.
struct Server {
    local: SocketAddr,
    taken: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(at: SocketAddr) -> Server {
        let mut listener = nacre_runtime::Listener::bind(at, Options::default()).expect("a socket");
        listener.serve(&receipted()).expect("it serves");
        let (local, taken, ends) = (listener.local(), Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counts, stops) = (taken.clone(), ends.clone());
        let run = move || {
            while !stops.load(SeqCst) {
                if let Ok(Some(Event::Delivered { .. })) = listener.wait(Some(Duration::from_millis(5))) {
                    counts.fetch_add(1, SeqCst);
                }
            }
        };
        Server { local, taken, ends, thread: Some(std::thread::spawn(run)) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, SeqCst);
        self.thread.take().expect("it runs").join().expect("it has ended");
    }
}

async fn client(to: SocketAddr, backoff: Backoff) -> Reconnecting {
    let (timeout, ping_after) = (Duration::from_secs(1), Duration::from_millis(200));
    let listener = Listener::bind(loopback(), Options { timeout, ping_after, ..Options::default() }).expect("a socket");
    Reconnecting::connect(listener, to.to_string(), &receipted(), backoff).await.expect("it begins")
}

fn quick() -> Backoff {
    Backoff { first: Duration::from_millis(20), most: Duration::from_millis(100), ..Backoff::default() }
}

#[test]
fn reports_count_what_tasks_have_received() {
    on_each_runtime(|| async {
        let (ours, theirs) = pair(faulty(1, Limits::default()), faulty(2, Limits::default()), &receipted()).await;
        for number in 0..50 {
            ours.connection.send(&numbered(number, 30)).await.expect("it is accepted");
        }
        let mut reached = 0;
        for number in 0..50 {
            assert_numbered(&theirs.connection.recv().await.expect("it arrives"), number);
            if number % 10 < 9 {
                continue;
            }
            while reached <= number {
                if let Incoming::Other { arguments, .. } = ours.connection.next().await.expect("it is there") {
                    assert!(arguments[0] > reached && arguments[0] <= number + 1, "{arguments:?} of {number}");
                    reached = arguments[0];
                }
            }
        }
        assert_eq!(reached, 50);
    });
}

#[test]
fn server_that_comes_back_is_reached_again() {
    on_each_runtime(|| async {
        let server = Server::start(loopback());
        let at = server.local;
        let client = client(at, quick()).await;
        for number in 0..5 {
            client.send(&numbered(number, 20)).await.expect("it is accepted");
        }
        while client.account().and_then(|lost| lost.reached) == Some(0) {
            client.next().await.expect("it is there");
        }
        let taken = server.taken.clone();
        drop(server);
        let lost = loop {
            match client.next().await.expect("it is begun again") {
                Change::Reconnecting { lost, attempt: 1, .. } => break lost,
                Change::Incoming(_) => {}
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(lost.accepted, 5);
        assert!(lost.reached.is_some_and(|reached| reached > 0 && reached <= taken.load(SeqCst)), "{lost:?}");
        assert!(matches!(client.send(b"lost").await, Err(Error::Ended(_))), "nothing is kept");
        let server = Server::start(at);
        while !matches!(client.next().await.expect("it is begun again"), Change::Reconnected { .. }) {}
        client.send(b"again").await.expect("it is accepted");
        while client.account().and_then(|lost| lost.reached) == Some(0) {
            client.next().await.expect("it is there");
        }
        assert_eq!(server.taken.load(SeqCst), 1);
        client.close().await.expect("in order");
    });
}

#[test]
fn calls_may_be_cancelled_and_tries_end() {
    on_each_runtime(|| async {
        let server = Server::start(loopback());
        let client = client(server.local, Backoff { tries: Some(2), ..quick() }).await;
        drop(server);
        let mut attempts = vec![];
        let ended = loop {
            // Each call is cancelled again and again.
            match tokio::time::timeout(Duration::from_millis(3), client.next()).await {
                Err(_) | Ok(Ok(Change::Incoming(_))) => {}
                Ok(Ok(Change::Reconnecting { attempt, .. })) => attempts.push(attempt),
                Ok(Ok(Change::Reconnected { .. })) => panic!("there is no server"),
                Ok(Err(ended)) => break ended,
            }
        };
        assert_eq!(attempts, [1, 2]);
        assert!(matches!(ended, Ended::Connection { reason: Reason::Timeout | Reason::Unreachable, .. }), "{ended:?}");
        assert!(client.close().await.is_err());
    });
}

#[test]
fn drop_and_close_end_a_connection_that_is_lost() {
    on_each_runtime(|| async {
        for closes in [false, true] {
            let server = Server::start(loopback());
            let client = client(server.local, quick()).await;
            drop(server);
            while !matches!(client.next().await.expect("it is begun again"), Change::Reconnecting { .. }) {}
            if closes {
                assert!(client.close().await.is_err());
            }
        }
    });
}
