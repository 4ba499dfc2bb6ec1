//! lwIP against the TCP of the system, through a tun device in a network namespace.

#[path = "../../runtime/tests/support/namespace.rs"]
mod namespace;
mod world;

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nacre_encapsulation::streams::{Device, Host, Message};
use namespace::outside;
use world::{bytes, import, source, tpi, Capsule, End};

const TUN: &str = "ip link set lo up; ip tuntap add dev tun0 mode tun; ip address add 10.0.0.1/24 dev tun0; \
    ip link set tun0 up; tc qdisc add dev tun0 root netem loss 1% limit 10000 || true";
const SIZE: usize = 2 << 20;

/// lwIP at 10.0.0.2, whose link is the tun device.
struct Node {
    host: Host,
    device: Device,
    tun: File,
    clock: Rc<Cell<u64>>,
    begun: Instant,
}

fn tun() -> File {
    let mut options = OpenOptions::new();
    let file =
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun").expect("/dev/net/tun");
    // `struct ifreq`: a name and flags.
    let mut request = [0u8; 40];
    request[..4].copy_from_slice(b"tun0");
    request[16..18].copy_from_slice(&((libc::IFF_TUN | libc::IFF_NO_PI) as u16).to_ne_bytes());
    // SAFETY: the request has the size of `struct ifreq`.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, request.as_mut_ptr()) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
    file
}

impl Node {
    fn new(capsule: &Capsule) -> Node {
        let clock = Rc::new(Cell::new(1));
        let host = Host::open(capsule.streams, clock.clone(), 1).expect("a host");
        let device = host.device("tun").expect("a device");
        host.load(&capsule.imported.capsule, "ip", &["addresses=10.0.0.2/24"])
            .unwrap_or_else(|error| panic!("{error}"));
        let control = host.stream("ip.udp").expect("a stream");
        control.link(host.stream("tun").expect("the link")).expect("it is linked");
        std::mem::forget(control); // as long as the process
        Node { host, device, tun: tun(), clock, begun: Instant::now() }
    }

    /// Carries packets, and runs what is due, until something is found.
    #[track_caller]
    fn until<T>(&self, mut found: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        let mut packet = [0; 2048];
        while begun.elapsed() < Duration::from_secs(120) {
            if let Some(found) = found() {
                return found;
            }
            self.clock.set(self.begun.elapsed().as_nanos() as u64 + 1);
            let mut busy = false;
            while let Ok(length) = (&self.tun).read(&mut packet) {
                let _ = self.device.receive(&packet[..length]);
                busy = true;
            }
            self.host.work();
            while let Some(packet) = self.device.sent() {
                let _ = (&self.tun).write(&packet);
                busy = true;
            }
            if !busy {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        panic!("nothing came");
    }

    /// Sends all bytes at an end, takes those that come back, and ends the connection.
    fn exchange(&self, end: &mut End, there: &[u8]) {
        let mut sent = 0;
        self.until(|| {
            while sent < there.len() {
                let part = &there[sent..there.len().min(sent + 8192)];
                match end.stream.put(&Message { control: None, data: Some(part.to_vec()) }) {
                    Ok(()) => sent += part.len(),
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                    Err(error) => panic!("{error}"),
                }
            }
            end.take();
            (end.data.len() >= there.len()).then_some(())
        });
        assert!(end.data == there, "what comes back is what was sent");
        end.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
        self.until(|| end.event(tpi::ORDREL_IND));
    }
}

/// Sends back what comes, in a thread, until the end of the data.
fn echo(mut stream: TcpStream) {
    let (mut buffer, mut all) = (vec![0; 65536], Vec::new());
    while all.len() < SIZE {
        let length = stream.read(&mut buffer).expect("data");
        assert!(length > 0, "the data ended after {} bytes", all.len());
        all.extend_from_slice(&buffer[..length]);
        stream.write_all(&buffer[..length]).expect("it is sent");
    }
    assert_eq!(stream.read(&mut buffer).expect("the end"), 0);
    stream.shutdown(Shutdown::Both).expect("it ends");
}

#[test]
fn lwip_and_the_system_connect_to_each_other() {
    if outside("lwip_and_the_system_connect_to_each_other", TUN) {
        return;
    }
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let node = Node::new(import(&source("lwip", "lwip"), "lwip", &CAPSULE));
    let bind = |end: &mut End, address: &[u8], backlog: i32| {
        end.put(&tpi::control(&[tpi::BIND_REQ, address.len() as i32, 16, backlog], address));
        node.until(|| end.event(tpi::BIND_ACK));
    };
    // lwIP calls the system.
    let server = TcpListener::bind("10.0.0.1:7000").expect("a listener");
    let thread = std::thread::spawn(move || echo(server.accept().expect("a connection").0));
    let mut caller = End::open(&node.host, "ip.tcp");
    bind(&mut caller, &[], 0);
    caller.put(&tpi::control(&[tpi::CONN_REQ, 16, 20, 0, 0], &tpi::ipv4([10, 0, 0, 1], 7000)));
    node.until(|| caller.event(tpi::CONN_CON));
    node.exchange(&mut caller, &bytes(SIZE, 1));
    thread.join().expect("the system had all");
    // The system calls lwIP.
    let mut listener = End::open(&node.host, "ip.tcp");
    bind(&mut listener, &tpi::ipv4([0; 4], 8000), 5);
    let thread = std::thread::spawn(|| echo(TcpStream::connect("10.0.0.2:8000").expect("a connection")));
    let asked = node.until(|| listener.event(tpi::CONN_IND));
    let mut acceptor = End::open(&node.host, "ip.tcp");
    bind(&mut acceptor, &[], 0);
    acceptor.put(&tpi::control(&[tpi::CAPABILITY_REQ, 2], &[]));
    let number = tpi::word(&node.until(|| acceptor.event(tpi::CAPABILITY_ACK)), 13);
    listener.put(&tpi::control(&[tpi::CONN_RES, number, 0, 0, tpi::word(&asked, 5)], &[]));
    node.exchange(&mut acceptor, &bytes(SIZE, 2));
    thread.join().expect("the system had all");
}
