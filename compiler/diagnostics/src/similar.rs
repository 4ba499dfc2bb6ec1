//! Suggestions: which known name was probably meant by one that is not known.

/// The longest name for which others are looked for, and that is looked for, in bytes.
const LONGEST: usize = 200;
/// The most names that a help lists.
const MOST: usize = 40;

/// Returns the known name with the least edit distance to `name`, if that is at most a third of its length (and always
/// less than it: a name of one letter is like no other).
///
/// ```
/// use nacre_diagnostics::nearest;
/// assert_eq!(nearest("delivr", &["send", "deliver"]), Some("deliver"));
/// assert_eq!(nearest("ring", &["send", "deliver"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |known: &str| strsim::osa_distance(&name.to_lowercase(), &known.to_lowercase());
    // The distance takes the product of the lengths.
    if name.len() > LONGEST {
        return None;
    }
    let near = known.iter().filter(|known| known.len() <= LONGEST).map(|k| (distance(k), *k)).min()?;
    let length = name.chars().count();
    (near.0 < length && near.0 <= length.max(3) / 3).then_some(near.1)
}

/// Returns the help for an unknown name: the most similar known name, or all known names.
///
/// ```
/// use nacre_diagnostics::suggestion;
/// assert_eq!(suggestion("delivr", &["send", "deliver"]), "did you mean `deliver`?");
/// assert_eq!(suggestion("ring", &["send", "deliver"]), "known are: `deliver`, `send`");
/// assert_eq!(suggestion("ring", &[]), "there are none");
/// ```
pub fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none".into(),
        None => {
            let mut names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            names.sort();
            names.dedup();
            let more = names.len().saturating_sub(MOST);
            names.truncate(MOST);
            let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
            format!("known are: {}{rest}", names.join(", "))
        }
    }
}
