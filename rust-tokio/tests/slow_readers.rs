//! Connections that are not read in time, and sockets without room.

mod support;

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use nacre_runtime::faults::{Direction, Faults, Faulty};
use nacre_runtime::transport::Transport;
use nacre_runtime::udp::Udp;
use nacre_runtime::{clock, Options, Reason};
use nacre_tokio::{Ended, Error, Limits, Listener};
use support::*;

#[test]
fn peer_of_a_stack_that_counts_grants_waits_for_the_reader() {
    on_each_runtime(|| async {
        // What exceeds the limit by a window is not dropped: the peer does not send more.
        let limits = Limits { queue: 10_000, ..Limits::default() };
        let (client, server) = pair(listener(Limits::default()), listener(limits), &window()).await;
        let mut sent = 0;
        // A call that takes long waits for the reader, or for the processor: it is cancelled, and has not sent.
        let short = Duration::from_millis(300);
        while tokio::time::timeout(short, client.connection.send(&numbered(sent, 1000))).await.is_ok() {
            sent += 1;
            assert!(sent < 40, "the reader is late");
        }
        assert_eq!(server.connection.statistics().expect("it is there").traffic.no_space, 0);
        let sending = tokio::spawn(async move {
            for number in sent..200 {
                client.connection.send(&numbered(number, 1000)).await.expect("sent");
            }
            client.connection.close().await.expect("everything has arrived");
        });
        for number in 0..200 {
            assert_numbered(&server.connection.recv().await.expect("a message"), number);
        }
        assert!(server.connection.recv().await.expect_err("no more").is_orderly());
        sending.await.expect("no panic");
    });
}

#[test]
fn peer_of_a_stack_without_grants_sends_again_what_was_not_received() {
    on_each_runtime(|| async {
        let limits = Limits { queue: 100_000, ..Limits::default() };
        let (client, server) = pair(listener(Limits::default()), listener(limits), &reliable()).await;
        let sending = tokio::spawn(async move {
            for number in 0..600 {
                client.connection.send(&numbered(number, 1400)).await.expect("sent");
            }
            client.connection.close().await.expect("everything has arrived");
        });
        // Nothing is read until frames are dropped.
        while server.connection.statistics().expect("it is there").traffic.no_space == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let before = server.connection.statistics().expect("it is there").traffic;
        // What one frame completes may exceed the bound.
        assert!(before.bytes_in < 2 * 100_000 + 300_000, "{before:?}");
        for number in 0..600 {
            assert_numbered(&server.connection.recv().await.expect("a message"), number);
        }
        assert!(server.connection.recv().await.expect_err("no more").is_orderly());
        sending.await.expect("no panic");
    });
}

#[test]
fn total_of_all_queues_is_limited() {
    on_each_runtime(|| async {
        let limits = Limits { total: 50_000, ..Limits::default() };
        let (client, server) = pair(listener(Limits::default()), listener(limits), &reliable()).await;
        let sending = tokio::spawn(async move {
            for number in 0..200 {
                client.connection.send(&numbered(number, 1400)).await.expect("sent");
            }
            client.connection.close().await.expect("everything has arrived");
        });
        while server.connection.statistics().expect("it is there").traffic.no_space == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        for number in 0..200 {
            assert_numbered(&server.connection.recv().await.expect("a message"), number);
        }
        sending.await.expect("no panic");
    });
}

/// Both ends send, and neither reads: only one of them may keep what comes for ever.
#[test]
fn end_that_sends_and_does_not_read_gives_up_with_a_reason() {
    on_each_runtime(|| async {
        let limits = Limits { queue: 90_000, ..Limits::default() };
        let (client, server) = pair(listener(limits), listener(Limits::default()), &reliable()).await;
        let flooding = tokio::spawn(async move {
            let mut number = 0;
            loop {
                if let Err(error) = server.connection.send(&numbered(number, 1400)).await {
                    return error;
                }
                // It reads what comes, so its own queue is never full.
                while let Some(received) = cancelled_after(1, server.connection.recv()).await {
                    if received.is_err() {
                        break;
                    }
                }
                number += 1;
            }
        });
        let mut number = 0;
        let error = loop {
            if let Err(error) = client.connection.send(&numbered(number, 1400)).await {
                break error;
            }
            number += 1;
        };
        let refused = flooding.await.expect("no panic");
        let (Error::Ended(error), Error::Ended(refused)) = (error, refused) else { panic!("both have ended") };
        // The other end does not read while it waits to send, so it may be the one whose queue is full first.
        let told = match (error, refused) {
            (Ended::Overrun, told) => {
                // What was delivered before can still be read.
                assert_numbered(&client.connection.recv().await.expect("it was kept"), 0);
                told
            }
            (told, Ended::Overrun) => told,
            (error, refused) => panic!("{error}; {refused}"),
        };
        assert_eq!((told.reason(), told.text()), (Some(Reason::Refused), "messages are not received"));
    });
}

