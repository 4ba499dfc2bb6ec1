//! Computes upper bounds of a step's cost, summed over all that an event causes.

use std::collections::BTreeMap;

use nacre_stack::{EventId, Stack, Target};

use crate::course::{Act, Course, Emission};
use crate::linked::LOWER;
use crate::message::{Bag, Origin, Size};
use crate::shapes::{arriving, sent, Flow, Node};

/// Costs saturate here, far above all limits.
const FAR_TOO_MUCH: u64 = 1 << 40;

/// Upper bounds of the cost of a piece of code and of all that it causes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    /// Events that can wait in the queue at once, in whatever order the queue or calls handle them: none of them is
    /// caused by another.
    pub waiting: u64,
    pub outputs: u64,
    pub segments: u64,
    pub scratch: u64,
    /// Pieces of joined messages, and stored pieces, which may be joined later.
    pub pieces: u64,
    pub later: BTreeMap<(Target, EventId), u64>,
    /// Whether the bytes that entered are stored.
    pub entered: u64,
    /// Stored new messages of about the length of the one that entered.
    pub copies: u64,
    /// Blocks for other stored new messages.
    pub blocks: u64,
    /// The greatest length of a message that entered of which something is stored, or new bytes of its length.
    pub stored: u64,
}

impl Cost {
    fn combine(mut self, other: &Cost, with: impl Fn(u64, u64) -> u64) -> Cost {
        let with = |a: u64, b: u64| with(a, b).min(FAR_TOO_MUCH);
        for (key, count) in &other.later {
            let known = self.later.entry(*key).or_default();
            *known = with(*known, *count);
        }
        for (mine, theirs) in self.scalars().into_iter().zip(other.clone().scalars()) {
            *mine = with(*mine, *theirs);
        }
        self.stored = self.stored.max(other.stored);
        self
    }

    fn scalars(&mut self) -> [&mut u64; 8] {
        let Cost { waiting, outputs, segments, scratch, pieces, entered, copies, blocks, .. } = self;
        [waiting, outputs, segments, scratch, pieces, entered, copies, blocks]
    }

    /// The cost of two pieces of code in sequence.
    pub fn then(self, other: &Cost) -> Cost {
        self.combine(other, u64::saturating_add)
    }

    /// The cost of two alternatives: of each kind the larger.
    pub fn or(self, other: &Cost) -> Cost {
        self.combine(other, u64::max)
    }

    fn times(mut self, count: u64) -> Cost {
        let scaled = |n: &mut u64| *n = n.saturating_mul(count).min(FAR_TOO_MUCH);
        self.later.values_mut().for_each(scaled);
        self.scalars().into_iter().for_each(scaled);
        self
    }

    /// The greatest length of the queue of a step that begins with this event.
    pub fn queue(&self) -> u64 {
        self.waiting.max(1)
    }
}

/// Sums costs; visits each node once.
pub(crate) struct Costs<'a> {
    stack: &'a Stack,
    flow: &'a Flow,
    block: u32,
    /// Whether some layer stores what enters, so that it may leave in blocks.
    stores: bool,
    known: BTreeMap<Node, Cost>,
}

impl<'a> Costs<'a> {
    /// Requires a stack with layouts and without cycles.
    pub fn new(stack: &'a Stack, flow: &'a Flow, block: u32) -> Self {
        let mut stores = false;
        let entered = |bag: &Bag| bag.0.keys().any(|k| k.origin == Origin::Entered);
        for course in flow.courses.values() {
            course.acts(&mut |act| match act {
                Act::Keep(bag) => stores |= entered(bag),
                Act::Emit(e) if e.later => stores |= e.bag.as_ref().is_some_and(entered),
                _ => {}
            });
        }
        Costs { stack, flow, block, stores, known: BTreeMap::new() }
    }

    /// The cost of an event at a layer, or of a timer, in one step.
    pub fn of(&mut self, node: &Node) -> Cost {
        if let Some(known) = self.known.get(node) {
            return known.clone();
        }
        let flow = self.flow;
        let cost = flow.courses.get(node).map(|course| self.course(course)).unwrap_or_default();
        self.known.insert(node.clone(), cost.clone());
        cost
    }

