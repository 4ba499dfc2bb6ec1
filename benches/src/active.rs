//! Round trips of active messages: the stack `active` at each level, and the same library written by hand.

use std::path::{Path, PathBuf};

use crate::harness::{self, difference, gcc, printed, Entry, Workload, TIMES};

/// The program that drives them, the library that is written by hand, and the interface of both.
const SOURCES: &[(&str, &str)] = &[
    ("active.c", include_str!("../c/active.c")),
    ("hand_active.c", include_str!("../c/hand_active.c")),
    ("hand_active.h", include_str!("../c/hand_active.h")),
    ("nacre.h", include_str!("../../compiler/backends/c/src/nacre.h")),
];

/// The name of the library that is written by hand.
pub const HAND: &str = "hand_active";

/// Writes the sources in C into the folder.
pub fn write(folder: &Path) -> Result<(), String> {
    SOURCES.iter().chain([&TIMES]).try_for_each(|(name, text)| harness::write(folder, name, text))
}

/// Instructions and nanoseconds of one message, which is half of a round trip: its call, and all work of its delivery.
pub fn cost(folder: &Path, prefix: &str, workload: &Workload) -> Result<Entry, String> {
    let program = build(folder, prefix, prefix)?;
    let size = workload.size.to_string();
    let how = ["whole", &size];
    let of = difference(&program, &how, folder, workload.counted)?;
    let each = |function: &str| of(&format!("{prefix}_{function}")) / 2.0;
    let (send, deliver) = (each("above_request") + each("above_reply"), each("input") + each("tick"));
    if send <= 0.0 || deliver <= 0.0 {
        return Err(format!("callgrind does not name the entries of {prefix}"));
    }
    let mut least = Entry { send, deliver, send_ns: f64::MAX, deliver_ns: f64::MAX };
    for _ in 0..workload.runs {
        let [send_ns, deliver_ns, _] = printed(&program, workload.timed, &how)?;
        least = Entry { send_ns: least.send_ns.min(send_ns), deliver_ns: least.deliver_ns.min(deliver_ns), ..least };
    }
    Ok(least)
}

/// Compiles two libraries, and the program in which the first asks the second.
pub fn build(folder: &Path, first: &str, second: &str) -> Result<PathBuf, String> {
    write(folder)?;
    let mut objects = vec![format!("{first}.o")];
    if second != first {
        objects.push(format!("{second}.o"));
    }
    for object in &objects {
        gcc(folder, &["-I.", "-c", &object.replace(".o", ".c"), "-o", object])?;
    }
    let defined = |what: &str, name: &str| [format!("-D{what}={name}"), format!("-D{what}_HEADER=\"{name}.h\"")];
    let [stack, header] = defined("STACK", first);
    let header = header.replace("STACK_HEADER", "HEADER");
    let mut arguments = vec!["-I.".to_string(), stack, header];
    if second != first {
        arguments.extend(defined("OTHER", second));
    }
    let program = folder.join(format!("active_{first}_{second}"));
    arguments.push("active.c".into());
    arguments.extend(objects);
    arguments.extend(["-o".into(), program.display().to_string()]);
    gcc(folder, &arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use nacre_driver::Level;

    use super::*;
    use crate::papers;

    #[test]
    fn library_by_hand_and_the_stack_talk_to_each_other_with_and_without_losses() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (folder, file) = (folder.path(), papers::write(folder.path()).expect("it is written"));
        harness::emit(folder, &file, "active", Level::Inline, "active_inline").expect("it is emitted");
        for (first, second) in [("active_inline", HAND), (HAND, "active_inline"), (HAND, HAND)] {
            let program = build(folder, first, second).unwrap_or_else(|why| panic!("{first}, {second}: {why}"));
            for how in ["whole", "lossy"] {
                let [_, _, sum] =
                    printed(&program, 2000, &[how]).unwrap_or_else(|why| panic!("{first}, {second}: {why}"));
                assert_eq!(sum, f64::from((0..2064).sum::<u32>()), "{first}, {second}, {how}: each was echoed once");
            }
        }
    }
}
