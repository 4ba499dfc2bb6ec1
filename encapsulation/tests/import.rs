//! What `nacre import` says of sources that cannot be imported, and what it makes of a STREAMS module of others.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use nacre_encapsulation::import::{Import, Refused};
use nacre_encapsulation::report::Report;
use nacre_encapsulation::streams::{Host, Message, Streams};
use tempfile::{tempdir, TempDir};

/// A module that counts in a static variable what passes, in the C of its time.
const COUNTER: &str = r#"
#include <sys/types.h>
#include <sys/param.h>
#include <sys/stream.h>
#include <sys/stropts.h>
#include <sys/ddi.h>
#include <sys/cmn_err.h>

static int counted;
static int counter_open(), counter_close(), counter_put();
static struct module_info info = { 77, "counter", 0, INFPSZ, 4096, 1024 };
static struct qinit rinit = { counter_put, NULL, counter_open, counter_close, NULL, &info, NULL };
static struct qinit winit = { counter_put, NULL, NULL, NULL, NULL, &info, NULL };
struct streamtab counterinfo = { &rinit, &winit, NULL, NULL };

static int
counter_open(q, devp, oflag, sflag, credp)
    queue_t *q; dev_t *devp; int oflag, sflag; cred_t *credp;
{
    if (sflag != MODOPEN)
        return (22);
    qprocson(q);
    return (0);
}

static int
counter_close(q, flag, credp)
    queue_t *q; int flag; cred_t *credp;
{
    qprocsoff(q);
    return (0);
}

static int
counter_put(q, mp)
    queue_t *q; mblk_t *mp;
{
    if (mp->b_datap->db_type == M_DATA && mp->b_rptr < mp->b_wptr) {
        if (*mp->b_rptr == '!')
            cmn_err(CE_PANIC, "told to");
        *mp->b_rptr = '0' + ++counted;
    }
    putnext(q, mp);
    return (0);
}
"#;

struct Source {
    folder: TempDir,
}

impl Source {
    fn new(files: &[(&str, &str)]) -> Source {
        let folder = tempdir().expect("a folder");
        for (name, text) in files {
            fs::create_dir_all(folder.path().join(name).parent().expect("a folder")).expect("a folder");
            fs::write(folder.path().join(name), text).expect("a file");
        }
        Source { folder }
    }

    fn whole(&self) -> Import {
        Import {
            tree: self.folder.path().into(),
            environment: "streams".into(),
            name: "imported".into(),
            description: Some(self.folder.path().join("description.toml")),
            flags: vec![],
            isolate: false,
        }
    }

    fn import(&self, change: impl FnOnce(&mut Import)) -> (TempDir, Result<(), Refused>) {
        let mut import = self.whole();
        change(&mut import);
        let written = tempdir().expect("a folder");
        let result = import.write(written.path()).map(|_| ());
        (written, result)
    }

    fn report(&self) -> Report {
        match self.import(|_| ()) {
            (folder, Err(Refused::Source(report))) => {
                assert!(!folder.path().join("imported.so").exists(), "a capsule of a source that was refused");
                *report
            }
            (_, other) => panic!("{other:?}"),
        }
    }

    fn refused(&self, change: impl FnOnce(&mut Import)) -> String {
        match self.import(change) {
            (_, Err(Refused::Other(words))) => words,
            (_, other) => panic!("{other:?}"),
        }
    }
}

const DESCRIPTION: &str = "sources = [\"*.c\"]\nmodules = { \"\" = \"counterinfo\" }\n";

fn with(text: &str) -> Source {
    Source::new(&[("counter.c", COUNTER), ("other.c", text), ("description.toml", DESCRIPTION)])
}

#[test]
fn missing_headers_are_named_with_the_files_that_include_them() {
    let report = with("#include <sys/no_such.h>\n").report();
    assert_eq!(report.headers.keys().collect::<Vec<_>>(), ["sys/no_such.h"]);
    assert!(report.headers["sys/no_such.h"].contains("other.c"));
}

#[test]
fn missing_services_are_named_with_the_files_that_use_them() {
    let report = with("extern int no_such(int);\nint f(void) { return no_such(socket(1, 2, 3)); }\n").report();
    assert_eq!(report.services.keys().collect::<Vec<_>>(), ["no_such", "socket"]);
    assert!(report.services["no_such"].contains("other.c"));
    assert!(report.undeclared.contains_key("socket"), "{report}");
}

