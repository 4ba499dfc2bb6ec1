//! Filters that calculate a remainder (`nacre_analysis::remainders`): by tables, or by an instruction.

use nacre_analysis::remainders;
use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::code::Code;
use crate::functions::{CType, Callee, Function, Linkage, Parameter};
use crate::globals::Global;
use crate::template;
use crate::term::Term;
use crate::writer::Writer;

const REMAINDER: &str = include_str!("support/remainder.c");
/// The polynomial of the instruction `crc32` of x86-64, lowest bit first.
const OF_INSTRUCTION: u32 = 0x82f6_3b78;

impl Writer<'_> {
    /// The C function that takes bytes into a remainder; none: the filter calculates no such thing.
    pub fn remainder_function(&mut self, id: FilterId) -> Option<String> {
        if let Some(function) = self.known.remainders.get(&id) {
            return function.clone();
        }
        let function = self.write_remainder_function(id);
        self.known.remainders.insert(id, function.clone());
        function
    }

    fn write_remainder_function(&mut self, id: FilterId) -> Option<String> {
        let table = remainders::table(&self.stack.filters[id.index()])?;
        let called = self.global(Global::Remainder(id), format!("remainder_{}", id.0));
        let in_place = self.remainder_in_place(id);
        let words = [
            ("tables", self.globals.name(Global::Remainders(id), &format!("remainders_{}", id.0))),
            ("rows", rows(&table)),
            ("in_place", in_place.clone()),
            ("called", called.clone()),
        ];
        let parts = ["tables", "by_tables"].map(|part| self.of_texts(REMAINDER, part, &words));
        let [of_bytes, by_tables] = parts;
        let words = [words.as_slice(), &[("of_bytes", of_bytes), ("by_tables", by_tables)]].concat();
        let by_instruction = *table == of_polynomial(OF_INSTRUCTION);
        self.known.asks_processor |= by_instruction;
        let (form, function) = if by_instruction { ("instruction", in_place) } else { ("table", called) };
        let text = self.of_texts(REMAINDER, form, &words);
        Some(self.helper(function, |_, _| Code::verbatim(&(text + "\n"))))
    }

    /// The name of the function that takes bytes into a remainder, inlined.
    fn remainder_in_place(&self, id: FilterId) -> String {
        self.global(Global::RemainderInPlace(id), format!("remainder_in_place_{}", id.0))
    }

    /// The inlined function that takes a string of bytes into a remainder. `function`: that for a run of bytes.
    fn remainder_of(&mut self, id: FilterId, function: &str) -> Callee {
        let parameters =
            vec![Parameter::new("uint32_t", "r"), Parameter::new(format!("struct {}_bytes", self.prefix), "b")];
        let of = |linkage, name: &str| {
            let (result, name) = (Some("uint32_t".into()), name.to_string());
            Function { linkage, result, reads_only: true, ..Function::plain(name, parameters.clone()) }
        };
        let named = |w: &mut Self, of, name: &str| w.global(of, format!("{name}_{}", id.0));
        let runs = named(self, Global::RemainderOfRuns(id), "remainder_of_runs");
        let words = [("function", function.to_string())];
        let text = template::function(REMAINDER, "of_runs");
        let runs = self.step_instance(of(Linkage::Plain, &runs), &text, &words);
        let name = named(self, Global::RemainderOf(id), "remainder_of");
        // Packed heads lie there.
        self.temporary = self.temporary.max(1);
        let caller = std::mem::replace(&mut self.calls.in_place, true);
        let call = self.call_step(&runs, &["r", "b"]);
        self.calls.in_place = caller;
        let words = [("function", function.to_string()), ("in_place", self.remainder_in_place(id)), ("call", call)];
        self.step_instance(of(Linkage::InPlace, &name), &template::function(REMAINDER, "of"), &words)
    }

    /// The inlined functions of the remainder before any bytes, and of the result for a remainder.
    fn remainder_ends(&mut self, id: FilterId, layer: usize, result: &Expr) -> [Callee; 2] {
        let stack = self.stack;
        let filter = &stack.filters[id.index()];
        let begin = self.global(Global::RemainderBegin(id), format!("remainder_begin_{}", id.0));
        let end = self.global(Global::RemainderEnd(id), format!("remainder_end_{}", id.0));
        let in_place = |name, result: CType, parameters| {
            let (linkage, result) = (Linkage::InPlace, Some(result));
            Function { linkage, result, ..Function::plain(name, parameters) }
        };
        let blocks = [filter.body.as_slice()];
        let begin = self.step_helper(in_place(begin, "uint32_t".into(), vec![]), |w, code| {
            let mut body = Body::new(w, layer, Kind::Filter, &filter.locals, &blocks);
            let value = filter.initial.first().and_then(Option::as_ref).map(|value| body.value(value));
            code.add(&body.code);
            code.line("(void)step;");
            code.line(format!("return {};", value.as_deref().unwrap_or("0")));
        });
        let own = LocalId(0);
        let name = Body::new(self, layer, Kind::Filter, &filter.locals, &blocks).local(own).to_string();
        let result_type = self.c_type(&result.ty, layer);
        let parameters = vec![Parameter::new("uint32_t", name)];
        let end = self.step_helper(in_place(end, result_type.into(), parameters), |w, code| {
            let mut body = Body::new(w, layer, Kind::Filter, &filter.locals, &blocks);
            body.mark_declared(own);
            let value = body.value(result);
            code.add(&body.code);
            code.line("(void)step;");
            code.line(format!("return {value};"));
        });
        [begin, end]
    }
}

