//! The wire does not depend on the processor: emitted C, compiled for processors of both byte orders and of 32 bits,
//! produces the same frames, deliveries, outputs, deadlines and canonical states as on the host.

use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_driver::Level;
use nacre_tests::library::{declared, find, Declared};
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::{in_parallel, root, soaking};

/// A cross compiler and the emulator for its programs; no emulator: the host.
struct Processor {
    name: &'static str,
    compiler: &'static str,
    runner: Option<&'static str>,
}

const HERE: Processor = Processor { name: "this processor", compiler: "gcc", runner: None };

/// Big-endian of 32 and of 64 bits, and little-endian of 32 bits.
const OTHERS: [Processor; 3] = [
    Processor { name: "powerpc", compiler: "powerpc-linux-gnu-gcc", runner: Some("qemu-ppc") },
    Processor { name: "s390x", compiler: "s390x-linux-gnu-gcc", runner: Some("qemu-s390x") },
    Processor { name: "arm", compiler: "arm-linux-gnueabihf-gcc", runner: Some("qemu-arm") },
];

/// The number of steps for each stack and level.
fn steps() -> u64 {
    if soaking() {
        20_000
    } else {
        1_000
    }
}

/// In soak tests, the optimized code that ships; otherwise code that compiles in a tenth of the time.
fn flags() -> &'static [&'static str] {
    if soaking() {
        &["-O2"]
    } else {
        &["-O0", "-Dalways_inline=unused"]
    }
}

impl Processor {
    fn is_there(&self) -> bool {
        let starts = |program: &str| Command::new(program).arg("--version").output().is_ok();
        starts(self.compiler) && self.runner.is_none_or(starts)
    }

    /// Compiles the program of a stack, statically linked, so that no library of the other processor is needed.
    fn compile(&self, folder: &Path, stack: &str, flags: &[&str]) -> PathBuf {
        let program = folder.join(format!("talk-{}-{}", self.compiler, flags.join("")));
        let built = Command::new(self.compiler)
            .args(["-std=c11", "-w", "-static"])
            .args(flags)
            .arg(format!("-DSTACK_HEADER=\"{stack}.h\""))
            .arg(format!("-DSTACK_SYMBOL={stack}_stack"))
            .arg("-I")
            .arg(folder)
            .arg("-o")
            .args([&program, &root().join("tests/c/talk.c"), &folder.join(format!("{stack}.c"))])
            .output()
            .expect("the compiler runs");
        assert!(built.status.success(), "{stack} for {}: {}", self.name, String::from_utf8_lossy(&built.stderr));
        program
    }

    /// Returns the output of the program.
    fn run(&self, program: &Path, stack: &str) -> String {
        let mut command = match self.runner {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(program);
                command
            }
            None => Command::new(program),
        };
        let ran = command.args([steps().to_string().as_str(), "1"]).output().expect("the program runs");
        assert!(ran.status.success(), "{stack} on {}: {:?}", self.name, ran.status);
        String::from_utf8(ran.stdout).expect("the talk is ASCII")
    }
}

/// The first line that differs, with the one before it.
fn difference(one: &str, other: &str) -> Option<String> {
    let (mut one, mut other) = (one.lines(), other.lines());
    let mut before = "the beginning";
    loop {
        match (one.next(), other.next()) {
            (None, None) => return None,
            (a, b) if a == b => before = a.unwrap_or_default(),
            (a, b) => return Some(format!("after `{before}`: {a:?}, not {b:?}")),
        }
    }
}

/// Compares a stack at a level on all these processors with the host; returns the differences.
fn compare(declared: &Declared, level: Level, others: &[&Processor]) -> Vec<String> {
    let machines = Machines::new(declared);
    let text = machines.text(level);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = &declared.name;
    std::fs::write(folder.path().join(format!("{name}.h")), text.header).expect("the header is written");
    std::fs::write(folder.path().join(format!("{name}.c")), text.source).expect("the source is written");
    let talk = |processor: &Processor| processor.run(&processor.compile(folder.path(), name, flags()), name);
    let expected = talk(&HERE);
    let differs = |processor: &&&Processor| difference(&talk(processor), &expected).map(|what| (processor.name, what));
    let found = others.iter().filter_map(|processor| differs(&processor));
    found.map(|(processor, what)| format!("{name} at level {} on {processor} {what}", level.name())).collect()
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn every_processor_gives_the_same_frames() {
    let (there, missing): (Vec<&Processor>, Vec<&Processor>) =
        OTHERS.iter().partition(|processor| processor.is_there());
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|processor| processor.name).collect();
        println!(
            "not compared, for want of a cross compiler or qemu-user (`make setup-processors`): {}",
            names.join(", ")
        );
    }
    let all = declared();
    assert!(all.len() >= 25, "only {} stacks were found", all.len());
    let work: Vec<(Declared, Level)> =
        all.into_iter().flat_map(|stack| LEVELS.map(|level| (stack.clone(), level))).collect();
    let differences = in_parallel(&work, |(declared, level)| compare(declared, *level, &there)).concat();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    println!("{} stacks and levels on {} other processors", work.len(), there.len());
}

#[test]
fn output_shows_frames_deliveries_and_deadlines_for_any_compiler() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = Machines::new(&find("reliable")).text(Level::Call);
    std::fs::write(folder.path().join("reliable.h"), text.header).expect("the header is written");
    std::fs::write(folder.path().join("reliable.c"), text.source).expect("the source is written");
    let talk = |flags: &[&str]| HERE.run(&HERE.compile(folder.path(), "reliable", flags), "reliable");
    let plain = talk(&["-O0", "-Dalways_inline=unused"]);
    for what in [" frame ", " says deliver", " tick: 0", " input: 0", " input: 5", " send: 0", " send: 2"] {
        assert!(plain.matches(what).count() > 1, "no `{what}` in\n{plain}");
    }
    // `char` is unsigned on ARM and PowerPC.
    assert_eq!(difference(&talk(&["-O1", "-funsigned-char", "-Dalways_inline=unused"]), &plain), None);
    let damaged = plain.replacen(" frame ", " frames ", 1);
    assert!(difference(&damaged, &plain).is_some_and(|what| what.contains("frames")));
}
