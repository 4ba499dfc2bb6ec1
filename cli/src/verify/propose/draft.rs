//! A configuration that is being made: its settings in the order in which they are written, and what it looks at.

use nacre_driver::Session;
use nacre_specification::{Configuration, Setting};
use nacre_worlds::world::Subject;

/// The parts of a configuration, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Parameter,
    Network,
    Call,
    Size,
    Given,
    Timer,
    Numbers,
    Flag,
}

/// A setting of a draft.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    pub part: Part,
    pub path: Vec<String>,
    pub values: Vec<u64>,
}

impl Value {
    /// A setting with one name.
    pub fn new(part: Part, name: &str, values: &[u64]) -> Value {
        Value { part, path: vec![name.to_string()], values: values.to_vec() }
    }

    fn source(&self) -> String {
        let name = self.path.join(".");
        match (&self.values[..], self.part) {
            ([value], Part::Flag) => format!("{name} = {};", *value != 0),
            ([value], _) => format!("{name} = {value};"),
            (values, _) => {
                let all: Vec<String> = values.iter().map(u64::to_string).collect();
                format!("{name} = ({});", all.join(", "))
            }
        }
    }
}

/// One value of a dimension.
#[derive(Clone, Debug)]
pub struct Choice {
    /// A draft has one choice of each dimension.
    pub dimension: String,
    pub values: Vec<Value>,
    /// Whether it asks for more than the subject states: a violation is then no mistake for sure.
    pub stricter: bool,
    /// What the configuration looks at with it.
    pub about: String,
    /// A word for its name.
    pub tag: String,
}

/// A configuration that is being made.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The automaton below, if it is not the one that the subject requires.
    pub over: Option<String>,
    values: Vec<Value>,
    /// What it looks at, besides a few calls.
    pub about: Vec<String>,
    /// Words that can name it.
    pub tags: Vec<String>,
    /// Whether it asks for more than the subject states.
    pub stricter: bool,
}

impl Draft {
    /// A draft over an automaton, without settings.
    pub fn over(automaton: Option<&str>) -> Draft {
        Draft { over: automaton.map(str::to_string), stricter: automaton.is_some(), ..Draft::default() }
    }

    /// The draft with a setting, instead of one of the same name.
    pub fn set(mut self, value: Value) -> Draft {
        self.values.retain(|other| other.path != value.path);
        let at = self.values.partition_point(|other| other.part <= value.part);
        self.values.insert(at, value);
        self
    }

    /// The draft with another choice.
    pub fn with(&self, choice: &Choice) -> Draft {
        let mut draft = choice.values.iter().cloned().fold(self.clone(), Draft::set);
        draft.about.push(choice.about.clone());
        draft.tags.push(choice.tag.clone());
        draft.stricter |= choice.stricter;
        draft
    }

    /// The draft with a choice that does not give it another name.
    pub fn with_more(&self, choice: &Choice) -> Draft {
        Draft { tags: self.tags.clone(), ..self.with(choice) }
    }

    /// Whether it has a setting.
    pub fn has(&self, path: &[String]) -> bool {
        self.values.iter().any(|value| value.path == path)
    }

    /// The settings that change the stack.
    pub fn variation(&self) -> Vec<Value> {
        let changes = |part| matches!(part, Part::Parameter | Part::Given | Part::Numbers);
        self.values.iter().filter(|value| changes(value.part)).cloned().collect()
    }

    /// A setting of one name.
    pub fn setting(&self, name: &str) -> Option<Value> {
        self.values.iter().find(|value| value.path == [name]).cloned()
    }

    /// Its identity: two drafts with the same are the same configuration.
    pub fn key(&self) -> (Option<String>, Vec<Value>) {
        let mut values = self.values.clone();
        // Of the timers, those before others fire last.
        values.sort_by_key(|value| (value.part, (value.part != Part::Timer).then(|| value.path.clone())));
        (self.over.clone(), values)
    }

    /// The settings as they are written.
    pub fn settings(&self) -> Vec<String> {
        self.values.iter().map(Value::source).collect()
    }

    /// The configuration, as if it was declared.
    pub fn configuration(&self, subject: &Subject, name: &str) -> Configuration {
        let setting = |value: &Value| Setting {
            path: value.path.clone(),
            values: value.values.clone(),
            kinds: vec![],
            timing: None,
            names: vec![],
            span: Default::default(),
        };
        Configuration {
            name: name.into(),
            subject: subject.name.clone(),
            over: self.over.clone(),
            on_request: false,
            settings: self.values.iter().map(setting).collect(),
            span: Default::default(),
        }
    }

    /// What it looks at, in a sentence.
    pub fn sentence(&self) -> String {
        let mut about = self.about.clone();
        about.dedup();
        let text = match about.is_empty() {
            true => "a few calls".to_string(),
            false => about.join("; "),
        };
        let mut letters = text.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    }

    /// The declaration, in the standard layout.
    pub fn source(&self, subject: &Subject, name: &str) -> String {
        let over = self.over.as_ref().map(|over| format!(" over {over}")).unwrap_or_default();
        let docs: String = lines(&self.sentence(), WIDTH).iter().map(|line| format!("/// {line}\n")).collect();
        let settings: String = self.settings().iter().map(|setting| format!("    {setting}\n")).collect();
        let text = format!("{docs}configuration {name} for {}{over} {{\n{settings}}}\n", subject.name);
        nacre_syntax::format(&text).unwrap_or(text)
    }

    /// A name that is free, from its words.
    pub fn name(&self, subject: &Subject, session: &Session, taken: &[String]) -> String {
        let declared = session.configurations().into_iter().filter(|c| c.subject == subject.name).map(|c| c.name);
        let taken: Vec<String> = declared.chain(taken.iter().cloned()).collect();
        let mut tags: Vec<&str> = self.tags.iter().map(String::as_str).collect();
        tags.dedup();
        let name = match tags.is_empty() {
            true => "few".to_string(),
            false => tags.into_iter().take(TAGS).collect::<Vec<_>>().join("_"),
        };
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !taken.contains(name)).unwrap_or(name)
    }
}

/// The longest line of a doc comment, without its mark.
const WIDTH: usize = 112;

/// The most words of a name.
const TAGS: usize = 2;

/// The text in lines of a width.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        let values = [
            Value::new(Part::Flag, "misuse", &[1]),
            Value::new(Part::Call, "send", &[2, 0]),
            Value::new(Part::Parameter, "W", &[3]),
        ];
        values.into_iter().fold(Draft::default(), Draft::set)
    }

    #[test]
    fn settings_are_written_in_the_order_of_their_parts_each_once() {
        let settings = draft().set(Value::new(Part::Call, "send", &[1, 1])).settings();
        assert_eq!(settings, ["W = 3;", "send = (1, 1);", "misuse = true;"]);
    }

    #[test]
    fn long_sentence_takes_several_lines() {
        let broken = lines("one two three", 7);
        assert_eq!(broken, ["one two", "three"]);
    }
}