#[test]
fn errors_of_the_compiler_are_passed_on() {
    let report = with("int f(void) { return 1 +; }\n").report();
    assert_eq!(report.errors.len(), 1, "{report}");
    assert!(report.errors[0].starts_with("other.c:1:"), "{report}");
}

#[test]
fn pointers_in_integers_of_32_bits_are_reported() {
    let text = "struct p { int a; };\nint f(struct p *p) { return (int)p; }\nstruct p *g(int n) { return (struct p *)n; }\nint no_such();\n";
    let report = with(&format!("{text}int h(void) {{ return no_such(); }}\n")).report();
    assert_eq!(report.narrow.len(), 2, "{report}");
}

#[test]
fn wrong_arguments_are_explained() {
    let source = with("");
    assert!(source.refused(|import| import.environment = "plan9".into()).contains("there are"));
    assert!(source.refused(|import| import.name = "a-b".into()).contains("no name"));
    assert!(source.refused(|import| import.tree = "/no/such".into()).contains("/no/such"));
    assert!(source.refused(|import| import.description = Some("/no/such".into())).contains("/no/such"));
    let described = |text: &str| Source::new(&[("counter.c", COUNTER), ("description.toml", text)]).refused(|_| ());
    assert!(described("sources = [\"*.c\"]\nsource = 1\n").contains("source"), "an unknown key");
    assert!(described("sources = [\"no/*.c\"]\n").contains("no/*.c"));
    assert!(described("sources = []\n").contains("no sources"));
    assert!(described("sources = [\"*.c\"]\nmodules = { \"a b\" = \"x\" }\n").contains("a b"));
    assert!(described("sources = [\"*.c\"]\ninclude = [\"none\"]\n").contains("none"));
    assert!(source.refused(|import| import.name = "libnacre_streams".into()).contains("the library"));
    assert!(source.refused(|import| import.description = Some("/dev/zero".into())).contains("too large"));
    assert!(described("sources = [\"/etc/*.c\"]\n").contains("relative"));
    assert!(described("sources = [\"*.c\"]\n").contains("no modules"));
    let named = |more: &str| described(&format!("sources = [\"*.c\"]\nmodules = {{ {more}"));
    assert!(named("a = \"counterinfo\" }\ndevices = { a = \"counterinfo\" }\n").contains("of a module and of a device"));
    assert!(named(&format!("{} = \"counterinfo\" }}\n", "a".repeat(32))).contains("longer than 31"));
    let many: Vec<String> = (0..65).map(|number| format!("m{number} = \"counterinfo\"")).collect();
    assert!(named(&format!("{} }}\n", many.join(", "))).contains("more than 64"));
}

#[test]
fn a_flag_does_not_hide_what_is_doubtful() {
    let source =
        with("struct p { int a; };\nint f(struct p *p) { return (int)p; }\nint no_such();\nint (*g)() = no_such;\n");
    fs::write(source.folder.path().join("description.toml"), format!("{DESCRIPTION}flags = [\"-w\"]\n"))
        .expect("a file");
    assert_eq!(source.report().narrow.len(), 1);
}

/// Links that lead back have no end, and each pair of them doubles the number of paths.
#[test]
fn links_that_loop_are_not_followed() {
    let deep = DESCRIPTION.replace("*.c", "**/*.c");
    let source = Source::new(&[("a/counter.c", COUNTER), ("description.toml", &deep)]);
    for name in ["one", "two"] {
        std::os::unix::fs::symlink("..", source.folder.path().join("a").join(name)).expect("a link");
    }
    std::os::unix::fs::symlink("nowhere", source.folder.path().join("a/none.c")).expect("a link");
    source.import(|_| ()).1.unwrap_or_else(|refused| panic!("{refused:?}"));
}

#[test]
fn names_of_files_are_any() {
    let name = format!("é, =\"$x' {}.c", "n".repeat(230));
    let source = Source::new(&[(&name, COUNTER), ("description.toml", DESCRIPTION)]);
    source.import(|_| ()).1.unwrap_or_else(|refused| panic!("{refused:?}"));
}

