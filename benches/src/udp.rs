//! Measures round trips and rates over UDP on loopback, between two threads, compared with plain sockets.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nacre_driver::Level;
use nacre_runtime::{ConnectionId, Event, Keys, Listener, Options, Stack, HOST_SOURCE};

use crate::harness::emit;

/// The comparison.
const RAW: &str = include_str!("../c/raw.c");
const FLOOD: &str = include_str!("../c/flood.c");
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
    pub rates: Vec<Rates>,
    /// By size: the rate of `encrypted_reliable` divided by that of `reliable_plain`, and the quartiles.
    pub encrypted: Vec<(usize, f64, (f64, f64))>,
}

/// Messages per second in one direction, by who sends them; medians of alternating runs.
pub struct Rates {
    pub size: usize,
    /// A system call for each datagram; the system divides and joins datagrams.
    pub raw: [f64; 2],
    /// A system call for each frame; frames gathered.
    pub nacre: [f64; 2],
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
    let at = |stack: &str| load(folder, file, stack, Level::Bypass);
    let (stack, secure) = (at(PLAIN)?, at("encrypted_reliable")?);
    let (raw, flood) = (program(folder, "raw", RAW)?, program(folder, "flood", FLOOD)?);
    let polling = compare(&raw, &stack, true)?;
    let blocking = compare(&raw, &stack, false)?;
    let rates = [8, 64, 1024, 1400].into_iter().map(|size| rates(&flood, &stack, size)).collect::<Result<_, _>>()?;
    let encrypted = [64, 1024].into_iter().map(|size| encrypted(&stack, &secure, size)).collect::<Result<_, _>>()?;
    Ok(Network { polling, blocking, rates, encrypted })
}

