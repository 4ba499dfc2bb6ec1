//! Harnesses of libFuzzer: built with clang, run on stored corpora and beyond.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_driver::Level;
use tempfile::TempDir;

use crate::library::Declared;
use crate::machines::Machines;
use crate::root;

/// What C of stacks and harnesses is compiled with. Comparisons are not traced: the harnesses know what the stacks compare.
const FLAGS: [&str; 7] = [
    "-std=c11",
    "-O1",
    "-g1",
    "-Dalways_inline=unused", // which compiles in a tenth of the time
    "-fno-sanitize-recover=all",
    "-fno-sanitize-coverage=trace-cmp",
    "-Wno-unknown-attributes",
];
/// The longest program that is tried.
const LONGEST: usize = 200;

/// Programs that are tried for the stored corpus.
const FOR_THE_CORPUS: u64 = 200_000;

/// A folder in which a harness is built and run.
pub struct Workshop {
    folder: TempDir,
}

/// A harness with its stored corpus.
pub struct Harness {
    workshop: Workshop,
    name: String,
}

/// What programs have reached.
#[derive(Debug)]
pub struct Reached {
    /// Edges and features, as libFuzzer counts them at the end.
    pub edges: u64,
    pub features: u64,
    /// What the harness counts, by name.
    pub counts: BTreeMap<String, u64>,
}

impl Reached {
    /// The count with this name; 0: it was not reached.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }
}

impl Default for Workshop {
    fn default() -> Workshop {
        Workshop { folder: tempfile::tempdir().expect("a temporary folder") }
    }
}

impl Workshop {
    /// Where its files are.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a library with smaller stacks: pieces of 16 bytes and windows of 8, so that short programs fill them.
    /// `sums`: false: the sum of everything is 0, so that made-up frames get past the layers that check sums.
    pub fn declared(&self, stack: &str, sums: bool) -> Declared {
        let text = |path: &Path| std::fs::read_to_string(path).expect("a source");
        let mut all = crate::files(&root().join("layers"), ".nacre");
        all.push(root().join("examples/reliable.nacre"));
        for file in all {
            let to = self.path().join(file.strip_prefix(root()).expect("below the root"));
            let mut source = text(&file);
            if file.ends_with("examples/reliable.nacre") {
                let large = "frag<1400> / pt2pt<64";
                assert_eq!(source.matches(large).count(), 2, "{} has two times {large}", file.display());
                source = source.replace(large, "frag<16, 8> / pt2pt<8");
            } else if file.ends_with("castagnoli.nacre") && !sums {
                source = "filter castagnoli { state { crc: u32 } byte(b: u8) { } result { crc } }\n".into();
            }
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::write(to, source).expect("a source");
        }
        Declared { file: self.path().join("examples/reliable.nacre"), name: stack.into() }
    }

    /// Compiles the C of a stack; its files and symbols have the name of the level.
    pub fn compile_stack(&self, machines: &Machines, level: Level) {
        let name = level.name();
        let text = machines.session.emit_modelled(&machines.stack, level, Some(name));
        std::fs::write(self.path().join(format!("{name}.h")), text.header).expect("a header");
        std::fs::write(self.path().join(format!("{name}.c")), text.source).expect("a source");
        self.clang(&["-fsanitize=fuzzer-no-link,address,undefined", "-c", &format!("{name}.c")]);
    }

    /// Compiles the stack of the runtime's tests with keys, as `inline_stack` in `inline.o`.
    pub fn compile_secure_stack(&self) {
        let source = root().join("runtime/tests/stack/window.c").display().to_string();
        let include = format!("-I{}", root().join("compiler/backends/c/src").display());
        let define =
            ["-DSECURE", "-DFINGERPRINT=0x5ec0u", "-DDESCRIPTION=\"secure<8> / floor\"", "-DSYMBOL=inline_stack"];
        let sanitize = "-fsanitize=fuzzer-no-link,address,undefined";
        self.clang(&[&define[..], &[sanitize, &include, "-c", &source, "-o", "inline.o"]].concat());
    }

    /// Compiles the harness in Rust, instrumented: `listener.a`.
    pub fn compile_listener(&self) {
        let host = self.say_of("rustc", &["-vV"], &[]);
        let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc says for what it compiles");
        let coverage = ["level=3", "inline-8bit-counters", "pc-table"];
        let flags: String = coverage.iter().map(|part| format!("-Cllvm-args=-sanitizer-coverage-{part} ")).collect();
        let manifest = root().join("tests/listener-fuzz/Cargo.toml").display().to_string();
        // Kept for the next test: the primitives of the runtime take a minute to compile.
        let target = root().join("target/listener-fuzz");
        let folder = target.display().to_string();
        let arguments =
            ["build", "-q", "--locked", "--target", host, "--target-dir", &folder, "--manifest-path", &manifest];
        // Given a target, cargo does not instrument what runs while it builds.
        let flags = [("RUSTFLAGS", format!("-Cpasses=sancov-module -Ccodegen-units=1 {flags}"))];
        self.say_of("cargo", &arguments, &flags);
        let made = target.join(host).join("debug/liblistener_fuzz.a");
        std::fs::copy(made, self.path().join("listener.a")).expect("cargo made it");
    }

