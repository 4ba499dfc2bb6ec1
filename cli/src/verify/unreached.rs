//! Handlers and branches of a subject that no run executed.

use nacre_checker::coverage::{unvisited_in_all, Unvisited};
use nacre_driver::Session;
use nacre_stack::interpret::Covered;
use nacre_worlds::world::World;

/// A handler or branch that no run executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// Its name and location.
    pub what: String,
    /// Whether it is a branch of a layer in a stack that has its own configurations, which must cover it.
    pub elsewhere: bool,
}

impl Unreached {
    /// The code that ran in none of several worlds of one subject.
    pub fn in_all(worlds: &[(&World, &Covered)], session: &Session) -> Vec<Unreached> {
        let Some((world, _)) = worlds.first() else { return vec![] };
        unvisited_in_all(worlds).iter().map(|one| Unreached::of(one, world, session)).collect()
    }

    fn of(unvisited: &Unvisited, world: &World, session: &Session) -> Unreached {
        let Unvisited { layer, code, branch } = unvisited;
        let Some(span) = branch else {
            return Unreached { what: format!("`{code}`"), elsewhere: false };
        };
        let stack = world.setup.stack();
        let declared = stack.layer(*layer).span;
        let name = session.program.layers().find(|l| l.span == declared).map(|l| l.name.name.as_str());
        let has_own = session.configurations().iter().any(|c| Some(c.subject.as_str()) == name);
        Unreached {
            what: format!("the branch of `{code}` at {}", session.places(&[*span])),
            elsewhere: has_own && stack.layers.len() > 1,
        }
    }
}
