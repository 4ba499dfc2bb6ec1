//! STREAMS from Rust: hosts, streams and devices of the library that `import::write_streams` writes (streams/host.h).
//!
//! A host and what belongs to it stay in one thread.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::{c_char, c_int, CStr, CString};
use std::io;
use std::path::Path;
use std::ptr::null_mut;
use std::rc::Rc;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::import::STREAMS;
use crate::raw::{Block, Buffer, Calls, DeviceCalls, Environment, Raw};

/// The loaded library. It stays loaded as long as the process runs: capsules refer to it.
#[derive(Clone, Copy)]
pub struct Streams {
    calls: &'static Calls,
}

impl Streams {
    /// Loads the library from a folder that an import has written to.
    pub fn load(folder: &Path) -> io::Result<Streams> {
        let wrong = |error: libloading::Error| io::Error::other(error.to_string());
        // SAFETY: the library runs no code when it is loaded, and its routines are those of streams/host.h.
        let calls = unsafe {
            let library = Library::open(Some(folder.join(STREAMS)), RTLD_NOW | RTLD_GLOBAL).map_err(wrong)?;
            let calls = Calls::of(&library).map_err(wrong)?;
            std::mem::forget(library);
            calls
        };
        Ok(Streams { calls: Box::leak(Box::new(calls)) })
    }
}

/// What a host's environment refers to.
struct World {
    clock: Rc<Cell<u64>>,
    random: Cell<u64>,
    log: RefCell<Vec<String>>,
    devices: RefCell<Vec<Rc<Frames>>>,
}

/// The frames that a device has sent.
type Frames = RefCell<VecDeque<Vec<u8>>>;

extern "C" fn now(context: Raw) -> u64 {
    // SAFETY: the context of a host is its world, which outlives it.
    unsafe { (*context.cast::<World>()).clock.get() }
}

extern "C" fn random(context: Raw, bytes: *mut u8, count: usize) {
    // SAFETY: as above; the library gives the bounds of its buffer.
    let (world, bytes) = unsafe { (&*context.cast::<World>(), std::slice::from_raw_parts_mut(bytes, count)) };
    for byte in bytes {
        // Xorshift: good enough for a simulation, and for nothing else.
        let mut state = world.random.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        world.random.set(state);
        *byte = (state >> 32) as u8;
    }
}

extern "C" fn log(context: Raw, line: *const c_char) {
    // SAFETY: as above; the line ends with a zero.
    let (world, line) = unsafe { (&*context.cast::<World>(), CStr::from_ptr(line)) };
    world.log.borrow_mut().push(line.to_string_lossy().into_owned());
}

