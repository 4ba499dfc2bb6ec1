//! Finds the messages in the values of expressions, by kind.

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::activation::run::Run;
use crate::course::{Act, Course};
use crate::length::Length;
use crate::message::{Bag, Kind, Origin, Size, LONGEST};
use crate::spots::capacity;
use nacre_analysis::constants::constant;

/// The most bits that encode the shape of packed headers.
const LONGEST_START: u32 = 24;

impl Run<'_> {
    /// New bytes made from messages: without headers, data or control as before.
    pub(crate) fn remade(&mut self, of: &Bag, size: impl Fn(Size) -> Size, done: &mut Vec<Course>) -> Bag {
        let made =
            of.map(|kind, s| (Kind { headers: vec![], data: kind.data, origin: new_origin(kind.origin, s) }, size(s)));
        done.push(Course::Act(Act::Make(made.size().max)));
        made
    }

    /// New bytes made from no message.
    pub(crate) fn made(&mut self, size: Size, done: &mut Vec<Course>) -> Bag {
        done.push(Course::Act(Act::Make(size.max)));
        Bag::one(Kind { headers: vec![], data: false, origin: Origin::Made }, size)
    }

    /// The messages whose bytes an expression of type View reads, piece after piece, without new bytes. Bytes
    /// concatenated from several messages are not data.
    pub(crate) fn viewed(&mut self, view: &Expr, done: &mut Vec<Course>) -> Bag {
        self.parts_viewed(view, 0, done)
    }

    /// The same within this many parts: each of them cuts the pieces.
    fn parts_viewed(&mut self, view: &Expr, parts: u32, done: &mut Vec<Course>) -> Bag {
        self.visited += 1;
        match &view.kind {
            ExprKind::View(message) => self.parts_viewed(message, parts, done),
            ExprKind::PackView(layout, message) => {
                let bag = self.expr(message, done);
                (0..parts).for_each(|_| cut(&bag, done));
                self.packed(*layout, &bag)
            }
            ExprKind::Part(inner, from, to) => {
                self.expr(from, done);
                self.expr(to, done);
                control(self.parts_viewed(inner, parts.saturating_add(1), done))
            }
            ExprKind::Concat(list) => {
                let bags: Vec<Bag> = list.iter().map(|e| self.parts_viewed(e, parts, done)).collect();
                let more = longest_beside(list, &bags);
                let mut all = Bag::default();
                bags.iter().for_each(|bag| _ = all.join(bag));
                let length =
                    list.iter().zip(&bags).map(|(e, bag)| length(e, bag)).fold(Length::NONE, Length::followed_by);
                control(all.sized(|s| Size { length, ..s.grown(|_| more) }))
            }
            ExprKind::Tuple(list) => {
                let bags: Vec<Bag> = list.iter().map(|e| self.parts_viewed(e, parts, done)).collect();
                let longest = list.iter().zip(&bags).map(|(e, bag)| longest(e, bag)).max().unwrap_or(0);
                let length = list.iter().zip(&bags).map(|(e, bag)| length(e, bag)).fold(Length::NONE, Length::either);
                let kind = Kind { headers: vec![], data: false, origin: Origin::Made };
                Bag::one(kind, Size { length, ..Size::up_to(longest) })
            }
            _ => {
                self.visited -= 1;
                let bag = self.expr(view, done);
                (0..parts).for_each(|_| cut(&bag, done));
                bag
            }
        }
    }

    /// The same for bytes that must be contiguous: bytes in pieces are copied.
    pub(crate) fn flat(&mut self, view: &Expr, done: &mut Vec<Course>) -> Bag {
        let bag = self.viewed(view, done);
        if matches!(view.ty, Type::View | Type::Msg) {
            let scattered = in_pieces(view).then(|| longest(view, &bag));
            done.push(Course::Act(scattered.map_or_else(|| Act::Flatten(bag.clone()), Act::Make)));
        }
        bag
    }

    /// Records the packed messages; returns them as new bytes, with the headers in front.
    fn packed(&mut self, layout: LayoutId, bag: &Bag) -> Bag {
        let told = bag.map(|kind, size| (Kind { origin: Origin::Kept, ..kind.clone() }, size));
        let new = self.world.packed.entry(layout).or_default().join(&told);
        let shapes = self.world.packed[&layout].0.len() as u32;
        let start = crate::start::start(LayoutForm::Plain, false, shapes.saturating_sub(1), shapes == 1);
        self.learnt(new);
        bag.map(|kind, size| {
            let origin = new_origin(kind.origin, size);
            // The number of shapes is certain when the flow is complete.
            let length = size.length.grown(|_| head(self.stack, &kind.headers, start));
            let size = size.grown(|_| head(self.stack, &kind.headers, LONGEST_START));
            (Kind { headers: vec![], origin, ..kind.clone() }, Size { length, ..size })
        })
    }

    /// The packed message is one new string of bytes.
    fn pack(&mut self, layout: LayoutId, message: &Expr, done: &mut Vec<Course>) -> Bag {
        let bag = self.expr(message, done);
        let packed = self.packed(layout, &bag);
        done.push(Course::Act(Act::Make(packed.size().max)));
        packed
    }

    /// The result may be any packed message, no longer than it was, and no longer than the bytes.
    pub(crate) fn unpacked(&mut self, layout: LayoutId, bytes: &Bag) -> Bag {
        let mut result = Bag::default();
        for (kind, packed) in self.world.packed.get(&layout).into_iter().flat_map(|b| &b.0) {
            for (of, size) in &bytes.0 {
                let kind = Kind { origin: of.origin, ..kind.clone() };
                result.add(kind, size.part(size.max.min(packed.max), 1));
            }
        }
        result
    }

    pub(crate) fn joined(&mut self, parts: &Place, last: &Bag) -> Bag {
        let count = capacity(&parts.ty);
        let pieces = self.locals_or_cells(parts);
        self.changed(parts);
        let origins = pieces.0.keys().map(|kind| kind.origin).reduce(Origin::joined);
        let pieces = pieces.size();
        last.map(|kind, size| {
            let origin = origins.map_or(kind.origin, |of| kind.origin.joined(of));
            (Kind { origin, ..kind.clone() }, pieces.joined(count, size))
        })
    }

    /// The cost of the expressions in places; their values are numbers and keys, without messages.
    pub(crate) fn within(&mut self, places: Vec<&Place>, done: &mut Vec<Course>) {
        for inner in places.into_iter().flat_map(Traverse::operands) {
            self.expr(inner, done);
        }
    }

    /// The messages in the value of an expression; its cost is added to `done`.
    pub(crate) fn expr(&mut self, e: &Expr, done: &mut Vec<Course>) -> Bag {
        self.visited += 1;
        self.within(e.places(), done);
        match &e.kind {
            ExprKind::Local(local) => {
                let bag = self.locals.read(&self.local_spot(*local));
                match self.frame.facts.length(*local) {
                    Some(max) => bag.sized(|s| s.at_most(max.min(u64::from(LONGEST)) as u32)),
                    None => bag,
                }
            }
            ExprKind::Borrow(place) => self.locals_or_cells(place),
            ExprKind::Empty => Bag::one(Kind { headers: vec![], data: false, origin: Origin::Kept }, Size::NONE),
            ExprKind::Push(message, header, fields) => {
                let bag = self.expr(message, done);
                for field in fields {
                    self.expr(field, done);
                }
                self.pushed(&bag, *header)
            }
            ExprKind::Slice(message, at, length) => {
                let bag = self.expr(message, done);
                self.expr(at, done);
                self.expr(length, done);
                cut(&bag, done);
                let stride = self.frame.facts.stride(at, &self.frame.strides);
                let max = self.frame.facts.largest(length).unwrap_or(u64::from(LONGEST)).min(u64::from(LONGEST)) as u32;
                bag.map(|kind, size| (Kind { headers: vec![], ..kind.clone() }, size.part(max, stride)))
            }
            ExprKind::Rest(message, at) => {
                let bag = self.expr(message, done);
                self.expr(at, done);
                cut(&bag, done);
                let max = self.frame.facts.remainder(message, at).unwrap_or(u64::from(LONGEST));
                let stride = self.frame.facts.stride(at, &self.frame.strides);
                let gone = constant(at).unwrap_or(0);
                bag.sized(|s| s.part(max.min(u64::from(s.max).saturating_sub(gone)) as u32, stride))
            }
            ExprKind::Pack(layout, message) => self.pack(*layout, message, done),
            ExprKind::Length(message) => {
                self.expr(message, done);
                Bag::default()
            }
            ExprKind::Through(filter, view) => {
                let read = self.viewed(view, done);
                if self.stack.filters[filter.index()].result.is_none() {
                    let read = longest(view, &read);
                    done.push(Course::Act(Act::Make(read.saturating_add(growth(self.stack, *filter, read)))));
                }
                Bag::default()
            }
            ExprKind::Extern(_, list) => {
                for argument in list {
                    self.flat(argument, done);
                }
                Bag::default()
            }
            ExprKind::View(_) | ExprKind::PackView(..) | ExprKind::Part(..) | ExprKind::Concat(_)
                if e.ty == Type::View =>
            {
                self.visited -= 1;
                let bag = self.viewed(e, done);
                if in_pieces(e) {
                    done.push(Course::Act(Act::Make(longest(e, &bag))));
                }
                Bag::default()
            }
            _ => {
                let mut all = Bag::default();
                for inner in e.operands() {
                    all.join(&self.expr(inner, done));
                }
                all
            }
        }
    }

    /// Adds a header of this layer; the message has none of this layer or a lower one.
    fn pushed(&mut self, bag: &Bag, header: HeaderId) -> Bag {
        let mut result = Bag::default();
        for (kind, size) in &bag.0 {
            if kind.headers.first().is_some_and(|h| self.stack.header(*h).layer <= self.layer) {
                self.world.doubled.insert((self.layer, header));
                continue;
            }
            let mut headers = vec![header];
            headers.extend(&kind.headers);
            result.add(Kind { headers, ..kind.clone() }, *size);
        }
        result
    }
}

