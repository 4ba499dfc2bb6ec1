//! Capsules over real sockets: the same instances as in the simulation, with the clock of the machine.

mod world;

use std::cell::Cell;
use std::net::UdpSocket;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nacre_encapsulation::streams::{Device, Host, Message};
use world::{bytes, import, source, tpi, Capsule, End};

/// A host whose link is a UDP socket.
struct Node {
    host: Host,
    device: Device,
    socket: UdpSocket,
    clock: Rc<Cell<u64>>,
    begun: Instant,
}

impl Node {
    fn new(capsule: &Capsule, number: u64, control: &str, begun: Instant) -> Node {
        let clock = Rc::new(Cell::new(1));
        let host = Host::open(capsule.streams, clock.clone(), number + 1).expect("a host");
        let device = host.device("link0").expect("a device");
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket.set_nonblocking(true).expect("it does not block");
        let address = format!("addresses=10.0.0.{}/24", number + 1);
        host.load(&capsule.imported.capsule, "ip", &[&address, "mtu=1400"]).unwrap_or_else(|error| panic!("{error}"));
        let control = host.stream(control).expect("a stream");
        control.link(host.stream("link0").expect("the link")).expect("it is linked");
        std::mem::forget(control); // as long as the process
        Node { host, device, socket, clock, begun }
    }

    /// Sends, receives, and runs what is due.
    fn turn(&self, peer: &Node) -> bool {
        self.clock.set(self.begun.elapsed().as_nanos() as u64 + 1);
        let (mut frame, mut busy) = ([0; 2048], false);
        while let Ok(length) = self.socket.recv(&mut frame) {
            let _ = self.device.receive(&frame[..length]);
            self.host.work();
            busy = true;
        }
        self.host.work();
        while let Some(frame) = self.device.sent() {
            let to = peer.socket.local_addr().expect("it is bound");
            // A full buffer loses it, as a network does.
            let _ = self.socket.send_to(&frame, to);
            busy = true;
        }
        busy
    }
}

struct Pair {
    nodes: [Node; 2],
}

impl Pair {
    #[track_caller]
    fn until<T>(&self, mut found: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Some(found) = found() {
                return found;
            }
            let busy = self.nodes[0].turn(&self.nodes[1]) | self.nodes[1].turn(&self.nodes[0]);
            if !busy {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        panic!("nothing came");
    }
}

fn carry(capsule: &Capsule, device: &str, data: impl Fn(&[u8]) -> Message) {
    let begun = Instant::now();
    let pair = Pair { nodes: [0, 1].map(|number| Node::new(capsule, number, device, begun)) };
    let open = |at: usize| End::open(&pair.nodes[at].host, device);
    let (mut caller, mut listener, mut acceptor) = (open(0), open(1), open(1));
    let to = tpi::ipv4([10, 0, 0, 2], 7000);
    let bind = |end: &mut End, address: &[u8], backlog: i32| {
        end.put(&tpi::control(&[tpi::BIND_REQ, address.len() as i32, 16, backlog], address));
        pair.until(|| end.event(tpi::BIND_ACK));
    };
    bind(&mut listener, &to, 5);
    bind(&mut caller, &[], 0);
    bind(&mut acceptor, &[], 0);
    caller.put(&tpi::control(&[tpi::CONN_REQ, 16, 20, 0, 0], &to));
    let asked = pair.until(|| listener.event(tpi::CONN_IND));
    acceptor.put(&tpi::control(&[tpi::CAPABILITY_REQ, 2], &[]));
    let number = tpi::word(&pair.until(|| acceptor.event(tpi::CAPABILITY_ACK)), 13);
    listener.put(&tpi::control(&[tpi::CONN_RES, number, 0, 0, tpi::word(&asked, 5)], &[]));
    pair.until(|| caller.event(tpi::CONN_CON));
    let (there, mut sent) = (bytes(2 << 20, 1), 0);
    pair.until(|| {
        while sent < there.len() {
            let part = &there[sent..there.len().min(sent + 8192)];
            match caller.stream.put(&data(part)) {
                Ok(()) => sent += part.len(),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        acceptor.take();
        (acceptor.data.len() >= there.len()).then_some(())
    });
    assert!(acceptor.data == there);
}

#[test]
fn tcp_of_lwip_over_udp() {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let capsule = import(&source("lwip", "lwip"), "lwip", &CAPSULE);
    carry(capsule, "ip.tcp", |bytes| Message { control: None, data: Some(bytes.to_vec()) });
}

#[test]
fn sctp_of_usrsctp_over_udp() {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let capsule = import(&source("usrsctp", "usrsctp-sys").join("usrsctp"), "usrsctp", &CAPSULE);
    carry(capsule, "ip.sctp", tpi::data);
}
