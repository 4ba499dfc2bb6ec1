//! The engines: the explorer on the stack IR, and SPIN.

use nacre_driver::Session;

use super::report::{Reported, Told};
use super::world::World;
use crate::args::{Engine, Verify};
use crate::interrupt::Interrupt;

/// What each engine that is wanted comes to, in order.
pub fn run(args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Result<Vec<Reported>, String> {
    let mut all = vec![];
    for engine in super::engines(args) {
        match engine {
            Engine::Explorer => {
                all.push(Reported::of_explorer(super::search(args, world, interrupt, args.json)?, world, session))
            }
            Engine::Spin | Engine::SpinC | Engine::All => return Err("this engine is not built yet".into()),
        }
    }
    Ok(all)
}

#[allow(dead_code)]
fn unfit(engine: &str, why: String) -> Reported {
    let verdict = Told::Unfit(why);
    Reported {
        engine: engine.into(),
        verdict,
        states: 0,
        moves: 0,
        depth: 0,
        seconds: 0.0,
        memory_mib: 0.0,
        unreached: vec![],
    }
}
