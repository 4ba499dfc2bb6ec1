//! C that is being written: lines with their indentation, and where in the layers' source they come from.

use std::fmt::Write;

/// A line of a layer's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub line: u32,
    pub file: String,
}

#[derive(Clone, Debug)]
enum Line {
    Text(String),
    /// The end of a block, or nothing: no instruction belongs to it.
    Idle(String),
    /// What follows was written for this line of a layer's source.
    For(Origin),
    /// `#line`: what follows is attributed to this line of a layer's source.
    Attributed(Origin),
    /// `#line`: what follows is attributed to the file itself again.
    Here,
}

/// Lines of C.
#[derive(Default, Clone, Debug)]
pub struct Code {
    lines: Vec<Line>,
    depth: usize,
}

impl Code {
    /// No lines yet; those to come are indented.
    pub fn new(depth: usize) -> Code {
        Code { lines: vec![], depth }
    }

    /// Text as it is.
    pub fn verbatim(text: &str) -> Code {
        let mut code = Code::new(0);
        code.raw(text);
        code
    }

    fn indented(&self, line: &str) -> String {
        let depth = if line.is_empty() { 0 } else { self.depth };
        "    ".repeat(depth) + line
    }

    /// Adds a line; an empty one separates its neighbours.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let text = self.indented(line.as_ref());
        self.lines.push(if text.is_empty() { Line::Idle(text) } else { Line::Text(text) });
    }

    /// Adds lines.
    pub fn add_lines(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.line(line));
    }

    /// Adds the lines of a text as they are.
    pub fn raw(&mut self, text: &str) {
        self.lines.extend(text.lines().map(|line| Line::Text(line.trim_end().to_string())));
    }

    /// The lines as a text that ends without a line break: for a template.
    pub fn inner_text(&self) -> String {
        let mut text = self.text();
        text.pop();
        text
    }

    /// Adds a line that opens a block.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Closes the block.
    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth -= 1;
        let text = self.indented(line.as_ref());
        self.lines.push(Line::Idle(text));
    }

    /// `} else {`
    pub fn turn(&mut self, line: impl AsRef<str>) {
        self.depth -= 1;
        self.open(line);
    }

    /// Adds lines that have their indentation.
    pub fn add(&mut self, other: &Code) {
        self.lines.extend(other.lines.iter().cloned());
    }

    /// Adds statements and the line that uses their variables, in a block of their own if there are any: other blocks
    /// may declare the same names.
    pub fn apart(&mut self, other: &Code, line: impl AsRef<str>) {
        if other.is_empty() {
            return self.line(line);
        }
        self.open("{");
        self.add(other);
        self.line(line);
        self.close("}");
    }

    /// The indentation of the next line.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether it has no line of C.
    pub fn is_empty(&self) -> bool {
        !self.lines.iter().any(|line| matches!(line, Line::Text(_) | Line::Idle(_)))
    }

    /// The lines that follow were written for a line of a layer's source.
    pub fn written_for(&mut self, origin: Option<Origin>) {
        self.lines.extend(origin.map(Line::For));
    }

    /// Adds text that is a line of a layer's source itself, and those below it.
    pub fn quote(&mut self, text: &str, origin: Option<Origin>) {
        let attributed = origin.is_some();
        self.lines.extend(origin.map(Line::Attributed));
        self.raw(text);
        self.lines.extend(attributed.then_some(Line::Here));
    }

    /// Adds a function whose lines are attributed to what they were written for. A compiler counts on from line to
    /// line, so a `#line` is written only where that would be wrong.
    pub fn function(&mut self, head: &str, body: &Code) {
        self.open(format!("{head} {{"));
        let (mut wanted, mut counted): (Option<Origin>, Option<Origin>) = (None, None);
        let mut attributed = false;
        for line in &body.lines {
            match line {
                Line::For(origin) => wanted = Some(origin.clone()),
                Line::Text(_) if wanted != counted => {
                    self.lines.extend(wanted.clone().map(Line::Attributed));
                    counted = wanted.clone();
                    attributed = true;
                }
                _ => {}
            }
            if !matches!(line, Line::For(_)) {
                self.lines.push(line.clone());
                counted.iter_mut().for_each(|origin| origin.line += 1);
            }
        }
        self.lines.extend(attributed.then_some(Line::Here));
        self.close("}");
    }

    /// The text as a part of a file of which `lines` come before; without a file: as it is whatever comes before.
    pub fn render(&self, file: Option<&str>, lines: &mut u32) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let _ = match (line, file) {
                (Line::Text(line) | Line::Idle(line), _) => writeln!(text, "{line}"),
                (Line::Attributed(at), _) => writeln!(text, "#line {} \"{}\"", at.line, at.file),
                (Line::Here, Some(file)) => writeln!(text, "#line {} \"{file}\"", *lines + 2),
                (Line::Here, None) | (Line::For(_), _) => continue,
            };
            *lines += 1;
        }
        text
    }

    /// The text alone.
    pub fn text(&self) -> String {
        self.render(None, &mut 0)
    }
}
