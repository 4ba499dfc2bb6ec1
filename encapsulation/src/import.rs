//! Compiles a foreign source, as it is, with an environment to a capsule.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

use crate::compile::{each, found, gcc, said, words, WARNINGS};
use crate::description::{matches, Description, Environment};
use crate::files;
use crate::library::replace;
pub use crate::library::{write_streams, STREAMS};
use crate::overlays::{self, Buffers, Overlay};
use crate::report::{Report, FLAGS};
use crate::symbols::Symbols;

/// What a capsule may use of the C library: functions that compute alone.
const PURE: &str = "libc/pure.txt";

/// What is to be imported.
#[derive(Clone, Debug)]
pub struct Import {
    pub tree: PathBuf,
    pub environment: String,
    pub name: String,
    /// A description file; without, the environment's usual places.
    pub description: Option<PathBuf>,
    /// Further flags of the compiler, for all code.
    pub flags: Vec<String>,
    /// Each instance runs in a process of its own.
    pub isolate: bool,
}

/// A capsule that was written.
#[derive(Clone, Debug)]
pub struct Imported {
    pub capsule: PathBuf,
    /// The SHA-256 of the foreign files that were compiled, and how many there are.
    pub digest: String,
    pub sources: usize,
    /// What it uses of STREAMS, and of the C library.
    pub uses: Vec<String>,
    /// What is doubtful.
    pub report: Report,
}

/// Why there is no capsule.
#[derive(Clone, Debug)]
pub enum Refused {
    /// The source needs what is not there, or does not compile.
    Source(Box<Report>),
    /// A program that is not there.
    Tool(String),
    /// The arguments, a description file, or the machine.
    Other(String),
}

impl From<String> for Refused {
    fn from(words: String) -> Refused {
        Refused::Other(words)
    }
}

impl Import {
    /// Writes NAME.so, or NAME.isolated.so, and what programs need to load it, into a folder.
    pub fn write(&self, folder: &Path) -> Result<Imported, Refused> {
        if !is_name(&self.name) {
            return Err(Refused::Other(format!("`{}` is no name: letters, digits and `_`, at most 32", self.name)));
        }
        if self.name == STREAMS.trim_end_matches(".so.1") {
            return Err(Refused::Other(format!("`{}` is the library of STREAMS routines", self.name)));
        }
        let environment = Environment::named(&self.environment)?;
        found().map_err(Refused::Tool)?;
        let trouble = |error: io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(trouble)?;
        let folder = folder.canonicalize().map_err(trouble)?;
        let tree = self.tree.canonicalize().map_err(|error| format!("{}: {error}", self.tree.display()))?;
        write_streams(&folder, &self.flags)?;
        let description = match &self.description {
            Some(path) => Description::read(path)?,
            None => environment.usual.clone(),
        };
        let left_out: BTreeSet<PathBuf> = matches(&tree, &description.exclude)?.into_iter().collect();
        let mut foreign = matches(&tree, &description.sources)?;
        foreign.retain(|file| !left_out.contains(file));
        if foreign.is_empty() {
            return Err(Refused::Other("the description names no sources".into()));
        }
        let room = files::unpacked()?;
        let objects = tempfile::tempdir().map_err(trouble)?;
        let work = self.work(&environment, &description, (&tree, room.path()), &foreign)?;
        let mut report = Report::default();
        let ending = if self.isolate { "isolated.so" } else { "so" };
        let capsule = folder.join(format!("{}.{ending}", self.name));
        // One of an earlier import is not to be taken for this one's.
        let refuse = |report: Report| {
            let _ = fs::remove_file(&capsule);
            Err(Refused::Source(Box::new(report)))
        };
        compile(&work, objects.path(), &tree, &mut report)?;
        if report.is_fatal() {
            return refuse(report);
        }
        report.overlays = overlays(&work, objects.path(), &tree, &environment.buffers)?;
        let linked = objects.path().join("capsule.so");
        let uses = self.link(&work, (objects.path(), &folder), &environment, (&linked, &mut report))?;
        if report.is_fatal() {
            return refuse(report);
        }
        fs::read(&linked).and_then(|bytes| replace(&capsule, &bytes, 0o777)).map_err(trouble)?;
        let digest = digest(&tree, &foreign).map_err(|error| format!("{}: {error}", tree.display()))?;
        Ok(Imported { capsule, digest, sources: foreign.len(), uses, report })
    }

