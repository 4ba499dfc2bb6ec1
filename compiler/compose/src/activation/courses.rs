//! Builds the course of a body while the solver traverses it.

use nacre_analysis::control::leaves;
use nacre_stack::Control;
use nacre_stack::Statement;

use crate::course::Course;

/// The open blocks, the innermost last.
#[derive(Default)]
pub(crate) struct Courses(Vec<Vec<Part>>);

/// A part of a block's effects, in sequence.
enum Part {
    Done(Course),
    /// The two branches of an `if`, and whether each leaves the block.
    Branches([Course; 2], [bool; 2]),
}

impl Courses {
    /// Opens a body, a branch or the body of a loop.
    pub fn open(&mut self) {
        self.0.push(vec![]);
    }

    /// Closes the innermost block and returns its course.
    pub fn close(&mut self) -> Course {
        course(self.0.pop().unwrap_or_default())
    }

    /// Clears the innermost block, which the solver visits again.
    pub fn again(&mut self) {
        self.open_block().clear();
    }

    /// Adds effects to the innermost block.
    pub fn add(&mut self, done: impl IntoIterator<Item = Course>) {
        self.open_block().extend(done.into_iter().map(Part::Done));
    }

    /// Closes the innermost block as the first or second branch of an `if`.
    pub fn branch(&mut self, of: &Statement, then: bool) {
        let ended = self.close();
        match self.open_block().last_mut() {
            Some(Part::Branches(courses, _)) if !then => courses[1] = ended,
            _ => self.open_block().push(Part::Branches([ended, Course::Nothing], leaving(of))),
        }
    }

    fn open_block(&mut self) -> &mut Vec<Part> {
        if self.0.is_empty() {
            self.open();
        }
        self.0.last_mut().expect("it is open")
    }
}

/// Returns the course of a block. The parts after an `if` belong to the branches that continue, if one of them leaves.
fn course(parts: Vec<Part>) -> Course {
    let mut rest = vec![];
    for part in parts.into_iter().rev() {
        let (courses, leaving) = match part {
            Part::Done(course) => {
                rest.push(course);
                continue;
            }
            Part::Branches(courses, leaving) => (courses, leaving),
        };
        if leaving[0] == leaving[1] {
            rest.push(Course::either(courses.into()));
            continue;
        }
        let [first, second] = courses;
        let (leaves, goes_on) = if leaving[0] { (first, second) } else { (second, first) };
        rest.push(goes_on);
        rest = vec![Course::either(vec![leaves, in_order(rest)])];
    }
    in_order(rest)
}

fn in_order(mut reversed: Vec<Course>) -> Course {
    reversed.reverse();
    Course::sequence(reversed)
}

fn leaving(of: &Statement) -> [bool; 2] {
    match of.control() {
        Control::Branch { then, otherwise, .. } => [leaves(then), leaves(otherwise)],
        Control::Repeat { .. } | Control::Break | Control::Exit | Control::Next => [false; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::Act;
    use nacre_stack::{Block, Expr, ExprKind, Span, StatementKind, Type};

    fn made(bytes: u32) -> Course {
        Course::Act(Act::Make(bytes))
    }

    /// `if .. { 1; then } else { 2; otherwise } 3`
    fn after_branches(then: Block, otherwise: Block) -> Course {
        let condition = Expr::new(ExprKind::Const(1), Type::Bool, Span::default());
        let branches: Statement = StatementKind::If { condition, then, otherwise, likely: None }.into();
        let mut courses = Courses::default();
        courses.open();
        for (bytes, then) in [(1, true), (2, false)] {
            courses.open();
            courses.add([made(bytes)]);
            courses.branch(&branches, then);
        }
        courses.add([made(3)]);
        courses.close()
    }

    #[test]
    fn code_after_an_if_follows_the_branch_that_continues() {
        let exit = || vec![StatementKind::Return(None).into()];
        let either = |list| Course::Either(list);
        let sequence = |list| Course::Sequence(list);
        let both = sequence(vec![either(vec![made(1), made(2)]), made(3)]);
        assert_eq!(after_branches(vec![], vec![]), both);
        let second = either(vec![made(1), sequence(vec![made(2), made(3)])]);
        assert_eq!(after_branches(exit(), vec![]), second);
        let first = either(vec![made(2), sequence(vec![made(1), made(3)])]);
        assert_eq!(after_branches(vec![], exit()), first);
    }

    #[test]
    fn only_the_last_turn_of_a_loop_counts() {
        let mut courses = Courses::default();
        courses.open();
        courses.open();
        courses.add([made(1)]);
        courses.again();
        courses.add([made(2)]);
        let body = courses.close();
        courses.add([Course::times(4, body)]);
        assert_eq!(courses.close(), Course::Times(4, Box::new(made(2))));
    }
}