    /// Links a harness with what was compiled.
    pub fn link(self, name: &str, with: &[&str]) -> Harness {
        let arguments = [&["-fsanitize=fuzzer,address,undefined", "-I.", "-o", "harness"], with].concat();
        self.clang(&arguments);
        Harness { workshop: self, name: name.into() }
    }

    fn clang(&self, arguments: &[&str]) {
        self.say_of("clang", &[&FLAGS, arguments].concat(), &[]);
    }

    /// What a program says that must not fail.
    fn say_of(&self, program: &str, arguments: &[&str], environment: &[(&str, String)]) -> String {
        let mut command = Command::new(program);
        command.args(arguments).envs(environment.iter().cloned()).current_dir(self.path());
        let ran =
            command.output().unwrap_or_else(|error| panic!("{program} does not run ({error}): `make setup-test`"));
        let words = String::from_utf8_lossy(&ran.stderr);
        assert!(!words.contains("libclang_rt"), "clang has no sanitizers: install libclang-rt-dev\n{words}");
        assert!(ran.status.success(), "{words}");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }
}

impl Harness {
    /// The stored corpus: a program in each line, in hexadecimal.
    fn stored(&self) -> PathBuf {
        root().join("tests/corpora").join(format!("{}.txt", self.name))
    }

    /// Puts the stored corpus into a folder of this name.
    fn corpus(&self, name: &str) -> PathBuf {
        let folder = self.workshop.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = std::fs::read_to_string(self.stored()).unwrap_or_default();
        for (number, line) in text.lines().enumerate() {
            std::fs::write(folder.join(format!("{number:04}")), bytes(line)).expect("a file");
        }
        folder
    }

    /// Runs the stored corpus alone. With BLESS=1 in the environment, goes on from it first and stores a small corpus of
    /// what is found.
    pub fn run_stored(&self) -> Reached {
        if std::env::var_os("BLESS").is_some() {
            self.fuzz(FOR_THE_CORPUS, 3);
            self.store(&self.workshop.path().join("found"));
        }
        self.run(&["-runs=0".into(), self.corpus("stored").display().to_string()])
    }

    /// Runs this many programs, beginning with the stored corpus.
    pub fn fuzz(&self, programs: u64, seed: u32) -> Reached {
        let folder = self.corpus("found");
        self.run(&[
            format!("-runs={programs}"),
            format!("-seed={seed}"),
            format!("-max_len={LONGEST}"),
            "-len_control=10".into(),
            folder.display().to_string(),
        ])
    }

    /// A small set of programs that reach every edge that those in a folder reach.
    fn store(&self, found: &Path) {
        let folder = self.workshop.path().join("few");
        std::fs::create_dir_all(&folder).expect("a folder");
        let folders = [&folder, found].map(|folder| folder.display().to_string());
        self.say(&[&["-set_cover_merge=1".into(), "-use_counters=0".into()], &folders[..]].concat());
        let mut programs: Vec<Vec<u8>> =
            crate::files(&folder, "").iter().map(|file| std::fs::read(file).expect("a program")).collect();
        programs.sort_by_key(|program| (program.len(), program.clone()));
        let text: String = programs.iter().map(|program| hexadecimal(program) + "\n").collect();
        std::fs::write(self.stored(), text).expect("the corpus is stored");
    }

    /// Runs the harness, which must not fail.
    fn run(&self, arguments: &[String]) -> Reached {
        let said = self.say(arguments);
        let last = said.lines().rfind(|line| line.contains("cov: ")).expect("libFuzzer says what it has covered");
        let number = |name: &str| -> u64 {
            let after = last.split(name).nth(1).expect("a number");
            after.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number")
        };
        let counts = said.lines().filter_map(|line| {
            let (name, count) = line.strip_prefix("REACHED ")?.split_once(' ')?;
            Some((name.to_string(), count.parse().ok()?))
        });
        let reached = Reached { edges: number("cov: "), features: number("ft: "), counts: counts.collect() };
        println!("{}: {} edges, {} features; {:?}", self.name, reached.edges, reached.features, reached.counts);
        reached
    }

    fn say(&self, arguments: &[String]) -> String {
        let mut command = Command::new(self.workshop.path().join("harness"));
        command.args(arguments).current_dir(self.workshop.path()).env("ASAN_OPTIONS", "quarantine_size_mb=16");
        let ran = command.output().expect("the harness runs");
        let said = [ran.stderr, ran.stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        if !ran.status.success() {
            let left = crate::files(self.workshop.path(), "").into_iter().find(|file| is_artifact(file));
            let program = left.map_or("none".into(), |file| hexadecimal(&std::fs::read(file).expect("a program")));
            let shown: Vec<&str> = said
                .lines()
                .filter(|line| ["#", "REACHED", "\tNEW_FUNC", "INFO"].iter().all(|noise| !line.starts_with(noise)))
                .take(40)
                .collect();
            panic!("{} fails with the program {program}\n{}", self.name, shown.join("\n"));
        }
        said
    }
}

fn is_artifact(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    ["crash-", "leak-", "oom-", "timeout-"].iter().any(|kind| name.starts_with(kind))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(line: &str) -> Vec<u8> {
    let digits: Vec<u32> = line.chars().map(|c| c.to_digit(16).expect("hexadecimal digits")).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}
