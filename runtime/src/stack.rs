//! A stack as the driver sees it: the descriptor checked once, and its events and givens found by name.

use crate::descriptor::{self, table};
use crate::error::{Error, StackName};
use crate::ffi::{NacreEvent, NacreGiven, NacreStack};
use std::ffi::{c_char, CStr};
use std::fmt;
use std::sync::Arc;

/// The longest head of a frame that a quick entry makes here; a stack with longer ones is run by the ordinary entries
/// (`Stack::is_quick`).
pub(crate) const QUICK_HEAD_MAX: usize = 256;

/// An emitted stack. Cheap to clone; all clones are the same stack.
#[derive(Clone)]
pub struct Stack {
    inner: Arc<Inner>,
}

struct Inner {
    raw: &'static NacreStack,
    name: String,
    description: String,
    level: String,
    events: Vec<EventInfo>,
    givens: Vec<Given>,
    counters: Vec<String>,
    known: Known,
    is_secure: bool,
    is_quick: bool,
}

// SAFETY: the descriptor is constant data and functions that any thread may call (nacre.h).
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// An event of a port, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventInfo {
    pub name: String,
    pub port: u16,
    /// The host may call it; otherwise it comes out.
    pub input: bool,
    pub has_message: bool,
    pub has_address: bool,
    /// How many numbers it has.
    pub arguments: u8,
    /// The longest message that an input ever accepts; 0 without a message.
    pub message_max: usize,
    pub role: EventRole,
    /// A call of it changes nothing, whatever the state of the stack.
    pub idle: bool,
}

/// The role of an event at the boundary of its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRole {
    Plain,
    /// The first event of a connection; the driver keeps it to itself.
    Opening,
    /// A message on its way to the peer.
    Sending,
    /// A message from the peer.
    Delivery,
    /// The peer has another address.
    Moved,
    /// Frames of another size fit the way to the peer.
    Room,
}

/// A value that is set when a connection is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub name: String,
    pub offset: usize,
    pub size: usize,
    pub required: bool,
    /// Whether its value is never shown, and is erased with the config.
    pub secret: bool,
    /// The role by which the driver sets it; None: a setting of the user.
    pub role: Option<GivenRole>,
}

/// The role of a given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenRole {
    /// The address of the peer.
    Peer,
    /// By which frames from the peer find this connection: 24 bits, not 0.
    Cookie,
    /// The identity of this end; 0: none of its own.
    Identity,
    /// The identity of the intended peer; 0: any.
    PeerIdentity,
    /// A number that is another one after each start.
    Incarnation,
    /// How many bytes of data fit a frame on the way to the peer.
    Room,
    /// The key for messages to the peer: 32 secret bytes, the peer's [`GivenRole::OpeningKey`].
    SealingKey,
    /// The key for messages from the peer: 32 secret bytes.
    OpeningKey,
    /// The cookie in frames to the peer, if both hosts have agreed on it; 0: not known.
    PeerCookie,
    /// The key in frames to the peer, if its cookie is known.
    PeerKey,
    /// The key with which this end signs: 32 secret bytes.
    SigningKey,
    /// 32 bytes that both ends of a secure connection have, and those of no other one.
    Binding,
    /// Whether the peer has not yet shown that it receives frames at its address.
    Unconfirmed,
}

/// The events that the driver itself knows, by index; those that the stack does not have are None.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub send: Option<u16>,
    pub close: Option<u16>,
    pub open_to: Option<u16>,
    /// None, too, if it changes nothing.
    pub grant_delivers: Option<u16>,
    /// None, too, if it changes nothing.
    pub taken: Option<u16>,
    pub unknown: Option<u16>,
    pub hello: Option<u16>,
    pub deliver: Option<u16>,
    pub grant_sends: Option<u16>,
    pub opened: Option<u16>,
    pub closed: Option<u16>,
    pub room: Option<u16>,
    pub moved: Option<u16>,
}

