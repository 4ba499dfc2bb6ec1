//! Formulas in conjunctive normal form say what the terms say: of random terms with random values, those of their
//! negations have no model, and those of what holds have one.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nacre_certificates::folder::check_files;
use nacre_process::{on_path, run};
use nacre_prover::certificates::Writer;
use nacre_prover::cnf::encode::Cnf;
use nacre_prover::solvers::{all, Answer};
use nacre_symbolic::terms::{script, Goal, Node, Op, Sort, Term, Terms};

/// Numbers that are the same at each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// The value of a term. A formula is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    Bits(u128),
    /// All elements; indices are narrow.
    Array(Vec<u128>),
}

impl Value {
    fn bits(&self) -> u128 {
        match self {
            Value::Bits(bits) => *bits,
            Value::Array(_) => panic!("an array"),
        }
    }

    fn array(&self) -> &Vec<u128> {
        match self {
            Value::Bits(_) => panic!("no array"),
            Value::Array(elements) => elements,
        }
    }
}

fn cut(value: u128, width: u32) -> u128 {
    value & (u128::MAX >> (128 - width))
}

fn signed(value: u128, width: u32) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

fn any_value(numbers: &mut Numbers, sort: Sort) -> Value {
    let element = |numbers: &mut Numbers, width: u32| match numbers.below(4) {
        0 => 0,
        1 => cut(u128::MAX, width),
        2 => cut(1, width),
        _ => cut(u128::from(numbers.next()), width),
    };
    match sort {
        Sort::Bool => Value::Bits(element(numbers, 1)),
        Sort::Bits(width) => Value::Bits(element(numbers, width)),
        Sort::Array(index, width) => Value::Array((0..1 << index).map(|_| element(numbers, width.max(1))).collect()),
    }
}

/// A function of its operands, by its name and sorts.
type Applied = (String, Sort, Vec<Value>);

/// Values of the free constants, and of functions where they are applied.
struct World {
    numbers: Numbers,
    constants: HashMap<Term, Value>,
    functions: HashMap<Applied, Value>,
    /// Of terms that have been evaluated.
    known: HashMap<Term, Value>,
}

impl World {
    fn new(seed: u64) -> World {
        let (constants, functions, known) = (HashMap::new(), HashMap::new(), HashMap::new());
        World { numbers: Numbers(seed), constants, functions, known }
    }

    /// Follows the definitions of SMT-LIB, and shares nothing with what is tested.
    fn value(&mut self, terms: &Terms, term: Term) -> Value {
        if let Some(value) = self.known.get(&term) {
            return value.clone();
        }
        let parts: Vec<Value> = terms.node(term).parts().iter().map(|part| self.value(terms, *part)).collect();
        let value = match terms.node(term) {
            Node::Truth(value) => Value::Bits(u128::from(*value)),
            Node::Bits(_, value) => Value::Bits(*value),
            Node::Free(_, _, sort) => {
                let value = any_value(&mut self.numbers, *sort);
                self.constants.insert(term, value.clone());
                value
            }
            Node::Filled(index, _) => Value::Array(vec![parts[0].bits(); 1 << index]),
            Node::Call(name, sort, _) => {
                let new = any_value(&mut self.numbers, *sort);
                self.functions.entry((name.clone(), *sort, parts)).or_insert(new).clone()
            }
            Node::Apply(op, of) => applied(*op, terms.width(of[0]), terms.width(term), &parts),
        };
        self.known.insert(term, value.clone());
        value
    }
}

