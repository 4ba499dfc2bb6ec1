//! Shared memory between two sides: messages, sleeping, room, ends.
#![cfg(target_os = "linux")]

#[path = "support/shared.rs"]
mod shared_support;
mod support;

use nacre_runtime::shared;
use nacre_runtime::transport::Transport;
use nacre_runtime::{Event, Listener};
use shared_support::*;
use std::io::{ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::*;

#[test]
fn messages_of_several_clients_pass_each_way_in_order() {
    let (_folder, path) = place();
    let server = Echo::start(&path);
    let clients: Vec<JoinHandle<SocketAddr>> = (0..3)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || {
                let (mut client, id) = client_at(&path);
                talk(&mut client, id, 0, 3000);
                client.close_blocking(id, LONG).unwrap();
                client.peer(id).unwrap_or(shared::server_address())
            })
        })
        .collect();
    clients.into_iter().for_each(|client| assert_eq!(client.join().unwrap(), shared::server_address()));
    let seen = server.end();
    assert_eq!(seen.peers.len(), 3, "each has an address of its own: {seen:?}");
    assert!(seen.peers.values().all(|count| *count == 3000), "{seen:?}");
    assert!(!path.exists(), "the file is removed");
}

#[test]
fn one_thread_that_only_polls_drives_both_sides() {
    let (_folder, path) = place();
    let mut server = server_at(&path);
    let (mut client, id) = client_at(&path);
    let (mut sent, mut received) = (0u32, 0u32);
    let end = Instant::now() + LONG.unwrap();
    while received < 5000 {
        assert!(Instant::now() < end, "{sent} {received}");
        while sent < 5000 && sent < received + 4 && client.send(id, &sent.to_le_bytes()).is_ok() {
            sent += 1;
        }
        // Until there is nothing: only then does the listener grant the stack what was taken.
        return_all(&mut server);
        while let Some(event) = client.poll() {
            if let Event::Delivered { message, .. } = event {
                assert_eq!(message.to_vec(), received.to_le_bytes());
                received += 1;
            }
        }
    }
}

/// Returns the messages that are there.
fn return_all(server: &mut Listener) {
    loop {
        let copy = match server.poll() {
            Some(Event::Delivered { connection, message, .. }) => Some((connection, message.to_vec())),
            Some(_) => None,
            None => break,
        };
        if let Some((connection, bytes)) = copy {
            server.send(connection, &bytes).unwrap();
        }
    }
}

/// Sleeps until a descriptor is readable or a time has come.
fn sleep(listener: &Listener, descriptor: i32) {
    let next = listener.next_deadline();
    let longest = Duration::from_secs(1).as_nanos() as u64;
    let nanoseconds = next.saturating_sub(listener.now()).min(longest);
    // SAFETY: the descriptor belongs to the listener, which lives.
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    let time = rustix::event::Timespec { tv_sec: 0, tv_nsec: nanoseconds.min(999_999_999) as _ };
    let mut descriptors = [rustix::event::PollFd::new(&descriptor, rustix::event::PollFlags::IN)];
    rustix::event::poll(&mut descriptors, Some(&time)).unwrap();
}

/// Polls and sleeps by the descriptor until `done`; returns how often it slept.
fn run_by_descriptor(listener: &mut Listener, mut done: impl FnMut(&mut Listener) -> bool) -> u32 {
    let descriptor = listener.descriptor().expect("there is one");
    let end = Instant::now() + LONG.unwrap();
    let mut slept = 0;
    while !done(listener) {
        assert!(Instant::now() < end, "{slept}");
        sleep(listener, descriptor);
        slept += 1;
    }
    slept
}

#[test]
fn programs_sleep_by_the_descriptor() {
    let (_folder, path) = place();
    let mut server = server_at(&path);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || {
        run_by_descriptor(&mut server, |server| {
            return_all(server);
            stopped.load(Ordering::Relaxed)
        })
    });
    let (mut client, id) = client_at(&path);
    let (mut sent, mut received) = (0u32, 0u32);
    run_by_descriptor(&mut client, |client| {
        while let Some(event) = client.poll() {
            if let Event::Delivered { message, .. } = event {
                assert_eq!(message.to_vec(), received.to_le_bytes());
                received += 1;
            }
        }
        // A few on the way: the server has room for its answers.
        while sent < 3000 && sent < received + 4 && client.send(id, &sent.to_le_bytes()).is_ok() {
            sent += 1;
        }
        received == 3000
    });
    let begin = Instant::now();
    let idle = run_by_descriptor(&mut client, |client| {
        while client.poll().is_some() {}
        begin.elapsed() > Duration::from_millis(500)
    });
    assert!(idle < 50, "slept {idle} times");
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

