//! Checks that layers below provide what each layer requires.
//!
//! The guarantees at a boundary are those that the layer below provides, with all that its automata extend, and those
//! that hold below this layer unless it breaks them. Below the lowest layer, its requirements hold: they are the
//! stack's requirements on the network.

use nacre_diagnostics::Diagnostic;
use nacre_typed::Fragment;

use crate::codes;

/// A guarantee that holds at a boundary.
struct Held {
    name: String,
    /// The layer that provides it or, if it no longer holds, the one that breaks it.
    by: Option<usize>,
    broken: Option<usize>,
}

/// Returns an error for each unmet requirement. Layers are listed from the top.
pub(crate) fn check(stack: &str, fragments: &[Fragment]) -> Vec<Diagnostic> {
    let layers: Vec<&Fragment> = fragments.iter().rev().collect();
    let Some(lowest) = layers.first() else { return vec![] };
    let mut held: Vec<Held> = vec![];
    add(&mut held, lowest, &lowest.requires, None);
    let mut problems = vec![];
    for (place, layer) in layers.iter().enumerate() {
        let found = |wanted: &str| held.iter().find(|h| h.name == wanted);
        let missing: Vec<&String> = layer.requires.iter().filter(|wanted| found(wanted).is_none()).collect();
        if !missing.is_empty() {
            problems.push(unprovided(stack, &layers, place, &missing));
        }
        for wanted in &layer.requires {
            if let Some(Held { by, broken: Some(broken), .. }) = found(wanted) {
                problems.push(no_longer(stack, &layers, place, wanted, (*by, *broken)));
            }
        }
        for broken in &layer.breaks {
            let hit = |h: &&mut Held| h.name == *broken || extends(&layers, &h.name, broken);
            held.iter_mut().filter(hit).for_each(|h| h.broken = Some(place));
        }
        add(&mut held, layer, &layer.provides, Some(place));
    }
    problems
}

fn add(held: &mut Vec<Held>, layer: &Fragment, names: &[String], by: Option<usize>) {
    for name in names {
        let extended = layer.extends.iter().filter(|(n, _)| n == name).flat_map(|(_, extended)| extended);
        for name in [name].into_iter().chain(extended) {
            held.retain(|h| h.name != *name);
            held.push(Held { name: name.clone(), by, broken: None });
        }
    }
}

fn extends(layers: &[&Fragment], name: &str, other: &str) -> bool {
    let said = layers.iter().flat_map(|l| &l.extends);
    said.into_iter().any(|(n, extended)| n == name && extended.iter().any(|e| e == other))
}

/// A layer requires what no layer below it provides.
fn unprovided(stack: &str, layers: &[&Fragment], place: usize, wanted: &[&String]) -> Diagnostic {
    let names = listed(wanted);
    let title = format!("`{}` requires {names}, which nothing below it in `{stack}` provides", layers[place].short);
    let mut found = unmet(layers[place], title);
    let mut help = format!("put a layer that provides {names} directly below it");
    if let Some((below, provided)) = nearest(layers, place) {
        let provides = listed(&provided.iter().collect::<Vec<_>>());
        let refine = if provided.len() == 1 { "does not refine" } else { "do not refine" };
        let them = if wanted.len() == 1 { "it" } else { "them" };
        found = found.also(below.span, format!("provides {provides}"));
        found = found.because(format!("`{}` below it provides {provides}, which {refine} {them}", below.short));
        let automata = |names: &[&String]| -> Vec<String> {
            let automata = layers.iter().flat_map(|layer| &layer.extends).map(|(name, _)| name);
            names.iter().filter(|name| automata.clone().any(|a| a == **name)).map(|name| (*name).clone()).collect()
        };
        if let ([wanted], [provided]) = (&automata(wanted)[..], &automata(&provided.iter().collect::<Vec<_>>())[..]) {
            help += &format!(
                "; if `{wanted}` allows all behaviour of `{provided}`, an empty layer can state this, and `nacre \
                    verify` checks it: `worker as_wanted {{ requires {provided}; provides {wanted}; }}`"
            );
        }
    }
    found.help(help)
}

/// A layer requires what a layer between it and the one that provides it breaks.
fn no_longer(
    stack: &str,
    layers: &[&Fragment],
    place: usize,
    wanted: &str,
    (by, broken): (Option<usize>, usize),
) -> Diagnostic {
    let breaker = layers[broken];
    let why = match by {
        Some(by) => format!("`{}` provides it, but `{}` above that breaks it", layers[by].short, breaker.short),
        None => format!("the network has it, but `{}` breaks it", breaker.short),
    };
    let (short, breaking) = (&layers[place].short, &breaker.short);
    unmet(layers[place], format!("`{short}` requires `{wanted}`, which `{breaking}` below it in `{stack}` breaks"))
        .also(breaker.span, "breaks it")
        .because(why)
        .help(format!("put a layer that provides `{wanted}` above `{}`", breaker.short))
}

fn unmet(layer: &Fragment, title: String) -> Diagnostic {
    Diagnostic::error(codes::UNPROVIDED, title).at(layer.span, "requires it")
}

fn listed(names: &[&String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

/// The next layer below that provides something.
fn nearest<'f>(layers: &[&'f Fragment], place: usize) -> Option<(&'f Fragment, &'f [String])> {
    let below = layers[..place].iter().rev().find(|l| !l.provides.is_empty())?;
    Some((below, &below.provides))
}
