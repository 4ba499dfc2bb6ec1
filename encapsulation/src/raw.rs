//! The routines and structures of the library of STREAMS that Rust uses (streams/host.h, streams/capsule.h).

use std::ffi::{c_char, c_int, c_void};

use libloading::os::unix::Library;

/// What C owns.
pub type Raw = *mut c_void;

/// `struct str_environment`.
#[repr(C)]
pub struct Environment {
    pub context: Raw,
    pub now: Option<extern "C" fn(Raw) -> u64>,
    pub random: Option<extern "C" fn(Raw, *mut u8, usize)>,
    pub allocate: Option<extern "C" fn(Raw, usize) -> Raw>,
    pub release: Option<extern "C" fn(Raw, Raw, usize)>,
    pub log: Option<extern "C" fn(Raw, *const c_char)>,
    pub memory: usize,
    pub cache: c_int,
}

/// `struct strbuf`.
#[repr(C)]
pub struct Buffer {
    pub maxlen: c_int,
    pub len: c_int,
    pub buf: Raw,
}

/// `struct str_device_calls`.
#[repr(C)]
pub struct DeviceCalls {
    pub transmit: extern "C" fn(Raw, *mut Block) -> c_int,
}

/// The first members of `struct msgb`.
#[repr(C)]
pub struct Block {
    pub next: *mut Block,
    pub previous: *mut Block,
    pub continuation: *mut Block,
    pub read: *const u8,
    pub write: *const u8,
}

macro_rules! calls {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The routines of the library that are used here.
        pub struct Calls { $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* }

        impl Calls {
            /// # Safety
            /// The library must be the one that `import::write_streams` writes.
            pub unsafe fn of(library: &Library) -> Result<Calls, libloading::Error> {
                Ok(Calls { $($name: *library.get(stringify!($name).as_bytes())?,)* })
            }
        }
    };
}

calls! {
    str_host_open: fn(*const Environment) -> Raw;
    str_host_close: fn(Raw);
    str_run: fn(Raw) -> bool;
    str_tick: fn(Raw) -> bool;
    str_deadline: fn(Raw) -> u64;
    str_live_blocks: fn(Raw) -> usize;
    str_open: fn(Raw, *const c_char, *mut Raw) -> c_int;
    str_close: fn(Raw);
    str_push: fn(Raw, *const c_char) -> c_int;
    str_link: fn(Raw, Raw, c_int, *mut c_int) -> c_int;
    str_write: fn(Raw, *const u8, usize, *mut usize) -> c_int;
    str_putmsg: fn(Raw, *const Buffer, *const Buffer, c_int) -> c_int;
    str_getmsg: fn(Raw, *mut Buffer, *mut Buffer, *mut c_int, *mut c_int) -> c_int;
    str_device_create: fn(Raw, *const c_char, *const DeviceCalls, Raw, *mut Raw) -> c_int;
    str_device_destroy: fn(Raw) -> c_int;
    str_device_receive_bytes: fn(Raw, *const u8, usize) -> c_int;
    str_freemsg: fn(*mut Block);
    str_load: fn(Raw, *const c_char, *const c_char, *const *const c_char, *mut Raw, *mut *const c_char) -> c_int;
    str_unload: fn(Raw) -> c_int;
}
