//! Sealed control frames to the peer.

use crate::derive::head;
use crate::frame::{Frame, Said};
use crate::step::Step;
use crate::term::sealed as seal;

/// Seals and sends a control frame.
pub fn say(step: &mut Step<'_>, at: usize, said: Said) {
    let session = step.change(at);
    let (Some(to), Some(link)) = (session.theirs, session.link.as_mut()) else { return };
    link.said += 1;
    let body = seal(link.control[0], link.said, head(step.world, "sealed", to), said.term());
    step.send(Frame::Sealed { to, body });
}
