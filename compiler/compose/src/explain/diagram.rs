//! Frames as RFCs draw them: a ruler of 32 bits, fields by name, the least significant bit of the first byte on the
//! left.

/// A run of bits with a name.
pub(crate) struct Part {
    pub from: u32,
    pub bits: u32,
    /// Its possible names, the longest first; the mark is the last resort.
    pub names: Vec<String>,
    pub mark: String,
}

/// Bits of a row.
const ROW: u32 = 32;

/// The drawing, and the parts whose names did not fit, by their marks.
pub(crate) fn draw(parts: &[Part]) -> (String, Vec<usize>) {
    let end = parts.iter().map(|p| p.from + p.bits).max().unwrap_or(0);
    let rows = end.div_ceil(ROW);
    let mut text = ruler();
    let mut marked = vec![];
    for row in 0..rows {
        text += &border(parts, row.checked_sub(1), Some(row));
        text += &cells(parts, row, &mut marked);
    }
    text += &border(parts, rows.checked_sub(1), None);
    (text, marked)
}

fn ruler() -> String {
    let tens: String = (0..ROW).map(|i| if i % 10 == 0 { format!(" {}", i / 10) } else { "  ".into() }).collect();
    let ones: String = (0..ROW).map(|i| format!(" {}", i % 10)).collect();
    format!("    {}\n    {}\n", tens.trim_end(), ones)
}

/// The part at a bit.
fn at(parts: &[Part], bit: u32) -> Option<usize> {
    parts.iter().position(|p| p.from <= bit && bit < p.from + p.bits)
}

/// The line between two rows, open where a part continues.
fn border(parts: &[Part], above: Option<u32>, below: Option<u32>) -> String {
    let part = |row: Option<u32>, column: u32| row.and_then(|r| at(parts, r * ROW + column));
    let edge = |row: Option<u32>, column: u32| match column {
        0 => part(row, 0).is_some(),
        ROW => part(row, ROW - 1).is_some(),
        _ => part(row, column - 1) != part(row, column),
    };
    let line = |column: u32| part(above, column) != part(below, column);
    let mut text = String::from("    ");
    for column in 0..=ROW {
        let corner = edge(above, column) || edge(below, column);
        let beside = (column > 0 && line(column - 1)) || (column < ROW && line(column));
        let mark = match (corner, beside) {
            (true, true) => '+',
            (true, false) => '|',
            (false, true) => '-',
            (false, false) => ' ',
        };
        text.push(mark);
        if column < ROW {
            text.push(if line(column) { '-' } else { ' ' });
        }
    }
    text.trim_end().to_string() + "\n"
}

fn cells(parts: &[Part], row: u32, marked: &mut Vec<usize>) -> String {
    let mut text = String::from("    |");
    let mut bit = row * ROW;
    while bit < (row + 1) * ROW {
        let Some(index) = at(parts, bit) else { break };
        let part = &parts[index];
        let end = (part.from + part.bits).min((row + 1) * ROW);
        let width = ((end - bit) * 2 - 1) as usize;
        let label = if row == home(part) { label(part, width, index, marked) } else { String::new() };
        text += &centred(&label, width);
        text.push('|');
        bit = end;
    }
    text + "\n"
}

/// The row in which a part has the most room for its name.
fn home(part: &Part) -> u32 {
    let room = |row: u32| {
        let (from, to) = (part.from.max(row * ROW), (part.from + part.bits).min((row + 1) * ROW));
        to.saturating_sub(from)
    };
    let (first, last) = (part.from / ROW, (part.from + part.bits - 1) / ROW);
    let widest = (first..=last).map(room).max().unwrap_or(0);
    let fit: Vec<u32> = (first..=last).filter(|r| room(*r) == widest).collect();
    fit[(fit.len() - 1) / 2]
}

fn label(part: &Part, width: usize, index: usize, marked: &mut Vec<usize>) -> String {
    match part.names.iter().find(|n| n.chars().count() <= width) {
        Some(name) => name.clone(),
        None => {
            marked.push(index);
            part.mark.clone()
        }
    }
}

fn centred(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{}{text}{}", " ".repeat(missing / 2), " ".repeat(missing - missing / 2))
}
