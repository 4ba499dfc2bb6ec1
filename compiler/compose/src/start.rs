//! The bit of a layout at which packed fields begin, after the number of the shape.

use nacre_stack::LayoutForm;

/// Larger numbers fit neither the seven bits of the preamble nor the byte of a plain layout.
pub(crate) const ESCAPE_PREAMBLE: u32 = 126;
pub(crate) const ESCAPE_PLAIN: u32 = 255;

const PREAMBLE_BITS: u32 = 32;
const FINGERPRINT_BITS: u32 = 64;

/// The bit at which packed fields begin.
pub(crate) fn start(form: LayoutForm, identified: bool, number: u32, only: bool) -> u32 {
    match form {
        LayoutForm::Preamble => {
            let fixed = PREAMBLE_BITS + if identified { FINGERPRINT_BITS } else { 0 };
            fixed + if number >= ESCAPE_PREAMBLE { 16 } else { 0 }
        }
        LayoutForm::Plain if only => 0,
        LayoutForm::Plain if number >= ESCAPE_PLAIN => 24,
        LayoutForm::Plain => 8,
    }
}
