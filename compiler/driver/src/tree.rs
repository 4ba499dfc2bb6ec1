//! Prints the syntax tree from its `Debug` form: without spans and empty fields, with as much on a line as fits.

use std::fmt::Debug;

/// Columns of a line.
const WIDTH: usize = 118;

/// A value of the `Debug` form.
enum Value {
    /// A name, number or text.
    Word(String),
    /// `Name { field: value }`, `Name(value)`, `(value)`, `[value]`: the name, the brackets, and the contents.
    Group(String, [char; 2], Vec<(String, Value)>),
}

/// The tree in lines.
pub fn show(tree: &impl Debug) -> String {
    let text = format!("{tree:?}");
    let mut reader = Reader { rest: &text };
    let mut lines = String::new();
    if let Some(value) = simplified(reader.value()) {
        write(&value, "", "", 0, &mut lines);
    }
    lines
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn value(&mut self) -> Value {
        let word = self.word();
        match self.rest.chars().next() {
            Some(open @ ('(' | '[' | '{')) => {
                let close = if open == '(' { ')' } else { char::from(open as u8 + 2) };
                self.rest = &self.rest[1..];
                let mut inside = vec![];
                while !self.take(close) {
                    inside.push(self.member(open));
                    self.take(',');
                }
                Value::Group(word, [open, close], inside)
            }
            _ => Value::Word(word),
        }
    }

    fn member(&mut self, open: char) -> (String, Value) {
        let named = open == '{';
        let name = if named { self.word() } else { String::new() };
        if named {
            assert!(self.take(':'), "a field has a value: {}", self.rest);
        }
        (name, self.value())
    }

    /// A name, number or text; empty before a bracket.
    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = match self.rest.strip_prefix('"') {
            Some(text) => {
                let mut escaped = false;
                let quote = text.find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                quote.expect("a text ends") + 2
            }
            None => self.rest.find(|c: char| "()[]{},: ".contains(c)).unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word.to_string()
    }

    fn take(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// Removes spans, absent options, empty lists and `false`, and unwraps values that only wrap another.
fn simplified(value: Value) -> Option<Value> {
    let (name, brackets, inside) = match value {
        Value::Word(word) => return (word != "None").then_some(Value::Word(word)),
        Value::Group(name, ..) if name == "Span" => return None,
        Value::Group(name, brackets, inside) => (name, brackets, inside),
    };
    let keep = |(field, value)| {
        let value = simplified(value)?;
        let absent = !String::is_empty(&field) && matches!(&value, Value::Word(word) if word == "false");
        (!absent).then_some((field, value))
    };
    let mut inside: Vec<(String, Value)> = inside.into_iter().filter_map(keep).collect();
    let wraps = match inside.as_slice() {
        [(field, value)] => {
            let transparent = name == "Some" || name == "Ident" || (name.is_empty() && brackets[0] == '(');
            transparent || field == "kind" || (field.is_empty() && is_called(value, &name))
        }
        _ => false,
    };
    match (wraps, inside.is_empty()) {
        (true, _) => inside.pop().map(|(_, value)| value),
        (_, true) if name.is_empty() => None,
        (_, true) => Some(Value::Word(name)),
        _ => Some(Value::Group(name, brackets, inside)),
    }
}

fn is_called(value: &Value, name: &str) -> bool {
    matches!(value, Value::Group(called, ..) if called == name && !name.is_empty())
}

fn flat(value: &Value) -> String {
    match value {
        Value::Word(word) => word.clone(),
        Value::Group(name, brackets, inside) => {
            let each = inside.iter().map(|(field, value)| format!("{}{}", named(field), flat(value)));
            let each = each.collect::<Vec<_>>().join(", ");
            match brackets {
                ['{', _] => format!("{name} {{ {each} }}"),
                [open, close] => format!("{name}{open}{each}{close}"),
            }
        }
    }
}

/// Writes a value, with a text before it on its first line and one behind it on its last.
fn write(value: &Value, before: &str, behind: &str, depth: usize, lines: &mut String) {
    let indent = "  ".repeat(depth);
    let one = format!("{indent}{before}{}{behind}", flat(value));
    let Value::Group(name, [open, close], inside) = value else {
        lines.push_str(&format!("{one}\n"));
        return;
    };
    let space = if *open == '{' { " " } else { "" };
    let before = format!("{before}{name}{space}{open}");
    match inside.as_slice() {
        _ if fits(&one) => lines.push_str(&format!("{one}\n")),
        [(field, inner)] => {
            let before = format!("{before}{space}{}", named(field));
            write(inner, &before, &format!("{space}{close}{behind}"), depth, lines);
        }
        _ => {
            lines.push_str(&format!("{indent}{before}\n"));
            members(inside, depth + 1, lines);
            lines.push_str(&format!("{indent}{close}{behind}\n"));
        }
    }
}

/// Fills lines with values; one that does not fit has its own lines.
fn members(inside: &[(String, Value)], depth: usize, lines: &mut String) {
    let indent = "  ".repeat(depth);
    let mut line = String::new();
    for (field, value) in inside {
        let one = format!("{}{}", named(field), flat(value));
        if !line.is_empty() && !fits(&format!("{indent}{line}, {one}")) {
            lines.push_str(&format!("{indent}{line}\n"));
            line.clear();
        }
        match (fits(&format!("{indent}{one}")), line.is_empty()) {
            (false, _) => write(value, &named(field), "", depth, lines),
            (true, true) => line = one,
            (true, false) => line = format!("{line}, {one}"),
        }
    }
    if !line.is_empty() {
        lines.push_str(&format!("{indent}{line}\n"));
    }
}

fn named(field: &str) -> String {
    if field.is_empty() {
        String::new()
    } else {
        format!("{field}: ")
    }
}

fn fits(line: &str) -> bool {
    line.chars().count() <= WIDTH
}
