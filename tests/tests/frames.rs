//! Damaged frames are harmless: C of level inline under sanitizers receives frames of a real exchange that are changed
//! in bits, truncated, extended, and combined from two.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;

use nacre_driver::Level;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::{root, soaking};

/// The number of damaged frames for each stack.
fn frames() -> u64 {
    if soaking() {
        10_000_000
    } else {
        200_000
    }
}

/// Sends damaged frames to a stack; returns counts of the results, by name.
fn fuzz(name: &str, strict: bool) -> BTreeMap<String, u64> {
    let machines = Machines::new(&find(name));
    let text = machines.text(Level::Inline);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let header = folder.path().join(format!("{name}.h"));
    let source = folder.path().join(format!("{name}.c"));
    let program = folder.path().join("fuzz");
    std::fs::write(&header, text.header).expect("the header is written");
    std::fs::write(&source, text.source).expect("the source is written");
    let built = Command::new("gcc")
        .args([
            "-std=c11",
            "-g1",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            "-fno-omit-frame-pointer",
        ])
        .args(if soaking() { &["-O1"][..] } else { &["-O0", "-Dalways_inline=unused"] }) // which compiles in a tenth of the time
        .arg(format!("-DSTACK_HEADER=\"{name}.h\""))
        .arg(format!("-DSTACK_SYMBOL={name}_stack"))
        .arg("-I")
        .arg(folder.path())
        .arg("-o")
        .args([&program, &root().join("tests/c/fuzz.c"), &source])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let begun = Instant::now();
    let ran = Command::new(&program)
        .args([frames().to_string().as_str(), "1", if strict { "1" } else { "0" }])
        .env("ASAN_OPTIONS", "detect_leaks=1")
        .env("UBSAN_OPTIONS", "print_stacktrace=1")
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{name}: {said}\n{}", String::from_utf8_lossy(&ran.stderr));
    println!("{name}, {:.0} s: {}", begun.elapsed().as_secs_f64(), said.trim().replace('\n', ", "));
    let seen = said.lines().filter_map(|line| {
        let (what, number) = line.split_once(' ')?;
        Some((what.to_string(), number.parse().ok()?))
    });
    seen.collect()
}

fn assert_seen(seen: &BTreeMap<String, u64>, what: &[&str]) {
    for name in what {
        assert!(seen.get(*name).is_some_and(|n| *n > 0), "no {name} was seen: {seen:?}");
    }
}

fn assert_sound(seen: &BTreeMap<String, u64>) {
    assert!(seen["damaged"] >= frames(), "{seen:?}");
    for name in ["broken", "bound"] {
        assert_eq!(seen[name], 0, "a rule was broken by a frame: {seen:?}");
    }
}

#[test]
fn damaged_frames_do_not_affect_deliveries() {
    let seen = fuzz("reliable", true);
    assert_seen(
        &seen,
        &["delivered", "malformed", "impossible", "crc32c.damaged", "pt2pt.duplicates", "pt2pt.retransmitted"],
    );
    assert_sound(&seen);
    assert_eq!(seen["closed"], 0, "damaged frames ended a connection: {seen:?}");
    // Most sent messages arrive: damage costs only a retransmission.
    assert!(seen["delivered"] * 10 > seen["sent"] * 8, "{seen:?}");
}

#[test]
fn undetected_damage_of_frames_is_harmless() {
    let seen = fuzz("reliable_plain", false);
    assert_seen(&seen, &["taken", "delivered", "malformed", "impossible", "no_space", "pt2pt.duplicates"]);
    assert_sound(&seen);
}
