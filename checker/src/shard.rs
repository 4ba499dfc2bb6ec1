//! One thread's part of a search: its states, and the successors that it found for other shards.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::broken::Broken;
use crate::goals::{Follow, Marks};
use crate::memo::growth;
use crate::space::{Move, Near, Space, State, Successor, Visitor};

/// The most states of one shard that are expanded before successors are exchanged,
pub const CHUNK: usize = 1 << 12;
/// and the approximate limit of their moves.
const CHUNK_MOVES: u64 = 1 << 16;
/// The bit of an ordinal that says that the move is a fault. Ordinals are lower.
pub const FAULT: u16 = 1 << 15;
/// Bits set for each state in bitstate hashing.
pub const BITS_OF_A_STATE: u64 = 3;

/// A state that was found, and its predecessor.
pub struct Candidate {
    pub state: State,
    pub parent: u32,
    pub ordinal: u16,
}

/// A violation shown by a move.
pub struct Found {
    pub parent: u32,
    pub ordinal: usize,
    pub broken: Broken,
}

/// The visited states.
pub enum Known {
    Exact(HashTable<u32>),
    Bits(Vec<u64>),
}

/// The states of one thread.
pub struct Shard {
    pub known: Known,
    /// The states of this shard; with `Bits` only from `base` on.
    pub states: Vec<State>,
    pub base: usize,
    pub parents: Vec<u32>,
    /// Which move of the predecessor led here first; with [`FAULT`], that was a fault.
    pub ordinals: Vec<u16>,
    /// What [`Space::goals`] and [`crate::goals::Goals`] find out about the states.
    pub goals: Marks,
    pub near: Near,
    /// The successors found for each shard.
    pub found: Vec<Vec<Candidate>>,
    pub broken: Option<Found>,
    pub moves: u64,
    pub at: usize,
    /// Whether a state had more moves than an ordinal can number.
    pub crowded: bool,
}

/// The hash of a state; its high bits select the shard.
fn hash(state: &State) -> u64 {
    // The low bits of this hash are weak.
    let h = FxBuildHasher.hash_one(state);
    (h ^ h >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Returns the index of the shard that owns a state; `count` is the number of shards.
pub fn shard_of(state: &State, count: usize) -> usize {
    (hash(state) >> 48) as usize % count
}

impl Shard {
    /// An empty shard; `count` is the number of shards, `goals` that of the goals of each state.
    pub fn new(count: usize, bits: Option<usize>, goals: usize) -> Shard {
        Shard {
            known: match bits {
                Some(bytes) => Known::Bits(vec![0; (bytes / 8 / count).max(1)]),
                None => Known::Exact(HashTable::new()),
            },
            states: vec![],
            base: 0,
            parents: vec![],
            ordinals: vec![],
            goals: Marks::of(goals),
            near: Near::default(),
            found: (0..count).map(|_| vec![]).collect(),
            broken: None,
            moves: 0,
            at: 0,
            crowded: false,
        }
    }

    /// Expands at most `most` of the states up to `end`.
    pub fn expand(&mut self, space: &Space, (me, count): (usize, usize), end: usize, most: usize) {
        let to = end.min(self.at + most);
        let (found, broken, moves, crowded) = (&mut self.found, &mut self.broken, &mut self.moves, &mut self.crowded);
        let enough = *moves + CHUNK_MOVES;
        while self.at < to && *moves < enough {
            let at = self.at;
            let state = self.states[at - self.base];
            let number = (at * count + me) as u32;
            let mut ordinal = 0usize;
            space.expand(&mut self.near, state, &mut |_: Move, fault, led| {
                *moves += 1;
                match led {
                    // A state that is its own successor adds nothing.
                    Ok(next) if next == state => {}
                    Ok(next) => {
                        let owner = shard_of(&next, count);
                        let ordinal = ordinal as u16 & !FAULT | if fault { FAULT } else { 0 };
                        found[owner].push(Candidate { state: next, parent: number, ordinal });
                    }
                    Err(why) if broken.is_none() => *broken = Some(Found { parent: number, ordinal, broken: why }),
                    Err(_) => {}
                }
                *crowded |= ordinal >= usize::from(FAULT);
                ordinal += 1;
            });
            self.at += 1;
        }
    }

    /// Inserts the candidates that are new.
    pub fn take(&mut self, space: &Space, found: impl Iterator<Item = Candidate>, goals: bool) {
        for candidate in found {
            if self.insert(candidate.state) {
                self.states.push(candidate.state);
                self.parents.push(candidate.parent);
                self.ordinals.push(candidate.ordinal);
                if goals {
                    self.goals.push(space.goals(&mut self.near, candidate.state));
                }
            }
        }
    }

    /// Returns the index of a state that is known exactly.
    fn index_of(&self, state: &State) -> Option<u32> {
        match &self.known {
            Known::Exact(table) => table.find(hash(state), |at| self.states[*at as usize] == *state).copied(),
            Known::Bits(_) => None,
        }
    }

    /// The bytes that the table of states allocates if these many more make it grow.
    pub fn growth(&self, states: usize) -> usize {
        match &self.known {
            Known::Exact(table) => growth(table.capacity(), table.len() + states, size_of::<u32>()),
            Known::Bits(_) => 0,
        }
    }

    /// Makes a state known; returns whether it is new.
    fn insert(&mut self, state: State) -> bool {
        let (h, next) = (hash(&state), self.parents.len());
        let states = &self.states;
        match &mut self.known {
            Known::Exact(table) => {
                let entry = table.entry(h, |at| states[*at as usize] == state, |at| hash(&states[*at as usize]));
                match entry {
                    hashbrown::hash_table::Entry::Occupied(_) => false,
                    hashbrown::hash_table::Entry::Vacant(free) => {
                        free.insert(next as u32);
                        true
                    }
                }
            }
            Known::Bits(bits) => {
                // Bits of two hashes: a Bloom filter, as in SPIN's supertrace.
                let second = h.rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1;
                let size = bits.len() as u64 * 64;
                let mut new = false;
                for k in 0..BITS_OF_A_STATE {
                    let bit = h.wrapping_add(second.wrapping_mul(k)) % size;
                    let word = &mut bits[(bit / 64) as usize];
                    new |= *word >> (bit % 64) & 1 == 0;
                    *word |= 1 << (bit % 64);
                }
                new
            }
        }
    }
}

/// Computes successors again, for goals.
pub struct Follower<'a> {
    pub space: &'a Space,
    pub shards: &'a [Shard],
    pub near: Near,
}

impl Follow for Follower<'_> {
    fn follow(&mut self, from: u32, each: &mut dyn FnMut(u32) -> bool) {
        let count = self.shards.len();
        let state = self.shards[from as usize % count].states[from as usize / count];
        self.space.expand(&mut self.near, state, &mut Successors { shards: self.shards, each, enough: false });
    }
}

/// Passes the numbers of successors on.
struct Successors<'a> {
    shards: &'a [Shard],
    each: &'a mut dyn FnMut(u32) -> bool,
    enough: bool,
}

impl Visitor for Successors<'_> {
    fn found(&mut self, _: Move, fault: bool, led: Successor) {
        let (Ok(next), false, false) = (led, fault, self.enough) else { return };
        let owner = shard_of(&next, self.shards.len());
        if let Some(at) = self.shards[owner].index_of(&next) {
            self.enough = (self.each)(at * self.shards.len() as u32 + owner as u32);
        }
    }

    fn enough(&self) -> bool {
        self.enough
    }
}
