//! Runs solvers on problems. Limits are units of work, not time, so that verdicts repeat on any machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nacre_process::{on_path, run};

/// A solver of this machine.
#[derive(Clone, Debug)]
pub struct Solver {
    pub name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
}

/// Its answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing contradicts the claim.
    Proved,
    /// A contradiction: the values that the problem asked for, as text.
    Refuted(Vec<String>),
    /// It gave up at its limit.
    Unknown,
    /// It reported an error.
    Failed(String),
}

/// z3 and cvc5, with their limits: about ten seconds of work.
const SOLVERS: [(&str, &[&str]); 2] =
    [("z3", &["rlimit=30000000"]), ("cvc5", &["--rlimit=2000000", "--produce-models", "--arrays-exp"])];

/// Their limits where an answer is worth less: about a second of work.
const QUICK: [&[&str]; 2] = [&["rlimit=3000000"], &["--rlimit=300000", "--produce-models", "--arrays-exp"]];

/// A problem still running after this time is stuck, whatever its limit.
pub(crate) const STUCK: Duration = Duration::from_secs(300);

/// The limit of a solver's processor time in seconds, many times what its units of work take. It counts no units while
/// it makes multiplications and divisions of many bits into gates, which can take hours.
const PROCESSOR_TIME: u32 = 60;

/// Finds all solvers.
///
/// # Errors
/// The first that is missing, and how to install it.
pub fn all() -> Result<Vec<Solver>, String> {
    let found = SOLVERS.iter().map(|(name, arguments)| {
        let program = on_path(Path::new(name)).ok_or_else(|| {
            format!("`{name}` was not found: install it, on Debian and Ubuntu with `apt-get install {name}`")
        })?;
        Ok(Solver { name, program, arguments })
    });
    found.collect()
}

impl Solver {
    /// The same solver with a lower limit.
    pub fn quick(&self) -> Solver {
        let of =
            |((name, _), arguments): ((&str, _), &&'static [&'static str])| (name == self.name).then_some(*arguments);
        let arguments = SOLVERS.into_iter().zip(&QUICK).find_map(of).unwrap_or(self.arguments);
        Solver { arguments, ..self.clone() }
    }

    /// Solves a problem in SMT-LIB.
    pub fn solve(&self, problem: &str) -> Answer {
        self.try_to(problem).unwrap_or_else(|error| Answer::Failed(error.to_string()))
    }

    fn try_to(&self, problem: &str) -> std::io::Result<Answer> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("problem.smt2"), problem)?;
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("ulimit -t {PROCESSOR_TIME}; exec \"$0\" \"$@\""));
        command.arg(&self.program).args(self.arguments).arg("problem.smt2");
        let ran = run(&mut command, folder.path(), STUCK)?;
        Ok(answer(&ran.words, ran.stopped))
    }
}

fn answer(words: &str, stopped: bool) -> Answer {
    let first = words.lines().next().unwrap_or_default().trim();
    match first {
        // After `unsat`, asking for values is an error, which both report.
        "unsat" => Answer::Proved,
        "sat" => Answer::Refuted(values(words)),
        // Without a word it has met the limit of its time.
        "unknown" | "timeout" | "" => Answer::Unknown,
        _ if stopped || words.contains("interrupted") || words.contains("resource") => Answer::Unknown,
        _ => Answer::Failed(words.lines().take(3).collect::<Vec<_>>().join(" ")),
    }
}

/// The values in `((term value) (term value))`, in order.
fn values(words: &str) -> Vec<String> {
    let text = words.split_once('\n').map_or("", |(_, rest)| rest).trim();
    let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return vec![] };
    let pairs = groups(inside);
    pairs.iter().map(|pair| readable(groups(&pair[1..pair.len() - 1]).last().copied().unwrap_or(pair))).collect()
}

/// The terms that stand side by side: words, names in bars, and parentheses with what is between them.
fn groups(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start, mut quoted) = (vec![], 0i32, None, false);
    for (at, letter) in text.char_indices() {
        if quoted {
            quoted = letter != '|';
            continue;
        }
        match letter {
            '|' => (quoted, start) = (true, start.or(Some(at))),
            '(' => {
                depth += 1;
                start = start.or(Some(at));
            }
            ')' => depth -= 1,
            _ if letter.is_whitespace() => {
                if let (Some(from), 0) = (start, depth) {
                    found.push(&text[from..at]);
                    start = None;
                }
            }
            _ => start = start.or(Some(at)),
        }
        if letter == ')' && depth == 0 {
            if let Some(from) = start.take() {
                found.push(&text[from..=at]);
            }
        }
    }
    found.extend(start.map(|from| &text[from..]));
    found
}

/// A number in decimal, if it is one that fits 128 bits.
fn readable(value: &str) -> String {
    let number = match value.split_at_checked(2) {
        Some(("#x", digits)) => u128::from_str_radix(digits, 16).ok(),
        Some(("#b", digits)) => u128::from_str_radix(digits, 2).ok(),
        _ => value.strip_prefix("(_ bv").and_then(|rest| rest.split(' ').next()).and_then(|digits| digits.parse().ok()),
    };
    number.map_or_else(|| value.to_string(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nacre_symbolic::terms::{script, Goal, Sort, Terms};

    #[test]
    fn answers_are_read() {
        let sat = "sat\n((|a b| #x0f)\n (|c.some| true) (|d| (_ bv7 8)) (|e| #b101))\n";
        assert_eq!(answer(sat, false), Answer::Refuted(vec!["15".into(), "true".into(), "7".into(), "5".into()]));
        assert_eq!(answer("unsat\n(error \"no model\")", false), Answer::Proved);
        assert_eq!(answer("unknown\n", false), Answer::Unknown);
        assert!(matches!(answer("(error \"line 3\")", false), Answer::Failed(_)));
    }

    #[test]
    fn solvers_prove_and_refute() {
        let Ok(solvers) = all() else { return };
        for solver in solvers {
            let problem = |claim: &str| {
                format!(
                    "(set-option :produce-models true)\n(set-logic QF_AUFBV)\n(declare-fun |x y| () (_ BitVec 8))\n\
                     (assert (not {claim}))\n(check-sat)\n(get-value (|x y|))\n"
                )
            };
            assert_eq!(solver.solve(&problem("(= (bvadd |x y| #x01) (bvsub |x y| #xff))")), Answer::Proved);
            assert_eq!(solver.solve(&problem("(not (= |x y| #x2a))")), Answer::Refuted(vec!["42".into()]));
            assert!(matches!(solver.solve("(nonsense)"), Answer::Failed(_)), "{}", solver.name);
        }
    }

    /// Arrays whose elements are all the same are not in the logic of the others.
    #[test]
    fn problems_with_constant_arrays_are_understood() {
        let Ok(solvers) = all() else { return };
        let mut terms = Terms::new();
        let array = terms.free("array", Sort::Array(8, 16));
        let zero = terms.bits(16, 0);
        let zeros = terms.filled(8, zero);
        let claim = terms.equal(array, zeros);
        for (assumptions, wanted) in [(vec![], Answer::Refuted(vec![])), (vec![claim], Answer::Proved)] {
            let text = script(&terms, &Goal { name: "zeros".into(), assumptions, claim }, &[]);
            assert!(text.contains("as const"), "{text}");
            for solver in &solvers {
                assert_eq!(solver.solve(&text), wanted, "{}", solver.name);
            }
        }
    }
}
