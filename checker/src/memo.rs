//! Shared caches of all threads: interned values and memoized results.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, RwLock};

use hashbrown::HashTable;
use nacre_specification::members::Members;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The most results of one kind that a thread caches without locks.
const NEAR: usize = 1 << 15;

/// An interner: equal values have the same number, counted from 0.
pub struct Interner<T: ?Sized>(RwLock<(HashTable<u32>, Vec<Arc<T>>)>);

impl<T: ?Sized> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner(RwLock::default())
    }
}

impl<T: ?Sized> Interner<T> {
    /// Returns the number of a value.
    pub fn number(&self, value: T) -> u32
    where
        T: Hash + Eq + Clone,
    {
        self.number_of(&value, || Arc::new(value.clone()))
    }

    /// Returns the number of the value with a key; a new one gets the next number, and is made by `value`.
    pub fn number_of<K: Hash + Eq + ?Sized>(&self, key: &K, value: impl FnOnce() -> Arc<T>) -> u32
    where
        T: Borrow<K>,
    {
        let hash = FxBuildHasher.hash_one(key);
        let is_known = |values: &[Arc<T>], at: u32| (*values[at as usize]).borrow() == key;
        let known = read(&self.0);
        if let Some(number) = known.0.find(hash, |at| is_known(&known.1, *at)) {
            return *number;
        }
        drop(known);
        let mut known = write(&self.0);
        let (numbers, values) = &mut *known;
        if let Some(number) = numbers.find(hash, |at| is_known(values, *at)) {
            return *number;
        }
        let number = values.len() as u32;
        values.push(value());
        numbers.insert_unique(hash, number, |at| FxBuildHasher.hash_one((*values[*at as usize]).borrow()));
        number
    }

    /// Returns the value with a number.
    pub fn value(&self, number: u32) -> Arc<T> {
        read(&self.0).1[number as usize].clone()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        read(&self.0).1.len()
    }

    /// The bytes that the table of numbers allocates if these many more values make it grow.
    pub fn growth(&self, more: usize) -> usize {
        let numbers = &read(&self.0).0;
        growth(numbers.capacity(), numbers.len() + more, size_of::<u32>())
    }
}

/// The bytes that a hash table allocates to hold these many entries, each of `size` bytes, if it must grow for them.
pub fn growth(capacity: usize, entries: usize, size: usize) -> usize {
    match entries > capacity {
        // Twice the slots, of an entry and one byte of control; one of eight is kept free.
        true => capacity * 8 / 7 * 2 * (size + 1),
        false => 0,
    }
}

/// Memoized results by their arguments. Each thread caches those that it has used in its own [`Near`], so that it takes
/// the lock only once for each.
pub struct Memo<K, V> {
    known: RwLock<FxHashMap<K, V>>,
    most: usize,
}

/// The part of a memo that one thread caches, without locks.
pub struct Near<K, V>(FxHashMap<K, V>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo::of(usize::MAX)
    }
}
impl<K, V> Default for Near<K, V> {
    fn default() -> Near<K, V> {
        Near(FxHashMap::default())
    }
}

impl<K: Hash + Eq, V> Near<K, V> {
    /// Returns the value of a key, if it is stored.
    pub fn known(&self, key: &K) -> Option<&V> {
        self.0.get(key)
    }

    /// Returns the value of a key, which is searched elsewhere if it is not stored, and stored.
    fn value(&mut self, key: K, search: impl FnOnce() -> V) -> V
    where
        K: Copy,
        V: Clone,
    {
        if let Some(value) = self.known(&key) {
            return value.clone();
        }
        let value = search();
        self.keep(key, value.clone());
        value
    }

    /// Stores the value of a key; forgets the others if there are too many.
    pub fn keep(&mut self, key: K, value: V) {
        if self.0.len() == NEAR {
            self.0.clear();
        }
        self.0.insert(key, value);
    }
}

impl<K, V> Memo<K, V> {
    /// A memo that forgets its results when there are this many.
    pub fn of(most: usize) -> Memo<K, V> {
        Memo { known: RwLock::default(), most }
    }
}

impl<K: Hash + Eq + Copy, V: Clone> Memo<K, V> {
    /// The bytes that the table allocates if these many more results make it grow.
    pub fn growth(&self, more: usize) -> usize {
        let known = read(&self.known);
        growth(known.capacity(), (known.len() + more).min(self.most), size_of::<(K, V)>())
    }

