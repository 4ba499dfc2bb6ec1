//! Emitted C that runs: compiles a stack, loads it, and drives it through its `nacre_stack`.
#![allow(dead_code)]

use std::ffi::{c_int, c_void, CStr};
use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_backend_c::{write_check, write_with, Level, Options};
use nacre_stack::interpret::{Addr, Value};
use nacre_stack::Stack;

/// The mirror of `nacre.h` that the runtime has; its tests compare it with the header.
#[path = "../../../../../runtime/src/ffi.rs"]
mod ffi;

use ffi::{NacreAddr, NacreIn, NacreOut, NacreOutput, NacreSegment, NacreStack};

impl From<Addr> for NacreAddr {
    fn from(a: Addr) -> NacreAddr {
        NacreAddr { ip: a.ip, port: a.port, family: a.family }
    }
}

type State = *mut c_void;

/// `struct nacre_check`.
#[repr(C)]
pub struct NacreCheck {
    pub stack: *const NacreStack,
    pub broken: u32,
    pub bound: u32,
    #[allow(clippy::type_complexity)]
    pub open_at: unsafe extern "C" fn(State, State, *mut u64, *const c_void, u64, u64, u64, *mut NacreOut) -> c_int,
    pub shown: unsafe extern "C" fn(*const c_void, *const c_void, *mut u8, u32) -> u32,
    pub busy: unsafe extern "C" fn(*const c_void) -> bool,
    pub armed: unsafe extern "C" fn(*const c_void) -> u32,
    pub fire: unsafe extern "C" fn(State, State, *mut u64, u64, u32, *mut NacreOut) -> c_int,
}

/// An output of a stack: port, number of the event, numbers, address, bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub port: u16,
    pub event: u16,
    pub session: u32,
    pub arguments: Vec<u64>,
    pub address: Option<Addr>,
    pub bytes: Option<Vec<u8>>,
}

/// A value in the form of the config struct.
pub fn config_bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Num(n) => n.to_le_bytes().to_vec(),
        Value::Addr(a) => a.bytes().to_vec(),
        Value::Bytes(bytes) => bytes.clone(),
        Value::Set(words) => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
        _ => vec![],
    }
}

/// The first difference of two lists of outputs, with a few bytes of each: complete long frames would be unreadable.
pub fn first_difference(got: &[Output], wanted: &[Output]) -> String {
    let at = got.iter().zip(wanted).position(|(a, b)| a != b).unwrap_or(got.len().min(wanted.len()));
    let bytes = |list: &[Output]| list.get(at).and_then(|o| o.bytes.clone()).unwrap_or_default();
    let (one, two) = (bytes(got), bytes(wanted));
    let place = one.iter().zip(&two).position(|(a, b)| a != b).unwrap_or(one.len().min(two.len()));
    let show = |list: &[Output], bytes: &[u8]| match list.get(at) {
        Some(o) => format!(
            "event {} {:?} {:?}, {} bytes {:02x?}",
            o.event,
            o.arguments,
            o.address,
            bytes.len(),
            &bytes[place..bytes.len().min(place + 16)]
        ),
        None => "nothing".into(),
    };
    let (n, m) = (got.len(), wanted.len());
    format!(
        "number {at} of {n} and {m}, at byte {place}: C has {}, the interpreter {}",
        show(got, &one),
        show(wanted, &two)
    )
}

/// A stack that was compiled and loaded.
pub struct Library {
    _library: libloading::Library,
    stack: *const NacreStack,
    check: *const NacreCheck,
}

impl Library {
    pub fn stack(&self) -> &NacreStack {
        unsafe { &*self.stack }
    }
    pub fn check(&self) -> &NacreCheck {
        unsafe { &*self.check }
    }
}

pub const STRICT: [&str; 6] = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic"];

