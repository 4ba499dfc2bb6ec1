//! Templates: text that all stacks share, `support/*.c`. Only here is text searched, and it is text that no stack has
//! changed.

use crate::code::Code;
use crate::names::with_prefix;
use crate::writer::Writer;
use crate::Level;

const TEMPLATES: [&str; 11] = [
    include_str!("support/any.c"),
    include_str!("support/bits.c"),
    include_str!("support/canonical.c"),
    include_str!("support/finish.c"),
    include_str!("support/host.c"),
    include_str!("support/mul_div.c"),
    include_str!("support/out.c"),
    include_str!("support/pool.c"),
    include_str!("support/prototypes.h"),
    include_str!("support/step.c"),
    include_str!("support/words.c"),
];

/// The names behind the prefix that templates use.
pub fn names() -> impl Iterator<Item = String> {
    let name = |part: &str| part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    TEMPLATES.iter().flat_map(move |text| text.split("@_").skip(1).map(name))
}

impl Writer<'_> {
    /// Text that all stacks share: `@_` is the prefix; parts between `/*@word` and `@*/` are for stacks that need them.
    pub fn support(&mut self, text: &str) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("/*@") {
            result.push_str(&rest[..at]);
            let part = &rest[at + 3..];
            let end = part.find("@*/").expect("a part ends");
            let (word, inner) = part[..end].split_once([' ', '\n']).expect("a part has a word");
            let aside = (word == "aside").then(|| self.aside(&format!("{}_{inner}", self.prefix))).flatten();
            let inner = aside.as_ref().map_or(inner.to_string(), Code::text);
            let wanted = match word {
                "aside" => aside.is_some(),
                "rope" => self.uses_ropes,
                "temp" => self.temporary > 0,
                _ => !self.queued.is_empty(),
            };
            if wanted {
                result.push_str(inner.trim_end());
            }
            rest = &part[end + 3..];
            if !wanted {
                rest = without_line(&mut result, rest);
            }
        }
        result.push_str(rest);
        let aside = if self.level == Level::Inline { "_aside" } else { "" };
        with_prefix(&result.replace("@aside", aside), &self.prefix)
    }
}

/// Behind a part that is left out: the line on which it stood goes too, if nothing else is on it.
fn without_line<'t>(before: &mut String, after: &'t str) -> &'t str {
    let after = after.trim_start_matches(' ');
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    match after.strip_prefix('\n') {
        Some(next) if before[line..].trim_start_matches(' ').is_empty() => {
            before.truncate(line);
            next
        }
        _ => after,
    }
}
