//! A box whose memory is overwritten when its content is dropped, for values of other libraries that hold secrets.

use std::alloc::{dealloc, Layout};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use zeroize::Zeroize;

/// A value on the heap; nothing of it is left there afterwards.
pub(crate) struct Erased<T>(NonNull<T>);

// SAFETY: it owns its value, as a `Box` does.
unsafe impl<T: Send> Send for Erased<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Erased<T> {}

impl<T> Erased<T> {
    /// Moves a value to the heap.
    pub(crate) fn new(value: T) -> Erased<T> {
        Erased(NonNull::from(Box::leak(Box::new(value))))
    }
}

impl<T> Deref for Erased<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: it came from a box, and lives as long as this.
        unsafe { self.0.as_ref() }
    }
}

impl<T> DerefMut for Erased<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and this is the only reference.
        unsafe { self.0.as_mut() }
    }
}

impl<T> Drop for Erased<T> {
    fn drop(&mut self) {
        let layout = Layout::new::<T>();
        // SAFETY: the pointer came from a box of this type, whose value is dropped once; its bytes are not a value any
        // more when they are overwritten, and are freed with the layout that the box had.
        unsafe {
            std::ptr::drop_in_place(self.0.as_ptr());
            if layout.size() > 0 {
                let bytes = self.0.as_ptr().cast::<std::mem::MaybeUninit<u8>>();
                std::slice::from_raw_parts_mut(bytes, layout.size()).zeroize();
                dealloc(self.0.as_ptr().cast(), layout);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Erased;
    use std::rc::Rc;

    #[test]
    fn content_is_reached_and_dropped_once() {
        let shared = Rc::new(5);
        let mut held = Erased::new((Rc::clone(&shared), 7));
        let (counted, number) = &mut *held;
        *number += 1;
        assert_eq!((**counted, *number, Rc::strong_count(&shared)), (5, 8, 2));
        drop(held);
        assert_eq!(Rc::strong_count(&shared), 1);
    }
}