impl Stack {
    /// Wraps the descriptor of a stack that is linked into this program.
    ///
    /// Errors: `Invalid` if its interface is of another version or makes no sense.
    ///
    /// # Safety
    /// `raw` points to a descriptor that an emitted stack (or one written by hand to `nacre.h`) exports; it and all
    /// that it points to never change or go away, and its functions keep the contract of `nacre.h`.
    pub unsafe fn from_raw(raw: *const NacreStack) -> Result<Stack, Error> {
        // SAFETY: promised by the caller.
        let raw = unsafe { descriptor::check(raw) }?;
        // SAFETY: promised by the caller: the arrays have the lengths that the descriptor states.
        let (events, givens, counters) = unsafe {
            (
                table(raw.events, raw.events_len).iter().map(|event| event_info(event)).collect::<Vec<_>>(),
                table(raw.givens, raw.givens_len).iter().map(|given| given_info(given)).collect::<Vec<_>>(),
                table(raw.counters, raw.counters_len).iter().map(|name| text(*name)).collect::<Vec<_>>(),
            )
        };
        let known = Known::find(&events);
        // SAFETY: promised by the caller: strings that end and stay.
        let (name, description, level) = unsafe { (text(raw.name), text(raw.description), text(raw.level)) };
        let is_key = |given: &Given| matches!(given.role, Some(GivenRole::SealingKey | GivenRole::OpeningKey));
        let is_secure = givens.iter().any(is_key);
        let is_quick = raw.send_quick.is_some()
            && raw.input_quick.is_some()
            && raw.frame_head_max as usize <= QUICK_HEAD_MAX
            && is_the_only(&events, known.send, true, EventRole::Sending)
            && is_the_only(&events, known.deliver, false, EventRole::Delivery);
        let inner = Inner { raw, name, description, level, events, givens, counters, known, is_secure, is_quick };
        Ok(Stack { inner: Arc::new(inner) })
    }

    pub(crate) fn raw(&self) -> &'static NacreStack {
        self.inner.raw
    }

    pub(crate) fn known(&self) -> &Known {
        &self.inner.known
    }

    /// The stack's name in its source.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// `frag<1400> / pt2pt<16> / floor`.
    pub fn description(&self) -> &str {
        &self.inner.description
    }

    /// The optimization level it was emitted at.
    pub fn level(&self) -> &str {
        &self.inner.level
    }

    /// The fingerprint, which both ends must agree on.
    pub fn fingerprint(&self) -> u64 {
        self.inner.raw.fingerprint
    }

    /// Whether both are the same descriptor: of equal fingerprints there may be several, one a level, with regions of
    /// their own.
    pub(crate) fn is(&self, other: &Stack) -> bool {
        std::ptr::eq(self.raw(), other.raw())
    }

    /// Fingerprint and description, for messages.
    pub fn to_name(&self) -> StackName {
        StackName { fingerprint: self.fingerprint(), description: Some(self.description().to_string()) }
    }

    /// Whether its frames begin with the preamble of docs/wire.md.
    pub fn has_preamble(&self) -> bool {
        self.inner.raw.has_preamble != 0
    }

    /// Whether it has a layer with keys: its connections begin with a handshake.
    pub fn is_secure(&self) -> bool {
        self.inner.is_secure
    }

    /// Its events, by index.
    pub fn events(&self) -> &[EventInfo] {
        &self.inner.events
    }

    /// The values that can be set when a connection is opened.
    pub fn givens(&self) -> &[Given] {
        &self.inner.givens
    }

    /// The names of its counters, by index.
    pub fn counters(&self) -> &[String] {
        &self.inner.counters
    }

    /// The index of an input event above the transport; the lowest port wins.
    pub fn input_event(&self, name: &str) -> Option<u16> {
        find(&self.inner.events, name, true, |port| port != 0)
    }

    /// The longest message in bytes that `send` ever accepts; 0 if the stack has no `send`.
    pub fn max_message(&self) -> usize {
        self.known().send.map_or(0, |event| self.events()[usize::from(event)].message_max)
    }

    /// Errors: `TooLong` if a call's message is longer than the stack ever accepts.
    #[inline]
    pub(crate) fn check_length(&self, event: u16, len: usize) -> Result<(), Error> {
        match self.events().get(usize::from(event)) {
            Some(event) if event.input && event.has_message && len > event.message_max => {
                Err(Error::TooLong { len, max: event.message_max })
            }
            _ => Ok(()),
        }
    }

    /// Whether its quick entries send what `send` sends and deliver what `deliver` delivers.
    #[inline]
    pub(crate) fn is_quick(&self) -> bool {
        self.inner.is_quick
    }

    /// The longest frame in bytes.
    pub fn frame_max(&self) -> usize {
        self.raw().frame_head_max as usize + self.raw().frame_data_max as usize
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stack({}, {:016x})", self.description(), self.fingerprint())
    }
}

