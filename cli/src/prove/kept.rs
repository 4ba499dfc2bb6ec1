//! Proofs of bypasses that this user has, so that a stack is proved once: a file for each, named after what is proved.

use std::fs;
use std::path::PathBuf;

use nacre_driver::Session;
use nacre_prover::solvers;
use nacre_stack::{number, print, Stack};
use sha2::{Digest, Sha256};

use super::bypasses::{judge, name, Verdict};
use super::threads::in_parallel;
use crate::console::say;
use crate::progress::Waiting;

/// Part of each name: another one when a proof claims something else.
const CLAIMS: &str = "nacre bypass claims 1";

/// Leaves the bypasses of an optimized stack that are proved; says which are not, and why.
pub fn keep_proved(session: &Session, composed: &Stack, optimized: &mut Stack) {
    let mut stack = Stack { bypasses: optimized.bypasses.clone(), ..composed.clone() };
    number(&mut stack);
    let kept = Kept::find();
    let names = names_of(&stack);
    let mut proved: Vec<bool> = names.iter().map(|name| kept.has(name)).collect();
    let open: Vec<usize> = (0..names.len()).filter(|at| !proved[*at]).collect();
    if !open.is_empty() {
        match solvers::all() {
            Err(missing) => {
                let all = names.len();
                say(&format!("note: {} of {all} bypasses are left out, as nothing proves them: {missing}", open.len()));
            }
            Ok(solvers) => {
                let waiting = Waiting::begin(format!("proving {} bypasses of {}", open.len(), stack.name));
                let verdicts = in_parallel(open.len(), |at| judge(&stack, open[at], &solvers));
                drop(waiting);
                for (at, verdict) in open.iter().zip(verdicts) {
                    match verdict {
                        Verdict::Proved => {
                            proved[*at] = true;
                            kept.keep(&names[*at]);
                        }
                        Verdict::Never => {}
                        Verdict::Open(why) => {
                            say(&format!("note: a bypass is left out: {}: {why}", name(session, &stack, *at)));
                        }
                    }
                }
            }
        }
    }
    let mut proved = proved.into_iter();
    optimized.bypasses.retain(|_| proved.next() == Some(true));
    number(optimized);
}

/// A name for each bypass: a digest of the stack as it is composed, and of the bypass.
fn names_of(stack: &Stack) -> Vec<String> {
    let composed = print(&Stack { bypasses: vec![], ..stack.clone() });
    let begun = Sha256::new().chain_update(CLAIMS).chain_update(&composed);
    let name = |bypass: &nacre_stack::Bypass| {
        let text = print(&Stack { bypasses: vec![bypass.clone()], ..stack.clone() });
        let digest = begun.clone().chain_update(&text[composed.len().min(text.len())..]).finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    stack.bypasses.iter().map(name).collect()
}

/// The folder of this user's proofs; none: they are not kept.
struct Kept(Option<PathBuf>);

impl Kept {
    /// `nacre/proofs` in $XDG_CACHE_HOME, or in ~/.cache.
    fn find() -> Kept {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        Kept(base.map(|base| base.join("nacre/proofs")))
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
