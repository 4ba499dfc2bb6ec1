//! Connections over loopback, on tokio runtimes of both kinds.

mod support;

use std::sync::Arc;

use nacre_runtime::random::Random;
use nacre_runtime::{Options, Reason};
use nacre_tokio::{Connection, Ended, Error, Incoming, Limits, Listener, Notice};
use support::*;

#[test]
fn messages_come_back_in_order() {
    on_each_runtime(|| async {
        let (client, server) = pair(listener(Limits::default()), listener(Limits::default()), &reliable()).await;
        let served = tokio::spawn(echo(server.connection));
        for number in 0..100 {
            client.connection.send(&numbered(number, 20)).await.expect("sent");
            assert_numbered(&client.connection.recv().await.expect("it comes back"), number);
        }
        client.connection.close().await.expect("everything has arrived");
        served.await.expect("no panic");
    });
}

#[test]
fn two_hundred_connections_over_a_bad_network_lose_nothing() {
    on_each_runtime(|| async {
        let server = Arc::new(faulty(1, Limits::default()));
        server.serve(&reliable()).expect("it serves");
        let serving = tokio::spawn(echo_all(server.clone()));
        let client = faulty(2, Limits::default());
        let mut tasks = Vec::new();
        for n in 0..200 {
            let connection = client
                .begin(server.local(), &reliable(), |config| {
                    assert!(config.set("floor.identity", n + 1));
                })
                .expect("a connection");
            tasks.push(tokio::spawn(async move {
                let connection = Arc::new(connection);
                let sender = connection.clone();
                let sending = tokio::spawn(async move {
                    for number in 0..10 {
                        sender.send(&numbered(number, (n as usize * 37 + number as usize * 211) % 2000)).await?;
                    }
                    Ok::<_, Error>(())
                });
                for number in 0..10 {
                    assert_numbered(&connection.recv().await.expect("it comes back"), number);
                }
                sending.await.expect("no panic").expect("sent");
            }));
        }
        for task in tasks {
            task.await.expect("no panic");
        }
        client.finish().await;
        serving.abort();
        let _ = serving.await;
        Arc::into_inner(server).expect("the only handle").finish().await;
    });
}

#[test]
fn longest_messages_arrive_and_longer_ones_are_refused() {
    on_each_runtime(|| async {
        let (client, server) = pair(faulty(3, Limits::default()), faulty(4, Limits::default()), &reliable()).await;
        let most = client.connection.max_message();
        assert_eq!(most, 89_600);
        let sending = tokio::spawn(async move {
            for number in 0..5 {
                client.connection.send(&numbered(number, most)).await.expect("sent");
            }
            let longer = client.connection.send(&vec![0; most + 1]).await;
            assert!(matches!(longer, Err(Error::Runtime(nacre_runtime::Error::TooLong { .. }))), "{longer:?}");
            client.connection.close().await.expect("everything has arrived");
        });
        for number in 0..5 {
            let message = server.connection.recv().await.expect("a message");
            assert_eq!(message.len(), most);
            assert_numbered(&message, number);
        }
        let ended = server.connection.recv().await.expect_err("no more");
        assert!(ended.is_orderly(), "{ended}");
        sending.await.expect("no panic");
    });
}

/// Sends, and cancels most calls after some steps: a message counts as sent if the call has returned.
async fn send_and_cancel(connection: Connection, seed: u64, count: u64) {
    let mut random = Random::new(seed);
    let mut number = 0;
    while number < count {
        let message = numbered(number, below(&mut random, 4000) as usize);
        let polls = below(&mut random, 4);
        match cancelled_after(polls, connection.send(&message)).await {
            Some(sent) => {
                sent.expect("sent");
                number += 1;
            }
            None => tokio::task::yield_now().await,
        }
    }
    connection.close().await.expect("everything has arrived");
}

#[test]
fn calls_that_are_cancelled_lose_nothing_and_do_nothing_twice() {
    let cancelled = Arc::new(std::sync::atomic::AtomicU64::new(0));
    for seed in 0..6 {
        let cancelled = cancelled.clone();
        on_each_runtime(move || {
            let cancelled = cancelled.clone();
            async move {
                let limits = Limits { queue: 8 << 10, ..Limits::default() };
                let (client, server) =
                    pair(faulty(10 + seed, limits.clone()), faulty(20 + seed, limits), &reliable()).await;
                let sending = tokio::spawn(send_and_cancel(client.connection, seed, 300));
                let mut random = Random::new(!seed);
                let mut number = 0;
                loop {
                    match cancelled_after(below(&mut random, 3), server.connection.recv()).await {
                        Some(Ok(message)) => {
                            assert_numbered(&message, number);
                            number += 1;
                        }
                        Some(Err(ended)) => {
                            assert!(ended.is_orderly(), "{ended}");
                            break;
                        }
                        None => {
                            cancelled.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            tokio::task::yield_now().await;
                        }
                    }
                }
                assert_eq!(number, 300);
                sending.await.expect("no panic");
            }
        });
    }
    assert!(cancelled.load(std::sync::atomic::Ordering::Relaxed) > 100);
}