    fn course(&mut self, course: &Course) -> Cost {
        match course {
            Course::Nothing => Cost::default(),
            Course::Act(Act::Join(pieces, _)) => Cost { pieces: u64::from(*pieces), ..Cost::default() },
            Course::Sequence(list) => list.iter().fold(Cost::default(), |sum, c| sum.then(&self.course(c))),
            Course::Either(list) => list.iter().fold(Cost::default(), |most, c| most.or(&self.course(c))),
            Course::Times(bound, body) => self.course(body).times(u64::from(*bound)),
            Course::Act(Act::Make(bytes)) => Cost { scratch: u64::from(*bytes), ..Cost::default() },
            Course::Act(Act::Flatten(bag)) => Cost { scratch: self.flattened(bag), ..Cost::default() },
            Course::Act(Act::Keep(bag)) => self.keep(bag),
            Course::Act(Act::Emit(emission)) => self.emission(emission),
        }
    }

    /// Bytes copied to make them contiguous.
    fn flattened(&self, bag: &Bag) -> u64 {
        let whole = |(kind, size): (&crate::message::Kind, &Size)| match kind.origin {
            Origin::Kept => size.blocks(self.block) <= 1,
            Origin::Entered | Origin::Remade | Origin::Made => size.pieces <= 1,
            Origin::Mixed => false,
        };
        bag.0.iter().filter(|entry| !whole(*entry)).map(|(_, size)| u64::from(size.max)).max().unwrap_or(0)
    }

    fn keep(&self, bag: &Bag) -> Cost {
        let most = bag.0.iter().fold(Cost::default(), |most, (kind, size)| most.or(&self.kept(kind.origin, size)));
        Cost { pieces: 1, ..most }
    }

    fn kept(&self, origin: Origin, size: &Size) -> Cost {
        let made = || u64::from(size.copied().blocks(self.block));
        let filled = |length: u32| u64::from(length.div_ceil(self.block.max(1)));
        let max = u64::from(size.max);
        // Of a part, the whole is copied, however long it is.
        let entered = Cost { entered: 1, stored: if size.whole { max } else { FAR_TOO_MUCH }, ..Cost::default() };
        match origin {
            // Pieces are copied; the message may also be whole.
            Origin::Entered | Origin::Mixed if size.pieces > 1 => Cost { blocks: filled(size.max), ..entered },
            _ if size.pieces > 1 => Cost { blocks: filled(size.max), ..Cost::default() },
            Origin::Kept => Cost::default(),
            Origin::Entered => entered,
            Origin::Remade if size.max > 4 * self.block => {
                Cost { copies: 1, blocks: filled(size.growth.min(size.max)), stored: max, ..Cost::default() }
            }
            Origin::Remade | Origin::Made => Cost { blocks: made(), ..Cost::default() },
            Origin::Mixed => Cost { blocks: made(), ..entered },
        }
    }

    fn emission(&mut self, emission: &Emission) -> Cost {
        let put_off = if emission.later { self.put_off(emission) } else { Cost::default() };
        match emission.target {
            Target::Port(_) => put_off.then(&self.output(emission)),
            Target::Layer(_) if emission.later => put_off,
            Target::Layer(layer) => {
                let mut most = Cost::default();
                for (kind, _) in arriving(emission) {
                    most = most.or(&self.of(&Node::Event(layer, emission.event, kind)));
                }
                Cost { waiting: most.queue(), ..most }
            }
        }
    }

    /// The ring stores a message until the event is handled.
    fn put_off(&self, emission: &Emission) -> Cost {
        let kept = emission.bag.as_ref().map(|bag| self.keep(bag)).unwrap_or_default();
        Cost { later: BTreeMap::from([((emission.target, emission.event), 1)]), ..kept }
    }

    fn output(&self, emission: &Emission) -> Cost {
        let framed = emission.target == Target::Port(LOWER) && emission.bag.is_some();
        let bag = sent(emission).unwrap_or_default();
        let scratch = if framed { self.head() } else { 0 };
        let segments = self.segments(&bag) + u64::from(framed);
        Cost { waiting: 1, outputs: 1, segments, scratch, ..Cost::default() }
    }

    /// The greatest length of the headers of a frame, in whole words: they may be written a word at a time.
    fn head(&self) -> u64 {
        self.stack.layouts[0].shapes.iter().map(|s| u64::from(s.size)).max().unwrap_or(0).next_multiple_of(8)
    }

    /// Segments of an output with such a message.
    fn segments(&self, bag: &Bag) -> u64 {
        let one = |(kind, size): (&crate::message::Kind, &Size)| match kind.origin {
            _ if size.max == 0 => 0,
            Origin::Entered if !self.stores => u64::from(size.pieces.max(1)),
            Origin::Remade | Origin::Made if size.pieces <= 1 => 1,
            _ => u64::from(size.blocks(self.block)).max(1),
        };
        bag.0.iter().map(one).max().unwrap_or(0)
    }
}
