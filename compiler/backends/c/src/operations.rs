//! Operations on containers, queries, and loops over them.

use nacre_stack::*;

use crate::body::Body;
use crate::places::distance;
use crate::term::Term;
use crate::types::{constant, set_words, window_slots, Scalar};

impl<'a> Body<'_, 'a> {
    pub fn operate(&mut self, o: &Operate) {
        let values: Vec<Term> = o.arguments.iter().map(|e| self.operand(e)).collect();
        let found = self.place(&o.place);
        let (text, ty) = (found.text.clone(), o.place.ty.clone());
        let element = match &ty {
            Type::Ring(t, _) | Type::List(t, _) | Type::Window(t, _, _) | Type::Pool(t, _) | Type::Map(_, t, _) => {
                (**t).clone()
            }
            other => other.clone(),
        };
        let last = o.arguments.iter().zip(&values).next_back().map(|(e, v)| (e.clone(), v.clone()));
        match (o.operation, &ty) {
            (Operation::Push, Type::Window(_, _, bits)) => {
                let number_type = Type::Seq(*bits);
                let c_number = self.c_type(&number_type);
                let number = self.bind(&c_number, "number", "0");
                let helper = self.w.container("push", &ty, self.layer);
                let slot = self.slot(&element, &format!("{helper}(&{text}, &{number})"));
                self.put(o, &found.keeps, &element, &slot, last);
                self.gives(o, &number_type, Some(&format!("{slot} != NULL")), &number);
                self.set_done(o, &format!("{slot} != NULL"));
            }
            (Operation::Put, _) => {
                let helper = self.w.container("put", &ty, self.layer);
                let slot = self.slot(&element, &format!("{helper}(&{text}, {})", values[0]));
                self.put(o, &found.keeps, &element, &slot, last);
                self.set_done(o, &format!("{slot} != NULL"));
            }
            (Operation::Push, _) => {
                let helper = self.w.container("push", &ty, self.layer);
                let slot = self.slot(&element, &format!("{helper}(&{text})"));
                self.put(o, &found.keeps, &element, &slot, last);
                self.set_done(o, &format!("{slot} != NULL"));
            }
            (Operation::Pop | Operation::Read, _) => {
                let reads = o.operation == Operation::Read;
                let helper = self.w.container(if reads { "read" } else { "pop" }, &ty, self.layer);
                let slot = self.slot(&element, &format!("{helper}(&{text})"));
                self.take_out(o, &element, &slot, reads);
            }
            (Operation::TakeNext, _) => {
                let helper = self.w.container("take", &ty, self.layer);
                let slot = self.slot(&element, &format!("{helper}(step->pool, &{text})"));
                self.take_out(o, &element, &slot, false);
            }
            (Operation::Release, _) => {
                let helper = self.w.container("release", &ty, self.layer);
                let call = format!("{helper}(step->pool, &{text}, {})", values[0]);
                self.gives_or_runs(o, &Type::UInt(32), &call);
                self.set_done(o, "true");
            }
            (Operation::Raise | Operation::SkipTo, _) => {
                let helper = self.w.container(
                    if o.operation == Operation::Raise { "raise" } else { "skip_to" },
                    &ty,
                    self.layer,
                );
                self.code.line(format!("{helper}(&{text}, {});", values[0]));
                self.set_done(o, "true");
            }
            (Operation::Hole | Operation::NewHole, Type::Window(_, _, bits)) => self.hole(o, &text, &ty, *bits),
            (Operation::Clear, Type::Bits(_)) => {
                self.code.line(format!("memset(&{text}, 0, sizeof {text});"));
                self.set_done(o, "true");
            }
            (Operation::Clear | Operation::ClearUndelivered | Operation::PassOver, _) => {
                let word = match o.operation {
                    Operation::Clear => "clear",
                    Operation::PassOver => "pass",
                    _ => "clear_undelivered",
                };
                let helper = self.w.container(word, &ty, self.layer);
                let number: String = values.iter().map(|value| format!(", {value}")).collect();
                self.code.line(format!("{helper}(step->pool, &{text}{number});"));
                self.set_done(o, "true");
            }
            (Operation::Remove, Type::Pool(_, n) | Type::Map(_, _, n)) => {
                let p = self.w.prefix.clone();
                let at = self.simple(&o.arguments[0].ty, &values[0], "slot");
                let c_type = self.c_type(&element);
                let there = format!("{at} < {n}u && {p}_has({text}.used, (uint32_t){at})");
                let slot = self.bind(&format!("{c_type} *"), "removed", &format!("{there} ? &{text}.at[{at}] : NULL"));
                self.code.line(format!("if ({slot} != NULL) {{ {p}_unmark({text}.used, (uint32_t){at}); }}"));
                self.take_out(o, &element, &slot, false);
            }
            (Operation::Remove, _) => self.remove_equal(o, &text, &ty, &element, &values[0]),
            (Operation::Add, Type::Pool(_, n)) => {
                let helper = self.w.container("add", &ty, self.layer);
                let slot = self.bind("const uint32_t", "slot", &format!("{helper}(&{text})"));
                let c_type = self.c_type(&element);
                let place =
                    self.bind(&format!("{c_type} *"), "added", &format!("{slot} < {n}u ? &{text}.at[{slot}] : NULL"));
                self.put(o, &found.keeps, &element, &place, last);
                self.gives(o, &Type::UInt(32), Some(&format!("{slot} < {n}u")), &slot);
                self.set_done(o, &format!("{slot} < {n}u"));
            }
            (Operation::Find, Type::Map(_, _, n)) => {
                let helper = self.w.container("find", &ty, self.layer);
                let key = self.addressed(&o.arguments[0].ty, &values[0]);
                let slot = self.bind("const uint32_t", "slot", &format!("{helper}(&{text}, &{key})"));
                self.gives(o, &Type::UInt(32), Some(&format!("{slot} < {n}u")), &slot);
                self.set_done(o, "true");
            }
            (Operation::Insert | Operation::Entry, Type::Map(_, _, n)) => {
                let helper = self.w.container("place", &ty, self.layer);
                let key = self.addressed(&o.arguments[0].ty, &values[0]);
                let old = self.bind("bool", "old", "false");
                let slot = self.bind("const uint32_t", "slot", &format!("{helper}(&{text}, &{key}, &{old})"));
                let c_type = self.c_type(&element);
                let place =
                    self.bind(&format!("{c_type} *"), "entry", &format!("{slot} < {n}u ? &{text}.at[{slot}] : NULL"));
                self.set_entry(o, &found.keeps, &element, &place, &old, last);
                self.gives(o, &Type::UInt(32), Some(&format!("{slot} < {n}u")), &slot);
                self.set_done(o, &format!("{slot} < {n}u"));
            }
            (operation, ty) => unreachable!("{operation:?} on {ty:?}"),
        }
        self.release_lost(&found, &ty);
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

    fn simple(&mut self, ty: &Type, text: &Term, hint: &str) -> Term {
        if text.is_simple() {
            return text.clone();
        }
        let c_type = self.c_type(ty);
        self.bind(&format!("const {c_type}"), hint, text)
    }

    /// Text whose address can be taken.
    fn addressed(&mut self, ty: &Type, text: &str) -> Term {
        let c_type = self.c_type(ty);
        self.bind(&format!("const {c_type}"), "key", text)
    }

    fn slot(&mut self, element: &Type, call: &str) -> Term {
        let c_type = self.c_type(element);
        self.bind(&format!("{c_type} *"), "entry", call)
    }

    /// Stores the last argument where a slot was found; gives it back, or lets it go, where none was.
    fn put(&mut self, o: &Operate, keeps: &bool, element: &Type, slot: &str, last: Option<(Expr, Term)>) {
        let Some((_, value)) = last else { return };
        self.code.open(format!("if ({}) {{", self.w.likely(&format!("{slot} != NULL"))));
        self.store_at(*keeps, element, slot, &value);
        self.not_stored(o, element, &value);
        self.code.close("}");
    }

    fn store_at(&mut self, keeps: bool, element: &Type, slot: &str, value: &str) {
        if !keeps || !self.w.stack.has_message(element) {
            return self.code.line(format!("*{slot} = {value};"));
        }
        let c_type = self.c_type(element);
        let kept = self.bind(&c_type, "kept", value);
        let keep = self.w.keep_of(element, self.layer, &kept);
        self.code.line(keep);
        self.code.line(format!("*{slot} = {kept};"));
    }

    /// The other branch of a store that can fail.
    fn not_stored(&mut self, o: &Operate, element: &Type, value: &Term) {
        match o.back {
            Some(back) => {
                self.code.turn("} else {");
                self.set(back, value);
            }
            None if self.w.stack.has_message(element) => {
                let drop = self.w.drop_of(element, self.layer, value);
                self.code.turn("} else {");
                self.code.line(drop);
            }
            None => {}
        }
    }

    fn set_entry(
        &mut self,
        o: &Operate,
        keeps: &bool,
        element: &Type,
        slot: &str,
        old: &str,
        last: Option<(Expr, Term)>,
    ) {
        let Some((_, value)) = last else { return };
        let drop_old = self.w.drop_of(element, self.layer, &Term::pointee(slot));
        let drop_new = self.w.drop_of(element, self.layer, &value);
        self.code.open(format!("if ({slot} != NULL) {{"));
        if o.operation == Operation::Insert {
            if !drop_old.is_empty() {
                self.code.line(format!("if ({old}) {{ {drop_old} }}"));
            }
            self.store_at(*keeps, element, slot, &value);
        } else {
            self.code.open(format!("if (!{old}) {{"));
            self.store_at(*keeps, element, slot, &value);
            if !drop_new.is_empty() {
                self.code.turn("} else {");
                self.code.line(drop_new);
            }
            self.code.close("}");
        }
        self.not_stored(o, element, &value);
        self.code.close("}");
    }

    /// Moves an entry out (or shares it), as an option or by itself.
    fn take_out(&mut self, o: &Operate, element: &Type, slot: &str, shares: bool) {
        if shares {
            let share = self.w.share_of(element, self.layer, &Term::pointee(slot));
            if !share.is_empty() && o.into.is_some() {
                self.code.line(format!("if ({slot} != NULL) {{ {share} }}"));
            }
        }
        if o.into.is_none() {
            let drop = self.w.drop_of(element, self.layer, &Term::pointee(slot));
            match drop.is_empty() || shares {
                true => self.code.line(format!("(void){slot};")),
                false => self.code.line(format!("if ({slot} != NULL) {{ {drop} }}")),
            }
        }
        self.gives(o, element, Some(&format!("{slot} != NULL")), &Term::pointee(slot));
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

    /// Sets `into`: an option, or a value that is zero where there is none.
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

    pub fn query(&mut self, query: Query, place: &Place, arguments: &[Expr], scalar: Scalar) -> Term {
        let p = self.w.prefix.clone();
        let found = self.place(place);
        let text = found.text;
        let count = |words: String, n: u32| format!("{p}_count({words}, {}u)", n.div_ceil(64));
        let len = match &place.ty {
            Type::Window(_, n, _) => count(format!("{text}.used"), window_slots(*n)),
            Type::Pool(_, n) | Type::Map(_, _, n) => count(format!("{text}.used"), *n),
            Type::Bits(n) if set_words(&place.ty).is_some() => count(format!("{text}.word"), *n),
            Type::Bits(_) => format!("{p}_count_in((uint64_t){text})"),
            Type::Array(_, n) | Type::Bytes(n) => format!("{n}u"),
            Type::Ring(..) | Type::List(..) | Type::Text(_) => format!("{text}.len"),
            _ => "0u".into(),
        };
        let capacity = match &place.ty {
            Type::Ring(_, n)
            | Type::List(_, n)
            | Type::Pool(_, n)
            | Type::Map(_, _, n)
            | Type::Bits(n)
            | Type::Text(n) => *n,
            _ => 0,
        };
        let as_number = |body: &Body, text: String| body.narrowed(text, scalar);
        match (query, &place.ty) {
            (Query::Armed, _) => Term::operation(format!("{text} != 0")),
            (Query::Low, _) => format!("{text}.low").into(),
            (Query::Next, _) => format!("{text}.next").into(),
            (Query::High, _) => format!("{text}.high").into(),
            (Query::Len, _) => match scalar {
                Scalar::Unsigned { c: 32, bits: 32 } => len.into(),
                _ => as_number(self, len).into(),
            },
            (Query::Empty, Type::Window(..)) => Term::operation(format!("{text}.low == {text}.high")),
            (Query::Empty, _) => Term::operation(format!("{len} == 0")),
            (Query::Full, Type::Window(_, n, bits)) => {
                Term::operation(format!("{} == {n}u", distance(&format!("{text}.high"), &format!("{text}.low"), *bits)))
            }
            (Query::Full, _) => Term::operation(format!("{len} >= {capacity}u")),
            (Query::Contains, Type::Ring(t, _) | Type::List(t, _)) => {
                let find = self.w.container("find", &place.ty, self.layer);
                let value = self.value(&arguments[0]);
                let wanted = self.addressed(&t.clone(), &value);
                Term::operation(format!("{find}(&{text}, &{wanted}) < {text}.len"))
            }
            (Query::Contains, Type::Map(k, _, n)) => {
                let find = self.w.container("find", &place.ty, self.layer);
                let value = self.value(&arguments[0]);
                let wanted = self.addressed(&k.clone(), &value);
                Term::operation(format!("{find}(&{text}, &{wanted}) < {n}u"))
            }
            (Query::Contains, Type::Bits(n)) => {
                let at = self.wide(&arguments[0]);
                let at = self.simple(&Type::UInt(64), &at, "element");
                match set_words(&place.ty) {
                    Some(_) => Term::operation(format!("{at} < {n}u && {p}_has({text}.word, (uint32_t){at})")),
                    None => Term::operation(format!("{at} < {n}u && ((uint64_t){text} >> {at} & 1u)")),
                }
            }
            (Query::Has, ty) => {
                let at = self.named(&arguments[0]);
                let (there, _) = self.w.entry(&text, &ty.clone(), &at);
                Term::operation(there)
            }
            (Query::Key, _) => self.query_key(place, &arguments[0], &arguments[0].ty.clone()),
            (Query::First, Type::Bits(n)) => {
                let first = match set_words(&place.ty) {
                    Some(_) => format!("{p}_first({text}.word, {}u)", n.div_ceil(64)),
                    None => format!("{p}_first_in((uint64_t){text})"),
                };
                as_number(self, first).into()
            }
            _ => Term::number(constant(0, scalar)),
        }
    }

    pub fn query_key(&mut self, place: &Place, slot: &Expr, _: &Type) -> Term {
        let Type::Map(k, _, n) = place.ty.clone() else { return Term::number("0") };
        let p = self.w.prefix.clone();
        let text = self.place(place).text;
        let at = self.named(slot);
        let (c_type, zero) = (self.c_type(&k), self.zero(&k));
        let key = self.bind(&c_type, "key", &zero);
        self.code
            .line(format!("if ({at} < {n}u && {p}_has({text}.used, (uint32_t){at})) {{ {key} = {text}.key[{at}]; }}"));
        key
    }

    pub fn each(&mut self, walk: &Walk, bound: u32, body: &'a [Statement]) {
        let p = self.w.prefix.clone();
        let ty = walk.over.ty.clone();
        let found = self.place(&walk.over);
        let mut text = found.text.clone();
        if walk.drain || matches!(ty, Type::Bits(_)) {
            let c_type = self.c_type(&ty);
            text = self.bind(&c_type, "all", &text);
            if walk.drain {
                self.code.line(format!("memset(&{0}, 0, sizeof {0});", found.text));
            }
        }
        let count = self.fresh("count");
        let i = self.fresh("i");
        let (head, there, entry) = self.walk_head(walk, &ty, &text, &i);
        self.code.line(format!("uint32_t {count} = 0;"));
        self.code.open(head);
        if let Some(there) = there {
            self.code.line(format!("if (!({there})) {{ continue; }}"));
        }
        self.code.open(format!("if ({p}_UNLIKELY({count}++ == {bound}u)) {{"));
        self.code.line(format!("step->counters[{p}_BOUND]++;"));
        self.code.line("break;");
        self.code.close("}");
        if let Some(local) = walk.index {
            let scalar = self.scalar_of(&self.locals[local.index()].ty.clone());
            let value = self.narrowed(i.clone(), scalar);
            self.set_in_loop(local, &value);
        }
        if let (Some(local), Type::Map(..)) = (walk.key, &ty) {
            self.set_in_loop(local, &format!("{text}.key[{i}]"));
        }
        if let Some(local) = walk.value {
            let value = match &ty {
                Type::Bits(_) => {
                    let scalar = self.scalar_of(&self.locals[local.index()].ty.clone());
                    self.narrowed(i.clone(), scalar)
                }
                _ => entry,
            };
            self.set_in_loop(local, &value);
        }
        let drains = walk.drain && self.w.stack.has_message(&ty);
        if drains {
            self.take_from_copy(&ty, &text, &i);
            let clear = self.w.drop_of(&ty, self.layer, &text);
            self.draining.push(clear);
        }
        self.loop_body(body);
        self.code.close("}");
        if drains {
            let clear = self.draining.pop().unwrap_or_default();
            self.code.line(clear);
        }
        self.code.line(format!("(void){count};"));
    }

    /// An entry of a copy that is drained is the body's now.
    fn take_from_copy(&mut self, ty: &Type, text: &str, i: &str) {
        let p = self.w.prefix.clone();
        match ty {
            Type::Pool(..) | Type::Map(..) => self.code.line(format!("{p}_unmark({text}.used, (uint32_t){i});")),
            Type::Window(_, n, _) => {
                self.code.line(format!("{p}_unmark({text}.used, (uint32_t){i} & {}u);", window_slots(*n) - 1))
            }
            _ => {
                let (_, place) = self.w.entry(text, ty, i);
                self.code.line(format!("memset(&{place}, 0, sizeof {place});"));
            }
        }
    }

    /// The head of the loop, the condition under which an entry is there, and the entry.
    fn walk_head(&mut self, walk: &Walk, ty: &Type, text: &str, i: &str) -> (String, Option<String>, String) {
        let p = self.w.prefix.clone();
        let up_to = |n: &str| format!("for (uint32_t {i} = 0; {i} < {n}; {i}++) {{");
        match ty {
            Type::Window(_, n, bits) => {
                let number = self.c_type(&Type::Seq(*bits));
                let span = distance(&format!("{text}.high"), &format!("{text}.low"), *bits);
                let clamp = |body: &mut Self, e: &Expr| {
                    let value = body.wide(e);
                    let at = body.bind("const int64_t", "offset", &format!("{p}_sign({value} - {text}.low, {bits}u)"));
                    format!("({at} < 0 ? 0 : (uint64_t){at} > {span} ? {span} : (uint64_t){at})")
                };
                let from = match &walk.from {
                    Some(e) => clamp(self, e),
                    None => "0".into(),
                };
                let to = match &walk.to {
                    Some(e) => clamp(self, e),
                    None => span.clone(),
                };
                let low = self.bind(&format!("const {number}"), "low", &format!("{text}.low"));
                let from = self.bind("uint64_t", "from", &from);
                let to = self.bind("const uint64_t", "to", &to);
                let scalar = self.scalar_of(&Type::Seq(*bits));
                let of = self.narrowed(format!("({low} + {from})"), scalar);
                self.code.line(format!("{number} {i} = {of};"));
                let head = format!("for (; {from} < {to}; {from}++, {i} = {of}) {{");
                let slot = format!("((uint32_t){i} & {}u)", window_slots(*n) - 1);
                (head, Some(format!("{p}_has({text}.used, {slot})")), format!("{text}.at[{slot}]"))
            }
            Type::Pool(_, n) | Type::Map(_, _, n) => {
                (up_to(&format!("{n}u")), Some(format!("{p}_has({text}.used, {i})")), format!("{text}.at[{i}]"))
            }
            Type::Bits(n) => {
                let there = match set_words(ty) {
                    Some(_) => format!("{p}_has({text}.word, {i})"),
                    None => format!("(uint64_t){text} >> {i} & 1u"),
                };
                (up_to(&format!("{n}u")), Some(there), String::new())
            }
            Type::Array(_, n) | Type::Bytes(n) => (up_to(&format!("{n}u")), None, format!("{text}.at[{i}]")),
            Type::Ring(_, n) => (up_to(&format!("{text}.len")), None, format!("{text}.at[({text}.head + {i}) % {n}u]")),
            _ => (up_to(&format!("{text}.len")), None, format!("{text}.at[{i}]")),
        }
    }
}
