//! What a notice lends to a C program, until its next call.

use crate::c_address::CAddress;
use crate::c_text::invalid;
use crate::error::Error;
use crate::output::Message;
use std::ffi::c_void;

/// The bytes of the last notice. A call may be given them as its own message.
#[derive(Default)]
pub(crate) struct Loan {
    at: usize,
    len: usize,
    /// A message that was lent in several pieces, or (in debug builds) any.
    pieces: Vec<u8>,
    addresses: Vec<CAddress>,
    /// A message that is given back with a call: what the call does first may overwrite it where it was.
    argument: Vec<u8>,
}

impl Loan {
    /// Lends a message in one piece: where it is, or a copy if it is in several. In debug builds it is always a copy,
    /// so that a program that reads it too late finds nothing of it.
    pub(crate) fn lend(&mut self, message: &Message<'_>) -> (*const u8, usize) {
        let whole = match message.as_slice() {
            Some(whole) if !cfg!(debug_assertions) => whole,
            _ => {
                self.pieces = message.to_vec();
                &self.pieces
            }
        };
        (self.at, self.len) = (whole.as_ptr() as usize, whole.len());
        (whole.as_ptr(), whole.len())
    }

    /// Lends addresses, in bytes.
    pub(crate) fn lend_addresses(&mut self, addresses: &[CAddress]) -> (*const u8, usize) {
        self.addresses = addresses.to_vec();
        (self.addresses.as_ptr().cast(), std::mem::size_of_val(addresses))
    }

    /// The message that a call is given; `longest` is asked for the words about one that no memory has.
    ///
    /// # Safety
    /// `data` has `len` bytes that live as long as the result is used, unless they are lent.
    pub(crate) unsafe fn argument(
        &mut self,
        data: *const c_void,
        len: usize,
        longest: impl FnOnce() -> Result<usize, Error>,
    ) -> Result<&[u8], Error> {
        if len == 0 {
            return Ok(&[]);
        }
        if data.is_null() {
            return Err(invalid("the data is NULL"));
        }
        let from = data as usize;
        // A negative number, as a length.
        if len > isize::MAX as usize {
            return Err(Error::TooLong { len, max: longest()? });
        }
        // SAFETY: the caller's promise; what is lent is there until this call does something.
        let given = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
        let is_lent = self.at <= from && from.saturating_add(len) <= self.at + self.len;
        if !is_lent {
            return Ok(given);
        }
        self.argument.clear();
        self.argument.extend_from_slice(given);
        Ok(&self.argument)
    }

    /// Nothing is lent any more.
    pub(crate) fn end(&mut self) {
        if cfg!(debug_assertions) {
            self.pieces.fill(0xdd);
        }
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(loan: &mut Loan, data: &[u8]) -> (*const u8, Vec<u8>) {
        // SAFETY: the slice lives.
        let taken = unsafe { loan.argument(data.as_ptr().cast(), data.len(), || Ok(0)) }.unwrap();
        (taken.as_ptr(), taken.to_vec())
    }

    /// The call frees the room where lent data lies, and may use it for something else.
    #[test]
    fn lent_data_is_copied_before_a_call_and_other_data_is_not() {
        let (mut loan, own) = (Loan::default(), b"own".to_vec());
        let (at, len) = loan.lend(&Message::whole(b"lent data"));
        // SAFETY: nothing has ended the loan.
        let lent = unsafe { std::slice::from_raw_parts(at, len) };
        assert_eq!(lent, b"lent data");
        for part in [lent, &lent[3..], &lent[..2]] {
            let (place, text) = given(&mut loan, part);
            assert!(place != part.as_ptr() && text == part);
        }
        assert_eq!(given(&mut loan, &own), (own.as_ptr(), own.clone()));
        loan.end();
        assert_eq!(given(&mut loan, &own), (own.as_ptr(), own.clone()));
    }

    #[test]
    fn no_data_may_be_null() {
        let mut loan = Loan::default();
        // SAFETY: nothing is read.
        unsafe {
            assert_eq!(loan.argument(std::ptr::null(), 0, || Ok(0)).unwrap(), b"");
            assert!(loan.argument(std::ptr::null(), 1, || Ok(0)).is_err());
        }
    }
}
