//! Comparison of terms with the values of the interpreter.

use nacre_symbolic::terms::{Term, Terms};
use nacre_symbolic::values::{self, Value as Terminal};

/// How many terms were compared, and how many are not constant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    pub equal: u64,
    pub open: u64,
}

/// Compares what code left in a place with what is expected there. Err: where they differ.
pub fn compare(
    terms: &mut Terms,
    expected: &Terminal,
    found: &Terminal,
    compared: &mut Compared,
) -> Result<(), String> {
    match (expected, found) {
        (Terminal::Term(x), Terminal::Term(y)) => one(terms, *x, *y, compared),
        (Terminal::Tuple(x), Terminal::Tuple(y)) | (Terminal::Array(x), Terminal::Array(y)) => {
            x.iter().zip(y).try_for_each(|(x, y)| compare(terms, x, y, compared))
        }
        (Terminal::Option(x, inside), Terminal::Option(y, other)) => {
            one(terms, *x, *y, compared)?;
            match terms.truth_of(*y) {
                Some(true) => compare(terms, inside, other, compared),
                _ => Ok(()),
            }
        }
        (Terminal::Message(x), Terminal::Message(y)) => {
            one(terms, x.bytes, y.bytes, compared)?;
            one(terms, x.data, y.data, compared)?;
            for (kind, other) in x.kinds.iter().zip(&y.kinds) {
                one(terms, *kind, *other, compared)?;
                if let Some(at) = terms.value_of(*kind).filter(|at| *at > 0) {
                    let at = at as usize - 1;
                    let fields = x.fields[at].iter().zip(&y.fields[at]);
                    fields.into_iter().try_for_each(|(x, y)| compare(terms, x, y, compared))?;
                }
            }
            Ok(())
        }
        (Terminal::Window(x), Terminal::Window(y)) => window(terms, x, y, compared),
        (Terminal::Row(x), Terminal::Row(y)) => {
            one(terms, x.len, y.len, compared)?;
            for at in 0..terms.value_of(x.len).unwrap_or(0) {
                let [mine, other] = [x, y].map(|row| {
                    let at = terms.bits(32, at);
                    let index = terms.binary(nacre_symbolic::terms::Op::Add, row.start, at);
                    let index = terms.resize(index, row.entries.index);
                    row.entries.get(terms, index)
                });
                compare(terms, &mine, &other, compared)?;
            }
            Ok(())
        }
        _ => Err("other forms".into()),
    }
}

fn window(terms: &mut Terms, x: &values::Window, y: &values::Window, compared: &mut Compared) -> Result<(), String> {
    for (x, y) in [(x.low, y.low), (x.next, y.next), (x.high, y.high), (x.reported, y.reported), (x.used, y.used)] {
        one(terms, x, y, compared)?;
    }
    let (Some(low), Some(used)) = (terms.value_of(x.low), terms.value_of(x.used)) else { return Ok(()) };
    for at in (0..128u32).filter(|at| used >> at & 1 == 1) {
        let index = terms.bits(x.entries.index, low + u128::from(at));
        let [mine, other] = [x, y].map(|window| window.entries.get(terms, index));
        compare(terms, &mine, &other, compared)?;
    }
    Ok(())
}

fn one(terms: &Terms, expected: Term, found: Term, compared: &mut Compared) -> Result<(), String> {
    if expected == found {
        compared.equal += 1;
        return Ok(());
    }
    let is_constant = terms.truth_of(found).is_some() || terms.value_of(found).is_some();
    if is_constant {
        return Err(format!("{:?} instead of {:?}", terms.node(found), terms.node(expected)));
    }
    compared.open += 1;
    Ok(())
}
