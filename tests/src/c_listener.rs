//! The emitted listener, compiled with two stacks to a shared object, and driven from Rust as the runtime's core is.

use std::cell::RefCell;
use std::ffi::{c_char, c_void, CString};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use nacre_backend_c::INTERFACE;
use nacre_driver::Level;
use nacre_runtime::{listener_header, listener_source, Stack};

use crate::library::find;
use crate::machines::Machines;

/// Results of the interface.
pub const OK: i32 = 0;
pub const REFUSED: i32 = 2;
pub const BUSY: i32 = 3;
pub const INVALID: i32 = 6;
pub const GONE: i32 = 16;
pub const TOO_LONG: i32 = 17;
pub const FULL: i32 = 18;

/// `struct nacre_address`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub bytes: [u8; 32],
    pub len: u8,
    pub network: u8,
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Address {
        let (ip, network) = match address.ip() {
            IpAddr::V4(ip) => (ip.octets().to_vec(), 4),
            IpAddr::V6(ip) => (ip.octets().to_vec(), 8),
        };
        let text = [&ip[..], &address.port().to_be_bytes()].concat();
        let mut bytes = [0; 32];
        bytes[..text.len()].copy_from_slice(&text);
        Address { bytes, len: text.len() as u8, network }
    }
}

impl From<Address> for SocketAddr {
    fn from(address: Address) -> SocketAddr {
        let len = usize::from(address.len);
        let port = u16::from_be_bytes([address.bytes[len - 2], address.bytes[len - 1]]);
        let ip: IpAddr = match len {
            6 => <[u8; 4]>::try_from(&address.bytes[..4]).expect("4 bytes").into(),
            _ => <[u8; 16]>::try_from(&address.bytes[..16]).expect("16 bytes").into(),
        };
        SocketAddr::new(ip, port)
    }
}

#[repr(C)]
struct Segment {
    at: *const u8,
    len: u32,
    reserved: u32,
}

/// `struct nacre_listener_stack`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Served {
    stack: *const c_void,
    served: bool,
    blocks: u32,
    prepare: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *const Address) -> bool>,
}

/// `struct nacre_listener_options`.
#[repr(C)]
pub struct Options {
    abi: u32,
    size: u32,
    host: *mut c_void,
    send: Option<unsafe extern "C" fn(*mut c_void, *const Address, *const Segment, u32)>,
    stacks: *const Served,
    stacks_len: u32,
    pub connections: u32,
    pub connections_per_network: u32,
    pub unconfirmed: u32,
    pub unconfirmed_per_network: u32,
    pub retry_above: u32,
    pub departed: u32,
    pub refusals: u32,
    pub networks: u32,
    pub text_max: u32,
    pub event_bytes: u32,
    pub moves: bool,
    pub identity: u64,
    pub ping_after: u64,
    pub timeout: u64,
    pub linger: u64,
    pub seed: [u8; 32],
}

/// `struct nacre_listener_event`.
#[repr(C)]
struct RawEvent {
    kind: u32,
    stack: u32,
    connection: u64,
    fingerprint: u64,
    arguments: [u64; 4],
    segments: *const Segment,
    text: *const u8,
    address: *const Address,
    segments_len: u32,
    len: u32,
    text_len: u32,
    code: u32,
    reason: u32,
    event: u16,
    has_words: u8,
    is_proven: u8,
}

/// An event, as both listeners report it. Connections have the number of their begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Arrived(u64, SocketAddr),
    Opened(u64),
    Delivered(u64, Vec<u8>, bool),
    Writable(u64),
    Ended(u64, u32, Option<(u32, String)>),
    Moved(u64, SocketAddr),
    Stranger(SocketAddr),
    Other(u64, u16, Vec<u64>, Vec<u8>),
}

