//! Terms as SMT-LIB 2. Terms that are used more than once are defined once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::{Node, Op, Sort, Term, Terms};

/// What is to be shown: that the claim follows from the assumptions.
#[derive(Clone, Debug)]
pub struct Goal {
    pub name: String,
    pub assumptions: Vec<Term>,
    pub claim: Term,
}

/// How an array begins whose elements are all the same.
const CONSTANT: &str = "(as const ";

/// The negated goal: unsatisfiable if it holds. The values of `shown` are asked for if it does not.
pub fn script(terms: &Terms, goal: &Goal, shown: &[Term]) -> String {
    script_preferring(terms, goal, &[], shown)
}

/// The same; of the models that contradict the goal, one is wanted in which much of `preferred` holds, each with its
/// weight. (z3 understands that, cvc5 does not.)
pub fn script_preferring(terms: &Terms, goal: &Goal, preferred: &[(Term, u32)], shown: &[Term]) -> String {
    let mut writer = Writer { terms, uses: HashMap::new(), text: String::new(), names: HashMap::new() };
    let wanted: Vec<Term> = preferred.iter().map(|(term, _)| *term).collect();
    let all = [&goal.assumptions[..], &[goal.claim], &wanted, shown];
    all.into_iter().flatten().for_each(|root| writer.count(*root));
    writer.declare();
    let roots = |writer: &mut Writer, of: &[Term]| of.iter().map(|term| writer.define(*term)).collect::<Vec<_>>();
    let assumptions = roots(&mut writer, &goal.assumptions);
    let claim = writer.define(goal.claim);
    let wanted = roots(&mut writer, &wanted);
    let shown = roots(&mut writer, shown);
    let mut text = writer.text;
    assumptions.iter().for_each(|one| text.push_str(&format!("(assert {one})\n")));
    text.push_str(&format!("(assert (not {claim}))\n"));
    let weighted = wanted.iter().zip(preferred);
    weighted.for_each(|(one, (_, weight))| text.push_str(&format!("(assert-soft {one} :weight {weight})\n")));
    text.push_str("(check-sat)\n");
    if !shown.is_empty() {
        text.push_str(&format!("(get-value ({}))\n", shown.join(" ")));
    }
    // The arrays of this logic have no constants.
    let logic = if text.contains(CONSTANT) { "ALL" } else { "QF_AUFBV" };
    let logic = format!("(set-option :produce-models true)\n(set-logic {logic})\n");
    format!("; {}\n{logic}{text}", goal.name.replace('\n', " "))
}

impl Terms {
    /// The free constants of a goal that are no arrays, in the order in which they were made.
    pub fn free_of(&self, goal: &Goal) -> Vec<(String, Term)> {
        let (mut open, mut seen) = (goal.assumptions.clone(), BTreeSet::new());
        open.push(goal.claim);
        while let Some(term) = open.pop() {
            if seen.insert(term) {
                open.extend(self.node(term).parts());
            }
        }
        let name = |term: &Term| match self.node(*term) {
            Node::Free(name, _, Sort::Bool | Sort::Bits(_)) => Some(name.clone()),
            Node::Call(function, _, of) if function == "length" => match self.node(*of.first()?) {
                Node::Free(name, ..) => name.strip_suffix(".bytes").map(|message| format!("{message}.len")),
                _ => None,
            },
            _ => None,
        };
        let named: Vec<(String, Term)> = seen.into_iter().filter_map(|term| Some((name(&term)?, term))).collect();
        let all: BTreeSet<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        // A message consists of the name of its bytes, and of what says which headers it has.
        let is_of_message = |name: &str| {
            name.rsplit_once('.').is_some_and(|(message, part)| {
                let is_part = ["bytes", "data"].contains(&part) || part.starts_with("kind");
                is_part && all.contains(format!("{message}.bytes").as_str())
            })
        };
        named.iter().filter(|(name, _)| !is_of_message(name)).cloned().collect()
    }
}

struct Writer<'t> {
    terms: &'t Terms,
    /// How often each term is used.
    uses: HashMap<Term, u32>,
    text: String,
    /// The text of terms that have been defined.
    names: HashMap<Term, String>,
}

