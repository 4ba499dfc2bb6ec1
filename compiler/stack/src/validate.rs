//! The validator: whether a stack is one, so that nobody who reads it need check anything. It runs after every pass.

mod code;
mod expressions;
mod in_place;
mod layouts;
mod links;
mod numbers;
mod places;
mod tables;

use std::fmt;

use crate::Stack;

/// Something that is wrong with a stack: a fault of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `pt2pt.down.send`, `layout 0, shape 3`.
    pub place: String,
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// Problems as they are found, each with the place that is being looked at.
#[derive(Default)]
struct Problems {
    place: String,
    found: Vec<Problem>,
}

impl Problems {
    fn at(&mut self, place: impl Into<String>) {
        self.place = place.into();
    }
    fn add(&mut self, text: impl Into<String>) {
        let problem = Problem { place: self.place.clone(), text: text.into() };
        if !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }
    fn unless(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.add(text());
        }
    }
}

/// Checks all of a stack, but for the use of messages (`nacre_analysis::linear`). Later checks rely on earlier ones, so they run only if those found nothing.
pub fn validate(stack: &Stack) -> Result<(), Vec<Problem>> {
    let mut problems = Problems::default();
    for check in [tables::check, code::check, layouts::check, in_place::check, numbers::check] {
        check(stack, &mut problems);
        if !problems.found.is_empty() {
            return Err(problems.found);
        }
    }
    Ok(())
}
