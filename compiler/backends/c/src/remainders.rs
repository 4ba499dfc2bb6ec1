//! Filters that calculate a remainder (`nacre_analysis::remainders`): by tables, or by an instruction.

use nacre_analysis::remainders;
use nacre_stack::*;

use crate::body::Body;
use crate::code::Code;
use crate::globals::Global;
use crate::writer::Writer;

const REMAINDER: &str = include_str!("support/remainder.c");
/// The polynomial of the instruction `crc32` of x86-64, lowest bit first.
const OF_INSTRUCTION: u32 = 0x82f6_3b78;

impl Writer<'_> {
    /// The C function that takes bytes into a remainder; none: the filter calculates no such thing.
    pub fn remainder_function(&mut self, id: FilterId) -> Option<String> {
        let table = remainders::table(&self.stack.filters[id.index()])?;
        let wanted = format!("remainder_{}", id.0);
        let name = self.global(Global::Remainder(id), &wanted);
        let tables = self.globals.name(Global::Remainders(id), &format!("remainders_{}", id.0));
        let words = [("name", name.clone()), ("tables", tables), ("rows", rows(&table))];
        let of_table = self.of_texts(REMAINDER, "table", &words);
        let text = match *table == of_polynomial(OF_INSTRUCTION) {
            true => self.of_texts(REMAINDER, "instruction", &[("name", name.clone()), ("table", of_table)]),
            false => of_table,
        };
        Some(self.helper(name, |_, _| Code::verbatim(&(text + "\n"))))
    }
}

impl Body<'_, '_> {
    /// Writes the loop that takes the bytes of a string into a remainder, by a function.
    pub fn remainder(&mut self, function: &str, row: &[String; 2]) {
        let (bytes, run, next) = self.reading(row);
        let state = self.local(LocalId(0));
        self.code.line(format!("uint32_t {run} = 0;"));
        self.code.line(format!("while ({next}) {{ {state} = {function}({state}, {bytes}, {run}); }}"));
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
