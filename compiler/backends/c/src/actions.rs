//! Simple statements: on timers, messages, random numbers and events.

use nacre_stack::*;

use crate::body::Body;
use crate::functions::Callee;
use crate::term::Term;
use crate::types::{constant, Scalar};

impl Body<'_, '_> {
    /// Sets a timer.
    pub fn arm(&mut self, timer: &Place, delay: &Expr, unless_armed: bool) {
        let p = self.w.prefix.clone();
        let delay = self.wide(delay);
        let place = self.place(timer).text;
        if unless_armed {
            self.code.line(format!("if ({place} == 0) {{ {place} = {p}_after(step->now, {delay}); }}"));
        } else {
            self.code.line(format!("{place} = {p}_after(step->now, {delay});"));
        }
    }

    /// Converts a number to a range, or to none.
    pub fn fit(&mut self, into: LocalId, value: &Expr) {
        let declared = self.locals[into.index()].ty.clone();
        let target = match &declared {
            Type::Option(t) => (**t).clone(),
            ty => ty.clone(),
        };
        let wide = self.wide(value);
        let n = if wide.is_simple() { wide } else { self.bind("const uint64_t", "number", &wide) };
        let most = self.w.scalar(&value.ty).map_or(u64::MAX, |s| match s {
            Scalar::Signed { .. } => u64::MAX,
            s => mask(s.c()),
        });
        let above = |high: u64| (most >= high).then(|| format!("{n} < {}", constant(high, Scalar::WORD)));
        let fits = match &target {
            Type::Range(low, high) => {
                let low = (*low > 0).then(|| format!("{n} >= {}", constant(*low, Scalar::WORD)));
                let both: Vec<String> = low.into_iter().chain(above(*high)).collect();
                if both.is_empty() {
                    "true".into()
                } else {
                    both.join(" && ")
                }
            }
            Type::Enum(id) => above(self.w.stack.enums[id.index()].variants.len() as u64).unwrap_or("true".into()),
            ty => match self.w.scalar(ty) {
                Some(scalar) if scalar.bits() < 64 => above(mask(scalar.bits()) + 1).unwrap_or("true".into()),
                _ => "true".into(),
            },
        };
        let scalar = self.scalar_of(&target);
        let cut = self.narrowed(n.to_string(), scalar);
        match &declared {
            Type::Option(_) => {
                let c_type = self.c_type(&declared);
                let fitted = self.bind(&c_type, "fitted", "{.some = false}");
                self.code.open(format!("if ({fits}) {{"));
                self.code.line(format!("{fitted}.some = true;"));
                self.code.line(format!("{fitted}.value = {cut};"));
                self.code.close("}");
                self.assign(into, &fitted);
            }
            _ => {
                let zero = self.zero(&declared);
                self.assign(into, &format!("({fits}) ? {cut} : ({}){zero}", scalar.name()));
            }
        }
    }

    /// Draws a number.
    pub fn random(&mut self, into: LocalId, below: &Expr) {
        let p = self.w.prefix.clone();
        let below = self.wide(below);
        let scalar = self.scalar_of(&self.locals[into.index()].ty.clone());
        let value = match self.w.stack.layers[self.layer].random {
            Some(_) if self.w.options.asks_draws => self.narrowed(format!("{p}_drawn({below})"), scalar),
            Some(cell) => {
                let state = format!("step->s->{}.{}", self.w.layer_names[self.layer], self.w.cell_names[cell.index()]);
                self.narrowed(format!("{p}_random(&{state}, {below})"), scalar)
            }
            None => "0".into(),
        };
        self.assign(into, &value);
    }

    /// Moves the value out of an option.
    pub fn take(&mut self, into: LocalId, place: &Place) {
        let found = self.place(place);
        let ty = self.c_type(&place.ty);
        let taken = self.bind(&ty, "taken", &found.text);
        self.code.line(format!("memset(&{0}, 0, sizeof {0});", found.text));
        self.assign(into, &taken);
    }

    /// Joins several messages into one.
    pub fn join(&mut self, into: LocalId, parts: &Place, last: &Expr) {
        let p = self.w.prefix.clone();
        let level = self.levels[into.index()];
        let last = self.message(last, level);
        let found = self.place(parts);
        let (ring, n) = match &parts.ty {
            Type::Ring(_, n) => (true, *n),
            Type::List(_, n) => (false, *n),
            other => unreachable!("{other:?} is not joined"),
        };
        let entry =
            if ring { format!("{0}.at[({0}.head + i) % {n}u]", found.text) } else { format!("{}.at[i]", found.text) };
        let twine = self.bind(&format!("struct {p}_twine"), "twine", "{.last = 0}");
        self.code.open(format!("for (uint32_t i = 0; i < {}.len; i++) {{", found.text));
        let append = self.w.call_support("append", &[&format!("&{twine}"), &format!("{entry}.bytes")]);
        self.code.line(format!("{append};"));
        self.code.close("}");
        self.code.line(format!("{}.len = 0;", found.text));
        let append = self.w.call_support("append", &[&format!("&{twine}"), &format!("{last}.bytes")]);
        self.code.line(format!("{append};"));
        let ty = self.w.message_type(level);
        let whole = self.bind(&ty, "whole", &last);
        self.code.line(format!("{whole}.bytes = {twine}.bytes;"));
        self.assign(into, &whole);
    }

    /// Emits an event: into the queue, to its handler directly, or out of the stack.
    pub fn emit(&mut self, emit: &Emit, in_place: bool) {
        let target = self.w.stack.target(emit);
        let level = self.w.level_at(target);
        let quick_output = matches!(target, Target::Port(_)) && !emit.later && self.w.plan.quick && in_place;
        let mut texts = vec![];
        for argument in &emit.arguments {
            texts.push(match argument.ty {
                Type::Msg => self.message_argument(argument, level),
                Type::Addr if quick_output => self.borrowed(argument).address().into(),
                _ => self.value(argument),
            });
        }
        let function = if emit.later {
            self.w.put_off.insert((target, emit.event));
            Callee { name: self.w.put_off_name(target, emit.event), in_place: false }
        } else {
            match target {
                Target::Port(port) => self.w.output_function(port, emit.event, quick_output),
                Target::Layer(layer) => match self.w.called(layer, emit, in_place) {
                    Some(callee) => callee,
                    None => {
                        self.w.queued.insert((target, emit.event));
                        Callee { name: self.w.queue_name(target, emit.event), in_place: false }
                    }
                },
            }
        };
        if self.w.plan.quick && !function.in_place {
            for (text, argument) in texts.iter_mut().zip(&emit.arguments) {
                if argument.ty == Type::Msg {
                    *text = self.w.spread(text, level).into();
                }
            }
        }
        self.code.line(format!("{};", self.w.call_step(&function, &texts)));
    }

    fn message_argument(&mut self, e: &Expr, level: usize) -> Term {
        // Its own header may have to be added first.
        let text = self.message(e, level);
        let has = match &e.kind {
            ExprKind::Push(_, header, _) => level.min(self.w.stack.header(*header).layer.index()),
            _ => level,
        };
        match self.w.as_message(&text, has, level) {
            None => text,
            Some(initial) => {
                let ty = self.w.message_type(level);
                self.bind(&ty, "carried", &initial)
            }
        }
    }
}
