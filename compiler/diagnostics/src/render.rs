//! Diagnostics as text for people, and as JSON for programs.

use ariadne::{Color, Config, IndexType, Report, ReportKind, Source};
use serde_json::{json, Value};

use crate::{Diagnostic, Label, Severity, SourceId, Sources, Span};

/// Where a label stands for ariadne: a file, and its characters. Spans outside the text are cut to it.
type Place = (SourceId, std::ops::Range<usize>);

/// The message as it is shown in a terminal, with or without colours.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, colour: bool) -> String {
    let Some(primary) = &diagnostic.label else { return render_without_place(diagnostic) };
    let (kind, shade) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let mut report = Report::build(kind, place(primary.span, sources))
        .with_config(Config::default().with_color(colour).with_index_type(IndexType::Char))
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    // In the order of the text, the file of the primary label first: then ariadne draws one frame for each file.
    let mut labels: Vec<_> = diagnostic.secondary.iter().map(|other| (other, Color::Blue)).collect();
    labels.insert(0, (primary, shade));
    labels.sort_by_key(|(label, _)| (label.span.file != primary.span.file, label.span.file, label.span.start));
    for (order, (label, shade)) in labels.into_iter().enumerate() {
        let drawn = ariadne::Label::new(place(label.span, sources)).with_message(&label.text);
        report = report.with_label(drawn.with_color(shade).with_order(order as i32));
    }
    report.with_notes(&diagnostic.notes);
    report.with_helps(&diagnostic.help);
    let mut out = Vec::new();
    let written = report.finish().write(Files { sources, read: vec![] }, &mut out);
    if written.is_err() {
        return render_without_place(diagnostic);
    }
    // Ariadne pads lines with blanks.
    String::from_utf8_lossy(&out).lines().map(|line| format!("{}\n", line.trim_end())).collect()
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
    let mut out = format!("[{}] {:?}: {}\n", diagnostic.code, diagnostic.severity, diagnostic.message);
    for note in &diagnostic.notes {
        out += &format!("  Note: {note}\n");
    }
    for help in &diagnostic.help {
        out += &format!("  Help: {help}\n");
    }
    out
}

fn place(span: Span, sources: &Sources) -> Place {
    let text = sources.text(span.file);
    let characters = |end: u32| text.char_indices().take_while(|&(at, _)| at < end as usize).count();
    let start = characters(span.start);
    let end = characters(span.end).max(start);
    // What is at the end of the file is shown behind the last thing in it, not on an empty line.
    if start == end && start == text.chars().count() {
        let last = text.trim_end().chars().count();
        return (span.file, last..last);
    }
    (span.file, start..end)
}

/// The sources in the form in which ariadne asks for them.
struct Files<'a> {
    sources: &'a Sources,
    read: Vec<(SourceId, Source<&'a str>)>,
}

impl<'a> ariadne::Cache<SourceId> for Files<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, id: &SourceId) -> Result<&Source<&'a str>, impl std::fmt::Debug> {
        let at = match self.read.iter().position(|(read, _)| read == id) {
            Some(at) => at,
            None => {
                self.read.push((*id, Source::from(self.sources.text(*id))));
                self.read.len() - 1
            }
        };
        Ok::<_, std::convert::Infallible>(&self.read[at].1)
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
    fn without_a_place_there_is_still_a_message() {
        let text = Diagnostic::error("D0001", "no file").because("none was named").render(&Sources::new(), false);
        assert_eq!(text, "[D0001] Error: no file\n  Note: none was named\n");
    }
}
