//! How many datagrams leave by one system call.

use super::batches::{self, SEGMENTS_BYTES_MAX, SEGMENTS_MAX};
use crate::datagrams::{Datagrams, Run};
use socket2::SockAddr;
use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

/// After so many runs on end that could not be divided, the system or the interface is taken not to be able to.
const REFUSED_MAX: u32 = 8;

/// What has been learned of the system and the interfaces.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// Runs that were not divided since the last one that was.
    refused: u32,
}

impl Sender {
    /// Whether the system is asked to divide datagrams.
    pub(super) fn divides(&self) -> bool {
        self.refused < REFUSED_MAX
    }

    /// Sends datagrams to their addresses, which `dressed` makes those of the socket; returns how many of the first
    /// ones were sent.
    ///
    /// Errors: of the next one.
    pub(super) fn send_all(
        &mut self,
        socket: BorrowedFd<'_>,
        frames: Datagrams<'_>,
        dressed: impl Fn(SocketAddr) -> SocketAddr,
    ) -> (usize, io::Result<()>) {
        let most = if self.divides() { SEGMENTS_MAX } else { 1 };
        let runs: Vec<(SockAddr, Run<'_>)> =
            frames.runs(most, SEGMENTS_BYTES_MAX).map(|run| (dressed(run.to).into(), run)).collect();
        let (mut next, mut sent) = (0, 0);
        while let Some((_, run)) = runs.get(next) {
            match batches::send(socket, &runs[next..]) {
                (taken, Ok(())) if taken > 0 => {
                    let taken = &runs[next..next + taken];
                    if taken.iter().any(|(_, run)| run.count > 1) {
                        self.refused = 0;
                    }
                    sent += taken.iter().map(|(_, run)| run.count).sum::<usize>();
                    next += taken.len();
                }
                (_, Err(error)) if run.count > 1 && cannot_divide(&error) => {
                    self.refused += 1;
                    let (alone, result) = send_singly(socket, &runs[next]);
                    sent += alone;
                    if result.is_err() {
                        return (sent, result);
                    }
                    next += 1;
                }
                (_, result) => return (sent, result.and(Err(io::ErrorKind::WriteZero.into()))),
            }
        }
        (sent, Ok(()))
    }
}

/// Sends the datagrams of a run one by one.
fn send_singly(socket: BorrowedFd<'_>, (to, run): &(SockAddr, Run<'_>)) -> (usize, io::Result<()>) {
    let socket = socket2::SockRef::from(&socket);
    for (index, frame) in run.bytes.chunks(run.each.max(1)).enumerate() {
        if let Err(error) = socket.send_to(frame, to) {
            return (index, Err(error));
        }
    }
    (run.count, Ok(()))
}

/// Whether the error may be about dividing: the system cannot, the interface cannot, or a datagram is too long for it.
fn cannot_divide(error: &io::Error) -> bool {
    let errors = [libc::EINVAL, libc::EIO, libc::EMSGSIZE, libc::EOPNOTSUPP, libc::ENOPROTOOPT];
    error.raw_os_error().is_some_and(|number| errors.contains(&number))
}
