//! What the names of emitted C begin with: the name of a stack, or another one that the user gives.

/// Bytes of such a name at most.
const NAME_MAX: usize = 64;

/// Why names of emitted C cannot begin with a name of the language; None: they can.
pub fn why_no_prefix(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    if lower == "nacre" || lower.starts_with("nacre_") {
        return Some("the prefix `nacre_` is reserved for `nacre.h`".to_string());
    }
    let length = name.len();
    (length > NAME_MAX).then(|| format!("the name has {length} characters; the limit is {NAME_MAX}"))
}
