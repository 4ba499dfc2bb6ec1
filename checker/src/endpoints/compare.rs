//! Compares the behaviour of machines that the search takes for one local state.

use std::collections::HashMap;

use nacre_stack::interpret::{Armed, Machine};

use super::{Endpoints, Local, Step, Transition, Transitions};

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Compared {
    /// The number of steps that were repeated from a machine that differs from the representative of its local state.
    pub steps: usize,
    /// How machines behave differently that have the same canonical form.
    pub differences: Vec<String>,
}

impl Endpoints {
    /// Repeats each step of the search from the other machines of its local state. All machines of a local state
    /// have the same goals and armed timers, and the same outcomes of each step: next states and emitted events.
    pub fn compare(&self) -> Compared {
        let mut steps: HashMap<u32, Vec<(Step, Transitions)>> = HashMap::new();
        for ((from, step), transitions) in self.steps.entries() {
            steps.entry(from).or_default().push((step, transitions));
        }
        let mut compared = Compared::default();
        for (number, (end, machines)) in self.twins.take() {
            let local = self.locals.value(number);
            let here = steps.get(&number).map_or(&[][..], |steps| steps);
            let whole = local.machine.canonical_bytes();
            for machine in machines.iter().filter(|machine| machine.canonical_bytes() != whole) {
                if !is_alike(&local, machine) {
                    compared.differences.push(format!("local state {number}: goals or timers differ"));
                }
                compared.steps += here.len();
                let differing = here.iter().filter(|(step, known)| !self.is_same(end, &local, machine, *step, known));
                let text =
                    |(step, _): &(Step, Transitions)| format!("local state {number}: outcomes of {step:?} differ");
                compared.differences.extend(differing.map(text));
            }
        }
        compared
    }

    /// Returns whether a step has the same outcomes from another machine of a local state.
    fn is_same(&self, end: usize, local: &Local, machine: &Machine, step: Step, known: &[Transition]) -> bool {
        let clock = if let Step::Wait(until) = step { until } else { local.clock };
        let run = &mut |machine: &mut Machine| self.run(machine, end, local, step);
        let outcomes = self.every_transition(end, (machine, local.earlier, clock), false, run);
        let same = |(a, b): (&Transition, &Transition)| a.is_same(b);
        outcomes.len() == known.len() && outcomes.iter().zip(known).all(same)
    }
}

fn is_alike(local: &Local, machine: &Machine) -> bool {
    let place = |armed: &Armed| (armed.layer, armed.timer, armed.indices.clone());
    let mut armed: Vec<_> = machine.armed().iter().map(place).collect();
    armed.sort();
    let known: Vec<_> = local.armed.iter().map(place).collect();
    armed == known && machine.goals() == local.goals && machine.is_busy() == local.busy
}