    /// What is to be compiled.
    fn work(
        &self,
        environment: &Environment,
        description: &Description,
        (tree, room): (&Path, &Path),
        foreign: &[PathBuf],
    ) -> Result<Vec<Unit>, String> {
        let mut folders: Vec<PathBuf> = description.include.iter().map(|folder| tree.join(folder)).collect();
        if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
            return Err(format!("{} is no folder", missing.display()));
        }
        let mut own: Vec<PathBuf> = environment.include.iter().map(|folder| room.join(folder)).collect();
        own.push(room.to_path_buf());
        if environment.headers_first {
            std::mem::swap(&mut folders, &mut own);
        }
        folders.extend(own);
        let mut common = words(&["-O2", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv"]);
        common.push(format!("-DNACRE_CAPSULE={}", self.name).into());
        common.push(format!("-DNACRE_CAPSULE_NAME=\"{}\"", self.name).into());
        common.push(format!("-DNACRE_CAPSULE_HEADER=\"{}.h\"", self.name).into());
        common.extend(folders.iter().map(|folder| format!("-I{}", folder.display()).into()));
        common.extend(description.define.iter().map(|define| format!("-D{define}").into()));
        let mut lenient = common.clone();
        for folder in &environment.quoted {
            lenient.extend(["-iquote".into(), room.join(folder).into_os_string()]);
        }
        lenient.extend(environment.flags.iter().chain(&description.flags).map(OsString::from));
        lenient.extend(self.flags.iter().map(OsString::from));
        // What it hides is to be reported.
        lenient.retain(|flag| flag != "-w");
        lenient.extend(words(&FLAGS));
        let mut strict = common;
        strict.extend(words(&WARNINGS));
        // The headers of foreign sources are not ours to mend.
        strict.extend(words(&["-std=gnu11", "-fdiagnostics-plain-output"]));
        strict.extend(self.flags.iter().map(OsString::from));
        let beside = self.description.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
        let glue = if description.glue.is_empty() {
            Vec::new()
        } else {
            let beside = if beside.as_os_str().is_empty() { Path::new(".") } else { beside };
            let beside = beside.canonicalize().map_err(|error| format!("{}: {error}", beside.display()))?;
            matches(&beside, &description.glue)?
        };
        let mut own = matches(room, &environment.sources)?;
        let listed = description.listed()?;
        if listed.is_none() && self.environment == "streams" {
            return Err("the description names no modules or devices".into());
        }
        if let Some(text) = listed {
            own.push(room.join("listed.c"));
            fs::write(room.join("listed.c"), text).map_err(|error| error.to_string())?;
        }
        let unit = |file: &PathBuf| Unit { file: file.clone(), link: None, flags: lenient.clone(), foreign: true };
        let mut work: Vec<Unit> = foreign.iter().map(unit).collect();
        if !environment.quoted.is_empty() {
            work.iter_mut().try_for_each(|unit| unit.link_below(&room.join("links"), tree))?;
        }
        for (pattern, flags) in &description.file_flags {
            let files: BTreeSet<PathBuf> = matches(tree, std::slice::from_ref(pattern))?.into_iter().collect();
            let found = work.iter_mut().filter(|unit| files.contains(&unit.file));
            found.for_each(|unit| unit.flags.extend(flags.iter().map(OsString::from)));
        }
        work.extend(glue.iter().map(unit));
        work.extend(own.into_iter().map(|file| Unit { file, link: None, flags: strict.clone(), foreign: false }));
        Ok(work)
    }

    /// Links the objects; adds what nobody provides to the report, and returns what others provide.
    fn link(
        &self,
        work: &[Unit],
        (objects, folder): (&Path, &Path),
        environment: &Environment,
        (capsule, report): (&Path, &mut Report),
    ) -> Result<Vec<String>, String> {
        let script = objects.join("exports");
        fs::write(&script, "{ global: nacre_capsule; local: *; };\n").map_err(|error| error.to_string())?;
        let mut arguments = words(&["-shared", "-Wl,-z,now", "-Wl,-Bsymbolic"]);
        arguments.extend(["-Xlinker".into(), format!("--version-script={}", script.display()).into()]);
        arguments.extend(environment.intercept.iter().map(|name| format!("-Wl,--wrap={name}").into()));
        arguments.extend(self.flags.iter().map(OsString::from));
        arguments.extend(["-o".into(), capsule.as_os_str().to_os_string()]);
        arguments.extend(work.iter().enumerate().map(|(number, unit)| unit.object(number, objects).into_os_string()));
        arguments.push(folder.join(STREAMS).into_os_string());
        if let Err(words) = gcc(&arguments, objects) {
            report.errors.extend(words.lines().map(|line| line.replace(&format!("{}/", objects.display()), "")));
            return Ok(Vec::new());
        }
        let linked = Symbols::of(capsule)?;
        let streams = Symbols::of(&folder.join(STREAMS))?;
        let pure: BTreeSet<&str> = files::text(PURE).unwrap_or_default().split_whitespace().collect();
        let (mut uses, mut missing) = (Vec::new(), BTreeSet::new());
        for name in linked.needs {
            let known = streams.has.contains(&name)
                || pure.contains(name.as_str())
                || environment.libc.contains(&name)
                || name.starts_with("__asan_")
                || name.starts_with("__ubsan_");
            if known {
                uses.push(name);
            } else {
                missing.insert(name);
            }
        }
        // Also what no object asks for by this name, such as an intercepted function that the source does not have.
        report.services.extend(missing.iter().map(|name| (name.clone(), BTreeSet::new())));
        let limits = environment.limits();
        for (number, unit) in work.iter().enumerate() {
            let symbols = Symbols::of(&unit.object(number, objects))?;
            for name in symbols.needs.intersection(&missing) {
                let file = unit.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                report.services.entry(name.clone()).or_default().insert(file);
            }
            if unit.foreign {
                let limited = symbols.needs.iter().filter_map(|name| limits.get_key_value(name.as_str()));
                report.remarks.extend(limited.map(|(name, remark)| (name.to_string(), remark.to_string())));
            }
        }
        Ok(uses)
    }
}

/// A C file with the flags of its compilation.
struct Unit {
    file: PathBuf,
    /// What is compiled instead: a link to the file in a folder without headers.
    link: Option<PathBuf>,
    flags: Vec<OsString>,
    /// Not of the environment.
    foreign: bool,
}

impl Unit {
    /// Makes a link to the file, so that its folder is not searched for headers. The compiler names the file.
    fn link_below(&mut self, folder: &Path, tree: &Path) -> Result<(), String> {
        let trouble = |error: io::Error| format!("{}: {error}", folder.display());
        let link = folder.join(self.file.strip_prefix(tree).unwrap_or(&self.file));
        fs::create_dir_all(link.parent().unwrap_or(folder)).map_err(trouble)?;
        std::os::unix::fs::symlink(&self.file, &link).map_err(trouble)?;
        self.flags.push(format!("-ffile-prefix-map={}={}", folder.display(), tree.display()).into());
        self.link = Some(link);
        Ok(())
    }

