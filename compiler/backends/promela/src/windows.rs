//! Operations that change a window: the text of the inline for each.
//!
//! The entry of number `k` is at the index `k - X.low` of the arrays `X.used` and `X.v`.

use nacre_stack::*;

use crate::containers::span;
use crate::numbers::{cut, sign};
use crate::refusal::{Container, Reason};
use crate::writer::Writer;

/// The type of a window.
#[derive(Clone, Copy)]
struct Window<'t> {
    entry: &'t Type,
    /// The capacity.
    size: u32,
    /// The width of the numbers.
    bits: u8,
}

impl Window<'_> {
    fn cut(self, number: &str) -> String {
        cut(number, u32::from(self.bits))
    }
    /// The distance from the lowest number, signed.
    fn offset(self, number: &str) -> String {
        sign(&format!("{number} - X.low"), u32::from(self.bits))
    }
    /// The number at an offset.
    fn number(self, offset: &str) -> String {
        self.cut(&format!("X.low + {offset}"))
    }
    /// The offset of the next number to deliver.
    fn next(self) -> String {
        self.cut("X.next - X.low")
    }
    /// The offset of the first number that is not in the window yet.
    fn span(self) -> String {
        span("X", self.bits)
    }
}

impl Writer<'_> {
    /// Writes the body of the inline for an operation on a window.
    pub(crate) fn window(&mut self, operation: Operation, entry: &Type, size: u32, bits: u8) {
        let w = Window { entry, size, bits };
        match operation {
            Operation::Push => self.push_entry(w),
            Operation::Put => self.put_entry(w),
            Operation::TakeNext => self.take_next(w, true),
            Operation::Read => self.take_next(w, false),
            Operation::Release => self.release(w, &w.offset("K"), "K"),
            Operation::ReleaseLow => self.release(w, "1", &w.cut("X.low + 1")),
            Operation::Raise => {
                let (span, raised) = (w.span(), w.number("i_at"));
                self.line(format!("i_at = {};", w.offset("K")));
                self.line(format!("if :: i_at <= {size} && i_at > {span} -> X.high = {raised} :: else fi;"));
            }
            Operation::SkipTo => self.skip_to(w),
            Operation::Hole | Operation::NewHole => self.hole(w, operation == Operation::NewHole),
            Operation::ClearUndelivered => self.clear_undelivered(w),
            _ => self.refuse(Reason::Container(operation, Container::Window)),
        }
    }

    /// `if :: guard -> then :: else fi;`
    fn only_if(&mut self, guard: &str, then: impl FnOnce(&mut Self)) {
        self.line("if");
        self.option(guard);
        then(self);
        self.end_option();
        self.line(":: else");
        self.line("fi;");
    }

    fn push_entry(&mut self, w: Window) {
        let span = w.span();
        self.line("if");
        self.option(format!("{span} < {}", w.size));
        self.line(format!("O = X.high; i_at = {span}; X.used[i_at] = 1;"));
        self.copy(w.entry, "X.v[i_at]", "V");
        self.line(format!("X.high = {}", w.cut("X.high + 1")));
        self.end_option();
        self.line(":: else -> D = 0");
        self.line("fi;");
    }

    fn put_entry(&mut self, w: Window) {
        let (next, size) = (w.next(), w.size);
        self.line(format!("i_at = {};", w.offset("K")));
        let free = format!("(i_at >= 0 && i_at < {size} -> !X.used[i_at] : 0)");
        self.line(format!("D = i_at >= {next} && i_at < {size} && {free};"));
        self.only_if("D", |to| {
            to.line("X.used[i_at] = 1;");
            to.copy(w.entry, "X.v[i_at]", "V");
            to.line(format!("if :: i_at + 1 > {} -> X.high = {} :: else fi", w.span(), w.number("i_at + 1")));
        });
    }

    /// Delivers the next entry; with `drops`, releases it and the entries below.
    fn take_next(&mut self, w: Window, drops: bool) {
        self.line(format!("i_at = {};", w.next()));
        self.line(format!("D = i_at < {} && (i_at < {} -> X.used[i_at] : 0);", w.span(), w.size));
        self.only_if("D", |to| {
            to.copy(w.entry, "O", "X.v[i_at]");
            let next = w.cut("X.next + 1");
            if drops {
                to.line(format!("X.next = {next}; i_gone = i_at + 1;"));
                to.drop_below(w);
            } else {
                to.line(format!("X.next = {next}"));
            }
        });
    }

    /// Releases the `gone` lowest numbers, so that `low` becomes the lowest.
    fn release(&mut self, w: Window, gone: &str, low: &str) {
        self.line(format!("i_gone = {gone}; O = 0;"));
        self.only_if(&format!("i_gone > 0 && i_gone <= {}", w.span()), |to| {
            to.line(format!("O = i_gone; if :: {} < i_gone -> X.next = {low} :: else fi;", w.next()));
            to.drop_below(w);
        });
    }

    fn skip_to(&mut self, w: Window) {
        self.line(format!("i_at = {};", w.offset("K")));
        self.only_if(&format!("i_at <= {} && i_at > {}", w.size, w.next()), |to| {
            let raised = w.number("i_at");
            to.line(format!("X.next = K; if :: i_at > {} -> X.high = {raised} :: else fi", w.span()));
        });
    }

    /// The first run of numbers without entry; `is_new`: only one that ends above the last reported one of which the
    /// window still holds something.
    fn hole(&mut self, w: Window, is_new: bool) {
        if is_new {
            let (told, high) = (w.cut("X.told - X.next"), w.cut("X.high - X.next"));
            self.line(format!("X.told = ({told} > {high} -> X.next : X.told);"));
        }
        let span = w.span();
        self.line(format!("i_at = {};", w.next()));
        self.line(format!("do :: i_at < {span} && X.used[i_at] -> i_at++ :: else -> break od;"));
        self.line(format!("D = i_at < {span}; i_gone = i_at;"));
        self.line(format!("do :: i_gone < {span} && !X.used[i_gone] -> i_gone++ :: else -> break od;"));
        self.line(format!("O.f0 = {}; O.f1 = {};", w.number("i_at"), w.number("i_gone")));
        if is_new {
            let further = sign("O.f1 - X.told", u32::from(w.bits));
            self.line(format!("D = D && {further} > 0; if :: D -> X.told = O.f1 :: else fi;"));
        }
    }

    fn clear_undelivered(&mut self, w: Window) {
        self.line(format!("i_at = {};", w.next()));
        self.line("do");
        self.option(format!("i_at < {}", w.size));
        self.clear_slot(w);
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
        self.line("X.high = X.next;");
    }

    /// Empties slot `i_at`, and advances to the next.
    fn clear_slot(&mut self, w: Window) {
        self.line("X.used[i_at] = 0;");
        self.zero(w.entry, "X.v[i_at]");
        self.line("i_at++");
    }

    /// Releases the `i_gone` lowest numbers.
    fn drop_below(&mut self, w: Window) {
        let size = w.size;
        self.line("i_at = 0;");
        self.line("do");
        self.option(format!("i_at + i_gone < {size}"));
        self.line("X.used[i_at] = X.used[i_at + i_gone];");
        self.copy(w.entry, "X.v[i_at]", "X.v[i_at + i_gone]");
        self.line("i_at++");
        self.end_option();
        self.option(format!("i_at + i_gone >= {size} && i_at < {size}"));
        self.clear_slot(w);
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
        self.line(format!("X.low = {};", w.cut("X.low + i_gone")));
    }
}
