//! A harness of libFuzzer for the core of a listener: a server with small tables, three clients, and anybody else.
//!
//! The input is a program: two bytes of setup, then operations of one byte and their arguments (`World::step`). Frames are
//! those that clients and server have sent, whole, damaged, or from another address; greetings with any identification; and
//! control frames of every kind, with labels that were seen on the way. After each operation the limits of the server
//! must hold, at the end nothing may be left. What programs have reached is counted, and printed at the end.
//!
//! Linked with a stack that is given keys, the harness runs programs of `secure` instead.

mod book;
mod counts;
mod input;
mod pools;
mod secure;
mod world;

use counts::{reached, report};
use input::Input;
use nacre_runtime::ffi::NacreStack;
use nacre_runtime::Stack;
use secure::SecureWorld;
use std::sync::OnceLock;
use world::World;

extern "C" {
    static inline_stack: NacreStack;
}

/// The stack of clients, and the same for the server, whose pools are observed.
fn stacks() -> &'static [Stack; 2] {
    static STACKS: OnceLock<[Stack; 2]> = OnceLock::new();
    // SAFETY: the descriptor is a constant of the emitted C that is linked with this harness.
    let stack = |raw| unsafe { Stack::from_raw(raw) }.expect("a stack");
    STACKS.get_or_init(|| [stack(&raw const inline_stack), stack(pools::observed(&raw const inline_stack))])
}

/// Runs one program of a secure stack.
fn run_secure(input: &mut Input) {
    let mut world = SecureWorld::new(&stacks()[0], input);
    while !input.0.is_empty() && world.may_go_on() {
        world.step(input);
    }
    world.end();
    std::mem::take(&mut world.reached).into_iter().for_each(|(what, count)| reached(what, count));
    reached("programs", 1);
}

/// Runs one program. Called by libFuzzer.
///
/// # Safety
/// `data` points to `len` bytes.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, len: usize) -> i32 {
    static AT_EXIT: OnceLock<()> = OnceLock::new();
    extern "C" {
        fn atexit(function: extern "C" fn()) -> i32;
    }
    // SAFETY: a function that may be called at any time.
    AT_EXIT.get_or_init(|| assert_eq!(unsafe { atexit(report) }, 0));
    // SAFETY: promised by the caller; libFuzzer may pass NULL for nothing.
    let bytes = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, len) } };
    let mut input = Input(bytes);
    if stacks()[0].is_secure() {
        run_secure(&mut input);
        return 0;
    }
    let mut world = World::new(stacks(), &mut input);
    while !input.0.is_empty() && world.may_go_on() {
        world.step(&mut input);
    }
    world.end();
    reached("programs", 1);
    0
}
