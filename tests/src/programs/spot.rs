//! The context of statements: their layer and body, the messages that must be consumed, and the exits.

use super::layer::Layer;
use super::types::Ty;

/// The kind of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Inside {
    /// `down send(m)`, with the name of its message.
    Send(String),
    /// `up deliver(m)`
    Deliver(String),
    /// Events without messages.
    Down,
    Up,
    Port,
    Timer,
    /// A function, with its result.
    Function(Option<Ty>),
}

/// The context of statements.
#[derive(Clone)]
pub struct Spot<'l> {
    pub layer: &'l Layer,
    pub inside: Inside,
    /// Held messages: each path consumes them.
    pub held: Vec<String>,
    /// The number of them that the enclosing code consumes, unless this block leaves.
    pub outer: usize,
    /// In a loop: the number of messages held before it.
    pub in_loop: Option<usize>,
    /// The remaining nesting depth of blocks.
    pub depth: u32,
}

impl<'l> Spot<'l> {
    /// The whole of a body.
    pub fn of(layer: &'l Layer, inside: Inside) -> Spot<'l> {
        let held = match &inside {
            Inside::Send(message) | Inside::Deliver(message) if !message.is_empty() => vec![message.clone()],
            _ => Vec::new(),
        };
        Spot { layer, inside, held, outer: 0, in_loop: None, depth: 3 }
    }

    /// A nested block.
    pub fn deeper(&self) -> Spot<'l> {
        Spot { depth: self.depth.saturating_sub(1), ..self.clone() }
    }

    /// The body of a nested loop.
    pub fn looping(&self) -> Spot<'l> {
        Spot { in_loop: Some(self.held.len()), ..self.deeper() }
    }

    /// A block that consumes some messages more.
    pub fn holding_all(mut self, messages: &[String]) -> Spot<'l> {
        self.outer = self.held.len();
        self.held.extend_from_slice(messages);
        self
    }

    /// Whether messages can be emitted upwards from here without a cycle.
    pub fn may_rise(&self) -> bool {
        match self.inside {
            Inside::Up => self.may_sink(),
            _ => matches!(self.inside, Inside::Deliver(_) | Inside::Timer | Inside::Port),
        }
    }

    /// Whether the event without a message can be emitted upwards from here without a cycle.
    pub fn may_answer(&self) -> bool {
        let turns = self.layer.events.turns && matches!(self.inside, Inside::Send(_) | Inside::Down);
        turns || self.inside == Inside::Up || self.may_rise()
    }

    /// Whether events can be emitted downwards from here without a cycle.
    pub fn may_sink(&self) -> bool {
        !(self.layer.events.turns && self.inside == Inside::Up)
    }
}
