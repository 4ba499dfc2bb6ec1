//! Diagnostics as text for people, and as JSON for programs.

use std::collections::{BTreeMap, BTreeSet};

use ariadne::{Color, Config, IndexType, Report, ReportKind, Source};
use serde_json::{json, Value};

use crate::excerpt::Excerpt;
use crate::{Diagnostic, Label, Severity, SourceId, Sources, Span};

/// The position of a label for ariadne: a file, and characters of its excerpt.
type Place = (SourceId, std::ops::Range<usize>);

/// The message as it is shown in a terminal, with or without colours.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, colour: bool) -> String {
    let Some(primary) = &diagnostic.label else { return render_without_place(diagnostic) };
    let (kind, shade) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    // In the order of the text, the file of the primary label first: then ariadne draws one frame for each file.
    let mut labels: Vec<_> = diagnostic.secondary.iter().map(|other| (other, Color::Blue)).collect();
    labels.insert(0, (primary, shade));
    let files = Files::of(primary.span.file, &labels, sources);
    labels.sort_by_key(|(label, _)| (label.span.file != primary.span.file, label.span.file, label.span.start));
    let mut report = Report::build(kind, files.place(primary.span))
        .with_config(Config::default().with_color(colour).with_index_type(IndexType::Char))
        .with_code(diagnostic.code)
        .with_message(shortened(&diagnostic.message));
    for (order, (label, shade)) in labels.into_iter().enumerate() {
        let drawn = ariadne::Label::new(files.place(label.span)).with_message(shortened(&label.text));
        report = report.with_label(drawn.with_color(shade).with_order(order as i32));
    }
    report.with_notes(diagnostic.notes.iter().map(|note| shortened(note)));
    report.with_helps(diagnostic.help.iter().map(|help| shortened(help)));
    let mut out = Vec::new();
    let begins = files.begin(primary.span);
    if report.finish().write(files, &mut out).is_err() {
        return render_without_place(diagnostic);
    }
    let (shown, meant) = begins;
    // Ariadne pads lines with blanks.
    let text = String::from_utf8_lossy(&out).replace(&shown, &meant);
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The longest word of a message that is shown in full, in characters.
const LONGEST_WORD: usize = 400;

/// A message in which long words, such as names and numbers, are cut in the middle.
fn shortened(text: &str) -> String {
    let word = |word: &str| {
        let all = word.chars().count();
        if all <= LONGEST_WORD {
            return word.to_string();
        }
        let part = LONGEST_WORD / 2;
        word.chars().take(part).chain("...".chars()).chain(word.chars().skip(all - part)).collect()
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The message for a program that reads it: places have a path, a line and a column beside their bytes.
pub fn to_json(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let place = |label: &Label| {
        json!({
            "path": sources.path(label.span.file),
            "line": sources.line(label.span),
            "column": sources.column(label.span),
            "start": label.span.start,
            "end": label.span.end,
            "text": label.text,
        })
    };
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "label": diagnostic.label.as_ref().map(place),
        "secondary": diagnostic.secondary.iter().map(place).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}

impl Diagnostic {
    /// See [`render`].
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        render(self, sources, colour)
    }

    /// See [`to_json`].
    pub fn to_json(&self, sources: &Sources) -> Value {
        to_json(self, sources)
    }
}

fn render_without_place(diagnostic: &Diagnostic) -> String {
    let message = shortened(&diagnostic.message);
    let mut out = format!("[{}] {:?}: {message}\n", diagnostic.code, diagnostic.severity);
    for note in &diagnostic.notes {
        out += &format!("  Note: {}\n", shortened(note));
    }
    for help in &diagnostic.help {
        out += &format!("  Help: {}\n", shortened(help));
    }
    out
}

/// The excerpts that a message shows, in the form in which ariadne asks for them.
struct Files<'a> {
    sources: &'a Sources,
    shown: BTreeMap<SourceId, (Excerpt, Source)>,
}

