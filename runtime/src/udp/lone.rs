//! As `group`, where the system cannot divide what arrives by a filter.

use super::Udp;
use std::io;
use std::net::SocketAddr;

pub(crate) fn bind(address: SocketAddr, count: usize) -> io::Result<Vec<Udp>> {
    match count {
        1 => Ok(vec![Udp::bind(address)?]),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}
