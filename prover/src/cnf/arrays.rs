//! Elements of arrays. A read of an array that was made of others becomes a choice among reads of those; a read of any
//! other array is a word of its own, and reads of one array at equal indices are equal.

use std::collections::HashMap;

use nacre_symbolic::terms::{Node, Op, Sort, Term, Terms};

use super::gates::{Gates, Lit, FALSE, TRUE};
use super::words::Word;

/// The words of the terms that are no arrays.
pub type Words = HashMap<Term, Word>;

/// The number of an index: equal words have one number.
pub type Index = usize;

/// All reads of arrays.
#[derive(Debug, Default)]
pub struct Reads {
    indices: Vec<Word>,
    numbers: HashMap<Word, Index>,
    reads: HashMap<(Term, Index), Word>,
    /// Of each array that is made of no others: the indices at which it is read.
    read_at: HashMap<Term, Vec<Index>>,
}

impl Reads {
    /// The number of an index.
    pub fn index(&mut self, word: Word) -> Index {
        if let Some(number) = self.numbers.get(&word) {
            return *number;
        }
        self.numbers.insert(word.clone(), self.indices.len());
        self.indices.push(word);
        self.indices.len() - 1
    }

    /// The element of an array at an index.
    ///
    /// # Errors
    /// The array is of a kind that has no reads.
    pub fn read(
        &mut self,
        gates: &mut Gates,
        (terms, words): (&Terms, &Words),
        array: Term,
        index: Index,
    ) -> Result<Word, String> {
        // Without recursion: the terms of arrays are deep.
        let mut open = vec![array];
        while let Some(here) = open.last().copied() {
            if self.reads.contains_key(&(here, index)) || gates.is_full() {
                open.pop();
                continue;
            }
            let made_of = self.parts(gates, (terms, words), here, index)?;
            let before = open.len();
            open.extend(made_of.arrays().into_iter().filter(|part| !self.reads.contains_key(&(*part, index))));
            if open.len() == before {
                let word = self.made(gates, made_of, here, index);
                self.reads.insert((here, index), word);
                open.pop();
            }
        }
        self.reads.get(&(array, index)).cloned().ok_or_else(|| "its formula is too large".to_string())
    }

    /// How an element is made of the elements of other arrays at the same index.
    fn parts(
        &self,
        gates: &mut Gates,
        (terms, words): (&Terms, &Words),
        array: Term,
        index: Index,
    ) -> Result<Element, String> {
        let word = |term: &Term| words.get(term).ok_or("a term is used before its parts are encoded");
        Ok(match terms.node(array) {
            Node::Filled(_, element) => Element::Word(word(element)?.clone()),
            Node::Apply(Op::Store, parts) => match gates.equal(word(&parts[1])?, &self.indices[index]) {
                TRUE => Element::Word(word(&parts[2])?.clone()),
                FALSE => Element::Of(parts[0]),
                same => Element::Stored(same, word(&parts[2])?.clone(), parts[0]),
            },
            Node::Apply(Op::If, parts) => match word(&parts[0])?[..] {
                [TRUE] => Element::Of(parts[1]),
                [FALSE] => Element::Of(parts[2]),
                [condition, ..] => Element::Chosen(condition, parts[1], parts[2]),
                [] => return Err("a condition has no bits".into()),
            },
            Node::Free(..) | Node::Call(..) => match terms.sort(array) {
                Sort::Array(_, width) => Element::Unknown(width.max(1)),
                Sort::Bool | Sort::Bits(_) => return Err("a read of what is no array".into()),
            },
            _ => return Err("an array of an unknown kind".into()),
        })
    }

    fn made(&mut self, gates: &mut Gates, element: Element, array: Term, index: Index) -> Word {
        let of = |part: &Term| &self.reads[&(*part, index)];
        match element {
            Element::Word(word) => word,
            Element::Of(part) => of(&part).clone(),
            Element::Stored(same, word, rest) => gates.choose_word(same, &word, of(&rest)),
            Element::Chosen(condition, a, b) => gates.choose_word(condition, of(&a), of(&b)),
            Element::Unknown(width) => {
                self.read_at.entry(array).or_default().push(index);
                gates.fresh_word(width)
            }
        }
    }

    /// Adds clauses: reads of one array at equal indices are equal.
    pub fn relate(&self, gates: &mut Gates) {
        let mut arrays: Vec<(&Term, &Vec<Index>)> = self.read_at.iter().collect();
        arrays.sort_unstable();
        for (array, indices) in arrays {
            for (at, one) in indices.iter().enumerate() {
                for other in &indices[..at] {
                    let same = gates.equal(&self.indices[*one], &self.indices[*other]);
                    gates.equal_if(same, &self.reads[&(*array, *one)], &self.reads[&(*array, *other)]);
                }
                if gates.is_full() {
                    return;
                }
            }
        }
    }
}

/// How an element of an array is made.
enum Element {
    Word(Word),
    /// That of another array.
    Of(Term),
    /// A word where the literal holds, otherwise that of another array.
    Stored(Lit, Word, Term),
    /// That of the one array where the literal holds, otherwise of the other.
    Chosen(Lit, Term, Term),
    /// Anything, in this width.
    Unknown(u32),
}

impl Element {
    fn arrays(&self) -> Vec<Term> {
        match self {
            Element::Word(_) | Element::Unknown(_) => vec![],
            Element::Of(array) | Element::Stored(_, _, array) => vec![*array],
            Element::Chosen(_, a, b) => vec![*a, *b],
        }
    }
}
