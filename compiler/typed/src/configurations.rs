//! Checks that the subjects and automata of configurations exist. The driver resolves their settings.

use nacre_diagnostics::{suggestion, Diagnostic, Span};
use nacre_syntax::ast::{self, Item, StackBody};

use crate::program::Program;

impl Program {
    /// The errors in the configurations.
    pub fn check_configurations(&self) -> Vec<Diagnostic> {
        let all: Vec<&ast::Configuration> = self.configurations().collect();
        let same = |a: &ast::Configuration, b: &ast::Configuration| {
            a.name.name == b.name.name && a.subject.name == b.subject.name && a.span.file == b.span.file
        };
        let mut found: Vec<Diagnostic> = Vec::new();
        for (at, declared) in all.iter().enumerate() {
            if let Some(first) = all[..at].iter().find(|first| same(first, declared)) {
                let words = format!("`{}` has two configurations `{}`", declared.subject.name, declared.name.name);
                let duplicate = Diagnostic::error("T0149", words).at(declared.name.span, "again here");
                found.push(duplicate.also(first.name.span, "first here").help("give one of them another name"));
            }
            found.extend(self.configuration(declared));
        }
        found
    }

    fn configuration(&self, declared: &ast::Configuration) -> Vec<Diagnostic> {
        let subject = &declared.subject;
        let is_subject = |item: &Item| matches!(item, Item::Layer(_) | Item::Stack(_));
        if !self.find(&subject.name, subject.span).is_some_and(|n| is_subject(n.item)) {
            let words = format!("there is no layer and no stack `{}`", subject.name);
            return vec![told(words, subject, &self.known(&subject.name, subject.span, is_subject))];
        }
        let mut found = again(declared);
        if let Some(over) = declared.over.as_ref().filter(|o| !self.is_automaton_at(o)) {
            let is_automaton = |item: &Item| matches!(item, Item::Automaton(_));
            let words = format!("there is no automaton `{}`", over.name);
            found.push(told(words, over, &self.known(&over.name, over.span, is_automaton)));
        }
        found
    }

    /// The layers of a subject of a configuration, the top first: of a stack, or one alone.
    pub fn layers_under(&self, subject: &str) -> Vec<&ast::Layer> {
        match self.item(subject) {
            Some(Item::Layer(layer)) => vec![layer],
            Some(Item::Stack(stack)) => self.layers_of(stack),
            _ => vec![],
        }
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

    /// The parameters of an automaton and of those that it extends.
    pub fn automaton_parameters(&self, automaton: &str) -> Vec<String> {
        let (mut names, mut next, mut seen) = (vec![], self.item(automaton), 0);
        // The limit ends cycles, which are reported elsewhere.
        while let Some(Item::Automaton(a)) = next {
            names.extend(a.parameters.iter().map(|p| p.name.name.clone()));
            seen += 1;
            let extends = a.extends.as_ref().filter(|_| seen < 100);
            next = extends.and_then(|e| self.find(&e.name, e.span)).map(|n| n.item);
        }
        names
    }
}

fn again(declared: &ast::Configuration) -> Vec<Diagnostic> {
    let path = |names: &[ast::Ident]| names.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(".");
    let key = |s: &ast::Setting| match &s.timing {
        Some(ast::Timing::Before(longer)) => format!("{} before {}", path(&s.path), path(longer)),
        Some(ast::Timing::InPhase) => format!("{} in phase", path(&s.path)),
        None => path(&s.path),
    };
    let settings = &declared.settings;
    let repeated = |(at, s): (usize, &ast::Setting)| {
        let first: Option<Span> = settings[..at].iter().find(|o| key(o) == key(s)).map(|o| o.span);
        let words = format!("`{}` is set twice", key(s));
        first.map(|first| Diagnostic::error("T0149", words).at(s.span, "again here").also(first, "first here"))
    };
    settings.iter().enumerate().filter_map(repeated).collect()
}

fn told(words: String, name: &ast::Ident, known: &[String]) -> Diagnostic {
    let found = Diagnostic::error("T0149", words).at(name.span, "not known");
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    found.help(suggestion(&name.name, &names))
}
