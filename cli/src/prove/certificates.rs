//! Certificates of claims, in a folder that the user names.

use std::fs;
use std::path::Path;

use nacre_prover::certificates::{Size, Writer};
use nacre_prover::solvers::Solver;
use nacre_symbolic::terms::{Goal, Terms};

use crate::console::{complain, print, Exit};

/// What proves claims, and what writes certificates of them, if these are asked for.
pub(super) struct Tools<'t> {
    pub solvers: &'t [Solver],
    pub writer: Option<&'t Writer>,
}

/// What became of the certificate of a claim that is proved: its name, and its size or the reason that there is none.
pub(super) struct Certificate {
    pub name: String,
    pub result: Result<Size, String>,
}

/// Finds CaDiCaL, and makes the folder. Files of another run are no certificates of this one, so it must be empty.
pub(super) fn begin(folder: &Path) -> Result<Writer, Exit> {
    let writer = Writer::new(folder).map_err(|missing| {
        complain(&missing);
        Exit::Unknown
    })?;
    let is_empty = fs::create_dir_all(folder).and_then(|()| Ok(fs::read_dir(folder)?.next().is_none()));
    match is_empty {
        Ok(true) => Ok(writer),
        Ok(false) => {
            complain(&format!(
                "{} is not empty: certificates are written into a new or empty folder",
                folder.display()
            ));
            Err(Exit::Usage)
        }
        Err(error) => {
            complain(&format!("{}: {error}", folder.display()));
            Err(Exit::Usage)
        }
    }
}

/// Writes one. The parts of the name are joined; characters that not all file systems have are replaced.
pub(super) fn write(writer: &Writer, terms: &Terms, goal: &Goal, parts: &[&str]) -> Certificate {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let readable = |part: &&str| part.chars().map(letter).collect::<String>();
    let name = parts.iter().map(readable).collect::<Vec<_>>().join(".");
    Certificate { result: writer.write(terms, goal, &name), name }
}

/// Prints how many claims have certificates, and why others have none; returns how many have none.
pub(super) fn report(all: &[Certificate]) -> usize {
    let missing: Vec<(&str, &str)> =
        all.iter().filter_map(|one| Some((one.name.as_str(), one.result.as_ref().err()?.as_str()))).collect();
    let sizes: Vec<&Size> = all.iter().filter_map(|one| one.result.as_ref().ok()).collect();
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    print(&format!(
        "certificates: {} of {} written and checked (formulas {} MiB, proofs {} MiB)\n",
        sizes.len(),
        all.len(),
        mebibytes(sizes.iter().map(|size| size.formula).sum()),
        mebibytes(sizes.iter().map(|size| size.proof).sum())
    ));
    missing.iter().for_each(|(name, why)| print(&format!("  {name}: none: {why}\n")));
    missing.len()
}
