//! Sequence numbers that wrap compare like unbounded numbers if the network discards old copies. Therefore a search
//! with numbers of small width also holds for full width.
//!
//! The world of the lemma is any window protocol: a sender whose unacknowledged numbers are `low .. high`, at most N of
//! them; a receiver that expects `next`; one copy `f` of a message, in flight, after which `age` others have been sent;
//! and a network that drops a copy when AGE others have been sent after it (`lossy_network<AGE>`). Numbers are
//! unbounded there. Three claims:
//!
//! 1. *Induction*: `low <= next <= high <= low + N`, `f < high <= f + N + age` and `age <= AGE` hold initially and
//!    after each step: a new message, a repeated one, an acknowledgement, a receipt.
//! 2. *Distance*: then `next - f` is between `-N` and `N + AGE` when the copy arrives.
//! 3. *Width*: then, if `N + AGE < 2^(bits - 1)`, the signed distance of the two numbers cut to `bits` equals that of
//!    the uncut numbers.
//!
//! z3 and cvc5 each prove that no state contradicts any of them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nacre_process::{on_path, run};

/// Solvers and their arguments.
pub const SOLVERS: [&str; 2] = ["z3", "cvc5"];

/// The negated claims; each is unsatisfiable.
pub fn claims(bits: u8) -> Vec<(&'static str, String)> {
    let state = |mark: &str| {
        let names = ["low", "high", "next", "f", "age"].map(|n| format!("(declare-const {n}{mark} Int)")).join("\n");
        let inside = format!(
            "(and (<= low{m} next{m}) (<= next{m} high{m}) (<= high{m} (+ low{m} N)) (< f{m} high{m}) \
             (<= high{m} (+ f{m} N age{m})) (<= 0 age{m}) (<= age{m} AGE))",
            m = mark
        );
        (names, inside)
    };
    let (before, inside) = state("");
    let (after, inside_after) = state("2");
    let constants =
        "(set-logic QF_LIA)\n(declare-const N Int)\n(declare-const AGE Int)\n(assert (and (< 0 N) (<= 0 AGE)))";
    // Unchanged variables are equated.
    let steps = "(or \
        (and (< (- high low) N) (< age AGE) (= high2 (+ high 1)) (= low2 low) (= next2 next) (= f2 f) \
        (= age2 (+ age 1))) \
        (and (< age AGE) (= high2 high) (= low2 low) (= next2 next) (= f2 f) (= age2 (+ age 1))) \
        (and (<= low low2) (<= low2 next) (= high2 high) (= next2 next) (= f2 f) (= age2 age)) \
        (and (<= next next2) (<= next2 high) (= high2 high) (= low2 low) (= f2 f) (= age2 age)) \
        (and (<= low f2) (< f2 high) (= age2 0) (= high2 high) (= low2 low) (= next2 next)) \
        (and (< (- high low) N) (= f2 high) (= age2 0) (= high2 (+ high 1)) (= low2 low) (= next2 next)))";
    let first = format!(
        "{constants}\n{before}\n(assert (and (= low 0) (= next 0) (= high 1) (= f 0) (= age 0)))\n(assert (not \
         {inside}))\n(check-sat)\n"
    );
    let step = format!(
        "{constants}\n{before}\n{after}\n(assert {inside})\n(assert {steps})\n(assert (not \
        {inside_after}))\n(check-sat)\n"
    );
    let near = format!(
        "{constants}\n{before}\n(assert {inside})\n(assert (not (and (<= (- N) (- next f)) (<= (- next f) (+ N \
         AGE)))))\n(check-sat)\n"
    );
    let half = 1u64 << (bits - 1);
    let width = format!(
        "(set-logic QF_BV)\n(declare-const a (_ BitVec 64))\n(declare-const b (_ BitVec 64))\n\
         (assert (bvslt (bvsub a b) (_ bv{half} 64)))\n(assert (bvslt (bvneg (_ bv{half} 64)) (bvsub a b)))\n\
         (assert (not (= ((_ sign_extend {rest}) (bvsub ((_ extract {top} 0) a) ((_ extract {top} 0) b))) \
         (bvsub a b))))\n(check-sat)\n",
        rest = 64 - u32::from(bits),
        top = bits - 1
    );
    vec![("at first", first), ("after each step", step), ("how far apart", near), ("cut to the width", width)]
}

/// Checks every claim with a solver; returns the first that it does not confirm, with its output. `Err`: the solver is
/// missing or failed.
pub fn check(solver: &str, bits: u8) -> Result<Option<String>, String> {
    let program = on_path(Path::new(solver))
        .ok_or(format!("`{solver}` was not found: install it, on Debian and Ubuntu with `apt-get install {solver}`"))?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (name, text) in claims(bits) {
        let file = folder.path().join("claim.smt2");
        std::fs::write(&file, &text).map_err(|e| e.to_string())?;
        let ran = run(Command::new(&program).arg(&file), folder.path(), Duration::from_secs(60))
            .map_err(|e| e.to_string())?;
        match ran.words.trim() {
            "unsat" => {}
            words => return Ok(Some(format!("{name}: {words}"))),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_numbers_of_every_width_compare_like_unbounded_ones() {
        for solver in SOLVERS {
            for bits in [3, 8, 16, 28, 32] {
                match check(solver, bits) {
                    Ok(found) => assert_eq!(found, None, "{solver}, {bits} bits"),
                    Err(missing) => assert!(missing.contains("install"), "{missing}"),
                }
            }
        }
    }

    #[test]
    fn a_claim_without_the_bound_on_age_is_refuted() {
        let Some(z3) = on_path(Path::new("z3")) else { return };
        let folder = tempfile::tempdir().unwrap();
        let (_, step) = &claims(8)[1];
        // A network that never forgets.
        let broken = step.replace("(< age AGE) ", "");
        assert_ne!(broken, *step);
        std::fs::write(folder.path().join("claim.smt2"), broken).unwrap();
        let ran = run(Command::new(z3).arg("claim.smt2"), folder.path(), Duration::from_secs(60)).unwrap();
        assert_eq!(ran.words.trim(), "sat");
    }
}
