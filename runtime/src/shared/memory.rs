//! Memory that two processes share. All unsafe code of this transport is here.
//!
//! It is read and written as atomic words only, because the other process may write to it at any time: a word that is
//! read is some value, and a second read may find another.

use rustix::fs::{self, MemfdFlags, SealFlags};
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{null_mut, NonNull};
use std::sync::atomic::AtomicU64;

/// Bytes of a word.
const WORD: usize = 8;

/// The file system of memory that is not in huge pages, of which the system may have none left for a page.
const TMPFS: i128 = 0x0102_1994;

/// Words that are mapped into this process and another one.
#[derive(Debug)]
pub(super) struct Memory {
    words: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: it owns its mapping, which belongs to no thread.
unsafe impl Send for Memory {}
// SAFETY: all access is by atomic words.
unsafe impl Sync for Memory {}

impl Memory {
    /// Makes a memory of `count` words, all 0, whose length nobody can change, and the descriptor that another process
    /// needs to open it.
    ///
    /// Errors: those of the system.
    pub(super) fn create(count: usize) -> io::Result<(Memory, OwnedFd)> {
        let file = fs::memfd_create("nacre", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        fs::ftruncate(&file, (count * WORD) as u64)?;
        fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Memory::map(file.as_fd(), count)?, file))
    }

    /// Opens a memory that another process has made.
    ///
    /// Errors: `InvalidData` if it has another length, or if its length can change: an access behind its end would end
    /// this process. Those of the system.
    pub(super) fn open(file: BorrowedFd<'_>, count: usize) -> io::Result<Memory> {
        let invalid = |text| Err(io::Error::new(io::ErrorKind::InvalidData, text));
        let is_sealed = fs::fcntl_get_seals(file).is_ok_and(|seals| seals.contains(SealFlags::SHRINK));
        if !is_sealed || i128::from(fs::fstatfs(file)?.f_type) != TMPFS {
            return invalid("the peer's shared memory can shrink");
        }
        if u64::try_from(fs::fstat(file)?.st_size) != Ok((count * WORD) as u64) {
            return invalid("the peer's shared memory has another length");
        }
        Memory::map(file, count)
    }

    fn map(file: BorrowedFd<'_>, count: usize) -> io::Result<Memory> {
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address that the system chooses.
        let begin = unsafe { mmap(null_mut(), count * WORD, access, flags, file, 0) }?;
        let words = NonNull::new(begin.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Memory { words, count })
    }
}

impl Deref for Memory {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `count` words are mapped until `drop`, page-aligned, and the file cannot shrink; every bit pattern is
        // a valid word.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.count) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own; no reference to it outlives `self`.
        let _ = unsafe { munmap(self.words.as_ptr().cast(), self.count * WORD) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn both_ends_see_one_memory() {
        let (one, file) = Memory::create(1024).unwrap();
        let other = Memory::open(file.as_fd(), 1024).unwrap();
        one[1023].store(7, Relaxed);
        assert_eq!((other[1023].load(Relaxed), other[0].load(Relaxed), other.len()), (7, 0, 1024));
    }

    #[test]
    fn length_cannot_change() {
        let (_memory, file) = Memory::create(1024).unwrap();
        for len in [0, 4096, 16384] {
            assert!(fs::ftruncate(&file, len).is_err());
        }
        assert!(fs::fcntl_add_seals(&file, SealFlags::WRITE).is_err());
    }

    #[test]
    fn files_that_could_shrink_or_have_another_length_are_refused() {
        let refused = |file: BorrowedFd<'_>| Memory::open(file, 1024).unwrap_err().kind();
        let unsealed = fs::memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        fs::ftruncate(&unsealed, 8192).unwrap();
        assert_eq!(refused(unsealed.as_fd()), io::ErrorKind::InvalidData);
        fs::fcntl_add_seals(&unsealed, SealFlags::GROW).unwrap();
        assert_eq!(refused(unsealed.as_fd()), io::ErrorKind::InvalidData);
        let ordinary = tempfile::tempfile().unwrap();
        ordinary.set_len(8192).unwrap();
        assert_eq!(refused(ordinary.as_fd()), io::ErrorKind::InvalidData);
        for words in [0, 1023, 1025, 1 << 20] {
            let (_memory, file) = Memory::create(words.max(1)).unwrap();
            assert_eq!(refused(file.as_fd()), io::ErrorKind::InvalidData, "{words}");
        }
    }
}
