//! The pipeline, in order: sources, syntax, typed layers, stack IR, optimized IR, C.

mod compositions;
pub mod files;
pub mod library;
mod loader;
mod meaning;
mod passes;
mod scripts;
mod session;
mod settings;
mod specifications;
mod stages;
pub mod tree;
mod values;

pub use meaning::{is_of_command_line, is_settable, Bound, Meaning, Resolved};
pub use nacre_backend_c::{Emitted, Level, INTERFACE};
pub use nacre_bypass::Made;
pub use nacre_optimize::calls::Decision;
pub use nacre_typed::{Override, Variation};
pub use passes::{optimize, optimize_for, passes, Pass};
pub use scripts::Condition;
pub use session::Session;
pub use settings::{members, variation};
pub use specifications::LayerPromises;
pub use stages::{stages, tokens};
