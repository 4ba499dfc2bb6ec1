//! Operations on containers.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;
use crate::types::{constant, Scalar};

/// The operands of an operation.
struct Operands {
    /// The arguments.
    values: Vec<Term>,
    /// The place, its type and that of its entries.
    text: Term,
    ty: Type,
    element: Type,
    /// Stored values outlive the step there.
    keeps: bool,
}

impl Body<'_, '_> {
    /// Writes an operation and assigns its results.
    pub fn operate(&mut self, o: &Operate) {
        let values: Vec<Term> = o.arguments.iter().map(|e| self.operand(e)).collect();
        let found = self.place(&o.place);
        let ty = o.place.ty.clone();
        let element = match &ty {
            Type::Ring(t, _) | Type::List(t, _) | Type::Window(t, _, _) | Type::Pool(t, _) | Type::Map(_, t, _) => {
                (**t).clone()
            }
            other => other.clone(),
        };
        let on = Operands { values, text: found.text.clone(), ty: ty.clone(), element, keeps: found.keeps };
        match (o.operation, &ty) {
            (Operation::Push, Type::Window(..)) => self.push_numbered(o, &on),
            (Operation::Push | Operation::Put, _) => self.push_or_put(o, &on),
            (Operation::Pop | Operation::Read | Operation::TakeNext, _) => self.take_entry(o, &on),
            (Operation::Release | Operation::ReleaseLow, _) => self.release(o, &on),
            (Operation::Hole | Operation::NewHole, Type::Window(_, _, bits)) => self.hole(o, &on.text, &ty, *bits),
            (Operation::Clear, Type::Bits(_)) => {
                self.code.line(format!("memset(&{0}, 0, sizeof {0});", on.text));
                self.set_done(o, "true");
            }
            (Operation::Remove, Type::Pool(_, n) | Type::Map(_, _, n)) => self.remove_slot(o, &on, *n),
            (Operation::Remove, _) => self.remove_equal(o, &on.text, &ty, &on.element, &on.values[0]),
            (Operation::Add, Type::Pool(_, n)) => self.add_slot(o, &on, *n),
            (Operation::Find, Type::Map(_, _, n)) => {
                let helper = self.w.container("find", &ty, self.layer);
                let key = self.addressed(&o.arguments[0].ty, &on.values[0]);
                let slot = self.bind("const uint32_t", "slot", &format!("{helper}(&{}, &{key})", on.text));
                self.gives(o, &Type::UInt(32), Some(&format!("{slot} < {n}u")), &slot);
                self.set_done(o, "true");
            }
            (Operation::Insert | Operation::Entry, Type::Map(_, _, n)) => self.place_key(o, &on, *n),
            _ => self.move_through(o, &on),
        }
        self.release_lost(&found, &ty);
    }

    /// `push` to a window, which returns the number.
    fn push_numbered(&mut self, o: &Operate, on: &Operands) {
        let Type::Window(_, _, bits) = on.ty else { unreachable!("{:?} has no numbers", on.ty) };
        let number_type = Type::Seq(bits);
        let c_number = self.c_type(&number_type);
        let number = self.bind(&c_number, "number", "0");
        let helper = self.w.container("push", &on.ty, self.layer);
        let slot = self.slot(&on.element, &format!("{helper}(&{}, &{number})", on.text));
        self.put(o, on, &slot);
        self.gives(o, &number_type, Some(&format!("{slot} != NULL")), &number);
        self.set_done(o, &format!("{slot} != NULL"));
    }

    /// `push` to a ring or list, `put` into a window.
    fn push_or_put(&mut self, o: &Operate, on: &Operands) {
        let (what, number) = match o.operation {
            Operation::Push => ("push", String::new()),
            _ => ("put", format!(", {}", on.values[0])),
        };
        let helper = self.w.container(what, &on.ty, self.layer);
        let slot = self.slot(&on.element, &format!("{helper}(&{}{number})", on.text));
        self.put(o, on, &slot);
        self.set_done(o, &format!("{slot} != NULL"));
    }