/// A capsule of an earlier import is no capsule of a source that is refused.
#[test]
fn a_refusal_leaves_no_capsule() {
    let source = with("");
    let (folder, result) = source.import(|_| ());
    result.unwrap_or_else(|refused| panic!("{refused:?}"));
    fs::write(source.folder.path().join("other.c"), "int f(void) { return 1 +; }\n").expect("a file");
    assert!(matches!(source.whole().write(folder.path()), Err(Refused::Source(_))));
    assert!(!folder.path().join("imported.so").exists());
}

/// Whoever opens a file while it is written again finds the old one or the new one, whole.
#[test]
fn files_are_replaced_at_once() {
    let source = with("");
    let (folder, result) = source.import(|_| ());
    result.unwrap_or_else(|refused| panic!("{refused:?}"));
    let files = ["imported.so", "libnacre_streams.so.1", "nacre_isolated", "libnacre_streams.so"];
    let files = files.map(|name| folder.path().join(name));
    let before = files.clone().map(|file| fs::read(file).expect("a file").len());
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                for (file, before) in files.iter().zip(before) {
                    assert_eq!(fs::read(file).map(|bytes| bytes.len()).ok(), Some(before), "{}", file.display());
                }
            }
        });
        source.whole().write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        looks.join().expect("all are whole");
    });
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 5, "nothing else is left");
}

/// Two instances of the counter in one host, below a head each.
struct Counters {
    _folder: TempDir,
    host: Host,
}

fn counters() -> Counters {
    let (folder, result) = with("").import(|_| ());
    result.unwrap_or_else(|refused| panic!("{refused:?}"));
    let streams = Streams::load(folder.path()).expect("the library");
    let host = Host::open(streams, Rc::new(Cell::new(0)), 1).expect("a host");
    Counters { _folder: folder, host }
}

fn echo(host: &Host, module: &str, device: &nacre_encapsulation::streams::Device, stream: &str) -> Option<Vec<u8>> {
    let stream = host.stream(stream).expect("a stream");
    stream.push(module).expect("it is pushed");
    stream.put(&Message { control: None, data: Some(b"-".to_vec()) }).ok()?;
    host.work();
    device.sent()
}

#[test]
fn each_instance_has_its_own_static_data() {
    let counters = counters();
    let capsule = counters._folder.path().join("imported.so");
    let first = counters.host.load(&capsule, "one", &[]).expect("an instance");
    let second = counters.host.load(&capsule, "two", &[]).expect("an instance");
    let device = counters.host.device("wire").expect("a device");
    let run = |module: &str| echo(&counters.host, module, &device, "wire").expect("it passes");
    assert_eq!([run("one"), run("one"), run("two")], [b"1".to_vec(), b"2".to_vec(), b"1".to_vec()]);
    assert!(first.unload().is_ok() && second.unload().is_ok());
    assert_eq!(counters.host.live_blocks(), 0);
}

#[test]
fn a_panic_ends_the_instance_alone() {
    let counters = counters();
    let capsule = counters._folder.path().join("imported.so");
    let bad = counters.host.load(&capsule, "bad", &[]).expect("an instance");
    counters.host.load(&capsule, "good", &[]).expect("an instance");
    let device = counters.host.device("wire").expect("a device");
    let stream = counters.host.stream("wire").expect("a stream");
    stream.push("bad").expect("it is pushed");
    assert!(bad.unload().is_err(), "a stream has it");
    stream.put(&Message { control: None, data: Some(b"!".to_vec()) }).expect("it is taken");
    counters.host.work();
    assert!(counters.host.log().iter().any(|line| line.contains("told to")), "{:?}", counters.host.log());
    drop(stream);
    assert_eq!(device.sent(), None);
    assert_eq!(echo(&counters.host, "good", &device, "wire"), Some(b"1".to_vec()));
}

#[test]
fn what_is_no_capsule_is_not_loaded() {
    let counters = counters();
    let folder = counters._folder.path();
    fs::write(folder.join("text.so"), "no object").expect("a file");
    for (file, what) in [("none.so", "No such file"), ("text.so", "")] {
        let refused = counters.host.load(&folder.join(file), "x", &[]).err().expect("it is refused").to_string();
        assert!(refused.contains(file) && refused.contains(what), "{refused}");
    }
    let library = folder.join(nacre_encapsulation::import::STREAMS);
    assert!(counters.host.load(Path::new(&library), "x", &[]).is_err());
}
