//! What neither std nor socket2 offers: waiting for a socket, reading what ICMP said about it, sending in one piece
//! or not at all.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// Waits until the socket is readable (or, if asked, writable), has an error, the bell is readable, or the time has
/// passed.
///
/// Errors: `Interrupted` by a signal that was handled; those of the system.
pub(crate) fn wait(
    socket: BorrowedFd<'_>,
    bell: Option<BorrowedFd<'_>>,
    writable: bool,
    time: Option<Duration>,
) -> io::Result<()> {
    let events = libc::POLLIN | if writable { libc::POLLOUT } else { 0 };
    // A negative descriptor is passed over.
    let bell = bell.map_or(-1, |bell| bell.as_raw_fd());
    let mut polled = [
        libc::pollfd { fd: socket.as_raw_fd(), events, revents: 0 },
        libc::pollfd { fd: bell, events: libc::POLLIN, revents: 0 },
    ];
    match poll_once(&mut polled, time) {
        ..0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn poll_once(polled: &mut [libc::pollfd; 2], time: Option<Duration>) -> i32 {
    let time = time.map(|time| libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos() as _,
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: two pollfds; the time is NULL or valid; no signal mask.
    unsafe { libc::ppoll(polled.as_mut_ptr(), 2, time, std::ptr::null()) }
}

#[cfg(not(target_os = "linux"))]
fn poll_once(polled: &mut [libc::pollfd; 2], time: Option<Duration>) -> i32 {
    // Rounded up: a wait that is too short would spin.
    let milliseconds = time.map_or(-1, |time| i32::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX));
    // SAFETY: two pollfds.
    unsafe { libc::poll(polled.as_mut_ptr(), 2, milliseconds) }
}

/// Asks the system to report errors about sent frames with the address that they were sent to.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_errors(socket: BorrowedFd<'_>, ipv6: bool) -> io::Result<()> {
    set(socket, libc::IPPROTO_IP, libc::IP_RECVERR, 1).or_else(|error| if ipv6 { Ok(()) } else { Err(error) })?;
    if ipv6 {
        set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, 1)?;
    }
    Ok(())
}

/// Sends what follows in one piece or not at all, whatever routers have reported of the path; or lets the system do
/// what it usually does.
#[cfg(target_os = "linux")]
pub(crate) fn forbid_fragments(socket: BorrowedFd<'_>, ipv6: bool, forbid: bool) -> io::Result<()> {
    let (v4, v6) = match forbid {
        true => (libc::IP_PMTUDISC_PROBE, libc::IPV6_PMTUDISC_PROBE),
        false => (libc::IP_PMTUDISC_WANT, libc::IPV6_PMTUDISC_WANT),
    };
    let for_v4 = set(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, v4);
    match ipv6 {
        true => set(socket, libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, v6),
        false => for_v4,
    }
}

/// Sets an option of a socket that is a number.
#[cfg(target_os = "linux")]
pub(crate) fn set(socket: BorrowedFd<'_>, level: i32, option: i32, value: libc::c_int) -> io::Result<()> {
    let size = std::mem::size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: `value` is an int of the size given.
    let code = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, std::ptr::from_ref(&value).cast(), size) };
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The next error that the system has kept, and where the frame that it is about was sent to.
#[cfg(target_os = "linux")]
pub(crate) fn take_error(socket: BorrowedFd<'_>) -> Option<(SocketAddr, io::Error)> {
    // Aligned for cmsghdr; room for the error, the offender's address and more.
    let mut control = [0u64; 64];
    // SAFETY: all-zero bytes are a valid msghdr; the lengths are those of the buffers, which outlive the call. The
    // control messages are walked by the system's own macros, and an error is read only from one of its type and
    // length.
    let (about, number) = unsafe {
        let mut read = Err(io::ErrorKind::NotFound.into());
        let about = socket2::SockAddr::try_init(|storage, len| {
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_name = storage.cast();
            message.msg_namelen = *len;
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = std::mem::size_of_val(&control) as _;
            let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
            if libc::recvmsg(socket.as_raw_fd(), &mut message, flags) < 0 {
                return Err(io::Error::last_os_error());
            }
            *len = message.msg_namelen;
            read = error_number(&message);
            Ok(())
        });
        (about.ok()?.1, read)
    };
    Some((about.as_socket()?, io::Error::from_raw_os_error(number.ok()?)))
}

/// # Safety
/// `message` was filled by recvmsg and its buffers live.
#[cfg(target_os = "linux")]
unsafe fn error_number(message: &libc::msghdr) -> io::Result<i32> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(message);
        while !at.is_null() {
            let ours = matches!(
                ((*at).cmsg_level, (*at).cmsg_type),
                (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR)
            );
            if ours {
                let error: libc::sock_extended_err = std::ptr::read_unaligned(libc::CMSG_DATA(at).cast());
                return Ok(error.ee_errno as i32);
            }
            at = libc::CMSG_NXTHDR(message, at);
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Other systems do not say which frame an error is about.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_errors(_: BorrowedFd<'_>, _: bool) -> io::Result<()> {
    Ok(())
}

/// Other systems have other ways, which are not used yet: there a probe tells what arrives, in one piece or not.
#[cfg(not(target_os = "linux"))]
pub(crate) fn forbid_fragments(_: BorrowedFd<'_>, _: bool, _: bool) -> io::Result<()> {
    Ok(())
}

/// Other systems do not say which frame an error is about.
#[cfg(not(target_os = "linux"))]
pub(crate) fn take_error(_: BorrowedFd<'_>) -> Option<(SocketAddr, io::Error)> {
    None
}
