//! The rules of docs/wire.md ("Secure connections"), as a table and as one function for each frame and action.

pub mod answering;
pub mod both;
pub mod connection;
pub mod control;
pub mod elsewhere;
pub mod initiating;
pub mod opening;
pub mod saying;

use crate::frame::Frame;
use crate::step::Step;
use crate::world::Address;

/// A rule: its name, its cause, who follows it in which phase, and what it does. Every rule must be applied in some run
/// of some world.
pub struct Rule(pub &'static str, pub &'static str, pub &'static str, pub &'static str);

/// All rules.
pub const RULES: &[Rule] = &[
    Rule("begin", "call", "initiator", "chooses a label, ephemeral keys and message 1; sends initiate"),
    Rule("retry obeyed", "retry", "initiator, waiting", "sends initiate again, with the label of the retry"),
    Rule("doubt", "clear refused", "initiator, waiting", "ends, and begins nothing else"),
    Rule("stack refused", "initiate", "no connection", "the stack is not served: answers with a clear refused"),
    Rule("retry", "initiate", "no connection", "the address is not proven: answers with retry, keeps nothing"),
    Rule("answer", "initiate", "no connection", "reads message 1, keeps the handshake, sends respond"),
    Rule("both begin", "initiate", "initiator", "this end has begun one that goes on, with a greater label: drops it"),
    Rule("join", "finish", "initiator, waiting", "this end has begun one, too: that one becomes this"),
    Rule("open begun", "respond", "initiator, waiting", "reads message 2; opens; sends finish"),
    Rule("open arrived", "finish", "responder, waiting", "reads message 3 or the confirmation; opens; says confirmed"),
    Rule("confirm again", "finish", "open", "the same finish: says confirmed again"),
    Rule("replace", "sealed pong", "open", "ends older connections of the same key, identity and stack"),
    Rule(
        "ask newer",
        "respond, finish",
        "open",
        "the peer has older connections: asks on the new one whether it is alive",
    ),
    Rule("withdraw", "respond", "initiator, waiting", "this end has begun a newer one that is open: ends"),
    Rule(
        "both open",
        "respond, finish",
        "open",
        "one that the other end began is open: asks on that of the greater label",
    ),
    Rule("no pong", "sealed ping", "open", "this end has begun a newer one, and asks on that: says nothing"),
    Rule("send", "call", "open", "seals a message with the key and the number of its direction"),
    Rule("deliver", "short", "open", "opens a message with a new number, and delivers it"),
    Rule("next epoch", "call", "open", "derives the next key, and sends with it"),
    Rule("follow epoch", "short", "open", "a message of the next epoch is authentic: keeps the old key for late ones"),
    Rule("deliver late", "short", "open", "delivers a message of the epoch before"),
    Rule("erase", "timer", "open", "erases the key of the epoch before"),
    Rule("ping", "timer", "open", "asks with a random token"),
    Rule("pong", "sealed ping", "open", "answers to the address of the peer"),
    Rule("pong heard", "sealed pong", "open", "the peer is alive"),
    Rule("confirmed", "sealed confirmed", "open", "finish need not be repeated"),
    Rule("over", "call", "open", "the stack has ended in order: says so and ends"),
    Rule("refuse", "call", "open", "the application does not want it: says so and ends"),
    Rule("over heard", "sealed over", "open", "ends"),
    Rule("refused heard", "sealed refused", "open", "ends"),
    Rule("refuse again", "short, sealed", "refused", "says again that it is refused"),
    Rule("reset", "short, sealed", "no connection", "answers with the token of the label"),
    Rule("reset heard", "reset", "open", "the token is that of the peer: ends"),
    Rule("clear ignored", "clear", "open", "frames that anybody can make change nothing"),
    Rule("ask elsewhere", "short, sealed", "open", "an authentic frame from another address: asks there"),
    Rule("move", "sealed pong", "open", "the answer came from the address that was asked: the peer is there"),
    Rule("open plain", "plain", "no connection", "a plain stack is served: opens a plain connection"),
    Rule("restart", "crash", "endpoint", "loses all connections; keeps its keys and its secret"),
];

/// A frame arrives at a member.
pub fn receive(step: &mut Step<'_>, member: Address, from: Address, frame: Frame) {
    match frame {
        Frame::Initiate(initiate) => answering::initiate(step, member, from, initiate),
        Frame::Plain { stack, .. } => answering::plain(step, member, stack),
        Frame::Reset { unknown, token } => connection::reset(step, member, unknown, token),
        _ => labelled(step, member, from, frame),
    }
}

fn labelled(step: &mut Step<'_>, member: Address, from: Address, frame: Frame) {
    let Some(to) = frame.to() else { return };
    let Some(at) = step.state.labelled(member, to) else {
        return connection::unknown(step, member, to, frame);
    };
    match frame {
        Frame::Respond { from: label, message, .. } => initiating::respond(step, at, label, message),
        Frame::Finish { message, .. } => answering::finish(step, at, message),
        Frame::Retry { proof, .. } => initiating::retry(step, at, proof),
        Frame::Clear { said, .. } => control::clear(step, at, from, said),
        Frame::Sealed { body, .. } => control::sealed(step, at, from, body),
        Frame::Short { epoch, body, .. } => connection::short(step, at, from, epoch, body),
        Frame::Initiate(_) | Frame::Reset { .. } | Frame::Plain { .. } => {}
    }
    connection::used_label(step, member, to, frame);
}
