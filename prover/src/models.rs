//! Models of solvers: the values that they give to terms, and what these are as values of the interpreter.

use std::collections::HashMap;

use nacre_stack::interpret::{Addr, Message, Origin, Value, Window};
use nacre_stack::{mask, HeaderId, Stack, Type};
use nacre_symbolic::terms::{Sort, Term, Terms};
use nacre_symbolic::values::{self, Entries, Row, Unpacked, Value as Terminal, LENGTH_BITS};

/// The terms that make up values, each once.
#[derive(Default)]
pub(crate) struct Parts {
    pub terms: Vec<Term>,
    /// Among them, the names of the bytes of messages.
    pub names: Vec<Term>,
}

impl Parts {
    /// Adds the terms of a value; of containers, those of all entries.
    pub fn add(&mut self, terms: &mut Terms, value: &Terminal) {
        match value {
            Terminal::Term(term) => self.terms.push(*term),
            Terminal::Tuple(parts) | Terminal::Array(parts) => parts.iter().for_each(|part| self.add(terms, part)),
            Terminal::Option(some, inner) => {
                self.terms.push(*some);
                self.add(terms, inner);
            }
            Terminal::Message(message) => {
                self.names.push(message.bytes);
                self.terms.extend([message.bytes, length(terms, message.bytes), message.data]);
                self.terms.extend(&message.kinds);
                message.fields.iter().flatten().for_each(|field| self.add(terms, field));
            }
            Terminal::Window(window) => {
                self.terms.extend([window.low, window.next, window.high, window.reported, window.used]);
                self.entries(terms, &window.entries);
            }
            Terminal::Row(row) => {
                self.terms.extend([row.start, row.len]);
                self.entries(terms, &row.entries);
            }
        }
    }

    fn entries(&mut self, terms: &mut Terms, entries: &Entries) {
        for index in 0..1 << entries.index {
            let entry = entry(terms, entries, index);
            self.add(terms, &entry);
        }
    }
}

/// The length of bytes by name.
pub(crate) fn length(terms: &mut Terms, name: Term) -> Term {
    terms.call("length", Sort::Bits(LENGTH_BITS), &[name])
}

fn entry(terms: &mut Terms, entries: &Entries, index: u64) -> Terminal {
    let index = terms.bits(entries.index, u128::from(index & mask(entries.index)));
    entries.get(terms, index)
}

/// The values of terms.
pub(crate) struct Model {
    /// Each as bytes, the lowest first.
    values: HashMap<Term, Vec<u8>>,
    /// The bytes of messages whose bytes mean something, by name.
    pub contents: HashMap<u64, Vec<u8>>,
}

impl Model {
    /// The values as a solver writes them, in the order of the terms.
    pub fn of(terms: &[Term], texts: &[String]) -> Model {
        let values = terms.iter().zip(texts).map(|(term, text)| (*term, bytes_of(text))).collect();
        Model { values, contents: HashMap::new() }
    }

    /// The value of a term as a number; 0 if nothing is known of it.
    pub fn number(&self, terms: &Terms, term: Term) -> u64 {
        if let Some(value) = terms.value_of(term) {
            return value as u64;
        }
        if let Some(value) = terms.truth_of(term) {
            return u64::from(value);
        }
        let bytes = self.values.get(&term).map_or(&[][..], Vec::as_slice);
        bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn bytes(&self, terms: &Terms, term: Term, len: usize) -> Vec<u8> {
        let known = self.values.get(&term).cloned();
        let mut bytes = known.unwrap_or_else(|| self.number(terms, term).to_le_bytes().to_vec());
        bytes.resize(len, 0);
        bytes
    }
}

/// A value as a solver writes it: a truth value, a decimal number, or digits with their base.
fn bytes_of(text: &str) -> Vec<u8> {
    if let Ok(number) = text.parse::<u128>() {
        return number.to_le_bytes().to_vec();
    }
    let (digits, bits) = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => (digits, 4),
        (_, Some(digits)) => (digits, 1),
        _ => return vec![u8::from(text == "true")],
    };
    let mut bytes = vec![0; (digits.len() * bits).div_ceil(8)];
    for (at, digit) in digits.chars().rev().enumerate() {
        let digit = digit.to_digit(16).unwrap_or(0) as u8;
        bytes[at * bits / 8] |= digit << (at * bits % 8);
    }
    bytes
}

/// Makes values of the interpreter of a model.
pub(crate) struct Concrete<'m> {
    pub stack: &'m Stack,
    pub terms: &'m mut Terms,
    pub model: &'m Model,
}

