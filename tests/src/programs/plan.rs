//! How a program runs: the compiler, optimization and sanitizer of each level, and the number of events.

use std::path::Path;

use nacre_driver::Level;
use nacre_simulator::random::Random;
use nacre_simulator::toolchain::{Error, Toolchain};

use crate::machines::LEVELS;

const COMPILERS: [&str; 2] = ["gcc", "clang"];

/// The sanitizer that checks the emitted C while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitizer {
    None,
    /// Behaviour that C leaves undefined.
    Undefined,
    /// Accesses outside of objects. The process that loads it must have the library of gcc before all others.
    Address,
}

/// How a level is compiled.
#[derive(Clone, Debug)]
pub struct Build {
    pub level: Level,
    pub compiler: &'static str,
    pub optimization: &'static str,
    pub sanitizer: Sanitizer,
    /// Functions are inlined where the emitted C says so, which takes compilers ten times as long.
    pub inlined: bool,
}

/// How a program runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub builds: Vec<Build>,
    pub events: u64,
}

impl Plan {
    /// Draws the plan of a seed. `thorough`: each level is optimized and sanitized at random, and there are more
    /// events. Else that is so for at most one level, and the others are made in the quickest way.
    pub fn draw(seed: u64, thorough: bool) -> Plan {
        let mut random = Random::new(seed ^ 0x706c_616e);
        let chosen = random.below(4) as usize;
        let drawn = |(at, level)| match thorough || at == chosen {
            true => Build::draw(level, &mut random, thorough),
            false => Build::quickest(level, &mut random),
        };
        let builds = LEVELS.into_iter().enumerate().map(drawn).collect();
        Plan { seed, builds, events: if thorough { 1200 } else { 240 } }
    }

    /// Whether the process needs the library of the address sanitizer.
    pub fn needs_address(&self) -> bool {
        self.builds.iter().any(|build| build.sanitizer == Sanitizer::Address)
    }

    /// Formats the plan.
    pub fn describe(&self) -> String {
        let one = |build: &Build| {
            let Build { level, compiler, optimization, sanitizer, inlined } = build;
            let inlined = if *inlined { " inlined" } else { "" };
            format!("{}: {compiler} {optimization} {sanitizer:?}{inlined}", level.name())
        };
        self.builds.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl Build {
    fn quickest(level: Level, random: &mut Random) -> Build {
        let compiler = COMPILERS[random.below(2) as usize];
        Build { level, compiler, optimization: "-O0", sanitizer: Sanitizer::None, inlined: false }
    }

    fn draw(level: Level, random: &mut Random, thorough: bool) -> Build {
        let optimization = ["-O0", "-O1", "-O2", "-O3"][random.below(4) as usize];
        let inlined = optimization != "-O0" && random.below(if thorough { 3 } else { 8 }) == 0;
        let (compiler, sanitizer) = match random.below(6) {
            0 => ("gcc", Sanitizer::Undefined),
            1 => ("clang", Sanitizer::Undefined),
            2 => ("gcc", Sanitizer::Address),
            _ => (COMPILERS[random.below(2) as usize], Sanitizer::None),
        };
        Build { level, compiler, optimization, sanitizer, inlined }
    }

    /// Returns the toolchain; its output is stored in a folder.
    pub fn toolchain(&self, folder: &Path) -> Result<Toolchain, Error> {
        let toolchain = Toolchain::named(self.compiler, folder)?.optimize(self.optimization);
        let toolchain = if self.inlined { toolchain } else { toolchain.flag("-Dalways_inline=unused") };
        Ok(match (self.sanitizer, self.compiler) {
            (Sanitizer::None, _) => toolchain,
            (Sanitizer::Undefined, "gcc") => {
                toolchain.flag("-fsanitize=undefined").flag("-fno-sanitize-recover=undefined")
            }
            // The runtime of clang is not linked to shared objects.
            (Sanitizer::Undefined, _) => toolchain.flag("-fsanitize=undefined").flag("-fsanitize-trap=undefined"),
            (Sanitizer::Address, _) => toolchain.flag("-fsanitize=address"),
        })
    }
}