/// Writes header, source and the source for checkers of a stack; returns the path of the last.
pub fn emit(stack: &Stack, level: Level, folder: &Path) -> PathBuf {
    let prefix = format!("{}_{}", stack.name, level.name());
    let options = Options { prefix: Some(prefix.clone()), ..Options::default() };
    let check = write_check(stack, level, options.clone());
    let text = write_with(stack, level, &|_| None, options);
    std::fs::write(folder.join(format!("{prefix}.h")), text.header).expect("the header is written");
    std::fs::write(folder.join(format!("{prefix}.c")), text.source).expect("the source is written");
    let source = folder.join(format!("{prefix}_check.c"));
    std::fs::write(&source, check).expect("the source is written");
    source
}

/// Compiles with every warning an error.
pub fn compile(compiler: &str, source: &Path, to: &Path, flags: &[&str]) {
    let more = std::env::var("NACRE_TEST_CFLAGS").unwrap_or_default();
    let mut command = Command::new(compiler);
    command.args(STRICT).arg("-Werror").args(flags).args(more.split_whitespace()).arg("-o").arg(to).arg(source);
    let output = command.output().unwrap_or_else(|e| panic!("{compiler}: {e}"));
    assert!(output.status.success(), "{compiler} {}:\n{}", source.display(), String::from_utf8_lossy(&output.stderr));
}

/// Whether a compiler is installed.
pub fn has(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Compiles and loads a stack at a level.
pub fn load(stack: &Stack, level: Level, flags: &[&str], folder: &Path) -> Library {
    let source = emit(stack, level, folder);
    let (object, stack_name) = (source.with_extension("so"), &stack.name);
    compile("cc", &source, &object, &[&["-shared", "-fPIC"], flags].concat());
    unsafe {
        let library = libloading::Library::new(&object).expect("the library loads");
        let name = format!("{}_{}_stack\0", stack.name, level.name());
        let symbol: libloading::Symbol<*const NacreStack> = library.get(name.as_bytes()).expect("the stack is there");
        let stack = *symbol;
        assert_eq!((*stack).size as usize, std::mem::size_of::<NacreStack>());
        let name = format!("{}_{}_check\0", stack_name, level.name());
        let symbol: libloading::Symbol<*const NacreCheck> = library.get(name.as_bytes()).expect("the check is there");
        let check = *symbol;
        assert!(std::ptr::eq((*check).stack, stack));
        Library { stack, check, _library: library }
    }
}

/// A connection.
pub struct Live<'l> {
    stack: &'l NacreStack,
    check: &'l NacreCheck,
    state: Vec<u64>,
    pool: Vec<u64>,
    pub counters: Vec<u64>,
    outputs: Vec<NacreOutput>,
    segments: Vec<NacreSegment>,
    bytes: Vec<u8>,
}

