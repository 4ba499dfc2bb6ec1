//! Inserts bugs into a copy of the source: into the compiler, to measure whether random programs find them, and into the
//! library, to measure whether its specifications and tests do. One build contains all bugs of the compiler; the environment
//! variable [`CHOSEN`] activates one.

use std::path::Path;

/// The environment variable with the number of the active bug; if it is unset, no bug is active.
pub const CHOSEN: &str = "NACRE_BUG";

/// The file to which [`functions`] are added, and the place in the C back end that calls one of them for each template.
const LIBRARY: &str = "compiler/stack/src/lib.rs";
const EXPANSION: &str = "compiler/backends/c/src/template.rs";
const EXPANDED: &str = "let mut rest = template;";

/// A bug: texts of a file, and their replacements.
#[derive(Clone, Debug, Default)]
pub struct Bug {
    pub name: String,
    pub file: String,
    changes: Vec<Change>,
}

#[derive(Clone, Debug, Default)]
struct Change {
    old: String,
    new: String,
    /// The replacement has begun: another old text begins another change.
    replaced: bool,
}

/// Parses a list such as `tools/injected-bugs.txt`.
pub fn bugs(list: &str) -> Vec<Bug> {
    let mut bugs: Vec<Bug> = Vec::new();
    for line in list.lines() {
        if let Some(name) = line.strip_prefix("bug ") {
            bugs.push(Bug { name: name.into(), ..Bug::default() });
        }
        if let Some(bug) = bugs.last_mut() {
            bug.read(line);
        }
    }
    bugs
}

/// Inserts one bug of a list into the source in a folder. Returns the bug.
///
/// Fails if there is no such bug, if it does not fit its file, or if a file cannot be read or written.
pub fn seed(list: &Path, number: usize, folder: &Path) -> Result<Bug, String> {
    let text = std::fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let bug = bugs(&text).into_iter().nth(number).ok_or(format!("the list has no bug {number}"))?;
    write(folder, &bug.file, &bug.apply(&read(folder, &bug.file)?, number)?)?;
    Ok(bug)
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
    let change = Change { old: EXPANDED.into(), new: asked.into(), replaced: true };
    let expansion = Bug { name: "the expansion of templates".into(), file: EXPANSION.into(), changes: vec![change] };
    write(folder, EXPANSION, &expansion.apply(&read(folder, EXPANSION)?, 0)?)?;
    Ok(bugs.into_iter().map(|bug| bug.name).collect())
}

/// Returns the functions that injected bugs call: whether a bug is active, and a template of C with the active bug.
fn functions(bugs: &[Bug]) -> String {
    let templates = bugs.iter().enumerate().filter(|(_, bug)| bug.is_template());
    let row = |number: usize, change: &Change| format!("({number}, {:?}, {:?}),", change.old, change.new);
    let rows: String =
        templates.flat_map(|(number, bug)| bug.changes.iter().map(move |change| row(number, change))).collect();
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
    /// Parses a line that follows the name.
    fn read(&mut self, line: &str) {
        if let Some(file) = line.strip_prefix("in ") {
            self.file = file.into();
        } else if let Some(old) = line.strip_prefix("- ") {
            if self.changes.last().is_none_or(|change| change.replaced) {
                self.changes.push(Change::default());
            }
            self.changes.last_mut().expect("one was added").old.push_str(old);
        } else if let (Some(new), Some(change)) = (line.strip_prefix('+'), self.changes.last_mut()) {
            change.new.push_str(new);
            change.replaced = true;
        }
    }

    /// Whether it changes a template of C. Such a bug is inserted when the template is expanded.
    fn is_template(&self) -> bool {
        self.file.ends_with(".c")
    }

    /// Returns the source with the bug. `BUG` in its text becomes the test whether the bug of this number is active.
    ///
    /// Fails unless each old text occurs exactly once, apart from spaces.
    pub fn apply(&self, source: &str, number: usize) -> Result<String, String> {
        if self.changes.is_empty() {
            return Err(format!("{}: nothing is changed", self.name));
        }
        self.changes.iter().try_fold(source.to_string(), |source, change| {
            let new = change.new.replace("BUG", &format!("nacre_stack::is_chosen({number})"));
            if !self.is_template() {
                return change.replace(&source, &new).map_err(|times| self.misfit(change, times));
            }
            match source.matches(&change.old).count() {
                1 => Ok(source.replace(&change.old, &new)),
                times => Err(self.misfit(change, times)),
            }
        })
    }

    fn misfit(&self, change: &Change, times: usize) -> String {
        format!("{}: the text is {times} times in {}: {}", self.name, self.file, change.old)
    }
}

impl Change {
    /// The source with the new text in place of the old one; spaces and line ends may differ.
    ///
    /// Errors: how often the old text is there, if not once.
    fn replace(&self, source: &str, new: &str) -> Result<String, usize> {
        let letters: Vec<(usize, char)> = source.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
        let old: Vec<char> = self.old.chars().filter(|c| !c.is_whitespace()).collect();
        let here = |at: &usize| letters[*at..*at + old.len()].iter().map(|(_, c)| c).eq(&old);
        let found: Vec<usize> = (0..(letters.len() + 1).saturating_sub(old.len())).filter(here).collect();
        let [at] = found[..] else { return Err(found.len()) };
        let (from, last) = (letters[at].0, letters[at + old.len() - 1]);
        Ok(format!("{}{new} {}", &source[..from], &source[last.0 + last.1.len_utf8()..]))
    }
}
