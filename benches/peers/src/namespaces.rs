//! Network namespaces without names: the kernel removes them, with their devices, when the processes that use them have
//! ended, however they end.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::process::Command;

use crate::end::{system, Result};

/// The client's address where a relay is between the ends.
pub const CLIENT: &str = "10.77.0.1";
/// The server's.
pub const SERVER: &str = "10.77.0.2";

/// Bytes of a packet at most, on the loopback device, too: there TCP would otherwise have segments of 64 KiB.
const MTU: &str = "1500";

/// A namespace, as long as this lives.
pub struct Namespace(File);

impl Namespace {
    /// The descriptor for `setns`.
    pub fn descriptor(&self) -> i32 {
        self.0.as_raw_fd()
    }
}

/// One whose loopback device is up.
pub fn loopback() -> Result<Namespace> {
    make(|| ip(&["link", "set", "lo", "mtu", MTU, "up"])).map(|(namespace, ())| namespace)
}

/// One with a device whose packets a relay reads and writes. The relay's end is the file.
pub fn tunnel(own: &'static str, other: &'static str) -> Result<(Namespace, File)> {
    make(move || {
        let file = tun()?;
        ip(&["link", "set", "lo", "up"])?;
        ip(&["addr", "add", own, "peer", other, "dev", "tun0"])?;
        ip(&["link", "set", "tun0", "mtu", MTU, "txqueuelen", "2000", "up"])?;
        Ok(file)
    })
}

/// Makes a namespace, and does something in it. A thread enters it, so that this one stays where it is.
fn make<T: Send + 'static>(inside: impl FnOnce() -> Result<T> + Send + 'static) -> Result<(Namespace, T)> {
    let enter = move || {
        // SAFETY: only this thread gets another namespace.
        if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
            return Err(system("cannot make a network namespace (root is needed)"));
        }
        let file = File::open("/proc/thread-self/ns/net").map_err(|e| e.to_string())?;
        Ok((Namespace(file), inside()?))
    };
    std::thread::spawn(enter).join().map_err(|_| "internal error: a thread panicked".to_string())?
}

fn ip(arguments: &[&str]) -> Result<()> {
    let output = Command::new("ip").args(arguments).output().map_err(|e| format!("ip: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}

/// Makes the device `tun0` in the namespace of this thread.
fn tun() -> Result<File> {
    let file =
        OpenOptions::new().read(true).write(true).open("/dev/net/tun").map_err(|e| format!("/dev/net/tun: {e}"))?;
    // SAFETY: all zero is a valid request.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"tun0") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the kernel reads and writes the request.
    if unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) } != 0 {
        return Err(system("cannot make a tun device"));
    }
    // SAFETY: it changes a flag of an open file.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } != 0 {
        return Err(system("fcntl"));
    }
    Ok(file)
}