/// Alternates runs of plain sockets and of the runtime.
fn rates(flood: &Path, stack: &Stack, size: usize) -> Result<Rates, String> {
    let mut runs: [Vec<f64>; 4] = Default::default();
    for _ in 0..RATE_RUNS {
        for (run, how) in runs.iter_mut().zip(["plain", "offload"]) {
            let text = self::run(Command::new(flood).args([&size.to_string(), how]))?;
            run.push(text.trim().parse().map_err(|e| format!("{text}: {e}"))?);
        }
        for (run, gather) in runs[2..].iter_mut().zip([false, true]) {
            run.push(rate_with(stack, size, gather)?);
        }
    }
    let [plain, offload, single, gathered] = runs.map(|run| quantile(run, 0.5));
    Ok(Rates { size, raw: [plain, offload], nacre: [single, gathered] })
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
        pairs.push((bare(raw, mode)?, round_trip(stack, (16, ROUNDS), polling)?));
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

fn prefix(stack: &str, level: Level) -> String {
    format!("udp_{stack}_{}", level.name())
}

/// The symbol of the descriptor in the shared object that `load` builds.
pub fn symbol(stack: &str, level: Level) -> String {
    format!("{}_stack", prefix(stack, level))
}

/// The shared object that `load` builds.
pub fn object(folder: &Path, stack: &str, level: Level) -> PathBuf {
    folder.join(format!("{}.so", prefix(stack, level)))
}

/// Builds a stack as a shared object, and loads it into this process.
pub fn load(folder: &Path, file: &Path, stack: &str, level: Level) -> Result<Stack, String> {
    let prefix = prefix(stack, level);
    emit(folder, file, stack, level, &prefix)?;
    let (object, host) = (object(folder, stack, level), folder.join("nacre_host.c"));
    std::fs::write(&host, HOST_SOURCE).map_err(|e| e.to_string())?;
    run(Command::new("gcc")
        .args(["-std=c11", "-O2", "-shared", "-fPIC", "-I"])
        .arg(folder)
        .args([folder.join(format!("{prefix}.c")), host])
        .arg("-o")
        .arg(&object))?;
    // SAFETY: the object was just built from a stack of this project, and has no initializers.
    unsafe { Stack::load(&object, &symbol(stack, level)) }.map_err(|e| e.to_string())
}

fn program(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let (program, source) = (folder.join(name), folder.join(format!("{name}.c")));
    std::fs::write(&source, text).map_err(|e| e.to_string())?;
    run(Command::new("gcc").args(["-std=c11", "-O2", "-pthread"]).arg(source).arg("-o").arg(&program))?;
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
    gather: bool,
) -> Result<(SocketAddr, Arc<AtomicBool>, std::thread::JoinHandle<u64>), String> {
    let options = Options { gather, ..options(1) };
    let mut listener =
        Listener::bind("127.0.0.1:0".parse().expect("an address"), options).map_err(|e| e.to_string())?;
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

fn client(stack: &Stack, to: SocketAddr, gather: bool) -> Result<(Listener, ConnectionId), String> {
    let options = Options { gather, ..options(0) };
    let mut listener =
        Listener::bind("127.0.0.1:0".parse().expect("an address"), options).map_err(|e| e.to_string())?;
    let id = listener.connect(to, stack).map_err(|e| e.to_string())?;
    Ok((listener, id))
}

/// Returns the median of the round trips of one run, in microseconds. `of`: the bytes of a message, and how many.
pub fn round_trip(stack: &Stack, of: (usize, usize), polling: bool) -> Result<f64, String> {
    let (size, rounds) = of;
    let (at, stop, thread) = server(stack, true, polling, false)?;
    let (mut listener, id) = client(stack, at, false)?;
    let data = vec![7u8; size];
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        times.push(one_round(&mut listener, id, &data, polling)?);
    }
    stop.store(true, Ordering::Relaxed);
    let _ = thread.join();
    Ok(quantile(times, 0.5))
}

/// Microseconds from the call until the answer is delivered.
fn one_round(listener: &mut Listener, id: ConnectionId, data: &[u8], polling: bool) -> Result<f64, String> {
    let start = Instant::now();
    listener.send_blocking(id, data, Some(Duration::from_secs(5))).map_err(|e| e.to_string())?;
    // This number of turns without an answer takes some seconds. Reading the clock in each turn would add to the
    // measured time.
    let mut turns = 0;
    while !matches!(next(listener, polling), Some(Event::Delivered { .. })) {
        turns += 1;
        if turns > 10_000_000 {
            return Err("no answer".into());
        }
    }
    Ok(start.elapsed().as_nanos() as f64 / 1e3)
}

/// Starts `rounds` round trips of 8 bytes at a rate of `per_second`, or as fast as possible if that is slower; both
/// threads poll. Returns the achieved rate and the median latency in microseconds.
pub fn paced(stack: &Stack, per_second: u32, rounds: usize) -> Result<(f64, f64), String> {
    let (at, stop, thread) = server(stack, true, true, false)?;
    let (mut listener, id) = client(stack, at, false)?;
    one_round(&mut listener, id, &[7; 8], true)?;
    let begin = Instant::now();
    let mut times = Vec::with_capacity(rounds);
    for round in 0..rounds {
        let due = Duration::from_secs_f64(round as f64 / f64::from(per_second));
        while begin.elapsed() < due {
            // Acknowledgements and timers.
            let _ = listener.poll();
        }
        times.push(one_round(&mut listener, id, &[7; 8], true)?);
    }
    let seconds = begin.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let _ = thread.join();
    Ok((rounds as f64 / seconds, quantile(times, 0.5)))
}

/// Each of `clients` connections to one server makes `rounds` round trips of 8 bytes, one at a time. Returns the
/// total number of round trips per second.
pub fn crowd(stack: &Stack, clients: usize, rounds: usize) -> Result<f64, String> {
    let (at, stop, thread) = server(stack, true, false, false)?;
    let told = |e: nacre_runtime::Error| e.to_string();
    let mut listener = Listener::bind("127.0.0.1:0".parse().expect("an address"), options(0)).map_err(told)?;
    let mut left = BTreeMap::new();
    for n in 0..clients {
        // Connections with one peer need identities.
        let id = listener
            .connect_with(at, stack, |config| {
                config.set("floor.identity", n as u64 + 1);
            })
            .map_err(told)?;
        let wait = Some(Duration::from_secs(5));
        listener.send_blocking(id, &[7; 8], wait).map_err(told)?;
        left.insert(id, rounds);
    }
    let begin = Instant::now();
    while !left.is_empty() {
        if begin.elapsed() > Duration::from_secs(60) {
            return Err(format!("{} of {clients} clients have no answer", left.len()));
        }
        let Some(Event::Delivered { connection, .. }) = next(&mut listener, false) else { continue };
        let Some(rounds) = left.get_mut(&connection) else { continue };
        *rounds -= 1;
        if *rounds == 0 {
            left.remove(&connection);
        } else {
            listener.send_blocking(connection, &[7; 8], Some(Duration::from_secs(5))).map_err(told)?;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let _ = thread.join();
    Ok((clients * rounds) as f64 / seconds)
}

/// Returns the messages per second in one direction, with frames gathered.
pub fn rate(stack: &Stack, size: usize) -> Result<f64, String> {
    rate_with(stack, size, true)
}

fn rate_with(stack: &Stack, size: usize, gather: bool) -> Result<f64, String> {
    let (at, stop, thread) = server(stack, false, false, gather)?;
    let (mut listener, id) = client(stack, at, gather)?;
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
