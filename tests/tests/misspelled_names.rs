//! `check` resolves every name in tests and configurations: a misspelled one is an error there, with the intended name.

use std::path::Path;

use nacre_diagnostics::Diagnostic;
use nacre_driver::Session;
use nacre_tests::root;

/// A correct file. A `@` is on both sides of each name that is misspelled in turn.
const SOURCE: &str = include_str!("misspelled_names.nacre");

fn checked(text: &str) -> Vec<Diagnostic> {
    let mut session = Session::from_text(Path::new(&root().join("tests/tests/case.nacre")), text);
    session.check();
    session.found
}

/// The pieces between marks: those with an odd index are names.
fn pieces() -> Vec<&'static str> {
    let pieces: Vec<&str> = SOURCE.split('@').collect();
    assert!(pieces.len() % 2 == 1 && pieces.len() > 60, "{} pieces", pieces.len());
    pieces
}

/// Typical misspellings of a name: an extra letter, a missing one, two exchanged.
fn misspellings(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let middle = letters.len() / 2;
    let without: String = letters.iter().enumerate().filter(|(at, _)| *at != middle).map(|(_, c)| c).collect();
    let mut exchanged = letters.clone();
    exchanged.swap(middle - 1, middle);
    let last = if name.contains(|c: char| c.is_ascii_lowercase()) { 'x' } else { 'X' };
    let mut all = vec![format!("{name}{last}"), without, exchanged.into_iter().collect()];
    all.retain(|other| other != name);
    all
}

#[test]
fn source_is_correct() {
    let found = checked(&pieces().concat());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn each_misspelled_name_is_an_error_with_the_name_that_was_meant() {
    let (pieces, mut wrong) = (pieces(), vec![]);
    for place in (1..pieces.len()).step_by(2) {
        for misspelled in misspellings(pieces[place]) {
            let mut changed = pieces.clone();
            changed[place] = &misspelled;
            let start: usize = changed[..place].iter().map(|piece| piece.len()).sum();
            let found = checked(&changed.concat());
            let here = |d: &&Diagnostic| {
                let span = d.span().map(|s| s.start as usize..s.end as usize);
                d.is_error() && span == Some(start..start + misspelled.len())
            };
            let meant = format!("did you mean `{}`?", pieces[place]);
            if !found.iter().filter(here).any(|d| d.help.contains(&meant)) {
                wrong.push(format!("`{misspelled}` for `{}` at {start}: {found:#?}", pieces[place]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of the misspelled names:\n{}", wrong.len(), wrong.join("\n"));
}
