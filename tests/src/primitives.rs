//! ChaCha20-Poly1305 and HKDF-Expand with SHA-256, written from their specifications to be read, not to be fast or of constant
//! time: what other implementations are compared with. The tests compare them with the examples of the RFCs.

mod chacha20_poly1305;
mod hkdf_sha256;

pub use chacha20_poly1305::{open, seal};
pub use hkdf_sha256::{expand, sha256};

/// Returns bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of a text in hexadecimal; spaces and line breaks do not count.
pub fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
