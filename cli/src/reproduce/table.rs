//! A table: figures of a paper beside ours.

use serde_json::{json, Map, Value};

/// One figure or word.
#[derive(Clone, Debug)]
pub enum Cell {
    Word(String),
    /// A number, and how many decimals are shown.
    Number(f64, usize),
    /// The paper, or we, have none.
    None,
}

impl Cell {
    /// A number without decimals.
    pub fn whole(number: f64) -> Cell {
        Cell::Number(number, 0)
    }

    /// As it is printed.
    pub fn shown(&self) -> String {
        match self {
            Cell::Word(word) => word.clone(),
            Cell::Number(number, decimals) => format!("{number:.decimals$}"),
            Cell::None => "-".into(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Cell::Word(word) => json!(word),
            // As shown: more digits would claim more.
            Cell::Number(number, _) => json!(self.shown().parse().unwrap_or(*number)),
            Cell::None => Value::Null,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Number(number, _) => Some(*number),
            Cell::Word(_) | Cell::None => None,
        }
    }
}

/// Which columns are drawn.
#[derive(Clone, Copy, Debug)]
pub enum Plot {
    /// A bar for each row, as long as the number in this column.
    Bars(usize),
    /// A point for each row: from the first of these columns to the right, from the second upwards.
    Points(usize, usize),
}

/// A table with its conditions.
#[derive(Clone, Debug)]
pub struct Table {
    /// The argument of the command, with a letter if it makes several.
    pub name: &'static str,
    pub title: &'static str,
    /// Where the figures of the paper are, and how they were measured.
    pub theirs: &'static str,
    /// What ours are.
    pub ours: String,
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
    pub plot: Plot,
}

impl Table {
    /// For a terminal: the first column to the left, numbers to the right.
    pub fn text(&self) -> String {
        let head = self.columns.iter().map(|column| column.to_string()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect());
        let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = format!("{}: {}\n  theirs: {}\n  ours:   {}\n\n", self.name, self.title, self.theirs, self.ours);
        for line in lines {
            let cells = line.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            text += &format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        text
    }

    /// For programs: each row as an object.
    pub fn json(&self) -> Value {
        let row = |row: &Vec<Cell>| -> Map<String, Value> {
            self.columns.iter().zip(row).map(|(column, cell)| (column.to_string(), cell.value())).collect()
        };
        let rows: Vec<Value> = self.rows.iter().map(|cells| Value::Object(row(cells))).collect();
        json!({ "table": self.name, "title": self.title, "theirs": self.theirs, "ours": self.ours, "rows": rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json_are_those_that_are_shown() {
        for (number, decimals) in [(1328.5, 0), (1329.5, 0), (0.125, 2), (2.0 / 3.0, 3), (-1.5, 0)] {
            let cell = Cell::Number(number, decimals);
            assert_eq!(cell.value().as_f64(), cell.shown().parse().ok(), "{number}");
        }
    }

    fn table() -> Table {
        Table {
            name: "paper-1",
            title: "Costs",
            theirs: "a paper",
            ours: "here".into(),
            columns: vec!["what", "theirs, µs", "ours, ns"],
            rows: vec![
                vec![Cell::Word("small".into()), Cell::Number(1.25, 1), Cell::whole(100.4)],
                vec![Cell::Word("larger".into()), Cell::None, Cell::whole(7.0)],
            ],
            plot: Plot::Bars(2),
        }
    }

    #[test]
    fn columns_are_aligned() {
        let lines: Vec<String> = table().text().lines().skip(4).map(str::to_string).collect();
        assert_eq!(
            lines,
            ["  what    theirs, µs  ours, ns", "  small          1.2       100", "  larger           -         7"]
        );
    }

    #[test]
    fn rows_are_objects() {
        let rows = table().json()["rows"].clone();
        assert_eq!(rows[0], json!({ "what": "small", "theirs, µs": 1.2, "ours, ns": 100.0 }));
        assert_eq!(rows[1]["theirs, µs"], Value::Null);
    }
}
