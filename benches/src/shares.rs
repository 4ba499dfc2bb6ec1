//! Which share of the calls and frames of simulated connections takes a bypass.

use std::path::Path;

use nacre_driver::Session;
use nacre_profiles::{bypassed, taken_by, Workload};
use nacre_simulator::network::Conditions;

/// Lost frames in percent.
pub const LOSSES: [f64; 3] = [0.0, 1.0, 5.0];
/// Another seed than that by which bypasses are chosen.
const SEED: u64 = 77;

/// The shares of a stack.
#[derive(Clone, Debug)]
pub struct Share {
    pub stack: &'static str,
    /// How many bypasses it has.
    pub bypasses: usize,
    /// In percent, by loss.
    pub taken: [f64; LOSSES.len()],
}

/// Simulates each stack at each loss: a conversation and a stream of 2,000 messages of up to 200 bytes from each end.
///
/// # Errors
/// The stack does not compile, or cannot be simulated.
pub fn measure(file: &Path) -> Result<Vec<Share>, String> {
    let mut session = Session::open(&[file.to_path_buf()]);
    let mut all = vec![];
    for stack in ["one", "reliable_plain", "four", "ten", "encrypted_reliable"] {
        eprintln!("simulating {stack}");
        let Some(composed) = session.stack(stack) else { return Err(session.render(false)) };
        let optimized = bypassed(&composed);
        let mut taken = [0.0; LOSSES.len()];
        for (share, loss) in taken.iter_mut().zip(LOSSES) {
            let conditions = Conditions { loss: loss / 100.0, delay: 2_000_000, ..Conditions::default() };
            let workload = Workload { seed: SEED, messages: 2_000, largest: 200, conditions };
            let counts = taken_by(&composed, &optimized, &workload).map_err(|why| why.to_string())?;
            *share = 100.0 * counts.bypasses.iter().sum::<u64>() as f64 / counts.steps.max(1) as f64;
        }
        all.push(Share { stack, bypasses: optimized.bypasses.len(), taken });
    }
    Ok(all)
}