impl Seen {
    /// Of the runtime; None: the emitted listener reports it otherwise.
    pub fn of(event: &nacre_runtime::Event, stacks: &[Stack]) -> Option<Seen> {
        use nacre_runtime::Event;
        let serial = |id: &nacre_runtime::ConnectionId| id.to_number() >> 24;
        Some(match event {
            Event::Arrived { connection, from, .. } => Seen::Arrived(serial(connection), *from),
            Event::Opened { connection, .. } => Seen::Opened(serial(connection)),
            Event::Delivered { connection, is_proven, message, .. } => {
                Seen::Delivered(serial(connection), message.to_vec(), *is_proven)
            }
            Event::Writable { connection } => Seen::Writable(serial(connection)),
            Event::Closed { connection, reason, words } => {
                let words = words.as_ref().map(|words| (words.code, words.text.clone()));
                Seen::Ended(serial(connection), *reason as u32, words)
            }
            Event::Moved { connection, to, .. } => Seen::Moved(serial(connection), *to),
            Event::OtherStack(other) if other.connection.is_none() => Seen::Stranger(other.peer),
            Event::OtherStack(_) => return None,
            Event::Error { peer, cause, .. } => panic!("{peer}: {cause}"),
            Event::Other { connection, event, arguments, message, .. } => {
                let count = stacks[0].events().get(usize::from(*event)).map_or(0, |event| event.arguments);
                let arguments = arguments[..usize::from(count)].to_vec();
                Seen::Other(serial(connection), *event, arguments, message.to_vec())
            }
        })
    }
}

/// The seed in bytes that the runtime makes of a number.
pub fn seed_bytes(mut seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    for four in bytes.chunks_mut(4) {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11_634_580_027_462_260_723);
        let mixed = (((seed >> 18) ^ seed) >> 27) as u32;
        four.copy_from_slice(&mixed.rotate_right((seed >> 59) as u32).to_le_bytes());
    }
    bytes
}

/// Stacks with a listener, in a shared object.
pub struct Library {
    handle: *mut c_void,
    pub stacks: Vec<Stack>,
    _folder: tempfile::TempDir,
}

/// What the object has besides the emitted files: descriptors of stacks that say that their frames are short, so that
/// the runtime does not probe the path, which the emitted listener never does.
fn short_frames(names: &[&str]) -> String {
    let includes: String = names.iter().map(|name| format!("#include \"{name}.h\"\n")).collect();
    let copies = names.iter().map(|name| {
        format!(
            "struct nacre_stack {name}_short;\n__attribute__((constructor)) static void fill_{name}(void) {{\n    \
             {name}_short = {name}_stack;\n    {name}_short.frame_data_max = 1000;\n}}\n"
        )
    });
    includes + &copies.collect::<String>()
}

impl Library {
    /// Compiles these stacks of the library, and the listener.
    pub fn new(names: &[&str]) -> Library {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        for name in names {
            let emitted = Machines::new(&find(name)).text(Level::Call);
            write(&format!("{name}.h"), &emitted.header);
            write(&format!("{name}.c"), &emitted.source);
        }
        write("nacre_listener.h", &listener_header(INTERFACE));
        write("nacre_listener.c", &listener_source());
        write("short.c", &short_frames(names));
        let object = folder.path().join("listener.so");
        let mut command = Command::new("cc");
        command.current_dir(folder.path()).args(["-std=c11", "-O1", "-w", "-fPIC", "-shared", "-o", "listener.so"]);
        command.args(["nacre_listener.c", "short.c"]).args(names.iter().map(|name| format!("{name}.c")));
        let ran = command.output().expect("a C compiler");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let load = |name: &&str| {
            // SAFETY: the object was just compiled from the text of the C back end.
            unsafe { Stack::load(Path::new(&object), &format!("{name}_short")) }.expect("a stack")
        };
        let stacks = names.iter().map(load).collect();
        let file = CString::new(object.display().to_string()).expect("no zero byte");
        // SAFETY: as above; it is never closed.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null());
        Library { handle, stacks, _folder: folder }
    }

    fn symbol(&self, name: &str) -> *mut c_void {
        let text = CString::new(name).expect("no zero byte");
        // SAFETY: the handle stays open.
        let at = unsafe { libc::dlsym(self.handle, text.as_ptr()) };
        assert!(!at.is_null(), "{name}");
        at
    }
}

type Datagrams = RefCell<Vec<(SocketAddr, Vec<u8>)>>;

/// A listener in C. It is driven as `nacre_runtime::sans_io::SansIo` is.
pub struct CListener {
    library: Rc<Library>,
    raw: *mut c_void,
    _memory: Vec<u8>,
    datagrams: Box<Datagrams>,
    pub now: u64,
}