    /// Takes an entry, or shares it.
    fn take_entry(&mut self, o: &Operate, on: &Operands) {
        let (what, pool) = match o.operation {
            Operation::Read => ("read", ""),
            Operation::Pop => ("pop", ""),
            _ => ("take", "step->pool, "),
        };
        let helper = self.w.container(what, &on.ty, self.layer);
        let slot = self.slot(&on.element, &format!("{helper}({pool}&{})", on.text));
        self.take_out(o, &on.element, &slot, o.operation == Operation::Read);
    }

    /// `release` and `release_low` of a window, which return the number of released entries.
    fn release(&mut self, o: &Operate, on: &Operands) {
        let what = if o.operation == Operation::Release { "release" } else { "release_low" };
        let helper = self.w.container(what, &on.ty, self.layer);
        let number: String = on.values.iter().map(|value| format!(", {value}")).collect();
        let call = format!("{helper}(step->pool, &{}{number})", on.text);
        self.gives_or_runs(o, &Type::UInt(32), &call);
        self.set_done(o, "true");
    }

    /// Operations without a result: they move the numbers of a window, or clear a container.
    fn move_through(&mut self, o: &Operate, on: &Operands) {
        let (what, pool) = match o.operation {
            Operation::Raise => ("raise", ""),
            Operation::SkipTo => ("skip_to", ""),
            Operation::Clear => ("clear", "step->pool, "),
            Operation::PassOver => ("pass", "step->pool, "),
            Operation::ClearUndelivered => ("clear_undelivered", "step->pool, "),
            operation => unreachable!("{operation:?} on {:?}", on.ty),
        };
        let helper = self.w.container(what, &on.ty, self.layer);
        let number: String = on.values.iter().map(|value| format!(", {value}")).collect();
        self.code.line(format!("{helper}({pool}&{}{number});", on.text));
        self.set_done(o, "true");
    }

    /// `remove` of the entry in a slot.
    fn remove_slot(&mut self, o: &Operate, on: &Operands, n: u32) {
        let (p, text) = (self.w.prefix.clone(), &on.text);
        let at = self.simple(&o.arguments[0].ty, &on.values[0], "slot");
        let c_type = self.c_type(&on.element);
        let there = format!("{at} < {n}u && {p}_has({text}.used, (uint32_t){at})");
        let slot = self.bind(&format!("{c_type} *"), "removed", &format!("{there} ? &{text}.at[{at}] : NULL"));
        self.code.line(format!("if ({slot} != NULL) {{ {p}_unmark({text}.used, (uint32_t){at}); }}"));
        self.take_out(o, &on.element, &slot, false);
    }

    /// `add` to a pool, which returns the slot.
    fn add_slot(&mut self, o: &Operate, on: &Operands, n: u32) {
        let text = &on.text;
        let helper = self.w.container("add", &on.ty, self.layer);
        let slot = self.bind("const uint32_t", "slot", &format!("{helper}(&{text})"));
        let c_type = self.c_type(&on.element);
        let place = self.bind(&format!("{c_type} *"), "added", &format!("{slot} < {n}u ? &{text}.at[{slot}] : NULL"));
        self.put(o, on, &place);
        self.gives(o, &Type::UInt(32), Some(&format!("{slot} < {n}u")), &slot);
        self.set_done(o, &format!("{slot} < {n}u"));
    }

    /// `insert` and `entry`: a slot of a map for a key.
    fn place_key(&mut self, o: &Operate, on: &Operands, n: u32) {
        let text = &on.text;
        let helper = self.w.container("place", &on.ty, self.layer);
        let key = self.addressed(&o.arguments[0].ty, &on.values[0]);
        let old = self.bind("bool", "old", "false");
        let slot = self.bind("const uint32_t", "slot", &format!("{helper}(&{text}, &{key}, &{old})"));
        let c_type = self.c_type(&on.element);
        let place = self.bind(&format!("{c_type} *"), "entry", &format!("{slot} < {n}u ? &{text}.at[{slot}] : NULL"));
        self.set_entry(o, on, &place, &old);
        self.gives(o, &Type::UInt(32), Some(&format!("{slot} < {n}u")), &slot);
        self.set_done(o, &format!("{slot} < {n}u"));
    }

