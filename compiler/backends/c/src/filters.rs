//! Filters.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::functions::{Callee, Function, Parameter};
use crate::globals::Global;
use crate::term::Term;
use crate::writer::Writer;

impl Writer<'_> {
    /// The C function of a filter: over a string of bytes. Those without a result give the bytes that they yielded.
    fn filter_function(&mut self, id: FilterId, layer: usize) -> Callee {
        let p = self.prefix.clone();
        let stack = self.stack;
        let filter = &stack.filters[id.index()];
        let wanted = format!("filter_{}_{}", id.0, crate::names::plain(&filter.name));
        let name = self.global(Global::Filter(id), wanted);
        let result = match &filter.result {
            Some(e) => self.c_type(&e.ty, layer),
            None => format!("struct {p}_bytes"),
        };
        let blocks = [filter.body.as_slice(), filter.end.as_slice()];
        let mut names = Body::new(self, layer, Kind::Filter, &filter.locals, &blocks);
        let rows: Vec<[String; 2]> =
            filter.inputs.iter().map(|_| ["pieces", "count"].map(|n| names.fresh(n))).collect();
        let accepted = names.fresh("accepted");
        let pieces = format!("const struct {p}_bytes");
        let mut parameters: Vec<Parameter> = rows
            .iter()
            .flat_map(|[row, count]| [Parameter::pointer(&pieces, row), Parameter::new("uint32_t", count)])
            .collect();
        parameters.push(Parameter::pointer("bool", &accepted));
        let comment = Some(format!("filter {}", filter.name));
        let function = Function { comment, result: Some(result.into()), ..Function::plain(name, parameters) };
        self.step_helper(function, |w, code| {
            let mut body = Body::new(w, layer, Kind::Filter, &filter.locals, &blocks);
            // The parameters have taken their names.
            rows.iter().flatten().chain([&accepted]).for_each(|name| drop(body.fresh(name)));
            body.write_filter(id, &rows, &accepted);
            code.add(&body.code);
        })
    }
}

