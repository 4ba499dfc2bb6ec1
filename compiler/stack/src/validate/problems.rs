//! What the validator finds.

use std::fmt;

/// Something that is wrong with a stack: a fault of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `pt2pt.down.send`, `layout 0, shape 3`.
    pub place: String,
    /// What is wrong with it.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// Problems as they are found, each with the current place.
#[derive(Default)]
pub struct Problems {
    place: String,
    /// Each once.
    pub found: Vec<Problem>,
}

impl Problems {
    /// What follows is found here.
    pub fn at(&mut self, place: impl Into<String>) {
        self.place = place.into();
    }
    /// Something is wrong.
    pub fn add(&mut self, text: impl Into<String>) {
        let problem = Problem { place: self.place.clone(), text: text.into() };
        if !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }
    /// Something is wrong, unless this holds.
    pub fn unless(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.add(text());
        }
    }
}
