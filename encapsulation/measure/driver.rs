//! Measures protocol graphs (Krupczak, Calvert and Ammar 1996, figures 5 to 7) in instructions, by valgrind's callgrind:
//! they are repeatable for the same compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::compile::gcc;
use crate::files;
use crate::import::Import;

/// The graphs of figure 4.
pub const GRAPHS: [&str; 4] = ["Native", "Import1", "Import2", "Import3"];

const LIMIT: Duration = Duration::from_secs(300);
const OPTIMIZED: [&str; 6] = ["-O2", "-g", "-fno-strict-aliasing", "-fwrapv", "-I.", "-DNACRE_CAPSULE_NAME=\"at\""];
const FOREIGN: [&str; 9] = [
    "-std=gnu89",
    "-w",
    "-fno-builtin",
    "-fcommon",
    "-DKERNEL",
    "-D_KERNEL",
    "-fno-delete-null-pointer-checks",
    "-Ibsd/include/bsd44",
    "-Istacks/appletalk",
];

/// Null transactions in loopback, each.
#[derive(Clone, Copy, Debug)]
pub struct Transactions {
    pub exactly_once: f64,
    pub at_least_once: f64,
    /// Exactly once.
    pub nanoseconds: f64,
}

/// Instructions of a packet in a protocol: above it, in it, below it. Native protocols have no crossings.
#[derive(Clone, Copy, Debug)]
pub struct Processing {
    pub upper: f64,
    pub protocol: f64,
    pub lower: f64,
}

impl Processing {
    pub fn sum(&self) -> f64 {
        self.upper + self.protocol + self.lower
    }
}

/// A packet sent, and one received.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    pub send: Processing,
    pub receive: Processing,
}

/// Instructions of an allocation with its release, and of the crossings of one data block.
#[derive(Clone, Copy, Debug)]
pub struct Buffers {
    pub small_block: f64,
    pub mbuf: f64,
    pub large_block: f64,
    pub cluster: f64,
    /// From a message block to an mbuf, and back.
    pub inward: f64,
    pub outward: f64,
}

/// The programs, compiled.
pub struct Programs {
    folder: TempDir,
}

