//! The stacks whose costs are put beside those of papers, with their layers: so `nacre reproduce` needs no checkout.

use std::path::{Path, PathBuf};

/// Files below the root of the project.
const SOURCES: &[(&str, &str)] = &[
    ("benches/papers.nacre", include_str!("../papers.nacre")),
    ("layers/interfaces.nacre", include_str!("../../layers/interfaces.nacre")),
    ("layers/frag/frag.nacre", include_str!("../../layers/frag/frag.nacre")),
    ("layers/pt2pt/pt2pt.nacre", include_str!("../../layers/pt2pt/pt2pt.nacre")),
    ("layers/sequencer/sequencer.nacre", include_str!("../../layers/sequencer/sequencer.nacre")),
    ("layers/floor/floor.nacre", include_str!("../../layers/floor/floor.nacre")),
    ("layers/go_back_n/go_back_n.nacre", include_str!("../../layers/go_back_n/go_back_n.nacre")),
    ("layers/active_messages/interface.nacre", include_str!("../../layers/active_messages/interface.nacre")),
    (
        "layers/active_messages/active_messages.nacre",
        include_str!("../../layers/active_messages/active_messages.nacre"),
    ),
    ("layers/crc32c/castagnoli.nacre", include_str!("../../layers/crc32c/castagnoli.nacre")),
];

/// Writes the sources into a folder; returns the path of the file with the stacks `three`, `four`, `ten` and `active`.
pub fn write(folder: &Path) -> Result<PathBuf, String> {
    for (name, text) in SOURCES {
        let path = folder.join(name);
        let told = |why: std::io::Error| format!("{}: {why}", path.display());
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
        std::fs::write(&path, text).map_err(told)?;
    }
    Ok(folder.join(SOURCES[0].0))
}

#[cfg(test)]
mod tests {
    #[test]
    fn sources_are_complete() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = super::write(folder.path()).expect("it is written");
        let mut session = nacre_driver::Session::open(&[file]);
        for (stack, layers) in [("three", 3), ("four", 4), ("ten", 10), ("active", 3)] {
            let found = session.stack(stack);
            assert_eq!(found.map(|stack| stack.layers.len()), Some(layers), "{}", session.render(false));
        }
    }
}
