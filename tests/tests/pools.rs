//! A pool takes only as much memory as is used at a time, and every block of it can be used.

use nacre_driver::{Level, Session};
use nacre_runtime::ffi::NacreAddr;
use nacre_runtime::instance::{Config, Instance, Outcome, Pool};
use nacre_runtime::output::Out;
use nacre_runtime::Stack;
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::root;

const KEEPS: &str = "
interface plain {
    down send(m: msg)
    up deliver(m: msg)
}
worker keeping: plain over plain {
    state { kept: ring<msg, 100> }
    down send(m) { pass; }
    up deliver(m) {
        if m.len > 0 { kept.push(m) else { drop m; } return; }
        drop m;
        let old = kept.pop() else { return; }
        drop old;
    }
}
stack st = keeping;
";

const FROM: NacreAddr = NacreAddr { ip: [0; 16], port: 1, family: 4 };

fn stack(level: Level) -> (Stack, Machines) {
    let mut session = Session::from_text(&root().join("tests/keeps.nacre"), KEEPS);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let machines = Machines::of(session, stack);
    let text = machines.text(level);
    let loaded = machines.load(&text).expect("the C compiles");
    (loaded, machines)
}

fn open(stack: &Stack, pool: &mut Pool) -> Instance {
    Instance::open(stack, pool, &Config::new(stack), 1, 1, &mut Out::new()).expect("it opens").0
}

/// The bytes of memory that this process has.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("it is there");
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("a number") * 4096
}

#[cfg(target_os = "linux")]
#[test]
fn memory_follows_what_is_kept() {
    let (stack, _machines) = stack(Level::Bypass);
    let before = resident();
    let mut pool = Pool::new(&stack, 60_000).expect("a pool");
    let (mut instance, mut out) = (open(&stack, &mut pool), Out::new());
    let frame = vec![7; 900];
    for _ in 0..100_000 {
        assert_eq!(instance.input(&mut pool, 1, &FROM, &frame, &mut out).0, Outcome::Done);
        assert_eq!(instance.input(&mut pool, 1, &FROM, &[], &mut out).0, Outcome::Done);
    }
    let taken = resident().saturating_sub(before);
    assert!(taken < 24 << 20, "{taken} bytes of a pool of 60 MB");
    instance.discard(&mut pool);
    assert_eq!(pool.free(), pool.blocks());
}

#[test]
fn every_block_can_be_used_and_comes_back() {
    for level in LEVELS {
        let (stack, _machines) = stack(level);
        let mut pool = Pool::new(&stack, 0).expect("a pool");
        let (all, mut out) = (pool.blocks(), Out::new());
        assert_eq!(pool.free(), all);
        let mut instances = [open(&stack, &mut pool), open(&stack, &mut pool), open(&stack, &mut pool)];
        // Long messages, then short ones in what is left.
        let mut refused = 0;
        for (instance, len) in [(0, 60_000), (1, 60_000), (2, 10)] {
            for n in 0..100 {
                let before = pool.free();
                let (outcome, _) = instances[instance].input(&mut pool, 1, &FROM, &vec![n; len], &mut out);
                match outcome {
                    Outcome::Done => assert!(pool.free() < before, "{level:?}"),
                    other => assert_eq!((other, pool.free()), (Outcome::NoSpace, before), "{level:?}"),
                }
                refused += u32::from(outcome == Outcome::NoSpace);
            }
        }
        assert!(refused > 0 && pool.free() == 0, "{level:?}: {} of {all} are free", pool.free());
        assert!(instances.iter().any(|instance| !instance.canonical(&pool).is_empty()));
        instances.into_iter().for_each(|instance| instance.discard(&mut pool));
        assert_eq!(pool.free(), all, "{level:?}");
    }
}
