//! Effects of a transition as values: statements of Promela, in order.

use crate::term::Term;

/// A statement of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Assigns a value to a variable or an element.
    Set(String, Term),
    /// Any other single statement.
    Run(String),
    /// Runs the first case whose condition holds; otherwise the last part.
    If(Vec<(Term, Vec<Effect>)>, Vec<Effect>),
    /// Repeats the effects while the condition holds.
    While(Term, Vec<Effect>),
}

impl Effect {
    /// Returns a statement that is only printed.
    pub fn run(text: impl Into<String>) -> Effect {
        Effect::Run(text.into())
    }

    /// Returns an assignment.
    pub fn set(to: impl Into<String>, value: Term) -> Effect {
        Effect::Set(to.into(), value)
    }
}

/// Effects under a condition; none if it never holds.
pub fn guarded(condition: Term, then: Vec<Effect>) -> Vec<Effect> {
    match condition.constant() {
        Some(true) => then,
        Some(false) => vec![],
        None if then.is_empty() => vec![],
        None => vec![Effect::If(vec![(condition, then)], vec![])],
    }
}

/// Returns the lines of the effects; `;` ends every statement.
pub fn lines(effects: &[Effect]) -> Vec<String> {
    let mut all = vec![];
    effects.iter().for_each(|effect| effect.write(&mut all));
    all
}

/// Returns the same as one text, with a line break after each line.
pub fn text(effects: &[Effect]) -> String {
    lines(effects).into_iter().map(|line| line + "\n").collect()
}

impl Effect {
    fn write(&self, to: &mut Vec<String>) {
        match self {
            Effect::Set(place, value) => to.push(format!("{place} = {value};")),
            Effect::Run(text) => to.push(format!("{text};")),
            Effect::If(cases, otherwise) => {
                to.push("if".into());
                for (condition, then) in cases {
                    to.push(format!(":: {condition} ->"));
                    write_block(then, to);
                }
                match otherwise.is_empty() {
                    true => to.push(":: else".into()),
                    false => {
                        to.push(":: else ->".into());
                        write_block(otherwise, to);
                    }
                }
                to.push("fi;".into());
            }
            Effect::While(condition, body) => {
                to.push("do".into());
                to.push(format!(":: {condition} ->"));
                write_block(body, to);
                to.push(":: else -> break".into());
                to.push("od;".into());
            }
        }
    }
}

/// An option of `if` cannot be empty.
fn write_block(effects: &[Effect], to: &mut Vec<String>) {
    match effects.is_empty() {
        true => to.push("skip".into()),
        false => effects.iter().for_each(|effect| effect.write(to)),
    }
}
