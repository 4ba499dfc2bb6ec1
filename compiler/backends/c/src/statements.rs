//! Statements.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::homes::sets_at_once;
use crate::names::comment;
use crate::plan::Item;
use crate::term::Term;

impl<'a> Body<'_, 'a> {
    /// Writes the statements, and each local's declaration where its C scope requires it.
    pub fn block(&mut self, block: &'a [Statement]) {
        let owed = self.put_aside();
        let homes = self.homes(block);
        for (index, statement) in block.iter().enumerate() {
            self.line_of(statement.span);
            if let Some(bypass) = self.bypass {
                self.layer = bypass.layer_of(self.w.stack, statement).index();
            }
            for local in homes.iter().filter(|(_, at)| *at == index).map(|(l, _)| *l) {
                self.declare(local, statement);
            }
            self.statement(statement);
            // What is written behind the blocks in a statement is of the statement again.
            self.line_of(statement.span);
            self.finish_statement();
        }
        self.take_back(owed);
    }

    fn declare(&mut self, local: LocalId, statement: &Statement) {
        if self.locals[local.index()].by_ref {
            return;
        }
        if sets_at_once(statement, local) {
            self.declared_at.insert(local.index(), true);
            return;
        }
        let ty = self.local_type(local);
        let zero = match &self.locals[local.index()].ty.clone() {
            Type::Msg => "{.data = false}".to_string(),
            ty => self.zero(ty),
        };
        let name = self.local(local);
        self.code.line(format!("{ty} {name} = {zero};"));
        self.unused(local);
    }

    fn unused(&mut self, local: LocalId) {
        if !self.is_read(local) {
            let name = self.local(local);
            self.code.line(format!("(void){name};"));
        }
    }

    /// Sets a local that may have to be declared.
    pub fn assign(&mut self, local: LocalId, value: &str) {
        self.set(local, value);
        self.unused_once(local);
    }

    fn unused_once(&mut self, local: LocalId) {
        if self.may_seem_unused(local) {
            let name = self.local(local);
            self.code.line(format!("(void){name};"));
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        let p = self.w.prefix.clone();
        match &statement.kind {
            StatementKind::Let(local, e) => {
                let value = match e.ty {
                    Type::Msg => self.message(e, self.levels[local.index()]),
                    _ => self.value(e),
                };
                self.assign(*local, &value);
            }
            StatementKind::Store(place, e) => self.store(place, e),
            StatementKind::If { condition, likely, then, otherwise } => {
                self.branch(condition, *likely, then, otherwise)
            }
            StatementKind::Loop { bound, body } => self.repeat(*bound, body),
            StatementKind::For { variable, from, to, bound, body } => self.count_up(*variable, from, to, *bound, body),
            StatementKind::Each { walk, bound, body } => self.each(walk, *bound, body),
            StatementKind::Break if self.loops == 0 => self.leave(),
            StatementKind::Break => self.code.line("break;"),
            StatementKind::Return(value) => self.give_back(value.as_ref()),
            StatementKind::Call { into, function, arguments } => {
                let in_place = self.w.plan.quick && statement.in_place;
                self.call(*into, *function, arguments, in_place)
            }
            StatementKind::CallExtern { into, function, arguments } => {
                self.extern_statement(*into, *function, arguments)
            }
            StatementKind::Operate(operate) => self.operate(operate),
            StatementKind::Emit(emit) => self.emit(emit, statement.in_place),
            StatementKind::Drop(e) => {
                let text = match e.ty {
                    Type::Msg => self.borrowed_message(e).0,
                    _ => self.borrowed(e),
                };
                let drop = self.w.drop_of(&e.ty, self.layer, &text);
                self.code.add_lines(drop);
            }
            StatementKind::Arm { timer, delay, unless_armed } => self.arm(timer, delay, *unless_armed),
            StatementKind::Cancel(timer) => {
                let place = self.place(timer).text;
                self.code.line(format!("{place} = 0;"));
            }
            StatementKind::Count(counter, n) => {
                let n = match n.kind {
                    ExprKind::Const(1) => "++".to_string(),
                    _ => format!(" += {}", self.wide(n)),
                };
                let name = self.w.counter_name(*counter);
                self.code.line(format!("step->counters[{name}]{n};"));
            }
            StatementKind::Assert(condition, text) => {
                let condition = self.value(condition);
                let comment = comment(&format!("assert {text}"));
                self.code
                    .line(format!("if ({p}_UNLIKELY(!{condition})) {{ step->counters[{p}_BROKEN]++; }} {comment}"));
            }
            StatementKind::Impossible => {
                self.code.line(format!("step->counters[{p}_IMPOSSIBLE]++;"));
                self.code.line("step->impossible = 1u;");
            }
            StatementKind::Unreachable => self.code.line(format!("step->counters[{p}_BROKEN]++;")),
            StatementKind::Fit { into, value } => self.fit(*into, value),
            StatementKind::Random { into, below } => self.random(*into, below),
            StatementKind::Filter { into, filter, input } => self.filter(*into, *filter, input),
            StatementKind::Yield(e) => self.yield_bytes(e),
            StatementKind::Reject => {
                self.rejects = true;
                self.code.line("goto rejected;");
            }
            StatementKind::Unpack { into, layout, message } => self.unpack(*into, *layout, message),
            StatementKind::Join { into, parts, last } => self.join(*into, parts, last),
            StatementKind::Take { into, place } => self.take(*into, place),
        }
    }

    /// Out of the body: in a filter there may be another unit.
    fn leave(&mut self) {
        match self.kind {
            Kind::Filter => {
                self.leaves = true;
                self.code.line(format!("goto {};", self.exit));
            }
            _ => self.code.line("return;"),
        }
    }

    fn give_back(&mut self, value: Option<&Expr>) {
        let value = value.map(|e| match e.ty {
            Type::Msg => (self.message(e, self.layer + 1), Type::Msg),
            _ => (self.value(e), e.ty.clone()),
        });
        let value = value.map(|(value, ty)| match (self.owes(), ty) {
            (true, Type::Msg) => {
                let ty = self.w.message_type(self.layer + 1);
                self.bind(&ty, "result", &value)
            }
            (true, ty) => {
                let ty = self.c_type(&ty);
                self.bind(&ty, "result", &value)
            }
            _ => value,
        });
        self.finish_statement();
        for line in self.draining.clone().into_iter().rev() {
            self.code.line(line);
        }
        match (value, self.kind) {
            (Some(value), _) => self.code.line(format!("return {value};")),
            (None, Kind::Filter) => self.leave(),
            (None, _) => self.code.line("return;"),
        }
    }

    fn store(&mut self, place: &Place, e: &Expr) {
        let has_message = self.w.stack.has_message(&place.ty);
        let resets = matches!(e.kind, ExprKind::Zero) && self.w.scalar(&e.ty).is_none() && e.ty != Type::Msg;
        if resets {
            let found = self.place(place);
            let drop = self.w.drop_of(&place.ty, self.layer, &found.text);
            self.code.add_lines(drop);
            self.code.line(format!("memset(&{0}, 0, sizeof {0});", found.text));
            return;
        }
        let mut value = self.value(e);
        if has_message {
            if !self.is_temporary(&value) {
                let ty = self.c_type(&place.ty);
                value = self.bind(&ty, "stored", &value);
            }
            let found = self.place(place);
            if found.keeps {
                let keep = self.w.keep_of(&place.ty, self.layer, &value);
                self.code.add_lines(keep);
            }
            let drop = self.w.drop_of(&place.ty, self.layer, &found.text);
            self.code.add_lines(drop);
            self.code.line(format!("{} = {value};", found.text));
            self.release_lost(&found, &place.ty);
            return;
        }
        let found = self.place(place);
        self.code.line(format!("{} = {value};", found.text));
    }

    fn branch(&mut self, condition: &Expr, likely: Option<bool>, then: &'a [Statement], otherwise: &'a [Statement]) {
        let p = self.w.prefix.clone();
        let mut condition = self.value(condition);
        if self.owes() {
            condition = self.bind("const bool", "holds", &condition);
        }
        self.finish_statement();
        let condition = match likely {
            Some(true) => format!("{p}_LIKELY({condition})"),
            Some(false) => format!("{p}_UNLIKELY({condition})"),
            None => condition.alone(),
        };
        self.code.open(format!("if ({condition}) {{"));
        self.block(then);
        if !otherwise.is_empty() {
            self.code.turn("} else {");
            self.block(otherwise);
        }
        self.code.close("}");
    }

    /// Writes the body of a loop, to which a `break` in it refers.
    pub fn loop_body(&mut self, body: &'a [Statement]) {
        self.loops += 1;
        self.block(body);
        self.loops -= 1;
    }

    fn repeat(&mut self, bound: u32, body: &'a [Statement]) {
        let p = self.w.prefix.clone();
        let turn = self.fresh("turn");
        self.code.open(format!("for (uint32_t {turn} = 0;; {turn}++) {{"));
        self.code.open(format!("if ({p}_UNLIKELY({turn} == {bound}u)) {{"));
        self.code.line(format!("step->counters[{p}_BOUND]++;"));
        self.code.line("break;");
        self.code.close("}");
        self.loop_body(body);
        self.code.close("}");
    }

    fn count_up(&mut self, variable: LocalId, from: &Expr, to: &Expr, bound: u32, body: &'a [Statement]) {
        let p = self.w.prefix.clone();
        let ty = self.locals[variable.index()].ty.clone();
        let scalar = self.scalar_of(&ty);
        let (from, to) = (self.wide(from), self.wide(to));
        let from = self.bind("const uint64_t", "from", &from);
        let to = self.bind("const uint64_t", "to", &to);
        let left = match &ty {
            Type::Seq(b) => {
                format!("(uint64_t)({p}_sign({to} - {from}, {b}u) > 0 ? {p}_sign({to} - {from}, {b}u) : 0)")
            }
            Type::Int(_) => format!("(int64_t){to} > (int64_t){from} ? {to} - {from} : 0"),
            _ => format!("{to} > {from} ? {to} - {from} : 0"),
        };
        let left = self.bind("const uint64_t", "left", &left);
        let turn = self.fresh("turn");
        self.code.open(format!("for (uint64_t {turn} = 0; {turn} < {left}; {turn}++) {{"));
        self.code.open(format!("if ({p}_UNLIKELY({turn} == {bound}u)) {{"));
        self.code.line(format!("step->counters[{p}_BOUND]++;"));
        self.code.line("break;");
        self.code.close("}");
        let value = self.narrowed(format!("({from} + {turn})"), scalar);
        self.set_in_loop(variable, &value);
        self.loop_body(body);
        self.code.close("}");
    }

    /// A loop's variable: declared in the loop if nothing else uses it.
    pub fn set_in_loop(&mut self, local: LocalId, value: &str) {
        if !self.is_declared(local) {
            self.mark_declared(local);
            self.declared_at.insert(local.index(), true);
        }
        self.assign(local, value);
    }

    fn call(&mut self, into: Option<LocalId>, id: FunctionId, arguments: &[Argument], in_place: bool) {
        let function = self.w.stack.function(id);
        let mut texts = vec![];
        let mut places = vec![];
        for argument in arguments {
            texts.push(match argument {
                Argument::Value(e) if e.ty == Type::Msg => {
                    let text = self.message(e, self.layer + 1);
                    match self.w.plan.quick && !in_place {
                        true => self.w.spread(&text, self.layer + 1).into(),
                        false => text,
                    }
                }
                Argument::Value(e) => self.value(e),
                Argument::Reference(place) => {
                    let found = self.place(place);
                    let text = Term::from(found.text.address());
                    places.push((found, place.ty.clone()));
                    text
                }
            });
        }
        let callee = self.w.ask(Item::Function(id), in_place);
        let call = self.w.call_step(&callee, &texts);
        match (into, &function.result) {
            (Some(local), Some(_)) => self.assign(local, &call),
            (None, Some(ty)) if self.w.stack.has_message(ty) => {
                let c_type = self.c_type(&ty.clone());
                let result = self.bind(&c_type, "result", &call);
                let drop = self.w.drop_of(&ty.clone(), self.layer, &result);
                self.code.add_lines(drop);
            }
            (None, Some(_)) => self.code.line(format!("(void){call};")),
            _ => self.code.line(format!("{call};")),
        }
        for (found, ty) in places {
            self.release_lost(&found, &ty);
        }
    }
}