impl<'a> Body<'_, 'a> {
    fn write_filter(&mut self, id: FilterId, rows: &[[String; 2]], accepted: &str) {
        let p = self.w.prefix.clone();
        let filter = &self.w.stack.filters[id.index()];
        for (i, state) in filter.state.iter().enumerate() {
            let id = LocalId(i as u32);
            self.mark_declared(id);
            self.declared_at.insert(i, true);
            let value = match filter.initial.get(i).and_then(|e| e.as_ref()) {
                Some(e) => {
                    self.line_of(e.span);
                    self.value(e)
                }
                None => {
                    self.line_of(filter.span);
                    self.zero(&state.ty.clone()).into()
                }
            };
            self.set(id, &value);
            let name = self.local(id);
            self.code.line(format!("(void){name};"));
        }
        self.line_of(filter.span);
        let made_from = self.fresh("made_from");
        self.code.line(format!("const uint32_t {made_from} = step->bytes;"));
        self.code.line(format!("*{accepted} = true;"));
        if filter.result.is_none() && filter.may_exceed() {
            self.limit_yields(filter, rows, &made_from);
        }
        match self.w.remainder_function(id) {
            Some(function) => self.remainder(&function, &rows[0]),
            None => self.all_units(filter, rows),
        }
        self.line_of(filter.span);
        if !filter.end.is_empty() {
            self.exit = "ended";
            self.code.open("{");
            self.block_again(filter);
            self.code.close("}");
            if std::mem::take(&mut self.leaves) {
                self.code.line("ended:;");
            }
            self.line_of(filter.span);
        }
        match &filter.result {
            None => {
                if let Some((_, beyond)) = self.yield_limit.take() {
                    self.code.line(format!("if ({beyond}) {{ step->counters[{p}_BOUND]++; }}"));
                }
                let made = self.w.call_support("made", &[&made_from]);
                self.code.line(format!("return {made};"));
            }
            Some(result) => {
                self.code.line(format!("(void){made_from};"));
                self.line_of(result.span);
                let value = self.value(result);
                self.code.line(format!("return {value};"));
                self.line_of(filter.span);
            }
        }
        self.rejected(filter, accepted);
    }

    /// Runs the code of a filter for each unit.
    fn all_units(&mut self, filter: &'a Filter, rows: &[[String; 2]]) {
        match rows {
            [row] => self.each_unit(filter, row),
            _ => self.units_side_by_side(filter, rows),
        }
        self.block(&filter.body);
        if std::mem::take(&mut self.leaves) {
            self.code.line("next:;");
        }
        self.code.close("}");
    }

    /// The exit of a filter that rejects its input.
    fn rejected(&mut self, filter: &Filter, accepted: &str) {
        if !self.rejects {
            return;
        }
        let p = self.w.prefix.clone();
        let zero = match &filter.result {
            Some(e) => {
                let ty = e.ty.clone();
                let (c_type, zero) = (self.c_type(&ty), self.zero(&ty));
                if self.w.scalar(&ty).is_some() {
                    zero
                } else {
                    format!("({c_type}){zero}")
                }
            }
            None => format!("(struct {p}_bytes){{.block = 0}}"),
        };
        self.code.line("rejected:");
        self.code.line(format!("*{accepted} = false;"));
        self.code.line(format!("return {zero};"));
    }

    /// Declares the limit of the yielded bytes, if the filter may yield more than it declares: the excess is dropped.
    fn limit_yields(&mut self, filter: &Filter, rows: &[[String; 2]], made_from: &str) {
        let [read, limit, beyond, row, i] = ["read", "limit", "beyond", "row", "i"].map(|n| self.fresh(n));
        self.code.line(format!("uint64_t {read} = 0;"));
        for [pieces, count] in rows {
            self.code.open("{");
            self.code.line(format!("uint64_t {row} = 0;"));
            self.code.line(format!("for (uint32_t {i} = 0; {i} < {count}; {i}++) {{ {row} += {pieces}[{i}].len; }}"));
            self.code.line(format!("if ({row} > {read}) {{ {read} = {row}; }}"));
            self.code.close("}");
        }
        let (num, den, add) = filter.grows;
        let longest = format!("{read} + {read} * {num}u / {}u + {add}u", den.max(1));
        self.code.line(format!("const uint64_t {limit} = {made_from} + {longest};"));
        self.code.line(format!("bool {beyond} = false;"));
        self.yield_limit = Some((limit, beyond));
    }

    /// The condition under which one more byte is yielded.
    fn can_yield(&mut self) -> String {
        let room = self.w.call_support("can_make", &["1u"]);
        match &self.yield_limit {
            None => room,
            Some((limit, beyond)) => format!("(step->bytes < {limit} || !({beyond} = true)) && {room}"),
        }
    }

    /// Where reading is in a row of pieces: declares it; gives the names of the bytes and their number, and the call
    /// for more.
    pub fn reading(&mut self, [pieces, count]: &[String; 2]) -> (String, String, String) {
        let p = self.w.prefix.clone();
        let [reader, bytes, run] = ["reader", "bytes", "run"].map(|n| self.fresh(n));
        self.code.line(format!("struct {p}_reader {reader} = {{{pieces}, {pieces} + {count}, 0}};"));
        self.code.line(format!("const uint8_t *{bytes} = NULL;"));
        let callee = self.w.reader();
        let call = self.w.call_step(&callee, &[format!("&{reader}"), format!("&{run}")]);
        let next = format!("({bytes} = {call}) != NULL");
        (bytes, run, next)
    }

    /// Opens the loop over one string.
    fn each_unit(&mut self, filter: &Filter, row: &[String; 2]) {
        let (bytes, run, next) = self.reading(row);
        let (unit, p) = (self.fresh("unit"), self.w.prefix.clone());
        self.code.open(format!("for (uint32_t {run} = 0; {run} > 0 || {next};) {{"));
        if filter.unit == FilterUnit::Byte {
            self.code.line(format!("uint64_t {unit} = *{bytes}++;"));
            self.code.line(format!("{run}--;"));
        } else {
            let i = self.fresh("i");
            self.code.line(format!("uint64_t {unit} = 0;"));
            self.code.open(format!("if ({run} >= 4u) {{"));
            self.code.line(format!("{unit} = {p}_get({bytes}, 4u);"));
            self.code.line(format!("{bytes} += 4;"));
            self.code.line(format!("{run} -= 4u;"));
            self.code.turn("} else {");
            self.code.open(format!("for (uint32_t {i} = 0; {i} < 4u && ({run} > 0 || {next}); {i}++) {{"));
            self.code.line(format!("{unit} |= (uint64_t)*{bytes}++ << (8u * {i});"));
            self.code.line(format!("{run}--;"));
            self.code.close("}");
            self.code.close("}");
        }
        self.take_unit(filter.inputs[0], unit);
    }

    /// Opens the loop over several strings, as far as the longest; behind the end of the others are zeros.
    fn units_side_by_side(&mut self, filter: &Filter, rows: &[[String; 2]]) {
        let size = if filter.unit == FilterUnit::Byte { 1 } else { 4 };
        let readings: Vec<_> = rows.iter().map(|row| self.reading(row)).collect();
        for (_, run, _) in &readings {
            self.code.line(format!("uint32_t {run} = 0;"));
        }
        let (more, i) = (self.fresh("more"), self.fresh("i"));
        self.code.open(format!("for (bool {more} = true;;) {{"));
        self.code.line(format!("{more} = false;"));
        let units: Vec<String> = rows.iter().map(|_| self.fresh("unit")).collect();
        for ((bytes, run, next), unit) in readings.iter().zip(&units) {
            self.code.line(format!("uint64_t {unit} = 0;"));
            self.code.open(format!("for (uint32_t {i} = 0; {i} < {size}u && ({run} > 0 || {next}); {i}++) {{"));
            self.code.line(format!("{unit} |= (uint64_t)*{bytes}++ << (8u * {i});"));
            self.code.line(format!("{run}--;"));
            self.code.line(format!("{more} = true;"));
            self.code.close("}");
        }
        self.code.line(format!("if (!{more}) {{ break; }}"));
        for (local, unit) in filter.inputs.iter().zip(units) {
            self.take_unit(*local, unit);
        }
    }

    /// Sets the local that takes a unit.
    fn take_unit(&mut self, local: LocalId, unit: String) {
        let scalar = self.scalar_of(&self.locals[local.index()].ty.clone());
        self.mark_declared(local);
        self.declared_at.insert(local.index(), true);
        let value = self.narrowed(unit, scalar);
        self.set(local, &value);
        let name = self.local(local);
        self.code.line(format!("(void){name};"));
    }

    /// The end of a filter: a separate block, in which temporaries are declared again.
    fn block_again(&mut self, filter: &'a Filter) {
        let state = filter.state.len();
        self.forget_declared(state);
        self.block(&filter.end);
    }

    /// The value of a filter with a result over a view.
    pub fn through(&mut self, id: FilterId, a: &Expr, ty: &Type) -> Term {
        if let Some(value) = self.remainder_through(id, a, ty) {
            return value;
        }
        let filter = self.w.filter_function(id, self.layer);
        let mut arguments = self.rows_of(a);
        let accepted = self.bind("bool", "accepted", "true");
        let c_type = self.c_type(ty);
        arguments.push(format!("&{accepted}"));
        let call = self.w.call_step(&filter, &arguments);
        match (&self.w.stack.filters[id.index()].result, ty) {
            (None, Type::Bytes(_) | Type::Text(_)) => {
                let view_type = self.c_type(&Type::View);
                let made = self.bind(&view_type, "made", &call);
                let zero = self.zero(ty);
                let name = self.bind(&c_type, "bytes", &zero);
                self.code.open(format!("for (uint32_t i = 0; i < {made}.len && i < sizeof {name}.at; i++) {{"));
                let byte = self.w.call_support("byte", &[&made, "i"]);
                self.code.line(format!("{name}.at[i] = {byte};"));
                self.code.close("}");
                if let Type::Text(_) = ty {
                    self.code.line(format!(
                        "{name}.len = {made}.len < sizeof {name}.at ? {made}.len : (uint32_t)sizeof {name}.at;"
                    ));
                }
                name
            }
            _ => self.bind(&c_type, "through", &call),
        }
    }

    /// The input of a filter, as arguments.
    fn rows_of(&mut self, operand: &Expr) -> Vec<String> {
        let mut rows = vec![];
        for part in Filter::operands(operand) {
            let pieces = self.pieces(part);
            let (row, count) = self.row_of(&pieces);
            rows.extend([row, format!("{count}u")]);
        }
        rows
    }

    /// A filter whose bytes become a message.
    pub fn filter(&mut self, into: LocalId, id: FilterId, input: &Expr) {
        let filter = self.w.filter_function(id, self.layer);
        let data = self.data_of(input);
        let mut arguments = self.rows_of(input);
        let accepted = self.bind("bool", "accepted", "true");
        arguments.push(format!("&{accepted}"));
        let call = self.w.call_step(&filter, &arguments);
        let level = match self.locals[into.index()].ty {
            Type::Msg => self.levels[into.index()],
            _ => self.layer + 1,
        };
        let ty = self.w.message_type(level);
        let made = self.bind(&ty, "filtered", &format!("{{.bytes = {call}, .data = {data}}}"));
        self.code.line(format!("if (!{accepted}) {{ {made} = ({ty}){{.data = false}}; }}"));
        match self.locals[into.index()].ty.clone() {
            Type::Msg => self.assign(into, &made),
            option => {
                let c_type = self.c_type(&option);
                let some = self.bind(&c_type, "maybe", &format!("{{.some = {accepted}, .value = {made}}}"));
                self.assign(into, &some);
            }
        }
    }

    /// Whether the result for an operand is data.
    pub fn data_of(&mut self, e: &Expr) -> String {
        match e.access() {
            Access::View(a) => self.data_of(a),
            _ if e.ty == Type::Msg => format!("{}.data", self.borrowed_message(e).0),
            _ => "false".into(),
        }
    }

    /// Writes the statements that append a value to the filter's output, up to its capacity.
    pub fn yield_bytes(&mut self, e: &Expr) {
        let room = self.can_yield();
        let put = |body: &mut Self, n: String, byte: String| {
            body.code.open(format!("for (uint32_t i = 0; i < {n} && {room}; i++) {{"));
            body.code.line(format!("step->out->bytes[step->bytes++] = {byte};"));
            body.code.close("}");
        };
        match &e.ty {
            Type::Bytes(n) => {
                let text = self.borrowed(e);
                put(self, format!("{n}u"), format!("{text}.at[i]"));
            }
            Type::Text(_) => {
                let text = self.borrowed(e);
                put(self, format!("{text}.len"), format!("{text}.at[i]"));
            }
            Type::View => {
                let text = self.value(e);
                let byte = self.w.call_support("byte", &[&text, "i"]);
                put(self, format!("{text}.len"), byte);
            }
            ty => {
                let bytes = crate::strings::bytes_of_number(ty);
                let value = self.wide(e);
                if bytes == 1 {
                    self.code.line(format!("if ({room}) {{ step->out->bytes[step->bytes++] = (uint8_t)({value}); }}"));
                } else {
                    let number = self.bind("const uint64_t", "number", &value);
                    put(self, format!("{bytes}u"), format!("(uint8_t)({number} >> (8u * i))"));
                }
            }
        }
    }
}
