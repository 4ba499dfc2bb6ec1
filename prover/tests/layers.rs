//! Claims about layers are proved where they hold, and no mistake in the code of a layer is overlooked.

use std::path::Path;

use nacre_driver::Session;
use nacre_prover::obligations::{of_stack, Kind, Part};
use nacre_prover::solvers::{all, Answer, Solver};
use nacre_stack::Stack;
use nacre_symbolic::execute::ClaimKind;

const SOURCE: &str = "
import \"../../layers/interfaces.nacre\";
import \"../../layers/floor/floor.nacre\";

worker kept<MOST: u32 = 10> {
    state { credit: u32, sent: window<msg, 16, seq8>, queue: ring<msg, 4>, idle: timer, busy: bool }
    header Data { number: seq8 }
    header Ack { number: seq8 }
    accepts send(m) when !queue.full;
    invariant credit <= MOST;
    invariant !busy || idle.armed;

    down send(m) {
        queue.push(m) else unreachable;
        busy = true;
        arm idle in 1 s;
    }

    on idle {
        busy = false;
        if credit > 0 && !sent.full {
            let m = queue.pop() else return;
            credit -= 1;
            let number = sent.push(share m) else unreachable;
            pass_on(m, number);
        }
    }

    up deliver(Ack { number }) {
        let n = sent.release(number);
        credit = min(credit + n, MOST);
        for (i, m) in sent.delivered(sent.low, sent.high) {
            below.send(share m + Data { number: i });
            if credit > 0 { credit -= 1; }
        }
    }

    up deliver(m - Data { number }) {
        assert (number + 1) - number == 1;
        below.send(Ack { number });
        pass m;
    }

    fn pass_on(m: msg, number: seq8) { below.send(m + Data { number }); }
}

stack st = kept / floor;
";

fn stack(source: &str) -> Stack {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source.nacre");
    let mut session = Session::from_text(&path, source);
    session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)))
}

/// The parts of the first layer from the top.
fn parts(stack: &Stack) -> Vec<Part> {
    let top = stack.layers.len() - 1;
    of_stack(stack).into_iter().filter(|part| part.layer.index() == top).collect()
}

/// The claims that no solver proves, by handler.
fn open(stack: &Stack, solver: &Solver) -> Vec<(String, Kind)> {
    let mut open = vec![];
    for part in parts(stack) {
        for obligation in part.obligations.expect("it has terms") {
            let answer = obligation.problem.map_or(Answer::Proved, |problem| solver.solve(&problem.text));
            assert!(!matches!(answer, Answer::Failed(_)), "{}: {answer:?}", part.name);
            if answer != Answer::Proved {
                open.push((part.name.clone(), obligation.kind));
            }
        }
    }
    open
}

#[test]
fn claims_that_hold_are_proved_by_each_solver() {
    let Ok(solvers) = all() else { return };
    let stack = stack(SOURCE);
    let claims: usize = parts(&stack).iter().map(|part| part.obligations.as_ref().map_or(0, Vec::len)).sum();
    assert!(claims >= 14, "{claims}");
    for solver in solvers {
        assert_eq!(open(&stack, &solver), [], "{}", solver.name);
    }
}

#[test]
fn mistakes_are_refuted() {
    let Ok(solvers) = all() else { return };
    let mistakes: &[(&str, &str, &str)] = &[
        ("min(credit + n, MOST)", "credit + n", "deliver.Ack"),
        ("if credit > 0 { credit -= 1; }", "credit -= 1;", "deliver.Ack"),
        ("if credit > 0 && !sent.full {", "if !sent.full {", "on.idle"),
        ("if credit > 0 && !sent.full {", "if credit > 0 {", "on.idle"),
        ("        busy = false;\n", "", "on.idle"),
        ("arm idle in 1 s;", "cancel idle;", "down.send"),
        ("accepts send(m) when !queue.full;", "", "down.send"),
        ("state { credit: u32,", "state { credit: u32 = MOST + 1,", "open"),
        ("assert (number + 1) - number == 1;", "assert number + 1 != 0;", "deliver.Data"),
        ("assert (number + 1) - number == 1;", "assert number + 1 > 0;", "deliver.Data"),
    ];
    for (before, after, handler) in mistakes {
        let changed = SOURCE.replace(before, after);
        assert_ne!(changed, SOURCE, "{before}");
        let stack = stack(&changed);
        for solver in &solvers {
            let open = open(&stack, solver);
            assert!(open.iter().any(|(name, _)| name.contains(handler)), "{before} -> {after}: {open:?}");
        }
    }
}

#[test]
fn counterexample_names_the_state() {
    let Ok(solvers) = all() else { return };
    let stack = stack(&SOURCE.replace("assert (number + 1) - number == 1;", "assert number != 77;"));
    let is_asserted = |kind: &Kind| matches!(kind, Kind::Code(ClaimKind::Assert(_)));
    let part = parts(&stack).into_iter().find(|part| part.name.contains("deliver.Data")).expect("the handler");
    let obligations = part.obligations.expect("it has terms");
    let problem = obligations.into_iter().find(|one| is_asserted(&one.kind)).and_then(|one| one.problem).expect("one");
    for solver in solvers {
        let Answer::Refuted(values) = solver.solve(&problem.text) else { panic!("{} does not refute it", solver.name) };
        let number = problem.shown.iter().position(|name| name == "number").expect("the field");
        assert_eq!(values[number], "77", "{}", solver.name);
    }
}

