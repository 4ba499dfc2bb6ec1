//! The files of a program, with their paths and lines.

use crate::{SourceId, Span};

/// All files that were read, in the order of reading.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    path: String,
    text: String,
    /// The byte at which each line begins.
    starts: Vec<u32>,
}

impl Sources {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; the path is only shown, never opened.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> SourceId {
        let (path, text) = (path.into(), text.into());
        let after_newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
        let starts = std::iter::once(0).chain(after_newlines).collect();
        self.files.push(Source { path, text, starts });
        SourceId(self.files.len() as u32 - 1)
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// The path of a file; `?` for a file that was never added.
    pub fn path(&self, id: SourceId) -> &str {
        self.files.get(id.0 as usize).map_or("?", |file| &file.path)
    }

    /// The text of a file; empty for a file that was never added.
    pub fn text(&self, id: SourceId) -> &str {
        self.files.get(id.0 as usize).map_or("", |file| &file.text)
    }

    /// The text under a span, as far as the file has it.
    pub fn slice(&self, span: Span) -> &str {
        let text = self.text(span.file);
        text.get(span.start as usize..(span.end as usize).min(text.len())).unwrap_or("")
    }

    /// The line in which a span begins, from 1.
    pub fn line(&self, span: Span) -> usize {
        self.files.get(span.file.0 as usize).map_or(1, |file| file.starts.partition_point(|&start| start <= span.start))
    }

    /// A line without its end, by its number from 0; empty where the file has none.
    pub(crate) fn line_at(&self, id: SourceId, line: usize) -> &str {
        let Some(file) = self.files.get(id.0 as usize) else { return "" };
        let end = file.starts.get(line + 1).map_or(file.text.len(), |&next| next as usize);
        let text = file.text.get(self.start_of(id, line) as usize..end).unwrap_or("");
        text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
    }

    /// The byte at which a line begins, by its number from 0.
    pub(crate) fn start_of(&self, id: SourceId, line: usize) -> u32 {
        let file = self.files.get(id.0 as usize);
        file.and_then(|file| file.starts.get(line)).copied().unwrap_or(0)
    }

    /// The character of its line at which a span begins, from 1.
    pub fn column(&self, span: Span) -> usize {
        let Some(file) = self.files.get(span.file.0 as usize) else { return 1 };
        let start = file.starts[self.line(span) - 1] as usize;
        let before = file.text.as_bytes().get(start..(span.start as usize).min(file.text.len())).unwrap_or(&[]);
        String::from_utf8_lossy(before).chars().count() + 1
    }

    /// Every file, in the order of reading.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> {
        (0..self.files.len() as u32).map(SourceId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_start_at_one() {
        let mut sources = Sources::new();
        let file = sources.add("a.nacre", "ab\nüxy\n");
        let at = |start| Span { file, start, end: start };
        assert_eq!((sources.line(at(0)), sources.column(at(0))), (1, 1));
        assert_eq!((sources.line(at(2)), sources.column(at(2))), (1, 3));
        assert_eq!((sources.line(at(5)), sources.column(at(5))), (2, 2));
        assert_eq!((sources.line(at(7)), sources.column(at(7))), (2, 4));
        assert_eq!(sources.line(at(8)), 3);
        assert_eq!(sources.line(at(999)), 3);
    }

    #[test]
    fn an_unknown_file_has_no_text() {
        let sources = Sources::new();
        let span = Span { file: SourceId(7), start: 3, end: 4 };
        assert_eq!(
            (sources.path(span.file), sources.slice(span), sources.line(span), sources.column(span)),
            ("?", "", 1, 1)
        );
    }
}
