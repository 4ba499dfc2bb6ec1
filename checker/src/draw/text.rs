//! A chart as text: `a` on the left, `b` on the right, time downwards. Frames on their way are lanes between the two.

use super::chart::Chart;
use super::flights::Flight;
use super::rows::{shortened, Row, Words};
use crate::run::Run;

/// The limits of the columns of a side; it has as many as its longest line.
const SIDE: std::ops::RangeInclusive<usize> = 46..=76;

/// The chart as lines of text.
pub fn text(run: &Run, words: &Words) -> String {
    let chart = Chart::of(run, words);
    let longest = chart.rows.iter().filter_map(|row| said(row, words)).map(|text| text.chars().count()).max();
    let side = longest.unwrap_or(0).clamp(*SIDE.start(), *SIDE.end());
    let lanes = lanes(&chart);
    let page =
        Page { chart: &chart, words, side, middle: 2 * lanes.iter().flatten().max().map_or(1, |n| n + 1) + 1, lanes };
    let mut text = format!("{:>4}  {:<width$}b\n", "", "a", width = 2 * side + page.middle - 1);
    for row in 0..chart.rows.len() {
        let label = chart.begun(row).map_or(String::new(), |step| step.to_string());
        text += format!("{label:>4}  {}", page.row(row)).trim_end();
        text.push('\n');
    }
    text.push('\n');
    for line in chart.legend().into_iter().chain([run.why.as_str()]) {
        text += &format!("{:>4}  {line}\n", "");
    }
    text
}

/// The lane of each frame that arrives: the first that is free from where it is sent to its last arrival.
fn lanes(chart: &Chart) -> Vec<Option<usize>> {
    let mut free_from: Vec<usize> = vec![];
    let lane = |flight: &Flight| {
        let last = *flight.arrivals.last()?;
        let lane = free_from.iter().position(|row| *row < flight.sent).unwrap_or(free_from.len());
        match free_from.get_mut(lane) {
            Some(row) => *row = last,
            None => free_from.push(last),
        }
        Some(lane)
    };
    chart.flights.all.iter().map(lane).collect()
}

/// The words of a row at an endpoint, without what is between the endpoints.
fn said(row: &Row, words: &Words) -> Option<String> {
    Some(match row {
        Row::At(_, t) => t.clone(),
        Row::Detail(0, t) => format!("   {t}"),
        Row::Detail(_, t) => format!("{t}   "),
        Row::Sends(0, bytes) => format!("├─ {} ", (words.frame)(&bytes.0)),
        Row::Sends(_, bytes) => format!(" {} ─┤", (words.frame)(&bytes.0)),
        Row::Arrives(0, bytes) => format!("◀─ {} ", (words.frame)(&bytes.0)),
        Row::Arrives(_, bytes) => format!(" {} ─▶", (words.frame)(&bytes.0)),
        Row::Network(_) => return None,
    })
}

struct Page<'a> {
    chart: &'a Chart,
    words: &'a Words<'a>,
    /// The columns of each side, and those between.
    side: usize,
    middle: usize,
    /// Of each frame.
    lanes: Vec<Option<usize>>,
}