/// The maximum number of bytes in front of a packed message with these headers, which follow `start` bits. Fields with
/// a fixed place end within them; all others may follow those.
fn head(stack: &Stack, headers: &[HeaderId], start: u32) -> u32 {
    let (mut end, mut packed) = (start, 0);
    for field in headers.iter().flat_map(|h| &stack.header(*h).fields) {
        match field.place {
            FieldPlace::Byte(byte) => end = end.max(byte * 8 + field.bits),
            FieldPlace::Packed | FieldPlace::Cookie | FieldPlace::Fingerprint => packed += field.bits,
        }
    }
    (end + packed).div_ceil(8)
}

/// A part of a message in pieces is in pieces, too.
pub(crate) fn cut(bag: &Bag, done: &mut Vec<Course>) {
    let pieces = bag.size().pieces;
    if pieces > 1 {
        done.push(Course::Act(Act::Join(pieces, None)));
    }
}

/// Whether the bytes of a view can lie in more than one place.
fn in_pieces(view: &Expr) -> bool {
    use ExprKind::*;
    match &view.kind {
        View(inner) | Part(inner, ..) => in_pieces(inner),
        PackView(..) => true,
        Concat(list) => list.len() > 1 || list.iter().any(in_pieces),
        // A value of its own, a part of one, or a message.
        Const(_)
        | Literal(_)
        | Zero
        | Local(_)
        | Load(_)
        | Unary(..)
        | Binary(..)
        | MulDiv(..)
        | Convert(_)
        | If(..)
        | Struct(_)
        | Tuple(_)
        | Array(_)
        | ExprKind::Some(_)
        | ExprKind::None
        | IsSome(_)
        | Unwrap(_)
        | Field(..)
        | Index(..)
        | Query(..)
        | Now
        | Fingerprint
        | Room
        | BytesOf(_)
        | Through(..)
        | Extern(..)
        | Empty
        | Share(_)
        | Borrow(_)
        | Length(_)
        | Head(..)
        | Push(..)
        | Slice(..)
        | Rest(..)
        | Pack(..) => false,
    }
}

