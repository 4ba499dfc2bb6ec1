//! Numbers of things in messages.

/// Returns a number with its noun: `1 byte`, `8 bytes`.
///
/// ```
/// use nacre_diagnostics::counted;
/// assert_eq!(counted(1, "parameter"), "1 parameter");
/// assert_eq!(counted(0, "parameter"), "0 parameters");
/// ```
pub fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
