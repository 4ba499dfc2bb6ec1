//! Configurations: whether what they name is there. What the names of settings mean, the verification says.

use nacre_diagnostics::{nearest, Diagnostic, Span};
use nacre_syntax::ast::{self, Item, Member, StackBody};

use crate::program::Program;

impl Program {
    /// What is wrong in the configurations.
    pub fn check_configurations(&self) -> Vec<Diagnostic> {
        let all: Vec<&ast::Configuration> = self.configurations().collect();
        let same = |a: &ast::Configuration, b: &ast::Configuration| {
            a.name.name == b.name.name && a.subject.name == b.subject.name && a.span.file == b.span.file
        };
        let mut found: Vec<Diagnostic> = Vec::new();
        for (at, declared) in all.iter().enumerate() {
            if let Some(first) = all[..at].iter().find(|first| same(first, declared)) {
                let words = format!("`{}` has two configurations `{}`", declared.subject.name, declared.name.name);
                let told = Diagnostic::error("T0149", words).at(declared.name.span, "again here");
                found.push(told.also(first.name.span, "first here").help("give one of them another name"));
            }
            found.extend(self.configuration(declared));
        }
        found
    }

    fn configuration(&self, declared: &ast::Configuration) -> Vec<Diagnostic> {
        let subject = &declared.subject;
        let layers: Vec<&ast::Layer> = match self.find(&subject.name, subject.span).map(|n| n.item) {
            Some(Item::Layer(layer)) => vec![layer],
            Some(Item::Stack(stack)) => self.layers_of(stack),
            _ => {
                let is_subject = |item: &Item| matches!(item, Item::Layer(_) | Item::Stack(_));
                let words = format!("there is no layer and no stack `{}`", subject.name);
                return vec![told(words, subject, &self.known(&subject.name, subject.span, is_subject))];
            }
        };
        let mut found = again(declared);
        if let Some(over) = declared.over.as_ref().filter(|o| !self.is_automaton_at(o)) {
            let is_automaton = |item: &Item| matches!(item, Item::Automaton(_));
            let words = format!("there is no automaton `{}`", over.name);
            found.push(told(words, over, &self.known(&over.name, over.span, is_automaton)));
        }
        let below: Vec<String> = declared.over.iter().flat_map(|o| self.parameters_of_automaton(o)).collect();
        found.extend(declared.settings.iter().filter_map(|s| self.setting(s, &layers, &below)));
        found
    }

    fn layers_of(&self, stack: &ast::Stack) -> Vec<&ast::Layer> {
        let StackBody::Layers(layers) = &stack.body else { return vec![] };
        let layer = |r: &ast::LayerRef| match self.find(&r.name.name, r.name.span)?.item {
            Item::Layer(layer) => Some(layer),
            _ => None,
        };
        layers.iter().filter_map(layer).collect()
    }

    fn is_automaton_at(&self, name: &ast::Ident) -> bool {
        matches!(self.find(&name.name, name.span).map(|n| n.item), Some(Item::Automaton(_)))
    }

    /// `below`: parameters of an automaton that the configuration names.
    fn setting(&self, setting: &ast::Setting, layers: &[&ast::Layer], below: &[String]) -> Option<Diagnostic> {
        match &setting.path[..] {
            [name] if is_parameter(name) => {
                let alone = layers.iter().filter(|_| layers.len() == 1).flat_map(|l| &l.parameters);
                let mut known: Vec<String> = alone.map(|p| p.name.name.clone()).collect();
                known.extend(layers.iter().flat_map(|l| self.parameters_of_promises(l)));
                known.extend(below.iter().cloned());
                if known.contains(&name.name) {
                    return None;
                }
                if let Some(layer) = layers.iter().find(|l| l.parameters.iter().any(|p| p.name.name == name.name)) {
                    let words = format!("`{}` is a parameter of the layer `{}`", name.name, layer.name.name);
                    let help = format!("write `{}.{} = ...;`", layer.name.name, name.name);
                    return Some(Diagnostic::error("T0149", words).at(name.span, "of which layer?").help(help));
                }
                Some(told(format!("nothing here has a parameter `{}`", name.name), name, &known))
            }
            [_] => None,
            [layer, parameter] => {
                let Some(declared) = layers.iter().find(|l| l.name.name == layer.name) else {
                    let known: Vec<String> = layers.iter().map(|l| l.name.name.clone()).collect();
                    return Some(told(format!("no layer `{}` is configured here", layer.name), layer, &known));
                };
                let known: Vec<String> = declared.parameters.iter().map(|p| p.name.name.clone()).collect();
                let words = format!("`{}` has no parameter `{}`", layer.name, parameter.name);
                (!known.contains(&parameter.name)).then(|| told(words, parameter, &known))
            }
            [_, _, more, ..] => {
                let words = "a setting has at most two names";
                let help = "write the layer and its parameter: `pt2pt.W = 2;`";
                Some(Diagnostic::error("T0149", words).at(more.span, "one too many").help(help))
            }
            [] => None,
        }
    }

    /// Parameters of the automata that a layer requires or provides, and of what those extend.
    fn parameters_of_promises(&self, layer: &ast::Layer) -> Vec<String> {
        let mut names = vec![];
        for member in &layer.members {
            let (Member::Provides(promises) | Member::Requires(promises)) = member else { continue };
            names.extend(promises.iter().flat_map(|p| self.parameters_of_automaton(p)));
        }
        names
    }

    fn parameters_of_automaton(&self, automaton: &ast::Ident) -> Vec<String> {
        let (mut names, mut next, mut seen) = (vec![], Some(automaton), 0);
        // As many as there are: a circle is told elsewhere.
        while let Some(Item::Automaton(a)) = next.and_then(|n| self.find(&n.name, n.span)).map(|n| n.item) {
            names.extend(a.parameters.iter().map(|p| p.name.name.clone()));
            seen += 1;
            next = a.extends.as_ref().filter(|_| seen < 100);
        }
        names
    }
}

/// Names of parameters are all capitals.
fn is_parameter(name: &ast::Ident) -> bool {
    name.name.bytes().next().is_some_and(|b| b.is_ascii_uppercase())
}

fn again(declared: &ast::Configuration) -> Vec<Diagnostic> {
    let path = |s: &ast::Setting| s.path.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(".");
    let settings = &declared.settings;
    let repeated = |(at, s): (usize, &ast::Setting)| {
        let first: Option<Span> = settings[..at].iter().find(|o| path(o) == path(s)).map(|o| o.span);
        let words = format!("`{}` is set twice", path(s));
        first.map(|first| Diagnostic::error("T0149", words).at(s.span, "again here").also(first, "first here"))
    };
    settings.iter().enumerate().filter_map(repeated).collect()
}

fn told(words: String, name: &ast::Ident, known: &[String]) -> Diagnostic {
    let found = Diagnostic::error("T0149", words).at(name.span, "not known");
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    match (nearest(&name.name, &names), names.is_empty()) {
        (Some(near), _) => found.help(format!("did you mean `{near}`?")),
        (None, true) => found.help("there is none"),
        (None, false) => found.help(format!("there are {}", names.join(", "))),
    }
}