impl<'l> Live<'l> {
    pub fn new(library: &'l Library, blocks: u32) -> Live<'l> {
        let stack = library.stack();
        let words = |bytes: u32| vec![0x5a5a_5a5a_5a5a_5a5au64; (bytes as usize).div_ceil(8)];
        let mut pool = words(stack.pool_base + blocks * stack.pool_per_block);
        unsafe { (stack.pool_init)(pool.as_mut_ptr().cast(), blocks) };
        let address = NacreAddr { ip: [0; 16], port: 0, family: 0 };
        let output = NacreOutput {
            port: 0,
            event: 0,
            session: 0,
            len: 0,
            segments_len: 0,
            segments: std::ptr::null(),
            arguments: [0; 4],
            address,
            reserved: 0,
        };
        let segment = NacreSegment { at: std::ptr::null(), len: 0, reserved: 0 };
        Live {
            stack,
            check: library.check(),
            state: words(stack.state_size),
            pool,
            counters: vec![0; stack.counters_len as usize],
            outputs: vec![output; stack.outputs_max as usize],
            segments: vec![segment; stack.segments_max as usize],
            bytes: vec![0; stack.bytes_max as usize],
        }
    }

    fn step(
        &mut self,
        run: impl FnOnce(&NacreStack, State, State, *mut u64, *mut NacreOut) -> c_int,
    ) -> (i32, Vec<Output>) {
        // Borrowed outputs are invalid now.
        self.bytes.fill(0xee);
        let mut out = NacreOut {
            abi: 1,
            size: std::mem::size_of::<NacreOut>() as u32,
            outputs_len: 0,
            outputs_max: self.outputs.len() as u32,
            segments_len: 0,
            segments_max: self.segments.len() as u32,
            bytes_len: 0,
            bytes_max: self.bytes.len() as u32,
            outputs: self.outputs.as_mut_ptr(),
            segments: self.segments.as_mut_ptr(),
            bytes: self.bytes.as_mut_ptr(),
        };
        let (state, pool) = (self.state.as_mut_ptr().cast(), self.pool.as_mut_ptr().cast());
        let result = run(self.stack, state, pool, self.counters.as_mut_ptr(), &mut out);
        unsafe { (self.stack.settle)(state, pool, self.counters.as_mut_ptr(), &mut out) };
        let outputs = (0..out.outputs_len as usize).map(|i| self.output(&self.outputs[i])).collect();
        (result, outputs)
    }

    fn output(&self, o: &NacreOutput) -> Output {
        let event = unsafe { &*self.stack.events.add(o.event as usize) };
        let bytes = (!o.segments.is_null()).then(|| {
            let segments = unsafe { std::slice::from_raw_parts(o.segments, o.segments_len as usize) };
            let bytes: Vec<u8> = segments
                .iter()
                .flat_map(|s| unsafe { std::slice::from_raw_parts(s.at, s.len as usize) })
                .copied()
                .collect();
            assert_eq!(bytes.len(), o.len as usize);
            bytes
        });
        let a = o.address;
        Output {
            port: o.port,
            event: o.event,
            session: o.session,
            arguments: o.arguments[..event.arguments as usize].to_vec(),
            address: (event.has_address != 0).then_some(Addr { ip: a.ip, port: a.port, family: a.family }),
            bytes,
        }
    }

    fn config(&self, givens: &[(String, Vec<u8>)]) -> Vec<u64> {
        let mut config = vec![0u64; (self.stack.config_size as usize).div_ceil(8)];
        unsafe { (self.stack.config_default)(config.as_mut_ptr().cast()) };
        let bytes = unsafe { std::slice::from_raw_parts_mut(config.as_mut_ptr().cast::<u8>(), config.len() * 8) };
        for i in 0..self.stack.givens_len as usize {
            let given = unsafe { &*self.stack.givens.add(i) };
            let name = unsafe { CStr::from_ptr(given.name) }.to_str().expect("a name");
            if let Some((_, value)) = givens.iter().find(|(n, _)| n == name) {
                let n = value.len().min(given.size as usize);
                bytes[given.offset as usize..given.offset as usize + n].copy_from_slice(&value[..n]);
            }
        }
        config
    }

    /// `givens`: name and bytes as in the config struct. `first`: the first sequence numbers, as for checkers.
    pub fn open(&mut self, givens: &[(String, Vec<u8>)], first: u64, seed: u64, now: u64) -> (i32, Vec<Output>) {
        let config = self.config(givens);
        let open_at = self.check.open_at;
        self.step(|stack, s, pool, counters, out| unsafe {
            match first {
                0 => (stack.open)(s, pool, counters, config.as_ptr().cast(), seed, now, out),
                first => open_at(s, pool, counters, config.as_ptr().cast(), first, seed, now, out),
            }
        })
    }

    pub fn call(
        &mut self,
        event: u32,
        arguments: &[u64],
        address: Option<Addr>,
        data: &[u8],
        now: u64,
    ) -> (i32, Vec<Output>) {
        let mut numbers = [0; 4];
        numbers[..arguments.len().min(4)].copy_from_slice(&arguments[..arguments.len().min(4)]);
        let address = NacreAddr::from(address.unwrap_or_default());
        self.step(|stack, s, pool, counters, out| unsafe {
            (stack.call)(
                s,
                pool,
                counters,
                now,
                event,
                numbers.as_ptr(),
                &address,
                data.as_ptr(),
                data.len() as u32,
                out,
            )
        })
    }

    pub fn input(&mut self, from: Addr, frame: &[u8], now: u64) -> (i32, Vec<Output>) {
        let from = NacreAddr::from(from);
        self.step(|stack, s, pool, counters, out| unsafe {
            (stack.input)(s, pool, counters, now, &from, frame.as_ptr(), frame.len() as u32, out)
        })
    }

    /// Passes a frame at a lower port.
    pub fn input_at(&mut self, port: u16, session: u32, from: Addr, frame: &[u8], now: u64) -> (i32, Vec<Output>) {
        let Some(enter) = self.stack.enter else {
            return self.input(from, frame, now);
        };
        let from = NacreAddr::from(from);
        let entry = NacreIn {
            abi: 1,
            size: std::mem::size_of::<NacreIn>() as u32,
            port,
            reserved: 0,
            session,
            from: &from,
            frame: frame.as_ptr(),
            len: frame.len() as u32,
            reserved2: 0,
        };
        self.step(|_, s, pool, counters, out| unsafe { enter(s, pool, counters, now, &entry, out) })
    }

    /// Enters a new view, with given values as in `open`.
    pub fn view(&mut self, givens: &[(String, Vec<u8>)], now: u64) -> (i32, Vec<Output>) {
        let view = self.stack.view.expect("the stack has views");
        let config = self.config(givens);
        self.step(|_, s, pool, counters, out| unsafe { view(s, pool, counters, config.as_ptr().cast(), now, out) })
    }

    pub fn tick(&mut self, now: u64) -> (i32, Vec<Output>) {
        self.step(|stack, s, pool, counters, out| unsafe { (stack.tick)(s, pool, counters, now, out) })
    }

    pub fn deadline(&self) -> u64 {
        unsafe { (self.stack.deadline)(self.state.as_ptr().cast()) }
    }

    pub fn accepts(&self, event: u32, len: u32) -> bool {
        unsafe { (self.stack.accepts)(self.state.as_ptr().cast(), self.pool.as_ptr().cast(), event, len) }
    }

    pub fn free(&self) -> u32 {
        unsafe { (self.stack.pool_free)(self.pool.as_ptr().cast()) }
    }

    pub fn canonical(&self) -> Vec<u8> {
        let (state, pool) = (self.state.as_ptr().cast(), self.pool.as_ptr().cast());
        let write = |to: &mut [u8]| unsafe { (self.stack.canonical)(state, pool, to.as_mut_ptr(), to.len() as u32) };
        let len = write(&mut []);
        let mut bytes = vec![0; len as usize];
        write(&mut bytes);
        // With less room, anywhere: the same up to there, and nothing behind.
        const UNTOUCHED: u8 = 0xa5;
        let room = bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() % (bytes.len() + 1);
        let mut less = vec![UNTOUCHED; bytes.len()];
        assert_eq!(write(&mut less[..room]), len, "the length is that of the whole");
        assert!(less[..room] == bytes[..room] && less[room..].iter().all(|byte| *byte == UNTOUCHED));
        bytes
    }

    /// Returns the abstract state, without the parts that a checker erases.
    pub fn shown(&self) -> Vec<u8> {
        let (state, pool) = (self.state.as_ptr().cast(), self.pool.as_ptr().cast());
        let len = unsafe { (self.check.shown)(state, pool, std::ptr::null_mut(), 0) };
        let mut bytes = vec![0; len as usize];
        unsafe { (self.check.shown)(state, pool, bytes.as_mut_ptr(), len) };
        bytes
    }

    pub fn is_busy(&self) -> bool {
        unsafe { (self.check.busy)(self.state.as_ptr().cast()) }
    }

    pub fn armed(&self) -> usize {
        unsafe { (self.check.armed)(self.state.as_ptr().cast()) as usize }
    }

    pub fn fire(&mut self, place: usize, now: u64) -> (i32, Vec<Output>) {
        let fire = self.check.fire;
        self.step(|_, s, pool, counters, out| unsafe { fire(s, pool, counters, now, place as u32, out) })
    }

    pub fn discard(&mut self) {
        unsafe { (self.stack.discard)(self.state.as_mut_ptr().cast(), self.pool.as_mut_ptr().cast()) }
    }
}
