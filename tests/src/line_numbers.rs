//! `#line` in emitted C: the source line of a layer to which each line of C is attributed.

use std::collections::BTreeMap;

/// A line of C that is attributed to a line of a layer.
pub struct Attributed {
    /// The line of the layer's file, from 1.
    pub number: u32,
    pub c: String,
}

/// Reads `#line NUMBER "FILE"` of a layer's file.
fn directive(line: &str) -> Option<Option<(u32, &str)>> {
    let (number, file) = line.strip_prefix("#line ")?.split_once(' ')?;
    let of_layer = file.ends_with(".nacre\"");
    Some(of_layer.then(|| (number.parse().expect("a number"), file)))
}

/// The lines of C that a compiler attributes to layers, by the comment in front of the function that they are in;
/// braces are left out. An empty name: no comment is in front of that function.
pub fn attributed(c: &str) -> BTreeMap<String, Vec<Attributed>> {
    let mut code: BTreeMap<String, Vec<Attributed>> = BTreeMap::new();
    let (mut name, mut at, mut commented) = (String::new(), None, false);
    for line in c.lines() {
        if let Some(file) = directive(line) {
            at = file.map(|(number, _)| number);
            continue;
        }
        match line.strip_prefix("/* ").and_then(|l| l.strip_suffix(" */")) {
            Some(comment) => (name, commented) = (comment.to_string(), true),
            // A function begins; the line before may have been its comment.
            None if line.ends_with('{') && !line.starts_with([' ', '#']) => {
                name = if std::mem::take(&mut commented) { name } else { String::new() };
            }
            None => {}
        }
        if let Some(number) = at.filter(|_| !matches!(line.trim(), "" | "}")) {
            code.entry(name.clone()).or_default().push(Attributed { number, c: line.trim().to_string() });
        }
        at = at.map(|number| number + 1);
    }
    code
}

/// Returns emitted C in which every attribution is shifted by `by` lines, as a wrong writer would emit.
pub fn shifted(c: &str, by: i64) -> String {
    let line = |line: &str| match directive(line) {
        Some(Some((number, file))) => format!("#line {} {file}\n", (i64::from(number) + by).max(1)),
        _ => format!("{line}\n"),
    };
    c.lines().map(line).collect()
}
