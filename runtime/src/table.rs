//! The connections of a listener, found by index or by cookie in constant time.
//!
//! All 24 bits of a cookie are drawn at random: nothing about it follows from other cookies, from the number of
//! connections or from the time.

use crate::random::Random;
use crate::shard::Shard;
use crate::wire::COOKIE_BITS;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most connections that a table can hold: less than one cookie in 250 is in use.
pub const CONNECTIONS_MAX: usize = 65_535;

/// The place of a value that is to be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub index: u32,
    pub cookie: u32,
}

#[derive(Debug)]
struct Slot<T> {
    cookie: u32,
    value: Option<Box<T>>,
}

#[derive(Debug)]
pub(crate) struct Table<T> {
    slots: Vec<Slot<T>>,
    /// Free slots, in the order in which they became free.
    free: VecDeque<u32>,
    /// The index of each cookie in use. Peers choose no keys, so a fast hash is safe.
    by_cookie: FxHashMap<u32, u32>,
    /// The slot that `find` found last: frames of one peer often follow each other.
    recent: u32,
    limit: usize,
    shard: Shard,
}

impl<T> Table<T> {
    pub(crate) fn new(limit: usize, shard: Shard) -> Table<T> {
        let limit = limit.clamp(1, CONNECTIONS_MAX);
        Table { slots: Vec::new(), free: VecDeque::new(), by_cookie: FxHashMap::default(), recent: 0, limit, shard }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_cookie.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == self.limit
    }

    /// A place for the next value; none if the table is full. Nothing is taken until `insert`.
    pub(crate) fn propose(&self, random: &mut Random) -> Option<Place> {
        let index = self.next_index()?;
        let last = self.slots.get(index as usize).map_or(0, |slot| slot.cookie);
        loop {
            let cookie = self.shard.cookie((random.draw() & ((1 << COOKIE_BITS) - 1)) as u32);
            if cookie != last && !self.by_cookie.contains_key(&cookie) {
                return Some(Place { index, cookie });
            }
        }
    }

    /// The same with a given cookie; none, too, if it is in use.
    pub(crate) fn propose_with(&self, cookie: u32) -> Option<Place> {
        let index = self.next_index()?;
        (!self.by_cookie.contains_key(&cookie)).then_some(Place { index, cookie })
    }

    fn next_index(&self) -> Option<u32> {
        match self.slots.len() < self.limit {
            true => Some(self.slots.len() as u32),
            false => self.free.front().copied(),
        }
    }

    /// Puts a value at the place that `propose` gave last, or that is reserved.
    pub(crate) fn insert(&mut self, place: Place, value: T) {
        if !self.is_reserved(place) {
            self.reserve(place);
        }
        self.slots[place.index as usize].value = Some(Box::new(value));
    }

    /// Takes the place that `propose` gave last, for a value that comes later. It counts as in use, and has none.
    pub(crate) fn reserve(&mut self, place: Place) {
        let slot = Slot { cookie: place.cookie, value: None };
        if place.index as usize == self.slots.len() {
            self.slots.push(slot);
        } else {
            let taken = self.free.pop_front();
            assert_eq!(taken, Some(place.index), "a place that was not proposed");
            self.slots[place.index as usize] = slot;
        }
        self.by_cookie.insert(place.cookie, place.index);
    }

    /// The index of the place that is reserved with a cookie.
    pub(crate) fn reserved(&self, cookie: u32) -> Option<u32> {
        let index = *self.by_cookie.get(&cookie)?;
        self.slots[index as usize].value.is_none().then_some(index)
    }

    fn is_reserved(&self, place: Place) -> bool {
        self.reserved(place.cookie) == Some(place.index)
    }

    /// Gives back a place that is reserved.
    pub(crate) fn release(&mut self, place: Place) {
        if self.is_reserved(place) {
            self.by_cookie.remove(&place.cookie);
            self.free.push_back(place.index);
        }
    }

    /// Gives each of two places that are reserved the other's cookie.
    pub(crate) fn exchange(&mut self, one: Place, other: Place) {
        if self.is_reserved(one) && self.is_reserved(other) {
            self.slots[one.index as usize].cookie = other.cookie;
            self.slots[other.index as usize].cookie = one.cookie;
            self.by_cookie.insert(one.cookie, other.index);
            self.by_cookie.insert(other.cookie, one.index);
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        self.slots.get(index as usize)?.value.as_deref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize)?.value.as_deref_mut()
    }

    /// The value with a cookie.
    #[inline]
    pub(crate) fn with(&self, cookie: u32) -> Option<&T> {
        self.get(*self.by_cookie.get(&cookie)?)
    }

