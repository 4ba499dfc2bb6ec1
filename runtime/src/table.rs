//! The connections of a listener, found by cookie in constant time.
//!
//! A cookie is 24 bits: below, the index into the table (never 0), as many bits as the limit needs; above, a random
//! generation that differs from the one before. Slots are used again in the order they became free, so that a cookie
//! that is out of date finds no connection for as long as possible.

use crate::random::Random;
use crate::wire::COOKIE_BITS;
use std::collections::VecDeque;

/// The most connections that a table can hold: 8 bits are left for the generation.
pub const CONNECTIONS_MAX: usize = 65_535;

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<Box<T>>,
}

#[derive(Debug)]
pub(crate) struct Table<T> {
    slots: Vec<Slot<T>>,
    free: VecDeque<u32>,
    index_bits: u32,
    limit: usize,
    len: usize,
}

impl<T> Table<T> {
    pub(crate) fn new(limit: usize) -> Table<T> {
        let limit = limit.clamp(1, CONNECTIONS_MAX);
        let index_bits = usize::BITS - limit.leading_zeros();
        let unused = Slot { generation: 0, value: None };
        Table { slots: vec![unused], free: VecDeque::new(), index_bits, limit, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len == self.limit
    }

    /// A cookie for the next value; none if the table is full. Nothing is taken until `insert`.
    pub(crate) fn propose(&self, random: &mut Random) -> Option<u32> {
        let (index, last) = if self.slots.len() <= self.limit {
            (self.slots.len() as u32, 0)
        } else {
            let index = *self.free.front()?;
            (index, self.slots[index as usize].generation)
        };
        let generations = 1u64 << (COOKIE_BITS - self.index_bits);
        let mut generation = random.below(generations) as u32;
        if generation == last {
            generation = ((u64::from(generation) + 1) % generations) as u32;
        }
        Some(generation << self.index_bits | index)
    }

    /// Puts a value at the cookie that `propose` gave last.
    pub(crate) fn insert(&mut self, cookie: u32, value: T) {
        let (index, generation) = self.split(cookie);
        let slot = Slot { generation, value: Some(Box::new(value)) };
        if index == self.slots.len() {
            self.slots.push(slot);
        } else {
            let taken = self.free.pop_front();
            assert_eq!(taken, Some(index as u32), "a cookie that was not proposed");
            self.slots[index] = slot;
        }
        self.len += 1;
    }

    #[inline]
    pub(crate) fn get(&self, cookie: u32) -> Option<&T> {
        let (index, generation) = self.split(cookie);
        let slot = self.slots.get(index).filter(|slot| slot.generation == generation)?;
        slot.value.as_deref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, cookie: u32) -> Option<&mut T> {
        let (index, generation) = self.split(cookie);
        let slot = self.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        slot.value.as_deref_mut()
    }

    pub(crate) fn remove(&mut self, cookie: u32) -> Option<Box<T>> {
        let (index, generation) = self.split(cookie);
        let slot = self.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        let value = slot.value.take()?;
        self.free.push_back(index as u32);
        self.len -= 1;
        Some(value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.value.as_deref())
    }

    #[inline]
    fn split(&self, cookie: u32) -> (usize, u32) {
        ((cookie & ((1 << self.index_bits) - 1)) as usize, cookie >> self.index_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_find_their_values_and_old_ones_find_none() {
        let mut table = Table::new(10_000);
        let mut random = Random::new(3);
        let mut cookies = Vec::new();
        for n in 0..10_000 {
            let cookie = table.propose(&mut random).unwrap();
            assert!(cookie != 0 && cookie < 1 << 24);
            table.insert(cookie, n);
            cookies.push(cookie);
        }
        assert!(table.is_full() && table.propose(&mut random).is_none());
        assert!(cookies.iter().enumerate().all(|(n, cookie)| table.get(*cookie) == Some(&n)));
        for cookie in &cookies {
            table.remove(*cookie);
            let next = table.propose(&mut random).unwrap();
            table.insert(next, 0);
            assert_ne!(next, *cookie);
            assert_eq!(table.get(*cookie), None);
        }
    }
}
