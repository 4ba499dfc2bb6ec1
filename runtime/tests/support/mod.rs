//! Shared code of the tests: hand-written stacks compiled by the C compiler, and addresses.
#![allow(dead_code)]

use nacre_runtime::{Event, Listener, Options, Stack};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The time limit of every operation in a test.
pub const LONG: Option<Duration> = Some(Duration::from_secs(20));

/// The folder of `nacre.h`.
pub fn header_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/backends/c/src")
}

/// A folder for the outputs of a test; removed when it is dropped.
pub fn scratch() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Runs the C compiler (`$CC`, or `cc`).
pub fn cc(arguments: &[&str]) {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let output = Command::new(compiler).args(arguments).output().expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn compile(name: &str, fingerprint: u64, more: &[&str]) -> Stack {
    // The object may be removed once it is loaded.
    let folder = scratch();
    let object = folder.path().join(format!("{name}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stack/window.c");
    let defines = [
        format!("-DFINGERPRINT={fingerprint:#x}u"),
        format!("-DDESCRIPTION=\"{name}<8> / floor\""),
        "-DSYMBOL=nacre_stack_window".to_string(),
    ];
    let include = format!("-I{}", header_dir().display());
    let mut arguments = vec!["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", &include];
    arguments.extend(defines.iter().map(String::as_str));
    arguments.extend(more);
    let (source, output) = (source.display().to_string(), object.display().to_string());
    arguments.extend([source.as_str(), "-o", output.as_str()]);
    cc(&arguments);
    // SAFETY: the object was just compiled from a stack that implements nacre.h.
    unsafe { Stack::load(&object, "nacre_stack_window") }.unwrap()
}

/// A reliable window over a floor.
pub fn window() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    STACK.get_or_init(|| compile("window", 0x1122_3344_5566_7788, &[])).clone()
}

/// The same with another fingerprint.
pub fn other() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    STACK.get_or_init(|| compile("other", 0x99aa_bbcc_ddee_ff00, &[])).clone()
}

/// Another version of the first: the same description with another fingerprint.
pub fn newer() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    let same = "-DDESCRIPTION=\"window<8> / floor\"";
    STACK.get_or_init(|| compile("newer", 0x0102_0304_0506_0708, &["-UDESCRIPTION", same])).clone()
}

/// The same with keys.
pub fn secure() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    let folder = scratch();
    let host = folder.path().join("nacre_host.c");
    std::fs::write(&host, nacre_runtime::HOST_SOURCE).expect("written");
    let host = host.display().to_string();
    STACK.get_or_init(|| compile("secure", 0x5ec0_0000_0000_0001, &["-DSECURE", &host])).clone()
}

/// The same without preamble and floor.
pub fn bare() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    STACK.get_or_init(|| compile("bare", 5, &["-DBARE"])).clone()
}

pub fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// A listener on the loopback that serves a stack.
pub fn server(stack: &Stack, options: Options) -> Listener {
    let mut listener = Listener::bind(loopback(), options).unwrap();
    listener.serve(stack).unwrap();
    listener
}

/// The name of an event, with its bytes.
pub fn word(event: Event<'_>) -> String {
    match event {
        Event::Arrived { .. } => "arrived".into(),
        Event::Opened { .. } => "opened".into(),
        Event::Delivered { message, .. } => {
            format!("delivered {}", String::from_utf8_lossy(&message.to_vec()))
        }
        Event::Writable { .. } => "writable".into(),
        Event::Moved { from, to, .. } => format!("moved from {from} to {to}"),
        Event::Closed { reason, words: None, .. } => format!("closed {reason:?}"),
        Event::Closed { reason, words: Some(words), .. } => format!("closed {reason:?}: {words}"),
        Event::OtherStack(what) => format!("other stack: {}", what.description()),
        Event::Error { cause, .. } => format!("error {:?}", cause.kind()),
        Event::Other { event, .. } => format!("other {event}"),
    }
}

/// Drives listeners in turn until `done` holds, and collects the events of each as text.
pub fn run_until(listeners: &mut [&mut Listener], mut done: impl FnMut(&[Vec<String>]) -> bool) -> Vec<Vec<String>> {
    let mut words = vec![Vec::new(); listeners.len()];
    let end = Instant::now() + Duration::from_secs(20);
    while !done(&words) {
        assert!(Instant::now() < end, "not done in time: {words:?}");
        for (listener, words) in listeners.iter_mut().zip(&mut words) {
            while let Some(event) = listener.poll() {
                words.push(word(event));
            }
        }
    }
    words
}
