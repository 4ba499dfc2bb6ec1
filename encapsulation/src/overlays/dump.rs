//! Functions as gcc prints them after parsing (`-fdump-tree-original`): C without macros, in which each conversion of a
//! pointer is a cast. Follows pointers into packets through a function. What is not understood points nowhere.

use std::collections::BTreeSet;
use std::fmt;

use super::tokens::{Function, Token};

/// What a function does with pointers into packets.
#[derive(Debug, Default)]
pub struct Found {
    /// Variables to which one is assigned.
    pub assigned: BTreeSet<String>,
    /// Types to which one is cast.
    pub casts: BTreeSet<Cast>,
    /// Functions that get one, and the number of the argument.
    pub passed: BTreeSet<(String, usize)>,
    /// Variables that get a value: with the function that returned it, if one did.
    pub results: BTreeSet<(String, Option<String>)>,
    /// All members that are named.
    pub members: BTreeSet<String>,
}

/// The type of a cast: a name, such as `struct ip`, and the number of `*`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cast {
    pub name: String,
    pub stars: usize,
}

impl fmt::Display for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.name, if self.stars > 0 { " " } else { "" }, "*".repeat(self.stars))
    }
}

/// What is known of a function.
pub struct Known<'a> {
    /// Members of structures that point to the data of packets.
    pub data: &'a [String],
    /// Whether a variable points into a packet.
    pub is_pointer: &'a dyn Fn(&str) -> bool,
    /// Variables with buffers whose data is of no packet.
    pub storage: &'a BTreeSet<String>,
}

impl Function {
    /// Follows pointers into packets.
    pub fn follow(&self, known: &Known) -> Found {
        let tokens = &self.tokens;
        let mut reader = Reader { tokens, at: 0, depth: 0, in_angles: false, known, found: Found::default() };
        while reader.at < reader.tokens.len() {
            reader.statements();
        }
        reader.found
    }
}

/// What is known of the value of an expression.
#[derive(Default)]
struct Value {
    /// The function that returned it.
    result: Option<String>,
    /// The variable from which a member was taken.
    owner: Option<String>,
    /// It points into a packet.
    points: bool,
    /// It is a place in a packet, whose address points there.
    inside: bool,
    /// It is a variable, and nothing else.
    variable: Option<String>,
}

fn pointer(points: bool) -> Value {
    Value { points, ..Value::default() }
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    /// `>` ends a list, as in `MAX_EXPR <a, b>`.
    in_angles: bool,
    known: &'a Known<'a>,
    found: Found,
}

/// Expressions that are nested deeper are not read.
const DEEPEST: usize = 200;

