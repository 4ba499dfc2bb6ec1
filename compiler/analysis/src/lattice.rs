//! Lattices: the values that analyses track. They only grow, so that iteration ends.

use std::collections::{BTreeMap, BTreeSet};

/// A join-semilattice of finite height. Its bottom, the value of unreachable code, is `Default` if it has one.
pub trait Lattice: Clone + PartialEq {
    /// Joins `other` into `self`; returns whether `self` grew.
    fn join(&mut self, other: &Self) -> bool;

    /// The join of both.
    fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}

/// Whether something may hold.
impl Lattice for bool {
    fn join(&mut self, other: &bool) -> bool {
        let grew = *other && !*self;
        *self |= *other;
        grew
    }
}

/// None: unreachable.
impl<T: Lattice> Lattice for Option<T> {
    fn join(&mut self, other: &Option<T>) -> bool {
        match (self.as_mut(), other) {
            (_, None) => false,
            (Some(known), Some(other)) => known.join(other),
            (None, Some(other)) => {
                *self = Some(other.clone());
                true
            }
        }
    }
}

/// The possible elements.
impl<T: Ord + Clone> Lattice for BTreeSet<T> {
    fn join(&mut self, other: &BTreeSet<T>) -> bool {
        let before = self.len();
        self.extend(other.iter().cloned());
        self.len() > before
    }
}

/// A map; a missing key has the bottom.
impl<K: Ord + Clone, V: Lattice> Lattice for BTreeMap<K, V> {
    fn join(&mut self, other: &BTreeMap<K, V>) -> bool {
        let mut grew = false;
        for (key, value) in other {
            grew |= match self.get_mut(key) {
                Some(known) => known.join(value),
                None => {
                    self.insert(key.clone(), value.clone());
                    true
                }
            };
        }
        grew
    }
}

impl<A: Lattice, B: Lattice> Lattice for (A, B) {
    fn join(&mut self, other: &(A, B)) -> bool {
        self.0.join(&other.0) | self.1.join(&other.1)
    }
}

/// The greatest of ordered values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Max<T>(pub T);

impl<T: Ord + Clone> Lattice for Max<T> {
    fn join(&mut self, other: &Max<T>) -> bool {
        let grew = other.0 > self.0;
        if grew {
            self.0 = other.0.clone();
        }
        grew
    }
}

/// A common divisor of all values: 0, the bottom, only of zero itself; 1, the top, of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stride(pub u32);

impl Stride {
    /// Unknown.
    pub const ANY: Stride = Stride(1);
}

impl Lattice for Stride {
    fn join(&mut self, other: &Stride) -> bool {
        let before = *self;
        let (mut a, mut b) = (self.0, other.0);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        self.0 = a;
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Checks the laws by which fixed points are unique and iteration ends.
    fn laws<T: Lattice + Debug>(values: &[T]) {
        for a in values {
            assert!(!a.clone().join(a), "idempotent: {a:?}");
            for b in values {
                let both = a.clone().joined(b);
                assert_eq!(both, b.clone().joined(a), "commutative: {a:?}, {b:?}");
                assert!(!both.clone().join(a), "above its parts: {a:?}, {b:?}");
                assert_eq!(a.clone().join(b), both != *a, "tells whether it grew: {a:?}, {b:?}");
                for c in values {
                    let (left, right) = (both.clone().joined(c), a.clone().joined(&b.clone().joined(c)));
                    assert_eq!(left, right, "associative: {a:?}, {b:?}, {c:?}");
                }
            }
        }
    }

    #[test]
    fn joins_keep_the_laws() {
        laws(&[false, true]);
        laws(&[Max(1), Max(4), Max(2)]);
        laws(&[0, 1, 2, 4, 6, 9, u32::MAX].map(Stride));
        let sets = [vec![], vec![1], vec![2, 3], vec![1, 2, 3]].map(BTreeSet::from_iter);
        laws(&sets);
        laws(&sets.clone().map(Some));
        laws(&[None, Some(false), Some(true)]);
        laws(&[(false, Max(1)), (true, Max(0)), (false, Max(7))]);
        laws(&[vec![], vec![(1, false)], vec![(1, true)], vec![(2, false)]].map(BTreeMap::from_iter));
    }
}
