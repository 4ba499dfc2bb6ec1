//! What programs need to load capsules: the library of STREAMS routines, its headers, and the program of isolated
//! instances.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, io};

use crate::compile::{gcc, words, WARNINGS};
use crate::description::matches;
use crate::files::unpacked;

/// The library of STREAMS routines, which a capsule finds by this name.
pub const STREAMS: &str = "libnacre_streams.so.1";
/// The program that isolated instances run in, beside their capsule.
const PROGRAM: &str = "nacre_isolated";

/// Writes what programs need to load capsules below a folder: the library of STREAMS routines and its headers.
pub fn write_streams(folder: &Path, flags: &[String]) -> Result<(), String> {
    let trouble = |error: io::Error| format!("{}: {error}", folder.display());
    let room = unpacked()?;
    let written = folder.join(STREAMS);
    let Library { library, program } = library(room.path(), flags)?;
    replace(&written, &library, 0o666).map_err(trouble)?;
    let written = folder.join(PROGRAM);
    replace(&written, &program, 0o777).map_err(trouble)?;
    let link = folder.join(STREAMS.trim_end_matches(".1"));
    if !fs::read_link(&link).is_ok_and(|to| to == Path::new(STREAMS)) {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(STREAMS, &link).map_err(trouble)?;
    }
    let include = folder.join("include/streams");
    fs::create_dir_all(&include).map_err(trouble)?;
    for header in matches(room.path(), &["streams/*.h".to_string()])? {
        let written = include.join(header.file_name().unwrap_or_default());
        fs::read(&header).and_then(|bytes| replace(&written, &bytes, 0o666)).map_err(trouble)?;
    }
    Ok(())
}

/// Puts a new file in the place of one that may be in use: whoever opens it finds the old one or the new one, whole.
pub(crate) fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().permissions(fs::Permissions::from_mode(mode)).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|refused| refused.error)?;
    Ok(())
}

/// The library, and the program that is linked with it.
#[derive(Clone)]
struct Library {
    library: Vec<u8>,
    program: Vec<u8>,
}

/// The library and the program, compiled once for each set of flags.
fn library(room: &Path, flags: &[String]) -> Result<Library, String> {
    static COMPILED: Mutex<BTreeMap<Vec<String>, Library>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(|poison| poison.into_inner());
    if let Some(library) = compiled.get(flags) {
        return Ok(library.clone());
    }
    let sources = matches(room, &["streams/*.c".to_string()])?;
    let written = room.join(STREAMS);
    let mut arguments = words(&["-shared", "-fPIC", "-O2", "-fvisibility=default"]);
    arguments.extend(words(&WARNINGS));
    arguments.extend(flags.iter().map(OsString::from));
    arguments.push(format!("-Wl,-soname,{STREAMS}").into());
    arguments.extend(["-o".into(), written.clone().into_os_string()]);
    arguments.extend(sources.into_iter().map(PathBuf::into_os_string));
    arguments.push("-ldl".into());
    gcc(&arguments, room)?;
    let program = room.join(PROGRAM);
    let mut arguments = words(&["-O2", "-Wl,-z,now", "-Wl,-rpath,$ORIGIN", "-o"]);
    arguments.push(program.clone().into_os_string());
    arguments.extend(words(&WARNINGS));
    arguments.extend(flags.iter().map(OsString::from));
    arguments.push(format!("-I{}", room.display()).into());
    arguments.push(room.join("streams/program/nacre_isolated.c").into_os_string());
    arguments.push(written.clone().into_os_string());
    gcc(&arguments, room)?;
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let library = Library { library: read(&written)?, program: read(&program)? };
    compiled.insert(flags.to_vec(), library.clone());
    Ok(library)
}
