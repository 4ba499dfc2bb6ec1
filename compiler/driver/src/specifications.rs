//! The inputs of a verification: layers with their properties, automata, configurations, and varied stacks.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_specification::{Automaton, Configuration, Setting, Timing, ValueKind};
use nacre_stack::Stack;
use nacre_syntax::ast;
use nacre_typed::Variation;

use crate::session::Session;

/// A layer, with the properties that it provides and requires.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerPromises {
    pub name: String,
    /// Names of automata and of properties.
    pub provides: Vec<String>,
    pub requires: Vec<String>,
    pub breaks: Vec<String>,
    pub span: Span,
}

impl Session {
    /// All layers, in order of declaration.
    pub fn layers(&self) -> Vec<LayerPromises> {
        self.program.layers().map(promises).collect()
    }

    /// Returns the configurations that the program declares, their names not resolved.
    pub fn configurations(&self) -> Vec<Configuration> {
        let names = |path: &[ast::Ident]| path.iter().map(|p| p.name.clone()).collect();
        let spans = |path: &[ast::Ident]| path.iter().map(|p| p.span).collect();
        let timing = |timing: &ast::Timing| match timing {
            ast::Timing::Before(longer) => Timing::Before { longer: names(longer), names: spans(longer) },
            ast::Timing::InPhase => Timing::InPhase,
        };
        let setting = |s: &ast::Setting| Setting {
            path: names(&s.path),
            values: s.values.iter().map(|value| constant(value).0).collect(),
            kinds: s.values.iter().map(|value| constant(value).1).collect(),
            timing: s.timing.as_ref().map(timing),
            names: spans(&s.path),
            span: s.span,
        };
        let configuration = |c: &ast::Configuration| Configuration {
            name: c.name.name.clone(),
            subject: c.subject.name.clone(),
            over: c.over.as_ref().map(|o| o.name.clone()),
            on_request: c.on_request,
            settings: c.settings.iter().map(setting).collect(),
            span: c.span,
        };
        self.program.configurations().map(configuration).collect()
    }

    /// Whether a name that a layer provides or requires is an automaton; a property is not.
    pub fn is_automaton(&self, name: &str) -> bool {
        self.program.is_automaton(name)
    }

    /// An automaton, joined with those that it extends. Other parameters than these have their defaults.
    pub fn automaton(&self, name: &str, parameters: &[(String, u64)]) -> Result<Automaton, Vec<Diagnostic>> {
        self.program.automaton(name, parameters)
    }

    /// A stack of the source, or a layer alone as a stack, with other parameters than in the source.
    pub fn compose_varied(
        &self,
        subject: &str,
        variation: &Variation,
    ) -> Result<(Stack, Vec<Diagnostic>), Vec<Diagnostic>> {
        let declared = match self.program.layers().find(|l| l.name.name == subject) {
            Some(layer) => alone(layer),
            None => self.program.stack(subject).cloned().ok_or_else(|| vec![self.no_stack(subject)])?,
        };
        let strange = without_effect(&declared, variation);
        if !strange.is_empty() {
            return Err(strange);
        }
        self.compose_declared(&declared, variation)
    }
}

/// The value of a setting, and how it is written.
fn constant(value: &ast::Expr) -> (u64, ValueKind) {
    match value.kind {
        ast::ExprKind::Number(n) => (n, ValueKind::Number),
        ast::ExprKind::Duration(n, unit) => (n.saturating_mul(unit.nanoseconds()), ValueKind::Duration),
        ast::ExprKind::True => (1, ValueKind::Flag),
        // The parser accepts no others.
        _ => (0, ValueKind::Flag),
    }
}

fn promises(layer: &ast::Layer) -> LayerPromises {
    let (mut provides, mut requires, mut breaks) = (vec![], vec![], vec![]);
    for member in &layer.members {
        let (list, names) = match member {
            ast::Member::Provides(names) => (&mut provides, names),
            ast::Member::Requires(names) => (&mut requires, names),
            ast::Member::Breaks(names) => (&mut breaks, names),
            _ => continue,
        };
        list.extend(names.iter().map(|n| n.name.clone()));
    }
    LayerPromises { name: layer.name.name.clone(), provides, requires, breaks, span: layer.span }
}

/// Parameters of layers that the stack does not have.
fn without_effect(stack: &ast::Stack, variation: &Variation) -> Vec<Diagnostic> {
    let ast::StackBody::Layers(layers) = &stack.body else { return vec![] };
    let known: Vec<&str> = layers.iter().map(|l| l.name.name.as_str()).collect();
    let strange = variation.parameters.iter().filter(|o| !known.contains(&o.layer.as_str()));
    let tell = |o: &nacre_typed::Override| {
        let words =
            format!("`{}.{}` is set, but `{}` has no layer `{}`", o.layer, o.parameter, stack.name.name, o.layer);
        Diagnostic::error("D0004", words)
            .at(stack.name.span, "the stack")
            .help(format!("its layers are {}", known.join(", ")))
    };
    strange.map(tell).collect()
}

/// `stack pt2pt = pt2pt;`
fn alone(layer: &ast::Layer) -> ast::Stack {
    let reference = ast::LayerRef { name: layer.name.clone(), arguments: vec![], span: layer.name.span };
    ast::Stack {
        docs: vec![],
        name: layer.name.clone(),
        members: None,
        body: ast::StackBody::Layers(vec![reference]),
        span: layer.span,
    }
}
