//! A file that is sent: read once to be sent, and once more at the end. One that changes meanwhile is not complete.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The unit in which standard input is read, and the number of units that wait to be sent.
const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 16;

/// A file that is sent.
pub struct Source {
    /// Its path at the receiver.
    pub path: String,
    pub input: Input,
}

/// Where the bytes come from.
pub enum Input {
    File(Regular),
    Pipe(Pipe),
}

/// A regular file.
pub struct Regular {
    file: File,
    /// When it was opened.
    facts: Facts,
    at: u64,
}

/// What tells a change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    size: u64,
    modified: (i64, i64),
}

impl Facts {
    fn of(file: &File) -> io::Result<Facts> {
        let facts = file.metadata()?;
        Ok(Facts { size: facts.len(), modified: (facts.mtime(), facts.mtime_nsec()) })
    }
}

/// What was read.
pub enum Part {
    /// So many bytes.
    Bytes(usize),
    End,
    /// Nothing yet.
    Nothing,
}

impl Regular {
    /// A file that was opened.
    pub fn new(file: File) -> io::Result<Regular> {
        Ok(Regular { facts: Facts::of(&file)?, file, at: 0 })
    }

    /// The bytes that it had when it was opened.
    pub fn size(&self) -> u64 {
        self.facts.size
    }

    /// Reads on from here.
    pub fn seek(&mut self, at: u64) {
        self.at = at;
    }

    /// Reads the next bytes, up to the size that it had. Fewer are an error, and so are more.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Part, String> {
        let left = self.facts.size - self.at;
        let want = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if left == 0 {
            return self.require_end().map(|()| Part::End);
        }
        match self.file.read_at(&mut buffer[..want], self.at) {
            Ok(0) => Err(format!("the file was truncated while it was read: {left} bytes are missing")),
            Ok(got) => {
                self.at += got as u64;
                Ok(Part::Bytes(got))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Part::Nothing),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Requires that nothing follows the size that the file had. Files that the system makes up, as in `/proc`, state
    /// none.
    fn require_end(&self) -> Result<(), String> {
        match self.file.read_at(&mut [0], self.facts.size) {
            Ok(0) => Ok(()),
            Ok(_) => Err(format!(
                "the file has more than the {} bytes that it states (`--file -` sends it from standard input)",
                self.facts.size
            )),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.require_end(),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The same, if the file has not changed.
    pub fn read_on(&mut self, buffer: &mut [u8]) -> Result<Part, String> {
        let part = self.read(buffer);
        self.require_unchanged().and(part)
    }

    /// Requires that size and time of the file are those that it had.
    pub fn require_unchanged(&self) -> Result<(), String> {
        let (before, now) = (self.facts, Facts::of(&self.file).map_err(|error| error.to_string())?);
        match (before.size == now.size, before.modified == now.modified) {
            (true, true) => Ok(()),
            (false, _) => {
                Err(format!("the file has changed while it was sent: from {} to {} bytes", before.size, now.size))
            }
            (true, false) => Err("the file has changed while it was sent: it was written to".into()),
        }
    }
}

/// Standard input, which a thread reads: who waits for it still answers the network.
pub struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
    has_ended: bool,
}

impl Pipe {
    /// Begins to read.
    pub fn begin() -> io::Result<Pipe> {
        let (send, chunks) = sync_channel(CHUNKS);
        std::thread::Builder::new().name("input".into()).spawn(move || loop {
            let mut chunk = vec![0; CHUNK];
            let got = match io::stdin().read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                got => got,
            };
            let is_last = !matches!(got, Ok(1..));
            let chunk = got.map(|got| {
                chunk.truncate(got);
                chunk
            });
            if send.send(chunk).is_err() || is_last {
                return;
            }
        })?;
        Ok(Pipe { chunks, chunk: vec![], at: 0, has_ended: false })
    }

    /// Reads the next bytes, or waits for some time.
    pub fn read(&mut self, buffer: &mut [u8], time: Duration) -> Result<Part, String> {
        if self.at == self.chunk.len() && !self.has_ended {
            match self.chunks.recv_timeout(time) {
                Ok(chunk) => (self.chunk, self.at) = (chunk.map_err(|error| error.to_string())?, 0),
                Err(RecvTimeoutError::Timeout) => return Ok(Part::Nothing),
                Err(RecvTimeoutError::Disconnected) => return Err("standard input cannot be read".into()),
            }
            self.has_ended = self.chunk.is_empty();
        }
        if self.has_ended {
            return Ok(Part::End);
        }
        let got = buffer.len().min(self.chunk.len() - self.at);
        buffer[..got].copy_from_slice(&self.chunk[self.at..self.at + got]);
        self.at += got;
        Ok(Part::Bytes(got))
    }
}
