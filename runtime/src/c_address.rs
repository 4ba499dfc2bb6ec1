//! Addresses as C programs get and state them.

use crate::address::canonical;
use crate::c_text::invalid;
use crate::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

/// `struct nacre_address`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CAddress {
    pub ip: [u8; 16],
    pub port: u16,
    pub family: u16,
    pub scope: u32,
}

impl From<SocketAddr> for CAddress {
    fn from(address: SocketAddr) -> CAddress {
        let mut to = CAddress { port: address.port(), ..CAddress::default() };
        match canonical(address) {
            SocketAddr::V4(v4) => {
                to.ip[12..].copy_from_slice(&v4.ip().octets());
                to.family = 4;
            }
            SocketAddr::V6(v6) => (to.ip, to.family, to.scope) = (v6.ip().octets(), 6, v6.scope_id()),
        }
        to
    }
}

impl CAddress {
    /// Errors: `Invalid` if the family is neither 4 nor 6.
    pub(crate) fn to_socket_addr(self) -> Result<SocketAddr, Error> {
        match self.family {
            4 => {
                let v4 = Ipv4Addr::new(self.ip[12], self.ip[13], self.ip[14], self.ip[15]);
                Ok(SocketAddr::new(IpAddr::V4(v4), self.port))
            }
            6 => Ok(SocketAddrV6::new(Ipv6Addr::from(self.ip), self.port, 0, self.scope).into()),
            _ => Err(invalid("the family of the address is neither 4 nor 6")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_go_there_and_back() {
        for text in ["10.1.2.3:7000", "[2001:db8::1]:9", "[fe80::1%3]:9"] {
            let address: SocketAddr = text.parse().unwrap();
            assert_eq!(CAddress::from(address).to_socket_addr().unwrap(), address);
        }
        assert!(CAddress::default().to_socket_addr().is_err());
    }
}
