//! Bugs that are injected into a copy of the tree, to measure whether random programs find them.

/// A bug: a text of a file, and its replacement.
#[derive(Clone, Debug)]
pub struct Bug {
    pub name: String,
    pub file: String,
    old: String,
    new: String,
}

/// The bugs of `tools/injected-bugs.txt`.
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

impl Bug {
    /// The source with the bug in it.
    ///
    /// Errors: the old text is not there exactly once, spaces aside.
    pub fn apply(&self, source: &str) -> Result<String, String> {
        let letters: Vec<(usize, char)> = source.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
        let old: Vec<char> = self.old.chars().filter(|c| !c.is_whitespace()).collect();
        let here = |at: &usize| letters[*at..*at + old.len()].iter().map(|(_, c)| c).eq(&old);
        let found: Vec<usize> = (0..(letters.len() + 1).saturating_sub(old.len())).filter(here).collect();
        let [at] = found[..] else {
            return Err(format!("{}: the text is {} times in {}: {}", self.name, found.len(), self.file, self.old));
        };
        let (from, last) = (letters[at].0, letters[at + old.len() - 1]);
        Ok(format!("{}{}{}", &source[..from], self.new, &source[last.0 + last.1.len_utf8()..]))
    }
}
