//! The rows of a chart.

use crate::run::{Hex, Output, RunStep, What};
use nacre_worlds::timing::milliseconds;

/// The options of a chart.
pub struct Words<'a> {
    /// Formats a frame for a reader.
    pub frame: &'a dyn Fn(&[u8]) -> String,
    /// Formats the arguments of an event other than its message; see [`crate::show::arguments`].
    pub arguments: &'a dyn Fn(&str, &[u64]) -> Vec<String>,
    /// Whether the handlers that ran and the cells that changed are drawn.
    pub details: bool,
}

/// One row of a chart. Endpoints are numbers: 0 is `a`, 1 is `b`, and so on.
pub(super) enum Row {
    /// At an endpoint.
    At(usize, String),
    /// A small line at an endpoint.
    Detail(usize, String),
    /// A frame leaves an endpoint.
    Sends(usize, Hex),
    /// A frame reaches an endpoint; `from`: the one that sent it, if it is known.
    Arrives { end: usize, from: Option<usize>, bytes: Hex },
    /// In the middle.
    Network(String),
}

/// The rows of a step.
pub(super) fn of_step(step: &RunStep, words: &Words) -> Vec<Row> {
    let mut rows = vec![];
    let network = || step.network.as_ref().map_or(String::new(), |action| action.shown(words.frame));
    let Some(end) = step.end else {
        let text = match step.what {
            What::Wait { until } => format!("⏱ {}", milliseconds(until)),
            _ => network(),
        };
        return vec![Row::Network(text)];
    };
    let event = |name: &str, numbers: &[u64], bytes: &Option<Hex>| {
        let mut parts = (words.arguments)(name, numbers);
        parts.extend(bytes.iter().map(|b| format!("0x{}", String::from(b.clone()))));
        format!("{name}({})", parts.join(", "))
    };
    rows.push(match &step.what {
        What::Opened => Row::At(end, "opens".into()),
        What::Call { name, arguments, message, .. } => Row::At(end, format!("▼ {}", event(name, arguments, message))),
        What::Frame { from, bytes } | What::NoSpace { from, bytes } => {
            Row::Arrives { end, from: *from, bytes: bytes.clone() }
        }
        What::Event { name, arguments, .. } => Row::At(end, format!("△ {}", event(name, arguments, &None))),
        What::Timer { name, indices, .. } if indices.is_empty() => Row::At(end, format!("timer {name}")),
        What::Timer { name, indices, .. } => Row::At(end, format!("timer {name} {indices:?}")),
        What::Later => Row::At(end, "↻ later event".into()),
        What::Nothing | What::Wait { .. } => Row::Network(network()),
    });
    if matches!(step.what, What::NoSpace { .. }) {
        rows.push(Row::At(end, "× the pool is full".into()));
    }
    if words.details {
        for handled in step.handled.iter().filter(|h| !h.passes) {
            rows.push(Row::Detail(end, format!("{}  {}", handled.handler, handled.source)));
        }
        for changed in &step.changed {
            rows.push(Row::Detail(end, format!("{}: {} → {}", changed.cell, changed.before, changed.after)));
        }
    }
    for Output { down, event: name, arguments, bytes, .. } in &step.left {
        rows.push(match (down, bytes) {
            (true, Some(bytes)) => Row::Sends(end, bytes.clone()),
            (true, None) => Row::At(end, format!("▽ {}", event(name, arguments, &None))),
            (false, bytes) => Row::At(end, format!("▲ {}", event(name, arguments, bytes))),
        });
    }
    rows
}

/// Formats arguments without their types.
#[cfg(test)]
pub(super) fn plain(_: &str, numbers: &[u64]) -> Vec<String> {
    numbers.iter().map(u64::to_string).collect()
}

/// Shortens a text to at most `most` characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => text.into(),
    }
}
