//! What the two ends do with a transport. Each measures its own part.

use std::time::{Duration, Instant};

use crate::end::{send_surely, End, Id, Result, TURN};
use crate::job::{Figures, Job, Workload};
use crate::usage::{processor_time, Memory};

/// Some transports wake a millisecond late; so long before the next message is due, its sender no longer sleeps.
const AWAKE: Duration = Duration::from_millis(2);
/// Time between two messages of `Paced`.
const PACE: Duration = Duration::from_millis(10);
/// Messages between two calls of `flush`.
const BATCH: usize = 32;
/// For so long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves until the process is ended; `print` gets what was measured, as soon as it is.
/// `before`: memory before the end was opened.
pub fn serve(job: &Job, end: &mut dyn End, before: Memory, print: &mut dyn FnMut(Figures)) -> Result<()> {
    match job.workload {
        Workload::Polling => echo(end, Duration::ZERO),
        Workload::Blocking | Workload::Paced => echo(end, TURN),
        Workload::Stream(size) => take_stream(job, end, size, print),
        Workload::Crowd(connections) => take_crowd(end, connections, before, print),
    }
}

/// The client's part.
pub fn drive(job: &Job, end: &mut dyn End) -> Result<Figures> {
    match job.workload {
        Workload::Polling => round_trips(job, end, Duration::ZERO),
        Workload::Blocking => round_trips(job, end, TURN),
        Workload::Paced => paced(job, end),
        Workload::Stream(size) => send_stream(job, end, size),
        Workload::Crowd(connections) => send_crowd(end, connections),
    }
}

/// The first eight bytes of a message: its number.
fn number(message: &[u8]) -> u64 {
    message.first_chunk().map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes))
}

fn echo(end: &mut dyn End, wait: Duration) -> Result<()> {
    let mut arrived: Vec<(Id, u64)> = vec![];
    loop {
        end.receive(wait, &mut |from, message| arrived.push((from, number(message))))?;
        let mut at = 0;
        while at < arrived.len() {
            let (from, message) = arrived[at];
            send_surely(end, from, &message.to_le_bytes(), &mut |from, more| arrived.push((from, number(more))))?;
            at += 1;
        }
        arrived.clear();
    }
}

fn round_trips(job: &Job, end: &mut dyn End, wait: Duration) -> Result<Figures> {
    let to = end.connect()?;
    let mut times = Vec::with_capacity(1 << 18);
    let mut next = 0u64;
    let begin = Instant::now();
    while begin.elapsed() < job.warm_up + job.window {
        let start = Instant::now();
        send_surely(end, to, &next.to_le_bytes(), &mut |_, _| {})?;
        let mut turns = 0u32;
        let mut is_answered = false;
        while !is_answered {
            end.receive(wait, &mut |_, message| is_answered |= number(message) == next)?;
            turns += 1;
            if turns % 1000 == 0 && start.elapsed() > PATIENCE {
                return Err("no answer came in ten seconds".into());
            }
        }
        if begin.elapsed() > job.warm_up {
            times.push(start.elapsed().as_nanos() as f64 / 1e3);
        }
        next += 1;
    }
    Ok(latencies(times, end.counters()))
}

/// Microseconds.
fn latencies(mut times: Vec<f64>, counters: String) -> Figures {
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().unwrap_or(f64::NAN);
    Figures::of([("median_us", at(0.5)), ("p99_us", at(0.99)), ("count", times.len() as f64)], counters)
}

/// Latencies count from the time at which a message was due, so a transport that lets the sender wait gains nothing.
fn paced(job: &Job, end: &mut dyn End) -> Result<Figures> {
    let to = end.connect()?;
    send_surely(end, to, &u64::MAX.to_le_bytes(), &mut |_, _| {})?;
    let first = (job.warm_up.as_micros() / PACE.as_micros()) as usize;
    let count = first + (job.window.as_micros() / PACE.as_micros()) as usize;
    let mut times: Vec<Option<f64>> = vec![None; count];
    let (mut sent, mut answered) = (0, 0);
    let begin = Instant::now();
    while answered < count && begin.elapsed() < PACE * count as u32 + PATIENCE {
        let due = PACE * sent as u32;
        let mut take = |_: Id, message: &[u8]| {
            let n = number(message) as usize;
            if let Some(time @ None) = times.get_mut(n) {
                *time = Some((begin.elapsed().saturating_sub(PACE * n as u32)).as_nanos() as f64 / 1e3);
                answered += 1;
            }
        };
        if sent < count && begin.elapsed() >= due && end.send(to, &(sent as u64).to_le_bytes())? {
            sent += 1;
            end.flush()?;
        }
        let wait = if sent < count { (PACE * sent as u32).saturating_sub(begin.elapsed() + AWAKE) } else { TURN };
        end.receive(wait.min(TURN), &mut take)?;
    }
    let counted: Vec<f64> = times[first..].iter().map(|time| time.unwrap_or(f64::INFINITY)).collect();
    let missing = counted.iter().filter(|time| time.is_infinite()).count() as f64;
    let mut figures = latencies(counted, end.counters());
    figures.numbers.insert("missing".into(), missing);
    Ok(figures)
}

