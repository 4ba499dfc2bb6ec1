//! The state that code runs in.

use nacre_stack::{Cell, LayerId, Local, LocalId, Scope, Stack, Type};

use crate::terms::{Op, Sort, Term, Terms};
use crate::values::{self, sort_of, zero, Maker, Message, Value, KIND_BITS};
use crate::Unsupported;

/// The cells of a stack, one of its sessions.
#[derive(Clone, Debug)]
pub struct State {
    /// By cell; None: of another layer, or of a type without terms.
    pub cells: Vec<Result<Value, Unsupported>>,
    /// The time of the step.
    pub now: Term,
}

/// An arbitrary value: free constants, and what holds of every value of the type.
pub struct Arbitrary {
    pub value: Value,
    /// It is a value of its type.
    pub is_valid: Term,
}

/// Any value of a type, with free constants of this name. `layer`: messages carry headers of the layers above.
pub fn arbitrary(
    stack: &Stack,
    terms: &mut Terms,
    layer: usize,
    name: &str,
    ty: &Type,
) -> Result<Arbitrary, Unsupported> {
    let make = |terms: &mut Terms, part: &str, sort: Sort, _: &Type| terms.free(part, sort);
    let value = Maker { stack, terms, layer, make }.value(name, ty)?;
    let is_valid = is_valid(stack, terms, &value, ty);
    Ok(Arbitrary { value, is_valid })
}

/// The zero of a type.
pub fn zero_of(stack: &Stack, terms: &mut Terms, layer: usize, ty: &Type) -> Result<Value, Unsupported> {
    Maker { stack, terms, layer, make: zero }.value("", ty)
}

/// Whether terms are a value of a type: what the operations of the IR maintain.
pub fn is_valid(stack: &Stack, terms: &mut Terms, value: &Value, ty: &Type) -> Term {
    let parts = match (value, ty) {
        (Value::Term(term), Type::Range(low, high)) => below(terms, *term, *low, *high),
        (Value::Term(term), Type::Enum(id)) => below(terms, *term, 0, stack.enums[id.index()].variants.len() as u64),
        (Value::Tuple(parts), Type::Tuple(types)) => {
            parts.iter().zip(types).map(|(part, ty)| is_valid(stack, terms, part, ty)).collect()
        }
        (Value::Tuple(parts), Type::Struct(id)) => {
            let fields = &stack.structs[id.index()].fields;
            parts.iter().zip(fields).map(|(part, field)| is_valid(stack, terms, part, &field.ty)).collect()
        }
        (Value::Array(parts), Type::Array(t, _)) => parts.iter().map(|part| is_valid(stack, terms, part, t)).collect(),
        (Value::Option(_, inner), Type::Option(t)) => vec![is_valid(stack, terms, inner, t)],
        (Value::Message(message), _) => kinds_are_valid(stack, terms, message),
        (Value::Window(window), Type::Window(_, n, _)) => window_is_valid(terms, window, *n),
        (Value::Row(row), Type::Ring(_, n) | Type::List(_, n)) => {
            let (most, slots) = (terms.bits(32, u128::from(*n) + 1), terms.bits(32, u128::from(n.next_power_of_two())));
            vec![terms.less(Op::ULess, row.len, most), terms.less(Op::ULess, row.start, slots)]
        }
        _ => vec![],
    };
    terms.and(&parts)
}

fn below(terms: &mut Terms, term: Term, low: u64, high: u64) -> Vec<Term> {
    let [low, high] = [low, high].map(|end| terms.bits(64, u128::from(end)));
    let under = terms.less(Op::ULess, term, low);
    vec![terms.not(under), terms.less(Op::ULess, term, high)]
}

/// On a message there is, of each layer, none of its headers or one.
fn kinds_are_valid(stack: &Stack, terms: &mut Terms, message: &Message) -> Vec<Term> {
    let mut all = vec![];
    for (layer, kind) in message.kinds.iter().enumerate() {
        let of_layer = stack.headers.iter().zip(1u128..).filter(|(header, _)| header.layer.index() == layer);
        let numbers: Vec<u128> = [0].into_iter().chain(of_layer.map(|(_, number)| number)).collect();
        let equal: Vec<Term> = numbers
            .iter()
            .map(|number| {
                let number = terms.bits(KIND_BITS, *number);
                terms.equal(*kind, number)
            })
            .collect();
        all.push(terms.or(&equal));
    }
    all
}

