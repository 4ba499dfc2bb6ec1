//! Sets: as numbers up to 64 elements, else as words.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;
use crate::types::{mask_constant, set_words};

/// Sets of more words are gone through by loops.
const UNROLLED: u32 = 8;

impl Body<'_, '_> {
    /// Whether a number is an element of a set.
    pub fn member(&mut self, element: &Expr, set: &Expr) -> Term {
        let Type::Bits(n) = set.ty else { return Term::number("false") };
        let (element, words) = (self.wide(element), self.words(set));
        self.is_element(&element, n, words)
    }

    /// Whether a number of 64 bits is an element of a set of `n`.
    pub fn is_element(&mut self, element: &Term, n: u32, words: Words) -> Term {
        let element = self.simple(&Type::UInt(64), element, "element");
        let p = &self.w.prefix;
        Term::operation(match words {
            Words::Number(text) => format!("{element} < {n}u && ({text} >> {element} & 1u)"),
            Words::Array(text) => format!("{element} < {n}u && {p}_has({text}.word, (uint32_t){element})"),
        })
    }

    fn words(&mut self, set: &Expr) -> Words {
        let text = self.borrowed(set);
        Words::of(&set.ty, text)
    }

    /// `a <= b`, `a < b` of sets.
    pub fn subset(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Term {
        let words = set_words(&a.ty).unwrap_or(1);
        match (self.words(a), self.words(b)) {
            (Words::Number(a), Words::Number(b)) => {
                let all = format!("({a} & ~{b}) == 0");
                Term::operation(if op == BinaryOp::Less { format!("{all} && {a} != {b}") } else { all })
            }
            (Words::Array(a), Words::Array(b)) => self.subset_of_words(op, &a, &b, words),
            _ => Term::number("false"),
        }
    }

    /// `a <= b`, `a < b` of sets of more than 64 elements.
    fn subset_of_words(&mut self, op: BinaryOp, a: &str, b: &str, words: u32) -> Term {
        if words > UNROLLED {
            let within = self.bind("bool", "within", "true");
            let equal = self.bind("bool", "equal", "true");
            self.code.open(format!("for (uint32_t i = 0; i < {words}u; i++) {{"));
            self.code.line(format!("if (({a}.word[i] & ~{b}.word[i]) != 0) {{ {within} = false; }}"));
            self.code.line(format!("if ({a}.word[i] != {b}.word[i]) {{ {equal} = false; }}"));
            self.code.close("}");
            self.code.line(format!("(void){equal};"));
            return if op == BinaryOp::Less { Term::operation(format!("{within} && !{equal}")) } else { within };
        }
        let each = |f: &dyn Fn(u32) -> String, by: &str| (0..words).map(f).collect::<Vec<_>>().join(by);
        let all = each(&|i| format!("({a}.word[{i}] & ~{b}.word[{i}]) == 0"), " && ");
        let other = each(&|i| format!("{a}.word[{i}] != {b}.word[{i}]"), " || ");
        Term::operation(if op == BinaryOp::Less { format!("{all} && ({other})") } else { all })
    }

    /// A set of `n` elements, whose words from `from` on are zero; `word`: the word at an index, not yet cut to `n`.
    fn set_of_words(&mut self, n: u32, from: u32, word: impl Fn(&str) -> String) -> Term {
        let words = n.div_ceil(64);
        let c_type = self.c_type(&Type::Bits(n));
        if words <= UNROLLED {
            let list: Vec<String> = (0..words.min(from)).map(|i| trimmed(word(&i.to_string()), n, i)).collect();
            return self.bind(&c_type, "set", &format!("{{.word = {{{}}}}}", list.join(", ")));
        }
        let set = self.bind(&c_type, "set", "{.word = {0}}");
        let count = words.min(from);
        self.code.line(format!("for (uint32_t i = 0; i < {count}u; i++) {{ {set}.word[i] = {}; }}", word("i")));
        if n % 64 != 0 && count == words {
            self.code.line(format!("{set}.word[{}] &= {};", words - 1, mask_constant(n % 64)));
        }
        set
    }

    /// The complement of a set of more than 64 elements.
    pub fn set_unary(&mut self, a: &Expr, ty: &Type) -> Term {
        let Type::Bits(n) = *ty else { return self.value(a) };
        let a = self.borrowed(a);
        self.set_of_words(n, u32::MAX, |i| format!("~{a}.word[{i}]"))
    }

    /// Sets of more than 64 elements.
    pub fn set_binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: &Type) -> Term {
        let Type::Bits(n) = *ty else { unreachable!("{op:?} on {ty:?}") };
        let c_type = self.c_type(ty);
        let left = self.borrowed(a);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let by = self.wide(b);
            let by = self.bind("const uint64_t", "by", &by);
            let set = self.bind(&c_type, "set", "{.word = {0}}");
            let p = self.w.prefix.clone();
            self.code.open(format!("for (uint32_t i = 0; i < {n}u && {by} < {n}u; i++) {{"));
            match op {
                BinaryOp::Shl => self.code.line(format!(
                    "if (i >= {by} && {p}_has({left}.word, i - (uint32_t){by})) {{ {p}_mark({set}.word, i); }}"
                )),
                _ => self.code.line(format!(
                    "if (i + {by} < {n}u && {p}_has({left}.word, i + (uint32_t){by})) {{ {p}_mark({set}.word, i); }}"
                )),
            }
            self.code.close("}");
            return set;
        }
        let right = self.borrowed(b);
        self.set_of_words(n, u32::MAX, |i| match op {
            BinaryOp::And => format!("{left}.word[{i}] & {right}.word[{i}]"),
            BinaryOp::Xor => format!("{left}.word[{i}] ^ {right}.word[{i}]"),
            BinaryOp::Without | BinaryOp::Sub => format!("{left}.word[{i}] & ~{right}.word[{i}]"),
            _ => format!("{left}.word[{i}] | {right}.word[{i}]"),
        })
    }

    /// A value as one of another type that is no number.
    pub fn convert_aggregate(&mut self, a: &Expr, ty: &Type) -> Term {
        match (&a.ty, ty) {
            (from, to) if from == to => self.value(a),
            (Type::Bits(m), Type::Bits(n)) => {
                let text = self.borrowed(a);
                self.set_of_words(*n, m.div_ceil(64), |i| match *m <= 64 {
                    true => format!("(uint64_t){text}"),
                    false => format!("{text}.word[{i}]"),
                })
            }
            (_, Type::Bits(n)) => {
                let number = self.wide(a);
                self.set_of_words(*n, 1, |_| number.to_string())
            }
            _ => self.string_of(std::slice::from_ref(a), ty),
        }
    }
}

/// The words of a set: a number of 64 bits, or what has them as an array.
pub enum Words {
    Number(String),
    Array(String),
}

impl Words {
    /// The words of a set of a type.
    pub fn of(ty: &Type, text: Term) -> Words {
        match set_words(ty) {
            None => Words::Number(format!("(uint64_t){text}")),
            Some(_) => Words::Array(text.into()),
        }
    }
}

fn trimmed(text: String, n: u32, word: u32) -> String {
    match n % 64 {
        0 => text,
        rest if word == n / 64 => format!("({text}) & {}", mask_constant(rest)),
        _ => text,
    }
}
