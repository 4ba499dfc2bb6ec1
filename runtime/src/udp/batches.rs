//! Several datagrams with one system call: `recvmmsg` and `sendmmsg`, and datagrams that the system joins (UDP_GRO) or
//! divides (UDP_SEGMENT).

use crate::datagrams::Run;
use crate::system::set;
use socket2::SockAddr;
use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Whether `receive` fills all slots, unless nothing more is there.
pub(super) const RECEIVES_ALL: bool = true;
/// What the system divides at most at once: datagrams, and their bytes.
pub(super) const SEGMENTS_MAX: usize = 64;
pub(super) const SEGMENTS_BYTES_MAX: usize = 65_000;
/// The messages of one call of `sendmmsg`, and those of `recvmmsg`.
const MESSAGES_MAX: usize = 32;

/// Room for one control message with a number, aligned as the system wants it.
type Control = [u64; 4];

/// Lets the system join datagrams of one sender and one length that arrive together.
pub(super) fn join_arriving(socket: BorrowedFd<'_>) -> io::Result<()> {
    set(socket, libc::SOL_UDP, libc::UDP_GRO, 1)
}

/// Receives what is there without waiting, each datagram into a slot of `slot` bytes, or several that the system has
/// joined. For each slot that was filled it calls `filled` with the sender, the number of bytes, and the length of each
/// datagram but the last (0: there is only one).
///
/// Errors: `WouldBlock` if nothing is there; otherwise those of the system.
pub(super) fn receive(
    socket: BorrowedFd<'_>,
    bytes: &mut [u8],
    slot: usize,
    mut filled: impl FnMut(SocketAddr, usize, usize),
) -> io::Result<()> {
    let count = (bytes.len() / slot).min(MESSAGES_MAX);
    let mut names = [const { std::mem::MaybeUninit::<libc::sockaddr_storage>::uninit() }; MESSAGES_MAX];
    let mut controls = [const { std::mem::MaybeUninit::<Control>::uninit() }; MESSAGES_MAX];
    let mut vectors = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; MESSAGES_MAX];
    // SAFETY: all-zero bytes are valid headers.
    let mut headers: [libc::mmsghdr; MESSAGES_MAX] = unsafe { zeroed() };
    for (index, place) in bytes.chunks_exact_mut(slot).take(count).enumerate() {
        vectors[index] = libc::iovec { iov_base: place.as_mut_ptr().cast(), iov_len: slot };
        let header = &mut headers[index].msg_hdr;
        header.msg_name = names[index].as_mut_ptr().cast();
        header.msg_namelen = size_of::<libc::sockaddr_storage>() as _;
        header.msg_iov = &raw mut vectors[index];
        header.msg_iovlen = 1;
        header.msg_control = controls[index].as_mut_ptr().cast();
        header.msg_controllen = size_of::<Control>() as _;
    }
    // SAFETY: `count` headers, whose pointers and lengths are those of buffers that outlive the call.
    let code = unsafe {
        libc::recvmmsg(
            socket.as_raw_fd(),
            headers.as_mut_ptr(),
            count as _,
            libc::MSG_DONTWAIT as _,
            std::ptr::null_mut(),
        )
    };
    let received = usize::try_from(code).map_err(|_| io::Error::last_os_error())?;
    for (name, message) in names.iter().zip(&headers).take(received) {
        // SAFETY: the system has written `msg_namelen` bytes of an address, and the control messages.
        let (from, each) = unsafe { (address(name.as_ptr(), &message.msg_hdr), segment_length(&message.msg_hdr)) };
        filled(from, (message.msg_len as usize).min(slot), each);
    }
    Ok(())
}

