//! Zeroed memory of a given size and alignment, for a stack's state, pool, config and counters.

use crate::error::Error;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::ffi::c_void;
use std::ptr::NonNull;

/// A region that one value owns. Invariant: `at` came from `alloc_zeroed(layout)` and is given back exactly once.
#[derive(Debug)]
pub(crate) struct Region {
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a region is plain bytes that its owner alone reaches; stacks keep no pointers in them and know no threads
// (design rules 2 and 7).
unsafe impl Send for Region {}

impl Region {
    /// `size` zeroed bytes at a multiple of `align`.
    ///
    /// Errors: `Invalid` if `align` is no power of two or the size overflows; `Full` if there is no memory.
    pub(crate) fn new(size: usize, align: usize) -> Result<Region, Error> {
        let layout = Layout::from_size_align(size.max(1), align.max(8));
        let layout =
            layout.map_err(|_| Error::Invalid(format!("{size} bytes at a multiple of {align}: impossible")))?;
        // SAFETY: the layout's size is not 0.
        let at = unsafe { alloc_zeroed(layout) };
        NonNull::new(at).map(|at| Region { at, layout }).ok_or(Error::Full("memory"))
    }

    pub(crate) fn as_ptr(&self) -> *const c_void {
        self.at.as_ptr().cast()
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.at.as_ptr().cast()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the region is initialized (zeroed, then written by C as bytes) and lives as long as self.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.layout.size()) }
    }

    /// Overwrites all bytes, also where nothing reads them again.
    pub(crate) fn erase(&mut self) {
        for byte in self.bytes_mut() {
            // SAFETY: `byte` is a valid reference.
            unsafe { std::ptr::write_volatile(byte, 0) };
        }
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and &mut self is the only way to it.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the invariant.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Region};

    #[test]
    fn region_is_zeroed_and_aligned() {
        let mut region = Region::new(100, 64).unwrap();
        assert_eq!(region.as_ptr() as usize % 64, 0);
        assert!(region.bytes().iter().all(|byte| *byte == 0));
        region.bytes_mut()[99] = 7;
        assert_eq!(region.bytes()[99], 7);
    }

    #[test]
    fn erased_region_is_zero() {
        let mut region = Region::new(100, 8).unwrap();
        region.bytes_mut().fill(7);
        region.erase();
        assert!(region.bytes().iter().all(|byte| *byte == 0));
    }

    #[test]
    fn odd_alignment_is_refused() {
        assert!(matches!(Region::new(8, 48), Err(Error::Invalid(_))));
        assert!(matches!(Region::new(1 << 60, 8), Err(Error::Full(_))));
    }
}
