//! Runs one measurement: a process for each end, in namespaces of their own. All of it ends in bounded time, and with
//! this process.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{channel, Receiver};
use std::time::{Duration, Instant};

use crate::end::Result;
use crate::java;
use crate::job::{Figures, Job, Workload};
use crate::namespaces::{loopback, tunnel, Namespace, CLIENT, SERVER};
use crate::relay::{Link, Relay};
use crate::usage::Load;

/// What both ends measured; the client's part is empty for a crowd.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub client: Figures,
    pub server: Figures,
    /// Packets that the relay forwarded, lost, and had no room for.
    pub relay: [u64; 3],
    /// The part of the machine's processors that others used meanwhile.
    pub others: f64,
}

/// Measures: over the loopback device, or over a relay with these properties.
pub fn measure(job: &Job, link: Option<Link>, seed: u64) -> Result<Outcome> {
    let before = Load::now();
    let outcome = within(job, link, seed)?;
    Ok(Outcome { others: before.of_others(), ..outcome })
}

fn within(job: &Job, link: Option<Link>, seed: u64) -> Result<Outcome> {
    let Some(link) = link else {
        let namespace = loopback()?;
        return both(job, &namespace, &namespace, "127.0.0.1");
    };
    let (client, client_device) = tunnel(CLIENT, SERVER)?;
    let (server, server_device) = tunnel(SERVER, CLIENT)?;
    let relay = Relay::start(link, seed, [client_device, server_device]);
    let outcome = both(job, &client, &server, SERVER)?;
    let counts = &relay.counts;
    let relay = [&counts.forwarded, &counts.lost, &counts.overflowed].map(|count| count.load(Ordering::Relaxed));
    Ok(Outcome { relay, ..outcome })
}

fn both(job: &Job, of_client: &Namespace, of_server: &Namespace, address: &str) -> Result<Outcome> {
    let limit = Instant::now() + job.limit();
    let mut server = Process::start("server", job, None, of_server)?;
    let port = server.line(limit, |line| line.strip_prefix("ready ")?.parse::<u16>().ok())?;
    let mut client = Process::start("client", job, Some(format!("{address}:{port}")), of_client)?;
    let mut outcome = Outcome::default();
    if !matches!(job.workload, Workload::Crowd(_)) {
        let result = client.line(limit, Figures::parse);
        outcome.client = result.map_err(|error| server.explained(format!("client: {error}")))?;
    }
    if matches!(job.workload, Workload::Crowd(_) | Workload::Stream(_)) {
        let result = server.line(limit, Figures::parse);
        outcome.server = result.map_err(|error| client.explained(format!("server: {error}")))?;
    }
    Ok(outcome)
}

/// A process that is killed when this is dropped.
struct Process {
    child: Child,
    lines: Receiver<String>,
}

impl Process {
    /// `to`: the server's address, for a client.
    fn start(role: &str, job: &Job, to: Option<String>, namespace: &Namespace) -> Result<Process> {
        let mut command = program(job)?;
        command.arg(role).args(job.arguments()).args(to);
        let (descriptor, parent) = (namespace.descriptor(), std::process::id() as i32);
        let shares_memory = job.peer == java::PEER;
        let enter = move || {
            // SAFETY: these calls are allowed between fork and exec.
            let done = unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == 0
                    && libc::getppid() == parent
                    && libc::setns(descriptor, libc::CLONE_NEWNET) == 0
                    && (!shares_memory || own_shared_memory())
            };
            if done {
                Ok(())
            } else {
                Err(std::io::Error::last_os_error())
            }
        };
        // SAFETY: `enter` only makes system calls.
        unsafe { command.pre_exec(enter) };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
        let output = BufReader::new(child.stdout.take().expect("it was asked for"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // Ends with the process.
            output.lines().map_while(std::result::Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Process { child, lines })
    }

    /// Waits for a line of this form.
    fn line<T>(&mut self, limit: Instant, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|_| "it did not end in time".to_string())?;
            if let Some(why) = line.strip_prefix("failed ") {
                return Err(why.into());
            }
            if let Some(found) = read(&line) {
                return Ok(found);
            }
        }
    }

    /// Adds the reason of this process to an error of the other one.
    fn explained(&mut self, error: String) -> String {
        match self.line(Instant::now() + Duration::from_millis(100), |_| None::<()>) {
            Err(why) if why != "it did not end in time" => format!("{error}; other end: {why}"),
            _ => error,
        }
    }
}

/// Gives this process a `/dev/shm` of its own, which goes with it. Only makes system calls.
unsafe fn own_shared_memory() -> bool {
    let (none, flags) = (std::ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
    libc::unshare(libc::CLONE_NEWNS) == 0
        && libc::mount(c"none".as_ptr(), c"/".as_ptr(), none, flags, none.cast()) == 0
        && libc::mount(c"none".as_ptr(), c"/dev/shm".as_ptr(), c"tmpfs".as_ptr(), 0, none.cast()) == 0
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// This program, or Java for Aeron.
fn program(job: &Job) -> Result<Command> {
    if job.peer == java::PEER {
        return Ok(java::command(&job.stacks));
    }
    std::env::current_exe().map(Command::new).map_err(|e| e.to_string())
}