    /// An argument. The operation changes places, so it must not be read from one later.
    fn operand(&mut self, e: &Expr) -> Term {
        let text = match e.ty {
            Type::Msg => self.message(e, self.layer + 1),
            _ => self.value(e),
        };
        if text.is_simple() {
            return text;
        }
        let c_type = self.c_type(&e.ty);
        self.bind(&c_type, "given", &text)
    }

    /// A value that can be repeated.
    pub fn simple(&mut self, ty: &Type, text: &Term, hint: &str) -> Term {
        if text.is_simple() {
            return text.clone();
        }
        let c_type = self.c_type(ty);
        self.bind(&format!("const {c_type}"), hint, text)
    }

    /// Text whose address can be taken.
    pub fn addressed(&mut self, ty: &Type, text: &str) -> Term {
        let c_type = self.c_type(ty);
        self.bind(&format!("const {c_type}"), "key", text)
    }

    fn slot(&mut self, element: &Type, call: &str) -> Term {
        let c_type = self.c_type(element);
        self.bind(&format!("{c_type} *"), "entry", call)
    }

    /// Stores the last argument if a slot was found; otherwise returns it to the layer or releases it.
    fn put(&mut self, o: &Operate, on: &Operands, slot: &str) {
        let Some(value) = on.values.last() else { return };
        self.code.open(format!("if ({}) {{", self.w.likely(&format!("{slot} != NULL"))));
        self.store_at(on, slot, value);
        self.not_stored(o, &on.element, value);
        self.code.close("}");
    }

    fn store_at(&mut self, on: &Operands, slot: &str, value: &str) {
        if !on.keeps || !self.w.stack.has_message(&on.element) {
            return self.code.line(format!("*{slot} = {value};"));
        }
        let c_type = self.c_type(&on.element);
        let kept = self.bind(&c_type, "kept", value);
        let keep = self.w.keep_of(&on.element, self.layer, &kept);
        self.code.add_lines(keep);
        self.code.line(format!("*{slot} = {kept};"));
    }

    /// The other branch of a store that can fail.
    fn not_stored(&mut self, o: &Operate, element: &Type, value: &Term) {
        if let Some(back) = o.back {
            self.code.turn("} else {");
            self.set(back, value);
        } else if let Some(drop) = self.w.drop_of(element, self.layer, value) {
            self.code.turn("} else {");
            self.code.line(drop);
        }
    }

    fn set_entry(&mut self, o: &Operate, on: &Operands, slot: &str, old: &str) {
        let Some(value) = on.values.last() else { return };
        let element = &on.element;
        self.code.open(format!("if ({slot} != NULL) {{"));
        if o.operation == Operation::Insert {
            if let Some(drop_old) = self.w.drop_of(element, self.layer, &Term::pointee(slot)) {
                self.code.line(format!("if ({old}) {{ {drop_old} }}"));
            }
            self.store_at(on, slot, value);
        } else {
            self.code.open(format!("if (!{old}) {{"));
            self.store_at(on, slot, value);
            if let Some(drop_new) = self.w.drop_of(element, self.layer, value) {
                self.code.turn("} else {");
                self.code.line(drop_new);
            }
            self.code.close("}");
        }
        self.not_stored(o, element, value);
        self.code.close("}");
    }

    /// Moves an entry out (or shares it), as an option or alone.
    fn take_out(&mut self, o: &Operate, element: &Type, slot: &str, shares: bool) {
        let entry = Term::pointee(slot);
        let act = match (shares, o.into) {
            (true, Some(_)) => self.w.share_of(element, self.layer, &entry),
            (false, None) => self.w.drop_of(element, self.layer, &entry),
            _ => None,
        };
        match act {
            Some(act) => self.code.line(format!("if ({slot} != NULL) {{ {act} }}")),
            None if o.into.is_none() => self.code.line(format!("(void){slot};")),
            None => {}
        }
        self.gives(o, element, Some(&format!("{slot} != NULL")), &entry);
        self.set_done(o, "true");
    }

    fn gives_or_runs(&mut self, o: &Operate, ty: &Type, call: &str) {
        match o.into {
            Some(_) => {
                let c_type = self.c_type(ty);
                let value = self.bind(&format!("const {c_type}"), "given", call);
                self.gives(o, ty, None, &value);
            }
            None => self.code.line(format!("(void){call};")),
        }
    }