#[test]
fn what_has_no_terms_is_not_claimed() {
    let stack =
        stack(&SOURCE.replace("queue: ring<msg, 4>,", "queue: ring<msg, 4>, names: map<u64, u32, 4>,").replace(
            "        pass m;\n",
            "        names.insert(number as u64, 1) else { count full; }\n        pass m;\n",
        ));
    let part = parts(&stack).into_iter().find(|part| part.name.contains("deliver.Data")).expect("the handler");
    let unsupported = part.obligations.expect_err("a map has no terms");
    assert!(unsupported.what.contains("map"), "{unsupported}");
}

/// A layer of these members, above `floor`.
fn with_members(members: &str) -> Stack {
    let imports: Vec<&str> = SOURCE.lines().take_while(|line| !line.starts_with("worker")).collect();
    stack(&format!("{}\nworker one {{\n{members}\n}}\nstack st = one / floor;\n", imports.join("\n")))
}

/// Members of a layer in which something is claimed that does not hold, and the handler in which it does not.
const FALSE: [(&str, &str); 10] = [
    // A parameter, a field of a header and a cell can have the same name.
    (
        "state { n: u32 }
         up room(n) { compare(n); pass; }
         fn compare(other: u32) { assert other == n; }",
        "room",
    ),
    (
        "state { number: u32 }
         header Head { number: u32 }
         invariant number < 100;
         down send(m) { pass m + Head { number: 300 }; }
         up deliver(m - Head { number }) { put(number); pass m; }
         fn put(other: u32) { number = other; }",
        "deliver",
    ),
    // An index of few bits names the first elements only.
    (
        "state { all: u8 per 0..20 }
         down send(m) {
             let at = m.len as u4;
             all[at] = 7;
             assert at != 0 || all[16] == 7;
             pass m;
         }",
        "send",
    ),
    // There is no number below 0.
    (
        "state { drawn: u32 }
         invariant drawn < 1000;
         down send(m) {
             let n = random(m.len);
             if m.len == 0 { drawn = 5000 + n; }
             pass m;
         }",
        "send",
    ),
    // The bound of each kind of loop, be it cut or not.
    ("state { sum: u32 } down send(m) { for i in 0 .. m.len bound 16 { sum += i; } pass m; }", "send"),
    ("state { sum: u32 } down send(m) { for i in 0 .. m.len bound 3 { sum += i; } pass m; }", "send"),
    ("state { sum: u32 } down send(m) { for i in 3 .. 20 bound 16 { sum += i; } pass m; }", "send"),
    ("state { sum: u32, log: ring<u32, 16> } down send(m) { for x in log bound 5 { sum += x; } pass m; }", "send"),
    ("state { sum: u32, log: ring<u32, 4> } down send(m) { for x in log bound 2 { sum += x; } pass m; }", "send"),
    // In a new view, what lasts stays and all else begins again.
    (
        "lasting { all: u32 } state { mine: u32 }
         invariant all == mine;
         down send(m) { all += 1; mine += 1; pass m; }",
        "view",
    ),
];

#[test]
fn claims_that_do_not_hold_are_refuted() {
    let Ok(solvers) = all() else { return };
    let mut missed = vec![];
    for (members, handler) in FALSE {
        let stack = with_members(members);
        for solver in &solvers {
            let open = open(&stack, solver);
            if !open.iter().any(|(name, _)| name.contains(handler)) {
                missed.push(format!("{}: {members}", solver.name));
            }
        }
    }
    assert!(missed.is_empty(), "proved, but false:\n{}", missed.join("\n"));
}

#[test]
fn code_of_filters_is_not_claimed_to_hold() {
    let filter = |code: &str| {
        format!(
            "filter one_by_one {{ state {{ sum: u32 }} byte(b: u8) {{ sum += b as u32; {code} }} result {{ sum }} }}\n"
        )
    };
    let layer = "worker one { state { seen: u32 } down send(m) { seen = m.bytes through one_by_one; pass m; } }";
    let imports: Vec<&str> = SOURCE.lines().take_while(|line| !line.starts_with("worker")).collect();
    let unclaimed = |code: &str| {
        let text = format!("{}\n{}{layer}\nstack st = one / floor;\n", imports.join("\n"), filter(code));
        parts(&stack(&text)).into_iter().filter(|part| part.obligations.is_err()).count()
    };
    for code in ["while sum > 0 bound 2 { sum -= 1; }", "assert sum == 100;", "for i in 0 .. sum bound 9 { sum += 2; }"]
    {
        assert_eq!(unclaimed(code), 1, "{code}");
    }
    assert_eq!(unclaimed("for i in 0 .. 8 { sum += sum; }"), 0);
}

#[test]
fn names_of_smt_lib_are_names_like_others() {
    let Ok(solvers) = all() else { return };
    for name in ["t5", "t100", "store", "select", "concat", "ite", "distinct", "bvadd", "exists", "xor", "not"] {
        let stack = with_members(&format!(
            "state {{ {name}: u64, other: u64 }}
             invariant {name} <= other;
             down send(m) {{ other = max(other, {name} + m.len as u64); if other < {name} {{ {name} = other; }} pass m; }}"
        ));
        for solver in &solvers {
            assert_eq!(open(&stack, solver), [], "{name}");
        }
    }
}

#[test]
fn loops_within_their_bounds_are_proved() {
    let Ok(solvers) = all() else { return };
    let stack = with_members(
        "state { sum: u32, log: ring<u32, 16>, most: 0..21 }
         down send(m) {
             for i in 0 .. m.len bound 16 { sum += i; if i == 15 { break; } }
             for i in 4 .. 20 bound 16 { sum += i; }
             for i in 0 .. most bound 20 { sum += i; }
             for x in log { sum += x; }
             while sum > 100 bound 50 { sum = 0; break; }
             pass m;
         }",
    );
    for solver in &solvers {
        assert_eq!(open(&stack, solver), [], "{}", solver.name);
    }
}
