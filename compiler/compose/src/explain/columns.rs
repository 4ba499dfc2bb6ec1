//! Text within a width: folded lines, padded cells, tables.

/// The width of a line, if it has spaces to break at.
pub const COLUMNS: usize = 100;

/// Breaks long lines at spaces and indents the continuation; no line ends with spaces.
pub fn folded(text: &str) -> String {
    let mut folded = String::new();
    for line in text.lines().map(str::trim_end) {
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let first = COLUMNS.saturating_sub(indent);
        for (i, part) in broken(&line[indent..], first, first.saturating_sub(4)).iter().enumerate() {
            folded += &" ".repeat(if part.is_empty() { 0 } else { indent + if i > 0 { 4 } else { 0 } });
            folded += part;
            folded.push('\n');
        }
    }
    folded
}

/// Splits the text: a first part of at most `first` characters, others of at most `then`. Longer words stay whole.
pub(crate) fn broken(text: &str, first: usize, then: usize) -> Vec<String> {
    let (mut parts, mut rest) = (vec![], text.trim_end());
    loop {
        let width = if parts.is_empty() { first } else { then };
        let mut spaces = rest.char_indices().enumerate().filter(|(_, (_, c))| *c == ' ');
        let space = match rest.chars().nth(width) {
            None => None,
            Some(_) => spaces.clone().take_while(|(n, _)| *n <= width).last().or_else(|| spaces.next()),
        };
        let Some((_, (at, _))) = space else {
            parts.push(rest.to_string());
            return parts;
        };
        parts.push(rest[..at].trim_end().to_string());
        rest = rest[at..].trim_start();
    }
}

/// Pads the text with spaces.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// Aligns the columns of rows and indents them. If they are too wide, the widest column is broken.
pub(crate) fn table(rows: &[Vec<String>], indent: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns).map(width).collect();
    let room = COLUMNS.saturating_sub(indent + 2 * columns.saturating_sub(1));
    let over = widths.iter().sum::<usize>().saturating_sub(room);
    if let Some(widest) = widths.iter_mut().max() {
        *widest = widest.saturating_sub(over);
    }
    let mut text = String::new();
    for row in rows {
        let cells: Vec<Vec<String>> =
            row.iter().zip(&widths).map(|(cell, width)| broken(cell, *width, *width)).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let part =
                |(cell, width): (&Vec<String>, &usize)| padded(cell.get(line).map_or("", String::as_str), width + 2);
            let line: String = cells.iter().zip(&widths).map(part).collect();
            text += &format!("{}{}\n", " ".repeat(indent), line.trim_end());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn long_lines_are_broken_and_lose_no_word() {
        let words: Vec<String> = (0..60).map(|n| format!("wörd-{n}")).collect();
        let text = folded(&format!("short\n\n  {}\nend", words.join(" ")));
        assert!(widest(&text) <= COLUMNS && widest(&text) > COLUMNS - 8, "{text}");
        assert!(text.starts_with("short\n\n  wörd-0 ") && text.ends_with("\nend\n"), "{text}");
        assert_eq!(text.split_whitespace().count(), words.len() + 2);
        assert!(text.lines().nth(3).is_some_and(|line| line.starts_with("      wörd")), "{text}");
    }

    #[test]
    fn word_without_a_space_stays_whole() {
        let word = "x".repeat(COLUMNS + 20);
        assert_eq!(folded(&word), format!("{word}\n"));
        assert_eq!(folded(&format!("{word} y")), format!("{word}\n    y\n"));
    }

    #[test]
    fn too_wide_a_table_breaks_its_widest_column() {
        let row = |n: u32| vec![format!("row {n}"), "cell ".repeat(30), "end".into()];
        let text = table(&[row(1), row(2)], 2);
        assert!(widest(&text) <= COLUMNS, "{text}");
        assert_eq!((text.lines().count(), text.matches("cell").count()), (4, 60), "{text}");
        assert!(text.lines().all(|line| line.find("cell") == Some(9)), "{text}");
    }
}