/// `width` is that of the first part, `result` that of the result.
fn applied(op: Op, width: u32, result: u32, parts: &[Value]) -> Value {
    let bits = |at: usize| parts[at].bits();
    let truth = |value: bool| u128::from(value);
    let value = match op {
        Op::Equal => truth(parts[0] == parts[1]),
        Op::If => return parts[if bits(0) == 1 { 1 } else { 2 }].clone(),
        Op::Select => parts[0].array()[bits(1) as usize],
        Op::Store => {
            let mut elements = parts[0].array().clone();
            elements[bits(1) as usize] = bits(2);
            return Value::Array(elements);
        }
        Op::Not => 1 - bits(0),
        Op::And => truth(parts.iter().all(|part| part.bits() == 1)),
        Op::Or => truth(parts.iter().any(|part| part.bits() == 1)),
        Op::ULess => truth(bits(0) < bits(1)),
        Op::SLess => truth(signed(bits(0), width) < signed(bits(1), width)),
        Op::Count => u128::from(bits(0).count_ones()),
        Op::Extract(_, low) => cut(bits(0) >> low, result),
        Op::ZeroExtend(_) => bits(0),
        Op::SignExtend(_) => cut(signed(bits(0), width) as u128, result),
        Op::Concat => bits(0) << (result - width) | bits(1),
        Op::BvNot => cut(!bits(0), width),
        Op::BvNeg => cut(bits(0).wrapping_neg(), width),
        _ => cut(calculated(op, width, bits(0), bits(1)), width),
    };
    Value::Bits(value)
}

fn calculated(op: Op, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(a, width), signed(b, width));
    let is_beyond = b >= u128::from(width);
    match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv if b == 0 => u128::MAX,
        Op::UDiv => a / b,
        Op::URem if b == 0 => a,
        Op::URem => a % b,
        Op::SDiv if b == 0 => (if x < 0 { 1 } else { -1i128 }) as u128,
        Op::SDiv => (x / y) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => (x % y) as u128,
        Op::Shl | Op::LShr if is_beyond => 0,
        Op::Shl => a << b,
        Op::LShr => a >> b,
        Op::AShr => (x >> b.min(127)) as u128,
        _ => panic!("{op:?}"),
    }
}

/// Widths of bit vectors; indices have the first two.
const WIDTHS: [u32; 5] = [1, 2, 3, 8, 17];

const BINARY: [Op; 13] = [
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::URem,
    Op::SDiv,
    Op::SRem,
    Op::Shl,
    Op::LShr,
    Op::AShr,
];

