//! Setting up: the socket file of a server, and how a client hands over the memory that both will share.
//!
//! The client makes the memory and sends its descriptor behind `GREETING` when it connects, so neither side waits for
//! the other, and the memory is the client's in the system's accounts. The server checks it before it uses it.

use super::memory::Memory;
use super::peer::WORDS;
use rustix::fs::{flock, FlockOperation};
use rustix::net::{recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a client says first; the number is that of the layout of the memory.
const GREETING: [u8; 16] = *b"nacre shared 1\r\n";

/// So many times, with a pause in between, a server tries to have the folder of its file for itself.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// A server's socket, and its file, which ends with it.
#[derive(Debug)]
pub(super) struct Door {
    socket: UnixListener,
    path: PathBuf,
    /// What tells the file from another one that has taken its place.
    identity: (u64, u64),
}

impl Door {
    /// Makes the socket file. That of a server that is gone is replaced.
    ///
    /// Errors: `AddrInUse` if there is a server, or a file that is no socket; those of the system.
    pub(super) fn open(path: &Path) -> io::Result<Door> {
        // Between these steps no other server may do the same.
        let _folder = lock_folder(path)?;
        let socket = match UnixListener::bind(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_abandoned(path) => {
                std::fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            bound => bound?,
        };
        socket.set_nonblocking(true)?;
        Ok(Door { socket, identity: identity(path)?, path: path.to_path_buf() })
    }

    /// The socket that becomes readable when a client comes.
    pub(super) fn socket(&self) -> &UnixListener {
        &self.socket
    }

    /// The next client that has come.
    ///
    /// Errors: `WouldBlock` if there is none; those of the system.
    pub(super) fn accept(&self) -> io::Result<UnixStream> {
        let (socket, _) = self.socket.accept()?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Whether nobody listens at a socket file.
fn is_abandoned(path: &Path) -> bool {
    matches!(UnixStream::connect(path), Err(error) if error.kind() == io::ErrorKind::ConnectionRefused)
        && std::fs::symlink_metadata(path).is_ok_and(|metadata| is_socket(&metadata))
}

fn is_socket(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&metadata.file_type())
}

/// Has the folder of a file for itself until the result is dropped.
fn lock_folder(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = File::open(folder)?;
    for _ in 0..TRIES {
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(folder),
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(PAUSE),
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::new(io::ErrorKind::AddrInUse, "another program has locked the folder of the socket file"))
}

/// Connects to the server at a path and hands over memory.
///
/// Errors: those of the system: `NotFound`, `ConnectionRefused` (nobody listens), `PermissionDenied`, ...
pub(super) fn knock(path: &Path) -> io::Result<(UnixStream, Memory)> {
    let socket = UnixStream::connect(path)?;
    let (memory, file) = Memory::create(WORDS)?;
    introduce(&socket, &file)?;
    socket.set_nonblocking(true)?;
    Ok((socket, memory))
}

fn introduce(socket: &UnixStream, file: &OwnedFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&files));
    sendmsg(socket, &[IoSlice::new(&GREETING)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives what a client has handed over.
///
/// Errors: `WouldBlock` if it has said nothing yet; otherwise it is no client that can be served.
pub(super) fn receive_memory(socket: &UnixStream) -> io::Result<Memory> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut greeting = [0; GREETING.len()];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut greeting)], &mut control, flags)?;
    let mut files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let file = files.next().and_then(|mut files| files.next());
    match file {
        Some(file) if received.bytes == greeting.len() && greeting == GREETING => Memory::open(file.as_fd(), WORDS),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the peer is no client of this version")),
    }
}
