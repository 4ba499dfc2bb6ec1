//! The layers of the cookbook (`examples/layers/`) are correct, their tests and configurations find seeded mistakes, and
//! docs/cookbook.md shows what the tools print.

mod common;

use std::path::PathBuf;

use common::printed::*;
use common::*;

const COOKBOOK: &str = "docs/cookbook.md";
const LAYERS: [&str; 6] = ["gather", "heartbeat", "parity", "rpc", "stop_and_wait", "token_bucket"];

fn path(layer: &str) -> String {
    format!("examples/layers/{layer}.nacre")
}

#[test]
fn every_file_of_the_cookbook_is_a_layer_that_holds() {
    let mut files: Vec<String> = std::fs::read_dir(root().join("examples/layers"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, LAYERS.map(|layer| format!("{layer}.nacre")));
    for layer in LAYERS {
        let path = path(layer);
        let source = text(&path);
        assert!(source.starts_with("//! "), "{path} begins with what the layer is");
        let imports: Vec<&str> = source.lines().filter(|line| line.starts_with("import ")).collect();
        assert!(imports.iter().all(|line| line.starts_with("import \"nacre/")), "{path} can be copied: {imports:?}");
        for arguments in [&["check", &path][..], &["fmt", "--check", &path], &["test", &path], &["verify", &path]] {
            let (status, out, err) = ran(&mut nacre(arguments));
            assert_eq!(status, 0, "{arguments:?}\n{out}\n{err}");
        }
    }
}

/// A mistake in a layer: the text that it replaces, and the verb that finds it.
struct Mistake {
    layer: &'static str,
    changes: &'static [(&'static str, &'static str)],
    verb: &'static str,
}

const fn mistake(layer: &'static str, verb: &'static str, changes: &'static [(&'static str, &'static str)]) -> Mistake {
    Mistake { layer, changes, verb }
}

/// The two that the page shows come first.
const MISTAKES: [Mistake; 39] = [
    mistake(
        "heartbeat",
        "verify --configuration in_time --set send=1,0",
        &[
            ("        if !over { arm beat in EVERY; }     // any frame is as good as a heartbeat\n", "        spoke = true;\n"),
            (
                "        count beats;\n        below.send(Beat {});\n",
                "        if spoke {\n            spoke = false;\n        } else {\n            count beats;\n            \
                 below.send(Beat {});\n        }\n",
            ),
            (
                "        suspect: bool,\n        over:    bool,\n    }\n\n    counters",
                "        suspect: bool,\n        over:    bool,\n        spoke:   bool,      // something was sent in this \
                 interval\n    }\n\n    counters",
            ),
        ],
    ),
    mistake("rpc", "verify", &[("            served[slot].answer.clear();\n", "")]),
    mistake("rpc", "verify", &[(" || served[slot].number != number {", " {")]),
    mistake("rpc", "test", &[(" || served[slot].number != number {", " {")]),
    mistake(
        "rpc",
        "test",
        &[(
            "                above.failed(calls[slot].tag);\n            }\n        }",
            "                above.failed(calls[slot].tag);\n                return;\n            }\n        }",
        )],
    ),
    mistake(
        "token_bucket",
        "test",
        &[("            arm refill in PERIOD;\n", "            tokens = BURST - 1;\n            arm refill in PERIOD;\n")],
    ),
    mistake(
        "rpc",
        "verify",
        &[
            (
                "        if !(slot in busy) || served[slot].number != number {",
                "        let was = slot in busy;\n        busy -= slot;\n        if !was || served[slot].number != number {",
            ),
            ("        busy -= slot;\n        served[slot].answer", "        served[slot].answer"),
        ],
    ),
    mistake(
        "rpc",
        "verify",
        &[("calls[slot].tries += 1;", "if calls[slot].tries < TRIES - 1 { calls[slot].tries += 1; }")],
    ),
    mistake("rpc", "test", &[("arm calls[slot].again in RETRY;", "arm calls[slot].again in RETRY * calls[slot].tries;")]),
    mistake("gather", "test", &[("arm due in WAIT unless armed;", "arm due in WAIT;")]),
    mistake("token_bucket", "test", &[("arm refill in PERIOD unless armed;", "arm refill in PERIOD;")]),
    mistake("stop_and_wait", "verify", &[("unacknowledged == none || n != number {", "unacknowledged == none {")]),
    mistake("stop_and_wait", "verify", &[("if n == expected {", "if true {")]),
    mistake(
        "stop_and_wait",
        "test",
        &[
            ("        below.send(Ack { number: n });  // also of a duplicate: the first acknowledgement may be lost\n", ""),
            ("            expected += 1;\n", "            expected += 1;\n            below.send(Ack { number: n });\n"),
        ],
    ),
    mistake(
        "stop_and_wait",
        "verify",
        &[
            ("        below.send(Ack { number: n });  // also of a duplicate: the first acknowledgement may be lost\n", ""),
            ("            expected += 1;\n", "            expected += 1;\n            below.send(Ack { number: n });\n"),
        ],
    ),
    mistake("stop_and_wait", "verify", &[("        tries = 0;\n        arm resend", "        arm resend")]),
    mistake(
        "heartbeat",
        "verify",
        &[("        arm silence in EVERY * MISSES;\n        if suspect", "        arm silence in EVERY;\n        if suspect")],
    ),
    mistake(
        "heartbeat",
        "verify",
        &[("        if over { return; }\n", "        if over { return; }\n        arm beat in EVERY;\n")],
    ),
    mistake("heartbeat", "verify", &[("        heard();\n        pass m;", "        if suspect { heard(); }\n        pass m;")]),
    mistake("heartbeat", "verify", &[("        cancel beat;\n        cancel silence;\n", "        cancel beat;\n")]),
    mistake("heartbeat", "test", &[("up deliver(Beat {}) { heard(); }", "up deliver(Beat {}) { }")]),
    mistake("token_bucket", "verify", &[("waiting.pop() {\n            spend();\n", "waiting.pop() {\n")]),
    mistake("token_bucket", "verify", &[("        if waiting.empty { pass; }  //", "        pass;  //")]),
    mistake("token_bucket", "test", &[("        tokens -= 1;\n", "        if tokens > 1 { tokens -= 1; }\n")]),
    mistake("parity", "verify", &[("let length = got.lengths ^ lengths;", "let length = lengths;")]),
    mistake("parity", "verify", &[("        got_group = g;\n        forget(ref got);\n", "        got_group = g;\n")]),
    mistake("gather", "verify", &[("        leave();\n        pass;\n", "        pass;\n        leave();\n")]),
    mistake(
        "heartbeat",
        "verify",
        &[("    up closed(_) {\n        stop();\n        pass;\n", "    up closed(_) {\n        pass;\n")],
    ),
    mistake(
        "heartbeat",
        "test",
        &[("            detector.trusted();\n", "            detector.trusted();\n            arm silence in EVERY;\n")],
    ),
    mistake(
        "rpc",
        "test",
        &[(
            "    down answer(i, number, m) {\n",
            "    down answer(i, number, m) {\n        if closing {\n            drop m;\n            count stale;\n            \
             return;\n        }\n",
        )],
    ),
    mistake("rpc", "test", &[("        if number == served[slot].number {", "        if number == served[slot].number && !closing {")]),
    mistake(
        "rpc",
        "test",
        &[(
            "    up deliver(m - Request { slot, number }) {\n",
            "    up deliver(m - Request { slot, number }) {\n        if closing {\n            drop m;\n            \
             return;\n        }\n",
        )],
    ),
    mistake(
        "parity",
        "test",
        &[
            ("    header Data   { group: u32 }", "    header Data   { group: u8 }"),
            ("    header Parity { group: u32, lengths", "    header Parity { group: u8, lengths"),
            ("pass m + Data { group };", "pass m + Data { group: group as u8 };"),
            ("Parity { group, lengths: sent.lengths }", "Parity { group: group as u8, lengths: sent.lengths }"),
            ("    up deliver(m - Data { group: g }) {\n", "    up deliver(m - Data { group: h }) {\n        let g = h as u32;\n"),
            (
                "    up deliver(m - Parity { group: g, lengths }) {\n",
                "    up deliver(m - Parity { group: h, lengths }) {\n        let g = h as u32;\n",
            ),
        ],
    ),
    mistake("gather", "verify", &[("            leave();\n            drop packed;\n", "            drop packed;\n")]),
    mistake("gather", "test", &[("let length = packed.len as u16;", "let length = packed.len as u8 as u16;")]),
    mistake(
        "parity",
        "test",
        &[
            ("header Parity { group: u32, lengths: u32 }", "header Parity { group: u32, lengths: u8 }"),
            ("Parity { group, lengths: sent.lengths }", "Parity { group, lengths: sent.lengths as u8 }"),
            (
                "    up deliver(m - Parity { group: g, lengths }) {\n",
                "    up deliver(m - Parity { group: g, lengths: short }) {\n        let lengths = short as u32;\n",
            ),
            ("let length = got.lengths ^ lengths;", "let length = (got.lengths ^ lengths) % 256;"),
        ],
    ),
    mistake("parity", "verify", &[("        enter(g);\n        if got.count", "        if g != got_group {\n            drop m;\n            return;\n        }\n        if got.count")]),
    mistake(
        "rpc",
        "test",
        &[
            ("    header Request { slot: 0..CALLS, number: u32 }", "    header Request { slot: 0..CALLS, number: u8 }"),
            (
                "below.send(m + Request { slot, number: call.number });",
                "below.send(m + Request { slot, number: call.number as u8 });",
            ),
            (
                "below.send(share m + Request { slot, number: calls[slot].number });",
                "below.send(share m + Request { slot, number: calls[slot].number as u8 });",
            ),
            (
                "    up deliver(m - Request { slot, number }) {\n",
                "    up deliver(m - Request { slot, number: short }) {\n        let number = short as u32;\n",
            ),
        ],
    ),
    mistake(
        "stop_and_wait",
        "test",
        &[
            ("header Data { number: u32 }", "header Data { number: u8 }"),
            ("header Ack  { number: u32 }", "header Ack  { number: u8 }"),
            ("pass m + Data { number };", "pass m + Data { number: number as u8 };"),
            ("share m + Data { number }", "share m + Data { number: number as u8 }"),
            ("if n == expected {", "if n as u32 == expected {"),
            ("n != number { return; }", "n as u32 != number { return; }"),
        ],
    ),
];

impl Mistake {
    fn source(&self) -> String {
        self.changes.iter().fold(text(&path(self.layer)), |source, (from, to)| {
            assert_eq!(source.matches(from).count(), 1, "{}: {from}", self.layer);
            source.replace(from, to)
        })
    }
}

#[test]
fn mistakes_in_the_layers_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut missed = vec![];
    for mistake in &MISTAKES {
        let file: PathBuf = folder.path().join(format!("{}.nacre", mistake.layer));
        std::fs::write(&file, mistake.source()).expect("written");
        let mut arguments: Vec<&str> = mistake.verb.split(' ').collect();
        let file = file.display().to_string();
        arguments.insert(1, &file);
        let (status, out, err) = ran(&mut nacre(&arguments));
        let found = out.contains("VIOLATED") || out.contains("FAILED");
        if (status, found) != (1, true) {
            missed.push(format!("{}: {:?}\n{out}{err}", mistake.layer, mistake.changes));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for layer in LAYERS {
        assert!(MISTAKES.iter().filter(|mistake| mistake.layer == layer).count() >= 2, "{layer}");
    }
}

#[test]
fn excerpts_are_those_of_the_layers() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let layers: String = LAYERS.map(|layer| words(&text(&path(layer)))).concat();
    for excerpt in blocks_of(COOKBOOK, "nacre-excerpt") {
        assert!(layers.contains(&words(&excerpt)), "no layer has:\n{excerpt}");
    }
}

#[test]
fn commands_of_the_cookbook_print_what_it_shows() {
    let folder = copy_of_checkout();
    std::fs::create_dir(folder.path().join("wrong")).expect("a folder");
    for mistake in &MISTAKES[..2] {
        let file = folder.path().join(format!("wrong/{}.nacre", mistake.layer));
        std::fs::write(file, mistake.source()).expect("written");
    }
    let shown = in_blocks(COOKBOOK);
    assert!(shown.len() >= 8, "{shown:?}");
    for Printed { command, output } in shown {
        let status = match command {
            _ if command.contains("wrong/") => 1,
            _ if command.contains("--states") => 3,
            _ => 0,
        };
        let printed = run(&command, folder.path(), status);
        compare(COOKBOOK, &output, &printed);
    }
}
