//! Statements. A `return` becomes structure: the statements after it go into the other branch, or are guarded by a
//! flag.

use nacre_analysis::control::leaves;
use nacre_specification::violation::Violation;
use nacre_stack::visit::Traverse;
use nacre_stack::Control;
use nacre_stack::*;

use crate::names::{clean, Scope as NameScope};
use crate::refusal::{Construct, Reason, Wide};
use crate::report::{violated, Limit, StopReason};
use crate::types::{bits_of, is_scalar, is_wide};
use crate::uses::Uses;
use crate::writer::Writer;

fn may_return(s: &Statement) -> bool {
    s.any_statement(|s| matches!(s.control(), Control::Exit))
}

/// Whether every `return` can be written without a flag.
fn is_structured(block: &[Statement]) -> bool {
    let structured = |at: usize, s: &Statement| match s.control() {
        Control::Exit => true,
        Control::Branch { then, otherwise, .. } => {
            let last = at + 1 == block.len();
            let one =
                leaves(then) && !otherwise.iter().any(may_return) || leaves(otherwise) && !then.iter().any(may_return);
            (last || one || leaves(then) && leaves(otherwise)) && is_structured(then) && is_structured(otherwise)
        }
        Control::Repeat { .. } | Control::Break | Control::Next => false,
    };
    block.iter().enumerate().all(|(at, s)| !may_return(s) || structured(at, s))
}

