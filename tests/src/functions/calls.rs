//! Calls between the functions of a crate, over all of its files, as far as the syntax shows them.
//!
//! Functions of different crates can call each other in a cycle only through callbacks, and the callbacks over code are
//! the traits of traversals and of `nacre_analysis`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Callee, Code, Function};

/// The call graph of one crate.
pub struct Calls<'c> {
    code: &'c Code,
    functions: &'c [Function],
    by_name: BTreeMap<&'c str, Vec<usize>>,
}

impl<'c> Calls<'c> {
    /// Builds the call graph of a crate.
    pub fn new(code: &'c Code) -> Calls<'c> {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, function) in code.functions.iter().enumerate() {
            by_name.entry(&function.name).or_default().push(at);
        }
        Calls { code, functions: &code.functions, by_name }
    }

    fn named(&self, name: &str, is: impl Fn(&Function) -> bool) -> Vec<usize> {
        let all = self.by_name.get(name).into_iter().flatten().copied();
        all.filter(|at| is(&self.functions[*at])).collect()
    }

    /// Returns the functions that a call can refer to.
    fn meant(&self, from: &Function, callee: &Callee) -> Vec<usize> {
        match callee {
            Callee::Free(name) => {
                let imported = self.code.imports.contains(&(from.file.clone(), name.clone()));
                self.named(name, |f| f.of_type.is_none() && (f.file == from.file || imported))
            }
            Callee::In(module, name) => {
                self.named(name, |f| f.of_type.is_none() && f.file.ends_with(&format!("/{module}.rs")))
            }
            Callee::Of(own, name) => self.named(name, |f| f.of_type.as_ref() == Some(own)),
            Callee::Field(of, field, name) => match self.code.fields.get(&(of.clone(), field.clone())) {
                Some(ty) => self.named(name, |f| f.of_type.as_ref() == Some(ty)),
                None => vec![],
            },
            Callee::Method(name) => self.named(name, |f| f.of_type.is_some() && f.file == from.file),
        }
    }

    fn next(&self, at: usize) -> Vec<usize> {
        let function = &self.functions[at];
        function.calls.iter().flat_map(|callee| self.meant(function, callee)).collect()
    }

    /// Whether a function can call itself, other than through a traversal.
    fn comes_back(&self, start: usize) -> bool {
        let (mut seen, mut pending) = (BTreeSet::new(), vec![start]);
        while let Some(at) = pending.pop() {
            let called = self.next(at).into_iter().filter(|next| !self.functions[*next].is_traversal);
            pending.extend(called.filter(|next| seen.insert(*next)));
        }
        seen.contains(&start)
    }

    /// Returns the recursive functions that read kinds.
    pub fn recursive(&self) -> BTreeSet<String> {
        let all = self.functions.iter().enumerate();
        let recursive = all.filter(|(at, f)| f.reads && !f.is_traversal && self.comes_back(*at));
        recursive.map(|(_, f)| f.place()).collect()
    }
}