impl Writer<'_> {
    /// Counts the uses of a term and its parts.
    fn count(&mut self, root: Term) {
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            let uses = self.uses.entry(term).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                let parts = self.terms.node(term).parts();
                // The text of a count contains that of its set once for each element.
                let again = matches!(self.terms.node(term), Node::Apply(Op::Count, _)).then(|| parts[0]);
                open.extend(parts.into_iter().chain(again));
            }
        }
    }

    fn declare(&mut self) {
        let mut declared = BTreeMap::new();
        for term in self.uses.keys() {
            match self.terms.node(*term) {
                Node::Free(name, number, sort) => {
                    declared.insert(constant(name, *number), format!("() {}", sort_text(*sort)));
                }
                Node::Call(name, sort, arguments) => {
                    let sorts: Vec<String> = arguments.iter().map(|a| sort_text(self.terms.sort(*a))).collect();
                    let text = format!("({}) {}", sorts.join(" "), sort_text(*sort));
                    declared.insert(self.function(name, *sort, arguments), text);
                }
                _ => {}
            }
        }
        for (name, text) in declared {
            let _ = writeln!(self.text, "(declare-fun {name} {text})");
        }
    }

    /// A function of each combination of sorts has a name of its own.
    fn function(&self, name: &str, result: Sort, arguments: &[Term]) -> String {
        let of = |sort| match sort {
            Sort::Bool => "b".to_string(),
            Sort::Bits(width) => width.to_string(),
            Sort::Array(index, width) => format!("{index}to{width}"),
        };
        let sorts: Vec<String> = arguments.iter().map(|a| of(self.terms.sort(*a))).collect();
        symbol(&format!("{name}:{}:{}", sorts.join(","), of(result)))
    }

    /// Defines a term and its parts, parts first; returns its text.
    fn define(&mut self, root: Term) -> String {
        let mut open = vec![(root, false)];
        while let Some((term, ready)) = open.pop() {
            if self.names.contains_key(&term) {
                continue;
            }
            if !ready {
                open.push((term, true));
                open.extend(self.terms.node(term).parts().into_iter().map(|part| (part, false)));
                continue;
            }
            let text = self.written(term);
            let is_simple = self.terms.node(term).parts().is_empty();
            let is_once = self.uses.get(&term).is_none_or(|uses| *uses < 2) && text.len() < 200;
            let name = if is_simple || is_once {
                text
            } else {
                let name = format!("t{}", term.0);
                let _ = writeln!(self.text, "(define-fun {name} () {} {text})", sort_text(self.terms.sort(term)));
                name
            };
            self.names.insert(term, name);
        }
        self.names[&root].clone()
    }

    fn written(&self, term: Term) -> String {
        let list = |head: &str, parts: &[Term]| {
            let parts: Vec<&str> = parts.iter().map(|part| self.names[part].as_str()).collect();
            format!("({head} {})", parts.join(" "))
        };
        match self.terms.node(term) {
            Node::Truth(value) => value.to_string(),
            Node::Bits(width, value) => format!("(_ bv{value} {width})"),
            Node::Free(name, number, _) => constant(name, *number),
            Node::Filled(_, element) => list(&format!("{CONSTANT}{})", sort_text(self.terms.sort(term))), &[*element]),
            Node::Apply(Op::Count, parts) => ones(&self.names[&parts[0]], self.terms.width(parts[0])),
            Node::Apply(op, parts) => list(&word(*op), parts),
            Node::Call(name, sort, arguments) if arguments.is_empty() => self.function(name, *sort, arguments),
            Node::Call(name, sort, arguments) => list(&self.function(name, *sort, arguments), arguments),
        }
    }
}

/// The number of ones of a bit vector: sums of pairs, each in one bit more than its parts.
fn ones(set: &str, width: u32) -> String {
    let mut sums: Vec<String> = (0..width).map(|at| format!("((_ extract {at} {at}) {set})")).collect();
    let mut bits = 1;
    while sums.len() > 1 {
        let sum = |pair: &[String]| match pair {
            [one, other] => format!("(bvadd ((_ zero_extend 1) {one}) ((_ zero_extend 1) {other}))"),
            rest => format!("((_ zero_extend 1) {})", rest.concat()),
        };
        sums = sums.chunks(2).map(sum).collect();
        bits += 1;
    }
    format!("((_ zero_extend {}) {})", 32 - bits, sums.concat())
}

/// The symbol of a free constant: no word of SMT-LIB, and of no other constant.
fn constant(name: &str, number: u32) -> String {
    symbol(&format!("{name}@{number}"))
}

fn symbol(name: &str) -> String {
    format!("|{name}|")
}

fn sort_text(sort: Sort) -> String {
    let bits = |width| if width == 0 { "Bool".to_string() } else { format!("(_ BitVec {width})") };
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Bits(width) => bits(width),
        Sort::Array(index, width) => format!("(Array (_ BitVec {index}) {})", bits(width)),
    }
}

fn word(op: Op) -> String {
    let word = match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Equal => "=",
        Op::If => "ite",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::URem => "bvurem",
        Op::SDiv => "bvsdiv",
        Op::SRem => "bvsrem",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::ULess => "bvult",
        Op::SLess => "bvslt",
        Op::Extract(high, lowest) => return format!("(_ extract {high} {lowest})"),
        Op::ZeroExtend(by) => return format!("(_ zero_extend {by})"),
        Op::SignExtend(by) => return format!("(_ sign_extend {by})"),
        Op::Concat => "concat",
        Op::Select => "select",
        Op::Store => "store",
        Op::Count => unreachable!("written as a sum"),
    };
    word.to_string()
}
