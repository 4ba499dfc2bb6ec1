//! The hand-written samples: gcc and clang accept their C without a warning, and it behaves like the interpreter.

#[path = "live/differential.rs"]
mod differential;
mod live;

use nacre_backend_c::Level;

#[test]
fn compilers_take_every_sample_without_a_warning() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for mut stack in nacre_stack::samples::all() {
        nacre_optimize::pass_over::fuse(&mut stack);
        nacre_optimize::calls::decide(&mut stack);
        nacre_optimize::inline::mark(&mut stack);
        for level in Level::ALL {
            let source = live::emit(&stack, level, folder.path());
            for compiler in ["gcc", "clang"].into_iter().filter(|c| live::has(c)) {
                for optimize in ["-O0", "-O2"] {
                    live::compile(compiler, &source, &folder.path().join("out.o"), &["-c", optimize]);
                }
            }
        }
    }
}

fn steps() -> (u64, u64) {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let seeds = if std::env::var_os("NACRE_SOAK").is_some() { 12 } else { 4 };
    (number("NACRE_TEST_SEEDS", seeds), number("NACRE_TEST_STEPS", 2000))
}

#[test]
fn c_equals_the_interpreter_on_every_row() {
    every_sample_is_equal(nacre_stack::samples::rows());
}

#[test]
fn c_equals_the_interpreter_on_every_graph() {
    every_sample_is_equal(nacre_stack::samples::graphs());
}

fn every_sample_is_equal(stacks: Vec<nacre_stack::Stack>) {
    let (seeds, steps) = steps();
    for stack in stacks {
        let seen = differential::run(&stack, &["-O2"], 0..seeds, steps);
        println!("{}: {seen:?}", stack.name);
        assert!(seen.get("call 0").is_some_and(|n| *n > 0), "{}: {seen:?}", stack.name);
    }
}