/// # Safety
/// The arguments are those of a listener of `CListener::new`.
unsafe extern "C" fn keep(host: *mut c_void, to: *const Address, segments: *const Segment, count: u32) {
    // SAFETY: the host is the box of the listener, which outlives it; the segments are valid for the call.
    unsafe {
        let datagrams = &*host.cast::<Datagrams>();
        datagrams.borrow_mut().push((SocketAddr::from(*to), joined(segments, count)));
    }
}

/// # Safety
/// There are as many segments, which are valid.
unsafe fn joined(segments: *const Segment, count: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for i in 0..count as usize {
        // SAFETY: promised by the caller.
        unsafe {
            let segment = &*segments.add(i);
            bytes.extend_from_slice(std::slice::from_raw_parts(segment.at, segment.len as usize));
        }
    }
    bytes
}

/// Calls a function of the listener by its name.
macro_rules! c {
    ($self:ident . $name:literal ( $($argument:expr => $ty:ty),* ) -> $result:ty) => {{
        // SAFETY: the types are those of nacre_listener.h, and the listener is there.
        let function: unsafe extern "C" fn(*mut c_void $(, $ty)*) -> $result =
            unsafe { std::mem::transmute($self.library.symbol($name)) };
        // SAFETY: as above; what is pointed to is valid for the call.
        unsafe { function($self.raw $(, $argument)*) }
    }};
}

impl CListener {
    /// A listener with the stacks of a library, of which it serves those that `serves` says. None: the options are
    /// invalid.
    pub fn new(
        library: &Rc<Library>,
        connections: u32,
        serves: &[bool],
        prepare: impl FnOnce(&mut Options),
        now: u64,
    ) -> Option<CListener> {
        let names: Vec<*mut c_void> =
            library.stacks.iter().map(|stack| library.symbol(&format!("{}_short", stack.name()))).collect();
        let served = |(stack, served): (&*mut c_void, &bool)| Served {
            stack: stack.cast_const(),
            served: *served,
            blocks: 0,
            prepare: None,
        };
        let stacks: Vec<Served> = names.iter().zip(serves).map(served).collect();
        let datagrams: Box<Datagrams> = Box::default();
        // SAFETY: the functions have these types; the options are filled before they are read.
        unsafe {
            let defaults: unsafe extern "C" fn(*mut Options, u32) =
                std::mem::transmute(library.symbol("nacre_listener_defaults"));
            let size: unsafe extern "C" fn(*const Options) -> usize =
                std::mem::transmute(library.symbol("nacre_listener_size"));
            let init: unsafe extern "C" fn(*mut c_void, usize, *const Options, u64) -> *mut c_void =
                std::mem::transmute(library.symbol("nacre_listener_init"));
            let mut options: Options = std::mem::zeroed();
            defaults(&raw mut options, connections);
            options.host = (&raw const *datagrams).cast_mut().cast();
            options.send = Some(keep);
            (options.stacks, options.stacks_len) = (stacks.as_ptr(), stacks.len() as u32);
            prepare(&mut options);
            let needed = size(&raw const options);
            // It may begin anywhere.
            let mut memory = vec![0xa5_u8; needed + 1];
            let raw = init(memory.as_mut_ptr().add(1).cast(), needed, &raw const options, now);
            let library = library.clone();
            (!raw.is_null()).then_some(CListener { library, raw, _memory: memory, datagrams, now })
        }
    }

    pub fn set_time(&mut self, now: u64) {
        self.now = now;
    }

    pub fn receive(&mut self, from: SocketAddr, frame: &[u8]) -> i32 {
        let from = Address::from(from);
        let (now, at, len) = (self.now, frame.as_ptr(), frame.len() as u32);
        c!(self."nacre_listener_receive"(now => u64, &raw const from => *const Address, at => *const u8, len => u32)
            -> i32)
    }

    /// A call with a frame that is not there.
    pub fn receive_nothing(&mut self, from: SocketAddr) -> i32 {
        let (now, from, frame) = (self.now, Address::from(from), std::ptr::null());
        c!(self."nacre_listener_receive"(now => u64, &raw const from => *const Address, frame => *const u8, 1 => u32)
            -> i32)
    }

    /// The next event; what it names is copied.
    pub fn next_event(&mut self) -> Option<Seen> {
        // SAFETY: plain numbers and pointers.
        let mut event: RawEvent = unsafe { std::mem::zeroed() };
        let now = self.now;
        let is_one = c!(self."nacre_listener_next"(now => u64, &raw mut event => *mut RawEvent) -> bool);
        // SAFETY: what the event names is valid until the next call.
        is_one.then(|| unsafe { seen(&event) })
    }

