//! Aligns columns: types of fields, arms, braces of one-line handlers, trailing comments.

use super::lines::{Column, Line, INDENT, WIDTH};

/// The lines as text, with runs of similar lines aligned.
pub(super) fn align(mut lines: Vec<Line>) -> String {
    for_runs(&mut lines, |line| line.column.map(|(column, _)| (column, line.indent)), align_columns);
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        let run = commented(&lines[at..]);
        write(&lines[at..at + run], &mut text);
        at += run;
    }
    text
}

/// The number of lines whose comments share a column: those with comments, and fields without one between them.
fn commented(lines: &[Line]) -> usize {
    let mut run = 0;
    for (at, line) in lines.iter().enumerate() {
        if line.comment.is_some() {
            run = at + 1;
        } else if !line.column.is_some_and(|(column, _)| column == Column::Type) {
            break;
        }
    }
    run.max(1)
}

/// Calls `change` with each maximal run of lines that have the same key.
fn for_runs<K: PartialEq>(lines: &mut [Line], key: impl Fn(&Line) -> Option<K>, change: impl Fn(&mut [Line])) {
    let mut at = 0;
    while at < lines.len() {
        let first = key(&lines[at]);
        let length = if first.is_none() { 1 } else { lines[at..].iter().take_while(|line| key(line) == first).count() };
        if length > 1 {
            change(&mut lines[at..at + length]);
        }
        at += length;
    }
}

/// Pads before the aligned part, unless a line would become too long.
fn align_columns(run: &mut [Line]) {
    let place = |line: &Line| line.column.map_or(0, |(_, at)| line.text[..at].chars().count());
    let target = run.iter().map(place).max().unwrap_or(0);
    if run.iter().any(|line| line.width() + target - place(line) > WIDTH) {
        return;
    }
    for line in run {
        if let Some((_, at)) = line.column {
            let padding = " ".repeat(target - place(line));
            line.text.insert_str(at, &padding);
        }
    }
}

/// Writes lines with their comments in one column.
fn write(run: &[Line], text: &mut String) {
    let widest = run.iter().filter(|line| line.comment.is_some()).map(Line::width).max().unwrap_or(0);
    let column = (widest + 2).next_multiple_of(INDENT);
    let length = |line: &Line| line.comment.as_ref().map_or(0, |comment| comment.chars().count());
    let fits = run.iter().all(|line| column + length(line) <= WIDTH);
    for line in run {
        if !line.text.is_empty() {
            text.extend(std::iter::repeat_n(' ', line.indent));
            text.push_str(&line.text);
        }
        if let Some(comment) = &line.comment {
            let gap = if fits { column - line.width() } else { 2 };
            text.extend(std::iter::repeat_n(' ', gap));
            text.push_str(comment);
        }
        text.push('\n');
    }
}

/// The columns at which a line of this kind may be aligned, by the first words of a member.
pub(super) fn column_of(first: &str) -> Option<Column> {
    Some(match first {
        "header" => Column::Header,
        "up" | "down" => Column::Handler,
        "input" | "output" | "internal" | "fault" => Column::Action,
        "fn" | "on" => Column::Function,
        _ => return None,
    })
}
