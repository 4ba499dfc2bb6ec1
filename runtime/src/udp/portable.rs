//! One datagram with each system call, where no calls for several are known. As `batches`.

use crate::datagrams::Run;
use socket2::{SockAddr, SockRef};
use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

pub(super) const RECEIVES_ALL: bool = false;
pub(super) const SEGMENTS_MAX: usize = 1;
pub(super) const SEGMENTS_BYTES_MAX: usize = 65_000;

pub(super) fn join_arriving(_: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}

pub(super) fn receive(
    socket: BorrowedFd<'_>,
    bytes: &mut [u8],
    slot: usize,
    mut filled: impl FnMut(SocketAddr, usize, usize),
) -> io::Result<()> {
    let place = &mut bytes[..slot];
    // SAFETY: initialized bytes may be taken for ones that are not, as the call only writes to them.
    let place = unsafe { &mut *(std::ptr::from_mut(place) as *mut [std::mem::MaybeUninit<u8>]) };
    let (len, from) = SockRef::from(&socket).recv_from(place)?;
    let from = from.as_socket().ok_or(io::ErrorKind::InvalidData)?;
    filled(from, len, 0);
    Ok(())
}

pub(super) fn send(socket: BorrowedFd<'_>, runs: &[(SockAddr, Run<'_>)]) -> (usize, io::Result<()>) {
    let Some((to, run)) = runs.first() else { return (0, Ok(())) };
    match SockRef::from(&socket).send_to(run.bytes, to) {
        Ok(_) => (1, Ok(())),
        Err(error) => (0, Err(error)),
    }
}