/// The most bytes that a filter yields beyond those that it reads.
pub(crate) fn growth(stack: &Stack, filter: FilterId, read: u32) -> u32 {
    let (num, den, add) = stack.filters[filter.index()].grows;
    let more = u64::from(read) * u64::from(num) / u64::from(den.max(1)) + u64::from(add);
    more.min(u64::from(LONGEST)) as u32
}

/// The greatest length of a view or string of bytes.
pub(crate) fn longest(e: &Expr, bag: &Bag) -> u32 {
    match e.ty {
        Type::Bytes(n) | Type::Text(n) => n,
        _ => bag.size().max,
    }
}

/// The most bytes by which concatenated bytes exceed each message among them: the others, if it is the only message.
fn longest_beside(list: &[Expr], bags: &[Bag]) -> u32 {
    let parts = || list.iter().zip(bags);
    let is_only = parts().filter(|(_, bag)| !bag.is_empty()).count() == 1;
    let others = parts().filter(|(_, bag)| !is_only || bag.is_empty());
    others.fold(0, |sum, (e, bag)| sum.saturating_add(longest(e, bag)))
}

/// The length of a view or string of bytes as far as this endpoint determines it.
fn length(e: &Expr, bag: &Bag) -> Length {
    match e.ty {
        Type::Bytes(n) | Type::Text(n) => Length::limited(n),
        _ => bag.size().length,
    }
}

fn control(bag: Bag) -> Bag {
    bag.map(|kind, size| (Kind { data: false, ..kind.clone() }, size))
}

/// The message of new bytes made from a message. Joined from several, it may be longer than what entered.
fn new_origin(origin: Origin, size: Size) -> Origin {
    match origin {
        Origin::Entered | Origin::Remade if size.pieces <= 1 => Origin::Remade,
        _ => Origin::Made,
    }
}
