//! A process without a free file descriptor: what needs one is an error of that operation, the others go on. The limit
//! concerns the whole process, so this test is alone in its file.

mod support;

use nacre_runtime::udp::Udp;
use nacre_runtime::{ConnectionId, Endpoint, Error, Listener, Options, Stack};
use std::fs::File;
use std::io;
use support::*;

/// Sets the limit of this process to its descriptors and at most a few more, and opens these.
fn occupy() -> Vec<File> {
    let used = std::fs::read_dir("/proc/self/fd").expect("the descriptors of this process").count() as u64;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the place of the result is valid.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) }, 0);
    limit.rlim_cur = limit.rlim_max.min(used + 20);
    // SAFETY: a valid limit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    let files: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    assert!(!files.is_empty() && is_out_of_descriptors(&File::open("/dev/null").expect_err("none is free")));
    files
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EMFILE)
}

/// The error names the operation and its cause.
fn assert_clear<T>(result: Result<T, Error>, what: &str) {
    match result.err().expect("no descriptor is free") {
        Error::Io { doing, cause } => {
            assert!(doing == what && is_out_of_descriptors(&cause), "{doing}: {cause}");
        }
        other => panic!("{other}"),
    }
}

/// Sends a message and receives it.
fn exchange(client: &mut Listener, id: ConnectionId, server: &mut Listener, text: &str) {
    client.send_blocking(id, text.as_bytes(), LONG).unwrap();
    let wanted = format!("delivered {text}");
    run_until(&mut [client, server], |words| words[1].contains(&wanted));
}

#[test]
fn operation_without_a_descriptor_is_an_error_and_no_more() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    exchange(&mut client, id, &mut server, "before");
    let folder = scratch();
    let [source, object] = ["one.c", "one.so"].map(|name| folder.path().join(name));
    std::fs::write(&source, "int nothing;").unwrap();
    cc(&["-shared", "-fPIC", &source.display().to_string(), "-o", &object.display().to_string()]);
    // SAFETY: the object has no code.
    let load = || unsafe { Stack::load(&object, "nacre_stack_window") }.expect_err("it has no stack").to_string();

    let occupied = occupy();
    for _ in 0..3 {
        assert_clear(Listener::bind(loopback(), Options::default()), "cannot bind the address");
        assert_clear(Endpoint::connect(server.local(), &window()), "cannot bind the address");
        assert_clear(Endpoint::accept(loopback(), &window(), LONG), "cannot bind the address");
        assert!(is_out_of_descriptors(&Udp::bind(loopback()).expect_err("none is free")));
        exchange(&mut client, id, &mut server, "meanwhile");
    }
    let error = load();
    assert!(error.starts_with("cannot load ") && error.contains("open shared object"), "{error}");
    // A connection needs none.
    let second = client.connect_with(server.local(), &window(), |config| assert!(config.set("floor.identity", 7)));
    let second = second.unwrap();
    exchange(&mut client, second, &mut server, "second");
    client.close(second).unwrap();
    let closed = |words: &[Vec<String>]| words.iter().all(|words| words.contains(&"closed Closed".into()));
    run_until(&mut [&mut client, &mut server], closed);
    drop(occupied);

    let mut endpoint = Endpoint::connect(server.local(), &window()).unwrap();
    endpoint.send(b"after", LONG).unwrap();
    run_until(&mut [&mut server], |words| words[0].contains(&"delivered after".into()));
    let error = load();
    assert!(error.starts_with("cannot find `nacre_stack_window`"), "{error}");
}