impl Known {
    /// Whether the stack wants to know which messages the application has taken.
    #[inline]
    pub(crate) fn counts_taken(&self) -> bool {
        self.grant_delivers.is_some() || self.taken.is_some()
    }

    fn find(events: &[EventInfo]) -> Known {
        let above = |name: &str, input: bool| find(events, name, input, |port| port != 0);
        Known {
            send: above("send", true),
            close: above("close", true),
            open_to: above("open", true).filter(|index| events[usize::from(*index)].has_address),
            grant_delivers: above("grant_delivers", true).filter(|index| !events[usize::from(*index)].idle),
            taken: above("taken", true).filter(|index| !events[usize::from(*index)].idle),
            unknown: find(events, "unknown", true, |port| port == 0),
            hello: find(events, "hello", true, |port| port == 0),
            deliver: above("deliver", false),
            grant_sends: above("grant_sends", false),
            opened: above("open", false),
            closed: above("closed", false),
            room: with_role(events, EventRole::Room),
            moved: with_role(events, EventRole::Moved),
        }
    }
}

fn find(events: &[EventInfo], name: &str, input: bool, port: impl Fn(u16) -> bool) -> Option<u16> {
    let fits = |event: &EventInfo| event.name == name && event.input == input && port(event.port);
    let found = events.iter().enumerate().filter(|(_, event)| fits(event)).min_by_key(|(_, event)| event.port)?;
    u16::try_from(found.0).ok()
}

/// Whether an event is the only one above the transport with a role.
fn is_the_only(events: &[EventInfo], event: Option<u16>, input: bool, role: EventRole) -> bool {
    let has_role = |event: &EventInfo| event.port != 0 && event.input == input && event.role == role;
    let mut all = (0u16..).zip(events).filter(|(_, event)| has_role(event)).map(|(at, _)| at);
    event.is_some() && all.next() == event && all.next().is_none()
}

fn with_role(events: &[EventInfo], role: EventRole) -> Option<u16> {
    let at = events.iter().position(|event| event.input && event.role == role)?;
    u16::try_from(at).ok()
}

/// # Safety
/// `at` is NULL or a string that ends.
unsafe fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}

/// # Safety
/// The event's name is NULL or a string that ends.
unsafe fn event_info(event: &NacreEvent) -> EventInfo {
    EventInfo {
        // SAFETY: the caller's promise.
        name: unsafe { text(event.name) },
        port: event.port,
        input: event.input != 0,
        has_message: event.has_message != 0,
        has_address: event.has_address != 0,
        arguments: event.arguments,
        message_max: event.message_max as usize,
        idle: event.idle != 0,
        role: match event.role {
            1 => EventRole::Opening,
            2 => EventRole::Sending,
            3 => EventRole::Delivery,
            4 => EventRole::Moved,
            5 => EventRole::Room,
            _ => EventRole::Plain,
        },
    }
}

/// # Safety
/// The given's name is NULL or a string that ends.
unsafe fn given_info(given: &NacreGiven) -> Given {
    Given {
        // SAFETY: the caller's promise.
        name: unsafe { text(given.name) },
        offset: given.offset as usize,
        size: given.size as usize,
        required: given.required != 0,
        secret: given.secret != 0,
        role: match given.role {
            1 => Some(GivenRole::Peer),
            2 => Some(GivenRole::Cookie),
            3 => Some(GivenRole::Identity),
            4 => Some(GivenRole::PeerIdentity),
            5 => Some(GivenRole::Incarnation),
            6 => Some(GivenRole::Room),
            7 => Some(GivenRole::SealingKey),
            8 => Some(GivenRole::OpeningKey),
            9 => Some(GivenRole::PeerCookie),
            10 => Some(GivenRole::PeerKey),
            11 => Some(GivenRole::SigningKey),
            12 => Some(GivenRole::Binding),
            13 => Some(GivenRole::Unconfirmed),
            _ => None,
        },
    }
}
