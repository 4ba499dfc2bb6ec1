//! Counts of what programs have reached.

use std::collections::BTreeMap;
use std::sync::Mutex;

static REACHED: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// Counts something that a program has reached.
pub fn reached(what: &'static str, count: u64) {
    *REACHED.lock().expect("nobody panics and goes on").entry(what).or_default() += count;
}

/// Prints all counts.
pub extern "C" fn report() {
    for (what, count) in REACHED.lock().expect("nobody panics and goes on").iter() {
        println!("REACHED {what} {count}");
    }
}
