//! The atoms of a layer: simple conditions over its cells, of which candidates for invariants are made.
//!
//! They come from templates (flags, comparisons with constants of the layer's code, comparisons of numbers of one type)
//! and from the conditions in the code that only cells decide.

use std::collections::BTreeSet;

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

/// The most atoms of a layer.
const MOST: usize = 1_000;
/// The most atoms that are literals of clauses on either side.
const MOST_LITERALS: usize = 28;
/// The most constants of one type that numbers are compared with.
const MOST_CONSTANTS: usize = 24;

/// A condition over the cells of one layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    pub holds: Expr,
    /// In source terms, and its negation.
    pub text: String,
    pub negated: String,
    /// Whether it can be any literal of a clause, negated or not; others are only the last one, not negated.
    pub is_literal: bool,
    pub form: Form,
}

/// The form of a condition, so that of those that imply each other only the closest ones are candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A flag, or a condition of the code.
    Flag,
    /// `number <= constant`, or the other way round: the number's place, whether the constant is the upper one, the
    /// constant.
    Bound(usize, bool, u64),
    /// `a == b` for two numbers.
    Same(usize, usize),
    /// `a <= b`.
    Order(usize, usize),
    /// `a - b <= constant`.
    Distance(usize, usize, u64),
}

/// A number that comparisons are made with.
struct Number {
    value: Expr,
    text: String,
}

/// The atoms of a layer, flags first. `source`: the text of a span.
pub fn of_layer(stack: &Stack, layer: LayerId, source: &dyn Fn(Span) -> String) -> Vec<Atom> {
    let mut found = Finder { stack, atoms: vec![], numbers: vec![] };
    for (at, cell) in stack.cells.iter().enumerate() {
        if cell.layer == layer && matches!(cell.scope, Scope::Session | Scope::Lasting | Scope::Given) {
            let place = Place { root: Root::Cell(CellId(at as u32)), path: vec![], ty: cell.ty.clone() };
            found.place(&place, &cell.name);
        }
    }
    let bodies = bodies(stack, layer);
    found.conditions(&bodies, source);
    let constants = Constants::of(stack, layer, &bodies);
    found.zeros();
    // Flags are the better literals; conditions of the code are the next.
    let literals = found.atoms.iter_mut().filter(|atom| atom.is_literal);
    literals.skip(MOST_LITERALS).for_each(|atom| atom.is_literal = false);
    found.bounds(&constants);
    found.pairs(&constants);
    found.atoms.truncate(MOST);
    found.atoms
}

/// The code of a layer.
fn bodies(stack: &Stack, layer: LayerId) -> Vec<&Block> {
    let handlers = stack.handlers.iter().filter(|handler| handler.layer == layer).map(|handler| &handler.body);
    let functions = stack.functions.iter().filter(|function| function.layer == layer).map(|function| &function.body);
    handlers.chain(functions).collect()
}

struct Finder<'s> {
    stack: &'s Stack,
    atoms: Vec<Atom>,
    numbers: Vec<Number>,
}