/// Random terms over a few constants of each sort.
struct Random {
    terms: Terms,
    numbers: Numbers,
    made: BTreeMap<String, Vec<Term>>,
}

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random { terms: Terms::new(), numbers: Numbers(seed), made: BTreeMap::new() };
        let arrays = [Sort::Array(1, 0), Sort::Array(2, 3), Sort::Array(2, 8), Sort::Array(1, 17)];
        let sorts: Vec<Sort> = [Sort::Bool].into_iter().chain(WIDTHS.map(Sort::Bits)).chain(arrays).collect();
        for sort in sorts {
            for name in ["a", "b"] {
                let term = random.terms.free(name, sort);
                random.keep(term);
            }
        }
        random
    }

    fn keep(&mut self, term: Term) -> Term {
        self.made.entry(format!("{:?}", self.terms.sort(term))).or_default().push(term);
        term
    }

    /// One of the terms of a sort: of the last ones more often.
    fn any(&mut self, sort: Sort) -> Term {
        let all = &self.made[&format!("{sort:?}")];
        let last = all.len().min(4);
        match self.numbers.below(3) {
            0 => self.numbers.one_of(all),
            _ => self.numbers.one_of(&all[all.len() - last..]),
        }
    }

    fn bits(&mut self, width: u32) -> Term {
        if self.numbers.below(5) == 0 {
            let value = any_value(&mut self.numbers, Sort::Bits(width)).bits();
            return self.terms.bits(width, value);
        }
        self.any(Sort::Bits(width))
    }

    /// Makes one more term.
    fn grow(&mut self) {
        let term = match self.numbers.below(12) {
            0..=4 => self.of_bits(),
            5 | 6 => self.formula(),
            7..=9 => self.of_arrays(),
            10 => self.call(),
            _ => self.choice(),
        };
        self.keep(term);
    }

    fn of_bits(&mut self) -> Term {
        let width = self.numbers.one_of(&WIDTHS);
        let (a, b) = (self.bits(width), self.bits(width));
        let other = self.numbers.one_of(&WIDTHS);
        match self.numbers.below(8) {
            0 => {
                let op = self.numbers.one_of(&[Op::BvNot, Op::BvNeg]);
                self.terms.unary(op, a)
            }
            1 => self.terms.resize(a, other),
            2 => self.terms.resize_signed(a, other),
            3 => {
                let ones = self.terms.ones(a);
                self.terms.resize(ones, other)
            }
            4 => {
                let both = self.terms.concat(a, b);
                let low = self.numbers.below(width as usize) as u32;
                let part = self.terms.extract(both, low + width - 1, low);
                self.terms.resize(part, width)
            }
            _ => {
                let op = self.numbers.one_of(&BINARY);
                self.terms.binary(op, a, b)
            }
        }
    }

    fn formula(&mut self) -> Term {
        let width = self.numbers.one_of(&WIDTHS);
        let (a, b) = (self.bits(width), self.bits(width));
        let [p, q, r] = [0; 3].map(|_| self.any(Sort::Bool));
        match self.numbers.below(9) {
            0 => self.terms.equal(a, b),
            1 => self.terms.less(Op::ULess, a, b),
            2 => self.terms.less(Op::SLess, a, b),
            3 => self.terms.not(p),
            4 => self.terms.and(&[p, q, r]),
            5 => self.terms.or(&[p, q, r]),
            6 => self.terms.equal(p, q),
            7 => self.terms.has(a, b),
            _ => self.terms.choose(p, q, r),
        }
    }

    fn of_arrays(&mut self) -> Term {
        let (index, width) = self.numbers.one_of(&[(1, 0), (2, 3), (2, 8), (1, 17)]);
        let sort = Sort::Array(index, width);
        let (array, other, at) = (self.any(sort), self.any(sort), self.bits(index));
        let element = if width == 0 { self.any(Sort::Bool) } else { self.bits(width) };
        match self.numbers.below(9) {
            0..=2 => self.terms.select(array, at),
            3..=5 => self.terms.store(array, at, element),
            6 => self.terms.filled(index, element),
            7 => self.terms.equal(array, other),
            _ => {
                let condition = self.any(Sort::Bool);
                self.terms.choose(condition, array, other)
            }
        }
    }

    fn call(&mut self) -> Term {
        let results = [Sort::Bool, Sort::Bits(8), Sort::Bits(3), Sort::Array(2, 3)];
        let result = self.numbers.one_of(&results);
        let sorts = self.numbers.one_of(&[
            &[Sort::Bits(2)][..],
            &[Sort::Bits(1), Sort::Bool],
            &[Sort::Array(1, 0)],
            &[Sort::Array(2, 3), Sort::Bits(1)],
        ]);
        let arguments: Vec<Term> = sorts.iter().map(|sort| self.any(*sort)).collect();
        self.terms.call("f", result, &arguments)
    }

    fn choice(&mut self) -> Term {
        let sort = Sort::Bits(self.numbers.one_of(&WIDTHS));
        let (condition, a, b) = (self.any(Sort::Bool), self.any(sort), self.any(sort));
        self.terms.choose(condition, a, b)
    }

    /// The constant of a value; an array is filled, and stored into.
    fn constant(&mut self, sort: Sort, value: &Value) -> Term {
        let bits = |terms: &mut Terms, width: u32, bits: u128| match width {
            0 => terms.truth(bits == 1),
            _ => terms.bits(width, bits),
        };
        match sort {
            Sort::Bool => self.terms.truth(value.bits() == 1),
            Sort::Bits(width) => self.terms.bits(width, value.bits()),
            Sort::Array(index, width) => {
                let elements = value.array().clone();
                let first = bits(&mut self.terms, width, elements[0]);
                let mut array = self.terms.filled(index, first);
                for (at, element) in elements.iter().enumerate() {
                    let (at, element) = (self.terms.bits(index, at as u128), bits(&mut self.terms, width, *element));
                    array = self.terms.store(array, at, element);
                }
                array
            }
        }
    }

    fn equals(&mut self, term: Term, value: &Value) -> Term {
        let constant = self.constant(self.terms.sort(term), value);
        self.terms.equal(term, constant)
    }
}

/// Whether the formula of a goal has no model.
fn is_proved(terms: &Terms, assumptions: &[Term], claim: Term) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let goal = Goal { name: "a goal".into(), assumptions: assumptions.to_vec(), claim };
    let cnf = Cnf::of_goal(terms, &goal).expect("every term is encoded");
    std::fs::write(folder.path().join("goal.cnf"), cnf.dimacs("a goal")).expect("written");
    let mut command = Command::new(on_path(Path::new("cadical")).expect("cadical is installed"));
    command.args(["-q", "--no-binary", "goal.cnf", "goal.drat"]);
    match run(&mut command, folder.path(), Duration::from_secs(60)).expect("it runs").status.code() {
        Some(10) => false,
        Some(20) => {
            check_files(folder.path(), "goal").expect("a right proof");
            true
        }
        other => panic!("{other:?}"),
    }
}