#[test]
fn connection_that_is_dropped_delivers_what_was_sent() {
    on_each_runtime(|| async {
        let (client, server) = pair(faulty(30, Limits::default()), faulty(31, Limits::default()), &reliable()).await;
        for number in 0..50 {
            client.connection.send(&numbered(number, 3000)).await.expect("sent");
        }
        drop(client);
        for number in 0..50 {
            assert_numbered(&server.connection.recv().await.expect("a message"), number);
        }
        let ended = server.connection.recv().await.expect_err("no more");
        assert_eq!(ended.reason(), Some(Reason::Closed));
    });
}

#[test]
fn handles_may_be_dropped_in_any_order() {
    let mut orders = vec![vec![]];
    for _ in 0..4 {
        let longer = |order: &Vec<usize>| {
            (0..4).filter(|n| !order.contains(n)).map(|n| [&order[..], &[n]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    assert_eq!(orders.len(), 24);
    for (at, order) in orders.into_iter().enumerate() {
        on_each_runtime(move || {
            let order = order.clone();
            async move {
                let (client, server) =
                    pair(listener(Limits::default()), listener(Limits::default()), &reliable()).await;
                client.connection.send(b"to the server").await.expect("sent");
                if at % 2 == 0 {
                    server.connection.send(b"to the client").await.expect("sent");
                }
                let mut connections = [Some(client.connection), Some(server.connection)];
                let mut listeners = [Some(client.listener), Some(server.listener)];
                for n in order {
                    match n {
                        0 | 1 if at % 3 == 0 => connections[n].take().expect("there").discard(),
                        0 | 1 => drop(connections[n].take()),
                        _ => drop(listeners[n - 2].take()),
                    }
                    if at % 4 < 2 {
                        tokio::task::yield_now().await;
                    }
                }
            }
        });
    }
}

#[test]
fn runtime_that_is_shut_down_ends_connections_and_blocks_nothing() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("one");
    let (serving, using) = (runtime(), runtime());
    let server = serving.block_on(async { listener(Limits::default()) });
    let client = using.block_on(async { listener(Limits::default()) });
    // Handles of one runtime's listener may be used in another.
    let (client, server) = using.block_on(pair(client, server, &reliable()));
    let waiting = using.spawn(async move {
        let ended = server.connection.recv().await.expect_err("nothing was sent");
        let sent = server.connection.send(b"late").await.expect_err("nothing is sent any more");
        assert!(matches!(sent, Error::Ended(Ended::Stopped)), "{sent}");
        assert!(matches!(server.listener.accept().await, Err(Ended::Stopped)));
        server.listener.finish().await;
        ended
    });
    drop(serving);
    assert_eq!(using.block_on(waiting).expect("no panic"), Ended::Stopped);
    drop(using);
    drop(client);
}

#[test]
fn call_that_panics_ends_all_connections_of_its_listener() {
    on_each_runtime(|| async {
        let (client, server) = pair(listener(Limits::default()), listener(Limits::default()), &reliable()).await;
        let to = server.listener.local();
        let waiting = tokio::spawn(async move { client.connection.recv().await });
        let panicking = tokio::spawn(async move {
            let _ = client.listener.begin(to, &reliable(), |_| panic!("in a program's own function"));
        });
        assert!(panicking.await.expect_err("it panics").is_panic());
        assert_eq!(waiting.await.expect("no panic").expect_err("nothing was sent"), Ended::Stopped);
        server.connection.discard();
    });
}

#[test]
fn end_has_a_reason_a_code_and_a_text() {
    on_each_runtime(|| async {
        let (client, server) = pair(listener(Limits::default()), listener(Limits::default()), &reliable()).await;
        client.connection.send(b"last").await.expect("sent");
        client.connection.close_with(7, "good night").await.expect("everything has arrived");
        assert_eq!(server.connection.recv().await.expect("a message"), b"last");
        let ended = server.connection.recv().await.expect_err("no more");
        assert_eq!((ended.reason(), ended.code(), ended.text()), (Some(Reason::Closed), Some(7), "good night"));
        let sent = server.connection.send(b"late").await.expect_err("it has ended");
        assert!(matches!(&sent, Error::Ended(again) if *again == ended), "{sent}");

        let again = client.listener.connect(server.listener.local(), &reliable()).await.expect("an answer");
        let refused = server.listener.accept().await.expect("it has begun");
        refused.refuse(9, "not you").expect("a short text");
        let ended = again.recv().await.expect_err("refused");
        assert_eq!((ended.reason(), ended.code(), ended.text()), (Some(Reason::Refused), Some(9), "not you"));
    });
}

#[test]
fn addresses_that_cannot_be_reached_fail_at_once() {
    on_each_runtime(|| async {
        let client = listener(Limits::default());
        for to in ["127.0.0.1:0", "[::1]:9"] {
            let error = client.connect(to.parse().expect("an address"), &reliable()).await.expect_err("unreachable");
            assert!(matches!(error, Error::Runtime(nacre_runtime::Error::Invalid(_))), "{to}: {error}");
        }
        let any = Listener::bind("[::]:0".parse().expect("an address"), Options::default()).expect("a socket");
        let server = listener(Limits::default());
        server.serve(&reliable()).expect("it serves");
        any.connect(server.local(), &reliable()).await.expect("[::] reaches both families").discard();
        assert_eq!(client.statistics().expect("driven").connected, 0);
    });
}

#[test]
fn connect_that_is_cancelled_leaves_no_connection() {
    on_each_runtime(|| async {
        let client = listener(Limits::default());
        // Nobody answers there.
        let silent = std::net::UdpSocket::bind(loopback()).expect("a socket");
        let to = silent.local_addr().expect("bound");
        assert!(cancelled_after(3, client.connect(to, &reliable())).await.is_none());
        let numbers = client.statistics().expect("driven");
        assert_eq!((numbers.connected, numbers.connections), (1, 0));
    });
}

#[test]
fn peer_with_another_stack_is_named_on_both_sides() {
    on_each_runtime(|| async {
        let (client, server) = (listener(Limits::default()), listener(Limits::default()));
        server.serve(&reliable()).expect("it serves");
        let error = client.connect(server.local(), &window()).await.expect_err("another stack");
        assert!(matches!(&error, Error::Ended(Ended::OtherStack(_))), "{error}");
        assert!(error.to_string().contains("window<8>"), "{error}");
        let notice = server.notice().await.expect("driven");
        assert!(matches!(notice, Notice::OtherStack(_)), "{notice:?}");
    });
}

#[test]
fn connections_that_nobody_accepts_are_refused_and_messages_of_ended_ones_are_kept() {
    on_each_runtime(|| async {
        let server = listener(Limits { backlog: 2, ..Limits::default() });
        server.serve(&reliable()).expect("it serves");
        // One closes before it is accepted, without messages; the next one has a message.
        let to = server.local();
        nacre_tokio::connect(to, &reliable()).await.expect("an answer").close().await.expect("in order");
        let first = nacre_tokio::connect(to, &reliable()).await.expect("an answer");
        first.send(b"kept").await.expect("sent");
        first.close().await.expect("in order");
        let third = nacre_tokio::connect(to, &reliable()).await;
        let ended = match third {
            Ok(third) => third.recv().await.expect_err("the backlog is full"),
            Err(Error::Ended(ended)) => ended,
            Err(error) => panic!("{error}"),
        };
        assert_eq!((ended.reason(), ended.text()), (Some(Reason::Refused), "not accepted"));
        let accepted = server.accept().await.expect("driven");
        assert_eq!(accepted.recv().await.expect("it was delivered"), b"kept");
    });
}

#[test]
fn events_come_in_order_with_messages() {
    on_each_runtime(|| async {
        let (client, server) = pair(listener(Limits::default()), listener(Limits::default()), &reliable()).await;
        client.connection.send(b"one").await.expect("sent");
        let opened = client.connection.next().await.expect("an event");
        assert!(matches!(opened, Incoming::Opened { peer, peer_key: None } if peer == server.listener.local()));
        assert_eq!(client.connection.opened().await, Ok(None));
        loop {
            match server.connection.next().await.expect("an event") {
                Incoming::Message { bytes, from: None, .. } => {
                    assert_eq!(bytes, b"one");
                    break;
                }
                Incoming::Opened { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        let numbers = client.connection.statistics().expect("it is there");
        assert!(numbers.confirmed && numbers.traffic.frames_out > 0);
    });
}

#[test]
fn senders_take_turns_in_the_order_in_which_they_began() {
    on_each_runtime(|| async {
        let (client, server) = pair(listener(Limits::default()), listener(Limits::default()), &window()).await;
        let connection = Arc::new(client.connection);
        let mut sent = 0;
        // Until the window is full, if the peer does not acknowledge as fast.
        while sent < 1000 && connection.try_send(&numbered(sent, 100)).is_ok() {
            sent += 1;
        }
        let mut senders = Vec::new();
        for number in sent..sent + 10 {
            let connection = connection.clone();
            let mut sending = Box::pin(async move { connection.send(&numbered(number, 100)).await });
            // It begins now; where it goes on does not matter.
            match cancelled_after(1, &mut sending).await {
                Some(done) => done.expect("sent"),
                None => senders.push(tokio::spawn(sending)),
            }
        }
        let refused = connection.try_send(b"overtakes");
        assert!(senders.is_empty() || matches!(refused, Err(Error::Runtime(nacre_runtime::Error::Refused))));
        for number in 0..sent + 10 {
            assert_numbered(&server.connection.recv().await.expect("a message"), number);
        }
        for sender in senders {
            sender.await.expect("no panic").expect("sent");
        }
    });
}
