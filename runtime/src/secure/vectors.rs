//! Test vectors of Noise.
