//! The table of operations: in order, without gaps, and each word once. `tests/tests/operations.rs` tests the behaviour
//! of the rows in every engine.

use nacre_stack::operations::methods::{Releases, Success, METHODS};
use nacre_stack::operations::operators::{BINARY, UNARY};
use nacre_stack::operations::queries::QUESTIONS;
use nacre_stack::operations::{Kind, Operand};

/// The words of a table, each once.
fn words<'w>(words: impl Iterator<Item = &'w str>) {
    let mut seen = std::collections::BTreeSet::new();
    words.for_each(|word| assert!(seen.insert(word), "`{word}` names two"));
}

#[test]
fn rows_are_found_by_their_enumeration() {
    BINARY.iter().enumerate().for_each(|(at, operator)| assert_eq!(operator.op as usize, at));
    UNARY.iter().enumerate().for_each(|(at, operator)| assert_eq!(operator.op as usize, at));
    METHODS.iter().enumerate().for_each(|(at, method)| assert_eq!(method.operation as usize, at));
    QUESTIONS.iter().enumerate().for_each(|(at, question)| assert_eq!(question.query as usize, at));
}

#[test]
fn each_word_names_one_operation() {
    words(BINARY.iter().map(|operator| operator.word));
    words(UNARY.iter().map(|operator| operator.word).chain(QUESTIONS.iter().map(|question| question.word)));
    words(METHODS.iter().map(|method| method.word));
}

#[test]
fn a_kind_is_in_one_row_of_an_operation() {
    let once = |kinds: Vec<Kind>, what: &str| {
        let mut seen = std::collections::BTreeSet::new();
        kinds.into_iter().for_each(|kind| assert!(seen.insert(kind), "{what} of {kind:?} has two rows"));
    };
    for operator in BINARY {
        once(operator.rows.iter().flat_map(|row| row.on).copied().collect(), operator.word);
    }
    for question in QUESTIONS {
        once(question.rows.iter().flat_map(|row| row.on).copied().collect(), question.word);
    }
    for method in METHODS {
        once(method.rows.iter().map(|row| row.on).collect(), method.word);
    }
}

/// An operation that can fail takes an entry and returns it; a result that may be absent is returned.
#[test]
fn rows_are_coherent() {
    for (method, row) in METHODS.iter().flat_map(|method| method.rows.iter().map(move |row| (method, row))) {
        let what = format!("{} of {:?}", method.word, row.on);
        match row.success {
            Success::Fails => assert_eq!(row.takes.last(), Some(&Operand::Entry), "{what}"),
            Success::Absent => assert!(row.gives.is_some(), "{what}"),
            Success::Always => {}
        }
        let keyed = matches!(row.releases, Releases::Old | Releases::New);
        assert_eq!(keyed, row.takes.contains(&Operand::Key) && row.success == Success::Fails, "{what}");
    }
}
