//! Seeded bugs: small changes to layers, to the IR that the back end is given, and to the C that it writes.

pub mod emitted;
pub mod layers;

/// What came of one seeded bug.
#[derive(Clone, Debug)]
pub struct Fate {
    pub name: &'static str,
    /// What found it, and its words; errors: why it could not be tried, or that nothing found it.
    pub found: Result<(&'static str, String), String>,
}

/// A table of what found what; the names of those that live are given back.
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
