//! Sets of small numbers: 64 elements a word, bits above the last element clear.

use crate::mask;

/// The number of words of a set of `n` elements.
pub fn words(n: u32) -> usize {
    n.div_ceil(64) as usize
}

/// The set without bits beyond its size.
pub fn trim(mut set: Vec<u64>, n: u32) -> Vec<u64> {
    set.resize(words(n), 0);
    if let (Some(last), true) = (set.last_mut(), n % 64 != 0) {
        *last &= mask(n % 64);
    }
    set
}

/// Whether a number is an element.
pub fn member(set: &[u64], element: u64) -> bool {
    usize::try_from(element / 64).ok().and_then(|w| set.get(w)).is_some_and(|w| w >> (element % 64) & 1 == 1)
}

/// The smallest element, 0 if there is none.
pub fn first(set: &[u64]) -> u64 {
    let word = set.iter().position(|w| *w != 0);
    word.map_or(0, |at| at as u64 * 64 + set[at].trailing_zeros() as u64)
}

/// The number of elements.
pub fn count(set: &[u64]) -> u64 {
    set.iter().map(|w| u64::from(w.count_ones())).sum()
}

/// The elements, ascending.
pub fn elements(set: &[u64]) -> impl Iterator<Item = u64> + '_ {
    (0..set.len() as u64 * 64).filter(|i| member(set, *i))
}

/// Adds a number to each element; elements that become too large are removed.
pub fn raise(set: &[u64], by: u64, n: u32) -> Vec<u64> {
    moved(set, n, |i| i.checked_add(by))
}

/// Subtracts a number from each element; elements below 0 are removed.
pub fn lower(set: &[u64], by: u64, n: u32) -> Vec<u64> {
    moved(set, n, |i| i.checked_sub(by))
}

fn moved(set: &[u64], n: u32, to: impl Fn(u64) -> Option<u64>) -> Vec<u64> {
    let mut result = vec![0u64; words(n)];
    for element in elements(set).filter_map(to).filter(|i| *i < u64::from(n)) {
        result[(element / 64) as usize] |= 1 << (element % 64);
    }
    result
}
