//! Level `inline` keeps a step in registers: along the likely way nobody takes its address. Where that way calls a function that is
//! not put in place, the call gets a copy of the step in memory, and what it changed is copied back.

use std::collections::{BTreeMap, BTreeSet};

use crate::parts::Part;

/// The head of a function in C that takes a step and is called.
struct Head {
    result: String,
    /// The parameters behind the step, as declared.
    parameters: Vec<String>,
    /// It only looks at the step.
    looks: bool,
}

/// What a function may change of a step, in the support text.
const BACK: &str = "_back";

/// Gives functions that are put in place asides for what they call. No function is in two parts.
pub fn asides(parts: &[Part], prefix: &str) -> Vec<Part> {
    let lines = parts.iter().flat_map(|part| part.text.lines());
    let heads: BTreeMap<&str, Head> = lines.filter_map(|line| head(line, prefix)).collect();
    let mut wanted = BTreeSet::new();
    let with_calls: Vec<Vec<String>> =
        parts.iter().map(|part| calls_of_part(&part.text, prefix, &heads, &mut wanted)).collect();
    let texts = with_calls.iter().map(|lines| declare(lines, prefix, &heads, &mut wanted));
    texts.zip(parts).map(|(text, part)| Part { text, ..*part }).collect()
}

/// Turns the calls in functions that are put in place into calls of asides.
fn calls_of_part(text: &str, prefix: &str, heads: &BTreeMap<&str, Head>, wanted: &mut BTreeSet<String>) -> Vec<String> {
    let mut in_place = false;
    let mut lines = vec![];
    for line in text.lines() {
        if line.starts_with(prefix) {
            in_place = line.starts_with(&format!("{prefix}_INLINE "));
        }
        lines.push(match in_place {
            true => calls(line, heads, wanted),
            false => line.to_string(),
        });
        if line == "}" {
            in_place = false;
        }
    }
    lines
}

/// Puts each aside behind the first declaration of its function.
fn declare(lines: &[String], prefix: &str, heads: &BTreeMap<&str, Head>, wanted: &mut BTreeSet<String>) -> String {
    let mut result = String::new();
    let mut open = None;
    for line in lines {
        result.push_str(line);
        result.push('\n');
        let name = head(line, prefix).map(|(name, _)| name.to_string());
        let declared = match name {
            Some(name) if line.ends_with(';') => Some(name),
            Some(name) => {
                open = Some(name);
                None
            }
            None if line == "}" => open.take(),
            None => None,
        };
        if let Some(name) = declared.filter(|n| wanted.remove(n)) {
            result.push_str(&aside(&name, &heads[name.as_str()], prefix));
        }
    }
    result
}

/// The head of a function that is not put in place and takes a step, on a line of its own.
fn head<'s>(line: &'s str, prefix: &str) -> Option<(&'s str, Head)> {
    let rest = line.strip_prefix(prefix)?;
    let rest = ["_PLAIN ", "_COLD ", "_APART "].iter().find_map(|word| rest.strip_prefix(word))?;
    let (before, after) = rest.split_once('(')?;
    let at = before.rfind([' ', '*'])? + 1;
    let parameters = after.strip_suffix(';').or_else(|| after.strip_suffix(" {"))?.strip_suffix(')')?;
    let mut list = parameters.split(", ");
    let first = list.next()?;
    let looks = first == format!("const struct {prefix}_step *step");
    if !looks && first != format!("struct {prefix}_step *step") {
        return None;
    }
    let result = before[..at].trim_end().to_string();
    Some((&before[at..], Head { result, parameters: list.map(str::to_string).collect(), looks }))
}

/// Turns the calls in a line into calls of asides.
fn calls(line: &str, heads: &BTreeMap<&str, Head>, wanted: &mut BTreeSet<String>) -> String {
    let mut result = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("(step") {
        let (before, after) = rest.split_at(at);
        result.push_str(before);
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
        let name = &before[start..];
        if after["(step".len()..].starts_with([',', ')']) && heads.contains_key(name) {
            wanted.insert(name.to_string());
            result.push_str("_aside");
        }
        result.push_str("(step");
        rest = &after["(step".len()..];
    }
    result + rest
}

fn aside(name: &str, head: &Head, prefix: &str) -> String {
    let Head { result, parameters, looks } = head;
    let list: String = parameters.iter().map(|p| format!(", {p}")).collect();
    let name_of =
        |p: &String| p.split('[').next().and_then(|p| p.rsplit([' ', '*']).next()).unwrap_or_default().to_string();
    let names: String = parameters.iter().map(|p| format!(", {}", name_of(p))).collect();
    let space = if result.ends_with('*') { "" } else { " " };
    let (constant, back) = match looks {
        true => ("const ", String::new()),
        false => ("", format!("    {prefix}{BACK}(step, &aside);\n")),
    };
    let (keep, give) = match result.as_str() {
        "void" => (String::new(), String::new()),
        _ => (format!("{result}{space}result = "), "    return result;\n".to_string()),
    };
    format!(
        "{prefix}_INLINE {result}{space}{name}_aside({constant}struct {prefix}_step *step{list}) {{\n    \
         {constant}struct {prefix}_step aside = *step;\n    {keep}{name}(&aside{names});\n{back}{give}}}\n"
    )
}
