//! The lines of a file that a message shows: those in which its labels begin and end, cut to a bounded length.

use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::ops::Range;

use crate::{SourceId, Sources, Span};

/// The longest line that is shown in full, in characters; of longer ones, the part around a label.
const WIDEST: usize = 160;
/// Characters of a cut line before the label that it is cut around.
const BEFORE: usize = 40;
/// Marks a cut.
const CUT: char = '…';

/// An excerpt of a file.
pub struct Excerpt {
    /// The lines up to the last label. Those without a label are empty: ariadne does not show them, but counts them.
    pub text: String,
    lines: BTreeMap<usize, Line>,
}

/// A line of an excerpt. Positions are counted in characters.
struct Line {
    /// Where it begins in the excerpt.
    at: usize,
    /// How many characters of the line are left out at its front, and how many are shown behind these.
    skipped: usize,
    shown: usize,
    /// Whether the line is cut at its front, where a mark replaces the text.
    is_cut: bool,
}

impl Excerpt {
    /// The excerpt for labels in one file. Of a line with several labels, the part around the first of them is shown.
    pub fn new(file: SourceId, labels: &[Span], sources: &Sources) -> Excerpt {
        let mut around = BTreeMap::new();
        for at in labels.iter().flat_map(|span| ends(*span, file, sources)) {
            around.entry(line(file, at, sources)).or_insert(at);
        }
        let mut excerpt = Excerpt { text: String::new(), lines: BTreeMap::new() };
        let (mut above, mut length) = (0, 0);
        for (number, at) in around {
            excerpt.text.extend(repeat_n('\n', number - above));
            length += number - above;
            above = number;
            let column = characters(file, number, at, sources);
            let line = excerpt.show(sources.line_at(file, number), column, length);
            length = line.at + line.shown + usize::from(line.is_cut);
            excerpt.lines.insert(number, line);
        }
        excerpt
    }

    /// Adds a line, cut around a character of it.
    fn show(&mut self, text: &str, around: usize, at: usize) -> Line {
        let all = text.chars().count();
        let skipped = if all <= WIDEST { 0 } else { around.saturating_sub(BEFORE).min(all - WIDEST) };
        let shown = (all - skipped).min(WIDEST);
        let is_cut = skipped > 0;
        self.text.extend(is_cut.then_some(CUT));
        // Some programs treat these characters as line ends.
        let visible =
            |c: char| if c.is_control() && c != '\t' || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
        self.text.extend(text.chars().skip(skipped).take(shown).map(visible));
        self.text.extend((skipped + shown < all).then_some(CUT));
        let line = Line { at, skipped, shown, is_cut };
        // The mark at the end is one more place that labels can be cut to.
        Line { shown: line.shown + usize::from(skipped + shown < all), ..line }
    }

    /// The characters of the excerpt that a span covers; what is cut off is covered by the mark.
    pub fn place(&self, span: Span, sources: &Sources) -> Range<usize> {
        let [start, end] = ends(span, span.file, sources).map(|at| self.character(span.file, at, sources));
        start..end.max(start)
    }

    fn character(&self, file: SourceId, at: u32, sources: &Sources) -> usize {
        let number = line(file, at, sources);
        let Some(line) = self.lines.get(&number) else { return 0 };
        line.at + self.column(line, characters(file, number, at, sources))
    }

    /// The position of a character in the shown part of its line.
    fn column(&self, line: &Line, character: usize) -> usize {
        let mark = usize::from(line.is_cut);
        (character + mark).saturating_sub(line.skipped).min(line.shown + mark)
    }

    /// The column at which a span begins in the shown part of its line, from 1.
    pub fn shown_column(&self, span: Span, sources: &Sources) -> usize {
        let [start, _] = ends(span, span.file, sources);
        let number = line(span.file, start, sources);
        let character = characters(span.file, number, start, sources);
        self.lines.get(&number).map_or(0, |line| self.column(line, character)) + 1
    }
}

/// The line of a byte, from 0.
fn line(file: SourceId, at: u32, sources: &Sources) -> usize {
    sources.line(Span { file, start: at, end: at }) - 1
}

/// The bytes where a span begins and ends. The end of a file is shown after its last text, not on an
/// empty line.
fn ends(span: Span, file: SourceId, sources: &Sources) -> [u32; 2] {
    let text = sources.text(file);
    let all = text.len() as u32;
    let (start, end) = (span.start.min(all), span.end.min(all));
    if start >= end && start == all {
        return [text.trim_end().len() as u32; 2];
    }
    [start, end.max(start)]
}

/// The characters of a line before a byte.
fn characters(file: SourceId, line: usize, at: u32, sources: &Sources) -> usize {
    let within = at.saturating_sub(sources.start_of(file, line)) as usize;
    sources.line_at(file, line).char_indices().take_while(|&(byte, _)| byte < within).count()
}