impl Programs {
    /// Compiles all of them.
    pub fn build() -> Result<Programs, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        files::unpack(folder.path()).map_err(|error| error.to_string())?;
        let programs = Programs { folder };
        let mut native = programs.sources("streams")?;
        native.extend(programs.sources("stacks/appletalk/core")?);
        native.extend(programs.sources("stacks/appletalk/streams")?);
        native.extend(["measure/graph.c", "measure/graph_native.c"].map(str::to_string));
        let native = programs.objects(&native, &["-std=c11"], "native")?;
        let mut environment = programs.sources("bsd")?;
        environment.extend(programs.sources("stacks/common")?);
        let environment = programs.objects(&environment, &["-std=gnu11", "-Ibsd/include/bsd44"], "environment")?;
        for (number, graph) in GRAPHS.iter().enumerate() {
            let mut objects = native.clone();
            if number > 0 {
                objects.extend(environment.iter().cloned());
                objects.extend(programs.imported(number)?);
            }
            let define = format!("-DGRAPH=graph_{}", graph.to_lowercase());
            for program in ["transactions", "processing"] {
                let name = format!("{program}-{graph}");
                programs.link(&format!("measure/{program}.c"), &["-std=c11", &define], &objects, &name)?;
            }
            if *graph == "Import2" {
                objects.extend(programs.objects(&["measure/mbufs.c".to_string()], &FOREIGN, "mbufs")?);
                programs.link("measure/buffers.c", &["-std=c11"], &objects, "buffers")?;
            }
        }
        Ok(programs)
    }

    /// Null transactions of a graph.
    pub fn transactions(&self, graph: &str) -> Result<Transactions, String> {
        let program = format!("transactions-{graph}");
        let each = |more: &[&str]| {
            let [once, twice] =
                [1000, 2000].map(|count| self.total(&program, &[&[&*format!("{count}")], more].concat()));
            Ok::<f64, String>((twice? - once?) / 1000.0)
        };
        Ok(Transactions {
            exactly_once: each(&[])?,
            at_least_once: each(&["at-least-once"])?,
            nanoseconds: self.nanoseconds(&program, "100000")?,
        })
    }

    /// Nanoseconds of a null transaction, exactly once, of the graph Import1 whose capsule runs in a process of its own. (The
    /// instructions of two processes that wait for each other do not repeat.)
    pub fn isolated(&self) -> Result<f64, String> {
        let import = Import {
            tree: self.path("stacks/appletalk"),
            environment: "bsd44".into(),
            name: "at".into(),
            description: Some(self.path("stacks/appletalk/imports/both.toml")),
            flags: vec![],
            isolate: true,
        };
        let imported = import.write(&self.path("isolated")).map_err(|refused| format!("{refused:?}"))?;
        let mut files = self.sources("stacks/appletalk/core")?;
        files.extend(["measure/graph.c", "measure/graph_imported.c"].map(str::to_string));
        let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
        let flags = ["-std=c11", "-DIMPORT=1", "-DGRAPH=graph_import1", &capsule];
        let mut objects = self.objects(&files, &flags, "isolated")?;
        objects.push("isolated/libnacre_streams.so".into());
        let found = format!("-Wl,-rpath,{}", self.path("isolated").display());
        self.link("measure/transactions.c", &[&flags[..], &[&found]].concat(), &objects, "transactions-isolated")?;
        self.nanoseconds("transactions-isolated", "20000")
    }

    fn nanoseconds(&self, program: &str, count: &str) -> Result<f64, String> {
        let words = self.run(Command::new(self.path(program)).arg(count))?;
        words.trim().parse().map_err(|_| format!("`{program}` printed `{words}`"))
    }

    /// ATP native and imported, then DDP.
    pub fn processing(&self) -> Result<[[Ways; 2]; 2], String> {
        let native = self.packets("Native")?;
        let way =
            |entry: &str, exit: &str| Processing { upper: 0.0, protocol: native(entry) - native(exit), lower: 0.0 };
        let (atp, ddp) = ("appletalk/streams/atp.c", "appletalk/streams/ddp.c");
        let (head, device) = ("streams/head.c:read_put", "streams/device.c:write_put");
        let [atp_up, atp_down] = [format!("{atp}:atp_rput"), format!("{atp}:atp_wput")];
        let [ddp_up, ddp_down] = [format!("{ddp}:ddp_lrput"), format!("{ddp}:ddp_wput")];
        let native_atp = Ways { send: way(&atp_down, &ddp_down), receive: way(&atp_up, head) };
        let native_ddp = Ways { send: way(&ddp_down, device), receive: way(&ddp_up, &atp_up) };
        let imported_atp =
            self.imported_ways("Import3", ["atp_usrreq", "ddp_output", "atp_input"], (&ddp_down, head))?;
        let imported_ddp = self.imported_ways("Import2", ["ddp_usrreq", "output", "ddpintr"], (device, &atp_up))?;
        Ok([[native_atp, imported_atp], [native_ddp, imported_ddp]])
    }

    /// `names`: where the protocol sends, what it sends to, where it receives; `outside`: what the crossings call.
    fn imported_ways(&self, graph: &str, names: [&str; 3], outside: (&str, &str)) -> Result<Ways, String> {
        let of = self.packets(graph)?;
        let [send, below, receive] = names.map(|name| of(&format!(":{name}")));
        let send_to = of(outside.0);
        let report = of("bsd/report.c:bsd_report");
        Ok(Ways {
            send: Processing {
                upper: of("bsd/capsule.c:write_put") - send,
                protocol: send - below,
                lower: below - send_to,
            },
            receive: Processing {
                upper: report - of(outside.1),
                protocol: receive,
                lower: of("bsd/input.c:read_put") - receive - report,
            },
        })
    }

    /// Instructions of functions, with all that they call, for a packet of `processing`.
    fn packets(&self, graph: &str) -> Result<impl Fn(&str) -> f64 + use<>, String> {
        let program = format!("processing-{graph}");
        let [few, many] = [500, 1500].map(|count| self.functions(&program, &[&format!("{count}")]));
        let (few, many) = (few?.0, many?.0);
        // COUNT packets are sent and received as client, and COUNT as server.
        Ok(move |end: &str| (sum_of(&many, end) - sum_of(&few, end)) / 2000.0)
    }

    /// Buffers of 10,000 allocations.
    pub fn buffers(&self) -> Result<Buffers, String> {
        let each = |kind: &str| {
            let [few, many] = ["10000", "20000"].map(|count| self.total("buffers", &[kind, count]));
            Ok::<f64, String>((many? - few?) / 10_000.0)
        };
        let (crossing, _) = self.functions("buffers", &["crossing", "10000"])?;
        Ok(Buffers {
            small_block: each("small-block")?,
            mbuf: each("mbuf")?,
            large_block: each("large-block")?,
            cluster: each("cluster")?,
            inward: sum_of(&crossing, ":bsd_mbufs_of") / 10_000.0,
            outward: sum_of(&crossing, ":bsd_message_of") / 10_000.0,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The C files of a folder.
    fn sources(&self, folder: &str) -> Result<Vec<String>, String> {
        let files = std::fs::read_dir(self.path(folder)).map_err(|error| format!("{folder}: {error}"))?;
        let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
        let mut found: Vec<String> =
            names.filter(|name| name.ends_with(".c")).map(|name| format!("{folder}/{name}")).collect();
        found.sort();
        Ok(found)
    }

    /// The foreign code of a graph with its description, and the graph.
    fn imported(&self, number: usize) -> Result<Vec<String>, String> {
        let (description, parts, defines): (&str, &[&str], &[&str]) = match number {
            1 => ("both", &["at_", "atp_", "ddp_"], &["-DDDP", "-DATP"]),
            2 => ("ddp", &["at_", "ddp_"], &["-DDDP"]),
            _ => ("atp", &["at_", "atp_"], &["-DATP"]),
        };
        let folder = "stacks/appletalk/bsd/";
        let mut files = self.sources(folder.trim_end_matches('/'))?;
        files.retain(|file| parts.iter().any(|part| file[folder.len()..].starts_with(part)));
        files.push(format!("stacks/appletalk/imports/{description}.c"));
        let mut objects = self.objects(&files, &[&FOREIGN, defines].concat(), description)?;
        let define = format!("-DIMPORT={number}");
        objects.extend(self.objects(&["measure/graph_imported.c".into()], &["-std=c11", &define], description)?);
        Ok(objects)
    }

    fn objects(&self, files: &[String], flags: &[&str], place: &str) -> Result<Vec<String>, String> {
        let folder = self.folder.path();
        files
            .iter()
            .map(|file| {
                let object = format!("{place}-{}.o", file.replace('/', "-"));
                gcc(&[&OPTIMIZED, flags, &["-c", file, "-o", &object]].concat(), folder)?;
                Ok(object)
            })
            .collect()
    }

    fn link(&self, file: &str, flags: &[&str], objects: &[String], name: &str) -> Result<(), String> {
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        gcc(&[&OPTIMIZED, flags, &[file], &objects, &["-o", name, "-ldl"]].concat(), self.folder.path()).map(drop)
    }

    /// Instructions of a whole run.
    fn total(&self, program: &str, arguments: &[&str]) -> Result<f64, String> {
        self.functions(program, arguments).map(|(_, total)| total)
    }

    /// Instructions of each function with all that it calls, and of the run.
    fn functions(&self, program: &str, arguments: &[&str]) -> Result<(BTreeMap<String, f64>, f64), String> {
        let out = self.path("callgrind.out");
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "-q"]).arg(format!("--callgrind-out-file={}", out.display()));
        self.run(valgrind.arg(self.path(program)).args(arguments))?;
        let mut annotate = Command::new("callgrind_annotate");
        let text = self.run(annotate.args(["--inclusive=yes", "--threshold=100"]).arg(&out))?;
        let total = text.lines().find(|line| line.ends_with("PROGRAM TOTALS")).and_then(number_of);
        Ok((parse(&text), total.ok_or("callgrind_annotate prints no total")?))
    }

    fn run(&self, command: &mut Command) -> Result<String, String> {
        let name = Path::new(command.get_program()).to_path_buf();
        let ran = nacre_process::run(command, self.folder.path(), LIMIT)
            .map_err(|error| format!("{}: {error} (Debian: `apt-get install valgrind`)", name.display()))?;
        if ran.stopped || !ran.status.success() {
            return Err(format!("{}: {}", name.display(), ran.words));
        }
        Ok(ran.words)
    }
}