/// With all constants and functions fixed, the formula of what is so has a model, and that of what is not has none.
#[test]
fn formulas_of_random_terms_say_what_they_evaluate_to() {
    let (mut with_arrays, mut with_calls) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(seed);
        (0..40).for_each(|_| random.grow());
        let all: Vec<Term> = random.made.values().flatten().copied().collect();
        let mut world = World::new(seed);
        let values: Vec<(Term, Value)> = all.iter().map(|term| (*term, world.value(&random.terms, *term))).collect();
        let is_given = |term: &Term| matches!(random.terms.node(*term), Node::Free(..) | Node::Call(..));
        let given: Vec<&(Term, Value)> = values.iter().filter(|(term, _)| is_given(term)).collect();
        let assumptions: Vec<Term> = given.iter().map(|(term, value)| random.equals(*term, value)).collect();
        let claims: Vec<Term> = values.iter().map(|(term, value)| random.equals(*term, value)).collect();
        let (claim, never) = (random.terms.and(&claims), random.terms.truth(false));
        let all_of: Vec<Term> = assumptions.iter().copied().chain([claim]).collect();
        assert!(is_proved(&random.terms, &assumptions, claim), "seed {seed}: what is so is not proved");
        assert!(!is_proved(&random.terms, &all_of, never), "seed {seed}: the formula is too strong");
        // A single one that is otherwise.
        let (term, value) = &values[random.numbers.below(values.len())];
        let mut other = value.clone();
        match &mut other {
            Value::Bits(bits) => *bits ^= 1,
            Value::Array(elements) => elements[0] ^= 1,
        }
        let wrong = random.equals(*term, &other);
        assert!(!is_proved(&random.terms, &assumptions, wrong), "seed {seed}: what is not so is proved");
        with_arrays += values.iter().filter(|(_, value)| matches!(value, Value::Array(_))).count();
        with_calls += all.iter().filter(|term| matches!(random.terms.node(**term), Node::Call(..))).count();
    }
    assert!(with_arrays > 500 && with_calls > 100, "{with_arrays} arrays, {with_calls} calls");
}

/// All operations on all operands of up to three bits, in one formula for each pair of operands.
#[test]
fn formulas_of_all_operations_say_what_they_evaluate_to() {
    for width in 1..=3 {
        for operands in 0..1u128 << (2 * width) {
            let mut random = Random::new(0);
            let t = &mut random.terms;
            let [a, b] = ["a", "b"].map(|name| t.free(name, Sort::Bits(width)));
            let mut all: Vec<Term> = BINARY.iter().map(|op| t.binary(*op, a, b)).collect();
            // The same by a constant.
            let constant = t.bits(width, operands >> width);
            all.extend(BINARY.iter().map(|op| t.binary(*op, a, constant)));
            all.extend([Op::BvNot, Op::BvNeg].map(|op| t.unary(op, a)));
            all.extend([Op::ULess, Op::SLess].map(|op| t.less(op, a, b)));
            all.extend([t.equal(a, b), t.ones(a), t.concat(a, b), t.resize(a, 5), t.resize_signed(a, 5), t.has(a, b)]);
            let mut world = World::new(0);
            let given =
                [(a, cut(operands, width)), (b, operands >> width)].map(|(term, bits)| (term, Value::Bits(bits)));
            world.known.extend(given.clone());
            let assumptions = given.map(|(term, value)| random.equals(term, &value));
            let values = all.iter().map(|term| (*term, world.value(&random.terms, *term))).collect::<Vec<_>>();
            let claims: Vec<Term> = values.iter().map(|(term, value)| random.equals(*term, value)).collect();
            let (claim, never) = (random.terms.and(&claims), random.terms.truth(false));
            assert!(is_proved(&random.terms, &assumptions, claim), "{operands:b}, {width} bits");
            let so = [assumptions[0], assumptions[1], claim];
            assert!(!is_proved(&random.terms, &so, never), "{operands:b}, {width} bits");
        }
    }
}

