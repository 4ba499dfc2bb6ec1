//! The lemmas on which verification depends, as formulas, and the solvers that prove them.

pub mod sequence_numbers;