impl Finder<'_> {
    /// The flags and numbers at a place.
    fn place(&mut self, place: &Place, text: &str) {
        let query = |query, ty| Expr::new(ExprKind::Query(query, Box::new(place.clone()), vec![]), ty, Span::default());
        match &place.ty {
            Type::Bool => self.flag(load(place), text.to_string(), format!("!{text}")),
            Type::Timer => {
                self.flag(query(Query::Armed, Type::Bool), format!("{text}.armed"), format!("!{text}.armed"))
            }
            Type::Bits(_) => {
                self.flag(query(Query::Empty, Type::Bool), format!("{text}.empty"), format!("!{text}.empty"))
            }
            Type::Option(_) => {
                let whole = match self.stack.has_message(&place.ty) {
                    true => Expr::new(ExprKind::Borrow(Box::new(place.clone())), place.ty.clone(), Span::default()),
                    false => load(place),
                };
                let is_some = Expr::new(ExprKind::IsSome(Box::new(whole)), Type::Bool, Span::default());
                self.flag(is_some, format!("{text} != none"), format!("{text} == none"));
            }
            Type::Ring(..) | Type::List(..) | Type::Window(..) => {
                for (kind, name) in [(Query::Empty, "empty"), (Query::Full, "full")] {
                    self.flag(query(kind, Type::Bool), format!("{text}.{name}"), format!("!{text}.{name}"));
                }
                if let Type::Window(_, _, bits) = &place.ty {
                    for (kind, name) in [(Query::Low, "low"), (Query::Next, "next"), (Query::High, "high")] {
                        self.number(query(kind, Type::Seq(*bits)), format!("{text}.{name}"));
                    }
                } else {
                    self.number(query(Query::Len, Type::UInt(32)), format!("{text}.len"));
                }
            }
            Type::UInt(_) | Type::Seq(_) | Type::Range(..) | Type::Duration | Type::Instant => {
                self.number(load(place), text.to_string());
            }
            Type::Enum(id) => self.variants(place, text, *id),
            Type::Struct(id) if place.path.is_empty() => {
                for (at, field) in (0..).zip(&self.stack.structs[id.index()].fields) {
                    let inside = Place { path: vec![Step::Field(at)], ty: field.ty.clone(), ..place.clone() };
                    self.place(&inside, &format!("{text}.{}", field.name));
                }
            }
            _ => {}
        }
    }

    fn variants(&mut self, place: &Place, text: &str, id: EnumId) {
        let declared = &self.stack.enums[id.index()];
        for (at, variant) in (0..).zip(&declared.variants).take(MOST_CONSTANTS) {
            let holds = compare(BinaryOp::Equal, load(place), constant(at, &place.ty));
            let name = format!("{}.{variant}", declared.name);
            self.flag(holds, format!("{text} == {name}"), format!("{text} != {name}"));
        }
    }

    fn number(&mut self, value: Expr, text: String) {
        self.numbers.push(Number { value, text });
    }

    fn flag(&mut self, holds: Expr, text: String, negated: String) {
        self.add(Atom { holds, text, negated, is_literal: true, form: Form::Flag });
    }

    fn add(&mut self, atom: Atom) {
        if !self.atoms.iter().any(|other| other.holds == atom.holds) {
            self.atoms.push(atom);
        }
    }

    /// The comparisons in the code that only cells and constants decide.
    fn conditions(&mut self, bodies: &[&Block], source: &dyn Fn(Span) -> String) {
        let mut found: Vec<&Expr> = vec![];
        bodies.iter().for_each(|body| body.each_expr(|expr| found.extend(symbol_of(expr).map(|_| expr))));
        for expr in found {
            let text = source(expr.span).trim().to_string();
            let symbol = symbol_of(expr).unwrap_or_default();
            // The span of code that the compiler made is that of something else.
            let is_written = text.matches(symbol).count() == 1 && !text.contains(['&', '|', '\n', '{', ';']);
            if is_written && depends_on_cells_alone(expr) {
                let negated = match symbol {
                    " == " => text.replace(symbol, " != "),
                    " != " => text.replace(symbol, " == "),
                    _ => format!("!({text})"),
                };
                self.flag(expr.clone(), text, negated);
            }
        }
    }

    fn zeros(&mut self) {
        for at in 0..self.numbers.len() {
            let Number { value, text } = &self.numbers[at];
            if matches!(value.ty, Type::UInt(_)) {
                let holds = compare(BinaryOp::Equal, value.clone(), constant(0, &value.ty));
                let (text, negated) = (format!("{text} == 0"), format!("{text} != 0"));
                self.flag(holds, text, negated);
            }
        }
    }

    /// Each number with the constants of its type.
    fn bounds(&mut self, constants: &Constants) {
        for at in 0..self.numbers.len() {
            let Number { value, text } = &self.numbers[at];
            if matches!(value.ty, Type::Seq(_)) {
                continue;
            }
            let (value, text) = (value.clone(), text.clone());
            for k in constants.of_type(&value.ty) {
                let (limit, shown) = (constant(k, &value.ty), shown(k, &value.ty));
                let most = compare(BinaryOp::LessEqual, value.clone(), limit.clone());
                let (holds, negated) = (format!("{text} <= {shown}"), format!("{text} > {shown}"));
                self.add(Atom { holds: most, text: holds, negated, is_literal: false, form: Form::Bound(at, true, k) });
                let least = compare(BinaryOp::LessEqual, limit, value.clone());
                let (holds, negated) = (format!("{shown} <= {text}"), format!("{text} < {shown}"));
                self.add(Atom {
                    holds: least,
                    text: holds,
                    negated,
                    is_literal: false,
                    form: Form::Bound(at, false, k),
                });
            }
        }
    }

    /// Each two numbers of one type: equalities, then orders, then distances.
    fn pairs(&mut self, constants: &Constants) {
        let numbers = std::mem::take(&mut self.numbers);
        let places = || (0..numbers.len()).flat_map(|a| (0..numbers.len()).map(move |b| (a, b)));
        let pairs = || places().filter(|(a, b)| a != b && numbers[*a].value.ty == numbers[*b].value.ty);
        for (a, b) in pairs().filter(|(a, b)| a < b) {
            self.add(comparison(BinaryOp::Equal, (&numbers[a], &numbers[b]), ("==", "!="), Form::Same(a, b)));
        }
        for (a, b) in pairs() {
            self.add(comparison(BinaryOp::LessEqual, (&numbers[a], &numbers[b]), ("<=", ">"), Form::Order(a, b)));
        }
        for (a, b) in pairs() {
            if let Type::Seq(bits) = numbers[a].value.ty {
                let most = |k: &u64| *k > 0 && *k < 1 << (bits - 1);
                for k in constants.of_type(&Type::UInt(bits)).into_iter().filter(most) {
                    self.add(distance((&numbers[a], &numbers[b]), bits, k, Form::Distance(a, b, k)));
                }
            }
        }
    }
}

