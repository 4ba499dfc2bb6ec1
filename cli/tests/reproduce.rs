//! `nacre reproduce`: figures of papers beside ours.

mod common;

use common::{nacre, ran};
use serde_json::Value;

/// The numbers of a column, by row; None where there is none.
fn column(table: &Value, name: &str) -> Vec<Option<f64>> {
    let rows = table["rows"].as_array().expect("rows");
    rows.iter().map(|row| row.get(name).expect("the column is there").as_f64()).collect()
}

#[test]
fn unknown_tables_are_reported() {
    let (status, out, err) = ran(&mut nacre(&["reproduce", "ensemble-9"]));
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(
        err.contains("there is no table `ensemble-9`") && err.contains("`ensemble-1`") && err.contains("`all`"),
        "{err}"
    );
}

#[test]
fn page_that_cannot_be_written_is_reported_before_long_work() {
    let (status, out, err) = ran(&mut nacre(&["reproduce", "all", "--html", "/no/such/folder/page.html"]));
    assert!(status == 1 && out.is_empty() && err.contains("/no/such/folder/page.html"), "{err}");
}

#[test]
fn levels_cost_less_one_after_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let mut command = nacre(&["reproduce", "promelapp-1", "--messages", "200", "--json", "--html"]);
    let (status, out, err) = ran(command.arg(&page));
    assert_eq!(status, 0, "{err}");
    let all: Value = serde_json::from_str(&out).expect("JSON");
    assert!(all["machine"].as_str().is_some_and(|machine| machine.contains("gcc")), "{out}");
    let table = &all["tables"][0];
    assert_eq!(table["table"], "promelapp-1");
    // The figures of the paper stay what they are.
    let theirs = [Some(242.0), Some(117.0), Some(112.0), None, Some(100.0)];
    assert_eq!(column(table, "theirs: instructions, receiver"), theirs);
    let ours = column(table, "instructions, both");
    let [Some(queue), Some(call), Some(inline), Some(bypass), Some(hand)] = ours[..] else { panic!("{ours:?}") };
    assert!(queue > call && call > inline && inline > bypass && bypass > hand && hand > 0.0, "{ours:?}");
    let receiver = column(table, "instructions, receiver");
    assert!(receiver.iter().zip(&ours).all(|(receiver, both)| receiver < both), "{receiver:?} {ours:?}");
    let written = std::fs::read_to_string(&page).expect("the page is written");
    assert_eq!(written.matches("<rect ").count(), 5, "a bar for each level: {written}");
    assert!(
        written.contains("Basu et al. 1997, table 1") && written.contains(&format!("<td>{queue:.0}</td>")),
        "{written}"
    );
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn all_tables_are_reproduced() {
    let (status, out, err) = ran(&mut nacre(&["reproduce", "all", "--messages", "10000", "--json"]));
    assert_eq!(status, 0, "{err}");
    let all: Value = serde_json::from_str(&out).expect("JSON");
    let tables = all["tables"].as_array().expect("tables");
    assert_eq!(tables.len(), 15);
    for table in tables {
        let rows = table["rows"].as_array().expect("rows");
        let is_ours = |(name, value): (&String, &Value)| !name.starts_with("theirs") && value.is_number();
        let has_ours = |row: &Value| row.as_object().is_some_and(|row| row.iter().any(is_ours));
        assert!(!rows.is_empty() && rows.iter().all(has_ours), "{table}");
    }
}
