//! How a program runs: which compiler makes each level, with which optimization and sanitizer, and how long.

use std::path::Path;

use nacre_driver::Level;
use nacre_simulator::random::Random;
use nacre_simulator::toolchain::{Error, Toolchain};

use crate::machines::LEVELS;

/// What checks the emitted C while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitizer {
    None,
    /// Behaviour that C leaves undefined.
    Undefined,
    /// Accesses outside of objects. The process that loads it must have the library of gcc before all others.
    Address,
}

/// How a level is made.
#[derive(Clone, Debug)]
pub struct Build {
    pub level: Level,
    pub compiler: &'static str,
    pub optimization: &'static str,
    pub sanitizer: Sanitizer,
}

/// How a program runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub builds: Vec<Build>,
    pub events: u64,
}

impl Plan {
    /// Draws the plan of a seed. `thorough`: all optimizations as often as another, and more events.
    pub fn draw(seed: u64, thorough: bool) -> Plan {
        let mut random = Random::new(seed ^ 0x706c_616e);
        let address = random.below(5) == 0;
        let builds = LEVELS.into_iter().map(|level| Build::draw(level, &mut random, address, thorough)).collect();
        Plan { seed, builds, events: if thorough { 1200 } else { 240 } }
    }

    /// Whether the process needs the library of the address sanitizer.
    pub fn needs_address(&self) -> bool {
        self.builds.iter().any(|build| build.sanitizer == Sanitizer::Address)
    }

    /// The plan for a person.
    pub fn describe(&self) -> String {
        let one = |build: &Build| {
            let Build { level, compiler, optimization, sanitizer } = build;
            format!("{}: {compiler} {optimization} {sanitizer:?}", level.name())
        };
        self.builds.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl Build {
    fn draw(level: Level, random: &mut Random, address: bool, thorough: bool) -> Build {
        let optimizations = ["-O0", "-O1", "-O2", "-O3"];
        let cheap = !thorough && random.below(10) < 7;
        let optimization = optimizations[if cheap { 0 } else { random.below(4) as usize }];
        let compiler = ["gcc", "clang"][random.below(2) as usize];
        match random.below(4) {
            0 => Build { level, compiler, optimization, sanitizer: Sanitizer::Undefined },
            1 | 2 if address => Build { level, compiler: "gcc", optimization, sanitizer: Sanitizer::Address },
            _ => Build { level, compiler, optimization, sanitizer: Sanitizer::None },
        }
    }

    /// The toolchain; what it makes is kept in a folder.
    pub fn toolchain(&self, folder: &Path) -> Result<Toolchain, Error> {
        let toolchain = Toolchain::named(self.compiler, folder)?.optimize(self.optimization);
        let toolchain = if self.optimization == "-O0" { toolchain.flag("-Dalways_inline=unused") } else { toolchain };
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
