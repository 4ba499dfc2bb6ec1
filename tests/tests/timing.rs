//! Values from the clock are tracked: they are confined to timers, or their uses are reported.

use std::path::Path;

use nacre_analysis::timing::{draws, erasure, leaks, Leak};
use nacre_driver::Session;
use nacre_stack::interpret::{Config, Machine, Outcome};
use nacre_stack::Stack;
use nacre_tests::root;

fn stack(text: &str) -> Stack {
    let path = root().join("layers/from_test.nacre");
    let mut session = Session::from_text(Path::new(&path), text);
    session.stack("s").unwrap_or_else(|| panic!("{}", session.render(false)))
}

fn with(body: &str) -> Stack {
    stack(&format!(
        "import \"interfaces.nacre\";\nimport \"floor/floor.nacre\";\nworker x {{ {body} }}\nstack s = x / floor;\n"
    ))
}

fn words(leaks: Vec<Leak>) -> Vec<String> {
    leaks.into_iter().map(|l| l.into.to_string()).collect()
}

fn one(body: &str) -> Vec<String> {
    words(leaks(&with(body)))
}

#[test]
fn a_round_trip_estimate_stays_in_its_timer() {
    let kept = one("state { sent: instant, rto: duration = 20 ms, again: timer, n: u32 }
         down send(m) { sent = now; arm again in rto; pass; }
         up deliver(m) { rto = (rto * 7 + (now - sent)) / 8; pass; }
         on again { n += 1; }");
    assert_eq!(kept, Vec::<String>::new());
}

#[test]
fn a_branch_on_the_clock_leaks() {
    let told =
        one("state { last: instant } down send(m) { if now - last > 5 ms { drop m; return; } last = now; pass; }");
    assert!(told.contains(&"the way a message takes".to_string()), "{told:?}");
}

#[test]
fn a_time_that_becomes_a_number_leaks() {
    let told = one("state { last: instant, n: u64 } down send(m) { n = (now - last) as u64; pass; }");
    assert_eq!(told, ["a value that is not a time"]);
}

#[test]
fn a_time_in_a_header_leaks() {
    let told =
        one("header Stamp { at: u64 } state { last: instant } down send(m) { pass m + Stamp { at: (now - last) \
        as u64 }; } up deliver(m - Stamp { at }) { pass m; }");
    assert_eq!(told, ["an event"]);
}

#[test]
fn the_library_keeps_the_clock_to_its_timers() {
    let mut session = Session::open(&[root().join("examples/reliable.nacre")]);
    let stack = session.stack("reliable").unwrap_or_else(|| panic!("{}", session.render(false)));
    assert_eq!((leaks(&stack), erasure(&stack)), (Vec::new(), Vec::new()));
}

#[test]
fn code_behind_a_return_that_depends_on_the_clock_leaks() {
    let told = one("state { last: instant, n: u32 }
         down send(m) { last = now; let late = check(); pass; }
         fn check() -> bool { if now > last { return true; } n += 1; return false; }");
    assert_eq!(told, ["a value that is not a time"]);
}

/// What can fail does so only at some times if it stands in a branch on the clock, or asks for it itself.
#[test]
fn what_can_fail_depending_on_the_time_leaks() {
    let in_a_branch = |statement: &str, functions: &str| {
        one(&format!(
            "state {{ n: u32, last: instant, ages: duration per 0..3, held: list<u8, 4> }}
             down send(m) {{ n += 1; if n == 1 || now - last > 5 s {{ {statement} }} last = now; pass; }} {functions}"
        ))
    };
    assert_eq!(in_a_branch("assert n == 1;", ""), ["an assertion"]);
    assert_eq!(in_a_branch("match n { 1 => { } _ => { assert n == 1; } }", ""), ["an assertion"]);
    let repeated = ["how often a loop is repeated"];
    assert_eq!(in_a_branch("for i in 0 .. n bound 1 { }", ""), repeated);
    assert!(in_a_branch("while n > 8 bound 1 { n -= 1; }", "").contains(&repeated[0].to_string()));
    // These cannot fail.
    let fine = "for i in 0 .. 3 { } for v in held { } for i in n .. 3 bound 3 { }";
    assert_eq!(in_a_branch(fine, ""), Vec::<String>::new());

    let range = "state { last: instant, level: duration } down send(m) {
            for _ in 0 .. (now - last) / 1 s + 2 bound 4 { level = level / 2; } last = now; pass; }";
    assert_eq!(one(range), repeated);
    let chosen = "state { last: instant, d: duration, t: timer } down send(m) { arm t in 1 s unless armed; pass; }
        on t { let q = if now - last > 5 s { 3 } else { 2 }; for i in 0 .. q bound 2 { d = d + 1 s; } last = now; }";
    assert_eq!(one(chosen), repeated);
    let by_a_function = "state { n: u32, last: instant, t: timer } down send(m) { n += 1; arm t in 1 s; pass; }
        on t { if late() { assert n == 1; } last = now; } fn late() -> bool { return n == 1 || now - last > 5 s; }";
    assert_eq!(one(by_a_function), ["an assertion"]);
    let each = "state { n: u32, last: instant, ages: duration per 0..3 } down send(m) {
            n += 1; ages[0] = now - last; for v in ages { if v > 5 s || n == 1 { assert n == 1; } } last = now; pass; }";
    assert_eq!(one(each), ["an assertion"]);
    let drawn = with(
        "state { n: u32 } down send(m) {
            let r = random(100); n += 1; if n == 1 || r * 2 == 80 { assert n == 1; } pass; }",
    );
    assert_eq!(words(draws(&drawn)), ["an assertion"]);
}

