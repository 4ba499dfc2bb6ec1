//! The numbers of the local states of all endpoints, in eight bytes.

use nacre_specification::members::Members;

use crate::memo::Interner;

/// The local states of the endpoints: the number of that of the first, and of two endpoints that of the other; of more,
/// the number of the list of the others in [`Lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Locals {
    first: u32,
    rest: u32,
}

/// What [`Locals`] of more than two endpoints refer to.
pub struct Lists {
    members: Members,
    rests: Interner<Vec<u32>>,
}

impl Lists {
    /// The lists of a world.
    pub fn new(members: Members) -> Lists {
        Lists { members, rests: Interner::default() }
    }

    /// The bytes that the table allocates if these many more lists make it grow.
    pub fn growth(&self, more: usize) -> usize {
        self.rests.growth(more)
    }

    /// Local states of all endpoints, of which none is known yet.
    pub fn unknown(&self) -> Locals {
        let rest = match self.members.is_pair() {
            true => 0,
            false => self.rests.number(vec![0; self.members.count() - 1]),
        };
        Locals { first: 0, rest }
    }

    /// Returns the number of the local state of an endpoint.
    pub fn of(&self, locals: Locals, end: usize) -> u32 {
        match (end, self.members.is_pair()) {
            (0, _) => locals.first,
            (_, true) => locals.rest,
            (end, false) => self.rests.value(locals.rest)[end - 1],
        }
    }

    /// Returns the local states in which that of an endpoint is another one.
    pub fn with(&self, locals: Locals, end: usize, local: u32) -> Locals {
        match (end, self.members.is_pair()) {
            (0, _) => Locals { first: local, ..locals },
            (_, true) => Locals { rest: local, ..locals },
            (end, false) => {
                let mut rest = self.rests.value(locals.rest).as_ref().clone();
                rest[end - 1] = local;
                Locals { rest: self.rests.number(rest), ..locals }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_endpoint_has_its_local_state() {
        for count in 2..=4 {
            let members = Members::new(count).unwrap();
            let lists = Lists::new(members);
            let all = members.all().fold(lists.unknown(), |all, end| lists.with(all, end, 10 + end as u32));
            let again = members.all().rev().fold(lists.unknown(), |all, end| lists.with(all, end, 10 + end as u32));
            assert_eq!(all, again);
            assert!(members.all().all(|end| lists.of(all, end) == 10 + end as u32));
        }
        assert_eq!(size_of::<Locals>(), 8);
    }
}
