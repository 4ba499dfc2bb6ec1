//! Where statements are: in which layer and body, which messages must be consumed there, and how it can be left.

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
    /// With its result.
    Function(Option<Ty>),
}

/// Where statements are.
#[derive(Clone)]
pub struct Spot<'l> {
    pub layer: &'l Layer,
    pub inside: Inside,
    /// Messages that are held: each path consumes them.
    pub held: Vec<String>,
    /// So many of them are consumed by what is around this block, unless it leaves.
    pub outer: usize,
    /// In a loop: the number of messages held from before it.
    pub in_loop: Option<usize>,
    /// How deep blocks may still nest.
    pub depth: u32,
}

impl<'l> Spot<'l> {
    /// The whole body of something.
    pub fn of(layer: &'l Layer, inside: Inside) -> Spot<'l> {
        let held = match &inside {
            Inside::Send(message) | Inside::Deliver(message) if !message.is_empty() => vec![message.clone()],
            _ => Vec::new(),
        };
        Spot { layer, inside, held, outer: 0, in_loop: None, depth: 3 }
    }

    /// A block in it.
    pub fn deeper(&self) -> Spot<'l> {
        Spot { depth: self.depth.saturating_sub(1), ..self.clone() }
    }

    /// The body of a loop in it.
    pub fn looping(&self) -> Spot<'l> {
        Spot { in_loop: Some(self.held.len()), ..self.deeper() }
    }

    /// A block that consumes one message more.
    pub fn holding(mut self, message: &str) -> Spot<'l> {
        self.outer = self.held.len();
        self.held.push(message.to_string());
        self
    }

    /// Whether messages go up from here without a circle.
    pub fn may_rise(&self) -> bool {
        match self.inside {
            Inside::Up => self.may_sink(),
            _ => matches!(self.inside, Inside::Deliver(_) | Inside::Timer | Inside::Port),
        }
    }

    /// Whether the event without a message goes up from here without a circle.
    pub fn may_answer(&self) -> bool {
        let turns = self.layer.events.turns && matches!(self.inside, Inside::Send(_) | Inside::Down);
        turns || self.inside == Inside::Up || self.may_rise()
    }

    /// Whether events go down from here without a circle.
    pub fn may_sink(&self) -> bool {
        !(self.layer.events.turns && self.inside == Inside::Up)
    }
}