impl<'a> Reader<'a> {
    fn sign(&self) -> &'static str {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) => sign,
            _ => "",
        }
    }

    fn word(&self, at: usize) -> Option<&'a str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn skips(&mut self, sign: &str) -> bool {
        let skips = self.sign() == sign;
        self.at += usize::from(skips);
        skips
    }

    /// Statements up to the end of their block; the value of the last.
    fn statements(&mut self) -> Value {
        let mut last = Value::default();
        while self.at < self.tokens.len() && !self.skips("}") {
            let before = self.at;
            if self.skips("{") {
                last = self.nested(Reader::statements);
            } else if matches!(self.word(self.at), Some("if" | "switch" | "while")) {
                self.at += 1;
                self.list("(", ")");
            } else if matches!(self.word(self.at), Some("return" | "else" | "goto" | "case" | "register" | "static")) {
                self.at += 1;
            } else {
                last = self.expression();
            }
            // Signs that begin no expression.
            self.at += usize::from(self.at == before);
        }
        last
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.depth == DEEPEST {
            self.at = self.tokens.len();
            return Value::default();
        }
        self.depth += 1;
        let angles = std::mem::replace(&mut self.in_angles, false);
        let value = read(self);
        self.in_angles = angles;
        self.depth -= 1;
        value
    }

    /// Expressions between signs, with commas. Which of them point into packets, and the value of the last.
    fn list(&mut self, from: &str, to: &str) -> (Vec<bool>, Value) {
        let mut points = Vec::new();
        if !self.skips(from) {
            return (points, Value::default());
        }
        let last = self.nested(|reader| {
            reader.in_angles = to == ">";
            let mut last = Value::default();
            while reader.at < reader.tokens.len() && !reader.skips(to) && reader.sign() != ";" {
                let before = reader.at;
                if !reader.skips(",") {
                    last = reader.expression();
                    points.push(last.points);
                }
                reader.at += usize::from(reader.at == before);
            }
            last
        });
        (points, last)
    }

    fn expression(&mut self) -> Value {
        self.nested_in_place(|reader| {
            let mut value = reader.term();
            let mut is_number = false;
            loop {
                match reader.sign() {
                    "=" => {
                        reader.at += 1;
                        let right = reader.expression();
                        if right.points {
                            reader.found.assigned.extend(value.variable.clone());
                        }
                        reader.found.results.extend(value.variable.map(|name| (name, right.result.clone())));
                        return Value { variable: None, ..right };
                    }
                    "+" | "-" => {
                        reader.at += 1;
                        let right = reader.term();
                        value = pointer(value.points || right.points);
                    }
                    "?" => {
                        reader.at += 1;
                        let first = reader.expression();
                        reader.skips(":");
                        let second = reader.expression();
                        return pointer(first.points || second.points);
                    }
                    ">" if reader.in_angles => break,
                    "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" => {
                        reader.at += 1;
                        reader.expression();
                        return Value::default();
                    }
                    "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "&" | "|" | "^" | "<<" | ">>" => {
                        reader.at += 1;
                        reader.term();
                        is_number = true;
                    }
                    _ => break,
                }
            }
            if is_number {
                Value::default()
            } else {
                value
            }
        })
    }

    /// As `nested`, within the same list.
    fn nested_in_place(&mut self, read: impl FnOnce(&mut Self) -> Value) -> Value {
        let angles = self.in_angles;
        self.nested(|reader| {
            reader.in_angles = angles;
            read(reader)
        })
    }

    fn term(&mut self) -> Value {
        let mut value = self.unary();
        // Also declarations: `struct ip * ip = ...`.
        while matches!(self.sign(), "*" | "/" | "%") {
            self.at += 1;
            value = Value { variable: self.unary().variable, ..Value::default() };
        }
        value
    }

    fn unary(&mut self) -> Value {
        let sign = self.sign();
        match sign {
            "&" | "*" | "-" | "~" | "!" | "++" | "--" => {
                self.at += 1;
                let value = self.nested_in_place(Reader::unary);
                match sign {
                    "&" => pointer(value.inside),
                    "*" => Value { inside: value.points, ..Value::default() },
                    "++" | "--" => pointer(value.points),
                    _ => Value::default(),
                }
            }
            "(" => match self.cast() {
                Some((cast, operand)) => {
                    self.at = operand;
                    let value = self.nested_in_place(Reader::unary);
                    if value.points {
                        self.found.casts.insert(cast);
                    }
                    Value { result: value.result, ..pointer(value.points) }
                }
                None => {
                    let (_, value) = self.list("(", ")");
                    self.postfix(value)
                }
            },
            "{" => {
                self.at += 1;
                self.nested(Reader::statements)
            }
            "<<<" => {
                while self.at < self.tokens.len() && !self.skips(">>>") {
                    self.at += 1;
                }
                Value::default()
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Value {
        let Some(word) = self.word(self.at) else {
            self.at += usize::from(self.tokens.get(self.at) == Some(&Token::Constant));
            return Value::default();
        };
        self.at += 1;
        if matches!(word, "struct" | "union" | "enum") {
            self.at += usize::from(self.word(self.at).is_some());
            return Value::default();
        }
        let value = match self.sign() {
            "(" => {
                let (points, _) = self.list("(", ")");
                let numbers = points.iter().enumerate().filter(|(_, points)| **points);
                self.found.passed.extend(numbers.map(|(number, _)| (word.to_string(), number)));
                Value { result: Some(word.to_string()), ..Value::default() }
            }
            "<" if word.ends_with("_EXPR") || word == "MEM" => self.list("<", ">").1,
            "[" if word == "MEM" => Value { inside: self.list("[", "]").1.points, ..Value::default() },
            _ => Value { points: (self.known.is_pointer)(word), variable: Some(word.to_string()), ..Value::default() },
        };
        self.postfix(value)
    }

    fn postfix(&mut self, mut value: Value) -> Value {
        loop {
            match self.sign() {
                sign @ ("->" | ".") => {
                    self.at += 1;
                    let Some(member) = self.word(self.at) else { return value };
                    self.at += 1;
                    self.found.members.insert(member.to_string());
                    let (inside, owner) = match sign {
                        "." => (value.inside, value.owner.or(value.variable)),
                        _ => (value.points, value.variable),
                    };
                    let is_storage = owner.as_ref().is_some_and(|owner| self.known.storage.contains(owner));
                    let points = self.known.data.iter().any(|name| name == member) && !is_storage;
                    value = Value { points, inside, owner, ..Value::default() };
                }
                "[" => {
                    let inside = value.inside || value.points;
                    self.list("[", "]");
                    value = Value { inside, ..Value::default() };
                }
                "(" => {
                    self.list("(", ")");
                    value = Value::default();
                }
                "++" | "--" => {
                    self.at += 1;
                    value = pointer(value.points);
                }
                _ => return value,
            }
        }
    }

    /// The type of a cast that begins here, and where its operand begins.
    fn cast(&self) -> Option<(Cast, usize)> {
        let mut at = self.at + 1;
        let mut words = Vec::new();
        let mut stars = 0;
        loop {
            match self.tokens.get(at)? {
                Token::Word(word) if matches!(word.as_str(), "const" | "volatile" | "restrict") => {}
                Token::Word(word) if stars == 0 => words.push(word.as_str()),
                Token::Sign("*") if !words.is_empty() => stars += 1,
                Token::Sign(")") if !words.is_empty() => break,
                _ => return None,
            }
            at += 1;
        }
        let begins = match self.tokens.get(at + 1)? {
            Token::Sign(sign) => matches!(*sign, "(" | "&" | "*" | "-" | "~" | "!" | "++" | "--" | "{"),
            _ => true,
        };
        begins.then(|| (Cast { name: words.join(" "), stars }, at + 1))
    }
}

#[cfg(test)]
#[path = "dump_tests.rs"]
mod tests;
