//! Events as C programs get them.

use crate::address::canonical;
use crate::c_loan::Loan;
use crate::event::{ConnectionId, Event};
use crate::ffi::NacreAddr;
use crate::reconnect::Happened;
use std::ffi::{c_char, c_void, CString};
use std::net::SocketAddr;
use std::ptr;

/// `struct nacre_notice`.
#[repr(C)]
pub struct CNotice {
    pub kind: u32,
    pub reason: u32,
    pub connection: u64,
    pub data: *const u8,
    pub len: usize,
    pub text: *const c_char,
    pub arguments: [u64; 4],
    pub peer_ip: [u8; 16],
    pub peer_port: u16,
    pub peer_family: u16,
    pub event: u16,
    pub is_proven: u16,
    pub has_peer_key: u32,
    pub peer_scope: u32,
    pub peer_key: [u8; 32],
    pub user: *mut c_void,
}

impl CNotice {
    /// The kind of `Event::Closed`.
    pub(crate) const CLOSED: u32 = 5;
    /// The kind of what `nacre_resolve` has found.
    pub(crate) const RESOLVED: u32 = 10;

    /// The kind of `Happened::Reconnecting`.
    const RECONNECTING: u32 = 11;
    /// The kind of `Happened::Reconnected`.
    pub(crate) const RECONNECTED: u32 = 12;

    /// A notice of no event.
    pub(crate) fn empty() -> CNotice {
        CNotice {
            kind: 0,
            reason: 0,
            connection: 0,
            data: ptr::null(),
            len: 0,
            text: ptr::null(),
            arguments: [0; 4],
            peer_ip: [0; 16],
            peer_port: 0,
            peer_family: 0,
            event: 0,
            is_proven: 0,
            has_peer_key: 0,
            peer_scope: 0,
            peer_key: [0; 32],
            user: ptr::null_mut(),
        }
    }
}

/// What happened as a notice; what it points to is in the event, in `text` or in `loan`.
pub(crate) fn translate(happened: Happened<'_>, text: &mut CString, loan: &mut Loan) -> CNotice {
    let (mut notice, number) = (CNotice::empty(), |id: ConnectionId| id.to_number());
    match happened {
        Happened::Event(event) => return translate_event(event, text, loan),
        Happened::Reconnecting { connection, reason, lost, after, .. } => {
            (notice.kind, notice.connection, notice.reason) =
                (CNotice::RECONNECTING, number(connection), reason as u32);
            let after = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
            notice.arguments = [lost.accepted, lost.reached.unwrap_or(0), lost.reached.is_some().into(), after];
            *text = in_c(&reason.to_string());
            notice.text = text.as_ptr();
        }
        Happened::Reconnected { was, connection, peer, peer_key } => {
            let opened = Event::Opened { connection, peer, peer_key };
            notice = CNotice { kind: CNotice::RECONNECTED, ..translate_event(opened, text, loan) };
            notice.arguments[0] = number(was);
        }
        Happened::Ended { connection, reason, words, lost } => {
            notice = translate_event(Event::Closed { connection, reason, words }, text, loan);
            notice.arguments[2..].copy_from_slice(&[lost.accepted, lost.reached.unwrap_or(0)]);
        }
    }
    notice
}

/// The event as a notice.
fn translate_event(event: Event<'_>, text: &mut CString, loan: &mut Loan) -> CNotice {
    let mut notice = CNotice::empty();
    let mut peer = None;
    let mut words = None;
    let number = |id: ConnectionId| id.to_number();
    match event {
        Event::Arrived { connection, from, .. } => {
            (notice.kind, notice.connection, peer) = (1, number(connection), Some(from));
        }
        Event::Opened { connection, peer: who, peer_key } => {
            (notice.has_peer_key, notice.peer_key) = (peer_key.is_some().into(), peer_key.map_or([0; 32], |key| key.0));
            (notice.kind, notice.connection, peer) = (2, number(connection), Some(who));
        }
        Event::Delivered { connection, from, is_proven, message } => {
            notice.is_proven = is_proven.into();
            (notice.kind, notice.connection, peer) = (3, number(connection), from);
            (notice.data, notice.len) = loan.lend(&message);
        }
        Event::Writable { connection } => (notice.kind, notice.connection) = (4, number(connection)),
        Event::Closed { connection, reason, words: told } => {
            (notice.kind, notice.connection, notice.reason) = (CNotice::CLOSED, number(connection), reason as u32);
            words = Some(told.as_ref().map_or(reason.to_string(), |told| told.text.clone()));
            notice.arguments[..2].copy_from_slice(&told.map_or([0, 0], |told| [1, told.code.into()]));
        }
        Event::OtherStack(what) => {
            (notice.kind, notice.connection) = (6, what.connection.map_or(0, number));
            (peer, words) = (Some(what.peer), Some(what.description()));
        }
        Event::Error { connection, peer: who, cause } => {
            (notice.kind, notice.connection) = (7, connection.map_or(0, number));
            (peer, words) = (Some(who), Some(format!("{who}: {cause}")));
        }
        Event::Moved { connection, to, .. } => {
            (notice.kind, notice.connection, peer) = (9, number(connection), Some(to));
        }
        Event::Other { connection, event, arguments, address, message } => {
            (notice.kind, notice.connection, notice.event) = (8, number(connection), event);
            (notice.arguments, peer) = (arguments, address);
            (notice.data, notice.len) = loan.lend(&message);
        }
    }
    if let Some(SocketAddr::V6(peer)) = peer.map(canonical) {
        notice.peer_scope = peer.scope_id();
    }
    let peer = peer.map_or(NacreAddr::default(), NacreAddr::from);
    (notice.peer_ip, notice.peer_port, notice.peer_family) = (peer.ip, peer.port, peer.family);
    if let Some(words) = words {
        *text = in_c(&words);
        notice.text = text.as_ptr();
    }
    notice
}

/// The text for C; a zero byte in it becomes a space.
pub(crate) fn in_c(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