impl Page<'_> {
    fn row(&self, at: usize) -> String {
        let width = 2 * self.side + self.middle;
        let mut cells = vec![' '; width];
        for (flight, lane) in self.chart.flights.all.iter().zip(&self.lanes) {
            let (Some(lane), Some(last)) = (lane, flight.arrivals.last()) else { continue };
            if flight.sent < at && at < *last {
                cells[self.column(*lane)] = '│';
            }
        }
        let row = &self.chart.rows[at];
        if let Row::Network(text) = row {
            put(&mut cells, (width - text.chars().count().min(width)) / 2, &shortened(text, width));
        }
        let Some(text) = said(row, self.words) else { return cells.into_iter().collect() };
        let (left, text) = (self.is_left(row), shortened(&text, self.side));
        match row {
            Row::Sends(..) => self.sent(&mut cells, at, left, &text),
            Row::Arrives(..) => self.arrived(&mut cells, at, left, &text),
            _ => drop(self.beside(&mut cells, left, &text)),
        }
        cells.into_iter().collect()
    }

    fn is_left(&self, row: &Row) -> bool {
        let (Row::At(end, _) | Row::Detail(end, _) | Row::Sends(end, _) | Row::Arrives(end, _)) = row else {
            return false;
        };
        *end == 0
    }

    fn column(&self, lane: usize) -> usize {
        self.side + 2 * lane + 1
    }

    /// Text at an endpoint. Returns its columns.
    fn beside(&self, cells: &mut [char], left: bool, text: &str) -> std::ops::Range<usize> {
        let length = text.chars().count();
        let from = if left { 0 } else { cells.len() - length };
        put(cells, from, text);
        from..from + length
    }

    fn sent(&self, cells: &mut [char], at: usize, left: bool, text: &str) {
        let said = self.beside(cells, left, text);
        let lane = self.chart.flights.sent_in(at).and_then(|flight| self.lanes[flight]);
        let (to, mark) = match (lane, left) {
            (Some(lane), true) => (self.column(lane), '╮'),
            (Some(lane), false) => (self.column(lane), '╭'),
            (None, true) => (self.side, '×'),
            (None, false) => (self.side + self.middle - 1, '×'),
        };
        line(cells, if left { said.end..to } else { to + 1..said.start });
        cells[to] = mark;
    }

    fn arrived(&self, cells: &mut [char], at: usize, left: bool, text: &str) {
        let Some(flight) = self.chart.flights.arriving_in(at) else {
            let said = self.beside(cells, left, text);
            let from = if left { self.side } else { self.side + self.middle - 1 };
            line(cells, if left { said.end..from } else { from + 1..said.start });
            cells[from] = '◆';
            return;
        };
        let column = self.column(self.lanes[flight].unwrap_or_default());
        let last = self.chart.flights.all[flight].arrivals.last() == Some(&at);
        let end = cells.len() - 1;
        line(cells, if left { 1..column } else { column + 1..end });
        cells[column] = match (left, last) {
            (true, true) => '╯',
            (true, false) => '┤',
            (false, true) => '╰',
            (false, false) => '├',
        };
        cells[if left { 0 } else { end }] = if left { '◀' } else { '▶' };
    }
}

fn put(cells: &mut [char], from: usize, text: &str) {
    cells[from..].iter_mut().zip(text.chars()).for_each(|(cell, letter)| *cell = letter);
}

/// A horizontal line, which crosses the lanes.
fn line(cells: &mut [char], columns: std::ops::Range<usize>) {
    for cell in &mut cells[columns] {
        *cell = if *cell == '│' { '┼' } else { '─' };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Hex, Output, RunStep, What};

    /// A step in which frames may arrive and leave.
    fn step(end: usize, arrives: Option<u8>, sends: &[u8]) -> RunStep {
        let what = match arrives {
            Some(byte) => What::Frame { bytes: Hex(vec![byte]) },
            None => What::Later,
        };
        let frame = |byte: &u8| {
            let bytes = Some(Hex(vec![*byte]));
            Output { down: true, own: 0, event: "send".into(), arguments: vec![], bytes }
        };
        let left = sends.iter().map(frame).collect();
        RunStep {
            end: Some(end),
            what,
            network: None,
            choices: vec![],
            drawn: vec![],
            handled: vec![],
            left,
            changed: vec![],
        }
    }

    #[test]
    fn each_frame_is_a_line_from_its_sending_to_its_arrival() {
        let steps = vec![
            step(0, None, &[1, 2, 3]),
            step(1, Some(2), &[4]),
            step(1, Some(1), &[]),
            step(0, Some(4), &[]),
            step(1, Some(2), &[]),
            step(0, Some(9), &[]),
        ];
        let run = Run { steps, why: "why".into(), ..Run::default() };
        let said = text(&run, &Words { frame: &|bytes| format!("frame {}", bytes[0]), details: false });
        assert_eq!(said, include_str!("flights.expected"), "{said}");
    }

    #[test]
    fn equal_frames_arrive_in_order_and_the_last_that_were_sent() {
        let steps = [(0, None, &[7][..]), (0, None, &[7]), (0, None, &[7]), (1, Some(7), &[]), (1, Some(7), &[])];
        let steps = steps.map(|(end, arrives, sends)| step(end, arrives, sends)).into();
        let run = Run { steps, ..Run::default() };
        let chart = Chart::of(&run, &Words { frame: &|_| String::new(), details: false });
        let arrivals: Vec<&[usize]> = chart.flights.all.iter().map(|flight| &flight.arrivals[..]).collect();
        let empty: &[usize] = &[];
        assert_eq!(arrivals, [empty, &[6], &[7]]);
    }
}
