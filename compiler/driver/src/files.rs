//! Reads the files of a program: text of a bounded size, never from devices or pipes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The size limit of a source file or a saved run, in bytes.
pub const LARGEST: u64 = 4 << 20;

/// Returns the text of a regular file, or why it cannot be read.
pub fn read_text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    open_regular(path)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it has more than {LARGEST} bytes"));
    }
    String::from_utf8(bytes).map_err(|e| format!("it is not UTF-8 text (at byte {})", e.utf8_error().valid_up_to()))
}

/// Opens a regular file. Others are rejected before opening, which could wait for another program.
pub fn open_regular(path: &Path) -> Result<File, String> {
    let kind = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if kind.is_dir() {
        return Err("it is a directory".into());
    }
    if !kind.is_file() {
        return Err("it is not a regular file".into());
    }
    File::open(path).map_err(|e| e.to_string())
}
