//! Statements.

use super::found::FoundRoot;
use super::random::SplitMix64;
use super::report::Rule;
use super::run::{Frame, Run, Slot};
use super::value::{Message, Value, NEVER};
use crate::operations::methods::Arguments;
use crate::operations::numbers::{bits, distance, wide};
use crate::operations::operators::constant;
use crate::operations::Parts;
use crate::*;

/// How a block ended.
pub enum Flow {
    Next,
    Break,
    Return(Option<Value>),
    /// A filter refused its input.
    Reject,
}

impl<'a> Run<'a> {
    /// Runs the statements in order until one leaves the block (break, return, reject).
    pub fn execute(&mut self, block: &'a [Statement]) -> Flow {
        for statement in block {
            if let Some(covered) = &mut self.state.covered {
                covered.statements.insert(statement.id);
            }
            let around = self.enter(statement.span);
            let flow = self.statement(statement);
            self.enter(around);
            match flow {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    /// Records the current node; returns the previous one.
    fn enter(&mut self, span: Span) -> Span {
        self.frames.last_mut().map_or(span, |frame| std::mem::replace(&mut frame.span, span))
    }

    /// Notes which way the step goes.
    pub(super) fn branch(&mut self, holds: bool) {
        self.state.ways.iter_mut().for_each(|ways| ways.branch(holds));
    }

    fn statement(&mut self, statement: &'a Statement) -> Flow {
        match &statement.kind {
            StatementKind::Let(local, value) => {
                let value = self.evaluate(value);
                let value = self.bring_home(*local, value);
                self.set(*local, value);
            }
            StatementKind::Store(place, value) => {
                let value = self.evaluate(value);
                let found = self.find(place);
                self.write(&found, value);
            }
            StatementKind::If { condition, then, otherwise, .. } => {
                let taken = self.evaluate(condition).truth();
                self.branch(taken);
                return self.execute(if taken { then } else { otherwise });
            }
            StatementKind::Loop { bound, body } => return self.repeat(*bound, body),
            StatementKind::For { variable, from, to, bound, body } => {
                let (from, to) = (self.evaluate(from), self.evaluate(to));
                return self.count_up(*variable, from.num(), to.num(), *bound, body);
            }
            StatementKind::Each { walk, bound, body } => return self.each(walk, *bound, body),
            StatementKind::Break => return Flow::Break,
            StatementKind::Return(value) => return Flow::Return(value.as_ref().map(|v| self.evaluate(v))),
            StatementKind::Call { into, function, arguments } => {
                let result = self.call(*function, arguments);
                self.set_some(*into, result);
            }
            StatementKind::CallExtern { into, function, arguments } => {
                let result = self.call_host(*into, *function, arguments);
                self.set_some(*into, Some(result));
            }
            StatementKind::Operate(operate) => self.operate(operate),
            StatementKind::Emit(emit) => self.emit(emit),
            StatementKind::Drop(value) => drop(self.evaluate(value)),
            StatementKind::Arm { timer, delay, unless_armed } => self.arm(timer, delay, *unless_armed),
            StatementKind::Cancel(timer) => {
                let found = self.find(timer);
                self.write(&found, Value::Timer(NEVER));
            }
            StatementKind::Count(counter, n) => {
                let n = self.evaluate(n).num();
                self.add_to(*counter, n);
            }
            StatementKind::Assert(condition, text) => self.assert(condition, text),
            StatementKind::Impossible => self.add_to(builtin::IMPOSSIBLE, 1),
            StatementKind::Unreachable => self.broken(Rule::Unreachable, "`unreachable` was reached".into()),
            StatementKind::Fit { into, value } => {
                let fitted = self.fit(*into, value);
                self.set(*into, fitted);
            }
            StatementKind::Random { into, below } => {
                let below = self.evaluate(below).num();
                let value = Value::Num(self.random(statement.id, below));
                self.set(*into, value);
            }
            StatementKind::Filter { into, filter, input } => {
                let result = self.filter(*filter, input, *into);
                self.set(*into, result);
            }
            StatementKind::Yield(value) => self.yield_bytes(value),
            StatementKind::Reject => return Flow::Reject,
            StatementKind::Unpack { into, layout, message } => {
                let message = self.message(message);
                let unpacked = self.unpack(*layout, message).map(|m| Box::new(Value::Msg(m)));
                self.set(*into, Value::Option(unpacked));
            }
            StatementKind::Join { into, parts, last } => {
                let whole = self.join(parts, last);
                self.set(*into, Value::Msg(whole));
            }
            StatementKind::Take { into, place } => {
                let found = self.find(place);
                let taken = self.peek_mut(&found).map(|v| std::mem::replace(v, Value::none()));
                self.set(*into, taken.unwrap_or(Value::none()));
            }
        }
        Flow::Next
    }

    /// Calls a function of the host. The messages of its result are data if its first message argument is.
    fn call_host(&mut self, into: Option<LocalId>, function: ExternId, arguments: &'a [Expr]) -> Value {
        let (mut values, mut data) = (vec![], None);
        for argument in arguments {
            let (value, of_data) = self.extern_argument(argument);
            values.push(value);
            data = data.or(of_data);
        }
        let ty = into.map(|i| self.type_of(i).clone());
        let mut result = self.call_extern(function, &values, ty.as_ref());
        result.messages_mut(&mut |m| m.data = data.unwrap_or(false));
        result
    }

    /// Sets a timer. A deadline is at most `NEVER - 1`, as `NEVER` means that the timer is not armed.
    fn arm(&mut self, timer: &Place, delay: &Expr, unless_armed: bool) {
        let delay = self.evaluate(delay).num();
        let found = self.find(timer);
        let deadline = self.state.now.saturating_add(delay).min(NEVER - 1);
        if let Some(Value::Timer(timer)) = self.peek_mut(&found) {
            if *timer == NEVER || !unless_armed {
                *timer = deadline;
                if let (FoundRoot::Cell(cell), []) = (found.root, &found.path[..]) {
                    self.state.armed.push(cell);
                }
            }
        }
    }

    /// Moves the messages out of a row and puts the last one behind them; headers and data flag are the last one's.
    fn join(&mut self, parts: &Place, last: &Expr) -> Message {
        let mut last = self.message(last);
        let found = self.find(parts);
        let mut whole = Message::default();
        if let Some(Value::Row(row)) = self.peek_mut(&found) {
            row.drain(..).for_each(|mut v| v.messages_mut(&mut |m| whole.append(&mut m.segments)));
        }
        whole.append(&mut last.segments);
        Message { segments: whole.segments, ..last }
    }

    /// Returns the declared type of a local of the innermost frame.
    pub fn type_of(&self, local: LocalId) -> &'a Type {
        &self.frames.last().expect("a frame").declared[local.index()].ty
    }

    /// Assigns to a local; through a `ref` parameter, to the caller's place. A local that still holds a message is
    /// reported as a violation of linearity.
    pub fn set(&mut self, local: LocalId, value: Value) {
        let frame = self.frames.last_mut().expect("a frame");
        match &mut frame.slots[local.index()] {
            Slot::Value(Value::Num(old)) if matches!(value, Value::Num(_)) => *old = value.num(),
            Slot::Value(old) => {
                let old = std::mem::replace(old, value);
                let mut lost = false;
                old.messages(&mut |_| lost = true);
                if lost {
                    let name = frame.declared[local.index()].name.clone();
                    self.report(Rule::Linear, format!("`{name}` is set while it holds a message"));
                }
            }
            Slot::Ref(found) => {
                let found = found.clone();
                self.write(&found, value);
            }
        }
    }

    fn assert(&mut self, condition: &'a Expr, text: &str) {
        if !self.evaluate(condition).truth() {
            self.enter(condition.span);
            self.broken(Rule::Assert, text.into());
        }
    }

    fn set_some(&mut self, local: Option<LocalId>, value: Option<Value>) {
        if let (Some(local), Some(value)) = (local, value) {
            self.set(local, value);
        }
    }

    fn met_bound(&mut self) -> Flow {
        self.add_to(builtin::BOUND, 1);
        self.report(Rule::Bound, "a loop met its bound".into());
        Flow::Next
    }

    fn repeat(&mut self, bound: u32, body: &'a Block) -> Flow {
        for _ in 0..bound {
            match self.execute(body) {
                Flow::Next => {}
                Flow::Break => return Flow::Next,
                flow => return flow,
            }
        }
        self.met_bound()
    }

    fn count_up(&mut self, variable: LocalId, from: u64, to: u64, bound: u32, body: &'a Block) -> Flow {
        let ty = self.type_of(variable);
        let left = match ty {
            Type::Seq(b) => distance(to, from, *b).max(0) as u64,
            Type::Int(_) => (wide(to, ty) as i64).saturating_sub(wide(from, ty) as i64).max(0) as u64,
            _ => to.saturating_sub(from),
        };
        self.branch(left > 0);
        for i in 0..left.min(bound as u64) {
            self.set(variable, constant(from.wrapping_add(i), ty));
            match self.execute(body) {
                Flow::Next => {}
                Flow::Break => return Flow::Next,
                flow => return flow,
            }
        }
        if left > bound as u64 {
            return self.met_bound();
        }
        Flow::Next
    }

    fn call(&mut self, id: FunctionId, arguments: &[Argument]) -> Option<Value> {
        let function = self.stack.function(id);
        let mut frame = Frame::new(&function.locals, function.layer);
        frame.session = self.frames.last().map_or(0, |caller| caller.session);
        for (local, argument) in function.parameters.iter().zip(arguments) {
            frame.slots[local.index()] = match argument {
                Argument::Value(value) => Slot::Value(self.evaluate(value)),
                Argument::Reference(place) => Slot::Ref(self.find(place)),
            };
        }
        self.frames.push(frame);
        let flow = self.execute(&function.body);
        self.check_consumed(&function.name);
        self.frames.pop();
        match (flow, &function.result) {
            (Flow::Return(value), _) if value.is_some() => value,
            (_, Some(ty)) => Some(self.stack.zero(ty)),
            _ => None,
        }
    }

    fn operate(&mut self, operate: &Operate) {
        let mut arguments = self.evaluate_all(&operate.arguments);
        let found = self.find(&operate.place);
        let mut lost = self.stack.zero(&operate.place.ty);
        let mut container = match self.peek_mut(&found) {
            Some(place) => std::mem::replace(place, Value::Gone),
            None => std::mem::replace(&mut lost, Value::Gone),
        };
        let Some(row) = operate.operation.row(&operate.place.ty) else { return };
        let pool = &mut self.state.pool;
        let mut keep = |value: &mut Value| {
            if found.is_cell() {
                pool.keep(value);
            }
        };
        let (last, first) = (arguments.pop(), arguments.pop());
        let capacity = Parts::of(&operate.place.ty).capacity as usize;
        let done = (row.run)(&mut container, Arguments { first, last, capacity, keep: &mut keep });
        if let Some(place) = self.peek_mut(&found) {
            *place = container;
        }
        if let Some(into) = operate.into {
            let value = match (self.type_of(into), done.gives) {
                (Type::Option(_), gives) => Value::Option(gives.map(Box::new)),
                (ty, gives) => gives.unwrap_or_else(|| self.stack.zero(ty)),
            };
            self.set(into, value);
        }
        if let Some(local) = operate.done {
            self.set(local, Value::bool(done.done));
        }
        if let (Some(local), Some(value)) = (operate.back, done.back) {
            self.set(local, value);
        }
    }

    /// The argument, and whether it is data if it is (or shows) a message.
    fn extern_argument(&mut self, argument: &Expr) -> (Value, Option<bool>) {
        if let Access::View(_) = argument.access() {
            let (bytes, data) = self.operand(argument);
            return (Value::Bytes(bytes), Some(data));
        }
        let (value, mut data) = (self.evaluate(argument), None);
        value.messages(&mut |m| data = data.or(Some(m.data)));
        (value, data)
    }

    fn fit(&mut self, into: LocalId, value: &Expr) -> Value {
        let n = wide(self.evaluate(value).num(), &value.ty);
        let target = match self.type_of(into) {
            Type::Option(t) => t,
            ty => ty,
        };
        let fits = match target {
            Type::Range(low, high) => *low <= n && n < *high,
            Type::Enum(id) => n < self.stack.enums[id.index()].variants.len() as u64,
            ty => n <= mask(bits(ty)),
        };
        if fits {
            Value::some(Value::Num(n))
        } else {
            Value::none()
        }
    }

    fn random(&mut self, statement: NodeId, below: u64) -> u64 {
        let layer = self.frames.last().expect("a frame").layer;
        let Some(cell) = self.stack.layer(layer).random else {
            self.report(Rule::Complete, "a layer without a generator draws a random number".into());
            return 0;
        };
        if let Some(choices) = &mut self.state.choices {
            return choices.draw(statement, below);
        }
        let mut generator = SplitMix64(self.state.cells[cell.index()].num());
        let drawn = generator.below(below);
        self.state.cells[cell.index()] = Value::Num(generator.0);
        drawn
    }
}
