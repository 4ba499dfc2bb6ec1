//! Proofs of bypasses that this user has, so that a stack is proved once: a file for each, named after what is proved.

use std::fs;
use std::path::PathBuf;

use nacre_driver::Session;
use nacre_prover::bypasses::{judge, with_bypasses_of, Verdict};
use nacre_prover::solvers;
use nacre_stack::{number, print, Stack};
use sha2::{Digest, Sha256};

use super::bypasses::unproved;
use super::threads::in_parallel;
use crate::console::say;
use crate::progress::Waiting;
use crate::user_folders;

/// Part of each name: another one when a proof claims something else.
const CLAIMS: &str = "nacre bypass claims 2";

/// Leaves the bypasses of an optimized stack that are proved; says which are not, and why.
pub fn keep_proved(session: &Session, composed: &Stack, optimized: &mut Stack) {
    let stack = with_bypasses_of(composed, optimized);
    let kept = Kept::find();
    let names: Vec<String> = (0..stack.bypasses.len()).map(|at| name_of(&stack, at)).collect();
    let mut proved: Vec<bool> = names.iter().map(|name| kept.has(name)).collect();
    for at in newly_proved(session, &stack, &proved) {
        proved[at] = true;
        kept.keep(&names[at]);
    }
    let mut proved = proved.into_iter();
    optimized.bypasses.retain(|_| proved.next() == Some(true));
    number(optimized);
}

/// The bypasses that are not proved yet and that the solvers prove now.
fn newly_proved(session: &Session, stack: &Stack, proved: &[bool]) -> Vec<usize> {
    let open: Vec<usize> = (0..proved.len()).filter(|at| !proved[*at]).collect();
    if open.is_empty() {
        return open;
    }
    let solvers = match solvers::all() {
        Ok(solvers) => solvers,
        Err(missing) => {
            let (left_out, all) = (open.len(), proved.len());
            say(&format!("note: {left_out} of {all} bypasses are left out, as nothing proves them: {missing}"));
            return vec![];
        }
    };
    let waiting = Waiting::begin(format!("proving {} bypasses of {}", open.len(), stack.name));
    let verdicts = in_parallel(open.len(), |at| judge(stack, open[at], &solvers));
    drop(waiting);
    let judged = || open.iter().zip(&verdicts);
    for why in judged().filter_map(|(at, verdict)| unproved(session, stack, *at, verdict)) {
        say(&format!("note: a bypass is left out: {why}"));
    }
    judged().filter(|(_, verdict)| **verdict == Verdict::Proved).map(|(at, _)| *at).collect()
}

/// A name for a bypass: a digest of the stack as it is composed, and of the bypass.
fn name_of(stack: &Stack, at: usize) -> String {
    let alone = Stack { bypasses: vec![stack.bypasses[at].clone()], ..stack.clone() };
    let digest = Sha256::new().chain_update(CLAIMS).chain_update(print(&alone)).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder of this user's proofs; none: they are not kept.
struct Kept(Option<PathBuf>);

impl Kept {
    /// `nacre/proofs` in $XDG_CACHE_HOME, or in ~/.cache.
    fn find() -> Kept {
        Kept(user_folders::find("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("proofs")))
    }

    fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|folder| folder.join(name).is_file())
    }

    /// What cannot be kept is proved again the next time.
    fn keep(&self, name: &str) {
        if let Some(folder) = &self.0 {
            let _ = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(name), ""));
        }
    }
}