/// Sends until both ends have measured: the client's time begins a little before the server's.
fn send_stream(job: &Job, end: &mut dyn End, size: usize) -> Result<Figures> {
    let to = end.connect()?;
    let mut message = vec![7u8; size];
    let mut next = 0u64;
    let (mut begin, mut at_warm) = (None::<Instant>, None::<(Instant, Duration)>);
    loop {
        for _ in 0..BATCH {
            message[..8].copy_from_slice(&next.to_le_bytes());
            if !end.send(to, &message)? {
                end.flush()?;
                end.receive(TURN, &mut |_, _| {})?;
                continue;
            }
            next += 1;
            begin.get_or_insert_with(Instant::now);
        }
        end.flush()?;
        let Some(elapsed) = begin.map(|begin| begin.elapsed()) else { continue };
        match at_warm {
            None if elapsed >= job.warm_up => at_warm = Some((Instant::now(), processor_time())),
            Some((since, used)) if since.elapsed() >= job.window => {
                let share = (processor_time() - used).as_secs_f64() / since.elapsed().as_secs_f64();
                let figures = Figures::of([("processor", share), ("sent", next as f64)], end.counters());
                keep_sending(job, end, to, &mut message, next)?;
                return Ok(figures);
            }
            _ => {}
        }
    }
}

/// The server's window ends up to a round trip later.
fn keep_sending(job: &Job, end: &mut dyn End, to: Id, message: &mut [u8], first: u64) -> Result<()> {
    let begin = Instant::now();
    let mut next = first;
    while begin.elapsed() < job.warm_up / 2 + Duration::from_millis(50) {
        message[..8].copy_from_slice(&next.to_le_bytes());
        // The server may have ended.
        match end.send(to, message) {
            Ok(true) => next += 1,
            Ok(false) => drop(end.receive(TURN, &mut |_, _| {})),
            Err(_) => break,
        }
        if next % BATCH as u64 == 0 && end.flush().is_err() {
            break;
        }
    }
    Ok(())
}

/// The first message begins the warm-up. Every message has to be the next one, but over bare sockets.
fn take_stream(job: &Job, end: &mut dyn End, size: usize, print: &mut dyn FnMut(Figures)) -> Result<()> {
    let is_reliable = !job.peer.starts_with("raw");
    let (mut messages, mut bytes, mut wrong) = (0u64, 0u64, false);
    let mut begin = None::<Instant>;
    let mut at_warm = None::<(Instant, Duration, u64, u64)>;
    let mut turns = 0u32;
    loop {
        let before = messages;
        end.receive(TURN, &mut |_, message| {
            wrong |= is_reliable && (number(message) != messages || message.len() != size);
            messages += 1;
            bytes += message.len() as u64;
        })?;
        if wrong {
            return Err(format!("message {before} is not the next one"));
        }
        turns += 1;
        if messages == 0 || (messages > before && turns % 32 != 0) {
            continue;
        }
        let elapsed = begin.get_or_insert_with(Instant::now).elapsed();
        match at_warm {
            None if elapsed >= job.warm_up => at_warm = Some((Instant::now(), processor_time(), messages, bytes)),
            Some((since, used, messages_then, bytes_then)) if since.elapsed() >= job.window => {
                let seconds = since.elapsed().as_secs_f64();
                let share = (processor_time() - used).as_secs_f64() / seconds;
                let (messages, bytes) = ((messages - messages_then) as f64, (bytes - bytes_then) as f64);
                let numbers = [("rate", messages / seconds), ("bytes", bytes / seconds), ("processor", share)];
                print(Figures::of(numbers, end.counters()));
                return Ok(());
            }
            _ => {}
        }
    }
}

fn send_crowd(end: &mut dyn End, connections: usize) -> Result<Figures> {
    for n in 0..connections as u64 {
        let to = end.connect()?;
        send_surely(end, to, &n.to_le_bytes(), &mut |_, _| {})?;
        end.receive(Duration::ZERO, &mut |_, _| {})?;
    }
    // Frames that were lost are sent again, and the connections stay, until this process is ended.
    loop {
        end.receive(TURN, &mut |_, _| {})?;
    }
}

/// Each client says its number once.
fn take_crowd(end: &mut dyn End, connections: usize, before: Memory, print: &mut dyn FnMut(Figures)) -> Result<()> {
    let mut seen = vec![false; connections];
    let mut count = 0;
    while count < connections {
        end.receive(TURN, &mut |_, message| {
            if let Some(seen @ false) = seen.get_mut(number(message) as usize) {
                *seen = true;
                count += 1;
            }
        })?;
    }
    let after = Memory::now();
    let each = |growth: f64| growth / connections as f64;
    let numbers =
        [("resident", each(after.resident - before.resident)), ("kernel", each(after.kernel - before.kernel))];
    print(Figures::of(numbers, end.counters()));
    Ok(())
}
