//! Inclusive instruction counts of functions, from valgrind's callgrind: repeatable for the same binary and input.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Instructions of each function with all that it calls, for one run of a program.
pub fn inclusive(program: &Path, arguments: &[&str], folder: &Path) -> Result<BTreeMap<String, u64>, String> {
    Ok(parse(&annotated(program, arguments, folder)?))
}

/// Instructions of a whole run of a program, and those of the functions whose names contain `part`, with all that they
/// call. None of these functions may call another one.
pub fn total_and_part(program: &Path, arguments: &[&str], folder: &Path, part: &str) -> Result<(u64, u64), String> {
    let text = annotated(program, arguments, folder)?;
    let total = total_in(&text).ok_or_else(|| format!("callgrind_annotate gives no total:\n{text}"))?;
    Ok((total, part_of(&text, part)))
}

fn annotated(program: &Path, arguments: &[&str], folder: &Path) -> Result<String, String> {
    let out = folder.join("callgrind.out");
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "-q"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(arguments)
        .output()
        .map_err(|_| "valgrind was not found: apt-get install valgrind".to_string())?;
    if !status.status.success() {
        return Err(format!("valgrind failed: {}", String::from_utf8_lossy(&status.stderr)));
    }
    let text = Command::new("callgrind_annotate")
        .args(["--inclusive=yes", "--threshold=100"])
        .arg(&out)
        .output()
        .map_err(|e| format!("callgrind_annotate: {e}"))?;
    Ok(String::from_utf8_lossy(&text.stdout).into_owned())
}

/// The line `12,345 (100.0%)  PROGRAM TOTALS`.
fn total_in(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.ends_with("PROGRAM TOTALS"))?;
    line.split_whitespace().next()?.replace(',', "").parse().ok()
}

/// Lines such as `  12,345 (10.0%)  file.c:function [object]`.
fn parse(text: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim_start();
        let Some((number, rest)) = line.split_once(' ') else { continue };
        let Ok(count) = number.replace(',', "").parse::<u64>() else { continue };
        // The last word before ` [object]` is `file:function`.
        let before_object = rest.split(" [").next().unwrap_or("");
        let Some(place) = before_object.split_whitespace().last().filter(|p| p.contains(':')) else { continue };
        if rest.contains("=>") {
            continue;
        }
        let name = place.rsplit(':').next().unwrap_or("").to_string();
        counts.entry(name).or_insert(count);
    }
    counts
}

/// A function has a line for each file that its code comes from; that of its own file comes first, and counts all.
fn part_of(text: &str, part: &str) -> u64 {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let Some((_, name)) = line.split_once(part) else { continue };
        let name = name.split_whitespace().next().unwrap_or("");
        let count = line.split_whitespace().next().and_then(|number| number.replace(',', "").parse::<u64>().ok());
        counts.entry(name).or_insert(count.unwrap_or(0));
    }
    counts.values().sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_are_read_by_function() {
        let counts =
            super::parse("--\n 1,234 (50.00%)  bench.c:bench_send [/tmp/bench]\n 99 (1.0%)  ???:main [/tmp/x]\n");
        assert_eq!(counts["bench_send"], 1234);
        assert_eq!(counts["main"], 99);
    }

    #[test]
    fn functions_of_a_part_are_added_once() {
        let text = "--\n 1,234 (50.0%)  a.rs:<A as T>::send [/x]\n 99 (1.0%)  b.rs:<A as T>::send [/x]\n \
                    70 (1.0%)  a.rs:<A as T>::now [/x]\n 60 (1.0%)  a.rs:<B as T>::now [/x]\n";
        assert_eq!(super::part_of(text, "A as T>::"), 1304);
    }

    #[test]
    fn total_is_read() {
        assert_eq!(super::total_in("--\n 1,234 (100.0%)  PROGRAM TOTALS\n 99 (1.0%)  ???:main\n"), Some(1234));
        assert_eq!(super::total_in("nothing"), None);
    }
}