    /// Returns all results with their arguments.
    pub fn entries(&self) -> Vec<(K, V)> {
        read(&self.known).iter().map(|(key, value)| (*key, value.clone())).collect()
    }

    /// `make` may run in two threads at once; both return the same result.
    pub fn get(&self, near: &mut Near<K, V>, key: K, make: impl FnOnce() -> V) -> V {
        near.value(key, || {
            let known = read(&self.known).get(&key).cloned();
            known.unwrap_or_else(|| {
                let made = make();
                let mut known = write(&self.known);
                if known.len() >= self.most {
                    known.clear();
                }
                known.entry(key).or_insert(made).clone()
            })
        })
    }
}

/// Memoized results by numbers counted from 0.
pub struct Numbered<V>(RwLock<Vec<Option<V>>>);

impl<V> Default for Numbered<V> {
    fn default() -> Numbered<V> {
        Numbered(RwLock::default())
    }
}

impl<V: Clone> Numbered<V> {
    /// As [`Memo::get`].
    pub fn get(&self, near: &mut Near<u32, V>, key: u32, make: impl FnOnce() -> V) -> V {
        near.value(key, || {
            let known = read(&self.0).get(key as usize).cloned().flatten();
            known.unwrap_or_else(|| {
                let made = make();
                let mut known = write(&self.0);
                let long = known.len().max(key as usize + 1);
                known.resize(long, None);
                known[key as usize].get_or_insert(made).clone()
            })
        })
    }
}

// A thread that panicked while it held the lock left only complete entries.
fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}
fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What a number means at an endpoint, as one number.
pub fn at_end(members: Members, number: u32, end: usize) -> u32 {
    number * members.count() as u32 + end as u32
}

/// The approximate size of an automaton's state, in bytes.
fn size_of_state(state: &[nacre_specification::Value]) -> usize {
    state.iter().map(size_of_value).sum()
}

/// The approximate size of a value of an automaton, in bytes.
pub fn size_of_value(value: &nacre_specification::Value) -> usize {
    use nacre_specification::Value::{Bag, Bool, Map, Msg, Num, Seq, Set, Tuple};
    let inside = match value {
        Bool(_) | Num(_) => 0,
        // Equal messages share their bytes.
        Msg(_) => 0,
        Tuple(parts) | Seq(parts) | Bag(parts) | Set(parts) => size_of_state(parts),
        Map(pairs) => pairs.iter().map(|(k, v)| size_of_value(k) + size_of_value(v)).sum(),
    };
    size_of::<nacre_specification::Value>() + inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_what_a_table_allocates() {
        let mut table = HashTable::<[u32; 3]>::new();
        let mut grown = 0;
        for entries in 0..100_000u32 {
            let (before, capacity) = (table.allocation_size(), table.capacity());
            let foreseen = growth(capacity, entries as usize + 1, size_of::<[u32; 3]>());
            table
                .insert_unique(FxBuildHasher.hash_one(entries), [entries; 3], |entry| FxBuildHasher.hash_one(entry[0]));
            let allocated = if table.allocation_size() == before { 0 } else { table.allocation_size() };
            // The smallest tables, and a group of control bytes beside each, do not count.
            assert!(allocated.abs_diff(foreseen) <= 128, "{entries} of {capacity}: {allocated}, {foreseen} foreseen");
            grown += u32::from(allocated > 0);
        }
        assert!(grown > 10);
    }

    #[test]
    fn tables_of_an_interner_and_of_a_memo_foresee_their_growth() {
        let interner = Interner::<u64>::default();
        let memo = Memo::<u64, u32>::default();
        for number in 0..10_000 {
            interner.number(number);
            memo.get(&mut Near::default(), number, || 0);
        }
        let (numbers, results) = (interner.growth(10_000), memo.growth(10_000));
        assert!((10_000 * 5..10_000 * 5 * 4).contains(&numbers), "{numbers}");
        assert!((10_000 * 17..10_000 * 17 * 4).contains(&results), "{results}");
        assert_eq!((interner.growth(0), memo.growth(0)), (0, 0));
        assert_eq!(Memo::<u64, u32>::of(0).growth(10_000), 0);
    }
}
