//! Why there is no world.

use nacre_diagnostics::Diagnostic;
use nacre_driver::Resolved;

/// Why there is no world.
pub enum Refusal {
    Diagnostics(Vec<Diagnostic>),
    Words(String),
    /// A setting of the command line is wrong.
    Usage(String),
}

impl From<String> for Refusal {
    fn from(words: String) -> Refusal {
        Refusal::Words(words)
    }
}

/// Returns the refusal of a setting's value.
pub(crate) fn wrong(setting: &Resolved, message: &str) -> Refusal {
    let found = setting.error(message);
    match nacre_driver::is_of_command_line(&found) {
        true => Refusal::Usage(format!("--set: {message}")),
        false => Refusal::Diagnostics(vec![found]),
    }
}
