//! The message pool of a stack.
//!
//! Invariant: the region is as large and aligned as the descriptor asks for `blocks` blocks, and `pool_init` has made
//! it a pool.

use crate::error::Error;
use crate::region::Region;
use crate::stack::Stack;
use std::sync::atomic::{AtomicU64, Ordering};

/// The message pool of one connection, or of many connections of one stack in one thread.
#[derive(Debug)]
pub struct Pool {
    pub(crate) stack: Stack,
    pub(crate) region: Region,
    blocks: u32,
    /// So that an instance is never run with another's pool.
    pub(crate) id: u64,
}

static POOLS: AtomicU64 = AtomicU64::new(1);

impl Pool {
    /// Makes an empty pool of `blocks` blocks, or of as many as one connection can hold if that is more.
    ///
    /// Errors: `Invalid` if the size does not fit the machine; `Full` if there is no memory for it.
    pub fn new(stack: &Stack, blocks: u32) -> Result<Pool, Error> {
        let raw = stack.raw();
        let blocks = blocks.max(raw.blocks_for_one);
        let too_large = || Error::Invalid(format!("a pool of {blocks} blocks is too large"));
        let size = (blocks as usize)
            .checked_mul(raw.pool_per_block as usize)
            .and_then(|bytes| bytes.checked_add(raw.pool_base as usize))
            .ok_or_else(too_large)?;
        let mut region = Region::new(size, raw.pool_align as usize)?;
        // SAFETY: the region has the size and alignment that the descriptor asks for this number of blocks.
        unsafe { (raw.pool_init)(region.as_mut_ptr(), blocks) };
        Ok(Pool { stack: stack.clone(), region, blocks, id: POOLS.fetch_add(1, Ordering::Relaxed) })
    }

    /// Free blocks.
    pub fn free(&self) -> u32 {
        // SAFETY: the region is an initialized pool.
        unsafe { (self.stack.raw().pool_free)(self.region.as_ptr()) }
    }

    /// All blocks.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }
}
