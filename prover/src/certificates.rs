//! Certificates: of a goal, the formula that has no model if the goal holds, and a proof that it has none. CaDiCaL
//! finds the proof; `nacre_certificates` checks it, from the files alone. What is trusted is that the formula is that
//! of the goal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_certificates::folder::check_files;
use nacre_process::{on_path, run};
use nacre_symbolic::terms::{script, Goal, Terms};

use crate::cnf::encode::Cnf;
use crate::solvers::STUCK;

/// CaDiCaL gives up at this number of conflicts, so that what has a certificate does not depend on the machine.
const MOST_CONFLICTS: u32 = 1_000_000;
/// Exit statuses of solvers, as their competitions define them.
const HAS_MODEL: i32 = 10;
const HAS_NO_MODEL: i32 = 20;

/// Writes certificates into a folder.
#[derive(Clone, Debug)]
pub struct Writer {
    cadical: PathBuf,
    folder: PathBuf,
}

/// Files of a certificate that was accepted, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub clauses: usize,
    pub formula: u64,
    pub proof: u64,
}

impl Writer {
    /// Finds CaDiCaL.
    ///
    /// # Errors
    /// It is missing, and how to install it.
    pub fn new(folder: &Path) -> Result<Writer, String> {
        let cadical = on_path(Path::new("cadical")).ok_or(
            "`cadical`, which finds the proofs, was not found: install it, on Debian and Ubuntu with `apt-get install \
             cadical`",
        )?;
        let folder = std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Writer { cadical, folder })
    }

    /// Writes `NAME.smt2`, `NAME.cnf` and `NAME.drat`, and checks them. Without a certificate, only the first remains.
    ///
    /// # Errors
    /// Why there is no certificate.
    pub fn write(&self, terms: &Terms, goal: &Goal, name: &str) -> Result<Size, String> {
        self.put(name, "smt2", &script(terms, goal, &[]))?;
        let cnf = Cnf::of_goal(terms, goal).map_err(|why| format!("it cannot be encoded: {why}"))?;
        self.put(name, "cnf", &cnf.dimacs(&goal.name))?;
        let proved = self.solve(name).and_then(|()| {
            check_files(&self.folder, name).map_err(|why| format!("the checker rejects the proof of CaDiCaL: {why}"))
        });
        if let Err(why) = proved {
            for kind in ["cnf", "drat"] {
                // What was not written need not be removed.
                let _ = fs::remove_file(self.path(name, kind));
            }
            return Err(why);
        }
        let bytes = |kind: &str| fs::metadata(self.path(name, kind)).map_or(0, |file| file.len());
        Ok(Size { clauses: cnf.clauses(), formula: bytes("cnf"), proof: bytes("drat") })
    }

    fn path(&self, name: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{name}.{kind}"))
    }

    fn put(&self, name: &str, kind: &str, text: &str) -> Result<(), String> {
        let path = self.path(name, kind);
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    fn solve(&self, name: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("CaDiCaL failed: {error}");
        let output = tempfile::tempdir().map_err(failed)?;
        let mut command = Command::new(&self.cadical);
        command.args(["-q", "--no-binary", "-c", &MOST_CONFLICTS.to_string()]);
        command.arg(self.path(name, "cnf")).arg(self.path(name, "drat"));
        let ran = run(&mut command, output.path(), STUCK).map_err(failed)?;
        match ran.status.code() {
            Some(HAS_NO_MODEL) => Ok(()),
            Some(HAS_MODEL) => Err("its formula has a model: it does not say enough about the claim".into()),
            Some(0) | None => Err(format!("CaDiCaL gave up (limit: {MOST_CONFLICTS} conflicts)")),
            Some(_) => Err(format!("CaDiCaL failed: {}", ran.words.lines().take(3).collect::<Vec<_>>().join(" "))),
        }
    }
}
