//! Lemmas that verification rests on, as claims that no state contradicts, and the solvers that show them.

pub mod sequence_numbers;
