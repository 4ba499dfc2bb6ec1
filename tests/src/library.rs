//! The stacks that the library and the examples declare.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nacre_driver::Session;
use nacre_stack::{Stack, Type};

use crate::{files, root, soaking};

/// A stack, and the file that declares it.
#[derive(Clone, Debug)]
pub struct Declared {
    pub file: PathBuf,
    pub name: String,
}

/// Every stack of layers/*/tests.nacre and of examples/, but those of the cookbook: they import the library of the
/// program, which is not part of these tests. `cli/tests/cookbook.rs` runs them.
pub fn declared() -> Vec<Declared> {
    // They are read once: that takes seconds.
    static ALL: OnceLock<Vec<Declared>> = OnceLock::new();
    ALL.get_or_init(read_all).clone()
}

fn read_all() -> Vec<Declared> {
    let mut sources = files(&root().join("layers"), "tests.nacre");
    let cookbook = root().join("examples/layers");
    sources.extend(files(&root().join("examples"), ".nacre").into_iter().filter(|file| !file.starts_with(&cookbook)));
    let all = sources.into_iter().flat_map(|file| {
        let session = open(&file);
        let names: Vec<String> = session.program.stacks().map(|stack| stack.name.name.clone()).collect();
        names.into_iter().map(move |name| Declared { file: file.clone(), name })
    });
    all.collect()
}

/// All of these stacks in a long campaign; otherwise a greedy cover: the chosen stacks have each layer of all of them at each
/// position at which it occurs (top, bottom or between others), with each of its modes (parameters that are `true`), and a wide
/// window if there is one.
pub fn spread(all: Vec<Declared>) -> Vec<Declared> {
    if soaking() {
        return all;
    }
    let features: Vec<BTreeSet<String>> = all.iter().map(Declared::features).collect();
    let (mut seen, mut chosen) = (BTreeSet::new(), vec![]);
    loop {
        let fresh = |at: &usize| features[*at].difference(&seen).count();
        let best = (0..all.len()).rev().max_by_key(fresh).filter(|at| fresh(at) > 0);
        let Some(best) = best else { break };
        seen.extend(features[best].iter().cloned());
        chosen.push(best);
    }
    all.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, one)| one).collect()
}

/// Whether a window of the stack has hundreds of entries.
pub fn has_wide_window(stack: &Stack) -> bool {
    stack.cells.iter().any(|cell| matches!(cell.ty, Type::Window(_, 200.., _)))
}

/// Returns the stack with this name.
pub fn find(name: &str) -> Declared {
    declared()
        .into_iter()
        .find(|declared| declared.name == name)
        .unwrap_or_else(|| panic!("the library has no stack `{name}`"))
}

/// Opens a file that has no errors.
pub fn open(file: &Path) -> Session {
    let session = Session::open(&[file.to_path_buf()]);
    assert!(!session.has_errors(), "{}", session.render(false));
    session
}

impl Declared {
    /// Its layers with their positions and modes, and whether it has a wide window.
    fn features(&self) -> BTreeSet<String> {
        let stack = self.compose().1;
        let last = stack.layers.len() - 1;
        let position = |at| format!("top: {}, bottom: {}", at == 0, at == last);
        let layers = stack.layers.iter().enumerate().map(|(at, layer)| format!("{}, {}", layer.name, position(at)));
        let modes = stack.layers.iter().flat_map(|layer| {
            let parameters = layer.description.split([',', '<', '>']).map(str::trim);
            parameters.filter(|one| one.ends_with("= true")).map(move |mode| format!("{}, {mode}", layer.name))
        });
        layers.chain(modes).chain(has_wide_window(&stack).then(|| "a wide window".into())).collect()
    }

    pub fn compose(&self) -> (Session, Stack) {
        let mut session = open(&self.file);
        let stack = session.stack(&self.name);
        (stack.map(|stack| (session, stack))).unwrap_or_else(|| panic!("{} does not compose", self.name))
    }
}