/// What holds of a window whatever it contains: clauses, of each of which a formula holds. They follow from
/// [`is_valid`], but not by replacing terms.
pub fn clauses_of(terms: &mut Terms, window: &values::Window) -> Vec<Vec<Term>> {
    let empty = terms.equal(window.low, window.high);
    let nothing = terms.bits(terms.width(window.used), 0);
    let (not_empty, none) = (terms.not(empty), terms.equal(window.used, nothing));
    let at_low = terms.equal(window.next, window.low);
    vec![vec![not_empty, at_low], vec![not_empty, none]]
}

/// `low <= next <= high <= low + n`, and no entry beyond `high`.
fn window_is_valid(terms: &mut Terms, window: &values::Window, n: u32) -> Vec<Term> {
    let width = terms.width(window.low);
    let span = terms.binary(Op::Sub, window.high, window.low);
    let next = terms.binary(Op::Sub, window.next, window.low);
    // Half of the numbers are at least n, so n fits the width.
    let most = terms.bits(width, u128::from(n));
    let (too_long, behind) = (terms.less(Op::ULess, most, span), terms.less(Op::ULess, span, next));
    let amount = terms.resize(span, n.max(width));
    let amount = terms.resize(amount, n);
    let beyond = terms.binary(Op::LShr, window.used, amount);
    let nothing = terms.bits(n, 0);
    // A full window has no entry beyond; its span does not fit the shift of n bits where n is narrow.
    let full = terms.equal(span, most);
    let inside = terms.equal(beyond, nothing);
    vec![terms.not(too_long), terms.not(behind), terms.or(&[full, inside])]
}

impl State {
    /// Any state of a layer's cells at any time, and that it is one.
    pub fn arbitrary(stack: &Stack, terms: &mut Terms, layer: LayerId) -> (State, Term) {
        State::made(stack, terms, |cell| match cell.layer == layer {
            true => Ok(cell.name.clone()),
            false => Err(Unsupported::new(format!("{}: of another layer", cell.name))),
        })
    }

    /// Any state of all layers at any time, and that it is one.
    pub fn of_all(stack: &Stack, terms: &mut Terms) -> (State, Term) {
        State::made(stack, terms, |cell| Ok(format!("{}.{}", stack.layer(cell.layer).name, cell.name)))
    }

    fn made(
        stack: &Stack,
        terms: &mut Terms,
        mut name: impl FnMut(&Cell) -> Result<String, Unsupported>,
    ) -> (State, Term) {
        let mut valid = vec![];
        let mut cells = vec![];
        for cell in &stack.cells {
            let any = name(cell).and_then(|name| arbitrary(stack, terms, cell.layer.index(), &name, &cell.ty));
            cells.push(any.map(|any| {
                valid.push(any.is_valid);
                any.value
            }));
        }
        let now = terms.free("now", Sort::Bits(64));
        let valid = terms.and(&valid);
        (State { cells, now }, valid)
    }

    /// The state where a condition holds, otherwise the other.
    pub fn choose(terms: &mut Terms, condition: Term, a: &State, b: &State) -> State {
        let cells = a.cells.iter().zip(&b.cells).map(|(x, y)| match (x, y) {
            (Ok(x), Ok(y)) => Ok(values::choose(terms, condition, x, y)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        });
        State { cells: cells.collect(), now: a.now }
    }
}

/// The locals of one body.
#[derive(Clone, Debug)]
pub struct Frame {
    /// None: not set yet.
    pub values: Vec<Option<Value>>,
    pub types: Vec<Type>,
    pub(crate) names: Vec<String>,
    /// By local: that of the record.
    pub(crate) recorded: Vec<Option<LocalId>>,
}

impl Frame {
    /// Nothing is set.
    pub fn new(locals: &[Local]) -> Frame {
        Frame {
            values: vec![None; locals.len()],
            types: locals.iter().map(|local| local.ty.clone()).collect(),
            names: locals.iter().map(|local| local.name.clone()).collect(),
            recorded: vec![None; locals.len()],
        }
    }

    /// The type of a local.
    pub fn type_of(&self, local: LocalId) -> &Type {
        &self.types[local.index()]
    }
}

/// Whether a cell belongs to the state of a connection.
pub fn is_state(scope: Scope) -> bool {
    matches!(scope, Scope::Session | Scope::Lasting | Scope::Shared)
}

/// Whether a type has a single term.
pub fn is_single(ty: &Type) -> bool {
    sort_of(ty).is_some()
}
