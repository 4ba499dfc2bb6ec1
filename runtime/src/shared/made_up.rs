//! Made-up addresses of clients and servers.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The address that a server has for its clients.
pub const fn server_address() -> SocketAddr {
    address(0)
}

/// A made-up address, in a part of IPv6 that is reserved (100::/8) and leads nowhere.
pub(super) const fn address(number: u64) -> SocketAddr {
    let [high, middle, low] = [(number >> 32) as u16, (number >> 16) as u16, number as u16];
    SocketAddr::new(IpAddr::V6(Ipv6Addr::new(0x100, high, middle, low, 0, 0, 0, 1)), 1)
}

/// The number of such an address.
pub(super) fn number(address: SocketAddr) -> Option<u64> {
    let SocketAddr::V6(v6) = address else { return None };
    let [0x100, high, middle, low, 0, 0, 0, 1] = v6.ip().segments() else { return None };
    Some(u64::from(high) << 32 | u64::from(middle) << 16 | u64::from(low))
}
