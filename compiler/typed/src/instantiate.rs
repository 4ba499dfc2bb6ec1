//! Layers with their parameters filled in: as trees, and as fragments of the stack IR.

use nacre_diagnostics::Diagnostic;
use nacre_syntax::ast::{self, Item};

use crate::checker::Checker;
use crate::fragment::Fragment;
use crate::lower;
use crate::program::{not_built, Named, Program};
use crate::tree;
use crate::variation::Variation;

impl Program {
    /// Checks one layer with these arguments, and lowers it. Parameters that are neither given nor have a default are
    /// an error; with `generic` they get the value 1, to check a layer alone.
    pub fn instantiate(
        &self,
        layer: &ast::LayerRef,
        generic: bool,
    ) -> Result<(Fragment, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.instantiate_with(layer, generic, &Variation::default())
    }

    fn instantiate_with(
        &self,
        layer: &ast::LayerRef,
        generic: bool,
        variation: &Variation,
    ) -> Result<(Fragment, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (tree, found) = self.tree_with(layer, generic, variation);
        lowered(&tree, found)
    }

    /// Types one layer with these arguments, as [`Program::instantiate`] does: the tree, with error nodes, and the
    /// diagnostics.
    pub fn tree(&self, layer: &ast::LayerRef, generic: bool) -> (tree::Layer, Vec<Diagnostic>) {
        self.tree_with(layer, generic, &Variation::default())
    }

    fn tree_with(&self, layer: &ast::LayerRef, generic: bool, variation: &Variation) -> (tree::Layer, Vec<Diagnostic>) {
        let Some(Named { item: Item::Layer(declared), .. }) = self.find(&layer.name.name, layer.name.span) else {
            let name = layer.name.name.clone();
            return (tree::Layer { name, ..Default::default() }, vec![self.unknown_layer(&layer.name)]);
        };
        let layer = variation.applied(declared, layer);
        let mut checker = Checker::new(self, declared);
        checker.sequence_bits = variation.sequence_bits.map(u32::from);
        checker.run(&layer.arguments, layer.span, generic)
    }

    /// The typed trees of the layers of a stack, top first. [`Program::fragments`] reports their errors.
    pub fn trees(&self, stack: &ast::Stack) -> Vec<tree::Layer> {
        let ast::StackBody::Layers(layers) = &stack.body else { return Vec::new() };
        layers.iter().map(|layer| self.tree(layer, false).0).collect()
    }

    /// The layers of a stack, top first.
    pub fn fragments(&self, stack: &ast::Stack) -> Result<(Vec<Fragment>, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.fragments_with(stack, &Variation::default())
    }

    /// The same, with other parameters than the source gives.
    pub fn fragments_with(
        &self,
        stack: &ast::Stack,
        variation: &Variation,
    ) -> Result<(Vec<Fragment>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let ast::StackBody::Layers(layers) = &stack.body else {
            return Err(vec![not_built("stacks by property", stack.name.span)]);
        };
        if stack.members.is_some() {
            return Err(vec![not_built("stacks for groups", stack.name.span)]);
        }
        let (mut fragments, mut errors, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for layer in layers {
            match self.instantiate_with(layer, false, variation) {
                Ok((fragment, more)) => {
                    fragments.push(fragment);
                    warnings.extend(more);
                }
                Err(more) => errors.extend(more.into_iter().filter(|d| !errors.contains(d)).collect::<Vec<_>>()),
            }
        }
        if errors.is_empty() {
            Ok((fragments, warnings))
        } else {
            Err(errors)
        }
    }

    /// The typed trees of all layers alone, with the defaults of their parameters.
    pub fn layer_trees(&self) -> Vec<tree::Layer> {
        self.workers().map(|layer| Checker::new(self, layer).run(&[], layer.span, true).0).collect()
    }

    fn workers(&self) -> impl Iterator<Item = &ast::Layer> {
        self.layers().filter(|layer| layer.kind == ast::LayerKind::Worker)
    }

    /// Checks every layer alone, with the defaults of its parameters. A layer with parameters without defaults
    /// is checked in the stacks that give them; in no stack, with the value 1.
    pub fn check_layers(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for layer in self.workers().filter(|layer| !self.is_checked_in_stacks(layer)) {
            let (tree, warnings) = Checker::new(self, layer).run(&[], layer.span, true);
            match lowered(&tree, warnings) {
                Ok((_, warnings)) => found.extend(warnings),
                Err(errors) => found.extend(errors),
            }
        }
        found
    }

    /// Whether a layer needs values for parameters, and a stack of the program gives them.
    fn is_checked_in_stacks(&self, layer: &ast::Layer) -> bool {
        let declares = |reference: &ast::LayerRef| match self.find(&reference.name.name, reference.name.span) {
            Some(Named { item: Item::Layer(found), .. }) => found.name.span == layer.name.span,
            _ => false,
        };
        let contains = |stack: &ast::Stack| match &stack.body {
            ast::StackBody::Layers(layers) => layers.iter().any(declares),
            ast::StackBody::For { .. } => false,
        };
        layer.parameters.iter().any(|parameter| parameter.default.is_none()) && self.stacks().any(contains)
    }
}

/// The fragment of a tree without errors, with warnings; or all diagnostics.
fn lowered(tree: &tree::Layer, found: Vec<Diagnostic>) -> Result<(Fragment, Vec<Diagnostic>), Vec<Diagnostic>> {
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    Ok((lower::layer(tree), found))
}