/// Without fixed constants: what one assignment fulfils has a model.
#[test]
fn formulas_with_free_constants_keep_their_models() {
    for seed in 1000..1100 {
        let mut random = Random::new(seed);
        (0..30).for_each(|_| random.grow());
        let formulas = random.made[&format!("{:?}", Sort::Bool)].clone();
        let mut world = World::new(seed);
        let values: Vec<(Term, Value)> =
            formulas.iter().map(|term| (*term, world.value(&random.terms, *term))).collect();
        let assumptions: Vec<Term> = values.iter().map(|(term, value)| random.equals(*term, value)).collect();
        let never = random.terms.truth(false);
        assert!(!is_proved(&random.terms, &assumptions, never), "seed {seed}");
    }
}

/// Laws of arrays and functions, each with something close to it that is none.
#[test]
fn laws_of_arrays_and_functions_are_proved() {
    let mut t = Terms::new();
    let sort = Sort::Array(16, 32);
    let [a, b, c] = ["a", "b", "c"].map(|name| t.free(name, sort));
    let [i, j, k] = ["i", "j", "k"].map(|name| t.free(name, Sort::Bits(16)));
    let [x, y] = ["x", "y"].map(|name| t.free(name, Sort::Bits(32)));
    let (ax, bx) = (t.store(a, i, x), t.store(b, i, x));
    let (axy, ayx) = (t.store(ax, j, y), t.store(a, j, y));
    let ayx = t.store(ayx, i, x);
    let swapped = t.equal(axy, ayx);
    let i_is_j = t.equal(i, j);
    let differ = t.not(i_is_j);
    assert!(is_proved(&t, &[differ], swapped));
    assert!(!is_proved(&t, &[], swapped));
    // Equal arrays have equal elements, and stores into them are equal.
    let (a_is_b, ak, bk) = (t.equal(a, b), t.select(a, k), t.select(b, k));
    let elements = t.equal(ak, bk);
    let stores = t.equal(ax, bx);
    assert!(is_proved(&t, &[a_is_b], elements));
    assert!(is_proved(&t, &[a_is_b], stores));
    assert!(!is_proved(&t, &[stores], a_is_b));
    assert!(!is_proved(&t, &[elements], a_is_b));
    // Of equal stores, the elements elsewhere are equal.
    let k_is_i = t.equal(k, i);
    let elsewhere = t.not(k_is_i);
    assert!(is_proved(&t, &[stores, elsewhere], elements));
    assert!(!is_proved(&t, &[stores], elements));
    // Equality is transitive; so are functions of arrays, and those whose results are arrays.
    let (b_is_c, a_is_c) = (t.equal(b, c), t.equal(a, c));
    assert!(is_proved(&t, &[a_is_b, b_is_c], a_is_c));
    let [fa, fc] = [a, c].map(|array| t.call("f", Sort::Bits(8), &[array, k]));
    let same = t.equal(fa, fc);
    assert!(is_proved(&t, &[a_is_b, b_is_c], same));
    assert!(!is_proved(&t, &[a_is_b], same));
    let [gi, gj] = [i, j].map(|index| t.call("g", sort, &[index]));
    let [gik, gjk] = [gi, gj].map(|array| t.select(array, k));
    let (arrays, elements) = (t.equal(gi, gj), t.equal(gik, gjk));
    assert!(is_proved(&t, &[i_is_j], arrays));
    assert!(is_proved(&t, &[i_is_j], elements));
    assert!(!is_proved(&t, &[], elements));
    // What is stored where it was read changes nothing.
    let ai = t.select(a, i);
    let back = t.store(a, i, ai);
    let unchanged = t.equal(back, a);
    assert!(is_proved(&t, &[], unchanged));
    // Arrays with the same elements are equal.
    let [d, e] = ["d", "e"].map(|name| t.free(name, Sort::Array(1, 8)));
    let elements = [0, 1].map(|at| {
        let at = t.bits(1, at);
        let [one, other] = [d, e].map(|array| t.select(array, at));
        t.equal(one, other)
    });
    let (d_is_e, never) = (t.equal(d, e), t.truth(false));
    let d_is_not_e = t.not(d_is_e);
    assert!(is_proved(&t, &elements, d_is_e));
    assert!(is_proved(&t, &[elements[0], elements[1], d_is_not_e], never));
    assert!(!is_proved(&t, &elements[..1], d_is_e));
    // The same name with other sorts is another function.
    let [wide, narrow] = [x, k].map(|argument| t.call("h", Sort::Bool, &[argument]));
    let same = t.equal(wide, narrow);
    assert!(!is_proved(&t, &[], same));
}