    /// The same; the value that was found last is found without a look-up by hash.
    #[inline]
    pub(crate) fn find(&mut self, cookie: u32) -> Option<&mut T> {
        let recent = self.slots.get(self.recent as usize);
        if !recent.is_some_and(|slot| slot.cookie == cookie && slot.value.is_some()) {
            self.recent = *self.by_cookie.get(&cookie)?;
        }
        self.get_mut(self.recent)
    }

    /// The cookie of a value.
    pub(crate) fn cookie(&self, index: u32) -> Option<u32> {
        self.slots.get(index as usize).filter(|slot| slot.value.is_some()).map(|slot| slot.cookie)
    }

    pub(crate) fn remove(&mut self, index: u32) -> Option<Box<T>> {
        let slot = self.slots.get_mut(index as usize)?;
        let value = slot.value.take()?;
        self.by_cookie.remove(&slot.cookie);
        self.free.push_back(index);
        Some(value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.value.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn cookies_find_their_values_and_old_ones_find_none() {
        let mut table = Table::new(10_000, Shard::ALONE);
        let mut random = Random::new(3);
        let mut places = Vec::new();
        for n in 0..10_000 {
            let place = table.propose(&mut random).unwrap();
            assert!(place.cookie != 0 && place.cookie < 1 << 24);
            table.insert(place, n);
            places.push(place);
        }
        assert!(table.is_full() && table.propose(&mut random).is_none());
        for (n, place) in places.iter().enumerate() {
            assert_eq!((table.with(place.cookie), table.get(place.index)), (Some(&n), Some(&n)));
            assert!((0..2).all(|_| table.find(place.cookie).is_some_and(|found| *found == n)));
            assert_eq!(table.cookie(place.index), Some(place.cookie));
        }
        for place in &places {
            table.find(place.cookie);
            table.remove(place.index);
            assert!(table.find(place.cookie).is_none() && table.with(place.cookie).is_none());
            assert_eq!((table.cookie(place.index), table.remove(place.index)), (None, None));
            let next = table.propose(&mut random).unwrap();
            table.insert(next, 0);
            assert_ne!(next.cookie, place.cookie);
            assert_eq!((next.index, table.len()), (place.index, 10_000), "the slot that is free for the longest time");
        }
    }

    #[test]
    fn reserved_place_is_in_use_and_has_no_value() {
        let (mut table, mut random) = (Table::new(3, Shard::ALONE), Random::new(1));
        let mut reserve = |table: &mut Table<u32>| {
            let place = table.propose(&mut random).unwrap();
            table.reserve(place);
            place
        };
        let [one, other] = [reserve(&mut table), reserve(&mut table)];
        assert_eq!((table.len(), table.with(one.cookie), table.cookie(one.index)), (2, None, None));
        assert_eq!((table.reserved(one.cookie), table.remove(one.index)), (Some(one.index), None));
        table.exchange(one, other);
        table.insert(Place { cookie: other.cookie, ..one }, 7);
        assert_eq!((table.with(other.cookie), table.with(one.cookie)), (Some(&7), None));
        table.release(one);
        assert_eq!((table.len(), table.reserved(other.cookie)), (2, None), "not the one that has a value");
        table.release(Place { cookie: one.cookie, ..other });
        assert_eq!((table.len(), table.reserved(one.cookie)), (1, None));
        assert_eq!(table.remove(one.index), Some(Box::new(7)));
        assert_eq!(table.len(), 0);
    }

    /// Of 10,000 cookies each bit is set in about half, whatever the others are, and the order of slots does not show.
    #[test]
    fn every_bit_of_a_cookie_is_random() {
        let cookies = |seed: u64, limit: usize| -> Vec<u32> {
            let (mut table, mut random) = (Table::new(limit, Shard::ALONE), Random::new(seed));
            let mut next = || {
                let place = table.propose(&mut random).unwrap();
                table.insert(place, ());
                if table.is_full() {
                    table.remove(place.index);
                }
                place.cookie
            };
            (0..10_000).map(|_| next()).collect()
        };
        for limit in [2, 20_000] {
            let drawn = cookies(1, limit);
            for bit in 0..24 {
                let set = drawn.iter().filter(|cookie| **cookie >> bit & 1 == 1).count();
                let changes = drawn.windows(2).filter(|pair| (pair[0] ^ pair[1]) >> bit & 1 == 1).count();
                assert!((4_700..5_300).contains(&set) && (4_700..5_300).contains(&changes), "{bit}: {set} {changes}");
            }
            let all: HashSet<u32> = drawn.iter().copied().collect();
            let again = cookies(2, limit).iter().filter(|cookie| all.contains(cookie)).count();
            assert!(all.len() > 9_980 && again < 40, "{} {again}", all.len());
        }
    }
}
