//! The small mistakes that the specifications of the library detect, and explanations of the others.

mod common;

use std::collections::BTreeMap;

use common::{golden, nacre, ran, root};

/// Layers that take a few seconds together.
const QUICK: &[&str] = &[
    "check_fifo",
    "check_integrity",
    "checksum",
    "corrupt",
    "crc32c",
    "credit",
    "duplicate",
    "lose",
    "reorder",
    "sequencer",
];
const LONG: &[&str] = &[
    "active_messages",
    "batch",
    "cubic",
    "delay",
    "encrypt",
    "flight",
    "floor",
    "frag",
    "go_back_n",
    "pt2pt",
    "receipts",
    "reno",
    "sign",
    "vegas",
];

/// Layers that are also verified in stacks.
const IN_STACKS: &[&str] = &[
    "batch",
    "check_fifo",
    "check_integrity",
    "credit",
    "cubic",
    "encrypt",
    "flight",
    "floor",
    "frag",
    "go_back_n",
    "pt2pt",
    "receipts",
    "reno",
    "sign",
    "vegas",
];

fn tried(layer: &str) {
    let stacks = IN_STACKS.contains(&layer);
    let file = if stacks { "layers/stacks.nacre".into() } else { format!("layers/{layer}/{layer}.nacre") };
    let (_, told, complaints) = ran(&mut nacre(&["verify", &file, "--mutants", "--layer", layer]));
    assert_eq!(complaints, "");
    golden(&format!("mutants/{layer}.txt"), &told);
}

#[test]
fn layer_that_violates_its_specification_is_no_success() {
    let source = "cli/tests/sources/worlds/drawn.nacre";
    let arguments = ["verify", source, "--layer", "once_in_a_thousand", "--mutants"];
    let (status, out, err) = ran(&mut nacre(&arguments));
    assert!(status == 1 && err.contains("does not hold without a mutation"), "{out}{err}");
    let (status, out, _) = ran(nacre(&arguments).arg("--json"));
    let value: serde_json::Value = serde_json::from_str(&out).expect("an array");
    assert_eq!((status, &value[0]["ok"]), (1, &serde_json::Value::Bool(false)), "{out}");
}

#[test]
fn mistakes_in_small_layers_are_found() {
    QUICK.iter().for_each(|layer| tried(layer));
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn mistakes_in_large_layers_are_found() {
    LONG.iter().for_each(|layer| tried(layer));
}

#[test]
fn mutant_that_a_bounded_search_does_not_detect_survives() {
    let (status, told, _) = ran(&mut nacre(&["verify", "layers/credit/credit.nacre", "--mutants", "--states", "5"]));
    let open = told.lines().filter(|l| l.ends_with("(the search is incomplete)")).count();
    let survivors = told.lines().filter(|l| l.trim_start().starts_with("not detected: ")).count();
    assert!(status == 1 && open > 0 && open == survivors, "{told}");
}

/// The numbers of detected and of all mutants, and of lines about undetected ones.
fn score(layer: &str) -> (usize, usize, usize) {
    let path = root().join("cli/tests/golden/mutants").join(format!("{layer}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| words[at].parse().unwrap_or_else(|_| panic!("{layer}: {}", words[at]));
    (number(1), number(3), text.lines().filter(|l| l.trim_start().starts_with("not detected: ")).count())
}

fn readme(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Rows of the first table after some text, without its head.
fn rows<'a>(text: &'a str, behind: &str) -> Vec<Vec<&'a str>> {
    let Some((_, rest)) = text.split_once(behind) else { return vec![] };
    let table = rest.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
    table.skip(2).map(|l| l.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn every_mistake_that_is_not_found_is_explained() {
    for layer in QUICK.iter().chain(LONG) {
        let (found, all, survivors) = score(layer);
        assert_eq!(found + survivors, all, "{layer}");
        let path = format!("layers/{layer}/README.md");
        let text = readme(&path);
        let how = match IN_STACKS.contains(layer) {
            true => format!("`nacre verify layers/stacks.nacre --mutants --layer {layer}`"),
            false => "`nacre verify --mutants`".into(),
        };
        let says = format!("{how} finds {found} of {all} small mistakes");
        assert!(text.contains(&says), "{path} does not say: {says}");
        let explained: usize = rows(&text, "## Mutants")
            .iter()
            .map(|row| {
                let [number, _, _, why] = row[..] else {
                    panic!("{path}: a row has another number of columns: {row:?}")
                };
                let kinds = ["equivalent: ", "slower: ", "gap: "];
                assert!(kinds.iter().any(|kind| why.starts_with(kind)), "{path}: {why}");
                number.parse::<usize>().expect("a row begins with how many it speaks of")
            })
            .sum();
        assert_eq!(explained, survivors, "{path} explains {explained} of {survivors}");
    }
}

#[test]
fn nineteen_of_twenty_mistakes_in_each_layer_are_found() {
    let text = readme("layers/README.md");
    let table = rows(&text, "## Mutants");
    let told: BTreeMap<&str, (&str, &str)> = table.iter().map(|row| (row[0], (row[1], row[2]))).collect();
    let (mut found, mut all) = (0, 0);
    for layer in QUICK.iter().chain(LONG) {
        let (of_it, all_of_it, _) = score(layer);
        assert_eq!(told.get(layer), Some(&(&*of_it.to_string(), &*all_of_it.to_string())), "{layer}");
        assert!(of_it * 20 >= all_of_it * 19, "{layer}: {of_it} of {all_of_it}");
        found += of_it;
        all += all_of_it;
    }
    assert_eq!(told.get("together"), Some(&(&*found.to_string(), &*all.to_string())));
    assert_eq!(table.len(), QUICK.len() + LONG.len() + 1);
    let layers = std::fs::read_dir(root().join("layers")).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir());
    assert_eq!(layers.count(), QUICK.len() + LONG.len(), "every layer of the library is among them");
}

#[test]
fn table_by_operator_sums_up_the_layers() {
    let mut sums: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for layer in QUICK.iter().chain(LONG) {
        let path = root().join("cli/tests/golden/mutants").join(format!("{layer}.txt"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for line in text.lines().filter(|l| l.starts_with("    ")) {
            let [operator, found, "of", all] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
            let sum = sums.entry(operator.into()).or_default();
            let number = |word: &str| word.parse::<u32>().expect("a number");
            *sum = (sum.0 + number(found), sum.1 + number(all));
        }
    }
    let text = readme("layers/README.md");
    let told = rows(&text, "The same by operator:");
    let sums: Vec<Vec<String>> = sums.iter().map(|(o, (k, a))| vec![o.clone(), k.to_string(), a.to_string()]).collect();
    assert_eq!(told, sums);
}
