//! Between a call and a frame, and between a frame and a message, the runtime takes no memory from the system: neither
//! for a lone message nor in a stream, with and without gathered frames, by quick and by ordinary entries.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nacre_driver::Level;
use nacre_runtime::transport::Transport;
use nacre_runtime::{ConnectionId, Event, Listener, Options, Stack};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts what the thread takes.
struct Counting;

// SAFETY: all is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The frames in flight to each endpoint, used buffers, and the time.
#[derive(Default)]
struct Wire {
    queues: [VecDeque<Vec<u8>>; 2],
    spent: Vec<Vec<u8>>,
    now: u64,
}

/// One endpoint of a line without loss. Once it has enough buffers it takes no more memory.
struct Lane {
    wire: Arc<Mutex<Wire>>,
    end: usize,
}

fn address(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1 + end as u8], 7000))
}

impl Lane {
    fn wire(&self) -> MutexGuard<'_, Wire> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for Lane {
    fn local(&self) -> SocketAddr {
        address(self.end)
    }

    fn now(&self) -> u64 {
        let mut wire = self.wire();
        wire.now += 1000;
        wire.now
    }

    fn send(&mut self, _: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        let mut wire = self.wire();
        let mut bytes = wire.spent.pop().unwrap_or_else(|| Vec::with_capacity(2048));
        bytes.clear();
        frame.iter().for_each(|piece| bytes.extend_from_slice(piece));
        wire.queues[1 - self.end].push_back(bytes);
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let mut wire = self.wire();
        let bytes = wire.queues[self.end].pop_front().ok_or(io::ErrorKind::WouldBlock)?;
        let len = bytes.len().min(buffer.len());
        buffer[..len].copy_from_slice(&bytes[..len]);
        wire.spent.push(bytes);
        Ok((len, address(1 - self.end)))
    }

    fn has_received(&self) -> bool {
        !self.wire().queues[self.end].is_empty()
    }

    fn wait(&mut self, _: bool, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }
}

/// Two listeners; the first one has a connection with the second.
fn connected(stack: &Stack, gather: bool) -> ([Listener; 2], ConnectionId) {
    let wire = Arc::new(Mutex::new(Wire::default()));
    let mut ends = [0, 1].map(|end| {
        let options = Options { seed: Some(end as u64 + 1), gather, ..Options::default() };
        Listener::new(Lane { wire: wire.clone(), end }, options)
    });
    ends[1].serve(stack).expect("it serves");
    let id = ends[0].connect(address(1), stack).expect("it connects");
    (ends, id)
}

/// Takes all events; returns the number of messages and the connection of the last one.
fn take(listener: &mut Listener) -> (usize, Option<ConnectionId>) {
    let (mut messages, mut by) = (0, None);
    while let Some(event) = listener.poll() {
        if let Event::Delivered { connection, .. } = event {
            (messages, by) = (messages + 1, Some(connection));
        }
    }
    (messages, by)
}

/// As many messages as the window accepts, until `count` have been delivered.
fn stream([client, server]: &mut [Listener; 2], id: ConnectionId, count: usize) {
    let (mut sent, mut delivered) = (0, 0);
    while delivered < count {
        while sent < count && client.send(id, &[7; 16]).is_ok() {
            sent += 1;
        }
        client.flush();
        delivered += take(server).0;
        take(client);
    }
}

/// A message and its answer, `count` times.
fn alternate([client, server]: &mut [Listener; 2], id: ConnectionId, count: usize) {
    for _ in 0..count {
        client.send(id, &[7; 16]).expect("the window is open");
        client.flush();
        let (messages, by) = take(server);
        server.send(by.expect("a message"), &[8; 16]).expect("the window is open");
        server.flush();
        assert_eq!((messages, take(client).0), (1, 1));
    }
}

#[test]
fn messages_take_no_memory_from_the_system() {
    let machines = Machines::new(&find("reliable_plain"));
    for level in [Level::Inline, Level::Bypass] {
        let stack = machines.load(&machines.text(level)).expect("the C compiles");
        for gather in [false, true] {
            let (mut ends, id) = connected(&stack, gather);
            for run in [stream, alternate] {
                run(&mut ends, id, 1000);
                let before = ALLOCATIONS.get();
                run(&mut ends, id, 1000);
                assert_eq!(ALLOCATIONS.get() - before, 0, "{}, gathered: {gather}", level.name());
            }
        }
    }
}
