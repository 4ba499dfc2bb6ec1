//! Lemmas that verification rests on, as formulas, and the solvers that prove them.

pub mod sequence_numbers;
