//! Several sockets with one address, among which the system divides what arrives by a filter (classic BPF): by the
//! cookie, which is in the first four bytes of every frame, or, of a frame without one, by the sender's address and
//! port. So a first frame that is sent again, and one after a restart of its sender, come to the same socket.

use super::Udp;
use crate::shard::SHARDS_MAX;
use crate::system;
use std::io;
use std::mem::size_of;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

/// Sockets with one address; port 0 takes any. What arrives for one of them stays its own as long as any exists.
///
/// Errors: those of the system; `InvalidInput` if there are none or too many.
pub(crate) fn bind(address: SocketAddr, count: usize) -> io::Result<Vec<Udp>> {
    if !(1..=SHARDS_MAX).contains(&count) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("shards are 1 to {SHARDS_MAX}, not {count}")));
    }
    if count == 1 {
        return Ok(vec![Udp::bind(address)?]);
    }
    let mut all = vec![bind_shared(address)?];
    let mut same = address;
    same.set_port(all[0].local.port());
    divide(&all[0], count)?;
    for _ in 1..count {
        all.push(bind_shared(same)?);
    }
    // The system knows the sockets by their places, and closes the gap that one leaves.
    let sockets =
        all.iter().map(|udp| udp.socket.as_fd().try_clone_to_owned()).collect::<io::Result<Vec<OwnedFd>>>()?;
    let sockets: Arc<[OwnedFd]> = sockets.into();
    all.iter_mut().for_each(|udp| udp.group = Some(sockets.clone()));
    Ok(all)
}

fn bind_shared(address: SocketAddr) -> io::Result<Udp> {
    Udp::bind_with(address, |socket| system::set(socket.as_fd(), libc::SOL_SOCKET, libc::SO_REUSEPORT, 1))
}

/// Gives the system the filter that divides what arrives among `count` sockets.
fn divide(udp: &Udp, count: usize) -> io::Result<()> {
    let mut code = filter(count as u32);
    let program = libc::sock_fprog { len: code.len() as u16, filter: code.as_mut_ptr() };
    // SAFETY: the program and its code live during the call, and have the length given.
    let result = unsafe {
        libc::setsockopt(
            udp.socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_REUSEPORT_CBPF,
            std::ptr::from_ref(&program).cast(),
            size_of::<libc::sock_fprog>() as _,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Where the ways of the filter meet.
const MIX: usize = 27;
const CHOOSE: usize = 29;

/// The instructions. What is loaded is in the byte order of the network. A frame without four bytes goes to socket 0.
fn filter(count: u32) -> Vec<libc::sock_filter> {
    use libc::{BPF_A, BPF_MOD, BPF_MUL, BPF_RET, BPF_RSH, BPF_TAX, BPF_W, BPF_X};
    use libc::{BPF_ABS, BPF_ADD, BPF_ALU, BPF_AND, BPF_B, BPF_H, BPF_JA, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_MISC};
    let op = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let word = |at: u32| op(BPF_LD | BPF_W | BPF_ABS, at);
    let half = |at: u32| op(BPF_LD | BPF_H | BPF_ABS, at);
    let byte = |at: u32| op(BPF_LD | BPF_B | BPF_ABS, at);
    let by = |what: u32, k: u32| op(BPF_ALU | what | BPF_K, k);
    let (keep, add) = (op(BPF_MISC | BPF_TAX, 0), op(BPF_ALU | BPF_ADD | BPF_X, 0));
    // From the instruction with the number `at`.
    let go = |at: usize, to: usize| op(BPF_JMP | BPF_JA, (to - at - 1) as u32);
    let unless = |at: usize, k: u32, to: usize| libc::sock_filter {
        jf: (to - at - 1) as u8,
        ..op(BPF_JMP | BPF_JEQ | BPF_K, k)
    };
    let network = libc::SKF_NET_OFF as u32;
    let (v4_source, v4_port) = (network + 12, network + 20);
    let (v6_source, v6_port) = (network + 8, network + 40);
    vec![
        // The cookie is all of the first word but its first byte.
        word(0),
        by(BPF_AND, 0xff_ffff),
        unless(2, 0, CHOOSE),
        // The version of IP, and the length of the header, behind which the sender's port is.
        byte(network),
        unless(4, 0x45, 10),
        word(v4_source),
        keep,
        half(v4_port),
        add,
        go(9, MIX),
        by(BPF_RSH, 4),
        unless(11, 4, 14),
        word(v4_source),
        go(13, MIX),
        word(v6_source),
        keep,
        word(v6_source + 4),
        add,
        keep,
        word(v6_source + 8),
        add,
        keep,
        word(v6_source + 12),
        add,
        keep,
        half(v6_port),
        add,
        by(BPF_MUL, 0x9e37_79b1),
        by(BPF_RSH, 8),
        by(BPF_MOD, count),
        op(BPF_RET | BPF_A, 0),
    ]
}