#[test]
fn dropped_connections_are_discarded_if_they_cannot_close() {
    on_each_runtime(|| async {
        let limits = Limits { close: Duration::from_millis(50), ..Limits::default() };
        let transport = Faulty::new(Udp::bind(loopback()).expect("a socket"), Faults::default(), Direction::Both);
        let network = transport.handle();
        // Neither the stack nor the runtime gives up as long as the test may take.
        let options = Options { timeout: Duration::from_secs(3600), ..Options::default() };
        let client = Listener::over(nacre_runtime::Listener::new(transport, options), limits).expect("a descriptor");
        let (client, server) = pair(client, listener(Limits::default()), &patient()).await;
        network.set_partition(true);
        client.connection.send(b"lost").await.expect("sent");
        drop(client.connection);
        client.listener.finish().await;
        server.connection.discard();
    });
}

/// A transport over Unix datagrams: a socket has no room as long as some frames wait at the other end.
struct Unix {
    socket: UnixDatagram,
    local: SocketAddr,
    peer: SocketAddr,
}

fn unix_pair() -> [Unix; 2] {
    let (one, two) = UnixDatagram::pair().expect("sockets");
    let address = |host: u8| SocketAddr::from(([10, 0, 0, host], 9));
    [(one, 1, 2), (two, 2, 1)].map(|(socket, local, peer)| {
        socket.set_nonblocking(true).expect("a socket");
        socket2::SockRef::from(&socket).set_send_buffer_size(10_000).expect("a size");
        Unix { socket, local: address(local), peer: address(peer) }
    })
}

impl Transport for Unix {
    fn local(&self) -> SocketAddr {
        self.local
    }

    fn now(&self) -> u64 {
        clock::now()
    }

    fn send(&mut self, _: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        let pieces: Vec<&[u8]> = frame.iter().map(|piece| &**piece).collect();
        self.socket.send(&pieces.concat()).map(drop)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        Ok((self.socket.recv(buffer)?, self.peer))
    }

    fn wait(&mut self, _: bool, _: Option<Duration>) -> io::Result<()> {
        unreachable!("a program with an event loop of its own does not wait here")
    }

    fn descriptor(&self) -> Option<i32> {
        Some(self.socket.as_raw_fd())
    }
}

#[test]
fn frames_leave_when_the_socket_has_room_again() {
    on_each_runtime(|| async {
        let [one, two] = unix_pair();
        let (to, stack) = (two.local, patient());
        let over = |end| Listener::over(nacre_runtime::Listener::new(end, Options::default()), Limits::default());
        let (client, server) = (over(one).expect("a descriptor"), over(two).expect("a descriptor"));
        server.serve(&stack).expect("it serves");
        let connection = client.connect(to, &stack).await.expect("an answer");
        let accepted = server.accept().await.expect("it has begun");
        let sending = tokio::spawn(async move {
            for number in 0..50 {
                connection.send(&numbered(number, 80_000)).await.expect("sent");
            }
            connection
        });
        for number in 0..50 {
            assert_numbered(&accepted.recv().await.expect("a message"), number);
        }
        let connection = sending.await.expect("no panic");
        let numbers = connection.statistics().expect("it is there");
        // Frames that waited for room left then: no other frame, and no timer, has led to that.
        assert_eq!((numbers.traffic.overflowed, numbers.traffic.send_errors), (0, 0), "{numbers:?}");
        assert_eq!(numbers.retransmitted, Some(0), "{numbers:?}");
        connection.discard();
        accepted.discard();
    });
}
