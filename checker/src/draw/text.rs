//! A chart as text: `a` on the left, the last endpoint on the right, time downwards. Frames on their way are lanes
//! between two neighbours.

use super::chart::Chart;
use super::flights::Flight;
use super::rows::{shortened, Row, Words};
use crate::run::Run;

/// The limits of the columns of an endpoint; it has as many as its longest line.
const SIDE: std::ops::RangeInclusive<usize> = 46..=76;
/// The same if there are more than two.
const NARROW: std::ops::RangeInclusive<usize> = 30..=56;

/// The chart as lines of text.
pub fn text(run: &Run, words: &Words) -> String {
    let chart = Chart::of(run, words);
    let longest = chart.rows.iter().filter_map(|row| said(&chart, row, words)).map(|text| text.chars().count()).max();
    let limits = if chart.members.is_pair() { SIDE } else { NARROW };
    let side = longest.unwrap_or(0).clamp(*limits.start(), *limits.end());
    let page = Page::of(&chart, words, side);
    let mut text = format!("{:>4}  {}\n", "", page.names());
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

/// The lane of each frame that arrives, in its gap: the first that is free from where it is sent to its last arrival.
fn lanes(chart: &Chart) -> Vec<Option<usize>> {
    let mut gaps: Vec<Vec<usize>> = vec![vec![]; chart.members.count() - 1];
    let lane = |flight: &Flight| {
        let last = *flight.arrivals.last()?;
        let free_from = &mut gaps[chart.gap_of(flight.from)];
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
fn said(chart: &Chart, row: &Row, words: &Words) -> Option<String> {
    let last = chart.is_last(end_of(row)?);
    Some(match row {
        Row::At(_, t) => t.clone(),
        Row::Detail(_, t) if last => format!("{t}   "),
        Row::Detail(_, t) => format!("   {t}"),
        Row::Sends(_, bytes) if last => format!(" {} ─┤", (words.frame)(&bytes.0)),
        Row::Sends(_, bytes) => format!("├─ {} ", (words.frame)(&bytes.0)),
        Row::Arrives { bytes, .. } if last => format!(" {} ─▶", (words.frame)(&bytes.0)),
        Row::Arrives { bytes, .. } => format!("◀─ {} ", (words.frame)(&bytes.0)),
        Row::Network(_) => return None,
    })
}

/// The endpoint of a row.
fn end_of(row: &Row) -> Option<usize> {
    match row {
        Row::At(end, _) | Row::Detail(end, _) | Row::Sends(end, _) | Row::Arrives { end, .. } => Some(*end),
        Row::Network(_) => None,
    }
}

struct Page<'a> {
    chart: &'a Chart,
    words: &'a Words<'a>,
    /// The number of columns of each endpoint.
    side: usize,
    /// The first column of the gap after each endpoint but the last.
    gaps: Vec<usize>,
    width: usize,
    /// Of each frame.
    lanes: Vec<Option<usize>>,
}

impl<'a> Page<'a> {
    fn of(chart: &'a Chart, words: &'a Words<'a>, side: usize) -> Page<'a> {
        let lanes = lanes(chart);
        let mut page = Page { chart, words, side, gaps: vec![], width: side, lanes };
        for gap in 0..chart.members.count() - 1 {
            let here = chart.flights.all.iter().zip(&page.lanes).filter(|(f, _)| chart.gap_of(f.from) == gap);
            let middle = 2 * here.filter_map(|(_, lane)| *lane).max().map_or(1, |n| n + 1) + 1;
            page.gaps.push(page.width);
            page.width += middle + side;
        }
        page
    }

    /// The column of an endpoint: of the last, the last one.
    fn column_of(&self, end: usize) -> usize {
        match end.checked_sub(1) {
            _ if self.chart.is_last(end) => self.width - 1,
            None => 0,
            Some(before) => self.gaps[before + 1] - self.side,
        }
    }

    /// A line with nothing but the lives of the endpoints between the outer ones.
    fn empty(&self) -> Vec<char> {
        let mut cells = vec![' '; self.width];
        (1..self.chart.members.count() - 1).for_each(|end| cells[self.column_of(end)] = '┊');
        cells
    }

    fn names(&self) -> String {
        let mut cells = vec![' '; self.width];
        for (end, name) in self.chart.members.names().iter().enumerate() {
            put(&mut cells, self.column_of(end), name);
        }
        cells.into_iter().collect()
    }

    fn row(&self, at: usize) -> String {
        let width = self.width;
        let mut cells = self.empty();
        for (flight, lane) in self.chart.flights.all.iter().zip(&self.lanes) {
            let (Some(lane), Some(last)) = (lane, flight.arrivals.last()) else { continue };
            if flight.sent < at && at < *last {
                cells[self.column(flight.from, *lane)] = '│';
            }
        }
        let row = &self.chart.rows[at];
        if let Row::Network(text) = row {
            put(&mut cells, (width - text.chars().count().min(width)) / 2, &shortened(text, width));
        }
        let (Some(end), Some(text)) = (end_of(row), said(self.chart, row, self.words)) else {
            return cells.into_iter().collect();
        };
        let text = shortened(&text, self.side);
        match row {
            Row::Sends(..) => self.sent(&mut cells, at, end, &text),
            Row::Arrives { .. } => self.arrived(&mut cells, at, end, &text),
            _ => drop(self.beside(&mut cells, end, &text)),
        }
        cells.into_iter().collect()
    }

    /// The column of a lane of the frames that an endpoint sends.
    fn column(&self, from: usize, lane: usize) -> usize {
        self.gaps[self.chart.gap_of(from)] + 2 * lane + 1
    }

    /// The column next to the text of an endpoint.
    fn edge(&self, end: usize) -> usize {
        match self.chart.is_last(end) {
            true => self.width - self.side - 1,
            false => self.gaps[end],
        }
    }

    /// Text at an endpoint. Returns its columns.
    fn beside(&self, cells: &mut [char], end: usize, text: &str) -> std::ops::Range<usize> {
        let length = text.chars().count();
        let from = if self.chart.is_last(end) { cells.len() - length } else { self.column_of(end) };
        put(cells, from, text);
        from..from + length
    }

    fn sent(&self, cells: &mut [char], at: usize, end: usize, text: &str) {
        let (said, left) = (self.beside(cells, end, text), !self.chart.is_last(end));
        let lane = self.chart.flights.sent_in(at).and_then(|flight| self.lanes[flight]);
        let (to, mark) = match (lane, left) {
            (Some(lane), true) => (self.column(end, lane), '╮'),
            (Some(lane), false) => (self.column(end, lane), '╭'),
            (None, _) => (self.edge(end), '×'),
        };
        line(cells, if left { said.end..to } else { to + 1..said.start });
        cells[to] = mark;
    }

    fn arrived(&self, cells: &mut [char], at: usize, end: usize, text: &str) {
        let Some(number) = self.chart.flights.arriving_in(at) else {
            let said = self.beside(cells, end, text);
            let from = self.edge(end);
            line(cells, if self.chart.is_last(end) { from + 1..said.start } else { said.end..from });
            cells[from] = '◆';
            return;
        };
        let flight = &self.chart.flights.all[number];
        let (column, to) = (self.column(flight.from, self.lanes[number].unwrap_or_default()), self.column_of(end));
        let last = flight.arrivals.last() == Some(&at);
        // The frame comes from the right of an endpoint on the left.
        let left = to < column;
        line(cells, if left { to + 1..column } else { column + 1..to });
        cells[column] = match (left, last) {
            (true, true) => '╯',
            (true, false) => '┤',
            (false, true) => '╰',
            (false, false) => '├',
        };
        cells[to] = if left { '◀' } else { '▶' };
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
    use crate::draw::rows::plain;
    use crate::run::{Hex, Output, RunStep, What};

    /// A step in which frames may arrive and leave.
    fn step(end: usize, arrives: Option<u8>, sends: &[u8]) -> RunStep {
        let what = match arrives {
            Some(byte) => What::Frame { from: None, bytes: Hex(vec![byte]) },
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
        let said =
            text(&run, &Words { frame: &|bytes| format!("frame {}", bytes[0]), arguments: &plain, details: false });
        assert_eq!(said, include_str!("flights.expected"), "{said}");
    }

    #[test]
    fn equal_frames_arrive_in_order_and_the_last_that_were_sent() {
        let steps = [(0, None, &[7][..]), (0, None, &[7]), (0, None, &[7]), (1, Some(7), &[]), (1, Some(7), &[])];
        let steps = steps.map(|(end, arrives, sends)| step(end, arrives, sends)).into();
        let run = Run { steps, ..Run::default() };
        let chart = Chart::of(&run, &Words { frame: &|_| String::new(), arguments: &plain, details: false });
        let arrivals: Vec<&[usize]> = chart.flights.all.iter().map(|flight| &flight.arrivals[..]).collect();
        let empty: &[usize] = &[];
        assert_eq!(arrivals, [empty, &[6], &[7]]);
    }
}