impl Concrete<'_> {
    fn number(&self, term: Term) -> u64 {
        self.model.number(self.terms, term)
    }

    /// A value of a type.
    pub fn value(&mut self, value: &Terminal, ty: &Type) -> Value {
        match (value, ty) {
            (Terminal::Term(term), ty) => self.single(*term, ty),
            (Terminal::Tuple(parts), Type::Struct(id)) => {
                let types: Vec<Type> = self.stack.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect();
                Value::Tuple(parts.iter().zip(&types).map(|(part, ty)| self.value(part, ty)).collect())
            }
            (Terminal::Tuple(parts), Type::Tuple(types)) => {
                Value::Tuple(parts.iter().zip(types).map(|(part, ty)| self.value(part, ty)).collect())
            }
            (Terminal::Array(parts), Type::Array(ty, _)) => {
                Value::Tuple(parts.iter().map(|part| self.value(part, ty)).collect())
            }
            (Terminal::Option(some, inner), Type::Option(ty)) => match self.number(*some) {
                0 => Value::none(),
                _ => Value::some(self.value(inner, ty)),
            },
            (Terminal::Message(message), _) => Value::Msg(self.message(message)),
            (Terminal::Window(window), Type::Window(ty, n, bits)) => self.window(window, ty, *n, *bits),
            (Terminal::Row(row), Type::Ring(ty, _) | Type::List(ty, _)) => self.row(row, ty),
            // Values of one type have one form.
            (_, ty) => self.stack.zero(ty),
        }
    }

    fn single(&mut self, term: Term, ty: &Type) -> Value {
        let (model, terms) = (self.model, &*self.terms);
        match ty {
            Type::Timer => Value::Timer(self.number(term)),
            Type::Bits(n) => {
                let bytes = model.bytes(terms, term, n.div_ceil(64) as usize * 8);
                let word = |word: &[u8]| word.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
                Value::Set(bytes.chunks(8).map(word).collect())
            }
            Type::Bytes(n) => Value::Bytes(model.bytes(terms, term, *n as usize)),
            Type::Addr => {
                let bytes = model.bytes(terms, term, 20);
                Value::Addr(bytes.try_into().map_or_else(|_| Addr::default(), |bytes| Addr::of_bytes(&bytes)))
            }
            Type::View => Value::Bytes(self.content(term)),
            _ => Value::Num(self.number(term)),
        }
    }

    /// A message with the headers that are on it.
    pub fn message(&mut self, message: &values::Message) -> Message {
        let mut headers = vec![];
        for kind in message.kinds.iter().rev() {
            let Some(at) = (self.number(*kind) as usize).checked_sub(1) else { continue };
            let Some(declared) = self.stack.headers.get(at) else { continue };
            let fields = declared.fields.iter().zip(&message.fields[at]);
            let fields = fields.map(|(field, value)| self.value(value, &field.ty)).collect();
            headers.push((HeaderId(at as u32), fields));
        }
        let data = self.number(message.data) != 0;
        Message { headers, ..Message::new(&self.content(message.bytes), Origin::Made, data) }
    }

    /// The bytes that are unpacked to a message; none: nothing comes out of them.
    pub fn packed(&mut self, unpacked: &Unpacked) -> Option<Vec<u8>> {
        let Terminal::Option(some, inner) = &unpacked.value else { return None };
        let (Terminal::Message(message), true) = (&**inner, self.number(*some) != 0) else { return None };
        let (message, layout) = (self.message(message), &self.stack.layouts[unpacked.layout.index()]);
        let shape = &layout.shapes[self.stack.shape_of(layout, &message, None)?];
        let mut bytes = self.stack.head(layout, shape, &message.headers);
        bytes.extend(message.bytes());
        Some(bytes)
    }

    /// Bytes of which nothing but the name and the length is known: they begin with the name.
    fn content(&mut self, name: Term) -> Vec<u8> {
        let number = self.number(name);
        if let Some(content) = self.model.contents.get(&number) {
            return content.clone();
        }
        let len = length(self.terms, name);
        let mut bytes: Vec<u8> = (0..self.number(len)).map(|at| at as u8).collect();
        bytes.iter_mut().zip(number.to_le_bytes().iter().take(4)).for_each(|(byte, part)| *byte = *part);
        bytes
    }

    fn window(&mut self, window: &values::Window, ty: &Type, n: u32, bits: u8) -> Value {
        let mut made = Window::new(n, bits);
        [made.low, made.next, made.high, made.reported] =
            [window.low, window.next, window.high, window.reported].map(|term| self.number(term));
        let used = self.model.bytes(self.terms, window.used, n.div_ceil(8) as usize);
        let span = made.high.wrapping_sub(made.low) & mask(u32::from(bits));
        for at in 0..span.min(u64::from(n)) {
            let is_there = used[at as usize / 8] >> (at % 8) & 1 == 1;
            let entry = is_there.then(|| entry(self.terms, &window.entries, made.low.wrapping_add(at)));
            made.entries.push_back(entry.map(|entry| self.value(&entry, ty)));
        }
        Value::Window(made)
    }

    fn row(&mut self, row: &Row, ty: &Type) -> Value {
        let (start, len) = (self.number(row.start), self.number(row.len).min(1 << row.entries.index));
        let entries: Vec<Terminal> =
            (0..len).map(|at| entry(self.terms, &row.entries, start.wrapping_add(at))).collect();
        Value::Row(entries.iter().map(|entry| self.value(entry, ty)).collect())
    }
}
