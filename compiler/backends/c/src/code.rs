//! Text that is being written, with its indentation.

/// Lines of C.
#[derive(Default, Clone)]
pub struct Code {
    pub text: String,
    depth: usize,
}

impl Code {
    pub fn new(depth: usize) -> Code {
        Code { text: String::new(), depth }
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            (0..self.depth).for_each(|_| self.text.push_str("    "));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// A line after which lines stand deeper.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth -= 1;
        self.line(line);
    }

    /// `} else {`
    pub fn turn(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.depth += 1;
    }

    pub fn add(&mut self, other: &Code) {
        self.text.push_str(&other.text);
    }

    pub fn depth(&self) -> usize {
        self.depth
    }
}
