//! No invalid source makes a tool panic, hang or take more than 1 GiB: all sources of the repository are damaged and
//! compiled. Accepted sources also run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use nacre_driver::{Level, Session};
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::random::Random;
use nacre_tests::in_parallel;
use nacre_tests::mutation::{mutate, sources, Source};
use nacre_tests::storm::{storm, Tally};

/// An allocator that refuses more than a GiB; the process then ends with a message.
struct Bounded;

const MOST: usize = 1 << 30;
static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all requests are passed to the system's allocator unchanged, or refused, which the trait permits.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size() > MOST {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

/// The last stage of one mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    Refused,
    Checked,
    Composed,
}

/// Sources without errors, and those with errors.
struct Sources {
    right: Vec<Source>,
    wrong: Vec<Source>,
}

impl Sources {
    fn read() -> Sources {
        let right = |source: &Source| {
            let mut session = Session::from_text(&source.path, &source.text);
            session.check();
            !session.has_errors()
        };
        let all = sources();
        let checked = in_parallel(&all, right);
        let (mut right, mut wrong) = (vec![], vec![]);
        for (source, is_right) in all.into_iter().zip(checked) {
            if is_right { &mut right } else { &mut wrong }.push(source);
        }
        Sources { right, wrong }
    }
}

fn text_of(number: u64, sources: &Sources) -> (&Source, String) {
    let mut random = Random::new(number);
    let sources = if random.below(8) == 0 { &sources.wrong } else { &sources.right };
    let source = &sources[random.below(sources.len() as u64) as usize];
    let text = mutate(&source.text, &mut random);
    (source, text)
}

/// Applies all tools to a source, except the C compiler.
fn pursue(source: &Source, text: &str, number: u64) -> Result<Reached, String> {
    let mut session = Session::from_text(&source.path, text);
    session.check();
    let _ = session.render(false);
    if session.has_errors() {
        return Ok(Reached::Refused);
    }
    let names: Vec<String> = session.program.stacks().map(|stack| stack.name.name.clone()).collect();
    let mut reached = Reached::Checked;
    for name in names.iter().take(2) {
        let Some(stack) = session.stack(name) else { return Ok(reached) };
        reached = Reached::Composed;
        let _ = nacre_compose::explain(&stack);
        for level in [Level::Queue, Level::Call, Level::Inline] {
            let _ = session.emit(&stack, level, None);
        }
        let stack = Arc::new(stack);
        let mut tally = Tally::default();
        // A faulty layer may violate its assertions, but not the machine's rules.
        let _ = storm(&stack, &Interpreter::new(stack.clone()), number, 60, &mut tally);
    }
    Ok(reached)
}

/// Ends the process when one mutation takes minutes, which detects endless loops.
fn watch(current: &'static [AtomicU64]) {
    std::thread::spawn(move || {
        let read = || current.iter().map(|c| c.load(Ordering::Relaxed)).collect::<Vec<u64>>();
        let mut before = read();
        loop {
            std::thread::sleep(Duration::from_secs(120));
            let now = read();
            if let Some((stuck, _)) = now.iter().zip(&before).find(|(a, b)| a == b && **a != 0) {
                eprintln!("mutation {stuck} has run for minutes");
                std::process::exit(1);
            }
            before = now;
        }
    });
}

fn campaign(numbers: std::ops::Range<u64>) -> [usize; 3] {
    static CURRENT: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
    watch(&CURRENT);
    let all = Sources::read();
    let numbers: Vec<u64> = numbers.collect();
    let outcomes = in_parallel(&numbers, |&number| {
        let (source, text) = text_of(number, &all);
        let slot =
            CURRENT.iter().find(|c| c.compare_exchange(0, number + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok());
        let ran = catch_unwind(AssertUnwindSafe(|| pursue(source, &text, number)));
        if let Some(slot) = slot {
            slot.store(0, Ordering::Relaxed);
        }
        ran.unwrap_or_else(|panic| {
            let word = panic.downcast_ref::<String>().cloned();
            let word = word.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
            let told = format!("mutation {number} of {}: {word}", source.path.display());
            eprintln!("{told}");
            Err(told)
        })
    });
    let wrong: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        numbers.len(),
        wrong.iter().take(20).map(|w| w.chars().take(600).collect::<String>()).collect::<Vec<_>>().join("\n")
    );
    [Reached::Refused, Reached::Checked, Reached::Composed]
        .map(|reached| outcomes.iter().filter(|outcome| **outcome == Ok(reached)).count())
}

#[test]
fn damaged_sources_go_through_the_whole_compiler() {
    let from = std::env::var("NACRE_MUTATION").ok().and_then(|n| n.parse().ok());
    let numbers = match from {
        Some(number) => {
            let all = Sources::read();
            println!("{}", text_of(number, &all).1);
            number..number + 1
        }
        None => 0..60,
    };
    let [refused, checked, composed] = campaign(numbers);
    println!("{refused} refused, {checked} checked, {composed} composed");
    assert!(
        from.is_some() || (refused > 10 && checked + composed > 10 && composed > 3),
        "{refused} {checked} {composed}"
    );
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn twenty_thousand_damaged_sources_go_through_the_whole_compiler() {
    let [refused, checked, composed] = campaign(60..20_060);
    println!("{refused} refused, {checked} checked, {composed} composed");
    assert!(checked + composed > 1000 && composed > 400, "{refused} {checked} {composed}");
}
