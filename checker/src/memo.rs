//! Shared caches of all threads: interned values and memoized results.

use std::hash::Hash;
use std::sync::{Arc, RwLock};

use rustc_hash::FxHashMap;

/// An interner: equal keys have the same number, counted from 0, and the value of the first one inserted.
pub struct Interner<K, V> {
    numbers: RwLock<FxHashMap<K, u32>>,
    values: RwLock<Vec<Arc<V>>>,
}

impl<K: Hash + Eq, V> Default for Interner<K, V> {
    fn default() -> Interner<K, V> {
        Interner { numbers: RwLock::default(), values: RwLock::default() }
    }
}

impl<K: Hash + Eq, V> Interner<K, V> {
    /// Returns the number of a key; a new key gets the next number and the value that `value` returns.
    pub fn number(&self, key: K, value: impl FnOnce() -> V) -> u32 {
        if let Some(number) = read(&self.numbers).get(&key) {
            return *number;
        }
        let mut numbers = write(&self.numbers);
        let mut values = write(&self.values);
        *numbers.entry(key).or_insert_with(|| {
            values.push(Arc::new(value()));
            values.len() as u32 - 1
        })
    }

    /// Returns the value with a number.
    pub fn value(&self, number: u32) -> Arc<V> {
        read(&self.values)[number as usize].clone()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        read(&self.values).len()
    }
}

/// Memoized results by their arguments. Each thread caches those that it has used in its own [`Near`], so that it takes
/// the lock only once for each.
pub struct Memo<K, V>(RwLock<FxHashMap<K, V>>);
/// The part of a memo that one thread caches, without locks.
pub struct Near<K, V>(FxHashMap<K, V>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo(RwLock::default())
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
    /// Stores the value of a key.
    pub fn keep(&mut self, key: K, value: V) {
        self.0.insert(key, value);
    }
}

impl<K: Hash + Eq + Copy, V: Clone> Memo<K, V> {
    /// Returns all results with their arguments.
    pub fn entries(&self) -> Vec<(K, V)> {
        read(&self.0).iter().map(|(key, value)| (*key, value.clone())).collect()
    }

    /// `make` may run in two threads at once; both return the same result.
    pub fn get(&self, near: &mut Near<K, V>, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(value) = near.0.get(&key) {
            return value.clone();
        }
        let known = read(&self.0).get(&key).cloned();
        let value = known.unwrap_or_else(|| {
            let made = make();
            write(&self.0).entry(key).or_insert(made).clone()
        });
        near.0.insert(key, value.clone());
        value
    }
}

// A thread that panicked while it held the lock left only complete entries.
fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}
fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(|poisoned| poisoned.into_inner())
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
