//! Loops: each within its bound.

use nacre_specification::violation::Violation;
use nacre_stack::*;

use crate::containers::span;
use crate::numbers::{cut, sign};
use crate::refusal::{Construct, Reason, Wide};
use crate::types::is_wide;
use crate::writer::Writer;

impl Writer<'_> {
    /// Writes a `loop`, which runs until it is left.
    pub fn repeat(&mut self, bound: u32, body: &Block) {
        let count = self.number();
        self.line(format!("{count} = 0;"));
        self.line("do");
        self.option(format!("{count} < {bound}"));
        self.line(format!("{count}++;"));
        self.in_loop(body);
        self.end_option();
        self.otherwise();
        self.broken_if("true", Violation::LoopBound, "a loop met its bound");
        self.line("break");
        self.end_option();
        self.line("od;");
    }

    fn in_loop(&mut self, body: &[Statement]) {
        self.frame.loops += 1;
        self.block(body);
        self.frame.loops -= 1;
    }

    /// `for`: over numbers.
    pub fn count_up(&mut self, variable: LocalId, from: &Expr, to: &Expr, bound: u32, body: &Block) {
        let ty = self.local_type(variable);
        if is_wide(&ty) || is_wide(&from.ty) {
            return self.refuse(Reason::Wide(Wide::Loop));
        }
        let (a, b) = (self.value(from), self.value(to));
        let (first, left, at) = (self.temporary(&Type::Int(32)), self.temporary(&Type::Int(32)), self.number());
        self.line(format!("{first} = {a}; {left} = {b}; {at} = 0;"));
        let distance = format!("{left} - {first}");
        if let Type::Seq(bits) = from.ty {
            self.line(format!("{left} = {};", sign(&distance, u32::from(bits))));
        } else {
            // A number of more than 31 bits exceeds any bound.
            let is_less = crate::numbers::less(&first, &left, &from.ty);
            self.line(format!("{left} = ({is_less} -> ({distance} < 0 -> {} : {distance}) : 0);", i32::MAX));
        }
        self.line("do");
        self.option(format!("{at} < {left} && {at} < {bound}"));
        let place = self.local(variable);
        let value = crate::numbers::wrap(&format!("{first} + {at}"), &ty);
        self.line(format!("{place} = {value}; {at}++;"));
        self.in_loop(body);
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
        let most = |a: u64, b: u64| b.saturating_sub(a) <= u64::from(bound);
        if !matches!((&from.kind, &to.kind), (ExprKind::Const(a), ExprKind::Const(b)) if most(*a, *b)) {
            let met = format!("{at} == {bound} && {left} > {bound}");
            self.broken_if(&met, Violation::LoopBound, "a loop met its bound");
        }
    }

    /// `for`: over the entries of a container.
    pub fn each(&mut self, walk: &Walk, bound: u32, body: &Block) {
        let found = self.find(&walk.over);
        let ends = [&walk.from, &walk.to].map(|e| e.as_ref().map(|e| self.value(e)));
        let mut x = found.text.clone();
        if walk.drain || found.guard().is_some() {
            let apart = self.temporary(&walk.over.ty);
            self.zero(&walk.over.ty, &apart);
            self.at(&found, |w, x| {
                w.copy(&walk.over.ty, &apart, x);
                if walk.drain {
                    w.zero(&walk.over.ty, x);
                }
            });
            x = apart;
        }
        let at = self.temporary(&Type::Int(32));
        let (first, limit, there, index) = match &walk.over.ty {
            Type::Array(_, n) => ("0".into(), n.to_string(), String::new(), at.clone()),
            Type::Ring(..) | Type::List(..) => ("0".into(), format!("{x}.n"), String::new(), at.clone()),
            Type::Pool(_, n) | Type::Map(_, _, n) => ("0".into(), n.to_string(), format!("{x}.used[{at}]"), at.clone()),
            Type::Bits(n) => ("0".into(), n.to_string(), self.member(&walk.over.ty, &x, &at), at.clone()),
            Type::Window(_, n, bits) => self.window_walk(&x, *n, *bits, &ends, &at),
            other => {
                self.refuse(Reason::Of(Construct::Walk, other.clone()));
                return;
            }
        };
        self.line(format!("{at} = {first};"));
        let capacity = limit.parse().unwrap_or(u32::MAX);
        let count = (bound < capacity).then(|| self.number());
        if let Some(count) = &count {
            self.line(format!("{count} = 0;"));
        }
        self.line("do");
        self.option(format!("{at} < {limit}"));
        if !there.is_empty() {
            self.line("if");
            self.option(&there);
        }
        if let Some(count) = &count {
            self.broken_if(&format!("{count} >= {bound}"), Violation::LoopBound, "a walk met its bound");
            self.line(format!("{count}++;"));
        }
        self.entry(walk, &x, &at, &index);
        self.in_loop(body);
        if !there.is_empty() {
            self.end_option();
            self.line(":: else");
            self.line("fi;");
        }
        self.line(format!("{at}++"));
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
    }

    fn member(&self, ty: &Type, x: &str, at: &str) -> String {
        match is_wide(ty) {
            true => format!("((({at} < 32 -> {x}.lo >> {at} : {x}.hi >> ({at} - 32)) & 1))"),
            false => format!("(({x} >> {at}) & 1)"),
        }
    }

    /// The first offset, the limit, the condition that an entry is present, and its number.
    fn window_walk(
        &mut self,
        x: &str,
        n: u32,
        bits: u8,
        ends: &[Option<String>; 2],
        at: &str,
    ) -> (String, String, String, String) {
        let b = u32::from(bits);
        let mut clamp = |end: &Option<String>, otherwise: String| match end {
            None => otherwise,
            Some(end) => {
                let offset = self.temporary(&Type::Int(32));
                self.line(format!("{offset} = {};", sign(&format!("{end} - {x}.low"), b)));
                self.line(format!(
                    "{offset} = ({offset} < 0 -> 0 : ({offset} > {w} -> {w} : {offset}));",
                    w = span(x, bits)
                ));
                offset
            }
        };
        let first = clamp(&ends[0], "0".into());
        let last = clamp(&ends[1], span(x, bits));
        let index = cut(&format!("{x}.low + {at}"), b);
        (first, last, format!("({at} < {n} -> {x}.used[{at}] : 0)"), index)
    }

    /// Sets the locals of an entry.
    fn entry(&mut self, walk: &Walk, x: &str, at: &str, index: &str) {
        if let Some(local) = walk.index {
            let place = self.local(local);
            self.line(format!("{place} = {index};"));
        }
        if let (Some(local), Type::Map(k, _, _)) = (walk.key, &walk.over.ty) {
            let place = self.local(local);
            self.copy(k, &place, &format!("{x}.k[{at}]"));
        }
        if let Some(local) = walk.value {
            let (place, ty) = (self.local(local), self.local_type(local));
            match &walk.over.ty {
                Type::Bits(_) => self.line(format!("{place} = {at};")),
                _ => self.copy(&ty, &place, &format!("{x}.v[{at}]")),
            }
        }
    }
}