    /// Sets `into`: an option, or a value that is zero if there is none.
    fn gives(&mut self, o: &Operate, ty: &Type, there: Option<&str>, value: &Term) {
        let Some(into) = o.into else {
            if value.is_simple() {
                self.code.line(format!("(void){value};"));
            }
            return;
        };
        let declared = self.locals[into.index()].ty.clone();
        let scalar = self.w.scalar(ty);
        let own = match &declared {
            Type::Option(t) => (**t).clone(),
            t => t.clone(),
        };
        let value = match (scalar, self.w.scalar(&own)) {
            (Some(from), Some(to)) if from != to => {
                let wide = if matches!(from, Scalar::Signed { .. }) {
                    format!("(uint64_t){value}")
                } else {
                    value.to_string()
                };
                self.narrowed(wide, to)
            }
            _ => value.alone(),
        };
        if let Type::Option(_) = declared {
            let c_type = self.c_type(&declared);
            let given = self.bind(&c_type, "given", "{.some = false}");
            match there {
                Some(there) => {
                    self.code.open(format!("if ({there}) {{"));
                    self.code.line(format!("{given}.some = true;"));
                    self.code.line(format!("{given}.value = {value};"));
                    self.code.close("}");
                }
                None => {
                    self.code.line(format!("{given}.some = true;"));
                    self.code.line(format!("{given}.value = {value};"));
                }
            }
            self.assign(into, &given);
            return;
        }
        match (there, self.w.scalar(&own)) {
            (None, _) => self.assign(into, &value),
            (Some(there), Some(scalar)) => self.assign(into, &format!("{there} ? {value} : {}", constant(0, scalar))),
            (Some(there), None) => {
                let (c_type, zero) = (self.c_type(&own), self.zero(&own));
                let given = self.bind(&c_type, "given", &zero);
                self.code.line(format!("if ({there}) {{ {given} = {value}; }}"));
                self.assign(into, &given);
            }
        }
    }

    fn set_done(&mut self, o: &Operate, done: &str) {
        if let Some(local) = o.done {
            self.assign(local, done);
        }
    }

    fn hole(&mut self, o: &Operate, text: &str, ty: &Type, bits: u8) {
        let what = if o.operation == Operation::Hole { "hole" } else { "new_hole" };
        let helper = self.w.container(what, ty, self.layer);
        let number = self.c_type(&Type::Seq(bits));
        let from = self.bind(&number, "from", "0");
        let to = self.bind(&number, "to", "0");
        let there = self.bind("const bool", "there", &format!("{helper}(&{text}, &{from}, &{to})"));
        if let Some(into) = o.into {
            let declared = self.locals[into.index()].ty.clone();
            let pair = match &declared {
                Type::Option(t) => (**t).clone(),
                t => t.clone(),
            };
            let (first, second) = (self.w.member(&pair, 0), self.w.member(&pair, 1));
            let c_type = self.c_type(&pair);
            let made = self.bind(&c_type, "gap", &format!("{{.{first} = {from}, .{second} = {to}}}"));
            self.gives(o, &pair, Some(&there), &made);
        } else {
            self.code.line(format!("(void){there};"));
        }
        self.set_done(o, "true");
    }

    fn remove_equal(&mut self, o: &Operate, text: &str, ty: &Type, element: &Type, value: &str) {
        let find = self.w.container("find", ty, self.layer);
        let remove = self.w.container("remove", ty, self.layer);
        let wanted = self.addressed(element, value);
        let at = self.bind("const uint32_t", "at", &format!("{find}(&{text}, &{wanted})"));
        let (there, place) = self.w.entry(text, ty, &at);
        let c_type = self.c_type(element);
        let zero = self.zero(element);
        let found = self.bind("const bool", "found", &there);
        let entry = self.bind(&c_type, "entry", &zero);
        self.code.open(format!("if ({found}) {{"));
        self.code.line(format!("{entry} = {place};"));
        self.code.line(format!("{remove}(&{text}, {at});"));
        self.code.close("}");
        self.code.line(format!("(void){entry};"));
        self.gives(o, element, Some(&found), &entry);
        self.set_done(o, "true");
    }
}
