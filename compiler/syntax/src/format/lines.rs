//! The lines that have been printed.

/// No line that can be broken is longer.
pub(super) const WIDTH: usize = 120;
pub(super) const INDENT: usize = 4;

/// What is brought into line with the lines around it.
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
    /// What of the text is aligned, and the byte where it begins.
    pub column: Option<(Column, usize)>,
    /// A comment behind the text.
    pub comment: Option<String>,
}

impl Line {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.comment.is_none()
    }

    /// How many columns the line has without its comment.
    pub fn width(&self) -> usize {
        // A block of C has lines of its own.
        let last = self.text.rsplit('\n').next().unwrap_or("");
        last.chars().count() + if last.len() == self.text.len() { self.indent } else { 0 }
    }
}

#[derive(Default)]
pub(super) struct Lines {
    done: Vec<Line>,
    /// The line that is being written.
    pub current: Line,
}

impl Lines {
    pub fn put(&mut self, text: &str) {
        self.current.text += text;
    }

    /// Ends the line, if there is anything on it, and perhaps adds an empty one.
    pub fn next(&mut self, indent: usize, empty_line: bool) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
            if empty_line {
                self.done.push(Line::default());
            }
        }
        self.current = Line { indent, ..Line::default() };
    }

    pub fn finish(mut self) -> Vec<Line> {
        self.next(0, false);
        self.done
    }
}