/// # Safety
/// The system has written `msg_namelen` bytes to `name`.
unsafe fn address(name: *const libc::sockaddr_storage, message: &libc::msghdr) -> SocketAddr {
    // SAFETY: the caller's promise; what is beyond the address is not looked at.
    let address = unsafe {
        match i32::from((*name).ss_family) {
            libc::AF_INET6 => {
                let name = std::ptr::read(name.cast::<libc::sockaddr_in6>());
                let ip = std::net::Ipv6Addr::from(name.sin6_addr.s6_addr);
                let port = u16::from_be(name.sin6_port);
                std::net::SocketAddrV6::new(ip, port, name.sin6_flowinfo, name.sin6_scope_id).into()
            }
            _ => {
                let name = std::ptr::read(name.cast::<libc::sockaddr_in>());
                let ip = std::net::Ipv4Addr::from(u32::from_be(name.sin_addr.s_addr));
                SocketAddr::from((ip, u16::from_be(name.sin_port)))
            }
        }
    };
    debug_assert!(message.msg_namelen as usize >= size_of::<libc::sockaddr_in>());
    address
}

/// The length of the datagrams that the system has joined; 0: it is one.
///
/// # Safety
/// The system has written the control messages of `message`.
unsafe fn segment_length(message: &libc::msghdr) -> usize {
    // SAFETY: the caller's promise; the macros of the system walk its messages, and the number is read only from one of
    // its type.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(message);
        while !at.is_null() {
            if ((*at).cmsg_level, (*at).cmsg_type) == (libc::SOL_UDP, libc::UDP_GRO) {
                let length: libc::c_int = std::ptr::read_unaligned(libc::CMSG_DATA(at).cast());
                return usize::try_from(length).unwrap_or(0);
            }
            at = libc::CMSG_NXTHDR(message, at);
        }
    }
    0
}

/// Sends runs of datagrams; those of more than one are divided by the system. Returns how many runs it has taken.
///
/// Errors: of the next one; it was not sent.
pub(super) fn send(socket: BorrowedFd<'_>, runs: &[(SockAddr, Run<'_>)]) -> (usize, io::Result<()>) {
    let count = runs.len().min(MESSAGES_MAX);
    let mut controls = [[0; 4]; MESSAGES_MAX];
    let mut vectors = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; MESSAGES_MAX];
    // SAFETY: all-zero bytes are valid headers.
    let mut headers: [libc::mmsghdr; MESSAGES_MAX] = unsafe { zeroed() };
    for (index, (to, run)) in runs.iter().take(count).enumerate() {
        vectors[index] = libc::iovec { iov_base: run.bytes.as_ptr().cast_mut().cast(), iov_len: run.bytes.len() };
        let header = &mut headers[index].msg_hdr;
        header.msg_name = to.as_ptr().cast_mut().cast();
        header.msg_namelen = to.len();
        header.msg_iov = &raw mut vectors[index];
        header.msg_iovlen = 1;
        if run.count > 1 {
            ask_to_divide(header, &mut controls[index], run.each);
        }
    }
    // SAFETY: `count` headers, whose pointers and lengths are those of buffers that outlive the call, and are only
    // read.
    let code = unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count as _, 0) };
    match usize::try_from(code) {
        Ok(sent) => (sent, Ok(())),
        Err(_) => (0, Err(io::Error::last_os_error())),
    }
}

/// Adds the length of each datagram to a message that is to be divided.
fn ask_to_divide(header: &mut libc::msghdr, control: &mut Control, each: usize) {
    let length = each as u16;
    header.msg_control = control.as_mut_ptr().cast();
    // SAFETY: the control message has a number of two bytes, for which `control` has room.
    unsafe {
        header.msg_controllen = libc::CMSG_SPACE(size_of_val(&length) as _) as _;
        let first = libc::CMSG_FIRSTHDR(header);
        (*first).cmsg_level = libc::SOL_UDP;
        (*first).cmsg_type = libc::UDP_SEGMENT;
        (*first).cmsg_len = libc::CMSG_LEN(size_of_val(&length) as _) as _;
        std::ptr::write_unaligned(libc::CMSG_DATA(first).cast(), length);
    }
}
