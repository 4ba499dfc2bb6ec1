//! What terms simplify has the value of what was asked for.

use nacre_symbolic::terms::{Known, Op, Sort, Term, Terms};

/// Values of free terms.
fn known(terms: &mut Terms, values: &[(Term, u128)]) -> Known {
    let mut known = Known::new();
    for (term, value) in values {
        let value = match terms.sort(*term) {
            Sort::Bool => terms.truth(*value == 1),
            _ => terms.bits(terms.width(*term), *value),
        };
        known.put(*term, value);
    }
    known
}

/// All formulas `x op (y op' (z op'' w))` over three variables and their negations, in all worlds.
#[test]
fn nested_conjunctions_and_disjunctions_keep_their_meaning() {
    let mut terms = Terms::new();
    let variables = ["a", "b", "c"].map(|name| terms.free(name, Sort::Bool));
    let literals: Vec<(Term, usize, bool)> = variables
        .into_iter()
        .enumerate()
        .flat_map(|(at, variable)| [(variable, at, true), (terms.not(variable), at, false)])
        .collect();
    let (mut asked, mut shorter) = (0, 0);
    let join =
        |terms: &mut Terms, and: bool, x: Term, y: Term| if and { terms.and(&[x, y]) } else { terms.or(&[x, y]) };
    let apply = |and: bool, x: bool, y: bool| if and { x && y } else { x || y };
    for code in 0..literals.len().pow(4) << 3 {
        let (ops, mut rest) = ([code & 1 == 1, code & 2 == 2, code & 4 == 4], code >> 3);
        let [x, y, z, w] = [0; 4].map(|_| {
            let one = literals[rest % literals.len()];
            rest /= literals.len();
            one
        });
        let inner = join(&mut terms, ops[2], z.0, w.0);
        let middle = join(&mut terms, ops[1], y.0, inner);
        let whole = join(&mut terms, ops[0], x.0, middle);
        shorter += usize::from(terms.truth_of(whole).is_some() || variables.contains(&whole));
        for world in 0..8usize {
            let values: Vec<(Term, u128)> = (0..3).map(|at| (variables[at], (world >> at & 1) as u128)).collect();
            let known = known(&mut terms, &values);
            let holds = |one: (Term, usize, bool)| (world >> one.1 & 1 == 1) == one.2;
            let wanted = apply(ops[0], holds(x), apply(ops[1], holds(y), apply(ops[2], holds(z), holds(w))));
            let found = terms.replace(whole, &known);
            assert_eq!(terms.truth_of(found), Some(wanted), "{x:?} {y:?} {z:?} {w:?} {ops:?} in {world}");
            asked += 1;
        }
    }
    assert!(asked > 80_000 && shorter > 100, "{asked}, {shorter}");
}

/// All sums and differences of sums and differences of two numbers of two bits and a constant.
#[test]
fn sums_keep_their_meaning() {
    let mut terms = Terms::new();
    let [a, b] = ["a", "b"].map(|name| terms.free(name, Sort::Bits(2)));
    let three = terms.bits(2, 3);
    let value = |at: usize, world: u128| [world & 3, world >> 2, 3][at];
    let parts = [a, b, three];
    let calculate = |op: Op, x: u128, y: u128| if op == Op::Add { (x + y) & 3 } else { x.wrapping_sub(y) & 3 };
    let mut gone = 0;
    for code in 0..27 * 8 {
        let [x, y, z] = [code % 3, code / 3 % 3, code / 9 % 3];
        let [first, second] =
            [(code / 27) & 1, ((code / 27) >> 1) & 1].map(|sub| if sub == 1 { Op::Sub } else { Op::Add });
        let left = terms.binary(first, parts[x], parts[y]);
        let whole = match (code / 27) >> 2 {
            0 => terms.binary(second, left, parts[z]),
            _ => terms.binary(second, parts[z], left),
        };
        gone += usize::from(parts.contains(&whole));
        for world in 0..16 {
            let known = known(&mut terms, &[(a, value(0, world)), (b, value(1, world))]);
            let inner = calculate(first, value(x, world), value(y, world));
            let wanted = match (code / 27) >> 2 {
                0 => calculate(second, inner, value(z, world)),
                _ => calculate(second, value(z, world), inner),
            };
            let found = terms.replace(whole, &known);
            assert_eq!(terms.value_of(found), Some(wanted), "{code} in {world}");
        }
    }
    assert!(gone >= 10, "{gone}");
}

/// What is stored where it already stands changes nothing; anything else does.
#[test]
fn storing_what_is_there_changes_nothing() {
    let mut terms = Terms::new();
    let [seven, eight] = [7, 8].map(|value| terms.bits(8, value));
    let (array, at, other) =
        (terms.filled(4, seven), terms.free("at", Sort::Bits(4)), terms.free("other", Sort::Bits(4)));
    assert_eq!(terms.store(array, at, seven), array);
    let changed = terms.store(array, at, eight);
    assert_ne!(changed, array);
    assert_eq!(terms.select(changed, at), eight);
    let elsewhere = terms.select(changed, other);
    assert_eq!(terms.value_of(elsewhere), None);
    let back = terms.store(changed, at, seven);
    assert_eq!(back, array);
}
