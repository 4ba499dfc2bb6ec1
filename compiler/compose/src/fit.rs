//! Checks, before linking, that neighbours speak the same interface.

use nacre_diagnostics::Diagnostic;
use nacre_stack::{Direction, Event, PortId};
use nacre_typed::{Fragment, ABOVE, BELOW};

use crate::codes;

/// Returns an error for each pair of neighbours that do not fit.
pub(crate) fn check(fragments: &[Fragment]) -> Vec<Diagnostic> {
    fragments.windows(2).filter_map(|pair| neighbours(&pair[0], &pair[1])).collect()
}

/// The events that a layer may emit, or receive, at a side.
fn spoken(fragment: &Fragment, side: PortId, incoming: bool) -> Vec<&Event> {
    let here = fragment.interface.iter().filter(|i| i.side == side && i.incoming == incoming);
    here.map(|i| &fragment.events[i.event.index()]).collect()
}

fn neighbours(upper: &Fragment, lower: &Fragment) -> Option<Diagnostic> {
    let down = misfits(spoken(upper, BELOW, false), upper, spoken(lower, ABOVE, true), lower);
    let up = misfits(spoken(lower, ABOVE, false), lower, spoken(upper, BELOW, true), upper);
    let common = upper.below.iter().any(|name| lower.above.contains(name));
    let words: Vec<String> = down.into_iter().chain(up).filter(|m| m.differs || !common).map(|m| m.words).collect();
    if words.is_empty() {
        return None;
    }
    let title = format!("`{}` does not fit over `{}`", upper.short, lower.short);
    let mut diagnostic = Diagnostic::error(codes::MISFIT, title)
        .at(upper.span, format!("has the interface {} below", listed(&upper.below)))
        .also(lower.span, format!("has the interface {} above", listed(&lower.above)));
    for reason in words {
        diagnostic = diagnostic.because(reason);
    }
    Some(diagnostic.help("put a layer with both interfaces between them, or change the order of the layers"))
}

struct Misfit {
    /// The other side knows an event of that name, with other parameters.
    differs: bool,
    words: String,
}

/// The events of one side that the other does not accept.
fn misfits(said: Vec<&Event>, speaker: &Fragment, taken: Vec<&Event>, listener: &Fragment) -> Vec<Misfit> {
    let mut found = vec![];
    for event in said {
        let named: Vec<&&Event> =
            taken.iter().filter(|t| t.name == event.name && t.direction == event.direction).collect();
        let mine = signature(event, speaker);
        if named.iter().any(|t| signature(t, listener) == mine) {
            continue;
        }
        let words = match named.first() {
            Some(other) => {
                format!(
                    "`{}` emits `{mine}`, but `{}` declares `{}`",
                    speaker.name,
                    listener.name,
                    signature(other, listener)
                )
            }
            None => format!("`{}` may emit `{mine}`, which `{}` does not declare", speaker.name, listener.name),
        };
        found.push(Misfit { differs: !named.is_empty(), words });
    }
    found
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "nothing".into(),
        names => names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" and "),
    }
}

/// The declaration of an event without the names of its parameters: `down send(addr, msg)`.
fn signature(event: &Event, fragment: &Fragment) -> String {
    let direction = if event.direction == Direction::Up { "up" } else { "down" };
    let named = crate::words::Named { structs: &fragment.structs, enums: &fragment.enums };
    let types: Vec<String> = event.parameters.iter().map(|p| named.ty_in_full(&p.ty)).collect();
    format!("{direction} {}({})", event.name, types.join(", "))
}