    /// The path that is given to the compiler.
    fn source(&self) -> OsString {
        self.link.as_ref().unwrap_or(&self.file).clone().into_os_string()
    }

    /// Its path in the tree.
    fn short(&self, tree: &Path) -> String {
        self.file.strip_prefix(tree).unwrap_or(&self.file).display().to_string()
    }

    /// What the compiler says, with the path of the file itself.
    fn said(&self, words: String) -> String {
        match &self.link {
            Some(link) => words.replace(&link.display().to_string(), &self.file.display().to_string()),
            None => words,
        }
    }

    /// Where its object is: files of several folders may have the same name.
    fn object(&self, number: usize, objects: &Path) -> PathBuf {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        objects.join(format!("{number}-{}.o", stem.chars().take(50).collect::<String>()))
    }
}

/// Compiles all files.
fn compile(work: &[Unit], objects: &Path, tree: &Path, report: &mut Report) -> Result<(), String> {
    let one = |number: usize| {
        let unit = &work[number];
        let folder = objects.join(number.to_string());
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut arguments = unit.flags.clone();
        arguments.extend(["-c".into(), unit.source(), "-o".into()]);
        arguments.push(unit.object(number, objects).into_os_string());
        let said = said(&arguments, &folder).map_err(|error| format!("{}: {error}", unit.short(tree)))?;
        Ok(unit.said(said))
    };
    let trim = format!("{}/", tree.display());
    for (unit, words) in work.iter().zip(each(work.len(), one)?) {
        report.read(&unit.short(tree), &words, &trim);
    }
    Ok(())
}

/// Finds the structures with pointers that packets are cast to.
fn overlays(work: &[Unit], objects: &Path, tree: &Path, buffers: &Buffers) -> Result<Vec<Overlay>, String> {
    if buffers.data.is_empty() {
        return Ok(Vec::new());
    }
    let foreign: Vec<&Unit> = work.iter().filter(|unit| unit.foreign).collect();
    let one = |number: usize| {
        let unit = foreign[number];
        let folder = objects.join(format!("overlays-{number}"));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (object, dump) = (folder.join("unit.o"), folder.join("dump"));
        let mut arguments = unit.flags.clone();
        arguments.extend(words(&overlays::FLAGS));
        arguments.push(format!("-fdump-tree-original={}", dump.display()).into());
        arguments.extend(["-c".into(), unit.source(), "-o".into()]);
        arguments.push(object.clone().into_os_string());
        gcc(&arguments, &folder)?;
        overlays::Unit::read(&object, &dump)
    };
    Ok(overlays::find(&each(foreign.len(), one)?, buffers, &format!("{}/", tree.display())))
}

/// A name of a C identifier's form.
fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 32
}

/// The SHA-256 of files: of their paths, lengths and bytes.
pub fn digest(tree: &Path, files: &[PathBuf]) -> io::Result<String> {
    let mut hash = Sha256::new();
    for file in files {
        let bytes = fs::read(file)?;
        hash.update(file.strip_prefix(tree).unwrap_or(file).display().to_string());
        hash.update([0]);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
