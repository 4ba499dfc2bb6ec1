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
        for wanted in &layer.requires {
            if !held.iter().any(|h| h.name == *wanted && h.broken.is_none()) {
                problems.push(unprovided(stack, &layers, place, wanted, &held));
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

fn unprovided(stack: &str, layers: &[&Fragment], place: usize, wanted: &str, held: &[Held]) -> Diagnostic {
    let layer = layers[place];
    let title = format!("`{}` requires `{wanted}`, which nothing below it in `{stack}` provides", layer.short);
    let mut found = Diagnostic::error(codes::UNPROVIDED, title).at(layer.span, "requires it");
    let mut help = format!("put a layer that provides `{wanted}` directly below it");
    if let Some(Held { by, broken: Some(broken), .. }) = held.iter().find(|h| h.name == wanted) {
        let breaker = layers[*broken];
        found = found.also(breaker.span, "breaks it");
        found = found.because(match by {
            Some(by) => format!("`{}` provides it, but `{}` above that breaks it", layers[*by].short, breaker.short),
            None => format!("the network has it, but `{}` breaks it", breaker.short),
        });
        help = format!("put a layer that provides `{wanted}` above `{}`", breaker.short);
    } else if let Some((below, provided)) = nearest(layers, place) {
        let names: Vec<String> = provided.iter().map(|n| format!("`{n}`")).collect();
        let extend = if names.len() == 1 { "does not extend it" } else { "do not extend it" };
        found = found.also(below.span, format!("provides {}", names.join(" and ")));
        found = found.because(format!("`{}` below it provides {}, which {extend}", below.short, names.join(" and ")));
        if let [provided] = provided {
            help += &format!(
                "; if `{wanted}` allows all behaviour of `{provided}`, an empty layer can state this, and `nacre \
                    verify` checks it: `worker as_wanted {{ requires {provided}; provides {wanted}; }}`"
            );
        }
    }
    found.help(help)
}

/// The next layer below that provides something.
fn nearest<'f>(layers: &[&'f Fragment], place: usize) -> Option<(&'f Fragment, &'f [String])> {
    let below = layers[..place].iter().rev().find(|l| !l.provides.is_empty())?;
    Some((below, &below.provides))
}