#[test]
fn a_time_chooses_a_place_and_leaks() {
    let told = one("state { seen: bool per 0..4, last: instant } down send(m) {
            let at = ((now - last) as u64) as 0..4 else { drop m; return; }
            last = now;
            seen[at] = true;
            pass; }");
    assert!(told.contains(&"a value that is not a time".to_string()), "{told:?}");
}

/// A set in a local may depend on the time; then so does what a loop over it does, whether or not it uses an element.
#[test]
fn a_loop_over_a_set_that_depends_on_the_time_leaks() {
    let told = one("state { last: instant } down send(m) {
            var late: bits<4>; if now > last { late += 1; }
            for _ in late { above.grant_sends(1); }
            pass; }");
    assert!(told.contains(&"an event".to_string()), "{told:?}");
    let told = one("state { last: instant } down send(m) {
            var one: bits<4>; one += 1;
            var none_of: bits<4>;
            let late = if now > last { one } else { none_of };
            for _ in late { above.grant_sends(1); }
            pass; }");
    assert_eq!(told, ["an event"]);
}

/// A growing waiting time is erased if it affects only deadlines.
#[test]
fn waiting_time_is_erased_unless_it_affects_behaviour() {
    let doubles = "state { wait: duration = 10 ms, again: timer } down send(m) { arm again in wait; pass; }
         on again { if wait < 1 s { wait = wait * 2; } arm again in wait; ";
    let kept = with(&format!("{doubles} }}"));
    assert_eq!((leaks(&kept), erasure(&kept)), (vec![], vec![]));
    let gives_up = with(&format!("{doubles} if wait > 1 s {{ above.grant_sends(1); }} }}"));
    assert_eq!(leaks(&gives_up), vec![]);
    assert_eq!(words(erasure(&gives_up)), ["an event"]);
}

/// The presence of an entry does not depend on the time; only its departure does.
#[test]
fn times_in_a_container_with_messages_do_not_leak() {
    let line = "state { held: ring<(msg, instant), 4>, leave: timer }
        down send(m) { held.push((m, now + 5 ms)) else { drop m; return; } arm leave in 5 ms unless armed; }
        up closed(_) { held.clear(); cancel leave; pass; }
        on leave {
            let (m, _) = held.pop() else unreachable;
            below.send(m);
            for (_, at) in held { arm leave in max(at, now) - now; break; }
        }";
    let line = with(line);
    assert_eq!((leaks(&line), erasure(&line)), (vec![], vec![]));
    let found = one("state { seen: list<instant, 4> } down send(m) { seen.remove(now); pass; }");
    assert_eq!(found, ["a container that changes depending on the time"]);
}

#[test]
fn presence_that_depends_on_the_time_leaks() {
    let told = one("state { last: instant } down send(m) {
            var late: u16? = none; if now > last { late = some(1); }
            if let n = late { above.grant_sends(n); }
            pass; }");
    assert!(told.contains(&"an event".to_string()), "{told:?}");
    let told = one("state { last: instant, late: u16? } down send(m) {
            if now > last { late = some(1); }
            if let n = late { above.grant_sends(n); }
            pass; }");
    assert!(told.contains(&"a value that is not a time".to_string()), "{told:?}");
    let told = one("state { last: instant } down send(m) {
            var late: instant? = none; if now > last { late = some(now); }
            if let at = late { above.grant_sends(1); }
            pass; }");
    assert_eq!(told, ["an event"]);
}

#[test]
fn random_numbers_may_affect_deadlines_and_other_effects_are_reported() {
    let jitter =
        "state { again: timer } down send(m) { arm again in 5 ms + random_duration(10 ms); pass; } on again { }";
    assert_eq!(words(draws(&with(jitter))), Vec::<String>::new());
    let number = "state { n: u32 } down send(m) { n = random(7); pass; }";
    assert_eq!(words(draws(&with(number))), ["a value that is not a time"]);
    assert_eq!(words(leaks(&with(number))), Vec::<String>::new());
}

#[test]
fn initial_values_are_tracked() {
    let wait = "state { wait: duration = 1 ms + random_duration(10 ms), again: timer }
        down send(m) { arm again in wait; pass; } on again { }";
    assert_eq!(words(draws(&with(wait))), Vec::<String>::new());
    let compared = wait.replace("pass;", "if wait > 2 ms { above.grant_sends(1); } pass;");
    assert_eq!(words(draws(&with(&compared))), ["an event"]);
    assert_eq!(words(draws(&with("state { n: u16 = random(9) as u16 }"))), ["a value that is not a time"]);
    assert_eq!(words(leaks(&with("state { n: u16 = random(9) as u16 }"))), Vec::<String>::new());
    let opened = "state { opened: instant = now } down send(m) { if now > opened { above.grant_sends(1); } pass; }";
    assert_eq!(words(leaks(&with(opened))), ["an event"]);
}

fn opened(stack: &Stack, now: u64) -> Machine {
    let wanted = stack.cells.iter().filter(|c| c.scope == nacre_stack::Scope::Given && c.initial.is_none());
    let name = |c: &nacre_stack::Cell| format!("{}.{}", stack.layer(c.layer).name, c.name);
    let mut machine =
        Machine::new(stack, wanted.fold(Config::default(), |to, c| to.given(&name(c), stack.zero(&c.ty))));
    assert_eq!(machine.open(now), Outcome::Ok);
    machine
}

/// Returns three machines (two that differ only in times and random numbers, and one whose timer is not armed), and
/// whether comparisons may ignore times.
fn compared(body: &str) -> ([Machine; 3], bool) {
    let stack = with(body);
    let at = stack.interface().iter().position(|e| stack.event(e.event).name == "send" && e.input.is_some());
    let at = at.expect("something to send") as u32;
    let mut machines = [opened(&stack, 5), opened(&stack, 5), opened(&stack, 5)];
    for (machine, now) in machines.iter_mut().zip([10, 20]) {
        assert_eq!(machine.call(at, &[], b"x", now), Outcome::Ok);
    }
    machines[1].fire(0, 30);
    (machines, erasure(&stack).is_empty())
}

#[test]
fn abstract_states_are_equal_where_only_times_and_chance_differ() {
    let ([a, b, idle], times) = compared(
        "state { wait: duration = 10 ms, sent: instant, again: timer }
         down send(m) { sent = now; arm again in wait + random_duration(1 ms); pass; }
         on again { wait = wait * 2; arm again in wait + random_duration(1 ms); }",
    );
    assert_ne!(a.canonical_bytes(), b.canonical_bytes());
    assert_eq!(a.abstract_bytes(times), b.abstract_bytes(times));
    assert_ne!(a.abstract_bytes(times), idle.abstract_bytes(times));
}

#[test]
fn abstract_states_keep_times_that_decide_something() {
    let ([a, b, _], times) = compared(
        "state { wait: duration = 10 ms, again: timer }
         down send(m) { arm again in wait; pass; }
         on again { wait = wait * 2; if wait > 1 s { above.grant_sends(1); } arm again in wait; }",
    );
    assert_ne!(a.abstract_bytes(times), b.abstract_bytes(times));
}

#[test]
fn a_time_stored_through_a_reference_leaks() {
    let told = one("state { last: instant, n: u64 }
         fn note(ref to: u64) { to = (now - last) as u64; }
         down send(m) { note(ref n); pass; }");
    // In the function, and at its call.
    assert_eq!(told, ["a value that is not a time"; 2]);
}

#[test]
fn a_reference_to_a_local_carries_the_time_back() {
    let told = one("state { last: instant }
         fn note(ref to: u64) { to = (now - last) as u64; }
         down send(m) { var n: u64 = 0; note(ref n); if n > 5 { drop m; return; } pass; }");
    assert!(told.contains(&"the way a message takes".to_string()), "{told:?}");
}

#[test]
fn a_part_of_a_local_that_is_no_time_leaks() {
    let told = one(
        "struct Pair { at: instant, n: u64 }
         state { last: instant }
         down send(m) { let pair = Pair { at: now, n: (now - last) as u64 }; if pair.n > 5 { drop m; return; } pass; }",
    );
    assert!(told.contains(&"the way a message takes".to_string()), "{told:?}");
}

#[test]
fn a_time_that_decides_what_is_accepted_leaks() {
    let told =
        one("state { last: instant } accepts send(m) when now - last > 5 ms; down send(m) { last = now; pass; }");
    assert_eq!(told, ["what is accepted"]);
}

#[test]
fn a_turn_after_a_break_by_the_clock_leaks() {
    let told = one("state { last: instant, n: u32 }
         down send(m) { for i in 0..4 { n += 1; if now - last > 5 ms { break; } } pass; }");
    assert!(told.contains(&"a value that is not a time".to_string()), "{told:?}");
}