impl<'a> Files<'a> {
    fn of(first: SourceId, labels: &[(&Label, Color)], sources: &'a Sources) -> Files<'a> {
        let ids: BTreeSet<SourceId> = labels.iter().map(|(label, _)| label.span.file).chain([first]).collect();
        let shown = ids.into_iter().map(|id| {
            let spans: Vec<Span> = labels.iter().map(|(label, _)| label.span).filter(|span| span.file == id).collect();
            let excerpt = Excerpt::new(id, &spans, sources);
            let source = Source::from(excerpt.text.clone());
            (id, (excerpt, source))
        });
        Files { sources, shown: shown.collect() }
    }

    fn place(&self, span: Span) -> Place {
        (span.file, self.shown.get(&span.file).map_or(0..0, |(excerpt, _)| excerpt.place(span, self.sources)))
    }

    /// Line and column of a span as ariadne writes them, and as they are in the file: it knows only what it draws.
    fn begin(&self, span: Span) -> (String, String) {
        let (line, column) = (self.sources.line(span), self.sources.column(span));
        let shown = self.shown.get(&span.file).map_or(column, |(excerpt, _)| excerpt.shown_column(span, self.sources));
        let text = |column| format!("{}:{line}:{column} ", self.sources.path(span.file));
        (text(shown), text(if shown < column { column } else { shown }))
    }
}

impl ariadne::Cache<SourceId> for Files<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &SourceId) -> Result<&Source, impl std::fmt::Debug> {
        self.shown.get(id).map(|(_, source)| source).ok_or("a file without a label")
    }

    fn display<'b>(&self, id: &'b SourceId) -> Option<impl std::fmt::Display + 'b> {
        Some(self.sources.path(*id).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Sources, Diagnostic) {
        let mut sources = Sources::new();
        let file = sources.add("nak.nacre", "header Nak { low: seq32 }\nup tell(Nak { lo }) { }\n");
        let found = Diagnostic::error("T0012", "`lo` is not a field of `Nak`")
            .at(Span { file, start: 40, end: 42 }, "no such field")
            .also(Span { file, start: 7, end: 10 }, "`Nak` is declared here")
            .because("a pattern names only fields of its header")
            .help("did you mean `low`?");
        (sources, found)
    }

    #[test]
    fn a_message_says_what_where_why_and_how() {
        let (sources, found) = example();
        let text = found.render(&sources, false);
        for part in
            ["[T0012] Error: `lo`", "nak.nacre:2:15", "no such field", "declared here", "names only", "did you mean"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
        assert!(found.render(&sources, true).contains('\u{1b}'));
    }

    #[test]
    fn json_has_lines_and_columns() {
        let (sources, found) = example();
        let json = found.to_json(&sources);
        assert_eq!(json["severity"], "error");
        assert_eq!((&json["label"]["line"], &json["label"]["column"]), (&json!(2), &json!(15)));
        assert_eq!(json["secondary"][0]["line"], 1);
    }

    #[test]
    fn no_span_panics() {
        let mut sources = Sources::new();
        let texts = ["", "\n", "a", "ü\r\n\u{2028}é\n\n\tx", "no end", "\0\u{b}\u{c}\u{85}x", "🦪🦪\n🦪"];
        let files: Vec<_> = texts.iter().map(|text| sources.add("x", *text)).collect();
        let unknown = SourceId(99);
        for &file in files.iter().chain([&unknown]) {
            for start in 0..14 {
                for end in (0..14).chain([u32::MAX]) {
                    let span = Span { file, start, end };
                    let other = Span { file: files[3], start: end, end: start };
                    let found = Diagnostic::warning("S0000", "x").at(span, "a").also(other, "b").also(span, "");
                    assert!(found.render(&sources, false).contains("S0000"));
                    found.to_json(&sources);
                }
            }
        }
    }

    #[test]
    fn long_lines_are_cut_around_each_label() {
        let mut sources = Sources::new();
        let line = format!("{}BAD{}", "ü".repeat(50_000), "x".repeat(50_000));
        let file = sources.add("long.nacre", format!("first\n{line}\nlast {line}"));
        let bad = Span { file, start: 6 + 100_000, end: 6 + 100_003 };
        let second = 6 + line.len() as u32 + 1 + 5 + 100_000;
        let found = Diagnostic::error("T0001", format!("`{}` is long", "n".repeat(10_000)))
            .at(bad, "here")
            .also(Span { file, start: second, end: second + 3 }, "and here")
            .also(Span { file, start: 0, end: u32::MAX }, "all of it");
        for colour in [false, true] {
            let text = found.render(&sources, colour);
            assert!(text.chars().count() < 40_000, "{}", text.chars().count());
            assert!(text.contains("long.nacre:2:50001"), "{text}");
        }
        let text = found.render(&sources, false);
        assert!(text.lines().all(|line| line.chars().count() < 450), "{text}");
        assert_eq!(text.matches("BAD").count(), 3, "{text}");
        let mut pairs = text.lines().zip(text.lines().skip(1));
        let (shown, under) = pairs.find(|(a, b)| a.contains("BAD") && b.contains("─┬─")).expect("a label");
        let column = |line: &str, what: &str| line.find(what).map(|at| line[..at].chars().count());
        assert_eq!(column(shown, "BAD"), column(under, "─┬─"), "{text}");
    }

    #[test]
    fn many_messages_in_a_large_file_take_little_time() {
        let mut sources = Sources::new();
        let file = sources.add("large.nacre", "wrong\n".repeat(20_000));
        // With the text of the whole file for each message this takes minutes.
        for number in 0..1_000 {
            let start = 120 * number;
            let text =
                Diagnostic::error("T0001", "x").at(Span { file, start, end: start + 5 }, "y").render(&sources, false);
            assert!(text.contains(&format!("large.nacre:{}:1 ]", 20 * number + 1)) && text.contains("wrong"), "{text}");
        }
    }

    #[test]
    fn without_a_place_there_is_still_a_message() {
        let text = Diagnostic::error("D0001", "no file").because("none was named").render(&Sources::new(), false);
        assert_eq!(text, "[D0001] Error: no file\n  Note: none was named\n");
    }
}