/// The count at the beginning of a line.
fn number_of(line: &str) -> Option<f64> {
    line.split_whitespace().next()?.replace(',', "").parse().ok()
}

/// Lines such as `  12,345 (10.0%)  folder/file.c:function [object]`. A function whose code comes from several files has
/// a line for each; the first counts all.
fn parse(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for line in text.lines().filter(|line| !line.contains("=>")) {
        let Some((_, rest)) = line.split_once("%)  ") else { continue };
        let place = rest.split_whitespace().next().unwrap_or_default();
        if let (true, Some(count)) = (place.contains(".c:"), number_of(line)) {
            counts.entry(place.to_string()).or_insert(count);
        }
    }
    counts
}

/// The count of the function whose place ends so; 0 without.
fn sum_of(counts: &BTreeMap<String, f64>, end: &str) -> f64 {
    counts.iter().filter(|(place, _)| place.ends_with(end)).map(|(_, count)| *count).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_are_read_by_place() {
        let text = " 1,234 (50.00%)  /x/streams/head.c:read_put [/tmp/a]\n 9 ( 1.0%)  => /x/b.c:f (2x) [/tmp/a]\n";
        let counts = super::parse(text);
        assert_eq!(counts.len(), 1);
        assert_eq!(super::sum_of(&counts, "streams/head.c:read_put"), 1234.0);
        assert_eq!(super::sum_of(&counts, ":write_put"), 0.0);
    }
}
