//! A module that crashes, loops, panics or makes a system call on command.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use nacre_encapsulation::import::Import;
use nacre_encapsulation::streams::{Device, Host, Instance, Message, Stream, Streams};
use tempfile::{tempdir, TempDir};

/// More than both sides can exchange at once.
pub const LARGE: usize = 3 << 20;

const MODULE: &str = r#"
#include <sys/types.h>
#include <sys/param.h>
#include <sys/stream.h>
#include <sys/stropts.h>
#include <sys/ddi.h>
#include <sys/cmn_err.h>

static int crash_at_close, crash_at_open;
static int t_open(), t_close(), t_put(), t_srv();
static struct module_info info = { 78, "trouble", 0, INFPSZ, 4096, 1024 };
static struct qinit rinit = { t_put, t_srv, t_open, t_close, NULL, &info, NULL };
static struct qinit winit = { t_put, t_srv, NULL, NULL, NULL, &info, NULL };
struct streamtab troubleinfo = { &rinit, &winit, NULL, NULL };

static int
t_open(q, devp, oflag, sflag, credp)
    queue_t *q; dev_t *devp; int oflag, sflag; cred_t *credp;
{
    if (crash_at_open)
        *(volatile int *)8 = 1;
    qprocson(q);
    return (0);
}

static int
t_close(q, flag, credp)
    queue_t *q; int flag; cred_t *credp;
{
    if (crash_at_close)
        *(volatile int *)8 = 1;
    qprocsoff(q);
    return (0);
}

static volatile int forever = 1;

#define NEW_FILE "/tmp/nacre-isolated-wrote"

/* The error of a system call, or 0. */
static int
kernel(number, a, b, c, d)
    long number, a, b, c, d;
{
    long result = 0;
#ifdef __x86_64__
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = -1, sixth __asm__("r9") = 0;
    __asm__ volatile ("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth),
        "r"(sixth) : "rcx", "r11", "memory");
#endif
    return (result < 0 ? -result : 0);
}

static int error_at_load = -1;
static void early() __attribute__((constructor));

static void
early()
{
    error_at_load = kernel(2L, (long)NEW_FILE, 0101L, 0600L, 0L); /* open */
}

static int word;

static void
flood(q)
    queue_t *q;
{
    int i;
    for (i = 0; i < 1000000; i++)
        qreply(q, allocb(0, BPRI_MED));
}

static int
t_put(q, mp)
    queue_t *q; mblk_t *mp;
{
    if (mp->b_datap->db_type == M_DATA && mp->b_rptr < mp->b_wptr) {
        switch (*mp->b_rptr) {
        case 'c': *(volatile int *)8 = 1; break;
        case 'l': while (forever) ; break;
        case 'p': cmn_err(CE_PANIC, "told to"); break;
        case 'z': (void)allocb(1, BPRI_MED); break;
        case 'x': crash_at_close = 1; break;
        case 'y': crash_at_open = 1; break;
        case 'u': flood(q); break;
        case 'o': *mp->b_rptr = kernel(2L, (long)"/", 0L, 0L, 0L); break; /* open */
        case 'e': *mp->b_rptr = error_at_load; break;
        case 'm': *mp->b_rptr = kernel(9L, 0L, 5L << 30, 3L, 0x21L); break; /* mmap of shared memory */
        case 'f': *mp->b_rptr = kernel(202L, (long)&word, 0L, 0L, 0L); break; /* futex */
        }
    }
    if (mp->b_datap->db_type >= QPCTL)
        putnext(q, mp);
    else
        putq(q, mp);
    return (0);
}

static int
t_srv(q)
    queue_t *q;
{
    mblk_t *mp;
    while ((mp = getq(q)) != NULL) {
        if (!canputnext(q)) {
            putbq(q, mp);
            return (0);
        }
        putnext(q, mp);
    }
    return (0);
}
"#;

/// A host with two isolated instances, `bad` and `good`, and a device `wire0` below each stream.
pub struct Trouble {
    pub folder: TempDir,
    pub capsule: PathBuf,
    pub host: Host,
    pub device: Device,
    others: RefCell<Vec<Device>>,
    instances: Vec<Instance>,
}

impl Trouble {
    pub fn new() -> Trouble {
        let source = tempdir().expect("a folder");
        fs::write(source.path().join("trouble.c"), MODULE).expect("a file");
        let description = source.path().join("description.toml");
        fs::write(&description, "sources = [\"*.c\"]\nmodules = { \"\" = \"troubleinfo\" }\n").expect("a file");
        let import = Import {
            tree: source.path().into(),
            environment: "streams".into(),
            name: "trouble".into(),
            description: Some(description),
            flags: vec![],
            isolate: true,
        };
        let folder = tempdir().expect("a folder");
        let imported = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
        assert!(imported.capsule.ends_with("trouble.isolated.so"), "{}", imported.capsule.display());
        let streams = Streams::load(folder.path()).expect("the library");
        let host = Host::open(streams, Rc::new(Cell::new(1)), 1).expect("a host");
        let load = |name: &str| host.load(&imported.capsule, name, &["isolate=300"]).expect("an instance");
        let instances = ["bad", "good"].map(load).into_iter().collect();
        let device = host.device("wire").expect("a device");
        Trouble { folder, capsule: imported.capsule, host, device, others: RefCell::default(), instances }
    }

    /// A stream with an instance on it: `good` is on the device that is known.
    pub fn stream(&self, instance: &str) -> Stream {
        let name = if instance == "good" { "wire".to_string() } else { format!("wire of {instance}") };
        if instance != "good" {
            self.others.borrow_mut().push(self.host.device(&name).expect("a device"));
        }
        let stream = self.host.stream(&name).expect("a stream");
        stream.push(instance).expect("it is pushed");
        stream
    }

    /// Writes a message of bytes.
    pub fn write(&self, stream: &Stream, bytes: &[u8]) {
        stream.put(&Message { control: None, data: Some(bytes.to_vec()) }).expect("room");
        self.host.work();
    }

    pub fn device_has(&self, bytes: &[u8]) -> bool {
        self.device.sent().is_some_and(|sent| sent == bytes)
    }

    /// Reads at least `count` bytes, which may come in several messages, or what there is.
    pub fn read(&self, stream: &Stream, count: usize) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            match stream.get() {
                Ok(message) => all.extend(message.data.unwrap_or_default()),
                Err(_) => return all,
            }
            if all.len() >= count {
                return all;
            }
        }
    }

    /// Closes all but the streams, without unloading. The folder stays.
    pub fn close(self) -> TempDir {
        self.folder
    }

    /// Unloads the instances; nothing may be left.
    pub fn end(self) {
        self.host.work();
        while self.device.sent().is_some() {}
        for instance in self.instances {
            if let Err((_, error)) = instance.unload() {
                panic!("an instance stays: {error}");
            }
        }
        assert_eq!(self.host.live_blocks(), 0, "blocks are left");
    }
}