/// Wide words, which constants are too narrow for.
#[test]
fn laws_of_wide_words_are_proved() {
    let mut t = Terms::new();
    let [a, b] = ["a", "b"].map(|name| t.free(name, Sort::Bits(200)));
    let (sum, turned) = (t.binary(Op::Add, a, b), t.binary(Op::Add, b, a));
    let back = t.binary(Op::Sub, turned, b);
    let unchanged = t.equal(back, a);
    assert!(is_proved(&t, &[], unchanged));
    let (same, zero) = (t.equal(sum, turned), t.bits(200, 0));
    assert!(is_proved(&t, &[], same));
    let (sign, not_zero) = (t.less(Op::SLess, a, zero), t.less(Op::ULess, zero, a));
    assert!(is_proved(&t, &[sign], not_zero));
    assert!(!is_proved(&t, &[not_zero], sign));
}

#[test]
fn certificates_are_written_only_of_what_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = Writer::new(folder.path()).expect("cadical is installed");
    let mut t = Terms::new();
    let [a, b] = ["a", "b"].map(|name| t.free(name, Sort::Bits(8)));
    let (less, more) = (t.less(Op::ULess, a, b), t.less(Op::ULess, b, a));
    let not_more = t.not(more);
    let goal = |claim| Goal { name: "a claim".into(), assumptions: vec![less], claim };
    let size = writer.write(&t, &goal(not_more), "holds").expect("a certificate");
    assert!(size.clauses > 10 && size.formula > 100);
    let none = writer.write(&t, &goal(more), "does-not");
    assert!(none.is_err_and(|why| why.contains("has a model")));
    let mut files: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, ["does-not.smt2", "holds.cnf", "holds.drat", "holds.smt2"]);
}

/// Sets wider than any number: their elements, those that are left of a place, and how many there are. The formula says
/// it, and the text for the solvers.
#[test]
fn wide_sets_are_what_their_elements_are() {
    let solvers = all().expect("both solvers");
    let mut numbers = Numbers(7);
    for width in [1, 2, 3, 5, 64, 127, 129, 200, 257, 600, 1024] {
        let mut terms = Terms::new();
        let elements: Vec<bool> = (0..width).map(|_| numbers.below(3) > 0).collect();
        let byte = |bits: &[bool]| bits.iter().rev().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit));
        let bytes: Vec<u8> = elements.chunks(8).map(byte).collect();
        let (set, value) = (terms.free("set", Sort::Bits(width)), terms.of_bytes(width, &bytes));
        let place = numbers.below(width as usize);
        let (at, number) = (terms.free("at", Sort::Bits(28)), terms.bits(28, place as u128));
        let assumptions = [terms.equal(set, value), terms.equal(at, number)];
        let by = terms.resize(at, width);
        let rest = terms.binary(Op::LShr, set, by);
        let count = |of: &[bool]| of.iter().filter(|is_in| **is_in).count() as u128;
        let mut claims = vec![(terms.has(set, at), elements[place])];
        for (of, wanted) in [(set, count(&elements)), (rest, count(&elements[place..]))] {
            let ones = terms.ones(of);
            for (number, is_so) in [(wanted, true), (wanted + 1, false)] {
                let number = terms.bits(32, number);
                claims.push((terms.equal(ones, number), is_so));
            }
        }
        for (claim, is_so) in claims {
            assert_eq!(is_proved(&terms, &assumptions, claim), is_so, "the formula, width {width}");
            let goal = Goal { name: "a set".into(), assumptions: assumptions.to_vec(), claim };
            let wanted = if is_so { Answer::Proved } else { Answer::Refuted(vec![]) };
            for solver in &solvers {
                let answer = solver.solve(&script(&terms, &goal, &[]));
                assert_eq!(answer, wanted, "{} at width {width}", solver.name);
            }
        }
    }
}
