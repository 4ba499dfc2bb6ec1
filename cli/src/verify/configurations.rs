//! The subjects of a verification, and their configurations with the settings of the command line.

use nacre_diagnostics::suggestion;
use nacre_driver::Session;
use nacre_specification::{Configuration, Setting};
use nacre_worlds::world::{self, Subject, World};

use super::refusals::Refusals;
use crate::args::Verify;
use crate::console::Exit;
use crate::program;

/// The subject that the command line names, or all subjects of the file.
pub fn subjects(session: &Session, args: &Verify) -> Result<Vec<Subject>, String> {
    let layers = session.layers();
    if let Some(name) = &args.layer {
        let known: Vec<&str> = layers.iter().map(|l| l.name.as_str()).collect();
        if !known.contains(&name.as_str()) {
            return Err(format!("there is no layer `{name}`; {}", suggestion(name, &known)));
        }
        let layer = Subject { name: name.clone(), is_layer: true };
        // The stacks of the file test a mutant of the layer as well.
        let stacks = if args.mutants { configured_stacks(session) } else { vec![] };
        return Ok(std::iter::once(layer).chain(stacks).collect());
    }
    if let Some(name) = &args.stack {
        program::require_stack(session, name)?;
        return Ok(vec![Subject { name: name.clone(), is_layer: false }]);
    }
    let configured: Vec<String> = session.configurations().into_iter().map(|c| c.subject).collect();
    let mut found = vec![];
    for layer in session.program.layers().filter(|l| session.is_named(l.name.span)) {
        let subject = Subject { name: layer.name.name.clone(), is_layer: true };
        if args.propose || session.network(&subject.name, None).is_some() || configured.contains(&subject.name) {
            found.push(subject);
        }
    }
    found.extend(configured_stacks(session));
    if found.is_empty() && args.propose {
        // Configurations are what is missing.
        let stacks = session.program.stacks().filter(|s| session.is_named(s.name.span));
        found.extend(stacks.map(|s| Subject { name: s.name.name.clone(), is_layer: false }));
    }
    if found.is_empty() {
        let why = match args.propose {
            true => "the file declares no layer and no stack",
            false => "the file declares no layer that requires an automaton, and no stack with a configuration",
        };
        return Err(format!("{why}; name one by --layer or --stack"));
    }
    Ok(found)
}

/// The stacks of the file that have a configuration.
fn configured_stacks(session: &Session) -> Vec<Subject> {
    let configured: Vec<String> = session.configurations().into_iter().map(|c| c.subject).collect();
    let stacks = session.program.stacks().map(|s| &s.name);
    let own = stacks.filter(|name| session.is_named(name.span) && configured.contains(&name.name));
    own.map(|name| Subject { name: name.name.clone(), is_layer: false }).collect()
}

/// The subjects with their configurations. At least one subject must have a configuration with a requested name.
pub fn wanted<'s>(
    session: &Session,
    subjects: &'s [Subject],
    args: &Verify,
) -> Result<Vec<(&'s Subject, Configuration)>, String> {
    let declared = session.configurations();
    let mine = |c: &&Configuration| subjects.iter().any(|s| s.name == c.subject);
    let names: Vec<&str> = declared.iter().filter(mine).map(|c| c.name.as_str()).collect();
    if let Some(name) = args.configuration.as_deref().filter(|name| !names.contains(name)) {
        let whose: Vec<String> = subjects.iter().map(|s| format!("`{}`", s.name)).collect();
        let whose = whose.join(", ");
        return Err(format!("there is no configuration `{name}` for {whose}; {}", suggestion(name, &names)));
    }
    let of = |subject: &'s Subject| {
        configurations(&declared, subject, args).into_iter().map(move |configuration| (subject, configuration))
    };
    Ok(subjects.iter().flat_map(of).collect())
}

/// The configurations of the source for a subject, or one with the settings of the command line alone.
fn configurations(declared: &[Configuration], subject: &Subject, args: &Verify) -> Vec<Configuration> {
    let mut found: Vec<Configuration> = declared.iter().filter(|c| c.subject == subject.name).cloned().collect();
    found.retain(|c| match &args.configuration {
        Some(name) => *name == c.name,
        None => args.all || !c.on_request,
    });
    if found.is_empty() && args.configuration.is_none() {
        found.push(empty(subject, "default"));
    }
    found.iter_mut().for_each(|configuration| add(configuration, &args.set));
    found
}

/// The names of the subjects without a configuration: they are verified in a world of few calls and usual parameters.
pub fn unconfigured<'s>(session: &Session, subjects: &'s [Subject]) -> impl Iterator<Item = &'s str> {
    let declared = session.configurations();
    let without = move |s: &&Subject| !declared.iter().any(|c| c.subject == s.name);
    subjects.iter().filter(without).map(|s| s.name.as_str())
}

/// Returns an undeclared configuration without settings.
fn empty(subject: &Subject, name: &str) -> Configuration {
    let (name, subject) = (name.into(), subject.name.clone());
    Configuration { name, subject, over: None, on_request: false, settings: vec![], span: Default::default() }
}

/// Replaces settings by those of the command line.
pub fn add(configuration: &mut Configuration, set: &[Setting]) {
    for setting in set {
        configuration.settings.retain(|s| s.path != setting.path || s.timing.is_some());
        configuration.settings.push(setting.clone());
    }
}

/// The name of a setting that the command line has twice.
pub fn set_twice(set: &[Setting]) -> Option<String> {
    let mut again = set.iter().enumerate().filter(|(at, one)| set[..*at].iter().any(|other| other.path == one.path));
    again.next().map(|(_, one)| one.path.join("."))
}

/// Returns the configuration with a name, extended by further settings.
pub fn configuration(session: &Session, subject: &Subject, name: &str, set: &[Setting]) -> Configuration {
    let found = session.configurations().into_iter().find(|c| c.subject == subject.name && c.name == name);
    let mut configuration = found.unwrap_or_else(|| empty(subject, name));
    add(&mut configuration, set);
    configuration
}

/// Makes the world of a subject in a configuration, or reports why it has none.
pub fn make(
    session: &Session,
    subject: &Subject,
    configuration: &Configuration,
    any_order: bool,
) -> Result<World, Exit> {
    world::world(session, subject, configuration, any_order).map_err(|refusal| {
        let mut refusals = Refusals::default();
        refusals.add(session, subject, configuration, refusal);
        refusals.exit().unwrap_or(Exit::No)
    })
}
