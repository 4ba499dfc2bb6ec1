//! The printed lines.

/// The limit for lines that can be broken, in columns.
pub(super) const WIDTH: usize = 120;
/// The columns of one level of indentation.
pub(super) const INDENT: usize = 4;

/// The aligned part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The type of a field.
    Type,
    /// The `=>` of an arm.
    Arm,
    /// The braces of a header on one line.
    Header,
    /// The braces of a handler on one line.
    Handler,
    /// The braces of a function or timer handler on one line.
    Function,
    /// The braces of an automaton's action on one line.
    Action,
    /// The second event on a line.
    Event,
}

/// A line, without its line break.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub indent: usize,
    pub text: String,
    /// The aligned part, and the byte where it begins.
    pub column: Option<(Column, usize)>,
    /// A trailing comment.
    pub comment: Option<String>,
}

impl Line {
    /// Returns whether the line has neither text nor a comment.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.comment.is_none()
    }

    /// The columns of the line without its comment.
    pub fn width(&self) -> usize {
        // A block of C contains line breaks.
        let last = self.text.rsplit('\n').next().unwrap_or("");
        last.chars().count() + if last.len() == self.text.len() { self.indent } else { 0 }
    }
}

/// The lines printed so far, and the current one.
#[derive(Default)]
pub(super) struct Lines {
    done: Vec<Line>,
    /// The line being written.
    pub current: Line,
}

impl Lines {
    /// Appends text to the current line.
    pub fn put(&mut self, text: &str) {
        self.current.text += text;
    }

    /// Ends the line if it is not empty, and optionally adds an empty one.
    pub fn next(&mut self, indent: usize, empty_line: bool) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
            if empty_line {
                self.done.push(Line::default());
            }
        }
        self.current = Line { indent, ..Line::default() };
    }

    /// Ends the current line and returns all lines.
    pub fn finish(mut self) -> Vec<Line> {
        self.next(0, false);
        self.done
    }
}
