//! The layers of the design parse without a message.

use nacre_diagnostics::Sources;

mod files;

#[test]
fn every_layer_of_the_design_parses() {
    let files = files::design();
    assert_eq!(files.len(), 37);
    for (path, text) in files {
        let mut sources = Sources::new();
        let source = sources.add(path, &text);
        let (file, found) = nacre_syntax::parse(source, &text);
        let messages: String = found.iter().map(|found| found.render(&sources, false)).collect();
        assert!(found.is_empty(), "{messages}");
        assert!(!file.items.is_empty() && (!file.docs.is_empty() || !text.starts_with("//!")));
    }
}
