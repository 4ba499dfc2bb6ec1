use nacre_checker::explore::{explore, Options};
use nacre_checker::setup::{Bounds, Setup};
use nacre_checker::space::Space;
use nacre_specification::samples::*;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut s = nacre_driver::Session::open(&[std::path::PathBuf::from(&args[1])]);
    let Some(stack) = s.stack(&args[2]) else {
        eprintln!("{}", s.render(false));
        return;
    };
    let n: Vec<u8> = args[3].split(',').map(|x| x.parse().unwrap()).collect();
    let limits = args[6..]
        .iter()
        .map(|l| {
            let (a, b) = l.split_once('=').unwrap();
            (a.to_string(), b.parse().unwrap())
        })
        .collect();
    let bounds = Bounds { calls: vec![("send".into(), [n[0], n[1]])], limits, ..Bounds::default() };
    let lossy = |room| {
        if args[2].contains("whole") {
            let mut x = lossy_datagrams(room);
            for a in &mut x.actions {
                if a.name == "transmit" {
                    a.name = "send".into();
                }
                if a.name == "receive" {
                    a.name = "deliver".into();
                }
            }
            x
        } else {
            lossy_network(room)
        }
    };
    let auto = |name: &str| {
        let s = nacre_driver::Session::open(&[std::path::PathBuf::from(std::env::var("SPECS").unwrap())]);
        match s.automaton(name, &[]) {
            Ok(a) => a,
            Err(e) => panic!("{e:?}"),
        }
    };
    let setup = if std::env::var("SPECS").is_ok() {
        Setup::new(Arc::new(stack), auto("ever"), vec![auto("fifo")], bounds)
    } else {
        Setup::new(Arc::new(stack), lossy(args[4].parse().unwrap()), vec![fifo_network()], bounds)
    };
    let (space, first) = Space::open(&setup).unwrap();
    let stop = AtomicBool::new(false);
    let o = Options {
        threads: args[5].parse().unwrap(),
        states: 400_000_000,
        memory: 8 << 30,
        bits: None,
        goals: std::env::var("GOALS").is_ok(),
        stop: &stop,
        progress: &|p| eprint!("\r{} {} {:?}  ", p.states, p.depth, p.time),
    };
    let r = explore(&space, &first, &o);
    println!("{r:?}");
    if let nacre_checker::explore::Verdict::Violated { run, why } = &r.verdict {
        let run = nacre_checker::run::tell(&setup, &space, &first, run, why);
        let words = nacre_checker::draw::Words { frame: &|b| format!("{b:02x?}"), details: true };
        println!("{}", nacre_checker::draw::text(&run, &words));
        std::fs::write("/tmp/x/run.svg", nacre_checker::draw::svg(&run, "a run", &words)).unwrap();
    }
    if std::env::var("MUTANTS").is_ok() {
        let t = std::time::Instant::now();
        let (mut n, mut killed) = (0, 0);
        for m in nacre_checker::mutants::mutants(&setup.stack, &[]) {
            let s = Setup { stack: Arc::new(m.stack.clone()), ..setup.clone() };
            let v = match Space::open(&s) {
                Ok((space, first)) => explore(&space, &first, &o).verdict,
                Err(e) => nacre_checker::explore::Verdict::Violated { run: vec![], why: e },
            };
            n += 1;
            match v {
                nacre_checker::explore::Verdict::Violated { .. } => killed += 1,
                v => println!("{v:?} {} {} | {} => {}", m.operator, m.place, m.before, m.after),
            }
        }
        println!("{killed} of {n} in {:?}", t.elapsed());
    }
}
