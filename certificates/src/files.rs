//! Reads formulas in DIMACS format and proofs in DRAT format.

/// More variables than this are refused, so that no file makes the checker allocate without bounds.
pub const MOST_VARIABLES: usize = 1 << 22;

/// A literal: the number of a variable, from 1; negative: its negation.
pub type Literal = i32;

/// A formula in conjunctive normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    pub variables: usize,
    pub clauses: Vec<Vec<Literal>>,
}

/// A step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A clause that follows from those that are there.
    Add(Vec<Literal>),
    /// A clause that is not needed any more.
    Delete(Vec<Literal>),
}

/// Reads a formula: comments, a line `p cnf VARIABLES CLAUSES`, and the clauses, each ended by 0.
///
/// # Errors
/// The line that is malformed, and why.
pub fn formula(text: &str) -> Result<Formula, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('c') && !line.trim().is_empty());
    let (at, head) = lines.next().ok_or("the formula has no line `p cnf`")?;
    let (variables, count) = header(head).map_err(|why| in_line(at, &why))?;
    let (mut clauses, mut open) = (vec![], vec![]);
    for (at, line) in lines {
        for word in line.split_ascii_whitespace() {
            match literal(word, variables).map_err(|why| in_line(at, &why))? {
                0 => clauses.push(std::mem::take(&mut open)),
                literal => open.push(literal),
            }
        }
    }
    if !open.is_empty() {
        return Err("the last clause of the formula does not end".into());
    }
    if clauses.len() != count {
        return Err(format!("expected {count} clauses, found {}", clauses.len()));
    }
    Ok(Formula { variables, clauses })
}

/// Reads a proof about a formula with these variables: a step on each line.
///
/// # Errors
/// The line that is malformed, and why.
pub fn proof(text: &str, variables: usize) -> Result<Vec<Step>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('c') && !line.trim().is_empty());
    lines.map(|(at, line)| step(line, variables).map_err(|why| in_line(at, &why))).collect()
}

fn in_line(at: usize, why: &str) -> String {
    format!("line {}: {why}", at + 1)
}

fn header(line: &str) -> Result<(usize, usize), String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let ["p", "cnf", variables, clauses] = words[..] else { return Err("expected `p cnf VARIABLES CLAUSES`".into()) };
    let number = |word: &str| word.parse::<usize>().map_err(|_| format!("`{word}` is no number"));
    let (variables, clauses) = (number(variables)?, number(clauses)?);
    if variables > MOST_VARIABLES {
        return Err(format!("{variables} variables; at most {MOST_VARIABLES} are supported"));
    }
    Ok((variables, clauses))
}

/// 0 ends a clause.
fn literal(word: &str, variables: usize) -> Result<Literal, String> {
    let literal: Literal = word.parse().map_err(|_| format!("`{word}` is no literal"))?;
    if literal.unsigned_abs() as usize > variables {
        return Err(format!("variable {} of {variables}", literal.unsigned_abs()));
    }
    Ok(literal)
}

fn step(line: &str, variables: usize) -> Result<Step, String> {
    let (deletes, rest) = match line.trim_start().strip_prefix('d') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let literals = rest.split_ascii_whitespace().map(|word| literal(word, variables)).collect::<Result<Vec<_>, _>>()?;
    let Some((0, clause)) = literals.split_last() else { return Err("the clause does not end with 0".into()) };
    if clause.contains(&0) {
        return Err("there is text after the clause".into());
    }
    Ok(if deletes { Step::Delete(clause.to_vec()) } else { Step::Add(clause.to_vec()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_proofs_are_read() {
        let read = formula("c a comment\np cnf 3 2\n1 -2\n 0 3 0\n").expect("a formula");
        assert_eq!(read, Formula { variables: 3, clauses: vec![vec![1, -2], vec![3]] });
        let steps = proof("1 -2 0\nd 3 0\n0\n", 3).expect("a proof");
        assert_eq!(steps, [Step::Add(vec![1, -2]), Step::Delete(vec![3]), Step::Add(vec![])]);
    }

    #[test]
    fn malformed_files_are_rejected() {
        let formulas = [
            ("", "no line"),
            ("p cnf 1\n", "expected `p cnf"),
            ("p dnf 1 1\n1 0\n", "expected `p cnf"),
            ("p cnf x 1\n1 0\n", "`x` is no number"),
            ("p cnf 99999999999 1\n1 0\n", "supported"),
            ("p cnf 1 99999999999999999999999\n", "is no number"),
            ("p cnf 1 1\n2 0\n", "line 2: variable 2 of 1"),
            ("p cnf 1 1\n-2147483648 0\n", "variable 2147483648 of 1"),
            ("p cnf 1 1\n99999999999 0\n", "is no literal"),
            ("p cnf 1 1\n1 a 0\n", "`a` is no literal"),
            ("p cnf 1 1\n1\n", "does not end"),
            ("p cnf 1 2\n1 0\n", "expected 2 clauses, found 1"),
            ("p cnf 1 0\n1 0\n", "expected 0 clauses, found 1"),
        ];
        for (text, why) in formulas {
            let error = formula(text).expect_err(text);
            assert!(error.contains(why), "{text:?}: {error}");
        }
        let proofs =
            [("1", "end with 0"), ("d", "end with 0"), ("1 0 1 0", "after"), ("2 0", "variable 2"), ("e 1 0", "`e`")];
        for (text, why) in proofs {
            let error = proof(text, 1).expect_err(text);
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }
}