#[test]
fn idle_sides_sleep() {
    let (_folder, path) = place();
    let (mut server, mut client, _) = pair(&path);
    for side in [&mut server, &mut client] {
        let (begin, mut count) = (Instant::now(), 0);
        while begin.elapsed() < Duration::from_millis(300) {
            assert!(side.receive(&mut [0; 16]).is_err());
            side.wait(false, Some(Duration::from_millis(100))).unwrap();
            count += 1;
        }
        assert!(count < 20, "woke {count} times");
    }
}

#[test]
fn frame_of_every_length_passes() {
    let (_folder, path) = place();
    let (mut server, mut client, address) = pair(&path);
    for len in (0..2000).chain([65_535, 65_536]) {
        let bytes: Vec<u8> = (0..len).map(|at| (at * 3 + len) as u8).collect();
        let (head, tail) = bytes.split_at(len / 3);
        client.send(shared::server_address(), &[IoSlice::new(head), IoSlice::new(tail)]).unwrap();
        assert!(receive(&mut server).0 == bytes);
        send(&mut server, address, &bytes).unwrap();
        assert!(receive(&mut client) == (bytes, shared::server_address()));
    }
    let error = send(&mut client, shared::server_address(), &[0; 65_537]).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::MSGSIZE.raw_os_error()));
}

#[test]
fn full_ring_refuses_frames_until_there_is_room() {
    let (_folder, path) = place();
    let (mut server, mut client, _) = pair(&path);
    let frame = [7; 1000];
    let mut sent = 0;
    while send(&mut client, shared::server_address(), &frame).is_ok() {
        sent += 1;
    }
    assert!((1000..1100).contains(&sent), "{sent}");
    let thread = std::thread::spawn(move || {
        (0..5000).for_each(|_| assert_eq!(receive(&mut server).0, [7; 1000]));
        server
    });
    while sent < 5000 {
        match send(&mut client, shared::server_address(), &frame) {
            Ok(()) => sent += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                client.wait(true, LONG).unwrap();
            }
        }
    }
    thread.join().unwrap();
}

#[test]
fn client_that_reads_nothing_has_a_full_ring_of_its_own() {
    let (_folder, path) = place();
    let (mut server, _silent, silent_address) = pair(&path);
    let mut client = shared::connect(&path).unwrap();
    send(&mut client, shared::server_address(), b"hello").unwrap();
    let address = receive(&mut server).1;
    while send(&mut server, silent_address, &[1; 60_000]).is_ok() {}
    for n in 0..100u32 {
        send(&mut server, address, &n.to_le_bytes()).unwrap();
        assert_eq!(receive(&mut client).0, n.to_le_bytes());
    }
    let begin = Instant::now();
    server.wait(true, Some(Duration::from_millis(100))).unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(90), "there is no room yet");
}

#[test]
fn what_a_client_sent_before_its_end_arrives() {
    let (_folder, path) = place();
    let (mut server, mut client, address) = pair(&path);
    (0..100u8).for_each(|n| send(&mut client, shared::server_address(), &[n]).unwrap());
    drop(client);
    (0..100).for_each(|n| assert_eq!(receive(&mut server), (vec![n], address)));
    let end = Instant::now() + LONG.unwrap();
    while send(&mut server, address, b"x").is_ok() {
        assert!(Instant::now() < end);
        let _ = server.receive(&mut [0; 16]);
    }
    assert_eq!(send(&mut server, address, b"x").unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let mut client = shared::connect(&path).unwrap();
    send(&mut client, shared::server_address(), b"again").unwrap();
    let (bytes, other) = receive(&mut server);
    assert!(bytes == b"again" && other != address, "an address is not used twice");
}

#[test]
fn client_learns_of_the_end_of_its_server_and_of_none() {
    let (_folder, path) = place();
    assert_eq!(shared::connect(&path).unwrap_err().kind(), ErrorKind::NotFound);
    let (mut server, mut client, address) = pair(&path);
    send(&mut server, address, b"last").unwrap();
    drop(server);
    assert_eq!(receive(&mut client).0, b"last");
    let (about, error) = error_of(&mut client);
    assert_eq!((about, error.kind()), (shared::server_address(), ErrorKind::ConnectionReset));
    let error = send(&mut client, shared::server_address(), b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    client.wait(false, Some(Duration::from_millis(10))).unwrap();
    assert!(client.take_error().is_none(), "it is said once");
}

#[test]
fn path_belongs_to_one_server() {
    let (_folder, path) = place();
    let server = shared::listen(&path).unwrap();
    assert_eq!(shared::listen(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
    drop(server);
    std::fs::write(&path, "not a socket").unwrap();
    assert_eq!(shared::listen(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "not a socket");
}
