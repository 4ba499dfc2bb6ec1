//! Seeded bugs: small changes to layers, to the IR for the back end, and to the emitted C.

pub mod emitted;
pub mod layers;

/// The result for one seeded bug.
#[derive(Clone, Debug)]
pub struct Fate {
    pub name: &'static str,
    /// The test that found it, and its message; errors: why it could not be tried, or that nothing found it.
    pub found: Result<(&'static str, String), String>,
}

/// Prints a table of the results; returns the names of undetected bugs.
pub fn report(fates: &[Fate]) -> Vec<String> {
    let mut wrong = Vec::new();
    for fate in fates {
        match &fate.found {
            Ok((by, words)) => {
                let words: String = words.lines().next().unwrap_or_default().chars().take(100).collect();
                println!("{:42} {by:18} {words}", fate.name);
            }
            Err(why) => {
                println!("{:42} LIVES              {why}", fate.name);
                wrong.push(format!("{}: {why}", fate.name));
            }
        }
    }
    wrong
}
