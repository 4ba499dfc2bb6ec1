//! Transport addresses: between the standard library's and the C interface's.

use crate::ffi::NacreAddr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

impl From<SocketAddr> for NacreAddr {
    /// Converts an address; an IPv4-mapped IPv6 address becomes the IPv4 one.
    fn from(address: SocketAddr) -> NacreAddr {
        let mut ip = [0; 16];
        let family = match address.ip().to_canonical() {
            IpAddr::V4(v4) => {
                ip[12..].copy_from_slice(&v4.octets());
                4
            }
            IpAddr::V6(v6) => {
                ip = v6.octets();
                6
            }
        };
        NacreAddr { ip, port: address.port(), family }
    }
}

impl NacreAddr {
    /// The address; None if the family is neither 4 nor 6. Scopes of link-local addresses are not carried.
    pub fn to_socket_addr(self) -> Option<SocketAddr> {
        let ip = match self.family {
            4 => IpAddr::V4(Ipv4Addr::new(self.ip[12], self.ip[13], self.ip[14], self.ip[15])),
            6 => IpAddr::V6(Ipv6Addr::from(self.ip)),
            _ => return None,
        };
        Some(SocketAddr::new(ip, self.port))
    }
}

/// What is taken for one host, where limits are for each: an IPv4 address, or the first 64 bits of an IPv6 address, of
/// which one host usually has all.
pub(crate) fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
    }
}

/// Converts an IPv4-mapped IPv6 address to the IPv4 one; other addresses keep scope and flow.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        IpAddr::V4(v4) => SocketAddr::new(IpAddr::V4(v4), address.port()),
        IpAddr::V6(_) => address,
    }
}

/// The address with which a connection is begun: the unspecified one (`0.0.0.0`, `::`) is that of this machine, from
/// which answers come.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let address = canonical(address);
    match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unspecified_address_is_this_machine() {
        for (given, meant) in
            [("0.0.0.0:5", "127.0.0.1:5"), ("[::]:5", "[::1]:5"), ("[::ffff:0.0.0.0]:5", "127.0.0.1:5")]
        {
            assert_eq!(reachable(given.parse().unwrap()), meant.parse().unwrap());
        }
        let others: [SocketAddr; 2] = ["10.1.2.3:7".parse().unwrap(), "[fe80::1%3]:7".parse().unwrap()];
        others.into_iter().for_each(|other| assert_eq!(reachable(other), other));
    }

    #[test]
    fn addresses_go_there_and_back() {
        for text in ["10.1.2.3:7000", "[2001:db8::1]:9"] {
            let address: SocketAddr = text.parse().unwrap();
            assert_eq!(NacreAddr::from(address).to_socket_addr(), Some(address));
        }
        assert_eq!(NacreAddr::default().to_socket_addr(), None);
    }

    #[test]
    fn mapped_address_is_the_ipv4_one() {
        let mapped: SocketAddr = "[::ffff:127.0.0.1]:5".parse().unwrap();
        assert_eq!(NacreAddr::from(mapped).family, 4);
        assert_eq!(canonical(mapped), "127.0.0.1:5".parse().unwrap());
    }
}
