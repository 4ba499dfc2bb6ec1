//! Every message has a case in `errors/`: a source and its expected output. `BLESS=1` rewrites the output.

use std::fs;

use nacre_diagnostics::Sources;

mod files;

fn messages(name: &str, text: &str) -> String {
    let mut sources = Sources::new();
    let source = sources.add(name, text);
    let (_, found) = nacre_syntax::parse(source, text);
    found.iter().map(|found| found.render(&sources, false)).collect::<Vec<_>>().join("\n")
}

#[test]
fn messages_are_as_blessed() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut differing = vec![];
    for (name, text) in files::sources("errors") {
        let said = messages(&name, &text);
        assert!(!said.is_empty(), "{name} has no error");
        let expected = files::folder("errors").join(&name).with_extension("expected");
        if bless {
            fs::write(&expected, &said).expect("the case can be written");
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            differing.push(format!("{name} now gives\n{said}"));
        }
    }
    assert!(differing.is_empty(), "{}\nbless with BLESS=1 if this is meant", differing.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    let cases = files::sources("errors");
    for (code, subject) in nacre_syntax::CODES {
        let case = cases.iter().find(|(name, _)| name == &format!("{code}.nacre"));
        let Some((name, text)) = case else { panic!("{code} ({subject}) has no case") };
        assert!(messages(name, text).contains(&format!("[{code}]")), "{name} does not give {code}");
    }
}

#[test]
fn every_message_has_a_listed_code_and_a_place() {
    for (name, text) in files::sources("errors") {
        for found in nacre_syntax::parse(nacre_diagnostics::SourceId(0), &text).1 {
            assert!(
                nacre_syntax::CODES.iter().any(|(code, _)| *code == found.code),
                "{name}: {} is not listed",
                found.code
            );
            assert!(found.span().is_some_and(|span| span.end as usize <= text.len()), "{name}: {}", found.message);
        }
    }
}

#[test]
fn a_mistake_in_each_part_of_a_file_gives_a_message_each() {
    let text = "struct Ab { b: , c: u8 }\nworker x {\n    header Hd { n u8 }\n    up a() {\n        b(;\n        c();\n    }\n\
                \n    down d() { pass + }\n}\nworker y { fn f() { if { } } }\n";
    let lines = |text: &str| -> Vec<usize> {
        let mut sources = Sources::new();
        let source = sources.add("x", text);
        nacre_syntax::parse(source, text).1.iter().map(|found| sources.line(found.span().unwrap())).collect()
    };
    assert_eq!(lines(text), [1, 3, 5, 9, 11]);
}