fn done(error: c_int) -> io::Result<()> {
    match error {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn text(text: &str) -> io::Result<CString> {
    CString::new(text).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
}

/// A host of STREAMS with a clock of its own and seeded random numbers: for simulations and tests.
#[derive(Clone)]
pub struct Host {
    open: Rc<Open>,
}

/// A host as long as something of it is used.
struct Open {
    calls: &'static Calls,
    raw: Raw,
    world: Box<World>,
}

impl Host {
    /// `clock`: nanoseconds.
    pub fn open(library: Streams, clock: Rc<Cell<u64>>, seed: u64) -> io::Result<Host> {
        let random_state = Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let world =
            Box::new(World { clock, random: random_state, log: RefCell::default(), devices: RefCell::default() });
        let environment = Environment {
            context: (&raw const *world).cast_mut().cast(),
            now: Some(now),
            random: Some(random),
            allocate: None,
            release: None,
            log: Some(log),
            memory: 0,
            cache: 0,
        };
        // SAFETY: the environment is valid, and its context lives as long as the host.
        let raw = unsafe { (library.calls.str_host_open)(&environment) };
        if raw.is_null() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        Ok(Host { open: Rc::new(Open { calls: library.calls, raw, world }) })
    }

    /// Runs the timeouts that are due, and serves queues until none is enabled.
    pub fn work(&self) {
        // SAFETY: the host is open.
        while unsafe { (self.open.calls.str_tick)(self.open.raw) || (self.open.calls.str_run)(self.open.raw) } {}
    }

    /// The time of the next timeout.
    pub fn deadline(&self) -> u64 {
        // SAFETY: as above.
        unsafe { (self.open.calls.str_deadline)(self.open.raw) }
    }

    /// The message blocks that are allocated.
    pub fn live_blocks(&self) -> usize {
        // SAFETY: as above.
        unsafe { (self.open.calls.str_live_blocks)(self.open.raw) }
    }

    /// What modules logged.
    pub fn log(&self) -> Vec<String> {
        self.open.world.log.borrow().clone()
    }

    /// Loads an instance of a capsule; its devices and modules are `name`, or begin with `name.`.
    pub fn load(&self, capsule: &Path, name: &str, options: &[&str]) -> io::Result<Instance> {
        let path = text(&capsule.display().to_string())?;
        let name = text(name)?;
        let options: Vec<CString> = options.iter().map(|option| text(option)).collect::<io::Result<_>>()?;
        let mut pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        pointers.push(std::ptr::null());
        let (mut raw, mut why) = (null_mut(), std::ptr::null());
        // SAFETY: the arguments live until the call returns.
        let error = unsafe {
            let (path, name) = (path.as_ptr(), name.as_ptr());
            (self.open.calls.str_load)(self.open.raw, path, name, pointers.as_ptr(), &mut raw, &mut why)
        };
        if error != 0 {
            // SAFETY: after an error it is a text.
            let why = unsafe { CStr::from_ptr(why) }.to_string_lossy().into_owned();
            return Err(io::Error::new(io::Error::from_raw_os_error(error).kind(), why));
        }
        Ok(Instance { open: self.open.clone(), raw })
    }

    /// Creates a device, whose frames are in `Device::sent`.
    pub fn device(&self, name: &str) -> io::Result<Device> {
        static CALLS: DeviceCalls = DeviceCalls { transmit };
        FREE.set(Some(self.open.calls.str_freemsg));
        let sent: Rc<Frames> = Rc::default();
        self.open.world.devices.borrow_mut().push(sent.clone());
        let mut raw = null_mut();
        let context = (&raw const *sent).cast_mut().cast();
        // SAFETY: the frames live as long as the host.
        done(unsafe {
            (self.open.calls.str_device_create)(self.open.raw, text(name)?.as_ptr(), &CALLS, context, &mut raw)
        })?;
        Ok(Device { open: self.open.clone(), raw, sent })
    }

    /// Opens a stream of a device.
    pub fn stream(&self, device: &str) -> io::Result<Stream> {
        let mut raw = null_mut();
        // SAFETY: the host is open.
        done(unsafe { (self.open.calls.str_open)(self.open.raw, text(device)?.as_ptr(), &mut raw) })?;
        Ok(Stream { open: self.open.clone(), raw })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: the host is open.
        unsafe { (self.calls.str_host_close)(self.raw) }
    }
}

extern "C" fn transmit(context: Raw, frame: *mut Block) -> c_int {
    // SAFETY: the context of a device is its list of frames; the frame is a chain of blocks, which this call takes.
    unsafe {
        let sent = &*context.cast::<Frames>();
        let (mut bytes, mut block) = (Vec::new(), frame);
        while !block.is_null() {
            let length = (*block).write.offset_from((*block).read) as usize;
            if length > 0 {
                bytes.extend_from_slice(std::slice::from_raw_parts((*block).read, length));
            }
            block = (*block).continuation;
        }
        sent.borrow_mut().push_back(bytes);
        if let Some(free) = FREE.get() {
            free(frame);
        }
    }
    0
}

thread_local! {
    /// Frees the frames that devices took.
    static FREE: Cell<Option<unsafe extern "C" fn(*mut Block)>> = const { Cell::new(None) };
}

/// A loaded instance of a capsule.
pub struct Instance {
    open: Rc<Open>,
    raw: Raw,
}

impl Instance {
    /// Unloads it. An error (`ResourceBusy`), if streams are open or others hold its data: it then stays.
    pub fn unload(self) -> Result<(), (Instance, io::Error)> {
        // SAFETY: it is loaded.
        match done(unsafe { (self.open.calls.str_unload)(self.raw) }) {
            Ok(()) => Ok(()),
            Err(error) => Err((self, error)),
        }
    }
}

/// A device whose frames the program carries.
pub struct Device {
    open: Rc<Open>,
    raw: Raw,
    sent: Rc<Frames>,
}

impl Device {
    /// Takes the oldest frame that was sent.
    pub fn sent(&self) -> Option<Vec<u8>> {
        self.sent.borrow_mut().pop_front()
    }

    /// Passes a received frame up. `ENOBUFS`: there was no room.
    pub fn receive(&self, frame: &[u8]) -> io::Result<()> {
        // SAFETY: the bytes are copied.
        done(unsafe { (self.open.calls.str_device_receive_bytes)(self.raw, frame.as_ptr(), frame.len()) })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: it is refused while the stream is open; the library then keeps the device until the host closes.
        unsafe { (self.open.calls.str_device_destroy)(self.raw) };
    }
}

/// A message: its control part and its data part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub control: Option<Vec<u8>>,
    pub data: Option<Vec<u8>>,
}

/// A stream.
pub struct Stream {
    open: Rc<Open>,
    raw: Raw,
}

impl Stream {
    /// Pushes a module.
    pub fn push(&self, module: &str) -> io::Result<()> {
        // SAFETY: the stream is open.
        done(unsafe { (self.open.calls.str_push)(self.raw, text(module)?.as_ptr()) })
    }

    /// Links a stream below this one.
    pub fn link(&self, mut lower: Stream) -> io::Result<()> {
        let mut id = 0;
        // SAFETY: both are open.
        done(unsafe { (self.open.calls.str_link)(self.raw, lower.raw, 0, &mut id) })?;
        // It closes when it is unlinked.
        // SAFETY: it is open.
        unsafe { (self.open.calls.str_close)(lower.raw) };
        lower.raw = null_mut();
        Ok(())
    }

    /// Writes data; returns how many bytes were taken. `WouldBlock`: none.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        // SAFETY: the stream is open, and the bytes are copied.
        done(unsafe { (self.open.calls.str_write)(self.raw, bytes.as_ptr(), bytes.len(), &mut written) })?;
        Ok(written)
    }

    /// Sends a message. `WouldBlock`: the stream is full.
    pub fn put(&self, message: &Message) -> io::Result<()> {
        let part = |part: &Option<Vec<u8>>| match part {
            Some(bytes) => Buffer { maxlen: 0, len: bytes.len() as c_int, buf: bytes.as_ptr().cast_mut().cast() },
            None => Buffer { maxlen: 0, len: -1, buf: null_mut() },
        };
        // SAFETY: the stream is open, and the parts are copied.
        done(unsafe { (self.open.calls.str_putmsg)(self.raw, &part(&message.control), &part(&message.data), 0) })
    }

    /// Takes the next message, or a part of it. `WouldBlock`: there is none.
    pub fn get(&self) -> io::Result<Message> {
        let (mut control, mut data) = (vec![0u8; 512], vec![0u8; 65536]);
        let buffer =
            |bytes: &mut Vec<u8>| Buffer { maxlen: bytes.len() as c_int, len: 0, buf: bytes.as_mut_ptr().cast() };
        let (mut first, mut second) = (buffer(&mut control), buffer(&mut data));
        let (mut flags, mut more) = (0, 0);
        // SAFETY: the buffers have the lengths that they state.
        done(unsafe { (self.open.calls.str_getmsg)(self.raw, &mut first, &mut second, &mut flags, &mut more) })?;
        let part = |mut bytes: Vec<u8>, len: c_int| {
            bytes.truncate(usize::try_from(len).ok()?);
            Some(bytes)
        };
        Ok(Message { control: part(control, first.len), data: part(data, second.len) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the stream is open.
            unsafe { (self.open.calls.str_close)(self.raw) }
        }
    }
}
