//! Inserts bugs into a copy of the source, to measure whether random programs find them. One build contains all bugs;
//! the environment variable [`CHOSEN`] activates one.

use std::path::Path;

/// The environment variable with the number of the active bug; if it is unset, no bug is active.
pub const CHOSEN: &str = "NACRE_BUG";

/// The file to which [`functions`] are added, and the place in the C back end that calls one of them for each template.
const LIBRARY: &str = "compiler/stack/src/lib.rs";
const EXPANSION: &str = "compiler/backends/c/src/template.rs";
const EXPANDED: &str = "let mut rest = template;";

/// A bug: a text of a file, and its replacement.
#[derive(Clone, Debug)]
pub struct Bug {
    pub name: String,
    pub file: String,
    old: String,
    new: String,
}

/// Parses `tools/injected-bugs.txt`.
pub fn bugs(list: &str) -> Vec<Bug> {
    let mut bugs: Vec<Bug> = Vec::new();
    for line in list.lines() {
        if let Some(name) = line.strip_prefix("bug ") {
            let empty = String::new;
            bugs.push(Bug { name: name.into(), file: empty(), old: empty(), new: empty() });
        }
        let Some(bug) = bugs.last_mut() else { continue };
        for (mark, text) in [("in ", &mut bug.file), ("- ", &mut bug.old), ("+ ", &mut bug.new)] {
            if let Some(rest) = line.strip_prefix(mark) {
                text.push_str(rest);
            }
        }
    }
    bugs
}

/// Inserts all bugs into the source in a folder. Returns their names.
///
/// Fails if a bug does not fit its file, or if a file cannot be read or written.
pub fn inject(folder: &Path) -> Result<Vec<String>, String> {
    let bugs = bugs(&read(folder, "tools/injected-bugs.txt")?);
    for (number, bug) in bugs.iter().enumerate() {
        let changed = bug.apply(&read(folder, &bug.file)?, number)?;
        if !bug.is_template() {
            write(folder, &bug.file, &changed)?;
        }
    }
    write(folder, LIBRARY, &(read(folder, LIBRARY)? + &functions(&bugs)))?;
    let asked = "let template = &nacre_stack::with_bug(template); let mut rest: &str = template;";
    let (name, file) = ("the expansion of templates".into(), EXPANSION.into());
    let expansion = Bug { name, file, old: EXPANDED.into(), new: asked.into() };
    write(folder, EXPANSION, &expansion.apply(&read(folder, EXPANSION)?, 0)?)?;
    Ok(bugs.into_iter().map(|bug| bug.name).collect())
}

/// Returns the functions that injected bugs call: whether a bug is active, and a template of C with the active bug.
fn functions(bugs: &[Bug]) -> String {
    let templates = bugs.iter().enumerate().filter(|(_, bug)| bug.is_template());
    let rows: String = templates.map(|(number, bug)| format!("({number}, {:?}, {:?}),", bug.old, bug.new)).collect();
    format!(
        "
        pub fn is_chosen(number: usize) -> bool {{
            static CHOSEN: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
            let chosen = || std::env::var({CHOSEN:?}).ok().and_then(|number| number.parse().ok());
            *CHOSEN.get_or_init(chosen) == Some(number)
        }}
        const TEMPLATES: &[(usize, &str, &str)] = &[{rows}];
        pub fn with_bug(template: &str) -> String {{
            let found = TEMPLATES.iter().find(|(number, ..)| is_chosen(*number));
            found.map_or_else(|| template.to_string(), |(_, old, new)| template.replace(old, new))
        }}
        "
    )
}

fn read(folder: &Path, file: &str) -> Result<String, String> {
    std::fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))
}

fn write(folder: &Path, file: &str, text: &str) -> Result<(), String> {
    std::fs::write(folder.join(file), text).map_err(|error| format!("{file}: {error}"))
}

impl Bug {
    /// Whether it changes a template of C. Such a bug is inserted when the template is expanded.
    fn is_template(&self) -> bool {
        self.file.ends_with(".c")
    }

    /// Returns the source with the bug. `BUG` in its text becomes the test whether the bug of this number is active.
    ///
    /// Fails unless the old text occurs exactly once, apart from spaces.
    pub fn apply(&self, source: &str, number: usize) -> Result<String, String> {
        let new = self.new.replace("BUG", &format!("nacre_stack::is_chosen({number})"));
        if self.is_template() {
            return match source.matches(&self.old).count() {
                1 => Ok(source.replace(&self.old, &new)),
                times => Err(self.misfit(times)),
            };
        }
        let letters: Vec<(usize, char)> = source.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
        let old: Vec<char> = self.old.chars().filter(|c| !c.is_whitespace()).collect();
        let here = |at: &usize| letters[*at..*at + old.len()].iter().map(|(_, c)| c).eq(&old);
        let found: Vec<usize> = (0..(letters.len() + 1).saturating_sub(old.len())).filter(here).collect();
        let [at] = found[..] else { return Err(self.misfit(found.len())) };
        let (from, last) = (letters[at].0, letters[at + old.len() - 1]);
        Ok(format!("{}{new}{}", &source[..from], &source[last.0 + last.1.len_utf8()..]))
    }

    fn misfit(&self, times: usize) -> String {
        format!("{}: the text occurs {times} times in {}: {}", self.name, self.file, self.old)
    }
}
