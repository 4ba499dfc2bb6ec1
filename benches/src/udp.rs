//! Measures round trips and rates over UDP on loopback, between two threads, compared with plain sockets.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nacre_driver::Level;
use nacre_runtime::{ConnectionId, Event, Keys, Listener, Options, Stack, HOST_SOURCE};

use crate::harness::emit;
use crate::place::here;

/// The round trips of one run.
pub const ROUNDS: usize = 4_000;
/// The runs of each variant, which alternate; each pair of runs gives one ratio.
pub const RUNS: usize = 25;
/// The runs of the one-way rates, and the duration of each.
const RATE_RUNS: usize = 5;
const RATE_SECONDS: f64 = 0.5;
/// The pairs of runs that compare a stack that encrypts with the same one without.
const PAIRS: usize = 15;

/// The round trips, and the one-way messages per second by size.
pub struct Network {
    pub polling: RoundTrip,
    pub blocking: RoundTrip,
    pub rates: Vec<(usize, f64)>,
    /// By size: the rate of `encrypted_reliable` divided by that of `reliable_plain`, and the quartiles.
    pub encrypted: Vec<(usize, f64, (f64, f64))>,
}

/// Medians over the runs: of the median round trip of a run, in microseconds, and of the ratio of two consecutive runs,
/// with the quartiles of these ratios.
pub struct RoundTrip {
    pub raw: f64,
    pub nacre: f64,
    pub ratio: f64,
    pub quarters: (f64, f64),
}

/// Compiles the stack in `file` and measures it over loopback; build products are written to `folder`.
pub fn measure(folder: &Path, file: &Path) -> Result<Network, String> {
    eprintln!("measuring over UDP");
    let (stack, secure) = (load(folder, file, PLAIN)?, load(folder, file, "encrypted_reliable")?);
    let raw = raw(folder)?;
    let polling = compare(&raw, &stack, true)?;
    let blocking = compare(&raw, &stack, false)?;
    let mut rates = Vec::new();
    for size in [8, 64, 1024] {
        let runs = (0..RATE_RUNS).map(|_| rate(&stack, size)).collect::<Result<Vec<f64>, String>>()?;
        rates.push((size, quantile(runs, 0.5)));
    }
    let encrypted = [64, 1024].into_iter().map(|size| encrypted(&stack, &secure, size)).collect::<Result<_, _>>()?;
    Ok(Network { polling, blocking, rates, encrypted })
}

/// Alternates runs of a stack that encrypts and of the same one without.
fn encrypted(plain: &Stack, secure: &Stack, size: usize) -> Result<(usize, f64, (f64, f64)), String> {
    let pair = || Ok(rate(secure, size)? / rate(plain, size)?);
    let ratios = (0..PAIRS).map(|_| pair()).collect::<Result<Vec<f64>, String>>()?;
    let [low, middle, high] = [0.25, 0.5, 0.75].map(|part| quantile(ratios.clone(), part));
    Ok((size, middle, (low, high)))
}

/// Alternates runs of plain sockets and of the runtime, so that other load of the machine affects both.
fn compare(raw: &Path, stack: &Stack, polling: bool) -> Result<RoundTrip, String> {
    let mode = if polling { "polling" } else { "blocking" };
    let mut pairs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        pairs.push((bare(raw, mode)?, round_trip(stack, polling)?));
    }
    let ratios: Vec<f64> = pairs.iter().map(|(raw, nacre)| nacre / raw).collect();
    let (raw, nacre) = pairs.into_iter().unzip();
    let quarters = (quantile(ratios.clone(), 0.25), quantile(ratios.clone(), 0.75));
    Ok(RoundTrip { raw: quantile(raw, 0.5), nacre: quantile(nacre, 0.5), ratio: quantile(ratios, 0.5), quarters })
}

/// Returns the quantile of the values at this fraction.
fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() as f64 * part) as usize]
}

/// The stack that is measured by itself.
pub const PLAIN: &str = "reliable_plain";

