//! Protocol code that was written for another subsystem, run from its own unmodified source: STREAMS modules and the
//! environments of other systems (Krupczak, Calvert and Ammar 1996). The C of the subsystems is in the folders beside
//! this crate; the crate compiles it, and imports foreign sources as *capsules*: shared objects whose data is private
//! to each loaded copy (`streams/capsule.h`).

pub mod compile;
pub mod description;
pub mod files;
pub mod import;
mod library;
#[path = "../measure/driver.rs"]
pub mod measure;
pub mod overlays;
pub mod report;
pub mod streams;
pub mod symbols;

mod raw;
