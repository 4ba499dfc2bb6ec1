//! The moves that are possible in a state: calls, timers, crashes, and frames that the attacker delivers.

use crate::attacker::forged;
use crate::frame::{Frame, Said};
use crate::honest::has_honest_peer;
use crate::knowledge::Knowledge;
use crate::rules::{connection, initiating, receive};
use crate::state::{Phase, Session, State};
use crate::step::Step;
use crate::term::{Kind, Node, Term, ATTACKER};
use crate::world::{Address, World};

/// One move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A member begins this connection of the world.
    Begin(u8),
    /// A frame arrives; `is_forged`: nobody has sent it like that.
    Receive { member: Address, from: Address, frame: Frame, is_forged: bool },
    /// The application sends a message.
    Send(usize),
    /// The sender turns to the next epoch.
    Epoch(usize),
    /// The key of the epoch before is erased.
    Erase(usize),
    /// A ping.
    Ping(usize),
    /// The stack ends in order, or the application refuses.
    End(usize, Said),
    /// A member crashes and starts again.
    Restart(Address),
}

impl Move {
    /// Makes the move.
    pub fn make<'a>(&self, world: &'a World, state: &State) -> Step<'a> {
        let mut step = Step::new(world, state);
        match *self {
            Move::Begin(start) => initiating::begin(&mut step, start),
            Move::Receive { member, from, frame, .. } => receive(&mut step, member, from, frame),
            Move::Send(at) => connection::send(&mut step, at),
            Move::Epoch(at) => connection::next_epoch(&mut step, at),
            Move::Erase(at) => connection::erase(&mut step, at),
            Move::Ping(at) => connection::ping(&mut step, at),
            Move::End(at, said) => connection::end(&mut step, at, said),
            Move::Restart(member) => connection::restart(&mut step, member),
        }
        step
    }
}

/// All moves of a state.
pub fn possible(world: &World, state: &State, knowledge: &Knowledge) -> Vec<Move> {
    let mut moves: Vec<Move> = begins(world, state);
    for (at, session) in state.sessions.iter().enumerate() {
        if session.phase == Phase::Open && has_honest_peer(world, session) {
            moves.extend(of_session(world, state, at, session));
        }
    }
    let restarts: u8 = state.lives.iter().sum();
    let is_there = |member: &Address| world.limits.restarts_at.is_none_or(|at| at == *member);
    if restarts < world.limits.restarts {
        moves.extend(world.addresses().filter(is_there).map(Move::Restart));
    }
    for frame in state.sent.iter() {
        moves.extend(deliveries(world, state, *frame, false));
    }
    if !world.attacker.is_passive {
        moves.extend(
            forged(world, state, knowledge).into_iter().flat_map(|frame| deliveries(world, state, frame, true)),
        );
    }
    moves
}

/// Of equal starts, the first goes first: which one it is makes no difference.
fn begins(world: &World, state: &State) -> Vec<Move> {
    let has_begun = |at: usize| state.started & 1 << at != 0;
    let is_next = |at: &usize| {
        let is_before = |other: usize| world.starts[other] == world.starts[*at] && !has_begun(other);
        !has_begun(*at) && !(0..*at).any(is_before)
    };
    (0..world.starts.len()).filter(is_next).map(|at| Move::Begin(at as u8)).collect()
}

fn of_session(world: &World, state: &State, at: usize, session: &Session) -> Vec<Move> {
    let Some(link) = &session.link else { return vec![] };
    let limits = &world.limits;
    let is_sending = link.out.texts.len() < usize::from(limits.data);
    let mut moves = vec![];
    moves.extend(is_sending.then_some(Move::Send(at)));
    // An epoch without a message before it is no other than the first one.
    let has_sent = link.out.texts.iter().any(|(epoch, _)| *epoch == link.out.epoch);
    moves.extend((has_sent && is_sending && link.out.epoch < limits.epochs).then_some(Move::Epoch(at)));
    moves.extend(link.back.old.map(|_| Move::Erase(at)));
    moves.extend((!world.moves && link.pings < limits.pings).then_some(Move::Ping(at)));
    if state.ends < limits.ends {
        moves.extend([Move::End(at, Said::Over), Move::End(at, Said::Refused)]);
    }
    moves
}

/// The ways in which a frame can arrive: where, and from which address.
fn deliveries(world: &World, state: &State, frame: Frame, is_forged: bool) -> Vec<Move> {
    let mut moves = vec![];
    for member in world.addresses() {
        let Some(nominal) = nominal_source(state, member, &frame) else { continue };
        let others = (world.moves || world.proof && frame.to().is_none()).then_some(ATTACKER);
        for from in others.into_iter().filter(|from| *from != nominal).chain([nominal]) {
            moves.push(Move::Receive { member, from, frame, is_forged });
        }
    }
    moves
}

/// The address from which a member expects a frame; none: the frame has no effect there.
fn nominal_source(state: &State, member: Address, frame: &Frame) -> Option<Address> {
    let owner = |label: Term| match label.node() {
        Node::Name(Kind::Label, owner, _) => owner,
        _ => ATTACKER,
    };
    match *frame {
        Frame::Initiate(initiate) => Some(owner(initiate.from)),
        Frame::Plain { .. } => Some(ATTACKER),
        Frame::Reset { .. } => Some(ATTACKER),
        Frame::Short { .. } | Frame::Sealed { .. } => {
            let known = state.labelled(member, frame.to()?);
            Some(known.map_or(ATTACKER, |at| state.sessions[at].address))
        }
        _ => state.labelled(member, frame.to()?).map(|at| state.sessions[at].address),
    }
}