impl Body<'_, '_> {
    /// The value of a filter that calculates a remainder, on a bypass: its pieces one after the other, each by a call
    /// of the function for a run of bytes. None: it is not such a filter, or elsewhere.
    pub fn remainder_through(&mut self, id: FilterId, operand: &Expr, ty: &Type) -> Option<Term> {
        let stack = self.w.stack;
        let filter = &stack.filters[id.index()];
        let result = filter.result.as_ref().filter(|_| self.bypass.is_some() && filter.end.is_empty())?;
        let function = self.w.remainder_function(id)?;
        let of = self.w.remainder_of(id, &function);
        let [begin, end] = self.w.remainder_ends(id, self.layer, result);
        let pieces = self.pieces(operand);
        let nothing: [&str; 0] = [];
        let begin = self.w.call_step(&begin, &nothing);
        let remainder = self.bind("uint32_t", "remainder", &begin);
        for piece in pieces {
            let call = self.w.call_step(&of, &[&remainder, &piece]);
            self.code.line(format!("{remainder} = {call};"));
        }
        let end = self.w.call_step(&end, &[&remainder]);
        let c_type = self.c_type(ty);
        Some(self.bind(&c_type, "through", &end))
    }

    /// Writes the loop that takes the bytes of a string into a remainder, by a function.
    pub fn remainder(&mut self, function: &str, row: &[String; 2]) {
        let (bytes, run, next) = self.reading(row);
        let state = self.local(LocalId(0));
        self.code.line(format!("uint32_t {run} = 0;"));
        self.code.line(format!("while ({next}) {{ {state} = {function}(step->pool, {state}, {bytes}, {run}); }}"));
    }
}

/// The table of a polynomial, lowest bit first.
fn of_polynomial(polynomial: u32) -> [u32; 256] {
    let step = |r: u32| r >> 1 ^ if r & 1 == 1 { polynomial } else { 0 };
    std::array::from_fn(|index| (0..8).fold(index as u32, |r, _| step(r)))
}

/// The table, and those for a byte that 1, 2 and 3 others follow.
fn rows(table: &[u32; 256]) -> String {
    let mut tables = vec![*table];
    for at in 0..3 {
        let before: [u32; 256] = tables[at];
        tables.push(before.map(|r| table[(r & 255) as usize] ^ r >> 8));
    }
    let line = |part: &[u32]| part.iter().map(|r| format!("{r:#x}u")).collect::<Vec<_>>().join(", ");
    let row = |table: &[u32; 256]| {
        let lines: Vec<String> = table.chunks(8).map(line).collect();
        format!("{{\n    {}\n}},", lines.join(",\n    "))
    };
    tables.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "123456789" and the check values of catalogues of CRCs: of CRC-32C and CRC-32.
    #[test]
    fn tables_give_the_known_remainders() {
        for (polynomial, check) in [(OF_INSTRUCTION, 0xe306_9283_u32), (0xedb8_8320, 0xcbf4_3926)] {
            let table = of_polynomial(polynomial);
            let step = |r: u32, byte: &u8| table[((r ^ u32::from(*byte)) & 255) as usize] ^ r >> 8;
            assert_eq!(!b"123456789".iter().fold(!0, step), check);
        }
    }
}