/// The symbol of the descriptor in the shared object that `load` builds.
pub fn symbol(stack: &str) -> String {
    format!("udp_{stack}_stack")
}

/// The shared object that `load` builds.
pub fn object(folder: &Path, stack: &str) -> PathBuf {
    folder.join(format!("udp_{stack}.so"))
}

/// Builds a stack at level inline as a shared object, and loads it into this process.
pub fn load(folder: &Path, file: &Path, stack: &str) -> Result<Stack, String> {
    let prefix = format!("udp_{stack}");
    emit(folder, file, stack, Level::Inline, &prefix)?;
    let (object, host) = (object(folder, stack), folder.join("nacre_host.c"));
    std::fs::write(&host, HOST_SOURCE).map_err(|e| e.to_string())?;
    run(Command::new("gcc")
        .args(["-std=c11", "-O2", "-shared", "-fPIC", "-I"])
        .arg(folder)
        .args([folder.join(format!("{prefix}.c")), host])
        .arg("-o")
        .arg(&object))?;
    // SAFETY: the object was just built from a stack of this project, and has no initializers.
    unsafe { Stack::load(&object, &symbol(stack)) }.map_err(|e| e.to_string())
}

fn raw(folder: &Path) -> Result<std::path::PathBuf, String> {
    let program = folder.join("raw");
    run(Command::new("gcc").args(["-std=c11", "-O2", "-pthread"]).arg(here().join("c/raw.c")).arg("-o").arg(&program))?;
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

/// A server that echoes messages (or only receives them) until it is stopped.
fn server(
    stack: &Stack,
    echo: bool,
    polling: bool,
) -> Result<(SocketAddr, Arc<AtomicBool>, std::thread::JoinHandle<u64>), String> {
    let mut listener =
        Listener::bind("127.0.0.1:0".parse().expect("an address"), options(1)).map_err(|e| e.to_string())?;
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

/// With keys, for stacks that encrypt.
fn options(end: u8) -> Options {
    Options { keys: Some(Keys::from_bytes(&[end + 1; 32])), ..Options::default() }
}

fn client(stack: &Stack, to: SocketAddr) -> Result<(Listener, ConnectionId), String> {
    let mut listener =
        Listener::bind("127.0.0.1:0".parse().expect("an address"), options(0)).map_err(|e| e.to_string())?;
    let id = listener.connect(to, stack).map_err(|e| e.to_string())?;
    Ok((listener, id))
}

/// Returns the median of one run, in microseconds.
fn round_trip(stack: &Stack, polling: bool) -> Result<f64, String> {
    let (at, stop, thread) = server(stack, true, polling)?;
    let (mut listener, id) = client(stack, at)?;
    let data = [7u8; 16];
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        listener.send_blocking(id, &data, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
        // This number of turns without an answer takes some seconds. Reading the clock in each turn would add to the
        // measured time.
        let mut turns = 0;
        while !matches!(next(&mut listener, polling), Some(Event::Delivered { .. })) {
            turns += 1;
            if turns > 10_000_000 {
                return Err("no answer".into());
            }
        }
        times.push(start.elapsed().as_nanos() as f64 / 1e3);
    }
    stop.store(true, Ordering::Relaxed);
    let _ = thread.join();
    Ok(quantile(times, 0.5))
}

/// Returns the messages per second in one direction.
fn rate(stack: &Stack, size: usize) -> Result<f64, String> {
    let (at, stop, thread) = server(stack, false, false)?;
    let (mut listener, id) = client(stack, at)?;
    let data = vec![7u8; size];
    // The handshake is not part of the rate.
    listener.send_blocking(id, &data, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let mut sent = 0u64;
    while start.elapsed().as_secs_f64() < RATE_SECONDS {
        for _ in 0..32 {
            listener.send_blocking(id, &data, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
            sent += 1;
        }
    }
    listener.close_blocking(id, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let taken = thread.join().unwrap_or(0);
    if taken < sent + 1 {
        return Err(format!("{sent} messages were sent, {taken} arrived"));
    }
    Ok(sent as f64 / seconds)
}
