//! The ends of all peers.

mod enet;
mod kcp;
mod nacre;
mod quic;
mod raw;
mod socket;
mod tcp;
mod zeromq;

use std::net::SocketAddr;

use crate::end::{End, Result, Setup};

/// Opens the end of a peer: a client of the server at `to`, or a server on any port.
pub fn open(peer: &str, to: Option<SocketAddr>, setup: &Setup) -> Result<Box<dyn End>> {
    Ok(match peer {
        "raw" => Box::new(raw::Raw::open(to, false)?),
        "raw-offload" => Box::new(raw::Raw::open(to, true)?),
        "tcp" => Box::new(tcp::Tcp::open(to, setup, tcp::Kind { control: "cubic", gathers: false })?),
        "tcp-gathered" => Box::new(tcp::Tcp::open(to, setup, tcp::Kind { control: "cubic", gathers: true })?),
        "tcp-bbr" => Box::new(tcp::Tcp::open(to, setup, tcp::Kind { control: "bbr", gathers: true })?),
        "quinn" => Box::new(quic::Quic::open(to, setup)?),
        "enet" => Box::new(enet::Enet::open(to, setup)?),
        "zeromq" => Box::new(zeromq::ZeroMq::open(to, setup)?),
        "kcp" => Box::new(kcp::KcpEnd::open(to)?),
        other => match other.strip_prefix("nacre-") {
            Some(stack) => Box::new(nacre::Nacre::open(to, stack, setup)?),
            None => return Err(format!("no peer has the name {other}")),
        },
    })
}