    /// All that is there to take at this time.
    pub fn events(&mut self) -> Vec<Seen> {
        let mut all = Vec::new();
        loop {
            all.extend(std::iter::from_fn(|| self.next_event()));
            if self.next_deadline() > self.now {
                return all;
            }
        }
    }

    /// `u64::MAX`: never.
    pub fn next_deadline(&self) -> u64 {
        c!(self."nacre_listener_deadline"() -> u64)
    }

    pub fn connect(&mut self, to: SocketAddr, stack: u32) -> Result<u64, i32> {
        let (to, mut id, now) = (Address::from(to), 0_u64, self.now);
        let config: *const c_void = std::ptr::null();
        let result = c!(self."nacre_listener_connect"(now => u64, &raw const to => *const Address, stack => u32,
            config => *const c_void, &raw mut id => *mut u64) -> i32);
        if result == OK {
            Ok(id)
        } else {
            Err(result)
        }
    }

    pub fn send(&mut self, id: u64, message: &[u8]) -> i32 {
        let (now, at, len) = (self.now, message.as_ptr(), message.len() as u32);
        c!(self."nacre_listener_send"(now => u64, id => u64, at => *const u8, len => u32) -> i32)
    }

    pub fn close(&mut self, id: u64, words: Option<(u32, &str)>) -> i32 {
        let (now, (code, text)) = (self.now, words.unwrap_or((0, "")));
        let at = words.map_or(std::ptr::null(), |_| text.as_ptr().cast());
        let len = text.len() as u32;
        c!(self."nacre_listener_close"(now => u64, id => u64, code => u32, at => *const c_char, len => u32) -> i32)
    }

    pub fn refuse(&mut self, id: u64, code: u32, text: &str) -> i32 {
        let (now, at, len) = (self.now, text.as_ptr().cast(), text.len() as u32);
        c!(self."nacre_listener_refuse"(now => u64, id => u64, code => u32, at => *const c_char, len => u32) -> i32)
    }

    pub fn discard(&mut self, id: u64) -> i32 {
        let now = self.now;
        c!(self."nacre_listener_discard"(now => u64, id => u64) -> i32)
    }

    pub fn take_datagrams(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        self.datagrams.take()
    }

    pub fn count(&self) -> u32 {
        c!(self."nacre_listener_count"() -> u32)
    }

    /// Whether there is a connection with this id.
    pub fn has(&self, id: u64) -> bool {
        !c!(self."nacre_listener_address"(id => u64) -> *const Address).is_null()
    }

    pub fn is_confirmed(&self, id: u64) -> bool {
        c!(self."nacre_listener_is_confirmed"(id => u64) -> bool)
    }

    /// A statistic by its place in `struct nacre_listener_statistics`.
    pub fn statistic(&self, at: usize) -> u64 {
        let all = c!(self."nacre_listener_statistics"() -> *const u64);
        // SAFETY: the struct has 21 numbers.
        unsafe { *all.add(at.min(21)) }
    }
}

impl Drop for CListener {
    fn drop(&mut self) {
        c!(self."nacre_listener_end"() -> ());
    }
}

/// # Safety
/// What the event names is valid.
unsafe fn seen(event: &RawEvent) -> Seen {
    let serial = event.connection >> 24;
    // SAFETY: promised by the caller.
    unsafe {
        let message = || joined(event.segments, event.segments_len);
        let address = || SocketAddr::from(*event.address);
        match event.kind {
            0 => Seen::Arrived(serial, address()),
            1 => Seen::Opened(serial),
            2 => {
                assert_eq!(message().len(), event.len as usize);
                Seen::Delivered(serial, message(), event.is_proven != 0)
            }
            3 => Seen::Writable(serial),
            4 => {
                let text = match event.text_len {
                    0 => &[][..],
                    len => std::slice::from_raw_parts(event.text, len as usize),
                };
                let words = (event.code, String::from_utf8_lossy(text).into_owned());
                Seen::Ended(serial, event.reason, (event.has_words != 0).then_some(words))
            }
            5 => Seen::Moved(serial, address()),
            6 => Seen::Stranger(address()),
            _ => {
                let arguments = event.arguments;
                Seen::Other(serial, event.event, arguments.to_vec(), message())
            }
        }
    }
}
