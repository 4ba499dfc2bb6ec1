//! Says hello to itself over UDP, in an event loop of mio.

use std::thread;
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use nacre_runtime::{Endpoint, Event, Listener, Options};

nacre_runtime::stack!(reliable);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut listener = Listener::bind("127.0.0.1:0".parse()?, Options::default())?;
    listener.serve(&reliable::stack())?;
    let to = listener.local();
    let client = thread::spawn(move || {
        let soon = Some(Duration::from_secs(10));
        let mut peer = Endpoint::connect(to, &reliable::stack())?;
        peer.send(b"hello", soon)?;
        let answer = peer.receive(soon)?;
        peer.close(soon).map(|()| answer)
    });
    serve(&mut listener)?;
    let answer = client.join().expect("the client does not panic")?;
    println!("hello -> {}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// Returns each message to its sender, until no connection is left.
fn serve(listener: &mut Listener) -> Result<(), Box<dyn std::error::Error>> {
    let (mut poll, mut events) = (Poll::new()?, Events::with_capacity(16));
    let descriptor = listener.descriptor().ok_or("UDP has a descriptor")?;
    let (mut source, frames, mut watches_room) = (SourceFd(&descriptor), Interest::READABLE, false);
    poll.registry().register(&mut source, Token(0), frames)?;
    let mut has_closed = false;
    while !has_closed || !listener.connections().is_empty() {
        let time = Duration::from_nanos(listener.next_deadline().saturating_sub(listener.now()));
        poll.poll(&mut events, Some(time))?;
        while let Some(event) = listener.poll() {
            match event {
                Event::Delivered { connection, message, .. } => {
                    let answer = [&message.to_vec()[..], b", too"].concat();
                    listener.send(connection, &answer)?;
                }
                Event::Closed { .. } => has_closed = true,
                _ => {}
            }
        }
        if listener.awaits_room() != watches_room {
            watches_room = !watches_room;
            let interest = if watches_room { frames | Interest::WRITABLE } else { frames };
            poll.registry().reregister(&mut source, Token(0), interest)?;
        }
    }
    Ok(())
}
