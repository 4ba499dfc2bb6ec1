//! Local states with equal canonical forms are one state of the search. [`Twins`] checks what this relies on: that they
//! behave equally.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nacre_stack::interpret::Machine;

/// How local states are compared.
#[derive(Clone, Copy)]
pub struct Canonical {
    /// The canonical form of a machine, without times if `true`. Machines with equal forms are one local state.
    pub form: fn(&Machine, bool) -> Vec<u8>,
    /// Whether other machines of each local state are kept, so that their behaviour can be compared
    /// ([`Endpoints::compare`](crate::endpoints::Endpoints::compare)).
    pub twins: bool,
}

impl Default for Canonical {
    fn default() -> Canonical {
        Canonical { form: |machine, times| machine.abstract_bytes(times), twins: false }
    }
}

/// Machines with their endpoint, by the number of their local state.
pub type ByState = BTreeMap<u32, (usize, Vec<Machine>)>;

/// Machines that were found to be in a local state, and are not its representative.
#[derive(Default)]
pub struct Twins(Mutex<ByState>);

/// The number of machines that are kept of each local state: the first ones and the latest one.
const KEPT: usize = 3;

impl Twins {
    /// Notes a machine of an endpoint.
    pub fn note(&self, end: usize, number: u32, machine: Machine) {
        let mut all = self.lock();
        let (_, known) = all.entry(number).or_insert_with(|| (end, vec![]));
        known.truncate(KEPT - 1);
        known.push(machine);
    }

    /// Takes the noted machines.
    pub fn take(&self) -> ByState {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, ByState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
