//! Planted races, for `tools/thread-sanitizer.sh`: it must find them, in Rust and in C. Nothing else runs them.

mod support;

use std::cell::UnsafeCell;
use std::ffi::CString;

struct Shared(UnsafeCell<u64>);

// SAFETY: not at all, which is the purpose: two threads change it without an order.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(0));

fn in_two_threads(work: impl Fn() + Sync) {
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(&work))));
}

#[test]
#[ignore = "planted: tools/thread-sanitizer.sh must find it"]
fn in_rust() {
    // SAFETY: the place is there; the race is planted.
    in_two_threads(|| unsafe { SHARED.0.get().write_volatile(SHARED.0.get().read_volatile() + 1) });
}

#[test]
#[ignore = "planted: tools/thread-sanitizer.sh must find it"]
fn in_c() {
    let folder = support::scratch();
    let [source, object] = ["race.c", "race.so"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&source, "unsigned long n;\nvoid up(void);\nvoid up(void) { n++; }\n").expect("a file");
    support::cc(&["-shared", "-fPIC", &source, "-o", &object]);
    let object = CString::new(object).expect("no zero");
    // SAFETY: the object was just compiled, and has this function; the race is planted.
    let up: extern "C" fn() = unsafe {
        let loaded = libc::dlopen(object.as_ptr(), libc::RTLD_NOW);
        assert!(!loaded.is_null());
        std::mem::transmute(libc::dlsym(loaded, c"up".as_ptr()))
    };
    in_two_threads(|| up());
}
