//! Which ends of connections are honest.

use crate::state::{Phase, Session, State};
use crate::term::public;
use crate::world::{Address, World};

/// Whether the peer of an open connection end is honest, as this end sees it.
pub fn has_honest_peer(world: &World, session: &Session) -> bool {
    let Some(link) = &session.link else { return false };
    if world.attacker.is_passive {
        return true;
    }
    match link.peer {
        None => !world.attacker.psk,
        Some(key) => {
            let is_of = |member: Address| world.identity(member).map(public) == Some(key);
            world.addresses().any(|member| is_of(member) && !world.attacker.statics.contains(&member))
        }
    }
}

/// The open connection ends with honest peers.
pub fn open_ends<'a>(world: &'a World, state: &'a State) -> impl Iterator<Item = &'a Session> {
    let is_it = |session: &&Session| session.phase == Phase::Open && has_honest_peer(world, session);
    state.sessions.iter().map(|session| &**session).filter(is_it)
}