fn comparison(op: BinaryOp, (a, b): (&Number, &Number), (symbol, not): (&str, &str), form: Form) -> Atom {
    let holds = compare(op, a.value.clone(), b.value.clone());
    let (text, negated) = (format!("{} {symbol} {}", a.text, b.text), format!("{} {not} {}", a.text, b.text));
    Atom { holds, text, negated, is_literal: false, form }
}

/// `a - b <= k` of sequence numbers.
fn distance((a, b): (&Number, &Number), bits: u8, k: u64, form: Form) -> Atom {
    let ty = Type::Int(bits);
    let (left, right) = (Box::new(a.value.clone()), Box::new(b.value.clone()));
    let difference = Expr::new(ExprKind::Binary(BinaryOp::Distance, left, right), ty.clone(), Span::default());
    let holds = compare(BinaryOp::LessEqual, difference, constant(k, &ty));
    let (text, negated) = (format!("{} - {} <= {k}", a.text, b.text), format!("{} - {} > {k}", a.text, b.text));
    Atom { holds, text, negated, is_literal: false, form }
}

fn load(place: &Place) -> Expr {
    Expr::new(ExprKind::Load(Box::new(place.clone())), place.ty.clone(), Span::default())
}

pub(crate) fn constant(value: u64, ty: &Type) -> Expr {
    Expr::new(ExprKind::Const(value), ty.clone(), Span::default())
}

pub(crate) fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Bool, Span::default())
}

/// The symbol of a comparison, with spaces; none: it is no comparison.
fn symbol_of(expr: &Expr) -> Option<&'static str> {
    let ExprKind::Binary(op, ..) = &expr.kind else { return None };
    let symbols = [
        (BinaryOp::Equal, " == "),
        (BinaryOp::NotEqual, " != "),
        (BinaryOp::Less, " < "),
        (BinaryOp::LessEqual, " <= "),
    ];
    symbols.iter().find(|(other, _)| other == op).map(|(_, symbol)| *symbol)
}

/// Whether an expression reads cells, and nothing that a step brings.
fn depends_on_cells_alone(expr: &Expr) -> bool {
    let differs = |node: Node<'_>| match node {
        Node::Place(place) => matches!(place.root, Root::Local(_)),
        Node::Expr(expr) => is_foreign(expr),
        Node::Statement(_) | Node::Set(_) => true,
    };
    expr.any(|node| matches!(node, Node::Place(_))) && !expr.any(differs)
}

/// Whether the value of an expression depends on more than cells, or may have no terms.
fn is_foreign(expr: &Expr) -> bool {
    let is_simple = matches!(
        expr.kind,
        ExprKind::Const(_)
            | ExprKind::Load(_)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Convert(_)
            | ExprKind::Query(..)
            | ExprKind::Field(..)
    );
    // How many entries a window has is a sum of many bits.
    let counts = matches!(&expr.kind, ExprKind::Query(Query::Len, place, _) if matches!(place.ty, Type::Window(..)));
    counts || !is_simple
}

/// A constant in source terms.
fn shown(k: u64, ty: &Type) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];
    match (ty, units.iter().find(|(unit, _)| k > 0 && k % unit == 0)) {
        (Type::Duration, Some((unit, name))) => format!("{} {name}", k / unit),
        _ => k.to_string(),
    }
}

/// The constants in the code of a layer, by whether they are durations.
struct Constants {
    numbers: BTreeSet<u64>,
    durations: BTreeSet<u64>,
}

impl Constants {
    fn of(stack: &Stack, layer: LayerId, bodies: &[&Block]) -> Constants {
        let mut found = Constants { numbers: BTreeSet::new(), durations: BTreeSet::new() };
        let mut meet = |expr: &Expr| match (&expr.kind, &expr.ty) {
            (ExprKind::Const(k), Type::Duration) => {
                found.durations.insert(*k);
            }
            (ExprKind::Const(k), Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..)) => {
                found.numbers.extend([*k, k.saturating_sub(1)]);
            }
            _ => {}
        };
        bodies.iter().for_each(|body| body.each_expr(&mut meet));
        for cell in stack.cells.iter().filter(|cell| cell.layer == layer) {
            cell.initial.iter().for_each(|initial| initial.each_expr(&mut meet));
        }
        let mut bounds = vec![];
        for body in bodies {
            body.each_statement(|statement| {
                if let Control::Repeat { bound, .. } = statement.control() {
                    bounds.push(u64::from(bound));
                }
            });
        }
        for k in bounds {
            found.numbers.extend([k, k.saturating_sub(1)]);
        }
        found
    }

    /// Those that fit a type, but 0, the largest left out where there are many.
    fn of_type(&self, ty: &Type) -> Vec<u64> {
        let (of, most) = match ty {
            Type::UInt(bits) => (&self.numbers, mask(u32::from(*bits))),
            Type::Range(_, high) => (&self.numbers, high.saturating_sub(1)),
            Type::Duration => (&self.durations, u64::MAX),
            _ => return vec![],
        };
        of.iter().copied().filter(|k| *k <= most).take(MOST_CONSTANTS).collect()
    }
}
