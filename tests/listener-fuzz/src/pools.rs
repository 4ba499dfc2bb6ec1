//! The pools that a listener has made: their blocks must come back.

use nacre_runtime::ffi::NacreStack;
use std::ffi::c_void;
use std::sync::{Mutex, OnceLock};

/// The pools of the present program, and their blocks.
static POOLS: Mutex<Vec<(usize, u32)>> = Mutex::new(Vec::new());
static ORIGINAL: OnceLock<(Init, Free)> = OnceLock::new();

type Init = unsafe extern "C" fn(*mut c_void, u32);
type Free = unsafe extern "C" fn(*const c_void) -> u32;

/// A copy of a stack's descriptor that notes the pools which are made.
pub fn observed(original: *const NacreStack) -> *const NacreStack {
    // SAFETY: the caller has the descriptor of an emitted stack, which is constant and can be copied.
    let mut copy = unsafe { std::ptr::read(original) };
    ORIGINAL.get_or_init(|| (copy.pool_init, copy.pool_free));
    copy.pool_init = init;
    Box::leak(Box::new(copy))
}

unsafe extern "C" fn init(pool: *mut c_void, blocks: u32) {
    let (init, _) = ORIGINAL.get().expect("it was noted");
    // SAFETY: the contract is the same.
    unsafe { init(pool, blocks) };
    POOLS.lock().expect("not poisoned").push((pool as usize, blocks));
}

/// Forgets all pools.
pub fn forget() {
    POOLS.lock().expect("not poisoned").clear();
}

/// How many pools were made. Their listener still exists, and all their blocks are free.
pub fn assert_free() -> u64 {
    let pools = POOLS.lock().expect("not poisoned");
    let (_, free) = ORIGINAL.get().expect("it was noted");
    for (pool, blocks) in pools.iter() {
        // SAFETY: the pool still exists.
        assert_eq!(unsafe { free(*pool as *const c_void) }, *blocks, "blocks did not come back");
    }
    pools.len() as u64
}
