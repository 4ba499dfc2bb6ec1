//! Events, and the ports between a stack and its host.

use serde::{Deserialize, Serialize};

use crate::*;

/// The direction of an event through a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Direction {
    Up,
    Down,
}

/// A kind of event, declared in an interface. Events of one name in both directions are two events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub name: String,
    pub direction: Direction,
    pub parameters: Vec<Parameter>,
    /// Which parameter is the message, if one is; an event has at most one.
    pub message: Option<u32>,
    /// Which parameter is the number of the session that the event belongs to, if one is: of the type `0 .. n`.
    pub session: Option<u32>,
    pub role: EventRole,
}

/// What an event means at the boundaries of a stack. The language decides it where an interface declares the event;
/// everything after asks for the role, never for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventRole {
    /// No special role: the event is passed on.
    Plain,
    /// Opening puts it in at port 0: the first event of a connection.
    Opening,
    /// A message on its way to the peer. What leaves as this arrives as the [`EventRole::Delivery`] of the lowest
    /// interface.
    Sending,
    /// A message from the peer.
    Delivery,
    /// The peer of a context has another address: brings it up.
    Moved,
    /// The path to the peer carries frames of another length: brings up how many bytes of data fit under all headers
    /// of the stack.
    Room,
}

impl EventRole {
    /// What the language gives an event whose interface states no role: `up init()`, `down send(.. m: msg)` and
    /// `up deliver(.. m: msg)` mean what they mean everywhere.
    pub fn of(name: &str, direction: Direction, parameters: usize, message: bool) -> EventRole {
        match (name, direction, message) {
            ("init", Direction::Up, false) if parameters == 0 => EventRole::Opening,
            ("send", Direction::Down, true) => EventRole::Sending,
            ("deliver", Direction::Up, true) => EventRole::Delivery,
            _ => EventRole::Plain,
        }
    }
}

/// A port between the stack and its host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// `below`, `above`, or the name of a layer's port.
    pub name: String,
    /// Of a lower port: how messages are frames there.
    pub frames: Option<LayoutId>,
    /// Of a lower port: the events that come back instead of leaving, or in addition.
    pub turns: Vec<Turn>,
    /// Events that the host may call here, and their receivers.
    pub inputs: Vec<PortInput>,
    /// Events that come out here.
    pub outputs: Vec<EventId>,
}

impl Port {
    /// A port without events.
    pub fn named(name: impl Into<String>) -> Port {
        Port { name: name.into(), frames: None, turns: vec![], inputs: vec![], outputs: vec![] }
    }

    /// A lower port, at which messages are frames of a layout.
    pub fn lower(name: impl Into<String>, layout: LayoutId) -> Port {
        Port { frames: Some(layout), ..Port::named(name) }
    }
}

/// An event that turns at a lower port: where a layer emits `event` there, `comes_back` arrives at it with the same
/// arguments, through the queue like any emission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The event in the direction down.
    pub event: EventId,
    /// The event that comes up.
    pub comes_back: EventId,
    /// Whether `event` also leaves, first: a message to all is delivered to its sender, too.
    pub leaves: bool,
}

/// An event that the host may call at a port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortInput {
    pub event: EventId,
    /// The link of the port.
    pub link: LinkId,
    /// The layer at its other end.
    pub layer: LayerId,
    /// A call is refused, without effect, unless all of these hold.
    pub admissions: Vec<Admission>,
    pub need: Need,
}

/// `accepts`: when a layer takes an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Admission {
    pub layer: LayerId,
    /// Locals 0.. are the event's parameters. Of the message only its length may be used.
    pub locals: Vec<Local>,
    pub condition: Expr,
}

/// Fresh pool blocks that a step can take at the most: `copies * ceil(length / block) + extra`, where length is that
/// of the message that enters (for a frame: of its data).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Need {
    pub copies: u32,
    pub extra: u32,
}
