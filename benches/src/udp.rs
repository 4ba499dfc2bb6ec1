//! Round trips and rates over UDP on loopback, between two threads, against bare sockets.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nacre_driver::Level;
use nacre_runtime::{ConnectionId, Event, Listener, Options, Stack};

use crate::harness::emit;
use crate::here;

const ROUNDS: usize = 20_000;

/// Median round trips in microseconds, and messages a second one way by size.
pub struct Network {
    pub raw_polling: f64,
    pub nacre_polling: f64,
    pub raw_blocking: f64,
    pub nacre_blocking: f64,
    pub rates: Vec<(usize, f64)>,
}

pub fn measure(folder: &Path, file: &Path) -> Result<Network, String> {
    eprintln!("measuring over UDP");
    let stack = load(folder, file)?;
    let raw = raw(folder)?;
    let (mut times, mut rates) = ([Vec::new(), Vec::new(), Vec::new(), Vec::new()], Vec::new());
    for _ in 0..5 {
        times[0].push(bare(&raw, "polling")?);
        times[1].push(round_trip(&stack, true)?);
        times[2].push(bare(&raw, "blocking")?);
        times[3].push(round_trip(&stack, false)?);
    }
    for size in [8, 64, 1024] {
        rates.push((size, rate(&stack, size)?));
    }
    let [raw_polling, nacre_polling, raw_blocking, nacre_blocking] = times.map(median);
    Ok(Network { raw_polling, nacre_polling, raw_blocking, nacre_blocking, rates })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The stack at level inline, as a shared object in this process.
fn load(folder: &Path, file: &Path) -> Result<Stack, String> {
    emit(folder, file, "reliable_plain", Level::Inline, "udp_bench")?;
    let object = folder.join("udp_bench.so");
    run(Command::new("gcc")
        .args(["-std=c11", "-O2", "-shared", "-fPIC", "-I"])
        .arg(folder)
        .arg(folder.join("udp_bench.c"))
        .arg("-o")
        .arg(&object))?;
    // SAFETY: the object was made a moment ago from a stack of ours, and has no initializers.
    unsafe { Stack::load(&object, "udp_bench_stack") }.map_err(|e| e.to_string())
}

fn raw(folder: &Path) -> Result<std::path::PathBuf, String> {
    let program = folder.join("raw");
    run(Command::new("gcc").args(["-std=c11", "-O2"]).arg(here().join("c/raw.c")).arg("-o").arg(&program))?;
    Ok(program)
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Microseconds.
fn bare(program: &Path, mode: &str) -> Result<f64, String> {
    let text = run(Command::new(program).args([&ROUNDS.to_string(), mode]))?;
    text.trim().parse::<f64>().map(|ns| ns / 1e3).map_err(|e| e.to_string())
}

/// A server that echoes messages (or only takes them) until told to stop.
fn server(
    stack: &Stack,
    echo: bool,
    polling: bool,
) -> Result<(SocketAddr, Arc<AtomicBool>, std::thread::JoinHandle<u64>), String> {
    let mut listener =
        Listener::bind("127.0.0.1:0".parse().expect("an address"), Options::default()).map_err(|e| e.to_string())?;
    listener.serve(stack).map_err(|e| e.to_string())?;
    let at = listener.local();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || {
        let mut taken = 0;
        let mut message = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            let mut from = None;
            match next(&mut listener, polling) {
                Some(Event::Delivered { connection, message: m, .. }) => {
                    taken += 1;
                    if echo {
                        message.clear();
                        for part in m.segments() {
                            message.extend_from_slice(part);
                        }
                        from = Some(connection);
                    }
                }
                _ => continue,
            }
            if let Some(connection) = from {
                let _ = listener.send(connection, &message);
            }
        }
        taken
    });
    Ok((at, stop, thread))
}

fn next(listener: &mut Listener, polling: bool) -> Option<Event<'_>> {
    if polling {
        listener.poll()
    } else {
        listener.wait(Some(Duration::from_millis(50))).ok().flatten()
    }
}

fn client(stack: &Stack, to: SocketAddr) -> Result<(Listener, ConnectionId), String> {
    let mut listener =
        Listener::bind("127.0.0.1:0".parse().expect("an address"), Options::default()).map_err(|e| e.to_string())?;
    let id = listener.connect(to, stack).map_err(|e| e.to_string())?;
    Ok((listener, id))
}

/// Median of one run, in microseconds.
fn round_trip(stack: &Stack, polling: bool) -> Result<f64, String> {
    let (at, stop, thread) = server(stack, true, polling)?;
    let (mut listener, id) = client(stack, at)?;
    let data = [7u8; 16];
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        listener.send_blocking(id, &data, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
        loop {
            match next(&mut listener, polling) {
                Some(Event::Delivered { .. }) => break,
                _ if start.elapsed() > Duration::from_secs(5) => return Err("no answer within 5 s".into()),
                _ => {}
            }
        }
        times.push(start.elapsed().as_nanos() as f64 / 1e3);
    }
    stop.store(true, Ordering::Relaxed);
    let _ = thread.join();
    Ok(median(times))
}

/// Messages a second, one way.
fn rate(stack: &Stack, size: usize) -> Result<f64, String> {
    const SECONDS: f64 = 2.0;
    let (at, stop, thread) = server(stack, false, false)?;
    let (mut listener, id) = client(stack, at)?;
    let data = vec![7u8; size];
    let start = Instant::now();
    let mut sent = 0u64;
    while start.elapsed().as_secs_f64() < SECONDS {
        for _ in 0..32 {
            listener.send_blocking(id, &data, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
            sent += 1;
        }
    }
    listener.close_blocking(id, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let taken = thread.join().unwrap_or(0);
    if taken < sent {
        return Err(format!("{sent} messages were sent, {taken} arrived"));
    }
    Ok(sent as f64 / seconds)
}
