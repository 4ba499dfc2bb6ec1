//! The values of a draw that must be tried: uses of the number other than comparisons with constants are found at every
//! place.

use nacre_analysis::random::points;
use nacre_stack::samples::build::*;
use nacre_stack::*;

const NUMBER: Type = Type::UInt(8);

/// Returns the number of values of `let x = random(100)` that are tried for `code` that uses `x` and an array.
fn tried(code: impl FnOnce(&Expr, &Place) -> Block) -> Option<usize> {
    let mut builder = Builder::new("test", "test");
    let layer = builder.layer("layer");
    let array = builder.cell(layer, "array", Scope::Session, Type::Array(Box::new(NUMBER), 100), None);
    builder.function(layer, "draw", 0, None, |locals| {
        let x = locals.add("x", NUMBER);
        let mut body = vec![StatementKind::Random { into: id(&x), below: num(100, NUMBER) }.into()];
        body.extend(code(&x, &array));
        body
    });
    let mut stack = builder.finish();
    number(&mut stack);
    points(&stack).values().next().map(Vec::len)
}

fn when_small(x: &Expr) -> Statement {
    when(less(x.clone(), num(3, NUMBER)), vec![], vec![])
}

fn element(array: &Place, x: &Expr) -> Place {
    at(array, x.clone(), NUMBER)
}

#[test]
fn comparisons_with_constants_distinguish_values() {
    assert_eq!(tried(|x, _| vec![when_small(x)]), Some(2));
    assert_eq!(tried(|x, _| vec![when_small(x), when(equal(x.clone(), num(7, NUMBER)), vec![], vec![])]), Some(3));
}

#[test]
fn other_uses_are_found_at_every_place() {
    let place = |x: &Expr| Place { root: Root::Local(id(x)), path: vec![], ty: NUMBER };
    type Uses = Vec<(&'static str, fn(&Expr, &Place, Place) -> Statement)>;
    let uses: Uses = vec![
        ("stored", |x, array, _| store(&element(array, &zero(NUMBER)), x.clone())),
        ("index of a store", |x, array, _| store(&element(array, x), zero(NUMBER))),
        ("index of a read", |x, array, _| when(equal(load(&element(array, x)), zero(NUMBER)), vec![], vec![])),
        ("by reference", |_, _, place| {
            let arguments = vec![Argument::Reference(place)];
            StatementKind::Call { into: None, function: FunctionId(0), arguments }.into()
        }),
        ("by value", |x, _, _| {
            let arguments = vec![Argument::Value(x.clone())];
            StatementKind::Call { into: None, function: FunctionId(0), arguments }.into()
        }),
        ("loaded", |_, _, place| when(equal(load(&place), num(50, NUMBER)), vec![], vec![])),
        ("compared with a variable", |x, array, _| {
            when(less(x.clone(), load(&element(array, &zero(NUMBER)))), vec![], vec![])
        }),
        ("returned", |x, _, _| StatementKind::Return(Some(x.clone())).into()),
        ("end of a range", |x, _, _| {
            let (from, to) = (zero(NUMBER), x.clone());
            StatementKind::For { variable: LocalId(0), from, to, bound: 100, body: vec![] }.into()
        }),
    ];
    for (name, used) in uses {
        assert_eq!(tried(|x, array| vec![when_small(x), used(x, array, place(x))]), None, "{name}");
    }
}
