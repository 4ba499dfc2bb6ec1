//! One step of a run: what changes, what is sent, and what happens that the properties are about.

use crate::flaw::Flaw;
use crate::frame::{Frame, Said};
use crate::state::{End, Phase, Session, State};
use crate::term::{name, Kind, Term};
use crate::world::{Address, World};
use std::rc::Rc;

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A responder keeps a handshake.
    Kept(usize),
    /// A connection end is open.
    Opened(usize),
    /// A message is delivered.
    Delivered(usize, Term),
    /// A connection end has ended.
    Ended(usize, End),
    /// It ended because of a newer one.
    Replaced { old: usize, by: usize },
    /// The peer is taken to be at another address.
    Moved { at: usize, to: Address, token: Option<Term> },
    /// A sealed control frame was obeyed.
    Obeyed(usize, Said),
    /// A plain connection was opened for a first frame.
    OpenedPlain { stack: Term },
    /// An initiator sends its messages in a plain connection.
    FellBack(usize),
}

/// A step that is being made.
pub struct Step<'a> {
    /// Where.
    pub world: &'a World,
    /// The state, as it becomes.
    pub state: State,
    /// What has happened.
    pub events: Vec<Event>,
    /// The rules that were applied (`rules::RULES`).
    pub rules: Vec<&'static str>,
    /// The frames that were sent and are new.
    pub new: Vec<Frame>,
}

impl<'a> Step<'a> {
    /// Begins a step.
    pub fn new(world: &'a World, state: &State) -> Step<'a> {
        Step { world, state: state.clone(), events: vec![], rules: vec![], new: vec![] }
    }

    /// Notes a rule.
    pub fn rule(&mut self, rule: &'static str) {
        self.rules.push(rule);
    }

    /// Sends a frame: everybody knows it from now on.
    pub fn send(&mut self, frame: Frame) {
        if let Err(at) = self.state.sent.binary_search(&frame) {
            Rc::make_mut(&mut self.state.sent).insert(at, frame);
            self.new.push(frame);
        }
    }

    /// A connection end.
    pub fn session(&self, at: usize) -> &Session {
        &self.state.sessions[at]
    }

    /// A connection end, to change it.
    pub fn change(&mut self, at: usize) -> &mut Session {
        Rc::make_mut(&mut self.state.sessions[at])
    }

    /// Ends a connection.
    pub fn end(&mut self, at: usize, end: End) {
        self.change(at).phase = Phase::Ended(end);
        self.events.push(Event::Ended(at, end));
    }

    /// The index of the next connection end of a member: its fresh names have it. So names are numbered in the order of
    /// their creation, and runs that differ only in the choice of fresh values are one.
    pub fn next_index(&self, owner: Address) -> u8 {
        let life = self.life(owner);
        let is_counted = |session: &&Rc<Session>| {
            session.owner == owner && (!self.world.has(Flaw::RandomnessRepeats) || session.life == life)
        };
        self.state.sessions.iter().filter(is_counted).count() as u8
    }

    /// In which life a member is.
    pub fn life(&self, owner: Address) -> u8 {
        self.state.lives[usize::from(owner)]
    }

    /// A fresh name of a connection end.
    pub fn fresh(&self, kind: Kind, at: usize, number: u8) -> Term {
        let session = self.session(at);
        name(kind, session.owner, session.index * 16 + number)
    }
}
