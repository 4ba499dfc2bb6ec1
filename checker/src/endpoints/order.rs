//! The order in which timers of an endpoint were armed, for those of which a configuration states which is shorter.

use nacre_stack::interpret::Machine;
use nacre_stack::{Stack, TimerId};
use nacre_worlds::setup::Bounds;

/// The stated pairs, and those that follow from them.
#[derive(Default)]
pub struct Order {
    /// The shorter timer first.
    pairs: Vec<(TimerId, TimerId)>,
}

/// For each pair a bit: both timers are armed, the shorter no later than the longer.
pub type Earlier = u64;

impl Order {
    /// The pairs of a configuration. [`Setup::check`](nacre_worlds::setup::Setup::check) ensures that there are no more
    /// than bits.
    pub fn of(stack: &Stack, bounds: &Bounds) -> Order {
        let id = |name: &String| stack.timers.iter().position(|t| t.name == *name).map(|at| TimerId(at as u32));
        let stated = bounds.all_shorter().into_iter();
        Order { pairs: stated.filter_map(|(timer, than)| Some((id(&timer)?, id(&than)?))).collect() }
    }

    /// Returns the bits after a step.
    pub fn after(&self, before: Earlier, machine: &Machine) -> Earlier {
        if self.pairs.is_empty() {
            return 0;
        }
        let armed = machine.armed();
        let is_armed = |timer: TimerId| armed.iter().any(|a| a.timer == timer);
        let bits = self.pairs.iter().enumerate().filter(|(at, (shorter, longer))| {
            let known = before >> at & 1 == 1;
            // Both were armed at the same time if both were armed in this step.
            let no_later = machine.was_armed(*longer) || known && !machine.was_armed(*shorter);
            is_armed(*shorter) && is_armed(*longer) && no_later
        });
        bits.fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// Whether an armed timer cannot fire before a shorter one has.
    pub fn waits(&self, earlier: Earlier, timer: TimerId) -> bool {
        self.pairs.iter().enumerate().any(|(at, (_, longer))| *longer == timer && earlier >> at & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nacre_driver::Session;
    use nacre_stack::interpret::Outcome;
    use nacre_worlds::setup::Setup;
    use nacre_worlds::values::address;
    use nacre_worlds::world::{world, Subject};

    use super::*;

    /// The world of a layer whose timers are armed in any order.
    fn puts_off() -> Setup {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/sources/worlds/timers.nacre");
        let session = Session::open(&[file]);
        let subject = Subject { name: "puts_off".into(), is_layer: true };
        let configuration = session.configurations().into_iter().find(|c| c.subject == subject.name).unwrap();
        match world(&session, &subject, &configuration, false) {
            Ok(world) => world.setup,
            Err(_) => panic!("there is no world"),
        }
    }

    /// A number below `n`, of a linear congruential generator.
    fn below(seed: &mut u64, n: u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) % n
    }

    /// Two endpoints with a clock, over a line that loses frames: what the search excludes never happens.
    #[test]
    fn real_time_keeps_the_stated_order() {
        let setup = puts_off();
        let order = Order::of(setup.stack(), &setup.bounds);
        let send = setup.calls().into_iter().find(|call| call.bytes.is_some()).expect("a call").event;
        let mut machines = [0, 1].map(|end| Machine::of(setup.stack_of(end).clone(), setup.config(end)));
        let (mut earlier, mut now, mut seed) = ([0; 2], 0, 7);
        let mut flying: [Vec<Vec<u8>>; 2] = Default::default();
        for machine in &mut machines {
            assert_eq!(machine.open(0), Outcome::Ok);
            machine.take_outputs();
        }
        let (mut waiting, mut fired) = (0, 0);
        for _ in 0..100_000 {
            now += below(&mut seed, 800_000_000);
            let end = below(&mut seed, 2) as usize;
            let machine = &mut machines[end];
            let outcome = match below(&mut seed, 3) {
                0 => machine.call(send, &[], &[1], now),
                1 if !flying[end].is_empty() => {
                    let at = below(&mut seed, flying[end].len() as u64) as usize;
                    machine.input(address(1 - end), &flying[end].swap_remove(at), now)
                }
                _ => {
                    let due = machine.armed().first().filter(|armed| armed.deadline <= now).cloned();
                    if let Some(due) = due.filter(|_| !machine.is_busy()) {
                        assert!(!order.waits(earlier[end], due.timer), "{due:?} fires before a shorter timer");
                        fired += 1;
                    }
                    machine.tick(now)
                }
            };
            if matches!(outcome, Outcome::Ok | Outcome::Dropped) {
                earlier[end] = order.after(earlier[end], machine);
            }
            waiting += u32::from(earlier[end] != 0);
            for output in machine.take_outputs() {
                if let (0, Some(bytes), 1..) = (output.port.0, output.bytes, below(&mut seed, 4)) {
                    flying[1 - end].push(bytes);
                }
            }
            assert_eq!(machine.take_reports(), []);
        }
        assert!(waiting > 1000 && fired > 1000, "{waiting} {fired}");
    }
}