impl Writer<'_> {
    /// Writes the body of a handler, function or filter.
    pub fn body(&mut self, block: &Block) {
        let used = Uses::of_block(block).places;
        for (i, local) in self.frame.locals.clone().iter().enumerate() {
            // A local that is used as a place may never have been set as a whole.
            let id = LocalId(i as u32);
            if !local.by_ref && used.contains(&id) && !self.frame.set.contains(&id) {
                let place = self.local(id);
                self.zero(&local.ty, &place);
            }
        }
        if is_structured(block) {
            self.frame.done = String::new();
        } else {
            let done = self.frame.done.clone();
            self.hide(&done, &Type::Bool);
            self.line(format!("{done} = 0;"));
        }
        self.block(block);
    }

    /// Writes statements in sequence.
    pub fn block(&mut self, block: &[Statement]) {
        let before = self.lines.len();
        for (at, s) in block.iter().enumerate() {
            let rest = &block[at + 1..];
            match &s.kind {
                StatementKind::If { condition, then, otherwise, .. }
                    if !rest.is_empty() && (leaves(then) || leaves(otherwise)) =>
                {
                    let join = |b: &Block| [b, rest].concat();
                    let (a, b) = match (leaves(then), leaves(otherwise)) {
                        (true, false) => (then.clone(), join(otherwise)),
                        (false, true) => (join(then), otherwise.clone()),
                        _ => (then.clone(), otherwise.clone()),
                    };
                    self.branch(condition, &a, &b);
                    return;
                }
                _ => self.statement(s),
            }
            if leaves(std::slice::from_ref(s)) {
                break;
            }
            if may_return(s) && !rest.is_empty() && !self.frame.done.is_empty() {
                let done = self.frame.done.clone();
                if self.frame.loops > 0 {
                    self.line(format!("if :: {done} -> break :: else fi;"));
                    continue;
                }
                self.when(&format!("!{done}"), |w| w.block(rest));
                return;
            }
            if may_return(s) && self.frame.loops > 0 && !self.frame.done.is_empty() {
                let done = self.frame.done.clone();
                self.line(format!("if :: {done} -> break :: else fi;"));
            }
        }
        if self.lines.len() == before {
            self.line("skip;");
        }
    }

    fn branch(&mut self, condition: &Expr, then: &[Statement], otherwise: &[Statement]) {
        let condition = self.value(condition);
        self.line("if");
        self.option(&condition);
        self.block(then);
        self.end_option();
        if otherwise.is_empty() {
            self.line(":: else");
        } else {
            self.otherwise();
            self.block(otherwise);
            self.end_option();
        }
        self.line("fi;");
    }

    /// Reports a violation and stops, if a condition holds.
    pub fn broken_if(&mut self, condition: &str, violation: Violation, why: &str) {
        let layer = self.frame.layer.map_or("the stack", |l| &self.stack.layer(l).name);
        let stop = violated(violation, &format!("{layer}: {why}"));
        self.line(format!("if :: {condition} -> {stop} :: else fi;"));
    }

    fn statement(&mut self, s: &Statement) {
        match &s.kind {
            StatementKind::Let(local, e) => self.set_local(*local, e),
            StatementKind::Store(place, e) => {
                let value = self.value(e);
                let value = self.simple(&value, &e.ty);
                let found = self.find(place);
                self.at(&found, |w, x| w.copy(&place.ty, x, &value));
            }
            StatementKind::If { condition, then, otherwise, .. } => self.branch(condition, then, otherwise),
            StatementKind::Loop { bound, body } => self.repeat(*bound, body),
            StatementKind::For { variable, from, to, bound, body } => self.count_up(*variable, from, to, *bound, body),
            StatementKind::Each { walk, bound, body } => self.each(walk, *bound, body),
            StatementKind::Break => self.line("break;"),
            StatementKind::Return(e) => self.leave(e.as_ref()),
            StatementKind::Reject => {
                let rejected = self.frame.rejected.clone();
                self.line(format!("{rejected} = 1;"));
                self.leave(None);
            }
            StatementKind::Call { into, function, arguments } => self.call(*into, *function, arguments),
            StatementKind::CallExtern { function, .. } => self.refuse_extern(*function),
            StatementKind::Operate(operate) => self.operate(operate),
            StatementKind::Emit(emit) => self.emit(emit),
            StatementKind::Drop(_) | StatementKind::Count(..) | StatementKind::Impossible => {}
            StatementKind::Arm { timer, .. } => {
                let found = self.find(timer);
                self.at(&found, |w, x| w.line(format!("{x} = 1;")));
            }
            StatementKind::Cancel(timer) => {
                let found = self.find(timer);
                self.at(&found, |w, x| w.line(format!("{x} = 0;")));
            }
            StatementKind::Assert(e, text) => {
                let holds = self.value(e);
                self.broken_if(&format!("!{holds}"), Violation::Assertion, text);
            }
            StatementKind::Unreachable => self.broken_if("true", Violation::Unreachable, "`unreachable` was reached"),
            StatementKind::Fit { into, value } => self.fit(*into, value),
            StatementKind::Random { into, below } => self.random(*into, below),
            StatementKind::Filter { into, filter, input } => self.filter(*into, *filter, input),
            StatementKind::Yield(e) => self.yield_bytes(e),
            StatementKind::Unpack { into, layout, message } => {
                let m = self.value(message);
                self.unpack(*into, *layout, &m);
            }
            StatementKind::Join { into, parts, last } => self.join(*into, parts, last),
            StatementKind::Take { into, place } => {
                let local = self.local(*into);
                self.zero(&place.ty, &local);
                let found = self.find(place);
                self.at(&found, |w, x| {
                    w.copy(&place.ty, &local, x);
                    w.zero(&place.ty, x);
                });
            }
        }
    }

    fn set_local(&mut self, local: LocalId, e: &Expr) {
        let place = self.local(local);
        if Uses::of_expr(e).locals.contains(&local) {
            let value = self.value(e);
            self.copy(&e.ty, &place, &value);
        } else {
            self.assign(e, &place);
        }
    }

    fn leave(&mut self, e: Option<&Expr>) {
        if let (Some(e), Some((place, _))) = (e, self.frame.result.clone()) {
            self.assign(e, &place);
        }
        if !self.frame.done.is_empty() {
            let done = self.frame.done.clone();
            self.line(format!("{done} = 1;"));
        }
        if self.frame.loops > 0 {
            self.line("break;");
        } else if e.is_none() {
            self.line("skip;");
        }
    }

    fn fit(&mut self, into: LocalId, e: &Expr) {
        let (local, ty) = (self.local(into), self.local_type(into));
        if !is_scalar(&e.ty) {
            return self.refuse(Reason::Of(Construct::Fit, e.ty.clone()));
        }
        let value = self.value(e);
        let value = self.simple(&value, &e.ty);
        let target = match &ty {
            Type::Option(t) => (**t).clone(),
            other => other.clone(),
        };
        let (low, high) = match &target {
            Type::Range(low, high) => (*low, *high),
            Type::Enum(id) => (0, self.stack.enums[id.index()].variants.len() as u64),
            other => (0, 1 << bits_of(other).min(63)),
        };
        let fits = crate::numbers::is_within(&value, &e.ty, low, high);
        let (fits, place) = match &ty {
            Type::Option(_) => {
                self.line(format!("{local}.some = ({fits});"));
                (format!("{local}.some"), format!("{local}.v"))
            }
            _ => (fits, local),
        };
        // What fits a range is not negative: the upper word is zero.
        match is_wide(&target) {
            true => self.line(format!("{place}.lo = ({fits} -> {value} : 0); {place}.hi = 0;")),
            false => self.line(format!("{place} = ({fits} -> {value} : 0);")),
        }
    }

    /// Draws the smallest or the largest possible number, as chosen before the step.
    fn random(&mut self, into: LocalId, below: &Expr) {
        let (local, ty) = (self.local(into), self.local_type(into));
        if matches!(ty, Type::Duration | Type::Instant) {
            return self.line(format!("{local} = 0;"));
        }
        if !is_scalar(&ty) {
            return self.refuse(Reason::Wide(Wide::Random));
        }
        self.draws = true;
        let n = self.value(below);
        let n = self.simple(&n, &below.ty);
        let many = StopReason::Limit(Limit::Draws).statement("");
        self.line(format!("if :: roll_count >= {} -> {many} :: else fi; roll_count++;", crate::DRAWS));
        self.line(format!("{local} = ((roll_left & 1) && {n} != 0 -> {n} - 1 : 0); roll_left = roll_left >> 1;"));
    }

    fn call(&mut self, into: Option<LocalId>, id: FunctionId, arguments: &[Argument]) {
        let function = &self.stack.functions[id.index()];
        let name = self.function_inline(id);
        let mut texts = vec![];
        for argument in arguments {
            match argument {
                Argument::Value(e) => {
                    let text = self.value(e);
                    texts.push(self.simple(&text, &e.ty));
                }
                Argument::Reference(place) => {
                    let found = self.find(place);
                    if found.guard().is_some() {
                        self.refuse(Reason::Reference);
                    }
                    texts.push(found.text);
                }
            }
        }
        self.line(format!("{name}({});", texts.join(", ")));
        if let (Some(into), Some(ty)) = (into, &function.result) {
            let local = self.local(into);
            self.copy(ty, &local, &format!("{name}_result"));
        }
    }

    /// Returns the inline of a layer's function, which is written at the first call.
    fn function_inline(&mut self, id: FunctionId) -> String {
        let function = &self.stack.functions[id.index()];
        let name = self.names.name(NameScope::Inlines, clean(&function.name), format!("{id:?}"));
        if !self.functions_known.insert(id.0) {
            return name;
        }
        let mut frame = self.frame_of(function.layer, &name, &function.locals);
        frame.set = function.parameters.clone();
        if let Some(ty) = &function.result {
            frame.result = Some((self.hide(&format!("{name}_result"), ty), ty.clone()));
        }
        let given: Vec<String> = function
            .parameters
            .iter()
            .map(|p| match function.locals[p.index()].by_ref {
                true => frame.places[p.index()].clone(),
                false => format!("IN_{}", frame.places[p.index()]),
            })
            .collect();
        let comment = format!("fn {}{}", function.name, self.source(function.span));
        let text = self.inline(&name, &given.clone(), &comment, frame, |w| {
            for (p, text) in function.parameters.iter().zip(&given) {
                let local = &function.locals[p.index()];
                if !local.by_ref {
                    let place = w.local(*p);
                    w.copy(&local.ty, &place, text);
                }
            }
            if let Some((place, ty)) = w.frame.result.clone() {
                w.zero(&ty, &place);
            }
            w.body(&function.body);
        });
        self.functions.push(text);
        name
    }
}
